"""The real codex and claude in their own sandboxes, as docs/howto/agent-programs.md says: they work and submit, decide
nothing, and get a clear sentence where something is not allowed (A1, I3).

Each runs in a network namespace with loopback only, with an environment and a home of its own, a dummy key and a model
that answers from a script.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sandboxes.box import FE, Box
from tests.sandboxes.programs import CLAUDE, CODEX, Program
from tests.scenarios.attack_moves import security
from tests.stage.commands import Stage

NAMELESS = "env -u CODEX_THREAD_ID -u CODEX_SESSION_ID -u CLAUDECODE -u CLAUDE_CODE_SESSION_ID"
BOTH = pytest.mark.parametrize("program", [CODEX, CLAUDE], ids=lambda program: str(program.name))


def submitted_task(stage: Stage, task: str) -> str:
    """The files that a task's branch changes."""
    return stage.git("diff", "--name-only", "main", f"fe/{task}")


@BOTH
def test_sandboxed_it_works_hands_in_and_may_not_approve_that_whatever_it_unsets_I3(
    program: Program, stage: Stage, tmp_path: Path
) -> None:
    task, box = stage.create(stage.cast.gemini), Box(program, stage, tmp_path)
    approve = f"{FE} approve {task} --seen @SEEN@ -m mine --json"
    who, _, _, submitted, own, nameless, bare = box.run(
        f"{FE} whoami --json",
        f"{FE} next --json",
        f"cd .foureyes/worktrees/{task} && printf 'new\\n' > new.txt && {FE} submit {task} -m made --json",
        f"cd .foureyes/worktrees/{task} && {FE} submit {task} -m made --commit New --json",
        approve,
        f"{NAMELESS} {approve}",
        f"env -i PATH=$PATH {approve}",
        roots=box.roots,
    )
    assert f'"agent":"{program.name}"' in who
    page = stage.show(task)
    assert page["task"]["status"] == "reviewing", submitted
    assert f'"session":"{page["task"]["implementer"]}"' in who, "all its commands are one session"
    assert submitted_task(stage, task) == "new.txt"
    for refused in (own, nameless, bare):
        assert '"rule":"I3"' in refused
    assert stage.status(task) == "reviewing"
    assert security(stage) == []


@BOTH
def test_sandboxed_in_the_main_checkout_masks_are_no_files_A1(program: Program, stage: Stage, tmp_path: Path) -> None:
    task, box = stage.create(stage.cast.gemini), Box(program, stage, tmp_path)
    box.run(
        f"{FE} next --here",
        f"git switch -q -c fe/{task} && printf 'new\\n' > new.txt",
        f"{FE} submit {task} -m made --commit New --json",
        roots=box.roots,
    )
    assert stage.status(task) == "reviewing"
    assert submitted_task(stage, task) == "new.txt"


@pytest.mark.parametrize("roots", [None, ()], ids=["read-only", "workspace-write"])
def test_codex_in_its_default_sandbox_reads_and_is_told_what_to_allow(
    stage: Stage, tmp_path: Path, roots: tuple[()] | None
) -> None:
    work = stage.in_review(stage.cast.gemini, stage.cast.opencode)
    task, box = stage.create(stage.cast.gemini), Box(CODEX, stage, tmp_path)
    listed, diff, refused, doctor = box.run(
        f"{FE} list", f"{FE} show {work.task} --diff", f"{FE} next", f"{FE} doctor", roots=roots
    )
    assert task in listed
    assert f"+++ b/{work.task}.txt" in diff
    assert "Read-only" in refused or "read-only" in refused
    assert "next: fe doctor" in refused
    assert "in the sandbox of codex cannot write" in doctor
    assert f"--add-dir {stage.repo / '.git'}" in doctor
    assert stage.status(task) == "open"


def test_codex_in_the_worktree_of_its_task_needs_the_worktrees_own_git_directory_too(
    stage: Stage, tmp_path: Path
) -> None:
    task, box = stage.create(stage.cast.gemini), Box(CODEX, stage, tmp_path)
    box.run(f"{FE} next", roots=box.roots)
    git, worktree = stage.repo / ".git", stage.folder / "worktrees" / task
    _, doctor = box.run(f"{FE} list", f"{FE} doctor", roots=(), cwd=worktree)
    for path in (git, git / "worktrees" / task, stage.folder):
        assert f"--add-dir {path}" in doctor
    (writable,) = box.run(f"{FE} doctor", roots=(git, git / "worktrees" / task, stage.folder), cwd=worktree)
    assert "can be written in the sandbox of codex" in writable


def test_claude_in_a_repository_that_fe_init_did_not_prepare_is_told_what_a_person_does(
    stage: Stage, tmp_path: Path
) -> None:
    task, box = stage.create(stage.cast.gemini), Box(CLAUDE, stage, tmp_path)
    stage.git("config", "--unset", "extensions.worktreeConfig")
    (refused,) = box.run(f"{FE} next")
    assert "outside of the sandbox: fe init" in refused
    assert stage.status(task) == "open"
    stage.done(stage.cast.alice, "init")
    assert f"started {task}" in box.run(f"{FE} next")[0]
