"""The real codex and claude over MCP: from inside of codex' own sandbox, where nothing can be committed, they take a
task, submit, answer a finding and are refused their own approval; where nothing can be written at all, they decide
(I5, A1).
"""

from __future__ import annotations

import shutil
from pathlib import Path

import msgspec
import pytest

from tests.sandboxes.box import FE, Box
from tests.sandboxes.programs import CLAUDE, CODEX, Program
from tests.scenarios.attack_moves import security
from tests.stage.commands import Stage

PLAIN = msgspec.structs.replace(
    CLAUDE,
    needs=(),
    start=lambda *_: [
        *("-p", "--output-format", "stream-json", "--verbose", "--setting-sources", "user", "--strict-mcp-config"),
        *("--model", "claude-sonnet-4-5", "--permission-mode", "acceptEdits", "--allowedTools", "Bash"),
    ],
)
"""claude without a sandbox, which is its default."""
BOTH = pytest.mark.parametrize("program", [CODEX, PLAIN], ids=lambda program: str(program.name))


@BOTH
def test_it_takes_a_task_hands_in_answers_a_finding_and_may_not_approve_that_A1_P2(
    program: Program, stage: Stage, tmp_path: Path
) -> None:
    task, box = stage.create(stage.cast.opencode), Box(program, stage, tmp_path)
    work = stage.folder / "worktrees" / task
    reviewer = tmp_path / "gemini"
    shutil.copy("/bin/bash", reviewer)
    find = f"cd {stage.repo} && {FE} finding add {task} hello.py:1 -m 'it greets nobody'; true"
    answer = {"finding": "@FINDING@", "action": "FIXED", "text": "it greets you now"}
    said = box.run(
        {"tool": "task_next"},
        f"echo 'print(1)' > {work}/hello.py",
        f"git -C {work} add -A",
        {"tool": "task_submit", "args": {"task": task, "commit": "Say hello", "message": "done"}},
        {"tool": "task_approve", "args": {"task": task, "seen": "@SEEN@", "reason": "mine"}},
        {
            "tool": "finding_list",
            "args": {"task": task, "open_only": True},
            "first": [str(reviewer), "-c", find],
        },
        f"echo 'print(2)' > {work}/hello.py",
        {"tool": "finding_answer", "args": {"answers": [answer]}},
        {"tool": "task_submit", "args": {"task": task, "commit": "Greet you", "message": "answered"}},
        roots=(),
        served=True,
    )
    assert ("Read-only file system" in said[2]) == (program is CODEX)
    assert '"rule":"P2"' in said[4]
    assert '"attempt":2' in said[8]
    assert stage.status(task) == "reviewing"
    log = stage.git("log", "--format=%s %(trailers:key=Foureyes-Session,valueonly)", "main..fe/" + task)
    implementer = stage.show(task)["task"]["implementer"]
    assert [line for line in log.splitlines() if line] == [f"Greet you {implementer}", f"Say hello {implementer}"]
    assert stage.git("status", "--porcelain") == ""
    assert security(stage) == []


@BOTH
def test_where_nothing_can_be_written_it_reads_the_work_of_another_and_approves_it_P7(
    program: Program, stage: Stage, tmp_path: Path
) -> None:
    work, box = stage.in_review(stage.cast.alice, stage.cast.opencode), Box(program, stage, tmp_path)
    listed, diff, approved = box.run(
        {"tool": "task_reviewable"},
        {"tool": "task_diff", "args": {"task": work.task}},
        {"tool": "task_approve", "args": {"task": work.task, "seen": "@SEEN@", "reason": "read all of it"}},
        served=True,
    )
    assert work.seen in listed
    assert f"+++ b/{work.task}.txt" in diff
    assert '"rule":"P7"' in approved
    assert stage.status(work.task) == "approved"
