"""Attacks from inside a merge and around it: what a check plants meanwhile, worktrees, branches, policies, older stores
(Q, K1, P12).
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.scenarios.attack_gate import CODE, Gate
from tests.scenarios.attack_moves import detached
from tests.stage.commands import GIT_ENV, SubmissionTime

pytestmark = pytest.mark.scenario


def armed(gate: Gate, folder: Path, command: str) -> SubmissionTime:
    """An approved attempt with a test that does something as soon as the merge checks it, and not before."""
    (folder / "attack").write_text(f"[ -e {folder}/armed ] || exit 0\n{command}\nexit 0\n")
    work = gate.approved({**CODE, "tests/attack.t": f"attack sh {folder}/attack\n"})
    gate.commit("main", {"src/elsewhere.py": "elsewhere = 1\n"})
    gate.git("reset", "-q", "--hard")
    (folder / "armed").touch()
    return work


def test_Q2_programs_and_hooks_that_a_check_plants_during_the_merge_are_not_run_by_it(
    gate: Gate, tmp_path: Path
) -> None:
    """The configuration was looked at before; what comes later is off in every call."""
    evil = f"{tmp_path}/evil"
    (tmp_path / "evil").write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\ncat\nexit 0\n")
    (tmp_path / "evil").chmod(0o755)
    keys = (
        "filter.evil.smudge",
        "filter.evil.clean",
        "filter.evil.process",
        "core.fsmonitor",
        "merge.evil.driver",
        "diff.external",
    )
    hooks = " ".join(("post-checkout", "reference-transaction", "post-index-change", "post-merge"))
    plant = "\n".join(f"git -C {gate.repo} config {key} {evil}" for key in keys)
    folder = gate.repo / ".git"
    plant += f"\nmkdir -p {folder}/hooks {folder}/info; echo '* filter=evil merge=evil' > {folder}/info/attributes\n"
    plant += f"for name in {hooks}; do cp {evil} {folder}/hooks/$name; done; rm -f {tmp_path}/was-run"
    work = armed(gate, tmp_path, plant)
    assert gate.merge() == {work.task: "merged"}
    assert gate.on_main("src/code.py") == "code = 1"
    assert not (tmp_path / "was-run").exists()


def test_D5_a_green_result_by_a_fake_program_is_not_used_again_by_a_merge_that_has_the_real_one(
    gate: Gate, tmp_path: Path
) -> None:
    """Equal tree, equal check, run where it counts; but another program would run now, so it runs. The record names
    both.
    """
    gate.configure('\n[[checks]]\nname = "unit"\nrun = "pytest"\n')
    for name, text in (("honest", "grep -q net src/prices.py"), ("fake", "exit 0")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pytest").write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name / "pytest").chmod(0o755)
    work = gate.attempt({"src/prices.py": "# the gross price\n", "tests/shop.t": "prices true\nstock true\n"})
    gate.run(detached(gate.cast.codex), "check", "run", work.task, env={"PATH": f"{tmp_path}/fake:{GIT_ENV['PATH']}"})
    gate.approve(gate.cast.alice, work)
    assert gate.merge(env={"PATH": f"{tmp_path}/honest:{GIT_ENV['PATH']}"}) == {work.task: "checks"}
    ran = [row["program"].split()[0] for row in gate.results(work) if row["name"] == "unit"]
    assert list(dict.fromkeys(ran)) == [str(tmp_path / name / "pytest") for name in ("fake", "honest")]


# Worktrees and branches


@pytest.mark.parametrize("planted", ["a directory with files", "another checkout", "the repository itself"])
def test_K1_a_link_in_the_place_of_a_worktree_costs_nobody_a_file(gate: Gate, tmp_path: Path, planted: str) -> None:
    """After the merge the worktree of the task is removed. Its maker has moved it away, and put a link to somebody's
    files there.
    """
    task = gate.create(gate.cast.alice)
    gate.done(gate.cast.codex, "start", task, "--worktree")
    place = gate.folder / "worktrees" / task
    gate.change(f"fe/{task}", CODE)
    gate.git("reset", "-q", "--hard", cwd=place)
    work = gate.submit(gate.cast.codex, task)
    gate.checked(gate.cast.job, task)
    gate.approve(gate.cast.alice, work)
    victim = tmp_path / "victim"
    if planted == "the repository itself":
        victim = gate.repo
    elif planted == "another checkout":
        gate.git("worktree", "add", "-q", "-b", "victim", str(victim), "main")
    else:
        victim.mkdir()
        (victim / "README.md").write_text("mine\n")
    place.rename(tmp_path / "away")
    place.symlink_to(victim)
    assert gate.merge() == {task: "merged"}
    assert (victim / "README.md").exists()


def test_F1_a_fresh_start_leaves_a_branch_alone_that_is_not_the_tasks_own(gate: Gate) -> None:
    """An agent may submit any branch (K4), also somebody else's."""
    gate.change("release", {"src/release.py": "release = 1\n"}, onto="main")
    before = gate.tip("release")
    task = gate.create(gate.cast.alice)
    gate.done(gate.cast.codex, "start", task)
    gate.submit(gate.cast.codex, task, "release")
    gate.run(gate.cast.alice, "redo", task, "--fresh", "-m", "that is not yours")
    assert gate.tip("release") == before


