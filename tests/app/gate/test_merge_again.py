"""Q2 asks P and D again before the target moves: what keeps an approval, whose lease it is, what is tidied."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foureyes.adapters.git.reading import diff
from foureyes.app.application import Application
from foureyes.app.context import gate_of
from foureyes.app.gate.merger import Merges
from foureyes.app.results.project import News
from foureyes.core.nouns.check import Ran
from foureyes.core.rules.four_eyes import Declaration
from foureyes.errors import ConfigError, Conflict, Refused

from tests.stage.checkout import AT_ONCE, PROJECT, SETTINGS
from tests.stage.gated import LINT, answers, approved, check, configure, deliver, merge, merge_rows
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX
from tests.stage.world import GitWorld

STRICT = '\n[review]\npolicy = "strict"\n'


def test_a_check_that_is_configured_now_is_run_on_the_merge_result_Q2_D5(world: GitWorld) -> None:
    task = approved(world, by=CODEX)
    configure(world, LINT)
    answers(world, "lint", Ran(exit_code=1), Ran(exit_code=0))
    assert merge(world) == {task: "checks"}


def test_an_approval_by_broken_glass_passes_red_checks_also_on_the_merge_N3(world: GitWorld) -> None:
    configure(world, AT_ONCE + LINT)
    world.outside.runner.says("lint", exit_code=1)
    task = deliver(world, actor=ALICE, task=world.create(ALICE))
    check(world, task)
    world.app.decisions.approve(ALICE, task, declaration=Declaration(break_glass="alone, and the shop is down"))
    world.checkout.commit("other.py")
    assert merge(world) == {task: "merged"}


def test_a_broken_check_stops_no_broken_glass_N3(world: GitWorld) -> None:
    configure(world, AT_ONCE + LINT)
    world.outside.runner.answers["lint"] = Ran(exit_code=127)
    task = deliver(world)
    world.app.decisions.approve(BOB, task, declaration=Declaration(break_glass="the linter is gone"))
    assert merge(world) == {task: "merged"}


# What keeps an approval (A3)


def test_another_message_keeps_it_and_the_approved_head_is_merged_A3(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = approved(world)
    head = world.checkout.head(f"fe/{task}")
    world.checkout.switch(f"fe/{task}")
    world.checkout.git("commit", "-q", "--amend", "-m", "said better")
    world.checkout.switch("main")
    assert merge(world) == {task: "merged"}
    assert world.checkout.git("rev-parse", "main^2") == head


def test_a_pure_rebase_keeps_it_and_one_that_slips_something_in_does_not_A3(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    pure, sly = approved(world), approved(world)
    world.checkout.commit("other.py")
    for task in (pure, sly):
        world.checkout.switch(f"fe/{task}")
        world.checkout.git("rebase", "-q", "main")
    world.checkout.write("sly.py", "x\n")
    world.checkout.git("add", "-A")
    world.checkout.git("commit", "-q", "--amend", "--no-edit")
    world.checkout.switch("main")
    assert merge(world) == {pure: "merged", sly: "void"}


# Policy that is merged (P12, A4)


def policy_change(world: GitWorld, text: str = STRICT) -> str:
    return deliver(world, {"foureyes.toml": SETTINGS + AT_ONCE + text})


def in_force(world: GitWorld) -> Any:
    return next(row.value for row in world.app.policy.show(BOB) if row.key == "review.policy")


def test_settings_that_a_person_approved_are_in_force_with_their_merge_P12(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = policy_change(world)
    world.approve(BOB, task)
    assert in_force(world) == "balanced"
    row = merge_rows(world)[task]
    assert (row.outcome, in_force(world)) == ("merged", "strict")
    assert row.notes == ("its foureyes.toml, approved by a person, is in force now",)


def test_a_change_of_unaccepted_settings_puts_none_in_force_P12_A4(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    by_hand = f"# by hand\n{SETTINGS}{AT_ONCE}{STRICT}"
    world.checkout.commit("foureyes.toml", by_hand)
    task = deliver(world, {"foureyes.toml": by_hand + "\n# a comment\n"})
    world.approve(BOB, task)
    row = merge_rows(world)[task]
    assert (row.outcome, in_force(world)) == ("merged", "balanced"), "the approver was shown a comment"
    assert "in force now" not in str(row.notes)


def test_settings_that_were_merged_with_others_are_not_what_was_approved_P12(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = policy_change(world)
    world.approve(BOB, task)
    world.checkout.commit("foureyes.toml", f"# by hand\n{SETTINGS}{AT_ONCE}")
    assert merge(world) == {task: "merged"}
    assert in_force(world) == "balanced", "nobody has seen the file that the merge made"


@pytest.mark.parametrize("url", ["postgresql://u:s3cr3t@h/x", "host=h user=u password=s3cr3t"])
def test_settings_with_a_password_in_them_stand_in_no_journal_P12(world: GitWorld, url: str) -> None:
    configure(world, AT_ONCE)
    task = policy_change(world, f'\n[store]\nurl = "{url}"\n')
    world.approve(BOB, task)
    assert merge(world) == {task: "merged"}
    for ask in (world.app.policy.accept, world.app.policy.offered):
        with pytest.raises(ConfigError, match=r"store\.url: it ") as caught:
            ask(BOB)
        assert "s3cr3t" not in caught.value.message
    assert not [row for row in world.app.audit.export() if "s3cr3t" in row.payload]


def test_settings_that_cannot_be_in_force_never_are_P12_G1(world: GitWorld) -> None:
    configure(world, AT_ONCE)
    task = policy_change(world, '\n[review]\npolicy = "lax"\n')
    world.approve(BOB, task)
    merge(world)
    assert in_force(world) == "balanced"


# Leases


@pytest.fixture
def leased(world: GitWorld) -> Iterator[str]:
    """The only item, which another process took and works on, connected to the end: this one is another now."""
    configure(world, AT_ONCE)
    task, another = approved(world), Merges(world.app.context)
    assert another._lease(CI, set()) is not None
    world.outside.own = "process:another"
    yield task
    disconnect(another)


def disconnect(merges: Merges) -> None:
    assert merges._lock is not None
    merges._lock.close()


def test_two_at_once_one_works_and_the_other_leaves_Q1(world: GitWorld, leased: str) -> None:
    with world.refused(error=Conflict) as caught:
        world.app.merges.process(ALICE)
    assert leased in caught[0].message
    assert [item.state for item in world.app.merges.all()] == ["merging"]


def test_a_lease_holds_back_a_withdrawal_T_withdraw_Q1(world: GitWorld, leased: str) -> None:
    with world.refused("Q1"):
        world.app.decisions.withdraw(BOB, leased)


def test_the_lease_of_a_process_that_ended_is_free_at_once_Q4(world: GitWorld, leased: str) -> None:
    world.outside.gone.add("process:test")
    assert [item.state for item in world.app.merges.all()] == ["waiting"]
    assert merge(world) == {leased: "merged"}


def test_a_lease_ends_by_itself_and_is_no_lease_for_ever_Q4(world: GitWorld, leased: str) -> None:
    world.clock.advance(seconds=299)
    with pytest.raises(Conflict):
        world.app.merges.process(CI)
    world.clock.advance(seconds=1)
    assert merge(world) == {leased: "merged"}


def test_where_processes_have_no_evidence_two_at_once_are_two_all_the_same_Q1(world: GitWorld) -> None:
    """`process` is empty where /proc cannot be read: that is no sign of being the same one."""
    configure(world, AT_ONCE)
    approved(world)
    world.outside.own = ""
    assert world.app.merges._lease(CI, set()) is not None
    with pytest.raises(Conflict):
        Application(world.app.context).merges.process(ALICE)
    disconnect(world.app.merges)


# Records and tidying


def test_what_the_queue_does_is_the_gates_with_who_called_it(world: GitWorld) -> None:
    task = approved(world, by=CODEX)
    merge(world, BOB)
    rows = {row.kind: row for row in world.app.audit.log(task=task, limit=100)}
    gate = gate_of(PROJECT).session
    assert {rows[kind].session for kind in ("MergeLeased", "TaskMerged")} == {gate}
    assert BOB.session in rows["TaskMerged"].payload


def test_the_own_branch_of_a_merged_task_goes_and_any_other_stays_K1(world: GitWorld) -> None:
    own = approved(world, by=CODEX)
    other = world.create()
    world.work(CLAUDE, other, branch="mine")
    world.submit(CLAUDE, other)
    world.checkout.switch("main")
    world.approve(CODEX, other)
    merge(world)
    assert world.checkout.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split() == ["main", "mine"]
    assert world.checkout.head(f"refs/foureyes/attempts/{own}/1")


def test_a_worktree_with_work_in_it_stays_and_it_is_said_K1(world: GitWorld) -> None:
    clean, dirty = world.create(title="clean"), world.create(title="dirty")
    for task in (clean, dirty):
        world.start(CLAUDE, task)
        place = Path(world.app.worktrees.open(CLAUDE, task).path)
        (place / f"{task}.py").write_text("x\n")
        world.checkout.git("-C", str(place), "add", "-A")
        world.checkout.git("-C", str(place), "commit", "-q", "-m", "work")
        world.submit(CLAUDE, task, branch=f"fe/{task}")
        world.approve(CODEX, task)
    left = world.checkout.path / ".foureyes" / "worktrees" / dirty
    (left / "notes.txt").write_text("mine\n")
    rows = merge_rows(world)
    assert {row.outcome for row in rows.values()} == {"merged"}
    assert (rows[clean].notes, "its worktree stays" in rows[dirty].notes[0]) == ((), True)
    assert ((left / "notes.txt").read_text(), (left.parent / clean).exists()) == ("mine\n", False)
    assert world.checkout.git("for-each-ref", "--format=%(refname:short)", "refs/heads").split() == [
        f"fe/{dirty}",
        "main",
    ]
    (left / "notes.txt").rename(left / "notes.pyc")
    exclude = world.checkout.path / ".git" / "info" / "exclude"
    exclude.write_text(exclude.read_text() + "*.pyc\n")
    told: list[News] = []
    world.app.merges.process(BOB, told.append)
    assert [news.text for news in told] == [f"{dirty}  ignored files deleted with the worktree: notes.pyc"]
    assert not left.exists()


def test_no_code_and_landed_work_have_nothing_to_merge_Q(world: GitWorld) -> None:
    task = world.create()
    world.start(CLAUDE, task)
    world.submit(CLAUDE, task, no_code=True)
    assert world.approve(BOB, task).status == "closed"
    landed = world.create()
    world.start(CLAUDE, landed)
    world.checkout.commit(session=CLAUDE)
    world.submit(CLAUDE, landed)
    assert world.approve(BOB, landed).status == "closed"
    assert merge(world) == {}


def test_a_withdrawn_approval_is_not_merged_T_withdraw(world: GitWorld) -> None:
    task = approved(world)
    world.app.decisions.withdraw(BOB, task)
    world.clock.advance(minutes=1)
    assert (merge(world), world.status(task)) == ({}, "reviewing")
    with pytest.raises(Refused):
        world.app.merges.retry(BOB, task)


def test_another_change_than_the_one_that_was_approved_is_not_merged_and_stands_on_record_A2(
    world: GitWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The diff id is computed again, from the frozen base to the head: here by a git that sees another diff."""
    configure(world, AT_ONCE)
    task = approved(world)
    before = world.checkout.head("main")
    with monkeypatch.context() as patched:
        patched.setattr(diff, "_VERSION", b"another diff\n")
        row = merge_rows(world)[task]
    assert (row.outcome, world.checkout.head("main"), world.status(task)) == ("stuck", before, "approved")
    assert "a different change than the one submitted as attempt 1" in row.message
    assert "MergeLeft" in world.kinds(task)
    world.app.merges.retry(BOB, task)
    assert merge(world) == {task: "merged"}
