"""Agents in their own sandboxes: `fe` reads where it cannot write, says what to allow, and masks are no files (A1).

What codex and claude mount around a command is mounted here, by real processes in real namespaces; the programs
themselves are tried by `make test-sandboxes`.
"""

from __future__ import annotations

import pytest

from tests.scenarios.attack_moves import Through
from tests.stage.commands import Stage
from tests.stage.namespaces import need
from tests.stage.processes import Caller
from tests.stage.shop import Shop

MOUNTS = ("unshare", "-m", "true")
READ_ONLY = 'for each in {}; do mount --bind "$each" "$each" && mount -o remount,bind,ro "$each" || exit 99; done'
MASKED = "for each in {}; do mount --bind /dev/null $each || exit 99; done"
CODEX = {"CODEX_SANDBOX_NETWORK_DISABLED": "1"}


def inside(who: Caller, script: str) -> Through:
    """Commands in a mount namespace of their own, after a script."""
    return Through(who, "unshare", "-m", "sh", "-c", f'{script}\nexec "$@"', "sh")


def read_only(who: Caller, *places: object) -> Through:
    return inside(who, READ_ONLY.format(" ".join(map(str, places))))


def test_where_nothing_can_be_written_everything_that_reads_answers_and_a_write_says_what_to_do(stage: Stage) -> None:
    need(*MOUNTS)
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    stage.create(stage.cast.claude, title="Another")
    before = sorted(stage.folder.iterdir())
    reader = read_only(stage.cast.gemini, stage.repo)
    for command in ("list", "reviewable", "queue", "status", "prime", "ready", "whoami", "doctor", "audit verify"):
        done = stage.run(reader, *command.split(), "--json")
        assert done.rc == 0, (command, done)
    for command in ("show", "context", "show --diff"):
        done = stage.run(reader, *command.split(), work.task, "--json")
        assert (done.rc, work.task in done.out) == (0, True), (command, done)
    assert f"+++ b/{work.task}.txt" in stage.run(reader, "show", "--diff", work.task).out
    for command in ("next", f"log {work.task} note", f"approve {work.task} --seen {work.seen}"):
        said = stage.no(reader, *command.split(), rc=5)
        assert "read-only" in said.message
        assert said.hints[0].startswith("fe doctor")
    assert sorted(stage.folder.iterdir()) == before


def test_a_runner_or_a_check_that_cannot_write_the_store_says_so_before_it_begins(stage: Stage) -> None:
    need(*MOUNTS)
    ran = stage.repo.parent / "ran"
    Shop(stage.repo, stage.cast).configure(f'\n[[checks]]\nname = "tests"\nrun = "touch {ran}"\n')
    work = stage.in_review(stage.cast.alice, stage.cast.codex)
    reader = read_only(stage.cast.alice, stage.folder)
    refused = stage.no(reader, "create", "Another", rc=5)
    for command in ("run --once", "run --until-idle", "run --detach", "watch", "watch --detach",
                    "check run --target", f"check run {work.task}"):  # fmt: skip
        said = stage.no(reader, *command.split(), rc=5)
        assert ("mounted read-only" in said.message, said.hints) == (True, refused.hints), (command, said)
    assert not ran.exists()
    assert not list((stage.folder / "logs").glob("crash-*"))


def test_a_diff_needs_a_temporary_directory_and_says_so_where_there_is_none(stage: Stage) -> None:
    need(*MOUNTS)
    work = stage.in_review(stage.cast.claude, stage.cast.codex)
    shut = {"TMPDIR": "/proc"}
    for command in ("doctor", "audit verify", f"show {work.task} --diff"):
        assert stage.run(Through(stage.cast.gemini, env=shut), *command.split()).rc == 0, "there is memory yet"
    nowhere = Through(read_only(stage.cast.gemini, "/dev/shm"), env=shut)
    assert stage.run(nowhere, "list").rc == 0
    said = stage.no(nowhere, "show", work.task, "--diff", rc=5)
    assert "temporary directory" in said.message
    assert "TMPDIR" in said.hints[0]


