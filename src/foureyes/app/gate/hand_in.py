"""A submission (A1): named steps, from what the caller wants to what is on record. The list `STEPS` is the map.

Git is asked before the one transaction that writes; if the task moved meanwhile, nothing is written.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from functools import cached_property

import msgspec

from foureyes.app.call.authors import authors_of_change
from foureyes.app.call.caller import refuse_other_task
from foureyes.app.call.context import Context, of_party
from foureyes.app.call.facts import facts_of, of_facts
from foureyes.app.call.refusals import refuse_from, refuse_task
from foureyes.app.call.rows import Token
from foureyes.app.call.stacks import inside_of
from foureyes.app.call.told_target import TargetOfHandIn, counted_against
from foureyes.app.cycles.opening import open_at_hand_in
from foureyes.app.findings import at_hand_in, inherited
from foureyes.app.findings.by_rule import decide_by_rule
from foureyes.app.findings.lookup import findings_of
from foureyes.app.gate import handed_in, own_work, stacking, work_place
from foureyes.app.gate.behind_links import marks_behind
from foureyes.app.gate.work_place import NOT_IN
from foureyes.app.ports import NamedQuery
from foureyes.app.tasks.escalation import escalate
from foureyes.app.views.attempt import SubmitOutcome
from foureyes.app.views.project import ProjectView
from foureyes.app.work.other_machines import clone_of
from foureyes.app.work.releasing import is_successor, take_over
from foureyes.app.work.sending import Over, with_sent
from foureyes.core.events.decision import AttemptSubmitted
from foureyes.core.events.loop import FindingsCleared, Placed
from foureyes.core.nouns.attempt import SIGNALS, Change, HandInSignal, Mark, Relation
from foureyes.core.nouns.finding import Finding
from foureyes.core.nouns.session import Actor, Party, is_one_origin
from foureyes.core.nouns.task import Task
from foureyes.core.rules import gate
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import is_under
from foureyes.core.rules.policy import ReviewPolicy
from foureyes.core.words.ids import SessionId, Sha, TaskId
from foureyes.core.words.refs import attempt_ref
from foureyes.core.words.text import clean_text
from foureyes.errors import BadInput, Reason
from foureyes.steps import fe, phrase


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """What the caller of a submission says."""

    task: str
    message: str = ""
    commit: str | None = None
    include: tuple[str, ...] = ()
    no_code: bool = False
    branch: str | None = None
    signal: str = "DONE"
    if_version: int | None = None
    apart: bool = False


class HandIn:
    """What is known of a submission so far: each step adds to it, and none changes what an earlier one added."""

    message: str
    facts: Facts
    me: Party
    project: ProjectView
    policy: ReviewPolicy
    tokens: list[SessionId]
    findings: list[Finding]
    answers: list[at_hand_in.AnswerRow]
    ref: str
    change: Change
    event: AttemptSubmitted
    places: tuple[Placed, ...]
    brought: inherited.FoundAgain
    followed: tuple[str, ...]
    branches: dict[TaskId, Sha]
    only_others = ""
    over: Over | None = None
    committed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()

    def __init__(self, context: Context, actor: Actor, wish: Wish, *, asks: bool = True) -> None:
        self.context = context
        self.actor = actor
        self.wish = wish
        self.asks = asks

    @cached_property
    def counted(self) -> TargetOfHandIn:
        """What the work is counted against (K4, Q6)."""
        return counted_against(self.context, self.task.start_target, asks=self.asks)

    @property
    def target(self) -> str:
        return self.counted.at

    @property
    def task(self) -> Task:
        """The task as it was when the submission began."""
        return self.facts.task


HandInStep = Callable[[HandIn], SubmitOutcome | None]
"""A step refuses, or adds to what is known; one that has an answer ends the submission."""


def hand_in(context: Context, actor: Actor, wish: Wish, *, sends: bool = True) -> SubmitOutcome:
    """Every step, one after the other; it asks the remote and `sends` to it, if the project has one (Q6)."""
    hand = HandIn(context, actor, wish, asks=sends)
    for step in STEPS:
        answer = step(hand)
        if answer is not None:
            return with_sent(context, answer) if sends and hand.policy.remote else answer
    raise AssertionError("the last step of a submission has an answer")


def refuse_signal(hand: HandIn) -> None:
    """S1, S2: with what a run may end that submits."""
    signal, task = hand.wish.signal, hand.wish.task
    if signal not in SIGNALS:
        why = "a failed run is never a submission (S2)" if signal == "FAILED" else f"there is no signal {signal!r}"
        step = (
            fe("unstart", task, "-m", phrase("why it failed")) if signal == "FAILED" else fe("submit", task, "--help")
        )
        raise BadInput(f"{why}; with a submission go {', '.join(SIGNALS)}.", next_step=step)


def clean_message(hand: HandIn) -> None:
    """Text of the caller that can be stored and shown."""
    hand.message = clean_text(hand.wish.message, "the message")


def _of_findings(task: TaskId, iteration: int) -> list[NamedQuery]:
    """What is asked about the findings that a submission answers, and about who may make one (`ahead`)."""
    return [
        ("session.tokens_of_task", {"task": task, "role": "implement"}),
        ("finding.of_task", {"task": task}),
        ("finding.answers_in", {"task": task, "iteration": iteration}),
    ]


def look_up(hand: HandIn) -> None:
    """Everything that the store knows about it, by one look; a task that moved since the caller saw it is refused
    (T6).
    """
    context = hand.context
    with context.store.read() as tx:
        task = context.find(tx, hand.wish.task)
        context.check_version(tx, task, hand.wish.if_version)
        tx.ahead(*of_party(hand.actor), *of_facts([task.id]), *_of_findings(task.id, task.iteration + 1))
        hand.facts, hand.project = facts_of(context, tx, task.id), context.project(tx)
        hand.me, hand.policy = context.party(tx, hand.actor), context.gate_policy(tx)
        rows = tx.all("session.tokens_of_task", Token, task=task.id, role="implement")
        hand.tokens = [SessionId(row.session) for row in rows]
        hand.findings = findings_of(tx, task.id)
        hand.answers = at_hand_in.answers_in(tx, task.id, task.iteration + 1)


def refuse_token_of_another_task(hand: HandIn) -> None:
    """I2: a token is good for one task."""
    refuse_other_task(hand.actor, hand.task.id)


def refuse_unclaimed(hand: HandIn) -> None:
    """T2: there is no way into review without a claim."""
    task = hand.task
    if task.status == "open":
        why = f"{task.id} was never started, so it would have no author"
        can_start = task.ready and hand.actor.kind == "agent" and hand.project.hold is None
        refuse_task(task.id, NOT_IN, Reason("T2", why, fe("start" if can_start else "show", task.id)))
    refuse_from(task, "submit")


def take_over_claim(hand: HandIn) -> None:
    """T2: the claim of a process that has ended passes to the next one of its program."""
    if not is_successor_here(hand):
        return
    with hand.context.writing(hand.actor, "submit") as work:
        taken = take_over(hand.context, work, hand.context.get(work.tx, hand.task.id))
    if taken:
        hand.wish = msgspec.structs.replace(hand.wish, if_version=None)
        look_up(hand)


def is_successor_here(hand: HandIn) -> bool:
    """T2: whether the caller may take the claim over."""
    with hand.context.store.read() as tx:
        return is_successor(hand.context, tx, hand.actor, hand.task)


def refuse_stranger(hand: HandIn) -> None:
    """A1: submit is the implementer's; a delegator, a service (the runner) or a person may do it for it."""
    actor, facts, task = hand.actor, hand.facts, hand.task
    assert task.implementer is not None
    owner = facts.party(task.implementer)
    if is_one_origin(hand.me, owner) or is_under(facts, owner, hand.me):
        return
    if actor.kind in ("human", "service") or actor.role == "implement" or is_successor_here(hand):
        return
    why = f"{facts.party_name(task.implementer)} has claimed {task.id}, so only it can submit"
    refuse_task(task.id, NOT_IN, Reason("A1", why, fe("show", task.id)))


