"""A person's key ring: at a real terminal, with a FIDO key made of software, and with everything that can lie in its
folder.
"""

from __future__ import annotations

import fcntl
import os
import select
import subprocess
import sys
import termios
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from foureyes.adapters.identity import keys, sshsig
from foureyes.adapters.identity.keys import KeyRing
from foureyes.adapters.process import ProgramTimedOut
from foureyes.errors import BadInput, Conflict, EnvironmentProblem, NotFound, Refused
from foureyes.ui.steps import steps_text

from tests.adapters.identity.test_sshsig import NOT_TOUCHED, TOUCHED, SoftwareKey

SECRET = "correct horse ✓"
PLAIN = sshsig.public_of(Ed25519PrivateKey.from_private_bytes(b"\3" * 32))
STATEMENT = b"approve fe-1 at d1ff\n"
LATE = 30.0
"""Seconds after which a test gives up; none waits for them."""

CHILD = """
import os, signal, sys, termios
from foureyes.adapters.identity import keys
from foureyes.adapters.identity.keys import KeyRing
from foureyes.errors import FoureyesError
keys.COST = 2**10  # to guess is not what is tried here
signal.signal(signal.SIGINT, signal.default_int_handler)
ring = KeyRing(os.environ)
try:
    print(ring.make() if sys.argv[1] == "make" else ring.sign(sys.argv[1], sys.argv[2].encode()))
except FoureyesError as problem:
    print(type(problem).__name__, problem, *(f"{reason.rule}: {reason.message}" for reason in problem.reasons), sep="\\n")
except KeyboardInterrupt:
    print("interrupted")
try:
    print("echo" if termios.tcgetattr(os.open("/dev/tty", os.O_RDWR))[3] & termios.ECHO else "silent")
except OSError:
    print("no terminal")
"""


class Seen(NamedTuple):
    """What a child printed (last: whether its terminal echoes), and what was on its screen."""

    lines: list[str]
    screen: str


class KeyHolder:
    """Somebody's home, with or without a terminal."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.folder = home / ".config" / "foureyes" / "keys"
        self.environ = {
            "HOME": str(home),
            "PATH": os.defpath,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "LANG": "C.UTF-8",
        }
        self.ring = KeyRing(self.environ)

    def types(self, command: str, *answers: str, statement: str = STATEMENT.decode(), stdin: bytes = b"") -> Seen:
        """Run a command of the key ring at a terminal of its own; each answer is typed when it is asked for."""
        master, slave = os.openpty()
        child = self._start([command, statement], slave)
        os.close(slave)
        screen = ""
        for answer in answers:
            screen += _shown(master, ": ")
            os.write(master, answer.encode())
        out, err = child.communicate(stdin, timeout=LATE)
        screen += _shown(master)
        os.close(master)
        assert not err, err.decode()
        return Seen(out.decode().splitlines(), screen)

    def pipes(self, command: str, stdin: str) -> Seen:
        """The same without a terminal."""
        out, err = self._start([command, STATEMENT.decode()]).communicate(stdin.encode(), timeout=LATE)
        assert not err, err.decode()
        return Seen(out.decode().splitlines(), "")

    def _start(self, arguments: list[str], terminal: int | None = None) -> subprocess.Popen[bytes]:
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [sys.executable, "-c", CHILD, *arguments],
            env={**self.environ, "PASSPHRASE": SECRET},
            stdin=pipe,
            stdout=pipe,
            stderr=pipe,
            start_new_session=True,
            pass_fds=() if terminal is None else (terminal,),
            preexec_fn=None if terminal is None else lambda: fcntl.ioctl(terminal, termios.TIOCSCTTY, 0) and None,
        )


def _shown(master: int, until: str = "") -> str:
    """What appears on the screen, up to a question or to the end."""
    seen = b""
    while not (until and seen.endswith(until.encode())):
        assert select.select([master], [], [], LATE)[0], f"nothing more after {seen!r}"
        try:
            part = os.read(master, 4096)
        except OSError:  # Linux: the last one has closed the terminal
            part = b""
        if not part:
            assert not until, f"ended without a question: {seen!r}"
            break
        seen += part
    return seen.decode()


@pytest.fixture
def holder(tmp_path: Path) -> KeyHolder:
    return KeyHolder(tmp_path)


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is typed, in the process of the test: without a terminal, and with cheap guesses."""
    typed: list[str] = []
    monkeypatch.setattr(keys, "_ask", lambda prompt: typed.pop(0).encode())
    monkeypatch.setattr(keys, "_tell", lambda text: None)
    monkeypatch.setattr(keys, "COST", 2)
    return typed


