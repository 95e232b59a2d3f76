"""Projects the findings loop: reviews, findings, answers, rulings and escalations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from foureyes.adapters.store.connection import Engine, plain, sql
from foureyes.adapters.store.projections.counters import counted
from foureyes.adapters.store.projections.decision import insert_feedback
from foureyes.adapters.store.projections.steps import act, at, log
from foureyes.core.nouns.finding import AFTER_ANSWER, AFTER_RULING, Raised
from foureyes.errors import StaleState
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.adapters.store.journal import Row
    from foureyes.core import events as e


def review_submitted(db: Engine, row: Row, event: e.ReviewSubmitted) -> None:
    values: dict[str, object] = {name: getattr(event, name) for name in event.__struct_fields__}
    values |= {"seq": row.seq, "task": row.task, "session": row.session, "at": row.at}
    reviewer = values.pop("reviewer")
    db.run("review.insert", plain(values))
    if reviewer:
        names = ("cycle", "task", "session", "at", "seq")
        db.run("cycle.answered", plain({name: values[name] for name in names} | {"reviewer": reviewer}))
    act(db, row, "reviewed", attempt=event.attempt)
    db.run("task.touch", at(row))


def review_returned(db: Engine, row: Row, event: e.ReviewReturned) -> None:
    values = {
        "seq": row.seq,
        "task": row.task,
        "attempt": event.attempt,
        "session": row.session,
        "why": event.why,
        "at": row.at,
    }
    db.run("review.insert_return", plain(values))


def findings_raised(db: Engine, row: Row, event: e.FindingsRaised) -> None:
    for raised in event.findings:
        values: dict[str, object] = {name: getattr(raised, name) for name in raised.__struct_fields__}
        values |= {"task": row.task, "iteration": event.iteration, "blocking": raised.blocking}
        was = "" if raised.id == raised.root else _standing(db, raised.root)
        if raised.id == raised.root:
            more = {"kind": event.kind, "source": event.source, "by_check": event.by_check, "session": row.session}
            db.run("finding.insert", plain(values | more | {"seq": row.seq, "at": row.at}))
        else:
            db.run("finding.flag", plain(_only(values, "task")))
        _name(db, row, raised)
        kind = "raised" if raised.id == raised.root else "flagged"
        _move(db, row, raised.root, event.iteration, kind, raised.severity, was, raised.state, words=raised.id)
    if event.source in ("review", "person"):
        act(db, row, "requested_changes", attempt=event.iteration)
    db.run("task.touch", at(row))


def _only(values: dict[str, object], *without: str) -> dict[str, object]:
    return {name: value for name, value in values.items() if name not in without}


def _name(db: Engine, row: Row, raised: Raised) -> None:
    """Record the root of a finding's id, permanently. (L2)"""
    stem, _, number = raised.id.rpartition("-")
    db.run(
        "finding.insert_id",
        plain({"id": raised.id, "root": raised.root, "task": row.task, "stem": stem + "-", "n": int(number)}),
    )


def _standing(db: Engine, root: str) -> str:
    """Return the state of a finding. Raise StaleState if it does not exist."""
    _, rows = db.fetch(sql("finding.state"), {"root": root})
    if not rows:
        raise StaleState(f"there is no finding {root}.", next_step=fe("finding", "list"))
    return str(rows[0][0])


def _move(
    db: Engine,
    row: Row,
    root: str,
    iteration: int,
    kind: str,
    word: str,
    was: str,
    now: str,
    *,
    words: str = "",
    **more: object,
) -> None:
    _, rows = db.fetch(sql("finding.state"), {"root": root})
    values: dict[str, object] = {"ground": "", "commit_sha": "", "debt": ""} | more
    values |= {
        "seq": row.seq,
        "root": root,
        "task": row.task,
        "iteration": iteration,
        "kind": kind,
        "word": word,
        "was": was,
        "now": now,
    }
    db.run(
        "finding.insert_move",
        plain(values | {"words": words, "blocking": rows[0][1], "session": row.session, "at": row.at}),
    )


def findings_answered(db: Engine, row: Row, event: e.FindingsAnswered) -> None:
    for answer in event.answers:
        root, now = _root(db, answer.finding), AFTER_ANSWER[answer.action]
        was = _standing(db, root)
        values = {
            "root": root,
            "now": now,
            "word": answer.action,
            "iteration": event.iteration,
            "session": event.implementer,
        }
        db.run("finding.answer", plain(values))
        more: dict[str, object] = {"ground": answer.ground, "commit_sha": answer.commit, "debt": answer.debt}
        _move(db, row, root, event.iteration, "answered", answer.action, was, now, words=answer.text, **more)
        if answer.debt:
            db.run("finding.track", {"root": root, "follow_up": answer.debt})
    if not event.automatic:
        via = row.session if row.session != event.implementer else None
        act(db, row, "responded", session=event.implementer, attempt=event.iteration, via=via)
    db.run("task.touch", at(row))


