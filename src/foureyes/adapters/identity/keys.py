"""A person's key ring, which signs only while the person is present. (I9)

A key is either an Ed25519 key whose passphrase is asked for at every use, or a FIDO key of ssh-keygen that waits for a
touch. A key that ssh-agent could use silently is not accepted.
"""

from __future__ import annotations

import os
import stat
from base64 import b64decode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from os.path import abspath, dirname, isabs, islink, join, lexists, splitext
from typing import TYPE_CHECKING

import msgspec

from foureyes.adapters.folders import opened, read
from foureyes.adapters.identity import sshsig
from foureyes.adapters.process import ProcessProblem, ProgramTimedOut, run
from foureyes.core.words.text import in_line, readable
from foureyes.errors import BadInput, Conflict, EnvironmentProblem, NotFound, Reason, Refused
from foureyes.steps import NO_STEP, Steps, either, fe, shell

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey


# ---- Private keys, as far as readable without a passphrase ----

READ_LIMIT = 65536
LEAST_PRIVATE = 48
"""The size of an unencrypted Ed25519 key."""


def could_sign(private: bytes, public: str) -> bool:
    """Return True for a usable private part: of a FIDO key an OpenSSH file that contains the public part, otherwise an
    encrypted key.
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
    """Return the content of a PEM file of this kind, or an empty string."""
    begin, end = b"-----BEGIN " + kind + b"-----", b"-----END " + kind + b"-----"
    body = content.strip()
    if not (body.startswith(begin) and body.endswith(end)):
        return b""
    try:
        return b64decode(b"".join(body[len(begin) : -len(end)].split()), validate=True)
    except ValueError:
        return b""


def last_written(file: str) -> str:
    """Return when a key's files last changed. This is the ctime, which an attacker cannot choose."""
    from datetime import UTC, datetime

    try:
        times = [os.stat(path, follow_symlinks=False).st_ctime for path in (file, splitext(file)[0] + ".pub")]
    except OSError:
        return "at an unknown time"
    return f"{datetime.fromtimestamp(max(times), UTC):%Y-%m-%d %H:%M} UTC"


# ---- A person's key ring ----


NEW_KEY = fe("key", "add", "--new")
SHORTEST, TRIES, TOUCH_SECONDS = 8, 3, 60.0
COST = 2**16
"""The scrypt cost of one passphrase guess, far above PEM's own 2048 rounds. A change makes old keys unusable."""
OWN, HANDLE, PUBLIC = ".pem", ".handle", ".pub"
MOST_SIGNED = 4_000
"""Longest statement shown at the prompt, in characters."""


Asking = Callable[[Callable[[], str]], str]
"""A function that asks a question. A full-screen interface gives up the terminal while the question is open."""


def at_once(question: Callable[[], str]) -> str:
    """Ask the question directly, because no interface owns the terminal."""
    return question()


