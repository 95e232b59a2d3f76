"""A store with a row in every table, in memory or on disk, for tests that look at stores from below."""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from foureyes.adapters.store.store import Store
from foureyes.adapters.store.store_files import create_store, open_store
from foureyes.app.context import gate_of
from foureyes.app.results.review import ReviewOutcome
from foureyes.app.results.sprint import SprintAsk
from foureyes.app.runner import leases
from foureyes.core.events import (
    ApprovalVoided,
    ClarificationAnswered,
    ClarificationAsked,
    CycleDecided,
    CycleEnded,
    CycleOpened,
    DecisionSigned,
    EarlyReviewTaken,
    Event,
    KeyAdded,
    KeyRetired,
    MergeFailed,
    MergeLeased,
    MergeLeft,
    MergeRetried,
    ReservationEnded,
    ReviewAsked,
    ReviewNotGiven,
    RunsPaused,
    SprintUndone,
    TaskReserved,
)
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.nouns.cycle import CycleId, CycleTarget, Point
from foureyes.core.nouns.finding import Answer, ReportedFinding, Ruling
from foureyes.core.nouns.run import RunOutcome
from foureyes.core.nouns.session import Actor
from foureyes.core.nouns.sprint import SprintId
from foureyes.core.rules.four_eyes import Declaration
from foureyes.core.words.ids import DiffId, Sha, TaskId
from foureyes.core.words.vocabulary import ExceptionKind
from foureyes.errors import BadInput, Refused

from tests import engines
from tests.engines import NOW
from tests.stage.checkout import PROJECT
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, agent
from tests.stage.world import DeskWorld


def fill(world: DeskWorld) -> DeskWorld:
    """At least two rows in nearly every table, and every kind of row."""
    _plan_and_decide(world)
    _delegate(world)
    _record_and_clear(world)
    _sign(world)
    _check_and_merge(world)
    _review_and_answer(world)
    _go_round_in_circles(world)
    world.app.projects.note_place(ALICE, "")
    _stack_and_reserve(world)
    _run_agents(world)
    _ask_reviewers(world)
    _sprint(world)
    return world


def _run_agents(world: DeskWorld) -> None:
    """Runners that live, ended and were found dead; runs in every state; what agents said; what stands still."""
    runs, other = world.app.runs, "proc:boot:ns:8:8"
    world.outside.own = other
    lost = runs.begin(ALICE, agents=1).actor
    tasks = [world.create(title=f"run {number}") for number in range(5)]
    taken = runs.reserve(lost, tasks[0], profile="claude", purpose="implement")
    runs.bind(lost, taken.id, secret="fe-run-0", process="proc:boot:ns:80:1", program="claude")
    world.outside.gone.add(other)
    world.outside.own = "proc:boot:ns:9:9"
    runner = runs.begin(BOB, agents=2).actor
    runs.take_over(runner, taken.id)
    runs.end(runner, taken.id, None, ending="lost")
    runs.release(runner, taken.id, how="crash", reason="its runner died")
    for number, task in enumerate(tasks[1:3], 1):
        run = runs.reserve(runner, task, profile="codex", purpose="implement", resumes="c-0" if number > 1 else "")
        bound = f"proc:boot:ns:8{number}:1"
        runs.bind(runner, run.id, secret=f"fe-run-{number}", process=bound, program="codex", digest="d", worktree="w")
        agent = world.show_token(f"fe-run-{number}", [bound])
        runs.emit(agent, "milestone", "half of it", payload='{"done": 1}')
        runs.signal(agent, "BLOCKED", message="no key")
        runs.ask_stop(ALICE, run.id, reason="enough")
        if number > 1:
            said = RunOutcome(ended=True, rc=1, error="quota", error_text="limit", conversation="c-1", final="no")
            runs.end(runner, run.id, said, ending="failed")
            runs.release(runner, run.id, how="blocked", reason="no key")
    runs.reserve(runner, tasks[3], profile="claude", purpose="implement")
    runs.renew(runner, [])
    for task in (tasks[3], tasks[4]):
        runs.pause(ALICE, task, reason="not now")
        runs.stuck(runner, task, kind="retries", why="four runs without a submission")
    for each in (None, tasks[2]):
        runs.pause(ALICE, each, reason="not now")
        world.app.stops.resume(ALICE, each, "now")
    for profile in ("claude", "codex", "gemini"):
        runs.cool(runner, profile, until=NOW, error="quota", error_text="limit reached")
    runs.warm(runner, "gemini")
    runs.cool(runner, "gemini", until=NOW, error="quota", error_text="limit reached again")
    leases.leave(world.app.context, leases.take(world.app.context, runner, tasks[0]), tasks[0])
    leases.take(world.app.context, runner, tasks[1])
    runs.finish(runs.begin(ALICE, agents=0, beacon="runner 1").actor, reason="nothing to do")


