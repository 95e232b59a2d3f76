"""Findings and real code: lines that move, files that are renamed or leave the change (L2, L4), FILE:LINE, patches
(L3).
"""

from __future__ import annotations

import msgspec
import pytest

from foureyes.core.nouns.finding import ReportedFinding
from foureyes.core.nouns.session import Actor
from foureyes.errors import NotFound, Refused

from tests.stage.checkout import AT_ONCE
from tests.stage.gated import approved, configure, deliver, merge, merge_rows
from tests.stage.looped import findings, issue, next_attempt, respond, review, rule, states, texts, why_not_approved
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, asserted
from tests.stage.world import GitWorld

KEPT = '\n[review]\ndefault_mode = "per-task"\n'
PAY = "def pay(amount):\n    limit = 10\n    return amount < limit\n"
PATCH = (
    "--- a/pay.py\n+++ b/pay.py\n@@ -1,3 +1,3 @@\n def pay(amount):\n-    limit = 10\n+    limit = LIMIT\n     "
    "return amount < limit\n"
)


def submitted_task(world: GitWorld, **files: str) -> str:
    return deliver(world, {"pay.py": PAY} | {name.replace("_", "."): text for name, text in files.items()})


def flagged(world: GitWorld, task: str, severity: str = "HIGH", **more: object) -> str:
    said = {"file": "pay.py", "line": 2} | more
    (name,) = review(world, task, [issue(severity=severity, **said)], verdict="concerns").raised  # type: ignore[arg-type]
    return name


# Where it is now


def test_a_moved_line_is_where_it_is_now_and_the_same_finding_L2(world: GitWorld) -> None:
    task = submitted_task(world)
    name = flagged(world, task)
    next_attempt(world, task, {"pay.py": "import os\n\n\n" + PAY})
    assert findings(world, task)[name].location.line == 5, "lines were put in above it"
    review(world, task, [issue("another title", file="pay.py", line=5)])
    assert list(findings(world, task)) == [name]


def test_a_renamed_file_takes_its_findings_along_L2(world: GitWorld) -> None:
    task = submitted_task(world)
    name = flagged(world, task)
    next_attempt(world, task, {"pay.py": None, "money/pay.py": PAY + "\n"})
    one = findings(world, task)[name]
    assert (one.location.path, one.location.line, one.left_diff) == ("money/pay.py", 2, False)
    review(world, task, [issue("said otherwise", file="money/pay.py", quote="limit = 10")])
    assert list(findings(world, task)) == [name]


def test_a_file_of_the_target_that_is_renamed_is_followed_L2(world: GitWorld) -> None:
    world.checkout.switch("main")
    world.checkout.commit("pay.py", PAY * 5, message="on the target")
    task = deliver(world, {"pay.py": PAY * 5 + "x = 1\n"})
    (name,) = review(world, task, [issue(file="pay.py", quote="x = 1")]).raised
    next_attempt(world, task, {"pay.py": None, "loan.py": PAY * 5 + "x = 1\n"})
    assert (findings(world, task)[name].location.path, findings(world, task)[name].left_diff) == ("loan.py", False)
    review(world, task, [issue("again", file="loan.py", quote="x = 1")])
    assert list(findings(world, task)) == [name]


def test_code_that_is_gone_leaves_the_finding_where_it_was_L2(world: GitWorld) -> None:
    task = submitted_task(world)
    name = flagged(world, task)
    next_attempt(world, task, {"pay.py": "def pay(amount):\n    return True\n"})
    one = findings(world, task)[name]
    assert (one.location.path, one.location.line, one.state) == ("pay.py", 2, "claimed")


# Its file left the change


def test_a_suggestion_whose_file_left_the_change_is_obsolete_by_itself_L4(world: GitWorld) -> None:
    task = submitted_task(world, keep_py="keep = 1\n")
    name = flagged(world, task, "LOW")
    world.app.feedback.redo(BOB, task, "without pay.py")
    next_attempt(world, task, {"pay.py": None})
    assert states(world, task) == {name: "obsolete"}


def test_a_blocking_one_whose_file_left_the_change_needs_the_word_of_an_eligible_reviewer_L4(world: GitWorld) -> None:
    task = submitted_task(world, keep_py="keep = 1\n")
    name = flagged(world, task)
    next_attempt(world, task, {"pay.py": None})
    assert (states(world, task), findings(world, task)[name].left_diff) == ({name: "claimed"}, True)
    assert {reason.rule for reason in why_not_approved(world, task)} == {"D2"}
    with world.refused("L8"):
        rule(world, {name: "OBSOLETE"}, by=CLAUDE)
    rule(world, {name: "OBSOLETE"}, by=GEMINI)
    assert states(world, task) == {name: "obsolete"}
    assert world.approve(BOB, task).status == "approved"


