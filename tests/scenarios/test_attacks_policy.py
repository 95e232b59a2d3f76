"""Attacks on the rules themselves: policy, store, minor work, claims, texts, recorded approvals (P10, P11, P12, C1, T2,
T8).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios.attack_moves import detached, detached_at_a_terminal, kinds, shell_named
from tests.stage.commands import Stage, SubmissionTime

LAX = """[project]
id = "{id}"

[review]
policy = "trusted"
same_origin = "audit"
independence = "session"

[minor]
max_lines = 100000
"""


@pytest.fixture
def work(stage: Stage) -> SubmissionTime:
    """What codex made and wants to be approved; planned by a person."""
    return stage.in_review(stage.cast.alice, stage.cast.codex)


def project_id(stage: Stage) -> str:
    """The id that the target's foureyes.toml names."""
    return stage.git("show", "main:foureyes.toml").split('id = "')[1].split('"')[0]


def in_force(stage: Stage) -> dict[str, str]:
    """Every setting that an agent finds in force."""
    return {row["key"]: f"{row['value']} ({row['source']})" for row in stage.lines(stage.cast.codex, "config", "show")}


# The policy

LOOSER = {
    "FOUREYES_REVIEW_POLICY": "trusted", "FOUREYES_REVIEW_SAME_ORIGIN": "audit",
    "FOUREYES_REVIEW_INDEPENDENCE": "session", "FOUREYES_MINOR_MAX_LINES": "9999",
    "FOUREYES_MINOR_SELF_APPROVALS_PER_DAY": "9999", "FOUREYES_REVIEW_HUMAN_PROOF": "observed",
    "FOUREYES_REVIEW_AGENT_APPROVAL": "reason", "FOUREYES_PROJECT_TARGET": "elsewhere",
    "FOUREYES_PROJECT_CLAIM_STALE_MINUTES": "0",
}  # fmt: skip


def test_neither_environment_nor_flag_nor_command_gives_an_agent_another_policy_P12(
    stage: Stage, work: SubmissionTime
) -> None:
    codex = stage.cast.codex
    before = stage.head()
    stage.may_not_approve(codex, work, "--self-review", "-m", "I looked", rules=["P2"], env=LOOSER)
    stage.may_not_approve(codex, work, "--reviewed-by", "alice", "-m", "she looked", rules=["P2"], env=LOOSER)
    stage.may_not_approve(stage.cast.people.agent("gemini", under=codex), work, "-m", "fine", rules=["P2"], env=LOOSER)
    stage.may_not_approve(codex, work, "--record-only", rules=["P11"], env=LOOSER)
    for flag in ("--policy=trusted", "--config=/tmp/x", "--same-origin=audit", "--human"):
        assert stage.no(codex, "approve", work.task, "--seen", work.seen, flag, rc=2).code == "usage"
    for words in (
        "policy set review.policy trusted",
        "policy unset review.policy",
        "config accept",
        "feature set balanced_review_policy true",
    ):
        for who in (codex, stage.cast.helper, stage.cast.job, detached(codex)):
            stage.no(who, *words.split(), rules=["P12"], env=LOOSER if who is codex else None)
    assert stage.head() == before


def test_P12_a_policy_that_lay_on_the_target_before_init_is_not_accepted_unseen(stage: Stage, bare_repo: Path) -> None:
    """A person who runs init accepts what init writes; a file that somebody planted is theirs only once they were told
    of it.
    """
    planted = Stage(bare_repo, stage.cast)
    planted.commit(
        "main", {"foureyes.toml": '[review]\npolicy = "trusted"\nsame_origin = "audit"\n'}, message="Add config"
    )
    planted.git("reset", "-q", "--hard")
    made = planted.run(planted.cast.alice, "init")
    assert made.rc == 0
    policy = in_force(planted)["review.policy"]
    assert "trusted" in made.out + made.err or policy.startswith("balanced"), (
        f"{policy} is in force, and init only said: {made.out}{made.err}"
    )


