"""A submission (A1): named steps, from what the caller wants to what is on record. The list `STEPS` is the map."""

from __future__ import annotations

import posixpath
from collections.abc import Callable
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.context import Context, IdRow, Token, of_party, refuse_from, refuse_other_task, refuse_task
from foureyes.app.cycles.reviewers import open_at_hand_in
from foureyes.app.facts import authors_of_change, facts_of, of_facts
from foureyes.app.findings import answers as answers_module
from foureyes.app.findings import inheritance
from foureyes.app.findings.auto_decisions import decide_by_rule
from foureyes.app.findings.records import findings_of_task
from foureyes.app.gate import stacks
from foureyes.app.ports import NamedQuery
from foureyes.app.stacks import inside_of
from foureyes.app.target import TargetOfHandIn, counted_against
from foureyes.app.target_merges import unbrought_since
from foureyes.app.tasks.escalation import escalate
from foureyes.app.views.attempt import SubmitOutcome
from foureyes.app.views.project import ProjectView
from foureyes.app.work.claims import is_successor, take_over
from foureyes.app.work.remote_attempts import Over, clone_of, pushed_over, with_sent
from foureyes.app.work.worktrees import branch_of
from foureyes.core.events.decision import AttemptSubmitted
from foureyes.core.events.loop import FindingsCleared, Placed
from foureyes.core.nouns.attempt import SIGNALS, Change, Commit, Effect, HandInSignal, Mark, Relation
from foureyes.core.nouns.finding import Finding
from foureyes.core.nouns.session import Actor, Party, is_one_origin
from foureyes.core.nouns.task import Task
from foureyes.core.rules import gate
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.involvement import is_under
from foureyes.core.rules.policy import ReviewPolicy, check_commands, deciding, gate_files
from foureyes.core.rules.stacks import status_words
from foureyes.core.words.commands import NamedFiles, called_by, named_by, script_text
from foureyes.core.words.fence import named, some
from foureyes.core.words.ids import SessionId, Sha, TaskId, seen_name
from foureyes.core.words.paths import is_likely_secret, other_names
from foureyes.core.words.refs import DETACHED, OWN_BRANCHES, attempt_ref, own_branch, own_name
from foureyes.core.words.text import clean_text
from foureyes.errors import BadInput, NotFound, Reason
from foureyes.steps import Steps, blank, by_person, either, fe, in_turn, phrase, prose, shell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foureyes.app.findings.auto_decisions import MadeByGate
    from foureyes.app.git_ports import Additions, Fence
    from foureyes.app.ports import Tx
    from foureyes.app.views.attempt import InsideRow
    from foureyes.core.nouns.attempt import Attempt


# ---- Handed in (A1) ----


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
    notes = about_the_branch(hand.context, hand.task, hand.facts.attempt, hand.ref)
    return (*([hand.over.words] if hand.over else []), *_uncounted(hand), *notes)


def _uncounted(hand: HandIn) -> tuple[str, ...]:
    """Q6: that nobody could say what it is counted from, and what counts it again."""
    why, target = hand.counted.unsaid, hand.project.target
    at = f"it is counted from {target} as this clone has it ({hand.change.base[:7]})"
    again = f"fe submit {hand.task.id} once more, when that can be asked, counts it again if need be"
    return (f"{at}: {why}; {again}",) if why else ()


# ---- Own work (A5, K4) ----

TASKS_NAMED = 3


class MergedAs(msgspec.Struct, frozen=True):
    """The commit that brought a task to the target, and the commits that came with it."""

    task: str
    sha: str
    commits: list[Commit]


class Others(msgspec.Struct, frozen=True):
    """Where the own part of a change begins, after what was merged for others; and for whom, if nothing is left."""

    begins: Sha
    only: str = ""


def after_others(tx: Tx, task: TaskId, change: Change) -> Others | None:
    """K4: what was merged for other tasks is theirs. None where the own part begins where the task did."""
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
    """A5, A7: what another task submitted, with nothing besides, is that task's."""
    if event.landed or not event.pieces:
        return
    with context.store.read() as tx:
        other = stacks.handed_in_before(tx, task, event)
    if other is None:
        return
    own, name = own_name(task), _short(event.ref)
    why = f"{name} has nothing of its own beyond {other.id} ({status_words(other)})"
    if event.ref != own_branch(task) and context.repo.branch_ref(own) is not None:
        step = fe("submit", task, "--branch", own)
    else:
        step = fe("submit", task, before=f"commit the changes for {task}, then: ")
    refuse_task(task, NOT_IN, Reason("A5", why, step))