@pytest.fixture
def made(holder: KeyHolder, answers: list[str]) -> str:
    """The fingerprint of a key under SECRET."""
    answers += [SECRET, SECRET]
    return sshsig.fingerprint(holder.ring.make())


def private_file(holder: KeyHolder) -> Path:
    (path,) = holder.folder.glob("*.pem")
    return path


def rules(refusal: pytest.ExceptionInfo[Refused]) -> list[str]:
    return [reason.rule for reason in refusal.value.reasons]


# ----------------------------------------------------------------------------------------------- at the terminal


def test_a_key_is_made_and_used_at_the_terminal_with_its_passphrase_every_time_I9(holder: KeyHolder) -> None:
    made = holder.types("make", f"{SECRET}\n", f"{SECRET}\n")
    public, echo = made.lines
    fingerprint = sshsig.fingerprint(public)
    assert holder.ring.held() == {fingerprint: public}
    for _ in range(2):
        signed = holder.types(fingerprint, f"{SECRET}\n")
        assert holder.ring.verify(public, STATEMENT, signed.lines[0]) == ""
        assert SECRET not in signed.screen + made.screen
        assert signed.lines[1] == echo == "echo"


def test_a_wrong_passphrase_may_be_typed_twice_I9(holder: KeyHolder) -> None:
    public, _ = holder.types("make", f"{SECRET}\n", f"{SECRET}\n").lines
    seen = holder.types(sshsig.fingerprint(public), "wrong one\n", "\n", f"{SECRET}\n")
    assert sshsig.verify(public, STATEMENT, seen.lines[0]) == ""
    assert seen.screen.count(f"That is not the passphrase. ({private_file(holder)})") == 2
    seen = holder.types(sshsig.fingerprint(public), "wrong one\n", f"{SECRET} \n", "third one\n")
    assert seen.lines[:2] == ["Refused", "Nothing was signed."]
    assert seen.lines[2].startswith("I9: The passphrase did not open ")
    assert (len(seen.lines), seen.lines[-1]) == (4, "echo")


def test_a_passphrase_in_a_pipe_or_the_environment_is_not_one_I9(holder: KeyHolder) -> None:
    refusal = ["Refused", "A passphrase is read from a terminal only."]
    assert holder.pipes("make", f"{SECRET}\n{SECRET}\n").lines[:2] == refusal
    assert not holder.folder.exists()
    public, _ = holder.types("make", f"{SECRET}\n", f"{SECRET}\n").lines
    seen = holder.pipes(sshsig.fingerprint(public), f"{SECRET}\n" * 3)
    assert seen.lines[:2] == refusal
    assert seen.lines[2].startswith("I9: ")
    assert seen.lines[-1] == "no terminal"


def test_what_comes_through_a_pipe_is_not_read_even_at_a_terminal_I9(holder: KeyHolder) -> None:
    public, _ = holder.types("make", f"{SECRET}\n", f"{SECRET}\n", stdin=b"from a pipe\n" * 9).lines
    seen = holder.types(sshsig.fingerprint(public), "a\n", "b\n", "c\n", stdin=SECRET.encode() + b"\n")
    assert seen.lines[0] == "Refused"


def test_ctrl_c_ends_the_question_gives_the_echo_back_and_leaves_nothing(holder: KeyHolder) -> None:
    for typed in (["\x03"], [f"{SECRET}\n", "half\x03"]):
        assert holder.types("make", *typed).lines == ["interrupted", "echo"]
    assert not holder.folder.exists()