def _sprint(world: DeskWorld) -> None:
    """Sprints in every state, with what stopped them and what was taken back (X)."""
    sprints, last = world.app.sprints, SprintId("s-05")
    chosen = [tuple(world.create(title=f"sprint {number}, {n}") for n in range(2)) for number in range(5)]
    for number, tasks in enumerate(chosen):
        plan = sprints.plan(ALICE, SprintAsk(tasks=tasks, until="08:00"))
        if number:
            sprints.start(ALICE, plan.id)
        if number in (1, 2):
            sprints.pause(ALICE, plan.id, reason="for a while")
        if number > 2:
            sprints.stop(ALICE, plan.id)
    reverts = tuple((TaskId(task), TaskId(world.create(title=f"Revert {task}"))) for task in chosen[-1])
    append(world.store, SprintUndone(sprint=last, reverts=reverts))


def _ask_reviewers(world: DeskWorld) -> None:
    """Cycles in every state, looks, points that were clarified and others (V)."""
    for number in range(1, 3):
        task = TaskId(world.submitted_task(title=f"asked {number}"))
        known = len(world.app.cycles.listed(limit=1_000))
        first, second = CycleId(f"c-{known + 1}"), CycleId(f"c-{known + 2}")
        target = CycleTarget(task=task, attempt=1, diff_id=DiffId("sha256:d"), summary="it works")
        points = tuple(Point(id=f"P{n}", task=task, reviewer="codex", review=n, text="why") for n in (1, 2))
        append(
            world.store,
            EarlyReviewTaken(n=1, commit=Sha("c"), base=Sha("b"), diff_id=DiffId("d"), files=("a",)),
            CycleOpened(cycle=first, trigger="REQUEST_REVIEW", targets=(target,), quorum=1),
            ReviewAsked(cycle=first, reviewer="codex", kind="profile"),
            ReviewAsked(cycle=first, reviewer="gemini", kind="profile"),
            ReviewNotGiven(cycle=first, reviewer="gemini", why="quota"),
            CycleDecided(cycle=first, rule="R2", requested=2, answered=2, counting=0, reasons=("two concerns",)),
            RunsPaused(reason="two concerns", by="rule", rule="R2", cycle=first),
            ClarificationAsked(cycle=first, points=points, requested=("claude",)),
            ClarificationAnswered(cycle=first, point="P1", text="because"),
            CycleOpened(cycle=second, trigger="CLARIFIED", targets=(target,), quorum=1, follows=first),
            *([CycleEnded(cycle=second, why="enough")] if number > 1 else []),
            session=CLAUDE.session,
            task=task,
        )


@cache
def _filled(on: str) -> DeskWorld:
    """Made once in a process by the verbs, and never used but copied."""
    return fill(DeskWorld(store=Store(engines.template(on), PROJECT)))


def full_world(on: str) -> DeskWorld:
    """A copy of a full world."""
    world = _filled(on)
    return world.copied_to(Store(engines.copied(world.store.engine), PROJECT))


def _plan_and_decide(world: DeskWorld) -> None:
    other = world.create(CODEX, title="another", labels=["api"], description="many words")
    task = world.create(
        CODEX, labels=["ux", "api"], depends_on=[world.create()], parent=world.create(type="epic"), minor=True
    )
    world.app.tasks.remove_dependency(BOB, task, [world.show(task).depends_on[0].id])
    world.create(depends_on=[other, task])
    world.app.tasks.edit(CODEX, other, acceptance="it works", minor=False)
    for label in ("old", "older"):
        world.app.tasks.add_label(CODEX, other, [label])
        world.app.tasks.remove_label(CODEX, other, [label])
    for each in (task, other):
        world.start(CLAUDE, each)
        world.repo.commit(f"fe/{each}", sessions=[CLAUDE.session, "ses-helper"])
        world.submit(CLAUDE, each)
        world.app.notes.log(CLAUDE, each, "looked")
        world.app.notes.handoff(CLAUDE, each, done=["a"], remaining=["b"], decisions=[], uncertain=[])
    world.app.feedback.redo(BOB, other, "again")
    world.start(CLAUDE, other)
    world.repo.commit(f"fe/{other}", sessions=[CLAUDE.session])
    world.submit(CLAUDE, other)
    world.approve(CODEX, other, reason="I asked for it")
    world.approve(CLAUDE, task)
    world.app.decisions.withdraw(CLAUDE, task)
    world.app.feedback.reject(BOB, task, "no")
    world.app.policy.set(ALICE, "minor.max_lines", "20")
    world.app.policy.set(ALICE, "minor.self_approvals_per_day", "3")


