"""Creates and enters the sandbox of one run: a mount namespace with overlay layers and without other users' files. (D5)

This is a script. `keep SPEC` creates the sandbox, prints `ready`, and keeps it until its input ends. `enter PID
DIRECTORY PROGRAM …` becomes a program inside the sandbox of PID. Root needs only a mount namespace. Other users also
get a user namespace, with their own id and without extra rights once the program starts. Every sandboxed check starts
this twice, so it imports only light modules.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

NEW_MOUNTS, NEW_USER = 0x00020000, 0x10000000
BIND, RECURSIVE, PRIVATE = 0x1000, 0x4000, 1 << 18
NO_SET_ID, NO_DEVICES = 2, 4
SET_ATTRIBUTES, BELOW, READ_ONLY = 442, 0x8000, 1
"""The number of the `mount_setattr` system call, the same on all platforms, and its flags."""
READY = "ready"
READ_BOUND, DROP_BOUND, LAST_RIGHT, RIGHTS_FORM = 23, 24, 63, 0x20080522
RIGHTS = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 29, 31)
"""The capabilities that root keeps in a sandbox, as in containers: CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID,
SETUID, SETPCAP, NET_BIND_SERVICE, NET_RAW, SYS_CHROOT, AUDIT_WRITE, SETFCAP. None of them can create devices, mount,
trace or open files by handle."""


def keep(at: str, place: str, words: list[str]) -> None:
    """Create a sandbox and hold it until standard input ends. The sandbox sees `place` as `at`.

    `words` are rows, each after its length:

    - passing, lasting: an overlay, with a name, the upper and work directories, and the lower ones from the top. A
    `passing` one is never synced to disk.
    - bind: a name and its source
    - hidden: a directory to empty
    - scratch: a directory to replace by an empty writable source
    - shown: a hidden path to keep readable
    """
    _leave()
    _mount(None, "/", None, RECURSIVE | PRIVATE)
    _mount(place, at, None, BIND | RECURSIVE)
    rows = _rows(words)
    for kind, last in (("passing", ",volatile"), ("lasting", "")):
        for where, upper, moving, *lower in rows.get(kind, ()):
            options = f"lowerdir={':'.join(map(_escaped, lower))},upperdir={_escaped(upper)},workdir={_escaped(moving)}"
            _mount("overlay", f"{at}/{where}", "overlay", 0, f"{options},userxattr{last}")
    for where, source in rows.get("bind", ()):
        _mount(source, f"{at}/{where}", None, BIND | RECURSIVE)
    hidden, shown = ([path for (path,) in rows.get(kind, ())] for kind in ("hidden", "shown"))
    _hide(at, hidden, rows.get("scratch", ()), shown)
    os.write(1, READY.encode() + b"\n")
    while os.read(0, 4096):
        continue


def _rows(words: list[str]) -> dict[str, list[list[str]]]:
    """Return the rows by kind, in order."""
    rows: dict[str, list[list[str]]] = {}
    while words:
        end = 1 + int(words[0])
        rows.setdefault(words[1], []).append(words[2:end])
        words = words[end:]
    return rows


def _hide(at: str, hidden: Iterable[str], scratch: Iterable[list[str]], shown: Iterable[str]) -> None:
    """Cover the hidden directories, outermost first, then restore the visible ones from handles opened before."""
    again = [(path, os.open(path, os.O_PATH), path == at) for path in [*shown, at]]
    covers = sorted([*((path, "") for path in hidden), *((path, source) for path, source in scratch)])
    sources = {source: os.open(source, os.O_PATH) for _, source in covers if source}
    empty = []
    for path, source in covers:
        if not os.path.isdir(path):
            continue  # it went with one above it
        if source:
            _mount(f"/proc/self/fd/{sources[source]}", path, None, BIND)
        else:
            _mount("tmpfs", path, "tmpfs", NO_SET_ID | NO_DEVICES, "size=1m,mode=755")
            empty.append(path)
    for path, handle, writable in sorted(again):
        if not _is_there(path, handle):
            os.makedirs(path, exist_ok=True)
            _mount(f"/proc/self/fd/{handle}", path, None, BIND | RECURSIVE)
            if not writable:
                _read_only(path, BELOW)
        os.close(handle)
    for path in empty:
        _read_only(path, 0)


def _is_there(path: str, handle: int) -> bool:
    """Return True if the path still refers to the same file."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(handle))
    except OSError:
        return False


