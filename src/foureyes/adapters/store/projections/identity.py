"""Projects sessions, origins, tokens and keys. Shared evidence joins origins permanently. (I3)"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foureyes.adapters.store.connection import Engine, plain, sql
from foureyes.adapters.store.projections.steps import at

if TYPE_CHECKING:
    from foureyes.adapters.store.journal import Row
    from foureyes.core import events as e


def session_started(db: Engine, row: Row, event: e.SessionStarted) -> None:
    origin = _join(db, event.evidence, row.session)
    values: dict[str, object] = {
        name: getattr(event, name)
        for name in ("kind", "trust", "name", "agent", "person", "host", "model", "vendor", "proven", "parent")
    }
    db.run(
        "session.insert",
        plain(
            values
            | {
                "id": row.session,
                "origin": origin,
                "at": row.at,
                "seq": row.seq,
                "base": event.base,
                "process": event.process,
            }
        ),
    )


def token_issued(db: Engine, row: Row, event: e.TokenIssued) -> None:
    """Insert a session of its own for the token, with the issuing session as its parent."""
    values: dict[str, object] = {name: getattr(event, name) for name in ("name", "agent", "host", "model", "vendor")}
    fixed = {
        "kind": "agent",
        "trust": "issued",
        "person": "",
        "proven": True,
        "parent": row.session,
        "base": None,
        "process": "",
    }
    origin = _join(db, event.evidence, event.session)
    db.run(
        "session.insert", plain(values | fixed | {"id": event.session, "origin": origin, "at": row.at, "seq": row.seq})
    )
    token = {"hash": event.hash, "session": event.session, "task": row.task, "role": event.role, "bound": event.bound}
    db.run("session.insert_token", plain(token | {"seq": row.seq}))


def session_ended(db: Engine, row: Row, event: e.SessionEnded) -> None:
    db.run("session.end", {"id": event.session, "seq": row.seq})
    db.run("session.end_tokens", {"id": event.session, "seq": row.seq})


def session_evidence_added(db: Engine, row: Row, event: e.SessionEvidenceAdded) -> None:
    _, rows = db.fetch(sql("session.get"), {"id": row.session})
    origin = str(rows[0][9])
    _join(db, event.evidence, origin)


def _join(db: Engine, evidence: tuple[str, ...], own: str) -> str:
    """Join all origins that share a piece of this evidence, and return the joined one. It keeps the name that is first
    in order.
    """
    _, rows = db.fetch(sql("session.origins"), plain({"evidence": evidence}))
    known = {str(row[0]) for row in rows}
    _, existing = db.fetch(sql("session.get"), {"id": own})
    origins = known | ({own} if existing or not known else set())
    keep = min(origins)
    for drop in sorted(origins - {keep}):
        db.run("session.join_evidence", {"keep": keep, "drop": drop})
        db.run("session.join_sessions", {"keep": keep, "drop": drop})
    for piece in evidence:
        db.run("session.set_evidence", {"evidence": piece, "origin": keep})
    return keep


def key_added(db: Engine, row: Row, event: e.KeyAdded) -> None:
    values: dict[str, object] = {"fingerprint": event.fingerprint, "public": event.public, "person": event.person}
    db.run("record.insert_key", plain(values | {"session": row.session, "seq": row.seq, "at": row.at}))


def key_retired(db: Engine, row: Row, event: e.KeyRetired) -> None:
    db.run("record.retire_key", {"fingerprint": event.fingerprint, "why": event.reason, "at": row.at})


def decision_signed(db: Engine, row: Row, event: e.DecisionSigned) -> None:
    values: dict[str, object] = {"fingerprint": event.key, "statement": event.statement, "signature": event.signature}
    db.run(
        "record.insert_signature",
        plain(values | {"seq": row.seq, "task": row.task, "session": row.session, "at": row.at}),
    )


def attribution_cleared(db: Engine, row: Row, event: e.AttributionCleared) -> None:
    values: dict[str, object] = {"task": row.task, "session": event.session, "attempt": event.attempt, "seq": row.seq}
    db.run("attempt.clear", plain(values))
    db.run("task.touch", at(row))


PROJECTIONS: dict[str, Any] = {
    "SessionStarted": session_started,
    "TokenIssued": token_issued,
    "SessionEnded": session_ended,
    "SessionEvidenceAdded": session_evidence_added,
    "KeyAdded": key_added,
    "KeyRetired": key_retired,
    "DecisionSigned": decision_signed,
    "AttributionCleared": attribution_cleared,
}
