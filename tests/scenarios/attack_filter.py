"""A program of an agent that keeps a system call from what it runs, as a kernel that does not know it would.

python attack_filter.py NUMBER -- PROGRAM ARGUMENT...

It installs a seccomp filter, which needs no rights, and says of itself that the kernel is old. The standard library
only.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

NO_NEW_PRIVS, SET_SECCOMP, FILTER = 38, 22, 2
LOAD, EQUAL, RETURN = 0x20, 0x15, 0x06
ALLOW, ERRNO = 0x7FFF0000, 0x00050000
UNAME_26 = 0x0020000


def main() -> None:
    """Put the filter in place and become the program."""
    number, program = int(sys.argv[1]), sys.argv[3:]
    steps = [(LOAD, 0, 0, 0), (EQUAL, 0, 1, number), (RETURN, 0, 0, ERRNO | errno.ENOSYS), (RETURN, 0, 0, ALLOW)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
    filters = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(steps), ctypes.addressof(code)))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.personality(UNAME_26)
    assert libc.prctl(NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    assert libc.prctl(SET_SECCOMP, FILTER, filters) == 0, os.strerror(ctypes.get_errno())
    os.execvp(program[0], program)


if __name__ == "__main__":
    main()
