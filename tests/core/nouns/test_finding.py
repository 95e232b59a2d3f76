"""Findings: severities as people write them, what blocks, what an id looks like (L1, L2, L5, E3)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.nouns.finding import (
    AFTER_ANSWER,
    ALIASES,
    FINDING_INPUT,
    RULES_ON,
    SEVERITIES,
    Finding,
    Severity,
    severity_of,
    status_of,
    stem,
)
from foureyes.core.nouns.finding_state import STATES, UNRESOLVED, holds
from foureyes.core.words.ids import SessionId

from tests.core.samples import quick

NOW, LATER = "2027-01-02T03:04:05.678Z", "2027-02-01T00:00:00.000Z"


def finding(**fields: Any) -> Finding:
    usual: dict[str, Any] = {
        "severity": "HIGH",
        "title": "leaks",
        "raised": 1,
        "flagged": 1,
        "kind": "TL",
        "task": "t",
        "id": "TL-t-1-001",
    }
    return Finding(root="TL-t-1-001", session=SessionId("ses-r"), **(usual | fields))


@pytest.mark.parametrize(
    ("text", "severity"),
    [
        *[(name, name) for name in SEVERITIES], ("BLOCKER", "CRITICAL"), ("IMPORTANT", "HIGH"),
        ("SUGGESTION", "MEDIUM"), ("MINOR", "LOW"), ("NIT", "LOW"), ("FYI", "FYI"), (" high ", "HIGH"), ("nit", "LOW"),
        ("Blocker", "CRITICAL"), ("", None), ("urgent", None), ("HIGH!", None), ("high low", None),
    ],
)  # fmt: skip
def test_a_severity_is_read_as_people_and_tools_write_it_L1(text: str, severity: str | None) -> None:
    assert severity_of(text) == severity


@quick
@given(st.text(max_size=12))
def test_no_other_word_is_a_severity_L1(text: str) -> None:
    found = severity_of(text)
    assert found is None or text.strip().upper() in (*SEVERITIES, *ALIASES, "FYI")


@pytest.mark.parametrize("severity", SEVERITIES)
def test_blocking_is_derived_from_the_severity_L1(severity: Severity) -> None:
    assert finding(severity=severity).blocking == (severity in ("CRITICAL", "HIGH"))


@pytest.mark.parametrize("state", STATES)
def test_what_is_not_settled_by_somebody_elses_word_holds_D2_L5(state: Any) -> None:
    assert finding(state=state).holds(NOW) == (state in ("open", "claimed", "disputed", "waived"))
    assert not finding(state=state, severity="MEDIUM").holds(NOW)
    assert finding(state=state, waived_until=LATER).holds(NOW) == (state in UNRESOLVED)


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("severity", SEVERITIES)
def test_a_finding_is_open_until_it_is_settled_and_again_once_its_waiver_ran_out_L4_E3(
    state: Any, severity: Severity
) -> None:
    known = finding(state=state, severity=severity, waived_until=LATER)
    assert known.is_open(NOW) == (state in ("open", "claimed", "disputed"))
    assert known.is_open(LATER) == (state in ("open", "claimed", "disputed", "waived"))
    assert known.is_open(LATER) or not known.holds(LATER)


def test_a_waiver_counts_until_its_last_moment_and_then_the_finding_is_open_again_E3() -> None:
    waived = finding(state="waived", waived_until=LATER)
    assert waived.is_waived(NOW)
    assert waived.at_time(NOW) == waived
    assert not waived.is_waived(LATER)
    assert waived.holds(LATER)
    assert waived.at_time(LATER).state == "open"
    assert waived.at_time(LATER).needs_answer
    assert finding(state="resolved", waived_until=NOW).at_time(LATER).state == "resolved"


@pytest.mark.parametrize(
    "fields", [{"by_check": "tests"}, {"waiting": True}, {"note": True}, {"state": "claimed"}, {"severity": "LOW"}]
)
def test_only_an_open_blocking_loop_item_of_a_reviewer_needs_an_answer_L6(fields: dict[str, Any]) -> None:
    assert finding().needs_answer
    assert not finding(**fields).needs_answer


@quick
@given(st.lists(st.sampled_from(SEVERITIES), max_size=5), st.integers(0, 3))
def test_the_status_of_a_review_follows_from_what_it_found_L5(severities: list[Severity], notes: int) -> None:
    blocking = any(severity in ("CRITICAL", "HIGH") for severity in severities)
    expected = "CHANGES_REQUESTED" if blocking else "APPROVED_WITH_NOTES" if severities or notes else "APPROVED"
    assert status_of(severities, notes=notes) == expected


@quick
@given(st.sampled_from(["TL", "QA", "CK"]), st.text(max_size=60), st.integers(1, 9_999), st.integers(1, 99_999))
def test_an_id_is_read_back_whatever_a_group_is_called_L2(kind: Any, group: str, iteration: int, number: int) -> None:
    made = f"{stem(kind, group, 'fe-abc', iteration)}{number:03}"
    assert FINDING_INPUT.match(made)
    assert made.startswith(f"{kind}-")
    assert made.isascii()


def test_an_id_names_its_group_or_its_task_L2() -> None:
    assert stem("TL", "", "fe-abc", 3) == "TL-fe-abc-3-"
    assert stem("QA", "web shop / 1", "fe-abc", 3) == "QA-web-shop-1-3-"
    assert stem("CK", "…", "fe-abc", 1) == "CK-fe-abc-1-"


def test_every_state_that_waits_for_somebody_has_a_ruling_and_no_answer_settles_L4() -> None:
    assert {state for states in RULES_ON.values() for state in states} == set(UNRESOLVED)
    assert "resolved" not in AFTER_ANSWER.values()


@pytest.mark.parametrize("state", STATES)
@pytest.mark.parametrize("severity", SEVERITIES)
@pytest.mark.parametrize("until", ["", "2026-05-01", "2026-05-02"])
def test_a_finding_holds_while_it_blocks_and_nobody_settled_or_validly_waived_it_D2(
    state: Any, severity: Severity, until: str
) -> None:
    one = finding(state=state, severity=severity, waived_until=until)
    now = "2026-05-01"
    waived = state == "waived" and until > now
    assert one.is_waived(now) == waived
    assert one.holds(now) == (one.blocking and state in ("open", "claimed", "disputed", "waived") and not waived)
    assert holds(one.blocking, state, until, now) == one.holds(now) == one.at_time(now).holds(now)
