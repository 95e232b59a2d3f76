"""Worktrees (K1): a checkout of its own for each task, on a branch of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

from foureyes.app.call.attempts import attempt_of, attempts_of
from foureyes.app.call.caller import permit
from foureyes.app.call.context import OF_PROJECT, Context
from foureyes.app.call.facts import facts_of
from foureyes.app.call.outcome import claim_by
from foureyes.app.call.refusals import refuse_verb
from foureyes.app.call.told_target import ToldTarget, told_target
from foureyes.app.views.work import Dropped, PrunedRow, WorktreeRow, WorktreeView
from foureyes.app.work.branches import begin_again
from foureyes.app.work.furnishing import furnish
from foureyes.app.work.other_machines import Handed, begin_at, bring, catch_up, is_elsewhere, is_unsaid
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.session import Actor, is_one_origin
from foureyes.core.nouns.task import Task
from foureyes.core.rules.involvement import is_under
from foureyes.core.words.fence import some
from foureyes.core.words.ids import SessionId, Sha, TaskId
from foureyes.core.words.lifecycle import IMPLEMENTATION
from foureyes.core.words.refs import DETACHED, OWN_BRANCHES, own_branch
from foureyes.errors import GitProblem, LostClaim, Reason, RemoteProblem
from foureyes.steps import blank, shell

if TYPE_CHECKING:
    from foureyes.app.ports import Tx

NAMES_SHOWN = 5
"""How many names a note has."""


class Worktrees:
    """Made with a claim, found again on redo, removed after the merge."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def open(self, actor: Actor, task: str) -> WorktreeView:
        """The worktree of a task that the caller has started; its commits name task and session (A1)."""
        permit(actor, "start")
        with self._context.store.read() as tx:
            row = self._context.find(tx, task)
            self._refuse_stranger(tx, actor, row)
        if row.status != "in_progress" or row.implementer is None:
            reason = Reason(
                "K1",
                f"{row.id} is {row.status}: a worktree comes with the claim",
                claim_by(actor, row.id, "--worktree"),
            )
            refuse_verb(f"there is no worktree for {row.id}.", reason, task=row.id)
        session = row.implementer if actor.kind in ("human", "service") else actor.session
        return make_worktree(self._context, row.id, session)

    def listed(self) -> list[WorktreeRow]:
        """Every worktree of a task, of closed tasks too. Starts no git: there may be hundreds."""
        places = self._context.workshop.worktrees()
        with self._context.store.read() as tx:
            tasks = {row.id: row for row in tx.all("task.some", Task, ids=sorted(places))} if places else {}
        return [
            WorktreeRow(
                task=name,
                title=task.title if task else "",
                status=_standing(task),
                path=path,
                over=task is not None and task.status == "closed",
                state=self._context.workshop.worktree_state(name),
            )
            for name, path in places.items()
            for task in (tasks.get(TaskId(name)),)
        ]

    def prune(self, actor: Actor, *, only_try: bool = False) -> list[PrunedRow]:
        """Remove the worktrees of closed tasks, merged or not, in which nothing is lost: what is not committed keeps
        one, and so does what git ignores and nothing makes again. Branches stay. `only_try`: say what would go.
        """
        permit(actor, "worktree --prune")
        places = self._context.workshop.worktrees()
        with self._context.store.read() as tx:
            tasks = tx.all("task.some", Task, ids=sorted(places)) if places else []
        rows = []
        for task in tasks:
            if task.status == "closed":
                dropped = self._dropped(task.id, only_try=only_try)
                rows.append(PrunedRow(task=task.id, path=places[task.id], stays=dropped.stays, gone=dropped.gone))
        return rows

    def _dropped(self, task: TaskId, *, only_try: bool) -> Dropped:
        try:
            return self._context.workshop.drop_worktree(task, only_try=only_try)
        except GitProblem as problem:
            return Dropped(problem.message)

    def _refuse_stranger(self, tx: Tx, actor: Actor, task: Task) -> None:
        """A1: whose commits carry the trailer is who works there: the claim's session, or a child of it."""
        if task.implementer is None or actor.kind == "human":
            return
        facts = facts_of(self._context, tx, task.id)
        me, owner = self._context.party(tx, actor), facts.party(task.implementer)
        if not (
            is_one_origin(me, owner)
            or is_under(facts, me, owner)
            or (actor.role == "implement" and actor.task == task.id)
        ):
            who = facts.party_name(task.implementer)
            held = f"{task.id} was started by {who} at {task.started_at}."
            raise LostClaim(held, next_step=claim_by(actor), task=task.id)


