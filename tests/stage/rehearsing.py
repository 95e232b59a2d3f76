"""A throwaway project in which nothing is real but the verbs: reviewers of seeded changes say what the test says."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import PurePosixPath

from foureyes.app.agent_ports import Launch
from foureyes.app.ports import Outside, TreeContent
from foureyes.config.seeded import Seeded, seeded
from foureyes.core.nouns.run import RunOutcome
from foureyes.core.nouns.session import Actor

from tests.stage.peers import Peers, issue, review
from tests.stage.people import BOB
from tests.stage.playing import Play, PlayedRepo
from tests.stage.world import World

Says = Callable[[Seeded], str | RunOutcome | Play]
"""What a reviewer makes of a change of the built-in set."""


def finds(case: Seeded, *, at: int = 0) -> str:
    """A review that points at the planted defect, so many lines beside it; where there is none, it agrees."""
    if not case.planted:
        return review()
    place = case.case.places[0]
    return review("concerns", issues=[issue("HIGH", file=place.path, line=place.first + at)])


class Rehearsal(Peers):
    """One throwaway project."""

    def __init__(self, around: World, says: Says) -> None:
        super().__init__()
        self.says_of, self.titled = says, {each.title: each for each in seeded()}
        self.app.context.ids = self.ids = around.ids
        self.app.context.clock = self.clock = around.clock

    def _next(self, launch: Launch) -> Play:
        case = self.titled.get(self.app.lists.show(BOB, launch.task).task.title)
        assert case is not None
        assert launch.purpose == "review", "nothing but reviews begins there"
        self.says(launch.profile_name, self.says_of(case))
        return super()._next(launch)


class Throwaways:
    """`Outside.throwaway` of a world: every one that was made, what was put there, and whether it is gone."""

    def __init__(self, around: World, says: Says) -> None:
        self._around, self._says = around, says
        self.settings: list[str] = []
        self.files: list[TreeContent] = []
        self.made: list[Rehearsal] = []
        around.outside.another = self.make

    @contextmanager
    def make(self, starter: Actor, settings: str, files: TreeContent) -> Iterator[Made]:
        self.settings.append(settings)
        self.files.append(files)
        world = Rehearsal(self._around, self._says)
        self.made.append(world)
        world.configured(settings)
        try:
            yield Made(world)
        finally:
            world.sound()
            world.check_nothing_left()
            world.app.close()


class Made:
    """One of them as the verb sees it."""

    def __init__(self, world: Rehearsal) -> None:
        self._world = world
        self.store = world.store
        self.outside: Outside = world.outside

    def repo(self) -> PlayedRepo:
        return self._world.played

    def put(self, worktree: str, files: TreeContent) -> None:
        task = PurePosixPath(worktree).name
        texts = {} if callable(files) else dict(files)
        self._world.played.left[f"refs/heads/fe/{task}"] = list(texts) or ["files"]
        self._world.played.files |= texts

    def review(self, starter: Actor, agents: int, tell: Callable[[str, str], None]) -> None:
        self._world.settle(self._world.runner(agents, by=starter, until_idle=True, reviews=True))
        for task, line in self._world.said:
            tell(task, line)