def about_the_branch(context: Context, task: Task, last: Attempt | None, ref: str) -> tuple[str, ...]:
    """What there is to say about where a submission came from: another task's branch, another one than the last time."""
    notes = []
    named = ref.removeprefix(OWN_BRANCHES)
    if ref.startswith(OWN_BRANCHES) and named != task.id:
        with context.store.read() as tx:
            is_task = tx.one("task.exists", IdRow, id=named) is not None
        notes += [f"it came from {_short(ref)}, the branch of {named}. The next commit there ends it."] * is_task
    if last is not None and last.ref != ref:
        notes.append(f"attempt {last.n} came from {_short(last.ref)}, this one from {_short(ref)}")
    return tuple(notes)


def _short(ref: str) -> str:
    return "a detached head" if ref == DETACHED else ref.removeprefix("refs/heads/")


# ---- Work place (K1, K4) ----

# Shells of agents forget where they stood: who has a worktree for the task and calls from a checkout of the target means
# what lies in the worktree.

SHOWN_PATHS = 5
MIB = 1 << 20
LARGE = 5 * MIB
"""A new file of more bytes is rarely meant: what is in a history once, everybody clones."""
NOT_IN = "was not submitted"


def find_branch(hand: HandIn) -> None:
    """K4: the branch the work is on: the named one, the last attempt's when somebody else submits, that of the task's
    worktree when there is work in it and the caller stands on the target; else where the caller stands. Who stands
    nowhere means the task's branch.
    """
    repo, branch, attempt = hand.context.repo, hand.wish.branch, hand.facts.attempt
    if branch is not None:
        ref = repo.branch_ref(branch)
        if ref is None:
            raise NotFound(f"there is no branch {branch}.", next_step=shell("git", "branch", "--list"))
        hand.ref = ref
    elif attempt is not None and attempt.ref != DETACHED and hand.actor.session != hand.task.implementer:
        hand.ref = attempt.ref
    elif hand.wish.apart and repo.commit_of(own := branch_of(hand.context, hand.task.id)) is not None:
        hand.ref = own
    else:
        hand.ref = repo.current_ref()
        _refuse_branch_of_another_task(hand)
        hand.ref = _in_its_worktree(hand) or hand.ref


def _refuse_branch_of_another_task(hand: HandIn) -> None:
    """K1: who stands in the worktree of another task would submit that task's work."""
    context, task, named = hand.context, hand.task.id, hand.ref.removeprefix(OWN_BRANCHES)
    if not hand.ref.startswith(OWN_BRANCHES) or named == task or context.repo.branch_ref(own_name(task)) is None:
        return
    with context.store.read() as tx:
        is_task = tx.one("task.exists", IdRow, id=named) is not None
    if is_task:
        why = f"your checkout is on {own_name(named)}, the branch of {named}"
        refuse_task(task, NOT_IN, Reason("A1", why, fe("submit", task, "--branch", own_name(task))))


def _in_its_worktree(hand: HandIn) -> str:
    """K1: the branch of the task's worktree, where the caller stands on the target. Only what was committed straight on
    the target, with nothing else anywhere, is submitted from there (K4).
    """
    repo, task = hand.context.repo, hand.task.id
    if hand.ref != f"refs/heads/{hand.project.target}" or task not in hand.context.workshop.worktrees():
        return ""
    ref = branch_of(hand.context, task)
    return ref if _has_work(hand, ref) or repo.uncommitted(ref) or repo.uncommitted(hand.ref) else ""


def _has_work(hand: HandIn, ref: str) -> bool:
    """Whether a branch has a commit that the target lacks."""
    repo = hand.context.repo
    head, target = repo.commit_of(ref), repo.commit_of(hand.target)
    return head is not None and target is not None and not repo.is_ancestor(head, target)


