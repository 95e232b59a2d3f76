"""Looking: what the person who sits here has been shown of each task, how long they looked, what they noted.

It is what a decision is sent with (H4, H5): ids of hunks, which the Application counts, never a sum of ours. Only what
this process had on screen is among them: a draft is a file that any program of the same user can write.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from foureyes.app.results.draft import Draft, HunkSeen, RedoDraft
from foureyes.app.results.review import ViewReport
from foureyes.ui.tui.comments import Comment, CommentSpot, comment_of
from foureyes.ui.tui.seen import Stopwatch

if TYPE_CHECKING:
    from foureyes.app.results.diff import DiffView
    from foureyes.core.documents.unified_diff import FileDiff
    from foureyes.ui.tui.review_session import FlowForm


AROUND = (3, 10, 30)
"""How many lines stand around each place of a change; Z goes from one to the next."""


class Lens(NamedTuple):
    """How a change is shown: so many lines around each place, and whether white space is."""

    around: int = AROUND[0]
    space: bool = True


class LookSoFar:
    """One task as this person has looked at it. Hunks are kept by their ids, so that one which did not change stays
    seen in a later attempt.
    """

    def __init__(self, task: str) -> None:
        self.task = task
        self.shown: set[str] = set()
        self.marked: set[str] = set()
        self.spaceless: set[str] = set()
        """Hunks that were on screen only while white space was hidden, and had some."""
        self.cut: dict[str, set[int]] = {}
        """Hunks that were on screen with lines that are wider than it, and the numbers of those lines."""
        self.before: dict[str, HunkSeen] = {}
        """Hunks that were seen in an earlier session, as a file says: a help for the eye, which counts for nothing."""
        self.lens = Lens()
        self.pager = False
        self.watch = Stopwatch()
        self.comments: list[Comment] = []
        self.half: dict[CommentSpot, Comment] = {}
        """Comments that are half written, by where they are: the next sheet there goes on with them."""
        self.aim: tuple[str, int] | None = None
        """The path and line (0: the file) at which the diff is to open."""
        self.came_from = ""
        """The finding from which the diff was opened; Esc goes back to it."""
        self.acts = 0
        """How often the reader did something about the task besides deciding: ruled, answered, lifted a hold."""
        self.attempt = 0
        """The attempt that was looked at last, before this look; this one once it was seen whole or decided about."""
        self.current = 0
        """The attempt that is looked at now."""
        self.hunks: tuple[str, ...] | None = None
        """The hunks of the whole change; None while nobody has asked for it."""
        self._paths: dict[str, str] = {}
        self.redo = RedoDraft()
        self.reject = ""
        self.kept: set[FlowForm] = set()
        """The forms whose words came from a file, and were touched by nobody here."""
        self.about = ""
        """The change that was on screen when a form about it was opened."""
        self.read = False
        """Whether what was begun in an earlier session was brought back."""
        self.held_by = 0
        """The process that has the draft open, where that is another one (-1: unknown); then nothing is kept here."""
        self.lock_note = ""
        """Why nothing is kept here, where no process is the reason."""

    @property
    def draft(self) -> Draft:
        """Everything that is not sent yet, as it is kept."""
        marked: dict[str, HunkSeen] = dict.fromkeys(self.marked, "marked")
        spaceless: dict[str, HunkSeen] = dict.fromkeys(self.spaceless, "spaceless")
        shown: dict[str, HunkSeen] = dict.fromkeys(self.shown, "shown")
        return Draft(
            task=self.task,
            attempt=self.attempt,
            redo=self.redo,
            reject=self.reject,
            comments=tuple(comment.draft for comment in self.comments),
            half=tuple(comment.half(spot.was) for spot, comment in self.half.items()),
            seen={**self.before, **spaceless, **marked, **shown},
        )

    def bring_back(self, draft: Draft) -> None:
        """What was begun in an earlier session; what was done since then wins."""
        self.read = True
        if self.redo == RedoDraft() != draft.redo:
            self.redo = draft.redo
            self.kept.add("redo")
        if draft.reject and not self.reject:
            self.reject = draft.reject
            self.kept.add("reject")
        self.comments = self.comments or [comment_of(comment) for comment in draft.comments]
        for each in draft.half:
            half = comment_of(each)
            self.half.setdefault(half.spot._replace(was=each.was), half)
        self.before |= draft.seen

    def forget_words(self) -> None:
        """What was begun is not wanted any more."""
        self.redo, self.reject = RedoDraft(), ""
        self.comments.clear()
        self.half.clear()
        self.kept.clear()

    def take(self, view: DiffView) -> None:
        """The whole change is known: what there is to be seen."""
        if self.current and self.current != view.attempt:  # another change: nobody has looked at it yet
            self.pager, self.watch = False, Stopwatch()
        self.current = view.attempt
        self.attempt = self.attempt or view.attempt
        self._paths = {hunk.id: file.path for file in view.files if file.counts for hunk in file.hunks}
        self.hunks = tuple(self._paths)

    def leave(self) -> None:
        """The look is over: what was seen whole is what the next one is compared with."""
        if self.current and not self.unseen:
            self.attempt = self.current

    def is_seen(self, hunk: str) -> bool:
        """Whether a hunk was seen as far as it can be seen through this lens."""
        return self._is_whole(hunk) or (not self.lens.space and hunk in self.spaceless)

    def was_seen(self, hunk: str) -> bool:
        """Whether a hunk was seen in an earlier session only."""
        return hunk in self.before and not self.is_seen(hunk)

    def _is_whole(self, hunk: str) -> bool:
        return hunk in self.shown or hunk in self.marked

    def unseen_in(self, file: FileDiff) -> int:
        """How many hunks of a file were neither shown nor marked."""
        return sum(not self.is_seen(hunk.id) for hunk in file.hunks) if file.counts else 0

    @property
    def unseen(self) -> int | None:
        """How many hunks of the change were neither shown nor marked; None where that is not known."""
        return None if self.hunks is None else sum(not self._is_whole(hunk) for hunk in self.hunks)

    @property
    def unseen_paths(self) -> list[str]:
        """The files with hunks that were neither shown nor marked, in the order of the change."""
        return list(dict.fromkeys(self._paths[hunk] for hunk in self.hunks or () if not self._is_whole(hunk)))

    def cut_in(self, file: FileDiff) -> int:
        """How many lines of a file are cut off, where nothing else of it is unseen; else 0."""
        left = [hunk.id for hunk in file.hunks if not self.is_seen(hunk.id)]
        return sum(len(self.cut[hunk]) for hunk in left) if all(hunk in self.cut for hunk in left) else 0

    @property
    def cut_off(self) -> int:
        """How many hunks were on screen, but for the rest of a line that is cut there."""
        return sum(hunk in self.cut and not self._is_whole(hunk) for hunk in self.hunks or ())

    def look(self, now: float, *, confirmed: bool = False) -> ViewReport:
        """What a decision is sent with: ids of hunks, which the Application counts (H4, H5, D8)."""
        self.watch.touch(now)
        return ViewReport(
            face="tui",
            shown=tuple(sorted(self.shown)),
            marked=tuple(sorted(self.marked - self.shown)),
            spaceless=tuple(sorted(self.spaceless - self.shown)),
            pager=self.pager,
            seconds=self.watch.seconds,
            confirmed=confirmed,
        )

    def mark(self, hunks: Iterable[str]) -> None:
        """Ticked off by hand: recorded as marked, not as shown."""
        self.marked.update(hunk for hunk in hunks if hunk not in self.shown)

    @property
    def own_comments(self) -> list[Comment]:
        """What a decision sends: the comments that were written here, or were on screen here."""
        return [comment for comment in self.comments if comment.shown]

    def saw_comment(self, number: int) -> Comment:
        """A comment is on screen."""
        self.comments[number] = replace(self.comments[number], shown=True)
        return self.comments[number]

    def comments_in_words(self) -> str:
        """`2 comments`, `1 comment, 2 kept`; nothing where there are none."""
        own = len(self.own_comments)
        kept = len(self.comments) - own
        parts = [f"{own} comment{'' if own == 1 else 's'}"] if own else []
        return ", ".join([*parts, *([f"{kept} kept"] if kept else [])])

    def left_behind(self) -> list[str]:
        """What is said about comments that a decision does not send."""
        count = len(self.comments) - len(self.own_comments)
        words = "a comment" if count == 1 else f"{count} comments"
        return [f"{words} kept from an earlier session not sent: never whole on screen here"] if count else []

    def sent(self, comments: Iterable[Comment]) -> None:
        """Comments that are findings now are no draft any more; one that was edited meanwhile is another one."""
        gone = list(comments)
        self.comments[:] = [comment for comment in self.comments if comment not in gone]

    @property
    def blocking(self) -> list[Comment]:
        """The comments that say of themselves that they block."""
        return [comment for comment in self.comments if comment.blocks]


class Looks:
    """What was looked at while the app is open, by task."""

    def __init__(self) -> None:
        self._by_task: dict[str, LookSoFar] = {}

    def of(self, task: str) -> LookSoFar:
        if task not in self._by_task:
            self._by_task[task] = LookSoFar(task)
        return self._by_task[task]

    def drop(self, task: str) -> None:
        """A decision was made: the next look begins with what was seen, and with words that were not sent."""
        before = self._by_task.pop(task, None)
        if before is not None:
            after = self.of(task)
            after.shown, after.marked, after.comments = before.shown, before.marked, before.comments
            after.spaceless, after.lens, after.before = before.spaceless, before.lens, before.before
            after.attempt = before.current or before.attempt
            after.redo, after.reject, after.half = before.redo, before.reject, before.half
            after.kept, after.read = before.kept, before.read
