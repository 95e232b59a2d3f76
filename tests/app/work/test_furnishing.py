"""What a worktree is given besides what is committed (K1): by a claim, and by a runner."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.app.ports import Lent
from foureyes.app.results.work import ClaimedWorktree
from foureyes.app.runner.run_end import tidy
from foureyes.app.work.worktrees import STEPS, copy_files, make_worktree, prepare_environment
from foureyes.core.words.ids import SessionId, TaskId

from tests.stage.gated import configure
from tests.stage.people import CLAUDE
from tests.stage.running import bound, runner
from tests.stage.world import GitWorld


@pytest.fixture
def world(world: GitWorld) -> GitWorld:
    (world.checkout.path / ".git" / "info" / "exclude").write_text(".foureyes/\n.env\nlocal.toml\n")
    for name in (".env", "local.toml"):
        (world.checkout.path / name).write_text("A=1\n")
    return world


def test_a_claim_with_a_worktree_brings_the_files_of_work_copy_and_says_what_it_does_not_K1(world: GitWorld) -> None:
    configure(world, '[work]\ncopy = [".env", "plain.txt"]\n')
    (world.checkout.path / "plain.txt").write_text("not ignored\n")
    done = world.app.claims.start(CLAUDE, world.create(), worktree=True)
    assert isinstance(done, ClaimedWorktree)
    assert (Path(done.worktree) / ".env").read_text() == "A=1\n"
    assert not (Path(done.worktree) / "local.toml").exists()
    assert done.notes == ("not copied (work.copy): plain.txt: git does not ignore it",)


def test_nothing_is_copied_where_nobody_configured_it_K1(world: GitWorld) -> None:
    done = world.app.claims.start(CLAUDE, world.create(), worktree=True)
    assert isinstance(done, ClaimedWorktree)
    assert not (Path(done.worktree) / ".env").exists()


def test_a_copy_is_not_committed_for_a_run_that_had_git_ignore_it_no_more_S4(world: GitWorld) -> None:
    configure(world, '[work]\ncopy = ["local.toml"]\n')
    me, task = runner(world), world.create()
    place = Path(make_worktree(world.app.context, TaskId(task), SessionId(me.session)).path)
    run = bound(world, me, task)
    (place / ".gitignore").write_text("!local.toml\n")
    assert "local.toml was copied here (work.copy)" in tidy(world.app.context, me, run).problem
    (place / ".gitignore").unlink()
    (place / "work.py").write_text("work\n")
    assert tidy(world.app.context, me, run).problem == ""


def test_the_environment_is_a_step_of_its_own_after_the_files_K1() -> None:
    assert (copy_files, prepare_environment) == STEPS


def test_a_worktree_gets_the_packages_that_checks_have_and_else_is_told_how_to_get_them_K1_D5(
    world: GitWorld, tmp_path: Path
) -> None:
    (world.checkout.path / ".git" / "info" / "exclude").write_text(".foureyes/\nnode_modules/\n")
    configure(world, '[checkout]\nprepare = "npm ci"\n')
    done = world.app.claims.start(CLAUDE, world.create(), worktree=True)
    assert isinstance(done, ClaimedWorktree)
    assert done.notes == ("no environment is kept for it yet. To create it: npm ci (checkout.prepare)",)
    (tmp_path / "work" / "node_modules").mkdir(parents=True)
    (tmp_path / "work" / "node_modules" / "made").write_text("at /at/work\n")
    world.outside.runner.lent = Lent(str(tmp_path / "work"), "/at/work")
    done = world.app.claims.start(CLAUDE, world.create(), worktree=True)
    assert isinstance(done, ClaimedWorktree)
    assert not any("environment" in note for note in done.notes)
    assert Path(done.worktree, "node_modules", "made").read_text() == f"at {done.worktree}\n"
    world.outside.runner.lent = Lent(str(tmp_path / "gone"), "/at/work")
    done = world.app.claims.start(CLAUDE, world.create(), worktree=True)
    assert isinstance(done, ClaimedWorktree)
    assert any("its environment was not created here" in note for note in done.notes)
