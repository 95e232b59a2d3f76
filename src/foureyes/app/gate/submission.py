"""A submission, as steps from the caller's request to the recorded attempt. `STEPS` lists them in order. (A1)"""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.context import Context, IdRow, Token, of_party, refuse_from, refuse_other_task, refuse_task
from foureyes.app.cycles.reviewers import open_at_submission
from foureyes.app.facts import authors_of_change, facts_of, of_facts
from foureyes.app.findings import answers as answers_module
from foureyes.app.findings import inheritance
from foureyes.app.findings.auto_decisions import decide_by_rule
from foureyes.app.findings.raising import findings_of_task
from foureyes.app.gate import stacks
from foureyes.app.ports import NamedQuery
from foureyes.app.results.attempt import SubmitOutcome
from foureyes.app.results.project import ProjectView
from foureyes.app.stacked_tasks import inside_of
from foureyes.app.target import SubmissionTarget, counted_against
from foureyes.app.target_merges import unbrought_since
from foureyes.app.tasks.escalation import escalate
from foureyes.app.work.claims import is_successor, take_over
from foureyes.app.work.remote_attempts import Over, clone_of, pushed_over, with_sent
from foureyes.app.work.worktrees import branch_of
from foureyes.core.events.decision import AttemptSubmitted
from foureyes.core.events.loop import FindingsCleared, Placed
from foureyes.core.nouns.attempt import SIGNALS, Change, Commit, Effect, Mark, Relation, SubmitSignal
from foureyes.core.nouns.finding import Finding
from foureyes.core.nouns.session import Actor, Party, is_one_origin
from foureyes.core.nouns.task import Task
from foureyes.core.rules import gate
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import is_under
from foureyes.core.rules.policy import ReviewPolicy, check_commands, deciding, gate_files
from foureyes.core.rules.stacks import status_words
from foureyes.core.words.commands import NamedFiles, called_by, named_by, script_text
from foureyes.core.words.ids import SessionId, Sha, TaskId, seen_name
from foureyes.core.words.paths import is_likely_secret, other_names
from foureyes.core.words.refs import DETACHED, OWN_BRANCHES, attempt_ref, own_branch, own_name
from foureyes.core.words.text import clean_text
from foureyes.core.words.untrusted_text import named, some
from foureyes.errors import BadInput, FoureyesError, NotFound, Reason
from foureyes.steps import Steps, blank, by_person, either, fe, in_turn, phrase, prose, shell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foureyes.app.findings.auto_decisions import MadeByGate
    from foureyes.app.git_ports import Additions, Fence
    from foureyes.app.ports import Tx
    from foureyes.app.results.attempt import InsideRow
    from foureyes.core.nouns.attempt import Attempt


# ---- Submitted (A1) ----


def answer_the_same_again(submission: Submission) -> SubmitOutcome | None:
    """Return the existing attempt if the same commit is submitted again, without any change.

    Not if the remote has someone else's commits on the branch (D4), or if the target lacks the attempt's base (Q2).
    Then a new attempt is made.
    """
    last, change = submission.facts.attempt, submission.change
    if last is None or submission.task.status != "reviewing" or (last.head, last.ref) != (change.head, change.ref):
        return None
    if submission.policy.remote and submission.counted.is_certain and not _is_on_it(submission, last):
        return None
    submission.over = pushed_over(submission.context, submission.task.id, last) if submission.asks else None
    if submission.over is not None:
        return None
    return submitted(submission, last, submission.task.status)


def _is_on_it(submission: Submission, last: Attempt) -> bool:
    """Return True if the target contains the attempt's base."""
    tip = submission.context.repo.commit_of(submission.counted.at)
    return tip is not None and submission.context.repo.is_ancestor(last.base, tip)


def _repeated(submission: Submission) -> tuple[int, int]:
    """Return the earlier attempt with exactly these files, and how many findings were answered as fixed. (L11)

    Return (0, 0) if there is none, or if this attempt exists only because a branch moved or the base is new.
    """
    last = submission.facts.attempt
    if last is None or last.tree != submission.change.tree or last.no_code:
        return 0, 0
    if not submission.answers and (submission.over or last.base != submission.change.base):
        return 0, 0
    return last.n, sum(answer.word == "FIXED" for answer in submission.answers)


def _after(submission: Submission, made: MadeByGate | None) -> Steps:
    """Return the caller's next step. (I5, P2)

    An agent takes the next task, or ends its session if it has a token. A person or service runs missing checks or
    views the task.
    """
    if made and submission.actor.role:
        return fe("session", "end")
    if submission.actor.kind == "agent":
        return fe("next")
    return fe("check", "run", submission.task.id) if made and made.unchecked else fe("show", submission.task.id)