def test_the_end_of_input_is_not_a_passphrase_I9(holder: KeyHolder) -> None:
    for typed in (["\x04"], [f"{SECRET}\n", f"{SECRET}\x04\x04"]):
        seen = holder.types("make", *typed)
        assert (seen.lines[:2], seen.lines[-1]) == (["Refused", "No passphrase was typed."], "echo")
    assert not holder.folder.exists()


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ([""], "A passphrase has at least 8 characters."),
        (["äääääää"], "A passphrase has at least 8 characters."),
        ([SECRET, SECRET + " "], "The two passphrases differ."),
        ([SECRET, ""], "The two passphrases differ."),
    ],
)
def test_a_passphrase_that_is_short_or_mistyped_makes_no_key_I9(
    holder: KeyHolder, answers: list[str], typed: list[str], why: str
) -> None:
    answers += typed * 3
    with pytest.raises(Refused, match="No key was made") as refusal:
        holder.ring.make()
    assert [(reason.rule, reason.message) for reason in refusal.value.reasons] == [("I9", why)]
    assert steps_text(refusal.value.next_step) == "fe key add --new"
    assert not holder.folder.exists()


def test_a_passphrase_that_is_too_short_or_mistyped_is_asked_for_again_I9(
    holder: KeyHolder, answers: list[str]
) -> None:
    answers += ["short", SECRET, "other", SECRET, SECRET]
    assert holder.ring.make() in holder.ring.held().values()


# ------------------------------------------------------------------------------------------------------ the files


def test_a_private_key_is_an_encrypted_file_of_its_owner_alone_I9(holder: KeyHolder, made: str) -> None:
    path = private_file(holder)
    assert (holder.folder.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)
    assert path.read_bytes().startswith(b"-----BEGIN ENCRYPTED PRIVATE KEY-----")
    with pytest.raises(ValueError):  # a wrong password can, by chance, decrypt to garbage with sound padding
        load_pem_private_key(path.read_bytes(), SECRET.encode())
    assert len(list(holder.folder.iterdir())) == 2, "no temporary file is left"
    assert all(":" not in path.name and "+" not in path.name for path in holder.folder.iterdir())


def test_the_folder_is_below_the_configuration_directory_I9(tmp_path: Path) -> None:
    assert KeyRing({"XDG_CONFIG_HOME": "/x", "HOME": "/h"}).folder == "/x/foureyes/keys"
    for environ in (
        {"HOME": "/h"},
        {"HOME": "/h", "XDG_CONFIG_HOME": ""},
        {"HOME": "/h", "XDG_CONFIG_HOME": "relative"},
    ):
        assert KeyRing(environ).folder == "/h/.config/foureyes/keys"
    for nowhere in ({}, {"HOME": "relative"}):
        with pytest.raises(EnvironmentProblem, match="no place for keys"):
            KeyRing(nowhere).held()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o610])
def test_a_private_key_that_others_can_reach_is_refused_I9(holder: KeyHolder, made: str, mode: int) -> None:
    private_file(holder).chmod(mode)
    with pytest.raises(Refused) as refusal:
        holder.ring.sign(made, STATEMENT)
    assert (rules(refusal), steps_text(refusal.value.next_step)) == (["I9"], f"chmod 600 {private_file(holder)}")


def test_a_folder_that_others_can_reach_gets_no_key_I9(holder: KeyHolder, made: str, answers: list[str]) -> None:
    holder.folder.chmod(0o770)
    answers += [SECRET, SECRET]
    with pytest.raises(Refused) as refusal:
        holder.ring.make()
    assert (rules(refusal), steps_text(refusal.value.next_step)) == (["I9"], f"chmod 700 {holder.folder}")
    assert list(holder.ring.held()) == [made]


def test_a_link_in_place_of_a_private_key_is_refused_I9(holder: KeyHolder, made: str) -> None:
    path = private_file(holder)
    path.symlink_to(path.rename(holder.home / "elsewhere"))
    with pytest.raises(Refused) as refusal:
        holder.ring.sign(made, STATEMENT)
    assert rules(refusal) == ["I9"]
    assert "is a link" in refusal.value.reasons[0].message


