"""Words for tests of the findings loop: reviews, answers, rulings and rounds in a line each, on any world."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from foureyes.app.answers import Answers
from foureyes.app.findings import FindingView
from foureyes.app.reviews import ReviewOutcome
from foureyes.app.rulings import Ruling
from foureyes.core.finding import Answer, AnswerWord, RulingWord
from foureyes.core.loop import Standing
from foureyes.core.session import Actor

from tests.app.world import CLAUDE, CODEX, DeskWorld, World

GROUND = "false_positive"
REASON = "the caller checks this input before it gets here"


def issue(title: str = "limit is hard-coded", severity: str = "HIGH", **more: Any) -> dict[str, Any]:
    """One issue of a review."""
    return {"severity": severity, "title": title, "fix": "read it from the settings", **more}


def document(issues: Sequence[dict[str, Any]] = (), *, verdict: str = "", rulings: Sequence[dict[str, str]] = (), **more: Any) -> dict[str, Any]:
    """A review_result."""
    blocking = any(str(one["severity"]).upper() in ("CRITICAL", "HIGH", "BLOCKER", "IMPORTANT") for one in issues)
    payload = {"verdict": verdict or ("concerns" if blocking else "approved"), "summary": "read all of it", "issues": list(issues)}
    return {"type": "review_result", "version": 1, "payload": payload | {"rulings": list(rulings)} | more}


def review(
    world: World, task: str, issues: Sequence[dict[str, Any]] = (), *, by: Actor = CODEX, rulings: Sequence[tuple[str, str]] = (), **more: Any
) -> ReviewOutcome:
    """A reviewer looks at the attempt that is there, reads every file of it, and says what it found and rules."""
    attempt = world.show(task).attempts[-1]
    usual = {"diff_id": attempt.diff_id, "files_reviewed": [file.path for file in attempt.files]}
    said = document(issues, rulings=[{"finding": name, "ruling": word, "reason": "looked at the code"} for name, word in rulings], **usual | more)
    return world.app.reviews.submit(by, task, json.dumps(said).encode())


def respond(world: World, task: str, answers: dict[str, str], *, by: Actor = CLAUDE) -> None:
    """Answer findings by id."""
    given = [answer(name, word) for name, word in answers.items()]
    Answers(world.app.context).respond(by, task, given)


def answer(name: str, word: str, text: str = REASON, **more: str) -> Answer:
    """One answer that the rules accept."""
    action: AnswerWord = word  # type: ignore[assignment]
    return Answer(finding=name, action=action, text="" if word == "SKIPPED" else text, ground=GROUND if word == "REJECTED" else "", **more)


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


def standing(world: World, task: str) -> Standing:
    """What the engine says."""
    return world.app.loops.standing(task)[1]


def again(world: DeskWorld, task: str, *, lines: int = 1, by: Actor = CLAUDE, fixed: Sequence[str] = (), same: bool = False) -> None:
    """The next attempt: every open blocking finding is claimed to be fixed, unless names are given; `same`: the tree of before."""
    if world.status(task) == "open":
        world.start(by, task)
    wanted = list(fixed) or open_ids(world, task)
    if wanted:
        respond(world, task, dict.fromkeys(wanted, "FIXED"), by=by)
    if not same:
        world.repo.commit(f"fe/{task}", sessions=[by.session], lines=lines)
    world.submit(by, task)


def play(world: DeskWorld, fixed_per_round: Sequence[int], *, found: int) -> str:
    """L12: a first review finds so many; each later round is claimed to fix all, and the reviewer verifies as many as told."""
    task = world.handed_in()
    review(world, task, [issue(f"problem {n}") for n in range(found)])
    for fixed in fixed_per_round:
        if standing(world, task).waiting_for:
            break
        again(world, task)
        waiting = [one.id for one in world.app.findings.listed(task) if one.state == "claimed"]
        rulings = [(name, "VERIFIED" if n < fixed else "NOT_FIXED") for n, name in enumerate(waiting)]
        review(world, task, rulings=rulings, verdict="approved" if fixed >= len(waiting) else "concerns")
    return task
