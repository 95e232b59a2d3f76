"""Findings in the store: lookup, and raising by reviewers (L2, L9, L10, V7) and by checks (L8, L13)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import msgspec

from foureyes.app.compressed_names import unpack
from foureyes.app.context import Context, Count, Work
from foureyes.app.facts import TestList
from foureyes.app.ports import Tx
from foureyes.app.results.finding import MoveView, NoteRow
from foureyes.core import events as e
from foureyes.core.events.loop import FindingsRaised
from foureyes.core.loop.answers import state_again, why_not_again
from foureyes.core.loop.failures import assigned, failing_of, is_many, named_in, was_fixed
from foureyes.core.loop.fingerprint import FindingTraits, by_place, find_quote, line_at, match, normal, symbol_at, words
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.check import KEPT_FAILURES, CheckResult, CheckState, ToolFinding
from foureyes.core.nouns.finding import SEVERITIES, Finding, FindingKind, Raised, ReportedFinding, stem
from foureyes.core.nouns.finding_state import UNRESOLVED
from foureyes.core.nouns.session import Party
from foureyes.core.rules.check_states import RAN
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import made_by
from foureyes.core.words.ids import TaskId
from foureyes.core.words.names_of_tests import pairs
from foureyes.core.words.untrusted_text import named
from foureyes.errors import BadInput, NotFound, Reason
from foureyes.steps import blank, fe, one_of, prose

# ---- Raising findings (L2, L9, L10, V7) ----


class AnchorTexts(msgspec.Struct, frozen=True):
    """Texts of the attempt's head and base, in which to look for findings."""

    head: Mapping[str, str] = {}
    base: Mapping[str, str] = {}


class Anchored(msgspec.Struct, frozen=True):
    """A finding with its place. `lost`: neither its quote nor its place is in base or head (V7). `head` has the texts
    that were searched.
    """

    finding: ReportedFinding
    symbol: str = ""
    lost: bool = False
    head: Mapping[str, str] = {}


class Raising(msgspec.Struct, frozen=True, kw_only=True):
    """The event that records findings, and the reasons against some of them."""

    event: FindingsRaised | None = None
    refused: tuple[Reason, ...] = ()
    lost: tuple[Reason, ...] = ()


def code_of(context: Context, attempt: Attempt | None, findings: Sequence[ReportedFinding]) -> AnchorTexts:
    """Return the texts of the files that these findings name, or the findings that they repeat (L9). If one has a quote
    but no path, return all changed files.
    """
    if attempt is None or attempt.no_code:
        return AnchorTexts()
    paths = {each.path for each in findings if each.path} | _paths_named(
        context, [each.id for each in findings if each.id]
    )
    if any(each.quote.strip() and not each.path for each in findings):
        paths |= {file.path for file in attempt.files}
    paths |= {file.old_path for file in attempt.files if file.old_path and file.path in paths}
    if not paths:
        return AnchorTexts()
    wanted = sorted(paths)
    head, base = context.repo.texts(attempt.head, wanted), context.repo.texts(attempt.base, wanted)
    silent = {file.path: "" for file in attempt.files if file.path in paths and file.path not in head}
    return AnchorTexts(head, silent | base)  # files without text (a key, an image) count as places too


def _paths_named(context: Context, ids: Sequence[str]) -> set[str]:
    """Return the paths of the findings with these ids. (L9)"""
    if not ids:
        return set()
    with context.store.read() as tx:
        rows = [tx.one("finding.one", Finding, id=name) for name in ids]
    return {row.path for row in rows if row is not None and row.path}


def anchor(finding: ReportedFinding, code: AnchorTexts) -> Anchored:
    """Return a finding with its place, found by its quote without white space, or else by its line. (V7)"""
    return msgspec.structs.replace(_anchored(finding, code), head=code.head)