def _root(db: Engine, name: str) -> str:
    _, rows = db.fetch(sql("finding.root_of"), {"id": name})
    if not rows:
        raise StaleState(f"there is no finding {name}.", next_step=fe("finding", "list"))
    return str(rows[0][0])


def finding_ruled(db: Engine, row: Row, event: e.FindingRuled) -> None:
    was, now = _standing(db, event.root), AFTER_RULING[event.ruling]
    db.run("finding.rule", plain({"root": event.root, "now": now, "word": event.ruling, "session": row.session}))
    _move(db, row, event.root, event.iteration, "ruled", event.ruling, was, now, words=event.reason)
    db.run("task.touch", at(row))


def ruling_taken_back(db: Engine, row: Row, event: e.RulingTakenBack) -> None:
    _, rows = db.fetch(sql("finding.move_of"), plain({"root": event.root, "seq": event.ruling}))
    was, now, word = (str(value) for value in rows[0])
    db.run("finding.undo_move", plain({"root": event.root, "ruling": event.ruling}))
    db.run("finding.unrule", {"root": event.root, "now": was, "word": word})
    _move(db, row, event.root, 0, "taken_back", word, now, was)
    db.run("task.touch", at(row))


def findings_cleared(db: Engine, row: Row, event: e.FindingsCleared) -> None:
    now = "obsolete" if event.why == "left" else "resolved"
    for root in event.roots:
        was = _standing(db, root)
        db.run("finding.clear", {"root": root, "now": now})
        _move(db, row, root, event.iteration, "cleared", event.why, was, now)
    db.run("task.touch", at(row))


def finding_waived(db: Engine, row: Row, event: e.FindingWaived) -> None:
    was = _standing(db, event.root)
    db.run("finding.waive", {"root": event.root, "until": event.until})
    _move(db, row, event.root, event.iteration, "waived", event.until, was, "waived", words=event.reason)
    log(db, row, "waiver", f"{event.root} is waived until {event.until}: {event.reason}")
    db.run("task.touch", at(row))


def finding_withdrawn(db: Engine, row: Row, event: e.FindingWithdrawn) -> None:
    was = _standing(db, event.root)
    db.run("finding.withdraw", {"root": event.root, "session": row.session})
    _move(db, row, event.root, event.iteration, "cleared", "withdrawn", was, "resolved", words=event.reason)
    log(db, row, "withdrawal", f"{event.root} is withdrawn: {event.reason}")
    db.run("task.touch", at(row))


def findings_placed(db: Engine, row: Row, event: e.FindingsPlaced) -> None:
    for place in event.places:
        db.run(
            "finding.place",
            plain({"root": place.root, "path": place.path, "line": place.line, "left_diff": place.left}),
        )
    db.run("task.touch", at(row))


def finding_tracked(db: Engine, row: Row, event: e.FindingTracked) -> None:
    db.run("finding.track", {"root": event.root, "follow_up": event.follow_up})
    db.run("task.touch", at(row))


def task_escalated(db: Engine, row: Row, event: e.TaskEscalated) -> None:
    _escalate(db, row, event, option="asked" if event.requested else "", into=(), why=event.why)


def lead_decided(db: Engine, row: Row, event: e.LeadDecided) -> None:
    db.run("run.unstick", {"task": row.task})
    _escalate(db, row, event, option=event.option, into=event.into, why=event.reason)
    if event.feedback:
        fresh = {"option": "fresh", "reset_to": event.reset_to} if event.reset_to else {}
        insert_feedback(db, row, "redo", event.iteration, event.feedback, source="lead", **fresh)


def _escalate(
    db: Engine, row: Row, event: e.TaskEscalated | e.LeadDecided, *, option: str, into: tuple[str, ...], why: str
) -> None:
    values = {
        "seq": row.seq,
        "task": row.task,
        "iteration": event.iteration,
        "tier": event.tier,
        "waiting_for": event.waiting_for,
    }
    db.run(
        "review.escalate",
        plain(values | {"lead_option": option, "why": why, "into_tasks": into, "session": row.session, "at": row.at}),
    )
    with counted(db, [row.task]):
        db.run("review.set_tier", at(row, tier=event.tier, waiting_for=event.waiting_for))
    log(db, row, "escalation", f"{f'lead: {option}' if option not in ('', 'asked') else f'tier {event.tier}'}: {why}")


PROJECTIONS: dict[str, Any] = {
    "ReviewSubmitted": review_submitted,
    "ReviewReturned": review_returned,
    "FindingsRaised": findings_raised,
    "FindingsAnswered": findings_answered,
    "FindingRuled": finding_ruled,
    "RulingTakenBack": ruling_taken_back,
    "FindingsCleared": findings_cleared,
    "FindingWaived": finding_waived,
    "FindingWithdrawn": finding_withdrawn,
    "FindingsPlaced": findings_placed,
    "FindingTracked": finding_tracked,
    "TaskEscalated": task_escalated,
    "LeadDecided": lead_decided,
}