def submitted(
    submission: Submission,
    event: AttemptSubmitted | Attempt,
    status: str,
    made: MadeByGate | None = None,
    inside: tuple[InsideRow, ...] = (),
) -> SubmitOutcome:
    """Return the result of a submission for the caller. Without `made`, nothing was changed."""
    changed = made is not None
    repeats, fixed = _repeated(submission) if changed else (0, 0)
    return SubmitOutcome(
        task=submission.task.id,
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
        committed=submission.committed,
        new=submission.new,
        notes=_about_the_branch(submission) if changed else (),
        repeats=repeats,
        fixed_by_nothing=fixed,
        next=_after(submission, made),
    )


def _about_the_branch(submission: Submission) -> tuple[str, ...]:
    notes = about_the_branch(submission.context, submission.task, submission.facts.attempt, submission.ref)
    return (*([submission.over.words] if submission.over else []), *_uncounted(submission), *notes)


def _uncounted(submission: Submission) -> tuple[str, ...]:
    """Return a note if the remote gave no answer and the base comes from this clone. (Q6)"""
    why, target = submission.counted.why_uncertain, submission.project.target
    at = f"the change was computed against {target} as this clone has it ({submission.change.base[:7]})"
    again = f"When the remote answers again, fe submit {submission.task.id} updates it if needed"
    return (f"{at}, because {why}. {again}",) if why else ()


# ---- Own work (A5, K4) ----

TASKS_NAMED = 3


class MergedAs(msgspec.Struct, frozen=True):
    """A task's merge commit and the commits that came with it."""

    task: str
    sha: str
    commits: list[Commit]


class Others(msgspec.Struct, frozen=True):
    """The start of the task's own part of a change, after merges of other tasks. `only` names those tasks if nothing
    else is left.
    """

    begins: Sha
    only: str = ""


def after_others(tx: Tx, task: TaskId, change: Change) -> Others | None:
    """Return the task's own part of a change, or None if that begins where the task did. Commits merged for other tasks
    belong to those. (K4)
    """
    merged = tx.all("stack.merged_as", MergedAs, shas=[commit.sha for commit in change.commits], task=task)
    if not merged:
        return None
    points = {row.sha for row in merged}
    brought = points | {commit.sha for row in merged for commit in row.commits}
    if all(commit.sha in brought for commit in change.commits):
        return Others(change.head, some([row.task for row in merged], TASKS_NAMED))
    begins: Sha | None = None
    for commit in change.commits:
        if commit.sha not in brought:
            break
        begins = commit.sha if commit.sha in points else begins
    return Others(begins) if begins is not None else None


def refuse_work_of_others(context: Context, task: TaskId, event: AttemptSubmitted) -> None:
    """Refuse a submission that contains only another task's submitted work. (A5, A7)"""
    if event.landed or not event.pieces:
        return
    with context.store.read() as tx:
        other = stacks.submitted_before(tx, task, event)
    if other is None:
        return
    own, name = own_name(task), _short(event.ref)
    why = f"{name} contains only the work of {other.id} ({status_words(other)})"
    if event.ref != own_branch(task) and context.repo.branch_ref(own) is not None:
        step = fe("submit", task, "--branch", own)
    else:
        step = fe("submit", task, before=f"commit the changes for {task}, then: ")
    refuse_task(task, NOT_IN, Reason("A5", why, step))


def about_the_branch(context: Context, task: Task, last: Attempt | None, ref: str) -> tuple[str, ...]:
    """Return notes about the branch: another task's, or another one than last time."""
    notes = []
    named = ref.removeprefix(OWN_BRANCHES)
    if ref.startswith(OWN_BRANCHES) and named != task.id:
        with context.store.read() as tx:
            is_task = tx.one("task.exists", IdRow, id=named) is not None
        notes += [
            f"it came from {_short(ref)}, the branch of {named}. The next commit there makes this attempt stale."
        ] * is_task
    if last is not None and last.ref != ref:
        notes.append(f"attempt {last.n} came from {_short(last.ref)}, this one from {_short(ref)}")
    return tuple(notes)


def _short(ref: str) -> str:
    return "a detached head" if ref == DETACHED else ref.removeprefix("refs/heads/")


# ---- Work place (K1, K4) ----

# Shells of agents lose their working directory. If a task has a worktree and the caller is in a checkout of the target,
# the caller means the worktree.

