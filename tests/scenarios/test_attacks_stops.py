"""Attacks on what reviewers stopped, by the agent whose work it is and by its friends: a conversation named in a
variable, a redo, silence (R1, R2, V9, I3).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.stage.commands import Cast, SubmissionTime
from tests.stage.documents import review_result
from tests.stage.processes import Caller
from tests.stage.shop_loop import Loop, loop_at, loop_template

PEERS = '\n[review.peers]\nreviewers = ["codex", "gemini"]\nask = 2\n'
TALK = {"CLAUDE_CODE_SESSION_ID": "of-the-reviewer"}
BLOCKER: dict[str, Any] = {"verdict": "blocker", "summary": "it deletes the database"}
CONCERNS: dict[str, Any] = {"verdict": "concerns", "summary": "the counter is not atomic"}
AGREES: dict[str, Any] = {"verdict": "approved", "summary": "read every line"}


@pytest.fixture
def loop(tmp_path: Path, template: Path, cast: Cast) -> Loop:
    """A project where an approval settles at once."""
    return loop_at(tmp_path / "shop", loop_template(tmp_path / "loops", template, cast), cast)


def say(loop: Loop, who: Caller, work: SubmissionTime, env: Mapping[str, str] | None = None, **words: Any) -> Any:
    document = json.dumps(loop.document(work, **words))
    return loop.done(who, "review", "submit", work.task, "-", input=document, env=env or {})


def is_held(loop: Loop, work: SubmissionTime) -> bool:
    return bool(loop.show(work.task)["task"]["hold"])


def is_paused(loop: Loop, work: SubmissionTime) -> bool:
    """Whether an agent that has nothing to do with it is refused for the pause."""
    refused = loop.run(loop.cast.qwen, "approve", work.task, "-m", "fine")
    return refused.rc == 1 and "two reviewers have concerns" in refused.err


@pytest.mark.parametrize("other", ["claude", "codex"])
def test_an_author_that_names_a_reviewer_s_conversation_lifts_no_blocker_R1_I3(loop: Loop, other: str) -> None:
    author, reviewer = loop.cast.people.agent(other), loop.cast.people.agent("claude")
    work = loop.deliver(author, loop.plan(), {"limit.py": "LIMIT = 1\n"})
    say(loop, reviewer, work, TALK, **BLOCKER)
    said = say(loop, author, work, TALK, **AGREES)
    assert (is_held(loop, work), "withdrawn" in str(said["notes"])) == (True, False)
    assert loop.run(loop.cast.alice, "approve", work.task).rc == 1
    loop.verify()


def test_a_third_agent_that_names_the_conversation_lifts_no_blocker_either_R1_I3(loop: Loop) -> None:
    work, reviewer = loop.handed(), loop.cast.people.agent("claude")
    say(loop, reviewer, work, TALK, **BLOCKER)
    say(loop, loop.cast.people.agent("claude"), work, TALK, **AGREES)
    assert is_held(loop, work)
    withdrawn = say(loop, reviewer, work, **AGREES)
    assert "your blocker is withdrawn, and the hold is lifted (R1)" in withdrawn["notes"]
    assert not is_held(loop, work)


def test_a_blocker_stops_though_the_author_named_its_reviewer_s_conversation_R1_I3(loop: Loop) -> None:
    loop.configure(PEERS.replace('"codex", ', '"claude", "codex", '))
    author, reviewer = loop.cast.people.agent("claude"), loop.cast.people.agent("claude")
    work = loop.deliver(author, loop.plan(), {"limit.py": "LIMIT = 1\n"})
    loop.done(author, "log", work.task, "half done", env=TALK)
    said = say(loop, reviewer, work, TALK, **BLOCKER)
    assert said["message"].startswith("blocker, 0 findings. The task is held")
    assert "does not count" not in str(said["notes"])
    assert is_held(loop, work)
    loop.verify()


def test_a_blocker_about_unfinished_work_stops_it_though_one_conversation_was_named_R1_V1(loop: Loop) -> None:
    loop.configure(PEERS)
    author, reviewer, task = loop.cast.claude, loop.cast.people.agent("codex"), loop.plan()
    place = Path(loop.done(author, "start", task, "--worktree")["worktree"])
    (loop.repo / place / "limit.py").write_text("LIMIT = 1000\n")
    loop.run(loop.cast.alice, "review", "now", task, "-m", "is this the way?")
    shown = loop.run(reviewer, "review", "show", "c-1").out
    diff = shown.partition(f"about {task} early review 1 (diff ")[2].partition(")")[0]
    loop.done(author, "log", task, "half done", env=TALK)
    said = json.dumps(review_result([], files_reviewed=["limit.py"], diff_id=diff, **BLOCKER))
    loop.done(reviewer, "review", "submit", task, "-", input=said, env=TALK)
    assert loop.show(task)["task"]["hold"] == "codex#1 reported a blocker: it deletes the database"


def test_concerns_of_two_pause_though_the_author_makes_one_origin_of_them_R2_I3(loop: Loop) -> None:
    author, first, second = (loop.cast.people.agent(name) for name in ("claude", "codex", "gemini"))
    work = loop.deliver(author, loop.plan(), {"limit.py": "LIMIT = 1\n"})
    say(loop, first, work, {"CODEX_THREAD_ID": "one"}, **CONCERNS)
    loop.done(author, "log", work.task, "half done", env={"CODEX_THREAD_ID": "one", **TALK})
    say(loop, second, work, TALK, **CONCERNS)
    assert is_paused(loop, work)
    loop.verify()


@pytest.fixture
def paused(loop: Loop) -> SubmissionTime:
    """R2: codex and gemini have concerns."""
    loop.configure(PEERS)
    work = loop.handed()
    for reviewer in (loop.cast.codex, loop.cast.gemini):
        say(loop, reviewer, work, **CONCERNS)
    assert is_paused(loop, work)
    return work


def test_an_agent_s_redo_lifts_no_pause_and_both_look_at_what_comes_next_R2_V9(
    loop: Loop, paused: SubmissionTime
) -> None:
    loop.done(loop.cast.qwen, "redo", paused.task, "-m", "again", "--seen", paused.seen)
    assert "PAUSED" in loop.run(loop.cast.alice, "attention").out
    work = loop.again(paused.task, {"limit.py": "LIMIT = 2\n"})
    assert is_paused(loop, work)
    assert "waits for codex, gemini" in loop.run(loop.cast.alice, "review", "list").out
    say(loop, loop.cast.codex, work, **AGREES)
    assert is_paused(loop, work)
    say(loop, loop.cast.gemini, work, **AGREES)
    assert not is_paused(loop, work)
    loop.verify()


def test_both_who_had_concerns_take_them_back_and_the_pause_ends_R2_V9(loop: Loop, paused: SubmissionTime) -> None:
    say(loop, loop.cast.codex, paused, **AGREES)
    assert is_paused(loop, paused)
    say(loop, loop.cast.gemini, paused, **AGREES)
    assert not is_paused(loop, paused)
    loop.verify()


def test_a_person_who_made_the_work_does_not_lift_a_pause_by_a_redo_R2_V9(loop: Loop) -> None:
    loop.configure(PEERS)
    alice = loop.cast.alice
    work = loop.deliver(alice, loop.plan(), {"limit.py": "LIMIT = 1\n"})
    for reviewer in (loop.cast.codex, loop.cast.gemini):
        say(loop, reviewer, work, **CONCERNS)
    loop.run(alice, "redo", work.task, "-m", "again")
    assert is_paused(loop, loop.again(work.task, {"limit.py": "LIMIT = 2\n"}, by=alice))


def test_the_silence_of_both_who_had_concerns_ends_no_pause_R2_R0_V9(loop: Loop, paused: SubmissionTime) -> None:
    cast = loop.cast
    for point in ("p1", "p2"):
        loop.done(cast.claude, "review", "clarify", "c-1", point, "-m", "one thread, see server.py")
    loop.edit("UPDATE cycle_asked SET until = '2020-01-01T00:00:00.000Z' WHERE cycle = 'c-2'")
    say(loop, cast.qwen, paused, **AGREES)
    assert is_paused(loop, paused)
    shown = loop.run(cast.alice, "review", "show", "c-2").out
    assert "R0" in shown
    assert "codex, gemini had concerns in c-1 and did not review it again" in shown
    loop.approve(cast.alice, paused)
