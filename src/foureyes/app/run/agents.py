"""The agent programs of a project's profiles, as they are on this machine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.call.leasing import left_runs
from foureyes.app.run.leases import live_runs
from foureyes.app.views.run import AgentView, Conversation
from foureyes.app.views.standstill import Cooldown
from foureyes.config.policy import agent_profiles, review_policy
from foureyes.core.nouns.run import MAKES, ErrorKind, Run, conversation_of
from foureyes.errors import FoureyesError

if TYPE_CHECKING:
    from foureyes.app.agent_ports import Availability
    from foureyes.app.call.context import Context
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.policy import Profile


MOST_RUNS = 50
UNTOLD = "not-told-yet"
"""The conversation of a run that is at work: it is known when that has ended."""


class LastError(msgspec.Struct, frozen=True):
    """What went wrong with the last run of a profile that something went wrong with."""

    profile: str
    error: ErrorKind
    error_text: str
    ended_at: str


class Agents:
    """Profiles: found, logged in, at work, skipped."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def listed(self, actor: Actor, *, ask: bool = False) -> list[AgentView]:
        """Every profile, by name. `ask`: each program is started for its version."""
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
        """The latest conversation of an author of a task, and how a person goes on with it here."""
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
            return replace(conversation, problem="there is no such profile any more")
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
