"""What others found: SARIF, rdjson and handoffs in, SARIF out."""

from __future__ import annotations

import msgspec

from foureyes.app.call.caller import permit
from foureyes.app.call.context import Context
from foureyes.app.call.facts import facts_of
from foureyes.app.findings.answers import known_ids
from foureyes.app.findings.findings import at_an_attempt, end_approvals, everything, raise_all
from foureyes.app.findings.lookup import findings_of
from foureyes.app.findings.raising import Anchored, Code, anchor, code_of
from foureyes.app.tasks.escalation import escalate
from foureyes.core.documents.counts import summary_problems
from foureyes.core.documents.findings import lead_findings, resolved_of, status_problem
from foureyes.core.documents.reader import read
from foureyes.core.documents.shapes import TechLeadHandoff
from foureyes.core.loop.fingerprint import normal, words
from foureyes.core.nouns.finding import Finding, Found, Kind
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.facts import Facts
from foureyes.errors import BadInput
from foureyes.steps import NO_STEP, Steps, fe, prose


class Imported(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a tool's report."""

    task: str
    format: str
    raised: tuple[str, ...] = ()
    again: tuple[str, ...] = ()
    outside: int = 0
    resolved: tuple[str, ...] = ()
    message: str = ""
    next: Steps = NO_STEP


class Exchange:
    """Import and export."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def take_in(self, actor: Actor, task: str, document: bytes, name: str = "", *, whole: bool = False) -> Imported:
        """SARIF, rdjson, or a tech lead's handoff: found by somebody else, deduplicated, said by the caller."""
        permit(actor, "finding import")
        facts = at_an_attempt(self._context, actor, task)
        format_, found, kind, resolved = self._read(facts, document, name)
        assert facts.attempt is not None
        changed = {path for file in facts.attempt.files for path in (file.path, file.old_path) if path}
        mine = [one for one in found if whole or not one.path or one.path in changed]
        code = code_of(self._context, facts.attempt, mine)
        anchored = [_anchored(one, code) for one in mine]
        with self._context.writing(actor, "finding import") as work:
            me = self._context.party(work.tx, work.actor)
            now = facts_of(self._context, work.tx, facts.task.id, me)
            known = {one.root for one in findings_of(work.tx, now.task.id)}
            said_before = {
                _key(one)
                for one in findings_of(work.tx, now.task.id)
                if one.kind == kind and one.flagged == now.task.iteration
            }
            fresh = [one for one in anchored if _key(one.found) not in said_before]
            done = raise_all(work, now, fresh, kind=kind, source=format_, me=me)
            end_approvals(work, now)
            escalate(self._context, work, now.task.id)
        raised = done.event.findings if done.event else ()
        new, again = (
            tuple(one.id for one in raised if one.root not in known),
            tuple(one.id for one in raised if one.root in known),
        )
        out = len(found) - len(mine)
        said = f"{len(new)} new, {len(again)} known, {len(anchored) - len(raised)} unchanged, {out} outside the change"
        said += f"; called resolved, which is a ruling's to say: {', '.join(resolved)}" if resolved else ""
        return Imported(
            task=facts.task.id,
            format=format_,
            raised=new,
            again=again,
            outside=out,
            resolved=resolved,
            message=said,
            next=fe("finding", "list", facts.task.id, "--open"),
        )

    def _read(self, facts: Facts, document: bytes, name: str) -> tuple[str, list[Found], Kind, tuple[str, ...]]:
        if b'"issues"' in document[:200_000] and b'"runs"' not in document[:2_000]:
            handoff = read(document, TechLeadHandoff)
            found, notes, problems = lead_findings(handoff)
            resolved, more = resolved_of(handoff)
            problems += [*summary_problems(handoff), *more]
            wrong = status_problem(handoff.status, [one.severity for one in found], len(notes))
            problems += [wrong] if wrong else []
            if problems:
                raise BadInput(
                    "the handoff was refused, and nothing of it was stored.",
                    reasons=tuple(problems),
                    next_step=prose("mend these"),
                )
            with self._context.store.read() as tx:
                ours = known_ids(tx, facts.task.id, self._context.now())  # another tool's own numbers mean nothing here
            found = [one if one.id in ours else msgspec.structs.replace(one, id="") for one in found]
            return "handoff", found, "TL", tuple(resolved)
        format_, found = self._context.outside.read_findings(document, name)
        return format_, found, "CK", ()

    def export(self, task: str = "") -> bytes:
        """Findings as SARIF."""
        with self._context.store.read() as tx:
            rows = findings_of(tx, self._context.find_id(tx, task)) if task else everything(tx)
        return self._context.outside.write_sarif(rows)


def _anchored(found: Found, code: Code) -> Anchored:
    """Tools write things into their quotes that are nowhere in the code; then the place alone says where it is."""
    one = anchor(found, code)
    return anchor(msgspec.structs.replace(found, quote=""), code) if one.lost and found.quote else one


def _key(one: Finding | Found) -> tuple[str, ...]:
    """A report that is read twice for one attempt says nothing new the second time."""
    return (one.path, one.rule, one.severity, normal(one.quote), words(one.title))
