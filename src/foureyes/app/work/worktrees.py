"""Worktrees (K1): one checkout per claimed task, on the task's branch and with the files it needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import asdict

from foureyes.app.context import OF_PROJECT, Context, StoredSetting, permit, refuse_verb
from foureyes.app.facts import attempt_of, attempts_of, facts_of
from foureyes.app.outcome import claim_by
from foureyes.app.results.work import ClaimedWorktree, Dropped, PrunedRow, WorktreeRow, WorktreeView
from foureyes.app.target import CurrentTarget, current_target, merge_place_of, noted_tip
from foureyes.app.work.branches import begin_again
from foureyes.app.work.remote_attempts import LocatedAttempt, begin_at, bring, catch_up, is_elsewhere, is_target_unknown
from foureyes.core import events as e
from foureyes.core.nouns.attempt import Attempt
from foureyes.core.nouns.session import Actor, is_one_origin
from foureyes.core.nouns.task import Task
from foureyes.core.rules.involvement import is_under
from foureyes.core.words.ids import SessionId, Sha, TaskId
from foureyes.core.words.lifecycle import IMPLEMENTATION
from foureyes.core.words.paths import matching
from foureyes.core.words.refs import DETACHED, OWN_BRANCHES, own_branch
from foureyes.core.words.text import visible
from foureyes.core.words.untrusted_text import some
from foureyes.errors import FoureyesError, GitProblem, LostClaim, Reason, RemoteProblem
from foureyes.steps import blank, fe, shell

if TYPE_CHECKING:
    from foureyes.app.context import Work
    from foureyes.app.ports import Tx
    from foureyes.app.results.task_list import Outcome
    from foureyes.core.nouns.check_config import CheckoutRule
    from foureyes.core.rules.policy import ReviewPolicy, WorktreeFor


# ---- Worktrees (K1) ----

NAMES_SHOWN = 5
"""Maximum number of names in a note."""


class Worktrees:
    """Worktrees of tasks: created with the claim, used again after a redo, removed after the merge."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def open(self, actor: Actor, task: str) -> WorktreeView:
        """Open the worktree of a task that the caller has started. Commits there name the task and session. (A1)"""
        permit(actor, "start")
        with self._context.store.read() as tx:
            row = self._context.find(tx, task)
            self._refuse_stranger(tx, actor, row)
        if row.status != "in_progress" or row.implementer is None:
            reason = Reason(
                "K1",
                f"{row.id} is {row.status}. You get a worktree when you claim it",
                claim_by(actor, row.id, "--worktree"),
            )
            refuse_verb(f"there is no worktree for {row.id}.", reason, task=row.id)
        session = row.implementer if actor.kind in ("human", "service") else actor.session
        return make_worktree(self._context, row.id, session)

    def listed(self) -> list[WorktreeRow]:
        """Return the worktrees of all tasks, including closed ones. Starts no git process, because there may be
        hundreds.
        """
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
        """Remove the worktrees of closed tasks. `only_try` only lists them.

        One with uncommitted changes, or ignored files that cannot be built again, stays. Branches stay too.
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
        """Refuse a caller that is neither the claim's session nor a child of it, because commits there name that
        session. (A1)
        """
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
    """Return the status of the worktree's task for display."""
    if task is None:
        return "no task"
    return f"closed ({task.resolution})" if task.status == "closed" and task.resolution else task.status


def is_behind(context: Context, task: TaskId) -> bool:
    """Return True if a new worktree of this task would start from an old or unknown target. The remote is not asked.
    (Q6)
    """
    is_new = context.repo.commit_of(branch_of(context, task)) is None
    return is_new and (bool(catch_up(context, asks=False)) or is_target_unknown(context))


def make_worktree(
    context: Context, task: TaskId, session: SessionId, *, asks: bool = True, heard: Sha | None = None
) -> WorktreeView:
    """Create or find the worktree of a task, for a session that has it or is about to start it. With `asks`, ask the
    remote for the target unless `heard` has it.
    """
    return worktree_and_target(context, task, session, asks=asks, heard=heard)[0]


