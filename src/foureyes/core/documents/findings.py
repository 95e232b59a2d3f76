"""Findings, answers and rulings of a document, converted to our own types (L1–L9). Its counts are verified (G6)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence

import msgspec
from msgspec.structs import replace

from foureyes.core.documents.shapes import (
    AnswerSummary,
    BlockingSummary,
    DeveloperHandoff,
    Issue,
    IssueResponse,
    IssueSummary,
    Mention,
    QaHandoff,
    RulingLine,
    TechLeadHandoff,
    word_of,
)
from foureyes.core.nouns.finding import (
    ANSWERS,
    BLOCKING,
    GROUNDS,
    RULINGS,
    STATUS_ALIASES,
    Answer,
    Location,
    ReportedFinding,
    RulingWord,
    Severity,
    severity_of,
    status_of,
)
from foureyes.core.words.text import is_blank, visible
from foureyes.core.words.vocabulary import Verdict
from foureyes.errors import Reason

# ---- Findings (V5, L5) ----

PLACE = re.compile(r"(?P<path>.*?)(?::(?P<line>\d{1,9})(?:-(?P<last>\d{1,9})|:\d{1,9})?)?", re.DOTALL)
SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[^\sa-z])|\n")
LONGEST_TITLE = 200
COMMIT = re.compile(r"[0-9a-fA-F]{4,64}")


class DocumentRuling(msgspec.Struct, frozen=True):
    """A ruling in a document. Its finding may not exist: only the store knows."""

    finding: str
    ruling: RulingWord
    reason: str = ""


class Span(Location, frozen=True):
    """A location of several lines, from `line` to `last`."""

    last: int = 0

    def agrees(self, other: Span) -> bool:
        """Return True if both may mean the same place: the lines overlap, and the paths do not differ."""
        if self.path and other.path and self.path != other.path:
            return False
        return not (self.line and other.line) or (self.line <= other.last and other.line <= self.last)


# ------------------------------------------------------------------------------------------------------- findings


def findings_of(
    issues: Iterable[Issue], where: str = "issues"
) -> tuple[list[ReportedFinding], list[str], list[Reason]]:
    """Return a document's findings, its notes (FYI), and its problems, each with its path. (L1)"""
    return _findings((f"{where}[{number}]", issue) for number, issue in enumerate(issues))


def _findings(issues: Iterable[tuple[str, Issue]]) -> tuple[list[ReportedFinding], list[str], list[Reason]]:
    findings: list[ReportedFinding] = []
    notes: list[str] = []
    problems: list[Reason] = []
    named: dict[str, str] = {}
    for at, given in issues:
        issue = _titled(given)
        place, wrong = _place(issue, at)
        first = named.setdefault(issue.id.strip(), at) if issue.id.strip() else at
        if first != at:
            wrong.append(Reason("L2", f'{at}.id: "{visible(issue.id.strip())}" is used twice, first at {first}'))
        wrong += [*_blocking_problems(issue, at), *_text_problems(issue, at)]
        problems += wrong
        severity = severity_of(issue.severity)
        if wrong or severity is None:
            continue
        if severity == "FYI":
            notes.append(_note(issue, place))
        else:
            findings.append(_finding_of(issue, severity, place))
    return findings, notes, problems


def _titled(issue: Issue) -> Issue:
    """Return the issue with a title: its own, or the first sentence of its problem text."""
    said = (issue.problem or issue.description).strip()
    if not is_blank(issue.title) or not said:
        return issue
    title = SENTENCE_END.split(said, maxsplit=1)[0].strip().removesuffix(".")
    return replace(issue, title=title if len(title) <= LONGEST_TITLE else f"{title[: LONGEST_TITLE - 1]}…")


def _finding_of(issue: Issue, severity: Severity, place: Span) -> ReportedFinding:
    return ReportedFinding(
        severity=severity,
        title=issue.title.strip(),
        path=place.path,
        line=place.line,
        problem=_lines(issue.problem or issue.description),
        fix=_lines(issue.fix),
        why=_lines(issue.why),
        quote=_lines(issue.quote),
        rule=issue.rule.strip(),
        fix_patch=issue.fix_patch,
        id=issue.id.strip(),
    )


def _note(issue: Issue, place: Span) -> str:
    where = f" ({place.path}:{place.line})" if place.line else f" ({place.path})" if place.path else ""
    problem = _lines(issue.problem or issue.description)
    return f"{issue.title.strip()}{where}" + (f": {problem}" if problem else "")


