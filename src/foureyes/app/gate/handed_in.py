"""What a submission came to (A1): what its caller is told, and what the same work once more is (D4)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.gate import own_work
from foureyes.app.views.attempt import SubmitOutcome
from foureyes.app.work.sending import pushed_over
from foureyes.core.words.ids import seen_name
from foureyes.steps import Steps, fe

if TYPE_CHECKING:
    from foureyes.app.findings.by_rule import MadeByGate
    from foureyes.app.gate.hand_in import HandIn
    from foureyes.app.views.stack import InsideRow
    from foureyes.core.events.decision import AttemptSubmitted
    from foureyes.core.nouns.attempt import Attempt


def answer_the_same_again(hand: HandIn) -> SubmitOutcome | None:
    """A submission of what is in review already changes nothing; unless somebody else's commits are on its branch at the
    remote, where other machines look for it: then it is submitted once more (D4). So it is where it was counted from
    what the target turned out to lack (Q2).
    """
    last, change = hand.facts.attempt, hand.change
    if last is None or hand.task.status != "reviewing" or (last.head, last.ref) != (change.head, change.ref):
        return None
    if hand.policy.remote and hand.counted.is_told and not _is_on_it(hand, last):
        return None
    hand.over = pushed_over(hand.context, hand.task.id, last) if hand.asks else None
    if hand.over is not None:
        return None
    return submitted(hand, last, hand.task.status)


def _is_on_it(hand: HandIn, last: Attempt) -> bool:
    """Whether the target has the commit that an attempt was counted from."""
    tip = hand.context.repo.commit_of(hand.counted.at)
    return tip is not None and hand.context.repo.is_ancestor(last.base, tip)


def _repeated(hand: HandIn) -> tuple[int, int]:
    """L11: the attempt before, where this one is exactly its files again, and how many findings are said to be fixed
    by that. Nobody was asked to mend anything where somebody else moved the branch, or where it is counted again.
    """
    last = hand.facts.attempt
    if last is None or last.tree != hand.change.tree or last.no_code:
        return 0, 0
    if not hand.answers and (hand.over or last.base != hand.change.base):
        return 0, 0
    return last.n, sum(answer.word == "FIXED" for answer in hand.answers)


def _after(hand: HandIn, made: MadeByGate | None) -> Steps:
    """An agent goes on with the next task, and ends its session if it has a token. A person or a service starts no
    task (P2, I5): they run the required checks that have not run, or look at the task.
    """
    if made and hand.actor.role:
        return fe("session", "end")
    if hand.actor.kind == "agent":
        return fe("next")
    return fe("check", "run", hand.task.id) if made and made.unchecked else fe("show", hand.task.id)


def submitted(
    hand: HandIn,
    event: AttemptSubmitted | Attempt,
    status: str,
    made: MadeByGate | None = None,
    inside: tuple[InsideRow, ...] = (),
) -> SubmitOutcome:
    """What the caller is told about a submission; one that changed nothing decided nothing."""
    changed = made is not None
    repeats, fixed = _repeated(hand) if changed else (0, 0)
    return SubmitOutcome(
        task=hand.task.id,
        attempt=event.n,
        base=event.base,
        head=event.head,
        ref=event.ref,
        diff_id=event.diff_id,
        seen=seen_name(event.n, event.diff_id),
        status=status,
        files=len(event.files),
        added=event.added,
        removed=event.removed,
        commits=len(event.commits),
        landed=event.landed,
        no_code=event.no_code,
        changed=changed,
        signal=event.signal,
        mode=made.mode if made else "",
        reasons=made.reasons if made else (),
        inside=inside,
        person=made.person if made else "",
        unchecked=made.unchecked if made else (),
        not_green=made.not_green if made else (),
        first=made.first if made else (),
        committed=hand.committed,
        new=hand.new,
        notes=_about_the_branch(hand) if changed else (),
        repeats=repeats,
        fixed_by_nothing=fixed,
        next=_after(hand, made),
    )


def _about_the_branch(hand: HandIn) -> tuple[str, ...]:
    notes = own_work.about_the_branch(hand.context, hand.task, hand.facts.attempt, hand.ref)
    return (*([hand.over.words] if hand.over else []), *_uncounted(hand), *notes)


def _uncounted(hand: HandIn) -> tuple[str, ...]:
    """Q6: that nobody could say what it is counted from, and what counts it again."""
    why, target = hand.counted.unsaid, hand.project.target
    at = f"it is counted from {target} as this clone has it ({hand.change.base[:7]})"
    again = f"fe submit {hand.task.id} once more, when that can be asked, counts it again if need be"
    return (f"{at}: {why}; {again}",) if why else ()