class KeyRing:
    """A person's keys: private parts in the user's configuration directory, passphrases from the terminal. (I9)"""

    written = staticmethod(last_written)

    def __init__(self, environ: Mapping[str, str], asking: Asking = at_once) -> None:
        self._environ, self._asking = environ, asking
        self._unlocked: dict[str, Ed25519PrivateKey] | None = None

    @property
    def folder(self) -> str:
        """The folder of the keys, below $XDG_CONFIG_HOME or ~/.config."""
        configuration, home = self._environ.get("XDG_CONFIG_HOME", ""), self._environ.get("HOME", "")
        if isabs(configuration):
            return join(configuration, "foureyes", "keys")
        if isabs(home):
            return join(home, ".config", "foureyes", "keys")
        raise EnvironmentProblem("There is no place for keys: neither XDG_CONFIG_HOME nor HOME is set.")

    def make(self) -> str:
        """Create a key under a new passphrase and return its public line."""
        from cryptography.hazmat.primitives import serialization as form
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        passphrase = _new_passphrase()
        private = Ed25519PrivateKey.generate()
        public = sshsig.public_of(private)
        lock = form.BestAvailableEncryption(_stretched(passphrase, public))
        self._keep(public, OWN, private.private_bytes(form.Encoding.PEM, form.PrivateFormat.PKCS8, lock))
        return public

    def adopt(self, path: str) -> str:
        """Register a FIDO key made by ssh-keygen and return its public line. Only the path of its private part is
        stored. (I9)"""
        from shutil import which

        handle = abspath(path.removesuffix(PUBLIC))
        public = _touch_key(handle + PUBLIC)
        _refuse_if_open(handle)
        if not which("ssh-keygen", path=self._environ.get("PATH", os.defpath)):
            raise EnvironmentProblem("A FIDO key signs through ssh-keygen, which is not on the PATH. Install OpenSSH.")
        self._keep(public, HANDLE, os.fsencode(handle))
        return public

    def held(self) -> dict[str, str]:
        """Return the public line of every key here, by fingerprint. Skips other files."""
        try:
            names = sorted(os.listdir(self.folder))
        except FileNotFoundError:
            return {}
        except OSError as problem:
            raise EnvironmentProblem(f"The keys in {self.folder} cannot be read: {problem.strerror}.") from problem
        lines = [_held_line(join(self.folder, name)) for name in names if name.endswith(PUBLIC)]
        return {sshsig.fingerprint(line): line for line in lines if line}

    def private_files(self) -> dict[str, str]:
        """Return the private file of each usable key, by fingerprint. Without the passphrase, nothing proves that an
        encrypted key belongs to its public line. (I1)
        """
        files: dict[str, str] = {}
        for fingerprint, public in self.held().items():
            path = _path(self.folder, public) + (HANDLE if sshsig.is_fido(public) else OWN)
            with suppress(Refused, EnvironmentProblem):
                if could_sign(_private_bytes(path), public):
                    files[fingerprint] = path
        return files

    def sign(self, fingerprint: str, statement: bytes) -> str:
        """Return the person's signature of a statement. Asks for the passphrase or a touch every time. (I9)"""
        public = self.held().get(fingerprint)
        if public is None:
            raise NotFound(f"The private part of the key {fingerprint!a} is not in {self.folder}.", next_step=NEW_KEY)
        if self._unlocked and fingerprint in self._unlocked:
            return sshsig.sign_with(self._unlocked[fingerprint], public, statement)
        return self._asking(lambda: self._asked(fingerprint, public, statement))

    def _asked(self, fingerprint: str, public: str, statement: bytes) -> str:
        """Show the statement at the terminal and return the person's signature."""
        path = _path(self.folder, public)
        _tell(f"You sign with {fingerprint[:15]}…: {_described(statement)}\n")
        if sshsig.is_fido(public):
            return self._touched(os.fsdecode(_private_bytes(path + HANDLE)), public, statement)
        private = _unlocked(path + OWN, public)
        if self._unlocked is not None:
            self._unlocked[fingerprint] = private
        return sshsig.sign_with(private, public, statement)

    @contextmanager
    def once(self) -> Iterator[None]:
        """Ask for the passphrase only once during this block. Each decision is signed by itself, and a FIDO key still
        needs a touch for each.
        """
        self._unlocked = {}
        try:
            yield
        finally:
            self._unlocked = None

    def verify(self, public: str, statement: bytes, signature: str) -> str:
        """Return why a signature is invalid, "" if it is valid."""
        return sshsig.verify(public, statement, signature)

    def fingerprint(self, public: str) -> str:
        return sshsig.fingerprint(public)

    def forget(self, fingerprint: str) -> None:
        """Delete the files that `make` or `adopt` has just written, because the key was not registered."""
        if public := self.held().get(fingerprint):
            for ending in (PUBLIC, OWN, HANDLE):
                with suppress(FileNotFoundError):
                    os.unlink(_path(self.folder, public) + ending)

    def _touched(self, handle: str, public: str, statement: bytes) -> str:
        """Sign with ssh-keygen, without an agent that could answer for the key. The signature proves the touch. (I9)"""
        _refuse_if_open(handle)
        environ = {name: value for name, value in self._environ.items() if name != "SSH_AUTH_SOCK"}
        _tell("Touch the security key to sign.\n")
        try:
            done = run(
                ["ssh-keygen", "-Y", "sign", "-f", handle, "-n", sshsig.NAMESPACE],
                env=environ,
                input=statement,
                timeout=TOUCH_SECONDS,
            )
        except ProgramTimedOut as late:
            why = f"The key was not touched within {TOUCH_SECONDS:g} seconds."
            raise _refused("Nothing was signed. Try again, and touch the key when it blinks.", why) from late
        except ProcessProblem as problem:
            raise EnvironmentProblem(f"A FIDO key signs through ssh-keygen: {problem}.") from problem
        try:
            signature = sshsig.unarmored(done.out)
        except BadInput as problem:
            raise EnvironmentProblem(
                f"ssh-keygen did not sign with {handle}: {_last_line(done.err) or 'it wrote nothing'}"
            ) from problem
        if why := sshsig.verify(public, statement, signature):
            raise _refused(
                "Nothing was signed.",
                why,
                shell("ssh-keygen", "-t", "ed25519-sk", after="   (a key that waits for a touch)"),
            )
        return signature

    def _keep(self, public: str, ending: str, secret: bytes) -> None:
        """Write both files of a key, or none of them."""
        path = _path(folder := self.folder, public)
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            _refuse_if_open(folder, "700")
            _write_new(path + ending, secret)
            try:
                _write_new(path + PUBLIC, public.encode() + b"\n")
            except BaseException:
                os.unlink(path + ending)
                raise
        except OSError as problem:
            raise EnvironmentProblem(
                f"The key was not kept: {folder} cannot be written: {problem.strerror}."
            ) from problem


