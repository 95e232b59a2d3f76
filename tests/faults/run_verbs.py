"""The writing commands of runners and runs: what each needs before it, and the command itself."""

from __future__ import annotations

from collections.abc import Callable

from foureyes.app.runner_registry import LEASE_SECONDS
from foureyes.core.nouns.run import Run, RunOutcome
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import SessionId

from tests.faults.verb import Verb
from tests.stage.people import ALICE
from tests.stage.places import Desk
from tests.stage.ports import FixedClock

SECRET = "fe-" + "1" * 32
PROCESS = "process:boot:ns:4000:1"
CRASH = RunOutcome(ended=False, rc=1, error="crash", error_text="boom", conversation="c1")


def _runner(desk: Desk) -> Actor:
    """Who began last."""
    session = max(desk.app.runs.runners(), key=lambda row: row.started_at).session
    return Actor(session=SessionId(session), kind="service", trust="issued", agent="runner", host="box")


def _run(desk: Desk) -> Run:
    (run,) = desk.app.runs.live()
    return run


def _begun(desk: Desk) -> str:
    desk.app.runs.begin(ALICE, agents=1)
    return desk.create()


def _reserve(desk: Desk, task: str) -> Run:
    return desk.app.runs.reserve(_runner(desk), task, profile="claude", purpose="implement")


def _reserved(desk: Desk) -> str:
    task = _begun(desk)
    _reserve(desk, task)
    return task


def _bind(desk: Desk, task: str) -> Run:
    return desk.app.runs.bind(_runner(desk), _run(desk).id, secret=SECRET, process=PROCESS, program="/bin/claude")


def _running(desk: Desk) -> str:
    task = _reserved(desk)
    _bind(desk, task)
    return task


def _worked(desk: Desk) -> str:
    task = _running(desk)
    desk.script.commit(f"fe/{task}", sessions=[str(_run(desk).session)])
    return task


def _silent(desk: Desk) -> str:
    """Its runner was silent for longer than a lease, and another one has begun."""
    task = _running(desk)
    assert isinstance(desk.clock, FixedClock)
    desk.clock.advance(seconds=LEASE_SECONDS + 1)
    desk.app.runs.begin(ALICE, agents=1)
    return task


def _by_runner(act: Callable[[Desk, Actor, Run], object]) -> Callable[[Desk, str], object]:
    return lambda desk, _: act(desk, _runner(desk), _run(desk))


RUN_VERBS = (
    Verb("run reserve", _begun, _reserve),
    Verb("run bind", _reserved, _bind),
    Verb("run take over", _silent, _by_runner(lambda d, me, run: d.app.runs.take_over(me, run.id))),
    Verb("run end", _running, _by_runner(lambda d, me, run: d.app.runs.end(me, run.id, CRASH, ending="failed"))),
    Verb("run release", _running, _by_runner(lambda d, me, run: d.app.runs.release(me, run.id, how="crash"))),
    Verb(
        "run release, blocked",
        _running,
        _by_runner(lambda d, me, run: d.app.runs.release(me, run.id, how="blocked", reason="which one?")),
    ),
    Verb(
        "run submit",
        _worked,
        _by_runner(lambda d, me, run: d.app.runs.submit_work(me, run.id, signal="DONE", message="done")),
    ),
    Verb("run stop", _running, lambda d, t: d.app.runs.ask_stop(ALICE, t, reason="lunch")),
    Verb("runs pause", lambda d: d.create(), lambda d, t: d.app.runs.pause(ALICE, t, reason="lunch")),
    Verb("run stuck", _begun, lambda d, t: d.app.runs.stuck(_runner(d), t, kind="retries", why="4 came to nothing")),
    Verb(
        "profile cool",
        _begun,
        lambda d, t: d.app.runs.cool(_runner(d), "claude", until=d.app.context.later(60), error="quota", error_text=""),
    ),
    Verb("runner finish", _begun, lambda d, t: d.app.runs.finish(_runner(d), reason="done")),
)
