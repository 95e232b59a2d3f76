"""Attempts: what was submitted for a task, once, frozen (A); the work of others inside it (A7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from foureyes.core.words.ids import DiffId, SessionId, Sha, TaskId, seen_name

# ---- Attempts ----

Relation = Literal["same", "message_only", "trivial_rebase", "rework"]
KEEPS_APPROVAL: frozenset[Relation] = frozenset({"same", "message_only", "trivial_rebase"})

HandInSignal = Literal["DONE", "BLOCKED", "NEEDS_REVIEW"]
SIGNALS: tuple[HandInSignal, ...] = ("DONE", "NEEDS_REVIEW", "BLOCKED")
"""S1: with what a run ends that submits. A failed run is never a submission (S2)."""


MarkKind = Literal[
    "deleted", "executable", "link", "binary", "hidden", "skip", "assert", "rename", "mode", "unlinked", "submodule",
    "odd", "at_merge", "behind", "called", "long",
]  # fmt: skip


class Mark(msgspec.Struct, frozen=True):
    """Something about a changed file that whoever looks should know (H1): from git, not from what anybody says.

    deleted · executable: the bit was set · link: a symbolic link was made or leads elsewhere · binary · hidden:
    characters that do not show or that reorder the line · skip: a test is skipped that was not · assert: fewer
    assertions than before · rename · mode: it had another one · unlinked: a symbolic link went · submodule · odd:
    before or after it is anything but a plain file (100644) ·
    at_merge: where a merge would have put the change, when that ended an approval (Q2) · behind: a gate file, or one
    that decides how checks run, that is a link to something that changes (A4) ·
    called: a script of a check names it (M4) · long: a line was added that no screen shows whole.
    """

    kind: MarkKind
    path: str


NOT_MEASURED = 0
"""The size of an attempt from before sizes were measured: one that changes a file has the bytes of its name, at least.
"""
MOST_MEASURED = 2**31 - 1
"""What is larger is not told apart."""


class ChangedFile(msgspec.Struct, frozen=True):
    """One row of `--numstat -z`. Binary files have no line counts; `old_path` is set for a rename."""

    path: str
    added: int | None
    removed: int | None
    old_path: str = ""


class Commit(msgspec.Struct, frozen=True):
    """A commit of an attempt, with the sessions and tasks its trailers name. Git names are shown, never counted
    (A1).
    """

    sha: Sha
    subject: str
    author: str
    sessions: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What git says about base..head: everything an attempt freezes that does not need the store.

    `size`: bytes of the lines that came and went, and of the names of the files.
    """

    base: Sha
    head: Sha
    tree: Sha
    ref: str
    landed: bool
    diff_id: DiffId
    files: tuple[ChangedFile, ...]
    commits: tuple[Commit, ...]
    base_tree: str = ""
    marks: tuple[Mark, ...] = ()
    size: int = NOT_MEASURED

    @property
    def is_empty(self) -> bool:
        return not self.files

    @property
    def added(self) -> int:
        return sum(f.added or 0 for f in self.files)

    @property
    def removed(self) -> int:
        return sum(f.removed or 0 for f in self.files)


class Effect(msgspec.Struct, frozen=True):
    """What a merge does to the target: the files of tip..result. Mostly those of the attempt; where the target renamed
    a file meanwhile, others.
    """

    files: tuple[ChangedFile, ...] = ()
    marks: tuple[Mark, ...] = ()
    size: int = NOT_MEASURED

    @property
    def paths(self) -> list[str]:
        """Every path that is touched; of a rename both, and those of links that lead there."""
        paths = [path for changed in self.files for path in (changed.path, changed.old_path) if path]
        return paths + [mark.path for mark in self.marks if mark.kind == "behind"]


AuthorSource = Literal["claim", "token", "shared", "trailer"]
"""What makes a session an author, the strongest first: it held the claim or a token to implement, it is an author of
another task that shares code with this one (A6), or a commit's trailer names it, which anybody can write (I8).
"""
AUTHOR_SOURCES: tuple[AuthorSource, ...] = ("claim", "token", "shared", "trailer")


