"""What the application needs of git, as protocols: looking and doing. `adapters/git` implements them; tests may too."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

import msgspec

from foureyes.app.views.work import CheckpointView, Copied, Dropped, LineCommit, WorktreeState
from foureyes.core.nouns.attempt import Change, Effect, Relation
from foureyes.core.words.ids import Sha
from foureyes.steps import NO_STEP, Steps

if TYPE_CHECKING:
    from foureyes.core.documents.unified_diff import FileDiff
    from foureyes.errors import GitProblem


Fence = Callable[[], AbstractContextManager[object]]
"""What a ref is moved inside of: a transaction that only who holds the lease can begin (J4)."""
HeldAnchors = Callable[[Sequence[str]], Collection[str]]
"""Who says which of some anchors a store holds (J3)."""


class Additions(msgspec.Struct, frozen=True):
    """What a commit of everything would add: bytes of each file that the last commit lacks, staged or not, and by how
    many bytes others grew. What git ignores counts where somebody staged it.
    """

    new: Mapping[str, int] = {}
    grown: Mapping[str, int] = {}


class TargetHistory(msgspec.Struct, frozen=True):
    """Commits of the target; `more`: there are others behind. `lacks`: what they stand on and is not in this clone."""

    commits: list[LineCommit]
    more: bool = False
    lacks: frozenset[Sha] = frozenset()


class Repo(Protocol):
    """The project's git repository, looked at from the caller's working directory; nothing is changed through it.

    Nothing that a decision rests on is influenced by attributes, replace refs, drivers or configuration (A2).
    Methods raise `GitProblem` when git fails; an unknown ref or commit is `None`, never an exception.
    """

    def commit_of(self, ref: str) -> Sha | None:
        """The commit a full ref name, a branch name or a sha means."""

    def heads(self) -> dict[str, Sha]:
        """Every branch (full ref name) and its commit, in one call."""

    def current_ref(self) -> str:
        """The full name of the branch checked out where the caller stands, or DETACHED."""

    def branch_ref(self, name: str) -> str | None:
        """The full ref of a local branch given by short or full name; None when there is none."""

    def uncommitted(self, ref: str, *, in_conflict: bool = False) -> list[str]:
        """Paths not committed (untracked, not ignored ones too) in the worktree where `ref` is checked out; or those of
        them with conflicts that nobody resolved."""

    def additions(self, ref: str) -> Additions:
        """What a commit of everything would add where `ref` is checked out."""

    def change(self, *, target: str, ref: str, since: Sha | None, covering: Sha | None = None) -> Change:
        """K4: what is on `ref` and not on the target branch; or, if all of it is there, what landed since `since`.

        `covering`: the change begins no later than there, even if the target has a part of it already.
        """

    def is_ancestor(self, commit: Sha, of: Sha) -> bool:
        """Whether `commit` is reachable from `of`; False for unknown commits."""

    def relation(self, *, base: Sha, head: Sha, new_head: Sha, target: str) -> Relation:
        """A3: what `new_head` is to the approved `base..head`."""

    def reached(self, commits: Sequence[Sha], target: str) -> set[Sha]:
        """Those of the commits that the target branch has; perhaps also some that are unknown."""

    def merged_by(self, head: Sha, target: str) -> Sha | None:
        """The first commit on the target's first-parent line that contains `head`; None when none does."""

    def diff_text(self, base: Sha, head: Sha) -> str:
        """The change for reading (renames followed); not what the diff id is made of."""

    def file_diffs(self, base: Sha, head: Sha, context: int = 3) -> tuple[FileDiff, ...]:
        """The same change as files, hunks and numbered lines, with sizes of binary files and `context` lines around."""

    def diffs_since(self, was: Sha, then: Sha, base: Sha, head: Sha, context: int = 3) -> tuple[FileDiff, ...] | None:
        """What is new in base..head compared with was..then brought onto that base; None where git cannot do it."""

    def line(self, target: str, most: int) -> list[LineCommit]:
        """The newest commits on the first-parent line of the target, or of a commit, the tip first."""

    def history(self, target: str, most: int) -> TargetHistory:
        """The nearest commits of the target, or of a commit, on all its lines: each before those that it stands on."""

    def last_anchor(
        self,
        target: str,
        since: Sha | None = None,
        *,
        work: Collection[Sha] = (),
        held: HeldAnchors | None = None,
        adopted: Sha | None = None,
    ) -> str | None:
        """The anchor `<row>:<hash>` with the highest row (J3) of the target's commits that `since`, if that is on it, has
        not, and of that one itself. Of the `work` of tasks only merges have one. Those that are `held`, or of commits
        that `adopted` has, do not count.
        """

    def file_at(self, ref: str, path: str) -> str | None:
        """The text of a file on a branch or commit; None when it is not there."""

    def kept(self, below: str) -> dict[str, Sha]:
        """Every ref below a name, and what it names."""

    def replaced(self) -> list[str]:
        """By what git in this clone puts others in the place of commits; what is decided goes by hash."""

    def in_the_way(self, refs: Sequence[str]) -> list[GitProblem]:
        """Why git cannot write these refs (another ref, a lock that was left), each with what fixes it; nothing of
        those that it can.
        """

    def locked(self, below: str) -> list[str]:
        """The refs below a name that have a lock beside them: another git is writing them, or was killed."""

    def missing(self, objects: Sequence[Sha]) -> set[Sha]:
        """Those of the objects that are not there, commits that cannot be read, and trees that are not whole."""

    def texts(self, commit: Sha, paths: Sequence[str]) -> dict[str, str]:
        """The texts of files at a commit, in one call; what is not there, is binary or is very large is left out."""

    def links(self, *trees: Sha) -> list[dict[str, str]]:
        """The symbolic links of commits or trees, each path with what it says."""

    def renames(self, old: Sha, new: Sha) -> dict[str, str]:
        """Between two commits: path now → path then, of every renamed file."""

    def pieces(self, base: Sha, head: Sha) -> tuple[str, ...]:
        """A6: what an attempt is made of: `blob <sha>` of each file it leaves, `diff <id>` of each commit."""

    def close(self) -> None:
        """Remove what was made for asking git."""


