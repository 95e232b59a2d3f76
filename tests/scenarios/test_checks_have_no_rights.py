"""I5: what a check or a hook starts has no rights at all, whatever it sheds, wears or opens. By real processes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest

from foureyes.adapters.checks.pipeline import Pipeline
from foureyes.core.nouns.check_config import CheckRule

from tests.scenarios.attack_moves import PROGRAM, kinds, spawned
from tests.stage.commands import GIT_ENV, Stage, SubmissionTime
from tests.stage.processes import SOURCE

pytestmark = pytest.mark.scenario

FE = f"{sys.executable} -m foureyes"
BARE = f"env -i PATH={GIT_ENV['PATH']} LC_ALL=C.UTF-8 PYTHONPATH={SOURCE}"
DISGUISES = {
    "none": "",
    "no environment": BARE,
    "a terminal": f"{BARE} {sys.executable} -I {PROGRAM} --terminal --",
    "detached": f"{BARE} {sys.executable} -I {PROGRAM} --detach --",
    "detached, a terminal": f"{BARE} {sys.executable} -I {PROGRAM} --detach --terminal --",
    "a shell called claude": f"{BARE} $HOME/claude -c '\"$@\"; exit $?' x",
    "a conversation": "env CLAUDECODE=1 CLAUDE_CODE_SESSION_ID=x",
}


def in_a_check(stage: Stage, command: str) -> Any:
    """What `fe … --json` says to a check that knows where the repository lies."""
    before = f"export PYTHONPATH={SOURCE} LC_ALL=C.UTF-8; cp /bin/sh $HOME/claude; cd {stage.repo}"
    ran = Pipeline({"PATH": GIT_ENV["PATH"]}).run(
        CheckRule(name="c", run=f"{before}; {command}", timeout_minutes=1), lambda _: None
    )
    assert (ran.timed_out, ran.problem) == (False, "")
    return msgspec.json.decode(ran.output)


def rules(answer: Any) -> list[str]:
    """The rules that an error names."""
    return [reason["rule"] for reason in answer["error"]["reasons"]]


@pytest.fixture
def work(stage: Stage) -> SubmissionTime:
    """A task that codex submitted: a person may approve it, and so may claude."""
    return stage.in_review(stage.cast.alice, stage.cast.codex)


@pytest.mark.parametrize("disguise", DISGUISES)
def test_I5_a_check_decides_nothing_in_no_disguise(stage: Stage, work: SubmissionTime, disguise: str) -> None:
    before = stage.head()
    answer = in_a_check(stage, f"{DISGUISES[disguise]} {FE} approve {work.task} --seen {work.seen} -m read --json")
    assert rules(answer) == ["I5"], answer
    assert "have no rights" in answer["error"]["reasons"][0]["message"]
    assert stage.head() == before
    assert stage.status(work.task) == "reviewing"


@pytest.mark.parametrize(
    "verb",
    ["create x", "log TASK x", "start TASK", "session spawn TASK --role review", "log TASK x --as ann", "setup claude"],
)
def test_I5_a_check_may_not_even_do_what_a_service_may(stage: Stage, work: SubmissionTime, verb: str) -> None:
    before = stage.head()
    assert rules(in_a_check(stage, f"{FE} {verb.replace('TASK', work.task)} --json")) == ["I5"]
    assert stage.head() == before


def test_I5_a_check_may_ask_who_it_is_and_is_told_why(stage: Stage) -> None:
    answer = in_a_check(stage, f"{DISGUISES['detached, a terminal']} {FE} whoami --json")
    assert answer["kind"] == "service"
    assert "is an ancestor of this process" in answer["why"][0]
    assert answer["why"][1] == "What a check, a hook or the gate starts has no rights at all."


def test_I2_a_token_that_a_check_found_is_not_good_in_it(stage: Stage) -> None:
    task = stage.create(stage.cast.alice)
    token = spawned(stage, stage.cast.claude, task, "implement")
    assert rules(in_a_check(stage, f"FOUREYES_TOKEN={token} {FE} submit {task} --json")) == ["I2"]
    assert kinds(stage) == ["token_elsewhere"]


def test_I5_a_hook_that_a_command_of_ours_sets_off_has_no_rights_whoever_typed_the_command(
    stage: Stage, tmp_path: Path
) -> None:
    task = stage.create(stage.cast.alice)
    stage.git("checkout", "-q", "-b", f"fe/{task}")
    stage.done(stage.cast.claude, "start", task)
    (stage.repo / "new.txt").write_text("new\n")
    hook = stage.repo / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\n{BARE} {FE} log {task} hello --json > {tmp_path}/said\nexit 0\n")
    hook.chmod(0o755)
    stage.done(stage.cast.claude, "submit", task, "--commit", "work")
    answer = msgspec.json.decode((tmp_path / "said").read_bytes())
    assert rules(answer) == ["I5"]
    assert answer["error"]["reasons"][0]["message"].startswith("this was started by fe submit: ")
