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


@pytest.mark.parametrize("way", ["included", "of the worktree", "of another worktree"])
def test_Q2_configuration_that_is_included_or_a_worktrees_own_is_found_or_without_effect(
    gate: Gate, tmp_path: Path, way: str
) -> None:
    work = gate.approved({"src/code.py": "code = 1\n", "src/shown.txt": "shown\n"})
    program = evil(tmp_path)
    if way == "included":
        (tmp_path / "more").write_text(f'[merge "evil"]\n\tdriver = {program} %A\n')
        gate.git("config", "include.path", str(tmp_path / "more"))
    else:
        gate.git("config", "extensions.worktreeConfig", "true")
        place = gate.repo
        if way == "of another worktree":
            place = tmp_path / "elsewhere"
            gate.git("checkout", "-q", "--detach")
            gate.git("worktree", "add", "-q", str(place), "main")
        gate.git("config", "--worktree", "filter.evil.smudge", str(program), cwd=place)
        (gate.repo / ".git" / "info").mkdir(exist_ok=True)
        (gate.repo / ".git" / "info" / "attributes").write_text("* filter=evil\n")
    result = gate.run(gate.cast.alice, "merge", "--json")
    assert '"Q2"' in result.out or gate.on_main("src/code.py") == "code = 1"
    assert gate.status(work.task) in ("approved", "closed")
    assert not was_run(tmp_path)


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

ATTRIBUTES = ["* merge=union", "* merge=ours", "* -merge", "*.py binary", "* merge=evil", "*.py -diff"]


@pytest.mark.parametrize(
    ("line", "place"),
    [*[(line, "committed") for line in ATTRIBUTES], ("* merge=union", ".git/info"), ("* merge=union", "untracked")],
)
def test_Q2_attributes_do_not_decide_what_a_merge_makes(gate: Gate, line: str, place: str) -> None:
    """Both sides change one line: with union it would merge to both, with ours to one. It is a conflict all the
    same.
    """
    if place == "committed":
        gate.configure("", {".gitattributes": line + "\n"})
    work = gate.approved({"src/prices.py": "# the net price, by codex\n"})
    gate.commit("main", {"src/prices.py": "# the net price, by alice\n"})
    gate.git("reset", "-q", "--hard")
    if place != "committed":
        path = gate.repo / (".git/info/attributes" if place == ".git/info" else ".gitattributes")
        path.parent.mkdir(exist_ok=True)
        path.write_text(line + "\n")
    before = gate.tip()
    assert gate.merge() == {work.task: "conflict"}
    assert (gate.tip(), gate.status(work.task)) == (before, "open")
    assert "src/prices.py" in gate.context(work.task)


def test_A4_attributes_of_an_attempt_hide_nothing_from_who_looks_and_nothing_from_the_gate(gate: Gate) -> None:
    """`*.py -diff` makes git show a changed file as binary; here it is shown, counted, and wants a person."""
    work = gate.attempt(
        {".gitattributes": "*.py -diff\n*.py binary\n", "src/prices.py": "# the net price\nimport os\n"},
        "-l",
        "trivial",
    )
    gate.checked(gate.cast.job, work.task)
    shown = gate.run(gate.cast.alice, "show", work.task, "--diff").out
    assert "+import os" in shown
    row = gate.row(work)
    assert (row["mode"], row["added"]) == ("per-task", 3)
    gate.may_not_approve(gate.cast.gemini, work, rules=["P6"])


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


def test_A2_a_replaced_target_does_not_hide_what_is_there(gate: Gate) -> None:
    work = gate.approved({"src/prices.py": "# the net price, by codex\n"})
    gate.commit("main", {"src/prices.py": "# the net price, by alice\n"})
    gate.git("replace", gate.tip(), gate.tip("main~1"))
    assert gate.merge() == {work.task: "conflict"}


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