def test_a_finding_whose_file_is_still_in_the_change_is_not_obsolete_L4(world: GitWorld) -> None:
    task = submitted_task(world)
    name = flagged(world, task)
    next_attempt(world, task, {"pay.py": PAY.replace("10", "LIMIT")})
    with world.refused("L4"):
        rule(world, {name: "OBSOLETE"})


def test_an_obsolete_finding_that_is_flagged_again_is_open_again_L4(world: GitWorld) -> None:
    task = submitted_task(world, keep_py="keep = 1\n")
    name = flagged(world, task)
    next_attempt(world, task, {"pay.py": None, "keep.py": "keep = 2\n"})
    rule(world, {name: "OBSOLETE"})
    world.app.feedback.redo(BOB, task, "put it back")
    next_attempt(world, task, {"pay.py": PAY})
    done = review(world, task, [issue(id=name, file="pay.py", line=2)])
    assert (list(states(world, task).values()), done.sent_back) == (["open"], True)


# A person points at a line


def test_a_person_points_at_a_line_and_the_code_there_is_kept_L3(world: GitWorld) -> None:
    configure(world, KEPT)
    task = submitted_task(world)
    one = world.app.findings.add(BOB, task, ReportedFinding(severity="HIGH", title="limit", path="pay.py", line=2))
    assert (one.quote, one.source, one.by, one.location.line) == ("limit = 10", "person", "bob@box", 2)


@pytest.mark.parametrize(
    ("path", "line"), [("pay.py", 4), ("pay.py", 10**6), ("nowhere.py", 0), ("nowhere.py", 1), ("PAY.py", 2)]
)
def test_a_line_that_is_not_there_is_refused_V7(world: GitWorld, path: str, line: int) -> None:
    task = submitted_task(world)
    with world.refused("V7"):
        world.app.findings.add(BOB, task, ReportedFinding(severity="HIGH", title="limit", path=path, line=line))


def test_a_quote_that_is_not_there_is_refused_V7(world: GitWorld) -> None:
    task = submitted_task(world)
    with world.refused("V7"):
        world.app.findings.add(
            BOB, task, ReportedFinding(severity="LOW", title="limit", path="pay.py", quote="limit = 11")
        )


@pytest.mark.parametrize("who", [CI, asserted(BOB), asserted(CODEX)])
def test_services_and_typed_names_add_nothing_I1_I5(world: GitWorld, who: Actor) -> None:
    task = submitted_task(world)
    with world.unchanged(), pytest.raises(Refused):
        world.app.findings.add(who, task, ReportedFinding(severity="HIGH", title="limit"))


def test_a_review_token_adds_to_its_task_only_and_an_implement_token_to_none_I2(world: GitWorld) -> None:
    task, other = submitted_task(world), deliver(world, {"x.py": "x\n"}, actor=GEMINI)
    reviewer = world.spawn(BOB, task, "review")
    assert world.app.findings.add(reviewer, task, ReportedFinding(severity="LOW", title="limit")).state == "open"
    with world.refused("I2"):
        world.app.findings.add(reviewer, other, ReportedFinding(severity="LOW", title="limit"))
    third = world.create()
    worker = world.spawn(CODEX, third, "implement")
    with world.refused("I2"):
        world.app.findings.add(worker, task, ReportedFinding(severity="LOW", title="limit"))


