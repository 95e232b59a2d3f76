"""Who calls, said plainly (I10): people, agents and services as plain values."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import SessionId


def agent(name: str = "claude", n: int = 1, *, evidence: Sequence[str] = (), parent: Actor | None = None) -> Actor:
    """An agent process of its own; `evidence` adds pieces that others may share."""
    process = f"process:boot:ns:{name}-{n}"
    return Actor(
        session=SessionId(f"ses-{name}{n}"),
        kind="agent",
        trust="observed",
        agent=name,
        host="box",
        evidence=(process, *evidence),
        processes=(process,),
        parent=parent.session if parent else None,
    )


def child_of(parent: Actor, n: int = 1) -> Actor:
    """A session with its own evidence and its parent on record (I4), free of what a token allows: see `World.spawn`."""
    return agent(f"{parent.session[4:]}child", n, parent=parent)


def marked(name: str = "cursor") -> Actor:
    """An agent that only the environment tells of (I3): nothing shows its origin."""
    return Actor(
        session=SessionId(f"ses-{name}-env"), kind="agent", trust="observed", agent=name, evidence=(f"envonly:{name}",)
    )


def person(name: str = "alice") -> Actor:
    """A person at a terminal."""
    who = f"{name}@box"
    return Actor(
        session=SessionId(f"ses-{name}"),
        kind="human",
        trust="observed",
        person=who,
        host="box",
        evidence=(f"person:{who}",),
    )


def service(name: str = "ci") -> Actor:
    """No terminal and no agent."""
    return Actor(session=SessionId(f"ses-{name}"), kind="service", trust="observed", evidence=(f"service:{name}@box",))


def asserted(actor: Actor, name: str = "root") -> Actor:
    """A name that somebody typed with --as."""
    return msgspec.structs.replace(actor, session=SessionId(f"ses-as-{name}"), trust="asserted", asserted_name=name)


CLAUDE, CODEX, GEMINI = agent("claude"), agent("codex"), agent("gemini")

ALICE, BOB, CI = person("alice"), person("bob"), service()
