"""What the page of a finding says and offers, for any reviewer."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.app.results.finding import FindingDetail, MoveView
from foureyes.core.loop.next_steps import next_step
from foureyes.core.nouns.finding import Finding, Location
from foureyes.core.words.ids import SessionId
from foureyes.ui.tui.marks import FINE, PALETTES
from foureyes.ui.tui.text.finding import (
    FindingDrawing,
    code_lines,
    history,
    left_words,
    offer,
    offer_lines,
    top_lines,
    wrapped,
)

NOW = "2026-01-01T00:00:00Z"
DRAWING = FindingDrawing(FINE, PALETTES["mono"], 80)


def page(*, mine: bool = False, status: str = "reviewing", severity: str = "HIGH", **fields: object) -> FindingDetail:
    """A finding as somebody sees it: the next step is the Application's."""
    finding = Finding(
        id="TL-fe-1-1-001", root="TL-fe-1-1-001", task="fe-1", kind="TL", severity=severity,  # type: ignore[arg-type]
        title="Limit is hard-coded", session=SessionId("s1"), raised=1, flagged=1, **fields,  # type: ignore[arg-type]
    )  # fmt: skip
    return FindingDetail(
        id=finding.id, root=finding.root, task="fe-1", kind="TL", severity=severity, blocking=finding.blocking,
        state=finding.state, title=finding.title, location=Location("src/limit.py", 22), holds=finding.holds(NOW),
        must_fix=finding.must_fix, check=finding.by_check, state_in_words=finding.state, by="codex", raised=1,
        next=next_step(finding, NOW, status=status, mine=mine),
    )  # fmt: skip


def words(view: FindingDetail) -> list[str]:
    return [choice.word for choice in offer(view).choices]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"state": "claimed"}, ["VERIFIED", "NOT_FIXED", "waive"]),
        ({"state": "disputed"}, ["ACCEPTED", "OVERRULED", "waive"]),
        ({"state": "open", "waiting": True}, ["CONFIRMED", "DISMISSED", "waive"]),
        ({"state": "claimed", "left_diff": True}, ["VERIFIED", "NOT_FIXED", "OBSOLETE", "waive"]),
        ({"state": "open"}, ["waive"]),
        ({"state": "open", "by_check": "lint"}, []),
        ({"state": "open", "severity": "LOW"}, ["track"]),
        ({"state": "resolved"}, []),
    ],
)
def test_who_did_not_make_the_work_rules_or_waives_L8_L9(fields: dict[str, object], expected: list[str]) -> None:
    assert words(page(**fields)) == expected  # type: ignore[arg-type]


def test_who_made_the_work_answers_and_does_not_rule_L6_L9() -> None:
    answers = offer(page(mine=True, state="open", status="in_progress"))
    assert [choice.word for choice in answers.choices] == ["FIXED", "REJECTED", "DEFERRED", "SKIPPED"]
    assert [bool(choice.off) for choice in answers.choices] == [False, False, True, True]
    must = offer(page(mine=True, state="open", must_fix=True, status="in_progress"))
    assert "(L9)" in must.choices[1].off
    claimed = offer(page(mine=True, state="claimed"))
    assert claimed.choices == ()
    assert claimed.notes == ("you answered this: someone else rules (L9)",)


def test_a_finding_of_a_check_is_resolved_by_the_check_alone_D5() -> None:
    assert "only the passing check resolves it (D5)" in offer(page(state="open", by_check="lint")).notes[0]


def test_what_is_off_says_why() -> None:
    lines = [line.plain for line in offer_lines(offer(page(mine=True, state="open", status="in_progress")), DRAWING)]
    assert lines[3].startswith("   3 DEFERRED …")
    assert lines[3].endswith("blocking: only FIXED or REJECTED (L6)")


def test_how_many_are_left_after_the_first_choice() -> None:
    view = page(state="claimed")
    others = [view, replace(view, root="other"), replace(view, root="third", holds=False)]
    assert left_words(view, offer(view), others) == '1 open blocking finding left after a "1"'
    assert left_words(view, offer(page(state="open")), others) == ""


def test_the_story_is_one_line() -> None:
    rows = [("raised", "", 1), ("answered", "FIXED", 2), ("ruled", "NOT_FIXED", 2), ("flagged", "", 2)]
    moves = [
        MoveView(seq=n, root="r", iteration=it, kind=kind, word=word, was="", now="")
        for n, (kind, word, it) in enumerate(rows)
    ]
    view = replace(page(state="open"), moves=moves)
    assert history(view) == "it 1 raised · it 2 FIXED → NOT_FIXED · it 2 raised again"
    undone = replace(view, moves=[*moves[:2], replace(moves[2], undone=True)])
    assert history(undone) == "it 1 raised · it 2 FIXED · it 2 NOT_FIXED (taken back)"


def test_a_long_title_has_lines_of_its_own() -> None:
    short, long = page(state="open"), replace(page(state="open"), title="word " * 20)
    assert [line.plain.split()[0] for line in top_lines(short, DRAWING)] == ["FINDING", "Limit"]
    assert len(top_lines(long, DRAWING)) == 4
    assert wrapped("aaa bbb ccc", 7) == ["aaa bbb", "ccc"]
    assert wrapped("a" * 10, 4) == ["aaaa", "aaaa", "aa"]


def test_what_is_no_longer_in_the_change_is_shown_as_it_was_quoted() -> None:
    lines = code_lines(replace(page(state="open"), quote="return 1000\x1b"), None, DRAWING)
    assert [line.plain.strip() for line in lines] == ["return 1000␛", "(not in the change any more)"]
    assert code_lines(page(state="open"), None, DRAWING) == []