def test_a_key_without_a_passphrase_is_refused_I9(holder: KeyHolder, made: str) -> None:
    private_file(holder).write_bytes(
        Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    )
    with pytest.raises(Refused) as refusal:
        holder.ring.sign(made, STATEMENT)
    assert "is not a key under a passphrase" in refusal.value.reasons[0].message


@pytest.mark.parametrize(
    "content", [b"", b"\xff\0", b"-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n"]
)
def test_a_damaged_private_key_signs_nothing_I9(
    holder: KeyHolder, made: str, answers: list[str], content: bytes
) -> None:
    private_file(holder).write_bytes(content)
    answers += [SECRET] * 3
    with pytest.raises(Refused) as refusal:
        holder.ring.sign(made, STATEMENT)
    assert rules(refusal) == ["I9"]


def test_another_key_in_the_file_signs_nothing_I9(holder: KeyHolder, made: str, answers: list[str]) -> None:
    lock = BestAvailableEncryption(keys._stretched(SECRET.encode(), holder.ring.held()[made]))
    private_file(holder).write_bytes(
        Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, lock)
    )
    answers.append(SECRET)
    with pytest.raises(Refused) as refusal:
        holder.ring.sign(made, STATEMENT)
    assert "contains a different key" in refusal.value.reasons[0].message


def test_a_directory_in_place_of_a_private_key_is_said(holder: KeyHolder, made: str) -> None:
    path = private_file(holder)
    path.unlink()
    path.mkdir(mode=0o700)
    with pytest.raises(EnvironmentProblem, match="cannot be read"):
        holder.ring.sign(made, STATEMENT)


def test_files_that_are_no_keys_are_passed_over(holder: KeyHolder, made: str) -> None:
    public = holder.ring.held()[made]
    for name, content in {
        "notes.pub": b"hello",
        "binary.pub": b"\xff\0\xfe",
        "key-x.pub": PLAIN.encode(),
        "key-x.pem": b"",
        "readme": b"",
    }.items():
        (holder.folder / name).write_bytes(content)
    (holder.folder / "folder.pub").mkdir()
    assert holder.ring.held() == {made: public}
    next(path for path in holder.folder.glob("key-*.pem") if path.stat().st_size).unlink()
    assert holder.ring.held() == {}, "a public key without its private part is not held"


@pytest.mark.parametrize("content", [b"", b"hello", b"-----BEGIN ENCRYPTED PRIVATE KEY-----\n"])
def test_a_public_line_beside_what_is_no_private_key_is_nobodys_key_I1(
    holder: KeyHolder, made: str, content: bytes
) -> None:
    own = {made: str(private_file(holder))}
    stem = keys._path(str(holder.folder), PLAIN)
    Path(stem + ".pub").write_text(f"{PLAIN}\n")
    private = Path(stem + ".pem")
    private.write_bytes(content)
    private.chmod(0o600)
    assert holder.ring.private_files() == own
    private.write_bytes(Path(own[made]).read_bytes())
    assert len(holder.ring.private_files()) == 2, "whose it is only the passphrase tells"
    private.chmod(0o644)
    assert holder.ring.private_files() == own


def test_when_a_key_was_put_there_is_told_by_what_nobody_sets_back_I9(holder: KeyHolder, made: str) -> None:
    """Who plants one gives its files the time that they like."""
    file = holder.ring.private_files()[made]
    for path in holder.folder.iterdir():
        os.utime(path, (0, 0))
    now = datetime.fromtimestamp(os.stat(file).st_ctime, UTC)
    assert holder.ring.written(file) == f"{now:%Y-%m-%d %H:%M} UTC"
    assert now.year > 2000
    Path(file).unlink()
    assert holder.ring.written(file) == "at an unknown time"


def test_without_a_folder_no_key_is_held(holder: KeyHolder) -> None:
    assert holder.ring.held() == {}


@pytest.mark.parametrize("fingerprint", ["SHA256:nobody", "", "../../key", "SHA256:../x", "\0"])
def test_a_key_that_is_not_here_is_not_found(holder: KeyHolder, made: str, fingerprint: str) -> None:
    with pytest.raises(NotFound, match="is not in"):
        holder.ring.sign(fingerprint, STATEMENT)
    holder.ring.forget(fingerprint)
    assert list(holder.ring.held()) == [made]


