"""A backup in the place of a store on a server, in one command: also where the schema is gone or damaged."""

from __future__ import annotations

import shlex
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from foureyes.adapters.store import postgres_restore
from foureyes.adapters.store.postgres import schema_of
from foureyes.app.results.task_list import ListQuery
from foureyes.bootstrap.join import join_store
from foureyes.bootstrap.restore import refuse_restore, restore_backup
from foureyes.bootstrap.wiring import open_project
from foureyes.core.words.store_place import without_password
from foureyes.errors import BadInput, Refused, StoreBusy, StoreProblem
from foureyes.ui.cli.text.store import restored_text
from foureyes.ui.steps import steps_text

from tests.stage.on_server import Project, as_role, clone_of, roles
from tests.stage.people import ALICE, BOB, CLAUDE
from tests.stage.ports import DeskKeys

pytestmark = pytest.mark.usefixtures("shelved")
TABLES = "SELECT tablename FROM pg_tables WHERE schemaname = %s"


@pytest.fixture
def project(project: Project, tmp_path: Path) -> Project:
    """A project on a server, with a backup beside it and a task since."""
    project.copy()
    project.create("before the backup")
    app = project.app()
    app.projects.backup(ALICE, str(tmp_path / "backup.db"))
    app.close()
    project.create("after it")
    return project


def titles(project: Project) -> list[str]:
    app = project.app()
    found = [row.title for row in app.lists.page(ListQuery())]
    assert app.audit.verify().findings == ()
    app.close()
    return found


def backup(project: Project, path: Path) -> None:
    app = project.app()
    app.projects.backup(ALICE, str(path))
    app.close()


def grant(project: Project, writer: str, reader: str | None = None) -> None:
    """As the owner does, by psql."""
    app = project.app()
    project.server.run(app.projects.grants([writer], [reader] if reader else []))
    app.close()


def may(project: Project, role: str) -> tuple[str, bool]:
    """What somebody is to the store, and whether they could change what is recorded."""
    joined = join_store(project.cwd, {}, ALICE, as_role(project.server, role)).role
    assert joined is not None
    return joined.kind, joined.rewrites


def test_a_backup_takes_the_place_of_the_store_and_what_was_there_is_kept(project: Project, tmp_path: Path) -> None:
    with pytest.raises(Refused):
        restore_backup(project.cwd, {}, CLAUDE, "../backup.db")
    done = restore_backup(project.cwd, {}, ALICE, "../backup.db")
    assert (done.on_server, done.rows_undone) == (True, 1)
    assert titles(project) == ["before the backup"]
    assert project.server.schemas(project.id) == [schema_of(project.id), done.kept]
    app = project.app()
    assert [(row.kind, "backup.db" in row.reason) for row in app.audit.exceptions()] == [("restore", True)]
    app.close()
    project.create("work goes on")


@pytest.mark.parametrize(
    "harm",
    [
        "DROP SCHEMA {} CASCADE",
        "UPDATE {}.journal SET payload = '[]'",
        "DROP TABLE {}.migrations",
        "DELETE FROM {}.migrations",
        "DELETE FROM {}.migrations WHERE n > 1",
        "DROP TABLE {}.head CASCADE",
        "DELETE FROM {}.head",
        "ALTER TABLE {}.project DROP COLUMN id CASCADE",
        "ALTER TABLE {}.journal DROP COLUMN hash CASCADE",
    ],
)
def test_so_it_does_where_the_store_is_gone_or_damaged_J2(project: Project, harm: str) -> None:
    project.server.run(harm.format(schema_of(project.id)))
    with suppress(StoreProblem), closing(project.app()) as app:
        app.status.show(ALICE)  # what is wrong is said, or seen later: neither is an internal error
    with suppress(StoreProblem), closing(project.app()) as app:
        app.audit.verify()
    done = restore_backup(project.cwd, {}, ALICE, "../backup.db")
    assert bool(done.kept) is not harm.startswith("DROP SCHEMA")
    assert titles(project) == ["before the backup"]