class Author(msgspec.Struct, frozen=True):
    """A member of an author set. `why` is what the journal keeps, for people to read; `source` is what counts."""

    session: SessionId
    why: str
    attempt: int = 0

    @classmethod
    def by(cls, source: AuthorSource, session: SessionId, what: str = "") -> Author:
        """An author for the journal. `what`: the commit whose trailer names it, or what is shared with whom."""
        words = {"claim": "claim", "token": "a token", "shared": f"shares {what}", "trailer": f"commit {what}"}
        return cls(session, words[source])

    @property
    def source(self) -> AuthorSource:
        return source_of(self.why)


class EarlierAttempt(msgspec.Struct, frozen=True):
    """What is asked of an attempt beside the latest: which change it was, and what it was to the one before it (A3)."""

    n: int
    diff_id: str
    relation: Relation | None = None


def nothing_handed_in(task: str) -> str:
    """The words for a task without an attempt."""
    return f"nothing was submitted for {task}"


def source_of(why: str) -> AuthorSource:
    """The source of an author, from the words of the journal: the one place that reads them.

    Words that nobody has written so far are a claim: only what a trailer says can be cleared (I8).
    """
    kind = why.partition(" ")[0]
    if kind == "commit":
        return "trailer"
    if kind == "shares":
        return "shared"
    return "token" if why in ("a token", "token") else "claim"


def relation(*, same_head: bool, same_tree: bool, same_base: bool, mechanical: bool) -> Relation:
    """A3: what a new head is to an approved one.

    `same_tree` counts as "message only" on the same base; on a new base only the mechanical merge shows that
    nothing but the base changed.
    """
    if same_head:
        return "same"
    if same_tree and same_base:
        return "message_only"
    if mechanical:
        return "trivial_rebase"
    return "rework"


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """A frozen submission as the store has it. `n` is its iteration; `clone` where it was submitted from, where several
    clones share the project.
    """

    n: int
    base: Sha
    head: Sha
    tree: Sha
    ref: str
    diff_id: DiffId
    landed: bool = False
    no_code: bool = False
    files: list[ChangedFile] = []
    commits: list[Commit] = []
    added: int = 0
    removed: int = 0
    message: str = ""
    submitted_by: SessionId
    via: SessionId | None = None
    submitted_at: str
    duration_seconds: int = 0
    relation: Relation | None = None
    signal: HandInSignal = "DONE"
    base_tree: str = ""
    marks: list[Mark] = []
    size: int = NOT_MEASURED
    clone: str = ""

    @property
    def seen(self) -> str:
        """What its change is called by whoever saw it (D7)."""
        return seen_name(self.n, self.diff_id)

    @property
    def is_merged_later(self) -> bool:
        """Whether an approval sends it to the merge queue: there is code, and it has not landed yet."""
        return not (self.no_code or self.landed)


def same_change(attempts: Sequence[EarlierAttempt | Attempt]) -> frozenset[int]:
    """A3, D7: the numbers of the attempts that are the same change as the last of these: itself, and those before it up
    to the latest rework. The same head on another base shows another diff, and is none of them.
    """
    same: set[int] = set()
    after: EarlierAttempt | Attempt | None = None
    for attempt in reversed(attempts):
        if after is not None:
            reworked = after.relation not in KEEPS_APPROVAL or attempt.n != after.n - 1
            if reworked or (after.relation == "same" and after.diff_id != attempt.diff_id):
                break
        same.add(attempt.n)
        after = attempt
    return frozenset(same)


# ---- Stacks (A7) ----

How = Literal["whole", "part", "carved", "copied", "quoted", "branch", "trailer"]
TAKEN_ALONG: frozenset[How] = frozenset({"whole", "part", "copied", "branch", "trailer"})
"""Work of the other task that a merge would take to the target with it. What is carved or quoted is this task's own as
well, and reviewed as that.
"""


class Below(msgspec.Struct, frozen=True, kw_only=True):
    """Work of another task inside an attempt.

    `how`: whole: every commit of its attempt · part: some of its commits, or some that it has no longer · carved: the
    attempt is a part of what the other task had submitted before · copied: every file that the other attempt leaves
    behind, under other commits · quoted: some of these contents, commits that both have, or those on the branch of a
    task that was begun later; only the strictness of the other task counts · branch: commits that stand on the other
    task's branch · trailer: commits that name it. `attempt`: which one of the other task; 0 where it had submitted
    nothing. `commits`: how many; `top`: the last of them, where it is known.
    """

    task: TaskId
    how: How
    attempt: int = 0
    commits: int = 0
    top: str = ""
