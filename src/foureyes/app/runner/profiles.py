"""Profiles and their agent programs on this host: slots, cooldowns, and whether a program can be used."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.context import stamp
from foureyes.app.results.run import AgentView, Conversation, Cooldown
from foureyes.app.runner.leases import live_runs
from foureyes.app.runner_registry import left_runs, live_runners
from foureyes.config.effective_policy import agent_profiles, listed_profiles, review_policy
from foureyes.core.nouns.run import MAKES, ErrorKind, Run, conversation_of
from foureyes.core.rules.policy import DEFAULT_PROFILES
from foureyes.core.rules.required import all_reviewers
from foureyes.core.runner.retries import EndedRun, crashed_in_a_row
from foureyes.core.runner.snapshot import Slot
from foureyes.core.words.ids import TaskId
from foureyes.errors import FoureyesError

if TYPE_CHECKING:
    from foureyes.app.agent_ports import Availability, LocalAgents
    from foureyes.app.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.policy import Profile, ReviewPolicy


# ---- Agent programs of the project's profiles on this machine ----

MOST_RUNS = 50
UNTOLD = "not-told-yet"
"""Stands for the conversation of a live run, which is unknown before the run ends."""


class LastError(msgspec.Struct, frozen=True):
    """Last error of a profile."""

    profile: str
    error: ErrorKind
    error_text: str
    ended_at: str


class Agents:
    """Profiles with their program, login, live runs and cooldown."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def listed(self, actor: Actor, *, ask: bool = False) -> list[AgentView]:
        """Return every profile by name. With `ask`, each program is started to read its version."""
        programs = self._context.outside.agents()
        with self._context.store.read() as tx:
            layers = self._context.layers(tx, actor)
            profiles, tiers = agent_profiles(layers), review_policy(layers).tiers
            host = actor.host
            now = self._context.now()
            cooled = {row.profile: row for row in tx.all("run.cooled", Cooldown, host=host) if row.holds(now)}
            errors = {row.profile: row for row in tx.all("run.last_errors", LastError, host=host)}
            runs, gone = live_runs(tx, host), left_runs(self._context, tx)
            running = [run.profile for run in runs if run.runner not in gone]
            left = [run.profile for run in runs if run.runner in gone]
        named = msgspec.structs.asdict(tiers)
        return [
            _view(
                profile, programs.available(name, profile, ask=ask), [tier for tier in named if named[tier] == name],
                running.count(name), cooled.get(name), errors.get(name), left.count(name),
            )
            for name, profile in sorted(profiles.items())
        ]  # fmt: skip

    def conversation(self, actor: Actor, task: str) -> Conversation:
        """Return the latest author conversation of a task, and the command to resume it on this host."""
        programs = self._context.outside.agents()
        with self._context.store.read() as tx:
            name = self._context.find_id(tx, task)
            rows = [run for run in tx.all("run.of_task", Run, task=name, limit=MOST_RUNS) if run.purpose in MAKES]
            profiles = agent_profiles(self._context.layers(tx, self._context.gate))
        if not rows:
            return Conversation(task=name, run="", profile="an agent", problem=f"none ran on {name} yet")
        run = next((row for row in rows if row.state != "ended" or row.conversation), rows[0])
        conversation = Conversation(task=name, run=run.id, profile=run.profile, live=run.state == "running")
        if run.host != actor.host:
            return replace(conversation, problem=f"it is on {run.host}")
        profile = profiles.get(run.profile)
        if profile is None:
            return replace(conversation, problem="that agent profile no longer exists")
        try:
            resumes = (
                conversation_of(run.conversation)
                or conversation_of(run.resumes)
                or (UNTOLD if conversation.live else "")
            )
            how = programs.attached(run.profile, profile, task=name, conversation=resumes)
        except FoureyesError as problem:
            return replace(conversation, problem=problem.message)
        return replace(conversation, argv=how.argv, env=how.env)


def _view(
    profile: Profile, availability: Availability, tiers: list[str], running: int, cooled: Cooldown | None,
    failed: LastError | None, left: int,
) -> AgentView:  # fmt: skip
    last: Mapping[str, str] = {}
    if cooled is not None:
        last = {"error": cooled.error, "error_text": cooled.error_text, "error_at": cooled.at}
    elif failed is not None:
        last = {"error": failed.error, "error_text": failed.error_text, "error_at": failed.ended_at}
    return AgentView(
        profile=availability.profile,
        program=availability.program,
        model=profile.model,
        path=availability.path,
        version=availability.version,
        login=availability.login,
        problem=availability.problem,
        tiers=tiers,
        slots=profile.slots,
        running=running,
        left=left,
        cooled=cooled is not None,
        until=cooled.until if cooled else "",
        **last,  # type: ignore[arg-type]
    )