def test_a_blocking_finding_added_to_an_approved_task_ends_the_approval_at_once_D2_T_void(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = approved(world)
    assert world.status(task) == "approved"
    name = world.app.findings.add(BOB, task, ReportedFinding(severity="CRITICAL", title="it deletes the table")).id
    assert world.status(task) == "reviewing"
    (approval,) = world.show(task).approvals
    assert (approval.state, name in approval.ended_why) == ("ended", True)
    assert merge(world) == {}
    assert "D2" in texts(why_not_approved(world, task))


def test_a_suggestion_added_to_an_approved_task_ends_nothing_D2(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = approved(world)
    world.app.findings.add(BOB, task, ReportedFinding(severity="MEDIUM", title="a better name"))
    assert merge(world) == {task: "merged"}


def test_a_waiver_that_runs_out_before_the_merge_ends_the_approval_Q2_E3(world: GitWorld) -> None:
    task = submitted_task(world)
    name = flagged(world, task)
    world.app.findings.waive(BOB, name, "the vendor fixes it", days=1)
    next_attempt(world, task, {"x.py": "x\n"}, answers={})
    world.approve(BOB, task, reason="read it")
    world.clock.advance(hours=25)
    row = merge_rows(world)[task]
    assert (row.outcome, world.status(task)) == ("void", "reviewing")
    assert "D2" in row.message


def test_a_finding_of_another_task_is_not_ruled_on_or_answered_under_this_one_L2_L6(world: GitWorld) -> None:
    task, other = submitted_task(world), deliver(world, {"x.py": "x\n"}, actor=GEMINI)
    mine, others = flagged(world, task), review(world, other, [issue()]).raised[0]
    world.start(CLAUDE, task)
    with world.refused("L6"):
        respond(world, task, {mine: "FIXED", others: "FIXED"})
    third = deliver(world, {"z.py": "z\n"})
    with world.refused("L2"):
        review(world, third, [issue(id=mine)])


# The reviewer's patch


def with_patch(world: GitWorld, patch: str = PATCH) -> tuple[str, str]:
    task = submitted_task(world)
    name = flagged(world, task, fix_patch=patch)
    world.start(CLAUDE, task)
    world.checkout.switch(f"fe/{task}")
    return task, name


def test_a_patch_that_fits_is_in_the_files_and_nothing_is_committed_L3(world: GitWorld) -> None:
    task, name = with_patch(world)
    head = world.checkout.head()
    done = world.app.findings.apply(CLAUDE, name)
    assert "limit = LIMIT" in (world.checkout.path / "pay.py").read_text()
    assert (world.checkout.head(), done.changed) == (head, True)
    assert any(name in line.text for line in world.show(task).logs), "the report shows where it came from"


def test_trying_a_patch_changes_neither_files_nor_the_record_L3(world: GitWorld) -> None:
    _, name = with_patch(world)
    with world.unchanged():
        assert world.app.findings.apply(CLAUDE, name, only_try=True).changed is False
    assert (world.checkout.path / "pay.py").read_text() == PAY


@pytest.mark.parametrize(
    "patch", [PATCH.replace("limit = 10", "limit = 12"), "not a patch", PATCH.replace("pay.py", "no.py")]
)
def test_a_patch_that_does_not_fit_changes_nothing_L3(world: GitWorld, patch: str) -> None:
    _, name = with_patch(world, patch)
    with world.refused("L3"):
        world.app.findings.apply(CLAUDE, name)
    assert world.checkout.git("status", "--porcelain") == ""


def test_who_wrote_the_patch_is_no_author_of_the_attempt_and_may_judge_it_L3_I7(world: GitWorld) -> None:
    task, name = with_patch(world)
    world.app.findings.apply(CLAUDE, name)
    respond(world, task, {name: "FIXED"})
    world.submit(CLAUDE, task, commit="take the patch")
    assert world.show(task).authors == [CLAUDE.session]
    rule(world, {name: "VERIFIED"}, by=CODEX)
    assert world.approve(CODEX, task, reason="read the patch").rule == "P5"


NEW = "--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x = 1\n"
GATE = {
    "a gate file": NEW.format(path="AGENTS.md"),
    "one in a folder": NEW.format(path=".claude/settings.json"),
    "another prefix": NEW.format(path="AGENTS.md").replace("+++ b/", "+++ w/"),
    "a quoted name": NEW.format(path="AGENTS.md").replace("b/AGENTS.md", '"b/\\101GENTS.md"'),
    "an empty file": "diff --git a/.mcp.json b/.mcp.json\nnew file mode 100644\nindex 0000000..e69de29\n",
    "a rename": "diff --git a/pay.py b/AGENTS.md\nsimilarity index 100%\nrename from pay.py\nrename to AGENTS.md\n",
    "a copy": "diff --git a/pay.py b/AGENTS.md\nsimilarity index 100%\ncopy from pay.py\ncopy to AGENTS.md\n",
    "a mode": "diff --git a/foureyes.toml b/foureyes.toml\nold mode 100644\nnew mode 100755\n",
    "the second file of two": PATCH + NEW.format(path="CLAUDE.md"),
}


@pytest.mark.parametrize("case", GATE)
def test_an_agent_does_not_apply_a_patch_that_changes_a_gate_file_A4(world: GitWorld, case: str) -> None:
    _, name = with_patch(world, GATE[case])
    with world.unchanged(), pytest.raises(Refused) as caught:
        world.app.findings.apply(CLAUDE, name)
    assert world.checkout.git("status", "--porcelain") == ""
    assert caught.value.reasons[0].rule == "A4" or "is not a unified diff" in caught.value.reasons[0].message


def test_a_person_may_apply_one_that_changes_a_gate_file_A4(world: GitWorld) -> None:
    _, name = with_patch(world, GATE["a gate file"])
    world.app.findings.apply(ALICE, name)
    assert (world.checkout.path / "AGENTS.md").exists()


@pytest.mark.parametrize(
    "who", [msgspec.structs.replace(CLAUDE, within="fe check run"), msgspec.structs.replace(ALICE, within="a hook")]
)
def test_what_a_check_or_a_hook_starts_applies_nothing_I5(world: GitWorld, who: Actor) -> None:
    _, name = with_patch(world)
    with world.refused("I5"):
        world.app.findings.apply(who, name)
    assert world.checkout.git("status", "--porcelain") == ""


def test_a_finding_without_a_patch_says_so_L3(world: GitWorld) -> None:
    task = submitted_task(world)
    name = flagged(world, task)
    with world.unchanged(), pytest.raises(NotFound):
        world.app.findings.apply(CLAUDE, name)
