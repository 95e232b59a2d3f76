"""`GitRepo`: the application's `Repo` port over the git executable."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from os.path import join, lexists
from typing import TYPE_CHECKING

from foureyes.adapters.git import checkouts, reading
from foureyes.adapters.git.client.answers import as_sha, as_text
from foureyes.adapters.git.client.locate import Located, SharedGit
from foureyes.adapters.git.client.object_files import text_at
from foureyes.adapters.git.client.ref_files import BRANCHES as _BRANCH
from foureyes.adapters.git.client.ref_files import (
    is_absent,
    is_ref_name,
    listed,
    meanings_of,
    read_below,
    read_loose,
    refuse_unreadable,
    target_refs,
)
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import DETACHED
from foureyes.errors import GitProblem
from foureyes.steps import prose, shell

if TYPE_CHECKING:
    from foureyes.adapters.git.client.git import Git
    from foureyes.app.git_ports import Additions, HeldAnchors, TargetHistory
    from foureyes.app.results.work import LineCommit
    from foureyes.core.documents.unified_diff import FileDiff
    from foureyes.core.nouns.attempt import Change, Relation


class GitRepo:
    """One repository, seen from one worktree. `root` is the main worktree, or the directory of a bare repository."""

    def __init__(self, here: Located, shared: SharedGit | None = None) -> None:
        self._here = here
        self._shared = shared or SharedGit(here)

    @property
    def _git(self) -> Git:
        return self._shared.git

    def check_version(self) -> None:
        """Raise GitProblem when git is missing or older than 2.38. Call this before any other git command."""
        from foureyes.adapters.git.client.git import check_version

        check_version()

    def refuse_refused(self) -> None:
        """Raise GitProblem when the user's own git refuses this repository or cannot read the checkout."""
        from foureyes.adapters.git.client.git import refuse_refused

        refuse_refused(self._git, self._here)

    def close(self) -> None:
        """Remove the temporary directory now rather than at exit. The object stays usable."""
        self._shared.close()

    # Refs

    def commit_of(self, ref: str) -> Sha | None:
        """Return the commit of a full ref name, a branch name or a hash, or None. HEAD and DETACHED stand for the
        caller's worktree.
        """
        meanings = meanings_of(ref)
        if commit := self._at_once(meanings[0]):  # `fe start` needs nothing else of git
            return commit
        if len(meanings) == 1 and is_absent(self._here.common_dir, meanings[0]):
            return None
        commit = next((sha for sha in self._resolve(meanings) if sha), None)
        if commit is None:
            refuse_unreadable(self._here.common_dir, meanings[0])
        return commit

    def _at_once(self, name: str) -> Sha | None:
        """Return the commit of a loose ref or a known hash, or None. No program is started for a ref, and for hashes
        only a shared reader.
        """
        sha = as_sha(name)
        if sha is None:
            return read_loose(self._here.common_dir, name)
        return sha if self._git.lookup.kinds([sha]).get(sha) == b"commit" else None

    def heads(self) -> dict[str, Sha]:
        """Return every branch, by full ref name, with its commit."""
        return self.kept(_BRANCH)

    def kept(self, below: str) -> dict[str, Sha]:
        """Return every ref below a prefix with its object. Raise GitProblem for a ref that is packed twice."""
        if (refs := read_below(self._here.common_dir, below)) is not None:
            return refs
        out = self._git.real("for-each-ref", "--format=%(refname) %(objectname)", below).out
        return listed(self._here.common_dir, out)

    def replaced(self) -> list[str]:
        """Return the refs of `git replace` and the grafts file, if any: both substitute commits in this repository."""
        grafts = "info/grafts"
        return [*self.kept("refs/replace/"), *([grafts] if lexists(join(self._here.common_dir, grafts)) else [])]

    def in_the_way(self, refs: Sequence[str]) -> list[GitProblem]:
        """Return a problem, with its fix, for each ref that git cannot write."""
        from foureyes.adapters.git.objects.refs import in_the_way

        return [problem for ref in refs if (problem := in_the_way(self._git, ref)) is not None]

    def locked(self, below: str) -> list[str]:
        """Return the refs below a prefix that have a lock file."""
        from foureyes.adapters.git.objects.refs import locked

        return locked(self._git, below)

    def missing(self, objects: Sequence[Sha]) -> set[Sha]:
        """Return the objects that are absent, the unreadable commits and the incomplete trees."""
        return reading.content.missing(self._git, objects)

    def current_ref(self) -> str:
        """Return the full name of the branch checked out in the caller's worktree, or DETACHED."""
        return checkouts.status.head_ref(self._git, self._here.git_dir)

    def branch_ref(self, name: str) -> str | None:
        """Return the full ref of a local branch given by short or full name, or None."""
        ref = name if name.startswith(_BRANCH) else _BRANCH + name
        return ref if read_loose(self._here.common_dir, ref) or self._resolve([ref]) != [None] else None

    def default_target(self) -> str | None:
        """Return the short name of the branch checked out in the main worktree, even before its first commit."""
        ref = checkouts.status.head_ref(self._git, self._here.common_dir)
        return ref.removeprefix(_BRANCH) if ref.startswith(_BRANCH) else None

    def origin_head(self) -> str:
        """Return the short name of origin's default branch, or an empty string if origin/HEAD is not set."""
        out = self._git.real("for-each-ref", "--format=%(symref)", "refs/remotes/origin/HEAD").out
        return as_text(out).strip().removeprefix("refs/remotes/origin/")

    def usual_remote(self) -> str:
        """Return the default remote: origin, or the only one. Return an empty string if neither applies."""
        from foureyes.adapters.git.client.config_file import read_settings

        keys = read_settings(join(self._here.common_dir, "config"))
        names = [key.removeprefix("remote.").removesuffix(".url") for key in keys if _is_address(key)]
        return "origin" if "origin" in names else names[0] if len(names) == 1 else ""

    def commit_count(self) -> int:
        """Return the number of commits reachable from the caller's HEAD, 0 before the first one."""
        head = self.commit_of("HEAD")
        return reading.history.count(self._git, head) if head else 0

    def _resolve(self, names: Sequence[str]) -> list[Sha | None]:
        """Return the commits of exact names as the repository has them now, in one call of git."""
        asked = [name if is_ref_name(name) else "" for name in names]
        lines = "".join(f"{name}^{{commit}}\n" for name in asked if name)
        if not lines:
            return [None for _ in names]
        raw = lines.encode("utf-8", "surrogateescape")
        answers = iter(self._git.real("cat-file", "--batch-check=%(objectname)", stdin=raw).out.split(b"\n"))
        return [as_sha(next(answers)) if name else None for name in asked]

    # The change

    def change(self, *, target: str, ref: str, since: Sha | None, covering: Sha | None = None) -> Change:
        """Return the change on `ref` that the target branch lacks or, if it has landed, the part since `since`. (K4)"""
        name, targets = meanings_of(ref)[0], target_refs(target)
        head, tip = (self._at_once(each) for each in (name, targets[0]))
        if head is None or tip is None:
            head, *tips = self._resolve([name, *targets])
            tip = next((commit for commit in tips if commit), None)
        if head is None:
            raise GitProblem(f"{ref} has no commit", next_step=shell("git", "branch", "--list"))
        base = self._base(head, _first([tip], target))
        landed = base == head and since is not None
        if landed and since is not None:
            base = self._base(head, since)
        elif covering is not None:
            base = self._base(head, covering)
        return self._frozen(base, head, ref, landed=landed and base != head)

    def _base(self, head: Sha, other: Sha) -> Sha:
        base = reading.history.merge_base(self._git, other, head)
        if base is None:
            raise GitProblem(
                f"{head[:12]} and {other[:12]} have no common history, so there is no diff between them",
                next_step=prose("rebase the branch onto the target"),
            )
        return base

    def _frozen(self, base: Sha, head: Sha, ref: str, *, landed: bool) -> Change:
        from foureyes.core.nouns.attempt import Change

        change = reading.diff.diff(self._git, base, head)
        commits, trees = reading.history.commits(self._git, base, head) if base != head else ((), {})
        if not {base, head} <= set(trees):
            trees |= {known.commit: known.tree for known in reading.history.known(self._git, base, head) if known}
        if not {base, head} <= set(trees):
            raise GitProblem(f"the commit {head} cannot be read", next_step=shell("git", "fsck"))
        return Change(
            base=base,
            head=head,
            tree=trees[head],
            ref=ref,
            landed=landed,
            diff_id=change.diff_id,
            files=change.files,
            commits=commits,
            base_tree=trees[base],
            marks=change.marks,
            size=change.size,
        )

    def diff_text(self, base: Sha, head: Sha) -> str:
        """Return the change as text to read, with renames followed. The diff id is not computed from it."""
        return reading.diff.diff_text(self._git, *self._must_know(base, head))

    def file_diffs(self, base: Sha, head: Sha, context: int = 3) -> tuple[FileDiff, ...]:
        """Return the same change as files, hunks and numbered lines, with `context` lines around each place."""
        known = self._must_know(base, head)
        return reading.diff.file_diffs(self._git, known[0], known[1], context)

    def diffs_since(self, was: Sha, then: Sha, base: Sha, head: Sha, context: int = 3) -> tuple[FileDiff, ...] | None:
        """Return what base..head adds to was..then, after replaying was..then on the same base. Return None where that
        replay conflicts. The trial merge stays in the clean room."""
        self._must_know(was, then, base, head)
        began, made_then, begins = (known.tree for known in reading.history.known(self._git, was, then, base) if known)
        made = reading.history.three_way(self._git, base=began, ours=begins, theirs=made_then)
        return None if made.tree is None else reading.diff.file_diffs(self._git, made.tree, head, context)

    def _must_know(self, *commits: Sha) -> list[Sha]:
        known = reading.history.known(self._git, *commits)
        if None in known:
            raise GitProblem(
                f"the commit {commits[known.index(None)]} is not in this repository", next_step=shell("git", "fetch")
            )
        return list(commits)

    # History

    def is_ancestor(self, commit: Sha, of: Sha) -> bool:
        """Return True if `commit` is reachable from `of`, False for unknown commits."""
        return reading.history.is_ancestor(self._git, commit, of)

    def relation(self, *, base: Sha, head: Sha, new_head: Sha, target: str) -> Relation:
        """Return the relation of `new_head` to the approved `base..head`. (A3)"""
        tip = self._target(target)
        return reading.history.relation_of(self._git, base=base, head=head, new_head=new_head, tip=tip)

    def merged_by(self, head: Sha, target: str) -> Sha | None:
        """Return the first commit on the target's first-parent line that contains `head`, or None."""
        return reading.history.merged_by(self._git, head, self._target(target)) if as_sha(head) else None

    def reached(self, commits: Sequence[Sha], target: str) -> set[Sha]:
        """Return the commits that the target branch has, in one call. The result may include unknown commits."""
        return reading.history.reached(self._git, commits, self._target(target))

    def line(self, target: str, most: int) -> list[LineCommit]:
        """Return the newest commits on the target's first-parent line, the tip first."""
        from foureyes.app.results.work import LineCommit

        rows = reading.history.line(self._git, self._target(target), most)
        return [LineCommit(*row) for row in rows]

    def history(self, target: str, most: int) -> TargetHistory:
        """Return the commits of the target nearest to its tip on all lines, each before its parents."""
        from foureyes.app.git_ports import TargetHistory
        from foureyes.app.results.work import LineCommit

        met = reading.history.nearest(self._git, self._target(target), most)
        rows = [LineCommit(*reading.history.described(self._git, sha), parents) for sha, parents in met.commits.items()]
        return TargetHistory(rows, met.more, frozenset(met.lacks))

    def last_anchor(
        self,
        target: str,
        since: Sha | None = None,
        *,
        work: Collection[Sha] = (),
        held: HeldAnchors | None = None,
        adopted: Sha | None = None,
    ) -> str | None:
        """Return the anchor `<row>:<hash>` with the highest row among the target's commits after `since`, and in
        `since` itself. (J3)

        `since` counts only if it is on the target. Plain commits in `work` have no anchors, only merges do. Anchors in
        `held`, and those in commits that `adopted` contains, do not count.
        """
        tip = self._target(target)
        return reading.history.last_anchor(self._git, tip, since, work=work, held=held, adopted=adopted)

    def _target(self, target: str) -> Sha:
        if commit := as_sha(target):
            return commit
        names = target_refs(target)
        return read_loose(self._here.common_dir, names[0]) or _first(self._resolve(names), target)

    # Files

    def file_at(self, ref: str, path: str) -> str | None:
        """Return the text of a file on a branch or commit, or None."""
        commit = as_sha(ref) or self.commit_of(ref)
        if commit is None or "\n" in path:
            return None
        if (loose := text_at(self._here.common_dir, commit, path)) is not None:
            return loose.text
        return reading.content.text_at(self._git, commit, path)

    def texts(self, commit: Sha, paths: Sequence[str]) -> dict[str, str]:
        """Return the texts of files at a commit. Absent, binary and very large files are left out."""
        return reading.content.texts(self._git, commit, paths)

    def links(self, *trees: Sha) -> list[dict[str, str]]:
        """Return the symbolic links of commits or trees, each path with its link text."""
        return reading.content.links(self._git, *trees)

    def renames(self, old: Sha, new: Sha) -> dict[str, str]:
        """Return the old path of each file renamed between two commits, by its new path."""
        return reading.content.renames(self._git, old, new)

    def pieces(self, base: Sha, head: Sha) -> tuple[str, ...]:
        """Return the pieces of an attempt: `blob <sha>` of each file it leaves, `diff <id>` of each of its commits.
        (A6)"""
        return reading.content.pieces(self._git, base, head)

    def uncommitted(self, ref: str, *, in_conflict: bool = False) -> list[str]:
        """Return the uncommitted paths in the worktrees of `ref`, including untracked but not ignored files.

        With `in_conflict`, return only the paths with unresolved conflicts.
        """
        look = checkouts.status.unresolved if in_conflict else checkouts.status.uncommitted
        return sorted({path for place in self._places(ref) for path in look(self._git, place)})

    def additions(self, ref: str) -> Additions:
        """Return the files that a commit of everything would add or enlarge in the worktrees of `ref`."""
        return checkouts.commits.additions(self._git, self._places(ref))

    def _places(self, ref: str) -> list[Located]:
        here = ref == DETACHED or ref == self.current_ref()
        places = [self._here] if here else checkouts.status.checked_out_at(self._git, ref)
        return [place for place in places if _has_files(place)]

    def is_clean(self) -> bool:
        """Return True if everything in the caller's worktree is committed."""
        return not self.uncommitted(DETACHED)


def _first(commits: Sequence[Sha | None], target: str) -> Sha:
    for commit in commits:
        if commit:
            return commit
    raise GitProblem(
        f"the target branch {target} does not exist, or has no commit yet", next_step=shell("git", "branch", target)
    )


def _is_address(key: str) -> bool:
    return key.startswith("remote.") and key.endswith(".url")


def _has_files(place: Located) -> bool:
    return place.worktree != place.git_dir