def test_a_folder_that_cannot_be_written_is_said(holder: KeyHolder, answers: list[str]) -> None:
    answers += [SECRET, SECRET]
    (holder.home / ".config").write_text("a file")
    with pytest.raises(EnvironmentProblem, match="cannot be written"):
        holder.ring.make()
    with pytest.raises(EnvironmentProblem, match="cannot be read"):
        holder.ring.held()


@pytest.mark.parametrize("ending", [".pem", ".pub"])
@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_key_is_kept_whole_or_not_at_all(
    holder: KeyHolder, answers: list[str], monkeypatch: pytest.MonkeyPatch, ending: str, problem: BaseException
) -> None:
    def link(source: str, target: str, real: Callable[[str, str], None] = os.link) -> None:
        if target.endswith(ending):
            raise problem
        real(source, target)

    monkeypatch.setattr(os, "link", link)
    answers += [SECRET, SECRET]
    with pytest.raises(KeyboardInterrupt if isinstance(problem, KeyboardInterrupt) else EnvironmentProblem):
        holder.ring.make()
    assert list(holder.folder.iterdir()) == []


def test_a_key_that_was_just_made_can_be_forgotten(holder: KeyHolder, made: str, answers: list[str]) -> None:
    answers += [SECRET, SECRET]
    other = sshsig.fingerprint(holder.ring.make())
    holder.ring.forget(other)
    assert list(holder.ring.held()) == [made]
    assert len(list(holder.folder.iterdir())) == 2


def test_the_key_ring_loads_nothing_heavy_until_it_is_used(holder: KeyHolder) -> None:
    code = (
        "import sys, foureyes.adapters.identity.keys; print(sorted({'cryptography', 'subprocess', 'getpass'} & "
        "set(sys.modules)))"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], env=holder.environ, capture_output=True, text=True, check=True
        ).stdout
        == "[]\n"
    )


# ------------------------------------------------------------------------------------------------------ FIDO keys

FAKE_SSH_KEYGEN = """#!/bin/sh
# Plays ssh-keygen with a FIDO key: the handle is the signature that the key will make.
cat > "$0.input"
env > "$0.env"
echo "$@" > "$0.args"
echo "Confirm user presence for key" >&2
cat "$4" || echo "device not found" >&2
"""


class Fido:
    """A FIDO key of ssh-keygen in somebody's home, and the program that signs with it."""

    def __init__(self, holder: KeyHolder) -> None:
        self.holder, self.key = holder, SoftwareKey()
        self.public, self.fingerprint = self.key.public, sshsig.fingerprint(self.key.public)
        self.handle = holder.home / "id fido"
        self.handle.touch(mode=0o600)
        self.public_file = holder.home / "id fido.pub"
        self.public_file.write_text(f"{self.public} ann@desk\n")
        self.program = holder.home / "bin" / "ssh-keygen"
        self.program.parent.mkdir()
        self.program.write_text(FAKE_SSH_KEYGEN)
        self.program.chmod(0o755)
        holder.environ.update({"PATH": f"{self.program.parent}:{os.defpath}", "SSH_AUTH_SOCK": "/agent"})

    def will_sign(self, statement: bytes, flags: int = TOUCHED, namespace: bytes = b"foureyes") -> None:
        self.handle.write_text(sshsig.armored(self.key.sign(statement, flags, namespace)))

    def saw(self, what: str) -> str:
        return Path(f"{self.program}.{what}").read_text()


@pytest.fixture
def fido(holder: KeyHolder, answers: list[str]) -> Fido:
    """No passphrase is asked for: there are no answers."""
    return Fido(holder)


