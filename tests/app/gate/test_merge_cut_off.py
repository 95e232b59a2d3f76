"""The store goes away in the middle of the queue (Q4): what was merged is told, the rest waits, checkouts follow."""

from __future__ import annotations

import pytest

from foureyes.app.gate import merge_candidate, merger
from foureyes.app.gate.checks import Telling
from foureyes.app.results.attempt import MergeRow
from foureyes.app.runner.execution import _merge
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import Sha, TaskId
from foureyes.errors import ConfigError, CutOff, FoureyesError, Reason, Refused, StoreProblem, TokenRefused
from foureyes.steps import fe

from tests.app.gate.test_sent_merges import killed_at, merges_of
from tests.stage.gated import approved, merge
from tests.stage.people import CI, CODEX
from tests.stage.wires import Wired
from tests.stage.world import GitWorld

GONE = StoreProblem("the database cannot be reached. Nothing was changed.", next_step=fe("doctor"))


def go_away(world: GitWorld, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """The server stops once so many merge commits were made, before the branch moves to the last of them."""
    workshop, made = world.app.context.workshop, []
    commit = workshop.commit

    def making(**fields: object) -> object:
        made.append(commit(**fields))  # type: ignore[arg-type]
        if len(made) > after:
            raise GONE
        return made[-1]

    monkeypatch.setattr(workshop, "commit", making)


def test_what_was_merged_is_told_the_rest_waits_and_the_checkout_follows_Q4_Q5(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.checkout.write(".git/info/exclude", ".foureyes/\n")
    first, second, third = (approved(world, by=CODEX) for _ in range(3))
    with monkeypatch.context() as patch:
        go_away(world, patch, 1)
        with pytest.raises(CutOff) as caught:
            world.app.merges.process(CI)
    rows = [row for row in caught.value.done if isinstance(row, MergeRow)]
    assert [(row.task, row.outcome) for row in rows] == [(first, "merged")], "the second waits: nothing of it went"
    assert f"{first} ({world.checkout.head('main')[:7]})" in caught.value.message
    assert second not in caught.value.message
    assert not world.checkout.git("status", "--porcelain")
    assert (world.checkout.path / f"{first}.py").exists()
    assert [world.status(task) for task in (first, second, third)] == ["closed", "approved", "approved"]
    assert merge(world) == {second: "merged", third: "merged"}


def test_what_moved_and_was_not_recorded_is_told_to_be_unknown_Q4(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.checkout.write(".git/info/exclude", ".foureyes/\n")
    task, move = approved(world, by=CODEX), world.app.context.workshop.move

    def moving(ref: str, *, new: Sha, old: Sha) -> bool:
        assert move(ref, new=new, old=old)
        raise GONE

    with monkeypatch.context() as patch:
        patch.setattr(world.app.context.workshop, "move", moving)
        with pytest.raises(CutOff, match=f"The next fe merge shows whether {task} was merged") as caught:
            world.app.merges.process(CI)
    assert [(row.task, row.outcome) for row in caught.value.done if isinstance(row, MergeRow)] == [(task, "cut")]
    assert merge(world) == {task: "found"}


def test_what_stops_an_item_before_anything_went_is_told_in_its_own_words_Q4(
    clones: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    alpha = clones.alpha
    task, problem = clones.approved(alpha), ConfigError("foureyes.toml has an unknown key.")

    def wrong(*_: object, **__: object) -> object:
        raise problem

    with monkeypatch.context() as patch:
        patch.setattr(merge_candidate.OneMerge, "_check", wrong)
        with pytest.raises(ConfigError) as caught:
            alpha.app.merges.process(CI)
    assert caught.value is problem, "nothing says that it may be merged"
    assert merge(alpha) == {task: "merged"}


def test_a_store_that_was_gone_before_anything_was_taken_says_so_in_its_own_words_Q4(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*_: object, **__: object) -> object:
        raise GONE

    world.checkout.write(".git/info/exclude", ".foureyes/\n")
    approved(world, by=CODEX)
    monkeypatch.setattr(world.store, "write", gone)
    with pytest.raises(StoreProblem) as caught:
        world.app.merges.process(CI)
    assert caught.value is GONE


def test_a_runner_tells_what_was_merged_before_the_store_went_away_and_that_the_rest_waits_Q4(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.checkout.write(".git/info/exclude", ".foureyes/\n")
    first, second = (approved(world, by=CODEX) for _ in range(2))
    go_away(world, monkeypatch, 1)
    end = _merge(CI, [TaskId(first), TaskId(second)])(world.app.context, lambda: False)
    lines = end.text.splitlines()
    assert [line.split(":")[0] for line in lines[:-1]] == [f"{first} merged"]
    assert lines[-1].endswith("The rest of the queue waits.")
    assert world.status(second) == "approved"
    assert (end.closed, list(end.failed)) == ((first,), [second])


def test_a_remote_that_goes_away_while_the_queue_waits_takes_nothing_back_of_what_is_told_Q6(
    clones: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    alpha = clones.alpha
    task = clones.approved(alpha)
    work_off = alpha.app.merges._work_off

    def once(actor: Actor, tell: Telling | None, before: list[MergeRow]) -> tuple[list[MergeRow], float | None]:
        rows, _ = work_off(actor, tell, before)
        clones.wire(alpha).down = "no route"
        return rows, 0.0

    monkeypatch.setattr(alpha.app.merges, "_work_off", once)
    with pytest.raises(CutOff, match="no route") as caught:
        alpha.app.merges.process(CI, wait=True)
    (row,) = [row for row in caught.value.done if isinstance(row, MergeRow)]
    assert (row.task, row.outcome) == (task, "merged")


def test_a_target_that_goes_from_the_remote_in_the_middle_of_the_queue_leaves_told_what_was_merged_Q4_Q6(
    clones: Wired,
) -> None:
    alpha, wire = clones.alpha, clones.wire(clones.alpha)
    first, second = clones.approved(alpha), clones.approved(alpha)

    def gone() -> None:
        if alpha.status(first) == "closed":
            clones.remote.git("update-ref", "-d", "refs/heads/main")

    wire.heard = gone
    rows = alpha.app.merges.process(CI)
    assert [(row.task, row.outcome) for row in rows] == [(first, "merged"), (second, "waiting")]
    assert ("(Q6)" in rows[1].message, bool(rows[1].next)) == (True, True)
    assert alpha.status(second) == "approved"
    with alpha.refused("Q6"):
        alpha.app.merges.process(CI)


@pytest.mark.on("sqlite")
def test_a_refusal_in_the_middle_of_the_queue_tells_what_was_merged_before_it_Q4(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.checkout.write(".git/info/exclude", ".foureyes/\n")
    first, second = (approved(world, by=CODEX) for _ in range(2))
    lease = world.app.merges._lease

    def leased(actor: Actor, tried: set[int]) -> object:
        if tried:
            raise Refused(
                "nothing was merged.", reasons=(Reason("J4", "this runner was taken for dead", fe("status")),)
            )
        return lease(actor, tried)

    monkeypatch.setattr(world.app.merges, "_lease", leased)
    with pytest.raises(CutOff, match=r"this runner was taken for dead\. Merged before: ") as caught:
        world.app.merges.process(CI)
    rows = [row for row in caught.value.done if isinstance(row, MergeRow)]
    assert [(row.task, row.outcome) for row in rows] == [(first, "merged")]
    cut = caught.value
    assert (cut.code, cut.exit_code, [reason.rule for reason in cut.reasons]) == ("refused", 1, ["J4"])
    assert cut.next_step == fe("status")
    assert (world.checkout.path / f"{first}.py").exists(), "the checkout follows"
    assert world.status(second) == "approved"


@pytest.mark.parametrize(
    "problem", [TokenRefused("the token ended."), ConfigError("no such key.")], ids=["token", "settings"]
)
def test_whatever_goes_wrong_after_the_push_it_is_told_that_it_may_have_arrived_Q4(
    clones: Wired, monkeypatch: pytest.MonkeyPatch, problem: FoureyesError
) -> None:
    alpha = clones.alpha
    task, writing = clones.approved(alpha), alpha.app.context.writing

    def refused(actor: Actor, verb: str) -> object:
        if merges_of(clones, task):
            raise problem
        return writing(actor, verb)

    with monkeypatch.context() as patch:
        patch.setattr(alpha.app.context, "writing", refused)
        with pytest.raises(CutOff) as caught:
            alpha.app.merges.process(CI)
    assert (caught.value.code, f"The next fe merge shows whether {task} was merged" in caught.value.message) == (
        problem.code,
        True,
    )
    assert merge(alpha) == {task: "found"}


def test_what_was_found_of_a_lost_push_is_told_if_the_store_goes_away_after_it_Q4(
    clones: Wired, monkeypatch: pytest.MonkeyPatch
) -> None:
    beta, first = clones.beta, killed_at(clones, "after")
    left = merger._Settling._left

    def gone(self: merger._Settling) -> object:
        if beta.status(first) == "closed":
            raise GONE
        return left(self)

    recognise = vars(merger)["recognise"]
    monkeypatch.setattr(
        merger, "recognise", lambda *given, **only: recognise(*given, **only) if only else []
    )  # it arrives a moment later
    monkeypatch.setattr(merger._Settling, "_left", gone)
    with pytest.raises(CutOff) as caught:
        beta.app.merges.process(CI)
    assert [(row.task, row.outcome) for row in caught.value.done if isinstance(row, MergeRow)] == [(first, "found")]