SHOWN_PATHS = 5
MIB = 1 << 20
LARGE = 5 * MIB
"""Size in bytes from which a new file needs confirmation. It is rarely intended, and every clone downloads it
forever.
"""
NOT_IN = "was not submitted"


def find_branch(submission: Submission) -> None:
    """Find the branch to submit. (K4)

    It is the first of these:

    - the branch that the caller names
    - the last attempt's branch, if someone else submits
    - the task's branch, if the caller has no current directory
    - the branch of the task's worktree, if it has work and the caller is on the target
    - the current branch
    """
    repo, branch, attempt = submission.context.repo, submission.wish.branch, submission.facts.attempt
    if branch is not None:
        ref = repo.branch_ref(branch)
        if ref is None:
            raise NotFound(f"there is no branch {branch}.", next_step=shell("git", "branch", "--list"))
        submission.ref = ref
    elif attempt is not None and attempt.ref != DETACHED and submission.actor.session != submission.task.implementer:
        submission.ref = attempt.ref
    elif (
        submission.wish.elsewhere
        and repo.commit_of(own := branch_of(submission.context, submission.task.id)) is not None
    ):
        submission.ref = own
    else:
        submission.ref = repo.current_ref()
        _refuse_branch_of_another_task(submission)
        submission.ref = _in_its_worktree(submission) or submission.ref


def _refuse_branch_of_another_task(submission: Submission) -> None:
    """Refuse to submit from another task's branch. (K1)"""
    context, task, named = submission.context, submission.task.id, submission.ref.removeprefix(OWN_BRANCHES)
    if not submission.ref.startswith(OWN_BRANCHES) or named == task or context.repo.branch_ref(own_name(task)) is None:
        return
    with context.store.read() as tx:
        is_task = tx.one("task.exists", IdRow, id=named) is not None
    if is_task:
        why = f"your checkout is on {own_name(named)}, which is the branch of {named}"
        refuse_task(task, NOT_IN, Reason("A1", why, fe("submit", task, "--branch", own_name(task))))


def _in_its_worktree(submission: Submission) -> str:
    """Return the branch of the task's worktree if the caller is on the target. "" if work was committed only on the
    target itself. (K1, K4)
    """
    repo, task = submission.context.repo, submission.task.id
    if (
        submission.ref != f"refs/heads/{submission.project.target}"
        or task not in submission.context.workshop.worktrees()
    ):
        return ""
    ref = branch_of(submission.context, task)
    return ref if _has_work(submission, ref) or repo.uncommitted(ref) or repo.uncommitted(submission.ref) else ""


def _has_work(submission: Submission, ref: str) -> bool:
    """Return True if the branch has a commit that the target lacks."""
    repo = submission.context.repo
    head, target = repo.commit_of(ref), repo.commit_of(submission.target)
    return head is not None and target is not None and not repo.is_ancestor(head, target)


def commit_or_refuse_uncommitted(submission: Submission) -> None:
    """Commit uncommitted changes if the caller asked for it, otherwise refuse them. (A1)"""
    repo, task, commit = submission.context.repo, submission.task, submission.wish.commit
    paths = repo.uncommitted(submission.ref)
    if not paths:
        return
    if conflicts := repo.uncommitted(submission.ref, in_conflict=True):
        steps = shell("git", "add", blank("PATH"), before="resolve the conflicts, then: ")
        why = f"unresolved conflicts: {some(conflicts, SHOWN_PATHS)}"
        refuse_task(task.id, NOT_IN, Reason("A1", why, steps))
    is_here = submission.wish.branch is None and submission.ref == repo.current_ref()
    worktree_of = task.id if submission.wish.elsewhere and _is_own(submission) else ""
    if commit is not None and commit.strip() and (worktree_of or (is_here and not submission.wish.elsewhere)):
        trailers = [("Task", str(task.id)), *[("Foureyes-Session", session) for session in _committers(submission)]]
        additions = repo.additions(submission.ref)
        _refuse_unasked(submission, additions)
        fence: Fence = lambda: submission.context.writing(submission.actor, "submit")  # noqa: E731 (J4: its lease may be lost)
        message = clean_text(commit, "the commit message")
        submission.context.workshop.commit_all(message, trailers, worktree_of=worktree_of, fence=fence)
        submission.committed, submission.new = tuple(paths), tuple(sorted(additions.new))
        return
    are, it = ("file is", "it") if len(paths) == 1 else ("files are", "them")
    step = fe("submit", task.id, "--commit", phrase("message"), before=f"commit {it}, or: ")
    place = "" if is_here else submission.context.workshop.worktrees().get(task.id, "")
    step = in_turn(shell("cd", place), step, joint=", ") if place else step
    if submission.wish.elsewhere and commit:
        step = prose(f"commit {it} yourself, because a server commits only in the worktree of a task")
    where = f" in {place}" if place else ""
    why = f"{len(paths)} {are} not committed{where}: {some(paths, SHOWN_PATHS)}"
    refuse_task(task.id, NOT_IN, Reason("A1", why, step))


