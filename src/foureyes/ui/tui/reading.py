"""A change that is being read: what is compared with what, what is folded, where findings and comments stand. No
Textual: the page asks it for rows and tells it what was on screen.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec.structs import replace

from foureyes.ui.tui.seen import LEAST_SECONDS, SeenLines
from foureyes.ui.tui.text.diff import comment_rows, finding_rows
from foureyes.ui.tui.text.diff_rows import Anchor, DiffRows, Noted, NumberedChange
from foureyes.ui.tui.view_record import Lens, LookSoFar

if TYPE_CHECKING:
    from foureyes.app.results.diff import DiffView
    from foureyes.app.results.draft import DraftFile
    from foureyes.app.results.finding import FindingView
    from foureyes.app.results.task import TaskDetail
    from foureyes.core.nouns.attempt import Attempt
    from foureyes.ui.tui.worker import Desk

Compared = Literal["looked", "previous", "base"]
ORDER: tuple[Compared, ...] = ("looked", "previous", "base")


class LoadedChange(NamedTuple):
    """What the Application said: the task, its whole change, what is compared just now, the attempt that was looked at
    before; and what was begun in an earlier session, where that was asked for.
    """

    detail: TaskDetail
    whole: DiffView
    view: DiffView
    looked: int
    draft: DraftFile | None = None


def read(task: str, looking: LookSoFar, wanted: Compared | None) -> Callable[[Desk], LoadedChange]:
    """The work of reading a change at the desk. Without a wish a second look begins with what is new since the
    first: one of this process, or one that the record has.
    """
    looked, kept, lens = looking.attempt, looking.read, looking.lens

    def work(desk: Desk) -> LoadedChange:
        app = desk.application
        draft = None if kept else app.drafts.load(desk.actor, task)
        detail = app.lists.show(desk.actor, task)
        whole = app.attempts.changes(task, attempt=detail.attempts[-1].n if detail.attempts else None)
        last = looked or last_look(detail, desk.actor.session)
        modes = comparisons(detail, whole.attempt, last)
        mode = wanted if wanted in modes else modes[0] if modes[0] == "looked" else "base"
        since = since_of(mode, detail, whole.attempt, last)
        view = whole
        if since is not None or lens != Lens():
            view = app.attempts.changes(task, attempt=whole.attempt, since=since, context=lens.around, space=lens.space)
        return LoadedChange(detail, whole, view, last, draft)

    return work


def last_look(detail: TaskDetail, session: str) -> int:
    """The latest attempt that somebody decided about, as the record has it; 0 where there is none."""
    rows = [row.iteration for row in detail.feedback if row.session == session]
    rows += [row.attempt for row in detail.approvals if row.session == session]
    return max(rows, default=0)


def comparisons(detail: TaskDetail, attempt: int, looked: int) -> tuple[Compared, ...]:
    """What an attempt can be compared with: what is there, and each thing once."""
    before = [row.n for row in detail.attempts if row.n < attempt]
    modes: list[Compared] = ["looked"] if looked in before else []
    if before and not (modes and looked == before[-1]):
        modes.append("previous")
    return (*modes, "base")


def since_of(mode: Compared, detail: TaskDetail, attempt: int, looked: int) -> int | None:
    """The attempt that a comparison begins at; None for the base."""
    if mode == "base":
        return None
    return looked if mode == "looked" else max(row.n for row in detail.attempts if row.n < attempt)


class ChangeReading:
    """One change on screen, and the state that its rows depend on."""

    def __init__(self, loaded: LoadedChange, looking: LookSoFar) -> None:
        self.detail, self.whole, self.view, self.looked, _ = loaded
        self.read_as = loaded.detail
        """The task as the reader knows it: a decision is about this one (T6), however it stands now."""
        self.looking = looking
        looking.attempt = looking.attempt or loaded.looked
        looking.take(self.whole)
        self.change = NumberedChange(self.view)
        self.seen = SeenLines(self.change.sizes)
        self._comments: dict[int, float] = {}
        self._hiding = {place.hunk.id for place in self.change.places if place.hunk.hides_space}
        self.split = False
        self.unfolded: set[str] = set()
        self.opened: set[str] = set()
        self.findings: list[FindingView] = []
        self.noted: list[Noted] = []
        self.take_findings(self.detail)

    def take_findings(self, detail: TaskDetail) -> None:
        """The findings as they stand now, those of the record that are shown with code."""
        self.detail = detail
        names = {session: name.split(" (")[0] for session, name in detail.names.items()}
        self.findings = [replace(finding, names={**names, **finding.names}) for finding in detail.findings]
        self.arrange()

    def arrange(self) -> None:
        """Make the rows again: something was folded, noted or answered."""
        self._comments.clear()
        self.noted = [self._finding(number, finding) for number, finding in enumerate(self.findings)]
        for number, comment in enumerate(self.looking.comments):
            anchor = Anchor() if comment.lost else self.change.anchor(
                comment.path, comment.line, comment.quote, old=comment.old
            )  # fmt: skip
            self.noted.append(Noted("comment", number, len(comment_rows(comment)), anchor))
        self.rows = DiffRows(
            self.change,
            self.noted,
            unfolded=frozenset(self.unfolded),
            opened=frozenset(self.opened),
            split=self.split,
        )

    def _finding(self, number: int, finding: FindingView) -> Noted:
        place = finding.location
        return Noted(
            "finding", number, 1 + len(finding_rows(finding)), self.change.anchor(place.path, place.line, finding.quote)
        )

    @property
    def attempt(self) -> Attempt | None:
        """The attempt that is shown."""
        return next((row for row in self.detail.attempts if row.n == self.whole.attempt), None)

    @property
    def mode(self) -> Compared:
        if self.view.since is None:
            return "base"
        return "looked" if self.view.since == self.looked else "previous"

    def next_mode(self) -> Compared | None:
        """What `I` compares with next; None where there is only one thing."""
        modes = comparisons(self.detail, self.whole.attempt, self.looked)
        if len(modes) == 1:
            return None
        here = modes.index(self.mode) if self.mode in modes else len(modes) - 1
        return modes[(here + 1) % len(modes)]

    def compared_in_words(self) -> str:
        """`it 2 vs base`, `it 2 vs it 1`."""
        return f"it {self.view.attempt} vs " + ("base" if self.view.since is None else f"it {self.view.since}")

    def space_in_words(self) -> str:
        """Whether white space is shown, and how many hunks are of nothing else."""
        if self.view.hidden is None:
            return "whitespace shown"
        return "WHITESPACE HIDDEN" + (f" ({self.view.hidden} hunks)" if self.view.hidden else "")

    def why_in_words(self) -> str:
        """What is compared, for who does not think in iterations."""
        words = {
            "looked": "what changed since you looked",
            "previous": "what changed since the iteration before",
            "base": "the whole change",
        }
        return words[self.mode]

    def without_code(self) -> list[str]:
        """What is said where there is no code to show."""
        if self.view.since is not None:
            return ["nothing changed between these two; I compares with something else"]
        return ["No code: submitted as a note.", "", *(self.attempt.message.split("\n") if self.attempt else [])]

    def fold_as(self, other: ChangeReading) -> None:
        """Fold and open what is folded and open in another reading of the same task."""
        self.split, self.unfolded, self.opened = other.split, other.unfolded, other.opened
        self.arrange()

    # -- reading on

    def is_unseen(self, file: int) -> bool:
        """Whether a file has something that can be seen and was not."""
        each = self.change.files[file]
        return self.looking.unseen_in(each) > 0 and not (each.folded and each.path not in self.unfolded)

    def next_unseen_file(self, start: int) -> int | None:
        """The next file from `start` on with something unseen."""
        return next((file for file in range(start, len(self.change.files)) if self.is_unseen(file)), None)

    def first_unseen_hunk(self) -> int | None:
        """The row of the first hunk that was not seen."""
        for number, place in enumerate(self.change.places):
            if not self.looking.is_seen(place.hunk.id) and self.is_unseen(place.file):
                return self.rows.hunk_rows[number]
        return None

    def unseen_here(self) -> int:
        """How many hunks of what is compared were not seen."""
        return sum(not self.looking.is_seen(place.hunk.id) for place in self.change.places)

    def look(self, lines: Sequence[int], now: float) -> bool:
        """These lines are on screen; whether a hunk was completed by what was there before."""
        complete = self.seen.look(lines, now)
        whole = [hunk for hunk in complete if hunk not in self._hiding]
        self.looking.spaceless.update(self._hiding.intersection(complete))
        self.looking.shown.update(whole)
        self.looking.marked.difference_update(whole)
        return bool(complete)

    def see_comments(self, numbers: Sequence[int], now: float) -> None:
        """These comments are on screen as a whole; those that were for long enough may be sent."""
        self._comments = {number: self._comments.get(number, now) for number in numbers}
        for number, since in self._comments.items():
            if now - since >= LEAST_SECONDS and not self.looking.comments[number].shown:
                self.looking.saw_comment(number)
