"""A program of an agent without root: it makes user and mount namespaces of its own, takes a terminal, and asks who it
is.

python attack_unprivileged.py UID MAP [FROM TO]...

It becomes the user, maps its id as MAP says (nothing: not at all) and mounts each FROM over TO; `PID` in them is its
own number, FROM `tmpfs` an empty folder. With `hide` for a map it hides the processes of others in `/proc` and becomes
the user then. It asks in its own process: an interpreter may lie where only its owner can start it.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import sys
import termios

from foureyes.app.results.session import whoami_alone
from foureyes.ui.cli.command import Session
from foureyes.ui.cli.output import write_json

NEW_USER, NEW_MOUNTS = 0x10000000, 0x00020000
BIND, RECURSIVE, PRIVATE = 4096, 16384, 1 << 18
DUMPABLE = 4
LIBC = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Become what is asked for, and say who that is."""
    user, uid_map, *mounts = sys.argv[1:]
    whoami_alone(Session().actor)  # everything is imported by now
    if uid_map == "hide":
        check(LIBC.unshare(NEW_MOUNTS), "unshare")
        mount(b"none", b"/", None, RECURSIVE | PRIVATE)
        mount(b"proc", b"/proc", b"proc", 0, b"hidepid=2")
    become(int(user))
    if uid_map != "hide":
        check(LIBC.unshare(NEW_USER | NEW_MOUNTS), "unshare")
        if uid_map:
            write("/proc/self/uid_map", uid_map)
            mount(b"none", b"/", None, RECURSIVE | PRIVATE)
    for source, target in zip(mounts[::2], mounts[1::2], strict=True):
        place = target.replace("PID", str(os.getpid())).encode()
        if source == "tmpfs":
            mount(b"none", place, b"tmpfs", 0)
        else:
            mount(source.replace("PID", str(os.getpid())).encode(), place, None, BIND)
    os.chdir("/")
    write_json(whoami_alone(Session().actor))


def become(user: int) -> None:
    """Another user at a terminal of their own, whose files in `/proc` are theirs."""
    if os.getpid() != os.getsid(0):
        os.setsid()
    _, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSCTTY, 0)
    if os.getuid() == 0:
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)
    check(LIBC.prctl(DUMPABLE, 1, 0, 0, 0), "prctl")


def mount(source: bytes, target: bytes, kind: bytes | None, flags: int, data: bytes | None = None) -> None:
    check(LIBC.mount(source, target, kind, flags, data), f"mount {target.decode()}")


def write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def check(result: int, what: str) -> None:
    if result != 0:
        sys.exit(f"{what}: {os.strerror(ctypes.get_errno())}")


if __name__ == "__main__":
    if os.fork() == 0:
        main()
    else:
        sys.exit(os.waitstatus_to_exitcode(os.wait()[1]))