# ---- Slots of profiles on this host ----

LOOK_SECONDS = 30
"""Seconds for which it is cached whether a program can be used."""
COOL_SECONDS: dict[str, int] = {"quota": 900, "auth": 1800, "missing": 600, "crash": 1800}
"""Cooldown in seconds by error, if the service gave no time."""
LATELY, BACK = 50, 5_000
"""Limits of the search for repeated crashes: ended runs of a host, and journal rows."""
MOST_COOL_SECONDS = 3 * 3600
"""Longest cooldown in seconds. The time comes from program output and may be wrong."""


class Profiles:
    """Slots of the profiles. `order`, `cooled` and `wake_at` are from the last call of slots()."""

    def __init__(self, context: Context, agents: LocalAgents) -> None:
        self._context = context
        self._agents = agents
        self._seen: dict[str, tuple[Profile, str]] = {}
        self._seen_until = ""
        self.order: tuple[str, ...] = ()
        self.cooled: list[Cooldown] = []
        self.wake_at = ""

    def slots(self, tx: Tx, runner: Actor) -> list[Slot]:
        """Return one slot per profile of the accepted policy."""
        now, layers = self._context.now(), self._context.layers(tx, self._context.gate)
        profiles = agent_profiles(layers)
        everywhere = [
            row for row in tx.all("run.cooled", Cooldown, host="") if row.host == runner.host or row.holds(now)
        ]
        rows = [row for row in everywhere if row.host == runner.host]
        others = self._others(tx, runner)
        self.cooled = [row for row in rows if row.holds(now)]
        self.wake_at = min((row.until for row in self.cooled if row.until), default="")
        self.order = order_of(self._context.gate_policy(tx), listed_profiles(layers))
        cooled = {row.profile: row for row in self.cooled}
        away = {(row.profile, row.host) for row in everywhere}
        lately = tx.all("runner.lately", EndedRun, host=runner.host, profiles=sorted(profiles), many=BACK, limit=LATELY)
        since = {row.profile: row.at for row in rows}
        if self._seen_until <= now:
            self._seen, self._seen_until = {}, stamp(self._context.clock.now() + timedelta(seconds=LOOK_SECONDS))
        return [
            _slot(name, profile, self._problem(name, profile), cooled.get(name),
                  crashed_in_a_row(lately, name, since.get(name, "")), any((name, host) not in away for host in others))
            for name, profile in profiles.items()
        ]  # fmt: skip

    def _others(self, tx: Tx, runner: Actor) -> set[str]:
        """Return the other hosts with a live runner that starts agents."""
        rows = live_runners(self._context, tx)
        return {row.host for row in rows if row.agents and row.host != runner.host}

    def _problem(self, name: str, profile: Profile) -> str:
        known = self._seen.get(name)
        if known is None or known[0] != profile:
            self._seen[name] = known = (profile, self._agents.available(name, profile).problem)
        return known[1]


def _slot(
    name: str, profile: Profile, problem: str, cooled: Cooldown | None, crashed: Sequence[EndedRun], elsewhere: bool
) -> Slot:  # fmt: skip
    return Slot(
        profile=name,
        slots=profile.slots,
        available=not problem,
        problem=problem,
        cooled=cooled is not None,
        error=cooled.error if cooled is not None else "none",
        error_text=cooled.error_text if cooled is not None else "",
        gone=cooled is not None and cooled.error == "missing" and not cooled.until,
        crashed=tuple(TaskId(run.task) for run in crashed),
        elsewhere=elsewhere,
        crash_text=crashed[0].error_text or "it ended before its stream did" if crashed else "",
    )


def order_of(policy: ReviewPolicy, listed: Sequence[str]) -> tuple[str, ...]:
    """Return the order in which profiles replace each other: tiers, then `[agents]` in its order. The policy's
    reviewers come last, because an author cannot review the change.
    """
    own = sorted(listed, key=lambda name: name in all_reviewers(policy))
    known = {*DEFAULT_PROFILES, *listed}
    names = dict.fromkeys([policy.tiers.developer, policy.tiers.senior, *own])
    return tuple(name for name in names if name in known)


def cools_until(context: Context, error: ErrorKind, retry_after: int | None) -> str:
    """Return the end of a cooldown: the service's time or the default for the error, at most MOST_COOL_SECONDS."""
    seconds = retry_after or COOL_SECONDS.get(error, COOL_SECONDS["quota"])
    return context.later(min(max(seconds, 1), MOST_COOL_SECONDS))