def ask_git(hand: HandIn) -> None:
    """K4: what was done; what landed unapproved before is part of it again, so that nobody approves around it. What
    was merged for other tasks meanwhile is theirs.
    """
    task = hand.task
    covering = task.start_target if task.landed else None
    ask, target = hand.context.repo.change, hand.target
    start = work_place.beginning(hand)
    if start is None and (covering is not None or target == task.start_target):
        work_place.refuse_unknown_beginning(hand)
    change = ask(target=target, ref=hand.ref, since=start, covering=covering)
    if start is None and change.is_empty:
        work_place.refuse_unknown_beginning(hand)
    if change.landed and not hand.counted.is_told:  # on a target that nobody asked about: it is to be merged yet (Q6)
        change = ask(target=task.start_target or target, ref=hand.ref, since=None)
    if change.landed or covering is not None:
        with hand.context.store.read() as tx:
            others = own_work.after_others(tx, task.id, change)
        if others is not None:
            hand.only_others = others.only
            begins = others.begins
            change = ask(target=target, ref=hand.ref, since=begins, covering=covering and begins)
    hand.change = change


def refuse_foreign_commits(hand: HandIn) -> None:
    """L6: a commit that an answer names lies in what is submitted."""
    at_hand_in.refuse_foreign_commits(hand.answers, hand.task.id, hand.change)


