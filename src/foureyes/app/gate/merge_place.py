"""What a person says about where merges go on (Q6): in this clone, or from a target that was set back on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.call.addresses import MOVED, recorded, said_about
from foureyes.app.call.one_target import ACCEPT, HERE, MergeOf, lacking, merge_place_of, remote_of
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.gate.target_line import line_of
from foureyes.app.views.merge import MergesGoOn
from foureyes.core.events.gate import MergesPlaced, TargetSetBack
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.words.ids import Sha, TaskId
from foureyes.errors import BadInput, Conflict, Reason
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.core.nouns.session import Actor
    from foureyes.steps import Steps

HOW_FAR = 500
MERGE = fe("merge")


def merge_here(context: Context, actor: Actor, reason: str) -> MergesGoOn:
    """Q6: hand merging over to this clone; it has to have what was merged before."""
    _refuse_silent(reason, HERE)
    clone = context.outside.clone()
    with context.store.read() as tx:
        before, remote = merge_place_of(tx), remote_of(context, tx)
        told = lacking(context, tx, context.project(tx)) if not remote else None
    if remote:
        return MergesGoOn(message=f"any clone merges: the target is that of {remote}", changed=False, next=MERGE)
    if told is not None:
        refuse_verb("merges stay where they are.", Reason("Q6", told.text, told.next))
    if before.clone == clone:
        return MergesGoOn(message="merges are made in this clone already", changed=False, next=MERGE)
    with context.deciding(actor, "merges here", reason=reason) as work:
        from_where = f"before: {before.host or before.clone}" if before.clone else "it was not on record where"
        work.record(
            "",
            SecurityRecorded(kind="merges_moved", rule="Q6", reason=reason.strip(), detail=from_where),
            MergesPlaced(clone=clone),
        )
    return MergesGoOn(message="merges are made in this clone from now on", next=MERGE)


def accept_target(context: Context, actor: Actor, reason: str) -> MergesGoOn:
    """Q6: the target lacks merges on purpose; they go on from where it is."""
    _refuse_silent(reason, ACCEPT)
    line = line_of(context)
    tip = line.tip()
    with context.store.read() as tx:
        project, before = context.project(tx), merge_place_of(tx)
        told = lacking(context, tx, project, tip)
        merges = tx.all("merge.shas", MergeOf)
    if told is None:
        return MergesGoOn(message=f"{project.target} has the last merge on record", changed=False, next=MERGE)
    has = context.repo.reached(sorted({row.sha for row in merges}), tip)
    lost = tuple(TaskId(row.id) for row in merges if row.sha not in has)
    commits = [commit.sha for commit in context.repo.line(tip, HOW_FAR)]
    newest = next((sha for sha in commits if sha in {row.sha for row in merges}), Sha(""))
    with context.deciding(actor, "merges accept", reason=reason) as work:
        if merge_place_of(work.tx) != before:
            raise Conflict("something was merged meanwhile. Nothing was changed.", next_step=ACCEPT)
        work.record(
            "",
            SecurityRecorded(kind="target_set_back", rule="Q6", reason=reason.strip(), detail=told.text),
            TargetSetBack(tip=tip, newest=newest, lost=lost),
        )
    message = f"merges go on from {project.target} at {tip[:7]}"
    notes = tuple(f"{task} stays closed, and its merge is not on {project.target}" for task in lost)
    return MergesGoOn(message=message, notes=notes, next=MERGE)


def accept_address(context: Context, actor: Actor, reason: str) -> MergesGoOn:
    """Q6: the remote of this clone is where git says, from now on."""
    _refuse_silent(reason, MOVED)
    with context.store.read() as tx:
        remote = context.remote(tx)
        known = recorded(context, tx, remote.name) if remote is not None else None
    if remote is None:
        return MergesGoOn(message="the project has no remote", changed=False, next=MERGE)
    address = remote.address()
    if known is not None and known.digest == address.digest:
        return MergesGoOn(message=f"{remote.name} is at {address.shown}, as on record", changed=False, next=MERGE)
    before = f"before: {known.shown}" if known is not None else "it was not on record where it was"
    with context.deciding(actor, "merges address", reason=reason, how=address.shown) as work:
        detail = f"{remote.name}: {address.shown}; {before}"
        work.record(
            "",
            SecurityRecorded(kind="remote_moved", rule="Q6", reason=reason.strip(), detail=detail),
            said_about(context, remote.name, address),
        )
    return MergesGoOn(message=f"{remote.name} is at {address.shown} from now on", notes=(before,), next=MERGE)


def _refuse_silent(reason: str, step: Steps) -> None:
    if not reason.strip():
        raise BadInput("say why: it stays on record.", next_step=step)