def worktree_and_target(
    context: Context, task: TaskId, session: SessionId, *, asks: bool = True, heard: Sha | None = None
) -> tuple[WorktreeView, Sha | None]:
    """Like make_worktree(), but also return the target's head, or None if it is unknown."""
    ref = branch_of(context, task)
    here = context.repo.commit_of(ref)
    there, behind = (
        begin_at(context, asks=asks, heard=heard) if here is None else (_target_commit(context, heard, asks), "")
    )
    if there is None and here is None:
        with context.store.read() as tx:
            target = context.project(tx).target
        raise GitProblem(f"the target branch {target} has no commit yet", next_step=shell("git", "branch", target))
    base = _made_elsewhere(context, task, ref) or there
    left = _set_aside(context, task, ref)
    begin_again(context, task)
    if problem := planted(context, task, ref, base, lambda: current_target(context, asks=asks, heard=heard)):
        raise problem
    begins = base or here
    assert begins is not None
    path = context.workshop.add_worktree(task, branch=ref, base=begins, session=str(session))
    unknown = _of_nobody(context, task, ref, begins) if here is None and asks else ""
    notes = (*filter(None, (behind, left, unknown)), *furnish(context, task))
    return WorktreeView(task=task, path=path, branch=ref.removeprefix("refs/heads/"), notes=notes), there


def _target_commit(context: Context, heard: Sha | None, asks: bool) -> Sha | None:
    """Return the target for a task that has begun: the recorded one, or the remote's if nothing is merged yet."""
    return current_target(context, asks=False, heard=heard).at or current_target(context, asks=asks).at


def _made_elsewhere(context: Context, task: TaskId, ref: str) -> Sha | None:
    """Return where to continue work that another machine submitted and whose branch is not here: the attempt's head, or
    where a redo starts over. (K1)
    """
    with context.store.read() as tx:
        attempt = attempt_of(tx, task)
    if attempt is None or attempt.ref != ref or not is_elsewhere(context, attempt.clone):
        return None
    if context.repo.commit_of(ref) is not None:
        return None
    from foureyes.app.results.review import FeedbackView

    bring(context, task)
    with context.store.read() as tx:
        rows = tx.all("attempt.feedback", FeedbackView, task=task)
    reset = Sha(rows[-1].reset_to or "") if rows and rows[-1].iteration == attempt.n else Sha("")
    return (context.repo.commit_of(reset) or attempt.base) if reset else attempt.head


def _of_nobody(context: Context, task: TaskId, ref: str, begins: Sha) -> str:
    """Return a note about commits on the task's branch at the remote that no attempt contains. Their author is unknown,
    so the worktree starts without them. (K1, P2)
    """
    with context.store.read() as tx:
        tx.along(("task.get", {"id": task}))
        heads = [row.head for row in tx.all("attempt.of_task", LocatedAttempt, task=task)]
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
    return f"{remote.name} has {name} at {tip[:7]}, which was never submitted and has no known author, so work starts without it (P2). To see it: {see}. To make it your own, in the worktree: {take}"


def _set_aside(context: Context, task: TaskId, ref: str) -> str:
    """Move the local branch to a later attempt from another machine. Local commits become a checkpoint. Return a note,
    or "". (K1)
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
        here = context.workshop.commit_all(f"What was left of {task}", [("Task", str(task))], worktree_of=task)
    name = ""
    if not context.repo.is_ancestor(here, attempt.head):
        name = f"left-{here[:7]}"
        context.workshop.add_checkpoint(task, name, here, at=context.clock.now())
    if why := context.workshop.reset(ref, old=here, new=attempt.head):
        branch = ref.removeprefix("refs/heads/")
        text = f"{branch} of this clone differs from attempt {attempt.n}, which was submitted on another machine: {why}"
        raise GitProblem(text, next_step=shell("git", "log", "--oneline", f"{attempt.head}..{ref}"))
    return f"the commits of {task} that only this clone had are kept as checkpoint {name}" if name else ""


def planted(
    context: Context, task: TaskId, ref: str, base: Sha | None, target: Callable[[], CurrentTarget]
) -> GitProblem | None:
    """Return an error if the branch has commits of an unknown author. The next author would submit them as their own
    (P2).

    Commits on the `target` are allowed, for example after an older store was restored. `target` is called only if
    needed and may ask the remote.
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
        f"the branch {name} has commits that are not on the target, and {task} has no author on record",
        next_step=shell(
            "git",
            "branch",
            "-m",
            name,
            blank("ANOTHER-NAME"),
            before="read them first. To move them to another branch: ",
        ),
    )