def enter(pid: str, directory: str, argv: list[str]) -> None:
    """Become a program in a sandbox."""
    handles = [os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY) for name in _different(pid)]
    for handle in handles:
        _must(f"the namespaces of process {pid} cannot be entered", "setns", handle, 0)
    _give_up_rights()
    os.chdir(directory)
    os.execv(argv[0], argv)  # noqa: S606


def _give_up_rights() -> None:
    """Drop all capabilities that could undo the sandbox. Even root could unmount what hides files, or trace a process
    outside.
    """
    for right in range(LAST_RIGHT + 1):
        if right not in RIGHTS and _call("prctl", READ_BOUND, right, 0, 0, 0) == 1:
            _must("a right cannot be given up", "prctl", DROP_BOUND, right, 0, 0, 0)
    with open("/proc/self/status", "rb") as file:  # a codec would be imported, and may be hidden by now
        has = next(int(line.split()[1], 16) for line in file if line.startswith(b"CapPrm:"))
    left = has & sum(1 << right for right in RIGHTS)
    words = (RIGHTS_FORM, 0, left, left, 0, 0, 0, 0)  # in effect, permitted, handed on to programs; the higher ones
    data = b"".join(word.to_bytes(4, sys.byteorder) for word in words)
    _must("rights cannot be given up", "capset", data[:8], data[8:])


def _different(pid: str) -> list[str]:
    """Return the namespaces to enter. The user namespace comes first, because it grants the right to enter the other."""
    names = ("user", "mnt")
    return [name for name in names if os.readlink(f"/proc/self/ns/{name}") != os.readlink(f"/proc/{pid}/ns/{name}")]


def _leave() -> None:
    """Enter a new mount namespace, and a user namespace if needed."""
    uid, gid = os.geteuid(), os.getegid()
    if uid == 0 and _call("unshare", NEW_MOUNTS) == 0:
        return
    _must("no namespace", "unshare", NEW_USER | NEW_MOUNTS)
    for name, text in (("setgroups", "deny"), ("uid_map", f"{uid} {uid} 1"), ("gid_map", f"{gid} {gid} 1")):
        with open(f"/proc/self/{name}", "w", encoding="ascii") as file:
            file.write(text)


def _mount(source: str | None, path: str, kind: str | None, flags: int, data: str | None = None) -> None:
    words = [None if word is None else os.fsencode(word) for word in (source, path, kind, data)]
    _must(f"{kind or 'mount'} at {path}", "mount", words[0], words[1], words[2], flags, words[3])


def _read_only(path: str, also: int) -> None:
    attributes = b"".join(value.to_bytes(8, sys.byteorder) for value in (READ_ONLY, 0, 0, 0))
    here = -100  # AT_FDCWD
    _must(f"read-only {path}", "syscall", SET_ATTRIBUTES, here, os.fsencode(path), also, attributes, 32)


def _call(name: str, *args: int | bytes | None) -> int:
    """Call a C function and return its result. The C part of `ctypes` is used if possible, because loading the rest
    takes most of the start-up time.
    """
    try:
        import _ctypes

        known = _ctypes.dlsym(_ctypes.dlopen(None, 0), name)  # type: ignore[arg-type]
        return int(_ctypes.call_function(known, args))
    except (ImportError, AttributeError, TypeError):
        return _call_whole(name, *args)[0]


def _call_whole(name: str, *args: int | bytes | None) -> tuple[int, int]:
    """Call a C function with full `ctypes` and return the result and errno."""
    import ctypes

    known = [ctypes.c_ulong(each) if isinstance(each, int) and each >= 0 else each for each in args]
    return int(getattr(ctypes.CDLL(None, use_errno=True), name)(*known)), ctypes.get_errno()


def _must(what: str, name: str, *args: int | bytes | None) -> None:
    """Call a C function and raise OSError if it fails. A failed call is repeated with full `ctypes` to get errno."""
    if _call(name, *args) == 0:
        return
    try:
        answer, number = _call_whole(name, *args)
    except ImportError:
        answer, number = -1, 0
    if answer != 0:
        raise OSError(number, f"{what}: {os.strerror(number) if number else 'for an unknown reason'}")


def _escaped(path: str) -> str:
    return path.replace("\\", "\\\\").replace(",", "\\,").replace(":", "\\:")


def main(argv: list[str]) -> None:
    """Run a command line. An error is printed in one line on standard output, where the creator of the sandbox or the
    program's log gets it.
    """
    try:
        if argv[0] == "keep":
            keep(argv[1], argv[2], argv[3:])
        else:
            enter(argv[1], argv[2], argv[3:])
    except OSError as problem:
        os.write(1, os.fsencode(f"{problem.strerror}\n"))
        sys.exit(127)


if __name__ == "__main__":
    main(sys.argv[1:])