def _lines(text: str) -> str:
    """Return the text with uniform line ends. Never use it on a patch, which must match its file."""
    return text.replace("\r\n", "\n").strip("\n")


def _blocking_problems(issue: Issue, at: str) -> list[Reason]:
    """Return problems with the severity, or with a `blocking` that contradicts it. (L1)"""
    severity = severity_of(issue.severity)
    if severity is None:
        return [Reason("L1", f'{at}.severity: "{visible(issue.severity[:60])}" is not a severity')]
    blocks = severity in BLOCKING
    if issue.blocking is None or issue.blocking == blocks:
        return []
    sent, derived = str(issue.blocking).lower(), "blocks" if blocks else "does not block"
    return [Reason("L1", f"{at}.blocking: {sent}, but {severity} {derived}. Leave it out, or fix the severity")]


def _text_problems(issue: Issue, at: str) -> list[Reason]:
    problems = []
    if is_blank(issue.title):
        problems.append(Reason("L3", f"{at}.title: missing. A finding needs a title, or a description to take it from"))
    if issue.problem and issue.description and " ".join(issue.problem.split()) != " ".join(issue.description.split()):
        problems.append(Reason("L3", f"{at}.description: differs from {at}.problem. Give only one of them"))
    return problems


def _place(issue: Issue, at: str) -> tuple[Span, list[Reason]]:
    """Return an issue's place, from `file` and `line` or from `location`. If both are set, they must agree. (L3)"""
    file, wrong = span_of(issue.file, f"{at}.file")
    spot, more = span_of(issue.location, f"{at}.location")
    own = Span(line=issue.line, last=issue.line)
    problems = wrong + more
    if not problems and not all(span.agrees(other) for span, other in ((file, spot), (file, own), (spot, own))):
        problems.append(
            Reason(
                "L3", f"{at}: file, line and location contradict each other ({_given(issue)}). Give only one of them"
            )
        )
    line = own.line or spot.line or file.line
    if not problems and line and not (file.path or spot.path):
        problems.append(Reason("L3", f"{at}.line: {line}, but no file is given. Name the file too"))
    return Span(path=file.path or spot.path, line=line), problems


def _given(issue: Issue) -> str:
    """Return the place in all forms that the document gives."""
    given = {"file": issue.file, "line": str(issue.line or ""), "location": issue.location}
    return ", ".join(f"{name} {visible(text.strip()[:200])}" for name, text in given.items() if text.strip())


def span_of(text: str, at: str) -> tuple[Span, list[Reason]]:
    """Parse `path`, `path:line`, `path:line-line` or `path:line:column` into a place in the repository."""
    matched = PLACE.fullmatch(text.strip())
    if matched is None or not text.strip():
        return Span(), []
    line = int(matched["line"] or 0)
    path, problem = path_of(matched["path"])
    if problem:
        return Span(), [Reason("L3", f'{at}: "{visible(text.strip()[:200])}" {problem}')]
    return Span(path=path, line=line, last=max(line, int(matched["last"] or 0))), []


def path_of(text: str) -> tuple[str, str]:
    """Return a path from the repository root as git writes it, or the problem with it."""
    if "\\" in text:
        return "", "contains a backslash. Separate folders with /"
    if text.startswith(("/", "~/")) or re.match(r"[A-Za-z]:/", text):
        return "", "is not a path relative to the root of the repository"
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if ".." in parts:
        return "", 'contains "..". Write the path relative to the root of the repository'
    return ("/".join(parts), "") if parts else ("", "names no file")


def files_of(files: Iterable[str], where: str = "files_reviewed") -> tuple[list[str], list[Reason]]:
    """Return the files that a reviewer names as read, without duplicates. (V6)"""
    paths: dict[str, None] = {}
    problems = []
    for number, text in enumerate(files):
        path, problem = path_of(text)
        if problem:
            problems.append(Reason("V6", f'{where}[{number}]: "{visible(text[:200])}" {problem}'))
        else:
            paths[path] = None
    return list(paths), problems


# -------------------------------------------------------------------------------------- the tech lead's new issues


def lead_findings(handoff: TechLeadHandoff) -> tuple[list[ReportedFinding], list[str], list[Reason]]:
    """Return the findings, notes and problems of a tech lead's handoff, including its lists of new issues."""
    issues, problems = issues_of(handoff)
    findings, notes, wrong = _findings(issues)
    return findings, notes, wrong + problems


