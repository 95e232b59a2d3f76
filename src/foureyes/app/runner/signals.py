"""Signals and messages of agents (S1, S3), sent with a token or by the session that holds the claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import msgspec

from foureyes.app.context import IdRow, Work, refuse_task
from foureyes.core import events as e
from foureyes.core.nouns.run import EMIT_TYPES, SIGNALS, EmitType, Run, Signal
from foureyes.core.nouns.session import Actor, is_oneself
from foureyes.core.words.text import clean_text, is_blank, visible
from foureyes.errors import BadInput, NotFound, Reason
from foureyes.steps import NO_STEP, Steps, blank, fe, phrase

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.views.task_list import Outcome
    from foureyes.core.nouns.task import Task


T = TypeVar("T", Signal, EmitType)
SUMMARY_LIMIT = 500
PAYLOAD_LIMIT = 20_000


def signal_named(text: str) -> Signal:
    """Return the typed signal, or raise BadInput. (S1)"""
    return _named(text.strip().upper().replace("-", "_"), SIGNALS, "signal", text, fe("agent", "signal", "DONE"))


def type_named(text: str) -> EmitType:
    """Return the typed event type, or raise BadInput. (S3)"""
    typed = text.strip().lower().replace("-", "_")
    return _named(typed, EMIT_TYPES, "event", text, fe("agent", "emit", "progress", phrase("what happened")))


def _named(word: str, known: tuple[T, ...], what: str, text: str, step: Steps) -> T:
    found = next((each for each in known if each == word), None)
    if found is None:
        raise BadInput(f"there is no {what} {visible(text)[:40]!r}. Allowed: {', '.join(known)}.", next_step=step)
    return found


def clean_summary(text: str) -> str:
    """Return the cleaned summary of an event, or raise BadInput if it is blank or too long. (S3)"""
    summary = " ".join(clean_text(text, "the summary").split())
    again = fe("agent", "emit", blank("TYPE"), phrase("what happened"))
    if is_blank(summary):
        raise BadInput("an event needs a summary of what happened.", next_step=again)
    if len(summary) > SUMMARY_LIMIT:
        raise BadInput(
            f"the summary has {len(summary):,} characters, but at most {SUMMARY_LIMIT} are allowed.", next_step=again
        )
    return summary


def clean_payload(text: str) -> str:
    """Return the payload of an event: a JSON object as text, or an empty string. (S3)"""
    text = text.strip()
    if not text:
        return ""
    if len(text) > PAYLOAD_LIMIT:
        raise BadInput(f"the payload has {len(text):,} characters; at most {PAYLOAD_LIMIT:,} are allowed.")
    try:
        payload = msgspec.json.decode(text.encode())
    except (msgspec.DecodeError, UnicodeEncodeError):
        raise BadInput("the payload is not JSON.") from None
    if not isinstance(payload, dict):
        raise BadInput("the payload must be a JSON object.")
    return clean_text(text, "the payload")


def speaks_of(context: Context, work: Work, task: str) -> tuple[Task, Run | None]:
    """Return the task that the caller reports about, and its run if it has a token. Without one, the caller must be the
    session that works on the task.
    """
    actor = work.actor
    row = context.find(work.tx, task or actor.task or _only_claim(work))
    if actor.role is not None:
        return row, work.tx.one("run.of_session", Run, session=actor.session)
    me = context.party(work.tx, actor)
    if row.implementer is None or row.status != "in_progress" or not _is_its_own(context, work, row, me.session):
        why = f"only the session that works on {row.id} can report progress on it"
        refuse_task(row.id, "was not changed", Reason("S1", why, fe("log", row.id, phrase("what you know"))))
    return row, None


def _is_its_own(context: Context, work: Work, task: Task, session: str) -> bool:
    if task.implementer == session:
        return True
    from foureyes.app.facts import facts_of

    assert task.implementer is not None
    facts = facts_of(context, work.tx, task.id)
    return is_oneself(context.party(work.tx, work.actor), facts.party(task.implementer))


def _only_claim(work: Work) -> str:
    """Return the only task that this session has started, or raise NotFound."""
    tasks = [claim.id for claim in work.tx.all("session.claims", IdRow, session=work.actor.session)]
    if len(tasks) == 1:
        return tasks[0]
    several = f"you work on several tasks: {', '.join(tasks)}." if tasks else "you have started no task."
    raise NotFound(several, next_step=fe("list", "--mine"))


def speak(context: Context, work: Work, run: Run, event: e.Emitted | e.Signalled) -> None:
    """Record an event from a run's stream in the name of its session. (S1, S3)"""
    if run.session is None or run.state != "running":
        return
    speaker = Actor(
        session=run.session,
        kind="agent",
        trust="issued",
        agent=run.profile,
        host=run.host,
        role=run.role,
        task=run.task,
    )
    Work(work.tx, speaker, work.at, context.store.project).record(run.task, event)


def after_signal(signal: Signal, task: str, *, by_run: bool) -> Steps:
    """Return the next step for a caller without a runner. (S1, S2)"""
    if by_run:
        return NO_STEP
    if signal in ("DONE", "NEEDS_REVIEW"):
        return fe("submit", task, *(() if signal == "DONE" else ("--signal", signal)))
    if signal == "BLOCKED":
        return fe("block", task, "-m", phrase("what it waits for"))
    return fe("unstart", task, "-m", phrase("why it failed"))


def with_eyes(context: Context, actor: Actor, done: Outcome, type_: EmitType, summary: str) -> Outcome:
    """Open a peer review for an agent without a runner, if its event opens one and the policy wants peers. (V1)"""
    from foureyes.core.cycle.decision import trigger_of

    trigger = trigger_of(type_)
    if trigger is None:
        return done
    from foureyes.app.review.cycles import triggered

    note = triggered(context, actor, done.task, trigger, summary)
    return msgspec.structs.replace(done, notes=(*done.notes, note)) if note else done
