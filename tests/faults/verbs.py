"""Every writing command of the application: what it needs before it, and the command itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from foureyes.app.ports import ListQuery

from tests.app.world import ALICE, BOB, CLAUDE, CODEX, GEMINI
from tests.faults.places import Desk


class Verb(NamedTuple):
    """A command: `before` prepares and names its task, `act` is what is killed."""

    name: str
    before: Callable[[Desk], str]
    act: Callable[[Desk, str], object]


def _open(desk: Desk) -> str:
    return desk.create()


def _two(desk: Desk) -> str:
    desk.create(title="another")
    return desk.create()


def _ids(desk: Desk) -> list[str]:
    return [row.id for row in desk.app.lists.page(ListQuery(sort="oldest"))]


def _waiting(desk: Desk) -> str:
    task = desk.create()
    desk.app.tasks.add_dependency(ALICE, task, [desk.create(title="another")])
    return task


def _blocked(desk: Desk) -> str:
    task = desk.create()
    desk.app.stops.block(CLAUDE, task, "no key")
    return task


def _deferred(desk: Desk) -> str:
    task = desk.create()
    desk.app.stops.defer(ALICE, task, "2027-01-31")
    return task


def _held(desk: Desk) -> str:
    task = desk.create()
    desk.app.stops.hold(ALICE, task, "wait")
    return task


def _closed(desk: Desk) -> str:
    task = desk.handed_in()
    desk.app.closing.close(BOB, task)
    return task


def _landed(desk: Desk) -> str:
    task = desk.approved(BOB)
    desk.script.land(f"fe/{task}")
    return task


def _landed_unapproved(desk: Desk) -> str:
    task = _closed(desk)
    desk.script.land(f"fe/{task}")
    return task


def _labelled(desk: Desk) -> str:
    return desk.create(labels=("urgent", "web"))


def _after_an_exception(desk: Desk) -> str:
    """The mirror has a line already."""
    task = desk.handed_in(CLAUDE, creator=CLAUDE)
    desk.app.closing.close(CLAUDE, task, exception="wrong repository")
    return desk.handed_in(CLAUDE, creator=CODEX)


def _with_work(desk: Desk) -> str:
    task = desk.started()
    desk.script.commit(f"fe/{task}", sessions=[CLAUDE.session])
    return task


def _resubmit(desk: Desk) -> str:
    task = desk.handed_in()
    desk.script.commit(f"fe/{task}", sessions=[CLAUDE.session])
    return task


VERBS = (
    Verb("create", _open, lambda d, t: d.app.tasks.create(ALICE, "new", labels=("a", "b"), depends_on=(t,), description="words", key="k1")),
    Verb("edit", _open, lambda d, t: d.app.tasks.edit(ALICE, t, title="other", priority=0, labels=("x",), minor=True)),
    Verb("edit that ends an approval", lambda d: d.approved(BOB), lambda d, t: d.app.tasks.edit(ALICE, t, acceptance="more")),
    Verb("label add", _open, lambda d, t: d.app.tasks.add_label(ALICE, t, ["urgent", "web"])),
    Verb("label rm", _labelled, lambda d, t: d.app.tasks.remove_label(ALICE, t, ["urgent", "web"])),
    Verb("dep add", _two, lambda d, t: d.app.tasks.add_dependency(ALICE, t, [_ids(d)[0]])),
    Verb("dep rm", _waiting, lambda d, t: d.app.tasks.remove_dependency(ALICE, t, [_ids(d)[1]])),
    Verb("start", _open, lambda d, t: d.app.claims.start(CLAUDE, t)),
    Verb("next", _two, lambda d, t: d.app.claims.next(CLAUDE)),
    Verb("unstart", lambda d: d.started(), lambda d, t: d.app.claims.unstart(CLAUDE, t)),
    Verb("release", lambda d: d.started(), lambda d, t: d.app.claims.unstart(ALICE, t, reason="gone")),
    Verb("submit", _with_work, lambda d, t: d.app.attempts.submit(CLAUDE, t)),
    Verb("submit again", _resubmit, lambda d, t: d.app.attempts.submit(CLAUDE, t, message="again")),
    Verb("approve", lambda d: d.handed_in(), lambda d, t: d.app.decisions.approve(CODEX, t, seen=d.seen(t))),
    Verb(
        "approve with an exception",
        _after_an_exception,
        lambda d, t: d.app.decisions.approve(CODEX, t, seen=d.seen(t), reason="I know what I asked for"),
    ),
    Verb("withdraw", lambda d: d.approved(CODEX), lambda d, t: d.app.decisions.withdraw(CODEX, t, reason="too fast")),
    Verb("redo", lambda d: d.handed_in(), lambda d, t: d.app.decisions.redo(BOB, t, "tests")),
    Verb("reject", lambda d: d.handed_in(), lambda d, t: d.app.decisions.reject(BOB, t, "no")),
    Verb("block", _open, lambda d, t: d.app.stops.block(CLAUDE, t, "no key")),
    Verb("unblock", _blocked, lambda d, t: d.app.stops.unblock(CLAUDE, t)),
    Verb("defer", _open, lambda d, t: d.app.stops.defer(ALICE, t, "2027-01-31")),
    Verb("undefer", _deferred, lambda d, t: d.app.stops.undefer(ALICE, t)),
    Verb("hold", _open, lambda d, t: d.app.stops.hold(ALICE, t, "wait")),
    Verb("hold the project", _open, lambda d, t: d.app.stops.hold(ALICE, None, "wait")),
    Verb("resume", _held, lambda d, t: d.app.stops.resume(ALICE, t, "go on")),
    Verb("close", lambda d: d.handed_in(), lambda d, t: d.app.closing.close(BOB, t)),
    Verb(
        "close with an exception",
        lambda d: d.handed_in(CLAUDE, creator=CLAUDE),
        lambda d, t: d.app.closing.close(CLAUDE, t, exception="wrong repository"),
    ),
    Verb("cancel", _open, lambda d, t: d.app.closing.cancel(ALICE, t, reason="no")),
    Verb("delete", _open, lambda d, t: d.app.closing.delete(ALICE, t, reason="no")),
    Verb("reopen", _closed, lambda d, t: d.app.closing.reopen(BOB, t)),
    Verb("merge", _landed, lambda d, t: d.app.merges.merge(ALICE)),
    Verb("merge of unapproved work", _landed_unapproved, lambda d, t: d.app.merges.merge(ALICE)),
    Verb("policy set", _open, lambda d, t: d.app.policy.set(ALICE, "review.policy", "strict")),
    Verb("log", _open, lambda d, t: d.app.notes.log(GEMINI, t, "a line")),
    Verb(
        "handoff",
        _open,
        lambda d, t: d.app.notes.handoff(GEMINI, t, done=["half"], remaining=["the rest"], decisions=[], uncertain=[]),
    ),
)
