"""Findings of checks (L8, L13): a required check that fails raises what failed, and resolves it when it passes.
Level-triggered.
"""

from __future__ import annotations

import msgspec

from foureyes.app.call.facts import TestList
from foureyes.app.call.test_names import unpack
from foureyes.app.call.work import Work
from foureyes.app.findings.lookup import findings_of
from foureyes.app.findings.raising import Anchored, raising
from foureyes.app.ports import Tx
from foureyes.app.views.finding import MoveView
from foureyes.core import events as e
from foureyes.core.loop.failing_checks import assigned, failing_of, is_many, named_in, was_mended
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.check import KEPT_FAILURES, CheckResult, CheckState, ToolFinding
from foureyes.core.nouns.finding import Finding, FindingKind, ReportedFinding
from foureyes.core.nouns.finding_state import UNRESOLVED
from foureyes.core.rules.check_states import RAN
from foureyes.core.rules.facts import Facts
from foureyes.core.words.test_names import pairs


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
        known = [finding for finding in findings_of(gate.tx, facts.task.id) if finding.by_check == state.rule.name]
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
        states = {finding.root: finding.state for finding in findings_of(self._gate.tx, self._facts.task.id)}
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