class MergeResult(msgspec.Struct, frozen=True):
    """What git makes of a merge by itself: a tree, or the paths on which it could not decide.

    `diff_id` names base..head as it was read for this merge (A2); `effect` is what it does to the target.
    """

    tree: Sha | None
    conflicts: tuple[str, ...] = ()
    diff_id: str = ""
    effect: Effect = Effect()


class CaughtUp(msgspec.Struct, frozen=True):
    """A checkout of the target branch after the branch moved: brought up to date, or skipped and why (Q5).

    `here` is its path as seen from where the caller stands.
    """

    path: str
    here: str
    moved: bool
    why: str = ""
    next: Steps = NO_STEP


class Workshop(Protocol):
    """What is done to the repository: by the gate, in worktrees of tasks, and for the caller. Only here refs move.

    The gate's git runs without hooks, user and system configuration, external drivers and filters (Q2). Files of a
    person's checkout are written by `catch_up` and `reset`, which bring a clean one to another commit, and by
    `apply_patch`. `commit_all` and `commit_file` are the caller's own commits: their hooks, their identity.
    """

    def commit_all(
        self, message: str, trailers: Sequence[tuple[str, str]], *, apart: str = "", fence: Fence = nullcontext
    ) -> Sha:
        """Commit everything in the caller's worktree; or in that of the task `apart`, and no program of it is run:
        there the branch moves inside of what `fence` gives, which nobody can enter who has lost a lease (J4).
        """

    def look(self, task: str, message: str) -> Sha:
        """V1: the files of a task's worktree as they are now, as a commit that no ref names yet; nothing changes there,
        and no program of the tree is run.
        """

    def commit_file(self, path: str, message: str) -> Sha:
        """Commit exactly one file of the main worktree to the checked-out branch, leaving everything else alone."""

    def export(self, tree: Sha, path: str, only: Sequence[str] = ()) -> None:
        """Write the files of a tree (or of a commit's tree), or `only` these, into an empty directory; no `.git`, no
        program is run for it.
        """

    def files_of(self, tree: Sha) -> dict[str, str]:
        """Every path of a tree, with its mode and object."""

    def keep(self, ref: str, commit: Sha) -> None:
        """Make a ref below `refs/foureyes/` name a commit, so that it is never lost."""

    def merge(self, *, base: Sha, tip: Sha, head: Sha, landed: Sha | None = None) -> MergeResult:
        """What git by itself, with no driver and no attribute, makes of base..head brought onto `tip`: by that base,
        which was shown, and by no other that history may have. `landed`: what of it is on the target already (A7);
        where the base conflicts, only what comes after that is brought. Moves nothing.
        """

    def is_merge_of(self, commit: Sha, *, base: Sha, head: Sha) -> bool:
        """Whether a commit of the target holds exactly what the gate would have made of base..head there."""

    def commit(self, *, tree: Sha, parents: Sequence[Sha], message: str) -> Sha:
        """A commit object in the repository's store, by the gate; no ref names it yet."""

    def tree_of(self, commit: Sha) -> Sha | None:
        """The tree of a commit; None when it is not there."""

    def move(self, ref: str, *, new: Sha, old: Sha) -> bool:
        """Compare-and-swap of a branch; False when it was not at `old` any more."""

    def programs_named(self) -> list[str]:
        """The settings of the repository's own configuration that name a program which git would run (Q2)."""

    def catch_up(self, target: str) -> list[CaughtUp]:
        """Bring every checkout of the target branch whose files are those of an earlier commit of it up to date
        (Q5).
        """

    def behind(self, target: str) -> list[CaughtUp]:
        """The checkouts of the target branch that did not follow it; looks, and touches nothing (Q5)."""

    def add_worktree(self, task: str, *, branch: str, base: Sha, session: str) -> str:
        """K1: the worktree of a task, made or found again; its path. Commits in it get the trailers of task and
        session.
        """

    def copy_into(self, task: str, globs: Sequence[str]) -> Copied:
        """K1: copy what the globs mean from the main checkout into the worktree of a task: files that git ignores in
        both, no links, and nothing that is there already.
        """

    def lay_into(self, task: str, source: str, was: str) -> tuple[str, ...]:
        """K1: copy packages from a directory into the worktree of a task, where git ignores them and nothing is yet;
        their names. `was`: the path that files in there name for their own.
        """

    def worktrees(self) -> dict[str, str]:
        """The tasks that have a worktree of their own, and where it is."""

    def unlock_worktree(self, task: str) -> str:
        """Remove an `index.lock` that a dead process left in the worktree of a task; the branch that is checked out
        there (full name), else empty. Only for who has shown that nobody works there.
        """

    def worktree_state(self, task: str) -> WorktreeState:
        """How the worktree of a task stands; looks, and touches nothing."""

    def drop_worktree(self, task: str, *, only_try: bool = False) -> Dropped:
        """Remove the worktree of a task if nothing in it is lost by that: what is not committed stays, and what git
        ignores, unless it can be made again. `only_try`: say what would become of it.
        """

    def delete_merged(self, branch: str, *, target: str) -> bool:
        """Delete a branch that is on the target as a whole and checked out nowhere."""

    def reset(self, ref: str, *, old: Sha, new: Sha) -> str:
        """Bring a branch, and its clean checkout if it has one, from `old` to `new`; why it was skipped, else
        empty.
        """

    def apply_patch(self, patch: str, *, only_try: bool) -> str:
        """Apply a unified diff to the files where the caller stands, if git says that it fits as a whole; why not, else
        empty.
        """

    def add_checkpoint(self, task: str, name: str, commit: Sha, *, at: datetime) -> None:
        """A ref below `refs/foureyes/checkpoints/`; `Conflict` when the name is taken by another commit."""

    def checkpoints(self) -> list[CheckpointView]:
        """All of them, the newest first."""

    def drop_checkpoint(self, task: str, name: str, sha: Sha) -> bool:
        """Forget one."""

    def close(self) -> None:
        """Remove what was made for asking git."""