def branch_of(context: Context, task: TaskId) -> str:
    """Return the branch of the latest attempt if it can be continued, else `fe/<task>`."""
    with context.store.read() as tx:
        tx.along(*OF_PROJECT)
        return branch_in(context, tx, task)


def branch_in(context: Context, tx: Tx, task: TaskId) -> str:
    """Like branch_of(), for a caller that has a transaction."""
    attempt, target = attempt_of(tx, task), context.project(tx).target
    own = attempt is not None and attempt.ref not in (DETACHED, f"refs/heads/{target}") and not attempt.landed
    return attempt.ref if attempt is not None and own else own_branch(task)


def tidy(context: Context, task: TaskId, attempt: Attempt, target: str) -> str:
    """Remove the worktree and own branch of a merged task. Return why they stay, or which ignored files were deleted,
    or "". (K1)
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
    return f"ignored files deleted with the worktree: {some(dropped.gone, NAMES_SHOWN)}" if dropped.gone else ""


def tidy_merged(context: Context, target: str, heads: Mapping[str, Sha]) -> list[str]:
    """Remove the worktrees and branches that merged tasks left, for example after a crash. Return a line about each
    with deleted files. (Q4)
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


# ---- Claims with a worktree (K1) ----

# A reservation is not work: no history shows it and it makes nobody an author. It ends with its process or expires.

SETTING = "work.worktree"
SECONDS = 600
"""Lifetime in seconds of a reservation by a process on another machine, which cannot be observed."""


class ClaimEvent(msgspec.Struct, frozen=True):
    """A journal row of a claim or a reservation."""

    kind: str


class Reservation(msgspec.Struct, frozen=True):
    """A session that is about to start a task, its process, and the expiry."""

    task: str
    session: str
    process: str
    until: str


def wants_worktree(context: Context, tx: Tx, actor: Actor) -> bool:
    """Return True if a claim of this caller gets a worktree by default. (K1)"""
    chosen = _configured_worktree(context, tx, actor)
    return chosen == "always" or (chosen == "agents" and actor.kind == "agent")


def _configured_worktree(context: Context, tx: Tx, actor: Actor) -> WorktreeFor:
    """Return which callers get a worktree with a claim. The whole policy is read only if it may have this setting."""
    from foureyes.core.rules.policy import WORKTREE_DEFAULT

    stored = any(row.name == SETTING for row in tx.all("project.settings", StoredSetting))
    if not stored and "worktree" not in (context.project(tx).accepted_text or ""):
        return WORKTREE_DEFAULT
    return context.policy(tx, actor).worktree


def no_target(target: str) -> str:
    """Return the message for a target branch that was renamed or deleted."""
    return f"the target branch of this project, {target}, does not exist"


def refuse_targetless(context: Context, target: str) -> None:
    """Refuse a claim if the target branch is missing. In a repository without any commit, work is done in place.
    (K1)
    """
    if context.repo.heads():
        refuse_verb("nothing was claimed.", Reason("K1", no_target(target), fe("doctor")))


def is_at_its_place(context: Context, task: TaskId, head: Sha | None) -> bool:
    """Return True if the caller is already on the task's branch, or there is no commit to check out."""

    return head is None or context.repo.current_ref() == branch_of(context, task)


def is_lost(context: Context, task: TaskId) -> bool:
    """Return True if a claimed task without a worktree here had one: its branch is here, or the journal says so and its
    clone may be gone.
    """
    if context.repo.commit_of(own_branch(task)) is not None:
        return True
    with context.store.read() as tx:
        rows = tx.all("journal.claims", ClaimEvent, task=task)
    return [row.kind for row in rows] == ["TaskStarted", "TaskReserved"]


