"""F3, F4: what an agent is told, in which order, and what is cut first."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any, get_args

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from foureyes.core.documents.prompt import (
    BLOCKS,
    CUTS,
    LIMIT,
    PLACEHOLDERS,
    PURPOSES,
    STATUS_MARKERS,
    BriefedCheck,
    Briefing,
    PromptPurpose,
    compose,
)
from foureyes.core.documents.shapes import (
    DeveloperHandoff,
    Issue,
    IssueResponse,
    ReviewPayload,
    ReviewResult,
    RulingLine,
)
from foureyes.core.nouns.attempt import ChangedFile
from foureyes.core.nouns.decision import Feedback, section
from foureyes.core.nouns.finding import ANSWERS, GROUNDS, RULINGS, SEVERITIES, STATUS_ALIASES, Finding, ReviewStatus
from foureyes.core.nouns.finding_state import UNRESOLVED
from foureyes.core.words.untrusted_text import shown
from foureyes.core.words.vocabulary import Verdict
from foureyes.errors import BadInput, Refused
from foureyes.ui.steps import steps_text

from tests.core.samples import quick, session

AT = "2027-01-02T03:04:05.678Z"
FEEDBACK = section(
    [Feedback(iteration=1, at=AT, decision="redo", text="No tests.\nNone at all.", quick_issues=["Security issues"])]
)
LOOP = "iteration 3, 1 without progress. One more round without fixes escalates to senior"
FULL = "".join(f"[[{block}]]\nTHE {block.upper()} BLOCK of {{task}}\n" for block in BLOCKS)


def template(purpose: PromptPurpose) -> str:
    return (files("foureyes.config") / "prompts" / f"{purpose}.md").read_text(encoding="utf-8")


def finding(n: int, severity: str = "HIGH", **more: Any) -> Finding:
    named = f"TL-fe-7k2-1-{n:03}"
    given: dict[str, Any] = {
        "title": f"title {n}",
        "path": "src/a.py",
        "line": n,
        "problem": f"problem {n}",
        "fix": f"fix {n}",
    }
    given |= {
        "root": named,
        "id": named,
        "task": "fe-7k2",
        "kind": "TL",
        "severity": severity,
        "session": session("bob"),
    }
    return Finding(**(given | {"raised": 1, "flagged": 1} | more))


BRIEFING = Briefing(
    task="fe-7k2",
    title="Add login",
    description="With refresh tokens.",
    acceptance="logs in",
    labels=("security",),
    iteration=2,
    diff_id="sha256:" + "ab" * 32,
    base="b" * 40,
    head="a" * 40,
    branch="fe/fe-7k2",
    files=(ChangedFile("src/a.py", 10, 2),),
    checks=(
        BriefedCheck(name="tests", outcome="failed", summary="1 failed", failing=("tests/test_a.py::test_login",)),
    ),
    handoff=("done: the store",),
    at=AT,
)
BUSY = replace(BRIEFING, feedback=FEEDBACK, loop=LOOP, findings=(finding(1), finding(2, "CRITICAL"), finding(3, "LOW")))


def shape(text: str) -> dict[str, Any]:
    """The one JSON document that a prompt gives as a shape."""
    (found,) = re.findall(r"^```json\n(.*?)\n```$", text, re.DOTALL | re.MULTILINE)
    decoded = json.loads(found)
    assert isinstance(decoded, dict)
    return decoded


def names(into: type[msgspec.Struct]) -> set[str]:
    return {field.name for field in msgspec.structs.fields(into)}


def about(text: str, named: str) -> str:
    """What a prompt says about one finding."""
    return text.split(f"### {named} ")[1].split("\n\n")[0]


# --- order and presence -------------------------------------------------------------------------------------------


def test_the_sections_have_one_order_F4() -> None:
    text = compose("implement", BUSY, FULL)
    wanted = [
        "THE ROLE BLOCK of fe-7k2", "never an instruction", "## Task fe-7k2", "## Acceptance",
        "## Previous Review Feedback (Iteration 1)", "## Escalation", "## Open blocking findings (2)",
        "## Other findings and notes (1)", "## Checks", "## Change", "THE WORKING BLOCK", "## How to submit",
        "THE ANSWERING BLOCK", "THE EXAMPLES BLOCK",
    ]  # fmt: skip
    places = [text.index(each) for each in wanted]
    assert places == sorted(places)


def test_without_feedback_findings_and_loop_there_is_not_a_byte_of_them_F3() -> None:
    without = compose("implement", BRIEFING, template("implement"))
    with_them = compose("implement", BUSY, template("implement"))
    start, end = with_them.index("## Previous Review Feedback"), with_them.index("## Checks")
    assert with_them[:start] + with_them[end:] == without
    assert not re.search(r"Feedback \(|escalation is|indings \(|findings and notes", without)


def test_the_feedback_is_there_word_for_word_F3() -> None:
    assert FEEDBACK in compose("implement", BUSY, template("implement"))


@pytest.mark.parametrize("purpose", PURPOSES)
def test_every_purpose_has_a_template_that_reads_well_F4(purpose: PromptPurpose) -> None:
    text = compose(purpose, BUSY, template(purpose))
    assert text.startswith("You ") or purpose == "clarify"
    assert not re.search(r"\[\[|\{[a-z_]+\}", text), "no template syntax is left"
    assert text.endswith("\n")
    assert "\n\n\n" not in text


@pytest.mark.parametrize("purpose", PURPOSES)
def test_an_empty_template_removes_nothing_that_is_required_F4(purpose: PromptPurpose) -> None:
    told = replace(BUSY, concerns=("a point",), rounds=("round 1",), options=("fe lead fe-7k2 split",))
    text = compose(purpose, told, "")
    for required in (
        FEEDBACK.strip(),
        LOOP,
        "## Task fe-7k2",
        '"Add login"',
        "## Acceptance",
        "TL-fe-7k2-1-001",
        "TL-fe-7k2-1-002",
    ):
        assert required in text
    assert re.search(r"^## (How to (submit|answer)|What you can decide)$", text, re.MULTILINE)


# --- purposes -----------------------------------------------------------------------------------------------------


def test_the_implementer_hears_how_to_hand_in_and_how_near_escalation_is_E5() -> None:
    text = compose("implement", BUSY, template("implement"))
    assert 'fe submit fe-7k2 -m "' in text
    assert LOOP in text
    assert "Answer: FIXED or REJECTED" in about(text, "TL-fe-7k2-1-001")


def test_a_reviewer_hears_how_to_read_the_change_and_how_to_send_the_review_V2_V3() -> None:
    first = compose("review", replace(BUSY, attempt=1), template("review"))
    assert "to read it: fe show fe-7k2 --diff\n" in first
    assert "--since" not in first
    later = compose("rereview", replace(BUSY, attempt=3), template("rereview"))
    assert "fe show fe-7k2 --diff --since 2\n" in later
    assert all("then: fe review submit fe-7k2 FILE\n" in text for text in (first, later))
    assert "fe review submit" not in compose("implement", replace(BUSY, attempt=3), template("implement"))


def test_each_finding_is_answered_with_the_words_it_can_have_L6_L9() -> None:
    told = replace(BUSY, findings=(*BUSY.findings, finding(4, must_fix=True)))
    text = compose("respond", told, template("respond"))
    flags = {n: re.findall(r"answer \S+ --(\w+)", about(text, f"TL-fe-7k2-1-{n:03}")) for n in (1, 3, 4)}
    assert flags == {1: ["fixed", "rejected"], 3: ["fixed", "rejected", "deferred", "skipped"], 4: ["fixed"]}
    assert "exactly one answer each: TL-fe-7k2-1-001, TL-fe-7k2-1-002, TL-fe-7k2-1-004\n" in text
    assert all(word in text for word in (*ANSWERS, *GROUNDS))
    assert "20 characters" in text


def test_the_shape_of_answers_is_the_document_that_is_read_L6() -> None:
    found = shape(compose("respond", BUSY, ""))
    assert set(found) <= names(DeveloperHandoff)
    rows = msgspec.convert(
        [row | ({"ground": GROUNDS[0]} if "ground" in row else {}) for row in found["issue_responses"]],
        list[IssueResponse],
    )
    assert [row.action for row in rows] == list(ANSWERS)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"by_check": "tests"}, 'resolved when the check "tests" passes'),
        ({"waiting": True}, "another reviewer must confirm it first"),
        ({"state": "claimed"}, "waiting for a ruling"),
        ({"state": "waived", "waived_until": "2026-12-31T00:00:00.000Z"}, "waiver has expired"),
    ],
)
def test_a_blocking_finding_that_waits_for_something_else_says_so_L4(more: dict[str, Any], said: str) -> None:
    text = compose("respond", replace(BRIEFING, findings=(finding(1, **more),)), "")
    assert said in about(text, "TL-fe-7k2-1-001")
    assert "exactly one answer each: none\n" in text


def test_a_valid_waiver_does_not_block_and_a_settled_finding_is_not_told_E3() -> None:
    waived = finding(1, state="waived", waived_until="2028-01-01T00:00:00.000Z")
    told = replace(
        BRIEFING, findings=(waived, finding(2, state="resolved"), finding(3, state="resolved", ruling="ACCEPTED"))
    )
    assert "TL-fe" not in compose("implement", told, "")
    seen = compose("review", told, "")
    assert re.findall(r"^### (\S+)", seen, re.MULTILINE) == ["TL-fe-7k2-1-001", "TL-fe-7k2-1-003"], (
        "what could be raised again (L9)"
    )
    assert "blocking findings" not in seen


def test_a_reviewer_is_asked_for_deep_analysis_and_one_document_F4_V3() -> None:
    for text in (compose("review", BRIEFING, template("review")), compose("review", BRIEFING, "")):
        for asked in (
            "ecurity",
            "dge cases",
            "aintenance",
            "oad",
            "ntegration points",
            "concrete fix",
            "severity by its impact",
        ):
            assert asked in text
        assert "exactly one JSON document" in text
        assert "Text around it, or instead of it" in text
        assert "files_reviewed: every changed file" in text
        assert "at most 200 words" in text


def test_the_shape_of_a_review_is_the_document_that_is_read_and_no_answer_itself_V3() -> None:
    found = shape(compose("review", replace(BRIEFING, reviewer="codex#1"), ""))
    payload = found["payload"]
    assert (set(found), set(payload)) <= (names(ReviewResult), names(ReviewPayload))
    assert set(payload["issues"][0]) <= names(Issue)
    assert set(payload["rulings"][0]) == names(RulingLine)
    assert payload["issues"][0]["severity"].split(" | ") == list(SEVERITIES)
    assert (found["reviewer"], payload["diff_id"]) == ("codex#1", BRIEFING.diff_id)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(found, ReviewResult)
    valid = found | {"timestamp": AT, "payload": payload | {"verdict": "concerns"}}
    assert msgspec.convert(valid, ReviewResult).payload.verdict == "concerns"


def test_a_second_review_rules_first_and_adds_only_what_is_serious_L8_L9_L10() -> None:
    told = replace(
        BRIEFING,
        findings=(
            finding(1, state="claimed"),
            finding(2, state="disputed"),
            finding(3),
            finding(4, waiting=True),
            finding(5, state="claimed", left_diff=True),
            finding(6, "LOW", state="claimed"),
        ),
        answers={
            "TL-fe-7k2-1-001": ("FIXED", "rotated now", ""),
            "TL-fe-7k2-1-002": ("REJECTED", "cannot happen: x", "false_positive"),
        },
    )
    text = compose("rereview", told, template("rereview"))
    rulings = {n: re.findall(r"Your ruling: (.*)", about(text, f"TL-fe-7k2-1-{n:03}")) for n in range(1, 7)}
    assert rulings == {
        1: ["VERIFIED or NOT_FIXED"], 2: ["ACCEPTED or OVERRULED"], 3: [], 4: ["CONFIRMED or DISMISSED"],
        5: ["VERIFIED or NOT_FIXED or OBSOLETE"], 6: ["VERIFIED or NOT_FIXED"],
    }  # fmt: skip
    assert "exactly one for each of: " + ", ".join(f"TL-fe-7k2-1-{n:03}" for n in (1, 2, 4, 5, 6)) in text
    assert "Answer so far: REJECTED (false_positive)\n~~~\n> cannot happen: x\n~~~" in text
    assert "New MEDIUM and LOW ones become notes" in text


def test_a_clarification_names_the_points_by_number_V8() -> None:
    text = compose(
        "clarify", replace(BRIEFING, concerns=("the cache is stale", "the cache is fine")), template("clarify")
    )
    assert "Point 1:\n~~~\n> the cache is stale\n~~~\n\nPoint 2:\n~~~\n> the cache is fine\n~~~" in text
    assert shape(text)["answers"][0]["point"] == 1


def test_the_lead_sees_the_rounds_and_commands_and_cannot_force_anything_E3() -> None:
    options = tuple(f"fe lead fe-7k2 {word}" for word in ("split", "senior", "fresh", "ask", "continue"))
    text = compose("lead", replace(BUSY, rounds=("1  6 found", "2  4 fixed"), options=options), template("lead"))
    assert "~~~\n> 1  6 found\n> 2  4 fixed\n~~~" in text
    assert all(f"- {option}\n" in text for option in options)
    assert "No one can force an approval" in text
    assert "respond" not in text


# --- every word has a marker --------------------------------------------------------------------------------------


def test_every_status_alias_and_verdict_has_a_marker_in_the_prompt() -> None:
    assert set(STATUS_MARKERS) == {*get_args(ReviewStatus), *STATUS_ALIASES, *get_args(Verdict)}
    for purpose in ("review", "rereview"):
        text = compose(purpose, BRIEFING, "")
        assert all(f"\n- {word}: {meaning}\n" in text for word, meaning in STATUS_MARKERS.items())
        assert all(word in text for word in RULINGS)


@pytest.mark.parametrize("state", sorted(UNRESOLVED))
def test_every_state_that_is_unresolved_tells_both_sides_what_to_do(state: Any) -> None:
    told = replace(BRIEFING, findings=(finding(1, state=state),))
    assert re.search(r"Answer with|waiting for a ruling", about(compose("respond", told, ""), "TL-fe-7k2-1-001"))
    assert ("Your ruling" in compose("rereview", told, "")) == (state != "open")


# --- templates ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["rol", "feedback", "", "Role", "task"])
def test_an_unknown_section_of_a_template_is_refused_with_the_known_ones_F4(name: str) -> None:
    with pytest.raises(BadInput) as refused:
        compose("review", BRIEFING, f"[[role]]\nhello\n[[{name}]]\nbye")
    assert f"[[{name}]]" in refused.value.message
    assert all(f"[[{block}]]" in refused.value.message for block in BLOCKS)


def test_an_unknown_placeholder_of_a_template_is_refused_with_the_known_ones_F4() -> None:
    with pytest.raises(BadInput) as refused:
        compose("review", BRIEFING, "[[examples]]\nthe {title} of it")
    assert "{title}" in refused.value.message
    assert all(f"{{{name}}}" in refused.value.message for name in PLACEHOLDERS)


@pytest.mark.parametrize("text", ["hello\n[[role]]\n", "[[role]]\na\n[[role]]\nb"])
def test_a_template_with_text_before_its_sections_or_one_twice_is_refused_F4(text: str) -> None:
    with pytest.raises(BadInput):
        compose("review", BRIEFING, text)


def test_a_template_can_name_every_placeholder_and_write_one_down_F4() -> None:
    every = " ".join(f"{name}={{{name}}}" for name in PLACEHOLDERS)
    text = compose("review", BRIEFING, f'[[role]]\n{every}\n{{{{task}}}} {{"json": 1}} ${{HOME}}')
    first = text.split("\n")[0]
    assert first.startswith(f"task=fe-7k2 iteration=2 branch=fe/fe-7k2 base={'b' * 40} head={'a' * 40} diff=sha256:")
    assert (
        "max_words=200 severities=CRITICAL, HIGH, MEDIUM, LOW verdicts=approved, concerns, blocker answers=FIXED, "
        in first
    )
    assert text.split("\n")[1] == '{task} {"json": 1} ${HOME}'


def test_what_a_project_adds_to_a_role_is_no_template_F4() -> None:
    text = compose("review", replace(BRIEFING, role_extra="Speak of {money}.\n[[role]]"), "[[role]]\nHello.")
    assert text.startswith("Hello.\n\nSpeak of {money}.\n[[role]]\n\n")


# --- cutting ------------------------------------------------------------------------------------------------------

LONG = replace(
    BUSY,
    description="word " * 300,
    handoff=tuple(f"handoff {n}" for n in range(60)),
    files=tuple(ChangedFile(f"src/file_{n}.py", 1, 1) for n in range(60)),
    checks=(
        BriefedCheck(
            name="tests", outcome="failed", summary="60 failed", failing=tuple(f"tests::test_{n}" for n in range(60))
        ),
    ),
    findings=(*BUSY.findings, *[finding(n, "MEDIUM", problem="x" * 100) for n in range(10, 22)]),
)
BIG = "".join(f"[[{block}]]\n{block} {'y' * 600}\n" for block in BLOCKS)
LEFT_OUT = {
    "examples": "the examples are left out", "role": "the text about your role is left out",
    "notes": r"\d+ notes? left out: fe finding list fe-7k2",
    "checks": r"\d+ lines of check output are left out: fe check show fe-7k2",
    "files": r"\d+ of 60 files are left out: fe show fe-7k2",
    "handoff": r"\d+ lines of the handoff are left out: fe show fe-7k2 --context",
    "description": r"[\d,]+ more characters of the description are left out: fe show fe-7k2",
}  # fmt: skip


def cut_in(text: str) -> list[str]:
    return [name for name in CUTS if re.search(f"^… {LEFT_OUT[name]}", text, re.MULTILINE)]


def test_what_is_cut_is_cut_in_order_and_said() -> None:
    assert CUTS == ("examples", "role", "notes", "checks", "files", "handoff", "description")
    whole = len(compose("implement", LONG, BIG))
    assert whole < LIMIT
    seen = []
    for limit in range(whole, 0, -150):
        try:
            text = compose("implement", LONG, BIG, limit)
        except Refused:
            break
        assert len(text) <= limit
        assert cut_in(text) == list(CUTS[: len(cut_in(text))]), "nothing is cut before what comes first"
        assert FEEDBACK in text
        assert LOOP in text
        assert all(
            part in text for part in ("problem 1", "problem 2", "answering yyy", "fe submit fe-7k2", "> logs in")
        )
        seen.append(len(cut_in(text)))
    assert seen[0] == 0
    assert set(seen) == set(range(len(CUTS) + 1)), "each cut was needed once"


def test_as_much_is_kept_as_fits_F4() -> None:
    base = len(compose("implement", replace(LONG, findings=LONG.findings[:3]), ""))
    text = compose("implement", LONG, "", base + 1_500)
    kept = len(re.findall(r"^### \S+ \(MEDIUM", text, re.MULTILINE))
    assert 0 < kept < 12
    assert f"\n… {12 - kept} notes left out: fe finding list fe-7k2\n" in text
    assert base + 1_500 - len(text) < 250, "another note would not have fitted"


def test_a_ruling_is_not_asked_for_about_a_finding_that_was_left_out_F4() -> None:
    told = replace(BRIEFING, findings=tuple(finding(n, "LOW", state="claimed", problem="x" * 400) for n in range(1, 9)))
    text = compose("rereview", told, "", len(compose("rereview", told, "")) - 1_500)
    due = re.findall(r"exactly one for each of: (.*)\.", text)[0].split(", ")
    assert due == re.findall(r"^### (\S+)", text, re.MULTILINE)
    assert 0 < len(due) < 8


def test_what_may_not_be_cut_and_does_not_fit_is_an_error_with_both_numbers_F4() -> None:
    told = replace(BRIEFING, findings=(finding(1, problem="x" * 70_000),))
    with pytest.raises(Refused) as refused:
        compose("implement", told, template("implement"))
    (reason,) = refused.value.reasons
    assert reason.rule == "F4"
    assert re.search(r"7\d,\d{3} characters, more than the limit of 60,000", reason.message)
    assert steps_text(refused.value.next_step) == "fe finding list fe-7k2"


# --- the property -------------------------------------------------------------------------------------------------

nasty = st.sampled_from(
    [
        "~~~",
        "```",
        "[[role]]",
        "{task}",
        "\n",
        "\r\n",
        "\x1b[31m",
        "\u202e",
        "\u2028",
        '"',
        "\\",
        "> ",
        "## Task",
        "\ud800",
    ]
)
words = st.lists(st.one_of(st.text(max_size=12), nasty), max_size=8).map("".join)
found = st.builds(
    finding,
    st.integers(1, 999),
    st.sampled_from(SEVERITIES),
    title=words,
    problem=st.one_of(words, words.map(lambda text: text * 60)),
    fix=words,
    quote=words,
    path=words,
    must_fix=st.booleans(),
    waiting=st.booleans(),
    note=st.booleans(),
    state=st.sampled_from(["open", "claimed", "disputed", "resolved", "deferred", "skipped", "obsolete"]),
)
redo = st.builds(
    Feedback,
    iteration=st.integers(1, 9),
    at=st.just(AT),
    decision=st.just("redo"),
    text=st.one_of(st.text(min_size=1), words.map(lambda text: text * 40)),
)
told_any = st.builds(
    Briefing,
    task=st.just("fe-7k2"),
    title=words,
    description=words.map(lambda text: text * 30),
    acceptance=words,
    labels=st.lists(words, max_size=2).map(tuple),
    branch=words,
    handoff=st.lists(words, max_size=9).map(tuple),
    files=st.lists(st.builds(ChangedFile, words, st.integers(0, 9), st.integers(0, 9)), max_size=9).map(tuple),
    checks=st.lists(st.builds(BriefedCheck, name=words, outcome=st.just("failed"), summary=words), max_size=4).map(
        tuple
    ),
    feedback=st.lists(redo, max_size=3).map(section),
    findings=st.lists(found, max_size=8, unique_by=lambda one: one.id).map(tuple),
    loop=st.sampled_from(["", LOOP]),
    concerns=st.lists(words, max_size=3).map(tuple),
)


@quick
@given(st.sampled_from(PURPOSES), told_any, st.integers(1_000, 12_000))
def test_open_blocking_findings_and_feedback_are_there_or_it_is_an_error_F4(
    purpose: PromptPurpose, told: Briefing, limit: int
) -> None:
    try:
        text = compose(purpose, told, template(purpose), limit)
    except Refused:
        return
    assert len(text) <= limit
    assert text.encode(), "it can be sent"
    assert shown(told.feedback).strip("\n") in text
    assert told.loop in text
    for one in told.findings:
        if one.blocking and one.state in UNRESOLVED:
            said = text.split(f"### {one.id} ({one.severity}, {one.state}")[1].split("\n", 2)
            assert json.loads(said[1].removeprefix("Title: ")) == one.title
            assert "".join(f"> {line}\n" for line in shown(one.problem).splitlines() if one.problem.strip()) in said[2]
    for text_kept in (told.acceptance, *(told.concerns if purpose == "clarify" else ())):
        assert "".join(f"> {line}\n" for line in shown(text_kept).splitlines() if text_kept.strip()) in text
    assert json.loads(text.split("\nTitle: ")[1].split("\n")[0]) == told.title


def test_a_run_that_reviews_has_its_files_at_hand_and_answers_by_its_last_message_V2_V3() -> None:
    briefing = Briefing(
        task="fe-1",
        title="t",
        attempt=2,
        diff_id="sha256:ab",
        review_folder=".foureyes-review",
        request='{"type": "x"}',
    )
    text = compose("review", briefing, FULL)
    assert ".foureyes-review/change.diff" in text
    assert '{"type": "x"}' in text
    assert "Your last message is this document" in text
    assert '"diff_id": "sha256:ab"' in text
    assert "fe review submit" not in text
    assert "fe show" not in text
    by_hand = compose("review", replace(briefing, review_folder="", request=""), FULL)
    assert "fe review submit fe-1 FILE" in by_hand
    assert "fe show fe-1 --diff" in by_hand
