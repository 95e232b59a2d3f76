"""The command line itself, killed at its decisive steps, by real processes (G4)."""

from __future__ import annotations

import signal
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.stage.commands import Cast, Stage, new_repository
from tests.stage.night import spread
from tests.stage.processes import Caller, Result
from tests.stage.server import Server

CHILD = str(Path(__file__).parent / "child.py")
DECISIVE = ("flock", "BEGIN", "INSERT INTO journal", "UPDATE head", "COMMIT")


def killed(stage: Stage, who: Caller, at: int, steps: str, *args: str, env: Mapping[str, str] | None = None) -> Result:
    return who.run([sys.executable, CHILD, str(at), steps, *args], cwd=stage.repo, env=env)


def rows(stage: Stage) -> int:
    report = stage.done(stage.cast.alice, "audit", "verify")
    assert report["ok"], report
    return int(report["rows"])


def decisive(steps: list[str]) -> list[int]:
    """The first step, the first of each kind, the one after the commit, and the last; by day some of them."""
    found = {1, len(steps)}
    for word in DECISIVE:
        found |= {next((number for number, step in enumerate(steps, 1) if word in step), 1)}
    commit = max(number for number, step in enumerate(steps, 1) if "COMMIT" in step)
    every = sorted(found | {commit, min(commit + 1, len(steps))})
    return list(spread("steps before which the command line is killed", every))


def test_a_killed_approval_counts_whole_or_not_at_all_and_its_exception_reaches_the_mirror_G4_P8(
    stage: Stage, tmp_path: Path
) -> None:
    claude, codex = stage.cast.claude, stage.cast.codex
    note = tmp_path / "steps"
    work = stage.in_review(codex, claude)
    words = ("approve", work.task, "--seen", work.seen, "-m", "I know what I asked for")
    done = killed(stage, codex, 0, str(note), *words)
    assert done.rc == 0, done
    steps = note.read_text().splitlines()
    for number in decisive(steps):
        work = stage.in_review(codex, claude)
        words = ("approve", work.task, "--seen", work.seen, "-m", "I know what I asked for")
        assert killed(stage, codex, number, "-", *words).rc == -signal.SIGKILL
        status = stage.status(work.task)
        assert status in ("reviewing", "approved"), steps[number - 1]
        stage.done(codex, *words)
        assert stage.status(work.task) == "approved"
        stage.done(codex, "log", work.task, "the next write")
        rows(stage)


def test_the_command_line_ends_with_5_and_a_sentence_where_no_server_answers(
    tmp_path: Path, cast: Cast, server: Server
) -> None:
    cast.people.env["FOUREYES_STORE"] = server.url
    stage = Stage(new_repository(tmp_path / "shop"), cast)
    stage.done(cast.alice, "init")
    task = stage.create(cast.alice)
    nowhere = {"FOUREYES_STORE": f"postgresql://postgres:secret@/postgres?host={tmp_path}"}
    for words in (("list",), ("log", task, "a line")):
        found = stage.no(cast.claude, *words, rc=5, env=nowhere)
        assert (found.code, "cannot be reached" in found.message, "secret" in found.text) == ("store", True, False)
        assert found.hints
    cast.people.env.pop("FOUREYES_STORE")
