"""Who is calling, and whether they may use a verb at all (I1, I2, I5)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.call.refusals import refuse_task, refuse_verb
from foureyes.app.call.rows import Token
from foureyes.app.views.session import SessionView
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.rights import barred
from foureyes.core.words.ids import SessionId, session_of
from foureyes.errors import Internal, Reason
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.app.ports import Tx


def gate_of(project: str) -> Actor:
    """The gate of a project: a service that is nobody's, and only ever does what the rules say."""
    evidence = f"gate:{project}"
    return Actor(session=session_of(evidence), kind="service", trust="observed", agent="gate", evidence=(evidence,))


def spawners(tx: Tx, parent: SessionId | None) -> tuple[SessionId, ...]:
    """Everyone above a session, nearest first."""
    above: list[SessionId] = []
    while parent is not None and parent not in above:
        above.append(parent)
        row = tx.one("session.get", SessionView, id=parent)
        parent = SessionId(row.parent) if row and row.parent else None
    return tuple(above)


def check_token(tx: Tx, actor: Actor) -> None:
    """I2: an issued session is who shows its live token, nobody else; also not a moment after it has ended."""
    if actor.trust != "issued":
        return
    if actor.kind == "service":
        from foureyes.app.call.leasing import check_runner

        check_runner(tx, actor)
        return
    token = tx.one("session.token", Token, hash=actor.token) if actor.token else None
    if (
        token is None
        or token.ended
        or (token.session, token.role, token.task) != (actor.session, actor.role, actor.task)
    ):
        refuse_verb("the token was refused.", Reason("I2", f"{actor.session} has no token that is good for this"))


def refuse_other_task(actor: Actor, task: str) -> None:
    """I2: a token is good for one task."""
    if actor.task is not None and task and task != actor.task:
        reason = Reason("I2", f"this session has a token for {actor.task}, not for {task}", fe("whoami"))
        refuse_task(task, "was not changed", reason)


def permit(actor: Actor, verb: str) -> None:
    """I1, I2, I5: whether the caller may use the verb at all."""
    if actor.stands is not None:
        raise Internal("it was not judged whether this caller is at home (I3)")
    reason = why_barred(actor, verb)
    if reason is not None:
        refuse_verb(f"{verb} is not allowed here", reason)


def why_barred(actor: Actor, verb: str) -> Reason | None:
    """Why the caller may not use the verb, if so."""
    seen = (actor.within, actor.bound, actor.by_key, actor.git is not None, actor.in_run)
    return barred(actor.kind, actor.trust, actor.name, verb, actor.role, *seen)
