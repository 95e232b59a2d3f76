"""Attempts: frozen submissions of a task (A), with the work of other tasks inside them (A7)."""

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
"""Signals of a submitting run (S1). A failed run is never a submission (S2)."""


MarkKind = Literal[
    "deleted", "executable", "link", "binary", "hidden", "skip", "assert", "rename", "mode", "unlinked", "submodule",
    "odd", "at_merge", "behind", "called", "long",
]  # fmt: skip


class Mark(msgspec.Struct, frozen=True):
    """A warning about a changed file for the reviewer, taken from git and not from an author's words. (H1)

    deleted · executable: the bit was set · link: a symbolic link was created or redirected · binary · hidden:
    invisible characters, or ones that reorder the line · skip: a test is newly skipped · assert: fewer assertions than
    before · rename · mode: the mode changed · unlinked: a symbolic link was removed · submodule · odd: not a plain
    file (100644) before or after · at_merge: the path that a merge would have changed when it voided an approval (Q2)
    · behind: a gate file, or an input of the checks, that is a link to a changed file (A4) · called: a check's script
    names it (M4) · long: an added line is too long for any screen.
    """

    kind: MarkKind
    path: str


NOT_MEASURED = 0
"""Size of attempts from before sizes were measured. A measured change has at least the bytes of its file names."""
MOST_MEASURED = 2**31 - 1
"""Larger sizes are capped at this."""


class ChangedFile(msgspec.Struct, frozen=True):
    """One row of `--numstat -z`. Binary files have no line counts. `old_path` is set for a rename."""

    path: str
    added: int | None
    removed: int | None
    old_path: str = ""


class Commit(msgspec.Struct, frozen=True):
    """A commit of an attempt, with the sessions and tasks in its trailers. Git author names are shown, but never
    counted. (A1)
    """

    sha: Sha
    subject: str
    author: str
    sessions: tuple[str, ...] = ()
    tasks: tuple[str, ...] = ()


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """The data of base..head from git: everything an attempt freezes without the store.

    `size` is the number of bytes in changed lines and file names.
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
    """The effect of a merge on the target: the files of tip..result. They differ from the attempt's files if the
    target renamed some.
    """

    files: tuple[ChangedFile, ...] = ()
    marks: tuple[Mark, ...] = ()
    size: int = NOT_MEASURED

    @property
    def paths(self) -> list[str]:
        """Every affected path: both paths of a rename, and links to changed files."""
        paths = [path for changed in self.files for path in (changed.path, changed.old_path) if path]
        return paths + [mark.path for mark in self.marks if mark.kind == "behind"]


AuthorSource = Literal["claim", "token", "shared", "trailer"]
"""What makes a session an author, the strongest first: it held the claim or a token to implement, it is an author of
another task that shares code with this one (A6), or a commit trailer names it, which anyone can write (I8).
"""
AUTHOR_SOURCES: tuple[AuthorSource, ...] = ("claim", "token", "shared", "trailer")


class Author(msgspec.Struct, frozen=True):
    """A member of an author set. `why` is the journal's text for people, `source` the value that counts."""

    session: SessionId
    why: str
    attempt: int = 0

    @classmethod
    def by(cls, source: AuthorSource, session: SessionId, what: str = "") -> Author:
        """Return an author for the journal. `what` is the commit with the trailer, or the shared code and task."""
        words = {"claim": "claim", "token": "a token", "shared": f"shares {what}", "trailer": f"commit {what}"}
        return cls(session, words[source])

    @property
    def source(self) -> AuthorSource:
        return source_of(self.why)


class EarlierAttempt(msgspec.Struct, frozen=True):
    """An attempt before the latest: its change, and its relation to the attempt before it. (A3)"""

    n: int
    diff_id: str
    relation: Relation | None = None


def nothing_handed_in(task: str) -> str:
    """Return the message for a task without an attempt."""
    return f"nothing was submitted for {task}"


def source_of(why: str) -> AuthorSource:
    """Return the source of an author from the journal's words. All readers must use this.

    Unknown words count as a claim, because only trailers can be cleared (I8).
    """
    kind = why.partition(" ")[0]
    if kind == "commit":
        return "trailer"
    if kind == "shares":
        return "shared"
    return "token" if why in ("a token", "token") else "claim"


def relation(*, same_head: bool, same_tree: bool, same_base: bool, mechanical: bool) -> Relation:
    """Return the relation of a new head to an approved one. (A3)

    `same_tree` means "message only" on the same base. On a new base, only the mechanical merge shows that nothing but
    the base changed.
    """
    if same_head:
        return "same"
    if same_tree and same_base:
        return "message_only"
    if mechanical:
        return "trivial_rebase"
    return "rework"


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """A stored, frozen submission. `n` is its iteration, `clone` its origin if several clones share the project."""

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
        """The name of its change for `--seen`. (D7)"""
        return seen_name(self.n, self.diff_id)

    @property
    def is_merged_later(self) -> bool:
        """True if an approval sends it to the merge queue: it has code and has not landed."""
        return not (self.no_code or self.landed)


def same_change(attempts: Sequence[EarlierAttempt | Attempt]) -> frozenset[int]:
    """Return the numbers of attempts with the same change as the last one: itself, and those before it up to the
    latest rework.

    The same head on another base shows another diff and does not count. (A3, D7)
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
"""Work of another task that a merge would also bring to the target. Carved or quoted work belongs to this task too and
is reviewed as such.
"""


class Below(msgspec.Struct, frozen=True, kw_only=True):
    """Work of another task inside an attempt.

    `how`: whole: every commit of its attempt · part: some of its commits, or ones it has dropped · carved: the attempt
    is part of an earlier submission of the other task · copied: every file of the other attempt, under other commits ·
    quoted: some of its contents, commits that both have, or commits on the branch of a task begun later (only the
    other task's strictness counts) · branch: commits on the other task's branch · trailer: commits that name it.

    `attempt` is the other task's attempt, 0 without a submission. `commits` is their number, `top` the last one if
    known.
    """

    task: TaskId
    how: How
    attempt: int = 0
    commits: int = 0
    top: str = ""
