"""Prompts: what an agent is told about a task, from the journal. The engine words the escalation. (F4, E5)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from foureyes.app.context import Context
from foureyes.app.cycles.decisions import clarified_of
from foureyes.app.facts import facts_of
from foureyes.app.findings.raising import findings_of_task
from foureyes.app.ports import Tx
from foureyes.app.project.project_settings import accepted, path_of
from foureyes.app.results.finding import AnswerView
from foureyes.app.results.review import ApprovalView, FeedbackView, decisions_in
from foureyes.app.results.task import HandoffView
from foureyes.app.target import noted_target
from foureyes.app.tasks.escalation import loop_state_of
from foureyes.core.documents.prompt import PURPOSES, BriefedCheck, Briefing, PromptPurpose, compose
from foureyes.core.documents.shapes import ClarifiedPoint
from foureyes.core.loop.reviews import Review
from foureyes.core.loop.rounds import LEAD_OPTIONS, LoopState, Round
from foureyes.core.nouns.attempt import Attempt, ChangedFile
from foureyes.core.nouns.check import CheckState
from foureyes.core.nouns.decision import Feedback, section
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.check_states import check_states
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.policy import digest_of
from foureyes.core.words.refs import own_name
from foureyes.core.words.text import visible
from foureyes.errors import BadInput
from foureyes.steps import fe

# ---- Prompts ----

SHOWN_FAILURES = 50


class Prompt(msgspec.Struct, frozen=True):
    """A prompt for an agent, and notes about it for people."""

    text: str
    note: str = ""


class PromptFiles(msgspec.Struct, frozen=True, kw_only=True):
    """The contents of a reviewing run's checkout: an attempt or an early review (`attempt` is then 0), the extra
    folder, and the request to answer (V2).
    """

    attempt: int
    diff_id: str
    base: str
    head: str
    files: tuple[ChangedFile, ...]
    review_folder: str
    clarified: tuple[ClarifiedPoint, ...] = ()
    request: str = ""


class Prompts:
    """Composes prompts."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def text(self, actor: Actor, task: str, purpose: str) -> str:
        """Return the prompt for a purpose. The project may have its own template, which counts as last accepted by a
        person on the target branch. (F4)
        """
        return self.make(actor, task, purpose).text

    def make(self, actor: Actor, task: str, purpose: str) -> Prompt:
        """Return the prompt with notes about its template."""
        return self._make(actor, task, purpose, {})

    def _make(self, actor: Actor, task: str, purpose: str, known: Mapping[str, Any]) -> Prompt:
        chosen = _purpose(purpose)
        with self._context.store.read() as tx:
            row = self._context.find(tx, task)
            facts = facts_of(self._context, tx, row.id)
            briefing = self._briefing(tx, actor, facts, chosen)
            briefing = replace(briefing, **known)
            project, known = self._context.project(tx), accepted(tx)
            target, at = project.target, noted_target(self._context, tx, project)
        own = None
        for place in dict.fromkeys((target, at)):  # this clone, or the remote, may be behind (Q6)
            own = self._context.repo.file_at(place, path_of(chosen))
            if own is not None and known.get(chosen) == digest_of(own):
                return Prompt(compose(chosen, briefing, own))
        note = (
            f"{path_of(chosen)} on {target} was not accepted, so it is not used. A person runs: fe config accept"
            if own is not None
            else ""
        )
        return Prompt(compose(chosen, briefing, self._context.outside.template(chosen)), note)

    def _briefing(self, tx: Tx, actor: Actor, facts: Facts, purpose: PromptPurpose) -> Briefing:
        task, attempt = facts.task, facts.attempt
        policy = self._context.policy(tx, actor)
        now = loop_state_of(self._context, tx, task)
        handoff = tx.one("record.latest_handoff", HandoffView, task=task.id)
        reviews = tx.all("review.of_task", Review, task=task.id)
        return Briefing(
            task=task.id,
            title=task.title,
            description=task.description,
            acceptance=task.acceptance,
            type=task.type,
            labels=tuple(task.labels),
            iteration=task.iteration + (task.status in ("open", "in_progress")),
            attempt=attempt.n if attempt else 0,
            diff_id=attempt.diff_id if attempt else "",
            base=attempt.base if attempt else "",
            head=attempt.head if attempt else "",
            branch=attempt.ref.removeprefix("refs/heads/") if attempt else own_name(task.id),
            files=tuple(attempt.files) if attempt else (),
            checks=tuple(map(_checked, check_states(facts, policy))),
            feedback=section(history_of(tx, task.id), asks=purpose in ("implement", "respond")),
            findings=tuple(finding.at_time(self._context.now()) for finding in findings_of_task(tx, task.id)),
            answers={
                row.root: (row.word, row.words, row.ground)
                for row in tx.all("finding.answers", AnswerView, task=task.id)
            },
            loop=now.outlook,
            rounds=table(now),
            handoff=_handoff(handoff),
            max_words=policy.max_words,
            focus=policy.focus,
            concerns=tuple(
                f"{facts.party_name(row.session)}: {row.summary}" for row in reviews if _is_about(row, attempt)
            ),
            clarified=clarified_of(tx, task.id, attempt=attempt.n) if attempt else (),
            options=tuple(f'fe lead {option} {task.id} -m "why"' for option in LEAD_OPTIONS),
            at=self._context.now(),
        )


