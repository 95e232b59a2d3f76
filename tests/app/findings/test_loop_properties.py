"""Random reviews, answers, rulings, waivers, decisions and submissions: whatever is shown equals a naive recount of the
journal (G6, J2).

And nothing is ever approved over an open blocking finding (D2), a settled one comes back only by the rules (L9), every
loop ends (E1), and of what is refused nothing is stored (G4). `make nightly` plays more.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from foureyes.core.nouns.attempt import Change, ChangedFile
from foureyes.core.nouns.finding import Answer, ReportedFinding, Ruling
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import Sha
from foureyes.core.words.lifecycle import RunEnd
from foureyes.errors import FoureyesError, Internal

from tests.app.findings.recount import Recount, stand
from tests.stage.checkout import SETTINGS
from tests.stage.documents import review_result, sarif
from tests.stage.looped import GROUND, REASON
from tests.stage.night import plays
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, child_of
from tests.stage.scripted_git import MergingWorkshop, ScriptedRepo
from tests.stage.world import DeskWorld, World

STEPS = 40

CODE = "def first():\n    return 1\n\n\ndef second(limit):\n    return limit * 2\n\n\ndef third():\n    pass\n"
MOVED = "import os\n\n\n" + CODE.replace("return 1", "return os.name")
WITHOUT = CODE.replace("    return limit * 2\n", "    return None\n")
CHECKS = '[[checks]]\nname = "tests"\nrun = "pytest"\nreport = "junit"\n'
TESTS = ["t1", "t2", "t3"]

titles = st.sampled_from(["limit is hard-coded", "no test", "leaks a handle", "wrong name"])
severities = st.sampled_from(["CRITICAL", "HIGH", "HIGH", "MEDIUM", "LOW", "nit", "FYI"])
places: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [
        {},
        {},
        {},
        {},
        {"file": "app.py", "line": 6},
        {"file": "app.py", "quote": "return limit * 2"},
        {"quote": "pass"},
        {"file": "app.py", "quote": "not in any file"},
    ]
)
Raising = tuple[str, str, dict[str, Any], bool]
issues: st.SearchStrategy[list[Raising]] = st.lists(
    st.tuples(titles, severities, places, st.sampled_from([False, False, True])), max_size=2
)
which = st.integers(0, 4)
WHO = {
    "claude": CLAUDE,
    "codex": CODEX,
    "gemini": GEMINI,
    "bob": BOB,
    "alice": ALICE,
    "child": child_of(CLAUDE),
    "ci": CI,
}
makers = st.sampled_from(["claude", "claude", "claude", "gemini"])
reviewers = st.sampled_from(["codex", "codex", "codex", "gemini", "bob", "bob", "alice", "claude", "child"])
anybody = st.sampled_from(sorted(WHO))
deciders = st.sampled_from(["bob", "bob", "alice", "codex", "claude"])
answers = st.sampled_from(["FIXED", "FIXED", "FIXED", "REJECTED", "SKIPPED", "DEFERRED"])
texts = st.sampled_from([REASON, REASON, REASON, "too hard", ""])
rulings = st.sampled_from(["VERIFIED", "NOT_FIXED", "ACCEPTED", "OVERRULED", "CONFIRMED", "DISMISSED", "OBSOLETE"])
ends: st.SearchStrategy[RunEnd] = st.sampled_from(["crash", "timeout", "blocked", "cancelled"])
options = st.sampled_from(["split", "senior", "fresh", "ask", "continue"])
FITS = {"claimed": ("VERIFIED", "NOT_FIXED"), "disputed": ("ACCEPTED", "OVERRULED")}


class LoopRepo(ScriptedRepo):
    """Branches of a test, on some of which `app.py` is part of the change."""

    def __init__(self) -> None:
        super().__init__()
        self.files["app.py"] = CODE
        self.touches = True

    def change(self, *, target: str, ref: str, since: Sha | None, covering: Sha | None = None) -> Change:
        found = super().change(target=target, ref=ref, since=since, covering=covering)
        more = (ChangedFile("app.py", 1, 1),) if self.touches and found.files else ()
        return msgspec.structs.replace(found, files=(*found.files, *more))


class LoopWorld(DeskWorld):
    """A desk with such a repository."""

    def __init__(self) -> None:
        self.repo: LoopRepo = LoopRepo()
        World.__init__(self, lambda: self.repo)


class Looping(RuleBasedStateMachine):
    """Two tasks in the hands of people and agents who find, answer, rule and submit as they like."""

    def __init__(self) -> None:
        super().__init__()
        self.world = LoopWorld()
        self.world.workshop = self.workshop = MergingWorkshop(self.world.repo)
        self.counted = Recount()
        self.tasks: list[str] = []
        self.limit, self.cap = 2, 5

    def teardown(self) -> None:
        try:
            assert self.world.store.audit().findings == ()
        finally:
            self.world.app.close()

    def attempt(self, call: Callable[[], object]) -> bool:
        """A refusal is fine and leaves nothing behind but that a review went back (G4); whether it was done."""
        before, refused = self.world.rows(), ""
        try:
            call()
        except Internal:
            raise
        except FoureyesError as problem:
            refused = problem.message
        left = [row.kind for row in self.world.app.audit.export()][before:] if refused else []
        assert not left or (
            left[-1] == "ReviewReturned" and set(left[:-1]) <= {"SessionStarted", "SessionEvidenceAdded"}
        ), (refused, left)
        return not refused

    def task(self, n: int) -> str:
        return self.tasks[n // 4]  # the first one, mostly

    def finding(self, task: str, n: int, *states: str) -> str:
        """The id of some finding; of one in such a state if there is any."""
        rows = self.world.app.findings.listed(task)
        fit = [one for one in rows if one.state in states] or rows
        return fit[n % len(fit)].id if fit else f"TL-{task}-1-001"

    # How it begins

    @initialize(
        limits=st.sampled_from([(2, 5), (2, 3), (1, 2)]),
        checks=st.sampled_from([False, False, True]),
        labels=st.sampled_from([[], [], ["review:auto"], ["review:skip"], ["review:per-task"]]),
        minor=st.booleans(),
        found=issues,
    )
    def begin(
        self, limits: tuple[int, int], checks: bool, labels: list[str], minor: bool, found: list[Raising]
    ) -> None:
        self.limit, self.cap = limits
        text = (
            f"[review.human]\nsettle_seconds = 0\n[loop]\nno_progress_limit = {self.limit}\niteration_cap = "
            f"{self.cap}\n"
        )
        self.world.repo.files["foureyes.toml"] = SETTINGS + text + (CHECKS if checks else "")
        self.world.app.policy.accept(ALICE)
        self.tasks = [self.world.submitted_task(group="g"), self.world.create(CODEX, labels=tuple(labels), minor=minor)]
        self.look_at(CODEX, self.tasks[0], [("limit is hard-coded", "HIGH", {}, False), *found], 0, 0)

    # The implementer

    @rule(
        actor=makers,
        n=which,
        changed=st.sampled_from([True, True, False]),
        touches=st.booleans(),
        words=st.lists(answers, min_size=1, max_size=3),
        code=st.sampled_from([CODE, CODE, MOVED, WITHOUT]),
    )
    def submit_work(self, actor: str, n: int, changed: bool, touches: bool, words: list[str], code: str) -> None:
        self.hand_over(WHO[actor], self.task(n), words, changed=changed, touches=touches, code=code)

    def hand_over(
        self, actor: Actor, task: str, words: Sequence[str], *, changed: bool, touches: bool, code: str
    ) -> None:
        """Start if it is open, answer what wants an answer, and submit."""
        if self.world.status(task) == "open":
            self.attempt(lambda: self.world.start(actor, task))
        holder = self.world.task(task).implementer
        owner = next((one for one in (CLAUDE, GEMINI) if one.session == holder), actor)
        wanting = [
            one
            for one in self.world.app.findings.listed(task)
            if (one.state == "open" or one.expired) and not one.check
        ]
        for number, one in enumerate(wanting):
            word = words[number % len(words)]
            if one.blocking and (word not in ("FIXED", "REJECTED") or one.must_fix):
                word = "FIXED"
            self.attempt(lambda one=one, word=word: self.respond(owner, task, one.id, word, REASON))  # type: ignore[misc]
        self.world.repo.touches, self.world.repo.files["app.py"] = touches, code
        ref = f"refs/heads/fe/{task}"
        if changed or ref not in self.world.repo.branches:
            self.world.repo.commit(f"fe/{task}", sessions=[owner.session])
        self.world.repo.here = ref
        self.attempt(lambda: self.world.submit(owner, task))

    def respond(self, actor: Actor, task: str, name: str, word: Any, text: str, debt: str = "") -> None:
        ground = GROUND if word == "REJECTED" and text == REASON else ""
        self.world.app.answers.respond(
            actor, task, [Answer(finding=name, action=word, text=text, ground=ground, debt=debt)]
        )

    @rule(actor=anybody, n=which, m=which, word=answers, text=texts, debt=st.sampled_from(["", "new", "fe-none"]))
    def answer(self, actor: str, n: int, m: int, word: str, text: str, debt: str) -> None:
        """By whoever, with whatever words."""
        task = self.task(n)
        self.attempt(lambda: self.respond(WHO[actor], task, self.finding(task, m, "open"), word, text, debt))

    @rule(n=which, how=ends)
    def end_oddly(self, n: int, how: RunEnd) -> None:
        """L17: a run that ended without a submission."""
        task = self.task(n)
        if self.world.status(task) == "open":
            self.attempt(lambda: self.world.start(CLAUDE, task))
        self.attempt(lambda: self.world.app.claims.unstart(CLAUDE, task, how=how))

    @rule()
    def take_the_others_work(self) -> None:
        """A6: the second task comes with the commits of the first."""
        branches = self.world.repo.branches
        ours = branches.get(f"refs/heads/fe/{self.tasks[0]}")
        if ours and f"refs/heads/fe/{self.tasks[1]}" not in branches:
            branches[f"refs/heads/fe/{self.tasks[1]}"] = list(ours)

    # Reviewers

    def raised(self, task: str, found: Sequence[Raising], m: int) -> list[dict[str, Any]]:
        made: list[dict[str, Any]] = []
        for title, severity, place, again in found:
            named = (
                {"id": self.finding(task, m, "resolved", "claimed")}
                if again and self.world.app.findings.listed(task)
                else {}
            )
            made.append({"severity": severity, "title": title, "fix": "mend it"} | place | named)
        return made

    @rule(actor=reviewers, n=which, m=which, word=st.integers(0, 15), part=st.booleans(), found=issues)
    def review(self, actor: str, n: int, m: int, word: int, part: bool, found: list[Raising]) -> None:
        """Somebody reads the attempt, rules on what is answered, and raises something."""
        self.look_at(WHO[actor], self.task(n), found, m, word, part=part)

    def look_at(
        self, actor: Actor, task: str, found: Sequence[Raising], m: int, word: int, *, part: bool = False
    ) -> None:
        attempts = self.world.show(task).attempts
        if not attempts:
            return
        waiting = [one for one in self.world.app.findings.listed(task) if one.state in FITS]
        ruled = [
            {"finding": one.id, "ruling": FITS[one.state][(word >> number % 4) % 2], "reason": "looked"}
            for number, one in enumerate(waiting)
        ]
        files = [file.path for file in attempts[-1].files][part:]
        said = review_result(
            self.raised(task, found, m), rulings=ruled, diff_id=attempts[-1].diff_id, files_reviewed=files
        )
        self.attempt(lambda: self.world.app.reviews.submit(actor, task, json.dumps(said).encode()))

    @rule(
        n=which,
        word=st.integers(0, 15),
        found=issues,
        words=st.lists(answers, min_size=1, max_size=3),
        changed=st.integers(0, 3),
    )
    def go_round(self, n: int, word: int, found: list[Raising], words: list[str], changed: int) -> None:
        """A whole round: submitted with answers, looked at with rulings."""
        self.hand_over(CLAUDE, self.task(n), words, changed=changed > 0, touches=True, code=CODE)
        self.look_at(CODEX, self.task(n), found, 0, word)

    go_round_once_more = go_round

    @rule(actor=reviewers, n=which, m=which, word=rulings, fits=st.sampled_from([True, True, False]))
    def rule_on(self, actor: str, n: int, m: int, word: Any, fits: bool) -> None:
        task = self.task(n)
        name = self.finding(task, m, "claimed", "disputed")
        if fits and self.world.app.findings.listed(task):
            one = self.world.app.findings.show(CODEX, name)
            fitting = FITS.get(one.state, ("CONFIRMED", "DISMISSED") if one.waiting else (word, word))
            word = fitting[m % 2]
        self.attempt(lambda: self.world.app.rulings.rule(WHO[actor], [Ruling(name, word, "looked at it")]))

    @rule(actor=reviewers, n=which, m=which)
    def take_back(self, actor: str, n: int, m: int) -> None:
        """By whoever; every other time by who gave it."""
        name, by = self.finding(self.task(n), m, "resolved"), WHO[actor]
        if m % 2 and name in self.counted.names:
            gave = [move.session for move in self.world.app.findings.show(CODEX, name).moves if move.kind == "ruled"]
            by = next((one for one in WHO.values() if one.session in gave[-1:]), by)
        self.attempt(lambda: self.world.app.rulings.take_back(by, name))

    @rule(
        actor=anybody,
        n=which,
        title=titles,
        severity=st.sampled_from(["CRITICAL", "HIGH", "LOW"]),
        line=st.sampled_from([0, 6]),
    )
    def add(self, actor: str, n: int, title: str, severity: Any, line: int) -> None:
        found = ReportedFinding(severity=severity, title=title, path="app.py" if line else "", line=line)
        self.attempt(lambda: self.world.app.findings.add(WHO[actor], self.task(n), found))

    @rule(actor=anybody, n=which, level=st.sampled_from(["error", "warning", "note"]), line=st.sampled_from([2, 6]))
    def import_(self, actor: str, n: int, level: str, line: int) -> None:
        report = sarif(("app.py", line, "odd"), level=level)
        self.attempt(lambda: self.world.app.exchange.take_in(WHO[actor], self.task(n), report, "r.sarif", whole=True))

    @rule(actor=deciders, n=which, m=which, days=st.sampled_from([1, 30]))
    def waive(self, actor: str, n: int, m: int, days: int) -> None:
        task = self.task(n)
        self.attempt(
            lambda: self.world.app.findings.waive(
                WHO[actor], self.finding(task, m, "open", "waived"), "known risk", days=days
            )
        )

    @rule(n=which)
    def track(self, n: int) -> None:
        self.attempt(lambda: self.world.app.findings.track(ALICE, [], task=self.task(n)))

    @rule(hours=st.just(25))
    def wait(self, hours: int) -> None:
        self.world.clock.advance(hours=hours)

    # Decisions

    @rule(actor=reviewers, n=which)
    def approve(self, actor: str, n: int) -> None:
        self.attempt(lambda: self.world.approve(WHO[actor], self.task(n), reason="fine"))

    @rule(actor=reviewers, n=which, verb=st.sampled_from(["redo", "redo", "reject", "withdraw", "close", "reopen"]))
    def decide(self, actor: str, n: int, verb: str) -> None:
        app, task = self.world.app, self.task(n)
        calls: dict[str, Callable[[], object]] = {
            "redo": lambda: app.feedback.redo(WHO[actor], task, "again"),
            "reject": lambda: app.feedback.reject(WHO[actor], task, "no"),
            "withdraw": lambda: app.decisions.withdraw(WHO[actor], task),
            "close": lambda: app.closing.close(WHO[actor], task),
            "reopen": lambda: app.closing.reopen(WHO[actor], task),
        }
        self.attempt(calls[verb])

    @rule(actor=deciders, n=which, option=options)
    def lead(self, actor: str, n: int, option: str) -> None:
        into = ["a part"] if option == "split" else []
        self.attempt(lambda: self.world.app.loops.lead(WHO[actor], self.task(n), option, "we looked at it", into=into))

    @precondition(lambda self: CHECKS in self.world.repo.files["foureyes.toml"])
    @rule(n=which, failing=st.sets(st.sampled_from(TESTS)))
    def check(self, n: int, failing: set[str]) -> None:
        passing = [name for name in TESTS if name not in failing]
        self.world.outside.runner.says("tests", exit_code=int(bool(failing)), passing=passing, failing=sorted(failing))
        self.attempt(lambda: self.world.app.checks.run(CI, self.task(n), again=True))

    @rule(conflict=st.booleans())
    def merge(self, conflict: bool) -> None:
        self.workshop.conflict = conflict
        self.attempt(lambda: self.world.app.merges.process(CI))

    # What always holds

    @invariant()
    def everything_shown_equals_the_recount_G6(self) -> None:
        self.counted.feed(list(self.world.app.audit.export()))
        now = self.world.app.context.now()
        for task in self.tasks:
            shown = {one.root: one for one in self.world.app.findings.listed(task)}
            mine = {one.root: one for one in self.counted.of_task(task)}
            assert set(shown) == set(mine)
            for root, one in mine.items():
                wanted = one.shown(now)
                assert {name: getattr(shown[root], name) for name in wanted} == wanted, root
            self.stands_as_counted(task)

    def stands_as_counted(self, task: str) -> None:
        """L11, L12, E1: rounds, progress and tier; and that the task says what the engine says."""
        loop = self.counted.loop(task)
        view = self.world.app.loops.show(task)
        found, shown = view.task, view.state
        naive, table = stand(loop, self.limit, self.cap)
        said = [(one.n, one.had, one.fixed, one.raised, one.same_tree) for one in shown.rounds]
        counted = [
            (one.n, 0, 0, 0, False) if one.goes_on else (one.n, len(one.had), one.fixed, one.found, one.same_tree)
            for one in loop.rounds
        ]
        assert said == counted, loop.rounds
        assert [one.no_progress for one in shown.rounds if one.closed] == [n for n in table if n >= 0], (
            shown.rounds,
            loop.rounds,
        )
        assert (shown.tier, shown.waiting_for, shown.round, shown.no_progress, shown.escalations, shown.lead_decisions) == (
            naive.tier, naive.waiting_for, naive.rounds, naive.stuck, naive.escalations, naive.decided,
        )  # fmt: skip
        assert (found.tier, found.waiting_for) == (naive.tier, naive.waiting_for), (found.status, loop)
        assert found.status == loop.status

    @invariant()
    def every_loop_ends_E1(self) -> None:
        """Two tiers implement, each as often as the cap says; then somebody has to decide."""
        for task in self.tasks:
            assert self.counted.loop(task).since_decided <= 2 * self.cap


@pytest.fixture(name="played")
def _played(on_engine: str) -> settings:
    return settings(
        max_examples=plays(f"random loops on {on_engine}"),
        stateful_step_count=STEPS,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
    )


def test_whatever_they_do_the_loop_is_what_its_journal_says_and_nothing_passes_over_a_finding_D2_G4_G6_J2_L9_E1(
    played: settings,
) -> None:
    run_state_machine_as_test(Looping, settings=played)
