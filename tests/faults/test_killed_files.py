"""Killed in the middle of what replaces or makes whole files: it is done, or not begun, or can be repeated; nothing is
lost (G4).
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import msgspec
import pytest

from foureyes.app.application import Application
from foureyes.bootstrap.init import create_project
from foureyes.bootstrap.restore import restore_backup
from foureyes.bootstrap.store_move import copy_store
from foureyes.bootstrap.wiring import open_project
from foureyes.config import FILE
from foureyes.config.parser import read_file
from foureyes.errors import BadInput, FoureyesError, Refused
from foureyes.ui.steps import steps_text

from tests.faults.choosing import chosen, some
from tests.faults.killing import Killed, kill_at, steps_of
from tests.stage.checkout import Checkout, copy_of
from tests.stage.fork import Child
from tests.stage.people import ALICE, CLAUDE
from tests.stage.places import Desk, Place, journal_of
from tests.stage.server import Server

Note = Callable[[str, object], None]


@pytest.fixture(params=["sqlite", "postgres"])
def environ(request: pytest.FixtureRequest) -> Iterator[dict[str, str]]:
    """Where new projects keep their store."""
    if request.param == "sqlite":
        yield dict(os.environ)
        return
    server: Server = request.getfixturevalue("server")
    yield {**os.environ, "FOUREYES_STORE": server.url}
    drop_all(server)


def drop_all(server: Server) -> None:
    found = server.sql("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'foureyes_%'")
    server.sql(*[f'DROP SCHEMA "{row[0]}" CASCADE' for row in found])


def init(root: Path, environ: dict[str, str]) -> None:
    create_project(str(root), environ, ALICE, prefix="fe", target=None, commit=True)


def opened(root: Path, environ: dict[str, str], look: Callable[[Application], object]) -> None:
    app = open_project(str(root), environ)
    try:
        look(app)
    finally:
        app.close()


def test_a_killed_init_can_be_repeated_to_completion_G4(
    tmp_path: Path, template: Path, environ: dict[str, str], record_property: Note
) -> None:
    dry = copy_of(template, tmp_path / "dry")
    steps = steps_of(lambda: init(dry.path, environ))
    record_property("failpoints", len(steps))
    unfinished: list[str] = []
    seen: set[object] = set()
    root = copy_of(template, tmp_path / "project").path
    untouched = what_is_there(root)
    for number, name in some(steps):
        kill_at(number, lambda: init(root, environ))
        state = what_is_there(root)
        if state not in seen:
            seen.add(state)
            Child(lambda: init(root, environ)).result()
            Child(lambda: opened(root, environ, _writes)).result()
            text = Checkout(root).port().file_at("main", FILE)
            if text is None or "project.id" not in read_file(text):
                unfinished.append(f"killed before step {number} of {len(steps)}: {name}")
        elif state == untouched:
            continue
        shutil.rmtree(root)
        copy_of(template, root)
    assert unfinished == [], "the settings are not on the target branch after a second init"


def what_is_there(root: Path) -> tuple[object, ...]:
    """What tells one place where a crash came from another."""
    settings, git = root / FILE, root / ".git"
    text = settings.read_text().replace(project_id(settings), "") if settings.exists() else None
    folder = root / ".foureyes"
    files = tuple(sorted(os.listdir(folder))) if folder.exists() else ()
    return files, text, (git / "index").stat().st_size, len((git / "logs" / "HEAD").read_text().splitlines())


def project_id(path: Path) -> str:
    """The random part of the settings."""
    found = re.search(r'id = "(\w+)', path.read_text())
    return found[1] if found else "no id"


def _writes(app: Application) -> None:
    app.tasks.create(ALICE, "a task")
    assert app.audit.verify().findings == ()


def on_server(server: Server) -> tuple[object, ...]:
    """Which stores a server has, and how long their journals are."""
    found = []
    for (name,) in server.sql("SELECT nspname FROM pg_namespace WHERE nspname LIKE 'foureyes_%' ORDER BY nspname"):
        ((table,),) = server.sql(f"SELECT to_regclass('{name}.head')")
        rows = server.sql(f"SELECT seq, hash FROM {name}.head") if table else None
        ((project,),) = server.sql(f"SELECT count(*) FROM {name}.project") if table else [(0,)]
        found.append((re.sub(r"_(moved|stale)_\d+", r"_\1", name), str(rows), project))
    return tuple(found)


def test_a_killed_backup_leaves_no_file_that_looks_like_one_G4(place: Place, record_property: Note) -> None:
    desk = Desk(place)
    desk.found()
    desk.create()
    desk.close()
    before = place.dump()
    target = place.root / "backup.db"

    def backup() -> None:
        desk.app.projects.backup(ALICE, str(target))
        desk.close()

    steps = steps_of(backup)
    record_property("failpoints", len(steps))
    rows = rows_in(target)
    assert rows == len(journal_of(before))
    half: list[str] = []
    seen: set[object] = set()
    for number, name in some(steps):
        for path in place.root.glob("backup.db*"):
            path.unlink()
        kill_at(number, backup)
        if target.exists() and rows_in(target) != rows:
            half.append(f"killed before step {number} of {len(steps)}: {name}")
        state = (target.exists(), target.exists() and rows_in(target))
        if state in seen:
            continue
        seen.add(state)
        assert place.dump() == before
        try:
            Child(backup).result()
            assert rows_in(target) == rows
        except BadInput:
            assert target.exists()
    assert half == [], "there is a file of that name, but it is not a whole backup"


def rows_in(path: Path) -> int:
    """The journal's length in a file, read by another program; -1 when it is no store."""
    connection = apsw.Connection(str(path))
    try:
        ((count,),) = connection.execute("SELECT count(*) FROM journal").fetchall()
        return int(str(count))
    except apsw.Error:
        return -1
    finally:
        connection.close()