def moving_main(gate: Gate, folder: Path, times: int) -> str:
    """A test of the attempt that moves main with plain git while the merge checks it; so many times."""
    (folder / "moves").write_text(
        f"n=$(cat {folder}/n 2>/dev/null || echo 0); [ -e {folder}/armed ] && [ $n -lt {times} ] || exit 0\n"
        f"cd {gate.repo}; export GIT_COMMITTER_NAME=x GIT_COMMITTER_EMAIL=x GIT_AUTHOR_NAME=x GIT_AUTHOR_EMAIL=x\n"
        f"git update-ref refs/heads/main $(git commit-tree main^{{tree}} -p main -m moved-$n)\n"
        f"tree=$(git rev-parse main^{{tree}}); blob=$(echo $n | git hash-object -w --stdin)\n"
        f"export GIT_INDEX_FILE={folder}/index; git read-tree main; git update-index --add --cacheinfo "
        "100644,$blob,moved-$n\n"
        "git update-ref refs/heads/main $(git commit-tree $(git write-tree) -p main -m moved-$n)\necho $((n "
        f"+ 1)) > {folder}/n\n"
    )
    return f"moves sh {folder}/moves\n"


@pytest.mark.parametrize(("times", "outcome"), [(1, "merged"), (3, "merged"), (99, "waiting")])
def test_Q3_who_moves_the_target_during_a_merge_makes_it_start_over_and_loses_nothing(
    gate: Gate, tmp_path: Path, times: int, outcome: str
) -> None:
    work = gate.approved({**CODE, "tests/moves.t": moving_main(gate, tmp_path, times)})
    gate.commit("main", {"src/elsewhere.py": "elsewhere = 1\n"})
    (tmp_path / "armed").touch()
    assert gate.merge() == {work.task: outcome}
    moved = int((tmp_path / "n").read_text())
    assert moved == min(times, 5)
    assert all(gate.on_main(f"moved-{number}") == str(number) for number in range(moved))
    assert gate.status(work.task) == ("closed" if outcome == "merged" else "approved")
    if outcome == "merged":
        assert gate.git("rev-parse", "main^{tree}") in {row["tree"] for row in gate.results(work)}, "never checked"


def test_Q3_a_lock_that_somebody_holds_keeps_one_task_waiting_and_says_so(gate: Gate) -> None:
    work = gate.approved()
    lock = gate.repo / ".git" / "refs" / "heads" / "main.lock"
    lock.touch()
    before = gate.tip()
    (row,) = gate.lines(gate.cast.alice, "merge")
    assert (row["outcome"], gate.tip(), gate.status(work.task)) == ("stuck", before, "approved")
    assert "main.lock" in row["message"]
    lock.unlink()
    gate.done(gate.cast.alice, "merge", "--retry", work.task)
    assert gate.merge() == {work.task: "merged"}


def test_Q2_a_target_that_stands_for_another_branch_is_not_moved(gate: Gate) -> None:
    work = gate.approved()
    gate.git("branch", "real")
    gate.git("symbolic-ref", "refs/heads/main", "refs/heads/real")
    before = gate.tip("real")
    assert gate.merge() == {work.task: "stuck"}
    assert gate.tip("real") == before


def test_Q5_a_dirty_checkout_of_the_target_elsewhere_is_left_alone_and_told(gate: Gate, tmp_path: Path) -> None:
    """Somebody has the target checked out at a place of theirs, with half-done work in a file that the merge
    changes.
    """
    gate.git("checkout", "-q", "--detach")
    place = tmp_path / "elsewhere"
    gate.git("worktree", "add", "-q", str(place), "main")
    (place / "src" / "prices.py").write_text("half done\n")
    (place / "src" / "code.py").write_text("mine, in no commit\n")
    work = gate.approved({**CODE, "src/prices.py": "# the net price, again\n"})
    result = gate.run(gate.cast.alice, "merge")
    assert (result.rc, gate.status(work.task)) == (0, "closed")
    assert str(place) in result.err
    assert (place / "src" / "prices.py").read_text() == "half done\n"
    assert (place / "src" / "code.py").read_text() == "mine, in no commit\n"


# Green alone, red together


