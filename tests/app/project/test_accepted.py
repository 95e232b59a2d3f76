"""L9: a rejection that was accepted stays accepted, until its code changes or it turns out to be worse."""

from __future__ import annotations

import pytest

from tests.stage.gated import configure, deliver
from tests.stage.looped import findings, issue, next_attempt, review, rule, states
from tests.stage.people import BOB, GEMINI
from tests.stage.world import GitWorld

KEPT = '\n[review]\ndefault_mode = "per-task"\n'
PAY = "def pay(amount):\n    limit = 10\n    return amount < limit\n"


def accepted(world: GitWorld, text: str = PAY) -> tuple[str, str]:
    configure(world, KEPT)
    task = deliver(world, {"pay.py": PAY})
    (name,) = review(world, task, [issue(file="pay.py", line=2)]).raised
    next_attempt(world, task, {"pay.py": text, "x.py": "x = 1\n"}, answers={name: "REJECTED"})
    rule(world, {name: "ACCEPTED"})
    return task, name


@pytest.mark.parametrize(
    "said",
    [
        {"file": "pay.py", "line": 2},
        {"file": "pay.py", "quote": "limit=10"},
        {"file": "pay.py"},
        {"file": "pay.py", "line": 2, "severity": "MEDIUM"},
        {"id": "NAME"},
        {"id": "NAME", "file": "pay.py", "line": 2, "severity": "LOW"},
        {"id": "NAME", "file": "pay.py", "line": 3},
        {"id": "NAME", "file": "pay.py", "quote": "limit = 10\n    return amount < limit"},
        {"id": "NAME", "file": "x.py", "line": 1},
    ],
    ids=str,
)
def test_the_same_code_does_not_raise_it_again_L9(world: GitWorld, said: dict[str, str]) -> None:
    task, name = accepted(world)
    said = {key: name if value == "NAME" else value for key, value in said.items()}
    with world.refused("L9"):
        review(world, task, [issue(**said)], by=GEMINI)
    assert states(world, task) == {name: "resolved"}


def test_changed_code_at_the_quote_raises_it_again_L9(world: GitWorld) -> None:
    task, name = accepted(world)
    world.app.feedback.redo(BOB, task, "go on")
    next_attempt(world, task, {"pay.py": PAY.replace("10", "5000")}, answers={})
    done = review(world, task, [issue(id=name, file="pay.py", line=2)])
    assert (states(world, task), findings(world, task)[name].flags) == ({done.raised[0]: "open"}, 2)


def test_the_same_words_about_other_code_are_another_finding_L9_L2(world: GitWorld) -> None:
    task, name = accepted(world, PAY + "\n\ndef loan(amount):\n    most = 20\n")
    (new,) = review(world, task, [issue(file="pay.py", quote="most = 20")]).raised
    assert states(world, task) == {name: "resolved", new: "open"}


def test_a_higher_severity_raises_it_again_L9(world: GitWorld) -> None:
    task, name = accepted(world)
    done = review(world, task, [issue(severity="CRITICAL", file="pay.py", line=2)])
    assert states(world, task) == {done.raised[0]: "open"}
    assert findings(world, task)[name].severity == "CRITICAL"