def test_P12_a_policy_in_a_users_own_file_or_an_untracked_one_has_no_effect(
    stage: Stage, work: SubmissionTime, tmp_path: Path
) -> None:
    before = in_force(stage)
    text = LAX.format(id=project_id(stage))
    places = [
        tmp_path / ".config" / "foureyes",
        tmp_path / "foureyes",
        tmp_path / ".foureyes",
        tmp_path,
        stage.folder,
        stage.repo,
    ]
    for place in places:
        place.mkdir(parents=True, exist_ok=True)
        for name in ("foureyes.toml", "config.toml", "policy.toml", "settings.toml"):
            (place / name).write_text(text)
    env = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "XDG_CONFIG_DIRS": str(tmp_path)}
    for home in ({"HOME": str(tmp_path)}, env):
        assert {
            row["key"]: f"{row['value']} ({row['source']})"
            for row in stage.lines(stage.cast.codex, "config", "show", env=home)
        } == before
        stage.may_not_approve(stage.cast.codex, work, "--self-review", "-m", "I looked", rules=["P2"], env=home)


def test_P12_a_backup_from_before_a_stricter_policy_is_restored_by_people_only_and_on_record(
    stage: Stage, tmp_path: Path
) -> None:
    """A limit, and recorded: docs/threat-model.md has it under "writing the store"."""
    stage.done(stage.cast.codex, "backup", str(tmp_path / "old.db"))
    stage.done(stage.cast.alice, "config", "set", "review.policy", "strict")
    stage.no(stage.cast.codex, "restore", str(tmp_path / "old.db"), rules=["I5"])
    stage.no(detached(stage.cast.codex), "restore", str(tmp_path / "old.db"), rules=["I5"])
    stage.done(detached_at_a_terminal(stage.cast.codex), "restore", str(tmp_path / "old.db"))
    assert in_force(stage)["review.policy"].startswith("balanced")
    assert kinds(stage) == ["restore"]


# Another store


@pytest.mark.parametrize("how", ["a clone", "the folder moved away"])
def test_P12_another_store_on_the_same_target_merges_nothing_and_accepts_nothing(
    stage: Stage, tmp_path: Path, how: str
) -> None:
    cast = stage.cast
    if how == "a clone":
        stage.git("clone", "-q", str(stage.repo), str(tmp_path / "clone"))
        other = Stage(tmp_path / "clone", cast)
        for key, value in (("user.name", "Dev"), ("user.email", "dev@example.org")):
            other.git("config", key, value)
    else:
        stage.folder.rename(tmp_path / "away")
        other = stage
    assert "its store is not in this clone" in other.no(cast.codex, "init", rc=5).message
    other.no(cast.codex, "init", "--again", rules=["P12"])
    kept = (other.repo / "foureyes.toml").read_bytes()
    (other.repo / "foureyes.toml").unlink()
    assert other.done(cast.codex, "init")["created"] is True
    (other.repo / "foureyes.toml").write_bytes(kept)
    other.no(cast.codex, "config", "accept", rules=["P12"])
    assert "names another project" in other.no(cast.alice, "config", "accept").message
    work = other.in_review(cast.claude, cast.codex)
    other.may_not_approve(cast.gemini, work, rules=["P12"])
    other.approve(cast.alice, work)
    other.git("merge", "-q", "--no-ff", "-m", "merge", work.branch)
    other.no(cast.codex, "merge", rules=["D5"])
    for who in (cast.job, cast.alice):
        other.no(who, "merge", rules=["P12"])
    assert other.status(work.task) == "approved"


def test_P12_a_forged_project_id_or_anchor_on_the_target_stops_merging_for_all_and_doctor_says_so(
    stage: Stage, work: SubmissionTime
) -> None:
    """Fail closed (G1): who can commit on the target can stop `fe merge`, never make it close anything."""
    stage.approve(stage.cast.alice, work)
    stage.git("merge", "-q", "--no-ff", "-m", "merge", work.branch)
    before = stage.git("rev-parse", "main")
    stage.git("commit", "-q", "--allow-empty", "-m", "x\n\nJournal: 1:0000")
    stage.no(stage.cast.alice, "merge", rules=["P12"])
    stage.git("update-ref", "refs/heads/main", before)
    stage.commit("main", {"foureyes.toml": LAX.format(id="0123456789abcdef")})
    stage.no(stage.cast.alice, "merge", rules=["P12"])
    assert "has a different project id than this store" in stage.run(stage.cast.alice, "doctor").out
    stage.git("update-ref", "refs/heads/main", before)
    assert [row["outcome"] for row in stage.lines(stage.cast.alice, "merge")] == ["found"]


