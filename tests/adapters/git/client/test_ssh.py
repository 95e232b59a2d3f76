"""A remote over ssh, by a real sshd: the caller's own keys, and nobody is asked at a terminal (Q6)."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from foureyes.adapters.git.client.locate import locate
from foureyes.adapters.git.remote import GitRemote
from foureyes.app.git_ports import Pushed, RefUpdate
from foureyes.core.words.refs import attempt_ref
from foureyes.errors import RemoteProblem

from tests.stage.checkout import Repository
from tests.stage.theatre import wait_for

SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
USER = "root"
MAIN, NEW = "refs/heads/main", attempt_ref("fe-1", 1)

pytestmark = pytest.mark.skipif(SSHD is None or os.getuid() != 0, reason="no sshd is installed here, or not for root")


class Host:
    """A host with git, a key of its own, and one key that it lets in; `config` is the caller's own of ssh."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.config, self.known = folder, folder / "config", folder / "known_hosts"
        for name in ("host", "let-in", "stranger"):
            self._run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        said = {
            "Port": self.port, "ListenAddress": "127.0.0.1", "HostKey": folder / "host", "StrictModes": "no",
            "AuthorizedKeysFile": folder / "let-in.pub", "PidFile": folder / "pid", "UsePAM": "no",
            "PasswordAuthentication": "no", "KbdInteractiveAuthentication": "no", "PermitRootLogin": "yes",
        }  # fmt: skip
        (folder / "sshd_config").write_text("".join(f"{key} {value}\n" for key, value in said.items()))
        self.login("let-in")
        self.know("host")

    @staticmethod
    def _run(*argv: str) -> None:
        subprocess.run(argv, check=True, capture_output=True)

    def begin(self) -> None:
        assert SSHD is not None
        Path("/run/sshd").mkdir(exist_ok=True)
        self._run(SSHD, "-f", str(self.folder / "sshd_config"), "-E", str(self.folder / "log"))
        wait_for(lambda: (self.folder / "pid").exists())

    def pids(self) -> list[int]:
        """The server and whoever it serves."""
        own = int((self.folder / "pid").read_text())
        served = subprocess.run(["pgrep", "-P", str(own)], capture_output=True, text=True, check=False).stdout.split()
        return [own, *map(int, served)]

    def end(self) -> None:
        for pid in self.pids() if (self.folder / "pid").exists() else []:
            os.kill(pid, signal.SIGKILL)
        (self.folder / "pid").unlink(missing_ok=True)

    def login(self, key: str) -> None:
        said = f"IdentityFile {self.folder / key}\nIdentitiesOnly yes\nUserKnownHostsFile {self.known}\n"
        self.config.write_text(said)

    def know(self, key: str) -> None:
        name = f"[127.0.0.1]:{self.port} "
        self.known.write_text(name + (self.folder / f"{key}.pub").read_text() if key else "")


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    folder = tmp_path / "ssh"
    folder.mkdir()
    made = Host(folder)
    monkeypatch.setenv("GIT_SSH_COMMAND", f"ssh -F {made.config}")
    made.begin()
    yield made
    made.end()


@pytest.fixture
def bare(project: Repository, host: Host, tmp_path: Path) -> Path:
    path = tmp_path / "remote.git"
    project.git("clone", "-q", "--bare", ".", str(path))
    project.git("remote", "add", "origin", f"ssh://{USER}@127.0.0.1:{host.port}{path}")
    return path


def remote(project: Repository) -> GitRemote:
    place = locate(project.path)
    assert place is not None
    return GitRemote(place, "origin")


@pytest.mark.usefixtures("bare")
def test_a_remote_over_ssh_is_asked_and_pushed_to_and_who_is_not_let_in_is_told_why_Q6(
    project: Repository, host: Host
) -> None:
    head = project.head()
    assert remote(project).fetch([MAIN]) == {MAIN: head}
    assert isinstance(remote(project).push([RefUpdate(NEW, head)]), Pushed)
    assert remote(project).take_away({NEW: head}).gone == (NEW,)
    for key, known, kind in (
        ("stranger", "host", "auth"),
        ("let-in", "", "unknown"),
        ("let-in", "stranger", "changed"),
    ):
        host.login(key)
        host.know(known)
        with pytest.raises(RemoteProblem) as problem:
            remote(project).tips([MAIN])
        assert problem.value.kind == kind, problem.value.message


def test_a_host_that_dies_in_the_middle_of_a_push_is_no_answer_Q4(
    project: Repository, host: Host, bare: Path, tmp_path: Path
) -> None:
    hook, began = bare / "hooks/pre-receive", tmp_path / "began"
    hook.write_text(f"#!/bin/sh\necho $$ > {began}.new; mv {began}.new {began}\nexec sleep 600\n")
    hook.chmod(0o755)
    reader = os.fork()
    if reader == 0:
        wait_for(began.exists)
        host.end()
        os._exit(0)
    with pytest.raises(RemoteProblem) as problem:
        remote(project).push([RefUpdate(NEW, project.head())])
    os.waitpid(reader, 0)
    os.kill(int(began.read_text()), signal.SIGKILL)
    hook.unlink()
    assert problem.value.kind != "refused"
    host.begin()
    assert isinstance(remote(project).push([RefUpdate(NEW, project.head())]), Pushed)
