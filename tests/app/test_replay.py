"""Random verbs by several actors: tables equal the replayed journal, counters a recount, and nobody passes their own work (J2, P2)."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from foureyes.app.ports import ListQuery
from foureyes.core.lifecycle import STATUSES
from foureyes.core.session import Actor
from foureyes.errors import FoureyesError, Internal

from tests.app.world import ALICE, BOB, CI, CLAUDE, CODEX, DeskWorld, agent, asserted, child_of, marked

LEAD = agent("lead")
SHARED = agent("twin", 1, evidence=["conversation:x"]), agent("twin", 2, evidence=["conversation:x"])
ACTORS = (CLAUDE, CODEX, LEAD, child_of(LEAD), *SHARED, marked(), ALICE, BOB, CI, asserted(CLAUDE))
FLAGS = {
    "ready": "ready = 1",
    "waiting": "status = 'open' AND open_deps > 0",
    "rejected": "rejected_by IS NOT NULL",
    "held": "hold IS NOT NULL",
    "unmerged": "unmerged = 1",
    "landed": "landed = 1",
}

who = st.sampled_from(ACTORS)
which = st.integers(0, 7)
makers = st.sampled_from([each for each in ACTORS if each.kind != "service" and each.trust != "asserted"])
words = st.sampled_from(["because", "wörds \U0001f642", ""])
verdicts = st.sampled_from(["approve", "approve", "approve", "withdraw", "redo", "reject", "close", "reopen", "edit"])
labels = st.sampled_from(["security", "ux", "docs"])


class Desk(RuleBasedStateMachine):
    """A project in the hands of people and agents who try everything."""

    def __init__(self) -> None:
        super().__init__()
        self.world = DeskWorld()
        self.tasks: list[str] = []
        self.authors: dict[str, set[str]] = {}
        self.passed = 0

    def teardown(self) -> None:
        assert self.world.store.audit().findings == ()
        self.world.app.close()

    def attempt(self, call: Callable[[], object]) -> None:
        """A refusal is fine and leaves nothing behind; anything else that goes wrong is not (G4)."""
        before = self.world.rows()
        try:
            call()
        except Internal:
            raise
        except FoureyesError:
            assert self.world.rows() == before

    def task(self, n: int) -> str:
        return self.tasks[n % len(self.tasks)]

    # Verbs

    @initialize(minor=st.booleans())
    def first(self, minor: bool) -> None:
        self.tasks.append(self.world.create(CODEX, minor=minor))

    @rule(actor=who, n=which, kind=st.sampled_from(["task", "epic"]), minor=st.booleans(), below=st.booleans(), waits=st.booleans())
    def create(self, actor: Actor, n: int, kind: str, minor: bool, below: bool, waits: bool) -> None:
        def call() -> None:
            other = self.task(n)
            waiting = [other] if waits else []
            self.tasks.append(self.world.create(actor, parent=other if below else None, depends_on=waiting, minor=minor, type=kind))

        if len(self.tasks) < 6:
            self.attempt(call)

    @rule(actor=who, n=which, priority=st.integers(0, 4), text=words, minor=st.sampled_from([None, True, False]))
    def edit(self, actor: Actor, n: int, priority: int, text: str, minor: bool | None) -> None:
        self.attempt(lambda: self.world.app.tasks.edit(actor, self.task(n), priority=priority, description=text or None, minor=minor))

    @rule(actor=who, n=which, label=labels, on=st.booleans())
    def label(self, actor: Actor, n: int, label: str, on: bool) -> None:
        verb = self.world.app.tasks.add_label if on else self.world.app.tasks.remove_label
        self.attempt(lambda: verb(actor, self.task(n), [label]))

    @rule(actor=who, n=which, m=which, on=st.booleans())
    def depend(self, actor: Actor, n: int, m: int, on: bool) -> None:
        verb = self.world.app.tasks.add_dependency if on else self.world.app.tasks.remove_dependency
        self.attempt(lambda: verb(actor, self.task(n), [self.task(m)]))

    @rule(actor=who, n=which, m=which)
    def move(self, actor: Actor, n: int, m: int) -> None:
        self.attempt(lambda: self.world.app.tasks.edit(actor, self.task(n), parent=self.task(m) if m else ""))

    @rule(actor=who, n=which)
    def start(self, actor: Actor, n: int) -> None:
        self.attempt(lambda: self.world.start(actor, self.task(n)))

    @rule(actor=who)
    def take_next(self, actor: Actor) -> None:
        self.attempt(lambda: self.world.app.claims.next(actor))

    @rule(actor=who, n=which)
    def unstart(self, actor: Actor, n: int) -> None:
        self.attempt(lambda: self.world.app.claims.unstart(actor, self.task(n)))

    @rule(actor=who, helper=who, n=which, where=st.sampled_from(["branch", "branch", "main"]), lines=st.sampled_from([1, 80]))
    def work_and_submit(self, actor: Actor, helper: Actor, n: int, where: str, lines: int) -> None:
        task = self.task(n)
        owner = next((each for each in ACTORS if each.session == self.world.task(task).implementer), actor)
        self.world.repo.commit("main" if where == "main" else f"fe/{task}", sessions=[owner.session, helper.session], lines=lines)
        self.attempt(lambda: self.world.submit(owner, task))

    @rule(actor=makers, creator=makers, minor=st.booleans(), trailer=st.booleans(), judge=makers, verdict=verdicts)
    def hand_in(self, actor: Actor, creator: Actor, minor: bool, trailer: bool, judge: Actor, verdict: str) -> None:
        """A shorter way into review, and one decision about it."""
        if len(self.tasks) >= 8:
            self.tasks.pop(0)
        task = self.world.create(creator, minor=minor)
        self.tasks.append(task)
        self.attempt(lambda: self.world.start(actor, task))
        self.world.repo.commit(f"fe/{task}", sessions=[actor.session] if trailer else [])
        self.attempt(lambda: self.world.submit(actor, task))
        self.judge(judge, task, verdict)

    @rule(judge=makers, n=which, verdict=verdicts)
    def decide(self, judge: Actor, n: int, verdict: str) -> None:
        self.judge(judge, self.task(n), verdict)

    def judge(self, judge: Actor, task: str, verdict: str) -> None:
        app = self.world.app
        self.attempt(
            {
                "approve": lambda: self.world.approve(judge, task, reason="fine"),
                "withdraw": lambda: app.decisions.withdraw(judge, task),
                "redo": lambda: app.decisions.redo(judge, task, "again"),
                "reject": lambda: app.decisions.reject(judge, task, "no"),
                "close": lambda: app.closing.close(judge, task, exception="really"),
                "reopen": lambda: app.closing.reopen(judge, task),
                "edit": lambda: app.tasks.edit(judge, task, acceptance=f"more {self.world.rows()}"),
            }[verdict]
        )

    @rule(actor=who, n=which, no_code=st.booleans())
    def submit(self, actor: Actor, n: int, no_code: bool) -> None:
        task = self.task(n)
        self.world.repo.here = f"refs/heads/fe/{task}" if f"refs/heads/fe/{task}" in self.world.repo.branches else "refs/heads/main"
        self.attempt(lambda: self.world.submit(actor, task, no_code=no_code))

    @rule(actor=who, n=which, reason=words)
    def approve(self, actor: Actor, n: int, reason: str) -> None:
        self.attempt(lambda: self.world.approve(actor, self.task(n), reason=reason))

    @rule(actor=who)
    def approve_what_is_listed(self, actor: Actor) -> None:
        """P13: what reviewable lists can be approved, unless it is stale."""
        for row in self.world.app.lists.reviewable(actor, ListQuery(limit=2)):
            if not row.you.stale:
                assert self.world.approve(actor, row.task.id, reason="listed").changed

    @rule(actor=who, n=which)
    def withdraw(self, actor: Actor, n: int) -> None:
        self.attempt(lambda: self.world.app.decisions.withdraw(actor, self.task(n)))

    @rule(actor=who, n=which, text=words, verb=st.sampled_from(["redo", "reject"]))
    def send_back(self, actor: Actor, n: int, text: str, verb: str) -> None:
        self.attempt(lambda: getattr(self.world.app.decisions, verb)(actor, self.task(n), text))

    @rule(actor=who, n=which, reason=words, verb=st.sampled_from(["block", "unblock", "defer", "undefer", "hold", "resume"]))
    def stop(self, actor: Actor, n: int, reason: str, verb: str) -> None:
        call = getattr(self.world.app.stops, verb)
        self.attempt(lambda: call(actor, self.task(n)) if verb in ("defer", "undefer") else call(actor, self.task(n), reason))

    @rule(actor=who, n=which, exception=words, verb=st.sampled_from(["close", "cancel", "delete", "reopen", "reopen"]))
    def end(self, actor: Actor, n: int, exception: str, verb: str) -> None:
        call = getattr(self.world.app.closing, verb)
        self.attempt(lambda: call(actor, self.task(n), exception=exception) if verb == "close" else call(actor, self.task(n)))

    @rule(actor=who, n=which)
    def merge(self, actor: Actor, n: int) -> None:
        if f"refs/heads/fe/{self.task(n)}" in self.world.repo.branches:
            self.world.repo.land(f"fe/{self.task(n)}")
        self.attempt(lambda: self.world.app.merges.merge(actor))

    @rule(actor=who, n=which, text=words)
    def log(self, actor: Actor, n: int, text: str) -> None:
        self.attempt(lambda: self.world.app.notes.log(actor, self.task(n), text))

    @rule(actor=who, name=st.sampled_from(["strict", "balanced", "delegated", "trusted", None]))
    def set_policy(self, actor: Actor, name: str | None) -> None:
        self.attempt(lambda: self.world.app.policy.set(actor, "review.policy", name))

    @rule(hours=st.sampled_from([1, 3, 25]))
    def wait(self, hours: int) -> None:
        self.world.clock.advance(hours=hours)

    # What always holds

    @invariant()
    def counters_equal_a_recount(self) -> None:
        counted = dict(self.world.sql("SELECT name, n FROM counters"))
        rows = dict(self.world.sql("SELECT status, count(*) FROM tasks WHERE deleted = 0 GROUP BY status"))
        for status in STATUSES:
            assert counted.get(f"status:{status}", 0) == rows.get(status, 0), status
        for name, condition in FLAGS.items():
            ((n,),) = self.world.sql(f"SELECT count(*) FROM tasks WHERE deleted = 0 AND {condition}")
            assert counted.get(name, 0) == n, name

    @invariant()
    def what_is_ready_is_ready_T4(self) -> None:
        rows = self.world.sql(
            "SELECT t.id, t.ready, t.status = 'open' AND t.hold IS NULL AND t.deleted = 0 AND NOT EXISTS ("
            " SELECT 1 FROM dependencies d JOIN tasks o ON o.id = d.depends_on WHERE d.task = t.id AND o.status <> 'closed')"
            " AND NOT EXISTS (SELECT 1 FROM tasks p WHERE p.id = t.parent AND p.status = 'blocked') FROM tasks t"
        )
        assert all(ready == should for _, ready, should in rows), rows

    @invariant()
    def nobody_passes_their_own_work_P2(self) -> None:
        """Every new approval is by somebody outside of the author set, its origins and its descendants, or of a minor task."""
        rows = self.world.sql("SELECT seq, task, session, rule, exception FROM approvals WHERE seq > ? ORDER BY seq", self.passed)
        for seq, task, session, by, exception in rows:
            self.passed = seq
            makers = {str(row[0]) for row in self.world.sql("SELECT session FROM authors WHERE task = ?", task)}
            origins = dict(self.world.sql("SELECT id, origin FROM sessions"))
            assert makers, "nothing is approved that nobody made (P0)"
            if by == "P1":
                assert self.world.sql("SELECT minor FROM tasks WHERE id = ?", task) == [(1,)]
                continue
            assert session not in makers
            assert origins[session] not in {origins.get(maker) for maker in makers}
            above = {str(row[0]) for row in self.world.sql("SELECT parent FROM sessions WHERE id = ? AND parent IS NOT NULL", session)}
            assert not above & makers
            assert self.world.sql("SELECT kind, proven, trust = 'asserted' FROM sessions WHERE id = ?", session)[0][1:] == (1, 0)
            assert not exception or self.world.sql("SELECT count(*) FROM security WHERE task = ? AND seq = ?", task, seq + 1) == [(1,)]

    @invariant()
    def a_closed_task_has_a_reason_to_be_closed_T2(self) -> None:
        rows = self.world.sql(
            "SELECT id FROM tasks t WHERE (status = 'approved' OR (status = 'closed' AND resolution IN ('approved', 'merged')))"
            " AND NOT EXISTS (SELECT 1 FROM approvals a WHERE a.task = t.id AND a.state = 'active' AND a.attempt = t.iteration)"
        )
        assert rows == [], "approved or merged without an approval of its current attempt"

    @invariant()
    def author_sets_only_grow_I8(self) -> None:
        for task in self.tasks:
            now = {str(row[0]) for row in self.world.sql("SELECT session FROM authors WHERE task = ?", task)}
            assert self.authors.get(task, set()) <= now
            self.authors[task] = now


Desk.TestCase.settings = settings(max_examples=100, stateful_step_count=50, deadline=None, suppress_health_check=list(HealthCheck))
TestDesk = Desk.TestCase
