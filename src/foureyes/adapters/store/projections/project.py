"""Projects the project itself: its policy, settings and templates, and the recorded exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foureyes.adapters.store.connection import Engine, plain
from foureyes.adapters.store.projections.steps import log, note

if TYPE_CHECKING:
    from foureyes.adapters.store.journal import Row
    from foureyes.core import events as e


def project_created(db: Engine, row: Row, event: e.ProjectCreated) -> None:
    db.run(
        "project.insert",
        {"id": row.project, "name": event.name, "prefix": event.prefix, "target": event.target, "at": row.at},
    )
    if event.place:
        note(db, row, "store:place", event.place)
    if event.tip:
        note(db, row, "target:tip", event.tip)
    if event.adopted:
        note(db, row, "store:tip", event.adopted)


def store_placed(db: Engine, row: Row, event: e.StorePlaced) -> None:
    note(db, row, "store:place", event.place)
    if event.tip:
        note(db, row, "store:tip", event.tip)


def project_held(db: Engine, row: Row, event: e.ProjectHeld) -> None:
    db.run("project.set_hold", {"hold": event.reason})


def project_resumed(db: Engine, row: Row, event: e.ProjectResumed) -> None:
    db.run("project.set_hold", {"hold": None})


def policy_accepted(db: Engine, row: Row, event: e.PolicyAccepted) -> None:
    db.run("project.accept", {"digest": event.digest, "text": event.text})
    if event.target:
        db.run("project.retarget", {"target": event.target})
        db.run("project.unset_setting", {"name": "merge:newest"})  # that was on the branch before
    if event.tip:
        note(db, row, "target:tip", event.tip)
    if event.commit:
        note(db, row, "target:accepted", event.commit)
    else:
        db.run("project.unset_setting", {"name": "target:accepted"})


def template_accepted(db: Engine, row: Row, event: e.TemplateAccepted) -> None:
    db.run("project.accept_template", {"name": event.name, "digest": event.digest, "seq": row.seq})


def setting_changed(db: Engine, row: Row, event: e.SettingChanged) -> None:
    if event.new is None:
        db.run("project.unset_setting", {"name": event.name})
    else:
        db.run("project.set_setting", {"name": event.name, "value": event.new, "session": row.session, "at": row.at})


def security_recorded(db: Engine, row: Row, event: e.SecurityRecorded) -> None:
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
    "StorePlaced": store_placed,
    "ProjectHeld": project_held,
    "ProjectResumed": project_resumed,
    "PolicyAccepted": policy_accepted,
    "TemplateAccepted": template_accepted,
    "SettingChanged": setting_changed,
    "SecurityRecorded": security_recorded,
}
