"""Merges: the recognition of approved work that a person merged by hand (P12, A3)."""

from __future__ import annotations

import msgspec

from foureyes.app.context import Context, Work, permit
from foureyes.app.ledger import facts_of
from foureyes.app.policy import digest_of
from foureyes.app.ports import ListQuery, Tx
from foureyes.app.proof import Hash
from foureyes.app.views import ApprovalView, TaskRow
from foureyes.config import FILE, Layers, read_file, review_policy
from foureyes.core import events as e
from foureyes.core.attempt import DETACHED, KEEPS_APPROVAL, Attempt
from foureyes.core.ids import Sha, TaskId
from foureyes.core.session import Actor
from foureyes.core.task import Task
from foureyes.errors import ConfigError, Reason, Refused

MANY = 10_000


class MergeRow(msgspec.Struct, frozen=True):
    """What `fe merge` found out about an approved task."""

    task: str
    attempt: int
    merged: bool
    sha: str = ""
    message: str = ""


class Merges:
    """What reached the target branch."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def merge(self, actor: Actor) -> list[MergeRow]:
        """Close every approved task whose approved head a person has merged into the target branch.

        Work that was closed without an approval and merged all the same is taken off the unmerged list, on the record.
        """
        permit(actor, "merge")
        with self._context.store.read() as tx:
            target = self._context.project(tx).target
            refuse_foreign_target(self._context, tx, target)
            rows = tx.tasks(ListQuery(status="approved", limit=MANY), TaskRow) + tx.tasks(ListQuery(unmerged=True, limit=MANY), TaskRow)
            attempts = {row.id: facts_of(self._context, tx, TaskId(row.id)).attempt for row in rows}
        found = [self._look(task, attempt, target) for task, attempt in attempts.items() if attempt is not None]
        if any(row.merged for row in found):
            settings = {task: self._settings(attempt, target) for task, attempt in attempts.items() if attempt is not None}
            with self._context.writing(actor, "merge") as work:
                found = [self._merged(work, row, settings[row.task]) if row.merged else row for row in found]
        return found

    def _settings(self, attempt: Attempt, target: str) -> str:
        """P12, A4: the foureyes.toml of an attempt that changes it, if exactly that is on the target now and can be in force."""
        if not any(changed.path == FILE for changed in attempt.files):
            return ""
        text = self._context.repo.file_at(attempt.head, FILE)
        if text is None or text != self._context.repo.file_at(target, FILE):
            return ""
        try:
            review_policy(Layers(file=read_file(text)))
        except ConfigError:
            return ""
        return text

    def _accept(self, work: Work, task: Task, row: MergeRow, settings: str) -> MergeRow:
        """P12: what a person approved, that person accepted."""
        approvals = work.tx.all("attempt.active_approvals", ApprovalView, task=task.id)
        if not any(found.attempt == task.iteration and found.grade.startswith("human") for found in approvals):
            return row
        work.record(task.id, e.PolicyAccepted(digest=digest_of(settings), text=settings))
        return msgspec.structs.replace(row, message=f"{row.message}; its {FILE}, approved by a person, is in force now")

    def _merged(self, work: Work, row: MergeRow, settings: str) -> MergeRow:
        task = self._context.find(work.tx, row.task)
        if task.iteration != row.attempt:
            return row
        if task.status == "approved":
            work.record(task.id, e.TaskMerged(sha=Sha(row.sha)))
            if settings and digest_of(settings) != self._context.project(work.tx).accepted_digest:
                return self._accept(work, task, row, settings)
        elif task.status == "closed" and task.merge is None:
            reason = f"closed without an approval, and now on the target branch as {row.sha[:7]}"
            work.record(task.id, e.UnapprovedMergeSeen(sha=Sha(row.sha)))
            work.record(task.id, e.SecurityRecorded(kind="merged_unapproved", rule="C2", reason=reason))
        return row

    def _look(self, task: str, attempt: Attempt, target: str) -> MergeRow:
        """A3: the approved head itself, or a pure rebase of it, is on the target."""
        repo = self._context.repo
        sha = repo.merged_by(attempt.head, target)
        if sha is not None:
            return MergeRow(task, attempt.n, True, sha, f"merged into {target} as {sha[:7]}")
        head = repo.commit_of(attempt.ref) if attempt.ref != DETACHED else None
        if head is None or head == attempt.head:
            return MergeRow(task, attempt.n, False, "", f"approved head {attempt.head[:7]} is not on {target} yet")
        relation = repo.relation(base=attempt.base, head=attempt.head, new_head=head, target=target)
        if relation not in KEEPS_APPROVAL:
            return MergeRow(
                task, attempt.n, False, "", f"its branch moved to {head[:7]}, which is another change than the approved one (A3)"
            )
        sha = repo.merged_by(head, target)
        if sha is None:
            return MergeRow(task, attempt.n, False, "", f"{head[:7]} ({relation} of the approved head) is not on {target} yet")
        return MergeRow(task, attempt.n, True, sha, f"merged into {target} as {sha[:7]} ({relation} of the approved head)")


def refuse_foreign_target(context: Context, tx: Tx, target: str) -> None:
    """P12: a store merges only into a target whose foureyes.toml names its project and whose last anchor it holds."""
    text = context.repo.file_at(target, FILE)
    named = read_file(text).get("project.id", "") if text else ""
    if named != context.store.project:
        said = f"names project {named}" if named else "names no project" if text else "is missing"
        raise _foreign(f"{FILE} on {target} {said}; this store is of project {context.store.project}")
    anchor = context.repo.last_anchor(target)
    if anchor is not None and not _holds(tx, anchor):
        raise _foreign(f"the last anchor on {target} ({anchor[:20]}) is not in this store's journal: another store merges there")


def _foreign(message: str) -> Refused:
    return Refused("nothing was merged or closed.", reasons=(Reason("P12", message, "fe doctor"),), next_step="fe doctor")


def _holds(tx: Tx, anchor: str) -> bool:
    """J3: whether the journal has the row that an anchor `<row>:<hash>` names."""
    row, _, digest = anchor.partition(":")
    found = tx.one("journal.at", Hash, seq=int(row)) if row.isascii() and row.isdigit() and len(row) < 18 else None
    return found is not None and found.hash == digest
