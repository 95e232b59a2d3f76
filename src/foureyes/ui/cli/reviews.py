"""`fe review submit|show|request|clarify|decide`, and td's `fe review TASK`."""

from __future__ import annotations

import click
import msgspec

from foureyes.app.results.review import CycleOutcome, ReviewOutcome, ReviewView
from foureyes.core.words.ids import SEEN_FORM, Shape
from foureyes.core.words.text import lines_of
from foureyes.core.words.untrusted_text import named
from foureyes.errors import BadInput
from foureyes.steps import blank, fe
from foureyes.ui.cli import output
from foureyes.ui.cli.attempts import review_own
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.cli.files import read_document
from foureyes.ui.cli.text.cycle import cycle_text, cycles_text
from foureyes.ui.steps import next_line

CYCLE = Shape(r"c-[0-9]{1,9}\Z")
"""Matches a cycle id where a task id is possible too."""


class ReviewGroup(click.Group):
    """Group of review commands. An unknown name counts as a task to submit, as in td."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in self.commands:
            return None, review_own, args
        return super().resolve_command(ctx, args)


@click.group("review", cls=ReviewGroup, context_settings={"ignore_unknown_options": True})
def review() -> None:
    """Request, submit and list reviews. `fe review TASK` submits your own task in progress, as `fe submit TASK` does."""


@verb("submit", example="fe review submit fe-7k2 review.json")
@click.argument("task")
@click.argument("file")
@click.option(
    "--seen", default="", metavar=SEEN_FORM, help="The change you reviewed, if the document does not name it."
)
def review_submit(session: Session, task: str, file: str, seen: str) -> None:
    """Submit a review_result: verdict, issues, files read. It may have rulings. All of it is recorded or nothing.
    `-` reads stdin. (V3)
    """
    document = read_document(session, file, command=("review", "submit", task))
    done = session.app.reviews.submit(session.actor, task, document, seen=seen)
    session.answer(done, outcome_text(done))


def outcome_text(done: ReviewOutcome) -> str:
    """Return the result of a review."""
    lines = [f"reviewed {done.task}, attempt {done.attempt}: {done.message}"]
    lines += [f"  found {name}" for name in done.raised] + [f"  ruled {line}" for line in done.ruled]
    lines += ["  it counts"] if done.counts else []
    return "\n".join([*lines, *[f"  {note}" for note in done.notes], next_line(done.next)])


@verb(
    "show",
    example="fe review show fe-7k2\nfe review show --live",
    modes={"task": (), "": ("about", "live", "limit")},
)
@click.argument("task", required=False, default="", metavar="[TASK|CYCLE]")
@click.option("--task", "about", default="", metavar="TASK", help="Only cycles about this task.")
@click.option("--live", is_flag=True, help="Only open cycles.")
@click.option(
    "--limit", type=click.IntRange(1), default=20, show_default=True, metavar="N", help="Maximum number of rows."
)
def review_show(session: Session, task: str, about: str, live: bool, limit: int) -> None:
    """Show the reviews of a task, or one review cycle. Each review has its reviewer, verdict, result and unread
    files. Without an argument, list the review cycles, newest first.
    """
    if not task:
        show_cycles(session, about, live, limit)
        return
    if CYCLE.match(task.strip()):
        show_cycle(session, task)
        return
    detail = session.app.lists.show(session.actor, task)
    if session.json:
        output.write_lines(detail.reviews)
        return
    if not detail.reviews:
        ask = fe("review", "request", detail.task.id)
        output.write(f"no review of {detail.task.id} yet\n{next_line(ask)}")
        return
    output.write("\n".join(line for review in detail.reviews for line in review_lines(review)))


def review_lines(review: ReviewView) -> list[str]:
    """Return one review as lines."""
    stated = (
        review.effective
        if review.effective == review.verdict
        else f"stated {review.verdict}, counts as {review.effective} (V5)"
    )
    counts = f"does not count: {review.against}" if review.against else "counts"
    lines = [f"attempt {review.attempt}  {review.by}  {stated}  {counts}  {output.when(review.at)}"]
    lines += [f"    {line}" for line in lines_of(review.summary.strip())]
    lines += (
        [f"    found: {output.count(review.raised, 'finding')}, {review.blocking} blocking"] if review.raised else []
    )
    lines += [f"    not read: {', '.join(map(named, review.missing))}"] if review.missing else []
    return lines + [f"    note: {note}" for note in review.notes]


def show_cycles(session: Session, task: str, live: bool, limit: int) -> None:
    """Print the review cycles, newest first."""
    rows = session.app.cycles.listed(task=task, live=live, limit=limit)
    if session.json:
        output.write_lines(rows)
    else:
        output.write(cycles_text(rows) or "no review cycle yet")


def show_cycle(session: Session, cycle: str) -> None:
    """Print one cycle with its reviewers."""
    view = session.app.cycles.show(cycle)
    if session.json:
        output.write_json(view)
    else:
        output.write(cycle_text(view))


@verb(
    "request",
    example='fe review request fe-7k2 --ask bob\nfe review request fe-7k2 --now -m "it changes the login"',
    modes={
        "names": ("reason",),
        "opens": ("reason",),
        "now": ("reason",),
        "prompt": ("reviewer",),
        "": ("reviewer",),
    },
)
@click.argument("task", required=False)
@click.option("--reviewer", default="", metavar="NAME", help="The reviewer named in the document. Default: you.")
@click.option(
    "--ask", "names", multiple=True, metavar="NAME", help="A profile, session, person or `human`. Repeatable."
)
@click.option("--open", "opens", is_flag=True, help="Ask the reviewers that the policy chooses (V4).")
@click.option("--now", is_flag=True, help="Ask for a review now. For people and services. (V1)")
@click.option("--prompt", is_flag=True, help="Print a prompt for an agent instead.")
@click.option("-m", "--reason", default="", help="The reason, for the reviewers.")
def review_request(
    session: Session,
    task: str | None,
    reviewer: str,
    names: tuple[str, ...],
    opens: bool,
    now: bool,
    prompt: bool,
    reason: str,
) -> None:
    """Print the review_request for the latest attempt. (V2) --ask, --open and --now ask reviewers in a review cycle,
    also about work in progress. With --now and without a task, they review all work in progress, and what they stop
    is stopped everywhere (V9).
    """
    if now:
        answer_cycle(session, session.app.cycles.now(session.actor, task, reason=reason))
        return
    if not task:
        raise BadInput("name a task.", next_step=fe("review", "request", blank("TASK")))
    if names or opens:
        answer_cycle(session, session.app.cycles.request(session.actor, task, reviewers=names, reason=reason))
        return
    asked = session.app.reviews.request(session.actor, task, reviewer=reviewer)
    if not prompt:
        if session.json:
            output.write_json(asked)
        else:
            output.write_raw(msgspec.json.format(msgspec.json.encode(asked), indent=2).decode() + "\n")
        return
    purpose = "rereview" if asked.is_re_review else "review"
    text = session.app.prompts.text(session.actor, asked.task, purpose)
    if session.json:
        output.write_json({"task": asked.task, "for": purpose, "prompt": text})
    else:
        output.write_raw(text)


def answer_cycle(session: Session, done: CycleOutcome) -> None:
    """Print the result of a cycle command."""
    lines = [done.message]
    lines += [f"  asked: {', '.join(done.requested)}"] if done.requested else []
    lines += [f"  {note}" for note in done.notes]
    session.answer(done, "\n".join([*lines, next_line(done.next)]))


@verb(
    "clarify",
    example='fe review clarify c-3 p1 -m "the salt is in the hash, see hash.py:12"\nfe review clarify c-3 --ask',
    modes={"ask": (), "": ("point", "text")},
)
@click.argument("cycle")
@click.argument("point", required=False, default="")
@click.option("-m", "--message", "text", default="", help="The answer.")
@click.option("--ask", is_flag=True, help="Ask the author about the concerns that stopped the cycle. (R1, R2)")
def review_clarify(session: Session, cycle: str, point: str, text: str, ask: bool) -> None:
    """Answer a point that reviewers have concerns about. With --ask, add a point for each concern and blocker, for the
    author to answer. After the last answer the reviewers review again. A hold stays until fe resume. (R2)
    """
    if ask:
        answer_cycle(session, session.app.cycles.ask_author(session.actor, cycle))
        return
    if not point:
        raise BadInput("which point?", next_step=fe("review", "show", cycle))
    answer_cycle(session, session.app.cycles.clarify(session.actor, cycle, point, text))


@verb(
    "decide",
    example='fe review decide c-3\nfe review decide c-3 --end -m "it was asked by mistake"',
    modes={"end": ("cycle", "reason"), "now": ("cycle",), "": ("cycle",)},
)
@click.argument("cycle", required=False, default="")
@click.option("--now", is_flag=True, help="Decide now, without waiting for people or for reviewers not yet asked.")
@click.option("--end", is_flag=True, help="End this cycle without a decision. Its pauses and holds stay. People only.")
@click.option("-m", "--reason", default="", help="Why it ends.")
def review_decide(session: Session, cycle: str, now: bool, end: bool, reason: str) -> None:
    """Decide review cycles that wait for nobody. If a reviewer is late, the next one is asked or a rule decides
    (V8). A runner does this by itself.
    """
    if end:
        if not cycle:
            raise BadInput("which cycle?", next_step=fe("review", "show", "--live"))
        answer_cycle(session, session.app.cycles.end(session.actor, cycle, reason))
        return
    done = session.app.cycles.decide(session.actor, cycle, now=now)
    if session.json:
        output.write_lines(done)
        return
    lines = [line for each in done for line in (each.message, *each.notes, next_line(each.next)) if line]
    output.write("\n".join(lines) or "nothing is due")


for command in (review_submit, review_show, review_request, review_clarify, review_decide):
    review.add_command(command)
