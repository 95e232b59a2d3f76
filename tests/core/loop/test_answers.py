"""What an answer and a ruling must be (L6–L9), as tables and properties."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.loop.answers import state_again, unanswered, why_not_again, why_not_answers, why_not_ruling
from foureyes.core.nouns.finding import (
    AFTER_RULING,
    ANSWERS,
    BLOCKING,
    GROUNDS,
    RULES_ON,
    RULINGS,
    SEVERITIES,
    Answer,
    Finding,
    ReportedFinding,
    weak_reason,
)
from foureyes.core.nouns.finding_state import STATES
from foureyes.core.words.ids import SessionId
from foureyes.ui.steps import steps_text

from tests.core.samples import quick

REASON = "the caller checks this input before it gets here"
ID = "TL-t-1-001"


def finding(root: str = ID, **fields: Any) -> Finding:
    usual: dict[str, Any] = {"severity": "HIGH", "title": "leaks", "raised": 1, "flagged": 1, "kind": "TL", "task": "t"}
    return Finding(root=root, session=SessionId("ses-r"), **({"id": root} | usual | fields))


def rules(answers: list[Answer], *known: Finding, iteration: int = 2) -> list[str]:
    return [reason.rule for reason in why_not_answers(answers, {one.id: one for one in known}, iteration)]


def said(word: Any = "FIXED", name: str = ID, text: str = REASON, **more: Any) -> Answer:
    usual = {"ground": "false_positive"} if word == "REJECTED" else {}
    return Answer(finding=name, action=word, text=text, **(usual | more))


@pytest.mark.parametrize(
    ("answer", "fields", "expected"),
    [
        (said("FIXED"), {}, []),
        (said("REJECTED"), {}, []),
        (said("FIXED", text=" "), {}, ["L6"]),
        (said("REJECTED", text=""), {}, ["L6"]),
        (said("REJECTED", ground=""), {}, ["L7"]),
        (said("REJECTED", ground="because"), {}, ["L7"]),
        (said("REJECTED", text="too hard"), {}, ["L7"]),
        (said("REJECTED", text="x" * 19), {}, ["L7"]),
        (said("REJECTED", ground="", text="I disagree"), {}, ["L7", "L7"]),
        (said("DEFERRED"), {}, ["L6"]),
        (said("SKIPPED"), {}, ["L6"]),
        (said("DEFERRED"), {"severity": "MEDIUM"}, []),
        (said("DEFERRED", text=""), {"severity": "MEDIUM"}, ["L6"]),
        (said("SKIPPED", text=""), {"severity": "LOW"}, []),
        (said("REJECTED", text="no", ground=""), {"severity": "LOW"}, []),
        (said("REJECTED", text="no", ground="silly"), {"severity": "LOW"}, ["L7"]),
        (said("FIXED"), {"state": "resolved"}, ["L6"]),
        (said("FIXED"), {"state": "obsolete"}, ["L6"]),
        (said("FIXED"), {"state": "waived"}, ["L6"]),
        (said("FIXED"), {"waiting": True}, ["V7"]),
        (said("REJECTED"), {"must_fix": True}, ["L9"]),
        (said("FIXED"), {"must_fix": True}, []),
        (said("FIXED"), {"state": "claimed", "answer": "FIXED", "answered": 1}, ["L6"]),
        (said("REJECTED"), {"state": "claimed", "answer": "FIXED", "answered": 2}, []),
        (said("FIXED"), {"state": "disputed", "answer": "REJECTED", "answered": 1}, ["L6"]),
        (said("FIXED"), {"state": "skipped", "severity": "LOW", "answered": 1}, []),
        (said("FIXED", "TL-t-1-002"), {}, ["L6"]),
    ],
)
def test_an_answer_fits_its_finding_or_is_refused_by_the_rule_that_says_so_L6_L7_L9(
    answer: Answer, fields: dict[str, Any], expected: list[str]
) -> None:
    assert rules([answer], finding(**fields)) == expected


def test_two_answers_to_one_finding_are_refused_also_under_its_earlier_id_L6() -> None:
    again = finding(id="TL-t-2-001")
    found = why_not_answers([said(), said(name="TL-t-2-001")], {ID: again, "TL-t-2-001": again}, 3)
    assert [reason.rule for reason in found] == ["L6", "L6"]
    assert all("2 times" in reason.message for reason in found)


def test_every_wrong_answer_of_a_set_is_named_at_once_G2_L6() -> None:
    known = [finding(ID), finding("TL-t-1-002", state="resolved"), finding("TL-t-1-003")]
    given_ = [said(), said(name="TL-t-1-002"), said("SKIPPED", "TL-t-1-003"), said(name="TL-other-1-001")]
    found = why_not_answers(given_, {one.id: one for one in known}, 2)
    assert [reason.message.split()[0] for reason in found] == ["TL-t-1-002", "TL-t-1-003", "TL-other-1-001"]
    assert all(steps_text(reason.next) for reason in found)


severities, states = st.sampled_from(SEVERITIES), st.sampled_from(STATES)
some_findings = st.builds(
    finding,
    severity=severities,
    state=states,
    waiting=st.booleans(),
    must_fix=st.booleans(),
    answered=st.integers(0, 2),
    left_diff=st.booleans(),
    by_check=st.sampled_from(["", "tests"]),
    note=st.booleans(),
)
some_answers = st.builds(
    said,
    st.sampled_from(ANSWERS),
    text=st.sampled_from([REASON, "too hard", "", "x" * 30]),
    ground=st.sampled_from([*GROUNDS, "", "no"]),
)


@quick
@given(some_findings, some_answers)
def test_no_accepted_answer_lets_a_blocking_finding_go_without_a_word_L6_L7(known: Finding, answer: Answer) -> None:
    if rules([answer], known):
        return
    assert known.state in ("open", "claimed", "disputed", "deferred", "skipped")
    if known.blocking:
        assert answer.action in ("FIXED", "REJECTED")
        assert answer.text.strip()
    if known.blocking and answer.action == "REJECTED":
        assert answer.ground in GROUNDS
        assert not known.must_fix
        assert len(answer.text) >= 20


@quick
@given(st.lists(some_findings, max_size=5))
def test_a_hand_in_asks_for_exactly_the_open_blocking_ones_that_somebody_raised_L6(known: list[Finding]) -> None:
    wanted = [
        one
        for one in known
        if one.severity in BLOCKING and one.state == "open" and not (one.by_check or one.waiting or one.note)
    ]
    assert len(unanswered(known)) == len(wanted)


# Rulings


@quick
@given(some_findings, st.sampled_from(RULINGS), st.booleans())
def test_a_ruling_is_about_the_state_that_a_finding_is_in_L4_L8_L9_V7(
    known: Finding, ruling: Any, is_raiser: bool
) -> None:
    reason = why_not_ruling(known, ruling, is_raiser=is_raiser)
    if reason is not None:
        assert reason.next
        assert reason.rule in ("L4", "L8", "L9", "V7")
    elif ruling in ("CONFIRMED", "DISMISSED"):
        assert known.waiting
        assert known.state == "open"
        assert not is_raiser
    else:
        assert known.state in RULES_ON[ruling]
        assert ruling != "OBSOLETE" or known.left_diff


@pytest.mark.parametrize("ruling", RULINGS)
@pytest.mark.parametrize("state", ["resolved", "deferred", "skipped", "waived", "obsolete"])
def test_nothing_that_is_settled_is_ruled_on_again_L8_L9(ruling: Any, state: Any) -> None:
    assert why_not_ruling(finding(state=state, left_diff=True), ruling, is_raiser=False) is not None
    assert why_not_ruling(finding(state=state, left_diff=True, waiting=True), ruling, is_raiser=False) is not None


def test_only_a_claim_is_verified_and_only_a_dispute_accepted_L8_L9() -> None:
    good = {
        (ruling, state)
        for ruling in RULINGS
        for state in STATES
        if why_not_ruling(finding(state=state), ruling, is_raiser=False) is None
    }
    assert good == {
        ("VERIFIED", "claimed"),
        ("NOT_FIXED", "claimed"),
        ("ACCEPTED", "disputed"),
        ("OVERRULED", "disputed"),
    }
    assert {AFTER_RULING[ruling] for ruling in ("VERIFIED", "ACCEPTED")} == {"resolved"}
    assert {AFTER_RULING[ruling] for ruling in ("NOT_FIXED", "OVERRULED")} == {"open"}


def test_who_raised_what_nobody_can_find_does_not_confirm_it_V7() -> None:
    waits = finding(waiting=True, anchored=False)
    assert why_not_ruling(waits, "CONFIRMED", is_raiser=True) is not None
    assert why_not_ruling(waits, "CONFIRMED", is_raiser=False) is None
    assert why_not_ruling(waits, "DISMISSED", is_raiser=False) is None


# Raised again


@pytest.mark.parametrize("old", SEVERITIES)
@pytest.mark.parametrize("new", SEVERITIES)
@pytest.mark.parametrize("changed", [True, False])
def test_an_accepted_rejection_comes_again_with_other_code_or_a_higher_severity_only_L9(
    old: Any, new: Any, changed: bool
) -> None:
    settled = finding(severity=old, state="resolved", ruling="ACCEPTED")
    refused = why_not_again(settled, ReportedFinding(severity=new, title="leaks"), code_changed=changed)
    assert (refused is None) == (changed or SEVERITIES.index(new) < SEVERITIES.index(old))


@quick
@given(some_findings, st.sampled_from(["", "VERIFIED", "NOT_FIXED", "OVERRULED", "DISMISSED"]), severities)
def test_everything_else_may_be_raised_again_L9(known: Finding, ruling: str, severity: Any) -> None:
    known = finding(state=known.state, severity=known.severity, ruling=ruling)
    assert why_not_again(known, ReportedFinding(severity=severity, title="leaks"), code_changed=False) is None


@pytest.mark.parametrize(
    ("state", "severity", "expected"),
    [
        ("open", "HIGH", "open"),
        ("claimed", "HIGH", "open"),
        ("claimed", "LOW", "open"),
        ("disputed", "HIGH", "disputed"),
        ("resolved", "HIGH", "open"),
        ("resolved", "LOW", "open"),
        ("obsolete", "HIGH", "open"),
        ("waived", "CRITICAL", "open"),
        ("waived", "LOW", "waived"),
        ("deferred", "LOW", "deferred"),
        ("deferred", "HIGH", "open"),
        ("skipped", "MEDIUM", "skipped"),
        ("skipped", "CRITICAL", "open"),
    ],
)
def test_where_a_finding_stands_once_it_is_flagged_again_L4(state: Any, severity: Any, expected: str) -> None:
    assert (
        state_again(finding(state=state, severity="LOW"), ReportedFinding(severity=severity, title="leaks")) == expected
    )


@quick
@given(some_findings, severities)
def test_a_blocking_finding_that_is_flagged_again_is_never_settled_by_it_D2(known: Finding, severity: Any) -> None:
    after = state_again(known, ReportedFinding(severity=severity, title="leaks"))
    assert after not in ("resolved", "obsolete")
    assert severity not in BLOCKING or after not in ("deferred", "skipped")
    assert after != "waived" or known.state == "waived"


# Words


@pytest.mark.parametrize(
    "text",
    [
        "too hard", "Too difficult!", "it's too complex", "this is too complicated.", "takes too long",
        "It takes too long...", "I disagree", "i disagree!", "no time", "not now", "won't fix", "wont fix",
        "  I   disagree  ", "", "x", "short one", "a" * 19,
    ],
)  # fmt: skip
def test_an_excuse_is_no_reason_and_is_told_what_to_do_instead_L7(text: str) -> None:
    assert weak_reason(text)


@pytest.mark.parametrize(
    "text",
    [
        REASON,
        "I disagree: the caller holds the lock, see pool.py:40",
        "too hard to hit in practice: the queue is bounded by 8",
        "a" * 20,
    ],
)
def test_a_technical_sentence_is_a_reason_also_with_such_words_in_it_L7(text: str) -> None:
    assert weak_reason(text) == ""


@quick
@given(st.text(max_size=80))
def test_a_reason_is_as_long_without_its_padding_L7(text: str) -> None:
    assert weak_reason(f"  {text}\n\n ") == weak_reason(" ".join(text.split()))
    assert weak_reason(text) or len(" ".join(text.split())) >= 20