def reserved_by_others(context: Context, tx: Tx, actor: Actor) -> dict[str, Reservation]:
    """Return the reservations of tasks that another session is about to start."""
    rows = tx.all("reservation.all", Reservation)
    return {row.task: row for row in rows if _is_live(context, row) and not _is_mine(context, row, actor)}


def left_by_me(context: Context, tx: Tx, actor: Actor) -> str | None:
    """Return a task that this session reserved before its call was interrupted."""
    rows = tx.all("reservation.all", Reservation)
    return next((row.task for row in rows if row.session == actor.session and _is_mine(context, row, actor)), None)


def _is_live(context: Context, row: Reservation) -> bool:
    return row.until > context.now() and not (row.process and context.outside.is_gone(row.process))


def _is_mine(context: Context, row: Reservation, actor: Actor) -> bool:
    """Return True if the reservation is by this process, or by an ended process of this session."""
    if row.session != actor.session:
        return False
    return not row.process or row.process == context.outside.process() or context.outside.is_gone(row.process)


def refuse_reserved(context: Context, tx: Tx, actor: Actor, task: TaskId) -> None:
    """Refuse if another session is creating its worktree for this task. (T1)"""
    other = reserved_by_others(context, tx, actor).get(task)
    if other is not None:
        raise LostClaim(f"{task} is being started by {other.session} right now.", next_step=claim_by(actor), task=task)


def reserve(context: Context, work: Work, task: TaskId) -> None:
    """Reserve the task for this process."""
    event = e.TaskReserved(process=context.outside.process(), until=context.later(SECONDS))
    work.record(task, event)


def start_reserved(
    context: Context, actor: Actor, task: TaskId, claim: Callable[[Work, Sha | None], Outcome]
) -> Outcome:
    """Create the worktree, then claim the task with the target's head. If one fails, both are undone."""

    try:
        place, there = worktree_and_target(context, task, actor.session)
        with context.writing(actor, "start") as work:
            done = claim(work, there)
    except BaseException as problem:
        _release(context, actor, task, str(problem))
        raise
    return claimed_in(done, place)


def claimed_in(done: Outcome, place: WorktreeView) -> ClaimedWorktree:
    """Return the claim's outcome with its worktree and branch."""
    fields = {**asdict(done), "notes": (*done.notes, *place.notes)}
    return ClaimedWorktree(**fields, worktree=place.path, branch=place.branch)


def _release(context: Context, actor: Actor, task: TaskId, why: str) -> None:
    """End the reservation. Remove a new task's worktree unless it has work."""
    with context.writing(actor, "start") as work:
        rows = [row for row in work.tx.all("reservation.all", Reservation) if row.task == task]
        if not any(_is_mine(context, row, actor) for row in rows):
            return
        work.record(task, e.ReservationEnded(reason=" ".join(why.split())[:500]))
        is_new = not context.get(work.tx, task).iteration
    if is_new:
        context.workshop.drop_worktree(task)
        context.workshop.delete_merged(own_branch(task), target=_target(context))


def _target(context: Context) -> str:
    with context.store.read() as tx:
        return context.project(tx).target


# ---- Files and environment (K1) ----

COPY, PREPARE = "work.copy", "checkout.prepare"
REFUSED_SHOWN = 3


def furnish(context: Context, task: TaskId) -> tuple[str, ...]:
    """Copy files and the environment into a new worktree. Return a note for each step that failed."""
    return tuple(note for step in STEPS if (note := step(context, task)))


def copy_files(context: Context, task: TaskId) -> str:
    """Copy the files of `[work] copy`. Return which were refused. (K1)"""
    globs = _configured_copies(context)
    if not globs:
        return ""
    refused = context.workshop.copy_into(task, globs).refused
    more = f", and {len(refused) - REFUSED_SHOWN} more" if len(refused) > REFUSED_SHOWN else ""
    return f"not copied (work.copy): {', '.join(refused[:REFUSED_SHOWN])}{more}" if refused else ""


