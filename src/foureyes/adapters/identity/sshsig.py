"""Signs and verifies in OpenSSH's SSHSIG format, so that anyone can check with `ssh-keygen -Y verify`. (I9)

The signature covers the namespace, so that one made with the same key for git or a file does not count here.
"""

from __future__ import annotations

from binascii import a2b_base64, b2a_base64
from hashlib import sha256, sha512
from typing import TYPE_CHECKING, NamedTuple

from foureyes.errors import BadInput

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

NAMESPACE = "foureyes"
PLAIN = "ssh-ed25519"
FIDO = "sk-ssh-ed25519@openssh.com"

BEGIN, END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
LINE = 70
MAGIC, VERSION = b"SSHSIG", (1).to_bytes(4, "big")
HASHES = {b"sha256": sha256, b"sha512": sha512}
KEY_BYTES = 32
LENGTHS = {PLAIN.encode(): (64, 0), FIDO.encode(): (64, 5)}
"""The length of the signature, and of a FIDO key's flags and counter."""
PRESENT = 1
"""Flag in a FIDO signature that says that the key was touched."""


class _Public(NamedTuple):
    """A public key: its type, its SSH encoding, the Ed25519 point, and a FIDO key's application."""

    kind: str
    blob: bytes
    point: bytes
    application: bytes


class _Signature(NamedTuple):
    """The fields of an SSHSIG blob. `presence` holds flags and counter of a FIDO key."""

    public: bytes
    namespace: bytes
    reserved: bytes
    hash: bytes
    raw: bytes
    presence: bytes

    def signed(self, statement: bytes) -> bytes:
        """Return the bytes that the signature covers."""
        return MAGIC + _packed(self.namespace, self.reserved, self.hash, HASHES[self.hash](statement).digest())


def fingerprint(public: str) -> str:
    """Return the fingerprint of a public key, as `ssh-keygen -l` shows it. Raise BadInput for an unsupported key."""
    return "SHA256:" + _base64(sha256(_public(public).blob).digest()).rstrip("=")


def plain(public: str) -> str:
    """Return the public key without its comment, so that each key has one form."""
    key = _public(public)
    return f"{key.kind} {_base64(key.blob)}"


def is_fido(public: str) -> bool:
    """Return True if the key is in a device that waits for a touch."""
    return _public(public).kind == FIDO


def public_of(private: Ed25519PrivateKey) -> str:
    """Return the public line of an Ed25519 private key."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    return private.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode("ascii")


def sign_with(private: Ed25519PrivateKey, public: str, statement: bytes) -> str:
    """Return the signature of a plain key, as `ssh-keygen -Y sign -n foureyes` makes it, without its armor."""
    unsigned = _Signature(_public(public).blob, NAMESPACE.encode(), b"", b"sha512", b"", b"")
    raw = _packed(PLAIN.encode(), private.sign(unsigned.signed(statement)))
    return _base64(
        MAGIC + VERSION + _packed(unsigned.public, unsigned.namespace, unsigned.reserved, unsigned.hash, raw)
    )


def armored(signature: str) -> str:
    """Return a signature in the form that ssh-keygen reads."""
    lines = [signature[start : start + LINE] for start in range(0, len(signature), LINE)]
    return "\n".join((BEGIN, *lines, END, ""))


def unarmored(text: bytes | str) -> str:
    """Return the signature from ssh-keygen's output. Raise BadInput if there is none."""
    lines = (text.decode("ascii", "replace") if isinstance(text, bytes) else text).split()
    words = " ".join(lines)
    if not (words.startswith(BEGIN) and words.endswith(END)):
        raise BadInput("This is not an SSH signature, because its first or last line is missing.")
    return words.removeprefix(BEGIN).removesuffix(END).replace(" ", "")


def verify(public: str, statement: bytes, signature: str) -> str:
    """Return why the signature is invalid, "" if the key signed the statement for us. Never raises on malformed
    input.
    """
    try:
        key = _public(public)
    except BadInput as problem:
        return problem.message
    try:
        made = _signature(signature)
    except ValueError:
        return f"This is not a signature of an {PLAIN} or {FIDO} key."
    if made.public != key.blob:
        return "The signature was made with another key."
    if made.namespace != NAMESPACE.encode():
        return f"The signature was made for another purpose, not for {NAMESPACE}."
    if not _holds(key, made, statement):
        return "The signature is not one of this statement."
    if key.kind == FIDO and not made.presence[0] & PRESENT:
        return "The key was not touched."
    return ""


def _holds(key: _Public, made: _Signature, statement: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    signed = made.signed(statement)
    if (
        key.kind == FIDO
    ):  # the device sees hashes only, and adds what it knows: whether it was touched, and how often it signed
        signed = sha256(key.application).digest() + made.presence + sha256(signed).digest()
    try:
        Ed25519PublicKey.from_public_bytes(key.point).verify(made.raw, signed)
    except (InvalidSignature, ValueError):
        return False
    return True


def _public(line: str) -> _Public:
    """Parse a public key line completely."""
    words = line.split()
    kind = words[0] if words else ""
    if kind not in (PLAIN, FIDO) and kind.startswith(("ssh-", "ecdsa-", "sk-")):
        raise BadInput(f"A key of type {kind[:60]!r} is not accepted. Only {PLAIN} and {FIDO} are.")
    try:
        if kind not in (PLAIN, FIDO) or "\n" in line.strip():
            raise ValueError("not one line of a key")
        blob = _unbase64(words[1])
        (name, point, *application), rest = _unpacked(blob, 3 if kind == FIDO else 2)
        if name != kind.encode() or len(point) != KEY_BYTES or rest:
            raise ValueError("not a key of its type")
    except (ValueError, IndexError) as problem:
        raise BadInput(
            f"This is not a public key. It should be one line with {PLAIN} or {FIDO} and the key."
        ) from problem
    return _Public(kind, blob, point, b"".join(application))


def _signature(text: str) -> _Signature:
    """Parse a signature completely. Raise ValueError for anything else, including an unsupported key type."""
    blob = _unbase64(text)
    head = MAGIC + VERSION
    (public, namespace, reserved, hash_name, inner), rest = _unpacked(blob.removeprefix(head), 5)
    (kind, raw), presence = _unpacked(inner, 2)
    (of_key,), _ = _unpacked(public, 1)
    lengths = (len(raw), len(presence))
    if not blob.startswith(head) or rest or hash_name not in HASHES or of_key != kind or lengths != LENGTHS.get(kind):
        raise ValueError("not a signature of such a key")
    return _Signature(public, namespace, reserved, hash_name, raw, presence)


def _packed(*strings: bytes) -> bytes:
    """Return SSH's encoding: each string after its length."""
    return b"".join(len(string).to_bytes(4, "big") + string for string in strings)


def _unpacked(blob: bytes, count: int) -> tuple[list[bytes], bytes]:
    """Return the first strings of a blob, and the rest."""
    strings = []
    for _ in range(count):
        end = 4 + int.from_bytes(blob[:4], "big")
        if len(blob) < end:
            raise ValueError("cut short")
        strings.append(blob[4:end])
        blob = blob[end:]
    return strings, blob


def _base64(content: bytes) -> str:
    return b2a_base64(content, newline=False).decode("ascii")


def _unbase64(text: str) -> bytes:
    """Decode base64. Raise ValueError unless it is the canonical form, so that each content has one text."""
    content = a2b_base64(text)
    if _base64(content) != text:
        raise ValueError("not base64")
    return content