def _standing(task: Task | None) -> str:
    """How the task of a worktree stands."""
    if task is None:
        return "no task"
    return f"closed ({task.resolution})" if task.status == "closed" and task.resolution else task.status


def is_behind(context: Context, task: TaskId) -> bool:
    """Q6: whether a worktree of this task would begin at a target that lacks merges, or nobody here can say where that
    is; nobody is asked.
    """
    is_new = context.repo.commit_of(branch_of(context, task)) is None
    return is_new and (bool(catch_up(context, asks=False)) or is_unsaid(context))


def make_worktree(
    context: Context, task: TaskId, session: SessionId, *, asks: bool = True, heard: Sha | None = None
) -> WorktreeView:
    """The worktree of a task, made or found again, for a session that has it or is about to start it. It `asks` the
    remote for the target, unless somebody did (`heard`).
    """
    return worktree_and_target(context, task, session, asks=asks, heard=heard)[0]


def worktree_and_target(
    context: Context, task: TaskId, session: SessionId, *, asks: bool = True, heard: Sha | None = None
) -> tuple[WorktreeView, Sha | None]:
    """The same, and where the target is; None where nobody can say."""
    ref = branch_of(context, task)
    here = context.repo.commit_of(ref)
    there, behind = begin_at(context, asks=asks, heard=heard) if here is None else (_told(context, heard, asks), "")
    if there is None and here is None:
        with context.store.read() as tx:
            target = context.project(tx).target
        raise GitProblem(f"the target branch {target} has no commit yet", next_step=shell("git", "branch", target))
    base = _made_elsewhere(context, task, ref) or there
    left = _set_aside(context, task, ref)
    begin_again(context, task)
    if problem := planted(context, task, ref, base, lambda: told_target(context, asks=asks, heard=heard)):
        raise problem
    begins = base or here
    assert begins is not None
    path = context.workshop.add_worktree(task, branch=ref, base=begins, session=str(session))
    unknown = _of_nobody(context, task, ref, begins) if here is None and asks else ""
    notes = (*filter(None, (behind, left, unknown)), *furnish(context, task))
    return WorktreeView(task=task, path=path, branch=ref.removeprefix("refs/heads/"), notes=notes), there


def _told(context: Context, heard: Sha | None, asks: bool) -> Sha | None:
    """The target for work that has begun: what is on record will do; before the first merge the remote is asked."""
    return told_target(context, asks=False, heard=heard).at or told_target(context, asks=asks).at


def _made_elsewhere(context: Context, task: TaskId, ref: str) -> Sha | None:
    """K1: where work goes on that was submitted on another machine, and whose branch is not here: at the attempt, or at
    what the redo wants.
    """
    with context.store.read() as tx:
        attempt = attempt_of(tx, task)
    if attempt is None or attempt.ref != ref or not is_elsewhere(context, attempt.clone):
        return None
    if context.repo.commit_of(ref) is not None:
        return None
    from foureyes.app.views.review import FeedbackView

    bring(context, task)
    with context.store.read() as tx:
        rows = tx.all("attempt.feedback", FeedbackView, task=task)
    reset = Sha(rows[-1].reset_to or "") if rows and rows[-1].iteration == attempt.n else Sha("")
    return (context.repo.commit_of(reset) or attempt.base) if reset else attempt.head


def _of_nobody(context: Context, task: TaskId, ref: str, begins: Sha) -> str:
    """K1, P2: what the remote has on the branch of a task that was worked on elsewhere, and that no attempt on record
    has: whoever may push may have written it, so nobody is given it as their own work. How it is seen and taken, else
    empty.
    """
    with context.store.read() as tx:
        tx.along(("task.get", {"id": task}))
        heads = [row.head for row in tx.all("attempt.of_task", Handed, task=task)]
        remote = context.remote(tx) if heads or context.get(tx, task).status == "in_progress" else None
    if remote is None or ref != own_branch(task):
        return ""
    tip: Sha | None = None
    with suppress(RemoteProblem):
        tip = remote.fetch([ref]).get(ref)
    repo, known = context.repo, [sha for sha in (begins, *heads) if context.repo.commit_of(sha) is not None]
    if tip is None or any(repo.is_ancestor(tip, sha) for sha in known):
        return ""
    name, see, take = ref.removeprefix("refs/heads/"), f"git log -p {begins}..{tip}", f"git merge {tip}"
    return f"{remote.name} has {name} at {tip[:7]}, which was never submitted. Its author is not on record, so work begins without it (P2). To see it: {see}. To take it as your own work, in the worktree: {take}"


