"""I5: who calls through a server that one process keeps for a whole conversation, and never is a person.

What its start showed stays, and a call only adds to it: whoever starts a server and leaves keeps its terminal and its
place, and would look like somebody else.
"""

from __future__ import annotations

from msgspec.structs import replace

from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import session_of
from foureyes.errors import Reason
from foureyes.steps import prose

UNNAMED = "mcp"
"""What is called an agent of which only its server tells."""
SAYS = "A server is never a person; all its conversations are one session."


def served(start: Actor, now: Actor) -> Actor:
    """The caller as it was seen when the server began and as it is seen now, together."""
    if start.within or now.within:
        return _served_below_us(start, now)
    seen = start if start.kind == "agent" else _behind_an_editor(start)
    added = now.evidence if now.kind == "agent" else ()
    left = has_lost_its_starter(start, now)
    return replace(
        seen,
        evidence=tuple(dict.fromkeys((*seen.evidence, *added))),
        ancestors=_ancestors(start, now, left=left),
        bound=seen.bound or now.bound or _why_bound(seen, left=left),
        stands=now.stands or start.stands,
        why=(*seen.why, SAYS)[:3],
    )


def _served_below_us(start: Actor, now: Actor) -> Actor:
    """I2, I5: no rights of its own; a run's token holds while what was above at the start is above it still."""
    seen = start if start.within else now
    if not start.token:
        return seen
    still = tuple(piece for piece in seen.ancestors if piece in now.ancestors)
    return replace(seen, token=start.token, ancestors=() if has_lost_its_starter(start, now) else still)


def has_lost_its_starter(start: Actor, now: Actor) -> bool:
    """Whether the process that started the server, or the agent above that, is not above it any more."""
    return start.ancestors[:1] != now.ancestors[:1] or not {*start.processes[:1]} <= {*now.ancestors}


def _ancestors(start: Actor, now: Actor, *, left: bool) -> tuple[str, ...]:
    """I2: a token is good below a process that is above the server still; where its starter is gone, nothing is."""
    if left and start.token:
        return ()
    return tuple(dict.fromkeys((*start.ancestors, *now.ancestors)))


def _why_bound(seen: Actor, *, left: bool) -> Reason | None:
    if left:
        message = (
            "the program that started this MCP server has ended. It can still log and submit, and it cannot approve."
        )
        return Reason("I5", message, prose("the agent that runs now starts a server of its own"))
    if not seen.processes:
        message = "no agent process is seen above this MCP server: it may start and submit, and decides nothing"
        return Reason("I5", message, prose("an agent that is seen, or a person in a terminal, decides it"))
    return None


def _behind_an_editor(start: Actor) -> Actor:
    """An editor, or whatever else began it: an agent without a shown origin, the same for all that it begins.

    Its evidence is of no process: who sits at a terminal of that editor is no agent.
    """
    evidence = f"mcp:{start.ancestors[0] if start.ancestors else start.session}"
    return Actor(
        session=session_of(evidence),
        kind="agent",
        trust="observed",
        agent=UNNAMED,
        host=start.host,
        evidence=(evidence,),
        leader=start.leader,
        token=start.token,
        bound=start.bound,
        git=start.git,
        why=("No agent process is seen above this MCP server.",),
    )