def commit_or_refuse_uncommitted(hand: HandIn) -> None:
    """A1: what is not committed is not submitted; `--commit` commits it first."""
    repo, task, commit = hand.context.repo, hand.task, hand.wish.commit
    paths = repo.uncommitted(hand.ref)
    if not paths:
        return
    if conflicts := repo.uncommitted(hand.ref, in_conflict=True):
        steps = shell("git", "add", blank("PATH"), before="resolve them, then: ")
        why = f"unresolved conflicts: {some(conflicts, SHOWN_PATHS)}"
        refuse_task(task.id, NOT_IN, Reason("A1", why, steps))
    is_here = hand.wish.branch is None and hand.ref == repo.current_ref()
    apart = task.id if hand.wish.apart and _is_own(hand) else ""
    if commit is not None and commit.strip() and (apart or (is_here and not hand.wish.apart)):
        trailers = [("Task", str(task.id)), ("Foureyes-Session", str(task.implementer or hand.actor.session))]
        additions = repo.additions(hand.ref)
        _refuse_unasked(hand, additions)
        fence: Fence = lambda: hand.context.writing(hand.actor, "submit")  # noqa: E731 (J4: its lease may be lost)
        message = clean_text(commit, "the commit message")
        hand.context.workshop.commit_all(message, trailers, apart=apart, fence=fence)
        hand.committed, hand.new = tuple(paths), tuple(sorted(additions.new))
        return
    are, it = ("file is", "it") if len(paths) == 1 else ("files are", "them")
    step = fe("submit", task.id, "--commit", phrase("message"), before=f"commit {it}, or: ")
    place = "" if is_here else hand.context.workshop.worktrees().get(task.id, "")
    step = in_turn(shell("cd", place), step, joint=", ") if place else step
    if hand.wish.apart and commit:
        step = prose(f"commit {it} yourself; a server commits only in the worktree of a task")
    where = f" in {place}" if place else ""
    why = f"{len(paths)} {are} not committed{where}: {some(paths, SHOWN_PATHS)}"
    refuse_task(task.id, NOT_IN, Reason("A1", why, step))


def _is_own(hand: HandIn) -> bool:
    """Whether the work is in the task's own worktree: for who stands nowhere nothing else is committed, and never what
    lies in a checkout of somebody's.
    """
    task = hand.task.id
    return task in hand.context.workshop.worktrees() and hand.ref == branch_of(hand.context, task)


def _refuse_unasked(hand: HandIn, additions: Additions) -> None:
    """A1: a commit of everything takes along what nobody thought of; secrets and large files only by name."""
    meant = {posixpath.normpath(path) for path in hand.wish.include}
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
                    hand.task.id,
                    "--commit",
                    message,
                    "--include",
                    path,
                    before="let git ignore it, or if it belongs there: ",
                ),
            )
            for path, why in odd.items()
        ]
        refuse_task(hand.task.id, "was neither committed nor submitted", *reasons)


def beginning(hand: HandIn) -> Sha | None:
    """Where the target was when the task began, where that is known and in this clone."""
    start = hand.task.start_target
    return start if start is not None and hand.context.repo.commit_of(start) is not None else None


def refuse_unknown_beginning(hand: HandIn) -> None:
    """K4: what the target got since a commit that this clone lacks, nobody can tell; nothing is refused where it is on
    record nowhere (`perhaps_landed`).
    """
    task, start, target = hand.task.id, hand.task.start_target, hand.project.target
    if start is None:
        return
    why = (
        f"the commit at which {task} began ({start[:12]}) is not in this clone: what {target} got since cannot be told"
    )
    fetch = in_turn(shell("git", "fetch", hand.policy.remote), fe("submit", task)) if hand.policy.remote else None
    branch = fe("submit", task, before="commit your work on a branch, or go to the clone in which it began, then: ")
    close = by_person(fe("close", task, "-m", phrase("why there is no code, or who reviewed it")))
    refuse_task(task, NOT_IN, Reason("K4", why, either(*filter(None, (fetch, branch, close)))))


def nothing_here(hand: HandIn) -> str:
    """A5: where there is nothing to submit."""
    name, target = hand.ref.removeprefix("refs/heads/"), hand.project.target
    if hand.only_others:
        return f"since the start {name} got only the merges of {hand.only_others}"
    if name == target:
        return f"nothing was committed on {name} since the start"
    return f"{name} has nothing that {target} lacks{_left_lying(hand)}"