def _stack_and_reserve(world: DeskWorld) -> None:
    """A task that stands on two others, one of which is submitted later; two that somebody was about to start."""
    lower, late, upper = (world.started(CLAUDE, title=title) for title in ("below", "below, later", "on top"))
    branches = world.repo.branches
    below = None
    for task in (lower, late, upper):
        if below:
            branches[f"refs/heads/fe/{task}"] = list(branches[f"refs/heads/fe/{below}"])
        world.repo.commit(f"fe/{task}")
        below = task
    for task in (lower, upper, late):
        world.submit(CLAUDE, task, branch=f"fe/{task}")
    for number in range(3):
        task = world.create(title=f"reserved {number}")
        with world.store.write() as tx:
            tx.append(CLAUDE.session, NOW, [(task, TaskReserved(process="process:boot:ns:9", until=NOW))])
            if number == 2:
                tx.append(CLAUDE.session, NOW, [(task, ReservationEnded(reason="no room"))])


def _delegate(world: DeskWorld) -> None:
    """Tokens that are good, tokens that are not any more, and a session under a second name."""
    task = world.create(BOB, title="delegated")
    lead = agent("lead")
    child = world.spawn(lead, task, "implement", below=["process:boot:ns:lead-child"])
    world.spawn(child, task, "implement")
    world.app.notes.log(child, task, "begun")
    world.app.sessions.end(ALICE, child.session, reason="too slow")
    world.spawn(lead, task, "implement")
    world.spawn(BOB, task, "review")
    world.app.sessions.new(GEMINI)
    world.app.sessions.end(lead)
    world.app.notes.log(lead, task, "still here")
    with suppress(Refused):
        world.show_token("fe-of-somebody-else", ["process:boot:ns:1"])


def _record_and_clear(world: DeskWorld) -> None:
    """Approvals recorded apart: one waits, one was finished, one was taken back; and two trailers that name somebody
    wrongly.
    """
    world.app.policy.set(ALICE, "review.policy", "delegated")
    tasks = [world.submitted_task(CLAUDE, creator=BOB, title=f"recorded {number}") for number in range(3)]
    for task in tasks:
        world.app.decisions.approve(
            CODEX, task, seen=world.show(task).attempts[-1].diff_id, declaration=Declaration(record_only=True)
        )
    world.approve(CLAUDE, tasks[1], reason="codex has looked at it")
    world.app.decisions.withdraw(CODEX, tasks[2])
    world.app.policy.set(ALICE, "review.policy", None)
    for name in ("ses-typo", "ses-forged"):
        task = world.create(title=f"made by {name}?")
        world.start(CLAUDE, task)
        world.repo.commit(f"fe/{task}", sessions=[CLAUDE.session, name])
        world.submit(CLAUDE, task)
        world.app.attempts.correct_author(BOB, task, name, "there is no such session")


def _sign(world: DeskWorld) -> None:
    """Two keys and what was signed with them. Both are retired, so that people go on without one."""
    for name in ("first", "second"):
        key = f"SHA256:{name}"
        with world.store.write() as tx:
            made: list[Event] = [
                KeyAdded(fingerprint=key, public=f"ssh-ed25519 {name}", person="alice@box"),
                DecisionSigned(
                    key=key, statement=f'{{"verb":"hold","reason":"{name}"}}', signature=f"signature of {name}"
                ),
                KeyRetired(fingerprint=key, reason="lost"),
            ]
            tx.append(ALICE.session, NOW, [("", event) for event in made])


CHECKS = (
    '[[checks]]\nname = "tests"\nrun = "pytest"\nreport = "junit"\n[[checks]]\nname = "lint"\nrun = '
    '"ruff"\nrequired = false\n'
)


