"""Every writing command of the application: what it needs before it, and the command itself."""

from __future__ import annotations

from contextlib import suppress

from msgspec.structs import replace

from foureyes.app.results.session import Spawned
from foureyes.app.results.task_list import ListQuery
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.four_eyes import Declaration
from foureyes.core.words.ids import token_hash
from foureyes.errors import Refused

from tests.faults.run_verbs import RUN_VERBS
from tests.faults.verb import Verb
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, GEMINI, agent
from tests.stage.places import Desk


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
    task = desk.submitted_task()
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
    task = desk.submitted_task(CLAUDE, creator=CLAUDE)
    desk.app.closing.close(CLAUDE, task, exception="wrong repository")
    return desk.submitted_task(CLAUDE, creator=CODEX)


def _with_work(desk: Desk) -> str:
    task = desk.started()
    desk.script.commit(f"fe/{task}", sessions=[CLAUDE.session])
    return task


def _resubmit(desk: Desk) -> str:
    task = desk.submitted_task()
    desk.script.commit(f"fe/{task}", sessions=[CLAUDE.session])
    return task


# Sessions that are given out

SECRET = "fe-" + "0" * 64
"""A token that nobody gave out."""


def _shown(token: str) -> Actor:
    """Whoever shows a token below Claude's process, as the identity adapter sees it."""
    return replace(agent("helper"), ancestors=(*agent("helper").processes, *CLAUDE.processes), token=token_hash(token))


def _child(desk: Desk, made: Spawned) -> Actor:
    return desk.app.sessions.recognise(lambda _: _shown(made.token))


def _family(desk: Desk) -> str:
    """Claude's child has the claim, and a child of its own."""
    task = desk.create()
    child = _child(desk, desk.app.sessions.spawn(CLAUDE, task, "implement"))
    desk.app.notes.log(child, task, "begun")
    desk.app.sessions.spawn(child, task, "implement")
    desk.app.claims.start(CLAUDE, desk.create(title="Claude's own"))
    return task


def _given_out(desk: Desk) -> str:
    """The token of a session that has ended; what is in the place of a task here is the token."""
    task = desk.create()
    made = desk.app.sessions.spawn(CLAUDE, task, "implement")
    desk.app.sessions.end(CLAUDE, made.session)
    return made.token


def _show(desk: Desk, token: str) -> None:
    """Is refused, and leaves a security event: that is the write."""
    with suppress(Refused):
        desk.app.sessions.recognise(lambda _: _shown(token))


# Approvals that are recorded apart, and authors that are none


def _apart(desk: Desk) -> str:
    desk.app.policy.set(ALICE, "review.policy", "delegated")
    return desk.submitted_task()


def _record(desk: Desk, task: str) -> None:
    desk.app.decisions.approve(CODEX, task, seen=desk.seen(task), declaration=Declaration("I looked", record_only=True))


def _recorded(desk: Desk) -> str:
    task = _apart(desk)
    _record(desk, task)
    return task


def _misattributed(desk: Desk) -> str:
    task = desk.started()
    desk.script.commit(f"fe/{task}", sessions=[CLAUDE.session, "ses-typo"])
    desk.app.attempts.submit(CLAUDE, task)
    return task


# Keys


def _with_key(desk: Desk) -> str:
    desk.app.keys.new(ALICE)
    return desk.submitted_task()


def _only_by_key(desk: Desk) -> str:
    task = _with_key(desk)
    desk.app.policy.set(ALICE, "review.human_proof", "key")
    return task


def _first_key(desk: Desk) -> str:
    return next(iter(desk.ring.held()))


