"""The target for merges (Q6), and work that arrived there otherwise: recognized (A3), recorded, and its configuration
accepted (P12).
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.context import Context, Work
from foureyes.app.facts import attempts_of, facts_of
from foureyes.app.git_ports import Moved, RefUpdate
from foureyes.app.ports import Tx
from foureyes.app.project.accepted_config import ACCEPT, is_missing, named_in, unaccepted
from foureyes.app.project.project_settings import accept as accept_templates
from foureyes.app.project.project_settings import of_attempt, path_of
from foureyes.app.results.attempt import MergeRow
from foureyes.app.results.project import News
from foureyes.app.results.review import ApprovalView
from foureyes.app.results.task_list import ListQuery, TaskRow
from foureyes.app.stacked_tasks import passed_by
from foureyes.app.target import branch_here, found_elsewhere, lost_anchor, newest_after, sent_for
from foureyes.app.target_merges import ahead_here, lacking
from foureyes.app.target_merges import elsewhere as merged_elsewhere
from foureyes.config import FILE
from foureyes.config.effective_policy import review_policy
from foureyes.config.layers import Layers
from foureyes.config.parser import read_file
from foureyes.core.events.decision import TaskMerged, UnapprovedMergeSeen
from foureyes.core.events.project import PolicyAccepted, SecurityRecorded
from foureyes.core.nouns.attempt import KEEPS_APPROVAL, TAKEN_ALONG, Attempt
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.task import Task
from foureyes.core.rules import gate
from foureyes.core.rules.approval_validity import WaitingApproval, why_void
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.four_eyes import GLASS
from foureyes.core.rules.policy import digest_of
from foureyes.core.rules.stacks import status_words, unmerged, waits_for
from foureyes.core.words.ids import SessionId, Sha, TaskId
from foureyes.core.words.refs import DETACHED, FENCE, spare_ref
from foureyes.core.words.store_place import why_not_kept
from foureyes.errors import ConfigError, GitProblem, Reason, Refused, RemoteProblem
from foureyes.steps import Steps, by_person, fe, shell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foureyes.app.git_ports import Pushed, Remote


# ---- Landing (A3) ----

MANY = 10_000
DOCTOR = fe("doctor")
LOST = "that commit does not contain the approved change. To send it back: fe redo"
OTHER_CONTENT = "its merge commit does not match the result of merging the approved change into the target"


def recognise(
    context: Context, actor: Actor, line: TargetLine, heads: Mapping[str, Sha], only: Container[str] | None = None
) -> list[MergeRow]:
    """Close every approved task whose approved head is on the target, merged by hand or just before a crash. (Q4)

    Work that was closed without an approval and merged anyway is recorded and leaves the unmerged list. If the target
    has the commit in its history but not its content, the row is `stuck` (Q2). `only` restricts the tasks.
    """
    with context.store.read() as tx:
        tasks = [
            *tx.tasks(ListQuery(status="approved", limit=MANY), TaskRow),
            *tx.tasks(ListQuery(unmerged=True, limit=MANY), TaskRow),
        ]
        attempts = attempts_of(tx, [task.id for task in tasks if only is None or task.id in only])
    examined = [_examined(context, task, attempts[task], line) for task in _perhaps(context, attempts, line.at, heads)]
    rows = [_unless_lost(context, attempts[row.task], row) for row in examined if row is not None]
    landed, lost = ([row for row in rows if (row.outcome == "stuck") is is_lost] for is_lost in (False, True))
    if landed:
        other = {row.task for row in landed if not _is_as_approved(context, attempts[row.task], row)}
        settings = {row.task: settings_of(context, attempts[row.task], line.at) for row in landed}
        with context.writing(actor, "merge") as work:
            landed = [_record_landed(context, work, row, settings[row.task], other=row.task in other) for row in landed]
    return [*landed, *lost]


def _unless_lost(context: Context, attempt: Attempt, row: MergeRow) -> MergeRow:
    with context.store.read() as tx:
        task, sent = context.find(tx, row.task), sent_for(tx, row.task)
    if task.status != "approved" or row.sha == sent or holds_change(context, attempt, Sha(row.sha)):
        return row
    return msgspec.structs.replace(row, outcome="stuck", sha="", message=f"{row.message}, but {LOST} {row.task} (Q2)")


def _perhaps(context: Context, attempts: Mapping[str, Attempt], target: str, branches: Mapping[str, Sha]) -> list[str]:
    """Return the tasks whose head or current branch is on the target. One git call for all."""
    if not attempts:
        return []
    places = {task: {attempt.head, branches.get(attempt.ref, attempt.head)} for task, attempt in attempts.items()}
    reached = context.repo.reached(sorted(set().union(*places.values())), target)
    return [task for task, commits in places.items() if commits & reached]


def settings_of(context: Context, attempt: Attempt, ref: str) -> str:
    """Return the foureyes.toml that an attempt changes, if `ref` has exactly that text and it is valid. (A4, P12)

    Only a change of the accepted file counts: whoever approved it was shown the change and not the rest of the file.
    """
    if not any(changed.path == FILE and not changed.old_path for changed in attempt.files):
        return ""  # of a renamed file the approver was not shown the text
    text, before = context.repo.file_at(attempt.head, FILE), context.repo.file_at(attempt.base, FILE)
    if text is None or text != context.repo.file_at(ref, FILE):
        return ""
    with context.store.read() as tx:
        accepted = context.project(tx).accepted_digest
    if before is not None and digest_of(before) != accepted:
        return ""
    try:
        layers = Layers(file=read_file(text))
        review_policy(layers)
    except ConfigError:
        return ""
    return "" if why_not_kept(str(layers.file.get("store.url", ""))) else text


def accept(context: Context, work: Work, task: Task, settings: str, merge: Sha) -> str:
    """Accept the settings and templates of a merge that a person approved. Return a message about it. (P12)"""
    approvals = work.tx.all("attempt.active_approvals", ApprovalView, task=task.id)
    if not any(row.attempt == task.iteration and row.basis == "person" for row in approvals):
        return ""
    names = [path_of(name) for name in accept_templates(work, task.id, of_attempt(context, work, task.id))]
    if settings and digest_of(settings) != context.project(work.tx).accepted_digest:
        work.record(task.id, PolicyAccepted(digest=digest_of(settings), text=settings, commit=merge))
        names.append(FILE)
    return (
        f"its {', '.join(names)}, approved by a person, {'is' if len(names) == 1 else 'are'} in force now"
        if names
        else ""
    )


def _is_as_approved(context: Context, attempt: Attempt, row: MergeRow) -> bool:
    """Return True if a merge by hand equals the merge that the gate would have made. (Q2)"""
    try:
        return context.workshop.is_merge_of(Sha(row.sha), base=attempt.base, head=attempt.head)
    except GitProblem:
        return False


def _record_landed(context: Context, work: Work, row: MergeRow, settings: str, *, other: bool) -> MergeRow:
    task = context.find(work.tx, row.task)
    gatekeeper = work.gate
    if task.iteration != row.attempt:
        return row
    if task.status == "approved":
        if row.sha != sent_for(gatekeeper.tx, task.id):  # the gate checked its own push before (Q6)
            _note_what_no_longer_held(context, gatekeeper, task, other=other)
        note = accept(context, gatekeeper, task, settings, Sha(row.sha))
        event = TaskMerged(
            sha=Sha(row.sha),
            via=work.actor.session,
            newest=newest_after(context, work.tx, Sha(row.sha)),
            clone=context.outside.clone(),
        )
        gatekeeper.record(task.id, event)
        return msgspec.structs.replace(row, message=f"{row.message}; {note}") if note else row
    if task.status == "closed" and task.merge is None:
        reason = f"it was closed without an approval, but its work is on the target branch as {row.sha[:7]}"
        gatekeeper.record(task.id, UnapprovedMergeSeen(sha=Sha(row.sha)))
        gatekeeper.record(task.id, SecurityRecorded(kind="merged_unapproved", rule="C2", reason=reason))
    return row


def note_unapproved(gatekeeper: Work, task: Task, made: Sha) -> str:
    """Record that a merge arrived at the remote after its approval had ended. Return a message about it. (Q4)"""
    why = f"it was pushed to the target as {made[:7]} while approved, but was {task.status} when the push arrived"
    gatekeeper.record(task.id, SecurityRecorded(kind="merged_unapproved", rule="Q4", reason=why))
    return f"{why}. This was recorded (Q4)"


def _note_what_no_longer_held(context: Context, gatekeeper: Work, task: Task, *, other: bool) -> None:
    """Audit a merge by hand that the gate would have refused: the approval was no longer valid, a person held the task,
    or the content differs. (P8)
    """
    facts, policy = facts_of(context, gatekeeper.tx, task.id), context.policy(gatekeeper.tx, gatekeeper.actor)
    given = waiting_approval_of(gatekeeper.tx, task.id)
    if given is None or facts.attempt is None:
        return
    _note_what_came_along(gatekeeper, facts)
    against = [*why_void(facts, policy, given, gate.Tip(head=facts.attempt.head)), *gate.holds(facts)]
    waits = waits_for(facts, given.passed)
    against += [Reason("A7", f"{task}, whose work is inside, is not merged") for task in waits]
    against += [Reason("Q2", OTHER_CONTENT)] if other else []
    if against:
        reasons = ", and ".join(f"{reason.message} ({reason.rule})" for reason in against)
        event = SecurityRecorded(
            kind="merged_by_hand", rule=against[0].rule, reason=f"it is on the target branch although {reasons}"
        )
        gatekeeper.record(task.id, event)


def _note_what_came_along(gatekeeper: Work, facts: Facts) -> None:
    """Record the work of unmerged tasks that a merge by hand brought along. (A7, C2)"""
    for lower in unmerged(facts):
        if lower.inside.how in TAKEN_ALONG:
            reason = f"it came to the target branch with {facts.task.id}, which was merged by hand, although it is "
            event = SecurityRecorded(
                kind="merged_unapproved", rule="A7", reason=reason + status_words(lower.task, lower.inside)
            )
            gatekeeper.record(lower.task.id, event)


def waiting_approval_of(tx: Tx, task: TaskId) -> WaitingApproval | None:
    """Return the approval that counts: the latest active one."""
    rows = [row for row in tx.all("attempt.active_approvals", ApprovalView, task=task) if not row.recorded]
    if not rows:
        return None
    row = rows[-1]
    passed = passed_by(tx, [row.seq] if row.exception == GLASS else ()).get(row.seq, ())
    who, gone = SessionId(row.session), tuple(row.gone)
    return WaitingApproval(row.seq, who, row.attempt, row.rule, row.exception, row.reason, gone, row.grade, passed)


def _examined(context: Context, task: str, attempt: Attempt, line: TargetLine) -> MergeRow | None:
    """Like _look(), but return None on a git problem. The task's own merge reports the problem, and other tasks are not
    affected. (Q1)
    """
    try:
        return _examine(context, task, attempt, line)
    except GitProblem:
        return None


def _examine(context: Context, task: str, attempt: Attempt, line: TargetLine) -> MergeRow | None:
    """Return a row if the approved head, or a pure rebase of it, is on the target. (A3)"""
    repo, name, target = context.repo, line.name, line.at
    sha = repo.merged_by(attempt.head, target)
    if sha is not None:
        return MergeRow(task=task, attempt=attempt.n, outcome="found", sha=sha, message=f"on {name} as {sha[:7]}")
    head = repo.commit_of(attempt.ref) if attempt.ref != DETACHED else None
    if head is None or head == attempt.head:
        return None
    relation = repo.relation(base=attempt.base, head=attempt.head, new_head=head, target=target)
    sha = repo.merged_by(head, target) if relation in KEEPS_APPROVAL else None
    if sha is None:
        return None
    message = f"on {name} as {sha[:7]} ({relation} of the approved head)"
    return MergeRow(task=task, attempt=attempt.n, outcome="found", sha=sha, message=message)


def refuse_foreign_target(context: Context, tx: Tx, line: TargetLine) -> None:
    """Refuse a target of another project, or one with an anchor that this store lacks. (P12)"""
    target = line.name
    text = context.repo.file_at(line.at, FILE)
    is_gone = text is None and line.remote is None and is_missing(context, target)
    if is_gone and (gone := unaccepted(context, context.project(tx))):
        raise _foreign(gone.text, gone.next)
    named = read_file(text).get("project.id", "") if text else ""
    if named != context.store.project:
        problem = f"names project {named}" if named else "names no project" if text else "is missing"
        raise _foreign(f"{FILE} on {target} {problem}, but this store belongs to project {context.store.project}")
    if (wanted := named_in(text).target) not in ("", target):
        raise _foreign(
            f"{FILE} on {target} names {wanted} as the target branch. Merging waits until a person accepts that", ACCEPT
        )
    project = context.project(tx)
    if elsewhere := found_elsewhere(context, project):
        raise _foreign(elsewhere)
    if stop := merged_elsewhere(context, tx) or lacking(context, tx, project, line.seen):
        raise _foreign(stop.text, stop.next, rule="Q6")
    anchor = lost_anchor(context, tx, project, ref=line.at)
    if anchor:
        raise _foreign(
            f"the last anchor on {target} ({anchor[:20]}) is not in this store's journal, so another store also merges there"
        )


def _foreign(message: str, step: Steps = DOCTOR, *, rule: str = "P12") -> Refused:
    return Refused("nothing was merged or closed.", reasons=(Reason(rule, message, step),), next_step=step)


# ---- The target as merges see it (Q6) ----

BRANCH = "refs/heads/"


class TargetLine:
    """The target branch `name`. It keeps the remote's answer itself, because anyone who can write to the repository can
    change the tracking refs.
    """

    def __init__(self, context: Context, name: str, remote: Remote | None) -> None:
        self._context, self.name, self.remote = context, name, remote
        self.branch = f"{BRANCH}{name}"
        self._tips: dict[str, Sha] = {}

    @property
    def at(self) -> str:
        """The name by which to read the target in git: the commit in the remote's last answer, or the local branch."""
        return self._tips[self.branch] if self.remote else self.name

    @property
    def seen(self) -> Sha | None:
        """The target in the remote's last answer."""
        return self._tips.get(self.branch)

    def tip(self, *also: str) -> Sha:
        """Return the target's current commit. If there is a remote, fetch it from there with the refs in `also`."""
        if self.remote is None:
            tip = branch_here(self._context, self.name)
            if tip is None:
                step = shell("git", "branch", self.name)
                raise GitProblem(f"the target branch {self.name} has no commit", next_step=step)
            return tip
        tips = self.remote.fetch([self.branch, FENCE, *also])
        if self.branch not in tips:
            step = by_person(shell("git", "push", self.remote.name, self.name))
            why = f"{self.remote.name} has no branch {self.name}"
            raise Refused("nothing was merged or closed.", reasons=(Reason("Q6", why, step),), next_step=step)
        self._tips = tips
        return tips[self.branch]

    def push(self, commit: Sha, *, onto: Sha, also: Sequence[tuple[str, Sha]]) -> Pushed | Moved:
        """Push a merge with its other refs, all or none, and only if the target is still at `onto`."""
        assert self.remote is not None
        updates = [RefUpdate(self.branch, commit, onto), RefUpdate(FENCE, commit, self._tips.get(FENCE))]
        answer = self.remote.push([*updates, *filter(None, (self._kept(ref, new) for ref, new in also))])
        if not isinstance(answer, Moved):
            self._tips[self.branch] = commit
        return answer

    def _kept(self, ref: str, new: Sha) -> RefUpdate | None:
        """Return the update that stores an attempt at the remote, None if it is there. Another commit is never
        overwritten.
        """
        at, spare = self._tips.get(ref), spare_ref(ref, new)
        if new in (at, self._tips.get(spare)):
            return None
        return RefUpdate(ref, new) if at is None else RefUpdate(spare, new, self._tips.get(spare))

    def shut_out(self, onto: Sha) -> bool:
        """Move the fence, so that no earlier push can succeed any more. Return False if one has succeeded."""
        assert self.remote is not None
        workshop, old = self._context.workshop, self._tips.get(FENCE)
        tree = workshop.tree_of(onto)
        assert tree is not None
        words = f"Whoever began a merge before this does not finish it\n\n{self._context.ids.number():032x}\n"
        made = workshop.commit(tree=tree, parents=[onto], message=words)
        return not isinstance(self.remote.push([RefUpdate(FENCE, made, old)]), Moved)

    def follow(self) -> News | None:
        """Move the local target branch to the remote's target. If it has commits of its own, leave it and report that.
        (Q5)
        """
        if self.remote is None:
            return None
        there, here = self.seen, branch_here(self._context, self.name)
        if here is None or there is None or here == there:
            return None
        if ahead := ahead_here(self._context, self.remote.name, self.name, there):
            return News(ahead.text, ahead.next)
        self._context.workshop.move(self.branch, new=there, old=here)
        return None


def line_of(context: Context) -> TargetLine:
    """Return the project's target. Does not use the network."""
    with context.store.read() as tx:
        return TargetLine(context, context.project(tx).target, context.remote(tx))


def holds_change(context: Context, attempt: Attempt, commit: Sha) -> bool:
    """Return True if a commit of the target contains the approved change, so that merging again would change nothing.
    It may contain more (see `is_merge_of`). (Q2)
    """
    workshop = context.workshop
    try:
        if workshop.is_merge_of(commit, base=attempt.base, head=attempt.head):
            return True
        made = workshop.merge(base=attempt.base, tip=commit, head=attempt.head).tree
        return made is not None and made == workshop.tree_of(commit)
    except GitProblem:
        return False


def what_to_allow(problem: RemoteProblem, line: TargetLine) -> str:
    """Return the permission that a merge needs at the remote. It is shown before the remote's message, which may be
    cut. (Q6)
    """
    assert line.remote is not None
    needs = f"allow the account that runs fe merge to push {line.name} and refs/foureyes/* to {line.remote.name}"
    return f"{needs}; {problem.message}"
