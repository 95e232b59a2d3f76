"""The project: status, doctor, backup."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.app.results.settings import Milestones
from foureyes.errors import BadInput, GitProblem
from foureyes.steps import prose
from foureyes.ui.steps import steps_text

from tests.stage.checkout import PROJECT
from tests.stage.gated import LINT, configure
from tests.stage.people import ALICE, BOB, CI, CLAUDE
from tests.stage.world import DeskWorld, GitWorld


def test_the_project_row_is_the_first_of_the_journal(desk: DeskWorld) -> None:
    project = desk.app.projects.get()
    assert (project.id, project.prefix, project.target, project.hold) == (PROJECT, "fe", "main", None)
    assert desk.kinds()[:2] == ["SessionStarted", "ProjectCreated"]


def test_status_says_which_policy_is_in_force_and_why_P12() -> None:
    desk = DeskWorld(create=False)
    desk.app.projects.create(ALICE, "project", "fe", "main")
    status = desk.app.status.show(CLAUDE)
    assert (status.policy, status.policy_source) == ("balanced", "default")
    assert any("defaults are in force" in steps_text(note) for note in status.notes)
    desk.repo.files["foureyes.toml"] = '[review]\npolicy = "strict"\n'
    assert desk.app.status.show(CLAUDE).policy == "balanced", "nobody has accepted it"
    desk.app.policy.accept(ALICE)
    desk.environ["FOUREYES_REVIEW_POLICY"] = "trusted"
    status = desk.app.status.show(CLAUDE)
    assert (status.policy, status.policy_source) == ("strict", "foureyes.toml")
    assert any("only a person may loosen it (P12)" in steps_text(note) for note in status.notes)


def test_doctor_looks_at_everything_and_repairs_nothing(world: GitWorld) -> None:
    with world.unchanged():
        checks = {check.check: check for check in world.app.doctor.examine(ALICE)}
    assert {name: check.result for name, check in checks.items()} == {
        "git": "ok", "target": "ok", "configuration": "warn", "store": "ok", "journal": "ok", "identity": "ok",
        "keys": "ok", "checks": "warn", "place": "ok", "writing": "ok", "agents": "ok", "profiles": "ok",
    } | ({"role": "ok"} if world.store.engine.name == "postgres" else {})  # fmt: skip
    assert {check.check: check.result for check in world.app.doctor.examine(CI)}["configuration"] == "warn"
    world.app.policy.accept(ALICE)
    assert {check.check: check.result for check in world.app.doctor.examine(CI)}["configuration"] == "ok"
    assert {check.check: check.result for check in world.app.doctor.examine(CI)}["identity"] == "warn"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[review]\npolicy = 'lax'\n", "review.policy"),
        ("[reviews]\npolicy = 'strict'\n", "no such key"),
        ("not toml", "not valid TOML"),
        ('[project]\nid = "somebody-else"\n', "different project id"),
    ],
)
def test_doctor_names_what_is_wrong_with_the_configuration(desk: DeskWorld, text: str, words: str) -> None:
    desk.repo.files["foureyes.toml"] = text
    check = next(check for check in desk.app.doctor.examine(ALICE) if check.check == "configuration")
    assert check.result == "fail"
    assert words in check.message


def test_doctor_names_a_missing_target_and_a_broken_git(desk: DeskWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    desk.repo.branches["refs/heads/other"] = desk.repo.branches.pop("refs/heads/main")
    results = {check.check: check for check in desk.app.doctor.examine(ALICE)}
    assert (results["target"].result, "main" in results["target"].message) == ("fail", True)

    def broken(*_: object) -> None:
        raise GitProblem("git is gone", next_step=prose("install git"))

    monkeypatch.setattr(desk.repo, "heads", broken)
    monkeypatch.setattr(desk.repo, "commit_of", broken)
    monkeypatch.setattr(desk.repo, "file_at", broken)
    results = {check.check: check for check in desk.app.doctor.examine(ALICE)}
    assert [results[name].result for name in ("git", "target", "configuration", "store")] == [
        "fail",
        "fail",
        "fail",
        "ok",
    ]
    assert steps_text(results["git"].next) == "install git"


def test_doctor_says_that_the_disk_is_full(desk: DeskWorld) -> None:
    desk.outside.room = 4096
    check = next(check for check in desk.app.doctor.examine(ALICE) if check.check == "writing")
    assert (check.result, check.message) == ("warn", "the disk is full, with only 4 KB free")


def test_doctor_names_an_edited_row_J2(desk: DeskWorld) -> None:
    task = desk.create()
    desk.sql("UPDATE tasks SET status = 'closed'")
    check = next(check for check in desk.app.doctor.examine(ALICE) if check.check == "journal")
    assert (check.result, task in check.message or "tasks: row 1" in check.message) == ("fail", True)
    desk.sql("UPDATE tasks SET status = 'open'")


def test_a_backup_is_whole_and_never_overwrites(desk: DeskWorld, tmp_path: Path) -> None:
    desk.submitted_task()
    target = tmp_path / "backup.db"
    desk.app.projects.backup(BOB, str(target))
    copy = SqliteEngine(str(target))
    assert copy.fetch("SELECT count(*) FROM journal", {})[1] == [(desk.rows(),)]
    assert copy.problems() == []
    copy.close()
    before = target.read_bytes()
    with pytest.raises(BadInput):
        desk.app.projects.backup(BOB, str(target))
    assert target.read_bytes() == before
    with pytest.raises(BadInput):
        desk.app.projects.backup(BOB, str(tmp_path / "missing" / "backup.db"))


def test_a_restore_is_on_record_P8(desk: DeskWorld) -> None:
    desk.app.projects.note_restore(BOB, "backup.db", "store.db.before")
    (event,) = desk.app.audit.exceptions()
    assert (event.kind, event.task, "backup.db" in event.reason) == ("restore", "", True)
    with desk.refused():
        desk.app.projects.note_restore(CLAUDE, "backup.db", "x")


def test_a_restore_says_which_rows_and_merges_it_undid_P8_P12(desk: DeskWorld) -> None:
    now = desk.app.projects.milestones()
    before = Milestones(rows=now.rows + 7, merged=("fe-abc",))
    done = desk.app.projects.note_restore(BOB, "backup.db", "", before)
    assert (done.kept, done.rows_undone, done.merged_undone) == ("", 7, ("fe-abc",))
    assert "fe store adopt" in steps_text(done.next), "merges wait for it"
    assert desk.app.projects.note_restore(BOB, "backup.db", "", None).rows_undone is None
    assert "there was none" in desk.app.audit.exceptions()[0].detail


def test_D5_the_doctor_says_whose_python_has_the_checkout_in_place(desk: DeskWorld) -> None:
    configure(desk, LINT)
    for place, path in (("/repo/src", "src"), ("/repo", ".")):
        desk.outside.runner.in_place = place
        (found,) = [check for check in desk.app.doctor.examine(ALICE) if check.check == "checks"]
        assert (found.result, place in found.message) == ("warn", True)
        assert steps_text(found.next) == f"begin its run with PYTHONPATH={path} in foureyes.toml"


def test_D5_the_doctor_warns_of_programs_that_are_not_here(desk: DeskWorld) -> None:
    configure(desk, LINT)
    (name,) = {check.message for check in desk.app.doctor.examine(ALICE) if check.check == "checks"}
    assert "not on the PATH" not in name
    desk.outside.runner.absents = {"lint": "ruff"}
    (found,) = [check for check in desk.app.doctor.examine(ALICE) if check.check == "checks"]
    assert (found.result, found.message) == ("warn", "not on the PATH here: ruff, of check lint")
    assert found.next


@pytest.mark.parametrize("names", [([""], []), ([], [" "]), (["other", "agents"], ["agents"])])
def test_roles_of_a_store_have_names_and_are_two(desk: DeskWorld, names: tuple[list[str], list[str]]) -> None:
    with pytest.raises(BadInput) as caught:
        desk.app.projects.grants(*names)
    assert "fe store roles --writer NAME" in steps_text(caught.value.next_step)