class Repository:
    """A git repository with a project in it, whose store is in the file."""

    def __init__(self, checkout: Checkout) -> None:
        self.root = checkout.path
        self.folder = self.root / ".foureyes"
        self.environ = dict(os.environ)
        self.kept = self.root.with_name("kept")

    def keep(self) -> None:
        assert not (self.folder / "store.db-wal").exists()
        shutil.copytree(self.root, self.kept, symlinks=True)

    def reset(self) -> None:
        """Only what is in `.foureyes` has changed."""
        shutil.rmtree(self.folder)
        shutil.copytree(self.kept / ".foureyes", self.folder, symlinks=True)

    def files(self) -> tuple[str, ...]:
        """Without the process ids and times in their names."""
        return tuple(
            sorted(
                re.sub(r"(incoming-|moved-|restore-|json\.new-)[\w-]+", r"\1", name) for name in os.listdir(self.folder)
            )
        )

    def journal(self) -> list[tuple[int, str]]:
        """Number and hash of every row, without those that say where the store was moved to; the audit finds nothing.
        In a child: nobody here keeps the store open.
        """

        def look() -> list[tuple[int, str]]:
            app = open_project(str(self.root), self.environ)
            report = app.audit.verify()
            assert [found for found in report.findings if "security_events.jsonl" not in found.message] == []
            rows = [(row.seq, row.hash) for row in app.audit.export() if row.kind != "StorePlaced"]
            app.close()
            return rows

        return Child(look).result()


@pytest.fixture
def repository(tmp_path: Path, template: Path) -> Repository:
    made = Repository(copy_of(template, tmp_path / "project"))

    def prepare() -> None:
        init(made.root, made.environ)
        opened(made.root, made.environ, _some_work)

    Child(prepare).result()
    made.keep()
    return made


def _some_work(app: Application) -> None:
    app.claims.start(CLAUDE, app.tasks.create(CLAUDE, "a task").task)