def refuse_empty(hand: HandIn) -> None:
    """A5: an empty diff only as `--no-code`, and that only for an empty diff. Where nobody knows since when it is
    empty, or where the remote got commits meanwhile that no task brought, it says nothing: what the target has may be
    the work (K4, Q6).
    """
    task, change = hand.task.id, hand.change
    if change.is_empty and hand.task.start_target is None:
        refuse_task(task, NOT_IN, Reason("Q6", *work_place.perhaps_landed(hand)))
    if change.is_empty and not hand.wish.no_code:
        refuse_task(task, NOT_IN, Reason("A5", work_place.nothing_here(hand), work_place.maybe_there(hand)))
    if change.is_empty and (came := work_place.landed_unseen(hand)) is not None:
        refuse_task(task, NOT_IN, Reason("K4", *came))
    if hand.wish.no_code and not change.is_empty:
        why = f"--no-code, but {len(change.files)} files changed since {change.base[:7]}"
        refuse_task(task, NOT_IN, Reason("A5", why, fe("submit", task)))


def freeze(hand: HandIn) -> None:
    """A1: the attempt as it will be on record, with its authors and the pieces it is made of (A6)."""
    task, change, repo = hand.task, hand.change, hand.context.repo
    assert task.implementer is not None
    hand.event = AttemptSubmitted(
        n=task.iteration + 1,
        implementer=task.implementer,
        base=change.base,
        head=change.head,
        tree=change.tree,
        ref=change.ref,
        diff_id=change.diff_id,
        landed=change.landed,
        no_code=hand.wish.no_code,
        files=change.files,
        commits=change.commits,
        added=change.added,
        removed=change.removed,
        authors=authors_of_change(hand.facts, change, hand.tokens),
        message=hand.message,
        duration_seconds=_seconds_since(hand.context, task.started_at),
        relation=_relation(hand),
        signal=msgspec.convert(hand.wish.signal, HandInSignal),
        base_tree=change.base_tree,
        marks=(*change.marks, *_marks_behind(hand)),
        size=change.size,
        clone=clone_of(hand.context),
        pieces=() if change.is_empty else repo.pieces(change.base, change.head),
    )


def _marks_behind(hand: HandIn) -> tuple[Mark, ...]:
    """A4: what it changes under another name, by a link of the target or of its own."""
    paths = [path for file in hand.change.files for path in (file.path, file.old_path) if path]
    tip = hand.context.repo.commit_of(hand.target) or hand.change.base
    return marks_behind(hand.context, hand.policy, tip, hand.change.head, paths)


def _relation(hand: HandIn) -> Relation | None:
    """A3: what this attempt is to the last one."""
    last = hand.facts.attempt
    if last is None:
        return None
    return hand.context.repo.relation(base=last.base, head=last.head, new_head=hand.change.head, target=hand.target)


