"""Where the work of a submission is (K1, K4): the branch, what is not committed there, and where else to look.

Shells of agents forget where they stood: who has a worktree for the task and calls from a checkout of the target means
what lies in the worktree.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from foureyes.app.call.refusals import refuse_task
from foureyes.app.call.rows import IdRow
from foureyes.app.call.unbrought import unbrought_since
from foureyes.app.work.worktrees import branch_of
from foureyes.core.words.fence import named, some
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import DETACHED, OWN_BRANCHES, own_branch, own_name
from foureyes.core.words.secrets import is_likely_secret
from foureyes.core.words.text import clean_text
from foureyes.errors import NotFound, Reason
from foureyes.steps import Steps, blank, by_person, either, fe, in_turn, phrase, prose, shell

if TYPE_CHECKING:
    from foureyes.app.gate.hand_in import HandIn
    from foureyes.app.git_ports import Additions, Fence

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
