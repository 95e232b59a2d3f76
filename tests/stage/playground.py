"""A world in which a runner runs: scripted git, agents that are played, a clock that goes on when somebody waits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from foureyes.app.agent_ports import Launch
from foureyes.app.runner.background_jobs import AtOnce
from foureyes.app.runner.live_runs import Options
from foureyes.app.runner.loop import Runner
from foureyes.core.nouns.run import Run
from foureyes.core.nouns.session import Actor
from foureyes.core.runner.steps import Finish

from tests.stage.gated import configure
from tests.stage.people import ALICE, BOB
from tests.stage.playing import Play, PlayedAgents, PlayedRepo, PlayedWorkshop
from tests.stage.scripted_git import ScriptedRemote
from tests.stage.world import DeskWorld

MOST_TICKS = 400


class Playground(DeskWorld):
    """One project, and runners in it."""

    make_repo = PlayedRepo

    def __init__(self) -> None:
        super().__init__()
        assert isinstance(self.repo, PlayedRepo)
        self.played = self.repo
        self.workshop = self.shop = PlayedWorkshop(self.played)
        self.plays: list[Play] = []
        """How the next runs go, first one first; then everything is done at once."""
        self.agents = PlayedAgents(self.played, self._next)
        self.said: list[tuple[str, str]] = []
        self.began = 0

    def _next(self, launch: Launch) -> Play:
        return self.plays.pop(0) if self.plays else Play()

    def configured(self, text: str) -> None:
        configure(self, text)

    def shared(self, settings: str = "") -> ScriptedRemote:
        """The project has a remote from now on, with the target as it is here."""
        remote = ScriptedRemote(self.repo)
        remote.lines["refs/heads/main"] = list(self.repo.branches["refs/heads/main"])
        self.outside.remotes["origin"] = remote
        self.configured(f'{settings}\n[git]\nremote = "origin"\n')
        return remote

    def runner(self, agents: int = 2, *, by: Actor = ALICE, alarm: int = -1, **options: Any) -> Runner:
        """A runner in a process of its own."""
        self.began += 1
        self.outside.own = f"process:boot:ns:{1000 + self.began}:1"
        beacon, changes = options.pop("beacon", None), options.pop("changes", None)
        actor = self.app.runs.begin(by, agents=agents, beacon=beacon.name if beacon else "").actor
        chosen = Options(agents=agents, **options)
        tell: Callable[[str, str], None] = lambda task, line: self.said.append((task, line))  # noqa: E731
        return Runner(
            self.app.context,
            actor,
            self.agents,
            AtOnce(self.app.context),
            chosen,
            tell=tell,
            changes=changes,
            alarm=alarm,
            beacon=beacon,
        )

    def ticks(self, runner: Runner, n: int = 1) -> None:
        for _ in range(n):
            runner.tick()

    def settle(self, runner: Runner, most: int = MOST_TICKS) -> str:
        """Until it has nothing left to do; the clock goes on where it would wait."""
        for _ in range(most):
            last = runner.tick()
            if isinstance(last, Finish):
                return last.why
            if last is not None:
                if last.idle and not last.until:
                    return "idle"
                self.clock.advance(seconds=10)
        raise AssertionError(f"it does not come to rest: {self.said[-10:]}")

    def runs_of(self, task: str) -> list[Run]:
        """The oldest first."""
        return self.app.runs.of_task(task)[::-1]

    def lines(self, task: str) -> list[str]:
        return [line for about, line in self.said if about == task]

    def check_nothing_left(self) -> None:
        """No slot, lease, process, token or claim is left, and no worktree that no task names."""
        assert self.agents.alive == {}
        assert self.app.runs.live() == []
        with self.store.read() as tx:
            from foureyes.app.context import IdRow

            assert tx.all("runner.left_claims", IdRow, limit=9) == []
        live = self.sql("SELECT count(*) FROM tokens WHERE ended_seq = 0 AND session IN (SELECT session FROM runs)")
        assert live[0][0] == 0
        renewals = self.sql("SELECT count(*) FROM renewals WHERE lease IN (SELECT id FROM runs)")
        assert renewals[0][0] == 0
        for task in self.shop.places:
            self.app.lists.show(ALICE, task)

    def check_everything_can_be_moved(self, tasks: Sequence[str]) -> None:
        """Nothing is left behind, nothing was merged twice, and somebody can move each task."""
        self.check_nothing_left()
        stuck = {row.task for row in self.app.runs.blocked_work().stuck}
        shown = {task: self.app.lists.show(BOB, task).task for task in tasks}
        for task, row in shown.items():
            assert row.status in ("open", "closed", "blocked", "reviewing", "approved"), task
            assert row.status != "open" or task in stuck or row.ready, task
        merged = [task for task, row in shown.items() if row.status == "closed"]
        assert len(self.shop.moves) == len(set(self.shop.moves)) == len(merged)
