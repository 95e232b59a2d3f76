"""Why ready work does not begin: each reason once (S, V9)."""

from __future__ import annotations

from foureyes.core.runner.plan import kept_back
from foureyes.core.runner.snapshot import Slot

from tests.core.runner.scene import scene, task

GONE = Slot(profile="claude", available=False, problem="claude was not found.")


def test_a_program_that_is_not_there_is_named_once_for_all_tasks_and_is_a_persons() -> None:
    tasks = tuple(task(name) for name in ("a", "b", "c", "d"))
    (found,) = kept_back(scene(tasks=tasks, slots=(GONE,), order=()))
    assert found.text == "a, b, c and 1 more are ready, but: claude cannot be used: claude was not found"
    assert found.person


def test_profiles_with_the_same_problem_are_told_together_and_one_that_rests_is_no_persons() -> None:
    rests = Slot(profile="codex", cooled=True)
    (found,) = kept_back(scene(tasks=(task(),), slots=(GONE, rests), order=("codex",)))
    assert found.text.endswith("claude cannot be used: claude was not found; codex is skipped for now")
    assert not found.person


def test_a_profile_that_is_none_is_said() -> None:
    (found,) = kept_back(scene(tasks=(task("a"),), slots=(), assigned=(("a", "gone"),)))
    assert found.text == "a is ready, but: gone is not a profile in the accepted foureyes.toml"


def test_what_begins_waits_for_nothing() -> None:
    assert kept_back(scene(tasks=(task(),))) == ()


def test_a_pause_is_told_and_nothing_else_of_the_tasks_V9() -> None:
    (found,) = kept_back(scene(tasks=(task(),), slots=(GONE,), paused="the project is paused: lunch"))
    assert found.text == "the project is paused: lunch"


def test_the_review_limit_keeps_back_only_what_is_new() -> None:
    full = "3 tasks are waiting for review, and run.review_limit is 1"
    new, fix = task("a"), task("b", has_feedback=True)
    (found,) = kept_back(scene(tasks=(new, fix), full=full))
    assert found.text == f"a is ready, but: {full}"
    assert kept_back(scene(tasks=(fix,), full=full)) == ()
