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
    from foureyes.app.views.work import LineCommit
    from foureyes.core.documents.unified_diff import FileDiff
    from foureyes.core.nouns.attempt import Change, Relation


class GitRepo:
    """One repository, seen from one worktree. `root` is the main worktree, or a bare repository's directory."""

    def __init__(self, here: Located, shared: SharedGit | None = None) -> None:
        self._here = here
        self._shared = shared or SharedGit(here)

    @property
    def _git(self) -> Git:
        return self._shared.git

    def check_version(self) -> None:
        """`GitProblem` when git is missing or older than 2.38. Whatever starts git does this first, once."""
        from foureyes.adapters.git.client.git import check_version

        check_version()

    def refuse_refused(self) -> None:
        """`GitProblem` when the user's own git refuses this repository, or cannot read what is checked out."""
        from foureyes.adapters.git.client.git import refuse_refused

        refuse_refused(self._git, self._here)

    def close(self) -> None:
        """Remove the temporary directory now rather than at exit. The object stays usable."""
        self._shared.close()

    # Refs

    def commit_of(self, ref: str) -> Sha | None:
        """The commit a full ref name, a branch name or a sha means. HEAD and DETACHED: the caller's."""
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
        """What a ref with a file of its own is at, or the commit of this hash if it is here: no program is started for
        it, or one for all questions.
        """
        sha = as_sha(name)
        if sha is None:
            return read_loose(self._here.common_dir, name)
        return sha if self._git.lookup.kinds([sha]).get(sha) == b"commit" else None

    def heads(self) -> dict[str, Sha]:
        """Every branch (full ref name) and its commit, in one look."""
        return self.kept(_BRANCH)

    def kept(self, below: str) -> dict[str, Sha]:
        """Every ref below a name, and what it names; one that is packed more than once is a `GitProblem`."""
        if (refs := read_below(self._here.common_dir, below)) is not None:
            return refs
        out = self._git.real("for-each-ref", "--format=%(refname) %(objectname)", below).out
        return listed(self._here.common_dir, out)

    def replaced(self) -> list[str]:
        """By what git here puts others in the place of commits: refs of `git replace`, and the file of grafts."""
        grafts = "info/grafts"
        return [*self.kept("refs/replace/"), *([grafts] if lexists(join(self._here.common_dir, grafts)) else [])]

    def in_the_way(self, refs: Sequence[str]) -> list[GitProblem]:
        """Why git cannot write these refs, each with what fixes it; nothing of those that it can."""
        from foureyes.adapters.git.objects.refs import in_the_way

        return [problem for ref in refs if (problem := in_the_way(self._git, ref)) is not None]

    def locked(self, below: str) -> list[str]:
        """The refs below a name that have a lock beside them."""
        from foureyes.adapters.git.objects.refs import locked

        return locked(self._git, below)

    def missing(self, objects: Sequence[Sha]) -> set[Sha]:
        """Those of the objects that are not there, commits that cannot be read, and trees that are not whole."""
        return reading.content.missing(self._git, objects)

    def current_ref(self) -> str:
        """The full name of the branch checked out where the caller stands, or DETACHED."""
        return checkouts.status.head_ref(self._git, self._here.git_dir)

    def branch_ref(self, name: str) -> str | None:
        """The full ref of a local branch given by short or full name; None when there is none."""
        ref = name if name.startswith(_BRANCH) else _BRANCH + name
        return ref if read_loose(self._here.common_dir, ref) or self._resolve([ref]) != [None] else None

    def default_target(self) -> str | None:
        """The short name of the branch checked out in the main worktree, also one without a commit yet."""
        ref = checkouts.status.head_ref(self._git, self._here.common_dir)
        return ref.removeprefix(_BRANCH) if ref.startswith(_BRANCH) else None

    def origin_head(self) -> str:
        """The short name of the branch that is the usual one on the remote called origin; empty if nothing says so."""
        out = self._git.real("for-each-ref", "--format=%(symref)", "refs/remotes/origin/HEAD").out
        return as_text(out).strip().removeprefix("refs/remotes/origin/")

    def usual_remote(self) -> str:
        """The remote that is meant where nobody names one: origin, or the only one; empty if there is none."""
        from foureyes.adapters.git.client.config_file import read_settings

        keys = read_settings(join(self._here.common_dir, "config"))
        names = [key.removeprefix("remote.").removesuffix(".url") for key in keys if _is_address(key)]
        return "origin" if "origin" in names else names[0] if len(names) == 1 else ""

    def commit_count(self) -> int:
        """How many commits the caller's HEAD has; 0 before the first one."""
        head = self.commit_of("HEAD")
        return reading.history.count(self._git, head) if head else 0

    def _resolve(self, names: Sequence[str]) -> list[Sha | None]:
        """Commits of exact names, in one call, as the repository has them now."""
        asked = [name if is_ref_name(name) else "" for name in names]
        lines = "".join(f"{name}^{{commit}}\n" for name in asked if name)
        if not lines:
            return [None for _ in names]
        raw = lines.encode("utf-8", "surrogateescape")
        answers = iter(self._git.real("cat-file", "--batch-check=%(objectname)", stdin=raw).out.split(b"\n"))
        return [as_sha(next(answers)) if name else None for name in asked]

    # The change

    def change(self, *, target: str, ref: str, since: Sha | None, covering: Sha | None = None) -> Change:
        """K4: what is on `ref` and not on the target branch; or, if all of it is there, what landed since `since`."""
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
                f"{head[:12]} and {other[:12]} have no common history, so there is no change to speak of",
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
        """The change for reading (renames followed); not what the diff id is made of."""
        return reading.diff.diff_text(self._git, *self._must_know(base, head))

    def file_diffs(self, base: Sha, head: Sha, context: int = 3) -> tuple[FileDiff, ...]:
        """The same change as files, hunks and numbered lines, with so many lines around each place."""
        known = self._must_know(base, head)
        return reading.diff.file_diffs(self._git, known[0], known[1], context)

    def diffs_since(self, was: Sha, then: Sha, base: Sha, head: Sha, context: int = 3) -> tuple[FileDiff, ...] | None:
        """What is new in base..head compared with was..then, as that would be on the same base; None where git cannot
        bring it there by itself. It is tried in the clean room and named by nobody.
        """
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
        """Whether `commit` is reachable from `of`; False for unknown commits."""
        return reading.history.is_ancestor(self._git, commit, of)

    def relation(self, *, base: Sha, head: Sha, new_head: Sha, target: str) -> Relation:
        """A3: what `new_head` is to the approved `base..head`."""
        tip = self._target(target)
        return reading.history.relation_of(self._git, base=base, head=head, new_head=new_head, tip=tip)

    def merged_by(self, head: Sha, target: str) -> Sha | None:
        """The first commit on the target's first-parent line that contains `head`; None when none does."""
        return reading.history.merged_by(self._git, head, self._target(target)) if as_sha(head) else None

    def reached(self, commits: Sequence[Sha], target: str) -> set[Sha]:
        """Those of the commits that the target branch has, in one call; perhaps also some that are unknown."""
        return reading.history.reached(self._git, commits, self._target(target))

    def line(self, target: str, most: int) -> list[LineCommit]:
        """The newest commits on the target's first-parent line, the tip first."""
        from foureyes.app.views.work import LineCommit

        rows = reading.history.line(self._git, self._target(target), most)
        return [LineCommit(*row) for row in rows]

    def history(self, target: str, most: int) -> TargetHistory:
        """The nearest commits of the target on all its lines: each before those that it stands on."""
        from foureyes.app.git_ports import TargetHistory
        from foureyes.app.views.work import LineCommit

        met = reading.history.nearest(self._git, self._target(target), most)
        rows = [LineCommit(*reading.history.told(self._git, sha), parents) for sha, parents in met.commits.items()]
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
        """The anchor `<row>:<hash>` with the highest row (J3) of the target's commits that `since`, if that is on it, has
        not, and of that one itself. Of the `work` of tasks only merges have one. Those that are `held`, or of commits
        that `adopted` has, do not count.
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
        """The text of a file on a branch or commit; None when it is not there."""
        commit = as_sha(ref) or self.commit_of(ref)
        if commit is None or "\n" in path:
            return None
        if (loose := text_at(self._here.common_dir, commit, path)) is not None:
            return loose.text
        return reading.content.text_at(self._git, commit, path)

    def texts(self, commit: Sha, paths: Sequence[str]) -> dict[str, str]:
        """The texts of files at a commit; what is not there, is binary or is very large is left out."""
        return reading.content.texts(self._git, commit, paths)

    def links(self, *trees: Sha) -> list[dict[str, str]]:
        """The symbolic links of commits or trees, each path with what it says."""
        return reading.content.links(self._git, *trees)

    def renames(self, old: Sha, new: Sha) -> dict[str, str]:
        """Between two commits: path now → path then, of every renamed file."""
        return reading.content.renames(self._git, old, new)

    def pieces(self, base: Sha, head: Sha) -> tuple[str, ...]:
        """A6: what an attempt is made of: `blob <sha>` of each file it leaves behind, `diff <id>` of each of its
        commits.
        """
        return reading.content.pieces(self._git, base, head)

    def uncommitted(self, ref: str, *, in_conflict: bool = False) -> list[str]:
        """Paths not committed (untracked, not ignored ones too) in the worktree where `ref` is checked out; or those of
        them with conflicts that nobody resolved.
        """
        look = checkouts.status.unresolved if in_conflict else checkouts.status.uncommitted
        return sorted({path for place in self._places(ref) for path in look(self._git, place)})

    def additions(self, ref: str) -> Additions:
        """What a commit of everything would add where `ref` is checked out."""
        return checkouts.commits.additions(self._git, self._places(ref))

    def _places(self, ref: str) -> list[Located]:
        """The checkouts of a branch that have files."""
        here = ref == DETACHED or ref == self.current_ref()
        places = [self._here] if here else checkouts.status.checked_out_at(self._git, ref)
        return [place for place in places if _has_files(place)]

    def is_clean(self) -> bool:
        """Whether everything where the caller stands is committed."""
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