def issues_of(handoff: TechLeadHandoff) -> tuple[list[tuple[str, Issue]], list[Reason]]:
    """Return every issue of a tech lead's handoff with its path, from the main list. An issue that only a list of new
    issues describes is included.
    """
    issues = [(f"issues[{number}]", issue) for number, issue in enumerate(handoff.issues)]
    known = {issue.id.strip(): issue for issue in handoff.issues if issue.id.strip()}
    problems: list[Reason] = []
    for field, named in (
        ("new_blocking_issues", handoff.new_blocking_issues),
        ("new_issues_this_iteration", handoff.new_issues_this_iteration),
    ):
        for number, each in enumerate(named):
            at = f"{field}[{number}]"
            issue = known.get(_id(each))
            if issue is None and isinstance(each, Mention) and each.severity.strip():
                issue = known[_id(each)] = each
                issues.append((at, each))
            if issue is None:
                problems.append(Reason("L2", f'{at}: "{visible(_id(each))}" is not an issue of this document'))
            elif field == "new_blocking_issues" and severity_of(issue.severity) not in BLOCKING:
                problems.append(
                    Reason(
                        "L1", f'{at}: "{visible(_id(each))}" is {issue.severity.strip().upper()}, which does not block'
                    )
                )
    return issues, problems


def resolved_of(handoff: TechLeadHandoff) -> tuple[list[tuple[str, str]], list[Reason]]:
    """Return the ids of earlier issues that the tech lead calls fixed, each with an optional reason. An id that is
    also among the issues is a problem.
    """
    again = {issue.id.strip() for issue in handoff.issues if issue.id.strip()}
    ids = [_id(named) for named in handoff.prior_issues_resolved]
    problems = twice(ids, "prior_issues_resolved", "", "L4")
    for number, name in enumerate(ids):
        if not name:
            problems.append(Reason("L2", f"prior_issues_resolved[{number}]: empty. Name the issue"))
        elif name in again:
            problems.append(
                Reason("L4", f'prior_issues_resolved[{number}]: "{visible(name)}" is also among the issues')
            )
    reasons = ["" if isinstance(named, str) else named.why or named.problem for named in handoff.prior_issues_resolved]
    return list(zip(ids, reasons, strict=True)), problems


def _id(named: str | Mention) -> str:
    return (named if isinstance(named, str) else named.id).strip()


# -------------------------------------------------------------------------------------------- answers and rulings


def answers_of(handoff: DeveloperHandoff) -> tuple[list[Answer], list[Reason]]:
    """Return the answers of a handoff, one per finding, and their problems. (L6)"""
    problems = twice([each.issue_id.strip() for each in handoff.issue_responses], "issue_responses", ".issue_id", "L6")
    answers = []
    for number, each in enumerate(handoff.issue_responses):
        at = f"issue_responses[{number}]"
        action = next((word for word in ANSWERS if word == word_of(each.action)), None)
        ground = word_of(each.ground).lower()
        if action is None:
            problems.append(
                Reason("L6", f'{at}.action: "{visible(each.action[:60])}" is not one of {", ".join(ANSWERS)}')
            )
        if ground and ground not in GROUNDS:
            problems.append(
                Reason("L7", f'{at}.ground: "{visible(each.ground[:60])}" is not one of {", ".join(GROUNDS)}')
            )
        if not each.issue_id.strip():
            problems.append(Reason("L6", f"{at}.issue_id: empty. Name the finding"))
        if each.commit.strip() and not COMMIT.fullmatch(each.commit.strip()):
            problems.append(Reason("L6", f'{at}.commit: "{visible(each.commit[:60])}" is not a commit id'))
        if action is not None:
            answers.append(
                Answer(
                    finding=each.issue_id.strip(),
                    action=action,
                    text=_answer_text(each),
                    ground=ground,
                    commit=each.commit.strip(),
                    debt=each.tech_debt_id.strip(),
                )
            )
    return answers, problems


def _answer_text(answer: IssueResponse) -> str:
    """Return details and reason as one text, without repeating identical ones."""
    return "\n".join(
        dict.fromkeys(text for text in (_lines(answer.details).strip(), _lines(answer.reason).strip()) if text)
    )


