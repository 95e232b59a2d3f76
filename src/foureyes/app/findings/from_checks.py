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
from foureyes.core import events as e
from foureyes.core.loop.fingerprint import Seen, match
from foureyes.core.nouns.check import KEPT_FAILURES, CheckResult, CheckState, ToolFinding
from foureyes.core.nouns.finding import UNRESOLVED, Finding, Found, Kind
from foureyes.core.rules.check_states import RAN
from foureyes.core.rules.facts import Facts

TITLE = 300


class FoundRow(msgspec.Struct, frozen=True):
    """What a tool's report named."""

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
        if result.outcome == "passed" and not known:
            continue
        kind: Kind = "CK" if state.rule.report == "sarif" else "QA"
        failing = [] if result.outcome == "passed" else _failing(gate.tx, state, result)
        _raise(gate, facts, state.rule.name, kind, failing, known)
        _clear(gate, facts, failing, _answered(gate.tx, state, result, known))


def _answered(tx: Tx, state: CheckState, result: CheckResult, known: list[Finding]) -> list[Finding]:
    """G1, L13: the findings that a run says something about; a test that did not run, or of which nothing is told, does
    not pass.
    """
    if result.outcome == "passed" or state.rule.report == "none":
        return known
    if not result.failing or len(result.failing) >= KEPT_FAILURES:
        return []
    if state.rule.report == "sarif":
        return known
    rows = tx.all("check.tests", TestList, digests=[result.tests]) if result.tests else []
    ran = {state.rule.name, *[name for row in rows for name in unpack(row.packed)]}
    return [finding for finding in known if finding.rule in ran]


def _failing(tx: Tx, state: CheckState, result: CheckResult) -> list[Found]:
    """What a failed check names: tests, a tool's findings, or only itself."""
    if state.rule.report == "sarif":
        rows = tx.all("check.found", FoundRow, seqs=[str(result.seq)])
        named = [tool for row in rows for tool in row.found]
        if named:
            return [_tool(tool) for tool in named]
    if state.rule.report == "junit" and result.failing:
        return [Found(severity="HIGH", title=f"failing test: {name}"[:TITLE], rule=name) for name in result.failing]
    why = f"check {state.rule.name} fails: {result.summary}"
    return [Found(severity="HIGH", title=f"check {state.rule.name} fails", problem=why, rule=state.rule.name)]


def _tool(tool: ToolFinding) -> Found:
    title = " ".join(tool.message.split())[:TITLE] or tool.rule or "finding"
    return Found(severity="HIGH", title=title, path=tool.path, line=tool.line, problem=tool.message, rule=tool.rule)


def _seen(failure: Found) -> Seen:
    return Seen(path=failure.path, rule=failure.rule, title=failure.title)


def _is(failure: Found, known: list[Finding]) -> Finding | None:
    """The known finding that a failure is: for tests and checks by name, for tools by place and message."""
    if not failure.path:
        return next((finding for finding in known if finding.rule == failure.rule and not finding.path), None)
    hit = match(_seen(failure), known, {})
    return next((finding for finding in known if finding.root == hit.root), None) if hit.root else None


def _raise(gate: Work, facts: Facts, check: str, kind: Kind, failing: list[Found], known: list[Finding]) -> None:
    """What fails and is not open yet: for the first time, or again."""
    fresh = []
    for failure in failing:
        old = _is(failure, known)
        if old is None or old.state not in UNRESOLVED:
            fresh.append(Anchored(msgspec.structs.replace(failure, id=old.id if old else "")))
    done = raising(gate.tx, facts, fresh, kind=kind, source="check", by_check=check) if fresh else None
    if done is not None and done.event is not None:
        gate.record(facts.task.id, done.event)


def _clear(gate: Work, facts: Facts, failing: list[Found], known: list[Finding]) -> None:
    """L8: resolved by the check that raised it."""
    still = {old.root for old in (_is(failure, known) for failure in failing) if old is not None}
    gone = tuple(finding.root for finding in known if finding.root not in still and finding.state in UNRESOLVED)
    if gone:
        gate.record(facts.task.id, e.FindingsCleared(iteration=facts.task.iteration, roots=gone, why="check"))
