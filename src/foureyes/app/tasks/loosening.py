"""What loosens how a task is looked at (M6): where a person's key exists it is signed, and says with which key."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from foureyes.core.nouns.task import Task, clean_label, clean_word
from foureyes.core.words.folding import folded

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from foureyes.app.call.context import Context
    from foureyes.app.call.work import Work
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor

SIGNED_LENGTH = 200
"""So much of what is signed stands in the statement; of what is longer its digest does."""
NOT_SIGNED = "it was not signed, and where a person's key exists only a signed loosening counts (M6)"


def loosening(
    context: Context, actor: Actor, verb: str, what: str, loosens: Callable[[], bool], *, task: str = ""
) -> AbstractContextManager[Work]:
    """A transaction of a verb that may loosen; `loosens` says whether it does, `what` is what a person signs then."""
    if actor.kind != "human":
        return context.writing(actor, verb)
    from foureyes.app.call import signing
    from foureyes.core.words.digest import sha256

    reason = what if len(what) <= SIGNED_LENGTH else f"sha256:{sha256(what.encode()).hexdigest()}"
    return signing.loosening(context, actor, signing.Intent(verb=verb, task=task, reason=reason), loosens=loosens)


def notes_of(work: Work) -> tuple[str, ...]:
    """What somebody is told whose loosening does not count (M6)."""
    return (NOT_SIGNED,) if work.unsigned else ()


def putting_on_loosens(context: Context, actor: Actor, labels: Sequence[str]) -> bool:
    """Whether one of these labels lets anybody look less closely."""
    with context.store.read() as tx:
        return bool(_loosening_labels(context, tx, actor, labels))


def _loosening_labels(context: Context, tx: Tx, actor: Actor, labels: Sequence[str]) -> list[str]:
    from foureyes.core.rules.modes import loosest_mode

    policy = context.policy(tx, actor)
    return [label for label in labels if loosest_mode(policy, label) not in (None, "per-task")]


def planned_labels(context: Context, work: Work, task: Task) -> list[str]:
    """M7: the labels that loosen a review and came with the task, or were put on by the caller."""
    labels = _loosening_labels(context, work.tx, work.actor, task.labels)
    if not labels:
        return []
    from foureyes.app.call.controls import controls_of

    last = {folded(each.label): each for each in controls_of(work.tx, [task.id])[task.id] if each.label}
    puts = {label: last.get(folded(label)) for label in labels}
    return [label for label, put in puts.items() if put and (not put.late or put.session == work.actor.session)]


def taking_off_loosens(context: Context, actor: Actor, labels: Sequence[str]) -> bool:
    """Whether one of these labels asks for anything."""
    with context.store.read() as tx:
        return any(_speaks(context, tx, actor, label) for label in labels)


def _speaks(context: Context, tx: Tx, actor: Actor, label: str) -> bool:
    """Whether a label says anything about how a task is looked at."""
    from foureyes.core.rules.modes import label_mode
    from foureyes.core.rules.policy import rule_of

    return label_mode(label) is not None or rule_of(context.policy(tx, actor), label) is not None


def labels_to_put_on(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels as they are kept; one that looks like a mode and is none is refused (M2)."""
    kept = _each_once(labels, clean_label)
    if any(":" in label for label in kept):
        from foureyes.core.rules.modes import refuse_unknown_mode

        for label in kept:
            refuse_unknown_mode(label)
    return kept


def labels_to_take_off(labels: Sequence[str]) -> tuple[str, ...]:
    """Labels that may be there: also such as nobody can put on any more."""
    return _each_once(labels, lambda label: clean_word(label, "label"))


def _each_once(labels: Sequence[str], clean: Callable[[str], str]) -> tuple[str, ...]:
    """Labels as they are kept: each once, however it is written."""
    kept: dict[str, str] = {}
    for label in labels:
        kept.setdefault(folded(label), clean(label))
    return tuple(kept.values())


def spelled(task: Task, label: str) -> list[str]:
    """How a label is written on a task that has it."""
    wanted = folded(label)
    return [have for have in task.labels if folded(have) == wanted]


def is_new_word(
    context: Context, work: Work, task: Task, kind: Literal["label", "off", "minor"], label: str = ""
) -> bool:
    """M6: whether a person who says what is there already says something new: it was another's word, which may not
    count, or theirs without the key that they now sign with.
    """
    if work.actor.kind != "human" or (label and not _speaks(context, work.tx, work.actor, label)):
        return False
    from foureyes.app.call.controls import controls_of

    kinds, wanted = ("label", "off") if label else (kind,), folded(label)
    controls = [
        control
        for control in controls_of(work.tx, [task.id])[task.id]
        if control.kind in kinds and folded(control.label) == wanted
    ]
    if not controls or controls[-1].kind != kind:
        return False
    return controls[-1].session != work.actor.session or (bool(work.key) and not controls[-1].key)
