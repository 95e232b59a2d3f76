"""Documents of reviews: the request (V2), the result (V3), and handoffs of tech lead, developer and QA.

The annotations are the contract. The reader (`reader`, `typed`), the JSON Schemas and the reference page are made from
them.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from foureyes.core.nouns.finding import ALIASES, ANSWERS, GROUNDS, NOTE, RULINGS, SEVERITIES, STATUS_ALIASES, Severity
from foureyes.core.words.vocabulary import Verdict

VERSION = 1
MOST_IN_LINE, MOST_IN_TEXT, MOST_ITEMS, MOST_COUNTED = 500, 20_000, 2_000, 1_000_000_000
STATUSES = ("CHANGES_REQUESTED", "APPROVED_WITH_NOTES", "APPROVED")
OUTCOMES = ("PASS", "FAIL")

ONE_LINE = "one_line"
CHECK = "check"
"""Keys of `Meta.extra` used by `typed`: text without line ends, and a function that returns the problem with a text."""


def word_of(text: str) -> str:
    """Return a word of a fixed set in our spelling. People and other tools may write it in any case, with blanks or
    dashes for underscores.
    """
    return text.strip().upper().replace(" ", "_").replace("-", "_")


def words(allowed: tuple[str, ...], also: Iterable[str] = (), *, blank: bool = False) -> Meta:
    """Return an annotation for text that must be one of the `allowed` words.

    The JSON Schema lists these. The reader accepts any case, the words in `also`, and with `blank` an empty text.
    """
    known = {word_of(word) for word in (*allowed, *also, *([""] if blank else []))}

    def check(text: str) -> str:
        return "" if word_of(text) in known else f"is not one of {', '.join(allowed)}"

    return Meta(extra={CHECK: check}, extra_json_schema={"enum": ["", *allowed] if blank else list(allowed)})


def _moment(text: str) -> str:
    try:
        datetime.fromisoformat(text or "2000-01-01")
    except ValueError:
        return "is not a time in ISO 8601 (2027-01-02T03:04:05Z)"
    return ""


def says(meaning: str) -> Meta:
    """Return an annotation with the meaning of a field, for people and for the schema."""
    return Meta(description=meaning)


OneLine = Annotated[str, Meta(max_length=MOST_IN_LINE, extra={ONE_LINE: True})]
LongText = Annotated[str, Meta(max_length=MOST_IN_TEXT)]
Moment = Annotated[OneLine, Meta(extra={CHECK: _moment})]
WholeNumber = Annotated[int, Meta(ge=0, le=MOST_COUNTED)]
PositiveNumber = Annotated[int, Meta(ge=1, le=MOST_COUNTED)]
Items = Meta(max_length=MOST_ITEMS)
Texts = Annotated[tuple[LongText, ...], Items]
SeverityWord = Annotated[OneLine, words((*SEVERITIES, NOTE), ALIASES)]
SeverityIfAny = Annotated[OneLine, words((*SEVERITIES, NOTE), ALIASES, blank=True)]
StatusIfAny = Annotated[OneLine, words(STATUSES, STATUS_ALIASES, blank=True)]
OutcomeIfAny = Annotated[OneLine, words(OUTCOMES, blank=True)]
AnswerGiven = Annotated[OneLine, words(ANSWERS)]
GroundIfAny = Annotated[OneLine, words(GROUNDS, blank=True)]
RulingGiven = Annotated[OneLine, words(RULINGS)]


class CheckLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The result of a check for the attempt."""

    check: Annotated[OneLine, says("its name")]
    outcome: Annotated[OneLine, says("such as passed or failed")]
    summary: Annotated[LongText, says("a short form of its output")] = ""