def prompt_with_files(context: Context, actor: Actor, task: str, purpose: str, files_of: PromptFiles) -> str:
    """Return the prompt for a run that reviews what is in its checkout. (F4, V2)"""
    return Prompts(context)._make(actor, task, purpose, msgspec.structs.asdict(files_of)).text


def prompt_about(context: Context, actor: Actor, task: str, points: Sequence[str]) -> str:
    """Return the prompt to clarify these points. (R2)"""
    return Prompts(context)._make(actor, task, "clarify", {"concerns": tuple(points)}).text


def _checked(state: CheckState) -> BriefedCheck:
    failing = tuple(state.result.failing[:SHOWN_FAILURES]) if state.result else ()
    return BriefedCheck(name=state.rule.name, outcome=state.word, summary=state.summary, failing=failing)


def _is_about(review: Review, attempt: Attempt | None) -> bool:
    """Return True for a concern about the current change."""
    return review.effective != "approved" and attempt is not None and review.diff_id == attempt.diff_id


def table(now: LoopState) -> tuple[str, ...]:
    """Return the rounds as lines. (L12)"""
    return tuple(_line(round_) for round_ in now.rounds)


def _line(round_: Round) -> str:
    fixed = f"fixed {round_.fixed}" if round_.had or round_.n > 1 else "fixed –"
    again = ", the same files again" if round_.same_tree else ", counted again" if round_.goes_on else ""
    open_ = "" if round_.closed else ", in review"
    counts = f"found {round_.raised}, {fixed}, {round_.no_progress} without progress"
    return f"iteration {round_.n} ({round_.tier}): {counts}{again}{open_}"


def _handoff(handoff: HandoffView | None) -> tuple[str, ...]:
    if handoff is None:
        return ()
    parts = {
        "done": handoff.done,
        "remaining": handoff.remaining,
        "decisions": handoff.decisions,
        "uncertain": handoff.uncertain,
    }
    return tuple(f"{name}: {line}" for name, lines in parts.items() for line in lines)


def _purpose(text: str) -> PromptPurpose:
    chosen = next((purpose for purpose in PURPOSES if purpose == text), None)
    if chosen is None:
        raise BadInput(
            f"there is no prompt {visible(text)[:40]!r}. Prompts: {', '.join(PURPOSES)}.",
            next_step=fe("show", "--help"),
        )
    return chosen


# ---- The decisions about a task, as prompts tell them ----


def history_of(tx: Tx, task: str) -> list[Feedback]:
    """Return every decision about a task, oldest first. (F2)"""
    return decisions_in(
        tx.all("attempt.feedback", FeedbackView, task=task), tx.all("attempt.approvals", ApprovalView, task=task)
    )
