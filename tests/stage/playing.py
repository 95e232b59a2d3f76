"""Agents that are no programs: they play how runs end, in process; and a workshop without git that merges."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext

import msgspec

from foureyes.app.agent_ports import Availability, Launch
from foureyes.app.git_ports import Additions, Fence
from foureyes.app.results.work import Copied, Dropped
from foureyes.core.nouns.run import RunId, RunOutcome
from foureyes.core.rules.policy import Profile
from foureyes.core.runner.signals import Spoken
from foureyes.core.words.ids import Sha
from foureyes.errors import AgentMissing, AgentUnavailable

from tests.stage.ports import NoPrograms
from tests.stage.scripted_git import MergingWorkshop, ScriptedRepo

DONE = RunOutcome(ended=True, rc=0, signal="DONE", message="done", conversation="c1")


class Play(msgspec.Struct, kw_only=True):
    """How one run goes: what it does to its branch, and how it ends."""

    outcome: RunOutcome = DONE
    commits: int = 1
    dirty: bool = False
    missing: bool = False
    """The program cannot be started at all."""
    broken: str = ""
    """Why the program, which is there, cannot be started for this run."""
    lost: str = ""
    """Why it is gone when it is told to begin."""
    lasts: int = 1
    """How often it is asked before it is over."""
    stops: int = 1
    """How often it is asked before it is over, once it was told to stop."""
    during: Callable[[Launch], None] | None = None
    says: list[Spoken] = []
    quiet: float = 0.0
    """For how many seconds nothing was heard of it."""


class PlayedRun:
    """A program that is only played."""

    def __init__(self, launch: Launch, play: Play, house: PlayedAgents) -> None:
        self.run, self.process = launch.run, f"process:{launch.run}"
        self.program, self.digest = f"/bin/{launch.profile.program}", "sha256:0"
        self.launch, self._play, self._house = launch, play, house
        self._left, self._stops = play.lasts, play.stops
        self._stopped = ""
        self.went = False

    def go(self) -> None:
        if self._play.lost:
            self._house.over(self.run)
            raise AgentUnavailable(self._play.lost)
        self.went = True
        for _ in range(self._play.commits):
            self._house.repo.commit(f"fe/{self.launch.task}")
        if self._play.dirty:
            self._house.repo.left[f"refs/heads/fe/{self.launch.task}"] = ["left.txt"]
        if self._play.during is not None:
            self._play.during(self.launch)

    def fileno(self) -> int:
        return -1

    def poll(self) -> RunOutcome | None:
        if not self.went and not self._stopped:
            return None
        self._left -= 1
        if self._stopped and (left := self._stops) > 1:
            self._stops = left - 1
            return None
        if self._stopped:
            self._house.over(self.run)
            return msgspec.structs.replace(self._play.outcome, stopped=True)
        if self._left > 0:
            return None
        self._house.over(self.run)
        return self._play.outcome

    def quiet_seconds(self) -> float:
        return self._play.quiet

    def due_seconds(self) -> float:
        return 0.01

    def last_event(self) -> str:
        return "plays"

    def heard(self) -> list[Spoken]:
        said, self._play.says = self._play.says, []
        return said if self.went else []

    def stop(self, why: str) -> None:
        self._stopped = why


class PlayedAgents(NoPrograms):
    """`LocalAgents`: every run is played as `next_play` says; `alive` are those that are not over."""

    def __init__(self, repo: PlayedRepo, next_play: Callable[[Launch], Play] = lambda launch: Play()) -> None:
        super().__init__()
        self.repo = repo
        self.next_play = next_play
        self.alive: dict[RunId, PlayedRun] = {}
        self.launched: list[Launch] = []
        self.missing: set[str] = set()

    def available(self, name: str, profile: Profile, *, ask: bool = False) -> Availability:
        problem = "it is not installed" if name in self.missing else ""
        return Availability(profile=name, program=profile.program, path="" if problem else "/bin/x", problem=problem)

    def prepare(self, launch: Launch) -> PlayedRun:
        play = self.next_play(launch)
        if play.missing:
            raise AgentMissing(f"{launch.profile.program} is not there")
        if play.broken:
            raise AgentUnavailable(play.broken)
        self.launched.append(launch)
        self.alive[launch.run] = PlayedRun(launch, play, self)
        return self.alive[launch.run]

    def over(self, run: RunId) -> None:
        self.alive.pop(run, None)

    def end_left(self, processes: Sequence[str], runs: Sequence[RunId]) -> Sequence[RunId]:
        for run in runs:
            self.alive.pop(run, None)
        return list(runs)

    def kept(self) -> list[str]:
        return sorted({launch.task for launch in self.launched} - set(self.forgotten))


class PlayedRepo(ScriptedRepo):
    """A scripted repository whose worktrees can hold what nobody committed."""

    def __init__(self) -> None:
        super().__init__()
        self.left: dict[str, list[str]] = {}
        self.grown: dict[str, dict[str, int]] = {}

    def uncommitted(self, ref: str, *, in_conflict: bool = False) -> list[str]:
        return [] if in_conflict else list(self.left.get(ref, ()))

    def additions(self, ref: str) -> Additions:
        return Additions(new=dict.fromkeys(self.left.get(ref, ()), 1), grown=self.grown.get(ref, {}))


class PlayedWorkshop(MergingWorkshop):
    """Worktrees that are only names, and merges that always fit."""

    def __init__(self, repo: PlayedRepo) -> None:
        super().__init__(repo)
        self.played = repo
        self.places: dict[str, str] = {}
        self.stands: dict[str, str] = {}
        self.moves: list[str] = []
        """The branches that reached the target, in order."""

    def add_worktree(self, task: str, *, branch: str, base: Sha, session: str) -> str:
        self.repo.branches.setdefault(branch, list(self.repo.branches["refs/heads/main"]))
        self.places[task] = f"/worktrees/{task}"
        return self.places[task]

    def copy_into(self, task: str, globs: Sequence[str]) -> Copied:
        return Copied((), tuple(f"{glob}: git does not ignore it" for glob in globs))

    def worktrees(self) -> dict[str, str]:
        return dict(self.places)

    def unlock_worktree(self, task: str) -> str:
        return self.stands.get(task, f"refs/heads/fe/{task}")

    def commit_all(
        self, message: str, trailers: Sequence[tuple[str, str]], *, worktree_of: str = "", fence: Fence = nullcontext
    ) -> Sha:
        made = super().commit_all(message, trailers, worktree_of=worktree_of, fence=fence)
        self.played.left.pop(f"refs/heads/fe/{worktree_of}", None)
        return made

    def drop_worktree(self, task: str, *, only_try: bool = False) -> Dropped:
        if not only_try:
            self.places.pop(task, None)
        return Dropped()

    def move(self, ref: str, *, new: Sha, old: Sha) -> bool:
        moved = super().move(ref, new=new, old=old)
        self.moves += [self.merges[new]] if moved else []
        return moved
