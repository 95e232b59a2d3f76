"""A waiver is for the code that it was given for (E3, L9): the same words about other code are another finding."""

from __future__ import annotations

import json

import pytest

from tests.app.exchange.test_findings import KEPT, take
from tests.stage.documents import sarif
from tests.stage.gated import configure, deliver
from tests.stage.looped import findings, issue, next_attempt, review
from tests.stage.people import BOB, CLAUDE, GEMINI
from tests.stage.world import GitWorld

ONE = "def a(x):\n    return eval(x)\n"
MENDED = "def a(x):\n    return int(x)\n\n\ndef b(request):\n    return eval(request.body)\n"
BOTH = ONE + "\n\ndef b(x):\n    return eval(x)\n"
MOVED = "import os\n\n\n" + ONE
SAID = "eval is dangerous"


def marked(*results: tuple[str, int, str]) -> bytes:
    """A tool that knows each of its results by the same mark."""
    document = json.loads(sarif(*results))
    for row in document["runs"][0]["results"]:
        row["fingerprints"] = {"matchBasedId/v1": "requires login"}
    return json.dumps(document).encode()


def handed_in_again(world: GitWorld, task: str, text: str) -> None:
    if world.status(task) != "open":
        world.app.feedback.redo(BOB, task, "more")
    world.start(CLAUDE, task)
    world.checkout.switch(f"fe/{task}")
    world.checkout.commit("pay.py", text, session=CLAUDE)
    world.submit(CLAUDE, task)
    world.checkout.switch("main")


def waived(world: GitWorld, text: str) -> tuple[str, str]:
    """What a reviewer found was waived, and the file is this now."""
    configure(world, KEPT)
    task = deliver(world, {"pay.py": ONE})
    (name,) = review(world, task, [issue(SAID, file="pay.py", line=2)]).raised
    world.app.findings.waive(BOB, name, "only in tests")
    handed_in_again(world, task, text)
    return task, name


@pytest.mark.parametrize(("text", "line"), [(MENDED, 6), (BOTH, 6)], ids=["fixed there", "the same line again"])
def test_the_same_words_about_other_code_are_not_waived_E3(world: GitWorld, text: str, line: int) -> None:
    task, name = waived(world, text)
    (new,) = review(world, task, [issue(SAID, file="pay.py", line=line)]).raised
    found = findings(world, task)
    assert (found[name].state, found[new].state) == ("waived", "open")
    with world.refused("D2"):
        world.approve(GEMINI, task)


def test_by_the_id_of_what_was_waived_other_code_is_open_E3(world: GitWorld) -> None:
    task, name = waived(world, MENDED)
    review(world, task, [issue(SAID, file="pay.py", line=6) | {"id": name}])
    assert [one.state for one in findings(world, task).values()] == ["open"]


def test_the_same_code_stays_waived_wherever_it_moves_E3(world: GitWorld) -> None:
    task, name = waived(world, MOVED)
    review(world, task, [issue(SAID, file="pay.py", line=5)])
    assert {one.root: one.state for one in findings(world, task).values()} == {name: "waived"}


def test_a_tools_mark_takes_no_waiver_to_other_code_E3(world: GitWorld) -> None:
    configure(world, KEPT)
    task = deliver(world, {"pay.py": ONE})
    (name,), _, _ = take(world, task, marked(("pay.py", 2, SAID)))
    world.app.findings.waive(BOB, name, "only in tests")
    handed_in_again(world, task, MENDED)
    (new,), again, _ = take(world, task, marked(("pay.py", 6, SAID)))
    assert (findings(world, task)[new].state, again) == ("open", ())


def test_a_mark_that_a_report_gives_to_several_places_is_none_L2(world: GitWorld) -> None:
    configure(world, KEPT)
    task = deliver(world, {"pay.py": BOTH})
    (first, second), _, _ = take(world, task, marked(("pay.py", 2, SAID), ("pay.py", 6, "another")))
    found = findings(world, task)
    assert {found[first].location.line, found[second].location.line} == {2, 6}
    world.app.feedback.redo(BOB, task, "mend it")
    next_attempt(world, task, {"pay.py": BOTH + "\n\ndef c(z):\n    return z\n"})
    raised, _, _ = take(world, task, marked(("pay.py", 10, "a third")))
    assert len(raised) == 1