def _anchored(finding: ReportedFinding, code: AnchorTexts) -> Anchored:
    if finding.quote.strip():
        return _by_quote(finding, code)
    if not finding.path:
        return Anchored(finding)
    text = code.head.get(finding.path)
    if text is None:
        return Anchored(finding, lost=finding.path not in code.base)
    if not finding.line:
        return Anchored(finding)
    quote = line_at(text, finding.line).strip()
    lost = finding.line > len(text.splitlines())
    return Anchored(msgspec.structs.replace(finding, quote=quote), symbol_at(text, finding.line), lost)


def _by_quote(finding: ReportedFinding, code: AnchorTexts) -> Anchored:
    paths = [finding.path] if finding.path else sorted(code.head)
    places = [(path, find_quote(finding.quote, code.head[path], finding.line)) for path in paths if path in code.head]
    exact = [(path, line) for path, line in places if line]
    if len(exact) == 1:
        path, line = exact[0]
        return Anchored(msgspec.structs.replace(finding, path=path, line=line), symbol_at(code.head[path], line))
    in_base = any(
        find_quote(finding.quote, code.base[path])
        for path in (paths if finding.path else sorted(code.base))
        if path in code.base
    )
    return Anchored(finding, lost=not (exact or in_base))


def raising(
    tx: Tx,
    facts: Facts,
    anchored: Sequence[Anchored],
    *,
    kind: FindingKind,
    source: str,
    me: Party | None = None,
    by_check: str = "",
    where: str = "issues",
    others: Collection[str] = (),
) -> Raising:
    """Return the event that records findings, and the reasons against some. (L2, L9)

    A finding whose rejection was accepted stays settled. An author (`me`) may report new findings but not repeat those
    of others. `others` are roots known to be different findings.
    """
    attempt = facts.attempt
    assert attempt is not None
    is_maker = me is not None and made_by(facts, me) is not None
    known = [each for each in findings_of_task(tx, facts.task.id) if each.kind == kind and each.by_check == by_check]
    names = Names(tx, stem(kind, facts.task.group, facts.task.id, attempt.n))
    renames = {file.path: file.old_path for file in attempt.files if file.old_path}
    named = _named(tx, anchored)
    exactly = by_place([each.finding for each in anchored], known, renames) if kind == "CK" else {}
    taken = {*named, *others, *exactly.values()}
    raised: list[Raised] = []
    refused: list[Reason] = []
    lost: list[Reason] = []
    for n, each in _once(_without_shared_marks(anchored), kind):
        finding = each.finding
        old, alike, wrong = _known(tx, facts, each, known, renames, taken - {exactly.get(n, "")}, exactly.get(n, ""))
        if old is not None and not (finding.id or is_maker) and _is_anothers(old, finding, me, attempt.n):
            alike, old = (*alike, old.root), None
        if old is not None and named[old.root] > 1:
            often = f"{finding.id} is named {named[old.root]} times, but a finding can be raised only once per review"
            wrong = Reason("L2", often, prose("keep one of them"))
        if old is not None and wrong is None:
            wrong = _not_yours(old) if is_maker else why_not_again(old, finding, code_changed=_is_other_code(old, each))
        if wrong is not None:
            refused.append(msgspec.structs.replace(wrong, message=f"{where}[{n}]: {wrong.message}"))
            continue
        if each.lost:
            lost.append(
                Reason(
                    "V7", f"{where}[{n}]: {_lost(finding)}", prose("quote the code as it is before or after the change")
                )
            )
        taken.add(old.root if old else "")
        raised.append(_raised(each, names.next(), old, alike, attempt.n))
    event = FindingsRaised(iteration=attempt.n, kind=kind, source=source, findings=tuple(raised), by_check=by_check)
    return Raising(event=event if raised else None, refused=tuple(refused), lost=tuple(lost))


