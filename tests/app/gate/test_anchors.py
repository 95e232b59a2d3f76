"""V7: a quote that is nowhere in the code goes back once; then a blocking finding waits for other eyes, and never
vanishes.
"""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import SessionId
from foureyes.errors import BadInput, Refused
from foureyes.ui.steps import steps_text

from tests.stage.gated import deliver
from tests.stage.looped import (
    again,
    answer,
    findings,
    issue,
    next_attempt,
    review,
    rule,
    sent_back_to_its_reviewer,
    states,
    texts,
    why_not_approved,
)
from tests.stage.people import BOB, CLAUDE, CODEX, GEMINI
from tests.stage.world import DeskWorld, GitWorld

PAY = "def pay(amount):\n    limit = 10\n    return amount < limit\n"
WRONG: dict[str, Any] = {"file": "pay.py", "line": 2, "quote": "limit = 99999"}


def lost(world: DeskWorld | GitWorld, task: str, severity: str = "HIGH", by: Actor = CODEX) -> str:
    """A finding whose quote is nowhere, sent twice."""
    with pytest.raises(Refused):
        review(world, task, [issue(severity=severity, **WRONG)], by=by)
    (name,) = review(world, task, [issue(severity=severity, **WRONG)], by=by).raised
    return name


def submitted_task(world: GitWorld, text: str = PAY) -> str:
    return deliver(world, {"pay.py": text})


def test_a_quote_that_is_neither_in_base_nor_in_head_goes_back_once_V7(world: GitWorld) -> None:
    task = submitted_task(world)
    with sent_back_to_its_reviewer(world, task, "V7", error=Refused) as reasons:
        review(world, task, [issue("a good one", "LOW"), issue(**WRONG)])
    assert "payload.issues[1]" in reasons[0].message
    assert states(world, task) == {}


def test_sent_again_a_blocking_one_waits_for_other_eyes_and_stands_against_the_approval_V7_D2(world: GitWorld) -> None:
    task = submitted_task(world)
    name = lost(world, task)
    one = findings(world, task)[name]
    assert (one.state, one.waiting, one.anchored, one.blocking) == ("open", True, False, True)
    assert world.status(task) == "reviewing", "nothing is sent back before somebody has confirmed it"
    (reason,) = why_not_approved(world, task)
    assert (reason.rule, steps_text(reason.next)) == ("D2", f"fe finding judge {name} (--confirmed or --dismissed)")


def test_a_non_blocking_one_is_kept_as_unanchored_V7(world: GitWorld) -> None:
    task = submitted_task(world)
    name = lost(world, task, "LOW")
    one = findings(world, task)[name]
    assert (one.state, one.waiting, one.anchored) == ("open", False, False)
    assert world.approve(BOB, task).status == "approved"


def test_it_goes_back_once_per_reviewer_and_attempt_V7(world: GitWorld) -> None:
    task = submitted_task(world)
    lost(world, task)
    with sent_back_to_its_reviewer(world, task, "V7", error=Refused):
        review(world, task, [issue("another", **WRONG)], by=GEMINI)


@pytest.mark.parametrize(
    "again_as",
    [CODEX, replace(CODEX, session=SessionId("ses-codex-again"), base=CODEX.session)],
    ids=["same", "origin"],
)
@pytest.mark.parametrize("word", ["CONFIRMED", "DISMISSED"])
def test_who_raised_it_neither_confirms_nor_dismisses_it_V7(world: GitWorld, word: str, again_as: Actor) -> None:
    task = submitted_task(world)
    name = lost(world, task)
    with world.refused("V7"):
        rule(world, {name: word}, by=again_as)
    with world.refused("L8"):
        rule(world, {name: word}, by=CLAUDE)


def test_who_flagged_it_again_with_a_quote_that_is_nowhere_does_not_confirm_that_V7(world: GitWorld) -> None:
    task = submitted_task(world)
    (name,) = review(world, task, [issue(file="pay.py", line=2)], verdict="concerns").raised
    next_attempt(world, task, {"pay.py": PAY.replace("10", "11")})
    with pytest.raises(Refused):
        review(world, task, [issue(id=name, **WRONG)], by=GEMINI)
    (again_,) = review(world, task, [issue(id=name, **WRONG)], by=GEMINI).raised
    assert findings(world, task)[name].waiting
    with world.refused("V7"):
        rule(world, {again_: "CONFIRMED"}, by=GEMINI)
    rule(world, {again_: "CONFIRMED"}, by=CODEX)


def test_other_eyes_confirm_it_and_it_is_sent_back_V7(world: GitWorld) -> None:
    task = submitted_task(world)
    name = lost(world, task)
    rule(world, {name: "CONFIRMED"}, by=GEMINI)
    assert (states(world, task), world.status(task)) == ({name: "open"}, "open")
    assert not findings(world, task)[name].waiting
    next_attempt(world, task, {"pay.py": PAY + "\n"})
    assert states(world, task) == {name: "claimed"}


