"""`fe mcp` by real processes: who calls through it (I5, I2), how it ends, and what a kill leaves."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import engines
from tests.scenarios.test_shared_store import project_of
from tests.stage.commands import Stage, SubmissionTime
from tests.ui.mcp.talking import opened, talk

pytestmark = pytest.mark.scenario


def rules(answer: Any) -> list[str]:
    return [reason["rule"] for reason in answer["structuredContent"]["error"]["reasons"]]


def approval(work: SubmissionTime) -> tuple[str, dict[str, Any]]:
    return "task_approve", {"task": work.task, "seen": work.seen, "reason": "read all of it"}


def test_I5_a_server_whose_starter_is_gone_keeps_its_evidence_and_decides_nothing(stage: Stage) -> None:
    work = stage.in_review(stage.cast.alice, stage.cast.codex)
    me, refused, logged = talk(
        stage.cast.claude,
        stage.repo,
        ("session_whoami", {}),
        approval(work),
        ("task_log", {"task": work.task, "text": "still here"}),
        leave=True,
    )
    assert me["structuredContent"]["session"] == stage.session(stage.cast.claude)
    assert rules(refused) == ["I5"]
    assert not logged["isError"]
    assert stage.status(work.task) == "reviewing"


def test_I2_a_token_holds_through_a_server_for_its_role_and_its_task(stage: Stage) -> None:
    work = stage.in_review(stage.cast.alice, stage.cast.codex)
    made = stage.done(stage.cast.claude, "session", "spawn", work.task, "--role", "review")
    calls = [("task_next", {}), ("session_whoami", {}), approval(work)]
    refused, me, done = talk(stage.cast.claude, stage.repo, *calls, FOUREYES_TOKEN=made["token"])
    assert rules(refused) == ["I2"]
    assert (me["structuredContent"]["role"], me["structuredContent"]["trust"]) == ("review", "issued")
    assert done["structuredContent"]["rule"] == "P7", done
    elsewhere = stage.cast.gemini.run(
        [sys.executable, "-m", "foureyes", "mcp"],
        cwd=stage.repo,
        env={"FOUREYES_TOKEN": made["token"]},
    )
    assert elsewhere.rc == 1, elsewhere
    assert elsewhere.out == ""
    assert "the token was refused" in elsewhere.err


def test_stdin_that_ends_and_SIGTERM_end_it_cleanly_and_stdout_is_the_protocols_alone(
    stage: Stage, bare_repo: Path
) -> None:
    with opened(stage.repo, stage.cast.job.base_env()) as (child, line):
        line.begin()
        line.say({"id": "x", "method": "no/such"})
        assert line.hear()["error"]["code"] == -32601
        line.write(b"this is no JSON\n\xff\xfe{}\n")
        child.send_signal(signal.SIGTERM)
        said = [json.loads(each) for each in line.rest().splitlines()]
        assert child.wait() == 0
    assert all("error" in each for each in said), "what is no JSON is answered as the protocol says, or not at all"
    with opened(bare_repo, stage.cast.job.base_env()) as (child, line):
        line.begin()
        for _ in range(2):
            answer = line.call("task_ready", {})
            assert answer["structuredContent"]["error"]["code"] == "no_project", "every tool says so, and it stays"
        assert line.end() == b""
        assert child.wait() == 0


def test_P12_a_store_that_moves_to_a_server_meanwhile_is_written_where_it_lies_now(
    stage: Stage, server: engines.Server
) -> None:
    engines.Run.projects.append(project_of(stage))
    task = stage.create(stage.cast.alice)
    with opened(stage.repo, stage.cast.job.base_env()) as (_, line):
        line.begin()
        for moves in ((), ("store", "copy", server.url)):
            assert not moves or stage.cast.alice.fe(*moves, cwd=stage.repo).rc == 0
            said = line.call("task_log", {"task": task, "text": f"{len(moves)} words later"})
            assert not said["isError"], said
    shown = stage.cast.alice.fe("show", task, cwd=stage.repo).out
    assert "0 words later" in shown
    assert "3 words later" in shown


def test_A1_G1_neither_a_link_a_forged_git_file_nor_endless_words_have_a_server_commit_something_else_or_end_it(
    stage: Stage, tmp_path: Path
) -> None:
    """The agent writes its worktree as it likes, and the server, which stands outside, commits there or nowhere."""
    task, before = stage.create(stage.cast.alice), stage.git("rev-parse", "main")
    stage.git("config", "user.name", "Alice")
    submission = {"task": task, "commit": "Say hello", "message": "done"}
    with opened(stage.repo, stage.cast.job.base_env()) as (_, line):
        line.begin()
        assert not line.call("task_start", {"task": task})["isError"]
        place = stage.repo / ".foureyes/worktrees" / task
        (place / "hello.py").write_text("print(1)\n")
        (stage.repo / "persons.py").write_text("somebody's, not committed\n")
        link = (place / ".git").read_text()
        (place / ".git").write_text(f"gitdir: {stage.repo}/.git\n")
        assert line.call("task_submit", submission)["isError"], "its .git leads to the person's checkout"
        (place / ".git").write_text(link)
        place.rename(tmp_path / "aside")
        place.symlink_to(stage.repo)
        assert line.call("task_submit", submission)["isError"], "a link in its place"
        place.unlink()
        (tmp_path / "aside").rename(place)
        assert (stage.git("rev-parse", "main"), stage.status(task)) == (before, "in_progress")
        many = {"task": task, "text": "x" * (8 << 20)}
        assert line.call("task_log", many)["structuredContent"]["error"]["code"] == "usage"
        depth = 50_000
        line.write(b'{"jsonrpc":"2.0","id":0,"method":"ping","params":' + b"[" * depth + b"]" * depth + b"}\n")
        line.say({"id": "after", "method": "ping"})
        while (answer := line.hear()).get("id") != "after":
            assert "error" in answer, answer
        done = line.call("task_submit", submission)
        assert not done["isError"], done
    assert stage.git("show", "--format=", "--name-only", f"fe/{task}").split() == ["hello.py"]
    assert "persons.py" in stage.git("status", "--porcelain")
