"""`fe finding list|show|add|answer|judge|waive|withdraw|track|apply|import|export`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from foureyes.core.nouns.finding import (
    ANSWERS,
    FINDING_INPUT,
    GROUNDS,
    RULINGS,
    SEVERITIES,
    WAIVED_DAYS,
    Answer,
    ReportedFinding,
    Ruling,
    severity_of,
)
from foureyes.core.words.ids import SEEN_FORM
from foureyes.errors import BadInput
from foureyes.steps import NO_STEP, blank, fe, one_of, phrase
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, reason_options, say, verb
from foureyes.ui.cli.files import is_file, read_document
from foureyes.ui.cli.text.cycle import issues_text
from foureyes.ui.cli.text.finding import finding_text, table_text
from foureyes.ui.steps import next_line

if TYPE_CHECKING:
    from foureyes.app.views.finding import FindingView


@click.group("finding")
def finding() -> None:
    """List, answer and judge findings. They come from reviewers and checks. (L)"""


@verb("list", example="fe finding list fe-7k2 --open")
@click.argument("task", required=False)
@click.option("--open", "open_only", is_flag=True, help="Only unsettled ones.")
@click.option("--blocking", is_flag=True, help="Only CRITICAL and HIGH.")
@click.option(
    "--concerns", "--flagged", is_flag=True, help="Reviewers' concerns and missing reviews instead. (R0 to R3)"
)
def finding_list(session: Session, task: str | None, open_only: bool, blocking: bool, concerns: bool) -> None:
    """List findings of a task or the project, oldest first."""
    if concerns:
        show_concerns(session)
        return
    rows = session.app.findings.listed(task or "", open_only=open_only, blocking=blocking)
    if session.json:
        output.write_lines(rows)
    else:
        output.write("\n".join([table_text(rows), *_first_step(session, rows)]))


def show_concerns(session: Session) -> None:
    """Print the concerns that reviewers raised about unfinished work."""
    concerns = session.app.cycles.issues()
    if session.json:
        output.write_lines(concerns)
    else:
        output.write(issues_text(concerns) or "nothing is flagged")


def _first_step(session: Session, rows: Sequence[FindingView]) -> list[str]:
    """Return the next step for the first finding that blocks an approval, or else for the first open one."""
    ordered = sorted((row for row in rows if row.open), key=lambda row: not row.holds)
    step = session.app.findings.show(session.actor, ordered[0].id).next if ordered else NO_STEP
    return [next_line(step)] if step else []


@verb("show", example="fe finding show TL-fe-7k2-1-001")
@click.argument("name", metavar="ID")
def finding_show(session: Session, name: str) -> None:
    """Show a finding, its answer, history and your options."""
    page = session.app.findings.show(session.actor, name)
    session.answer(page, finding_text(page))


@verb("add", example='fe finding add fe-7k2 src/limit.py:22 -m "limit is hard-coded"')
@click.argument("words", nargs=-1, required=True, metavar="[TASK] FILE[:LINE]")
@click.option("-m", "--title", required=True, help="What is wrong, in one line.")
@click.option(
    "--severity", default="high", show_default=True, help=f"{', '.join(word.lower() for word in SEVERITIES)}."
)
@click.option("--problem", default="", help="A longer description.")
@click.option("--fix", default="", help="What to do about it.")
@click.option("--why", default="", help="Why it matters.")
@click.option("--quote", default="", help="The code, quoted exactly.")
@click.option("--rule", default="", help="The rule it breaks.")
@click.option("--patch", default="", metavar="FILE", help="A unified diff that fixes it; - for stdin.")
@click.option("--again", default="", metavar="ID", help="The earlier finding that this repeats.")
def finding_add(session: Session, words: tuple[str, ...], severity: str, patch: str, again: str, **texts: str) -> None:
    """Add a finding to the latest attempt. CRITICAL and HIGH findings block. On a branch fe/TASK you can leave out the
    task.
    """
    task, place = _task_and_place(session, words)
    level = severity_of(severity)
    if level is None or level == "FYI":
        raise BadInput(
            f"severity {severity!r}: allowed are {', '.join(word.lower() for word in SEVERITIES)}.",
            next_step=fe("log", blank("TASK"), phrase("…"), after=", for a remark"),
        )
    path, line = _place(place)
    text = (
        read_document(session, patch, command=("finding", "add", blank("…"), "--patch")).decode(errors="replace")
        if patch
        else ""
    )
    given = ReportedFinding(severity=level, path=path, line=line, fix_patch=text, id=again.strip(), **texts)
    view = session.app.findings.add(session.actor, task, given)
    where = f" at {place}" if place else ""
    blocks = "it blocks" if view.blocking else "a note"
    lines = [f"added {view.id} {view.severity}{where}: {blocks}"]
    lines += (
        [f"  the same as {view.root}, flagged in {output.count(view.flags, 'attempt')}"] if view.root != view.id else []
    )
    lines += [f"  it could be {' or '.join(view.alike)}; if so, say --again ID (L2)"] if view.alike else []
    session.answer(view, "\n".join([*lines, next_line(view.next)]))


def _task_and_place(session: Session, words: tuple[str, ...]) -> tuple[str, str]:
    """Return task and place. A single word is a place in the branch's task, or a task."""
    if len(words) > 2:
        raise BadInput(
            "fe finding add takes a task and a place.",
            next_step=fe("finding", "add", blank("TASK"), blank("FILE:LINE"), "-m", phrase("…")),
        )
    if len(words) == 2:
        return words[0], words[1]
    here = session.app.findings.task_here()
    if here:
        return here, words[0]
    if any(mark in words[0] for mark in "./:"):
        raise BadInput(
            f"which task does {words[0]} belong to? This checkout is on no branch fe/TASK.",
            next_step=fe("finding", "add", blank("TASK"), words[0], "-m", phrase("…")),
        )
    return words[0], ""