def test_a_fido_key_could_sign_where_the_file_that_it_names_has_its_public_part_I1(
    holder: KeyHolder, fido: Fido
) -> None:
    holder.ring.adopt(str(fido.handle))
    assert holder.ring.private_files() == {}
    inside = b64encode(b"openssh-key-v1\0" + b64decode(fido.public.split()[1])).decode()
    Path(fido.handle).write_text(f"-----BEGIN OPENSSH PRIVATE KEY-----\n{inside}\n-----END OPENSSH PRIVATE KEY-----\n")
    assert list(holder.ring.private_files()) == [fido.fingerprint]
    (named,) = holder.folder.glob("*.handle")
    named.write_bytes(b"\0")
    assert holder.ring.private_files() == {}


@pytest.mark.parametrize("name", ["id fido", "id fido.pub"])
def test_a_fido_key_signs_with_a_touch_and_without_an_agent_I9(holder: KeyHolder, fido: Fido, name: str) -> None:
    assert holder.ring.adopt(str(holder.home / name)) == fido.public
    assert holder.ring.held() == {fido.fingerprint: fido.public}
    fido.will_sign(STATEMENT)
    signature = holder.ring.sign(fido.fingerprint, STATEMENT)
    assert holder.ring.verify(fido.public, STATEMENT, signature) == ""
    assert (fido.saw("input"), fido.saw("args")) == (STATEMENT.decode(), f"-Y sign -f {fido.handle} -n foureyes\n")
    assert "SSH_AUTH_SOCK" not in fido.saw("env")
    assert f"HOME={holder.home}\n" in fido.saw("env")
    assert {path.stat().st_mode & 0o777 for path in holder.folder.iterdir()} == {0o600}


@pytest.mark.parametrize(
    ("statement", "flags", "namespace", "why"),
    [
        (STATEMENT, NOT_TOUCHED, b"foureyes", "The key was not touched."),
        (b"another", TOUCHED, b"foureyes", "The signature is not one of this statement."),
        (STATEMENT, TOUCHED, b"git", "The signature was made for another purpose, not for foureyes."),
    ],
)
def test_a_fido_key_that_signs_untouched_or_something_else_is_refused_I9(
    holder: KeyHolder, fido: Fido, statement: bytes, flags: int, namespace: bytes, why: str
) -> None:
    holder.ring.adopt(str(fido.handle))
    fido.will_sign(statement, flags, namespace)
    with pytest.raises(Refused, match="Nothing was signed") as refusal:
        holder.ring.sign(fido.fingerprint, STATEMENT)
    assert [(reason.rule, reason.message) for reason in refusal.value.reasons] == [("I9", why)]


def test_a_fido_key_that_nobody_touches_in_time_is_refused_I9(
    holder: KeyHolder, fido: Fido, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object, **__: object) -> None:
        raise ProgramTimedOut("ssh-keygen was still running")

    holder.ring.adopt(str(fido.handle))
    monkeypatch.setattr(keys, "run", never)
    with pytest.raises(Refused, match="touch the key when it blinks") as refusal:
        holder.ring.sign(fido.fingerprint, STATEMENT)
    assert rules(refusal) == ["I9"]


def test_what_ssh_keygen_says_when_it_does_not_sign_is_passed_on(holder: KeyHolder, fido: Fido) -> None:
    holder.ring.adopt(str(fido.handle))
    fido.program.write_text("#!/bin/sh\necho 'something' >&2\nprintf 'device \\033[31mnot found\\n\\n' >&2\nexit 255\n")
    with pytest.raises(EnvironmentProblem, match=r"did not sign with .*: device ␛\[31mnot found$"):
        holder.ring.sign(fido.fingerprint, STATEMENT)
    fido.program.unlink()
    holder.environ["PATH"] = str(fido.program.parent)
    with pytest.raises(EnvironmentProblem, match="ssh-keygen was not found"):
        holder.ring.sign(fido.fingerprint, STATEMENT)


def test_a_fido_handle_that_is_gone_or_open_to_others_signs_nothing_I9(holder: KeyHolder, fido: Fido) -> None:
    holder.ring.adopt(str(fido.handle))
    fido.handle.chmod(0o644)
    with pytest.raises(Refused) as refusal:
        holder.ring.sign(fido.fingerprint, STATEMENT)
    assert (rules(refusal), steps_text(refusal.value.next_step)) == (["I9"], f"chmod 600 '{fido.handle}'")
    fido.handle.unlink()
    with pytest.raises(EnvironmentProblem, match="id fido cannot be read"):
        holder.ring.sign(fido.fingerprint, STATEMENT)