class RefUpdate(msgspec.Struct, frozen=True):
    """A ref of the remote that is to name `new`; `old` is where it must be until then, None that it is not there."""

    ref: str
    new: Sha
    old: Sha | None = None


class Pushed(msgspec.Struct, frozen=True):
    """Every ref is where it was to be; `said` is what the remote told about it."""

    said: str = ""


class Moved(msgspec.Struct, frozen=True):
    """Nothing was pushed: this ref is not where it was expected, but at `now`, None if it is gone."""

    ref: str
    now: Sha | None


class TakenAway(msgspec.Struct, frozen=True):
    """Which refs of the remote are gone, and of those that stay, why, in words."""

    gone: tuple[str, ...] = ()
    stay: dict[str, str] = {}


class Address(msgspec.Struct, frozen=True):
    """Where a remote is read and written: `digest` tells two of them apart, `shown` is for people, without
    credentials; `apart`: it is written elsewhere than it is read.
    """

    digest: str
    shown: str
    apart: bool = False


class Remote(Protocol):
    """The git remote of the project (`[git] remote`): what it has, and what is brought from and to it (Q6).

    Asked by the caller's own transport and credentials, and by nothing that the repository's own configuration says but
    the address. Every method raises `RemoteProblem` where the remote cannot be asked or says no.
    """

    @property
    def name(self) -> str:
        """What git calls it here."""

    def address(self) -> Address:
        """Where it is, as the configuration said when it was first looked at; what else is asked is asked there."""

    def tips(self, refs: Sequence[str]) -> dict[str, Sha]:
        """Where these refs (full names) are on the remote now, in one round trip; what it has not is left out."""

    def fetch(self, refs: Sequence[str]) -> dict[str, Sha]:
        """As `tips`, and afterwards the objects are here: `tracked` names them. No branch of anybody moves."""

    def push(self, updates: Sequence[RefUpdate]) -> Pushed | Moved:
        """All of it or nothing, each ref from where it is expected; hooks of the remote are obeyed. What is there
        already is no error. A push of which nobody heard the answer is looked up.
        """

    def take_away(self, refs: Mapping[str, Sha]) -> TakenAway:
        """Refs of the remote that nobody needs any more, each only where it is at that commit; no other ref goes or
        stays for it. `tracked` knows none of them afterwards, also not what stays.
        """
