"""A repository and a workshop that say what the test says: branches with lines on them, no git process."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from datetime import datetime

from msgspec.structs import replace

from foureyes.app.git_ports import (
    Additions,
    Address,
    CaughtUp,
    Fence,
    HeldAnchors,
    MergeResult,
    Moved,
    Pushed,
    RefUpdate,
    TakenAway,
    TargetHistory,
)
from foureyes.app.results.work import CheckpointView, Copied, Dropped, LineCommit, WorktreeState
from foureyes.core.documents.unified_diff import FileDiff, parse
from foureyes.core.nouns.attempt import Change, ChangedFile, Commit, Relation
from foureyes.core.words.ids import DiffId, Sha
from foureyes.core.words.refs import DETACHED, tracked
from foureyes.errors import Conflict, GitProblem, RemoteProblem

from tests.stage.checkout import SETTINGS


class NoRealGit(AssertionError):
    """What only a real repository can do was asked of the script."""


class ScriptedRepo:
    """A repository that says what the test says: branches with lines on them, no git process."""

    def __init__(self) -> None:
        self.branches: dict[str, list[Sha]] = {"refs/heads/main": [sha("root")]}
        self.here = "refs/heads/main"
        self.dirty: list[str] = []
        self.files: dict[str, str] = {"foureyes.toml": SETTINGS}
        self.sessions: dict[Sha, tuple[str, ...]] = {}
        self.lines: dict[Sha, int] = {}
        self.refs: dict[str, Sha] = {}
        self.brought: list[list[Sha]] = []
        self._count = 0

    def commit(self, branch: str, *, sessions: Sequence[str] = (), lines: int = 1) -> Sha:
        """Add a commit to a branch, which grows out of main when it is new."""
        self._count += 1
        made = sha(f"commit {self._count}")
        ref = f"refs/heads/{branch}"
        self.branches.setdefault(ref, list(self.branches["refs/heads/main"])).append(made)
        self.sessions[made], self.lines[made] = tuple(sessions), lines
        self.here = ref
        return made

    def land(self, branch: str) -> None:
        """Merge a branch into main."""
        main = self.branches["refs/heads/main"]
        main += [each for each in self.branches[f"refs/heads/{branch}"] if each not in main]

    @property
    def known(self) -> list[list[Sha]]:
        """Every line of commits that is here: of a branch, or brought from a remote."""
        return [*self.branches.values(), *self.brought]

    def commit_of(self, ref: str) -> Sha | None:
        branch = self.here if ref in ("HEAD", DETACHED) else self.branch_ref(ref)
        if branch:
            return self.branches[branch][-1]
        if ref in self.refs:
            return self.refs[ref]
        return Sha(ref) if self.knows(Sha(ref)) else None

    def knows(self, commit: Sha) -> bool:
        return any(commit in line for line in self.known)

    def reachable(self, commit: Sha) -> set[Sha]:
        """A commit and all before it; nothing for an unknown one."""
        lines = [line for line in self.known if commit in line]
        return {each for line in lines for each in line[: line.index(commit) + 1]}

    def heads(self) -> dict[str, Sha]:
        return {name: commits[-1] for name, commits in self.branches.items()}

    def current_ref(self) -> str:
        return self.here

    def branch_ref(self, name: str) -> str | None:
        ref = name if name.startswith("refs/") else f"refs/heads/{name}"
        return ref if ref in self.branches else None

    def uncommitted(self, ref: str, *, in_conflict: bool = False) -> list[str]:
        return list(self.dirty) if ref in (self.here, DETACHED) and not in_conflict else []

    def additions(self, ref: str) -> Additions:
        return Additions(new=dict.fromkeys(self.dirty, 1))

    def change(self, *, target: str, ref: str, since: Sha | None, covering: Sha | None = None) -> Change:
        main, mine = self._line(_full(target)), self._line(ref)
        base = _last_shared(mine, main)
        landed = base == mine[-1] and since is not None
        if landed and since is not None:
            base = _last_shared(mine, self.reachable(since))
        elif covering is not None:
            base = _last_shared(mine, self.reachable(covering))
        new = mine[mine.index(base) + 1 :]
        files = tuple(ChangedFile(f"{each[:6]}.py", self.lines.get(each, 1), 0) for each in new)
        commits = tuple(Commit(each, "a change", "Ada", self.sessions.get(each, ())) for each in new)
        return Change(
            base=base,
            head=mine[-1],
            tree=tree_of(mine[-1]),
            base_tree=tree_of(base),
            ref=ref,
            landed=landed and bool(new),
            diff_id=named(new),
            files=files,
            commits=commits,
            size=sum(9 + 20 * (file.added or 0) for file in files),
        )

    def _line(self, ref: str) -> list[Sha]:
        """The commits up to a branch, a kept ref or a commit. A branch is asked for first: there may be thousands."""
        if ref in self.branches:
            return self.branches[ref]
        commit = self.refs.get(ref, Sha(ref))
        line = next((line for line in self.known if commit in line), None)
        if line is None:
            raise GitProblem(f"{ref} has no commit")
        return line[: line.index(commit) + 1]

    def _on(self, target: str) -> list[Sha]:
        return self._line(_full(target))

    def change_id(self, base: Sha, head: Sha) -> DiffId:
        """What the change between two commits of a branch is called."""
        line = next((line for line in self.known if base in line and head in line), [])
        return named(line[line.index(base) + 1 : line.index(head) + 1] if line else [])

    def is_ancestor(self, commit: Sha, of: Sha) -> bool:
        return commit in self.reachable(of)

    def relation(self, *, base: Sha, head: Sha, new_head: Sha, target: str) -> Relation:
        return "same" if head == new_head else "rework"

    def reached(self, commits: Sequence[Sha], target: str) -> set[Sha]:
        return {each for each in commits if each in self._on(target) or not self.knows(each)}

    def merged_by(self, head: Sha, target: str) -> Sha | None:
        return head if head in self._on(target) else None

    def diff_text(self, base: Sha, head: Sha) -> str:
        if not (self.knows(base) and self.knows(head)):
            raise GitProblem("a commit is not in this repository")
        return f"{base}..{head}" if base != head else ""

    def file_diffs(self, base: Sha, head: Sha, context: int = 3) -> tuple[FileDiff, ...]:
        self.diff_text(base, head)
        line = next((line for line in self.known if base in line and head in line), [])
        new = line[line.index(base) + 1 : line.index(head) + 1] if line else []
        return parse("".join(new_file(f"{each[:6]}.py", self.lines.get(each, 1)) for each in new).encode())

    def diffs_since(self, was: Sha, then: Sha, base: Sha, head: Sha, context: int = 3) -> tuple[FileDiff, ...] | None:
        return None

    def line(self, target: str, most: int) -> list[LineCommit]:
        of = next((line[: line.index(Sha(target)) + 1] for line in self.known if target in line), None)
        return [LineCommit(each, "a change") for each in reversed(of or self._on(target))][:most]

    def history(self, target: str, most: int) -> TargetHistory:
        line = self.line(target, most)
        parents = [(each.sha,) for each in line[1:]] + [()]
        return TargetHistory([replace(each, parents=up) for each, up in zip(line, parents, strict=True)])

    def last_anchor(
        self,
        target: str,
        since: Sha | None = None,
        *,
        work: Collection[Sha] = (),
        held: HeldAnchors | None = None,
        adopted: Sha | None = None,
    ) -> str | None:
        return None

    def kept(self, below: str) -> dict[str, Sha]:
        return {ref: commit for ref, commit in self.refs.items() if ref.startswith(below)}

    def locked(self, below: str) -> list[str]:
        return []

    def usual_remote(self) -> str:
        return ""

    def replaced(self) -> list[str]:
        return []

    def in_the_way(self, refs: Sequence[str]) -> list[GitProblem]:
        return []

    def missing(self, objects: Sequence[Sha]) -> set[Sha]:
        commits = {commit for line in self.known for commit in line} | set(self.refs.values())
        return set(objects) - commits - {tree_of(commit) for commit in commits}

    def file_at(self, ref: str, path: str) -> str | None:
        return self.files.get(path) if self.commit_of(ref) else None

    def texts(self, commit: Sha, paths: Sequence[str]) -> dict[str, str]:
        return {path: self.files[path] for path in paths if path in self.files}

    def links(self, *trees: Sha) -> list[dict[str, str]]:
        return [{} for _ in trees]

    def renames(self, old: Sha, new: Sha) -> dict[str, str]:
        return {}

    def pieces(self, base: Sha, head: Sha) -> tuple[str, ...]:
        line = next((line for line in self.known if base in line and head in line), [])
        new = line[line.index(base) + 1 : line.index(head) + 1] if line else []
        return tuple(sorted(f"diff {hashlib.sha256(each.encode()).hexdigest()}" for each in new))

    def close(self) -> None:
        """Nothing was made."""


def named(commits: Sequence[Sha]) -> DiffId:
    """The diff id of what these commits change."""
    return DiffId("sha256:" + hashlib.sha256(" ".join(commits).encode()).hexdigest())


def new_file(path: str, lines: int) -> str:
    """The patch that adds a file of so many lines, as git writes it."""
    head = f"diff --git a/{path} b/{path}\nnew file mode 100644\nindex {'0' * 40}..{'1' * 40}\n"
    return head + f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1,{lines} @@\n" + "+line\n" * lines


class ScriptedWorkshop:
    """A workshop without git: it remembers what is kept and where checkpoints are; what a test does not script, it must
    not call.
    """

    def __init__(self, repo: ScriptedRepo | None = None) -> None:
        self.repo = repo or ScriptedRepo()
        self.kept: dict[str, Sha] = {}
        self.programs: list[str] = []
        self.marks: dict[tuple[str, str], Sha] = {}
        self.patches: list[str] = []
        self.misfit = ""

    def commit_all(
        self, message: str, trailers: Sequence[tuple[str, str]], *, worktree_of: str = "", fence: Fence = nullcontext
    ) -> Sha:
        with fence():
            self.repo.dirty = []
        branch = f"fe/{worktree_of}" if worktree_of else self.repo.here.removeprefix("refs/heads/")
        return self.repo.commit(branch, sessions=[value for key, value in trailers if key == "Foureyes-Session"])

    def snapshot(self, task: str, message: str) -> Sha:
        return self.repo.branches[f"refs/heads/fe/{task}"][-1]

    def commit_file(self, path: str, message: str) -> Sha:
        self.repo.dirty = [each for each in self.repo.dirty if each != path]
        return self.repo.commit(self.repo.here.removeprefix("refs/heads/"))

    def export(self, tree: Sha, path: str, only: Sequence[str] = ()) -> None:
        raise NoRealGit(f"export of {tree} to {path}")

    def files_of(self, tree: Sha) -> dict[str, str]:
        raise NoRealGit(f"files of {tree}")

    def keep(self, ref: str, commit: Sha) -> None:
        self.kept[ref] = self.repo.refs[ref] = commit

    def merge(self, *, base: Sha, tip: Sha, head: Sha, landed: Sha | None = None) -> MergeResult:
        raise NoRealGit(f"merge of {head} into {tip}")

    def is_merge_of(self, commit: Sha, *, base: Sha, head: Sha) -> bool:
        return True

    def commit(self, *, tree: Sha, parents: Sequence[Sha], message: str) -> Sha:
        raise NoRealGit(f"commit of {tree}")

    def tree_of(self, commit: Sha) -> Sha | None:
        return tree_of(commit) if self.repo.knows(commit) else None

    def move(self, ref: str, *, new: Sha, old: Sha) -> bool:
        raise NoRealGit(f"move of {ref}")

    def programs_named(self) -> list[str]:
        return list(self.programs)

    def catch_up(self, target: str) -> list[CaughtUp]:
        return []

    def behind(self, target: str) -> list[CaughtUp]:
        return []

    def add_worktree(self, task: str, *, branch: str, base: Sha, session: str) -> str:
        raise NoRealGit(f"worktree of {task}")

    def copy_into(self, task: str, globs: Sequence[str]) -> Copied:
        raise NoRealGit(f"copies for {task}")

    def lay_into(self, task: str, source: str, was: str) -> tuple[str, ...]:
        raise NoRealGit(f"packages of {source} for {task}")

    def worktrees(self) -> dict[str, str]:
        return {}

    def unlock_worktree(self, task: str) -> str:
        return f"refs/heads/fe/{task}"

    def worktree_state(self, task: str) -> WorktreeState:
        return WorktreeState()

    def drop_worktree(self, task: str, *, only_try: bool = False) -> Dropped:
        return Dropped()

    def delete_merged(self, branch: str, *, target: str) -> bool:
        repo, ref, onto = self.repo, self.repo.branch_ref(branch), _full(target)
        if ref is None or ref in (repo.here, onto) or repo.branches[ref][-1] not in repo.branches[onto]:
            return False
        del repo.branches[ref]
        return True

    def reset(self, ref: str, *, old: Sha, new: Sha) -> str:
        raise NoRealGit(f"reset of {ref}")

    def apply_patch(self, patch: str, *, only_try: bool) -> str:
        """Every patch fits, unless the test says why not (`misfit`)."""
        if not self.misfit and not only_try:
            self.patches.append(patch)
        return self.misfit

    def add_checkpoint(self, task: str, name: str, commit: Sha, *, at: datetime) -> None:
        if self.marks.setdefault((task, name), commit) != commit:
            raise Conflict(f"the checkpoint {name} already exists, at another commit")

    def checkpoints(self) -> list[CheckpointView]:
        return [CheckpointView(task, name, commit, "", "") for (task, name), commit in reversed(self.marks.items())]

    def drop_checkpoint(self, task: str, name: str, sha: Sha) -> bool:
        return self.marks.get((task, name)) == sha and self.marks.pop((task, name)) == sha

    def close(self) -> None:
        """Nothing was made."""


class MergingWorkshop(ScriptedWorkshop):
    """A workshop that merges, too: a branch and a merge commit go onto the target, unless the test says `conflict`."""

    def __init__(self, repo: ScriptedRepo) -> None:
        super().__init__(repo)
        self.conflict = False
        self.merges: dict[Sha, Sha] = {}

    def merge(self, *, base: Sha, tip: Sha, head: Sha, landed: Sha | None = None) -> MergeResult:
        name = self.repo.change_id(base, head)
        return (
            MergeResult(None, ("a.py",), name)
            if self.conflict
            else MergeResult(sha(f"tree of {head} in {tip}"), (), name)
        )

    def commit(self, *, tree: Sha, parents: Sequence[Sha], message: str) -> Sha:
        made = sha(f"commit of {tree}")
        self.merges[made] = parents[-1]
        return made

    def move(self, ref: str, *, new: Sha, old: Sha) -> bool:
        line, head = self.repo.branches[ref], self.merges[new]
        if line[-1] != old:
            return False
        theirs = next(other for other in self.repo.branches.values() if head in other)
        line += [each for each in theirs[: theirs.index(head) + 1] if each not in line]
        line.append(new)
        return True

    def reset(self, ref: str, *, old: Sha, new: Sha) -> str:
        line = self.repo.branches[ref]
        if line[-1] != old or new not in line:
            return "it went on since"
        del line[line.index(new) + 1 :]
        return ""


class ScriptedRemote:
    """A remote that says what the test says: `lines` it has, why it cannot be asked (`down`), why it takes nothing
    (`refuses`); `asked` are the verbs that were tried.
    """

    def __init__(self, repo: ScriptedRepo, name: str = "origin") -> None:
        self.repo = repo
        self.lines: dict[str, list[Sha]] = {}
        self.down = self.refuses = ""
        self.asked: list[str] = []
        self.where = Address("0" * 64, "shop.git")
        self._name = name
        self._count = 0

    @property
    def name(self) -> str:
        return self._name

    def address(self) -> Address:
        return self.where

    def commit(self, ref: str) -> Sha:
        """A commit that somebody else has pushed; a new ref grows out of the main of here."""
        self._count += 1
        made = sha(f"{self._name} {self._count}")
        line = self.lines.get(ref) or self.repo.branches["refs/heads/main"]
        self.lines[ref] = [*line, made]
        return made

    def tips(self, refs: Sequence[str]) -> dict[str, Sha]:
        self._ask("tips")
        return {ref: self.lines[ref][-1] for ref in refs if ref in self.lines}

    def fetch(self, refs: Sequence[str]) -> dict[str, Sha]:
        self._ask("fetch")
        found = {ref: self.lines[ref][-1] for ref in refs if ref in self.lines}
        for ref, commit in found.items():
            if not self.repo.knows(commit):
                self.repo.brought.append(list(self.lines[ref]))
            self.repo.refs[tracked(self._name, ref)] = commit
        return found

    def push(self, updates: Sequence[RefUpdate]) -> Pushed | Moved:
        self._ask("push")
        for each in updates:
            now = self.lines[each.ref][-1] if each.ref in self.lines else None
            if now not in (each.old, each.new):
                return Moved(each.ref, now)
        if self.refuses:
            raise RemoteProblem(f"{self._name} did not take the push: {self.refuses}", kind="refused")
        for each in updates:
            line = next(line for line in self.repo.known if each.new in line)
            self.lines[each.ref] = line[: line.index(each.new) + 1]
            self.repo.refs[tracked(self._name, each.ref)] = each.new
        return Pushed()

    def take_away(self, refs: Mapping[str, Sha]) -> TakenAway:
        self._ask("take_away")
        now = {ref: self.lines[ref][-1] for ref in refs if ref in self.lines}
        going = [ref for ref in now if now[ref] == refs[ref]]
        stay = {ref: f"it is at {at[:7]} there" for ref, at in now.items() if ref not in going}
        for ref in refs:
            self.repo.refs.pop(tracked(self._name, ref), None)
        if self.refuses:
            return TakenAway((), {**stay, **dict.fromkeys(going, self.refuses)})
        for ref in going:
            del self.lines[ref]
        return TakenAway(tuple(going), stay)

    def _ask(self, verb: str) -> None:
        self.asked.append(verb)
        if self.down:
            raise RemoteProblem(f"{self._name} cannot be asked: {self.down}", kind="unreachable")


def _full(target: str) -> str:
    return target if target.startswith("refs/") or len(target) == 40 else f"refs/heads/{target}"


def _last_shared(mine: Sequence[Sha], other: Collection[Sha]) -> Sha:
    """Where a line left another one."""
    for commit in reversed(mine):
        if commit in other:
            return commit
    raise GitProblem(f"{mine[-1]} has no common history with the other")


def tree_of(commit: Sha) -> Sha:
    """The tree of a commit of the script."""
    return sha(f"tree of {commit}")


def sha(text: str) -> Sha:
    return Sha(hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest())