def rulings_of(
    rulings: Sequence[RulingLine], where: str = "payload.rulings"
) -> tuple[list[DocumentRuling], list[Reason]]:
    """Return the rulings of a document, one per finding, and their problems. (L8, L9)"""
    problems = twice([each.finding.strip() for each in rulings], where, ".finding", "L8")
    ruled = []
    for number, each in enumerate(rulings):
        word = next((word for word in RULINGS if word == word_of(each.ruling)), None)
        if not each.finding.strip():
            problems.append(Reason("L8", f"{where}[{number}].finding: empty. Name the finding"))
        if word is None:
            problems.append(
                Reason(
                    "L8", f'{where}[{number}].ruling: "{visible(each.ruling[:60])}" is not one of {", ".join(RULINGS)}'
                )
            )
        else:
            ruled.append(DocumentRuling(each.finding.strip(), word, _lines(each.reason).strip()))
    return ruled, problems


def twice(ids: Sequence[str], where: str, field: str, rule: str) -> list[Reason]:
    """Return a problem for each repeated id."""
    seen: Counter[str] = Counter()
    problems = []
    for number, name in enumerate(ids):
        seen[name] += 1
        if name and seen[name] > 1:
            problems.append(Reason(rule, f'{where}[{number}]{field}: "{visible(name)}" is listed twice'))
    return problems


# --------------------------------------------------------------------------------------------- verdict and status


def effective(verdict: Verdict, severities: Iterable[Severity], *, may_stop: bool = True) -> Verdict:
    """Return the effective verdict. (V5)

    An approval with a blocking finding becomes a concern, and so does a blocker by an agent that may not stop the task
    (R1).
    """
    if verdict == "blocker" and not may_stop:
        return "concerns"
    return "concerns" if verdict == "approved" and any(severity in BLOCKING for severity in severities) else verdict


def status_problem(stated: str, severities: Sequence[Severity], notes: int = 0) -> Reason | None:
    """Return how a stated status differs from the one that the document's findings imply, or None. (L5)"""
    if not stated.strip():
        return None
    word = word_of(stated)
    follows = status_of(list(severities), notes=notes)
    if STATUS_ALIASES.get(word, word) == follows:
        return None
    counts = Counter(severities)
    has = ", ".join(
        [*(f"{count} {severity}" for severity, count in counts.items()), *([f"{notes} FYI"] if notes else [])]
    )
    return Reason("L5", f'status: "{visible(stated[:60])}", but by its findings ({has or "none"}) it must be {follows}')


# ---- G6 ----


def summary_problems(handoff: TechLeadHandoff | DeveloperHandoff | QaHandoff) -> list[Reason]:
    """Return a problem for each count in a handoff that contradicts its own content, with both numbers. (G6)"""
    if isinstance(handoff, TechLeadHandoff):
        return _issue_counts(handoff)
    if isinstance(handoff, DeveloperHandoff):
        return [*_answer_counts(handoff), *_qa_answer(handoff)]
    return _tests(handoff)


def _differs(at: str, sent: int | None, counted: int) -> list[Reason]:
    return (
        [] if sent is None or sent == counted else [Reason("G6", f"{at}: {sent} sent, but the document has {counted}")]
    )


def _issue_counts(handoff: TechLeadHandoff) -> list[Reason]:
    sent = handoff.issue_summary or IssueSummary()
    counted = Counter(severity_of(issue.severity) for _, issue in issues_of(handoff)[0])
    pairs = [
        ("critical", sent.critical, counted["CRITICAL"]), ("high", sent.high, counted["HIGH"]),
        ("medium", sent.medium, counted["MEDIUM"]), ("low", sent.low, counted["LOW"]),
        ("suggestion", sent.suggestion, counted["MEDIUM"]), ("minor", sent.minor, counted["LOW"]),
        ("blocking_count", sent.blocking_count, counted["CRITICAL"] + counted["HIGH"]),
    ]  # fmt: skip
    return [reason for name, number, right in pairs for reason in _differs(f"issue_summary.{name}", number, right)]


def _answer_counts(handoff: DeveloperHandoff) -> list[Reason]:
    """Return problems with the counts of all answers. Counts about blocking findings need the store: see
    blocking_problems().
    """
    counted = Counter(word_of(each.action) for each in handoff.issue_responses)
    fixed, rejected = counted["FIXED"], counted["REJECTED"]
    summary, blocking = handoff.summary or AnswerSummary(), handoff.blocking_summary or BlockingSummary()
    problems = [
        *_differs("summary.fixed", summary.fixed, fixed),
        *_differs("summary.deferred", summary.deferred, counted["DEFERRED"]),
        *_differs("summary.rejected", summary.rejected, rejected),
    ]
    for at, sent, most in (
        ("summary.blocking_resolved", summary.blocking_resolved, fixed + rejected),
        ("blocking_summary.fixed", blocking.fixed, fixed),
        ("blocking_summary.rejected_with_reason", blocking.rejected_with_reason, rejected),
    ):
        if (sent or 0) > most:
            problems.append(Reason("G6", f"{at}: {sent} sent, but the document has at most {most}"))
    parts = (blocking.fixed, blocking.rejected_with_reason, blocking.unaddressed)
    if None not in parts:
        problems += _differs(
            "blocking_summary.total_blocking", blocking.total_blocking, sum(part or 0 for part in parts)
        )
    return problems


