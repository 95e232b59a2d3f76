"""Retries: each changes something, none goes on for ever (E2, E4, S4)."""

from __future__ import annotations

import pytest

from foureyes.core.nouns.run import ErrorKind
from foureyes.core.runner.retries import GiveUp, NextRun, is_blamed, next_try
from foureyes.core.runner.snapshot import PastRun, Slot

from tests.core.runner.scene import past, scene, task


def tried(*runs: PastRun) -> NextRun | GiveUp | None:
    return next_try(task(past=runs), scene())


def test_a_first_run_is_told_nothing() -> None:
    assert tried() == NextRun(profile="claude")


def test_after_a_crash_the_conversation_goes_on_then_it_begins_anew_then_the_next_profile_does() -> None:
    first = past(conversation="c1")
    assert tried(first) == NextRun(profile="claude", resumes="c1", asks="failure")
    second = past(conversation="c1", resumed=True)
    assert tried(first, second) == NextRun(profile="claude", asks="failure")
    third = past(conversation="c2")
    assert tried(first, second, third) == NextRun(profile="codex", asks="failure")
    fourth = past(profile="codex", conversation="c3")
    assert isinstance(tried(first, second, third, fourth), GiveUp)


def test_a_conversation_of_another_machine_is_not_gone_on_with() -> None:
    assert tried(past(conversation="c1", elsewhere=True)) == NextRun(profile="claude", asks="failure")
    assert tried(past("finished", conversation="c1", elsewhere=True)) == NextRun(profile="claude")


def test_without_a_conversation_it_begins_anew_and_told_and_then_another_does() -> None:
    assert tried(past()) == NextRun(profile="claude", asks="failure")
    assert tried(past(), past()) == NextRun(profile="codex", asks="failure")


def test_no_two_tries_of_a_task_are_the_same() -> None:
    runs: tuple[PastRun, ...] = ()
    seen = set()
    while isinstance(found := tried(*runs), NextRun):
        fresh = sum(not run.resumed for run in runs if run.profile == found.profile)
        assert (found, fresh) not in seen
        seen.add((found, fresh))
        runs += (past(profile=found.profile, conversation="c", resumed=bool(found.resumes)),)
    assert found == GiveUp(kind="retries", why="4 runs failed")
    assert len(seen) == 4


def test_it_ends_before_the_cap_where_nothing_else_is_left_to_try() -> None:
    alone = scene(order=("claude",), slots=(Slot(profile="claude"),), max_runs_per_task=10)
    found = next_try(task(past=(past(), past())), alone)
    assert isinstance(found, GiveUp)
    assert found.kind == "retries"


def test_a_run_that_said_nothing_is_asked_once_S4() -> None:
    silent = past("finished", conversation="c1")
    assert tried(silent) == NextRun(profile="claude", resumes="c1", asks="signal")
    assert tried(silent, past("finished", conversation="c1", resumed=True)) == NextRun(profile="claude", asks="failure")


def test_done_without_a_change_twice_is_a_persons_S4() -> None:
    nothing = past("finished", signal="DONE", conversation="c1")
    assert isinstance(tried(nothing), NextRun)
    assert tried(nothing, nothing) == GiveUp(kind="no_change", why="2 runs ended as done but changed nothing")


@pytest.mark.parametrize("error", ["quota", "auth", "missing"])
def test_a_profile_at_fault_is_no_blame_of_the_task(error: ErrorKind) -> None:
    assert not is_blamed(past("failed", error=error))
    many = [past("failed", error=error)] * 20
    assert isinstance(tried(*many), NextRun)


def test_what_somebody_stopped_goes_on_where_it_was_and_counts_for_nothing() -> None:
    stopped = past("stopped", conversation="c1")
    assert tried(*[stopped] * 20) == NextRun(profile="claude", resumes="c1")


def test_what_the_service_refused_is_not_sent_again() -> None:
    assert tried(past("failed", error="refused", conversation="c1")) == NextRun(profile="claude", asks="failure")


def test_runs_that_lost_their_runner_use_up_no_try_but_not_for_ever_S2() -> None:
    assert tried(*[past("lost")] * 9) == NextRun(profile="claude", asks="failure")
    assert tried(past(), *[past("lost")] * 9) == NextRun(profile="claude", asks="failure")
    assert tried(*[past("lost")] * 10) == GiveUp(kind="retries", why="10 runs ended because their runner died")


def test_a_run_that_lost_its_runner_begins_anew_from_its_worktree() -> None:
    assert tried(past("lost", conversation="c1")) == NextRun(profile="claude", asks="failure")


def test_the_lead_goes_on_with_no_conversation_V2_E3() -> None:
    author = past("stopped", conversation="the author's")
    lead = past("stopped", conversation="the lead's", purpose="lead")
    assert next_try(task(past=(lead, author), purpose="lead"), scene()) == NextRun(profile="claude")


def test_an_author_who_came_to_nothing_leaves_the_lead_its_tries_E3() -> None:
    failed = (past(), past(), past(profile="codex", purpose="respond"), past(profile="codex"))
    assert isinstance(next_try(task(past=failed), scene()), GiveUp)
    assert next_try(task(past=failed, purpose="lead"), scene()) == NextRun(profile="claude")


@pytest.mark.parametrize("ending", ["finished", "failed"])
def test_what_the_lead_did_is_no_try_of_the_author_E3(ending: str) -> None:
    lead = past(ending, conversation="the lead's", purpose="lead")
    assert tried(*[lead] * 9) == NextRun(profile="claude")
    assert tried(*[lead] * 9, past(purpose="respond", conversation="c1")).resumes == "c1"  # type: ignore[union-attr]


def test_while_every_profile_cools_down_the_task_waits() -> None:
    cooled = scene(slots=(Slot(profile="claude", cooled=True), Slot(profile="codex", cooled=True)))
    assert next_try(task(), cooled) is None


def test_the_money_is_said() -> None:
    found = next_try(task(cost_micros=2_500_000), scene(spend_micros=2_000_000))
    assert found == GiveUp(kind="spend", why="it has cost 2.50, and the limit is 2.00 (run.spend_per_task)")


def test_who_never_said_done_is_not_called_done_S4() -> None:
    silent, done = PastRun(profile="dev", ending="finished"), PastRun(profile="dev", ending="finished", signal="DONE")
    why = {runs: tried(*runs) for runs in ((silent, silent), (silent, done))}
    assert why[silent, silent] == GiveUp(kind="no_change", why="2 runs ended without a signal and changed nothing")
    assert why[silent, done] == GiveUp(
        kind="no_change", why="2 runs ended without a signal (1 of them) and changed nothing"
    )
