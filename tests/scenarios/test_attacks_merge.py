"""Attacks on what reaches the target: configuration of the repository, attributes, refs that move, red merges (Q, A3,
A4, P12, K).

Real processes, real git. Each test that shows a limit says so; docs/threat-model.md has it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.scenarios.attack_gate import CODE, Gate
from tests.scenarios.attack_moves import detached, holding, spawned
from tests.stage.commands import GIT_ENV, SubmissionTime

pytestmark = pytest.mark.scenario


def evil(folder: Path) -> Path:
    """A program that says that it was run, and changes whatever it is given."""
    path = folder / "evil"
    path.write_text(
        f'#!/bin/sh\ntouch {folder}/was-run\nfor file in "$@"; do [ -f "$file" ] && echo evil > "$file"; '
        "done\ncat; exit 0\n"
    )
    path.chmod(0o755)
    return path


def was_run(folder: Path) -> bool:
    """Whether it was."""
    return (folder / "was-run").exists()


# Programs in the repository's configuration


@pytest.mark.parametrize(
    "key",
    [
        "merge.ours.driver", "merge.evil.driver", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process",
        "core.fsmonitor", "diff.external", "diff.evil.textconv", "diff.evil.command", "core.alternateRefsCommand",
        "gpg.program",
    ],
)  # fmt: skip
def test_Q2_configuration_that_names_a_program_is_an_error_that_names_the_key(
    gate: Gate, tmp_path: Path, key: str
) -> None:
    work = gate.approved()
    gate.git("config", key, str(evil(tmp_path)))
    before = gate.tip()
    refused = gate.no(gate.cast.alice, "merge", rules=["Q2"])
    assert key in refused.message + refused.text
    assert (gate.tip(), gate.status(work.task), was_run(tmp_path)) == (before, "approved", False)


HOOKS = (
    "post-checkout post-merge reference-transaction pre-commit commit-msg post-commit post-index-change "
    "pre-merge-commit"
).split()


@pytest.mark.parametrize("way", [".git/hooks", "core.hooksPath", "core.hooksPath of the tree"])
def test_Q2_no_hook_of_the_repository_is_ever_run_by_the_gate(gate: Gate, tmp_path: Path, way: str) -> None:
    folder = {".git/hooks": gate.repo / ".git" / "hooks", "core.hooksPath": tmp_path / "hooks"}.get(
        way, gate.repo / ".githooks"
    )
    folder.mkdir(exist_ok=True)
    for name in HOOKS:
        (folder / name).write_bytes(evil(tmp_path).read_bytes())
        (folder / name).chmod(0o755)
    if way != ".git/hooks":
        gate.git("config", "core.hooksPath", str(folder) if way == "core.hooksPath" else ".githooks")
    work = gate.approved()
    (tmp_path / "was-run").unlink(missing_ok=True)
    assert gate.merge() == {work.task: "merged"}
    assert gate.on_main("src/code.py") == "code = 1"
    assert (gate.repo / "src" / "code.py").exists(), "the checkout was not brought up to date"
    assert not was_run(tmp_path)


def test_Q2_a_promised_object_is_not_fetched_by_a_program_that_the_repository_names(gate: Gate, tmp_path: Path) -> None:
    """A ref to an object that is not there, in a repository that says it is a partial clone whose server is a
    program.
    """
    work = gate.approved()
    program = evil(tmp_path)
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run\nexit 1\n")
    for key, value in (
        ("core.repositoryFormatVersion", "1"), ("extensions.partialClone", "evil"), ("remote.evil.promisor", "true"),
        ("remote.evil.url", str(gate.repo)), ("remote.evil.uploadpack", str(program)),
    ):  # fmt: skip
        gate.git("config", key, value)
    missing = "0123456789" * 4
    gate.cast.job.sh(f"git cat-file -e {missing}", cwd=gate.repo)
    assert was_run(tmp_path), "plain git does run it"
    (tmp_path / "was-run").unlink()
    (gate.repo / ".git" / "refs" / "heads" / "fe" / "missing").write_text(missing + "\n")
    (gate.repo / ".git" / "refs" / "heads" / work.branch).write_text(missing + "\n")
    gate.run(gate.cast.alice, "merge", "--json")
    assert not was_run(tmp_path)


# Attributes and replaced objects


def test_A2_a_replaced_commit_is_neither_shown_nor_merged(gate: Gate) -> None:
    work = gate.approved()
    other = gate.change("harmless", {"src/code.py": "code = 666\n"}, onto="main")
    gate.git("replace", work.head, other)
    gate.git(
        "replace",
        gate.git("--no-replace-objects", "rev-parse", f"{work.head}^{{tree}}"),
        gate.git("rev-parse", f"{other}^{{tree}}"),
    )
    assert "code = 666" not in gate.run(gate.cast.alice, "show", work.task, "--diff").out
    assert gate.merge() == {work.task: "merged"}
    assert gate.git("--no-replace-objects", "show", "main:src/code.py") == "code = 1"


# Refs that move


def _commit_more(gate: Gate, work: SubmissionTime) -> None:
    gate.change(work.branch, {"src/sneaked.py": "sneaked = 1\n"})


def _other_branch(gate: Gate, work: SubmissionTime) -> None:
    other = gate.attempt({"src/other.py": "other = 1\n"}, by=gate.cast.claude)
    gate.git("update-ref", f"refs/heads/{work.branch}", other.head)


def _link_to_other(gate: Gate, work: SubmissionTime) -> None:
    gate.change("other", {"src/other.py": "other = 1\n"}, onto="main")
    gate.git("symbolic-ref", f"refs/heads/{work.branch}", "refs/heads/other")


def _no_branch(gate: Gate, work: SubmissionTime) -> None:
    gate.git("update-ref", "-d", f"refs/heads/{work.branch}")


def _to_the_target(gate: Gate, work: SubmissionTime) -> None:
    gate.git("update-ref", f"refs/heads/{work.branch}", "main")


@pytest.mark.parametrize("move", [_commit_more, _other_branch, _link_to_other, _no_branch, _to_the_target])
def test_D4_an_approval_is_void_once_the_branch_is_not_what_was_approved(
    gate: Gate, move: Callable[[Gate, SubmissionTime], None]
) -> None:
    work = gate.approved()
    move(gate, work)
    before = gate.tip()
    assert gate.merge()[work.task] == "void"
    assert (gate.tip(), gate.status(work.task)) == (before, "reviewing")
    (ended,) = gate.show(work.task)["approvals"]
    assert (ended["state"], "D4" in ended["ended_why"]) == ("ended", True)


def test_A3_another_message_keeps_the_approval_and_what_was_approved_is_merged(gate: Gate) -> None:
    work = gate.approved()
    tree = gate.git("rev-parse", f"{work.head}^{{tree}}")
    forged = "better words\n\nTask: fe-000\nApproved-by: alice\nJournal: 1:00"
    gate.git("update-ref", f"refs/heads/{work.branch}", gate.git("commit-tree", tree, "-p", "main", "-m", forged))
    assert gate.merge() == {work.task: "merged"}
    assert gate.git("rev-parse", "main^2") == work.head
    assert gate.trailers("main")["Task"] == work.task


def test_Q2_a_target_that_stands_for_another_branch_is_not_moved(gate: Gate) -> None:
    work = gate.approved()
    gate.git("branch", "real")
    gate.git("symbolic-ref", "refs/heads/main", "refs/heads/real")
    before = gate.tip("real")
    assert gate.merge() == {work.task: "stuck"}
    assert gate.tip("real") == before


# Green alone, red together


# Who merges, with what


def test_D5_no_agent_works_the_merge_queue_off_however_it_calls(gate: Gate) -> None:
    work = gate.approved()
    before = gate.tip()
    token = holding(gate.cast.codex, spawned(gate, gate.cast.codex, gate.create(gate.cast.alice), "implement"))
    for who in (gate.cast.codex, gate.cast.gemini, gate.cast.helper):
        gate.no(who, "merge", rules=["D5"])
    gate.no(token, "merge", rules=["I2"])
    gate.no(gate.cast.codex, "merge", "--as", "alice", rules=["I1"])
    gate.no(gate.cast.codex, "redo", work.task, "-m", "no", rules=["P2"])
    assert (gate.tip(), gate.status(work.task)) == (before, "approved")


def test_D5_a_limit_an_agent_that_sheds_its_ancestors_is_a_service_and_merges_with_its_own_programs(
    gate: Gate, tmp_path: Path
) -> None:
    """What is approved is merged, after checks whose programs its PATH named; which those were is on record."""
    gate.configure('\n[[checks]]\nname = "unit"\nrun = "pytest"\n')
    for name, text in (("honest", "grep -q net src/prices.py"), ("fake", "exit 0")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "pytest").write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name / "pytest").chmod(0o755)
    work = gate.attempt(CODE)
    gate.run(gate.cast.job, "check", "run", work.task, env={"PATH": f"{tmp_path}/honest:{GIT_ENV['PATH']}"})
    gate.approve(gate.cast.alice, work)
    gate.commit("main", {"src/prices.py": "# net by alice\n"})
    assert gate.merge(detached(gate.cast.codex), env={"PATH": f"{tmp_path}/fake:{GIT_ENV['PATH']}"}) == {
        work.task: "merged"
    }
    assert str(tmp_path / "fake" / "pytest") in gate.results(work)[-1]["program"]


LOOSER = {
    "FOUREYES_REVIEW_HUMAN_SETTLE_SECONDS": "0", "FOUREYES_REVIEW_POLICY": "trusted",
    "FOUREYES_REVIEW_DEFAULT_MODE": "skip", "FOUREYES_REVIEW_AUTO_APPROVE_REQUIRE_QUALITY_PASS": "false",
    "FOUREYES_PROJECT_TARGET": "elsewhere", "FOUREYES_REVIEW_INDEPENDENCE": "session",
}  # fmt: skip


def test_P12_no_environment_loosens_a_merge(gate: Gate) -> None:
    red = gate.approved({"tests/code.t": "code test ! -e src/elsewhere.py\n", **CODE})
    gate.commit("main", {"src/elsewhere.py": "elsewhere = 1\n"})
    gate.git("branch", "elsewhere", "main")
    assert gate.merge(env=LOOSER) == {red.task: "checks"}
    assert gate.tip("elsewhere") == gate.tip()


def test_Q0_a_persons_approval_settles_also_where_a_variable_says_that_it_need_not(gate: Gate) -> None:
    gate.done(gate.cast.alice, "config", "set", "review.human.settle_seconds", "600")
    work = gate.approved()
    for who in (gate.cast.alice, gate.cast.job):
        assert gate.merge(who, env=LOOSER) == {work.task: "waiting"}
    gate.done(gate.cast.alice, "approve", "--withdraw", work.task)


# Forged anchors


def test_P12_a_forged_anchor_on_the_target_stops_the_queue_and_says_why(gate: Gate) -> None:
    """Fail closed: who can commit on the target can stop the merges, not pass one."""
    work = gate.approved()
    forged = gate.commit("main", {"src/elsewhere.py": "elsewhere = 1\n"}, message="tidy\n\nJournal: 1:00")
    refused = gate.no(gate.cast.alice, "merge", rules=["P12"])
    assert "anchor" in refused.text
    assert (gate.tip(), gate.status(work.task)) == (forged, "approved")
