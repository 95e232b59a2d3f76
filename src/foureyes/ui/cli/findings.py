"""`fe finding list|show|add|answer|judge|waive|import|export`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click
import msgspec

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
    from foureyes.app.results.finding import FindingView


@click.group("finding")
def finding() -> None:
    """List, answer and judge findings. They come from reviewers and checks. (L)"""


@verb(
    "list",
    example="fe finding list fe-7k2 --open",
    modes={"concerns": (), "": ("task", "open_only", "blocking")},
)
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
        output.write(issues_text(concerns) or "no concerns and no missing reviews")


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
@click.option("--patch", default="", metavar="FILE", help="A unified diff that fixes it. `-` reads stdin.")
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
        [f"  the same as {view.root}, raised in {output.count(view.flags, 'attempt')}"] if view.root != view.id else []
    )
    lines += [f"  it may be the same as {' or '.join(view.alike)}. If so, add --again ID (L2)"] if view.alike else []
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
            f"name the task of {words[0]}, because this checkout is not on a branch fe/TASK.",
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


def _one_word(given: dict[str, Any], words: tuple[str, ...]) -> str:
    return next((word for word in words if given[f"word_{word}"]), "")


@verb(
    "answer",
    example='fe finding answer TL-fe-7k2-1-001 --fixed -m "reads settings.rate_limit now"\n'
    "fe finding answer TL-fe-7k2-1-001 --apply --try\nfe finding answer --track --task fe-7k2",
    modes={
        **dict.fromkeys([f"word_{word}" for word in ANSWERS], ("ground", "commit", "debt")),
        "file": (),
        "track": ("task",),
        "apply": ("only_try",),
    },
)
@click.argument("names", nargs=-1, metavar="ID... | TASK | FILE")
@word_options(
    ANSWERS,
    {
        "FIXED": "Fixed, as -m says.",
        "REJECTED": "The finding is wrong, for the technical reason in -m. A blocking one needs --ground.",
        "DEFERRED": "Fix it later. Not for a blocking one.",
        "SKIPPED": "Will not fix. Not for a blocking one.",
    },
)
@click.option("--ground", default="", help=f"{', '.join(GROUNDS)} (L7).")
@click.option("--commit", default="", metavar="SHA", help="The commit that fixes it.")
@click.option("--debt", default="", metavar="new|TASK", help="With --deferred: create a task for it, or name one.")
@click.option(
    "--file", default="", metavar="FILE", help="A handoff_developer document with all answers. `-` reads stdin."
)
@click.option("--track", is_flag=True, help="No answer: create follow-up tasks from these notes, once each. (L16)")
@click.option("--task", default="", metavar="TASK", help="With --track: every open note of this task.")
@click.option(
    "--apply", is_flag=True, help="No answer yet: apply the finding's patch to your files, all or nothing. (L3)"
)
@click.option("--try", "only_try", is_flag=True, help="With --apply: only check whether it applies.")
@reason_options
def finding_answer(
    session: Session,
    names: tuple[str, ...],
    ground: str,
    commit: str,
    debt: str,
    file: str,
    track: bool,
    task: str,
    apply: bool,
    only_try: bool,
    reason: str,
    **given: Any,
) -> None:
    """Answer findings. One answer counts for all named findings. A document can hold several answers. All are
    recorded or none. (L6)
    """
    if not (names or task) or (apply and len(names) > 1):
        what = "one patch at a time." if names else "which findings?"
        raise BadInput(what, next_step=fe("finding", "list", "--open"))
    if track:
        say(session, session.app.findings.track(session.actor, names, task=task))
        return
    if apply:
        say(session, session.app.findings.apply(session.actor, names[0], only_try=only_try))
        return
    word = _one_word(given, ANSWERS)
    if not word:
        say(session, _answer_document(session, names, file))
        return
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
            "give an answer: --fixed, --rejected, --deferred or --skipped.",
            next_step=fe("finding", "answer", names[0], "--fixed", "-m", phrase("…")),
        )
    document = read_document(session, file or names[0], command=("finding", "answer"))
    return session.app.answers.respond_document(session.actor, names[0] if file else "", document)


@verb(
    "judge",
    example="fe finding judge TL-fe-7k2-1-001 --verified\n"
    'fe finding judge TL-fe-7k2-1-001 --withdraw -m "the caller checks it"',
    modes={
        **dict.fromkeys([f"word_{word}" for word in RULINGS], ("seen",)),
        "take_back": (),
        "withdraw": (),
    },
)
@click.argument("names", nargs=-1, required=True, metavar="ID...")
@word_options(
    RULINGS,
    {
        "VERIFIED": "The finding is fixed.",
        "NOT_FIXED": "It is not fixed. It is open again, and counts as a false fix.",
        "ACCEPTED": "The rejection is right.",
        "OVERRULED": "The rejection is wrong. It must be fixed.",
        "CONFIRMED": "Real, though its quote is nowhere in the code. (V7)",
        "DISMISSED": "Not real, and its quote is nowhere in the code. (V7)",
        "OBSOLETE": "Its file is no longer part of the change. (L4)",
    },
)
@click.option("--take-back", is_flag=True, help="Withdraw your ruling, until the next submission. (L18)")
@click.option("--withdraw", is_flag=True, help="Withdraw a finding that you raised. It stays on record. (L4)")
@click.option("--seen", default="", metavar=SEEN_FORM, help="The change you reviewed. (D7)")
@reason_options
def finding_judge(
    session: Session,
    names: tuple[str, ...],
    take_back: bool,
    withdraw: bool,
    seen: str,
    reason: str,
    **given: Any,
) -> None:
    """Judge the answers to findings. For reviewers who could approve the work, never for its authors. All rulings are
    recorded or none. Authors of a change can never withdraw a blocking finding. (L8, L9)
    """
    word = _one_word(given, RULINGS)
    is_one = take_back or withdraw
    if not (word or is_one) or (is_one and len(names) > 1):
        what = "one finding at a time." if is_one else "which ruling?"
        raise BadInput(
            what,
            next_step=fe(
                "finding", "judge", names[0], one_of("--verified", "--not-fixed", "--accepted", "--overruled")
            ),
        )
    if take_back:
        say(session, session.app.rulings.take_back(session.actor, names[0]))
        return
    if withdraw:
        say(session, session.app.rulings.withdraw(session.actor, names[0], reason))
        return
    rulings = [Ruling(name, ruling, reason) for name in names for ruling in RULINGS if ruling == word]
    say(session, session.app.rulings.rule(session.actor, rulings, seen=seen))


@verb("waive", example='fe finding waive TL-fe-7k2-1-001 --days 14 -m "the limit is configured in the next release"')
@click.argument("name", metavar="ID")
@click.option("--days", type=int, metavar="N", default=WAIVED_DAYS, show_default=True, help="How long it is valid.")
@reason_options
def finding_waive(session: Session, name: str, days: int, reason: str) -> None:
    """Let a blocking finding pass for a limited time. For people who are not authors of the change. Every report
    shows it. (E3)
    """
    say(session, session.app.findings.waive(session.actor, name, reason, days=days))


@verb(
    "import",
    example="fe finding import fe-7k2 scan.sarif\nfe finding import fe-7k2 handoff.json --handoff",
    modes={"handoff": ("seen",), "": ("whole",)},
)
@click.argument("task")
@click.argument("file")
@click.option("--all", "whole", is_flag=True, help="Include findings outside the change.")
@click.option("--handoff", is_flag=True, help="The file is a handoff document of a tech lead, a developer or QA.")
@click.option(
    "--seen", default="", metavar=SEEN_FORM, help="The change that the tech lead reviewed. Agents must give it."
)
def finding_import(session: Session, task: str, file: str, whole: bool, handoff: bool, seen: str) -> None:
    """Import a tool's findings (SARIF), or a handoff. They are added to the latest attempt. `-` reads stdin.

    With --handoff, a developer's document answers findings, a tech lead's is your review of the latest attempt, and QA's
    is compared with the checks. Findings in prior_issues_resolved become VERIFIED, or ACCEPTED if they were rejected.
    Findings left out stay open. Counts in the document are not trusted. (G6)
    """
    document = read_document(session, file, command=("finding", "import", task))
    if handoff:
        say(session, session.app.handoffs.take_in(session.actor, task, document, seen=seen))
        return
    done = session.app.exchange.take_in(session.actor, task, document, "" if file == "-" else file, whole=whole)
    lines = [done.message, *[f"  {name}" for name in (*done.raised, *done.again)]]
    session.answer(done, "\n".join([*lines, next_line(done.next)]))


HANDOFF_ROLES = ("tech_lead", "developer", "qa")


@verb(
    "export",
    example="fe finding export fe-7k2 > findings.sarif\nfe finding export fe-7k2 --handoff developer",
)
@click.argument("task", required=False)
@click.option(
    "--handoff",
    "--role",
    "role",
    type=click.Choice(HANDOFF_ROLES),
    help="The handoff document of this role instead: open issues, answers, or failing tests.",
)
def finding_export(session: Session, task: str | None, role: str | None) -> None:
    """Export findings as SARIF, or as a handoff. The findings of one task, or of the whole project. A handoff is
    made from the journal.
    """
    if role is None:
        output.write_raw(session.app.exchange.export(task or "").decode().rstrip("\n") + "\n")
        return
    if not task:
        raise BadInput(
            "--handoff is about one task.", next_step=fe("finding", "export", blank("TASK"), "--handoff", "developer")
        )
    document = session.app.handoffs.export(task, role)
    if session.json:
        output.write_json(document)
    else:
        output.write_raw(msgspec.json.format(msgspec.json.encode(document), indent=2).decode() + "\n")


for command in (
    finding_list,
    finding_show,
    finding_add,
    finding_answer,
    finding_judge,
    finding_waive,
    finding_import,
    finding_export,
):
    finding.add_command(command)