def _check_and_merge(world: DeskWorld) -> None:
    """Checks that are red and green, a plan that is accepted, merges that are at work, waiting, stuck and done."""
    before = world.repo.files["foureyes.toml"]
    world.repo.files |= {
        "foureyes.toml": before + CHECKS,
        ".foureyes/prompts/review.md": "[[role]]\nYou look closely.\n",
    }
    world.app.policy.accept(ALICE)
    planned = world.app.plans.import_(ALICE, "## Task: planned\n\n## Task: planned too\n", group="one")
    world.app.plans.accept(BOB, [planned[0].task])
    for number, task in enumerate([row.task for row in planned]):
        world.start(CLAUDE, task)
        world.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
        world.submit(CLAUDE, task, signal="DONE")
        world.outside.runner.says(
            "tests", exit_code=number, passing=["a", "b"], failing=["c"] if number else [], output="it ran"
        )
        world.app.checks.run(CI, task)
    world.start(CLAUDE, task)
    _again(world, task)
    world.outside.runner.says("tests", passing=["a", "b", "c"])
    world.app.checks.run(CI, task)
    tasks = [world.submitted_task(GEMINI, creator=BOB, title=f"to be merged {number}") for number in range(5)]
    world.outside.runner.says("tests", passing=["a", "b", "d"])
    for task in tasks:
        world.app.checks.run(BOB, task)
        world.approve(CODEX, task)
    with world.store.write() as tx:
        gate = gate_of(PROJECT).session
        for task in tasks:
            lease = MergeLeased(attempt=1, approval=1, until=NOW, process="process:gone", host="box", via=CI.session)
            tx.append(gate, NOW, [(task, lease)])
        left = MergeLeft(attempt=1, why="tests crashed", stuck=True)
        tx.append(gate, NOW, [(tasks[1], left), (tasks[2], left), (tasks[2], MergeRetried(attempt=1))])
        failed = MergeFailed(iteration=1, kind="conflict", feedback="in one file", paths=("a.py",))
        tx.append(gate, NOW, [(tasks[3], failed), (tasks[4], ApprovalVoided(approval=1, reasons=("D4 it is stale",)))])
    world.app.checkpoints.create(BOB, task=tasks[0])
    world.app.feedback.redo(BOB, tasks[4], issues=["1"], option="keep", priority="bump")
    world.repo.files["foureyes.toml"] = before
    world.app.policy.accept(ALICE)


def review(world: DeskWorld, actor: Actor, task: str, *issues: dict[str, object], **payload: object) -> ReviewOutcome:
    """A reviewer's document about what is submitted now, whole unless it is said otherwise."""
    attempt = world.show(task).attempts[-1]
    said = {
        "verdict": "concerns" if issues else "approved", "summary": "looked at all of it", "issues": issues,
        "attempt": attempt.n, "diff_id": attempt.diff_id, "files_reviewed": [file.path for file in attempt.files],
    }  # fmt: skip
    document = {"type": "review_result", "version": 1, "payload": said | payload}
    return world.app.reviews.submit(actor, task, msgspec.json.encode(document))


def issue(severity: str, title: str, **more: object) -> dict[str, object]:
    return {"severity": severity, "title": title, "problem": "it breaks", "fix": "mend it", **more}


def _again(world: DeskWorld, task: str) -> None:
    world.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    world.submit(CLAUDE, task)


