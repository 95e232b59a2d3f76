"""Attempts: frozen submissions of a task (A), and work of other tasks inside them (A7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from foureyes.core.words.ids import DiffId, SessionId, Sha, TaskId, seen_name

# ---- Attempts ----

Relation = Literal["same", "message_only", "trivial_rebase", "rework"]
KEEPS_APPROVAL: frozenset[Relation] = frozenset({"same", "message_only", "trivial_rebase"})

SubmitSignal = Literal["DONE", "BLOCKED", "NEEDS_REVIEW"]
SIGNALS: tuple[SubmitSignal, ...] = ("DONE", "NEEDS_REVIEW", "BLOCKED")
"""Signals of a run that submits (S1). A failed run never submits (S2)."""


MarkKind = Literal[
    "deleted", "executable", "link", "binary", "hidden", "skip", "assert", "rename", "mode", "unlinked", "submodule",
    "odd", "at_merge", "behind", "called", "long",
]  # fmt: skip


class Mark(msgspec.Struct, frozen=True):
    """A warning about a changed file, computed from git and not from the author's words. (H1)

    - deleted, rename, mode, binary, submodule: as git shows it
    - executable: the file became executable
    - link: a symbolic link was created or redirected
    - unlinked: a symbolic link was removed
    - odd: not a plain file (100644) before or after
    - hidden: invisible characters, or some that reorder the line
    - long: an added line is too long for any screen
    - skip: a test is newly skipped
    - assert: fewer assertions than before
    - called: a script of a check names it (M4)
    - behind: a gate file, or an input of the checks, that is a link to a changed file (A4)
    - at_merge: a merge would have changed this path, so it voided an approval (Q2)
    """

    kind: MarkKind
    path: str


NOT_MEASURED = 0
"""The size of attempts made before sizes were measured. A measured change has at least the bytes of its file names."""
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
    """The content of base..head in git: everything about an attempt that does not come from the store.

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
"""Why a session is an author, strongest first: it held the claim, or a token to implement; it is an author of another
task that shares code with this one (A6); or a commit trailer names it, which anyone can write (I8).
"""
AUTHOR_SOURCES: tuple[AuthorSource, ...] = ("claim", "token", "shared", "trailer")


class Author(msgspec.Struct, frozen=True):
    """A member of an author set.

    `why` is the journal's text for people. Rules use `source`.
    """

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
    """An attempt before the latest one, with its relation to the attempt before it. (A3)"""

    n: int
    diff_id: str
    relation: Relation | None = None


def nothing_submitted(task: str) -> str:
    """Return the message for a task without an attempt."""
    return f"nothing was submitted for {task}"


def source_of(why: str) -> AuthorSource:
    """Return the source of an author from the journal's text.

    All readers must use this. Unknown text counts as a claim, because only trailers can be cleared. (I8)
    """
    kind = why.partition(" ")[0]
    if kind == "commit":
        return "trailer"
    if kind == "shares":
        return "shared"
    return "token" if why in ("a token", "token") else "claim"


def relation(*, same_head: bool, same_tree: bool, same_base: bool, mechanical: bool) -> Relation:
    """Return the relation of a new head to an approved one. (A3)

    On the same base, `same_tree` means that only messages differ. On a new base, only the mechanical merge shows that
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
    signal: SubmitSignal = "DONE"
    base_tree: str = ""
    marks: list[Mark] = []
    size: int = NOT_MEASURED
    clone: str = ""

    @property
    def seen(self) -> str:
        """The name of this change for `--seen`. (D7)"""
        return seen_name(self.n, self.diff_id)

    @property
    def is_merged_later(self) -> bool:
        """True if approving it adds it to the merge queue: it has code and has not landed."""
        return not (self.no_code or self.landed)


def same_change(attempts: Sequence[EarlierAttempt | Attempt]) -> frozenset[int]:
    """Return the numbers of the attempts with the same change as the latest, which is included. (A3, D7)

    These go back to the latest rework. The same head on another base shows another diff and does not count.
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
"""Relations in which merging would also bring the other task's work to the target. Carved or quoted work belongs to
this task too and is reviewed as such.
"""


class Below(msgspec.Struct, frozen=True, kw_only=True):
    """Work of another task inside an attempt.

    `attempt` is the other task's attempt, 0 if it submitted none. `commits` is their number, `top` the last one if
    known. `how`:

    - whole: every commit of its attempt
    - part: some of its commits, or ones that it dropped
    - copied: every file of its attempt, in other commits
    - branch: commits on its branch
    - trailer: commits that name it
    - carved: this attempt is part of an earlier submission of the other task
    - quoted: some of its contents, commits that both have, or commits on the branch of a task begun later. Only the
    other task's strictness counts.
    """

    task: TaskId
    how: How
    attempt: int = 0
    commits: int = 0
    top: str = ""
