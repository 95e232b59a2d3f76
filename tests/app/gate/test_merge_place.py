"""Where merges go on (Q6): a person takes a target as it is, or hands merging over to another clone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from foureyes.core.events.gate import TargetSetBack
from foureyes.core.words.ids import Sha
from foureyes.errors import BadInput, Conflict
from foureyes.ui.steps import steps_text

from tests.stage.checkout import Checkout
from tests.stage.gated import approved as approved_by
from tests.stage.gated import merge, merge_rows
from tests.stage.people import ALICE, CI, CLAUDE, CODEX
from tests.stage.world import GitWorld


def approved(world: GitWorld) -> str:
    """A task that an agent made and another approved: nothing has to settle."""
    world.checkout.write(".git/info/exclude", ".foureyes/\n")
    return approved_by(world, by=CODEX)


def merged(world: GitWorld) -> str:
    task = approved(world)
    assert merge(world, ALICE)[task] == "merged"
    return task


def second_clone(world: GitWorld, path: Path) -> GitWorld:
    """Another clone on another machine, on the same store."""
    world.checkout.git("clone", "-q", str(world.checkout.path), str(path))
    clone = Checkout(path)
    clone.git("config", "user.name", "Beta")
    clone.git("config", "user.email", "beta@example.org")
    other = GitWorld(clone, store=world.store, create=False)
    other.outside.here, other.outside.own = "beta:0123456789ab", "process:other"
    return other


@pytest.fixture
def shared(world: GitWorld, monkeypatch: pytest.MonkeyPatch) -> GitWorld:
    """A store that several machines have."""
    monkeypatch.setattr(world.store, "place", "postgresql 1/2/3")
    return world


def test_what_is_lost_is_named_whatever_a_graft_says_of_the_history_Q6(world: GitWorld) -> None:
    """Any agent writes that file; git itself then lists the lost merge among what the target has."""
    merged(world)
    kept = world.checkout.head("main")
    lost = merged(world)
    between = world.checkout.head("main")
    newest = merged(world)
    world.checkout.git("reset", "-q", "--hard", kept)
    world.checkout.write(".git/info/grafts", f"{kept} {between}\n{between}\n")
    assert world.checkout.git("merge-base", between, kept) == between, "so git says"
    said = world.app.merges.accept(ALICE, "a secret was in it", kept)
    assert [task in note for task, note in zip((lost, newest), said.notes, strict=True)] == [True, True]


def test_a_person_says_that_a_target_was_set_back_on_purpose_and_merges_go_on_Q6(world: GitWorld) -> None:
    first = merged(world)
    kept = world.checkout.head("main")
    lost = merged(world)
    waits = approved(world)
    world.checkout.git("reset", "-q", "--hard", kept)
    said = world.app.merges.accept(ALICE, "a secret was in it", kept)
    assert [lost in note for note in said.notes] == [True]
    assert not any(first in note for note in said.notes)
    assert (world.show(first).remarks, ["not on main" in text for text in world.show(lost).remarks]) == ([], [True])
    later = approved(world)
    rows = merge_rows(world)
    assert (rows[waits].outcome, rows[later].outcome) == ("stuck", "merged"), "it stands on what had to go"
    assert "which main does not contain (Q2)" in rows[waits].message
    (row,) = world.app.audit.exceptions()
    assert (row.kind, row.rule, row.reason) == ("target_set_back", "Q6", "a secret was in it")
    assert world.app.audit.verify().findings == ()


def test_a_target_is_not_accepted_over_what_was_merged_while_the_person_was_asked_Q6(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = world.checkout.head("main")
    merged(world)
    world.checkout.git("reset", "-q", "--hard", kept)
    context, real = world.app.context, world.app.context.deciding

    def slow(*args: Any, **more: Any) -> Any:
        with context.writing(CI, "merge") as work:
            work.gate.record("", TargetSetBack(tip=Sha(kept), newest=Sha(kept), lost=()))
        return real(*args, **more)

    monkeypatch.setattr(context, "deciding", slow)
    with pytest.raises(Conflict):
        world.app.merges.accept(ALICE, "a secret was in it", kept)
    assert world.app.audit.exceptions() == []


def test_a_target_is_accepted_where_it_was_shown_and_has_to_have_that_from_then_on_Q6(world: GitWorld) -> None:
    first = world.checkout.head("main")
    merged(world)
    world.checkout.git("reset", "-q", "--hard", first)
    shown = world.checkout.commit("meant.py", message="instead")
    with world.refused("Q6") as caught:
        merge(world)
    assert f"fe target accept --seen {shown} -m" in steps_text(caught[0].next_step)
    evil = world.checkout.commit("evil.py", message="nobody saw this")
    for seen in (shown, shown[:12], ""):
        with world.unchanged(), pytest.raises(BadInput) as refused:
            world.app.merges.accept(ALICE, "it had a secret", seen)
        assert "nobody saw this" in " ".join(reason.message for reason in refused.value.reasons)
        assert f"--seen {evil} " in steps_text(refused.value.next_step)
    world.checkout.git("reset", "-q", "--hard", shown)
    said = world.app.merges.accept(ALICE, "it had a secret", shown)
    assert any("instead" in note for note in said.notes), "what no task brought is told"
    world.checkout.git("reset", "-q", "--hard", first)
    with world.refused("Q6") as again:
        merge(world)
    assert f"does not contain {shown[:7]}, from which merging continued" in again[0].reasons[0].message


def test_a_target_that_has_everything_is_not_accepted_again_Q6(world: GitWorld) -> None:
    merged(world)
    with world.unchanged():
        assert not world.app.merges.accept(ALICE, "to be sure").changed


@pytest.mark.parametrize("actor", [CLAUDE, CI])
@pytest.mark.parametrize("verb", ["accept", "here"])
def test_only_a_person_says_where_merges_go_on_and_why_Q6(world: GitWorld, verb: str, actor: object) -> None:
    with world.refused("Q6"):
        getattr(world.app.merges, verb)(actor, "because")
    with world.unchanged(), pytest.raises(BadInput):
        getattr(world.app.merges, verb)(ALICE, "  ")


@pytest.mark.on("postgres")
def test_without_a_remote_one_clone_merges_and_the_other_is_told_which_Q6(shared: GitWorld, tmp_path: Path) -> None:
    merged(shared)
    waits = approved(shared)
    beta = second_clone(shared, tmp_path / "beta")
    with shared.refused("Q6") as caught:
        merge(beta)
    assert "on desk" in caught[0].reasons[0].message
    assert merge(shared) == {waits: "merged"}
    assert beta.app.audit.verify().findings == ()
    (line,) = [each for each in beta.app.doctor.examine(ALICE) if each.check == "target"]
    assert (line.result, "on desk" in line.message) == ("ok", True)


@pytest.mark.on("postgres")
def test_merging_is_handed_over_to_a_clone_that_has_what_was_merged_Q6(shared: GitWorld, tmp_path: Path) -> None:
    beta = second_clone(shared, tmp_path / "beta")
    merged(shared)
    with shared.refused("Q6"):
        beta.app.merges.here(ALICE, "alpha is gone")
    beta.checkout.git("pull", "-q", "--ff-only")
    assert beta.app.merges.here(ALICE, "alpha is gone").changed
    assert not beta.app.merges.here(ALICE, "alpha is gone").changed
    with shared.refused("Q6"):
        merge(shared)
    assert merge(beta) == {}
    assert [row.kind for row in shared.app.audit.exceptions()] == ["merges_moved"]


@pytest.mark.on("sqlite")
def test_who_lacks_what_was_merged_elsewhere_is_told_where_and_takes_merging_over_or_nothing_Q6(
    shared: GitWorld, tmp_path: Path
) -> None:
    beta = second_clone(shared, tmp_path / "beta")
    lost = merged(shared)
    old = beta.checkout.head("main")
    with shared.unchanged(), pytest.raises(BadInput) as caught:
        beta.app.merges.accept(ALICE, "that machine is gone", "")
    lines = [reason.message for reason in caught.value.reasons]
    assert any(line.startswith("merges are made ") for line in lines)
    assert any(line.endswith(f"would be lost: {lost}") for line in lines)
    assert lost in beta.app.merges.accept(ALICE, "that machine is gone", old).notes[0]
    approved(shared)
    with shared.refused("Q6") as refused:
        merge(shared)
    assert "merges are made on beta" in refused[0].reasons[0].message
    assert len(beta.show(lost).remarks) == 1
    beta.app.close()


def test_what_was_given_up_once_is_not_told_as_lost_again_and_keeps_its_day_Q6(world: GitWorld) -> None:
    kept = world.checkout.head("main")
    first = merged(world)
    world.checkout.git("reset", "-q", "--hard", kept)
    world.app.merges.accept(ALICE, "a secret was in it", kept)
    remarks = world.show(first).remarks
    world.clock.advance(hours=240)
    second = merged(world)
    world.checkout.git("reset", "-q", "--hard", kept)
    notes = world.app.merges.accept(ALICE, "and in that, too", kept).notes
    assert [(first in note, second in note) for note in notes] == [(False, True)]
    assert world.show(first).remarks == remarks


def test_what_was_given_up_and_came_back_is_lost_again_Q6(world: GitWorld) -> None:
    kept = world.checkout.head("main")
    first = merged(world)
    made = world.checkout.head("main")
    world.checkout.git("reset", "-q", "--hard", kept)
    world.app.merges.accept(ALICE, "a secret was in it", kept)
    world.checkout.git("reset", "-q", "--hard", made)
    merged(world)
    world.checkout.git("reset", "-q", "--hard", kept)
    notes = world.app.merges.accept(ALICE, "it was, after all", kept).notes
    assert len(notes) == 2
    assert any(first in note for note in notes)


def test_a_store_in_a_file_has_one_clone_whatever_it_is_called_Q6(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world.store, "place", "file")
    merged(world)
    world.outside.here = "renamed:0123456789ab"
    merged(world)
