"""Whole stories, from a plan to a closed task, by real processes with real git."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.stage.commands import APP, Stage
from tests.stage.processes import Caller

pytestmark = pytest.mark.scenario


def in_worktree(stage: Stage, place: Path, branch: str) -> Path:
    stage.git("worktree", "add", "-q", "-b", branch, str(place))
    return place


def commit_in(stage: Stage, place: Path, name: str, text: str) -> str:
    (place / name).write_text(text)
    stage.git("add", ".", cwd=place)
    stage.git("commit", "-q", "-m", f"change {name}", cwd=place)
    return stage.git("rev-parse", "HEAD", cwd=place)


def test_a_task_goes_from_plan_to_merge_with_one_redo(stage: Stage, tmp_path: Path) -> None:
    cast = stage.cast
    base = stage.create(cast.alice, "-p", "P1", title="Token store")
    task = stage.create(
        cast.alice,
        "-p",
        "0",
        "--depends-on",
        base,
        "-d",
        "with refresh tokens",
        "-a",
        "logs in, logs out",
        title="Add login",
    )
    assert [row["id"] for row in stage.lines(cast.claude, "ready")] == [base]
    stage.no(cast.claude, "start", task, rules=["T3"])
    assert stage.done(cast.codex, "next")["task"] == base
    stage.done(cast.codex, "submit", base, "--no-code", "-m", "there is one already")
    assert stage.done(cast.claude, "approve", base, "--seen", _seen(stage, base))["status"] == "closed"

    assert stage.done(cast.claude, "next")["task"] == task
    context = stage.run(cast.claude, "context", task).out
    assert "with refresh tokens" in context
    assert "logs in, logs out" in context
    place = in_worktree(stage, tmp_path / "wt", f"fe/{task}")
    commit_in(stage, place, "login.py", "def login(): ...\n")
    stage.done(cast.claude, "log", task, "the clock is mocked", "--type", "decision", cwd=place)
    (place / "scratch.txt").write_text("x")
    dirty = stage.no(cast.claude, "submit", task, rules=["A1"], cwd=place)
    assert "scratch.txt" in dirty.text
    (place / "scratch.txt").unlink()
    first = stage.done(cast.claude, "submit", task, "-m", "login", cwd=place)
    assert (first["attempt"], first["commits"], first["files"], first["added"], first["ref"]) == (
        1,
        1,
        1,
        1,
        f"refs/heads/fe/{task}",
    )
    assert stage.done(cast.claude, "submit", task, cwd=place)["changed"] is False

    assert stage.done(cast.gemini, "redo", task, "-m", "the token is never rotated\nadd a test")["status"] == "open"
    feedback = stage.run(cast.claude, "context", task).out
    assert "> the token is never rotated\n> add a test" in feedback
    stage.done(cast.claude, "start", task)
    commit_in(stage, place, "test_login.py", "def test(): ...\n")
    second = stage.done(cast.claude, "submit", task, "-m", "rotated, tested", cwd=place)
    assert (second["attempt"], second["commits"], second["base"]) == (2, 2, first["base"])
    since = stage.run(cast.gemini, "show", task, "--diff", "--since", "1").out
    assert "test_login.py" in since
    assert "def login" not in since

    done = stage.done(cast.gemini, "approve", task, "--seen", second["diff_id"])
    assert (done["rule"], done["status"]) == ("P7", "approved")
    assert stage.done(cast.gemini, "approve", task, "--seen", second["diff_id"])["changed"] is False
    assert [(row["task"], row["outcome"]) for row in stage.lines(cast.alice, "merge")] == [(task, "merged")]
    page = stage.show(task)
    assert (page["task"]["status"], page["task"]["merge"]) == ("closed", stage.git("rev-parse", "main"))
    assert [entry["action"] for entry in page["history"]] == [
        "created", "started", "submitted", "requested_changes", "started", "submitted", "approved",
    ]  # fmt: skip
    assert stage.done(cast.gemini, "approve", task, "--seen", second["diff_id"])["changed"] is False
    assert stage.run(cast.alice, "merge").out == "nothing to merge\n"
    stage.verify()


def _seen(stage: Stage, task: str) -> str:
    return str(stage.show(task)["attempts"][-1]["diff_id"])


def test_K4_work_committed_on_main_is_landed_and_listed_until_somebody_else_approves(stage: Stage) -> None:
    cast = stage.cast
    task = stage.create(cast.alice)
    stage.done(cast.codex, "start", task)
    commit_in(stage, stage.repo, "app.py", APP + "landed\n")
    done = stage.done(cast.codex, "submit", task, "-m", "straight to main")
    assert (done["landed"], done["files"], done["added"]) == (True, 1, 1)
    assert [row["id"] for row in stage.lines(cast.alice, "list", "--landed")] == [task]
    assert stage.done(cast.alice, "status")["counts"]["landed"] == 1
    commit_in(stage, stage.repo, "later.txt", "main goes on\n")
    stage.no(cast.codex, "approve", task, "--seen", done["diff_id"], rules=["P2"])
    stage.no(cast.gemini, "close", task, rules=["C2"])
    stage.no(cast.alice, "close", task, rules=["C2"])
    assert stage.done(cast.gemini, "approve", task, "--seen", done["diff_id"])["status"] == "closed"
    assert stage.lines(cast.alice, "list", "--landed") == []
    stage.verify()


def test_K4_landed_work_that_left_main_again_cannot_be_approved(stage: Stage) -> None:
    task = stage.create(stage.cast.alice)
    before = stage.git("rev-parse", "main")
    stage.done(stage.cast.codex, "start", task)
    commit_in(stage, stage.repo, "app.py", APP + "landed\n")
    done = stage.done(stage.cast.codex, "submit", task)
    stage.git("update-ref", "refs/heads/main", before)
    stage.no(stage.cast.gemini, "approve", task, "--seen", done["diff_id"], rules=["D4"])


def test_A5_no_code_is_said_and_only_true_when_there_is_none(stage: Stage) -> None:
    cast = stage.cast
    task = stage.create(cast.alice)
    stage.done(cast.codex, "start", task)
    stage.no(cast.codex, "submit", task, rules=["A5"])
    stage.commit("some", {"x.txt": "x\n"})
    stage.no(cast.codex, "submit", task, "--no-code", "--branch", "some", rules=["A5"])
    done = stage.done(cast.codex, "submit", task, "--no-code", "-m", "answered by mail")
    assert (done["no_code"], done["files"]) == (True, 0)
    stage.no(cast.codex, "approve", task, "--seen", done["diff_id"], rules=["P2"])
    assert stage.done(cast.gemini, "approve", task, "--seen", done["diff_id"])["status"] == "closed"


def test_work_on_a_detached_head_is_handed_in_and_stays_current(stage: Stage) -> None:
    cast = stage.cast
    task = stage.create(cast.alice)
    stage.done(cast.codex, "start", task)
    stage.git("switch", "-q", "--detach")
    head = commit_in(stage, stage.repo, "x.txt", "x\n")
    done = stage.done(cast.codex, "submit", task)
    assert done["head"] == head
    stage.git("switch", "-q", "main")
    assert stage.done(cast.gemini, "approve", task, "--seen", done["diff_id"])["status"] == "approved"
    assert [row["outcome"] for row in stage.lines(cast.job, "merge")] == ["merged"]
    assert head in stage.git("rev-list", "main")


def test_two_agents_in_two_worktrees_review_each_other(stage: Stage, tmp_path: Path) -> None:
    cast = stage.cast
    one, two = stage.create(cast.alice, title="one"), stage.create(cast.alice, title="two")
    handed = {}
    for who, task in ((cast.claude, one), (cast.codex, two)):
        place = in_worktree(stage, tmp_path / task, f"fe/{task}")
        stage.done(who, "start", task, cwd=place)
        commit_in(
            stage, place, f"{task}.txt", f"work on {task}\n"
        )  # the same blob would make one the author of both (A6)
        handed[task] = stage.done(who, "submit", task, cwd=place)["diff_id"]
    assert list(stage.reviewable(cast.claude, cwd=tmp_path / one)) == [two]
    assert list(stage.reviewable(cast.codex, cwd=tmp_path / two)) == [one]
    stage.done(cast.claude, "approve", two, "--seen", handed[two], cwd=tmp_path / one)
    stage.done(cast.codex, "approve", one, "--seen", handed[one], cwd=tmp_path / two)
    stage.git("merge", "-q", "--no-ff", "-m", "one", f"fe/{one}")
    rows = stage.lines(cast.alice, "merge", cwd=tmp_path / one)
    assert {row["task"]: row["outcome"] for row in rows} == {one: "found", two: "merged"}


def test_a_task_handed_over_keeps_its_first_author(stage: Stage) -> None:
    cast = stage.cast
    task = stage.create(cast.alice)
    stage.done(cast.claude, "start", task)
    stage.commit(f"fe/{task}", {"half.txt": "half\n"})
    stage.done(
        cast.claude, "handoff", task, "--done", "half of it", "--remaining", "the rest", "--uncertain", "the clock"
    )
    stage.done(cast.claude, "unstart", task, "-m", "out of quota")
    context = stage.run(cast.codex, "context", task).out
    assert "half of it" in context
    assert "the clock" in context
    work = stage.submit_work(cast.codex, task)
    page = stage.show(task)
    assert set(page["authors"]) == {stage.session(cast.claude), stage.session(cast.codex)}
    assert page["task"]["implementer"] == stage.session(cast.codex)
    stage.may_not_approve(cast.claude, work, "-m", "my half is fine", rules=["P2"])
    assert stage.approve(cast.gemini, work)["rule"] == "P7"


def test_T5_an_epic_is_closed_by_its_creator_once_its_children_are(stage: Stage) -> None:
    cast = stage.cast
    epic = stage.create(cast.alice, "-t", "epic", title="Accounts")
    one, two = stage.create(cast.alice, "--parent", epic), stage.create(cast.claude, "--parent", epic)
    assert {row["id"] for row in stage.lines(cast.alice, "list", "--parent", epic)} == {one, two}
    stage.done(cast.alice, "block", epic, "-m", "waiting for the bank")
    stage.no(cast.codex, "start", one, rules=["T4"])
    assert stage.run(cast.codex, "next").rc == 3
    stage.done(cast.alice, "unblock", epic)
    stage.submit_work(cast.codex, one)
    stage.done(cast.alice, "close", one)
    stage.no(cast.alice, "close", epic, rules=["T5"])
    stage.done(cast.claude, "cancel", two, "-m", "not needed")
    stage.no(cast.codex, "close", epic, rules=["C1"])
    assert stage.done(cast.alice, "close", epic)["status"] == "closed"


def test_D3_a_hold_stops_a_task_and_a_project_until_a_person_lifts_it(stage: Stage) -> None:
    cast = stage.cast
    work, free = stage.in_review(cast.claude, cast.codex), stage.create(cast.claude)
    stage.no(cast.claude, "hold", work.task, "-m", "x", rules=["I5"])
    stage.no(cast.alice, "hold", work.task, rules=["T2"])
    stage.done(cast.alice, "hold", work.task, "-m", "legal looks first")
    assert stage.reviewable(cast.gemini) == {}
    refused = stage.may_not_approve(cast.gemini, work, rules=["D3"])
    assert "legal looks first" in refused.text
    stage.no(cast.claude, "close", work.task, rules=["D3"])
    stage.no(cast.claude, "resume", work.task, "-m", "x", rules=["I5"])
    stage.done(cast.alice, "resume", work.task, "-m", "legal is fine")
    stage.done(cast.alice, "hold", "--project", "-m", "freeze")
    stage.no(cast.gemini, "start", free, rules=["D3"])
    stage.no(cast.gemini, "next", rules=["D3"])
    stage.may_not_approve(cast.gemini, work, rules=["D3"])
    assert "freeze" in stage.run(cast.gemini, "status").out
    stage.done(cast.alice, "resume", "--project", "-m", "over")
    assert stage.approve(cast.gemini, work)["rule"] == "P7"


def test_T8_a_text_edited_after_the_approval_ends_it(stage: Stage) -> None:
    cast = stage.cast
    work = stage.in_review(cast.claude, cast.codex)
    stage.approve(cast.gemini, work)
    stage.done(cast.codex, "update", work.task, "-p", "0")
    assert stage.status(work.task) == "approved"
    done = stage.done(cast.codex, "update", work.task, "-a", "anything goes")
    assert (done["status"], "T8" in " ".join(done["notes"])) == ("reviewing", True)
    (ended,) = stage.show(work.task)["approvals"]
    assert ended["state"] != "active"


def test_defer_cancel_and_delete_are_for_work_that_nobody_began(stage: Stage) -> None:
    cast = stage.cast
    task, other = stage.create(cast.claude), stage.create(cast.claude)
    stage.done(cast.gemini, "defer", task, "--until", "2099-01-31")
    stage.no(cast.codex, "start", task, rules=["T1"])
    assert other == stage.done(cast.codex, "next")["task"]
    stage.no(cast.claude, "cancel", other, rules=["T2"])
    stage.no(cast.alice, "delete", other, rules=["T2"])
    stage.no(cast.gemini, "cancel", task, rules=["T2"])
    stage.done(cast.claude, "undefer", task)
    stage.done(cast.claude, "delete", task)
    assert task not in stage.run(cast.claude, "list", "--all").out
    assert stage.show(task)["task"]["resolution"] == "deleted"


def test_a_backup_brings_everything_back_and_the_restore_is_on_record(stage: Stage, tmp_path: Path) -> None:
    cast = stage.cast
    work = stage.in_review(cast.claude, cast.codex)
    copy = tmp_path / "copy.db"
    stage.done(cast.claude, "backup", str(copy))
    whole = copy.read_bytes()
    assert "never overwrites" in stage.no(cast.claude, "backup", str(copy), rc=2).message
    assert copy.read_bytes() == whole
    before = stage.head()
    later = stage.create(cast.gemini, title="after the backup")
    stage.no(cast.claude, "restore", str(copy), rules=["I5"])
    kept = stage.done(cast.alice, "restore", str(copy))["kept"]
    assert (stage.folder / kept).exists()
    assert stage.head()[0] == before[0] + 1
    stage.no(cast.alice, "show", later, rc=3)
    assert stage.status(work.task) == "reviewing"
    (row,) = stage.lines(cast.alice, "security")
    assert (row["kind"], "copy.db" in row["reason"]) == ("restore", True)
    stage.verify()
    bad = tmp_path / "bad.db"
    bad.write_bytes(b"nothing")
    head = stage.head()
    stage.no(cast.alice, "restore", str(bad), rc=5)
    assert stage.head() == head


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        (
            "UPDATE journal SET payload = replace(payload, 'Add login', 'Add logout') WHERE kind = 'TaskCreated'",
            "row 5 (TaskCreated",
        ),
        ("UPDATE journal SET session = 'ses-nobody' WHERE kind = 'AttemptSubmitted'", "AttemptSubmitted"),
        ("DELETE FROM journal WHERE kind = 'TaskStarted'", "is missing"),
        ("UPDATE tasks SET status = 'closed'", "the journal says 'reviewing'"),
        ("UPDATE tasks SET minor = 1", "tasks: row"),
        ("DELETE FROM history WHERE action = 'started'", "history: row"),
        ("DELETE FROM authors", "authors: row"),
        ("UPDATE sessions SET kind = 'human'", "sessions: row"),
    ],
)
def test_J2_audit_verify_names_a_row_that_was_edited_with_a_plain_SQL_client(
    stage: Stage, statement: str, named: str
) -> None:
    stage.in_review(stage.cast.claude, stage.cast.codex)
    stage.edit(statement)
    result = stage.run(stage.cast.alice, "audit", "verify")
    assert result.rc == 6
    assert named in result.out + result.err


def test_J2_doctor_and_json_say_so_too(stage: Stage) -> None:
    stage.create(stage.cast.claude)
    stage.edit("UPDATE tasks SET priority = 0")
    report = stage.run(stage.cast.alice, "audit", "verify", "--json")
    assert (report.rc, report.json["ok"], report.err) == (6, False, "")
    assert stage.run(stage.cast.alice, "doctor").rc == 6


KILLER = """
import os, signal, sys
last, count = int(sys.argv[1]), 0
def watch(frame, event, argument):
    global count
    if event in ("call", "c_call") and "/adapters/store/" in frame.f_code.co_filename:
        count += 1
        if count == last:
            os.kill(os.getpid(), signal.SIGKILL)