def test_a_killed_restore_can_be_repeated_and_nothing_is_lost_G4(repository: Repository, record_property: Note) -> None:
    backup = repository.root / "backup.db"
    Child(
        lambda: opened(repository.root, repository.environ, lambda app: app.projects.backup(ALICE, str(backup)))
    ).result()
    Child(
        lambda: opened(repository.root, repository.environ, lambda app: app.tasks.create(ALICE, "since then"))
    ).result()
    shutil.rmtree(repository.kept)
    repository.keep()
    old, length = repository.journal(), rows_in(backup)

    def restore() -> None:
        restore_backup(str(repository.root), repository.environ, ALICE, str(backup))

    steps = steps_of(restore)
    record_property("failpoints", len(steps))
    assert repository.journal()[:length] == old[:length]
    seen: set[object] = set()
    for number, name in some(steps):
        repository.reset()
        kill_at(number, restore)
        where = f"killed before step {number} of {len(steps)}: {name}"
        stores = sorted(
            path for path in repository.folder.glob("store.db*") if not path.name.endswith(("-wal", "-shm"))
        )
        lengths = [rows_in(path) for path in stores]
        assert len(old) in lengths, f"the old store is gone: {where}"
        state = (repository.files(), tuple(lengths), (repository.folder / "security_events.jsonl").exists())
        if state in seen:
            continue
        seen.add(state)
        try:
            now = repository.journal()
            assert now[:length] == old[:length], where
        except FoureyesError as problem:
            said = (problem.message, steps_text(problem.next_step))
            assert "missing" in said[0] and "fe store restore" in said[1], (where, said)  # noqa: PT018
        Child(restore).result()
        assert repository.journal()[:length] == old[:length], where
        assert len(repository.journal()) > length, where
        Child(lambda: opened(repository.root, repository.environ, _writes)).result()


def copy(repository: Repository, url: str) -> None:
    """`fe store copy`; where it has been done already it says so."""
    with contextlib.suppress(Refused):
        copy_store(str(repository.root), repository.environ, ALICE, url, None)


def there(repository: Repository, server: Server, old: list[tuple[int, str]]) -> list[str]:
    untouched = (repository.files(), on_server(server))
    steps = steps_of(lambda: copy(repository, server.url))
    seen: set[object] = set()
    state: object = None
    for number, name in some(steps):
        if state != untouched:
            repository.reset()
            drop_all(server)
        kill_at(number, lambda: copy(repository, server.url))
        state = (repository.files(), on_server(server))
        if state not in seen:
            seen.add(state)
            where = f"killed before step {number} of {len(steps)}: {name}"
            assert repository.journal() == old, where
            Child(lambda: copy(repository, server.url)).result()
            assert repository.journal() == old, where
            assert (repository.folder / "store.json").exists(), where
            state = None
    repository.reset()
    drop_all(server)
    return steps


def test_a_killed_submit_that_commits_leaves_the_commit_and_the_old_state_or_the_new_one_A1_G4(
    place: Place, template: Path, record_property: Note
) -> None:
    """With real git: the commit comes first; it may be there while the store is old, and the command can be
    repeated.
    """
    shutil.rmtree(place.root)
    checkout = copy_of(template, place.root)
    place.folder.mkdir()
    (place.folder / ".gitignore").write_text("*\n")
    desk = Desk(place, checkout.port, workshop=checkout.workshop)
    desk.found()
    task = desk.started()
    desk.close()
    checkout.branch(f"fe/{task}")
    checkout.write("work.py", "work\n")
    place.keep()

    def submit() -> None:
        desk.app.attempts.submit(CLAUDE, task, message="done", commit="Add work")

    steps = Killed(desk, submit).everywhere(chosen)
    record_property("failpoints", len(steps))
    assert [step for step in steps if step.startswith("git commit")]


def test_a_pointer_to_the_server_is_never_half_written_G4(tmp_path: Path, record_property: Note) -> None:
    from foureyes.adapters.store.shared_store import Pointer, read_pointer, write_pointer

    old, new = Pointer("a" * 16, "postgresql://one"), Pointer("b" * 16, "postgresql://two")
    write_pointer(str(tmp_path), old)
    steps = steps_of(lambda: write_pointer(str(tmp_path), new))
    record_property("failpoints", len(steps))
    for number in range(1, len(steps) + 1):
        write_pointer(str(tmp_path), old)
        kill_at(number, lambda: write_pointer(str(tmp_path), new))
        assert read_pointer(str(tmp_path)) in (old, new)
    assert msgspec.json.decode((tmp_path / "store.json").read_bytes())["project"] == old.project
