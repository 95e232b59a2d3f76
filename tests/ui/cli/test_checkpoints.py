"""`fe checkpoint create|list|restore|prune` and `fe start --worktree`: what they print and answer, how they exit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.stage.commands import Cast
from tests.ui.cli.counter import Counter, counter, keys


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Counter:
    shop = counter(template, tmp_path, cast, "")
    shop.git("switch", "-q", "-c", "mine")
    return shop


def commit(shop: Counter, name: str) -> str:
    (shop.repo / name).write_text("x\n")
    shop.git("add", name)
    shop.git("commit", "-q", "-m", f"add {name}")
    return shop.tip("HEAD")


def test_create_list_restore_prune(shop: Counter) -> None:
    who = shop.cast.claude
    assert shop.text(who, "checkpoint", "list") == "no checkpoints\nnext: fe checkpoint create NAME\n"
    commit(shop, "a.py")
    assert shop.text(who, "checkpoint", "create", "here") == (
        "checkpoint here at SHA: add a.py\nnext: fe checkpoint restore here   comes back\n"
    )
    later = commit(shop, "b.py")
    said = shop.text(who, "checkpoint", "restore", "here")
    assert said == f"mine is back at SHA. Its previous state is kept as checkpoint before-here-{later[:7]}\n"
    assert shop.text(who, "checkpoint", "restore", "here") == "mine is already at SHA\n"
    rows = [line.split() for line in shop.text(who, "checkpoint", "list").splitlines()]
    assert (rows[0], [row[0] for row in rows[1:]]) == (
        ["NAME", "TASK", "COMMIT", "MADE", "SUBJECT"],
        [f"before-here-{later[:7]}", "here"],
    )
    assert shop.text(who, "checkpoint", "prune", "--keep", "0") == "deleted 2 checkpoints\n"


def test_json(shop: Counter) -> None:
    task = shop.create(shop.cast.alice)
    made = shop.done(shop.cast.claude, "checkpoint", "create", "--task", task)
    assert (made["name"], made["task"], made["sha"]) == ("1", task, shop.tip("HEAD"))
    commit(shop, "a.py")
    done = shop.done(shop.cast.claude, "checkpoint", "restore", "1", "--task", task)
    assert keys(done, "name sha branch kept changed") == set()
    assert len(shop.lines(shop.cast.claude, "checkpoint", "list")) == 2
    assert len(shop.lines(shop.cast.claude, "checkpoint", "prune", "--keep", "1", "--task", task)) == 1


def test_refusals_K2(shop: Counter) -> None:
    who = shop.cast.claude
    shop.done(who, "checkpoint", "create", "here")
    assert shop.no(who, "checkpoint", "create", "no name", rc=2).code == "usage"
    assert shop.no(who, "checkpoint", "restore", "nothing", rc=3).code == "not_found"
    assert shop.run(who, "checkpoint", "prune", "--keep", "-1").rc == 2
    commit(shop, "a.py")
    assert shop.no(who, "checkpoint", "create", "here", rc=4).code == "conflict"
    (shop.repo / "dirty.py").write_text("x\n")
    assert shop.no(who, "checkpoint", "restore", "here").rules == ("K2",)
    assert shop.no(who, "checkpoint", "create", "dirty").rules == ("K2",)
    (shop.repo / "dirty.py").unlink()
    shop.git("switch", "-q", "main")
    assert "main is the protected branch" in shop.text(who, "checkpoint", "restore", "here", rc=1)
    assert shop.no(shop.cast.job, "checkpoint", "restore", "here").rules == ("I5",)


def test_start_with_a_worktree_says_where_to_go_K1(shop: Counter) -> None:
    task = shop.create(shop.cast.alice)
    assert shop.text(shop.cast.claude, "start", task, "--worktree") == (
        "started T1: Add login\n"
        "  worktree  .foureyes/worktrees/T1  on branch fe/T1\n"
        'next: cd .foureyes/worktrees/T1, work, commit, then: fe submit T1 -m "what you did"\n'
    )
    place = shop.folder / "worktrees" / task
    (place / "x.py").write_text("x\n")
    done = shop.run(shop.cast.claude, "submit", task, "--commit", "work", "--json", cwd=place)
    assert json.loads(done.out)["ref"] == f"refs/heads/fe/{task}"


def test_an_agent_gets_a_worktree_and_a_person_keeps_the_checkout_where_nobody_says_K1(shop: Counter) -> None:
    first, second = shop.create(shop.cast.alice), shop.create(shop.cast.alice)
    said = shop.cast.claude.fe("start", first, cwd=shop.repo).out
    assert f"worktree  .foureyes/worktrees/{first}  on branch fe/{first}" in said
    place = shop.folder / "worktrees" / first
    again = shop.cast.claude.fe("start", first, cwd=place).out
    assert f"next: work here, commit, then: fe submit {first}" in again
    assert f"Work in .foureyes/worktrees/{first}, commit" in shop.run(shop.cast.claude, "context", first).out
    assert "Work here, commit" in shop.run(shop.cast.claude, "context", first, cwd=place).out
    mine = shop.cast.alice.fe("start", second, cwd=shop.repo)
    assert (mine.rc, "next: work on a branch" in mine.out) == (0, True)
    assert not (shop.folder / "worktrees" / second).exists()


def test_next_with_a_worktree_as_json_and_only_for_who_has_the_claim_K1(shop: Counter) -> None:
    task = shop.create(shop.cast.alice)
    done = shop.done(shop.cast.claude, "next", "--worktree")
    assert (done["task"], done["branch"], done["worktree"]) == (
        task,
        f"fe/{task}",
        str(shop.folder / "worktrees" / task),
    )
    assert shop.run(shop.cast.codex, "start", task, "--worktree").rc == 4
    assert shop.done(shop.cast.claude, "start", task, "--worktree")["changed"] is False