def _once(anchored: Sequence[Anchored], kind: FindingKind) -> list[tuple[int, Anchored]]:
    """Merge findings that are reported twice at once, keeping the worst severity. The same words at two places are two
    findings.
    """
    once: dict[tuple[object, ...], tuple[int, Anchored]] = {}
    for n, each in enumerate(anchored):
        new = each.finding
        where = new.line if new.path else new.problem if kind == "CK" else ""
        same: tuple[object, ...] = (new.path, where, normal(new.quote), words(new.title), new.rule)
        first, old = once.get(same, (n, each))
        if new.id and old.finding.id not in ("", new.id):
            same, first, old = (*same, new.id), n, each
        worst = min(old.finding.severity, new.severity, key=SEVERITIES.index)
        both = msgspec.structs.replace(old.finding, severity=worst, id=old.finding.id or new.id)
        once[same] = (first, msgspec.structs.replace(old, finding=both))
    return sorted(once.values(), key=lambda pair: pair[0])


def _without_shared_marks(anchored: Sequence[Anchored]) -> list[Anchored]:
    """Remove tool marks that several results at different places share, because they identify none of them. (L2)"""
    places = {(each.finding.mark, each.finding.path, each.finding.line) for each in anchored if each.finding.mark}
    often = {mark for mark, n in Counter(mark for mark, _, _ in places).items() if n > 1}
    return [_unmarked(each) if each.finding.mark in often else each for each in anchored]


def _unmarked(each: Anchored) -> Anchored:
    return msgspec.structs.replace(each, finding=msgspec.structs.replace(each.finding, mark=""))


def _named(tx: Tx, anchored: Sequence[Anchored]) -> Counter[str]:
    """Return how often each root is named by id. A finding named by id is not matched by other traits."""
    rows = [tx.one("finding.one", Finding, id=each.finding.id) for each in anchored if each.finding.id]
    return Counter(row.root for row in rows if row is not None)


def _is_other_code(old: Finding, new: Anchored) -> bool:
    """Return True if the code quoted by the old finding is gone from the head. If the file has no readable text there,
    compare both quotes. (L9)
    """
    before, after = normal(old.quote), normal(new.finding.quote)
    if before and old.path in new.head:
        return not find_quote(old.quote, new.head[old.path])
    return bool(before) and bool(after) and before != after


def _is_anothers(old: Finding, new: ReportedFinding, me: Party | None, attempt: int) -> bool:
    """Return True if another reviewer of the same attempt reported the old finding in other words. Both are kept and
    shown as alike. (L2)
    """
    is_alone = old.kind != "TL" or me is None or old.session == me.session or old.flagged != attempt
    return not is_alone and not new.rule and words(old.title) != words(new.title)


def _not_yours(old: Finding) -> Reason:
    """Return the reason why an author may not report a known finding again. (L2)"""
    why = f"{old.id} is already known. You are an author, so answer it instead of reporting it again."
    return Reason("L2", why, fe("finding", "answer", old.id, one_of("--fixed", "--rejected")))


def _lost(finding: ReportedFinding) -> str:
    if finding.quote.strip():
        return f"the quote of {finding.title!r} is not in the code, neither before nor after the change"
    return f"{named(f'{finding.path}:{finding.line}')} of {finding.title!r} is not in the code, neither before nor after the change"


def _known(
    tx: Tx,
    facts: Facts,
    anchored: Anchored,
    known: Sequence[Finding],
    renames: Mapping[str, str],
    taken: set[str],
    root: str,
) -> tuple[Finding | None, tuple[str, ...], Reason | None]:
    """Return the existing finding that this one repeats, or the candidates if several fit, or a reason against it.

    It is matched by id, by place (`root`), then by fingerprint. Of a tool's repeated messages, the nearest line counts.
    """
    new = anchored.finding
    by_root = {finding.root: finding for finding in known}
    if new.id:
        row = tx.one("finding.one", Finding, id=new.id)
        if row is None or row.task != facts.task.id or row.root not in by_root:
            return (
                None,
                (),
                Reason("L2", f"{new.id} is not a finding of {facts.task.id}", fe("finding", "list", facts.task.id)),
            )
        return row, (), None
    if root:
        return (None if is_beyond_waiver(by_root[root], anchored) else by_root[root]), (), None
    seen = FindingTraits(
        path=new.path, rule=new.rule, quote=new.quote, symbol=anchored.symbol, title=new.title, mark=new.mark,
        line=new.line if known and known[0].kind == "CK" else 0,
    )  # fmt: skip
    left = [each for each in known if each.root not in taken and not is_beyond_waiver(each, anchored)]
    hit = match(seen, left, renames)
    old = by_root[hit.root] if hit.root else None
    return (None if old is not None and _is_elsewhere(old, anchored) else old), hit.alike, None


