"""Findings on record: looked up, raised by reviewers (L2, L9, L10, V7) and by checks (L8, L13)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import msgspec

from foureyes.app.context import Context, Count, Work
from foureyes.app.facts import TestList
from foureyes.app.ports import Tx
from foureyes.app.test_names import unpack
from foureyes.app.views.finding import MoveView, NoteRow
from foureyes.core import events as e
from foureyes.core.events.loop import FindingsRaised
from foureyes.core.loop.answers import state_again, why_not_again
from foureyes.core.loop.failures import assigned, failing_of, is_many, named_in, was_mended
from foureyes.core.loop.fingerprint import FindingTraits, by_place, find_quote, line_at, match, normal, symbol_at, words
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.check import KEPT_FAILURES, CheckResult, CheckState, ToolFinding
from foureyes.core.nouns.finding import SEVERITIES, Finding, FindingKind, Raised, ReportedFinding, stem
from foureyes.core.nouns.finding_state import UNRESOLVED
from foureyes.core.nouns.session import Party
from foureyes.core.rules.check_states import RAN
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import made_by
from foureyes.core.words.fence import named
from foureyes.core.words.ids import TaskId
from foureyes.core.words.test_names import pairs
from foureyes.errors import BadInput, NotFound, Reason
from foureyes.steps import blank, fe, one_of, prose

# ---- Raising findings (L2, L9, L10, V7) ----


class AnchorTexts(msgspec.Struct, frozen=True):
    """The texts that findings are anchored in: of the attempt's head and of its base."""

    head: Mapping[str, str] = {}
    base: Mapping[str, str] = {}


class Anchored(msgspec.Struct, frozen=True):
    """A finding with where it is. `lost`: neither its quote nor its place is in base or head (V7). `head`: where it was
    sought.
    """

    finding: ReportedFinding
    symbol: str = ""
    lost: bool = False
    head: Mapping[str, str] = {}


class Raising(msgspec.Struct, frozen=True, kw_only=True):
    """What findings come to: the event, and what is against it."""

    event: FindingsRaised | None = None
    refused: tuple[Reason, ...] = ()
    lost: tuple[Reason, ...] = ()


def code_of(context: Context, attempt: Attempt | None, findings: Sequence[ReportedFinding]) -> AnchorTexts:
    """The texts, in head and base, of the files that the findings name or that the findings they repeat name (L9). All
    changed files where a finding has a quote and no path.
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
    return AnchorTexts(head, silent | base)  # what has no text (a key, an image) is a place all the same


def _paths_named(context: Context, ids: Sequence[str]) -> set[str]:
    """Where the findings are that ids name (L9: whether the code there has changed)."""
    if not ids:
        return set()
    with context.store.read() as tx:
        rows = [tx.one("finding.one", Finding, id=name) for name in ids]
    return {row.path for row in rows if row is not None and row.path}


def anchor(finding: ReportedFinding, code: AnchorTexts) -> Anchored:
    """V7: by its quote, white space aside; without one by its place."""
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
    """L2: the event with which findings are recorded. What was rejected and accepted stays so (L9).

    Who made the work (`me`) may find something new in it, and does not tell again what others found. `others`: roots
    that are known to be none of these.
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
            often = f"{finding.id} is named {named[old.root]} times; a finding is flagged once in one go"
            wrong = Reason("L2", often, prose("leave one of them"))
        if old is not None and wrong is None:
            wrong = _not_yours(old) if is_maker else why_not_again(old, finding, code_changed=_is_other_code(old, each))
        if wrong is not None:
            refused.append(msgspec.structs.replace(wrong, message=f"{where}[{n}]: {wrong.message}"))
            continue
        if each.lost:
            lost.append(
                Reason("V7", f"{where}[{n}]: {_lost(finding)}", prose("quote the code as it is in base or head"))
            )
        taken.add(old.root if old else "")
        raised.append(_raised(each, names.next(), old, alike, attempt.n))
    event = FindingsRaised(iteration=attempt.n, kind=kind, source=source, findings=tuple(raised), by_check=by_check)
    return Raising(event=event if raised else None, refused=tuple(refused), lost=tuple(lost))


def _once(anchored: Sequence[Anchored], kind: FindingKind) -> list[tuple[int, Anchored]]:
    """What is said twice in one breath is one finding, at its worst; the same words about two places are two."""
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
    """L2: what a tool knows several of its results by, at different places, says of none which it is."""
    places = {(each.finding.mark, each.finding.path, each.finding.line) for each in anchored if each.finding.mark}
    often = {mark for mark, n in Counter(mark for mark, _, _ in places).items() if n > 1}
    return [_unmarked(each) if each.finding.mark in often else each for each in anchored]


def _unmarked(each: Anchored) -> Anchored:
    return msgspec.structs.replace(each, finding=msgspec.structs.replace(each.finding, mark=""))


