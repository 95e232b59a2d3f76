"""The signature format, against OpenSSH's own program and against a FIDO key made of software."""

from __future__ import annotations

import shutil
import subprocess
from base64 import b64decode, b64encode
from hashlib import sha256, sha512
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foureyes.adapters.identity import sshsig
from foureyes.errors import BadInput

from tests.stage.night import NIGHT, plays

STATEMENT = b"approve fe-1 at d1ff\n"
TOUCHED, NOT_TOUCHED = 1, 0
quick = settings(
    derandomize=not NIGHT,
    max_examples=plays("random values"),
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
ssh_keygen = pytest.mark.skipif(not shutil.which("ssh-keygen"), reason="ssh-keygen is not on the PATH")


def strings(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


class SoftwareKey:
    """A FIDO key without a device: it says of itself whether it was touched."""

    def __init__(self, seed: int = 1, application: bytes = b"ssh:") -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        self._application = application
        point = self._private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self._blob = strings(sshsig.FIDO.encode(), point, application)
        self.public = f"{sshsig.FIDO} {b64encode(self._blob).decode()}"

    def sign(
        self, statement: bytes, flags: int = TOUCHED, namespace: bytes = b"foureyes", kind: str = sshsig.FIDO
    ) -> str:
        """As ssh-keygen would, without its armor."""
        to_sign = b"SSHSIG" + strings(namespace, b"", b"sha512", sha512(statement).digest())
        presence = bytes([flags]) + (7).to_bytes(4, "big") if kind == sshsig.FIDO else b""
        signed = self._private.sign(sha256(self._application).digest() + presence + sha256(to_sign).digest())
        inner = strings(kind.encode(), signed) + presence
        return b64encode(b"SSHSIG\0\0\0\1" + strings(self._blob, namespace, b"", b"sha512", inner)).decode()


PRIVATE = Ed25519PrivateKey.from_private_bytes(b"\2" * 32)
PUBLIC = sshsig.public_of(PRIVATE)
SIGNATURE = sshsig.sign_with(PRIVATE, PUBLIC, STATEMENT)
FIDO = SoftwareKey()
FIDO_SIGNATURE = FIDO.sign(STATEMENT)
BOTH = pytest.mark.parametrize(
    ("public", "signature"), [(PUBLIC, SIGNATURE), (FIDO.public, FIDO_SIGNATURE)], ids=["plain", "fido"]
)


def made_by_ssh_keygen(folder: Path, namespace: str = "foureyes", *options: str) -> str:
    """PRIVATE's signature of STATEMENT, by OpenSSH."""
    key = folder / "key"
    key.write_bytes(PRIVATE.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    key.chmod(0o600)
    command = ["ssh-keygen", "-Y", "sign", "-f", str(key), "-n", namespace, *options]
    return subprocess.run(command, input=STATEMENT, capture_output=True, check=True).stdout.decode()


# ------------------------------------------------------------------------------------------------------ signatures


@BOTH
def test_a_signature_of_the_statement_holds_I9(public: str, signature: str) -> None:
    assert sshsig.verify(public, STATEMENT, signature) == ""
    assert sshsig.verify(public + " ann@desk\n", STATEMENT, signature) == "", "a comment is not part of the key"


@BOTH
def test_a_signature_of_another_statement_does_not_hold_I9(public: str, signature: str) -> None:
    assert sshsig.verify(public, STATEMENT + b" ", signature) == "The signature is not one of this statement."
    assert sshsig.verify(public, b"", signature)


@BOTH
def test_a_signature_of_another_key_does_not_hold_I9(public: str, signature: str) -> None:
    other = sshsig.public_of(Ed25519PrivateKey.generate())
    for key in (other, SoftwareKey(9).public, SoftwareKey(application=b"ssh:other").public):
        assert sshsig.verify(key, STATEMENT, signature) == "The signature was made with another key."


def test_a_fido_key_that_was_not_touched_does_not_count_I9() -> None:
    for flags in (NOT_TOUCHED, 4, 0xFE):
        assert sshsig.verify(FIDO.public, STATEMENT, FIDO.sign(STATEMENT, flags)) == "The key was not touched."
    for flags in (TOUCHED, 5, 0xFF):
        assert sshsig.verify(FIDO.public, STATEMENT, FIDO.sign(STATEMENT, flags)) == ""


@BOTH
def test_nothing_may_follow_a_signature(public: str, signature: str) -> None:
    longer = b64encode(b64decode(signature) + b"\0").decode()
    assert sshsig.verify(public, STATEMENT, longer).startswith("This is not a signature")


def test_setting_the_touch_flag_afterwards_breaks_the_signature_I9() -> None:
    blob = bytearray(b64decode(FIDO.sign(STATEMENT, NOT_TOUCHED)))
    assert blob[-5] == NOT_TOUCHED
    blob[-5] = TOUCHED
    assert (
        sshsig.verify(FIDO.public, STATEMENT, b64encode(blob).decode()) == "The signature is not one of this statement."
    )


@pytest.mark.parametrize("namespace", [b"git", b"file", b"", b"foureyes\0", b"Foureyes"])
def test_a_signature_made_for_something_else_does_not_count_I9(namespace: bytes) -> None:
    why = sshsig.verify(FIDO.public, STATEMENT, FIDO.sign(STATEMENT, namespace=namespace))
    assert why == "The signature was made for another purpose, not for foureyes."


def test_a_signature_of_one_type_inside_a_key_of_the_other_is_none() -> None:
    assert sshsig.verify(FIDO.public, STATEMENT, FIDO.sign(STATEMENT, kind=sshsig.PLAIN)).startswith(
        "This is not a signature"
    )


@pytest.mark.parametrize(
    "garbage",
    ["", "x", "AAAA", "é", "\udc80", "\0", SIGNATURE + "\n", " " + SIGNATURE, SIGNATURE[:-4], SIGNATURE + "AAAA"],
)
def test_garbage_is_not_a_signature(garbage: str) -> None:
    assert sshsig.verify(PUBLIC, STATEMENT, garbage).startswith("This is not a signature")


@quick
@given(
    st.text(),
    st.binary(),
    st.one_of(st.text(), st.binary().map(lambda blob: b64encode(b"SSHSIG\0\0\0\1" + blob).decode())),
)
def test_garbage_never_raises_and_never_holds(public: str, statement: bytes, signature: str) -> None:
    assert sshsig.verify(public, statement, SIGNATURE)
    assert sshsig.verify(PUBLIC, statement, signature)
    assert sshsig.verify(FIDO.public, statement, signature)


@BOTH
@quick
@given(where=st.integers(0), bit=st.integers(0, 7))
def test_one_flipped_bit_of_the_statement_does_not_hold_I9(public: str, signature: str, where: int, bit: int) -> None:
    statement = bytearray(STATEMENT)
    statement[where % len(statement)] ^= 1 << bit
    assert sshsig.verify(public, bytes(statement), signature)


@BOTH
@quick
@given(where=st.integers(0), bit=st.integers(0, 7))
def test_one_flipped_bit_of_the_signature_does_not_hold_I9(public: str, signature: str, where: int, bit: int) -> None:
    blob = bytearray(b64decode(signature))
    blob[where % len(blob)] ^= 1 << bit
    assert sshsig.verify(public, STATEMENT, b64encode(blob).decode())


@BOTH
@quick
@given(where=st.integers(0), character=st.characters())
def test_one_other_character_of_the_signature_does_not_hold_I9(
    public: str, signature: str, where: int, character: str
) -> None:
    where %= len(signature)
    changed = signature[:where] + character + signature[where + 1 :]
    assert (sshsig.verify(public, STATEMENT, changed) == "") == (changed == signature)


# ---------------------------------------------------------------------------------------------------- public keys


def test_a_public_key_has_one_line_and_one_fingerprint() -> None:
    written = f"  {PUBLIC}   Ann on her desk\n"
    assert sshsig.plain(written) == sshsig.plain(PUBLIC) == PUBLIC
    assert sshsig.fingerprint(written) == sshsig.fingerprint(PUBLIC)
    assert sshsig.fingerprint(PUBLIC) == "SHA256:" + b64encode(
        sha256(b64decode(PUBLIC.split()[1])).digest()
    ).decode().rstrip("=")
    assert (sshsig.is_fido(PUBLIC), sshsig.is_fido(FIDO.public)) == (False, True)


@pytest.mark.parametrize(
    "kind",
    [
        "ssh-rsa",
        "ssh-dss",
        "ecdsa-sha2-nistp256",
        "sk-ecdsa-sha2-nistp256@openssh.com",
        "ssh-ed25519-cert-v01@openssh.com",
    ],
)
def test_another_type_of_key_is_told_which_ones_are_accepted(kind: str) -> None:
    line = f"{kind} {b64encode(strings(kind.encode(), b'key')).decode()} ann@desk"
    for read in (sshsig.fingerprint, sshsig.plain, sshsig.is_fido):
        with pytest.raises(BadInput, match=r"Only ssh-ed25519 and sk-ssh-ed25519@openssh\.com are"):
            read(line)
    assert "is not accepted" in sshsig.verify(line, STATEMENT, SIGNATURE)


@pytest.mark.parametrize(
    "garbage",
    [
        "",
        "\n",
        "ssh-ed25519",
        "ssh-ed25519 é",
        "ssh-ed25519 AAAA",
        PUBLIC[:-4],
        PUBLIC + "AAAA",
        PUBLIC.replace(sshsig.PLAIN, sshsig.FIDO),
        FIDO.public.replace(sshsig.FIDO, sshsig.PLAIN),
        f"{PUBLIC}\n{PUBLIC}",
        "ssh-ed25519 " + b64encode(strings(b"ssh-ed25519", b"\1" * 31)).decode(),
        f"no-touch-required {FIDO.public}",
    ],
)
def test_garbage_is_not_a_public_key(garbage: str) -> None:
    with pytest.raises(BadInput, match="This is not a public key"):
        sshsig.fingerprint(garbage)
    assert sshsig.verify(garbage, STATEMENT, SIGNATURE).startswith("This is not a public key")


# ---------------------------------------------------------------------------------------------------------- armor


@BOTH
def test_armor_goes_on_and_off(public: str, signature: str) -> None:
    text = sshsig.armored(signature)
    assert text.startswith("-----BEGIN SSH SIGNATURE-----\n")
    assert text.endswith("\n-----END SSH SIGNATURE-----\n")
    assert {len(line) for line in text.splitlines()[1:-2]} == {70}
    assert sshsig.unarmored(text) == sshsig.unarmored(text.replace("\n", "\r\n").encode()) == signature


@pytest.mark.parametrize(
    "garbage", ["", b"\xff", SIGNATURE, sshsig.armored(SIGNATURE)[:-10], b"Couldn't load public key"]
)
def test_a_text_without_armor_is_not_a_signature(garbage: str | bytes) -> None:
    with pytest.raises(BadInput, match="not an SSH signature"):
        sshsig.unarmored(garbage)


# -------------------------------------------------------------------------------------------------------- OpenSSH


@ssh_keygen
@BOTH
def test_ssh_keygen_accepts_our_signatures(tmp_path: Path, public: str, signature: str) -> None:
    signers, signed = tmp_path / "signers", tmp_path / "sig"
    signers.write_text(f"ann {public}\n")
    signed.write_text(sshsig.armored(signature))
    command = ["ssh-keygen", "-Y", "verify", "-f", str(signers), "-I", "ann", "-n", sshsig.NAMESPACE, "-s", str(signed)]
    result = subprocess.run(command, input=STATEMENT, capture_output=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr
    assert sshsig.fingerprint(public).encode() in result.stdout
    assert subprocess.run(command, input=b"other", capture_output=True, check=False).returncode != 0


@ssh_keygen
def test_our_signature_is_the_one_that_ssh_keygen_makes(tmp_path: Path) -> None:
    text = made_by_ssh_keygen(tmp_path)
    assert (sshsig.unarmored(text), sshsig.armored(SIGNATURE)) == (SIGNATURE, text)


@ssh_keygen
def test_a_signature_of_ssh_keygen_with_the_shorter_hash_holds(tmp_path: Path) -> None:
    signature = sshsig.unarmored(made_by_ssh_keygen(tmp_path, "foureyes", "-O", "hashalg=sha256"))
    assert signature != SIGNATURE
    assert sshsig.verify(PUBLIC, STATEMENT, signature) == ""


@ssh_keygen
@pytest.mark.parametrize("namespace", ["git", "file"])
def test_what_ssh_keygen_signs_for_something_else_does_not_count_I9(tmp_path: Path, namespace: str) -> None:
    signature = sshsig.unarmored(made_by_ssh_keygen(tmp_path, namespace))
    assert "another purpose" in sshsig.verify(PUBLIC, STATEMENT, signature)


@ssh_keygen
def test_ssh_keygen_shows_the_same_fingerprints(tmp_path: Path) -> None:
    for public in (PUBLIC, FIDO.public):
        (tmp_path / "key.pub").write_text(public + "\n")
        shown = subprocess.run(
            ["ssh-keygen", "-l", "-f", str(tmp_path / "key.pub")], capture_output=True, text=True, check=True
        )
        assert shown.stdout.split()[1] == sshsig.fingerprint(public)