def _place(text: str) -> tuple[str, int]:
    from foureyes.core.documents.findings import span_of

    place, problems = span_of(text, "the place")
    if problems:
        raise BadInput(problems[0].message, next_step=fe("finding", "add", blank("TASK"), "src/file.py:12", blank("…")))
    return place.path, place.line


def word_options(words: tuple[str, ...], says: dict[str, str]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add one flag per word. The function receives them as `word_…`."""

    def wrap(function: Callable[..., None]) -> Callable[..., None]:
        for word in reversed(words):
            name = word.lower().replace("_", "-")
            function = click.option(f"--{name}", f"word_{word}", is_flag=True, help=says[word])(function)
        return function

    return wrap


def _one_word(given: dict[str, Any], words: tuple[str, ...], command: str) -> str:
    chosen = [word for word in words if given.pop(f"word_{word}")]
    if len(chosen) > 1:
        raise BadInput(f"one answer at a time, not {' and '.join(chosen)}.", next_step=fe("finding", command, "--help"))
    return chosen[0] if chosen else ""


@verb("answer", example='fe finding answer TL-fe-7k2-1-001 --fixed -m "reads settings.rate_limit now"')
@click.argument("names", nargs=-1, required=True, metavar="ID... | TASK | FILE")
@word_options(
    ANSWERS,
    {
        "FIXED": "Fixed; -m says how.",
        "REJECTED": "The finding is wrong; -m gives the technical reason. A blocking one needs --ground.",
        "DEFERRED": "Fix it later; not for a blocking one.",
        "SKIPPED": "Will not fix; not for a blocking one.",
    },
)
@click.option("--ground", default="", help=f"{', '.join(GROUNDS)} (L7).")
@click.option("--commit", default="", metavar="SHA", help="The commit that fixes it.")
@click.option("--debt", default="", metavar="new|TASK", help="With --deferred: create a task for it, or name one.")
@click.option("--file", default="", metavar="FILE", help="A handoff_developer document with all answers; - for stdin.")
@reason_options
def finding_answer(
    session: Session, names: tuple[str, ...], ground: str, commit: str, debt: str, file: str, reason: str, **given: Any
) -> None:
    """Answer findings. One answer counts for all that are named; a document can hold all answers. All of them are
    recorded or none. (L6)
    """
    word = _one_word(given, ANSWERS, "answer")
    if not word:
        say(session, _answer_document(session, names, file))
        return
    if file:
        raise BadInput(
            "--file brings its own answers.", next_step=fe("finding", "answer", blank("TASK"), "--file", blank("FILE"))
        )
    answers = [
        Answer(finding=name, action=action, text=reason, ground=ground, commit=commit, debt=debt)
        for name in names
        for action in ANSWERS
        if action == word
    ]
    say(session, session.app.answers.respond(session.actor, "", answers))


def _answer_document(session: Session, names: tuple[str, ...], file: str) -> Any:
    """Submit a document of answers, given as `answer TASK --file FILE` or `answer FILE`."""
    is_id = FINDING_INPUT.fullmatch(names[0]) is not None
    if len(names) > 1 or is_id or not (file or is_file(session, names[0])):
        raise BadInput(
            "how is it answered? --fixed, --rejected, --deferred or --skipped.",
            next_step=fe("finding", "answer", names[0], "--fixed", "-m", phrase("…")),
        )
    document = read_document(session, file or names[0], command=("finding", "answer"))
    return session.app.answers.respond_document(session.actor, names[0] if file else "", document)


@verb("judge", example="fe finding judge TL-fe-7k2-1-001 --verified")
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@word_options(
    RULINGS,
    {
        "VERIFIED": "The finding is fixed.",
        "NOT_FIXED": "It is not fixed: open again, counted as a false fix.",
        "ACCEPTED": "The rejection is right.",
        "OVERRULED": "The rejection is wrong: it must be fixed.",
        "CONFIRMED": "Real, though its quote is nowhere in the code. (V7)",
        "DISMISSED": "Not real; its quote is nowhere in the code. (V7)",
        "OBSOLETE": "Its file is no longer part of the change. (L4)",
    },
)
@click.option("--take-back", is_flag=True, help="Withdraw your ruling, until the next submission. (L18)")
@click.option("--seen", default="", metavar=SEEN_FORM, help="The change you reviewed. (D7)")
@reason_options
def finding_judge(
    session: Session, names: tuple[str, ...], take_back: bool, seen: str, reason: str, **given: Any
) -> None:
    """Judge the answers to findings. For reviewers who could approve the work, never for its authors. All rulings are
    recorded or none. (L8, L9)
    """
    word = _one_word(given, RULINGS, "judge")
    if take_back == bool(word) or (take_back and len(names) > 1):
        what = "--take-back is about one ruling." if take_back else "which ruling?"
        raise BadInput(
            what,
            next_step=fe(
                "finding", "judge", names[0], one_of("--verified", "--not-fixed", "--accepted", "--overruled")
            ),
        )
    if take_back:
        say(session, session.app.rulings.take_back(session.actor, names[0]))
        return
    rulings = [Ruling(name, ruling, reason) for name in names for ruling in RULINGS if ruling == word]
    say(session, session.app.rulings.rule(session.actor, rulings, seen=seen))


@verb("waive", example='fe finding waive TL-fe-7k2-1-001 --days 14 -m "the limit is configured in the next release"')
@click.argument("name", metavar="ID")
@click.option("--days", type=int, default=WAIVED_DAYS, show_default=True, help="How long it is valid.")
@reason_options
def finding_waive(session: Session, name: str, days: int, reason: str) -> None:
    """Let a blocking finding pass for a limited time. For people who are not authors of the change. It stays on every
    report. (E3)
    """
    say(session, session.app.findings.waive(session.actor, name, reason, days=days))


@verb("withdraw", example='fe finding withdraw TL-fe-7k2-1-001 -m "the caller checks it, I had not seen that"')
@click.argument("name", metavar="ID")
@reason_options
def finding_withdraw(session: Session, name: str, reason: str) -> None:
    """Withdraw a finding that you raised. It stays on record. Authors of a change can never withdraw a blocking
    finding. (L4)
    """
    say(session, session.app.rulings.withdraw(session.actor, name, reason))


@verb("track", example="fe finding track --task fe-7k2")
@click.argument("names", nargs=-1, metavar="[ID]...")
@click.option("--task", default="", help="Every open note of this task.")
def finding_track(session: Session, names: tuple[str, ...], task: str) -> None:
    """Create follow-up tasks from notes. The same note gives the same task again. (L16)"""
    if not names and not task:
        raise BadInput(
            "which notes?", next_step=fe("finding", "track", blank("ID"), after=", or --task TASK for all of a task")
        )
    say(session, session.app.findings.track(session.actor, names, task=task))


@verb("apply", example="fe finding apply TL-fe-7k2-1-001 --try")
@click.argument("name", metavar="ID")
@click.option("--try", "only_try", is_flag=True, help="Only check whether it applies.")
def finding_apply(session: Session, name: str, only_try: bool) -> None:
    """Apply the patch of a finding to your files. It applies as a whole or not at all; you commit it. (L3)"""
    say(session, session.app.findings.apply(session.actor, name, only_try=only_try))


@verb("import", example="fe finding import fe-7k2 scan.sarif")
@click.argument("task")
@click.argument("file")
@click.option("--all", "whole", is_flag=True, help="Include findings outside the change.")
def finding_import(session: Session, task: str, file: str, whole: bool) -> None:
    """Import a tool's findings (SARIF). They are added to the latest attempt. `-` reads stdin. A tech lead's handoff is
    a review: `fe import handoff`.
    """
    document = read_document(session, file, command=("finding", "import", task))
    done = session.app.exchange.take_in(session.actor, task, document, "" if file == "-" else file, whole=whole)
    lines = [done.message, *[f"  {name}" for name in (*done.raised, *done.again)]]
    session.answer(done, "\n".join([*lines, next_line(done.next)]))


@verb("export", example="fe finding export fe-7k2 > findings.sarif")
@click.argument("task", required=False)
def finding_export(session: Session, task: str | None) -> None:
    """Export findings as SARIF. Of one task, or of the whole project."""
    output.write_raw(session.app.exchange.export(task or "").decode().rstrip("\n") + "\n")


for command in (
    finding_list,
    finding_show,
    finding_add,
    finding_answer,
    finding_judge,
    finding_waive,
    finding_withdraw,
    finding_track,
    finding_apply,
    finding_import,
    finding_export,
):
    finding.add_command(command)
