"""The server with the SDK's own client, in one process: every tool of a role, what it refuses, what it survives."""

from __future__ import annotations

from typing import Any

import pytest

from foureyes.core.nouns.session import Actor
from foureyes.core.rules.callers import served
from foureyes.ui.mcp.tools import TOOLS

from tests.stage.people import ALICE, CODEX, agent, person
from tests.ui.mcp.office import Conversation, Office, submitted_task

GEMINI = agent("gemini")


def test_K1_a_task_is_claimed_with_its_worktree_committed_and_handed_in_from_wherever_the_server_stands(
    office: Office, talk: Conversation
) -> None:
    office.checkout.git("switch", "-q", "-c", "somebodys-own")
    task, seen = submitted_task(office, talk)
    assert seen.startswith("1.")
    assert office.status(task) == "reviewing"
    log = office.checkout.git("log", "-1", "--format=%s%n%(trailers)", f"fe/{task}")
    assert log.splitlines()[0] == "Say hello"
    assert f"Task: {task}" in log
    assert "Foureyes-Session: ses-claude1" in log
    assert office.checkout.git("status", "--porcelain") == ""


def test_A1_what_is_not_committed_is_refused_with_the_worktrees_path_and_the_way_out(
    office: Office, talk: Conversation
) -> None:
    office.create()
    task = talk.good("task_next")["task"]
    (office.worktree(task) / "hello.py").write_text("print(1)\n")
    answer = talk.call("task_submit", task=task)
    assert answer.is_error
    assert answer.rules == ["A1"]
    assert str(office.worktree(task)) in answer.text


def test_A1_nothing_is_committed_for_an_agent_but_in_the_worktree_of_its_task(
    office: Office, talk: Conversation
) -> None:
    task = office.create()
    with office.call() as (app, actor):
        app.claims.start(actor, task, worktree=False)
    (office.root / "app.py").write_text("print('a persons own')\n")
    before = office.checkout.git("rev-parse", "main")
    for more in ({}, {"branch": "main"}):
        answer = talk.call("task_submit", {"task": task, "commit": "x"} | more)
        assert answer.rules == ["A1"], answer.value
    office.checkout.git("switch", "-q", "-c", f"fe/{task}")
    assert talk.call("task_submit", task=task, commit="x").rules == ["A1"]
    assert office.checkout.git("rev-parse", "main", f"fe/{task}").split() == [before.strip()] * 2
    assert office.checkout.git("status", "--porcelain") == "M app.py"


def test_P2_D7_who_made_it_is_refused_and_another_agent_that_says_what_it_saw_approves(
    office: Office, talk: Conversation
) -> None:
    task, seen = submitted_task(office, talk)
    assert talk.good("task_show", task=task)["status"] == "reviewing"
    own = talk.call("task_approve", task=task, seen=seen, reason="mine")
    assert (own.is_error, own.code, own.rules) == (True, "refused", ["P2"])
    assert own.value["error"]["reasons"][0]["next"]
    office.actor = CODEX
    assert [row["seen"] for row in talk.good("task_reviewable")["rows"]] == [seen]
    assert "+print(1)" in talk.good("task_diff", task=task)["text"]
    assert talk.call("task_approve", task=task, reason="read it").rules == ["D7"]
    assert talk.good("task_approve", task=task, seen=seen, reason="read it")["rule"] == "P7"
    with office.call() as (app, _):
        (approval,) = app.lists.show(ALICE, task).approvals
    assert approval.viewed.face == "mcp"


def test_L6_a_finding_is_added_listed_answered_and_handed_in_again(office: Office, talk: Conversation) -> None:
    task, _ = submitted_task(office, talk)
    office.actor = CODEX
    added = talk.good("finding_add", task=task, severity="HIGH", title="it greets nobody", path="hello.py", line=1)
    office.actor = agent("claude")
    (row,) = talk.good("finding_list", task=task, open_only=True)["rows"]
    assert (row["id"], row["blocks"], row["place"]) == (added["id"], True, "hello.py:1")
    skipped = talk.call("finding_answer", answers=[{"finding": row["id"], "action": "SKIPPED"}])
    assert skipped.rules == ["L6"]
    (office.worktree(task) / "hello.py").write_text("print('you')\n")
    answer = {"finding": row["id"], "action": "FIXED", "text": "greets you now"}
    assert "FIXED" in talk.good("finding_answer", answers=[answer])["message"]
    assert talk.good("task_submit", task=task, commit="Greet you")["attempt"] == 2


def test_V3_a_review_is_given_as_an_object_and_its_wrong_fields_are_named(office: Office, talk: Conversation) -> None:
    task, seen = submitted_task(office, talk)
    office.actor = CODEX
    review: dict[str, Any] = {"verdict": "concerns", "summary": "no", "files_reviewed": ["hello.py"]}
    wrong = talk.call("review_submit", task=task, review=review | {"issues": [{"severity": "odd", "title": 7}]})
    assert wrong.code == "usage"
    assert "review.issues[0].title" in wrong.text
    issue = {"severity": "HIGH", "title": "it greets nobody", "location": "hello.py:1"}
    done = talk.good("review_submit", task=task, seen=seen, review=review | {"issues": [issue]})
    assert len(done["raised"]) == 1


def test_F1_a_change_is_sent_back_and_the_context_says_why(office: Office, talk: Conversation) -> None:
    task, seen = submitted_task(office, talk)
    office.actor = CODEX
    assert talk.good("task_redo", task=task, text="greet everybody", seen=seen)["status"] == "open"
    told = talk.good("task_context", task=task)
    assert told["feedback"][0]["text"] == "greet everybody"
    assert talk.good("task_show", task=task)["status"] == "open"
    assert talk.good("task_log", task=task, text="looked at it")["changed"] is True
    assert [row["id"] for row in talk.good("task_ready")["rows"]] == [task]


@pytest.mark.parametrize("seen", [person(), agent("x")])
def test_I5_below_an_editor_it_starts_and_hands_in_and_decides_nothing(
    office: Office, talk: Conversation, seen: Actor
) -> None:
    office.actor = served(person(), seen)
    task, name = submitted_task(office, talk)
    for tool, more in (("task_approve", {"reason": "x"}), ("task_redo", {"text": "x"})):
        answer = talk.call(tool, {"task": task, "seen": name} | more)
        assert answer.rules == ["I5"]
    office.actor = GEMINI
    assert talk.call("task_approve", task=task, seen=name, reason="read").rules == ["P2"], "nothing shows who made it"


def test_without_all_only_the_tools_of_the_roles_are_there_and_the_way_to_the_others_is_said(office: Office) -> None:
    talk = Conversation(office)
    try:
        listed = talk.do(lambda client: client.list_tools()).tools
        assert [tool.name for tool in listed] == list(TOOLS)
        assert {tool.name for tool in listed if tool.annotations.read_only_hint} >= {"task_show", "task_diff"}
        assert "fe mcp --all" in talk.call("task_close", task="fe-1").text
    finally:
        talk.close()
