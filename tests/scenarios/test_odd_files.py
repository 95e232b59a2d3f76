"""What others put into the place of a file, by real processes: nobody waits for it, follows it or reads it without end;
who meets it is told which file it is, and everything works again once it is gone (G1).

A command that waits is killed by the stage, and fails the test.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.stage.commands import Stage
from tests.stage.odd import ODD, in_place_of, put_odd
from tests.stage.processes import FE

pytestmark = pytest.mark.scenario

KINDS = (*ODD, "a huge file", "garbage")
OURS = (
    "security_events.jsonl", "store.lock", "store.json", "store.db", "store.db-wal", "store.db-shm", "feedback",
    "feedback.owed", "feedback/{task}.json", "worktrees", "drafts", "logs", ".gitignore",
)  # fmt: skip
ENDS = (0, 1, 3, 4, 5, 6)
"""Every way to end but a crash of ours (and bad usage)."""


@pytest.fixture
def shop(stage: Stage) -> Stage:
    """A project with an exception on record and a task that was sent back."""
    alice, codex = stage.cast.alice, stage.cast.codex
    own = stage.create(codex)
    stage.submit_work(codex, own)
    stage.done(codex, "close", own, "--self-close-exception", "nobody else is here")
    work = stage.in_review(alice, codex)
    stage.done(alice, "redo", work.task, "-m", "again")
    return stage


def look(stage: Stage, name: str, *commands: tuple[str, ...]) -> list[int]:
    """Each ends; what it says about a failure names what is wrong, and nobody crashed."""
    codes = []
    for words in commands:
        result = stage.run(stage.cast.alice, *words)
        said = result.out + result.err
        assert (result.rc in ENDS, "internal error" in said) == (True, False), (name, words, result)
        assert result.rc == 0 or os.path.basename(name) in said or ".git" in said, (name, words, result)
        codes.append(result.rc)
    return codes


@pytest.mark.parametrize("kind", KINDS)
def test_something_odd_in_the_place_of_a_file_of_the_project_holds_nobody_G1_P8(shop: Stage, kind: str) -> None:
    task = shop.tasks()[-1]
    for name in OURS:
        path = shop.folder / name.format(task=task)
        if name == "store.db-wal" and kind == "a huge file":
            continue  # SQLite reads a log as far as its own sums hold
        path.parent.mkdir(exist_ok=True)
        with in_place_of(path, kind):
            look(shop, str(path), ("status",), ("log", task, "a word"), ("audit", "verify"))
    with in_place_of(shop.folder, kind):
        assert look(shop, ".foureyes", ("status",), ("create", "x")) == [5, 5]
    assert look(shop, "", ("log", task, "after"), ("audit", "verify")) == [0, 0]


@pytest.mark.parametrize("way", ["core.worktree", "config.worktree", "moved", "bare"])
def test_nothing_in_the_git_directory_leads_to_a_copy_of_the_store_P12(shop: Stage, tmp_path: Path, way: str) -> None:
    """What was decided since the copy would be undone: an approval withdrawn, a hold."""
    evil, git_dir = tmp_path / "evil", shop.repo / ".git"
    evil.mkdir()
    if way == "bare":
        shutil.copytree(shop.repo / ".foureyes", git_dir / ".foureyes")
    else:
        shutil.copytree(shop.repo / ".foureyes", evil / ".foureyes")
    held = shop.create(shop.cast.alice, title="Only in the real store")
    if way == "moved":
        git_dir.rename(evil / ".git")
        git_dir.write_text(f"gitdir: {evil}/.git\n")
    elif way == "config.worktree":
        shop.git("config", "extensions.worktreeConfig", "true")
        shop.git("config", "--file", str(git_dir / "config.worktree"), "core.worktree", str(evil))
    else:
        shop.git("config", *(("core.bare", "true") if way == "bare" else ("core.worktree", str(evil))))
    if way == "bare":
        assert held in [row["id"] for row in shop.lines(shop.cast.alice, "list")]
        return
    for words in (("status",), ("merge",), ("audit", "verify")):
        assert str(evil) in shop.no(shop.cast.alice, *words, rc=5).message


def test_a_planted_commondir_moves_no_branch_of_another_repository_Q2(shop: Stage, tmp_path: Path) -> None:
    """Git would follow it: the branches of a repository that somebody prepared, with our files and our store."""
    evil = tmp_path / "evil.git"
    shop.git("clone", "-q", "--bare", str(shop.repo), str(evil))
    shop.git("config", "core.worktree", str(shop.repo), cwd=evil)
    theirs = shop.git("rev-parse", "main~1")
    shop.git("update-ref", "refs/heads/main", theirs, cwd=evil)
    planted = shop.repo / ".git/commondir"
    planted.write_text(f"{evil}\n")
    assert shop.git("rev-parse", "main") == theirs
    for words in (("status",), ("merge",), ("create", "x"), ("audit", "verify")):
        problem = shop.no(shop.cast.alice, *words, rc=5)
        assert f"{planted} names {evil}" in problem.message
    planted.unlink()
    assert look(shop, "", ("status",), ("audit", "verify")) == [0, 0]


def test_a_bare_repository_in_a_checkout_is_no_project_of_whoever_runs_fe_there_K3(shop: Stage) -> None:
    planted = shop.repo / "vendor"
    shop.git("clone", "-q", "--bare", str(shop.repo), str(planted))
    shutil.copytree(shop.folder, planted / ".foureyes")
    before = sorted(path for path in planted.rglob("*"))
    made = shop.done(shop.cast.alice, "create", "Made in there", cwd=planted)
    assert made["id"] in shop.tasks()
    assert sorted(path for path in planted.rglob("*")) == before


def test_a_lock_that_is_a_link_makes_no_file_elsewhere_G1(shop: Stage, tmp_path: Path) -> None:
    lock = shop.folder / "store.lock"
    lock.unlink()
    lock.symlink_to(tmp_path / "made-by-us")
    problem = shop.no(shop.cast.claude, "create", "x", rc=5)
    assert "store.lock cannot be used: it is a link, not a file" in problem.message
    assert not (tmp_path / "made-by-us").exists()


def test_a_pointer_that_is_a_link_is_named_and_not_followed_G1(shop: Stage, tmp_path: Path) -> None:
    (tmp_path / "elsewhere.json").write_text('{"url": "postgresql://elsewhere/"}')
    (shop.folder / "store.json").symlink_to(tmp_path / "elsewhere.json")
    problem = shop.no(shop.cast.claude, "create", "x", rc=5)
    assert "store.json" in problem.message
    assert "elsewhere" not in problem.message


def test_what_a_caller_names_as_a_file_may_be_a_pipe_and_never_a_directory(shop: Stage, tmp_path: Path) -> None:
    alice, fe = shop.cast.alice, " ".join(FE)
    plan = tmp_path / "plan.md"
    plan.write_text("## Task: by a pipe\n")
    piped = alice.sh(f"cat {plan} | {fe} plan import /dev/stdin", cwd=shop.repo)
    assert piped.rc == 0, piped
    substituted = alice.sh(f"bash -c '{fe} plan import <(cat {plan})'", cwd=shop.repo)
    assert substituted.rc == 0, substituted
    assert shop.run(alice, "plan", "import", str(tmp_path)).rc == 2
    put_odd(tmp_path / "never", "a named pipe")
    for words in (("plan", "import"), ("init", "--from"), ("finding", "import", shop.tasks()[-1])):
        problem = shop.no(alice, *words, str(tmp_path / "never"), rc=2)
        assert "never cannot be read: it is a named pipe, not a file" in problem.message
    backup = tmp_path / "kept.db"
    shop.done(alice, "backup", str(backup))
    for kind in ODD:
        put_odd(tmp_path / "odd", kind)
        assert shop.run(alice, "backup", str(tmp_path / "odd")).rc == 2, kind
        if kind != "a link":
            refused = shop.run(alice, "restore", str(tmp_path / "odd"))
            assert (refused.rc, "odd" in refused.err) == (5, True), refused
        in_place = tmp_path / "odd"
        in_place.rename(tmp_path / f"done {kind}")
    restored = alice.sh(f"bash -c '{fe} restore <(cat {backup})'", cwd=shop.repo)
    assert restored.rc == 0, restored
    assert shop.verify()
