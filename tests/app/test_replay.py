"""Random verbs by several actors: tables equal the replayed journal, counters a recount, and nobody passes their own
work (J2, P2).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, MultipleResults, RuleBasedStateMachine, initialize, invariant, multiple, rule
from msgspec.structs import replace

from foureyes.app.results.task_list import ListQuery
from foureyes.core.nouns.decision import PriorityChange, RedoOption
from foureyes.core.nouns.finding import RULINGS, Answer, AnswerWord, ReportedFinding, Ruling, RulingWord, Severity
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.four_eyes import Declaration
from foureyes.core.words.ids import SessionId
from foureyes.core.words.lifecycle import STATUSES, RunEnd
from foureyes.errors import FoureyesError, Internal, Refused

from tests.stage.checkout import SETTINGS
from tests.stage.night import plays
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, agent, asserted, child_of, marked
from tests.stage.scripted_git import MergingWorkshop
from tests.stage.world import DeskWorld

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

SPAWNED = 6
"""More children than this are not made: everybody else would never have a turn."""
OF_A_ROLE = {
    "implement": ("TaskStarted", "AttemptSubmitted", "FindingsAnswered"),
    "review": (
        "Approved",
        "ApprovalRecorded",
        "ApprovalFinished",
        "ApprovalWithdrawn",
        "RedoRequested",
        "TaskRejected",
        "ReviewSubmitted",
        "FindingRuled",
    ),
}
"""I2: what only a token of this role is good for."""

who = Bundle("who")
"""Everybody above, whoever they spawn, and whatever they call themselves after `session new`."""
which = st.integers(0, 7)
makers = who.filter(lambda actor: actor.kind != "service" and actor.trust != "asserted")
planners = st.sampled_from([each for each in ACTORS if each.kind != "service" and each.trust != "asserted"])
worktree_of = st.sampled_from(["delegated", "trusted"])
words = st.sampled_from(["because", "wörds \U0001f642", ""])
verdicts = st.sampled_from(["approve", "approve", "approve", "withdraw", "redo", "reject", "close", "reopen", "edit"])
labels = st.sampled_from(["security", "ux", "docs", "trivial", "review:skip", "review:auto", "review:batch"])
LOOSE = ("trivial", "review:skip", "review:auto")
outcomes = st.sampled_from(["passed", "passed", "passed", "failed", "crashed"])
severities: st.SearchStrategy[Severity] = st.sampled_from(["CRITICAL", "HIGH", "HIGH", "MEDIUM", "LOW"])
answers: st.SearchStrategy[AnswerWord] = st.sampled_from(["FIXED", "FIXED", "REJECTED", "DEFERRED", "SKIPPED"])
rulings: st.SearchStrategy[RulingWord] = st.sampled_from(RULINGS)
ends: st.SearchStrategy[RunEnd] = st.sampled_from(["", "", "crash", "timeout", "cancelled"])
leads = st.sampled_from(["split", "senior", "fresh", "ask", "continue"])
priorities: st.SearchStrategy[PriorityChange] = st.sampled_from(["same", "bump", "lower"])
options: st.SearchStrategy[RedoOption] = st.sampled_from(["keep", "keep", "fresh", "checkpoint"])
CHECKS = (
    '[[checks]]\nname = "tests"\nrun = "pytest"\nreport = "junit"\n[[checks]]\nname = "lint"\nrun = '
    '"ruff"\nrequired = false\n'
)
PLAN = "## Task: one\n\n## Task: two\nDepends on: one\nLabels: review:batch\n"


class RandomVerbs(RuleBasedStateMachine):
    """A project in the hands of people and agents who try everything."""

    def __init__(self) -> None:
        super().__init__()
        self.world = DeskWorld()
        self.world.workshop = self.workshop = MergingWorkshop(self.world.repo)
        self.tasks: list[str] = []
        self.authors: dict[str, set[str]] = {}
        self.passed = self.ruled = 0
        self.is_checked = False
        self.known: dict[str, Actor] = {}
        self.spawned: list[Actor] = []

    def teardown(self) -> None:
        assert self.world.store.audit().findings == ()
        self.world.app.close()

    def attempt(self, call: Callable[[], object], *, only: str = "") -> None:
        """A refusal (`only` by this rule) is fine and leaves nothing behind; anything else that goes wrong is not
        (G4).
        """
        before = self.world.rows()
        try:
            call()
        except Internal:
            raise
        except FoureyesError as problem:
            rules = {reason.rule for reason in problem.reasons}
            assert (self.world.rows(), rules if only else "") == (before, {only} if only else "")

    def task(self, n: int) -> str:
        return self.tasks[n % len(self.tasks)]

    def met(self, *actors: Actor) -> MultipleResults[Actor]:
        """They have a turn from now on."""
        self.known |= {actor.session: actor for actor in actors}
        return multiple(*actors)

    def is_over(self, actor: Actor) -> bool:
        """Whether its token has ended."""
        return self.world.sql("SELECT ended_seq > 0 FROM tokens WHERE session = ?", actor.session) == [(1,)]

    def setting(self, name: str) -> str:
        found = self.world.sql("SELECT value FROM settings WHERE name = ?", name)
        return str(found[0][0]) if found else ""

    # Verbs

    @initialize(target=who)
    def everybody(self) -> MultipleResults[Actor]:
        return self.met(*ACTORS)

    @initialize(minor=st.booleans())
    def first(self, minor: bool) -> None:
        self.tasks.append(self.world.create(CODEX, minor=minor))

    @rule(
        actor=who,
        n=which,
        kind=st.sampled_from(["task", "epic"]),
        minor=st.booleans(),
        below=st.booleans(),
        waits=st.booleans(),
    )
    def create(self, actor: Actor, n: int, kind: str, minor: bool, below: bool, waits: bool) -> None:
        def call() -> None:
            other = self.task(n)
            waiting = [other] if waits else []
            self.tasks.append(
                self.world.create(actor, parent=other if below else None, depends_on=waiting, minor=minor, type=kind)
            )

        if len(self.tasks) < 6:
            self.attempt(call)

    @rule(actor=who, n=which, priority=st.integers(0, 4), text=words, minor=st.sampled_from([None, True, False]))
    def edit(self, actor: Actor, n: int, priority: int, text: str, minor: bool | None) -> None:
        self.attempt(
            lambda: self.world.app.tasks.edit(
                actor, self.task(n), priority=priority, description=text or None, minor=minor
            )
        )

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

    @rule(actor=who, n=which, how=ends)
    def unstart(self, actor: Actor, n: int, how: RunEnd) -> None:
        self.attempt(lambda: self.world.app.claims.unstart(actor, self.task(n), how=how))

    @rule(
        actor=who,
        helper=who,
        n=which,
        where=st.sampled_from(["branch", "branch", "main"]),
        lines=st.sampled_from([1, 80]),
    )
    def work_and_submit(self, actor: Actor, helper: Actor, n: int, where: str, lines: int) -> None:
        task = self.task(n)
        owner = self.known.get(self.world.task(task).implementer or "", actor)
        self.world.repo.commit(
            "main" if where == "main" else f"fe/{task}", sessions=[owner.session, helper.session], lines=lines
        )
        self.attempt(lambda: self.world.submit(owner, task))

    @rule(actor=makers, creator=planners, minor=st.booleans(), trailer=st.booleans(), judge=makers, verdict=verdicts)
    def submit_work(self, actor: Actor, creator: Actor, minor: bool, trailer: bool, judge: Actor, verdict: str) -> None:
        """A shorter way into review, and one decision about it."""
        task = self.planned(creator, minor=minor)
        self.attempt(lambda: self.world.start(actor, task))
        self.world.repo.commit(f"fe/{task}", sessions=[actor.session] if trailer else [])
        self.attempt(lambda: self.world.submit(actor, task))
        self.judge(judge, task, verdict)

    def planned(self, creator: Actor, **fields: Any) -> str:
        """A new task, in the place of the oldest where there are many."""
        if len(self.tasks) >= 8:
            self.tasks.pop(0)
        task = self.world.create(creator, **fields)
        self.tasks.append(task)
        return task

    @rule(judge=makers, n=which, verdict=verdicts)
    def decide(self, judge: Actor, n: int, verdict: str) -> None:
        self.judge(judge, self.task(n), verdict)

    def judge(self, judge: Actor, task: str, verdict: str) -> None:
        app = self.world.app
        self.attempt(
            {
                "approve": lambda: self.world.approve(judge, task, reason="fine"),
                "withdraw": lambda: app.decisions.withdraw(judge, task),
                "redo": lambda: app.feedback.redo(judge, task, "again"),
                "reject": lambda: app.feedback.reject(judge, task, "no"),
                "close": lambda: app.closing.close(judge, task, exception="really"),
                "reopen": lambda: app.closing.reopen(judge, task),
                "edit": lambda: app.tasks.edit(judge, task, acceptance=f"more {self.world.rows()}"),
            }[verdict]
        )

    @rule(actor=who, n=which, no_code=st.booleans())
    def submit(self, actor: Actor, n: int, no_code: bool) -> None:
        task = self.task(n)
        self.world.repo.here = (
            f"refs/heads/fe/{task}" if f"refs/heads/fe/{task}" in self.world.repo.branches else "refs/heads/main"
        )
        self.attempt(lambda: self.world.submit(actor, task, no_code=no_code))

    @rule(actor=who, n=which, reason=words)
    def approve(self, actor: Actor, n: int, reason: str) -> None:
        self.attempt(lambda: self.world.approve(actor, self.task(n), reason=reason))

    @rule(actor=who)
    def approve_what_is_listed(self, actor: Actor) -> None:
        """P13: what reviewable lists can be approved, unless it is stale. An ended token lists nothing: it is refused
        before.
        """
        for row in [] if self.is_over(actor) else self.world.app.lists.reviewable(actor, ListQuery(limit=2)).rows:
            if row.you.stale:
                continue
            if self.is_checked:
                self.attempt(lambda task=row.task.id: self.world.approve(actor, task, reason="listed"), only="D5")  # type: ignore[misc]
            else:
                assert self.world.approve(actor, row.task.id, reason="listed").changed

    @rule(actor=who, n=which)
    def withdraw(self, actor: Actor, n: int) -> None:
        self.attempt(lambda: self.world.app.decisions.withdraw(actor, self.task(n)))

    @rule(actor=who, n=which, text=words, verb=st.sampled_from(["redo", "reject"]))
    def send_back(self, actor: Actor, n: int, text: str, verb: str) -> None:
        self.attempt(lambda: getattr(self.world.app.feedback, verb)(actor, self.task(n), text))

    @rule(
        actor=makers, n=which, issues=st.sampled_from([[], ["1"], ["tests", "2"]]), option=options, priority=priorities
    )
    def redo(self, actor: Actor, n: int, issues: list[str], option: RedoOption, priority: PriorityChange) -> None:
        name = "1" if option == "checkpoint" else ""
        call = self.world.app.feedback.redo
        self.attempt(
            lambda: call(actor, self.task(n), "", issues=issues, option=option, checkpoint=name, priority=priority)
        )

    @rule(actor=who, n=which, own=st.booleans())
    def checkpoint(self, actor: Actor, n: int, own: bool) -> None:
        task = self.task(n)
        if own and f"refs/heads/fe/{task}" in self.world.repo.branches:
            self.world.repo.here = f"refs/heads/fe/{task}"
        self.attempt(lambda: self.world.app.checkpoints.create(actor, task=task))

    # Checks, plans and the queue

    @rule(on=st.sampled_from([True, False, False]))
    def configure_checks(self, on: bool) -> None:
        self.world.repo.files["foureyes.toml"] = SETTINGS + (CHECKS if on else "")
        self.world.app.policy.accept(ALICE)
        self.is_checked = on

    @rule(
        actor=who,
        n=which,
        failing=st.booleans(),
        fewer=st.booleans(),
        again=st.booleans(),
        code=st.sampled_from([0, 0, 1, None]),
    )
    def check(self, actor: Actor, n: int, failing: bool, fewer: bool, again: bool, code: int | None) -> None:
        tests = ["a"] if fewer else ["a", "b"]
        self.world.outside.runner.says("tests", exit_code=int(failing), passing=tests, failing=["c"] if failing else [])
        self.world.outside.runner.says("lint", exit_code=code)
        self.attempt(lambda: self.world.app.checks.run(actor, self.task(n), again=again))

    @rule(actor=who)
    def import_a_plan(self, actor: Actor) -> None:
        def call() -> None:
            self.tasks += [row.task for row in self.world.app.plans.import_(actor, PLAN, again=True)]
            del self.tasks[:-8]

        self.attempt(call)

    @rule(actor=who, n=which, one=st.booleans())
    def accept_a_plan(self, actor: Actor, n: int, one: bool) -> None:
        self.attempt(lambda: self.world.app.plans.accept(actor, [self.task(n)] if one else []))

    @rule(
        actor=makers,
        creator=planners,
        loose=st.sampled_from([*LOOSE, "plan"]),
        by=st.integers(0, 2),
        early=st.booleans(),
    )
    def hand_in_what_nobody_needs_to_see(self, actor: Actor, creator: Actor, loose: str, by: int, early: bool) -> None:
        """M4, M6: a person, who planned it or who made it says that nobody needs to look."""
        loosen = (ALICE, creator, actor)[by]
        task = self.planned(creator)
        if loose == "plan":
            plan = "## Task: by plan\n"
            self.attempt(lambda: self.tasks.append(self.world.app.plans.import_(loosen, plan, again=True)[0].task))
            task = self.tasks[-1]
        steps: list[Callable[[], object]] = [lambda: self.world.start(actor, task)]
        steps.insert(
            0 if early else 1,
            lambda: self.world.app.tasks.add_label(loosen, task, [loose]) if loose != "plan" else None,
        )
        for step in steps:
            self.attempt(step)
        self.world.repo.commit(f"fe/{task}", sessions=[actor.session])
        self.attempt(lambda: self.world.submit(actor, task))
        self.attempt(lambda: self.world.app.checks.run(CI, task))

    @rule(
        actor=makers,
        checked=st.booleans(),
        before=outcomes,
        after=outcomes,
        between=st.sampled_from(["", "", "rework", "hold", "retry"]),
    )
    def go_all_the_way(self, actor: Actor, checked: bool, before: str, after: str, between: str) -> None:
        """Submit, check, approve, merge; on the way a branch goes on, somebody holds it, or a check says something
        else.
        """
        self.configure_checks(checked)
        task = self.planned(BOB, labels=["trivial"] if before == after else [])
        self.attempt(lambda: self.world.start(actor, task))
        self.world.repo.commit(f"fe/{task}", sessions=[actor.session])
        self.attempt(lambda: self.world.submit(actor, task))
        self.checks_end(before)
        self.attempt(lambda: self.world.app.checks.run(CI, task))
        self.judge(ALICE, task, "approve")
        self.world.clock.advance(seconds=11)
        if between == "rework":
            self.world.repo.commit(f"fe/{task}")
        elif between == "hold":
            self.attempt(lambda: self.world.app.stops.hold(BOB, task, "wait"))
        self.checks_end(after)
        for _ in range(2 if between == "retry" else 1):
            self.attempt(lambda: self.world.app.merges.process(CI))
            self.attempt(lambda: self.world.app.merges.retry(ALICE, task))

    def checks_end(self, how: str) -> None:
        says = self.world.outside.runner.says
        if how == "crashed":
            says("tests", exit_code=None, problem="it could not be started")
        else:
            says("tests", exit_code=int(how == "failed"), passing=["a", "b"], failing=["c"] if how == "failed" else [])

    @rule(actor=st.sampled_from([ALICE, BOB, CI, CODEX]), conflict=st.booleans())
    def work_off_the_queue(self, actor: Actor, conflict: bool) -> None:
        self.workshop.conflict = conflict
        self.world.clock.advance(seconds=11)
        self.attempt(lambda: self.world.app.merges.process(actor))

    @rule(actor=who, n=which, drop=st.booleans())
    def look_after_the_queue(self, actor: Actor, n: int, drop: bool) -> None:
        merges = self.world.app.merges
        self.attempt(
            lambda: (
                self.world.app.feedback.redo(actor, self.task(n), "not now")
                if drop
                else merges.retry(actor, self.task(n))
            )
        )

    # The findings loop

    def finding(self, n: int) -> str:
        rows = self.world.sql("SELECT id FROM findings ORDER BY seq, root")
        return str(rows[n % len(rows)][0]) if rows else "TL-none-1-001"

    @rule(actor=who, n=which, severity=severities, title=st.sampled_from(["a leak", "no lock"]))
    def point_at_something(self, actor: Actor, n: int, severity: Severity, title: str) -> None:
        self.attempt(
            lambda: self.world.app.findings.add(
                actor, self.task(n), ReportedFinding(severity=severity, title=title, fix="mend it")
            )
        )

    @rule(actor=who, n=which, severity=st.sampled_from(["", "", "HIGH", "LOW"]), whole=st.booleans())
    def review(self, actor: Actor, n: int, severity: str, whole: bool) -> None:
        self.look(actor, self.task(n), severity, whole=whole)

    def look(self, actor: Actor, task: str, severity: str, *, whole: bool = True) -> None:
        """A review of what is submitted, with one finding or none."""
        shown = self.world.show(task).attempts
        issues = [{"severity": severity, "title": "no lock", "fix": "take one"}] if severity else []
        files = [file.path for file in shown[-1].files] if shown and whole else []
        seen = shown[-1].diff_id if shown else ""
        verdict = "concerns" if severity == "HIGH" else "approved"
        said = {"verdict": verdict, "summary": "I looked", "issues": issues, "files_reviewed": files, "diff_id": seen}
        document = msgspec.json.encode({"type": "review_result", "version": 1, "payload": said})
        self.attempt(lambda: self.world.app.reviews.submit(actor, task, document))

    @rule(actor=who, n=st.integers(0, 30), word=answers, own=st.booleans())
    def respond(self, actor: Actor, n: int, word: AnswerWord, own: bool) -> None:
        rows = self.world.sql(
            "SELECT t.id, t.implementer FROM findings f JOIN tasks t ON t.id = f.task WHERE f.id = ?", self.finding(n)
        )
        task, owner = rows[0] if rows else (self.task(n), None)
        self.answer(self.known.get(owner or "", actor) if own else actor, task, word, [self.finding(n)])

    def answer(self, actor: Actor, task: str, word: AnswerWord, names: Sequence[str]) -> None:
        text, ground = "there is one lock around all of it", "false_positive" if word == "REJECTED" else ""
        given = [Answer(finding=name, action=word, text=text, ground=ground) for name in names]
        self.attempt(lambda: self.world.app.answers.respond(actor, task, given))

    @rule(actor=who, n=st.integers(0, 30), word=rulings)
    def rule_on_an_answer(self, actor: Actor, n: int, word: RulingWord) -> None:
        self.attempt(
            lambda: self.world.app.rulings.rule(actor, [Ruling(self.finding(n), word, "I looked at it again")])
        )

    @rule(actor=who, n=st.integers(0, 30))
    def take_a_ruling_back(self, actor: Actor, n: int) -> None:
        self.attempt(lambda: self.world.app.rulings.take_back(actor, self.finding(n)))

    @rule(actor=who, n=st.integers(0, 30), reason=words)
    def waive(self, actor: Actor, n: int, reason: str) -> None:
        self.attempt(lambda: self.world.app.findings.waive(actor, self.finding(n), reason, days=1))

    @rule(actor=who, n=st.integers(0, 30))
    def track(self, actor: Actor, n: int) -> None:
        if self.world.rows() < 2_000:
            self.attempt(lambda: self.world.app.findings.track(actor, [self.finding(n)]))

    @rule(actor=st.sampled_from([ALICE, BOB, CODEX]), n=which, option=leads)
    def lead(self, actor: Actor, n: int, option: str) -> None:
        parts = ["one half", "the other half"] if option == "split" else []
        self.attempt(lambda: self.world.app.loops.lead(actor, self.task(n), option, "it is stuck", into=parts))

    @rule(actor=makers, judge=makers, word=answers, ruling=rulings, option=leads, times=st.integers(1, 4))
    def go_round(
        self, actor: Actor, judge: Actor, word: AnswerWord, ruling: RulingWord, option: str, times: int
    ) -> None:
        """Found, answered, ruled on and sent back, again and again; then somebody leads."""
        task = self.planned(BOB)
        for n in range(times):
            self.attempt(lambda: self.world.start(actor, task))
            held = self.world.sql(
                "SELECT id FROM findings WHERE task = ? AND blocking = 1 AND state = 'open' ORDER BY id", task
            )
            self.answer(actor, task, word, [str(row[0]) for row in held])
            self.world.repo.commit(f"fe/{task}", sessions=[actor.session])
            self.attempt(lambda: self.world.submit(actor, task))
            given = [Ruling(str(row[0]), ruling, "I looked at it again") for row in held]
            self.attempt(lambda given=given: self.world.app.rulings.rule(judge, given))  # type: ignore[misc]
            self.look(judge, task, "HIGH" if n == 0 else "")
            self.attempt(lambda: self.world.app.feedback.redo(ALICE, task, "as found"))
        self.attempt(
            lambda: self.world.app.loops.lead(
                BOB, task, option, "it is stuck", into=["a half"] if option == "split" else []
            )
        )

    @rule(
        actor=who,
        n=which,
        reason=words,
        verb=st.sampled_from(["block", "unblock", "defer", "undefer", "hold", "resume"]),
    )
    def stop(self, actor: Actor, n: int, reason: str, verb: str) -> None:
        call = getattr(self.world.app.stops, verb)
        self.attempt(
            lambda: call(actor, self.task(n)) if verb in ("defer", "undefer") else call(actor, self.task(n), reason)
        )

    @rule(actor=who, n=which, exception=words, verb=st.sampled_from(["close", "cancel", "delete", "reopen", "reopen"]))
    def end(self, actor: Actor, n: int, exception: str, verb: str) -> None:
        call = getattr(self.world.app.closing, verb)
        self.attempt(
            lambda: call(actor, self.task(n), exception=exception) if verb == "close" else call(actor, self.task(n))
        )

    @rule(actor=who, n=which)
    def merge(self, actor: Actor, n: int) -> None:
        if f"refs/heads/fe/{self.task(n)}" in self.world.repo.branches:
            self.world.repo.land(f"fe/{self.task(n)}")
        self.attempt(lambda: self.world.app.merges.process(actor))

    @rule(actor=who, n=which, text=words)
    def log(self, actor: Actor, n: int, text: str) -> None:
        self.attempt(lambda: self.world.app.notes.log(actor, self.task(n), text))

    @rule(actor=who, name=st.sampled_from(["strict", "balanced", "delegated", "trusted", None]))
    def set_policy(self, actor: Actor, name: str | None) -> None:
        self.attempt(lambda: self.world.app.policy.set(actor, "review.policy", name))

    @rule(actor=st.sampled_from([ALICE, BOB, CLAUDE]), value=st.sampled_from(["audit", "audit", "refuse", None]))
    def set_same_origin(self, actor: Actor, value: str | None) -> None:
        self.attempt(lambda: self.world.app.policy.set(actor, "review.same_origin", value))

    # Who they are

    def give(self, actor: Actor, task: str, role: str, *, deeper: bool) -> list[Actor]:
        """A child with a real token, in the spawner's process or in one of its own; nobody if that is refused."""
        made: list[Actor] = []
        process = [f"process:boot:ns:child-{len(self.spawned)}"] if deeper else []
        if len(self.spawned) < SPAWNED:
            self.attempt(lambda: made.append(self.world.spawn(actor, task, role, below=process)))
            self.spawned += made
        return made

    @rule(target=who, actor=who, n=which, role=st.sampled_from(["implement", "review"]), deeper=st.booleans())
    def spawn(self, actor: Actor, n: int, role: str, deeper: bool) -> MultipleResults[Actor]:
        return self.met(*self.give(actor, self.task(n), role, deeper=deeper))

    @rule(target=who, actor=makers, creator=planners, helper=st.booleans(), judge=makers, verdict=verdicts)
    def delegate(
        self, actor: Actor, creator: Actor, helper: bool, judge: Actor, verdict: str
    ) -> MultipleResults[Actor]:
        """Children make it, and somebody decides about it: their spawner, a child of it that has a token to, or
        anybody.
        """
        task = self.planned(creator)
        made = self.give(actor, task, "implement", deeper=True)
        made += self.give(made[0], task, "implement", deeper=False) if made and helper else []
        if made:
            self.world.repo.commit(f"fe/{task}", sessions=[child.session for child in made])
            self.attempt(lambda: self.world.submit(made[-1], task))
        made += self.give(judge, task, "review", deeper=helper)
        for each in (*reversed(made), actor, judge) if helper else (judge, actor, *made):
            self.judge(each, task, verdict)
        return self.met(*made)

    @rule(target=who, actor=who)
    def call_itself_anew(self, actor: Actor) -> MultipleResults[Actor]:
        """I4: the same eyes."""
        made: list[Actor] = []

        def call() -> None:
            before = self.world.app.sessions.whoami(actor)
            after = self.world.app.sessions.new(actor)
            assert not before.known or set(before.origins) <= set(after.origins)
            made.append(replace(actor, session=SessionId(after.session), base=actor.base or actor.session))
            assert (
                self.world.app.sessions.recognise(lambda _: replace(actor, session=made[0].base, base=None)) == made[0]
            )

        if len(self.known) < len(ACTORS) + 2 * SPAWNED:
            self.attempt(call)
        return self.met(*made)

    @rule(actor=who, other=who, own=st.booleans(), reason=words)
    def end_session(self, actor: Actor, other: Actor, own: bool, reason: str) -> None:
        def call() -> None:
            done = self.world.app.sessions.end(actor, "" if own else other.session, reason=reason)
            assert (actor if own else other).session in done.ended or not done.ended
            held = self.world.sql("SELECT id, implementer FROM tasks WHERE status = 'in_progress'")
            assert not [task for task, owner in held if owner in done.ended or task in done.released]

        self.attempt(call)

    @rule(n=which, m=which)
    def show_a_token_again(self, n: int, m: int) -> None:
        """I2: one that has ended is refused, and that is on record; whoever has it can do nothing with it."""
        if not self.spawned:
            return
        actor, app = self.spawned[n % len(self.spawned)], self.world.app
        seen = replace(agent("seen", n), ancestors=actor.ancestors, token=actor.token)
        if not self.is_over(actor):
            assert app.sessions.recognise(lambda _: seen).session == actor.session
            return
        before = self.world.rows()
        with pytest.raises(Refused):
            app.sessions.recognise(lambda _: seen)
        assert self.world.rows() in (before + 1, before + 2), "a security event, and who showed it"
        assert self.world.sql("SELECT kind FROM security ORDER BY seq DESC LIMIT 1") == [("token_elsewhere",)]
        verbs: tuple[Callable[[], object], ...] = (
            lambda: app.notes.log(actor, self.task(m), "still here"),
            lambda: self.world.start(actor, self.task(m)),
            lambda: self.world.approve(actor, self.task(m), reason="fine"),
            lambda: app.sessions.spawn(actor, self.task(m), actor.role or ""),
            lambda: app.sessions.end(actor),
        )
        for verb in verbs:
            with self.world.unchanged(), pytest.raises(Refused):
                verb()

    @rule(actor=who, whose=who, n=which, reason=words)
    def correct_author(self, actor: Actor, whose: Actor, n: int, reason: str) -> None:
        self.attempt(lambda: self.world.app.attempts.correct_author(actor, self.task(n), whose.session, reason))

    @rule(actor=makers, wrong=makers, n=which, judge=makers, named_again=st.booleans())
    def clear_and_decide(self, actor: Actor, wrong: Actor, n: int, judge: Actor, named_again: bool) -> None:
        """A trailer names somebody wrongly, a person says so, and somebody (who was named, perhaps) decides."""
        task = self.planned(BOB)
        self.attempt(lambda: self.world.start(actor, task))
        for sessions in ([wrong.session], [wrong.session] if named_again else []):
            self.world.repo.commit(f"fe/{task}", sessions=sessions)
            self.attempt(lambda: self.world.submit(actor, task))
            if sessions or not named_again:
                self.attempt(lambda: self.world.app.attempts.correct_author(ALICE, task, wrong.session, "a typo"))
        for each in (wrong, judge):
            self.judge(each, task, "approve")

    # Approvals that are recorded apart

    def record(self, actor: Actor, task: str, said: Declaration) -> None:
        attempts = self.world.show(task).attempts
        seen = attempts[-1].diff_id if attempts else ""
        self.attempt(
            lambda: self.world.app.decisions.approve(
                actor, task, seen=seen, declaration=replace(said, record_only=True)
            )
        )

    @rule(actor=who, n=which, reason=words, self_review=st.booleans())
    def record_only(self, actor: Actor, n: int, reason: str, self_review: bool) -> None:
        self.record(actor, self.task(n), Declaration(reason, self_review=self_review))

    @rule(
        actor=makers,
        reviewer=makers,
        other=makers,
        finisher=st.integers(0, 2),
        policy=worktree_of,
        self_review=st.booleans(),
        between=verdicts,
    )
    def record_and_finish(
        self, actor: Actor, reviewer: Actor, other: Actor, finisher: int, policy: str, self_review: bool, between: str
    ) -> None:
        """P11: one records, something happens, and who made it, who recorded it or another finishes."""
        self.world.app.policy.set(ALICE, "review.policy", policy)
        task = self.planned(BOB)
        self.attempt(lambda: self.world.start(actor, task))
        self.world.repo.commit(f"fe/{task}", sessions=[actor.session])
        self.attempt(lambda: self.world.submit(actor, task))
        self.record(reviewer, task, Declaration("I looked", self_review=self_review))
        assert self.world.status(task) != "approved", "a recorded approval passes nothing"
        if between != "approve":
            self.judge(reviewer, task, between)
        self.attempt(lambda: self.world.approve((actor, reviewer, other)[finisher], task, reason="it was looked at"))

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
        ((by_rule,),) = self.world.sql("SELECT count(*) FROM approvals WHERE rule = 'M4'")
        assert counted.get("auto_approved", 0) == by_rule

    @invariant()
    def what_is_ready_is_ready_T4(self) -> None:
        rows = self.world.sql(
            "SELECT t.id, t.ready, t.status = 'open' AND t.hold IS NULL AND t.deleted = 0 AND t.waiting_for "
            "= '' AND NOT EXISTS ("
            " SELECT 1 FROM dependencies d JOIN tasks o ON o.id = d.depends_on WHERE d.task = t.id AND "
            "o.status <> 'closed')"
            " AND NOT EXISTS (SELECT 1 FROM tasks p WHERE p.id = t.parent AND p.status = 'blocked') FROM tasks t"
        )
        assert all(ready == should for _, ready, should in rows), rows

    @invariant()
    def nobody_passes_their_own_work_P2(self) -> None:
        """Every new approval is by somebody outside of the author set, its origins and its descendants; the exceptions
        are named.
        """
        rows = self.world.sql(
            "SELECT seq, task, session, rule, exception FROM approvals WHERE seq > ? ORDER BY seq", self.passed
        )
        for seq, task, session, by, exception in rows:
            self.passed = seq
            makers = self.makers(task)
            assert makers, "nothing is approved that nobody made (P0)"
            assert not exception or self.world.sql(
                "SELECT kind FROM security WHERE task = ? AND seq = ?", task, seq + 1
            ) == [(exception,)]
            if by == "M4":
                self.was_loosened_by_somebody_else(task, session, makers)
            elif by == "P1":
                assert self.world.sql("SELECT minor FROM tasks WHERE id = ?", task) == [(1,)]
            elif exception == "self_review":
                assert self.setting("review.policy") == "trusted"
            else:
                self.is_apart(session, makers, same_origin=exception == "same_origin")

    def was_loosened_by_somebody_else(self, task: str, session: str, makers: set[str]) -> None:
        """M6: what approved itself was let go by somebody outside of the author set and its origins; the gate says so,
        nobody else.
        """
        rows = self.world.sql("SELECT id, origin, kind, person FROM sessions")
        origins = {name: origin for name, origin, *_ in rows}
        assert [kind for name, _, kind, _ in rows if name == session] == ["service"]
        theirs = {origins.get(maker, maker) for maker in makers}
        said = self.world.sql("SELECT session, kind, payload FROM journal WHERE task = ?", task)
        words = [f'"{word}"' for word in (*LOOSE, "auto-approve")]
        loose = {who for who, kind, payload in said if kind == "PlanAccepted" or any(word in payload for word in words)}
        assert [who for who in loose if origins[who] not in theirs], (task, loose, makers)

    def makers(self, task: str) -> set[str]:
        """The author set; without those that only trailers name which a person cleared (I8)."""
        rows = self.world.sql(
            "SELECT a.session FROM authors a LEFT JOIN cleared c ON c.task = a.task AND c.session = a.session"
            " WHERE a.task = ? AND NOT (a.why LIKE 'commit %' AND a.attempt <= coalesce(c.attempt, -1))",
            task,
        )
        return {str(row[0]) for row in rows}

    def is_apart(self, session: str, makers: set[str], *, same_origin: bool) -> None:
        """Neither a maker nor below one, at any depth; of another origin, unless the policy says that this is only
        audited (I4).
        """
        rows = self.world.sql("SELECT id, origin, parent, kind, proven, trust FROM sessions")
        origins = {name: origin for name, origin, *_ in rows}
        parents = {name: parent for name, _, parent, *_ in rows}
        ((kind, proven, trust),) = [row[3:] for row in rows if row[0] == session]
        theirs = {origins.get(maker, maker) for maker in makers}
        assert session not in makers
        assert (proven, trust == "asserted", kind == "service") == (1, False, False)
        assert self.setting("review.same_origin") == "audit" if same_origin else origins[session] not in theirs
        above = parents[session]
        while above is not None:
            assert above not in makers
            assert origins.get(above, above) not in theirs or above == CI.session, "services are never spawners (I7)"
            above = parents.get(above)

    @invariant()
    def nothing_is_approved_over_an_open_blocking_finding_D2(self) -> None:
        rows = self.world.sql(
            "SELECT t.id, f.id FROM tasks t JOIN findings f ON f.task = t.id WHERE t.status = 'approved' AND "
            "f.blocking = 1"
            " AND f.by_check = '' AND f.state IN ('open', 'claimed', 'disputed')"
        )
        assert rows == []

    @invariant()
    def nobody_rules_on_answers_to_their_own_work_L8(self) -> None:
        rows = self.world.sql(
            "SELECT seq, task, session FROM journal WHERE kind = 'FindingRuled' AND seq > ? ORDER BY seq", self.ruled
        )
        for seq, task, session in rows:
            self.ruled = seq
            assert session not in self.makers(task)

    @invariant()
    def the_record_says_of_a_loop_what_the_engine_says_E1(self) -> None:
        for task in self.tasks:
            view = self.world.app.loops.show(task)
            record, counted = view.task, view.state
            assert (record.tier, record.waiting_for) == (counted.tier, counted.waiting_for), (task, record.status)

    @invariant()
    def a_closed_task_has_a_reason_to_be_closed_T2(self) -> None:
        rows = self.world.sql(
            "SELECT id FROM tasks t WHERE (status = 'approved' OR (status = 'closed' AND resolution IN "
            "('approved', 'merged')))"
            " AND NOT EXISTS (SELECT 1 FROM approvals a JOIN attempts n ON n.task = a.task AND n.n = "
            "t.iteration AND n.diff_id = a.diff_id"
            " WHERE a.task = t.id AND a.state = 'active' AND a.recorded = 0)"
        )
        assert rows == [], "approved or merged without a finished approval of its current diff"

    @invariant()
    def an_ended_token_never_works_again_I2(self) -> None:
        rows = self.world.sql(
            "SELECT j.seq FROM journal j JOIN tokens t ON t.session = j.session WHERE t.ended_seq > 0 AND "
            "j.seq > t.ended_seq"
        )
        assert rows == [], "its session wrote after its end"
        rows = self.world.sql(
            "SELECT k.id FROM tasks k JOIN tokens t ON t.session = k.implementer WHERE t.ended_seq > 0 AND "
            "k.status = 'in_progress'"
        )
        assert rows == [], "its session still holds a claim"

    @invariant()
    def a_token_is_good_for_one_role_and_one_task_I2(self) -> None:
        rows = self.world.sql(
            "SELECT j.task, t.task, j.kind, t.role FROM journal j JOIN tokens t ON t.session = j.session"
        )
        for on, task, kind, role in rows:
            assert on in ("", task)
            assert kind not in OF_A_ROLE["review" if role == "implement" else "implement"]

    @invariant()
    def author_sets_only_grow_I8(self) -> None:
        for task in self.tasks:
            now = {str(row[0]) for row in self.world.sql("SELECT session FROM authors WHERE task = ?", task)}
            assert self.authors.get(task, set()) <= now
            self.authors[task] = now


RandomVerbs.TestCase.settings = settings(
    max_examples=plays("random verbs"),
    stateful_step_count=50,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestRandomVerbs = RandomVerbs.TestCase


@pytest.mark.parametrize("policy", ["balanced", "delegated", "trusted"])
def test_an_agent_of_unknown_origin_passes_nothing_under_another_name_either_I3_I4_G1(
    desk: DeskWorld, policy: str
) -> None:
    """Found by the machine above: with `same_origin = audit` nothing shows that it is not below the one who made it."""
    desk.app.policy.set(ALICE, "review.policy", policy)
    desk.app.policy.set(ALICE, "review.same_origin", "audit")
    maker = marked()
    task = desk.submitted_task(maker, creator=BOB)
    again = replace(maker, session=SessionId(desk.app.sessions.new(maker).session), base=maker.session)
    with desk.refused("P2"):
        desk.approve(again, task, reason="fine")