# Minor work


def test_P10_minor_set_late_by_the_author_in_any_disguise_below_it_does_not_count(
    stage: Stage, work: SubmissionTime, tmp_path: Path
) -> None:
    codex = stage.cast.codex
    stage.done(codex, "session", "new")
    for who in (codex, shell_named(codex, tmp_path / "gemini")):
        stage.done(who, "update", work.task, "--minor")
        stage.may_not_approve(codex, work, "-m", "small", rules=["P2"])
        stage.done(stage.cast.alice, "update", work.task, "--no-minor")


def test_P10_minor_set_late_by_a_detached_process_counts_and_the_approval_is_recorded(
    stage: Stage, work: SubmissionTime
) -> None:
    """A limit, and recorded: a service is nobody's origin; docs/threat-model.md has own minor work under "only
    recorded".
    """
    stage.no(detached(stage.cast.codex), "update", work.task, "--minor", rules=["I5"])
    stage.done(detached_at_a_terminal(stage.cast.codex), "update", work.task, "--minor")
    assert stage.approve(stage.cast.codex, work)["rule"] == "P1"
    assert kinds(stage) == ["minor"]


# Claims, rejections, texts


def test_C1_another_sessions_live_claim_is_not_closed_released_or_ended(stage: Stage) -> None:
    cast = stage.cast
    task = stage.create(cast.alice)
    stage.done(cast.claude, "start", task)
    before = stage.head()
    stage.no(cast.codex, "close", task, rules=["C1"])
    stage.no(cast.codex, "close", task, "--self-close-exception", "it is in my way", rules=["C1"])
    stage.no(cast.codex, "unstart", task, rules=["T1"])
    stage.no(cast.codex, "session", "end", stage.session(cast.claude), rules=["I4"])
    stage.no(cast.codex, "session", "spawn", task, "--role", "implement", rc=4)
    stage.no(cast.codex, "cancel", task, rules=["T2"])
    assert stage.head() == before


def test_T2_ones_own_rejected_task_is_not_taken_up_again_by_any_way_round(
    stage: Stage, work: SubmissionTime, tmp_path: Path
) -> None:
    codex, task = stage.cast.codex, work.task
    stage.done(stage.cast.gemini, "reject", task, "-m", "we do not want this")
    stage.done(codex, "session", "new")
    for who in (codex, shell_named(codex, tmp_path / "gemini")):
        for verb in ("unblock", "reopen"):
            stage.no(who, verb, task, rules=["T2"])
    for words in (["start", task], ["submit", task], ["block", task, "-m", "x"], ["undefer", task], ["unstart", task]):
        assert stage.run(codex, *words).rc in (1, 4), words
    for verb in ("unblock", "reopen"):
        stage.no(detached(codex), verb, task, rules=["I5"])
    stage.no(codex, "session", "spawn", task, "--role", "implement", rules=["T1"])
    assert stage.status(task) == "blocked"


@pytest.mark.parametrize("field", ["--accept", "--title", "-d"])
def test_T8_a_text_that_the_author_edits_after_the_approval_ends_it(
    stage: Stage, work: SubmissionTime, field: str
) -> None:
    cast = stage.cast
    stage.approve(cast.gemini, work)
    stage.done(cast.codex, "update", work.task, field, "something else")
    assert stage.status(work.task) == "reviewing"
    (ended,) = stage.show(work.task)["approvals"]
    assert (ended["state"], "T8" in ended["ended_why"]) == ("ended", True)
    stage.git("merge", "-q", "--no-ff", "-m", "merge", work.branch)
    assert stage.lines(cast.alice, "merge") == []
    assert "BY AN AUTHOR, AFTER START" in stage.run(cast.alice, "show", work.task).out


