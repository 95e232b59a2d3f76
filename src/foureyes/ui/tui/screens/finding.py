"""The page of a finding: what it says, the code, its story, and by a digit what who looks can do about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from rich.text import Text
from textual.app import ComposeResult

from foureyes.core.nouns.finding import ANSWERS, GROUNDS, RULINGS, WAIVED_DAYS, Answer, Ruling
from foureyes.errors import FoureyesError
from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.keys import WholeLabel
from foureyes.ui.tui.screens.page import Page
from foureyes.ui.tui.screens.sheet import Given, Sheet, SheetField
from foureyes.ui.tui.text.finding import (
    FindingChoice,
    FindingDrawing,
    FindingOffer,
    answer_lines,
    code_lines,
    field_lines,
    fixing_lines,
    history,
    left_words,
    offer,
    offer_lines,
    top_lines,
)
from foureyes.ui.tui.widgets.rows import Rows, plain
from foureyes.ui.tui.worker import Desk

if TYPE_CHECKING:
    from foureyes.app.results.diff import DiffView
    from foureyes.app.results.finding import FindingDetail, FindingView
    from foureyes.app.results.task_list import Outcome


LOW, NARROW = 30, 100
"""Up to this height less code is shown, up to this width fewer keys."""


class LoadedFinding(NamedTuple):
    """A finding, its neighbours, the change that it is in, and what changed since it was flagged."""

    view: FindingDetail
    others: list[FindingView]
    change: DiffView | None
    since: DiffView | None


class FindingPage(Page):
    """One finding. What is on screen stays until the reader does something; digits mean what is listed."""

    context: ClassVar = "finding"

    def __init__(self, finding: str) -> None:
        super().__init__()
        self.finding = finding
        self.loaded: LoadedFinding | None = None
        self.offer = FindingOffer("")
        self._starts: list[int] = []
        """The lines at which the parts of the page begin."""
        self.banner = ""

    def body(self) -> ComposeResult:
        yield Rows(id="rows", cursor=False)

    # -- reading

    @property
    def shown(self) -> str:
        """The finding on screen: whatever is asked for meanwhile, a key is about this one."""
        return self.loaded.view.id if self.loaded is not None else self.finding

    def reload(self) -> None:
        self._read(self.finding)

    def _read(self, finding: str) -> None:
        self.ask(lambda desk: _read(desk, finding), self._loaded, self._not_done)

    def _loaded(self, loaded: LoadedFinding) -> None:
        self.loaded, self.offer, self.banner = loaded, offer(loaded.view), ""
        self.finding = loaded.view.id
        self.draw()
        self.app.call_after_refresh(self.app.guard.painted)

    def changed(self, seq: int) -> None:
        if self.loaded is not None:
            finding = self.shown
            self.ask(lambda desk: desk.application.findings.show(desk.actor, finding), self._changed, self._gone)

    def _changed(self, view: FindingDetail) -> None:
        """Others did something: said, and the digits mean what they meant until F5."""
        if self.loaded is not None and view.root == self.loaded.view.root and view != self.loaded.view:
            self.banner = f"CHANGED  it is {view.state_in_words} now.  F5 shows it"
            self.draw()

    def _gone(self, problem: FoureyesError) -> None:
        self.note(problem.message)

    # -- drawing

    def draw(self) -> None:
        if not self.is_mounted or self.loaded is None:
            return
        view = self.loaded.view
        drawing = FindingDrawing(self.app.marks, self.app.palette, self.wide, 3 if self.app.size.height > LOW else 1)
        lines = [*top_lines(view, drawing), self.rule()]
        if self.banner:
            lines.append(self.paint(f" {self.banner}", "banner"))
        self.top.show(*lines)
        parts = self._parts(drawing)
        self._starts = [sum(map(len, parts[:number])) for number in range(len(parts))]
        self.rows.show([plain(line) for part in parts for line in part])
        bottom = [self.rule(), *offer_lines(self.offer, drawing)]
        if left := left_words(view, self.offer, self.loaded.others):
            bottom.append(self.paint(f" {left}", "dim"))
        self.foot.show(*bottom)
        count = len(self.offer.choices)
        labels = {"choose": WholeLabel(f"1-{count} choose" if count > 1 else "1 choose") if count else ""}
        self.keys.relabel(**labels, **({} if self.wide > NARROW else {"attention": "", "help": ""}))

    def _parts(self, drawing: FindingDrawing) -> list[list[Text]]:
        """What is said, part by part, those that there are."""
        loaded = self.loaded
        assert loaded is not None
        view = loaded.view
        fixing = fixing_lines(view, loaded.since, drawing)
        patch = f"fe finding answer {view.id} --apply --try" if view.fix_patch else ""
        parts = [
            field_lines("problem", view.problem, drawing),
            field_lines("why", view.why, drawing),
            field_lines("fix", view.fix, drawing),
            field_lines("rule", view.rule, drawing),
            [] if fixing else code_lines(view, loaded.change, drawing),
            answer_lines(view, drawing),
            fixing,
            field_lines("done if", view.acceptance, drawing),
            field_lines("history", history(view), drawing),
            field_lines("patch", patch, drawing) if patch else [],
        ]
        return [list(part) for part in parts if part]

    # -- doing

    def do_choose(self) -> None:
        number = int(self.pressed)
        if self.banner:
            self.note(self.banner)
        elif number > len(self.offer.choices):
            self.note(f"there is no choice {number}")
        else:
            choice = self.offer.choices[number - 1]
            if choice.off:
                self.note(choice.off)
            else:
                getattr(self, f"_{choice.kind}")(choice)

    def _act(self, work: Callable[[Desk], Outcome], tail: str = "", *, words: str = "") -> None:
        """Have something done about the finding; the pages below take it in, also where this one was left meanwhile.
        `words`: the sheet that it sends.
        """
        assert self.loaded is not None
        self.app.looks.of(self.loaded.view.task).acts += 1

        def done(answer: Outcome) -> None:
            self.app.pages[-1].note(f"{answer.message}{tail}")
            if self.is_attached:
                self.reload()
            else:
                self.app.guard.painted()

        self.app.act(work, done, self._not_done, words=words)

    def _not_done(self, problem: FoureyesError) -> None:
        self.app.guard.painted()
        self.refused(problem)

    def _rule(self, choice: FindingChoice) -> None:
        word = next(word for word in RULINGS if word == choice.word)
        ruling = Ruling(self.shown, word)
        self.app.guard.decided()
        self._act(lambda desk: desk.application.rulings.rule(desk.actor, [ruling]), " · U takes it back (L18)")

    def _answer(self, choice: FindingChoice) -> None:
        fields = [SheetField("text", "Words")]
        if choice.word == "FIXED":
            fields.append(SheetField("commit", "Commit"))
        elif choice.word == "REJECTED":
            fields.insert(0, SheetField("ground", "Ground", GROUNDS[0], GROUNDS))
        elif choice.word == "DEFERRED":
            fields.append(SheetField("debt", "Task", "no", ("no", "new")))
        needs = {} if choice.word == "SKIPPED" else {"text": "some words are needed (L6)"}
        finding = self.shown
        self._sheet(f"{choice.word} {finding}", fields, needs, lambda *sent: self._respond(finding, choice, *sent))

    def _respond(self, finding: str, choice: FindingChoice, given: Given, sheet: str) -> None:
        action = next(word for word in ANSWERS if word == choice.word)
        debt = given.get("debt", "")
        answer = Answer(
            finding=finding,
            action=action,
            text=given["text"],
            ground=given.get("ground", ""),
            commit=given.get("commit", ""),
            debt="" if debt == "no" else debt,
        )
        self._act(lambda desk: desk.application.answers.respond(desk.actor, "", [answer]), words=sheet)

    def _waive(self, _: FindingChoice) -> None:
        fields = [SheetField("reason", "Reason"), SheetField("days", "Days", str(WAIVED_DAYS), whole=True)]
        needs = {"reason": "a waiver needs a reason (E3)"}
        finding = self.shown
        self._sheet(f"WAIVE {finding}", fields, needs, lambda *sent: self._let_pass(finding, *sent))

    def _let_pass(self, finding: str, given: Given, sheet: str) -> None:
        days, reason = given["days"].strip(), given["reason"]
        if not days.isdecimal():
            self.note("days are a number: the same key again goes on with what you wrote")
            return
        self._act(
            lambda desk: desk.application.findings.waive(desk.actor, finding, reason, days=int(days)),
            words=sheet,
        )

    def _track(self, _: FindingChoice) -> None:
        finding = self.shown
        self.app.guard.decided()
        self._act(lambda desk: desk.application.findings.track(desk.actor, [finding]))

    def _sheet(self, title: str, fields: list[SheetField], needs: Given, done: Callable[[Given, str], None]) -> None:
        """Ask for words; they are remembered under the title until what it is handed to sends them."""
        text, verb = (self.loaded.view.title if self.loaded else ""), title.split()[0].lower()
        self.app.push_screen(
            Sheet(title, [text], fields, lambda given: done(given, title), verb=verb, needs=needs, words=title)
        )

    def do_undo(self) -> None:
        """U: the ruling that was given here; without one, the last approval."""
        moves = self.loaded.view.moves if self.loaded else []
        last = next((move for move in reversed(moves) if not move.undone and move.kind != "taken_back"), None)
        if last is None or last.kind != "ruled":
            self.app.undo()
            return
        finding = self.shown
        self._act(lambda desk: desk.application.rulings.take_back(desk.actor, finding))

    # -- moving

    def do_part(self) -> None:
        """Tab: the next part comes to the top of the page; after the last one the first."""
        here, last = self.rows.scroll_offset.y, self.rows.max_scroll_y
        if not last:
            self.note("all of it is on screen")
            return
        following = next((line for line in self._starts if line > here), 0) if here < last else 0
        self.rows.scroll_to(y=following, animate=False)

    def do_finding(self) -> None:
        if self.loaded is None:
            return
        roots = [each.root for each in self.loaded.others]
        by = 1 if self.pressed == "." else -1
        number = roots.index(self.loaded.view.root) + by if self.loaded.view.root in roots else -1
        if not 0 <= number < len(roots):
            self.note(f"{'last' if by > 0 else 'first'} of {len(roots)}")
            return
        self._read(self.loaded.others[number].id)

    def do_diff(self) -> None:
        if self.loaded is None:
            return
        view = self.loaded.view
        self.app.looks.of(view.task).aim = (view.location.path, view.location.line)
        if self.app.flow.place == "diff" and self.app.flow.task == view.task:
            self.app.back()
        else:
            self.app.looks.of(view.task).came_from = view.id
            self.app.go(review.step(review.look(self.app.flow, view.task), "diff"))

    def do_open(self) -> None:
        if self.loaded is not None:
            self.app.go(review.look(self.app.flow, self.loaded.view.task))

    def do_refresh(self) -> None:
        self.reload()

    def do_back(self) -> None:
        super().do_back()
        self.app.call_after_refresh(self.app.guard.painted)

    def words(self) -> dict[str, str]:
        return {"finding": self.shown, "task": self.loaded.view.task if self.loaded else ""}


def _read(desk: Desk, finding: str) -> LoadedFinding:
    """Everything about a finding. Where git cannot say what the change is, the page does without."""
    app = desk.application
    view = app.findings.show(desk.actor, finding)
    others = app.findings.listed(view.task)
    try:
        change = app.attempts.changes(view.task)
        flagged = view.flagged if view.state == "claimed" and view.flagged < change.attempt else 0
        since = app.attempts.changes(view.task, attempt=change.attempt, since=flagged) if flagged else None
    except FoureyesError:
        return LoadedFinding(view, others, None, None)
    return LoadedFinding(view, others, change, since)
