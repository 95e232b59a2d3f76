"""Words for tests of the findings loop: reviews, answers, rulings and rounds in a line each, on any world."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from foureyes.app.findings.answers import Answers
from foureyes.app.results.finding import FindingView
from foureyes.app.results.review import ReviewOutcome
from foureyes.core.loop.rounds import LoopState
from foureyes.core.nouns.finding import Answer, AnswerWord, Ruling, RulingWord
from foureyes.core.nouns.session import Actor
from foureyes.errors import BadInput, Conflict, FoureyesError, Reason, Refused
from foureyes.ui.steps import steps_text

from tests.stage.checkout import AT_ONCE, signed
from tests.stage.documents import review_result, rulings_of
from tests.stage.gated import configure, deliver, merge
from tests.stage.people import BOB, CLAUDE, CODEX
from tests.stage.world import DeskWorld, GitWorld, World

GROUND = "false_positive"
REASON = "the caller checks this input before it gets here"


def issue(title: str = "limit is hard-coded", severity: str = "HIGH", **more: Any) -> dict[str, Any]:
    """One issue of a review."""
    return {"severity": severity, "title": title, "fix": "read it from the settings", **more}


def review(
    world: World,
    task: str,
    issues: Sequence[dict[str, Any]] = (),
    *,
    by: Actor = CODEX,
    rulings: Sequence[tuple[str, str]] = (),
    **more: Any,
) -> ReviewOutcome:
    """A reviewer looks at the attempt that is there, reads every file of it, and says what it found and rules."""
    attempt = world.show(task).attempts[-1]
    usual = {"diff_id": attempt.diff_id, "files_reviewed": [file.path for file in attempt.files]}
    said = review_result(issues, rulings=rulings_of(rulings), **usual | more)
    return world.app.reviews.submit(by, task, json.dumps(said).encode())


def respond(world: World, task: str, answers: dict[str, str], *, by: Actor = CLAUDE) -> None:
    """Answer findings by id."""
    given = [answer(name, word) for name, word in answers.items()]
    Answers(world.app.context).respond(by, task, given)


def answer(name: str, word: str, text: str = REASON, **more: str) -> Answer:
    """One answer that the rules accept."""
    action: AnswerWord = word  # type: ignore[assignment]
    return Answer(
        finding=name,
        action=action,
        text="" if word == "SKIPPED" else text,
        ground=GROUND if word == "REJECTED" else "",
        **more,
    )


def rule(world: World, rulings: dict[str, str], *, by: Actor = CODEX, reason: str = "looked at the code") -> None:
    """Rule on findings by id."""
    given: list[Ruling] = []
    for name, word in rulings.items():
        ruling: RulingWord = word  # type: ignore[assignment]
        given.append(Ruling(name, ruling, reason))
    world.app.rulings.rule(by, given)


def findings(world: World, task: str) -> dict[str, FindingView]:
    """Every finding of a task by its root."""
    return {one.root: one for one in world.app.findings.listed(task)}


def states(world: World, task: str) -> dict[str, str]:
    """Where every finding stands, by its latest id."""
    return {one.id: one.state for one in world.app.findings.listed(task)}


def open_ids(world: World, task: str) -> list[str]:
    """The ids that want an answer."""
    return [one.id for one in world.app.findings.listed(task) if one.state == "open" and one.blocking and not one.check]


def standing(world: World, task: str) -> LoopState:
    """What the engine says."""
    return world.app.loops.show(task).state


def again(
    world: DeskWorld,
    task: str,
    *,
    lines: int = 1,
    by: Actor = CLAUDE,
    fixed: Sequence[str] = (),
    same: bool = False,
    via: Actor | None = None,
) -> None:
    """The next attempt: every open blocking finding is claimed to be fixed, unless names are given; `same`: the tree of
    before; `via`: who submits it.
    """
    if world.status(task) == "open":
        world.start(by, task)
    wanted = list(fixed) or open_ids(world, task)
    if wanted:
        respond(world, task, dict.fromkeys(wanted, "FIXED"), by=by)
    if not same:
        world.repo.commit(f"fe/{task}", sessions=[by.session], lines=lines)
    world.submit(via or by, task)


def play(world: DeskWorld, fixed_per_round: Sequence[int], *, found: int) -> str:
    """L12: a first review finds so many; each later round is claimed to fix all, and the reviewer verifies as many as
    told.
    """
    task = world.submitted_task()
    review(world, task, [issue(f"problem {n}") for n in range(found)])
    for fixed in fixed_per_round:
        if standing(world, task).waiting_for:
            break
        again(world, task)
        waiting = [one.id for one in world.app.findings.listed(task) if one.state == "claimed"]
        rulings = [(name, "VERIFIED" if n < fixed else "NOT_FIXED") for n, name in enumerate(waiting)]
        review(world, task, rulings=rulings, verdict="approved" if fixed >= len(waiting) else "concerns")
    return task


def send(world: World, task: str, said: object, *, by: Actor = CODEX, seen: str = "") -> ReviewOutcome:
    """Send a document as it is: bytes, or something that becomes JSON."""
    raw = said if isinstance(said, bytes) else json.dumps(said).encode()
    return world.app.reviews.submit(by, task, raw, seen=seen)


def about(world: World, task: str, issues: Sequence[dict[str, Any]] = (), **more: Any) -> dict[str, Any]:
    """A review_result about the attempt that is there, which says that all of it was read."""
    attempt = world.show(task).attempts[-1]
    return review_result(
        issues, **{"diff_id": attempt.diff_id, "files_reviewed": [file.path for file in attempt.files]} | more
    )


def returns(world: World, task: str) -> int:
    """How often a review of a task went back to its reviewer."""
    return world.kinds(task).count("ReviewReturned")


@contextmanager
def sent_back_to_its_reviewer(
    world: World, task: str, *rules: str, error: type[FoureyesError] = BadInput
) -> Iterator[list[Reason]]:
    """The review inside is refused by these rules; all that is stored is that it went back (V3, V7)."""
    reasons: list[Reason] = []
    before, rows = returns(world, task), world.sql("SELECT count(*) FROM findings")
    reviews = len(world.show(task).reviews)
    with pytest.raises(error) as caught:
        yield reasons
    reasons += caught.value.reasons
    assert {reason.rule for reason in reasons} == set(rules), reasons
    assert (returns(world, task), len(world.show(task).reviews)) == (before + 1, reviews)
    assert world.sql("SELECT count(*) FROM findings") == rows


def texts(reasons: Sequence[Reason]) -> str:
    """What reasons say, for looking into."""
    return "\n".join(f"{reason.rule} {reason.message} -> {steps_text(reason.next)}" for reason in reasons)


def why_not_approved(world: World, task: str, *, by: Actor = BOB, reason: str = "read it") -> list[Reason]:
    """Every reason against an approval, which must be refused."""
    with pytest.raises((Refused, Conflict)) as caught:
        world.approve(by, task, reason=reason)
    return list(caught.value.reasons)


def same_tier(world: World, task: str) -> tuple[str, str]:
    """Where a task stands, after a look that the record says what the engine says (E)."""
    stored, now = world.task(task), standing(world, task)
    assert (stored.tier, stored.waiting_for) == (now.tier, now.waiting_for), now
    return now.tier, now.waiting_for


def next_attempt(
    world: GitWorld,
    task: str,
    files: dict[str, str | None],
    *,
    answers: dict[str, str] | None = None,
    by: Actor = CLAUDE,
) -> None:
    """Real git: the implementer goes on where it stopped, answers, and submits; None takes a file away."""
    checkout = world.checkout
    if world.status(task) == "open":
        world.start(by, task)
    wanted = dict.fromkeys(open_ids(world, task), "FIXED") if answers is None else answers
    if wanted:
        respond(world, task, wanted, by=by)
    changed = {name: None if text is None else ("100644", text.encode()) for name, text in files.items()}
    checkout.bring(f"fe/{task}", changed, signed(f"more of {task}", by)[0])
    world.submit(by, task, branch=f"fe/{task}")


def left_behind(world: GitWorld) -> str:
    """A task that was sent back with a finding, fixed on top, verified and merged."""
    configure(world, AT_ONCE + '\n[review]\ndefault_mode = "per-task"\n')
    one = deliver(world, {"pay.py": "def pay():\n    steal_everything()\n", "doc.md": "pay\n"})
    found = issue(severity="CRITICAL", file="pay.py", line=2, quote="steal_everything()")
    (name,) = review(world, one, [found]).raised
    world.app.feedback.redo(BOB, one, "not this")
    next_attempt(world, one, {"pay.py": "def pay():\n    return 1\n"}, answers={name: "FIXED"})
    rule(world, {name: "VERIFIED"})
    world.approve(BOB, one)
    assert merge(world) == {one: "merged"}
    return one
