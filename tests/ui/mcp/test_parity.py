"""G3: a tool and its command are one verb: the same caller gets the same refusal from both, word for word."""

from __future__ import annotations

from typing import Any

from tests.stage.commands import Stage
from tests.ui.mcp.talking import talk

Case = tuple[tuple[str, dict[str, Any]], tuple[str, ...]]


def cases(own: str, seen: str, free: str, others: str) -> list[Case]:
    """A tool with its arguments, and the command that says the same. `own` is the caller's, in review; `free` is open;
    `others` is in somebody else's hands.
    """
    answer = {"finding": "TL-fe-zzz-1-001", "action": "FIXED", "text": "done"}
    return [
        (("task_approve", {"task": own, "seen": seen, "reason": "x"}), ("approve", own, "--seen", seen, "-m", "x")),
        (("task_approve", {"task": own}), ("approve", own)),
        (("task_approve", {"task": free}), ("approve", free)),
        (("task_redo", {"task": own, "text": "x", "seen": seen}), ("redo", own, "-m", "x", "--seen", seen)),
        (("task_redo", {"task": free, "text": "x"}), ("redo", free, "-m", "x")),
        (("task_reject", {"task": own, "reason": "x"}), ("reject", own, "-m", "x")),
        (("task_close", {"task": own}), ("close", own)),
        (("task_cancel", {"task": own}), ("cancel", own)),
        (("task_start", {"task": others}), ("start", others)),
        (("task_start", {"task": "fe-nope"}), ("start", "fe-nope")),
        (("task_start", {"task": free, "if_version": 99}), ("start", free, "--if-version", "99")),
        (("task_unstart", {"task": others}), ("unstart", others)),
        (("task_submit", {"task": free}), ("submit", free)),
        (("task_submit", {"task": others}), ("submit", others)),
        (("task_submit", {"task": own, "signal": "MAYBE"}), ("submit", own, "--signal", "MAYBE")),
        (("task_log", {"task": own, "text": "x", "type": "poem"}), ("log", own, "x", "--type", "poem")),
        (("task_show", {"task": "../x"}), ("show", "../x")),
        (("task_update", {"task": own, "title": " "}), ("update", own, "--title", " ")),
        (("task_create", {"title": ""}), ("create", "")),
        (("dependency_add", {"task": own, "depends_on": [own]}), ("dep", "add", own, own)),
        (
            ("finding_answer", {"answers": [answer]}),
            ("finding", "answer", answer["finding"], "--fixed", "-m", "done"),
        ),
        (("finding_show", {"finding": "TL-x"}), ("finding", "show", "TL-x")),
        (("merge_retry", {"task": own}), ("merge", "--retry", own)),
        (("loop_lead", {"task": own, "option": "senior", "reason": "x"}), ("lead", "senior", own, "-m", "x")),
        (("session_end", {"session": "nobody"}), ("session", "end", "nobody")),
    ]


def test_G3_a_tool_is_refused_with_the_same_reasons_as_its_command(stage: Stage) -> None:
    work = stage.in_review(stage.cast.alice, stage.cast.claude)
    free, others = stage.create(stage.cast.alice), stage.create(stage.cast.alice)
    stage.done(stage.cast.codex, "start", others)
    table = cases(work.task, work.seen, free, others)
    before = stage.head()
    answers = talk(stage.cast.claude, stage.repo, *[call for call, _ in table])
    for (call, command), answer in zip(table, answers, strict=True):
        said = stage.cast.claude.fe(*command, "--json", cwd=stage.repo)
        assert said.rc not in (0, 70), (command, said)
        assert answer["isError"] is True, call
        assert answer["structuredContent"]["error"] == said.json["error"], call
    assert stage.head() == before
