"""`fe review submit|show|request`, and td's `fe review TASK`. Cycle commands are in `cycles`."""

from __future__ import annotations

import click
import msgspec

from foureyes.app.views.review import ReviewOutcome, ReviewView
from foureyes.core.words.ids import SEEN_FORM
from foureyes.core.words.text import lines_of
from foureyes.core.words.untrusted_text import named
from foureyes.steps import fe
from foureyes.ui.cli import output
from foureyes.ui.cli.attempts import review_own
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.cli.cycles import (
    CYCLE,
    answer_cycle,
    review_ask,
    review_clarify,
    review_decide,
    review_end,
    review_list,
    review_now,
    show_cycle,
)
from foureyes.ui.cli.files import read_document
from foureyes.ui.steps import next_line


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
    """Submit a review_result: verdict, issues, files read. It may hold rulings, too. All of it is recorded or nothing;
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


@verb("show", example="fe review show fe-7k2")
@click.argument("task", metavar="TASK|CYCLE")
def review_show(session: Session, task: str) -> None:
    """Show the reviews of a task, or one review cycle. For each review: its reviewer, verdict, result and the files not
    read.
    """
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


@verb("request", example="fe review request fe-7k2 --prompt")
@click.argument("task")
@click.option("--reviewer", default="", metavar="NAME", help="The reviewer named in the document; default: you.")
@click.option(
    "--ask", "names", multiple=True, metavar="NAME", help="A profile, session, person or `human`; repeatable."
)
@click.option("--open", "opens", is_flag=True, help="Ask the reviewers that the policy chooses (V4).")
@click.option("--prompt", is_flag=True, help="Print a prompt for an agent instead.")
@click.option("-m", "--reason", default="", help="The reason, with --ask or --open.")
def review_request(
    session: Session, task: str, reviewer: str, names: tuple[str, ...], opens: bool, prompt: bool, reason: str
) -> None:
    """Print the review_request for the latest attempt. (V2) With --ask or --open reviewers are asked, in a review
    cycle; that also works for work in progress.
    """
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


for command in (review_submit, review_show, review_request):
    review.add_command(command)
for command in (review_now, review_list, review_decide, review_clarify, review_ask, review_end):
    review.add_command(command)