def _is_elsewhere(old: Finding, new: Anchored) -> bool:
    """Return True if only the words match a settled finding: its code is unchanged, and the new one is about other
    code. (L9)
    """
    before, after = normal(old.quote), normal(new.finding.quote)
    if old.ruling != "ACCEPTED" or not before or not after or before in after or after in before:
        return False
    return old.path in new.head and not _is_other_code(old, new)


def is_beyond_waiver(old: Finding, new: Anchored) -> bool:
    """Return True if a waiver does not cover the new finding, because the waived code is gone or it is about other
    code. The same line in another function is other code. (E3)
    """
    before, after = normal(old.quote), normal(new.finding.quote)
    if old.state != "waived" or not before:
        return False
    text = new.head.get(new.finding.path or old.path)
    if text is None:
        return bool(after) and before != after
    if not find_quote(old.quote, text):
        return True
    if not after:
        return False
    if before not in after and after not in before:
        return True
    return old.symbol != new.symbol and (before != after or normal(text).count(before) > 1)


def _raised(anchored: Anchored, name: str, old: Finding | None, alike: tuple[str, ...], iteration: int) -> Raised:
    finding = anchored.finding
    if old is not None and old.state in (
        *UNRESOLVED,
        "waived",
    ):  # repeating an unsettled finding never lowers its severity (E3)
        finding = msgspec.structs.replace(finding, severity=min(finding.severity, old.severity, key=SEVERITIES.index))
    blocking = finding.blocking
    return Raised(
        id=name,
        root=old.root if old else name,
        severity=finding.severity,
        title=finding.title,
        path=finding.path,
        line=finding.line,
        problem=finding.problem,
        fix=finding.fix,
        why=finding.why,
        quote=finding.quote,
        symbol=anchored.symbol,
        rule=finding.rule,
        fix_patch=finding.fix_patch,
        tool=finding.tool,
        mark=finding.mark,
        anchored=not anchored.lost,
        note=not blocking and iteration > 1 and (old is None or old.note),
        waiting=anchored.lost and blocking,
        state=state_again(old, finding, is_other_code=is_beyond_waiver(old, anchored)) if old else "open",
        alike=alike,
    )


class Names:
    """Source of new finding ids within one transaction. (L2)"""

    def __init__(self, tx: Tx, stem: str) -> None:
        last = tx.one("finding.last_n", Count, stem=stem)
        self._stem, self._n = stem, last.n if last else 0

    def next(self) -> str:
        self._n += 1
        return f"{self._stem}{self._n:03}"


# ---- Lookup ----


def findings_of_task(tx: Tx, task: str) -> list[Finding]:
    """Return every finding of a task, oldest first."""
    return tx.all("finding.of_task", Finding, task=task)


def open_blocking(tx: Tx, task: str, now: str) -> list[Finding]:
    """Return the blocking findings that hold now (D2). Those of checks are left out, because the check itself decides
    (D5).
    """
    return [finding for finding in findings_of_task(tx, task) if finding.holds(now) and not finding.by_check]


def waivers_in_words(tx: Tx, tasks: Sequence[str]) -> tuple[str, ...]:
    """Return a line about each waiver. Every report has them. (E3)"""
    rows = tx.all("finding.waivers", NoteRow, ids=list(tasks))
    return tuple(f"{row.task}: {row.id} is waived until {row.until[:10]} (E3)" for row in rows)


