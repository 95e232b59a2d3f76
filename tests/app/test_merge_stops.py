"""Stops of merging (Q6): what does not contain the last recorded merge stops merging, and everybody who looks is told."""

from __future__ import annotations

import msgspec
import pytest

from foureyes.app.gate.merger import Merges
from foureyes.app.results.attempt import MergeRow
from foureyes.core.events.decision import TaskMerged
from foureyes.core.nouns.session import Actor
from foureyes.ui.steps import steps_text

from tests.stage.gated import approved as approved_by
from tests.stage.gated import merge, merge_rows
from tests.stage.people import ALICE, CI, CODEX
from tests.stage.world import GitWorld


def approved(world: GitWorld) -> str:
    """A task that an agent made and another approved: nothing has to settle."""
    world.checkout.write(".git/info/exclude", ".foureyes/\n")
    return approved_by(world, by=CODEX)


def merged(world: GitWorld) -> str:
    """A task that was merged; the checkout has followed."""
    task = approved(world)
    assert merge(world)[task] == "merged"
    return task


def merge_of(world: GitWorld, task: str) -> TaskMerged:
    (row,) = [row for row in world.app.audit.log(task=task, limit=100) if row.kind == "TaskMerged"]
    return msgspec.json.decode(row.payload, type=TaskMerged)


def target_line(world: GitWorld) -> tuple[str, str]:
    (line,) = [each for each in world.app.doctor.examine(ALICE) if each.check == "target"]
    return line.result, line.message


def target_step(world: GitWorld) -> str:
    (line,) = [each for each in world.app.doctor.examine(ALICE) if each.check == "target"]
    return steps_text(line.next)


def test_where_merging_has_stopped_everything_leads_to_the_way_back_and_it_waits_for_a_person_Q6_E6_G2(
    world: GitWorld,
) -> None:
    merged(world)
    waits = approved(world)
    world.checkout.git("reset", "-q", "--hard", "HEAD~1")
    back = target_step(world)
    assert "git merge --ff-only " in back
    (row,) = [row for row in world.app.attention.view(ALICE).rows if row.kind == "merge"]
    assert steps_text(row.next) == back
    assert row.text not in row.details, "it is said once"
    (item,) = world.app.merges.all(ALICE)
    assert (item.ready, steps_text(item.next)) == (False, back)
    assert "does not contain the last recorded merge" in item.why
    assert steps_text(world.app.status.show(ALICE).next) == back
    assert steps_text(world.show(waits, ALICE).next) == back
    assert steps_text(world.app.audit.verify().next) == back


def test_a_target_that_was_set_back_stops_merging_until_the_merge_is_brought_back_Q6(world: GitWorld) -> None:
    before = world.checkout.head("main")
    lost = merged(world)
    waits = approved(world)
    world.checkout.git("reset", "-q", "--hard", before)
    with world.refused("Q6") as caught:
        merge(world)
    (reason,) = caught[0].reasons
    assert lost in reason.message
    assert "reset to an older commit" in reason.message
    assert world.status(waits) == "approved"
    world.checkout.git("merge", "-q", "--ff-only", merge_of(world, lost).sha)
    assert merge(world) == {waits: "merged"}


def test_a_target_that_holds_something_else_is_brought_back_by_a_merge_of_both_Q6(world: GitWorld) -> None:
    before = world.checkout.head("main")
    merged(world)
    world.checkout.git("reset", "-q", "--hard", before)
    world.checkout.commit("other.py", "other\n", message="by hand")
    with world.refused("Q6") as caught:
        merge(world)
    assert "git merge" in steps_text(caught[0].next_step)
    assert "--ff-only" not in steps_text(caught[0].next_step)


def test_a_merge_that_this_clone_does_not_have_is_fetched_Q6(world: GitWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    before = world.checkout.head("main")
    lost = merge_of(world, merged(world)).sha
    world.checkout.git("reset", "-q", "--hard", before)
    repo = world.app.context.repo
    known = repo.commit_of
    monkeypatch.setattr(repo, "commit_of", lambda ref: None if ref == lost else known(ref))
    with world.refused("Q6") as caught:
        merge(world, CI)
    assert "git fetch" in steps_text(caught[0].next_step)


def test_a_clone_whose_history_ends_before_the_last_merge_says_so_and_proposes_nothing_else_Q6(world: GitWorld) -> None:
    first = world.checkout.head("main")
    before = world.checkout.commit("more.py", message="more")
    lost = merge_of(world, merged(world)).sha
    world.checkout.git("reset", "-q", "--hard", before)
    world.checkout.write(".git/shallow", f"{before}\n")
    for gone in (first, lost):
        (world.checkout.path / ".git" / "objects" / gone[:2] / gone[2:]).unlink()
    with world.refused("Q6") as caught:
        merge(GitWorld(world.checkout, world.environ, world.store, create=False), CI)
    (reason,) = caught[0].reasons
    assert reason.message.startswith("the history of this clone ends before the last recorded merge")
    assert steps_text(caught[0].next_step) == "git fetch --unshallow"


def test_a_target_that_is_set_back_in_the_middle_of_a_queue_is_not_merged_over_Q6(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = approved(world)
    before = world.checkout.head("main")
    world.checkout.switch("main")
    second = approved(world)
    world.checkout.git("switch", "-q", "--detach")
    real = Merges._next

    def later(self: Merges, actor: Actor, tried: set[int], rows: list[MergeRow]) -> object:
        if rows:
            world.checkout.git("update-ref", "refs/heads/main", before)
        return real(self, actor, tried, rows)

    monkeypatch.setattr(Merges, "_next", later)
    rows = merge_rows(world)
    assert (rows[first].outcome, rows[second].outcome) == ("merged", "waiting")
    assert "does not contain the last recorded merge" in rows[second].message
    assert world.checkout.head("main") == before


def test_the_way_back_of_a_merge_that_brought_something_else_along_is_to_look_at_that_Q5_Q6(world: GitWorld) -> None:
    before, task = world.checkout.head("main"), approved(world)
    world.checkout.switch(f"fe/{task}")
    stray = world.checkout.commit("along.py", message="along")
    world.checkout.switch("main")
    world.checkout.git("merge", "-q", "--no-ff", "-m", "by hand", f"fe/{task}")
    assert merge(world) == {task: "found"}
    world.checkout.git("reset", "-q", "--hard", before)
    assert target_line(world)[1].endswith(
        f". That merge is based on commits that belong to no task: {stray[:7]} along (Ada)"
    )
    assert f"git show {stray[:12]}" in target_step(world)
    assert "git merge" not in target_step(world)