VERBS = (
    Verb(
        "create",
        _open,
        lambda d, t: d.app.tasks.create(
            ALICE, "new", labels=("a", "b"), depends_on=(t,), description="words", key="k1"
        ),
    ),
    Verb("edit", _open, lambda d, t: d.app.tasks.edit(ALICE, t, title="other", priority=0, labels=("x",), minor=True)),
    Verb(
        "edit that ends an approval",
        lambda d: d.approved(BOB),
        lambda d, t: d.app.tasks.edit(ALICE, t, acceptance="more"),
    ),
    Verb("label add", _open, lambda d, t: d.app.tasks.add_label(ALICE, t, ["urgent", "web"])),
    Verb("label rm", _labelled, lambda d, t: d.app.tasks.remove_label(ALICE, t, ["urgent", "web"])),
    Verb("dep", _two, lambda d, t: d.app.tasks.add_dependency(ALICE, t, [_ids(d)[0]])),
    Verb("dep --remove", _waiting, lambda d, t: d.app.tasks.remove_dependency(ALICE, t, [_ids(d)[1]])),
    Verb("start", _open, lambda d, t: d.app.claims.start(CLAUDE, t)),
    Verb("next", _two, lambda d, t: d.app.claims.next(CLAUDE)),
    Verb("unstart", lambda d: d.started(), lambda d, t: d.app.claims.unstart(CLAUDE, t)),
    Verb("release", lambda d: d.started(), lambda d, t: d.app.claims.unstart(ALICE, t, reason="gone")),
    Verb("submit", _with_work, lambda d, t: d.app.attempts.submit(CLAUDE, t)),
    Verb("submit again", _resubmit, lambda d, t: d.app.attempts.submit(CLAUDE, t, message="again")),
    Verb("approve", lambda d: d.submitted_task(), lambda d, t: d.app.decisions.approve(CODEX, t, seen=d.seen(t))),
    Verb(
        "approve with an exception",
        _after_an_exception,
        lambda d, t: d.app.decisions.approve(CODEX, t, seen=d.seen(t), reason="I know what I asked for"),
    ),
    Verb("withdraw", lambda d: d.approved(CODEX), lambda d, t: d.app.decisions.withdraw(CODEX, t, reason="too fast")),
    Verb("redo", lambda d: d.submitted_task(), lambda d, t: d.app.feedback.redo(BOB, t, "tests")),
    Verb("reject", lambda d: d.submitted_task(), lambda d, t: d.app.feedback.reject(BOB, t, "no")),
    Verb("block", _open, lambda d, t: d.app.stops.block(CLAUDE, t, "no key")),
    Verb("unblock", _blocked, lambda d, t: d.app.stops.unblock(CLAUDE, t)),
    Verb("defer", _open, lambda d, t: d.app.stops.defer(ALICE, t, "2027-01-31")),
    Verb("undefer", _deferred, lambda d, t: d.app.stops.undefer(ALICE, t)),
    Verb("hold", _open, lambda d, t: d.app.stops.hold(ALICE, t, "wait")),
    Verb("hold the project", _open, lambda d, t: d.app.stops.hold(ALICE, None, "wait")),
    Verb("resume", _held, lambda d, t: d.app.stops.resume(ALICE, t, "go on")),
    Verb("close", lambda d: d.submitted_task(), lambda d, t: d.app.closing.close(BOB, t)),
    Verb(
        "close with an exception",
        lambda d: d.submitted_task(CLAUDE, creator=CLAUDE),
        lambda d, t: d.app.closing.close(CLAUDE, t, exception="wrong repository"),
    ),
    Verb("cancel", _open, lambda d, t: d.app.closing.cancel(ALICE, t, reason="no")),
    Verb("delete", _open, lambda d, t: d.app.closing.delete(ALICE, t, reason="no")),
    Verb("reopen", _closed, lambda d, t: d.app.closing.reopen(BOB, t)),
    Verb("merge", _landed, lambda d, t: d.app.merges.process(ALICE)),
    Verb("merge of unapproved work", _landed_unapproved, lambda d, t: d.app.merges.process(ALICE)),
    Verb("config set", _open, lambda d, t: d.app.policy.set(ALICE, "review.policy", "strict")),
    Verb("log", _open, lambda d, t: d.app.notes.log(GEMINI, t, "a line")),
    Verb(
        "handoff",
        _open,
        lambda d, t: d.app.notes.handoff(GEMINI, t, done=["half"], remaining=["the rest"], decisions=[], uncertain=[]),
    ),
    Verb("whoami --new", _open, lambda d, t: d.app.sessions.new(CLAUDE)),
    Verb("session spawn of an implementer", _open, lambda d, t: d.app.sessions.spawn(CLAUDE, t, "implement")),
    Verb("session spawn of a helper", lambda d: d.started(), lambda d, t: d.app.sessions.spawn(CLAUDE, t, "implement")),
    Verb(
        "session spawn of a reviewer",
        lambda d: d.submitted_task(),
        lambda d, t: d.app.sessions.spawn(CODEX, t, "review", agent="gemini"),
    ),
    Verb("session end of a whole line", _family, lambda d, t: d.app.sessions.end(CLAUDE, reason="done")),
    Verb("session end by a person", _family, lambda d, t: d.app.sessions.end(ALICE, CLAUDE.session)),
    Verb("a token that nobody gave out", _open, lambda d, t: _show(d, SECRET)),
    Verb("a token of an ended session", _given_out, _show),
    Verb("approve, recorded only", _apart, _record),
    Verb("approve that finishes", _recorded, lambda d, t: d.app.decisions.approve(CODEX, t, seen=d.seen(t))),
    Verb(
        "approve that finishes another's",
        _recorded,
        lambda d, t: d.app.decisions.approve(CLAUDE, t, seen=d.seen(t), reason="looked at"),
    ),
    Verb(
        "withdraw of what was only recorded",
        _recorded,
        lambda d, t: d.app.decisions.withdraw(CODEX, t, reason="too fast"),
    ),
    Verb(
        "edit that ends what was only recorded", _recorded, lambda d, t: d.app.tasks.edit(ALICE, t, acceptance="more")
    ),
    Verb(
        "audit correct-author",
        _misattributed,
        lambda d, t: d.app.attempts.correct_author(ALICE, t, "ses-typo", "there is no such session"),
    ),
    Verb("key new, the first", _open, lambda d, t: d.app.keys.new(ALICE)),
    Verb("key new, signed by an earlier one", _with_key, lambda d, t: d.app.keys.new(ALICE)),
    Verb("key add", _with_key, lambda d, t: d.app.keys.add(ALICE, "fake bob 1", "bob@box")),
    Verb("key retire", _with_key, lambda d, t: d.app.keys.retire(ALICE, _first_key(d), "lost")),
    Verb("policy set, signed", _with_key, lambda d, t: d.app.policy.set(ALICE, "review.policy", "strict")),
    Verb(
        "author clear, signed",
        lambda d: (_with_key(d), _misattributed(d))[1],
        lambda d, t: d.app.attempts.correct_author(ALICE, t, "ses-typo", "no"),
    ),
    Verb("approve, signed", _only_by_key, lambda d, t: d.app.decisions.approve(ALICE, t, reason="fine")),
    *RUN_VERBS,
)
