"""Signing in the terminal app: `A` steps aside for a passphrase or a touch at the bare terminal (I9)."""

from __future__ import annotations

import os
from base64 import b64decode, b64encode
from pathlib import Path

import pytest

from foureyes.adapters.identity import sshsig

from tests.adapters.identity.test_sshsig import SoftwareKey
from tests.stage.commands import Stage, SubmissionTime
from tests.stage.processes import FE
from tests.stage.shop import Shop, with_pipeline
from tests.stage.terminal import Terminal

pytestmark = pytest.mark.scenario

WORDS, OTHER = "correct horse battery", "wrong horse battery"
PROMPT = b"Passphrase of your Foureyes key"


def asked(terminal: Terminal) -> int:
    """How often the passphrase was asked for."""
    return terminal.bytes.count(PROMPT)


def answer(terminal: Terminal, words: str, time: int = 1) -> None:
    """Type the passphrase to the request the so-many-th time."""
    terminal.wait(lambda: asked(terminal) >= time, f"question {time}")
    terminal.read()  # what is typed before the question stands is thrown away
    terminal.type(f"{words}\r")


def with_a_key(stage: Stage) -> Shop:
    """A project in which every decision of a person is signed, and a person who has a key."""
    shop, job = with_pipeline(stage), stage.cast.job
    with Terminal(job, [*FE, "key", "new", "--human"], cwd=stage.repo) as terminal:
        for question in ("New passphrase (at least 8 characters):", "The same again:"):
            terminal.until(question)
            terminal.read()
            terminal.type(f"{WORDS}\r")
        terminal.until("shall every decision of a person be signed")
        terminal.type("n\r")
        assert terminal.end() == 0, terminal.text
    with Terminal(job, [*FE, "config", "set", "review.human_proof", "key"], cwd=stage.repo) as terminal:
        answer(terminal, WORDS)
        assert terminal.end() == 0, terminal.text
    return shop


def delivered(shop: Shop, name: str) -> SubmissionTime:
    """Routine work that waits: green, with its test."""
    cast = shop.cast
    work = shop.deliver(
        cast.claude,
        shop.create(cast.alice, title=f"Add {name}"),
        {f"src/{name}.py": f"# {name}\n", f"tests/test_{name}.sh": f"grep -q {name} src/{name}.py\n"},
    )
    shop.checked(cast.alice, work.task)
    return work


def signatures(stage: Stage) -> int:
    report = stage.done(stage.cast.alice, "audit", "verify")
    assert report["ok"], report
    return int(report["signatures"])


def test_A_asks_for_the_passphrase_and_a_wrong_one_decides_nothing_I9(stage: Stage) -> None:
    shop = with_a_key(stage)
    work, before = delivered(shop, "login"), signatures(stage)
    with Terminal(stage.cast.job, cwd=stage.repo) as terminal:
        terminal.until("REVIEW PENDING")
        terminal.press("r", "IF YOU APPROVE")
        terminal.type("a")
        for time in (1, 2, 3):
            answer(terminal, OTHER, time)
        terminal.until("Nothing was changed.")
        assert "I9" in terminal.read()
        assert stage.status(work.task) == "reviewing"
        assert signatures(stage) == before
        terminal.press("escape", "IF YOU APPROVE")
        terminal.read()
        terminal.type("a")
        answer(terminal, WORDS, 4)
        terminal.until(f"{work.task} approved")
        terminal.type("ctrl+q")
        assert terminal.end() == 0
        assert terminal.modes == terminal.before
        assert asked(terminal) == 4
        assert WORDS.encode() not in terminal.bytes, "what is typed is not shown"
    assert stage.status(work.task) == "approved"
    assert signatures(stage) == before + 1
    assert shop.merge() == {work.task: "merged"}
    assert shop.on_main("src/login.py") == "# login"


