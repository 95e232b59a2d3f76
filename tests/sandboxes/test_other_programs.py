"""The real gemini, qwen, opencode and copilot, as docs/howto/agent-programs.md says: without a sandbox they work, hand
in and may not approve that; what the sandboxes of gemini and copilot leave them (A1, P2, I3).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest

from tests.sandboxes.box import FE, Box
from tests.sandboxes.programs import COPILOT, GEMINI, OPENCODE, QWEN, ROOT, Program
from tests.stage.commands import Stage

PLAIN = pytest.mark.parametrize("program", [GEMINI, QWEN, OPENCODE, COPILOT], ids=lambda program: str(program.name))
WRITES = "cd .foureyes/worktrees/{0} && printf 'new\\n' > new.txt"
SUBMITS = WRITES + " && fe submit {0} -m made --commit New --json"


def gemini(home: Path, roots: Sequence[str] | None) -> list[str]:
    """In its sandbox, in a folder that is trusted."""
    words = [word for word in GEMINI.start(home, roots) if word != "--skip-trust"]
    file = home / ".gemini" / "settings.json"
    settings = json.loads(file.read_text())
    settings["security"]["toolSandboxing"] = True
    file.write_text(json.dumps(settings))
    return words


def copilot(home: Path, roots: Sequence[str] | None) -> list[str]:
    """In its sandbox, which shows it the project, what is on the PATH, and the folders that it is given."""
    given = [word for folder in (str(ROOT), sys.base_prefix) for word in ("--add-dir", folder)]
    return [*COPILOT.start(home, roots), "--sandbox", *given]


def with_fe(program: Program, **more: str) -> Program:
    """With `fe` on its PATH: copilot asks before it runs a program by a path outside of the project."""
    path = os.pathsep.join([os.path.dirname(FE), os.environ.get("PATH", os.defpath)])
    return msgspec.structs.replace(program, env={**program.env, "PATH": path, **more})


def submitted_task(stage: Stage, task: str) -> str:
    """The files that a task's branch changes; it waits for a look."""
    assert stage.status(task) == "reviewing"
    return stage.git("diff", "--name-only", "main", f"fe/{task}")


@PLAIN
def test_without_a_sandbox_it_works_hands_in_and_may_not_approve_that_P2(
    program: Program, stage: Stage, tmp_path: Path
) -> None:
    task, box = stage.create(stage.cast.claude), Box(with_fe(program), stage, tmp_path)
    approve = f"fe approve {task} --seen @SEEN@ -m mine --json"
    who, _, _, own = box.run("fe whoami --json", "fe next --json", SUBMITS.format(task), approve)
    assert f'"agent":"{program.name}"' in who
    assert submitted_task(stage, task) == "new.txt"
    assert f'"session":"{stage.show(task)["task"]["implementer"]}"' in who, "all its commands are one session"
    assert '"rule":"P2"' in own


def test_copilot_in_its_sandbox_works_hands_in_and_decides_nothing_I3(stage: Stage, tmp_path: Path) -> None:
    boxed = msgspec.structs.replace(COPILOT, start=copilot, needs=("bwrap", "slirp4netns", "iptables"))
    task, box = stage.create(stage.cast.claude), Box(with_fe(boxed), stage, tmp_path)
    approve = f"fe approve {task} --seen @SEEN@ -m mine --json"
    who, _, _, own = box.run("fe whoami --json", "fe next --json", SUBMITS.format(task), approve)
    assert '"agent":"copilot"' in who
    assert submitted_task(stage, task) == "new.txt"
    assert '"rule":"I3"' in own


def test_gemini_in_its_sandbox_looks_and_hands_in_by_its_tools_I3_A1(stage: Stage, tmp_path: Path) -> None:
    stage.done(stage.cast.alice, "setup", "gemini")
    stage.git("add", "-A")
    stage.git("commit", "-q", "-m", "Set it up")
    boxed = msgspec.structs.replace(GEMINI, start=gemini, needs=("bwrap",))
    task = stage.create(stage.cast.claude)
    box = Box(with_fe(boxed, GEMINI_CLI_TRUST_WORKSPACE="true"), stage, tmp_path)
    who, listed, doctor, _, _, _ = box.run(
        "fe whoami --json",
        "fe list",
        "fe doctor",
        {"tool": "task_next"},
        WRITES.format(task),
        {"tool": "task_submit", "args": {"task": task, "commit": "New", "message": "made"}},
    )
    assert "made for a sandbox" in who
    assert task in listed
    assert f"cannot write git's directory {stage.repo / '.git'}" in doctor
    assert submitted_task(stage, task) == "new.txt"
