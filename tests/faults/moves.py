"""Every step on the way from submission to merge: what it needs before it, the command, and what somebody does next."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from foureyes.core.nouns.decision import RedoOption

from tests.stage.checkout import Checkout
from tests.stage.floor import CODE, Floor
from tests.stage.fork import Child
from tests.stage.people import ALICE, BOB, CI, CLAUDE


class Move(NamedTuple):
    """A command on the floor.

    `whole`: it is one transaction. `once`: who repeats it does it twice, so looks first. `daily`: not only every night.
    """

    name: str
    before: Callable[[Floor], str]
    act: Callable[[Floor, str], object]
    after: Callable[[Floor, str], object]
    whole: bool = True
    once: bool = False
    daily: bool = True


def _nothing(floor: Floor, task: str) -> None:
    """Nobody does anything."""


def _start(floor: Floor, task: str) -> None:
    """The next one takes it up again, as far as it is open: feedback, branch and worktree are as the redo wants
    them.
    """
    floor.app.claims.start(CLAUDE, task)
    floor.app.worktrees.open(CLAUDE, task)


def _merge(floor: Floor, task: str) -> None:
    floor.merge()


def _reopen(floor: Floor, task: str) -> None:
    floor.app.closing.reopen(BOB, task)
    _start(floor, task)


def _checked(floor: Floor) -> str:
    task = floor.delivered()
    floor.app.checks.run(CI, task)
    return task


def _two_agreed(floor: Floor) -> str:
    floor.agreed()
    return floor.agreed()


def _edited(floor: Floor) -> str:
    task = floor.agreed()
    floor.edit()
    return task


def _behind(floor: Floor, name: str, other: str) -> str:
    """Approved for a target that has moved meanwhile: somebody else's work was merged first."""
    floor.agreed(name=name, text="one\n")
    task = floor.delivered(name=other, text="two\n")
    floor.close()
    Child(floor.merge).result()
    floor.app.checks.run(CI, task)
    floor.app.decisions.approve(BOB, task, seen=floor.seen(task))
    return task


def _conflicting(floor: Floor) -> str:
    """Both change the same lines."""
    return _behind(floor, CODE, CODE)


def _red_together(floor: Floor) -> str:
    """Each is green alone."""
    return _behind(floor, "left.py", "right.py")


def _with_checkpoint(floor: Floor) -> str:
    """Two commits, and a name for the first."""
    task = floor.worked()
    place = floor.place.folder / "worktrees" / task
    floor.app.context.workshop.add_checkpoint(task, "half", Checkout(place).head(), at=floor.app.context.clock.now())
    floor.work(CLAUDE, task, text="more\n")
    floor.submit(CLAUDE, task)
    return task


def _again(floor: Floor) -> str:
    """Sent back once, and worked on again."""
    task = floor.delivered()
    floor.app.feedback.redo(BOB, task, "more")
    floor.app.claims.start(CLAUDE, task)
    floor.work(CLAUDE, task, text="more\n")
    return task


def _redo(option: RedoOption, checkpoint: str = "") -> Callable[[Floor, str], object]:
    return lambda floor, task: floor.app.feedback.redo(
        BOB, task, "not yet", issues=["1"], option=option, checkpoint=checkpoint, priority="bump"
    )


PLAN = """
## Task: First
Labels: review:per-task

## Task: Second
Depends on: First
Priority: P1

## Task: Third
Depends on: Second
"""


MOVES = (
    Move("submit", lambda f: f.worked(), lambda f, t: f.submit(CLAUDE, t), _nothing),
    Move("submit again", _again, lambda f, t: f.submit(CLAUDE, t), _nothing, daily=False),
    Move(
        "submit that the rule approves",
        lambda f: f.worked(labels=["review:skip"]),
        lambda f, t: f.submit(CLAUDE, t),
        _merge,
    ),
    Move(
        "check run", lambda f: f.delivered(), lambda f, t: f.app.checks.run(CI, t), _nothing, whole=False, daily=False
    ),
    Move(
        "check run that approves",
        lambda f: f.delivered(labels=["review:auto"]),
        lambda f, t: f.app.checks.run(CI, t),
        _merge,
        whole=False,
    ),
    Move(
        "check run that sends back",
        lambda f: f.delivered(labels=["review:auto"], text="RED\n"),
        lambda f, t: f.app.checks.run(CI, t),
        _start,
        whole=False,
    ),
    Move("approve", _checked, lambda f, t: f.app.decisions.approve(BOB, t, seen=f.seen(t)), _merge),
    Move("redo keep", lambda f: f.delivered(), _redo("keep"), _start),
    Move("redo of an approved one", lambda f: f.agreed(), _redo("keep"), _start, daily=False),
    Move("redo fresh", lambda f: f.delivered(), _redo("fresh"), _start),
    Move("redo checkpoint", _with_checkpoint, _redo("checkpoint", "half"), _start),
    Move("reject", lambda f: f.delivered(), lambda f, t: f.app.feedback.reject(BOB, t, "not at all"), _reopen),
    Move("plan import", lambda f: "", lambda f, t: f.app.plans.import_(ALICE, PLAN), _nothing, once=True),
    Move("merge", _two_agreed, _merge, _merge, whole=False),
    Move("merge beside a dirty checkout", _edited, _merge, _merge, whole=False),
    Move("merge with a conflict", _conflicting, _merge, _start, whole=False),
    Move("merge with red checks", _red_together, _merge, _start, whole=False),
)