sys.setprofile(watch)
from foureyes.ui.cli.main import main
try:
    main(sys.argv[2:])
finally:
    sys.setprofile(None)
    sys.stderr.write(f"calls {count}")
"""
"""Runs fe and kills it at the n-th call inside the store; with 0 it only counts."""


def killed(stage: Stage, who: Caller, at: int, *args: str) -> tuple[int, str]:
    done = who.run([sys.executable, "-c", KILLER, str(at), *args], cwd=stage.repo)
    return done.rc, done.err


def test_a_person_who_works_alone_cannot_approve_their_own_work_but_may_close_by_exception(stage: Stage) -> None:
    cast = stage.cast
    work = stage.in_review(cast.alice, cast.alice)
    stage.no(cast.alice, "approve", work.task, "-m", "mine", rules=["P2"])
    stage.no(cast.alice, "close", work.task, rules=["C1"])
    assert (
        stage.done(cast.alice, "close", work.task, "--self-close-exception", "nobody else is here")["status"]
        == "closed"
    )
    assert [row["kind"] for row in stage.lines(cast.alice, "security")] == ["self_close"]


def test_init_by_a_person_commits_exactly_one_file_and_a_second_time_nothing(stage: Stage, bare_repo: Path) -> None:
    (bare_repo / "staged.txt").write_text("x\n")
    stage.git("add", "staged.txt", cwd=bare_repo)
    made = stage.done(stage.cast.alice, "init", cwd=bare_repo)
    assert made["commit"] == stage.git("rev-parse", "HEAD", cwd=bare_repo)
    assert stage.git("show", "--name-only", "--format=", cwd=bare_repo) == "foureyes.toml"
    assert stage.git("status", "--porcelain", cwd=bare_repo) == "A  staged.txt"
    again = stage.run(stage.cast.alice, "init", cwd=bare_repo)
    assert (again.rc, again.out.splitlines()[0]) == (0, "this is already a project, so nothing was changed")
    other = stage.done(stage.cast.alice, "init", "--no-commit", cwd=bare_repo)
    assert (other["created"], other["commit"]) == (False, "")


def test_G4_why_a_claim_was_given_back_is_on_record(stage: Stage) -> None:
    cast = stage.cast
    task = stage.create(cast.alice)
    stage.done(cast.claude, "start", task)
    stage.done(cast.claude, "unstart", task, "-m", "waiting for the design")
    stage.done(cast.codex, "start", task)
    stage.done(cast.alice, "unstart", task, "-m", "codex is gone")
    record = stage.run(cast.alice, "audit", "log", "--task", task).out
    assert "codex is gone" in record
    assert "waiting for the design" in record