def _refused(message: str, why: str, step: Steps = NO_STEP) -> Refused:
    return Refused(message, reasons=(Reason("I9", why, step),), next_step=step)


def _path(folder: str, public: str) -> str:
    """Return the path of a key's files without the ending: its fingerprint in characters valid on every file system."""
    name = sshsig.fingerprint(public).removeprefix("SHA256:").replace("+", "-").replace("/", "_")
    return join(folder, f"key-{name}")


def _held_line(path: str) -> str:
    """Return the public line in this file, "" if it is invalid or has no private part next to it."""
    try:
        public = sshsig.plain(_text(path))
    except (OSError, BadInput):
        return ""
    stem = path.removesuffix(PUBLIC)
    private = stem + (HANDLE if sshsig.is_fido(public) else OWN)
    return public if stem == _path(dirname(path), public) and lexists(private) else ""


def _touch_key(path: str) -> str:
    """Return the public line of a FIDO key. Refuse any other type. (I9)"""
    try:
        line = _text(path)
    except (OSError, ValueError) as problem:
        raise NotFound(
            f"There is no public key to read: {problem}.", next_step=shell("ssh-keygen", "-t", "ed25519-sk")
        ) from problem
    kind = "".join(line.split()[:1])
    if kind.startswith(("ssh-", "ecdsa-")):
        why = f"A key of type {kind[:60]!r} needs no touch, so ssh-agent could sign with it silently."
        fido = shell("ssh-keygen", "-t", "ed25519-sk", before="or a FIDO key: ", after=")")
        raise _refused(f"{path} cannot be used as a person's key.", why, either(NEW_KEY, fido, joint="   ("))
    return sshsig.plain(line)


def _text(path: str) -> str:
    return read(path, READ_LIMIT, follow=True).decode("utf-8", "replace")


def _private_bytes(path: str) -> bytes:
    """Return the content of a private file. Refuse a link or a file that others can read."""
    try:
        with open(opened(path), "rb") as file:
            _refuse_if_open(path, at=file.fileno())
            return file.read(READ_LIMIT)
    except OSError as problem:
        if islink(path):
            raise _refused("Nothing was signed.", f"{path} is a link; a private key is a file of its own.") from problem
        raise EnvironmentProblem(f"{path} cannot be read: {problem.strerror}.") from problem


def _refuse_if_open(path: str, mode: str = "600", *, at: int | None = None) -> None:
    """Refuse a file to which group or others have any rights. (I9)"""
    try:
        rights = stat.S_IMODE(os.stat(path if at is None else at).st_mode)
    except OSError as problem:
        raise EnvironmentProblem(f"{path} cannot be read: {problem.strerror}.") from problem
    if rights & 0o077:
        raise _refused(
            "This private key is readable or writable by others.",
            f"{path} is open to others ({rights:04o}).",
            shell("chmod", mode, path),
        )