def test_a_batch_asks_once_and_signs_each_I9_H2(stage: Stage) -> None:
    shop = with_a_key(stage)
    tasks = [delivered(shop, name).task for name in ("login", "logout", "search")]
    before = signatures(stage)
    with Terminal(stage.cast.job, cwd=stage.repo) as terminal:
        terminal.until("REVIEW PENDING │ 3 tasks")
        terminal.press("r", "REVIEW SUMMARY")
        terminal.press("a", "Enter approve 3")
        terminal.read()
        terminal.type("enter")
        answer(terminal, WORDS)
        terminal.until("3 approved")
        terminal.type("ctrl+q")
        assert terminal.end() == 0
        assert asked(terminal) == 1
    assert [stage.status(task) for task in tasks] == ["approved"] * 3
    assert signatures(stage) == before + 3
    assert set(shop.merge().values()) == {"merged"}


class Fido:
    """A FIDO key and the finger on it. A stand-in for ssh-keygen lays down what it is to sign, and waits: the touch is
    the signature that the finger brings.
    """

    PROGRAM = (
        '#!/bin/sh\nat=$(dirname "$0")\ncat > "$at/asking" && mv "$at/asking" "$at/asked"\nexec cat "$at/finger"\n'
    )

    def __init__(self, folder: Path) -> None:
        self.folder, self.key = folder, SoftwareKey()
        folder.mkdir()
        program = folder / "ssh-keygen"
        program.write_text(self.PROGRAM)
        program.chmod(0o755)
        self.handle = folder / "id_fido"
        self.handle.touch(mode=0o600)
        inside = b64encode(b"openssh-key-v1\0" + b64decode(self.key.public.split()[1])).decode()
        kind = "OPENSSH PRIVATE KEY"
        self.handle.write_text(f"-----BEGIN {kind}-----\n{inside}\n-----END {kind}-----\n")
        (folder / "id_fido.pub").write_text(f"{self.key.public} alice@desk\n")
        os.mkfifo(folder / "finger")
        self.env = {"PATH": f"{folder}:{os.environ['PATH']}"}

    def blinks(self, terminal: Terminal) -> bytes:
        """Wait until the key waits for a touch; what it would sign."""
        terminal.wait((self.folder / "asked").exists, "the key waits for a touch")
        return (self.folder / "asked").read_bytes()

    def touch(self, terminal: Terminal) -> None:
        statement = self.blinks(terminal)
        (self.folder / "asked").unlink()
        (self.folder / "finger").write_text(sshsig.armored(self.key.sign(statement)))


def test_A_waits_for_a_touch_at_the_bare_terminal_and_without_one_nothing_is_decided_I9(
    stage: Stage, tmp_path: Path
) -> None:
    shop, job, fido = with_pipeline(stage), stage.cast.job, Fido(tmp_path / "fido")
    adopt = [*FE, "key", "new", "--human", "--ssh", str(fido.handle)]
    for argv in (adopt, [*FE, "config", "set", "review.human_proof", "key"]):
        with Terminal(job, argv, cwd=stage.repo, env=fido.env) as terminal:
            fido.touch(terminal)
            if argv is adopt:
                terminal.until("shall every decision of a person be signed")
                terminal.type("n\r")
            assert terminal.end() == 0, terminal.text
    work, before = delivered(shop, "login"), signatures(stage)
    with Terminal(job, cwd=stage.repo, env=fido.env) as terminal:
        terminal.until("REVIEW PENDING")
        terminal.press("r", "IF YOU APPROVE")
        terminal.type("a")
        assert work.task.encode() in fido.blinks(terminal), "what is signed names the task"
        screen = terminal.until("Touch the security key to sign.")
        assert b"\x1b[?1049l" in terminal.bytes, "the app has stepped aside"
        assert f"approve, {work.task}" in screen
        (fido.folder / "asked").unlink()
        terminal.type("\x03")
        terminal.until("Nothing was changed.")
        assert "I9" in terminal.read()
        assert (stage.status(work.task), signatures(stage)) == ("reviewing", before)
        terminal.press("escape", "IF YOU APPROVE")
        terminal.read()
        terminal.type("a")
        fido.touch(terminal)
        terminal.until(f"{work.task} approved")
        terminal.type("ctrl+q")
        assert terminal.end() == 0
        assert terminal.modes == terminal.before
    assert (stage.status(work.task), signatures(stage)) == ("approved", before + 1)
    assert shop.merge() == {work.task: "merged"}