def finding_named(tx: Tx, name: str) -> Finding:
    """Return the finding with this id, of any iteration."""
    from foureyes.core.words.text import visible

    finding = tx.one("finding.one", Finding, id=name.strip())
    if finding is None:
        raise NotFound(f"there is no finding {visible(name)[:100]}.", next_step=fe("finding", "list", blank("TASK")))
    return finding


def one_task(tx: Tx, names: Sequence[str]) -> TaskId:
    """Return the task of these findings. Refuse findings of several tasks."""
    tasks = {finding_named(tx, name).task for name in names}
    if len(tasks) > 1:
        raise BadInput(
            f"these findings belong to {len(tasks)} tasks: {', '.join(sorted(tasks))}.",
            next_step=prose("one call per task"),
        )
    return TaskId(tasks.pop())


# ---- Findings of checks (L8, L13) ----


class FoundRow(msgspec.Struct, frozen=True):
    """The findings in a tool's report."""

    seq: int
    tool_findings: list[ToolFinding] = []


def note_failures(gate: Work, facts: Facts, checked: tuple[CheckState, ...]) -> None:
    """Raise new failures of required checks, and resolve those that no longer fail."""
    attempt = facts.attempt
    assert attempt is not None
    for state in checked:
        result = state.result
        if (
            not state.rule.required
            or state.claimed
            or result is None
            or result.tree != attempt.tree
            or result.outcome not in RAN
        ):
            continue  # incomplete runs and runs on other code prove nothing (G1)
        known = [finding for finding in findings_of_task(gate.tx, facts.task.id) if finding.by_check == state.rule.name]
        if result.outcome != "passed" or known:
            _Noting(gate, facts, state, result, known).note()