def _write_new(path: str, content: bytes) -> None:
    """Create a file atomically. Raise Conflict instead of overwriting one."""
    temporary = join(dirname(path), f".new-{os.urandom(8).hex()}")
    try:
        with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.link(temporary, path)
    except FileExistsError as problem:
        raise Conflict(f"{path} already exists and stays as it is.") from problem
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def _new_passphrase() -> bytes:
    """Ask for a new passphrase twice and return it. Allows three tries."""
    why = ""
    for _ in range(TRIES):
        if why:
            _tell(f"{why}\n")
        typed = _ask(f"New passphrase (at least {SHORTEST} characters): ")
        if len(typed.decode("utf-8", "replace")) < SHORTEST:
            why = f"A passphrase has at least {SHORTEST} characters."
        elif _ask("The same again: ") != typed:
            why = "The two passphrases differ."
        else:
            return typed
    raise _refused("No key was made.", why, NEW_KEY)


def _stretched(passphrase: bytes, public: str) -> bytes:
    """Return the key that opens the file, derived slowly from the passphrase and specific to this key."""
    from cryptography.hazmat.primitives.kdf.scrypt import Scrypt

    return Scrypt(salt=public.encode(), length=32, n=COST, r=8, p=1).derive(passphrase).hex().encode()


def _unlocked(path: str, public: str) -> Ed25519PrivateKey:
    """Return a person's private key, opened with the passphrase. Allows three tries. (I9)"""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    content = _private_bytes(path)
    if not content.startswith(b"-----BEGIN ENCRYPTED PRIVATE KEY-----"):
        raise _refused("Nothing was signed.", f"{path} is not a key under a passphrase.", NEW_KEY)
    for _ in range(TRIES):
        passphrase = _ask("Passphrase of your Foureyes key: ")
        try:
            private = load_pem_private_key(content, _stretched(passphrase, public))
        except (ValueError, TypeError, UnsupportedAlgorithm):
            _tell(f"That is not the passphrase. ({path})\n")
            continue
        if isinstance(private, Ed25519PrivateKey) and sshsig.public_of(private) == public:
            return private
        raise _refused("Nothing was signed.", f"{path} contains a different key than its name says.", NEW_KEY)
    move = shell("mv", path, f"{path}.aside", before="try again. If you did not create that file, move it away: ")
    raise _refused("Nothing was signed.", f"The passphrase did not open {path}, {TRIES} times.", move)


@contextmanager
def _terminal() -> Iterator[int]:
    """Open the controlling terminal, regardless of standard input. Refuse if there is none. (I9)"""
    import termios

    try:
        with open(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY), "r+b", buffering=0) as terminal:
            yield terminal.fileno()
    except (OSError, termios.error) as problem:
        why = "There is no terminal to ask at. A pipe, an argument or the environment does not count."
        raise _refused("A passphrase is read from a terminal only.", why) from problem


def _ask(prompt: str) -> bytes:
    """Read one line without echo. The echo is restored in any case, and earlier input is dropped."""
    import termios

    with _terminal() as number:
        before = termios.tcgetattr(number)
        silent = (before[3] | termios.ICANON | termios.ISIG) & ~termios.ECHO
        try:
            termios.tcsetattr(number, termios.TCSAFLUSH, [*before[:3], silent, *before[4:]])
            os.write(number, prompt.encode())
            line = b""
            while not line.endswith(b"\n") and (part := os.read(number, 4096)):
                line += part
        finally:
            termios.tcsetattr(number, termios.TCSAFLUSH, before)
            os.write(number, b"\n")
    if not line.endswith(b"\n"):
        raise _refused("No passphrase was typed.", "The input ended before the end of the line.")
    return line[:-1]


def _tell(text: str) -> None:
    """Print a text to the terminal, if there is one."""
    with suppress(Refused), _terminal() as number:
        os.write(number, text.encode())


def _described(statement: bytes) -> str:
    """Return the statement to sign in one line, with untrusted text escaped. Of a very long one, say how many
    characters are missing.
    """
    try:
        fields = msgspec.json.decode(statement, type=dict[str, object])
    except msgspec.DecodeError:
        return f"{len(statement)} bytes"
    words = [str(fields.get(name) or "") for name in ("verb", "task", "diff_id", "reason")]
    text = ", ".join(filter(None, words))
    line = in_line(text, MOST_SIGNED)
    return line if len(text) <= MOST_SIGNED else f"{line} … and {len(text) - MOST_SIGNED:,} more characters"


def _last_line(text: bytes) -> str:
    """Return the last line of a program's output, safe to print."""
    return in_line(readable(text).strip().rpartition("\n")[2], 200)