def _committers(submission: Submission) -> list[str]:
    """Return the sessions that a commit by `--commit` names: the implementer, and an agent that commits for it. (I3)"""
    mine = [submission.actor.session] if submission.actor.kind == "agent" else []
    return [str(session) for session in dict.fromkeys([submission.task.implementer, *mine]) if session is not None]


def _is_own(submission: Submission) -> bool:
    """Return True if the work is in the task's own worktree. A server commits only there, and never in a person's
    checkout.
    """
    task = submission.task.id
    return task in submission.context.workshop.worktrees() and submission.ref == branch_of(submission.context, task)


def _refuse_unasked(submission: Submission, additions: Additions) -> None:
    """Refuse to commit likely secrets and large files that the caller did not name. (A1)"""
    meant = {posixpath.normpath(path) for path in submission.wish.include}
    odd = {
        path: f"{named(path)} is new, and it "
        + ("looks like a secret" if is_likely_secret(path) else f"has {size // MIB} MiB")
        for path, size in additions.new.items()
        if is_likely_secret(path) or size > LARGE
    }
    odd |= {path: f"{named(path)} grew by {size // MIB} MiB" for path, size in additions.grown.items() if size > LARGE}
    odd = {path: why for path, why in sorted(odd.items()) if path not in meant}
    if odd:
        message = phrase("message")
        reasons = [
            Reason(
                "A1",
                why,
                fe(
                    "submit",
                    submission.task.id,
                    "--commit",
                    message,
                    "--include",
                    path,
                    before="let git ignore it, or if it belongs there: ",
                ),
            )
            for path, why in odd.items()
        ]
        refuse_task(submission.task.id, "was neither committed nor submitted", *reasons)


def beginning(submission: Submission) -> Sha | None:
    """Return the target's commit at the task's start, if known and in this clone."""
    start = submission.task.start_target
    return start if start is not None and submission.context.repo.commit_of(start) is not None else None


def refuse_unknown_beginning(submission: Submission) -> None:
    """Refuse if this clone lacks the commit at which the task began, because what the target got since then is unknown.
    (K4)

    If no such commit is recorded, do nothing (see `perhaps_landed`).
    """
    task, start, target = submission.task.id, submission.task.start_target, submission.project.target
    if start is None:
        return
    why = f"the commit at which {task} began ({start[:12]}) is not in this clone, so the changes on {target} since then are unknown"
    fetch = (
        in_turn(shell("git", "fetch", submission.policy.remote), fe("submit", task))
        if submission.policy.remote
        else None
    )
    branch = fe("submit", task, before="commit your work on a branch, or go to the clone in which it began, then: ")
    close = by_person(fe("close", task, "-m", phrase("why there is no code, or who reviewed it")))
    refuse_task(task, NOT_IN, Reason("K4", why, either(*filter(None, (fetch, branch, close)))))


def nothing_here(submission: Submission) -> str:
    """Say why there is nothing to submit. (A5)"""
    name, target = submission.ref.removeprefix("refs/heads/"), submission.project.target
    if submission.only_others:
        return f"since you started, {name} got only the merges of {submission.only_others}"
    if name == target:
        return f"nothing was committed on {name} since you started"
    return f"{name} has no commits that {target} lacks{_left_lying(submission)}"


def perhaps_landed(submission: Submission) -> tuple[str, Steps]:
    """Return the reason and next steps for a task without a recorded start and without visible changes. (K4, Q6)

    The target may already have its work, so only a person may say that there is no code.
    """
    task, target = submission.task.id, submission.project.target
    name, remote = submission.ref.removeprefix("refs/heads/"), submission.policy.remote
    there = remote if remote and submission.counted.is_certain else target
    lacks = f"{name} has no commits that {there} lacks" if name != there else f"{name} shows no new commits"
    why = f"{lacks}. Where {target} was when {task} began is unknown, so the work may already be on it"
    if submission.ref != own_branch(task) and _has_work(submission, own_branch(task)):
        return why, fe("submit", task, "--branch", own_name(task))
    close = by_person(fe("close", task, "-m", phrase("why there is no code, or who reviewed it")))
    wait = ""
    if not submission.counted.is_certain:
        why, wait = (
            ". ".join(filter(None, (why, submission.counted.why_uncertain))),
            f", or wait until {remote} answers",
        )
    return why, either(fe("submit", task, before=f"commit your work on a branch{wait}, then: "), close)