def _seconds_since(context: Context, moment: str | None) -> int:
    if moment is None:
        return 0
    return max(0, int((context.clock.now() - datetime.fromisoformat(moment)).total_seconds()))


def place_findings(hand: HandIn) -> None:
    """L4, A6: where the code of this task's findings is now, and which findings of others come along."""
    last = hand.facts.attempt
    hand.places = ()
    if hand.findings and last is not None:
        hand.places = at_hand_in.places_of(hand.context, hand.findings, hand.change, last)
    hand.followed = inherited.settled_copies(hand.context, hand.task.id, hand.findings, hand.change)
    hand.brought = inherited.found_again(hand.context, hand.event, hand.task.id)


def look_at_branches(hand: HandIn) -> None:
    """A7: what stands on the branches of tasks that submitted nothing yet."""
    hand.branches = stacking.branches_inside(hand.context, hand.task.id, hand.change)


def refuse_nothing_own(hand: HandIn) -> None:
    """A5: what another task submitted, with nothing besides, is that task's."""
    own_work.refuse_nothing_own(hand.context, hand.task.id, hand.event)


def _of_pieces(task: TaskId, event: AttemptSubmitted) -> list[NamedQuery]:
    """What is asked about the findings of an attempt, and about others that submitted parts of it (`along`)."""
    pieces = {"pieces": list(event.pieces), "task": task}
    about = {"task": task, "iteration": event.n}
    return [
        ("finding.of_task", {"task": task}),
        ("finding.answers_in", about),
        ("finding.shared_pieces", pieces),
        ("stack.shared", pieces),
    ]


def record(hand: HandIn) -> SubmitOutcome:
    """Everything in one transaction: the attempt, what becomes of findings, and what the gate makes of it (M)."""
    context, task = hand.context, hand.task.id
    with context.writing(hand.actor, "submit") as work:
        work.tx.along(("merge.sent", {}), *_of_pieces(task, hand.event), *stacking.of_attempts(task))
        context.check_version(work.tx, context.find(work.tx, task), hand.task.version)
        _keep_head(hand)
        at_hand_in.refuse_unanswered(work.tx, task, work.at, hand.followed)
        event = inherited.with_shared_authors(work.tx, hand.event, task)
        event = stacking.stacked(work.tx, task, event, hand.branches)
        work.record(task, event)
        work.tx.along(("task.get", {"id": task}), *_of_pieces(task, event), *of_facts([task]))
        stacking.raise_others(work, task, event)
        at_hand_in.carry(context, work, task, event, hand.places, event.implementer)
        if hand.followed:
            work.gate.record(task, FindingsCleared(iteration=event.n, roots=hand.followed, why="root"))
        inherited.inherit(context, work, task, event, hand.brought)
        inherited.come_back(context, work, task, event, hand.brought)
        made = decide_by_rule(context, work, task, gate.Tip(head=event.head, on_target=event.landed))
        open_at_hand_in(context, work, task)
        outlook = escalate(context, work, task).outlook if event.n > 1 else ""
        inside = inside_of(work.tx, [task]).get(task, ())
    return msgspec.structs.replace(handed_in.submitted(hand, event, made.status, made, inside), said=outlook)


def _keep_head(hand: HandIn) -> None:
    """A1: git never forgets what was submitted. Inside of the transaction, once it is known that this attempt is the
    next one: who is late, or has lost its lease, moves nobody's ref (J4).
    """
    hand.context.workshop.keep(attempt_ref(hand.task.id, hand.event.n), hand.event.head)


STEPS: tuple[HandInStep, ...] = (
    refuse_signal,
    clean_message,
    look_up,
    refuse_token_of_another_task,
    refuse_unclaimed,
    take_over_claim,
    refuse_stranger,
    work_place.find_branch,
    work_place.commit_or_refuse_uncommitted,
    ask_git,
    refuse_foreign_commits,
    handed_in.answer_the_same_again,
    refuse_empty,
    freeze,
    place_findings,
    look_at_branches,
    refuse_nothing_own,
    record,
)
