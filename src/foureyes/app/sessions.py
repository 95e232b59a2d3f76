"""Sessions: who is calling, and who has called."""

from __future__ import annotations

import msgspec

from foureyes.app.context import Context, is_proven
from foureyes.app.views import SessionView
from foureyes.core.session import Actor


class Whoami(msgspec.Struct, frozen=True, kw_only=True):
    """The caller, and the evidence for it."""

    session: str
    name: str
    kind: str
    trust: str
    agent: str = ""
    person: str = ""
    origins: list[str] = []
    proven: bool = True
    known: bool = False
    why: list[str] = []


class Sessions:
    """Who is who."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def whoami(self, actor: Actor) -> Whoami:
        """The caller as the policy would see it; a read, so an unknown session stays unknown (I1)."""
        with self._context.store.read() as tx:
            me = self._context.party(tx, actor)
            known = tx.one("session.get", SessionView, id=actor.session)
        return Whoami(
            session=actor.session, name=me.name, kind=actor.kind, trust=actor.trust, agent=actor.agent, person=actor.person,
            origins=sorted(me.origins), proven=me.proven, known=known is not None, why=list(actor.why),
        )  # fmt: skip

    def list(self, limit: int = 50) -> list[SessionView]:
        """Sessions that have written, the latest first."""
        with self._context.store.read() as tx:
            return tx.all("session.page", SessionView, limit=limit)


def seen_alone(actor: Actor) -> Whoami:
    """The caller where there is no project to know it."""
    return Whoami(
        session=actor.session, name=actor.name, kind=actor.kind, trust=actor.trust, agent=actor.agent, person=actor.person,
        origins=[str(actor.session)], proven=is_proven(actor), why=list(actor.why),
    )  # fmt: skip