def landed_unseen(submission: Submission) -> tuple[str, Steps] | None:
    """Return the reason and next steps if the remote's target got commits that no task brought since this task began,
    or None. (K4)

    They may be its work, so only a person may say that there is no code.
    """
    task, start, remote = submission.task.id, submission.task.start_target, submission.policy.remote
    if not remote or start is None or not submission.counted.is_certain:
        return None
    came = unbrought_since(submission.context, start, Sha(submission.counted.at))
    if came is None:
        return None
    why = f"since {task} began, {came.text}. That may be the work, and --no-code would submit it without a review"
    close = by_person(fe("close", task, "-m", phrase("why there is no code, or who reviewed it")))
    theirs = fe("submit", task, before=f"if they are yours: git pull {remote} {submission.project.target}, then: ")
    return why, either(came.next, theirs, close)


def _left_lying(submission: Submission) -> str:
    """Return a note about uncommitted files in the caller's checkout, if the task's worktree was submitted. (A1)"""
    repo = submission.context.repo
    paths = (
        repo.uncommitted(repo.current_ref())
        if submission.wish.branch is None and submission.ref != repo.current_ref()
        else []
    )
    are = "file is" if len(paths) == 1 else "files are"
    return f". In this checkout, {len(paths)} {are} not committed: {some(paths, SHOWN_PATHS)}" if paths else ""


def maybe_there(submission: Submission) -> Steps:
    """Return steps to find the work elsewhere."""
    task = submission.task.id
    if submission.ref != own_branch(task) and _has_work(submission, own_branch(task)):
        return fe("submit", task, "--branch", own_name(task))
    place = submission.context.workshop.worktrees().get(task, "")
    work = f"commit your work in {place}" if place else "commit your work on a branch"
    return fe("submit", task, "--no-code", before=f"{work}. If there really is no code: ")


# ---- A submission (A1) ----

# Git calls come before the write transaction. If the task changes meanwhile, nothing is written.


class Wish(msgspec.Struct, frozen=True, kw_only=True):
    """The caller's request."""

    task: str
    message: str = ""
    commit: str | None = None
    include: tuple[str, ...] = ()
    no_code: bool = False
    branch: str | None = None
    signal: str = "DONE"
    if_version: int | None = None
    elsewhere: bool = False


class Submission:
    """The data of a submission. Each step adds to it, and none changes what an earlier one added."""

    message: str
    facts: Facts
    me: Party
    project: ProjectView
    policy: ReviewPolicy
    tokens: list[SessionId]
    findings: list[Finding]
    answers: list[answers_module.AnswerRow]
    ref: str
    change: Change
    event: AttemptSubmitted
    places: tuple[Placed, ...]
    brought: inheritance.FoundAgain
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
    def counted(self) -> SubmissionTarget:
        """The commit or branch to compare the work with. (K4, Q6)"""
        return counted_against(self.context, self.task.start_target, asks=self.asks)

    @property
    def target(self) -> str:
        return self.counted.at

    @property
    def task(self) -> Task:
        """The task at the start of the submission."""
        return self.facts.task


SubmissionStep = Callable[[Submission], SubmitOutcome | None]
"""A step of a submission. It adds data, refuses, or returns the final result."""


def submit_work(context: Context, actor: Actor, wish: Wish, *, sends: bool = True) -> SubmitOutcome:
    """Run all steps in order. `sends`: ask the project's remote and push to it, if there is one. (Q6)"""
    submission = Submission(context, actor, wish, asks=sends)
    for step in STEPS:
        try:
            answer = step(submission)
        except FoureyesError as problem:
            if submission.committed:
                files = some(submission.committed, SHOWN_PATHS)
                problem.left = f"committed on {_short(submission.ref)}, but not submitted: {files}"
            raise
        if answer is not None:
            return with_sent(context, answer) if sends and submission.policy.remote else answer
    raise AssertionError("the last step of a submission has an answer")


