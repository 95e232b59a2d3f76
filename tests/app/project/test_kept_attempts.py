"""Every attempt that was submitted is kept: its ref, its commit and its tree (A1); the audit says which is not (J2)."""

from __future__ import annotations

import subprocess
import zlib
from pathlib import Path

import pytest

from foureyes.core.words.store_place import FILE

from tests.stage.checkout import AT_ONCE, Checkout
from tests.stage.gated import approved, configure, deliver, merge_rows
from tests.stage.people import BOB, CLAUDE
from tests.stage.world import GitWorld


def said(world: GitWorld) -> list[tuple[str, str]]:
    return [(each.area, each.message) for each in world.app.audit.verify().findings]


def test_what_is_not_kept_any_more_is_named_A1_J2(world: GitWorld) -> None:
    task = world.submitted_task(CLAUDE)
    ref, head = f"refs/foureyes/attempts/{task}/1", world.show(task).attempts[-1].head
    world.store.place = FILE
    assert said(world) == []
    world.checkout.git("update-ref", ref, "main")
    ((area, message),) = said(world)
    assert (area, ref in message) == ("integrity", True)
    world.checkout.git("update-ref", "-d", ref)
    ((area, message),) = said(world)
    assert (area, message) == (
        "completeness",
        f"attempt 1 of {task}: {ref} is gone (git update-ref {ref} {head} puts it back)",
    )
    world.store.place = "postgresql 1/2/3"  # it may have been submitted from another clone
    report = world.app.audit.verify()
    assert (report.findings, len(report.notes)) == ((), 1)


def test_an_object_that_is_gone_is_named_A1_J2(world: GitWorld) -> None:
    task = world.submitted_task(CLAUDE)
    world.store.place = FILE
    tree = world.checkout.git("rev-parse", f"fe/{task}^{{tree}}").strip()
    expected = f"attempt 1 of {task}: its tree {tree[:12]} is missing from the repository, or incomplete"
    for name in (f"fe/{task}:work.py", f"fe/{task}^{{tree}}"):
        sha = world.checkout.git("rev-parse", name).strip()
        (world.checkout.path / ".git" / "objects" / sha[:2] / sha[2:]).unlink()
        assert said(world) == [("completeness", expected)]


def test_a_fresh_clone_fetches_all_attempts(world: GitWorld, tmp_path: Path) -> None:
    world.submitted_task(CLAUDE)
    subprocess.run(
        [
            "git",
            "clone",
            "-q",
            "--single-branch",
            "-b",
            "main",
            f"file://{world.checkout.path}",
            str(tmp_path / "fresh"),
        ],
        check=True,
    )
    checkout = Checkout(tmp_path / "fresh")
    fresh = GitWorld(checkout, world.environ, world.store, create=False)
    world.store.place = FILE
    every = "refs/foureyes/attempts/*"
    text = f"the attempts are not in this clone (git fetch origin '{every}:{every}' brings them)"
    assert said(fresh) == [("completeness", text)]
    checkout.git("fetch", "-q", "origin", f"{every}:{every}")
    assert said(GitWorld(checkout, world.environ, world.store, create=False)) == []


def test_an_attempt_without_its_commit_cannot_be_put_back(world: GitWorld) -> None:
    task = world.submitted_task(CLAUDE)
    ref, head = f"refs/foureyes/attempts/{task}/1", world.show(task).attempts[-1].head
    world.store.place = FILE
    world.checkout.git("update-ref", "-d", ref)
    (world.checkout.path / ".git" / "objects" / head[:2] / head[2:]).unlink()
    assert said(world) == [
        ("completeness", f"attempt 1 of {task}: its commit {head[:12]} is missing from the repository, or incomplete"),
        ("completeness", f"attempt 1 of {task}: {ref} is gone"),
    ]


def another_process(world: GitWorld) -> GitWorld:
    """The same project for one that has read nothing yet."""
    again = GitWorld(world.checkout, world.environ, world.store, create=False)
    for mine, theirs in ((world.clock, again.clock), (world.ids, again.ids)):
        vars(theirs).update(vars(mine))
    return again


@pytest.mark.parametrize("how", ["cut off", "other bytes", "more after it"])
def test_a_damaged_commit_of_approved_work_is_named_and_the_others_are_merged_D5_Q1_J2(
    world: GitWorld, how: str
) -> None:
    configure(world, AT_ONCE)
    good, bad = approved(world), approved(world)
    world.store.place = FILE
    head = world.show(bad).attempts[-1].head
    file = world.checkout.path / ".git" / "objects" / head[:2] / head[2:]
    raw = file.read_bytes()
    file.unlink()
    file.write_bytes(
        {"cut off": raw[:-4], "other bytes": zlib.compress(b"commit 0\0"), "more after it": raw + b"x"}[how]
    )
    world = another_process(world)
    rows = merge_rows(world)
    assert {task: row.outcome for task, row in rows.items()} == {good: "merged", bad: "stuck"}
    assert head in rows[bad].message
    ((area, message),) = said(world)
    assert (area, message) == (
        "completeness",
        f"attempt 1 of {bad}: its commit {head[:12]} is missing from the repository, or incomplete",
    )
    world.app.queue.view(BOB)
    world.app.status.show(BOB)
    assert deliver(world)
    world.app.feedback.redo(BOB, bad, "its commit is damaged: make it again")
    assert world.status(bad) == "open"
