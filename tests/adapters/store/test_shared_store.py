"""`fe store copy`: verified, by people, and after a crash between any two steps nothing is lost."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from foureyes.adapters.store import shared_store
from foureyes.adapters.store.replay import copy_journal
from foureyes.adapters.store.shared_store import Pointer, check_url, read_pointer, write_pointer
from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.adapters.store.store_files import open_store
from foureyes.bootstrap import init
from foureyes.bootstrap.init import create_project
from foureyes.bootstrap.restore import restore_backup
from foureyes.bootstrap.store_move import copy_store
from foureyes.bootstrap.wiring import open_project
from foureyes.core.nouns.session import Actor
from foureyes.errors import BadInput, NoProject, NoStore, Refused, StoreProblem, VerificationFailed
from foureyes.ui.steps import steps_text

from tests import engines
from tests.adapters.store.shop import append, security
from tests.engines import NOW
from tests.stage.checkout import Checkout, make_template
from tests.stage.on_server import Project, clone_of
from tests.stage.people import ALICE, BOB, CI, CLAUDE, asserted

pytestmark = pytest.mark.usefixtures("shelved")
NO_MOVE = "kind <> 'StorePlaced'"


@pytest.fixture
def project(project: Project) -> Project:
    """A project on SQLite with something in it."""
    project.create("the first")
    return project


# ------------------------------------------------------------------------------------------------------ there and back


def test_a_store_moves_to_a_server_and_nothing_is_missing(project: Project) -> None:
    before = project.rows()
    assert project.copy() == before
    assert (project.engine(), project.rows()) == ("postgres", before)
    assert project.server.schemas(project.id) == [f"foureyes_{project.id}"]
    assert read_pointer(str(project.folder)) == Pointer(project.id, project.server.url)
    assert not (project.folder / "store.db").exists()
    (retired,) = project.folder.glob("store.db.moved-*")
    kept = engines.kept(SqliteEngine(str(retired)))
    assert kept.fetch("SELECT count(*) FROM journal", {})[1] == [(before + 1,)]
    (place,) = kept.fetch("SELECT value FROM settings WHERE name = 'store:place'", {})[1]
    assert str(place[0]).startswith("postgresql "), "put back, it is told from the store"
    project.create("the second")
    assert project.rows() > before


def test_a_backup_brings_the_store_back_into_a_file_once_the_server_has_none_P12(project: Project) -> None:
    """As docs/howto/several-machines.md says."""
    project.copy()
    project.create("on the server")
    project.backup("../back.db")
    with pytest.raises(BadInput, match="is still on its server") as caught:
        restore_backup(project.cwd, project.environ, ALICE, "../back.db", into_file=True)
    rename = f'ALTER SCHEMA "foureyes_{project.id}" RENAME TO'
    assert rename in steps_text(caught.value.next_step)
    project.server.run(f'{rename} "foureyes_{project.id}_moved"')
    with pytest.raises(NoStore):
        project.app()
    restore_backup(project.cwd, project.environ, ALICE, "../back.db", into_file=True)
    assert (project.engine(), read_pointer(str(project.folder))) == ("sqlite", None)
    project.create("in the file")
    assert project.rows() > 0


def test_the_pointer_is_for_its_owner_only_and_names_no_address_that_the_environment_gave(project: Project) -> None:
    project.environ["FOUREYES_STORE"] = project.server.url
    project.copy()
    assert (project.folder / "store.json").stat().st_mode & 0o777 == 0o600
    assert read_pointer(str(project.folder)) == Pointer(project.id, "")
    assert project.server.url.encode() not in (project.folder / "store.json").read_bytes()
    assert project.engine() == "postgres"
    project.environ.clear()
    with pytest.raises(StoreProblem, match="PostgreSQL server") as caught:
        project.app()
    assert "FOUREYES_STORE" in steps_text(caught.value.next_step)


@pytest.mark.parametrize("actor", [CLAUDE, CI, asserted(ALICE)], ids=["agent", "service", "typed"])
def test_only_a_person_moves_a_store_P12(project: Project, actor: Actor) -> None:
    before = project.files()
    with pytest.raises(Refused):
        project.copy("", actor)
    assert project.files() == before


def test_moving_to_where_it_is_already_is_refused_and_changes_nothing(project: Project) -> None:
    project.copy()
    before = project.files()
    with pytest.raises(Refused, match="already"):
        project.copy()
    assert project.files() == before


def test_there_is_no_store_to_move_without_a_project(tmp_path: Path, server: engines.Server) -> None:
    checkout = Checkout(make_template(tmp_path / "plain"))
    with pytest.raises(NoProject):
        copy_store(str(checkout.path), {}, ALICE, server.url, None)


@pytest.mark.parametrize(
    "url", ["", "mysql://h/x", "store.db", "http://h", "SQLITE", "postgres:/h", " postgresql://h/x"]
)
def test_an_address_of_another_kind_is_refused(project: Project, url: str) -> None:
    with pytest.raises(BadInput) as caught:
        check_url(url)
    assert caught.value.exit_code == 2
    before = project.files()
    if url:
        with pytest.raises(BadInput):
            project.copy(url)
    assert project.files() == before


@pytest.mark.parametrize("url", ["postgresql://nobody@127.0.0.1:1/x", "postgresql:///x?host=/nowhere"])
def test_a_server_that_is_not_there_changes_nothing(project: Project, url: str) -> None:
    before = project.files()
    with pytest.raises(StoreProblem, match="cannot be reached") as caught:
        project.copy(url)
    assert caught.value.exit_code == 5
    assert project.files() == before
    project.create()


# -------------------------------------------------------------------------------------------------------- tampering


def test_a_tampered_file_is_not_moved_and_nothing_changes_J2(project: Project) -> None:
    store = open_store(str(project.folder), NOW)
    store.engine.script(["UPDATE tasks SET title = 'forged'"])
    store.close()
    before = project.files()
    with pytest.raises(VerificationFailed):
        project.copy()
    assert project.files() == before
    assert project.engine() == "sqlite"
    assert project.server.run(f'SELECT count(*) FROM "foureyes_{project.id}".journal') == [(0,)]


def test_a_forged_chain_is_not_moved_and_nothing_changes_J1(project: Project) -> None:
    store = open_store(str(project.folder), NOW)
    store.engine.script(["UPDATE journal SET hash = 'forged' WHERE seq = 2"])
    store.close()
    with pytest.raises(VerificationFailed):
        project.copy()
    assert project.engine() == "sqlite"


def test_a_server_that_has_another_journal_of_the_project_is_refused(project: Project, tmp_path: Path) -> None:
    other = shared_store.open_shared(str(tmp_path), project.server.url, project.id, NOW, create=True)
    append(other, security("another history"))
    other.close()
    before = project.files()
    with pytest.raises(StoreProblem, match="another journal"):
        project.copy()
    assert project.files() == before
    assert project.server.run(f'SELECT count(*) FROM "foureyes_{project.id}".journal') == [(1,)]


# ------------------------------------------------------------------------------------------------- writers meanwhile


def test_a_writer_who_opened_the_file_before_the_move_does_not_write_into_what_was_set_aside_G4(
    project: Project,
) -> None:
    """It waited for the lock; what it says afterwards must not be lost."""
    early = open_store(str(project.folder), NOW)
    project.copy()
    before = project.rows()
    with pytest.raises(StoreProblem):
        append(early, security("lost"))
    early.close()
    assert project.rows() == before
    (retired,) = [path for path in project.folder.glob("store.db.moved-*") if not path.name.endswith(("-wal", "-shm"))]
    kept = engines.kept(SqliteEngine(str(retired)))
    assert kept.fetch("SELECT count(*) FROM journal WHERE kind <> 'StorePlaced'", {})[1] == [(before,)]


def test_what_a_reader_still_holds_open_goes_along_with_the_file_set_aside(project: Project) -> None:
    """Rows in the write-ahead log that nobody has brought into the file yet, because somebody still has it open."""
    reader = engines.kept(SqliteEngine(str(project.folder / "store.db")))
    reader.fetch("SELECT count(*) FROM journal", {})
    project.create("in the log")
    before = project.rows()
    assert (project.folder / "store.db-wal").stat().st_size > 0
    project.copy()
    reader.close()
    (retired,) = [path for path in project.folder.glob("store.db.moved-*") if not path.name.endswith(("-wal", "-shm"))]
    kept = engines.kept(SqliteEngine(str(retired)))
    assert kept.fetch("SELECT count(*) FROM journal WHERE kind <> 'StorePlaced'", {})[1] == [(before,)]
    assert not (project.folder / "store.db-wal").exists(), "it would be taken for a part of the next store.db"


# ---------------------------------------------------------------------------------------------------------- crashes


class Crash(BaseException):
    """The machine stops here."""


def crash_at(monkeypatch: pytest.MonkeyPatch, where: object, name: str, call: int = 1) -> None:
    """Stop before the n-th call of something."""
    left = [call]
    real: Callable[..., object] = getattr(where, name)

    def counted(*args: object, **options: object) -> object:
        left[0] -= 1
        if left[0] == 0:
            raise Crash
        return real(*args, **options)

    monkeypatch.setattr(where, name, counted)


def crashes(project: Project, monkeypatch: pytest.MonkeyPatch, where: object, name: str, *, call: int = 1) -> None:
    with monkeypatch.context() as patched:
        crash_at(patched, where, name, call)
        with pytest.raises(Crash):
            project.copy()


THERE = {
    "before the copy": (shared_store, "copy_journal", 1, "sqlite"),
    "after the copy, before the pointer": (shared_store, "write_pointer", 1, "sqlite"),
    "while the pointer is written": (os, "replace", 1, "sqlite"),
    "after the pointer, before the file is set aside": (os, "replace", 2, "postgres"),
}


@pytest.mark.parametrize("step", THERE)
def test_a_crash_on_the_way_there_leaves_a_usable_project_and_a_second_call_completes_it_G4(
    project: Project, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    where, name, call, engine = THERE[step]
    before = project.rows()
    crashes(project, monkeypatch, where, name, call=call)
    assert (project.engine(), project.rows()) == (engine, before)
    project.create("after the crash")
    after = project.rows()
    if engine == "sqlite":
        assert project.copy() == after
    assert (project.engine(), project.rows()) == ("postgres", after)
    assert [name for name in project.store_files() if name.startswith("store.json.")] == []


def test_a_stale_copy_on_the_server_is_set_aside_and_kept(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    crashes(project, monkeypatch, shared_store, "write_pointer")
    stale = project.rows()
    project.create("meanwhile")
    assert project.copy() == project.rows() > stale
    retired = [schema for schema in project.server.schemas(project.id) if "_stale_" in schema]
    assert len(retired) == 1
    assert project.server.run(f'SELECT count(*) FROM "{retired[0]}".journal WHERE {NO_MOVE}') == [(stale,)]


def test_a_killed_move_leaves_the_store_where_it_was_G4(project: Project) -> None:
    """SIGKILL in the middle of the copy, in a process of its own."""
    before, engine = project.rows(), project.engine()
    child = os.fork()
    if child == 0:
        real = copy_journal

        def killed(*args: object, **options: object) -> int:
            real(*args, **options)  # type: ignore[arg-type]
            os.kill(os.getpid(), signal.SIGKILL)
            return 0

        vars(shared_store)["copy_journal"] = killed
        try:
            project.copy()
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status)
    assert (project.engine(), project.rows()) == (engine, before)
    project.create("afterwards")
    assert project.copy() == before + 1
    assert project.rows() == before + 1


# ------------------------------------------------------------------------------------------- joining from another clone


def test_a_second_clone_joins_by_the_environment(project: Project, tmp_path: Path) -> None:
    project.copy()
    clone = clone_of(project, tmp_path / "clone")
    environ = {"FOUREYES_STORE": project.server.url}
    done = create_project(clone, environ, BOB, prefix="zz", target=None, commit=True)
    assert (done.project, done.prefix, done.committed) == (project.id, "fe", "")
    app = open_project(clone, environ)
    made = app.tasks.create(BOB, "from the clone").task
    app.close()
    mine = project.app()
    assert mine.lists.show(ALICE, made).task.title == "from the clone"
    mine.close()
    assert read_pointer(str(Path(clone) / ".foureyes")) == Pointer(project.id, "")
    assert not (Path(clone) / ".foureyes" / "store.db").exists()


def test_a_second_clone_joins_by_the_configuration(project: Project, tmp_path: Path) -> None:
    project.copy()
    text = (project.checkout.path / "foureyes.toml").read_text()
    project.checkout.commit("foureyes.toml", f'{text}\n[store]\nurl = "{project.server.url}"\n')
    clone = clone_of(project, tmp_path / "clone")
    done = create_project(clone, {}, BOB, prefix="fe", target=None, commit=True)
    assert done.project == project.id
    before = project.rows()
    app = open_project(clone, {})
    app.tasks.create(BOB, "from the clone")
    assert app.audit.verify().findings == ()
    app.close()
    assert project.rows() > before


def test_what_is_checked_out_cannot_move_a_project_to_another_store(project: Project) -> None:
    """A reviewed change of foureyes.toml is for those who join; who already exists stays where they are."""
    text = (project.checkout.path / "foureyes.toml").read_text()
    project.checkout.commit("foureyes.toml", f'{text}\n[store]\nurl = "{project.server.url}"\n')
    assert project.engine() == "sqlite"
    assert project.server.schemas(project.id) == []


def test_a_project_made_with_the_environment_set_lies_on_the_server(tmp_path: Path, server: engines.Server) -> None:
    environ = {"FOUREYES_STORE": server.url}
    project = Project(Checkout(make_template(tmp_path / "project")), server, environ)
    assert project.engine() == "postgres"
    assert server.schemas(project.id) == [f"foureyes_{project.id}"]
    project.create()
    assert project.rows() > 1
    assert project.store_files() == ["store.json"]


def test_an_init_that_fails_at_the_server_leaves_no_half_project_G4(tmp_path: Path, server: engines.Server) -> None:
    checkout = Checkout(make_template(tmp_path / "project"))
    environ = {"FOUREYES_STORE": "postgresql://nobody@127.0.0.1:1/x"}
    with pytest.raises(StoreProblem, match="cannot be reached"):
        create_project(str(checkout.path), environ, ALICE, prefix="fe", target=None, commit=True)
    assert sorted(path.name for path in checkout.path.iterdir()) == [".git", "code.py"]
    project = Project(checkout, server, {"FOUREYES_STORE": server.url})
    assert project.rows() >= 1


def test_an_init_that_was_killed_after_it_made_the_schema_can_be_repeated_G4(
    server: engines.Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = Checkout(make_template(tmp_path / "project"))
    environ = {"FOUREYES_STORE": server.url}
    make = init._make_store

    def remembered(folder: str, place: Any, environ: Any, project: str) -> Any:
        engines.Run.projects.append(project)  # only this one: other workers make their schemas on this server meanwhile
        return make(folder, place, environ, project)

    with monkeypatch.context() as patched:
        patched.setattr(init, "_make_store", remembered)
        crash_at(patched, init, "application")
        with pytest.raises(Crash):
            create_project(str(checkout.path), environ, ALICE, prefix="fe", target=None, commit=True)
    assert server.schemas(engines.Run.projects[-1]), "the crash left a schema behind"
    assert not (checkout.path / ".foureyes").exists()
    assert Project(checkout, server, environ).rows() >= 1


def test_a_clone_does_not_join_a_store_that_is_still_being_moved_there(project: Project, tmp_path: Path) -> None:
    """The schema is there and empty: its journal is on the way, or a move was broken off."""
    shared_store.open_shared(str(tmp_path), project.server.url, project.id, NOW, create=True).close()
    clone = clone_of(project, tmp_path / "clone")
    with pytest.raises(StoreProblem) as caught:
        create_project(clone, {"FOUREYES_STORE": project.server.url}, BOB, prefix="fe", target=None, commit=False)
    assert caught.value.next_step
    assert not (Path(clone) / ".foureyes").exists()
    project.copy()
    assert project.rows() >= 1


def test_a_clone_of_a_project_whose_store_is_not_on_that_server_is_told_so(project: Project, tmp_path: Path) -> None:
    """The project has a journal elsewhere: a second, empty one under its name would be taken for it."""
    clone = clone_of(project, tmp_path / "clone")
    with pytest.raises(NoStore) as caught:
        create_project(clone, {"FOUREYES_STORE": project.server.url}, BOB, prefix="fe", target=None, commit=False)
    assert "fe store copy" in steps_text(caught.value.next_step)
    assert project.server.schemas(project.id) == []
    assert not (Path(clone) / ".foureyes").exists()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"project": 1}', b"\xff"])
def test_a_pointer_that_cannot_be_read_is_a_clear_problem_and_not_touched(project: Project, content: bytes) -> None:
    (project.folder / "store.json").write_bytes(content)
    with pytest.raises(StoreProblem, match=r"store\.json cannot be read") as caught:
        project.app()
    assert caught.value.next_step
    assert (project.folder / "store.json").read_bytes() == content


def test_a_pointer_to_a_store_that_is_gone_is_a_clear_problem(project: Project) -> None:
    write_pointer(str(project.folder), Pointer("0000000000000000", project.server.url))
    with pytest.raises(NoStore) as caught:
        project.app()
    assert caught.value.exit_code == 5


@pytest.mark.parametrize("name", ["../../etc", 'x"; DROP SCHEMA public; --', "A", ""])
def test_a_pointer_with_a_forged_project_is_refused(project: Project, name: str) -> None:
    write_pointer(str(project.folder), Pointer(name, project.server.url))
    with pytest.raises(StoreProblem):
        project.app()