def test_the_doctor_in_a_sandbox_names_it_and_each_place_that_has_to_be_allowed(stage: Stage) -> None:
    need(*MOUNTS)
    git = stage.repo / ".git"
    shut = Through(read_only(stage.cast.codex, stage.folder, git), env=CODEX)
    (writing,) = [check for check in stage.lines(shut, "doctor") if check["check"] == "writing"]
    assert (writing["result"], "sandbox of codex" in writing["message"]) == ("warn", True)
    assert writing["next"].endswith(f"codex -s workspace-write --add-dir {stage.folder} --add-dir {git}")
    (writing,) = [check for check in stage.lines(stage.cast.codex, "doctor") if check["check"] == "writing"]
    assert writing["result"] == "ok"


def test_A1_masks_of_a_sandbox_are_no_uncommitted_files_and_nobody_can_commit_them(stage: Stage) -> None:
    need(*MOUNTS)
    masks = (".bashrc", ".mcp.json", ".gitmodules", "app.py")
    first, second = (stage.create(stage.cast.claude, title=title) for title in ("One", "Two"))
    stage.done(stage.cast.codex, "start", first)
    stage.git("switch", "-q", "-c", f"fe/{first}")
    for name in masks[:-1]:
        (stage.repo / name).touch()
    boxed = inside(stage.cast.codex, MASKED.format(" ".join(masks)))
    (stage.repo / "new.py").write_text("x\n")
    assert "new.py" in stage.no(boxed, "submit", first, "-m", "x", rules=["A1"]).text
    done = stage.done(boxed, "submit", first, "-m", "x", "--commit", "New", env=AUTHOR)
    assert done["task"] == first
    assert stage.git("show", "--format=", "--name-only", "HEAD") == "new.py"
    stage.done(stage.cast.codex, "start", second)
    stage.git("switch", "-q", "-c", f"fe/{second}", "main")
    stage.commit(f"fe/{second}", {"other.py": "x\n"})
    stage.git("reset", "-q", "--hard")
    assert stage.done(boxed, "submit", second, "-m", "x")["task"] == second


AUTHOR = {
    f"GIT_{role}_{key}": value
    for role in ("AUTHOR", "COMMITTER")
    for key, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"))
}


@pytest.mark.parametrize("broken", ["a lock", "read-only"])
def test_a_claim_whose_worktree_cannot_be_made_is_given_back_however_often_it_is_tried(
    stage: Stage, broken: str
) -> None:
    """Three tries once took three tasks, and none had a worktree."""
    tasks = [stage.create(stage.cast.claude, title=f"Task {number}") for number in range(3)]
    codex: Caller = stage.cast.codex
    stage.git("config", "--unset", "extensions.worktreeConfig")
    if broken == "a lock":
        (stage.repo / ".git/config.lock").touch()
    else:
        need(*MOUNTS)
        codex = read_only(codex, stage.repo / ".git")
    for _ in range(3):
        said = stage.no(codex, "next", "--worktree", rc=5)
        assert said.hints, said
    assert [stage.status(task) for task in tasks] == ["open"] * 3
    (stage.repo / ".git/config.lock").unlink(missing_ok=True)
    assert stage.done(stage.cast.codex, "next", "--worktree")["task"] in tasks


def test_what_a_first_worktree_changes_of_gits_configuration_init_does_before_and_says_so_where_it_did_not(
    stage: Stage,
) -> None:
    """claude's sandbox keeps `.git/config` as it is, and masks its lock."""
    need(*MOUNTS)
    task, git = stage.create(stage.cast.claude), stage.repo / ".git"
    assert stage.git("config", "extensions.worktreeConfig") == "true"
    stage.git("config", "--unset", "extensions.worktreeConfig")
    boxed = inside(stage.cast.codex, f"touch {git}/config.lock && {MASKED.format(f'{git}/config.lock')}")
    said = stage.no(boxed, "next", "--worktree", rc=5)
    assert said.hints == ("a person runs once, outside of the sandbox: fe init",)
    (git / "config.lock").unlink()
    stage.done(stage.cast.alice, "init")
    assert stage.done(boxed, "next", "--worktree")["task"] == task
