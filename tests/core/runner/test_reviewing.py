"""Whoever was asked for a review gets a run, one more where the answer was none, or gives no review: never a pass
(V3, V4, V8, V9).
"""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.cycle import CycleId
from foureyes.core.nouns.run import RunId, RunOutcome
from foureyes.core.runner.plan import becomes_of, is_about, plan
from foureyes.core.runner.snapshot import Called, Left, PastRun, ReviewDue, Slot, Snapshot
from foureyes.core.runner.steps import (
    CoolProfile,
    DecideCycle,
    Finish,
    FinishRun,
    NotGiven,
    OpenCycle,
    RunStep,
    StartRun,
    StopRun,
    Wait,
)
from foureyes.core.words.ids import TaskId

from tests.core.runner.scene import ENDED, live, over, run, scene, task

C, T = CycleId("c-1"), TaskId("t")


def due(reviewer: str = "codex", **fields: Any) -> ReviewDue:
    return ReviewDue(**({"cycle": C, "task": T, "reviewer": reviewer} | fields))


def ended(ending: str = "failed", **fields: Any) -> PastRun:
    usual: dict[str, Any] = {"profile": "codex", "purpose": "review", "ending": ending}
    return PastRun(**(usual | fields))


def invalid(text: str = "is plain text", conversation: str = "k") -> PastRun:
    return ended("finished", error="refused", text=text, conversation=conversation)


def reviewing(name: str = "r", **fields: Any) -> Any:
    made = run(name, "t", "review", **({"profile": "codex", "role": "review", "cycle": C} | fields))
    return live(run=made)


def begin(profile: str = "codex", **fields: Any) -> StartRun:
    return StartRun(task=T, profile=profile, purpose="review", cycle=C, **fields)


def none(kind: Any, **fields: Any) -> NotGiven:
    return NotGiven(**({"cycle": C, "task": T, "reviewer": "codex", "kind": kind} | fields))


ROWS: list[tuple[str, dict[str, Any], list[RunStep]]] = [
    (
        "an answer that was none on another machine is asked for again (V3)",
        {"reviews": (due(past=(replace(invalid(), elsewhere=True),)),)},
        [begin(asks="answer")],
    ),
    ("who was asked gets a run (V4)", {"reviews": (due(),)}, [begin()]),
    ("reviews go before fixes and new tasks", {"reviews": (due(),), "agents": 1, "tasks": (task(),)}, [begin()]),
    (
        "several at once, each by a profile of its own",
        {"reviews": (due(), due("claude"))},
        [begin(), begin("claude")],
    ),
    ("no second run while one is at work", {"reviews": (due(),), "runs": (reviewing(),)}, []),
    ("none without a slot", {"reviews": (due(),), "slots": (Slot(profile="codex", slots=0),)}, []),
    ("none when the runner is to end", {"reviews": (due(late=True),), "stopping": "finish"}, []),
    ("none without agents", {"reviews": (due(),), "agents": 0}, []),
    ("a pause by a rule keeps no review back (V9)", {"reviews": (due(),), "paused": "R2"}, [begin()]),
    ("a person's does (V9)", {"reviews": (due(),), "paused": "lunch", "halted": "lunch"}, []),
    ("so does one of the task, or a hold", {"reviews": (due(stopped="held"),)}, []),
    ("what began once is seen to its end", {"reviews": (due(),), "starting": False}, [begin()]),
    ("review_limit keeps no review back", {"reviews": (due(),), "full": "20 wait"}, [begin()]),
    (
        "an author clarifies when its work has come to its end (V9)",
        {"reviews": (due("claude", purpose="clarify"),), "runs": (live(),)},
        [],
    ),
    (
        "who is to clarify then goes on",
        {"reviews": (due("claude", purpose="clarify", resumes="k"),), "runs": (live(of="another"),)},
        [StartRun(task=T, profile="claude", purpose="clarify", cycle=C, resumes="k")],
    ),
    ("a look is reviewed as one (V1)", {"reviews": (due(early_review=3),)}, [begin(early_review=3)]),
    ("a person is only waited for", {"reviews": (due("ada", is_profile=False),)}, []),
    (
        "whoever is late gives none (V3)",
        {"reviews": (due(late=True), due("ada", is_profile=False, late=True))},
        [none("timeout"), none("timeout", reviewer="ada")],
    ),
    ("whoever is late and at work, too", {"reviews": (due(late=True),), "runs": (reviewing(),)}, [none("timeout")]),
    (
        "an answer that is no document is asked for once more (V3)",
        {"reviews": (due(past=(invalid(),)),)},
        [begin(asks="answer")],
    ),
    ("twice none is no review (V3)", {"reviews": (due(past=(invalid(), invalid())),)}, [none("invalid")]),
    ("out of quota (V4)", {"reviews": (due(past=(ended(error="quota"),)),)}, [none("quota")]),
    ("logged out", {"reviews": (due(past=(ended(error="auth"),)),)}, [none("auth")]),
    ("not there", {"reviews": (due(past=(ended("unstarted", error="missing"),)),)}, [none("missing")]),
    ("crashed", {"reviews": (due(past=(ended(error="crash"),)),)}, [none("crash")]),
    ("its service said no", {"reviews": (due(past=(ended(error="refused"),)),)}, [none("refused")]),
    ("took too long", {"reviews": (due(past=(ended("timeout"),)),)}, [none("timeout")]),
    ("ended well, and nothing is on record", {"reviews": (due(past=(ended("finished"),)),)}, [none("crash")]),
    ("one whose runner died begins again", {"reviews": (due(past=(ended("lost"),)),)}, [begin()]),
    ("one that was stopped, too", {"reviews": (due(past=(ended("stopped"), ended("lost"))),)}, [begin()]),
    ("but not for ever", {"reviews": (due(past=(ended("lost"),) * 5),)}, [none("crash")]),
    (
        "a program that is not there is skipped (V4)",
        {"reviews": (due(),), "slots": (Slot(profile="codex", available=False, problem="codex was not found"),)},
        [none("missing")],
    ),
    (
        "but another host's runner may have it (V4)",
        {"reviews": (due(),), "slots": (Slot(profile="codex", cooled=True, error="quota", elsewhere=True),)},
        [],
    ),
    (
        "which has to know that this one has not (V4)",
        {"reviews": (due(),), "slots": (Slot(profile="codex", available=False, elsewhere=True),)},
        [CoolProfile(profile="codex", error="missing")],
    ),
    ("so is one that no policy names", {"reviews": (due("gone"),)}, [none("missing", reviewer="gone")]),
    (
        "and one that cools down",
        {"reviews": (due(),), "slots": (Slot(profile="codex", cooled=True, error="auth"),)},
        [none("auth")],
    ),
    (
        "who only watches gives nobody's review away: another runner may have the program (V4)",
        {"agents": 0, "reviews": (due(),), "slots": (Slot(profile="codex", available=False),)},
        [],
    ),
    ("but who is late is late", {"agents": 0, "reviews": (due(late=True),)}, [none("timeout")]),
    ("cycles that wait for nobody are decided (V8)", {"to_decide": (C,)}, [DecideCycle(cycle=C)]),
    (
        "what calls for a review opens a cycle (V1)",
        {"called": (Called(trigger="MILESTONE", tasks=(T,)),)},
        [OpenCycle(trigger="MILESTONE", tasks=(T,))],
    ),
    (
        "a task that is reviewed can be worked on (V1)",
        {"runs": (reviewing(),), "tasks": (task(),)},
        [StartRun(task=T, profile="claude")],
    ),
    (
        "a review that nobody waits for is ended",
        {"runs": (replace(reviewing(), stop="nobody waits"),)},
        [StopRun(run=RunId("r"), task=T)],
    ),
]


