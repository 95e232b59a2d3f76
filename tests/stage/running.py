"""Words for runs: a runner, a run that is bound, the agent below it. For worlds of tests/app."""

from __future__ import annotations

from foureyes.app.target import current_target
from foureyes.core.nouns.run import Purpose, Run
from foureyes.core.nouns.session import Actor

from tests.stage.people import ALICE
from tests.stage.world import DeskWorld, World

SECRET = "fe-secret"
REAPER = "proc:boot:ns:77:1"
PROCESS = "proc:boot:ns:9:9"


def runner(world: World, process: str = PROCESS, *, by: Actor = ALICE) -> Actor:
    """A runner in a process of its own."""
    world.outside.own = process
    return world.app.runs.begin(by, agents=3).actor


def reserved(world: World, actor: Actor, task: str, *, profile: str = "claude", purpose: Purpose = "implement") -> Run:
    return world.app.runs.reserve(actor, task, profile=profile, purpose=purpose)


def bound(
    world: World,
    actor: Actor,
    task: str,
    *,
    secret: str = SECRET,
    process: str = REAPER,
    profile: str = "claude",
    purpose: Purpose = "implement",
) -> Run:
    """A run whose program was let go."""
    run = reserved(world, actor, task, profile=profile, purpose=purpose)
    began = current_target(world.app.context, asks=False).at
    return world.app.runs.bind(actor, run.id, secret=secret, process=process, program="/bin/claude", target=began)


def agent_of(world: World, secret: str = SECRET, process: str = REAPER) -> Actor:
    """The agent below the reaper, by its token."""
    below = f"{process}-agent"
    return world.show_token(secret, (below, process), (below,))


def work(world: DeskWorld, run: Run) -> None:
    """Something that the run commits."""
    assert run.session is not None
    world.repo.commit(f"fe/{run.task}", sessions=[run.session])
