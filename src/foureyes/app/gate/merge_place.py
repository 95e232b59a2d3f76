"""What a person says about where merges go on (Q6): in this clone, or from a target that was set back on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from foureyes.app.call.addresses import moved_to, recorded, said_about
from foureyes.app.call.known_commits import MergeOf, given_up
from foureyes.app.call.merge_stops import HERE, NEAR_TIP, UNTOLD, accepting, elsewhere, lacking
from foureyes.app.call.recorded_target import MergePlace, merge_place_of, remote_of
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.call.unbrought import built_on
from foureyes.app.gate.target_line import line_of
from foureyes.app.views.merge import MergesGoOn
from foureyes.core.events.gate import MergesPlaced, TargetSetBack
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.words.ids import Sha, TaskId
from foureyes.core.words.text import visible
from foureyes.errors import BadInput, Conflict, Reason
from foureyes.steps import fe, unshallow

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.core.nouns.session import Actor
    from foureyes.steps import Steps

MERGE = fe("merge")
EVERY_COMMIT = 10**9
LOST_SHOWN = 3
"""So many tasks are named whose merges would be lost."""


def merge_here(context: Context, actor: Actor, reason: str) -> MergesGoOn:
    """Q6: hand merging over to this clone; it has to have what was merged before."""
    _refuse_silent(reason, HERE)
    clone = context.outside.clone()
    with context.store.read() as tx:
        before, remote = merge_place_of(tx), remote_of(context, tx)
        stop = lacking(context, tx, context.project(tx)) if not remote else None
    if remote:
        return MergesGoOn(message=f"any clone merges: the target is that of {remote}", changed=False, next=MERGE)
    if stop is not None:
        refuse_verb("merges stay where they are.", Reason("Q6", stop.text, stop.next))
    if before.clone == clone:
        return MergesGoOn(message="merges are made in this clone already", changed=False, next=MERGE)
    with context.deciding(actor, "target here", reason=reason) as work:
        from_where = f"before: {before.host or before.clone}" if before.clone else "it was not on record where"
        work.record(
            "",
            SecurityRecorded(kind="merges_moved", rule="Q6", reason=reason.strip(), detail=from_where),
            MergesPlaced(clone=clone),
        )
    return MergesGoOn(message="merges are made in this clone from now on", next=MERGE)


def accept_target(context: Context, actor: Actor, reason: str, seen: str) -> MergesGoOn:
    """Q6: the target lacks merges on purpose; they go on from where it is, and where a person `seen` it. From now on it
    has to have that: whoever takes off more is noticed again. Where another clone merges, it may be lost with
    them: then this one merges from now on, so that there is one target.
    """
    tip = line_of(context).tip()
    _refuse_silent(reason, accepting(tip))
    with context.store.read() as tx:
        project, before = context.project(tx), merge_place_of(tx)
        stop, other = lacking(context, tx, project, tip), elsewhere(context, tx)
    if stop is None:
        return MergesGoOn(message=f"{project.target} has the last merge on record", changed=False, next=MERGE)
    _refuse_cut_short(context, before, tip)
    lost = _lost(context, before, tip)
    stray = built_on(context, tip)
    besides = [*([other.text] if other else []), *([stray.text] if stray else [])]
    if seen != tip:
        where = f"{project.target} is at {tip}" + (f", and {visible(seen)} was seen" if seen else "")
        gone = f"{len(lost)} of the merges on record would be lost: {', '.join(lost[:LOST_SHOWN])}"
        _refuse_unseen([where, stop.text, gone + (" …" if len(lost) > LOST_SHOWN else ""), *besides], accepting(tip))
    with context.deciding(actor, "target accept", reason=reason, how=tip) as work:
        if merge_place_of(work.tx) != before:
            raise Conflict("something was merged meanwhile. Nothing was changed.", next_step=MERGE)
        work.record(
            "",
            SecurityRecorded(kind="target_set_back", rule="Q6", reason=reason.strip(), detail=stop.text),
            TargetSetBack(tip=tip, newest=tip, lost=lost),
            *([MergesPlaced(clone=context.outside.clone())] if other else []),
        )
    notes = [f"{task} stays closed, and its merge is not on {project.target}" for task in lost]
    message = f"merges go on from {project.target} at {tip[:7]}" + (" in this clone" if other else "")
    return MergesGoOn(message=message, notes=(*notes, *besides), next=MERGE)


def _refuse_cut_short(context: Context, before: MergePlace, tip: Sha) -> None:
    """Q6: where the history of this clone ends somewhere, nobody can say here what the target lacks."""
    if context.repo.commit_of(before.newest) is None and context.repo.history(tip, NEAR_TIP).lacks:
        why = f"the history of this clone ends before the last merge on record: {UNTOLD}"
        refuse_verb("nothing was accepted.", Reason("Q6", why, unshallow()))


def _lost(context: Context, before: MergePlace, tip: Sha) -> tuple[TaskId, ...]:
    """Tasks whose merges the target lacks: what is not in this clone is not on it. Not those that were given up before
    and never came back to it.
    """
    with context.store.read() as tx:
        merges, gone = tx.all("merge.shas", MergeOf), given_up(tx)
    has = _behind(context, tip)
    had = _behind(context, Sha(before.newest)) if context.repo.commit_of(before.newest) else set[Sha]()
    lacks = [row for row in merges if row.sha not in has]
    return tuple(TaskId(row.id) for row in lacks if row.sha in had or row.id not in gone)


def _behind(context: Context, tip: Sha) -> set[Sha]:
    """All that a commit has, followed by hash: a graft or a replaced commit would else hide what is lost."""
    return {commit.sha for commit in context.repo.history(tip, EVERY_COMMIT).commits}


def accept_address(context: Context, actor: Actor, reason: str, seen: str) -> MergesGoOn:
    """Q6: the remote of this clone is where git says, from now on, if a person has `seen` that address."""
    with context.store.read() as tx:
        remote = context.remote(tx)
        known = recorded(context, tx, remote.name) if remote is not None else None
    if remote is None:
        return MergesGoOn(message="the project has no remote", changed=False, next=MERGE)
    address = remote.address()
    _refuse_silent(reason, moved_to(address.shown))
    if known is not None and known.digest == address.digest:
        return MergesGoOn(message=f"{remote.name} is at {address.shown}, as on record", changed=False, next=MERGE)
    before = f"before: {known.shown}" if known is not None else "it was not on record where it was"
    if seen != address.shown:
        where = f"{remote.name} is at {address.shown}" + (f", and {visible(seen)} was seen" if seen else "")
        _refuse_unseen([where, before], moved_to(address.shown))
    with context.deciding(actor, "target address", reason=reason, how=address.shown) as work:
        detail = f"{remote.name}: {address.shown}; {before}"
        work.record(
            "",
            SecurityRecorded(kind="remote_moved", rule="Q6", reason=reason.strip(), detail=detail),
            said_about(context, remote.name, address),
        )
    return MergesGoOn(message=f"{remote.name} is at {address.shown} from now on", notes=(before,), next=MERGE)


def _refuse_unseen(lines: list[str], step: Steps) -> NoReturn:
    """Q6: what others can move while a person types is accepted as it was shown, or not at all."""
    reasons = tuple(Reason("Q6", line, step) for line in lines)
    raise BadInput(
        "nothing was accepted, because it was not confirmed that you saw this.", reasons=reasons, next_step=step
    )


def _refuse_silent(reason: str, step: Steps) -> None:
    if not reason.strip():
        raise BadInput("say why: it stays on record.", next_step=step)