@pytest.mark.parametrize(("what", "fields", "expected"), ROWS, ids=[row[0] for row in ROWS])
def test_what_becomes_of_who_was_asked_V3_V4(what: str, fields: dict[str, Any], expected: list[RunStep]) -> None:
    assert [replace(step, why="") for step in plan(scene(**fields))[:-1]] == expected


def test_a_runner_goes_on_while_somebody_is_asked() -> None:
    snapshot: Snapshot = scene(reviews=(due(),), until_idle=True)
    assert isinstance(plan(snapshot)[-1], Wait)


def test_a_cycle_that_only_a_person_moves_keeps_no_runner_from_its_end_X2() -> None:
    assert isinstance(plan(scene(to_decide=(C,), until_idle=True))[-1], Finish)


@pytest.mark.parametrize("purpose", ["review", "clarify"])
def test_what_becomes_of_a_run_that_was_asked_for_a_document_V3(purpose: Any) -> None:
    def then(outcome: RunOutcome = ENDED, **fields: Any) -> str:
        state = over(outcome, Left(), run=run("r", "t", purpose, role="review"), **fields)
        (step, *_) = plan(scene(runs=(state,)))
        assert isinstance(step, FinishRun)
        assert becomes_of(state)[0] == step.then
        return step.then

    assert then() == "answer"
    assert then(done=True) == "finished"
    assert then(replace(ENDED, stopped=True)) == "stopped"
    assert then(replace(ENDED, error="quota", rc=1)) == "cool"
    assert then(replace(ENDED, timed_out="deadline")) == "retry"
    assert then(replace(ENDED, rc=3)) == "retry"


@pytest.mark.parametrize(
    ("named", "is_it"),
    [
        ("sha256:0123456789ab", True),
        ("0123456789AB", True),
        ("01234567", True),
        ("2.01234567", True),
        ("0123456", False),
        ("", False),
        (None, False),
        (7, False),
        ("sha256:1123456789ab", False),
        ("0123456789abcdef0", False),
    ],
)
def test_an_answer_names_the_change_that_was_asked_about_D7(named: object, is_it: bool) -> None:
    assert is_about(named, "sha256:0123456789abcdef") is is_it