class OpenFinding(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An earlier finding that needs a ruling, with the implementer's answer."""

    id: Annotated[OneLine, says("its id, for rulings")]
    severity: Annotated[Severity, says("its severity")]
    state: Annotated[OneLine, says("such as open, claimed (answered FIXED) or disputed (answered REJECTED)")]
    title: Annotated[OneLine, says("its title")]
    location: Annotated[LongText, says("path:line")] = ""
    problem: Annotated[LongText, says("what is wrong")] = ""
    fix: Annotated[LongText, says("the requested fix")] = ""
    quote: Annotated[LongText, says("the quoted code")] = ""
    answer: Annotated[OneLine, says("FIXED, REJECTED, DEFERRED, SKIPPED, or empty")] = ""
    answer_text: Annotated[LongText, says("what the author did, or why not")] = ""
    ground: Annotated[OneLine, says("the ground of a rejection")] = ""


class ClarifiedPoint(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reviewer's concern about this change, and the answer by the change's author or a person (R2)."""

    point: Annotated[OneLine, says("cycle and number, such as c-1 p2")]
    reviewer: Annotated[OneLine, says("the reviewer with the concern")]
    concern: Annotated[LongText, says("the concern")]
    answer: Annotated[LongText, says("the answer, to be compared with the code")]
    answered_by: Annotated[OneLine, says("the author of the answer")] = ""
    finding: Annotated[OneLine, says("its finding, if there is one")] = ""


class RequestContext(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Background for the reviewer."""

    summaries: Annotated[dict[OneLine, LongText], Items, says("a summary for each target, by name")]
    diff: Annotated[LongText, says("the command that shows the change")]
    acceptance: Annotated[LongText, says("how to tell that the task is done")] = ""
    checks: Annotated[tuple[CheckLine, ...], Items, says("results of checks")] = ()
    open_findings: Annotated[tuple[OpenFinding, ...], Items, says("earlier findings that wait for a ruling")] = ()
    clarified: Annotated[tuple[ClarifiedPoint, ...], Items, says("concerns that were answered since (R2)")] = ()


class ReviewRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A request for a review (V2)."""

    type: Annotated[Literal["review_request"], says("the kind of document")] = "review_request"
    version: Annotated[Literal[1], says("the version of this format")] = 1
    reviewer: Annotated[OneLine, says("the reviewer's session")]
    task: Annotated[OneLine, says("the task's id")]
    title: Annotated[OneLine, says("the task's title")]
    attempt: Annotated[PositiveNumber, says("the attempt to review")]
    diff_id: Annotated[OneLine, says("the digest of the change to review")]
    seen: Annotated[OneLine, says("the value of --seen for this change: attempt and start of its diff id (D7)")] = ""
    targets: Annotated[Texts, says("what to review")]
    context: Annotated[RequestContext, says("what to know first")]
    focus_areas: Annotated[Texts, says("what to check most closely")] = ()
    max_words: Annotated[PositiveNumber, says("the maximum length of the summary, in words")] = 200
    is_re_review: Annotated[bool, says("judge the earlier findings, and add only CRITICAL or HIGH ones (L10)")] = False
    iteration: Annotated[PositiveNumber, says("the round of the loop")] = 1


class Issue(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reported problem. Its place is `file` and `line`, or `location`. Its text is `problem`, or `description`."""

    severity: Annotated[SeverityWord, says("in any case; BLOCKER, IMPORTANT, SUGGESTION, MINOR and NIT are read too")]
    title: Annotated[OneLine, says("one line; default: the first sentence of problem")] = ""
    id: Annotated[OneLine, says("the earlier finding that this repeats")] = ""
    blocking: Annotated[bool | None, says("follows from the severity; a contradiction is refused")] = None
    file: Annotated[LongText, says("path from the root of the repository")] = ""
    line: Annotated[WholeNumber, says("line in that file; 0: the whole file")] = 0
    location: Annotated[LongText, says("path, path:line or path:line-line")] = ""
    problem: Annotated[LongText, says("what is wrong")] = ""
    description: Annotated[LongText, says("same as problem")] = ""
    fix: Annotated[LongText, says("what to do about it")] = ""
    why: Annotated[LongText, says("why it matters")] = ""
    quote: Annotated[LongText, says("the code, quoted exactly")] = ""
    fix_patch: Annotated[LongText, says("a unified diff that fixes it")] = ""
    rule: Annotated[OneLine, says("the rule of a linter or scanner")] = ""


class Mention(Issue, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reference to an issue by its id. A new issue that no other list has needs a severity, a title and the other
    fields of an issue.
    """

    id: Annotated[OneLine, says("the id of the issue")]
    severity: Annotated[SeverityIfAny, says("its severity")] = ""


Mentions = Annotated[tuple[OneLine | Mention, ...], Items]


class RulingLine(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A reviewer's ruling on an earlier finding."""

    finding: Annotated[OneLine, says("the finding's id")]
    ruling: Annotated[RulingGiven, says("the ruling")]
    reason: Annotated[LongText, says("why")] = ""


class ReviewPayload(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a review of one attempt."""

    verdict: Annotated[Verdict, says("blocker stops the task until a person decides")]
    summary: Annotated[LongText, says("the reviewer's opinion of the change")]
    status: Annotated[StatusIfAny, says("must agree with the issues (L5); CHANGES_REQUIRED is read too")] = ""
    attempt: Annotated[PositiveNumber | None, says("the reviewed attempt")] = None
    diff_id: Annotated[
        OneLine, says("the digest of the reviewed change; with the attempt, eight digits are enough")
    ] = ""
    issues: Annotated[tuple[Issue, ...], Items, says("the issues found")] = ()
    files_reviewed: Annotated[
        Texts, says("every file that was read; an approval counts if all changed files are in it (V6)")
    ] = ()
    rulings: Annotated[tuple[RulingLine, ...], Items, says("rulings on earlier findings")] = ()


class ReviewResult(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A review (V3). The reviewer is the session that sends it. It may name itself or its program, and a document that
    names another is refused.
    """

    type: Annotated[Literal["review_result"], says("the kind of document")] = "review_result"
    version: Annotated[Literal[1], says("the version of this format")] = 1
    reviewer: Annotated[OneLine, says("the sending session, or its program")] = ""
    timestamp: Annotated[Moment, says("the time in ISO 8601")] = ""
    payload: Annotated[ReviewPayload, says("the review")]


class PointAnswer(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An answer to one point that reviewers raised."""

    point: Annotated[PositiveNumber, says("the number of the concern")]
    answer: Annotated[LongText, says("what is true, and what should be done")]
    seen: Annotated[LongText, says("where to see it: path:line")] = ""


class ClarificationResult(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An agent's answers to concerns that it was asked to clarify (R2)."""

    type: Annotated[Literal["clarification"], says("the kind of document")] = "clarification"
    version: Annotated[Literal[1], says("the version of this format")] = 1
    task: Annotated[OneLine, says("the task's id")] = ""
    answers: Annotated[tuple[PointAnswer, ...], Items, says("one answer for each concern")]


class IssueSummary(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The number of issues of each severity. A number that is given must be correct (G6)."""

    critical: Annotated[WholeNumber | None, says("CRITICAL issues")] = None
    high: Annotated[WholeNumber | None, says("HIGH issues")] = None
    medium: Annotated[WholeNumber | None, says("MEDIUM issues")] = None
    low: Annotated[WholeNumber | None, says("LOW issues")] = None
    suggestion: Annotated[WholeNumber | None, says("same as medium")] = None
    minor: Annotated[WholeNumber | None, says("same as low")] = None
    blocking_count: Annotated[WholeNumber | None, says("CRITICAL and HIGH issues")] = None


class TechLeadHandoff(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A tech lead's review in the format of other tools. `new_blocking_issues` lists the new issues that block."""

    type: Annotated[Literal["handoff_tech_lead"], says("the kind of document")] = "handoff_tech_lead"
    version: Annotated[Literal[1], says("the version of this format")] = 1
    issues: Annotated[tuple[Issue, ...], Items, says("the issues found")]
    issue_summary: Annotated[IssueSummary | None, says("numbers by severity")] = None
    iteration: Annotated[WholeNumber | None, says("the round of the loop")] = None
    status: Annotated[StatusIfAny, says("must agree with the issues (L5); CHANGES_REQUIRED is read too")] = ""
    prior_issues_resolved: Annotated[Mentions, says("earlier issues that are fixed")] = ()
    new_blocking_issues: Annotated[Mentions, says("new issues that block")] = ()
    new_issues_this_iteration: Annotated[Mentions, says("new issues of any severity")] = ()
    max_iterations: Annotated[WholeNumber | None, says("ignored: the configuration decides")] = None


class IssueResponse(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The implementer's answer to one issue (L6)."""

    issue_id: Annotated[OneLine, says("the finding's id")]
    action: Annotated[AnswerGiven, says("FIXED or REJECTED for a blocking issue")]
    details: Annotated[LongText, says("what was done")] = ""
    reason: Annotated[LongText, says("why it was not done")] = ""
    ground: Annotated[GroundIfAny, says("required to reject a blocking issue (L7)")] = ""
    commit: Annotated[OneLine, says("the commit that fixes it")] = ""
    tech_debt_id: Annotated[OneLine, says("the task for the deferred work")] = ""


class BlockingSummary(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Counts of what happened to the blocking issues. A number that is given must be correct (G6)."""

    total_blocking: Annotated[WholeNumber | None, says("blocking issues")] = None
    fixed: Annotated[WholeNumber | None, says("answered FIXED")] = None
    rejected_with_reason: Annotated[WholeNumber | None, says("answered REJECTED")] = None
    unaddressed: Annotated[WholeNumber | None, says("without such an answer")] = None


class AnswerSummary(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The number of answers of each kind (G6)."""

    fixed: Annotated[WholeNumber | None, says("answers FIXED")] = None
    deferred: Annotated[WholeNumber | None, says("answers DEFERRED")] = None
    rejected: Annotated[WholeNumber | None, says("answers REJECTED")] = None
    blocking_resolved: Annotated[WholeNumber | None, says("blocking issues answered FIXED or REJECTED")] = None


class QaResponse(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The implementer's statement about failing tests. Only the check itself counts (L13)."""

    tests_fixed: Annotated[Texts, says("tests that pass now")] = ()
    tests_remaining: Annotated[Texts, says("tests that still fail")] = ()
    progress_made: Annotated[bool | None, says("whether a test was fixed")] = None


class DeveloperHandoff(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The implementer's answers in the format of other tools."""

    type: Annotated[Literal["handoff_developer"], says("the kind of document")] = "handoff_developer"
    version: Annotated[Literal[1], says("the version of this format")] = 1
    issue_responses: Annotated[tuple[IssueResponse, ...], Items, says("one answer for each issue")] = ()
    blocking_summary: Annotated[BlockingSummary | None, says("numbers of blocking issues")] = None
    summary: Annotated[AnswerSummary | None, says("numbers of answers")] = None
    qa_response: Annotated[QaResponse | None, says("failing tests")] = None
    iteration: Annotated[WholeNumber | None, says("the round of the loop")] = None


class TestTracking(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Failing tests over several rounds. Each original failure is either fixed or still failing, and new failures are
    not among them.
    """

    __test__ = False

    iteration: Annotated[PositiveNumber, says("the round of the loop")]
    original_failures: Annotated[Texts, says("tests that failed in the first round")]
    fixed_since_start: Annotated[Texts, says("those that pass now")] = ()
    still_failing: Annotated[Texts, says("those that still fail")] = ()
    new_failures: Annotated[Texts, says("other tests that fail now")] = ()


class QaHandoff(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A QA report about failing tests, in the format of other tools."""

    type: Annotated[Literal["handoff_qa"], says("the kind of document")] = "handoff_qa"
    version: Annotated[Literal[1], says("the version of this format")] = 1
    test_tracking: Annotated[TestTracking, says("failing tests by round")]
    progress_made: Annotated[bool | None, says("whether a test that failed passes now (L13)")] = None
    status: Annotated[OutcomeIfAny, says("must agree with the tests")] = ""


DOCUMENTS: dict[str, type[msgspec.Struct]] = {
    "review_request": ReviewRequest,
    "review_result": ReviewResult,
    "clarification": ClarificationResult,
    "handoff_tech_lead": TechLeadHandoff,
    "handoff_developer": DeveloperHandoff,
    "handoff_qa": QaHandoff,
}


def name_of(into: type[Any]) -> str:
    """Return a kind of document by the name used in it."""
    return next((name for name, kind in DOCUMENTS.items() if kind is into), into.__name__)
