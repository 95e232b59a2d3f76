"""Sessions: identify the caller, and spawn sessions for others. (I)"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.app.context import (
    Count,
    EvidenceRow,
    IdRow,
    Token,
    Work,
    permit,
    refuse_other_task,
    refuse_verb,
    spawners,
)
from foureyes.app.results.session import EndedSessions, SessionView, Spawned, Whoami
from foureyes.core import events as e
from foureyes.core.nouns.run import Run
from foureyes.core.nouns.session import NESTED, ROLES, Actor, Role, is_oneself
from foureyes.core.words.ids import SessionId, Sha, session_id, session_of, token_hash
from foureyes.core.words.text import clean_text
from foureyes.errors import BadInput, ConfigError, FoureyesError, NotFound, Reason, TokenRefused
from foureyes.steps import NO_STEP, blank, by, by_person, fe, prose

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.ports import Tx, WriteTx
    from foureyes.core.nouns.task import Task


RUN = by("person", fe("run"), "a person starts a runner, which gives each run its own token: ")
HIDDEN = (
    "it is valid only below the process it was given to, and this process is elsewhere or in a sandbox that hides it"
)
TOOLS = prose(
    "if the run's shell is sandboxed, use the tools of the MCP server foureyes (finding_answer, task_submit, …), or "
    "end with the signal line from the prompt"
)


class Sessions:
    """Identification, creation and end of sessions."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def recognise(self, observe: Callable[[Sequence[str]], Actor]) -> Actor:
        """Return the caller as the store knows it: by token, by `whoami --new`, or as observed.

        `observe` gets the programs of the configured profiles, which count as agents too.
        """
        with self._context.store.read() as tx:
            actor = self._at_home(tx, observe(self._programs(tx)))
            if not actor.token:
                return self._renewed(tx, self._was_an_agent(tx, actor))
            token = tx.one("session.token", Token, hash=actor.token)
            wrong = _misuse(actor, token)
            if not wrong:
                assert token is not None
                return self._issued(tx, actor, token)
        raise self._refused_token(actor, token, wrong)

    def _programs(self, tx: Tx) -> list[str]:
        """Return the agent programs of the accepted configuration."""
        text = self._context.project(tx).accepted_text or ""
        if "agents" not in text:
            return []
        from foureyes.config.effective_policy import agent_profiles
        from foureyes.config.layers import Layers
        from foureyes.config.parser import read_file

        return [profile.program for profile in agent_profiles(Layers(file=read_file(text))).values()]

    def _at_home(self, tx: Tx, actor: Actor) -> Actor:
        """Return the caller with the trust that its surroundings allow. Settings are read only if needed. (I3)"""
        if actor.namespaces is None:
            return actor
        from foureyes.core.rules.callers import at_home
        from foureyes.core.rules.policy import IdentityRule

        try:
            rule = self._context.home(tx)
        except ConfigError:
            rule = IdentityRule()
        return at_home(actor, rule, has_keys=self._context.has_keys(tx))

    @staticmethod
    def _was_an_agent(tx: Tx, actor: Actor) -> Actor:
        """Return the caller as an agent if it runs below a process that was once an agent, whatever that process runs
        now. (I3)
        """
        rows = tx.all("session.known", EvidenceRow, evidence=actor.ancestors)
        known = {row.evidence for row in rows} - set(actor.evidence)
        if not known or actor.trust == "asserted" or actor.within:
            return actor
        agents = tuple(piece for piece in actor.ancestors if piece in known or piece in actor.processes)
        evidence = (*agents, *(piece for piece in actor.evidence if piece not in agents))
        if actor.kind == "agent":
            evidence += _nested(tx, actor, known)
            return replace(actor, evidence=evidence, processes=agents if actor.processes else ())
        session = session_of(agents[0])
        row = tx.one("session.get", SessionView, id=session)
        pid = agents[0].split(":")[-2]
        return Actor(
            session=session,
            kind="agent",
            trust="observed",
            agent=row.agent if row else "agent",
            host=actor.host,
            evidence=agents,
            processes=() if actor.bound or actor.by_key else agents,
            ancestors=actor.ancestors,
            leader=actor.leader,
            bound=actor.bound,
            why=(f"Process {pid} above this one was an agent before it ran another program.", *actor.why[:1]),
        )

    @staticmethod
    def _renewed(tx: Tx, actor: Actor) -> Actor:
        """Return the caller under its newest session, after `whoami --new`. [I4]"""
        if actor.kind != "agent" or actor.trust != "observed":
            return actor
        newest = tx.one("session.newest", IdRow, base=actor.session)
        return replace(actor, session=SessionId(newest.id), base=actor.session) if newest else actor

    @staticmethod
    def _issued(tx: Tx, actor: Actor, token: Token) -> Actor:
        """Return the session of a token, with the agent processes below the bound process as evidence. (I2, I3)"""
        row = tx.one("session.get", SessionView, id=token.session)
        assert row is not None
        giver = tx.one("session.get", SessionView, id=row.parent)
        own = (
            giver is not None and giver.kind != "agent"
        )  # an agent in place of the shell that got the token is the child itself
        nearer = actor.ancestors[: actor.ancestors.index(token.bound) + (1 if own else 0)]
        below = tuple(piece for piece in dict.fromkeys((*actor.evidence, *actor.processes)) if piece in nearer)
        pid = token.bound.split(":")[-2]
        git = actor.git if actor.git and actor.git[0] in actor.ancestors[: actor.ancestors.index(token.bound)] else None
        return Actor(
            session=token.session,
            kind="agent",
            trust="issued",
            agent=row.agent,
            host=actor.host,
            model=row.model,
            vendor=row.vendor,
            evidence=below,
            processes=below,
            ancestors=actor.ancestors,
            leader=actor.leader,
            parent=SessionId(row.parent) if row.parent else None,
            token=actor.token,
            role=token.role,
            task=token.task,
            in_run=tx.one("run.of_session", Run, session=token.session) is not None,
            bound=git[1] if git else actor.bound,
            git=git,
            why=(
                f"A token to {token.role} {token.task}, from {row.parent}.",
                f"This process is below pid {pid}, as the token requires.",
            ),
        )

    def _refused_token(self, actor: Actor, token: Token | None, wrong: str) -> TokenRefused:
        """Record a refused token as a security event and return the error. (I2)"""
        of = f"token of {token.session}, to {token.role} {token.task}" if token else "unknown token"
        way = by(
            "other",
            fe("session", "spawn", blank("TASK"), "--role", blank("ROLE")),
            "the session that started you runs: ",
        )
        by_hand = "FOUREYES_TOKEN" in self._context.environ
        shown, way = ("FOUREYES_TOKEN", way) if by_hand else ("the token of a run", TOOLS if wrong == HIDDEN else RUN)
        problem = TokenRefused("the token was refused.", reasons=(Reason("I2", f"{shown}: {wrong}", way),))
        try:
            with self._context.store.write() as tx:
                event = e.SecurityRecorded(kind="token_elsewhere", rule="I2", reason=wrong, detail=of)
                self._work(tx, replace(actor, token="")).record(token.task if token else "", event)
        except FoureyesError as also:
            problem = TokenRefused(
                f"the token was refused, and that could not be recorded: {also.message}", reasons=problem.reasons
            )
        return problem

    def whoami(self, actor: Actor) -> Whoami:
        """Return the caller as the policy sees it. This only reads, so an unknown session is not recorded. (I1)"""
        with self._context.store.read() as tx:
            me = self._context.party(tx, actor)
            known = tx.one("session.get", SessionView, id=actor.session)
        return Whoami(
            session=actor.session,
            name=me.name,
            kind=actor.kind,
            trust=actor.trust,
            agent=actor.agent,
            person=actor.person,
            role=actor.role or "",
            task=actor.task or "",
            parent=known.parent or "" if known else "",
            origins=sorted(me.origins),
            proven=me.proven,
            known=known is not None,
            why=list(actor.why),
            next=actor.bound.next if actor.bound else NO_STEP,
        )

    def new(self, actor: Actor) -> Whoami:
        """Start another session of the same agent. Evidence and origin stay the same. [I4]"""
        permit(actor, "whoami --new")
        if actor.kind != "agent":
            reason = Reason("I5", "a person has one session in all terminals", fe("whoami"))
            refuse_verb("no session was made.", reason)
        made = replace(actor, session=self._fresh_id(), base=actor.base or actor.session)
        with self._context.store.write() as tx:
            old = self._work(tx, actor)
            old.introduce()
            self._work(tx, made).introduce()
        return self.whoami(made)

    def _work(self, tx: WriteTx, actor: Actor) -> Work:
        return Work(tx, actor, self._context.now(), self._context.store.project)

    def _fresh_id(self) -> SessionId:
        return session_id(self._context.ids.number().to_bytes(16, "big"))

    def spawn(self, actor: Actor, task: str, role: str, *, agent: str = "") -> Spawned:
        """Create a session for a sub-agent, with a token for one role on one task. It gets no more rights than its
        spawner. (I2, I4)
        """
        permit(actor, "session spawn")
        wanted = _role(role)
        if actor.role is not None and actor.role != wanted:
            reason = Reason("I2", f"a token to {actor.role} cannot give one to {wanted}", fe("whoami"))
            refuse_verb("no session was made.", reason)
        head = self._target_head() if wanted == "implement" else None
        secret = f"fe-{self._context.ids.number():032x}"
        child = self._fresh_id()
        with self._context.writing(actor, "session spawn") as work:
            row = self._context.find(work.tx, task)
            refuse_other_task(actor, row.id)
            if row.status == "closed":
                reason = Reason("T2", f"{row.id} is closed, so there is nothing left to {wanted}", fe("show", row.id))
                refuse_verb("no session was made.", reason, task=row.id)
            claims = self._claims(work, row, wanted)
            event = self._token(work, actor, wanted, agent, child, secret)
            work.record(row.id, event)
            if claims:
                from foureyes.core.rules.claims import began_at

                work.record(row.id, e.TaskStarted(target_head=began_at(row, head), implementer=child))
        notes = (f"started {row.id} for {event.name}",) if claims else ()
        if actor.kind != "agent":
            notes = (
                *notes,
                "all sessions that you start share your origin, so none of them may approve another's work (I4)",
            )
        return Spawned(session=child, name=event.name, role=wanted, task=row.id, token=secret, notes=notes)

    def _target_head(self) -> Sha | None:
        from foureyes.app.target import current_target

        return current_target(self._context).at

    def _claims(self, work: Work, task: Task, role: Role) -> bool:
        """Return True if the child gets the claim. If its spawner has it, the claim stays there."""
        from foureyes.app.work.claims import is_free_for_child

        return role == "implement" and is_free_for_child(self._context, work, task)

    def _token(self, work: Work, actor: Actor, role: Role, agent: str, child: SessionId, secret: str) -> e.TokenIssued:
        from foureyes.config.effective_policy import agent_profiles
        from foureyes.core.rules.policy import Profile

        profiles = agent_profiles(self._context.layers(work.tx, actor))
        agent = agent or actor.agent
        if agent and agent not in profiles and agent != actor.agent:
            raise BadInput(
                f"there is no agent profile {agent!r}.", next_step=prose(f"one of: {', '.join(sorted(profiles))}")
            )
        profile = profiles.get(agent, Profile())
        work.introduce()  # the spawner gets its number first
        count = work.tx.one("session.count_agent", Count, agent=agent)
        return e.TokenIssued(
            session=child,
            hash=token_hash(secret),
            role=role,
            bound=self._bound(work.tx, actor),
            name=f"{agent or 'agent'}#{(count.n if count else 0) + 1}",
            agent=agent,
            model=profile.model,
            vendor=profile.vendor,
            host=actor.host,
            evidence=() if actor.kind == "agent" else (f"spawned:{actor.session}",),
        )

    @staticmethod
    def _bound(tx: Tx, actor: Actor) -> str:
        """Return the process below which the token is valid: the spawner's nearest agent process, or else its session
        leader. (I2)
        """
        if actor.kind == "agent" and actor.processes:
            return actor.processes[0]
        if actor.trust == "issued":
            token = tx.one("session.token", Token, hash=actor.token)
            assert token is not None
            return token.bound
        if not actor.leader:
            refuse_verb(
                "no session was made.",
                Reason(
                    "I2",
                    "no session leader was found above this process, so nothing could use the token",
                    prose("run it from a shell"),
                ),
            )
        return actor.leader

    def end(self, actor: Actor, session: str = "", *, reason: str = "") -> EndedSessions:
        """End a session and all sessions it spawned. This revokes their tokens and releases their claims."""
        reason = clean_text(reason, "the reason")
        with self._context.writing(actor, "session end") as work:
            target = _called(work.tx, session) if session else work.tx.one("session.get", SessionView, id=actor.session)
            if target is None:
                raise NotFound("this session has recorded nothing, so there is nothing to end.", next_step=fe("whoami"))
            if target.id != actor.session and actor.kind != "human" and not self._spawned(work.tx, actor, target):
                message = f"{target.name} ({target.id}) is neither this session nor one that it spawned"
                refuse_verb("no session was ended.", Reason("I4", message, by_person(fe("session", "end", blank("…")))))
            return _end(work, target, reason)

    def _spawned(self, tx: Tx, actor: Actor, target: SessionView) -> bool:
        """Return True if one of the caller's sessions is an ancestor of the target. (I4)"""
        from foureyes.app.facts import parties_of

        me = self._context.party(tx, actor)
        above = parties_of(tx, spawners(tx, SessionId(target.parent) if target.parent else None))
        return any(is_oneself(me, party) for party in above.values())

    def list(self, limit: int = 50) -> list[SessionView]:
        """Return the sessions that have written, latest first."""
        with self._context.store.read() as tx:
            return tx.all("session.page", SessionView, limit=limit)