def test_what_is_restored_says_how_it_is_undone_and_is_so_undone(project: Project) -> None:
    done = restore_backup(project.cwd, {}, ALICE, "../backup.db")
    (line,) = [line for line in restored_text(done, "../backup.db", project.cwd).splitlines() if "undo, " in line]
    words = shlex.split(line.partition(": ")[2])
    assert words[:3] == ["psql", "URL", "-c"]
    project.server.run(words[3])
    assert sorted(titles(project)) == ["after it", "before the backup"]
    assert [name.startswith(f"{schema_of(project.id)}_restored_") for name in project.server.schemas(project.id)] == [
        False,
        True,
    ]
    project.create("work goes on")


@pytest.mark.parametrize("lacks_merge", [False, True])
def test_another_clone_is_led_to_take_up_what_was_restored_and_not_in_a_circle_P12_F2(
    project: Project, tmp_path: Path, lacks_merge: bool
) -> None:
    """Its files tell of decisions that were undone, and its target may have a merge that the store lacks."""
    clone = clone_of(project, tmp_path / "clone")
    join_store(clone, {}, BOB, project.server.url)
    restore_backup(project.cwd, {}, ALICE, "../backup.db")
    if lacks_merge:
        words = f"x\n\nJournal: 900:{'a' * 64}"
        project.checkout.git("-C", clone, "commit", "-q", "--allow-empty", "-m", words)
    (tmp_path / "clone" / ".foureyes" / "feedback").mkdir(exist_ok=True)
    (tmp_path / "clone" / ".foureyes" / "feedback" / "fe-abc.json").write_text("{}")
    app = open_project(clone, {})
    (journal,) = [check for check in app.doctor.examine(BOB) if check.check == "journal"]
    assert journal.result == "fail"
    assert "fe store adopt" in steps_text(journal.next)
    report = app.audit.verify()
    assert len(report.findings) == 1 + lacks_merge
    assert "fe store adopt" in steps_text(report.next)
    app.projects.adopt(BOB, "the backup of Monday")
    assert app.audit.verify().findings == ()
    app.close()


def test_a_store_whose_version_is_gone_leads_to_the_restore_J2_G2(project: Project) -> None:
    project.server.run(f"DROP TABLE {schema_of(project.id)}.migrations")
    with pytest.raises(StoreProblem, match="a part of it is missing") as caught:
        project.app()
    assert steps_text(caught.value.next_step) == "its owner restores a backup: fe store restore FILE"
    assert "migrations" not in {row[0] for row in project.server.run(TABLES, schema_of(project.id))}


@pytest.mark.parametrize("harm", ["DROP TABLE {}.head CASCADE", "DELETE FROM {}.head"])
def test_a_damaged_store_with_keys_is_put_aside_by_who_has_one_I9(project: Project, tmp_path: Path, harm: str) -> None:
    app = project.app()
    app.context.keys = DeskKeys()
    app.keys.new(ALICE)
    app.close()
    project.server.run(harm.format(schema_of(project.id)))
    with pytest.raises(Refused, match="it was not signed"):
        restore_backup(project.cwd, {"HOME": str(tmp_path)}, ALICE, "../backup.db")


def test_a_clone_that_has_no_store_yet_puts_it_back_where_the_environment_says(
    project: Project, tmp_path: Path
) -> None:
    project.server.run(f"DROP SCHEMA {schema_of(project.id)} CASCADE")
    clone, environ = clone_of(project, tmp_path / "clone"), {"FOUREYES_STORE": project.server.url}
    restore_backup(clone, environ, ALICE, "../backup.db")
    assert titles(project) == ["before the backup"]
    app = open_project(clone, environ)
    app.tasks.create(BOB, "by the clone")
    app.close()
    assert len(titles(project)) == 2