def test_F2_a_link_in_the_place_of_a_feedback_file_is_replaced_and_not_followed(gate: Gate, tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("mine\n")
    work = gate.attempt(CODE)
    (gate.folder / "feedback").mkdir(exist_ok=True)
    (gate.folder / "feedback" / f"{work.task}.json").symlink_to(tmp_path / "victim")
    gate.done(gate.cast.alice, "redo", work.task, "-m", "again")
    assert (tmp_path / "victim").read_text() == "mine\n"


# A policy that comes with an attempt


def in_force(gate: Gate, key: str) -> object:
    """A setting."""
    return {row["key"]: row["value"] for row in gate.lines(gate.cast.alice, "config", "show")}[key]


def test_P12_a_policy_that_a_person_approved_is_in_force_after_the_merge_and_not_before(gate: Gate) -> None:
    text = gate.on_main("foureyes.toml") + "\n"
    work = gate.approved({"foureyes.toml": text + "\n[minor]\nmax_lines = 5\n"})
    assert in_force(gate, "minor.max_lines") == 50
    assert gate.merge() == {work.task: "merged"}
    assert in_force(gate, "minor.max_lines") == 5


# Who goes around


def test_A3_a_limit_an_approved_head_in_a_merge_by_hand_closes_its_task_whatever_else_that_merge_brings(
    gate: Gate,
) -> None:
    """`git merge` asks nobody. The approved commit is on the target; what the merge added to it nobody looked at. The
    row says where.
    """
    work = gate.approved()
    tree = gate.git(
        "rev-parse", gate.change("scratch", {**CODE, "src/sneaked.py": "sneaked = 1\n"}, onto="main") + "^{tree}"
    )
    merge = gate.git("commit-tree", tree, "-p", "main", "-p", work.head, "-m", "merge")
    gate.git("update-ref", "refs/heads/main", merge)
    (row,) = gate.lines(gate.cast.alice, "merge")
    assert (row["outcome"], row["sha"]) == ("found", merge)


def test_A3_a_rebase_that_slips_something_in_ends_the_approval(gate: Gate) -> None:
    work = gate.approved()
    gate.commit("main", {"src/elsewhere.py": "elsewhere = 1\n"})
    gate.change("rebased", {**CODE, "src/sneaked.py": "sneaked = 1\n"}, onto="main")
    gate.git("update-ref", f"refs/heads/{work.branch}", "rebased")
    assert gate.merge() == {work.task: "void"}


def test_P2_the_maker_approves_none_of_its_own_in_a_batch(gate: Gate) -> None:
    work = gate.attempt(CODE)
    gate.checked(gate.cast.job, work.task)
    gate.run(gate.cast.codex, "approve", "--all-auto", "--yes", env={"FOUREYES_REVIEW_HUMAN_BATCH_MAX": "999"})
    gate.run(gate.cast.codex, "approve", work.task, work.task, "-m", "fine")
    assert gate.status(work.task) == "reviewing"


# An older store


def older_store(gate: Gate) -> tuple[str, SubmissionTime]:
    """A store from before a merge is put back, with an approval in it; its last row, and the approved work."""
    work = gate.approved()
    anchor = ":".join(str(part) for part in gate.head())
    for name in ("store.db", "store.db-wal"):
        if (gate.folder / name).exists():
            shutil.copy(gate.folder / name, gate.folder / f"{name}.old")
    other = gate.approved({"src/other.py": "other = 1\n"}, "-p", "0")
    assert gate.merge()[other.task] == "merged"
    for name in ("store.db", "store.db-wal", "store.db-shm"):
        (gate.folder / name).unlink(missing_ok=True)
        if (gate.folder / f"{name}.old").exists():
            shutil.move(gate.folder / f"{name}.old", gate.folder / name)
    return anchor, work


def test_P12_an_older_store_that_is_put_back_merges_nothing(gate: Gate) -> None:
    older_store(gate)
    before = gate.tip()
    gate.no(gate.cast.alice, "merge", rules=["P12"])
    assert gate.tip() == before