def _misuse(actor: Actor, token: Token | None) -> str:
    """Return why a token is invalid, or "". (I2)"""
    if token is None:
        return "this token is unknown in this project"
    if token.ended:
        return "its session has ended"
    if token.bound not in actor.ancestors:
        return HIDDEN
    return ""


def _role(text: str) -> Role:
    for role in ROLES:
        if role == text:
            return role
    raise BadInput(
        f"there is no role {text!r}. Roles: {', '.join(ROLES)}.",
        next_step=fe("session", "spawn", blank("TASK"), "--role", "implement"),
    )


def _end(work: Work, target: SessionView, reason: str) -> EndedSessions:
    line = _with_spawned(work.tx, target)
    released = [task for row in line for task in _release(work, row, reason)]
    ended = [row for row in line if not row.ended]
    for row in reversed(ended):
        work.record("", e.SessionEnded(session=SessionId(row.id), reason=reason))
    return EndedSessions(ended=[row.id for row in ended], released=released)


def _release(work: Work, row: SessionView, reason: str) -> list[str]:
    """Release the session's claims. If another session does this, it does not count as work on the task."""
    tasks = [claim.id for claim in work.tx.all("session.claims", IdRow, session=row.id)]
    for task in tasks:
        own = row.id == work.actor.session
        why = reason or "its session has ended"
        work.record(
            task, e.TaskUnstarted(reason=why) if own else e.TaskReleased(implementer=SessionId(row.id), reason=why)
        )
    return tasks


def _with_spawned(tx: Tx, row: SessionView) -> list[SessionView]:
    """Return a session and all its descendants, the session first."""
    sessions = [row]
    for child in tx.all("session.children", SessionView, parent=row.id):
        sessions += _with_spawned(tx, child)
    return sessions


def _nested(tx: Tx, actor: Actor, known: set[str]) -> tuple[str, ...]:
    """Return evidence for an agent of another name above the caller. A process that never wrote may have any name. (G1,
    I4)
    """
    rows = tx.all("session.some", SessionView, ids=sorted(session_of(piece) for piece in known))
    is_same = len(rows) == len(known) and all(row.agent == actor.agent for row in rows)
    return () if is_same or actor.is_nested or not actor.processes else (NESTED + actor.processes[0],)


def _called(tx: Tx, text: str) -> SessionView:
    """Return the session with this id or name."""
    sessions = tx.all("session.called", SessionView, text=text)
    sessions = [row for row in sessions if row.id == text] or sessions  # an id is unique, a name may repeat
    if len(sessions) != 1:
        raise NotFound(
            f"{'several sessions are' if sessions else 'no session is'} called {text}.", next_step=fe("session", "list")
        )
    return sessions[0]