def test_a_clone_that_never_joined_gets_no_second_store_of_a_servers_without_a_word_P12_P8(
    project: Project, tmp_path: Path
) -> None:
    clone = clone_of(project, tmp_path / "clone")
    with pytest.raises(Refused) as caught:
        restore_backup(clone, {}, ALICE, "../backup.db")
    (reason,) = caught.value.reasons
    ways = ("fe store join URL", "FOUREYES_STORE=URL fe store restore FILE", "fe store restore FILE --into-file")
    assert (reason.rule, "belongs to a store on a PostgreSQL server" in reason.message) == ("P12", True)
    assert all(way in steps_text(caught.value.next_step) for way in ways)
    assert not (tmp_path / "clone/.foureyes").exists(), "whole or refused"
    done = restore_backup(clone, {}, ALICE, "../backup.db", into_file=True)
    assert done.where == ".foureyes/store.db"
    assert "it is the store now, in .foureyes/store.db" in restored_text(done, "../backup.db", clone)
    with closing(open_project(clone, {})) as app:
        (row,) = app.audit.exceptions()
        assert (row.kind, "is in the file" in row.detail, app.audit.verify().findings) == ("restore", True, ())
    restore_backup(clone, {}, ALICE, "../backup.db")  # the file is the store of this clone: in its place


def test_where_a_server_is_known_the_backup_goes_there_and_is_said_to_P12(project: Project, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="is still on its server"):
        restore_backup(project.cwd, {}, ALICE, "../backup.db", into_file=True)
    done = restore_backup(project.cwd, {}, ALICE, "../backup.db")
    assert f"it is the store now, on the server: {without_password(project.server.url)}" in restored_text(
        done, "../backup.db", project.cwd
    )
    clone = clone_of(project, tmp_path / "clone")
    join_store(clone, {"FOUREYES_STORE": project.server.url}, ALICE)
    for into_file in (False, True):
        with pytest.raises(StoreProblem, match="store is on a PostgreSQL server"):
            restore_backup(clone, {}, ALICE, "../backup.db", into_file=into_file)
    assert not (tmp_path / "clone/.foureyes/store.db").exists()


def test_a_store_with_keys_is_not_put_aside_from_a_clone_that_never_joined_it_I9(
    project: Project, tmp_path: Path
) -> None:
    app = project.app()
    app.context.keys = DeskKeys()
    app.keys.new(ALICE)
    app.close()
    environ = {"FOUREYES_STORE": project.server.url, "HOME": str(tmp_path)}
    clone = clone_of(project, tmp_path / "clone")
    with pytest.raises(Refused, match="it was not signed"):
        restore_backup(clone, environ, ALICE, "../backup.db")
    assert len(titles(project)) == 2


def test_other_roles_keep_what_they_were_given(project: Project) -> None:
    with roles(project.server, "writer") as (writer,):
        grant(project, writer)
        restore_backup(project.cwd, {}, ALICE, "../backup.db")
        assert may(project, writer) == ("writer", False)
        project.server.run(f"CREATE TABLE {schema_of(project.id)}.later (n int)")
        later = f"{schema_of(project.id)}.later"
        assert project.server.run("SELECT has_table_privilege(%s, %s, 'INSERT')", writer, later) == [(True,)]
        with pytest.raises(StoreProblem, match="only the store's owner can put a backup") as caught:
            restore_backup(project.cwd, {}, ALICE, "../backup.db")
        assert steps_text(caught.value.next_step) == "the role postgres runs: fe store restore FILE"


def test_who_is_not_the_owner_is_refused_before_a_key_is_asked_for_I9(project: Project, tmp_path: Path) -> None:
    app = project.app()
    app.context.keys = DeskKeys()
    app.keys.new(ALICE)
    app.close()
    with roles(project.server, "writer") as (writer,):
        grant(project, writer)
        environ = {"FOUREYES_STORE": as_role(project.server, writer), "HOME": str(tmp_path)}
        with pytest.raises(StoreProblem, match=f"belongs to role postgres, and you are {writer}"):
            restore_backup(project.cwd, environ, ALICE, "../backup.db")
        with pytest.raises(StoreProblem, match=f"belongs to role postgres, and you are {writer}"):
            refuse_restore(
                project.cwd, environ, ALICE, "../backup.db"
            )  # and before anybody is asked whether they mean it
    assert refuse_restore(project.cwd, {}, ALICE, "../backup.db"), "there is a store to be kept"
    project.server.run(f"DROP SCHEMA {schema_of(project.id)} CASCADE")
    assert not refuse_restore(project.cwd, {}, ALICE, "../backup.db")