def prepare_environment(context: Context, task: TaskId) -> str:
    """Copy a kept environment into the worktree. If there is none, return a note with the prepare command for the
    author, because running it can take long. (K1, D5)
    """
    rule = _prepared(context)
    if rule is None:
        return ""

    head = context.repo.commit_of(branch_of(context, task))
    tree = context.workshop.tree_of(head) if head else None
    if tree is None:
        return ""
    try:
        with closing(context.outside.checks()) as runner, runner.lend(rule, FilesOfTree(context, tree, tree)) as lent:
            if lent is not None:
                context.workshop.lay_into(task, lent.path, lent.was)
                return ""
            why = "no environment is kept for it yet"
    except (FoureyesError, OSError) as problem:
        why = f"its environment was not created here: {visible(str(problem))}"
    return f"{why}. To create it: {visible(rule.prepare)} (checkout.prepare)"


STEPS: tuple[Callable[[Context, TaskId], str], ...] = (copy_files, prepare_environment)
"""Steps in order."""


def _configured_copies(context: Context) -> tuple[str, ...]:
    policy = _policy(context, COPY)
    return policy.copies if policy else ()


def _prepared(context: Context) -> CheckoutRule | None:
    policy = _policy(context, PREPARE)
    return policy.checkout if policy and policy.checkout.prepare.strip() else None


def _policy(context: Context, setting: str) -> ReviewPolicy | None:
    """Return the accepted policy, or None if nothing sets this setting."""
    with context.store.read() as tx:
        tx.along(*OF_PROJECT)
        stored = any(row.name == setting for row in tx.all("project.settings", StoredSetting))
        if not stored and setting.rpartition(".")[2] not in (context.project(tx).accepted_text or ""):
            return None
        return context.gate_policy(tx)


# ---- Files of a tree under check ----


class FilesOfTree(msgspec.Struct, frozen=True):
    """Files of a git tree.

    `base` is the tree of the target where the change begins, and `begins` its commit. `is_asked`: the caller is merging
    onto that target.
    """

    context: Context
    tree: Sha
    base: str = ""
    begins: str = ""
    is_asked: bool = False

    @property
    def name(self) -> str:
        return self.tree

    @property
    def for_start(self) -> str:
        return self.base

    def listed(self, globs: Sequence[str]) -> Mapping[str, str]:
        """Return the files that match the globs, with mode and object id."""
        return _some(self.context.workshop.files_of(self.tree), globs)

    def of_target(self, globs: Sequence[str]) -> list[Mapping[str, str]]:
        """Return the matching files of the target, as the last recorded merge left it and at the base. Branches are not
        used, because one may point to an attempt for a moment.
        """
        known = [Sha(each) for each in (self._merged(), self.base) if each]
        return [_some(self.context.workshop.files_of(each), globs) for each in known]

    def _merged(self) -> Sha | None:
        with self.context.store.read() as tx:
            newest = merge_place_of(tx).newest
        return self.context.repo.commit_of(newest) if newest else None

    def agreed(self) -> list[Mapping[str, str]]:
        """Return all files of the target after its last recorded merge, and at the base if that merge contains it. A
        submission alone does not show that its base was approved.
        """
        merged, files_of = self._merged(), self.context.workshop.files_of
        if merged is None:
            return []
        has_base = bool(self.base) and self.begins and self.context.repo.is_ancestor(Sha(self.begins), merged)
        return [files_of(merged), *([files_of(Sha(self.base))] if has_base else [])]

    def agreed_for_start(self) -> Mapping[str, str]:
        """Return all files at the base, if no merge is recorded and the target contains the base, or if the caller
        merges onto it. Otherwise none.
        """
        is_there = self.is_asked or self.base == self.tree
        if not is_there and self.begins and self._merged() is None:
            repo = self.context.repo
            with self.context.store.read() as tx:
                tip = noted_tip(self.context, tx, self.context.project(tx))
            is_there = tip is not None and (tip == self.begins or repo.is_ancestor(Sha(self.begins), tip))
        return self.context.workshop.files_of(Sha(self.base)) if self.base and is_there else {}

    def write_some(self, paths: Sequence[str], path: str) -> None:
        """Write these files into an empty directory."""
        if paths:
            self.context.workshop.export(self.tree, path, paths)


def _some(files: Mapping[str, str], globs: Sequence[str]) -> dict[str, str]:
    return {path: files[path] for path in matching(files, globs)}
