"""What is written down and never decided by: logs, handoffs, security events, settings, the project itself."""

from __future__ import annotations

from typing import Any

from foureyes.adapters.store.engine import Engine, plain
from foureyes.adapters.store.journal import Row
from foureyes.core import events as e
from foureyes.core.events.project import (
    PolicyAccepted,
    ProjectCreated,
    ProjectHeld,
    ProjectResumed,
    SecurityRecorded,
    SettingChanged,
    TemplateAccepted,
)
from foureyes.core.events.task import HandedOff, Logged


def project_created(db: Engine, row: Row, event: ProjectCreated) -> None:
    db.run(
        "project.insert",
        {"id": row.project, "name": event.name, "prefix": event.prefix, "target": event.target, "at": row.at},
    )


def project_held(db: Engine, row: Row, event: ProjectHeld) -> None:
    db.run("project.set_hold", {"hold": event.reason})


def project_resumed(db: Engine, row: Row, event: ProjectResumed) -> None:
    db.run("project.set_hold", {"hold": None})


def policy_accepted(db: Engine, row: Row, event: PolicyAccepted) -> None:
    db.run("project.accept", {"digest": event.digest, "text": event.text})


def template_accepted(db: Engine, row: Row, event: TemplateAccepted) -> None:
    db.run("project.accept_template", {"name": event.name, "digest": event.digest, "seq": row.seq})


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


def setting_changed(db: Engine, row: Row, event: SettingChanged) -> None:
    if event.new is None:
        db.run("project.unset_setting", {"name": event.name})
    else:
        db.run("project.set_setting", {"name": event.name, "value": event.new, "session": row.session, "at": row.at})


def logged(db: Engine, row: Row, event: Logged) -> None:
    log(db, row, event.type, event.text)


def log(db: Engine, row: Row, kind: str, text: str) -> None:
    """A line in a task's log."""
    values: dict[str, object] = {
        "seq": row.seq,
        "task": row.task,
        "session": row.session,
        "type": kind,
        "text": text,
        "at": row.at,
    }
    db.run("record.insert_log", plain(values))


def handed_off(db: Engine, row: Row, event: HandedOff) -> None:
    values: dict[str, object] = {name: getattr(event, name) for name in ("done", "remaining", "decisions", "uncertain")}
    db.run(
        "record.insert_handoff",
        plain(values | {"seq": row.seq, "task": row.task, "session": row.session, "at": row.at}),
    )


def security_recorded(db: Engine, row: Row, event: SecurityRecorded) -> None:
    values: dict[str, object] = {name: getattr(event, name) for name in ("kind", "rule", "reason", "detail")}
    db.run(
        "record.insert_security",
        plain(values | {"seq": row.seq, "task": row.task, "session": row.session, "at": row.at}),
    )
    if row.task:
        log(
            db,
            row,
            "security",
            f"{event.kind} ({event.rule}): {event.reason}" + (f" [{event.detail}]" if event.detail else ""),
        )


PROJECTIONS: dict[str, Any] = {
    "ProjectCreated": project_created,
    "ProjectHeld": project_held,
    "ProjectResumed": project_resumed,
    "PolicyAccepted": policy_accepted,
    "TemplateAccepted": template_accepted,
    "KeyAdded": key_added,
    "KeyRetired": key_retired,
    "DecisionSigned": decision_signed,
    "SettingChanged": setting_changed,
    "Logged": logged,
    "HandedOff": handed_off,
    "SecurityRecorded": security_recorded,
}
