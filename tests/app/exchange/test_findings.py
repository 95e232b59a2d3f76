"""What tools found, in and out: SARIF (L2, L9)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from foureyes.core.nouns.session import Actor
from foureyes.errors import FoureyesError, Refused

from tests.stage.checkout import AT_ONCE
from tests.stage.documents import sarif
from tests.stage.gated import approved, configure, deliver
from tests.stage.looped import findings, issue, next_attempt, respond, review, rule, states
from tests.stage.people import BOB, CI, CLAUDE, CODEX, GEMINI, asserted
from tests.stage.world import GitWorld

KEPT = '\n[review]\ndefault_mode = "per-task"\n'
PAY = "def pay(amount):\n    limit = 10\n    return eval(amount) < limit\n"


def submitted_task(world: GitWorld) -> str:
    configure(world, KEPT)
    return deliver(world, {"pay.py": PAY})


def take(
    world: GitWorld, task: str, document: bytes, *, by: Actor = CODEX, **more: Any
) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    done = world.app.exchange.take_in(by, task, document, "report", **more)
    return done.raised, done.again, done.outside


EVAL = ("pay.py", 3, "eval is dangerous")


def test_what_a_tool_found_enters_the_journal_anchored_in_the_code_L2(world: GitWorld) -> None:
    task = submitted_task(world)
    raised, again, outside = take(world, task, sarif(EVAL))
    assert (raised, again, outside) == ((f"CK-{task}-1-001",), (), 0)
    one = findings(world, task)[raised[0]]
    assert (one.title, one.rule, one.quote, one.blocking) == (
        "eval is dangerous",
        "S307",
        "return eval(amount) < limit",
        True,
    )


def test_the_same_report_again_says_nothing_new_within_an_attempt_L2(world: GitWorld) -> None:
    task = submitted_task(world)
    take(world, task, sarif(EVAL, EVAL))
    with world.unchanged():
        assert take(world, task, sarif(EVAL)) == ((), (), 0)
    assert len(findings(world, task)) == 1


def test_across_iterations_and_lines_that_move_it_is_the_same_finding_L2(world: GitWorld) -> None:
    task = submitted_task(world)
    (name,), _, _ = take(world, task, sarif(EVAL))
    world.app.feedback.redo(BOB, task, "mend it")
    next_attempt(world, task, {"pay.py": "import os\n\n\n" + PAY})
    raised, again, _ = take(world, task, sarif(("pay.py", 6, "eval is still dangerous")))
    assert (raised, len(again)) == ((), 1)
    assert list(findings(world, task)) == [name]
    assert findings(world, task)[name].false_fixes == 1, "it was claimed to be fixed"


def test_one_accepted_rejection_does_not_keep_the_rest_of_a_report_out_L9(world: GitWorld) -> None:
    task = submitted_task(world)
    (name,), _, _ = take(world, task, sarif(EVAL))
    respond(world, task, {name: "REJECTED"})
    rule(world, {name: "ACCEPTED"}, by=GEMINI)
    next_attempt(world, task, {"loan.py": PAY}, answers={})
    raised, again, _ = take(world, task, sarif(EVAL, ("loan.py", 3, "eval is dangerous")))
    assert (len(raised), again) == (1, ())
    assert states(world, task) == {name: "resolved", raised[0]: "open"}


def test_what_is_outside_the_change_is_counted_and_left_out_unless_all_is_wanted(world: GitWorld) -> None:
    task = submitted_task(world)
    document = sarif(EVAL, ("code.py", 1, "old trouble"), ("nowhere.py", 1, "made up"))
    raised, _, outside = take(world, task, document)
    assert (len(raised), outside) == (1, 2)
    more, _, none = take(world, task, document, whole=True)
    assert (len(more), none) == (2, 0)
    by_path = {one.location.path: one for one in findings(world, task).values()}
    assert (by_path["code.py"].anchored, by_path["nowhere.py"].anchored) == (True, False)


def test_what_a_tool_calls_a_warning_does_not_block_L1(world: GitWorld) -> None:
    task = submitted_task(world)
    (name,), _, _ = take(world, task, sarif(EVAL, level="warning"))
    assert not findings(world, task)[name].blocking


def test_a_blocking_import_ends_an_approval_D2(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = approved(world, {"pay.py": PAY})
    take(world, task, sarif(EVAL))
    assert world.status(task) == "reviewing"


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"{",
        b"prose",
        b'{"version": "2.1.0"}',
        b'{"runs": 1}',
        b'{"diagnostics": [{"message": 1}]}',
        b'{"type": "handoff_tech_lead", "issues": []}',
    ],
)
def test_what_is_no_report_is_refused_and_not_an_empty_one_G1(world: GitWorld, document: bytes) -> None:
    task = submitted_task(world)
    with world.unchanged(), pytest.raises(FoureyesError):
        take(world, task, document)


@pytest.mark.parametrize("who", [BOB, CODEX, CI])
def test_people_agents_and_services_import_I5(world: GitWorld, who: Actor) -> None:
    task = submitted_task(world)
    assert len(take(world, task, sarif(EVAL), by=who)[0]) == 1


def test_typed_names_and_tokens_import_nothing_I1_I2(world: GitWorld) -> None:
    task = submitted_task(world)
    for who in (asserted(BOB), world.spawn(BOB, task, "review")):
        with world.unchanged(), pytest.raises(Refused):
            take(world, task, sarif(EVAL), by=who)


def test_whoever_made_the_work_may_bring_a_report_and_takes_nothing_back_by_it_L8(world: GitWorld) -> None:
    task = submitted_task(world)
    (name,), _, _ = take(world, task, sarif(EVAL))
    with world.unchanged():
        take(world, task, sarif(), by=CLAUDE)
    assert states(world, task) == {name: "open"}, "an empty report resolves nothing"


def test_whoever_made_the_work_may_bring_the_same_report_for_every_attempt_L2(world: GitWorld) -> None:
    task = submitted_task(world)
    (name,), _, _ = take(world, task, sarif(EVAL), by=CLAUDE)
    world.app.feedback.redo(BOB, task, "mend it")
    next_attempt(world, task, {"loan.py": PAY})
    raised, _, _ = take(world, task, sarif(EVAL, ("loan.py", 3, "eval is dangerous")), by=CLAUDE)
    assert [findings(world, task)[new].location.path for new in raised] == ["loan.py"]
    assert states(world, task)[name] == "claimed", "what it claims is not its own to open or to close"


def test_findings_go_out_as_sarif_and_come_back_as_the_same_ones(world: GitWorld) -> None:
    task = submitted_task(world)
    review(world, task, [issue(file="pay.py", line=2)])
    take(world, task, sarif(EVAL))
    out = json.loads(world.app.exchange.export(task))
    results = [row for run in out["runs"] for row in run["results"]]
    places = {row["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for row in results}
    assert (len(results), places, out["version"]) == (2, {"pay.py"}, "2.1.0")
    everything = json.loads(world.app.exchange.export())
    assert len([row for run in everything["runs"] for row in run["results"]]) == 2
    other = deliver(world, {"pay.py": PAY, "x.py": "x\n"}, actor=GEMINI)
    raised, _, _ = take(world, other, json.dumps(out).encode())
    assert len(raised) == 2


TWICE = "import os\n\n\ndef one(x):\n    os.system(x)\n\n\ndef two(x):\n    os.system(x)\n"
MENDED = TWICE.replace("def one(x):\n    os.system(x)", "def one(x):\n    run(x, shell=False)\n    return x")
SHELL = "a shell is started"


def test_the_same_line_twice_is_two_findings_and_who_mends_one_made_no_false_fix_L2_L8(world: GitWorld) -> None:
    configure(world, KEPT)
    task = deliver(world, {"pay.py": TWICE})
    (first, second), _, _ = take(world, task, sarif(("pay.py", 5, SHELL), ("pay.py", 9, SHELL)))
    assert take(world, task, sarif(("pay.py", 9, SHELL), ("pay.py", 5, SHELL))) == ((), (), 0), "in any order"
    world.app.feedback.redo(BOB, task, "mend one")
    next_attempt(world, task, {"pay.py": MENDED}, answers={first: "FIXED", second: "FIXED"})
    raised, again, _ = take(world, task, sarif(("pay.py", 10, SHELL)))
    assert (raised, len(again)) == ((), 1)
    now = findings(world, task)
    assert {root: (one.state, one.false_fixes, one.location.line) for root, one in now.items()} == {
        first: ("claimed", 0, 5), second: ("open", 1, 10),
    }  # fmt: skip
    rule(world, {now[first].id: "VERIFIED"})
    assert findings(world, task)[first].state == "resolved"


def test_a_report_of_another_clone_or_worktree_is_about_the_same_files_L3(world: GitWorld) -> None:
    configure(world, KEPT)
    task = deliver(world, {"src/pay.py": PAY, "go/main.go": "package main\n"})
    foreign = sarif(("file:///home/ci/shop/src/pay.py", 3, "eval"), ("main.go", 1, "no tests"), ("/opt/x.py", 1, "far"))
    raised, _, outside = take(world, task, foreign)
    places = [(one.location.path, one.location.line) for one in findings(world, task).values()]
    assert (len(raised), outside, places) == (3, 0, [("src/pay.py", 3), ("go/main.go", 1), ("", 0)])


def test_a_linters_error_does_not_block_by_default_and_as_the_project_says_L1(world: GitWorld) -> None:
    task = submitted_task(world)
    report = sarif(EVAL).replace(b'"scan"', b'"ruff"')
    take(world, task, report)
    assert [one.severity for one in findings(world, task).values()] == ["MEDIUM"]


def test_what_moved_and_was_rewritten_is_known_by_its_tools_own_mark_L2(world: GitWorld) -> None:
    task = submitted_task(world)
    marked = json.loads(sarif(EVAL))
    marked["runs"][0]["results"][0]["fingerprints"] = {"id": "abc"}
    (name,), _, _ = take(world, task, json.dumps(marked).encode())
    world.app.feedback.redo(BOB, task, "mend it")
    next_attempt(world, task, {"pay.py": "import os\n\n\ndef other():\n    pass\n\n\nVALUE = eval(os.name)\n"})
    marked["runs"][0]["results"][0]["locations"] = json.loads(sarif(("pay.py", 8, "")))["runs"][0]["results"][0][
        "locations"
    ]
    marked["runs"][0]["results"][0]["message"]["text"] = "do not"
    raised, again, _ = take(world, task, json.dumps(marked).encode())
    assert (raised, len(again), list(findings(world, task))) == ((), 1, [name])
