"""`fe submit`, and td's `fe review TASK`, which submits too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from foureyes.core.nouns.attempt import SIGNALS
from foureyes.core.words.untrusted_text import some
from foureyes.errors import BadInput
from foureyes.steps import by, by_person_or_service, either, fe
from foureyes.ui.cli.command import Session, if_version, verb
from foureyes.ui.cli.output import count, with_id
from foureyes.ui.steps import next_line, steps_text

if TYPE_CHECKING:
    from foureyes.app.results.attempt import SubmitOutcome
    from foureyes.errors import Reason


NEW_FILES_SHOWN = 5
"""Number of new files to name."""


def submit_options(function: click.decorators.FC) -> click.decorators.FC:
    """Add the options of a submission."""
    function = click.option("-m", "--message", default="", help="What you did, for the reviewer.")(function)
    function = click.option("--commit", metavar="MESSAGE", help="Commit everything first, with this message.")(function)
    function = click.option(
        "--include",
        multiple=True,
        metavar="PATH",
        help="With --commit: include a new file that is large or looks like a secret.",
    )(function)
    function = click.option(
        "--signal", default="DONE", show_default=True, metavar="SIGNAL", help=f"{', '.join(SIGNALS)} (S1)."
    )(function)
    function = click.option("--no-code", is_flag=True, help="Confirm that there is no change to merge.")(function)
    return click.option("--branch", help="The branch of the work. Default: the current one.")(function)


@verb("submit", example='fe submit fe-7k2 -m "login with refresh tokens, tests added"')
@click.argument("task")
@submit_options
@if_version
def submit(session: Session, task: str, **given: Any) -> None:
    """Submit your commits for review. The submission is frozen as an attempt. You can start the next task at once."""
    _submit(session, task, **given)


def _submit(session: Session, task: str, **given: Any) -> None:
    """Submit a task and print the result. `given` has the values of submit_options()."""
    outcome = session.app.attempts.submit(session.actor, task, **given)
    session.answer(with_id(outcome), submit_text(outcome))


def submit_text(outcome: SubmitOutcome) -> str:
    """Return the text for a submission's result."""
    if not outcome.changed:
        sent = f"\n  remote    {outcome.sent}" if outcome.sent else ""
        return (
            f"{outcome.task} is already submitted: attempt {outcome.attempt}, diff "
            f"{outcome.seen}{sent}\n{next_line(outcome.next)}"
        )
    size = f"{count(outcome.commits, 'commit')}, {count(outcome.files, 'file')} +{outcome.added} -{outcome.removed}"
    size += f", diff {outcome.seen}"
    lines = [f"submitted {outcome.task}, attempt {outcome.attempt}: {'no code' if outcome.no_code else size}"]
    if outcome.landed:
        lines.append(
            "  landed before review: this work is already on the target branch. It stays listed until it is approved or reverted. (K4)"
        )
    if outcome.committed:
        new = f", new: {some(outcome.new, NEW_FILES_SHOWN)}" if outcome.new else ""
        lines.append(f"  committed {count(len(outcome.committed), 'file')}{new}")
    lines += [f"  branch    {note}" for note in outcome.notes]
    lines += [f"  remote    {outcome.sent}"] if outcome.sent else []
    lines += [f"  inside    {row.sentence}" for row in outcome.inside]
    lines += [*_again(outcome), *_mode(outcome)]
    return "\n".join([*lines, f"{next_line(outcome.next)}"])


def _again(outcome: SubmitOutcome) -> list[str]:
    """Return a warning about a submission without changes, and how near escalation is. (L11, E5)"""
    lines = []
    if outcome.repeats:
        fixed = outcome.fixed_by_nothing
        claims = f", yet {count(fixed, 'finding')} {'is' if fixed == 1 else 'are'} answered FIXED" if fixed else ""
        lines.append(f"  same      no progress: the files are exactly those of attempt {outcome.repeats}{claims} (L11)")
    return [*lines, *([f"  loop      {outcome.escalation}"] if outcome.escalation else [])]


def _mode(outcome: SubmitOutcome) -> list[str]:
    """Return what happens to the submission next. (M)"""
    if outcome.status in ("approved", "closed"):
        return [f"  approved automatically, in mode {outcome.mode} (M4). To merge it: fe merge"]
    if outcome.status == "open":
        return [f"  sent back: required checks fail. To see why: fe show {outcome.task} --context"]
    if outcome.mode == "auto-approve":
        return [
            "  review    auto-approve: approved as soon as all required checks pass",
            *_reasons("", outcome.reasons),
        ]
    if first := [*_unchecked(outcome), *_reasons("first", outcome.first)]:
        who = (
            f"a person must approve it, because {outcome.person} requires that"
            if outcome.person
            else "someone other than the author must approve it"
        )
        return [*first, f"  review    {outcome.mode}: after that, {who}"]
    approve = fe("approve", outcome.task, "--seen", outcome.seen)
    review = steps_text(by("other", approve, "it needs approval from someone else: "))
    if outcome.person:
        review = f"{steps_text(by('person', approve, 'a person must approve it: '))}   ({outcome.person} requires that)"
    return [f"  review    {outcome.mode}: {review}"]


def _reasons(title: str, reasons: tuple[Reason, ...]) -> list[str]:
    """Return the reasons against an approval, each with its next step."""
    lines = []
    for number, reason in enumerate(reasons):
        step = f": {steps_text(reason.next)}" if reason.next else ""
        lines.append(f"  {title if number == 0 else '':<8}  {reason.message} ({reason.rule}){step}")
    return lines


def _unchecked(outcome: SubmitOutcome) -> list[str]:
    """Return the required checks that have not run or passed. The author's own run does not count. (D5)"""
    lines = []
    if outcome.unchecked:
        run = steps_text(by_person_or_service(fe("check", "run", outcome.task)))
        lines.append(f"  checks    {', '.join(outcome.unchecked)}: not run yet. {run[:1].upper()}{run[1:]}")
    if outcome.not_green:
        show = steps_text(fe("check", "show", outcome.task))
        lines.append(
            f"  checks    {', '.join(outcome.not_green)}: did not pass on exactly these files before. To see why: {show}"
        )
    return lines


@verb("review", example="fe review fe-7k2 -m done")
@click.argument("task")
@submit_options
def review_own(session: Session, task: str, **given: Any) -> None:
    """Submit your own task in progress (as td says it); to look at a task: fe show."""
    detail = session.app.lists.show(session.actor, task)
    if detail.task.status != "in_progress" or detail.task.implementer != session.actor.session:
        name = detail.task.id
        raise BadInput(
            f"fe review {name} submits your own task in progress, but {name} is {detail.task.status}.",
            next_step=either(
                fe("submit", name, before="to submit: "),
                fe("show", name, "--diff", before="to read it: "),
                fe("review", "show", name, before="to see its reviews: "),
            ),
        )
    _submit(session, task, **given)