def perhaps_landed(hand: HandIn) -> tuple[str, Steps]:
    """K4, Q6: that nothing is to be seen, and nobody knows where the target was when the task began; and where else to
    look. Who says that there is no code is a person then.
    """
    task, target = hand.task.id, hand.project.target
    name, remote = hand.ref.removeprefix("refs/heads/"), hand.policy.remote
    there = remote if remote and hand.counted.is_told else target
    lacks = f"{name} has nothing that {there} lacks" if name != there else f"nothing new can be seen on {name}"
    why = f"{lacks}, and it is not known where {target} was when {task} began: what is there may be the work"
    if hand.ref != own_branch(task) and _has_work(hand, own_branch(task)):
        return why, fe("submit", task, "--branch", own_name(task))
    close = by_person(fe("close", task, "-m", phrase("why there is no code, or who reviewed it")))
    wait = ""
    if not hand.counted.is_told:
        why, wait = "; ".join(filter(None, (why, hand.counted.unsaid))), f", or wait until {remote} answers"
    return why, either(fe("submit", task, before=f"commit your work on a branch{wait}, then: "), close)


def landed_unseen(hand: HandIn) -> tuple[str, Steps] | None:
    """K4: that the remote's target got commits since the task began that no task brought, and the branch that is handed
    in has them not: they may be the work. Who says that there is no code is a person then. None where it got none.
    """
    task, start, remote = hand.task.id, hand.task.start_target, hand.policy.remote
    if not remote or start is None or not hand.counted.is_told:
        return None
    came = unbrought_since(hand.context, start, Sha(hand.counted.at))
    if came is None:
        return None
    why = f"since {task} began, {came.text}: that may be the work, and --no-code would hand it in unseen"
    close = by_person(fe("close", task, "-m", phrase("why there is no code, or who reviewed it")))
    theirs = fe("submit", task, before=f"if they are yours: git pull {remote} {hand.project.target}, then: ")
    return why, either(came.next, theirs, close)


def _left_lying(hand: HandIn) -> str:
    """A1: what is not committed where the caller stands, when the work was looked for in the task's worktree."""
    repo = hand.context.repo
    paths = repo.uncommitted(repo.current_ref()) if hand.wish.branch is None and hand.ref != repo.current_ref() else []
    are = "file is" if len(paths) == 1 else "files are"
    return f"; {len(paths)} {are} not committed in this checkout: {some(paths, SHOWN_PATHS)}" if paths else ""


def maybe_there(hand: HandIn) -> Steps:
    """Where else the work may be."""
    task = hand.task.id
    if hand.ref != own_branch(task) and _has_work(hand, own_branch(task)):
        return fe("submit", task, "--branch", own_name(task))
    place = hand.context.workshop.worktrees().get(task, "")
    work = f"commit your work in {place}" if place else "commit your work on a branch"
    return fe("submit", task, "--no-code", before=f"{work}; if there really is no code: ")


# ---- A submission (A1) ----

# Git is asked before the one transaction that writes; if the task moved meanwhile, nothing is written.


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
        hand.findings = findings_of_task(tx, task.id)
        hand.answers = answers_module.answers_in(tx, task.id, task.iteration + 1)


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
    start = beginning(hand)
    if start is None and (covering is not None or target == task.start_target):
        refuse_unknown_beginning(hand)
    change = ask(target=target, ref=hand.ref, since=start, covering=covering)
    if start is None and change.is_empty:
        refuse_unknown_beginning(hand)
    if change.landed and not hand.counted.is_told:  # on a target that nobody asked about: it is to be merged yet (Q6)
        change = ask(target=task.start_target or target, ref=hand.ref, since=None)
    if change.landed or covering is not None:
        with hand.context.store.read() as tx:
            others = after_others(tx, task.id, change)
        if others is not None:
            hand.only_others = others.only
            begins = others.begins
            change = ask(target=target, ref=hand.ref, since=begins, covering=covering and begins)
    hand.change = change


def refuse_foreign_commits(hand: HandIn) -> None:
    """L6: a commit that an answer names lies in what is submitted."""
    answers_module.refuse_foreign_commits(hand.answers, hand.task.id, hand.change)