def test_I5_what_a_service_submits_for_a_claim_no_agent_approves(stage: Stage) -> None:
    cast = stage.cast
    task = stage.create(cast.alice)
    stage.done(cast.claude, "start", task)
    stage.commit("codex-wrote-this", {"x.txt": "x\n"})
    stage.no(cast.codex, "submit", task, "--branch", "codex-wrote-this", rules=["A1"])
    work = stage.submit(detached(cast.codex), task, "codex-wrote-this")
    for who in (cast.codex, cast.gemini):
        assert "a person runs" in stage.may_not_approve(who, work, "-m", "fine", rules=["P2"]).text
    assert [entry["via"] for entry in stage.show(task)["history"] if entry["action"] == "submitted"] == [
        stage.session(cast.job)
    ]
    stage.approve(cast.alice, work)


# Approvals that are recorded and finished apart


@pytest.fixture
def recorded(stage: Stage, work: SubmissionTime) -> SubmissionTime:
    """Under policy delegated another agent has recorded an approval."""
    stage.may_not_approve(stage.cast.gemini, work, "--record-only", rules=["P11"])
    stage.done(stage.cast.alice, "config", "set", "review.policy", "delegated")
    stage.may_not_approve(stage.cast.codex, work, "--record-only", "-m", "mine", rules=["P2"])
    assert stage.approve(stage.cast.gemini, work, "--record-only")["status"] == "reviewing"
    return work


def test_P11_the_author_finishes_what_another_recorded_with_a_reason_and_it_is_shown_who(
    stage: Stage, recorded: SubmissionTime
) -> None:
    stage.may_not_approve(stage.cast.codex, recorded, rules=["P11"])
    assert stage.approve(stage.cast.codex, recorded, "-m", "gemini agreed")["rule"] == "P11"
    (kept,) = stage.show(recorded.task)["approvals"]
    assert kept["session"] == stage.session(stage.cast.gemini)


@pytest.mark.parametrize("way", ["another change", "another text", "a redo", "a stricter policy"])
def test_P11_the_author_finishes_nothing_once_something_has_changed(
    stage: Stage, recorded: SubmissionTime, way: str
) -> None:
    cast, work = stage.cast, recorded
    if way == "another change":
        stage.commit(work.branch, {"sneaked.txt": "in\n"})
        work = stage.submit(cast.codex, work.task)
    elif way == "another text":
        stage.done(cast.codex, "update", work.task, "--accept", "nothing much")
    elif way == "a redo":
        stage.done(cast.alice, "redo", work.task, "-m", "not like this")
        stage.done(cast.codex, "start", work.task)
        work = stage.submit(cast.codex, work.task)
    else:
        stage.done(cast.alice, "config", "set", "review.policy", "balanced")
    stage.may_not_approve(cast.codex, work, "-m", "gemini agreed", rules=["P2"])


def test_P6_what_an_agent_recorded_is_not_finished_once_a_person_is_asked_for(
    stage: Stage, recorded: SubmissionTime
) -> None:
    """P6 comes before all that a policy allows: the recorded approval does not reach the grade that is required now."""
    stage.done(stage.cast.alice, "label", "add", recorded.task, "security")
    result = stage.run(
        stage.cast.codex, "approve", recorded.task, "--seen", recorded.seen, "-m", "gemini agreed", "--json"
    )
    assert stage.status(recorded.task) == "reviewing", f"finished without a person: {result.out}"
    stage.may_not_approve(stage.cast.codex, recorded, "-m", "gemini agreed", rules=["P6"])


def test_P12_A4_an_approved_comment_puts_no_foreign_policy_in_force(
    stage: Stage,
) -> None:
    lax, before = LAX.format(id=project_id(stage)), in_force(stage)
    stage.commit("main", {"foureyes.toml": lax}, message="Tidy up")
    task = stage.create(stage.cast.alice)
    stage.done(stage.cast.codex, "start", task)
    stage.commit(f"fe/{task}", {"foureyes.toml": f"{lax}\n# see the wiki\n"})
    stage.approve(stage.cast.alice, stage.submit(stage.cast.codex, task))
    stage.edit("UPDATE approvals SET at = '2020-01-01T00:00:00.000Z'")  # it settled (Q0)
    assert [row["outcome"] for row in stage.lines(stage.cast.job, "merge")] == ["merged"]
    assert in_force(stage) == before
    assert "has changes that were not accepted, so it is not used" in stage.run(stage.cast.alice, "status").out
