"""Deciding: approve, redo and reject from wherever a change is looked at. One place, so that the task's page and the
diff mean the same by a key.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from foureyes.app.results.draft import RedoDraft
from foureyes.core.words.ids import seen_name
from foureyes.errors import FoureyesError, Refused
from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.banner import Banner
from foureyes.ui.tui.comments import Comment
from foureyes.ui.tui.draft_storage import forget_draft
from foureyes.ui.tui.marks import visible
from foureyes.ui.tui.view_record import LookSoFar
from foureyes.ui.tui.worker import Desk

if TYPE_CHECKING:
    from foureyes.app.results.review import ApprovalOutcome
    from foureyes.app.results.task_list import Preview
    from foureyes.ui.tui.app import FoureyesApp
    from foureyes.ui.tui.screens.form import FormPage
    from foureyes.ui.tui.screens.page import Page


OWN_COMMENT = "your own comment blocks this (D2): lower it to a note, or R"


class OnScreen(msgspec.Struct, frozen=True, kw_only=True):
    """What is on screen: exactly this change of this task. `you`: what an approval would meet, if that is known.
    `banner`: why it is not what can be decided about any more; None while it is still what there is.
    `close`: it is to be looked at closely (H1). `version`: the task as it was read (T6).
    """

    task: str
    attempt: int
    diff_id: str
    you: Preview | None = None
    banner: Banner | None = None
    close: bool = False
    version: int | None = None

    @property
    def seen(self) -> str:
        """What the change on screen is called (D7)."""
        return seen_name(self.attempt, self.diff_id)


def approve(page: Page, case: OnScreen, *, reason: str = "") -> None:
    """A: agree to exactly what is on screen. What the rules ask for is asked for first; nothing else is."""
    looking, you = page.app.looks.of(case.task), case.you
    refused = you is not None and not you.may_approve
    if case.banner is not None and not (case.banner.kind == "stale" and refused):  # known when it was read: a reason
        page.note(page.paint(f" {case.banner.line}", "banner"))
    elif looking.blocking:
        page.note(OWN_COMMENT)
    elif you is not None and refused:
        page.app.show_refusal(
            Refused(f"{case.task} cannot be approved by you now", reasons=you.reasons, task=case.task)
        )
    elif _is_to_be_asked(page, case, looking):
        page.ask_first("a", case.diff_id, f"{unseen_words(looking)}. A approve anyway · {_reads(page)} read them · Esc")
    elif not reason and you is not None and you.needs_reason:
        _ask_reason(page, case)
    else:
        _approve(page, case, looking, reason)


def _is_to_be_asked(page: Page, case: OnScreen, looking: LookSoFar) -> bool:
    """D8, and the one question about risk: hunks that were never shown, of a change to be looked at closely or whose
    label asks, and of any change hunks whose lines were cut. It is asked once; the same key again is the answer.
    """
    asks = case.close or (case.you is not None and case.you.asks_unseen) or bool(looking.cut_off)
    return asks and bool(looking.unseen) and page.asked != case.diff_id


def _reads(page: Page) -> str:
    """The key that shows what was not shown yet."""
    return "Space" if page.context == "diff" else "D"


def unseen_words(looking: LookSoFar) -> str:
    """How many hunks were not shown, and where they are."""
    first, *others = looking.unseen_paths
    more = f" and {len(others)} more" if others else ""
    if looking.cut_off == looking.unseen:
        hunks = "1 hunk" if looking.cut_off == 1 else f"{looking.cut_off} hunks"
        return f"lines of {hunks} are cut off ({visible(first.rsplit('/', 1)[-1])}{more})"
    return f"{looking.unseen} of {len(looking.hunks or ())} hunks not shown ({visible(first.rsplit('/', 1)[-1])}{more})"


def _approve(page: Page, case: OnScreen, looking: LookSoFar, reason: str) -> None:
    notes, left = looking.own_comments, looking.left_behind()
    look = looking.look(page.app.clock(), confirmed=page.asked == case.diff_id)
    page.asked = page.question = ""
    page.app.guard.decided()

    app = page.app

    def work(desk: Desk) -> tuple[ApprovalOutcome, SentComments]:
        outcome = desk.application.decisions.approve(
            desk.actor, case.task, seen=case.seen, reason=reason, if_version=case.version, viewed=look
        )
        return outcome, send(desk, case.task, notes)

    def done(answer: tuple[ApprovalOutcome, SentComments]) -> None:
        outcome, sent = answer
        looking.sent(sent.comments)
        app.unread.approved(case.task, look, close=case.close)
        app.looks.drop(case.task)
        forget_draft(app, case.task)
        app.decided(case.task, "approved", " · ".join([approved_in_words(outcome), *sent.problems, *left]))

    app.act(work, done, lambda problem: not_decided(app, problem), words=f"approve {case.task}")


def not_decided(app: FoureyesApp, problem: FoureyesError) -> None:
    """A decision was refused: the keys are heard again, and the reasons are a page."""
    app.guard.painted()
    app.show_refusal(problem)


def approved_in_words(outcome: ApprovalOutcome) -> str:
    """What an approval did, and how it is taken back."""
    if not outcome.changed:
        return f"{outcome.approved}: {outcome.message}"
    if outcome.status == "reviewing":
        return f"{outcome.approved}: {outcome.message}"
    place = f", number {outcome.position} in the merge queue" if outcome.position else ""
    return f"{outcome.approved} approved ({outcome.rule}){place}; G on the board merges it · U takes it back until then"


def _ask_reason(page: Page, case: OnScreen) -> None:
    from foureyes.ui.tui.screens.sheet import Sheet, SheetField

    rule = case.you.rule if case.you else ""
    sheet = Sheet(
        "APPROVE WITH A REASON",
        [
            f"{rule}  the policy allows this as an exception. It is written to the task's log and to fe audit log --exceptions."
        ],
        [SheetField("reason", "Reason")],
        lambda given: approve(page, case, reason=given["reason"]),
        verb="approve (exception)",
        needs={"reason": "an exception needs a reason (P8)"},
        words=f"approve {case.task}",
    )
    page.app.push_screen(sheet)


def send_back(page: Page, case: OnScreen, form: review.FlowForm) -> None:
    """R and X: their form, about exactly what is on screen. What is stale is sent back too, to be submitted again."""
    if case.banner is not None and case.banner.kind == "decided" and page.app.looks.of(case.task).draft.has_words:
        from foureyes.ui.tui.screens.drafts import DraftsPage

        page.app.push_screen(DraftsPage(case.task))  # it cannot be sent any more, but it is not lost
    elif case.banner is not None and case.banner.kind != "stale":
        page.note(page.paint(f" {case.banner.line}", "banner"))
    else:
        page.app.looks.of(case.task).about = case.seen
        page.app.go(review.write(page.app.flow, form))


def send_redo(page: FormPage, task: str, draft: RedoDraft) -> None:
    """The change goes back with words; the comments on its lines go with it, as findings."""
    app, looking = page.app, page.looking
    comments, left = looking.own_comments, looking.left_behind()
    text = draft.text.strip()
    if not text and not draft.quick_issues:
        text = "See the findings: each is a comment on a line of the change."
    look, seen = looking.look(app.clock()), page.about
    app.guard.decided()

    def work(desk: Desk) -> tuple[str, SentComments]:
        outcome = desk.application.feedback.redo(
            desk.actor,
            task,
            text,
            issues=draft.quick_issues,
            option=draft.option,
            checkpoint=draft.checkpoint,
            priority=draft.priority,
            seen=seen,
            viewed=look,
        )
        return " · ".join([outcome.message, *outcome.notes]), send(desk, task, comments)

    def done(answer: tuple[str, SentComments]) -> None:
        message, sent = answer
        looking.sent(sent.comments)
        looking.redo, looking.about = RedoDraft(), ""
        looking.kept.discard("redo")
        forget_draft(app, task)
        app.decided(task, "redo", " · ".join([message, *sent.problems, *left]))

    app.act(work, done, page.not_sent)


def send_reject(page: FormPage, task: str, reason: str) -> None:
    """The task is blocked, with the reason; nothing is thrown away, and comments go with it, as findings."""
    app, looking = page.app, page.looking
    comments, left = looking.own_comments, looking.left_behind()
    look, seen = looking.look(app.clock()), page.about
    app.guard.decided()

    def work(desk: Desk) -> tuple[str, SentComments]:
        outcome = desk.application.feedback.reject(desk.actor, task, reason.strip(), seen=seen, viewed=look)
        return outcome.message, send(desk, task, comments)

    def done(answer: tuple[str, SentComments]) -> None:
        message, sent = answer
        looking.sent(sent.comments)
        looking.reject = looking.about = ""
        looking.kept.discard("reject")
        forget_draft(app, task)
        app.decided(task, "rejected", " · ".join([message, *sent.problems, *left]))

    app.act(work, done, page.not_sent)


class SentComments(NamedTuple):
    """The comments that became findings, and what is to be said about the others."""

    comments: list[Comment]
    problems: list[str]


def send(desk: Desk, task: str, comments: Sequence[Comment]) -> SentComments:
    """Comments become findings, one after the other. What was refused is said, and stays a draft. Only for work at the
    desk: what is on screen is the app's to change.
    """
    done: list[Comment] = []
    problems = []
    for comment in comments:
        try:
            desk.application.findings.add(desk.actor, task, comment.found)
        except FoureyesError as problem:
            reasons = "; ".join(f"{reason.rule}: {reason.message}" for reason in problem.reasons) or problem.message
            problems.append(f"comment on {visible(comment.place)} was not sent ({reasons})")
        else:
            done.append(comment)
    return SentComments(done, problems)