def _named(tx: Tx, anchored: Sequence[Anchored]) -> Counter[str]:
    """How often each root is named by an id of it; what is named is not guessed for another."""
    rows = [tx.one("finding.one", Finding, id=each.finding.id) for each in anchored if each.finding.id]
    return Counter(row.root for row in rows if row is not None)


def _is_other_code(old: Finding, new: Anchored) -> bool:
    """L9: whether the code that the old finding quotes is gone from the head. Where its file cannot be read there,
    whether both findings quote code, and different code.
    """
    before, after = normal(old.quote), normal(new.finding.quote)
    if before and old.path in new.head:
        return not find_quote(old.quote, new.head[old.path])
    return bool(before) and bool(after) and before != after


def _is_anothers(old: Finding, new: ReportedFinding, me: Party | None, attempt: int) -> bool:
    """L2: two reviewers of one attempt, at one place, in different words: two findings, shown as alike. What one says
    never takes the place of what another one said.
    """
    is_alone = old.kind != "TL" or me is None or old.session == me.session or old.flagged != attempt
    return not is_alone and not new.rule and words(old.title) != words(new.title)


def _not_yours(old: Finding) -> Reason:
    """L2: a finding that its author may reword is a finding no more."""
    why = f"{old.id} is known already. An author answers it, and does not report it again."
    return Reason("L2", why, fe("finding", "answer", old.id, one_of("--fixed", "--rejected")))


def _lost(finding: ReportedFinding) -> str:
    if finding.quote.strip():
        return f"the quote of {finding.title!r} is neither in base nor in head"
    return f"{named(f'{finding.path}:{finding.line}')} of {finding.title!r} is neither in base nor in head"


