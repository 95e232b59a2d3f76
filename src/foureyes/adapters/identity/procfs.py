"""Reads files of Linux's `/proc` below one verified handle, without crossing a mount. (I3)

A user with a private mount namespace can mount anything over `/proc`, or the files of one process over another's. So
the root is verified by its magic number, and `openat2` with `RESOLVE_NO_XDEV` opens every file, because a bind mount
from the same procfs passes all other tests. Older kernels compare device and magic number of each file. If a filter
forbids the call on a newer kernel, nothing is trusted.

The standard library has no such call. It is made through `_ctypes` alone, which loads in a fifth of the time of
`ctypes`.
"""

from __future__ import annotations

import errno
import os
import sys

ROOT = "/proc"
ROOT_INODE = 1
MAGIC = 0x9FA0
OPENAT2 = 437
"""The number of the call on every architecture with the common table, since Linux 5.1."""
OTHER_TABLES = ("alpha", "mips")
SINCE = (5, 6)
OLDEST = (3, 0)
"""Kernel version below which a report is not believed, because the process was told to report it (`setarch
--uname-2.6`).
"""
NO_XDEV, NO_SYMLINKS = 0x01, 0x04
STATFS_BYTES = 256
MOST_BYTES = 65536
CROSSED = frozenset({errno.EXDEV, errno.ELOOP})


class NotProc(Exception):
    """Raised if `/proc` cannot be trusted, with the reason."""


class ProcDirectory:
    """A directory of `/proc` whose files are read only below its handle. Absent, hidden or ended entries are empty.
    Raises NotProc for anything that is not procfs.
    """

    def __init__(self, kernel: _Kernel, handle: int, name: str) -> None:
        self._kernel = kernel
        self._handle = handle
        self._name = name

    def __enter__(self) -> ProcDirectory:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._handle)

    def below(self, name: str) -> ProcDirectory | None:
        """Return a subdirectory, or None. One of a process stays bound to that process, even if its pid is reused."""
        handle = self._open(name, os.O_PATH | os.O_DIRECTORY)
        return None if handle is None else ProcDirectory(self._kernel, handle, f"{self._name}/{name}")

    def across(self, name: str) -> ProcDirectory | None:
        """Return a directory of this procfs that may be mounted over itself, as containers do with `/proc/sys`."""
        try:
            handle = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=self._handle)
        except OSError:
            return None
        if not self._kernel.is_same(handle):
            os.close(handle)
            raise NotProc(f"Something else is mounted over {self._name}/{name}.")
        return ProcDirectory(self._kernel, handle, f"{self._name}/{name}")

    def read(self, name: str) -> bytes:
        """Return the first 64 KiB of a file."""
        handle = self._open(name, os.O_RDONLY)
        if handle is None:
            return b""
        try:
            return os.read(handle, MOST_BYTES)
        except OSError:  # the process ended between open and read
            return b""
        finally:
            os.close(handle)

    def link(self, name: str) -> str:
        """Return the target of a link as the kernel writes it, without following it."""
        handle = self._open(name, os.O_PATH)
        if handle is None:
            return ""
        try:
            return os.readlink("", dir_fd=handle)
        except OSError:
            return ""
        finally:
            os.close(handle)

    def _open(self, name: str, flags: int) -> int | None:
        try:
            return self._kernel.open(self._handle, name, flags | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError as problem:
            if problem.errno in CROSSED:
                raise NotProc(f"Something else is mounted over {self._name}/{name}.") from None
            return None


def root() -> ProcDirectory:
    """Open `/proc`. Raise NotProc if it is not trusted."""
    try:
        kernel = _Kernel()
        handle = os.open(ROOT, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ImportError) as problem:
        raise NotProc(f"{ROOT} cannot be read ({problem}).") from None
    try:
        kernel.check(handle)
    except (NotProc, OSError):
        os.close(handle)
        raise
    return ProcDirectory(kernel, handle, ROOT)


class _Kernel:
    """The system calls missing from the standard library."""

    def __init__(self) -> None:
        import _ctypes

        class Long(_ctypes._SimpleCData):  # type: ignore[type-arg]
            _type_ = "l"

        class Call(_ctypes.CFuncPtr):
            _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
            _restype_ = Long

        class Byte(_ctypes._SimpleCData):  # type: ignore[type-arg]
            _type_ = "c"

        class Buffer(_ctypes.Array):  # type: ignore[type-arg]
            _type_ = Byte
            _length_ = STATFS_BYTES

        library = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
        self._syscall = Call(_ctypes.dlsym(library, "syscall"))
        self._fstatfs = Call(_ctypes.dlsym(library, "fstatfs"))
        self._buffer = Buffer
        self._long = _ctypes.sizeof(Long)
        self._errno = _ctypes.get_errno
        self._device = -1
        self._is_old = False

    def check(self, handle: int) -> None:
        """Raise NotProc unless the handle is the root of a procfs and files below it can be opened safely."""
        facts = os.fstat(handle)
        if facts.st_ino != ROOT_INODE or not self._is_proc(handle):
            raise NotProc(f"{ROOT} is not the kernel's: something else is mounted there.")
        self._device = facts.st_dev
        try:
            os.close(self._openat2(handle, ".", os.O_PATH | os.O_CLOEXEC))
        except OSError as problem:
            if problem.errno != errno.ENOSYS or not _has_no_openat2():
                raise NotProc(f"The kernel's openat2 is kept from this process ({problem.strerror}).") from None
            self._is_old = True

    def open(self, handle: int, name: str, flags: int) -> int:
        """Open a file below a handle on the same mount. Raise OSError, with EXDEV for another mount."""
        if not self._is_old:
            return self._openat2(handle, name, flags)
        opened = os.open(name, flags, dir_fd=handle)
        if not self.is_same(opened):
            os.close(opened)
            raise OSError(errno.EXDEV, os.strerror(errno.EXDEV))
        return opened

    def is_same(self, handle: int) -> bool:
        """Return True if a file belongs to the verified procfs, on any mount."""
        return os.fstat(handle).st_dev == self._device and self._is_proc(handle)

    def _openat2(self, handle: int, name: str, flags: int) -> int:
        how = b"".join(part.to_bytes(8, sys.byteorder) for part in (flags, 0, NO_XDEV | NO_SYMLINKS))
        result = self._syscall(OPENAT2, handle, os.fsencode(name), how, len(how))
        if result < 0:
            number = self._errno()
            raise OSError(number, os.strerror(number))
        return int(result)

    def _is_proc(self, handle: int) -> bool:
        answer = self._buffer()
        if self._fstatfs(handle, answer) != 0:
            return False
        return int.from_bytes(bytes(answer)[: self._long], sys.byteorder) == MAGIC


def _has_no_openat2() -> bool:
    """Return True if this kernel reports a version too old for the call."""
    system = os.uname()
    numbers = [part for part in system.release.replace("-", ".").split(".")[:2] if part.isdigit()]
    if system.machine.startswith(OTHER_TABLES) or len(numbers) != 2:
        return False
    return OLDEST <= (int(numbers[0]), int(numbers[1])) < SINCE