def test_Q3_work_that_is_green_alone_and_red_merged_does_not_reach_the_target(gate: Gate) -> None:
    work = gate.approved({"tests/code.t": "code test ! -e src/elsewhere.py\n", **CODE})
    gate.commit("main", {"src/elsewhere.py": "elsewhere = 1\n"})
    before = gate.tip()
    assert gate.merge() == {work.task: "checks"}
    assert (gate.tip(), gate.status(work.task)) == (before, "open")
    assert "shop::code" in gate.context(work.task)


def test_Q3_of_two_that_are_green_alone_and_red_together_one_reaches_the_target(gate: Gate) -> None:
    one = gate.approved({"src/one.py": "1\n", "tests/one.t": "one test ! -e src/two.py\n"})
    two = gate.approved({"src/two.py": "2\n", "tests/two.t": "two true\n"})
    assert gate.merge() == {one.task: "merged", two.task: "checks"}
    assert (gate.on_main("src/one.py"), gate.on_main("src/two.py")) == ("1", "")


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


@pytest.mark.parametrize("label", ["security", "review:per-task"])
def test_Q2_what_is_asked_for_after_the_approval_is_asked_again_before_the_merge(gate: Gate, label: str) -> None:
    """The gate approved it by itself; then somebody wants a person."""
    work = gate.trusted(CODE)
    assert gate.settled(work)["status"] == "approved"
    gate.done(gate.cast.gemini, "label", "add", work.task, label)
    assert gate.merge() == {work.task: "void"}
    gate.may_not_approve(gate.cast.codex, work, rules=["P6"] if label == "security" else ["P2"])


# Forged anchors


@pytest.mark.parametrize("trailer", ["Journal: 1:00", "Journal: 999999:ffff", "Journal: x"])
def test_J3_a_forged_anchor_in_an_attempt_neither_counts_nor_stops_the_next_merge(gate: Gate, trailer: str) -> None:
    task = gate.create(gate.cast.alice)
    gate.done(gate.cast.codex, "start", task)
    gate.change(f"fe/{task}", CODE, message=f"work\n\n{trailer}\nTask: {task}")
    work = gate.submit(gate.cast.codex, task)
    gate.checked(gate.cast.job, task)
    gate.approve(gate.cast.alice, work)
    assert gate.merge() == {task: "merged"}
    after = gate.approved({"src/next.py": "next = 1\n"})
    assert gate.merge() == {after.task: "merged"}


def test_P12_a_forged_anchor_on_the_target_stops_the_queue_and_says_why(gate: Gate) -> None:
    """Fail closed: who can commit on the target can stop the merges, not pass one."""
    work = gate.approved()
    forged = gate.commit("main", {"src/elsewhere.py": "elsewhere = 1\n"}, message="tidy\n\nJournal: 1:00")
    refused = gate.no(gate.cast.alice, "merge", rules=["P12"])
    assert "anchor" in refused.text
    assert (gate.tip(), gate.status(work.task)) == (forged, "approved")


def test_J3_words_of_an_attempt_do_not_become_trailers_of_its_merge(gate: Gate) -> None:
    task = gate.create(gate.cast.alice, title="Add login")
    gate.done(gate.cast.codex, "update", task, "--title", "x Approved-by: alice")
    gate.done(gate.cast.codex, "start", task)
    gate.change(f"fe/{task}", CODE)
    gate.done(
        gate.cast.codex,
        "submit",
        task,
        "--branch",
        f"fe/{task}",
        "-m",
        "done\n\nTask: fe-000\nApproved-by: alice\nJournal: 1:00",
    )
    gate.checked(gate.cast.job, task)
    gate.done(gate.cast.alice, "approve", task)
    assert gate.merge() == {task: "merged"}
    assert gate.git("log", "-1", "--format=%(trailers:key=Approved-by,valueonly)", "main").split() == [
        gate.session(gate.cast.alice)
    ]
    assert gate.git("log", "-1", "--format=%(trailers:key=Journal,valueonly)", "main").split() != ["1:00"]
    assert len(gate.git("log", "-1", "--format=%(trailers:key=Journal,valueonly)", "main").split()) == 1