def _set_aside(context: Context, task: TaskId, ref: str) -> str:
    """K1: where a later attempt came from another machine, the branch goes on there; what only this clone has (of a run
    that was cut off here) becomes a checkpoint. What was, else empty.
    """
    with context.store.read() as tx:
        attempt = attempt_of(tx, task)
    here = context.repo.commit_of(ref)
    if attempt is None or here is None or attempt.ref != ref or not is_elsewhere(context, attempt.clone):
        return ""
    bring(context, task)
    if context.repo.is_ancestor(attempt.head, here):
        return ""
    if context.repo.uncommitted(ref):
        here = context.workshop.commit_all(f"What was left of {task}", [("Task", str(task))], apart=task)
    name = ""
    if not context.repo.is_ancestor(here, attempt.head):
        name = f"left-{here[:7]}"
        context.workshop.add_checkpoint(task, name, here, at=context.clock.now())
    if why := context.workshop.reset(ref, old=here, new=attempt.head):
        branch = ref.removeprefix("refs/heads/")
        text = f"{branch} of this clone is not where attempt {attempt.n} was submitted on another machine: {why}"
        raise GitProblem(text, next_step=shell("git", "log", "--oneline", f"{attempt.head}..{ref}"))
    return f"what only this clone had of {task} is the checkpoint {name}" if name else ""


def planted(
    context: Context, task: TaskId, ref: str, base: Sha | None, target: Callable[[], ToldTarget]
) -> GitProblem | None:
    """A branch that has work before anybody had the task is nobody's whom the record knows: who takes it up would hand
    it in as their own (P2). What is on the `target`, as it is now, is none: an older store that was taken up lacks
    its merge. Who calls says whether the remote is asked for it, and how often.
    """
    head = context.repo.commit_of(ref)
    if head is None or (base is not None and context.repo.is_ancestor(head, base)):
        return None
    with context.store.read() as tx:
        history = facts_of(context, tx, task).history
    if any(entry.action in IMPLEMENTATION for entry in history or ()):
        return None
    now = target().at
    if now is not None and context.repo.commit_of(now) is not None and context.repo.is_ancestor(head, now):
        return None
    name = ref.removeprefix("refs/heads/")
    return GitProblem(
        f"the branch {name} has commits that are not on the target, and {task} has no author on record: whose are they?",
        next_step=shell("git", "branch", "-m", name, blank("ANOTHER-NAME"), before="read them. To set them aside: "),
    )


def branch_of(context: Context, task: TaskId) -> str:
    """The branch of the latest attempt goes on being it (redo keep); else `fe/<task>`."""
    with context.store.read() as tx:
        tx.along(*OF_PROJECT)
        return branch_in(context, tx, task)


def branch_in(context: Context, tx: Tx, task: TaskId) -> str:
    """The same, for a caller that reads already."""
    attempt, target = attempt_of(tx, task), context.project(tx).target
    own = attempt is not None and attempt.ref not in (DETACHED, f"refs/heads/{target}") and not attempt.landed
    return attempt.ref if attempt is not None and own else own_branch(task)


def tidy(context: Context, task: TaskId, attempt: Attempt, target: str) -> str:
    """K1: the worktree of a merged task goes, and its own branch with it; why it stays, or what git ignores and went
    along, else empty.
    """
    dropped = _drop(context, task, attempt, target)
    if dropped.stays:
        return f"its worktree stays: {dropped.stays} (fe merge removes it when that is settled)"
    return _went(dropped)


def _drop(context: Context, task: TaskId, attempt: Attempt, target: str) -> Dropped:
    try:
        dropped = context.workshop.drop_worktree(task)
        if attempt.ref == own_branch(task) and not dropped.stays:
            context.workshop.delete_merged(attempt.ref, target=target)
    except GitProblem as problem:
        return Dropped(problem.message)
    return dropped


def _went(dropped: Dropped) -> str:
    return f"removed with its worktree, as git ignores them: {some(dropped.gone, NAMES_SHOWN)}" if dropped.gone else ""


def tidy_merged(context: Context, target: str, heads: Mapping[str, Sha]) -> list[str]:
    """What a crash, or something that had to stay, left of merged tasks: worktrees and branches that nobody needs any
    more (Q4). What to tell about those that went now.
    """
    left = {ref.removeprefix(OWN_BRANCHES) for ref in heads if ref.startswith(OWN_BRANCHES)} | set(
        context.workshop.worktrees()
    )
    with context.store.read() as tx:
        merged = (
            [task.id for task in tx.all("task.some", Task, ids=sorted(left)) if task.resolution == "merged"]
            if left
            else []
        )
        attempts = attempts_of(tx, merged)
    went = {task: _went(_drop(context, TaskId(task), attempt, target)) for task, attempt in attempts.items()}
    return [f"{task}  {words}" for task, words in went.items() if words]