def refuse_signal(submission: Submission) -> None:
    """Refuse a signal that does not end in a submission. (S1, S2)"""
    signal, task = submission.wish.signal, submission.wish.task
    if signal not in SIGNALS:
        why = "a failed run is never a submission (S2)" if signal == "FAILED" else f"{signal!r} is not a signal"
        step = (
            fe("unstart", task, "-m", phrase("why it failed")) if signal == "FAILED" else fe("submit", task, "--help")
        )
        raise BadInput(f"{why}. A submission takes {', '.join(SIGNALS)}.", next_step=step)


def clean_message(submission: Submission) -> None:
    """Clean the caller's message, so that it can be stored and shown."""
    submission.message = clean_text(submission.wish.message, "the message")


def _of_findings(task: TaskId, iteration: int) -> list[NamedQuery]:
    """Return the queries about findings to answer and sessions that may submit, for `ahead`."""
    return [
        ("session.tokens_of_task", {"task": task, "role": "implement"}),
        ("finding.of_task", {"task": task}),
        ("finding.answers_in", {"task": task, "iteration": iteration}),
    ]


def read_case(submission: Submission) -> None:
    """Read everything that the store knows about the task. Refuse if it changed since the caller saw it. (T6)"""
    context = submission.context
    with context.store.read() as tx:
        task = context.find(tx, submission.wish.task)
        context.check_version(tx, task, submission.wish.if_version)
        tx.ahead(*of_party(submission.actor), *of_facts([task.id]), *_of_findings(task.id, task.iteration + 1))
        submission.facts, submission.project = facts_of(context, tx, task.id), context.project(tx)
        submission.me, submission.policy = context.party(tx, submission.actor), context.gate_policy(tx)
        rows = tx.all("session.tokens_of_task", Token, task=task.id, role="implement")
        submission.tokens = [SessionId(row.session) for row in rows]
        submission.findings = findings_of_task(tx, task.id)
        submission.answers = answers_module.answers_in(tx, task.id, task.iteration + 1)


def refuse_token_of_another_task(submission: Submission) -> None:
    """Refuse a token for another task. (I2)"""
    refuse_other_task(submission.actor, submission.task.id)


def refuse_unclaimed(submission: Submission) -> None:
    """Refuse a task without a claim. (T2)"""
    task = submission.task
    if task.status == "open":
        why = f"{task.id} was never started, so the submission would have no author"
        can_start = task.ready and submission.actor.kind == "agent" and submission.project.hold is None
        refuse_task(task.id, NOT_IN, Reason("T2", why, fe("start" if can_start else "show", task.id)))
    refuse_from(task, "submit")


def take_over_claim(submission: Submission) -> None:
    """Take over the claim if its process has ended and the caller runs the same program. (T2)"""
    if not is_successor_here(submission):
        return
    with submission.context.writing(submission.actor, "submit") as work:
        taken = take_over(submission.context, work, submission.context.get(work.tx, submission.task.id))
    if taken:
        submission.wish = msgspec.structs.replace(submission.wish, if_version=None)
        read_case(submission)


def is_successor_here(submission: Submission) -> bool:
    """Return True if the caller may take over the claim. (T2)"""
    with submission.context.store.read() as tx:
        return is_successor(submission.context, tx, submission.actor, submission.task)


def refuse_stranger(submission: Submission) -> None:
    """Refuse callers other than the implementer, its delegator, a person, or a service such as the runner. (A1)"""
    actor, facts, task = submission.actor, submission.facts, submission.task
    assert task.implementer is not None
    owner = facts.party(task.implementer)
    if is_one_origin(submission.me, owner) or is_under(facts, owner, submission.me):
        return
    if actor.kind in ("human", "service") or actor.role == "implement" or is_successor_here(submission):
        return
    why = f"{facts.party_name(task.implementer)} has claimed {task.id}, so only it can submit"
    refuse_task(task.id, NOT_IN, Reason("A1", why, fe("show", task.id)))


def ask_git(submission: Submission) -> None:
    """Find the change. (K4)

    Work that landed unapproved is part of it again, so that it gets reviewed. Other tasks' merges are left out.
    """
    task = submission.task
    covering = task.start_target if task.landed else None
    ask, target = submission.context.repo.change, submission.target
    start = beginning(submission)
    if start is None and (covering is not None or target == task.start_target):
        refuse_unknown_beginning(submission)
    change = ask(target=target, ref=submission.ref, since=start, covering=covering)
    if start is None and change.is_empty:
        refuse_unknown_beginning(submission)
    if (
        change.landed and not submission.counted.is_certain
    ):  # the remote did not answer, so nothing is merged for sure (Q6)
        change = ask(target=task.start_target or target, ref=submission.ref, since=None)
    if change.landed or covering is not None:
        with submission.context.store.read() as tx:
            others = after_others(tx, task.id, change)
        if others is not None:
            submission.only_others = others.only
            begins = others.begins
            change = ask(target=target, ref=submission.ref, since=begins, covering=covering and begins)
    submission.change = change