@pytest.mark.parametrize(
    "line", [PLAIN, f"  {PLAIN} ann", f"\n{PLAIN}", "ssh-rsa AAAA", "ecdsa-sha2-nistp256 AAAA x", "ssh-ed25519"]
)
def test_a_key_that_an_agent_could_use_silently_is_not_adopted_I9(holder: KeyHolder, fido: Fido, line: str) -> None:
    fido.public_file.write_text(line)
    with pytest.raises(Refused, match="cannot be used as a person's key") as refusal:
        holder.ring.adopt(str(fido.handle))
    assert rules(refusal) == ["I9"]
    assert "ssh-agent could sign with it silently" in refusal.value.reasons[0].message
    assert steps_text(refusal.value.next_step).startswith("fe key add --new")
    assert not holder.folder.exists()


@pytest.mark.parametrize(
    "content",
    [b"", b"hello", b"\xff\xfe", b"sk-ssh-ed25519@openssh.com AAAA", b"sk-ecdsa-sha2-nistp256@openssh.com AAAA"],
)
def test_what_is_no_fido_key_of_ours_is_not_adopted(holder: KeyHolder, fido: Fido, content: bytes) -> None:
    fido.public_file.write_bytes(content)
    with pytest.raises(BadInput):
        holder.ring.adopt(str(fido.handle))
    assert not holder.folder.exists()


def test_a_fido_key_needs_both_its_files_and_ssh_keygen(holder: KeyHolder, fido: Fido) -> None:
    for path in ("nowhere", "", "\0"):
        with pytest.raises(NotFound, match="no public key to read"):
            holder.ring.adopt(path and str(holder.home / path))
    holder.environ["PATH"] = str(holder.home / "empty")
    with pytest.raises(EnvironmentProblem, match="not on the PATH"):
        holder.ring.adopt(str(fido.handle))
    fido.handle.unlink()
    with pytest.raises(EnvironmentProblem, match="id fido cannot be read"):
        holder.ring.adopt(str(fido.handle))
    assert not holder.folder.exists()


def test_a_fido_key_is_never_written_over_and_can_be_forgotten(holder: KeyHolder, fido: Fido) -> None:
    holder.ring.adopt(str(fido.handle))
    before = {path: path.read_bytes() for path in holder.folder.iterdir()}
    elsewhere = holder.home / "elsewhere"
    elsewhere.touch(mode=0o600)
    (holder.home / "elsewhere.pub").write_text(fido.public)
    with pytest.raises(Conflict, match="already exists"):
        holder.ring.adopt(str(elsewhere))
    assert {path: path.read_bytes() for path in holder.folder.iterdir()} == before
    holder.ring.forget(fido.fingerprint)
    assert (list(holder.folder.iterdir()), fido.handle.exists()) == ([], True)


def test_a_batch_asks_once_and_signs_each_I9(holder: KeyHolder, made: str, answers: list[str]) -> None:
    public = holder.ring.held()[made]
    answers += [SECRET, SECRET]
    with holder.ring.once():
        signatures = [holder.ring.sign(made, statement) for statement in (b"approve fe-1", b"approve fe-2")]
    assert len(answers) == 1
    holder.ring.sign(made, b"approve fe-3")
    assert not answers
    assert [holder.ring.verify(public, statement, signature) for statement, signature in
            zip((b"approve fe-1", b"approve fe-2"), signatures, strict=True)] == ["", ""]  # fmt: skip
    assert holder.ring.verify(public, b"approve fe-2", signatures[0])


def test_whoever_owns_the_terminal_lets_the_question_be_asked_I9(
    holder: KeyHolder, made: str, answers: list[str]
) -> None:
    asked = []

    def asking(question: Callable[[], str]) -> str:
        asked.append(len(answers))
        return question()

    answers += [SECRET]
    assert KeyRing(holder.environ, asking).sign(made, STATEMENT)
    assert (asked, answers) == ([1], [])
