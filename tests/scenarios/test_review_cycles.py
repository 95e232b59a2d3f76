"""Review cycles as people and agents live them without a runner: by commands, in terminals of their own (V1, V8)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.stage.commands import Cast
from tests.stage.documents import review_result
from tests.stage.shop_loop import Loop, loop_at, loop_template

PEERS = '\n[review.peers]\nreviewers = ["codex", "gemini"]\nask = 2\n'
CONCERNS: dict[str, Any] = {"verdict": "concerns", "summary": "the counter is not atomic"}


@pytest.fixture
def loop(tmp_path: Path, template: Path, cast: Cast) -> Loop:
    """A project where an approval settles at once."""
    return loop_at(tmp_path / "shop", loop_template(tmp_path / "loops", template, cast), cast)


def test_two_concerns_are_clarified_and_agreed_to_and_a_blocker_stops_its_task_only_R1_R2_R4_V9(loop: Loop) -> None:
    loop.configure(PEERS)
    cast, work = loop.cast, loop.handed()
    assert "waits for codex, gemini" in loop.run(cast.alice, "review", "list").out
    for reviewer in (cast.codex, cast.gemini):
        loop.review(work, by=reviewer, **CONCERNS)
    shown = loop.run(cast.claude, "review", "show", "c-1").out
    assert "R2" in shown
    assert "p1 codex: the counter is not atomic" in shown
    attention = loop.run(cast.alice, "attention").out
    assert "PAUSED" in attention
    for point in ("p1", "p2"):
        loop.run(cast.claude, "review", "clarify", "c-1", point, "-m", "one thread, see server.py")
    for reviewer in (cast.codex, cast.gemini):
        loop.review(work, by=reviewer)
    assert "R4: all 2 approve" in loop.run(cast.alice, "review", "list").out
    assert "PAUSED" not in loop.run(cast.alice, "attention").out
    other = loop.handed()
    loop.review(other, by=cast.codex, verdict="blocker", summary="it deletes the database")
    loop.review(other, by=cast.gemini)
    attention = loop.run(cast.alice, "attention").out
    assert "R1: codex" in attention
    loop.approve(cast.alice, work)
    loop.verify()


def test_a_person_lets_reviewers_look_in_the_middle_of_work_and_what_they_find_binds_it_V1(loop: Loop) -> None:
    loop.configure(PEERS)
    cast, task = loop.cast, loop.plan()
    place = Path(loop.done(cast.claude, "start", task, "--worktree")["worktree"])
    place = place if place.is_absolute() else loop.repo / place
    (place / "limit.py").write_text("LIMIT = 1000\n")
    said = loop.run(cast.alice, "review", "now", task, "-m", "is this the way?").out
    assert "c-1 USER_MANUAL" in said
    issue = {"severity": "HIGH", "title": "limit is hard-coded", "file": "limit.py", "line": 1, "fix": "a setting"}
    shown = loop.run(cast.codex, "review", "show", "c-1").out
    diff = shown.partition(f"about {task} look 1 (diff ")[2].partition(")")[0]
    document = json.dumps(review_result([issue], verdict="concerns", files_reviewed=["limit.py"], diff_id=diff))
    done = loop.done(cast.codex, "review", "submit", task, "-", input=document)
    assert (len(done["raised"]), done["task_status"]) == (1, "in_progress")
    assert f"{task} look 1" in loop.run(cast.alice, "review", "list").out
    assert "LIMIT" in loop.git("show", f"refs/foureyes/looks/{task}/1:limit.py")
    loop.verify()


def test_who_has_to_review_by_name_is_asked_first_and_nobody_else_will_do_D6_V4(loop: Loop) -> None:
    rule = '\n[review.label_rules.payments]\nreviewers = ["gemini"]\n'
    loop.configure(PEERS.replace("ask = 2", "ask = 1") + rule)
    cast, work = loop.cast, loop.handed("--label", "payments")
    assert "waits for gemini" in loop.run(cast.alice, "review", "list").out
    loop.review(work, by=cast.codex)
    refused = loop.run(cast.alice, "approve", work.task)
    assert "label payments wants a counting review of gemini, and there is none" in refused.err
    assert "fe review show c-1" in refused.err
    loop.review(work, by=cast.people.agent("gemini", under=cast.codex))
    assert "wants a counting review of gemini, and there is none" in loop.run(cast.alice, "approve", work.task).err
    loop.review(work, by=cast.gemini)
    loop.approve(cast.alice, work)
    loop.verify()
