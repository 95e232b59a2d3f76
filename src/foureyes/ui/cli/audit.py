"""`fe audit log|exceptions|verify|export|correct-author`."""

from __future__ import annotations

import click
import msgspec

from foureyes.app.views.journal import AuditReport, JournalRow
from foureyes.core.nouns.decision import NOTHING_KNOWN, Looked
from foureyes.core.words.text import flat
from foureyes.errors import VerificationFailed
from foureyes.steps import blank, fe, in_turn
from foureyes.ui.cli import diagnostics, output
from foureyes.ui.cli.command import PAGER, Session, reason_options, say, verb
from foureyes.ui.cli.store import show_progress


class DecisionLook(msgspec.Struct):
    """The reviewer's viewing of the change, as recorded with a decision. (H5)"""

    look: Looked = NOTHING_KNOWN
    batch: str = ""


@click.group("audit")
def audit() -> None:
    """Read, verify and export the journal."""


@verb("log", example="fe audit log --task fe-7k2")
@click.option("--task", help="Only rows about this task.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@PAGER
def audit_log(session: Session, task: str | None, limit: int, pager: bool) -> None:
    """Show the latest rows of the journal."""
    rows = session.app.audit.log(task=task, limit=limit)
    if session.json:
        output.write_lines(rows)
        return
    cells = [
        (
            str(row.seq),
            output.when(row.at),
            row.kind,
            row.task,
            row.session,
            row.hash[:8],
            output.shorten(how_it_was_seen(row) + row.payload, 80),
        )
        for row in rows
    ]
    from foureyes.ui.cli import paging

    text = output.table(("ROW", "WHEN", "KIND", "TASK", "SESSION", "HASH", "PAYLOAD"), cells) + "\n"
    paging.write(text, wanted=pager and session.actor.kind == "human")


def how_it_was_seen(row: JournalRow) -> str:
    """Return how the reviewer viewed the change, in parentheses, if that was measured. (H4)"""
    if '"look":{' not in row.payload:
        return ""
    decision = msgspec.json.decode(row.payload, type=DecisionLook)
    if decision.look.hunks is None:
        return ""
    batch = f"{decision.batch} in a batch, " if decision.batch else ""
    return f"({batch}{decision.look.words}) "


@verb("exceptions", example="fe audit exceptions")
@click.option("--limit", type=click.IntRange(1, 10_000), default=100, show_default=True)
def audit_exceptions(session: Session, limit: int) -> None:
    """List every exception, newest first: by whom, under which rule, why. Nothing clears this list."""
    rows, totals = session.app.audit.exceptions(limit), session.app.audit.exception_totals()
    if session.json:
        output.write_lines(rows)
        return
    if not rows:
        output.write("no exceptions on record")
        return
    output.write("   ".join(f"{total.kind} {total.n}" for total in totals))
    cells = [
        (f"#{row.seq}", output.when(row.at), row.kind, row.rule, row.task, row.session, row.reason) for row in rows
    ]
    output.write_raw(output.table(("ROW", "WHEN", "KIND", "RULE", "TASK", "SESSION", "REASON"), cells) + "\n")


@verb("correct-author", example='fe audit correct-author fe-7k2 ses-x3jd81wq -m "somebody else wrote the trailer"')
@click.argument("task")
@click.argument("name", metavar="SESSION")
@reason_options
def audit_clear_author(session: Session, task: str, name: str, reason: str) -> None:
    """Record that a commit trailer names a wrong session. People only. Claims and submissions are never cleared. (I8)"""
    say(session, session.app.attempts.clear_author(session.actor, task, name, reason))


@verb("verify", example="fe audit verify")
def audit_verify(session: Session) -> None:
    """Verify the journal and everything that is built from it. It checks the hash chain, the tables against a replay of
    the journal, the files that mirror it, that every attempt is kept, and that this is the store of the target. Exit
    code 6 if anything is wrong.
    """
    report = session.app.audit.verify(show_progress)
    if session.json:
        output.write_json({"ok": not report.findings, **output.plain(report)})
    elif not report.findings:
        signed = f", {output.count(report.signatures, 'signature')} held" if report.signatures else ""
        output.write(
            f"{report.rows} rows verified: chain whole, tables match the journal, {mirror_words(report)}"
            f"{signed}\nhead {report.head}"
        )
    if not session.json:
        for note in report.notes:
            diagnostics.talk(note)
    if report.findings and not session.json:
        for area in ("integrity", "completeness"):
            findings = [finding for finding in report.findings if finding.area == area]
            output.write(f"{area}: {'nothing wrong' if not findings else ''}".rstrip())
            for finding in findings:
                output.write(f"  {flat(finding.message)}")
        are = "1 thing is" if len(report.findings) == 1 else f"{len(report.findings)} things are"
        compare = in_turn(fe("store", "backup", blank("FILE")), fe("audit", "export"), joint=", then compare with ")
        raise VerificationFailed(f"{are} not what the journal says.", next_step=report.next or compare)
    if report.findings:
        raise SystemExit(VerificationFailed.exit_code)


def mirror_words(report: AuditReport) -> str:
    """Return how complete this machine's mirror of the exceptions is. (P8)"""
    if not report.has_mirror:
        return "mirror not here"
    behind = f"behind by {output.count(report.mirror_behind, 'row')}"
    return f"mirror {behind if report.mirror_behind else 'complete'}"


@verb("export", example="fe audit export > journal.jsonl")
def audit_export(session: Session) -> None:
    """Export the whole journal as JSON lines. Each row's hash can be checked without Foureyes (docs/concepts.md)."""
    output.write_lines(session.app.audit.export())


for _command in (audit_log, audit_exceptions, audit_verify, audit_export, audit_clear_author):
    audit.add_command(_command)