def _known(
    tx: Tx,
    facts: Facts,
    anchored: Anchored,
    known: Sequence[Finding],
    renames: Mapping[str, str],
    taken: set[str],
    root: str,
) -> tuple[Finding | None, tuple[str, ...], Reason | None]:
    """The finding that this one is: by the id it names, as the one at its place (`root`), or by its fingerprint; or
    those it could be. Of a tool's, which says the same of each, it is the nearest.
    """
    new = anchored.finding
    by_root = {finding.root: finding for finding in known}
    if new.id:
        row = tx.one("finding.one", Finding, id=new.id)
        if row is None or row.task != facts.task.id or row.root not in by_root:
            return (
                None,
                (),
                Reason("L2", f"{new.id} is no finding of {facts.task.id}", fe("finding", "list", facts.task.id)),
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
    """L9: only the words are those of a settled finding: its own code is there as it was, and this is about other
    code.
    """
    before, after = normal(old.quote), normal(new.finding.quote)
    if old.ruling != "ACCEPTED" or not before or not after or before in after or after in before:
        return False
    return old.path in new.head and not _is_other_code(old, new)


def is_beyond_waiver(old: Finding, new: Anchored) -> bool:
    """E3: a waiver is for the code that it was given for: that is there still, and this is about it. The same line
    again in another function is other code.
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
    ):  # E3: what is not settled is not talked down by saying it again
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
    """L2: ids in the order in which they are given out, within one transaction."""

    def __init__(self, tx: Tx, stem: str) -> None:
        last = tx.one("finding.last_n", Count, stem=stem)
        self._stem, self._n = stem, last.n if last else 0

    def next(self) -> str:
        self._n += 1
        return f"{self._stem}{self._n:03}"


# ---- Finding findings ----


def findings_of_task(tx: Tx, task: str) -> list[Finding]:
    """Every finding of a task, oldest first."""
    return tx.all("finding.of_task", Finding, task=task)


def open_blocking(tx: Tx, task: str, now: str) -> list[Finding]:
    """D2: the blocking findings of a task that hold now; what a check raised, the check itself says (D5)."""
    return [finding for finding in findings_of_task(tx, task) if finding.holds(now) and not finding.by_check]


def waivers_in_words(tx: Tx, tasks: Sequence[str]) -> tuple[str, ...]:
    """E3: a waiver stays on every report."""
    rows = tx.all("finding.waivers", NoteRow, ids=list(tasks))
    return tuple(f"{row.task}: {row.id} is waived until {row.until[:10]} (E3)" for row in rows)


def finding_named(tx: Tx, name: str) -> Finding:
    """The finding that an id means, of whatever iteration."""
    from foureyes.core.words.text import visible

    finding = tx.one("finding.one", Finding, id=name.strip())
    if finding is None:
        raise NotFound(f"no finding {visible(name)[:100]}.", next_step=fe("finding", "list", blank("TASK")))
    return finding


def one_task(tx: Tx, names: Sequence[str]) -> TaskId:
    """Rulings and answers of one call are about one task."""
    tasks = {finding_named(tx, name).task for name in names}
    if len(tasks) > 1:
        raise BadInput(
            f"these findings are of {len(tasks)} tasks: {', '.join(sorted(tasks))}.",
            next_step=prose("one call per task"),
        )
    return TaskId(tasks.pop())


# ---- Findings of checks (L8, L13) ----


class FoundRow(msgspec.Struct, frozen=True):
    """What a report named, with its words and places."""

    seq: int
    found: list[ToolFinding] = []


def note_failures(gate: Work, facts: Facts, checked: tuple[CheckState, ...]) -> None:
    """Each required check with a result that counts: new failures are raised, what no longer fails is resolved."""
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
            continue  # what did not run to its end, or on other code, says nothing, for better or worse (G1)
        known = [finding for finding in findings_of_task(gate.tx, facts.task.id) if finding.by_check == state.rule.name]
        if result.outcome != "passed" or known:
            _Noting(gate, facts, state, result, known).note()


class _Noting:
    """One look at one result."""

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
        if not self._state.red_before:  # what the target fails, too, is no finding of the task
            self._refute(still)
            self._raise(failing, fits)

    def _failing(self) -> list[ReportedFinding]:
        """What a failed check names: tests, a tool's findings, or only itself."""
        failures = named_in(self._result, self._told(self._result), by_name=not self._is_sarif)
        if self._result.failures > len(failures) and not self._is_sarif:
            words = {each.rule: each for each in failures}
            failures = [words.get(name) or ToolFinding(name, "error", "", 0, "") for name in self._result.failing]
        attempt = self._facts.attempt
        assert attempt is not None
        return failing_of(self._state.rule, self._result, failures, attempt.n, self._state.no_baseline)

    def _told(self, result: CheckResult) -> list[ToolFinding]:
        if self._state.rule.report == "none":
            return []
        rows = self._gate.tx.all("check.found", FoundRow, seqs=[str(result.seq)])
        return [tool for row in rows for tool in row.found]

    @staticmethod
    def _tests_of(tx: Tx, result: CheckResult) -> frozenset[str]:
        rows = tx.all("check.tests", TestList, digests=[result.tests]) if result.tests else []
        return frozenset(name for row in rows for name in unpack(row.packed))

    def _clear(self, still: set[str]) -> None:
        """L8: resolved by the check that raised it."""
        gone = tuple(
            finding.root
            for finding in self._known
            if finding.state in UNRESOLVED and self._is_answered(finding) and not self._fails_still(finding, still)
        )
        if gone:
            iteration = self._facts.task.iteration
            self._gate.record(self._facts.task.id, e.FindingsCleared(iteration=iteration, roots=gone, why="check"))

    def _refute(self, still: set[str]) -> None:
        """L8: what was claimed fixed, and fails in the attempt or run after that, is not fixed."""
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
        """Whether the attempt was submitted, or the check ran, after the finding was answered."""
        moves = self._gate.tx.all("finding.moves_of", MoveView, root=finding.root)
        answer = next(move for move in reversed(moves) if move.kind == "answered" and not move.undone)
        attempt = self._facts.attempt
        assert attempt is not None
        return answer.seq < self._result.seq or answer.at <= attempt.submitted_at

    def _is_answered(self, finding: Finding) -> bool:
        """G1, L13: whether a run says something about a finding; a test that did not run, or of which nothing is told,
        does not pass.
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
        failures = self._told(before) if before else []
        return before is None or not was_mended(before, self._whole, self._ran, failures, self._told(self._whole))

    def _before(self, finding: Finding) -> CheckResult | None:
        """L13: the run that a list of failures is from."""
        tx, task = self._gate.tx, self._facts.task.id
        trees = [
            attempt.tree for attempt in tx.all("attempt.of_task", Attempt, task=task) if attempt.n == finding.flagged
        ]
        rows = tx.all("check.of_trees", CheckResult, trees=trees)
        name, seq = self._state.rule.name, self._result.seq
        return next((row for row in reversed(rows) if row.name == name and row.seq < seq and row.failing), None)

    def _raise(self, failing: list[ReportedFinding], fits: dict[int, Finding]) -> None:
        """What fails and is not open yet: for the first time, or again."""
        states = {finding.root: finding.state for finding in findings_of_task(self._gate.tx, self._facts.task.id)}
        fresh = []
        for at, failure in enumerate(failing):
            old = fits.get(at)
            if old is not None and is_many(old) and states[old.root] not in UNRESOLVED:
                old = None  # a list of other failures is another finding
            if old is None or states[old.root] not in UNRESOLVED:
                fresh.append(Anchored(msgspec.structs.replace(failure, id=old.id if old else "")))
        if not fresh:
            return
        kind: FindingKind = "CK" if self._is_sarif else "QA"
        name, others = self._state.rule.name, [old.root for old in fits.values()]
        done = raising(self._gate.tx, self._facts, fresh, kind=kind, source="check", by_check=name, others=others)
        if done.event is not None:
            self._gate.record(self._facts.task.id, done.event)
