"""What a file shows of a private key without its passphrase (I1)."""

from __future__ import annotations

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    KeySerializationEncryption,
    NoEncryption,
    PrivateFormat,
)

from foureyes.adapters.identity import sshsig
from foureyes.adapters.identity.keys import could_sign

PRIVATE = Ed25519PrivateKey.from_private_bytes(b"\5" * 32)
PUBLIC = sshsig.public_of(PRIVATE)


def pem(lock: KeySerializationEncryption) -> bytes:
    return PRIVATE.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock)


def test_a_key_under_a_passphrase_could_sign_I1() -> None:
    assert could_sign(pem(BestAvailableEncryption(b"a passphrase")), PUBLIC)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n",
        b"-----BEGIN ENCRYPTED PRIVATE KEY-----\n!!\n-----END ENCRYPTED PRIVATE KEY-----\n",
        pem(NoEncryption()),
    ],
)
def test_what_is_no_key_under_a_passphrase_could_not_I1(content: bytes) -> None:
    assert not could_sign(content, PUBLIC)
