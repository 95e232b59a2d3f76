"""Git of a simulated team, from memory: every machine has what every other one submitted, and one main that they share.

Work grows out of the first commit and is one commit; merges always fit. What the machines share is a file with the
commits of main in their order, which moves by compare-and-swap under a lock, as a remote's branch does by a push.
"""

from __future__ import annotations

import fcntl
import re
from collections.abc import Sequence
from pathlib import Path

from foureyes.app.git_ports import Address, Moved, Pushed, RefUpdate
from foureyes.core.documents.unified_diff import FileDiff, parse
from foureyes.core.words.ids import DiffId, Sha
from foureyes.core.words.refs import KEPT_ATTEMPTS, tracked

from tests.stage.playing import PlayedRepo, PlayedWorkshop
from tests.stage.scripted_git import ScriptedRemote, named, new_file, sha

ROOT = sha("root")
ORIGIN, MAIN = "origin", "refs/heads/main"
COMMIT = re.compile(r"[0-9a-f]{40}\Z")


class SharedMain:
    """The file: what is on main, in order."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.line: list[Sha] = [ROOT]
        self.at: dict[Sha, int] = {ROOT: 0}

    def read(self) -> Sha:
        """Where main is now."""
        with self.path.open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_SH)
            return self._read_on(file)

    def _read_on(self, file: object) -> Sha:
        text = self.path.read_text()[41 * (len(self.line) - 1) :]
        for commit in text.split():
            self.at[Sha(commit)] = len(self.line)
            self.line.append(Sha(commit))
        return self.line[-1]

    def swap(self, old: Sha | None, *new: Sha) -> Sha | None:
        """Put commits behind the last one if that is the one expected; else what it is."""
        with self.path.open("a+") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            if (now := self._read_on(file)) != old:
                return now
            file.write("".join(f"{commit}\n" for commit in new))
            file.flush()
            self._read_on(file)
        return None


class TeamRepo(PlayedRepo):
    """The clone of one machine."""

    def __init__(self, main: SharedMain, machine: int) -> None:
        super().__init__()
        self.main, self._machine = main, machine
        self.refs[tracked(ORIGIN, MAIN)] = ROOT

    def commit(self, branch: str, *, sessions: Sequence[str] = (), lines: int = 1) -> Sha:
        self._count += 1
        made = sha(f"{self._machine} {self._count}")
        self.branches[f"refs/heads/{branch}"] = [ROOT, made]
        self.sessions[made], self.lines[made] = tuple(sessions), lines
        return made

    def knows(self, commit: Sha) -> bool:
        return bool(COMMIT.match(commit))

    def missing(self, objects: Sequence[Sha]) -> set[Sha]:
        return set(objects[:0])

    def _line(self, ref: str) -> list[Sha]:
        at = self.refs.get(ref) or (Sha(ref) if COMMIT.match(ref) else None)
        if at is None:
            return super()._line(ref)
        return self.main.line[: self.main.at[at] + 1] if at in self.main.at else [ROOT, at]

    def _on(self, target: str) -> list[Sha]:
        return self.main.line

    def reachable(self, commit: Sha) -> set[Sha]:
        return set(self._line(commit))

    def is_ancestor(self, commit: Sha, of: Sha) -> bool:
        at = self.main.at
        if commit in (of, ROOT):
            return True
        return commit in at and of in at and at[commit] <= at[of]

    def reached(self, commits: Sequence[Sha], target: str) -> set[Sha]:
        return {each for each in commits if each in self.main.at}

    def merged_by(self, head: Sha, target: str) -> Sha | None:
        return head if head in self.main.at else None

    def change_id(self, base: Sha, head: Sha) -> DiffId:
        return named([head] if base != head else [])

    def file_diffs(self, base: Sha, head: Sha, context: int = 3) -> tuple[FileDiff, ...]:
        return parse(new_file(f"{head[:6]}.py", 1).encode()) if base != head else ()

    def pieces(self, base: Sha, head: Sha) -> tuple[str, ...]:
        return (f"diff {head}",) if base != head else ()


class TeamRemote(ScriptedRemote):
    """The remote, as one machine reaches it: its main is the shared one, and its fence is where main is."""

    def __init__(self, repo: TeamRepo) -> None:
        super().__init__(repo, ORIGIN)
        self.team = repo
        self.where = Address("0" * 64, "team.git")

    def tips(self, refs: Sequence[str]) -> dict[str, Sha]:
        now = self.team.main.read()
        fences = {} if now == ROOT else dict.fromkeys((ref for ref in refs if ref.endswith("/fence")), now)
        return fences | ({MAIN: now} if MAIN in refs else {})

    def fetch(self, refs: Sequence[str]) -> dict[str, Sha]:
        found = self.tips(refs)
        self.team.refs.update({tracked(ORIGIN, ref): commit for ref, commit in found.items()})
        return found

    def push(self, updates: Sequence[RefUpdate]) -> Pushed | Moved:
        of = {each.ref: each for each in updates}
        if MAIN in of:
            heads = [each.new for each in updates if each.ref.startswith(KEPT_ATTEMPTS)]
            now = self.team.main.swap(of[MAIN].old, *heads, of[MAIN].new)
            if now is not None:
                return Moved(MAIN, now)
        self.team.refs.update({tracked(ORIGIN, each.ref): each.new for each in updates})
        return Pushed()


class TeamWorkshop(PlayedWorkshop):
    """Worktrees that are only names, out of the first commit; the local main follows."""

    def add_worktree(self, task: str, *, branch: str, base: Sha, session: str) -> str:
        self.repo.branches.setdefault(branch, [ROOT])
        self.places[task] = f"/worktrees/{task}"
        return self.places[task]

    def move(self, ref: str, *, new: Sha, old: Sha) -> bool:
        self.repo.branches[ref] = self.repo._line(new)
        return True