def refuse_foreign_commits(submission: Submission) -> None:
    """Refuse an answer that names a commit outside the submission. (L6)"""
    answers_module.refuse_foreign_commits(submission.answers, submission.task.id, submission.change)


def refuse_empty(submission: Submission) -> None:
    """Refuse an empty diff without `--no-code`, and `--no-code` with a change. (A5, K4, Q6)

    Also refuse `--no-code` if the start is unknown, or if the remote's target got commits that no task brought, because
    they may be the work.
    """
    task, change = submission.task.id, submission.change
    if change.is_empty and submission.task.start_target is None:
        refuse_task(task, NOT_IN, Reason("Q6", *perhaps_landed(submission)))
    if change.is_empty and not submission.wish.no_code:
        refuse_task(task, NOT_IN, Reason("A5", nothing_here(submission), maybe_there(submission)))
    if change.is_empty and (came := landed_unseen(submission)) is not None:
        refuse_task(task, NOT_IN, Reason("K4", *came))
    if submission.wish.no_code and not change.is_empty:
        why = f"--no-code, but {len(change.files)} files changed since {change.base[:7]}"
        refuse_task(task, NOT_IN, Reason("A5", why, fe("submit", task)))


def freeze(submission: Submission) -> None:
    """Build the attempt's event, with its authors and pieces. (A1, A6)"""
    task, change, repo = submission.task, submission.change, submission.context.repo
    assert task.implementer is not None
    submission.event = AttemptSubmitted(
        n=task.iteration + 1,
        implementer=task.implementer,
        base=change.base,
        head=change.head,
        tree=change.tree,
        ref=change.ref,
        diff_id=change.diff_id,
        landed=change.landed,
        no_code=submission.wish.no_code,
        files=change.files,
        commits=change.commits,
        added=change.added,
        removed=change.removed,
        authors=authors_of_change(submission.facts, change, submission.tokens, submission.actor),
        message=submission.message,
        duration_seconds=_seconds_since(submission.context, task.started_at),
        relation=_relation(submission),
        signal=msgspec.convert(submission.wish.signal, SubmitSignal),
        base_tree=change.base_tree,
        marks=(*change.marks, *_marks_behind(submission)),
        size=change.size,
        clone=clone_of(submission.context),
        pieces=() if change.is_empty else repo.pieces(change.base, change.head),
    )


def _marks_behind(submission: Submission) -> tuple[Mark, ...]:
    """Return marks for files that the change affects by way of symbolic links. (A4)"""
    paths = [path for file in submission.change.files for path in (file.path, file.old_path) if path]
    tip = submission.context.repo.commit_of(submission.target) or submission.change.base
    return marks_behind(submission.context, submission.policy, tip, submission.change.head, paths)


def _relation(submission: Submission) -> Relation | None:
    """Return the relation of this attempt to the last one. (A3)"""
    last = submission.facts.attempt
    if last is None:
        return None
    return submission.context.repo.relation(
        base=last.base, head=last.head, new_head=submission.change.head, target=submission.target
    )


def _seconds_since(context: Context, moment: str | None) -> int:
    if moment is None:
        return 0
    return max(0, int((context.clock.now() - datetime.fromisoformat(moment)).total_seconds()))


def place_findings(submission: Submission) -> None:
    """Find the current lines of this task's findings, and of other tasks' findings that come with the work. (A6, L4)"""
    last = submission.facts.attempt
    submission.places = ()
    if submission.findings and last is not None:
        submission.places = answers_module.places_of(submission.context, submission.findings, submission.change, last)
    submission.followed = inheritance.settled_copies(
        submission.context, submission.task.id, submission.findings, submission.change
    )
    submission.brought = inheritance.found_again(submission.context, submission.event, submission.task.id)


def read_branches(submission: Submission) -> None:
    """Find branches inside the change that belong to tasks without an attempt. (A7)"""
    submission.branches = stacks.branches_inside(submission.context, submission.task.id, submission.change)


def refuse_nothing_own(submission: Submission) -> None:
    """Refuse a submission that contains only another task's submitted work. (A5)"""
    refuse_work_of_others(submission.context, submission.task.id, submission.event)


