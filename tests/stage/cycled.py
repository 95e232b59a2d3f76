"""Words for tests of review cycles, on a desk: reviewers with concerns, clarified or left to a person, looks."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from foureyes.app.results.review import ReviewOutcome
from foureyes.core.nouns.cycle import EarlyReview
from foureyes.core.nouns.session import Actor

from tests.stage.documents import review_result
from tests.stage.gated import AUTO, LINT, configure
from tests.stage.looped import issue, review
from tests.stage.people import CI, CLAUDE, CODEX, GEMINI, agent
from tests.stage.world import DeskWorld, World

QWEN, OTHER = agent("qwen"), agent("opencode")
PEERS = '\n[review.peers]\nreviewers = ["codex", "gemini"]\nask = 2\n[agents]\nqwen = { program = "qwen" }\n'
CONCERN: dict[str, Any] = {"verdict": "concerns", "summary": "the salt is missing"}


def pauses(desk: DeskWorld) -> set[str]:
    """The cycles whose rule pauses something."""
    return {row.cycle for row in desk.app.runs.blocked_work().pauses if row.made_by == "rule"}


def two_concerns(desk: DeskWorld) -> str:
    """R2: codex and gemini have concerns, and claude, who made it, is asked to clarify p1 and p2."""
    configure(desk, PEERS)
    task = desk.submitted_task()
    review(desk, task, by=CODEX, **CONCERN)
    review(desk, task, [issue("no limit", "LOW")], by=GEMINI, verdict="concerns", summary="no limit")
    return task


def left_to_a_person(desk: DeskWorld) -> str:
    """R2 three times: nobody is asked to clarify any more."""
    configure(desk, PEERS + LINT)
    task = desk.submitted_task(labels=AUTO)
    desk.app.checks.run(CI, task)
    for n in (1, 2, 3):
        for by in (CODEX, GEMINI):
            review(desk, task, by=by, **CONCERN)
        for point in ("p1", "p2") if n < 3 else ():
            desk.app.cycles.clarify(CLAUDE, f"c-{n}", point, "as before")
    assert (desk.app.cycles.show("c-3").state, desk.app.cycles.show("c-3").rule) == ("decided", "R2")
    return task


def begun(desk: DeskWorld, actor: Actor = CLAUDE) -> str:
    """Work in the middle of it, on the branch of its task."""
    task = desk.create()
    desk.start(actor, task)
    desk.repo.commit(f"fe/{task}")
    return task


def look_review(desk: World, by: Actor, task: str, issues: Sequence[dict[str, Any]] = (), **more: Any) -> ReviewOutcome:
    """A review of the last look, which reads every file of it."""
    with desk.store.read() as tx:
        last = tx.all("cycle.early_reviews", EarlyReview, task=task)[-1]
    said = review_result(issues, **{"files_reviewed": last.files, "diff_id": last.diff_id} | more)
    return desk.app.reviews.submit(by, task, json.dumps(said).encode())