class _Noting:
    """Updates the findings of one check from its result."""

    def __init__(self, gate: Work, facts: Facts, state: CheckState, result: CheckResult, known: list[Finding]) -> None:
        self._gate, self._facts, self._state, self._result = gate, facts, state, result
        self._is_sarif = state.rule.report == "sarif"
        self._whole = next(row for row in facts.results if row.seq == result.seq)
        self._ran = frozenset() if self._is_sarif else self._tests_of(gate.tx, result)
        names = [finding.rule for finding in known]
        renamed = pairs(names, [*result.failing, *sorted(self._ran)], some=True) if self._ran else {}
        self._known = [
            msgspec.structs.replace(finding, rule=renamed.get(finding.rule, finding.rule)) for finding in known
        ]

    def note(self) -> None:
        failing = [] if self._result.outcome == "passed" else self._failing()
        fits = assigned(failing, self._known, by_name=not self._is_sarif)
        still = {finding.root for finding in fits.values()}
        self._clear(still)
        if not self._state.red_before:  # failures that the target has too are not the task's
            self._refute(still)
            self._raise(failing, fits)

    def _failing(self) -> list[ReportedFinding]:
        """Return the failures that a check names: tests, a tool's findings, or the check itself."""
        failures = named_in(self._result, self._tool_findings(self._result), by_name=not self._is_sarif)
        if self._result.failures > len(failures) and not self._is_sarif:
            words = {each.rule: each for each in failures}
            failures = [words.get(name) or ToolFinding(name, "error", "", 0, "") for name in self._result.failing]
        attempt = self._facts.attempt
        assert attempt is not None
        return failing_of(self._state.rule, self._result, failures, attempt.n, self._state.no_baseline)

    def _tool_findings(self, result: CheckResult) -> list[ToolFinding]:
        if self._state.rule.report == "none":
            return []
        rows = self._gate.tx.all("check.found", FoundRow, seqs=[str(result.seq)])
        return [tool for row in rows for tool in row.tool_findings]

    @staticmethod
    def _tests_of(tx: Tx, result: CheckResult) -> frozenset[str]:
        rows = tx.all("check.tests", TestList, digests=[result.tests]) if result.tests else []
        return frozenset(name for row in rows for name in unpack(row.packed))

    def _clear(self, still: set[str]) -> None:
        """Resolve findings of this check that no longer fail. (L8)"""
        gone = tuple(
            finding.root
            for finding in self._known
            if finding.state in UNRESOLVED and self._is_answered(finding) and not self._fails_still(finding, still)
        )
        if gone:
            iteration = self._facts.task.iteration
            self._gate.record(self._facts.task.id, e.FindingsCleared(iteration=iteration, roots=gone, why="check"))

    def _refute(self, still: set[str]) -> None:
        """Rule NOT_FIXED on findings that were claimed fixed and still fail. (L8)"""
        for finding in self._known:
            if finding.state != "claimed" or not (self._is_answered(finding) and self._is_later(finding)):
                continue
            if self._fails_still(finding, still):
                reason = f"check {self._state.rule.name} fails again"
                event = e.FindingRuled(
                    root=finding.root, iteration=self._facts.task.iteration, ruling="NOT_FIXED", reason=reason
                )
                self._gate.record(self._facts.task.id, event)

    def _is_later(self, finding: Finding) -> bool:
        """Return True if the attempt or the run is newer than the answer."""
        moves = self._gate.tx.all("finding.moves_of", MoveView, root=finding.root)
        answer = next(move for move in reversed(moves) if move.kind == "answered" and not move.undone)
        attempt = self._facts.attempt
        assert attempt is not None
        return answer.seq < self._result.seq or answer.at <= attempt.submitted_at

    def _is_answered(self, finding: Finding) -> bool:
        """Return True if this run shows the finding's state. A test that did not run or was not reported has not
        passed. (G1, L13)
        """
        if self._result.outcome == "passed" or self._state.rule.report == "none":
            return True
        if not self._result.failing or self._whole.failures >= KEPT_FAILURES:
            return False
        return self._is_sarif or is_many(finding) or finding.rule in (*self._ran, self._state.rule.name)

    def _fails_still(self, finding: Finding, still: set[str]) -> bool:
        if self._result.outcome == "passed":
            return False
        if not is_many(finding):
            return finding.root in still or (not self._is_sarif and finding.rule in self._result.failing)
        before = self._before(finding)
        failures = self._tool_findings(before) if before else []
        return before is None or not was_fixed(
            before, self._whole, self._ran, failures, self._tool_findings(self._whole)
        )

    def _before(self, finding: Finding) -> CheckResult | None:
        """Return the earlier run that a list of failures came from. (L13)"""
        tx, task = self._gate.tx, self._facts.task.id
        trees = [
            attempt.tree for attempt in tx.all("attempt.of_task", Attempt, task=task) if attempt.n == finding.flagged
        ]
        rows = tx.all("check.of_trees", CheckResult, trees=trees)
        name, seq = self._state.rule.name, self._result.seq
        return next((row for row in reversed(rows) if row.name == name and row.seq < seq and row.failing), None)

    def _raise(self, failing: list[ReportedFinding], fits: dict[int, Finding]) -> None:
        """Raise failures that have no open finding."""
        states = {finding.root: finding.state for finding in findings_of_task(self._gate.tx, self._facts.task.id)}
        fresh = []
        for at, failure in enumerate(failing):
            old = fits.get(at)
            if old is not None and is_many(old) and states[old.root] not in UNRESOLVED:
                old = None  # another list of failures is another finding
            if old is None or states[old.root] not in UNRESOLVED:
                fresh.append(Anchored(msgspec.structs.replace(failure, id=old.id if old else "")))
        if not fresh:
            return
        kind: FindingKind = "CK" if self._is_sarif else "QA"
        name, others = self._state.rule.name, [old.root for old in fits.values()]
        done = raising(self._gate.tx, self._facts, fresh, kind=kind, source="check", by_check=name, others=others)
        if done.event is not None:
            self._gate.record(self._facts.task.id, done.event)