def _of_pieces(task: TaskId, event: AttemptSubmitted) -> list[NamedQuery]:
    """Return the queries about the attempt's findings and tasks with the same pieces, for `along`."""
    pieces = {"pieces": list(event.pieces), "task": task}
    about = {"task": task, "iteration": event.n}
    return [
        ("finding.of_task", {"task": task}),
        ("finding.answers_in", about),
        ("finding.shared_pieces", pieces),
        ("stack.shared", pieces),
    ]


def record(submission: Submission) -> SubmitOutcome:
    """Record the attempt, its findings and the gate's decision in one transaction. (M)"""
    context, task = submission.context, submission.task.id
    with context.writing(submission.actor, "submit") as work:
        work.tx.along(("merge.sent", {}), *_of_pieces(task, submission.event), *stacks.of_attempts(task))
        context.check_version(work.tx, context.find(work.tx, task), submission.task.version)
        _keep_head(submission)
        answers_module.refuse_unanswered(work.tx, task, work.at, submission.followed)
        event = inheritance.with_shared_authors(work.tx, submission.event, task)
        event = stacks.stacked(work.tx, task, event, submission.branches)
        work.record(task, event)
        work.tx.along(("task.get", {"id": task}), *_of_pieces(task, event), *of_facts([task]))
        stacks.raise_others(work, task, event)
        answers_module.carry(context, work, task, event, submission.places, event.implementer)
        if submission.followed:
            work.gate.record(task, FindingsCleared(iteration=event.n, roots=submission.followed, why="root"))
        inheritance.inherit(context, work, task, event, submission.brought)
        inheritance.come_back(context, work, task, event, submission.brought)
        made = decide_by_rule(context, work, task, gate.Tip(head=event.head, on_target=event.landed))
        open_at_submission(context, work, task)
        outlook = escalate(context, work, task).outlook if event.n > 1 else ""
        inside = inside_of(work.tx, [task]).get(task, ())
    return msgspec.structs.replace(submitted(submission, event, made.status, made, inside), escalation=outlook)


def _keep_head(submission: Submission) -> None:
    """Create the ref that keeps the attempt's commits. (A1, J4)

    This is done inside the transaction, so that a caller who comes late, or lost the lease, moves no ref.
    """
    submission.context.workshop.keep(attempt_ref(submission.task.id, submission.event.n), submission.event.head)


STEPS: tuple[SubmissionStep, ...] = (
    refuse_signal,
    clean_message,
    read_case,
    refuse_token_of_another_task,
    refuse_unclaimed,
    take_over_claim,
    refuse_stranger,
    find_branch,
    commit_or_refuse_uncommitted,
    ask_git,
    refuse_foreign_commits,
    answer_the_same_again,
    refuse_empty,
    freeze,
    place_findings,
    read_branches,
    refuse_nothing_own,
    record,
)


# ---- Behind links (A4, M4) ----

KEPT = 50
"""Number of names of each kind kept with an attempt. One is enough for a decision."""


def marks_behind(
    context: Context, policy: ReviewPolicy, tip: Sha, other: Sha, paths: Sequence[str]
) -> tuple[Mark, ...]:
    """Return marks for gate files, protected paths and check inputs that a change affects by way of symbolic links, and
    for changed files that a check's script names. (A4, M4)

    The links are those in both trees. `tip` is a commit.
    """
    if not paths:
        return ()
    own = set(paths)
    names = {name for links in context.repo.links(tip, other) for name in other_names(links, paths)} - own
    ordered = sorted(names)
    called = called_by(_scripts(context, policy, tip), [*dict.fromkeys(paths), *ordered])
    kept = [*gate_files(policy, ordered)[:KEPT], *deciding(policy, ordered, called)[:KEPT]]
    return (
        *[Mark("behind", path) for path in dict.fromkeys(kept)],
        *[Mark("called", path) for path in called[:KEPT]],
    )


def _scripts(context: Context, policy: ReviewPolicy, tip: Sha) -> list[NamedFiles]:
    """Return the files named in check scripts, reading the scripts on the target. If the change touches a script, that
    counts by itself.
    """
    return [
        named_by(script_text(path, text, command), path.rpartition("/")[0])
        for command in check_commands(policy)
        for path, text in context.repo.texts(tip, [*named_by(command).candidates()]).items()
    ]


def with_links(context: Context, policy: ReviewPolicy, effect: Effect, tip: Sha, result: Sha) -> Effect:
    """Add to a merge's effect the paths that lead to it by way of symbolic links."""
    marks = marks_behind(context, policy, tip, result, effect.paths)
    return replace(effect, marks=(*effect.marks, *marks)) if marks else effect