def _review_and_answer(world: DeskWorld) -> None:
    """Findings in every state, reviews that count and that do not, one that came back, rulings and one taken back."""
    app = world.app
    task = world.submitted_task(CLAUDE, creator=BOB, title="reviewed", group="loop")
    with suppress(BadInput):
        app.reviews.submit(CODEX, task, b"looks good to me")
    for _ in range(2):  # what comes back once and is sent again as it is waits for somebody else's word (V7)
        with suppress(Refused):
            lost = issue("CRITICAL", "nowhere", quote="this is in no file")
            review(
                world, CODEX, task, lost, issue("HIGH", "a leak"), issue("HIGH", "no lock"), issue("HIGH", "no test")
            )
    names = {one.title: one.id for one in app.findings.listed(task)}
    app.rulings.rule(GEMINI, [Ruling(names["nowhere"], "DISMISSED", "there is no such code")])
    app.findings.add(
        BOB, task, ReportedFinding(severity="HIGH", title="the wrong sum", problem="rounds down", fix="round half up")
    )
    app.findings.add(GEMINI, task, ReportedFinding(severity="MEDIUM", title="a vague name", fix="say what it holds"))
    app.findings.add(GEMINI, task, ReportedFinding(severity="LOW", title="a blank too many"))
    names |= {one.title: one.id for one in app.findings.listed(task)}
    app.findings.waive(BOB, names["the wrong sum"], "the sum is shown and not paid", days=10)
    app.findings.track(BOB, [names["a blank too many"]])
    if world.status(task) == "reviewing":
        app.feedback.redo(BOB, task, "as found")
    world.start(CLAUDE, task)
    answers = [
        Answer(finding=names["a leak"], action="FIXED", text="it is closed now"),
        Answer(finding=names["no test"], action="FIXED", text="there is one now"),
        Answer(finding=names["no lock"], action="REJECTED", text="only one thread ever comes here", ground="false_positive"),
        Answer(finding=names["a vague name"], action="DEFERRED", text="with the next rename", debt="new"),
    ]  # fmt: skip
    app.answers.respond(CLAUDE, task, answers)
    _again(world, task)
    app.rulings.rule(CODEX, [Ruling(names["a leak"], "VERIFIED"), Ruling(names["no lock"], "ACCEPTED")])
    app.rulings.take_back(CODEX, names["no lock"])
    app.rulings.rule(CODEX, [Ruling(names["no lock"], "OVERRULED", "two threads come here")])
    app.rulings.rule(CODEX, [Ruling(names["no test"], "NOT_FIXED", "it tests nothing")])
    fine = world.submitted_task(CLAUDE, creator=BOB, title="reviewed and fine")
    review(world, GEMINI, fine)
    misread = app.findings.add(GEMINI, fine, ReportedFinding(severity="LOW", title="nothing after all"))
    app.rulings.withdraw(GEMINI, misread.id, "the line below says it")


def _go_round_in_circles(world: DeskWorld) -> None:
    """Loops that go up the tiers, wait for the lead, and what the lead does; findings that move with their code and
    leave with it.
    """
    app = world.app
    task = world.create(BOB, title="round and round")
    world.start(CLAUDE, task)
    for _ in range(2):
        world.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    world.submit(CLAUDE, task)
    path, other = (file.path for file in world.show(task).attempts[-1].files)
    world.repo.files |= {path: "one\ntwo = 2\nthree\n", other: "four\n"}
    review(
        world,
        CODEX,
        task,
        issue("HIGH", "two is three", file=path, quote="two = 2"),
        issue("LOW", "a bare four", file=other, line=1),
    )
    found = app.findings.listed(task, blocking=True)[0].id
    for how in ("crash", "timeout"):
        if world.status(task) == "reviewing":
            app.feedback.redo(BOB, task, "as found")
        world.start(CLAUDE, task)
        app.claims.unstart(CLAUDE, task, reason="the machine went down", how=how)
    world.repo.files[path] = "zero\none\ntwo = 2\n"
    del world.repo.branches[f"refs/heads/fe/{task}"][-1]
    for _ in range(4):
        if world.task(task).waiting_for:
            break
        world.start(CLAUDE, task)
        app.answers.respond(CLAUDE, task, [Answer(finding=found, action="FIXED", text="two is two now")])
        _again(world, task)
        review(world, CODEX, task, issue("HIGH", "two is still three", id=found, file=path, quote="two = 2"))
        if world.status(task) == "reviewing":
            app.feedback.redo(BOB, task, "again")
    app.loops.lead(BOB, task, "split", "too much at once", into=["the first half", "the second half"])


def on_disk(folder: Path) -> DeskWorld:
    """A world whose store lies in a folder, with lock and mirror."""
    folder.mkdir(exist_ok=True)
    return DeskWorld(store=create_store(str(folder), PROJECT, NOW))


@cache
def _full_folder() -> Path:
    """Made once in a process, closed, and never used but copied."""
    folder = Path(tempfile.mkdtemp(prefix="full-")) / "store"
    fill(on_disk(folder)).app.close()
    return folder


def full_on_disk(folder: Path) -> None:
    """A full store in a folder, with lock and mirror, that nobody has open."""
    shutil.copytree(_full_folder(), folder, dirs_exist_ok=True)


def reopened(folder: Path) -> Store:
    return open_store(str(folder), NOW)


def append(store: Store, *events: Event, session: str = "ses-x", task: str = "") -> list[int]:
    with store.write() as tx:
        return tx.append(session, NOW, [(task, event) for event in events])


def security(reason: str = "because", kind: ExceptionKind = "minor") -> SecurityRecorded:
    return SecurityRecorded(kind=kind, rule="P1", reason=reason)


def closed_copy(folder: Path, to: Path) -> bytes:
    """The bytes of a store that nobody has open; a copy lies at `to`."""
    shutil.copyfile(folder / "store.db", to)
    return to.read_bytes()