def refuse_empty(hand: HandIn) -> None:
    """A5: an empty diff only as `--no-code`, and that only for an empty diff. Where nobody knows since when it is
    empty, or where the remote got commits meanwhile that no task brought, it says nothing: what the target has may be
    the work (K4, Q6).
    """
    task, change = hand.task.id, hand.change
    if change.is_empty and hand.task.start_target is None:
        refuse_task(task, NOT_IN, Reason("Q6", *perhaps_landed(hand)))
    if change.is_empty and not hand.wish.no_code:
        refuse_task(task, NOT_IN, Reason("A5", nothing_here(hand), maybe_there(hand)))
    if change.is_empty and (came := landed_unseen(hand)) is not None:
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
        hand.places = answers_module.places_of(hand.context, hand.findings, hand.change, last)
    hand.followed = inheritance.settled_copies(hand.context, hand.task.id, hand.findings, hand.change)
    hand.brought = inheritance.found_again(hand.context, hand.event, hand.task.id)


def look_at_branches(hand: HandIn) -> None:
    """A7: what stands on the branches of tasks that submitted nothing yet."""
    hand.branches = stacks.branches_inside(hand.context, hand.task.id, hand.change)


def refuse_nothing_own(hand: HandIn) -> None:
    """A5: what another task submitted, with nothing besides, is that task's."""
    refuse_work_of_others(hand.context, hand.task.id, hand.event)


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
        work.tx.along(("merge.sent", {}), *_of_pieces(task, hand.event), *stacks.of_attempts(task))
        context.check_version(work.tx, context.find(work.tx, task), hand.task.version)
        _keep_head(hand)
        answers_module.refuse_unanswered(work.tx, task, work.at, hand.followed)
        event = inheritance.with_shared_authors(work.tx, hand.event, task)
        event = stacks.stacked(work.tx, task, event, hand.branches)
        work.record(task, event)
        work.tx.along(("task.get", {"id": task}), *_of_pieces(task, event), *of_facts([task]))
        stacks.raise_others(work, task, event)
        answers_module.carry(context, work, task, event, hand.places, event.implementer)
        if hand.followed:
            work.gate.record(task, FindingsCleared(iteration=event.n, roots=hand.followed, why="root"))
        inheritance.inherit(context, work, task, event, hand.brought)
        inheritance.come_back(context, work, task, event, hand.brought)
        made = decide_by_rule(context, work, task, gate.Tip(head=event.head, on_target=event.landed))
        open_at_hand_in(context, work, task)
        outlook = escalate(context, work, task).outlook if event.n > 1 else ""
        inside = inside_of(work.tx, [task]).get(task, ())
    return msgspec.structs.replace(submitted(hand, event, made.status, made, inside), said=outlook)


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
    find_branch,
    commit_or_refuse_uncommitted,
    ask_git,
    refuse_foreign_commits,
    answer_the_same_again,
    refuse_empty,
    freeze,
    place_findings,
    look_at_branches,
    refuse_nothing_own,
    record,
)


# ---- Behind links (A4, M4) ----

KEPT = 50
"""So many names of each kind are kept with an attempt; one decides as much as all."""


def marks_behind(
    context: Context, policy: ReviewPolicy, tip: Sha, other: Sha, paths: Sequence[str]
) -> tuple[Mark, ...]:
    """The names of gate files, protected paths and files that decide how checks run, under which links of these trees
    lead to what is changed; and what of it a script of a check names. `tip` is a commit.
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
    """What the scripts name that the commands of the checks name, as the target has them: one that the change touches
    is named by the command itself.
    """
    return [
        named_by(script_text(path, text, command), path.rpartition("/")[0])
        for command in check_commands(policy)
        for path, text in context.repo.texts(tip, [*named_by(command).candidates()]).items()
    ]


def with_links(context: Context, policy: ReviewPolicy, effect: Effect, tip: Sha, result: Sha) -> Effect:
    """What a merge does to the target, with the names under which links there lead to it."""
    marks = marks_behind(context, policy, tip, result, effect.paths)
    return replace(effect, marks=(*effect.marks, *marks)) if marks else effect