def test_a_store_that_lacks_a_table_leads_to_the_restore_and_not_in_a_circle_J2_G2(project: Project) -> None:
    app = project.app()
    project.server.run(f"DROP TABLE {schema_of(project.id)}.project CASCADE")
    for ask in (app.status.show, app.doctor.examine):
        with pytest.raises(StoreProblem, match="a part of it, is missing: relation") as caught:
            ask(ALICE)
        assert steps_text(caught.value.next_step) == "its owner restores a backup: fe store restore FILE"
    app.close()
    restore_backup(project.cwd, {}, ALICE, "../backup.db")
    assert titles(project) == ["before the backup"]


def test_a_reader_is_told_that_it_cannot_write_and_who_lets_it_G2(project: Project, tmp_path: Path) -> None:
    with roles(project.server, "writer", "reader") as (writer, reader):
        grant(project, writer, reader)
        environ = {"FOUREYES_STORE": as_role(project.server, reader), "HOME": str(tmp_path)}
        with closing(open_project(project.cwd, environ)) as app:
            (line,) = [line for line in app.doctor.examine(ALICE) if line.check == "writing"]
    assert (line.result, f"{reader} is a reader" in line.message) == ("warn", True)
    assert (
        steps_text(line.next) == f"to write: postgres owns it and prints the SQL with: fe store roles --writer {reader}"
    )


def test_what_an_administrator_puts_back_is_its_owners_and_that_is_said_P12(project: Project, tmp_path: Path) -> None:
    schema = schema_of(project.id)
    with roles(project.server, "an owner") as (owner,):
        project.server.run(f'GRANT CREATE ON DATABASE postgres TO "{owner}"')
        project.server.run(f'ALTER SCHEMA {schema} OWNER TO "{owner}"')
        backup(project, tmp_path / "told.db")
        done = restore_backup(project.cwd, {}, ALICE, "../told.db")
        words = f"it belongs to role {owner}\n"
        assert (done.owner, words in restored_text(done, "../told.db", project.cwd)) == (owner, True)
        app = project.app()
        (check,) = [each for each in app.doctor.examine(ALICE) if each.check == "role"]
        app.close()
        assert f"has the rights of {owner}, the owner of schema {schema}" in check.message
        owners = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = %s"
        assert project.server.run(owners, schema) == [(owner,)]


def test_what_is_broken_off_leaves_the_store_as_it_was_and_nothing_beside_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_restore, "_change_names", lambda *args: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        restore_backup(project.cwd, {}, ALICE, "../backup.db")
    assert len(titles(project)) == 2
    assert project.server.schemas(project.id) == [schema_of(project.id)]
    with pytest.raises(StoreProblem, match="no file"):
        restore_backup(project.cwd, {}, ALICE, "../nothing.db")
    assert len(titles(project)) == 2


def test_of_two_at_once_one_is_told_and_what_a_killed_one_left_goes(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.server.run(f"CREATE SCHEMA {schema_of(project.id)}_incoming_20270101000000000")
    fill = postgres_restore._fill

    def meanwhile(*args: Any) -> None:
        monkeypatch.setattr(postgres_restore, "_fill", fill)
        with pytest.raises(StoreBusy, match="another restore is running there"):
            restore_backup(project.cwd, {}, BOB, "../backup.db")
        fill(*args)

    monkeypatch.setattr(postgres_restore, "_fill", meanwhile)
    done = restore_backup(project.cwd, {}, ALICE, "../backup.db")
    assert titles(project) == ["before the backup"]
    assert project.server.schemas(project.id) == [schema_of(project.id), done.kept]