def test_other_eyes_dismiss_it_and_one_false_finding_does_not_block_for_ever_V7(world: GitWorld) -> None:
    task = submitted_task(world)
    name = lost(world, task)
    rule(world, {name: "DISMISSED"}, by=BOB)
    assert states(world, task) == {name: "resolved"}
    assert world.approve(BOB, task).status == "approved"


@pytest.mark.parametrize("word", ["VERIFIED", "ACCEPTED", "OVERRULED", "NOT_FIXED", "OBSOLETE"])
def test_a_finding_that_waits_to_be_confirmed_takes_no_other_ruling_V7(world: GitWorld, word: str) -> None:
    task = submitted_task(world)
    name = lost(world, task)
    with world.unchanged(), pytest.raises(Refused):
        rule(world, {name: word}, by=GEMINI)


@pytest.mark.parametrize("word", ["CONFIRMED", "DISMISSED"])
def test_a_finding_that_is_anchored_cannot_be_dismissed_V7_L8(desk: DeskWorld, word: str) -> None:
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue()], verdict="concerns").raised
    again(desk, task)
    with desk.refused("V7"):
        rule(desk, {name: word}, by=GEMINI)


def test_the_implementer_does_not_answer_what_nobody_has_confirmed_V7(world: GitWorld) -> None:
    task = submitted_task(world)
    name = lost(world, task)
    with world.refused("V7"):
        world.app.answers.respond(CLAUDE, task, [answer(name, "REJECTED")])
    next_attempt(world, task, {"pay.py": PAY + "\n"}, answers={})
    assert findings(world, task)[name].waiting, "a submission does not make it go away"
    assert "D2" in texts(why_not_approved(world, task))


def test_a_quote_is_found_whatever_its_white_space_and_says_where_it_is_V7(world: GitWorld) -> None:
    task = submitted_task(world)
    (name,) = review(world, task, [issue(file="pay.py", line=99, quote="limit=10\n\n\treturn   amount<limit")]).raised
    assert (findings(world, task)[name].location.line, findings(world, task)[name].anchored) == (2, True)


def test_a_quote_without_a_place_is_found_in_the_changed_files_V7(world: GitWorld) -> None:
    task = submitted_task(world)
    (name,) = review(world, task, [issue(quote="limit = 10")]).raised
    assert (findings(world, task)[name].location.path, findings(world, task)[name].location.line) == ("pay.py", 2)


def test_code_that_the_change_took_away_may_be_quoted_V7(world: GitWorld) -> None:
    task = deliver(world, {"code.py": "line 1\n"})
    (name,) = review(world, task, [issue("this line was needed", file="code.py", quote="line 30")]).raised
    assert findings(world, task)[name].anchored


def test_a_finding_without_a_quote_is_anchored_by_its_place_and_blocks_V7(world: GitWorld) -> None:
    task = submitted_task(world)
    (name,) = review(world, task, [issue(location="pay.py:2")]).raised
    one = findings(world, task)[name]
    assert (one.quote, one.anchored, one.state) == ("limit = 10", True, "open")


@pytest.mark.parametrize("place", [{"file": "pay.py", "line": 400}, {"file": "nowhere.py"}])
def test_a_place_that_is_neither_in_base_nor_in_head_goes_back_as_well_V7(
    world: GitWorld, place: dict[str, Any]
) -> None:
    task = submitted_task(world)
    with sent_back_to_its_reviewer(world, task, "V7", error=Refused):
        review(world, task, [issue(**place)])


def test_a_finding_without_any_place_blocks_as_well_V7(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    (name,) = review(desk, task, [issue("there is no test at all")]).raised
    assert findings(desk, task)[name].anchored
    assert states(desk, task) == {name: "open"}


def test_a_file_that_is_no_text_is_a_place_too_V7(world: GitWorld) -> None:
    (world.checkout.path / "key.der").write_bytes(b"")
    world.checkout.switch("main")
    task = world.create()
    world.start(CLAUDE, task)
    world.checkout.branch(f"fe/{task}")
    (world.checkout.path / "key.der").write_bytes(bytes(range(256)))
    world.checkout.commit("pay.py", PAY, session=CLAUDE)
    world.submit(CLAUDE, task)
    (name,) = review(world, task, [issue("a private key is committed", "CRITICAL", file="key.der")]).raised
    assert (findings(world, task)[name].anchored, findings(world, task)[name].waiting) == (True, False)


def test_a_document_that_is_wrong_does_not_use_up_the_one_return_of_a_quote_V7_V3(world: GitWorld) -> None:
    task = submitted_task(world)
    with pytest.raises(BadInput):
        review(world, task, [issue("")])
    with sent_back_to_its_reviewer(world, task, "V7", error=Refused):
        review(world, task, [issue(**WRONG)])
