"""SARIF reports: import into findings, and export of findings."""

from __future__ import annotations

import msgspec

from foureyes.app.context import Context, permit
from foureyes.app.facts import facts_of
from foureyes.app.findings.findings import at_an_attempt, end_approvals, everything, raise_all
from foureyes.app.findings.raising import Anchored, AnchorTexts, anchor, code_of, findings_of_task
from foureyes.app.tasks.escalation import escalate
from foureyes.app.work.remote_attempts import bring
from foureyes.core.loop.fingerprint import normal, words
from foureyes.core.nouns.finding import Finding, ReportedFinding, most_of
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.facts import Facts
from foureyes.steps import NO_STEP, Steps, fe


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """Result of an import."""

    task: str
    raised: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    outside: int = 0
    message: str = ""
    next: Steps = NO_STEP


class Exchange:
    """Import and export of SARIF."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def take_in(self, actor: Actor, task: str, document: bytes, name: str = "", *, whole: bool = False) -> Imported:
        """Import a SARIF report as findings of the caller.

        Known findings are not repeated. Those outside the change are skipped, unless `whole`.
        """
        permit(actor, "finding import")
        facts = at_an_attempt(self._context, actor, task)
        findings = self._read(facts, document, name)
        assert facts.attempt is not None
        changed = {path for file in facts.attempt.files for path in (file.path, file.old_path) if path}
        mine = [finding for finding in findings if whole or not finding.path or finding.path in changed]
        bring(self._context, facts.task.id)
        code = code_of(self._context, facts.attempt, mine)
        anchored = [_anchored(finding, code) for finding in mine]
        with self._context.writing(actor, "finding import") as work:
            me = self._context.party(work.tx, work.actor)
            now = facts_of(self._context, work.tx, facts.task.id, me)
            known = findings_of_task(work.tx, now.task.id)
            before = {_key(row) for row in known if row.kind == "CK" and row.flagged == now.task.iteration}
            fresh = [each for each in anchored if _key(each.finding) not in before]
            done = raise_all(work, now, fresh, kind="CK", source="sarif", me=me)
            end_approvals(work, now)
            escalate(self._context, work, now.task.id)
        raised = done.event.findings if done.event else ()
        roots = {finding.root for finding in known}
        new = tuple(finding.id for finding in raised if finding.root not in roots)
        again = tuple(finding.id for finding in raised if finding.root in roots)
        out = len(findings) - len(mine)
        message = (
            f"{len(new)} new, {len(again)} known, {len(anchored) - len(raised)} unchanged, {out} outside the change"
        )
        return Imported(
            task=facts.task.id,
            raised=new,
            again=again,
            outside=out,
            message=message,
            next=fe("finding", "list", facts.task.id, "--open"),
        )

    def _read(self, facts: Facts, document: bytes, name: str) -> list[ReportedFinding]:
        attempt = facts.attempt
        assert attempt is not None
        with self._context.store.read() as tx:
            most = most_of(self._context.gate_policy(tx).linters)
        paths = lambda: self._context.workshop.files_of(attempt.head)  # noqa: E731
        return self._context.outside.read_findings(document, name, paths, most)

    def export(self, task: str = "") -> bytes:
        """Return the findings as SARIF."""
        with self._context.store.read() as tx:
            rows = findings_of_task(tx, self._context.find_id(tx, task)) if task else everything(tx)
        return self._context.outside.write_sarif(rows)


def _anchored(finding: ReportedFinding, code: AnchorTexts) -> Anchored:
    """Anchor a finding in the code by its quote, or by its place alone if the quote is not there."""
    anchored = anchor(finding, code)
    return anchor(msgspec.structs.replace(finding, quote=""), code) if anchored.lost and finding.quote else anchored


def _key(finding: Finding | ReportedFinding) -> tuple[str, ...]:
    """Return the identity of a finding. Importing a report twice then adds nothing."""
    place = str(finding.line) if finding.path else finding.problem
    return (finding.path, place, finding.rule, finding.severity, normal(finding.quote), words(finding.title))
