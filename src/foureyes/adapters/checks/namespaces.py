"""A room of its own for one run, as a script of its own: a mount namespace in which layers lie over each other and
other people's files are not there (D5).

`keep SPEC` makes the room, says `ready`, and keeps it until its input ends. `enter PID DIRECTORY PROGRAM …` becomes a
program inside of the room that PID keeps. As root a mount namespace suffices; for others it is one of a user namespace,
in which they are who they are and have no more rights once their program has begun.

Two are started for every check that has a room: only what is light is imported here.
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
"""The number of the system call `mount_setattr`, which is the same everywhere, and what it is asked for."""
READY = "ready"
READ_BOUND, DROP_BOUND, LAST_RIGHT, RIGHTS_FORM = 23, 24, 63, 0x20080522
RIGHTS = (0, 1, 3, 4, 5, 6, 7, 8, 10, 13, 18, 29, 31)
"""What root keeps in a room, as in containers: CHOWN, DAC_OVERRIDE, FOWNER, FSETID, KILL, SETGID, SETUID, SETPCAP,
NET_BIND_SERVICE, NET_RAW, SYS_CHROOT, AUDIT_WRITE, SETFCAP. None makes devices, mounts, traces or opens by a handle.
"""


def keep(at: str, place: str, words: list[str]) -> None:
    """Make a room and stay in it until nobody needs it.

    `at` is where `place` is seen in there. `words`: rows of words, each after how many it has. `passing` and
    `lasting`: what lies over each other below it: where, two directories for what is written, the lower ones from
    above; nobody waits until a disk has what passes. `bind`: where, and what is seen there. `hidden`: a directory that
    is empty in there; `scratch`: one that is empty and can be written, with what is seen in its place; `shown`: what of
    the hidden ones can be read all the same.
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
    """By kind, in their order."""
    rows: dict[str, list[list[str]]] = {}
    while words:
        end = 1 + int(words[0])
        rows.setdefault(words[1], []).append(words[2:end])
        words = words[end:]
    return rows


def _hide(at: str, hidden: Iterable[str], scratch: Iterable[list[str]], shown: Iterable[str]) -> None:
    """Empty directories over what is not for a run, from above; then what it may see, by handles from before."""
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
    """Whether a path is still what it was."""
    try:
        return os.path.samestat(os.stat(path), os.fstat(handle))
    except OSError:
        return False


def enter(pid: str, directory: str, argv: list[str]) -> None:
    """Become a program in a room."""
    handles = [os.open(f"/proc/{pid}/ns/{name}", os.O_RDONLY) for name in _different(pid)]
    for handle in handles:
        _must(f"the room of {pid} cannot be entered", "setns", handle, 0)
    _give_up_rights()
    os.chdir(directory)
    os.execv(argv[0], argv)  # noqa: S606


def _give_up_rights() -> None:
    """For good, also what root has: who may mount takes away what hides, who may trace enters what is outside."""
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
    """The user namespace comes first: in it we may enter the other."""
    names = ("user", "mnt")
    return [name for name in names if os.readlink(f"/proc/self/ns/{name}") != os.readlink(f"/proc/{pid}/ns/{name}")]


def _leave() -> None:
    """Have mounts of our own."""
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
    """A call of the C library: what it answers. By the part of `ctypes` that is not written in Python, where it is as
    we know it: the rest takes longer to load than everything else here.
    """
    try:
        import _ctypes

        known = _ctypes.dlsym(_ctypes.dlopen(None, 0), name)  # type: ignore[arg-type]
        return int(_ctypes.call_function(known, args))
    except (ImportError, AttributeError, TypeError):
        return _call_whole(name, *args)[0]


def _call_whole(name: str, *args: int | bytes | None) -> tuple[int, int]:
    """The same by all of `ctypes`, which also knows why it failed."""
    import ctypes

    known = [ctypes.c_ulong(each) if isinstance(each, int) and each >= 0 else each for each in args]
    return int(getattr(ctypes.CDLL(None, use_errno=True), name)(*known)), ctypes.get_errno()


def _must(what: str, name: str, *args: int | bytes | None) -> None:
    """What fails is asked once more, for its reason; that may be hidden by now."""
    if _call(name, *args) == 0:
        return
    try:
        answer, number = _call_whole(name, *args)
    except ImportError:
        answer, number = -1, 0
    if answer != 0:
        raise OSError(number, f"{what}: {os.strerror(number) if number else 'it cannot be said why'}")


def _escaped(path: str) -> str:
    return path.replace("\\", "\\\\").replace(",", "\\,").replace(":", "\\:")


def main(argv: list[str]) -> None:
    """Say what went wrong in one line: of a room to who asked for it, of a program where its output goes."""
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