def blocking_problems(handoff: DeveloperHandoff, answers: Iterable[Answer], blocking: Collection[str]) -> list[Reason]:
    """Return problems with counts about blocking findings that contradict the store. (G6)

    `blocking` has the findings that needed an answer, under the ids used in `answers`.
    """
    counted = Counter(answer.action for answer in answers if answer.finding in blocking)
    done = counted["FIXED"] + counted["REJECTED"]
    sent, summary = handoff.blocking_summary or BlockingSummary(), handoff.summary or AnswerSummary()
    return [
        *_differs("blocking_summary.total_blocking", sent.total_blocking, len(blocking)),
        *_differs("blocking_summary.fixed", sent.fixed, counted["FIXED"]),
        *_differs("blocking_summary.rejected_with_reason", sent.rejected_with_reason, counted["REJECTED"]),
        *_differs("blocking_summary.unaddressed", sent.unaddressed, len(blocking) - done),
        *_differs("summary.blocking_resolved", summary.blocking_resolved, done),
    ]


def _qa_answer(handoff: DeveloperHandoff) -> list[Reason]:
    answer = handoff.qa_response
    if answer is None:
        return []
    problems = _repeated(
        {"qa_response.tests_fixed": answer.tests_fixed, "qa_response.tests_remaining": answer.tests_remaining}
    )
    problems += _both("qa_response.tests_remaining", answer.tests_remaining, "tests_fixed", answer.tests_fixed)
    return problems + _progress("qa_response.progress_made", answer.progress_made, answer.tests_fixed)


def _tests(handoff: QaHandoff) -> list[Reason]:
    """Return contradictions in the test lists. Fixed and still failing tests together must be the original failures,
    and new failures must be others. (L13)
    """
    tracking = handoff.test_tracking
    lists = ("original_failures", "fixed_since_start", "still_failing", "new_failures")
    problems = _repeated({f"test_tracking.{name}": getattr(tracking, name) for name in lists})
    problems += _both(
        "test_tracking.still_failing", tracking.still_failing, "fixed_since_start", tracking.fixed_since_start
    )
    problems += _both(
        "test_tracking.new_failures", tracking.new_failures, "original_failures", tracking.original_failures
    )
    now = {*tracking.fixed_since_start, *tracking.still_failing}
    for name in tracking.original_failures:
        if name not in now:
            problems.append(
                Reason("L13", f'test_tracking.original_failures: "{_short(name)}" is neither fixed nor still failing')
            )
    for name in sorted(now - {*tracking.original_failures}):
        problems.append(
            Reason(
                "L13", f'test_tracking: "{_short(name)}" is fixed or still failing, but not listed in original_failures'
            )
        )
    if tracking.iteration == 1 and tracking.fixed_since_start:
        many = len(tracking.fixed_since_start)
        problems.append(
            Reason("L13", f"test_tracking.fixed_since_start: {many} tests, but nothing is fixed in the first round")
        )
    if tracking.iteration <= 2:
        problems += _progress("progress_made", handoff.progress_made, tracking.fixed_since_start)
    fails = len(tracking.still_failing) + len(tracking.new_failures)
    if handoff.status.strip() and (word_of(handoff.status) == "PASS") == bool(fails):
        problems.append(Reason("L13", f'status: "{_short(handoff.status)}", but {fails} tests fail'))
    return problems


def _progress(at: str, sent: bool | None, fixed: Sequence[str]) -> list[Reason]:
    if sent is None or sent == bool(fixed):
        return []
    return [Reason("L13", f"{at}: {str(sent).lower()} sent, but {len(fixed)} tests are fixed")]


def _both(at: str, names: Iterable[str], other: str, others: Iterable[str]) -> list[Reason]:
    return [Reason("L13", f'{at}: "{_short(name)}" is also in {other}') for name in sorted({*names} & {*others})]


def _repeated(lists: dict[str, tuple[str, ...]]) -> list[Reason]:
    return [reason for at, names in lists.items() for reason in twice(names, at, "", "L13")]


def _short(text: str) -> str:
    return visible(text[:200])
