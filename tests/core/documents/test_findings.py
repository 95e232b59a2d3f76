"""What documents say, in the words of the journal (L1–L9, V5, V6)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.documents.findings import (
    DocumentRuling,
    answers_of,
    effective,
    files_of,
    findings_of,
    issues_of,
    lead_findings,
    path_of,
    resolved_of,
    rulings_of,
    status_problem,
)
from foureyes.core.documents.shapes import DeveloperHandoff, Issue, RulingLine, TechLeadHandoff
from foureyes.core.nouns.finding import ALIASES, BLOCKING, GROUNDS, SEVERITIES, Answer, ReportedFinding, Severity
from foureyes.core.words.vocabulary import Verdict
from foureyes.errors import Reason

from tests.core.samples import quick

severities = st.sampled_from(SEVERITIES)


def issue(severity: str = "HIGH", title: str = "t", **more: Any) -> Issue:
    return Issue(severity=severity, title=title, **more)


def one(**more: Any) -> ReportedFinding:
    (found,), notes, problems = findings_of([issue(**more)])
    assert (notes, problems) == ([], [])
    return found


def said(problems: list[Reason]) -> list[tuple[str, str]]:
    return [(reason.rule, reason.message) for reason in problems]


def wrong(**more: Any) -> list[tuple[str, str]]:
    """What is wrong with an issue that becomes neither finding nor note."""
    found, notes, problems = findings_of([issue(**more)], "payload.issues")
    assert (found, notes) == ([], [])
    return said(problems)


def lead(*issues: Issue, **more: Any) -> TechLeadHandoff:
    return msgspec.convert(msgspec.to_builtins({"issues": issues, **more}), TechLeadHandoff)


def developer(*responses: dict[str, Any], **more: Any) -> DeveloperHandoff:
    return msgspec.convert({"issue_responses": list(responses), **more}, DeveloperHandoff)


# ------------------------------------------------------------------------------------------------------- findings


@pytest.mark.parametrize(("word", "severity"), [*ALIASES.items(), *zip(SEVERITIES, SEVERITIES, strict=True)])
def test_a_severity_is_read_in_any_case_and_by_its_other_names_L1(word: str, severity: Severity) -> None:
    assert one(severity=f" {word.lower()} ").severity == severity


def test_an_fyi_is_a_note_without_a_finding_L1() -> None:
    sent = [
        issue("fyi", " Nice ", file="a.py", line=3, description="well done\n"),
        issue("FYI", "Plain"),
        issue("FYI", "File", location="a.py"),
        issue("low"),
    ]
    found, notes, problems = findings_of(sent)
    assert (len(found), notes, problems) == (1, ["Nice (a.py:3): well done", "Plain", "File (a.py)"], [])


@given(st.sampled_from([*SEVERITIES, *ALIASES, "FYI"]), st.none() | st.booleans())
@quick
def test_blocking_may_be_left_out_and_must_not_contradict_L1(word: str, blocking: bool | None) -> None:
    found, notes, problems = findings_of([issue(word, blocking=blocking)])
    right = ALIASES.get(word, word) in BLOCKING
    assert bool(problems) == (blocking is not None and blocking != right)
    assert len(found) + len(notes) == (0 if problems else 1)


def test_a_contradicting_blocking_is_named_with_its_path_L1() -> None:
    assert wrong(severity="important", blocking=False) == [
        ("L1", "payload.issues[0].blocking: false, but HIGH blocks. Leave it out, or fix the severity")
    ]
    assert wrong(severity="FYI", blocking=True)[0][1].startswith(
        "payload.issues[0].blocking: true, but FYI does not block"
    )


@pytest.mark.parametrize(
    ("sent", "path", "line"),
    [
        ({"location": "src/a.py:56"}, "src/a.py", 56),
        ({"location": "src/a.py:56-60"}, "src/a.py", 56),
        ({"location": "src/a.py:56:7"}, "src/a.py", 56),
        ({"location": " src/a.py "}, "src/a.py", 0),
        ({"location": "./src//a.py"}, "src/a.py", 0),
        ({"location": "src/a:b.py:2"}, "src/a:b.py", 2),
        ({"location": "src/..a.py"}, "src/..a.py", 0),
        ({"file": "src/a.py", "line": 5}, "src/a.py", 5),
        ({"file": "src/a.py:5"}, "src/a.py", 5),
        ({"file": "src/a.py", "location": "./src/a.py:5"}, "src/a.py", 5),
        ({"file": "src/a.py", "line": 7, "location": "src/a.py:5-9"}, "src/a.py", 7),
        ({"line": 5, "location": "src/a.py"}, "src/a.py", 5),
        ({"file": "src/a.py", "line": 5, "location": "src/a.py:5"}, "src/a.py", 5),
        ({"file": "src/a.py", "line": 9, "location": "src/a.py:5-9"}, "src/a.py", 9),
        ({"file": " ", "location": " "}, "", 0),
        ({}, "", 0),
    ],
)
def test_a_place_is_told_by_file_and_line_or_by_location_L3(sent: dict[str, Any], path: str, line: int) -> None:
    found = one(**sent)
    assert (found.path, found.line) == (path, line)


@pytest.mark.parametrize(
    ("sent", "problem"),
    [
        (
            {"location": "/etc/passwd:1"},
            '.location: "/etc/passwd:1" is not a path relative to the root of the repository',
        ),
        ({"file": "C:/a.py"}, '.file: "C:/a.py" is not a path relative to the root of the repository'),
        ({"file": "~/a.py"}, '.file: "~/a.py" is not a path relative to the root of the repository'),
        ({"file": "src\\a.py"}, '.file: "src\\a.py" contains a backslash. Separate folders with /'),
        (
            {"location": "a/../../b:1"},
            '.location: "a/../../b:1" contains "..". Write the path relative to the root of the repository',
        ),
        ({"location": ":56"}, '.location: ":56" names no file'),
        ({"file": "./"}, '.file: "./" names no file'),
        ({"line": 5}, ".line: 5, but no file is given. Name the file too"),
        (
            {"file": "a", "location": "b"},
            ": file, line and location contradict each other (file a, location b). Give only one of them",
        ),
        (
            {"file": "a", "line": 3, "location": "a:4-5"},
            ": file, line and location contradict each other (file a, line 3, location a:4-5). Give only one of them",
        ),
        (
            {"file": "a:3", "line": 4},
            ": file, line and location contradict each other (file a:3, line 4). Give only one of them",
        ),
        ({"title": " \u200b"}, ".title: missing. A finding needs a title, or a description to take it from"),
        (
            {"problem": "x", "description": "y"},
            ".description: differs from payload.issues[0].problem. Give only one of them",
        ),
    ],
)
def test_a_place_or_text_that_cannot_be_is_named_L3(sent: dict[str, Any], problem: str) -> None:
    assert wrong(**sent) == [("L3", f"payload.issues[0]{problem}")]


def test_everything_wrong_with_an_issue_is_told_at_once_G2() -> None:
    found = wrong(severity="LOW", title="", blocking=True, file="/a", location="..")
    assert [message.partition(":")[0] for _, message in found] == [
        f"payload.issues[0].{name}" for name in ("file", "location", "blocking", "title")
    ]


def test_a_right_issue_beside_a_wrong_one_is_still_read_G2() -> None:
    found, notes, problems = findings_of([issue(title=""), issue("LOW", "kept"), issue("FYI", "note")])
    assert ([each.title for each in found], notes) == (["kept"], ["note"])
    assert [reason.message.partition(".")[0] for reason in problems] == ["issues[0]"]


def test_all_fields_of_an_issue_reach_the_finding_L3() -> None:
    found = one(
        title=" SQL ",
        location="a.py:1",
        description="one\r\ntwo\n",
        fix="f",
        why="w",
        quote="x = 1\r\n",
        fix_patch="--- a\r\n",
        rule=" S608 ",
        id=" TL-AUTH-1-001 ",
    )
    assert found == ReportedFinding(
        severity="HIGH", title="SQL", path="a.py", line=1, problem="one\ntwo", fix="f", why="w", quote="x = 1", rule="S608",
        fix_patch="--- a\r\n", id="TL-AUTH-1-001",
    )  # fmt: skip


def test_the_same_problem_in_both_fields_is_no_contradiction_L3() -> None:
    assert one(problem="a  b", description="a\nb").problem == "a  b"


def test_two_issues_cannot_be_the_same_earlier_finding_L2() -> None:
    found, _, problems = findings_of([issue(id="TL-A-1-001"), issue(id=" TL-A-1-001 "), issue(), issue()])
    assert (len(found), said(problems)) == (3, [("L2", 'issues[1].id: "TL-A-1-001" is used twice, first at issues[0]')])


@given(st.text(st.sampled_from("ab./\\:~1-"), max_size=12))
@quick
def test_a_path_stays_inside_the_repository_or_is_refused_L3(text: str) -> None:
    path, problem = path_of(text)
    assert bool(path) != bool(problem)
    assert not path.startswith("/")
    assert not {"..", ".", ""} & set(path.split("/") if path else ())
    assert path_of(path) == (path, "") or not path, "normal is normal"


def test_reviewed_files_are_read_once_each_as_git_writes_them_V6() -> None:
    files, problems = files_of(["./a.py", "b.py", "a.py", "/c.py", "d\\e"], "payload.files_reviewed")
    assert files == ["a.py", "b.py"]
    assert [(rule, message.partition(":")[0]) for rule, message in said(problems)] == [
        ("V6", "payload.files_reviewed[3]"),
        ("V6", "payload.files_reviewed[4]"),
    ]


# ------------------------------------------------------------------------------------------- the tech lead's handoff


def test_new_issues_are_named_by_id_or_told_in_full_L2() -> None:
    handoff = lead(
        issue("HIGH", id="TL-001"),
        new_blocking_issues=["TL-001", {"id": "TL-002", "severity": "CRITICAL", "title": "worse"}],
        new_issues_this_iteration=["TL-002", {"id": "TL-003", "severity": "NIT", "title": "small"}],
    )
    issues, problems = issues_of(handoff)
    assert [(at, each.id) for at, each in issues] == [
        ("issues[0]", "TL-001"), ("new_blocking_issues[1]", "TL-002"), ("new_issues_this_iteration[1]", "TL-003"),
    ]  # fmt: skip
    assert problems == []
    assert [each.severity for each in lead_findings(handoff)[0]] == ["HIGH", "CRITICAL", "LOW"]


def test_a_new_blocking_issue_must_be_there_and_block_L1_L2() -> None:
    handoff = lead(
        issue("MEDIUM", id="TL-001"),
        new_blocking_issues=["TL-001", "TL-009", {"id": "TL-010", "title": "not a severity"}, ""],
    )
    assert said(lead_findings(handoff)[2]) == [
        ("L1", 'new_blocking_issues[0]: "TL-001" is MEDIUM, which does not block'),
        ("L2", 'new_blocking_issues[1]: "TL-009" is not an issue of this document'),
        ("L2", 'new_blocking_issues[2]: "TL-010" is not an issue of this document'),
        ("L2", 'new_blocking_issues[3]: "" is not an issue of this document'),
    ]


def test_a_wrong_new_issue_is_named_where_it_stands_L3() -> None:
    handoff = lead(new_blocking_issues=[{"id": "TL-002", "severity": "CRITICAL"}])
    assert said(lead_findings(handoff)[2]) == [
        ("L3", "new_blocking_issues[0].title: missing. A finding needs a title, or a description to take it from")
    ]


def test_resolved_issues_are_named_once_and_not_raised_again_L4() -> None:
    handoff = lead(issue(id="TL-2"), prior_issues_resolved=["TL-1", {"id": "TL-2", "why": "a lock"}, " TL-1 ", ""])
    ids, problems = resolved_of(handoff)
    assert ids == [("TL-1", ""), ("TL-2", "a lock"), ("TL-1", ""), ("", "")]
    assert said(problems) == [
        ("L4", 'prior_issues_resolved[2]: "TL-1" is listed twice'),
        ("L4", 'prior_issues_resolved[1]: "TL-2" is also among the issues'),
        ("L2", "prior_issues_resolved[3]: empty. Name the issue"),
    ]


# -------------------------------------------------------------------------------------------- answers and rulings


def test_answers_are_read_in_any_case_with_details_or_reason_L6() -> None:
    answers, problems = answers_of(
        developer(
            {"issue_id": " TL-A-1-001 ", "action": "fixed", "details": " done\r\nso ", "commit": "ABC1234"},
            {"issue_id": "TL-A-1-002", "action": "Rejected", "reason": "why", "ground": "False positive"},
            {"issue_id": "TL-A-1-003", "action": "DEFERRED", "details": "d", "reason": "r", "tech_debt_id": "fe-1"},
            {"issue_id": "TL-A-1-004", "action": "skipped", "details": "same", "reason": "same "},
        )
    )
    assert problems == []
    assert answers == [
        Answer(finding="TL-A-1-001", action="FIXED", text="done\nso", commit="ABC1234"),
        Answer(finding="TL-A-1-002", action="REJECTED", text="why", ground="false_positive"),
        Answer(finding="TL-A-1-003", action="DEFERRED", text="d\nr", debt="fe-1"),
        Answer(finding="TL-A-1-004", action="SKIPPED", text="same"),
    ]


def test_wrong_answers_are_all_named_L6_L7() -> None:
    answers, problems = answers_of(
        developer(
            {"issue_id": "a", "action": "FIXED"},
            {"issue_id": "a ", "action": "later"},
            {"issue_id": "", "action": "FIXED", "commit": "--all"},
            {"issue_id": "b", "action": "REJECTED", "ground": "too hard"},
        )
    )
    assert [answer.finding for answer in answers] == ["a", "", "b"]
    assert said(problems) == [
        ("L6", 'issue_responses[1].issue_id: "a" is listed twice'),
        ("L6", 'issue_responses[1].action: "later" is not one of FIXED, REJECTED, DEFERRED, SKIPPED'),
        ("L6", "issue_responses[2].issue_id: empty. Name the finding"),
        ("L6", 'issue_responses[2].commit: "--all" is not a commit id'),
        ("L7", 'issue_responses[3].ground: "too hard" is not one of ' + ", ".join(GROUNDS)),
    ]


def test_rulings_are_read_in_any_case_one_per_finding_L8() -> None:
    sent = [("a", "verified"), (" b ", "not fixed"), ("a", "OVERRULED"), (" ", "ACCEPTED"), ("c", "fine")]
    rulings, problems = rulings_of([RulingLine(finding=finding, ruling=word, reason=" r\n") for finding, word in sent])
    assert rulings[:2] == [DocumentRuling("a", "VERIFIED", "r"), DocumentRuling("b", "NOT_FIXED", "r")]
    assert [message.partition(" is ")[0] for _, message in said(problems)] == [
        'payload.rulings[2].finding: "a"', "payload.rulings[3].finding: empty. Name the finding",
        'payload.rulings[4].ruling: "fine"',
    ]  # fmt: skip


# --------------------------------------------------------------------------------------------- verdict and status


@given(st.sampled_from(["approved", "concerns", "blocker"]), st.lists(severities, max_size=4))
@quick
def test_only_an_approval_that_carries_a_blocking_finding_becomes_a_concern_V5(
    verdict: Verdict, found: list[Severity]
) -> None:
    lowered = verdict == "approved" and bool(BLOCKING & set(found))
    assert effective(verdict, found) == ("concerns" if lowered else verdict)


@pytest.mark.parametrize(
    ("stated", "found", "notes", "fits"),
    [
        ("", ["CRITICAL"], 0, True),
        ("APPROVED", [], 0, True),
        ("approved", [], 1, False),
        ("APPROVED", ["LOW"], 0, False),
        ("approved with notes", ["LOW", "MEDIUM"], 0, True),
        ("APPROVED_WITH_NOTES", [], 2, True),
        ("APPROVED_WITH_NOTES", [], 0, False),
        ("APPROVED_WITH_NOTES", ["HIGH"], 0, False),
        ("CHANGES_REQUESTED", ["HIGH", "LOW"], 1, True),
        ("changes_required", ["CRITICAL"], 0, True),
        ("CHANGES_REQUIRED", ["MEDIUM"], 0, False),
        ("fine", [], 0, False),
    ],
)
def test_a_stated_status_must_follow_from_the_findings_L5(
    stated: str, found: list[Severity], notes: int, fits: bool
) -> None:
    assert (status_problem(stated, found, notes) is None) == fits


def test_a_status_that_disagrees_is_told_with_the_difference_L5() -> None:
    problem = status_problem("APPROVED", ["HIGH", "LOW", "HIGH"], 1)
    assert problem == Reason(
        "L5", 'status: "APPROVED", but by its findings (2 HIGH, 1 LOW, 1 FYI) it must be CHANGES_REQUESTED'
    )
    none = status_problem("CHANGES_REQUESTED", [])
    assert none is not None
    assert none.message.endswith("by its findings (none) it must be APPROVED")


@pytest.mark.parametrize(
    ("description", "title"),
    [
        ("Password hashing is using MD5, must use Argon2.", "Password hashing is using MD5, must use Argon2"),
        ("It uses v1.2 of MD5. Must use Argon2.", "It uses v1.2 of MD5"),
        ("Is the salt missing? See a.py", "Is the salt missing?"),
        ("no salt\nsecond line", "no salt"),
        ("x" * 201, "x" * 199 + "…"),
    ],
)
def test_title_is_the_first_sentence_of_the_description_L3(description: str, title: str) -> None:
    (found,), _, problems = findings_of([issue(title="", description=description)])
    assert (found.title, found.problem, problems) == (title, description, [])
    (own,), _, _ = findings_of([issue(title="own", description=description)])
    assert own.title == "own"
