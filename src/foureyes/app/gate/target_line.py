"""The target as merges see it (Q6): the branch of this repository, or what the remote has for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.call.merge_stops import ahead_here
from foureyes.app.call.noted_target import branch_here
from foureyes.app.git_ports import Moved, RefUpdate
from foureyes.app.views.news import News
from foureyes.core.words.ids import Sha
from foureyes.core.words.refs import FENCE, spare_ref
from foureyes.errors import GitProblem, Reason, Refused, RemoteProblem
from foureyes.steps import by_person, shell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foureyes.app.call.context import Context
    from foureyes.app.git_ports import Pushed, Remote
    from foureyes.core.nouns.attempt import Attempt

BRANCH = "refs/heads/"


class TargetLine:
    """The target branch `name`. What the remote answered is kept as a value: the refs that note it here are anybody's
    who can write to the repository, and decide nothing.
    """

    def __init__(self, context: Context, name: str, remote: Remote | None) -> None:
        self._context, self.name, self.remote = context, name, remote
        self.branch = f"{BRANCH}{name}"
        self._tips: dict[str, Sha] = {}

    @property
    def at(self) -> str:
        """The target for who reads what is on it: the commit that the remote named last, or the branch here."""
        return self._tips[self.branch] if self.remote else self.name

    @property
    def seen(self) -> Sha | None:
        """Where the remote has it, as it answered last."""
        return self._tips.get(self.branch)

    def tip(self, *also: str) -> Sha:
        """Where the target is now; with a remote that is asked, for the refs that go with a merge, too."""
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
        """Move the target of the remote, with what goes with it: all of it, from where it was seen, or nothing."""
        assert self.remote is not None
        updates = [RefUpdate(self.branch, commit, onto), RefUpdate(FENCE, commit, self._tips.get(FENCE))]
        answer = self.remote.push([*updates, *filter(None, (self._kept(ref, new) for ref, new in also))])
        if not isinstance(answer, Moved):
            self._tips[self.branch] = commit
        return answer

    def _kept(self, ref: str, new: Sha) -> RefUpdate | None:
        """An attempt that goes with a merge, if it is not there; what is there under its name stays."""
        at, spare = self._tips.get(ref), spare_ref(ref, new)
        if new in (at, self._tips.get(spare)):
            return None
        return RefUpdate(ref, new) if at is None else RefUpdate(spare, new, self._tips.get(spare))

    def shut_out(self, onto: Sha) -> bool:
        """Move the fence, so that no push of before arrives any more; False when one has arrived meanwhile."""
        assert self.remote is not None
        workshop, old = self._context.workshop, self._tips.get(FENCE)
        tree = workshop.tree_of(onto)
        assert tree is not None
        words = f"Whoever began a merge before this does not finish it\n\n{self._context.ids.number():032x}\n"
        made = workshop.commit(tree=tree, parents=[onto], message=words)
        return not isinstance(self.remote.push([RefUpdate(FENCE, made, old)]), Moved)

    def follow(self) -> News | None:
        """Q5: bring the branch of this repository to where the remote's is; what is only here stays, and is told."""
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
    """The target of the project; nothing is asked of the remote yet."""
    with context.store.read() as tx:
        return TargetLine(context, context.project(tx).target, context.remote(tx))


def holds_change(context: Context, attempt: Attempt, commit: Sha) -> bool:
    """Q2: whether an approved change is in a commit of the target that has its head: brought there once more, it would
    change nothing. What else is in there is another question (`is_merge_of`).
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
    """Q6: what a merge needs at a remote that takes no push, and what that says: of its words an end may be cut off."""
    assert line.remote is not None
    needs = f"allow the account that runs fe merge to push {line.name} and refs/foureyes/* to {line.remote.name}"
    return f"{needs}; {problem.message}"
