"""`fe audit log|verify|correct-author`."""

from __future__ import annotations

import click
import msgspec

from foureyes.app.results.journal import AuditReport, JournalRow
from foureyes.core.nouns.decision import Viewing
from foureyes.core.words.text import flat
from foureyes.errors import VerificationFailed
from foureyes.steps import blank, fe, in_turn
from foureyes.ui.cli import diagnostics, output
from foureyes.ui.cli.command import PAGER, Session, reason_options, say, verb
from foureyes.ui.cli.store import show_progress


@click.group("audit")
def audit() -> None:
    """Read, verify and export the journal."""


@verb(
    "log",
    example="fe audit log --task fe-7k2\nfe audit log --exceptions\nfe audit log --export > journal.jsonl",
    modes={"exceptions": ("limit",), "export": (), "": ("limit", "task", "pager")},
)
@click.option("--task", help="Only rows about this task.")
@click.option("--exceptions", is_flag=True, help="Only exceptions to the rules: who made them, and why.")
@click.option("--export", is_flag=True, help="The whole journal as JSON lines, for other programs.")
@click.option(
    "--limit",
    type=click.IntRange(1, 10_000),
    default=100,
    show_default=True,
    metavar="N",
    help="Maximum number of rows.",
)
@PAGER
def audit_log(session: Session, task: str | None, exceptions: bool, export: bool, limit: int, pager: bool) -> None:
    """Show the latest rows of the journal. Nothing clears the list of exceptions. Each row's hash in an export can be
    checked without Foureyes (docs/concepts.md).
    """
    if exceptions:
        show_exceptions(session, limit)
        return
    if export:
        output.write_lines(session.app.audit.export())
        return
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
    if '"viewed":{' not in row.payload:
        return ""
    decision = msgspec.json.decode(row.payload)
    viewed, batch = msgspec.convert(decision["viewed"], Viewing), decision.get("batch", "")
    if viewed.hunks is None:
        return ""
    return f"({f'{batch} in a batch, ' if batch else ''}{viewed.words}) "


def show_exceptions(session: Session, limit: int) -> None:
    """Print the exceptions, newest first, and the total of each kind."""
    rows, totals = session.app.audit.exceptions(limit), session.app.audit.exception_totals()
    if session.json:
        output.write_lines(rows)
        return
    if not rows:
        output.write("no exceptions recorded")
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
def audit_correct_author(session: Session, task: str, name: str, reason: str) -> None:
    """Record that a commit trailer names a wrong session. People only. Claims and submissions are never cleared. (I8)"""
    say(session, session.app.attempts.correct_author(session.actor, task, name, reason))


@verb("verify", example="fe audit verify")
def audit_verify(session: Session) -> None:
    """Verify the journal and everything built from it. It checks the hash chain, replays the tables, and checks
    mirrored files, kept attempts and that this is the store of the target. Exit code 6 if anything is wrong.
    """
    report = session.app.audit.verify(show_progress)
    if session.json:
        output.write_json({"ok": not report.findings, **output.plain(report)})
    elif not report.findings:
        signed = f", {output.count(report.signatures, 'signature')} held" if report.signatures else ""
        output.write(
            f"{report.rows} rows verified: the chain is intact, the tables match the journal, {mirror_words(report)}"
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
        compare = in_turn(
            fe("store", "backup", blank("FILE")), fe("audit", "log", "--export"), joint=", then compare with "
        )
        raise VerificationFailed(f"{are} not as the journal says.", next_step=report.next or compare)
    if report.findings:
        raise SystemExit(VerificationFailed.exit_code)


def mirror_words(report: AuditReport) -> str:
    """Return how complete this machine's mirror of the exceptions is. (P8)"""
    if not report.has_mirror:
        return "mirror not here"
    behind = f"behind by {output.count(report.mirror_behind, 'row')}"
    return f"mirror {behind if report.mirror_behind else 'complete'}"


for _command in (audit_log, audit_verify, audit_correct_author):
    audit.add_command(_command)
