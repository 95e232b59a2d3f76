"""The private part of a key, as far as it shows without a passphrase: whether a file is one (I1)."""

from __future__ import annotations

import os
from base64 import b64decode
from os.path import splitext

from foureyes.adapters.folders import read
from foureyes.adapters.identity import sshsig

READ_LIMIT = 65536
LEAST_PRIVATE = 48
"""An Ed25519 key takes so many bytes before it is put under a passphrase."""


def could_sign(private: bytes, public: str) -> bool:
    """Whether this is a private part: of a FIDO key the file that it names, with the public part that OpenSSH writes
    into it; else a key under a passphrase.
    """
    if sshsig.is_fido(public):
        try:
            named = read(os.fsdecode(private), READ_LIMIT, follow=True)
        except (OSError, ValueError):
            return False
        content = _unwrapped(named, b"OPENSSH PRIVATE KEY")
        return content.startswith(b"openssh-key-v1\0") and b64decode(public.split()[1]) in content
    content = _unwrapped(private, b"ENCRYPTED PRIVATE KEY")
    return len(content) > LEAST_PRIVATE and content.startswith(b"\x30")


def _unwrapped(content: bytes, kind: bytes) -> bytes:
    """What is in a PEM file of this kind; empty where it is none."""
    begin, end = b"-----BEGIN " + kind + b"-----", b"-----END " + kind + b"-----"
    body = content.strip()
    if not (body.startswith(begin) and body.endswith(end)):
        return b""
    try:
        return b64decode(b"".join(body[len(begin) : -len(end)].split()), validate=True)
    except ValueError:
        return b""


def last_written(file: str) -> str:
    """When the file of a key, or the public one beside it, got there or was changed: by the time that the system sets,
    which who plants a file does not choose.
    """
    from datetime import UTC, datetime

    try:
        times = [os.stat(path, follow_symlinks=False).st_ctime for path in (file, splitext(file)[0] + ".pub")]
    except OSError:
        return "at an unknown time"
    return f"{datetime.fromtimestamp(max(times), UTC):%Y-%m-%d %H:%M} UTC"
