"""A full disk, a store that may only be read, and a damaged file: a clear sentence, the old state, and it works again
afterwards.
"""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.adapters.store.store import scratch as scratch_store
from foureyes.app.application import Application
from foureyes.bootstrap.init import create_project
from foureyes.bootstrap.wiring import open_project
from foureyes.errors import FoureyesError, StoreProblem
from foureyes.ui.steps import steps_text

from tests.stage import scratch
from tests.stage.checkout import copy_of
from tests.stage.fork import Child
from tests.stage.night import steps
from tests.stage.people import ALICE, CLAUDE
from tests.stage.places import Desk, Place, dump_of

NOBODY = 65534
LINE = "words " * 400


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """A project with one task; nobody has its store open."""
    made = Desk(Place(tmp_path / "project"))
    made.found()
    made.create()
    made.close()
    return made


def task_of(desk: Desk) -> str:
    with desk.app.context.store.read():
        ((task,),) = desk.app.context.store.engine.fetch("SELECT id FROM tasks", {})[1]  # type: ignore[attr-defined]
    return str(task)


def write_until_full(desk: Desk, task: str) -> tuple[StoreProblem, int]:
    """The problem that ended it, and how many lines had been written."""
    for count in range(10_000):
        try:
            desk.app.notes.log(CLAUDE, task, LINE)
        except StoreProblem as problem:
            return problem, count
    raise AssertionError("it never became full")


def lines(desk: Desk) -> int:
    return [row.kind for row in desk.app.audit.log(limit=10_000)].count("Logged")


def test_a_full_store_says_so_keeps_the_old_state_and_goes_on_when_there_is_room_G4(desk: Desk) -> None:
    task = task_of(desk)
    engine = desk.app.context.store.engine  # type: ignore[attr-defined]
    assert isinstance(engine, SqliteEngine)
    engine.connection.pragma("max_page_count", engine.connection.pragma("page_count") + 5)
    problem, count = write_until_full(desk, task)
    assert (problem.message, steps_text(problem.next_step)) == (
        "the disk is full. Nothing was changed.",
        "free some space and try again",
    )
    assert lines(desk) == count
    engine.connection.pragma("max_page_count", 1_000_000)
    assert desk.app.notes.log(CLAUDE, task, "room again").changed
    assert lines(desk) == count + 1
    desk.close()
    assert desk.place.findings() == []


def test_an_audit_without_room_for_its_replay_says_so_and_accuses_no_row_G4_J2(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    engines: list[SqliteEngine] = []

    def small() -> SqliteEngine:
        engines.append(scratch_store())
        engines[-1].connection.pragma("max_page_count", engines[-1].connection.pragma("page_count"))
        return engines[-1]

    for _ in range(50):
        desk.app.notes.log(CLAUDE, task_of(desk), LINE)
    monkeypatch.setattr("foureyes.adapters.store.store.scratch", small)
    with pytest.raises(StoreProblem, match="the disk is full"):
        desk.app.audit.verify()
    (row,) = [row for row in desk.app.doctor.examine(CLAUDE) if row.check == "journal"]
    for engine in engines:  # the suite uses them again
        engine.connection.pragma("max_page_count", 1_000_000)
    assert (row.result, row.message) == ("fail", "the disk is full. Nothing was changed.")


def test_a_disk_that_takes_no_more_bytes_says_so_and_the_same_process_goes_on_afterwards_G4(desk: Desk) -> None:
    """RLIMIT_FSIZE: the write itself fails, in the middle of the -wal file or at the commit."""
    task = task_of(desk)
    desk.close()

    def fill() -> tuple[str, int, int]:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        assert desk.app.notes.log(CLAUDE, task, LINE).changed
        wal = (desk.place.folder / "store.db-wal").stat().st_size
        resource.setrlimit(resource.RLIMIT_FSIZE, (wal + 50_000, hard))
        problem, count = write_until_full(desk, task)
        kept = lines(desk)
        resource.setrlimit(resource.RLIMIT_FSIZE, (hard, hard))
        assert kept == count + 1
        assert desk.app.notes.log(CLAUDE, task, "room again").changed
        again = lines(desk)
        desk.close()
        return problem.message, kept, again

    message, kept, again = Child(fill).result()
    assert "Nothing was changed" in message
    assert "disk" in message
    assert again == kept + 1
    assert lines(desk) == again
    desk.close()
    assert desk.place.findings() == []


def test_a_backup_onto_a_full_disk_leaves_the_store_alone_and_says_so(desk: Desk) -> None:
    before = desk.place.dump()

    def back_up() -> str:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        app = desk.app
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
        with pytest.raises(StoreProblem) as caught:
            app.projects.backup(ALICE, str(desk.place.root / "backup.db"))
        return caught.value.message

    message = Child(back_up).result()
    assert "disk" in message
    assert desk.place.dump() == before
    assert desk.place.findings() == []


# A store that may only be read


@pytest.fixture
def readable(template: Path) -> Iterator[Path]:
    """A repository with a project that everybody may read and nobody may write; outside of pytest's private
    directories.
    """
    folder = Path(tempfile.mkdtemp(prefix="fe-readonly-", dir=scratch.Run.folder))
    folder.chmod(0o755)
    root = copy_of(template, folder / "project").path

    def prepare() -> None:
        create_project(str(root), dict(os.environ), ALICE, prefix="fe", target=None, commit=True)
        app = open_project(str(root), dict(os.environ))
        app.tasks.create(ALICE, "a task")
        app.close()

    Child(prepare).result()
    set_modes(root, 0o555, 0o444)
    yield root
    set_modes(root, 0o755, 0o644)
    shutil.rmtree(folder)


def set_modes(root: Path, folders: int, files: int) -> None:
    for path in [root, *root.rglob("*")]:
        path.chmod(folders if path.is_dir() else files)


def become_somebody_else() -> None:
    """Modes mean nothing to root."""
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def test_a_store_that_may_only_be_read_says_so_and_is_not_changed(readable: Path) -> None:
    before = {path.name: path.read_bytes() for path in (readable / ".foureyes").iterdir() if path.is_file()}

    def write() -> str:
        warm = Desk(Place(Path(tempfile.mkdtemp()) / "warm"))
        warm.found()
        warm.close()
        become_somebody_else()
        with pytest.raises(StoreProblem) as caught:
            create_in(readable)
        assert caught.value.exit_code == 5
        assert caught.value.next_step
        return caught.value.message

    message = Child(write).result()
    assert "writ" in message
    assert {path.name: path.read_bytes() for path in (readable / ".foureyes").iterdir() if path.is_file()} == before


def create_in(root: Path) -> None:
    open_project(str(root), dict(os.environ)).tasks.create(ALICE, "another")


@pytest.mark.parametrize(("args", "ends"), [(("create", "another"), 5), (("list",), 0)], ids=["create", "list"])
def test_where_the_store_may_only_be_read_the_command_line_reads_and_ends_with_5_when_it_should_write(
    readable: Path, args: tuple[str, ...], ends: int
) -> None:
    """The very program, in a child that has become somebody else; a first run elsewhere imports what is outside his
    reach.
    """

    def run() -> tuple[int, str]:
        from foureyes.ui.cli.main import main

        warm = Path(tempfile.mkdtemp())
        shutil.copytree(readable, warm / "project", symlinks=True)
        set_modes(warm / "project", 0o755, 0o644)
        command(main, warm / "project", args)
        become_somebody_else()
        return command(main, readable, args)

    code, said = Child(run).result()
    assert code == ends, said
    assert ("next:" if ends else "a task") in said, said
    assert "Traceback" not in said


def command(main: Callable[[], object], cwd: Path, args: tuple[str, ...]) -> tuple[int, str]:
    """Run the command line in this process; exit code and everything it wrote."""
    with tempfile.TemporaryFile(dir=scratch.Run.folder) as file:
        saved, leave = (os.dup(1), os.dup(2)), os._exit
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
        sys.stdout = open(1, "w", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", closefd=False)  # noqa: SIM115
        os.chdir(cwd)
        sys.argv = ["fe", *args]
        code = 0
        setattr(os, "_exit", sys.exit)  # noqa: B010 - the program ends at once, without what Python does at the end
        try:
            main()
        except SystemExit as ended:
            code = int(ended.code or 0)
        finally:
            setattr(os, "_exit", leave)  # noqa: B010
        sys.stdout.flush()
        sys.stderr.flush()
        os.dup2(saved[0], 1)
        os.dup2(saved[1], 2)
        file.seek(0)
        return code, file.read().decode()


# A damaged file


def damaged(desk: Desk, damage: Callable[[bytearray], bytes]) -> tuple[Path, bytes]:
    path = desk.place.folder / "store.db"
    spoilt = bytes(damage(bytearray(path.read_bytes())))
    path.write_bytes(spoilt)
    return path, spoilt


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(lambda data: b"", id="empty"),
        pytest.param(lambda data: data[: len(data) // 2], id="cut in half"),
        pytest.param(lambda data: data[:50], id="cut in its header"),
        pytest.param(lambda data: b"\xa5" * len(data), id="all of it noise"),
        pytest.param(lambda data: b"\xa5" * 100 + data[100:], id="its header noise"),
        pytest.param(lambda data: data[:4096] + b"\xa5" * (len(data) - 4096), id="all but its first page noise"),
    ],
)
def test_a_file_that_is_no_whole_store_is_refused_and_not_touched_G1(
    desk: Desk, damage: Callable[[bytearray], bytes]
) -> None:
    path, spoilt = damaged(desk, damage)
    with pytest.raises(StoreProblem) as caught:
        desk.app.tasks.create(ALICE, "another")
    assert caught.value.exit_code == 5
    assert caught.value.next_step
    assert path.read_bytes() == spoilt


def test_whichever_page_is_damaged_it_is_noticed_in_our_words_and_reading_changes_nothing_G1(desk: Desk) -> None:
    """Every page of the file in turn is noise: an error of ours, or a finding of the doctor's checks."""
    task, path = task_of(desk), desk.place.folder / "store.db"
    for page, spoilt in with_a_page_of_noise(desk, task):
        found = Child(lambda: look_everywhere(desk, task)).result()
        assert found, f"{page} is noise, and nothing noticed"
        assert path.read_bytes() == spoilt, f"{page}: reading changed the file"
    assert desk.place.findings() == []


def with_a_page_of_noise(desk: Desk, task: str) -> Iterator[tuple[str, bytes]]:
    """A store with many lines in which one page after the other is noise: which one, and the file; whole in the end."""
    for number in range(20):
        desk.app.notes.log(CLAUDE, task, f"{number} {LINE}")
    desk.close()
    path = desk.place.folder / "store.db"
    whole = path.read_bytes()
    pages = len(whole) // 4096
    for page in steps("pages of a store that are noise", range(1, pages)):
        spoilt = whole[: page * 4096] + b"\xa5" * 4096 + whole[(page + 1) * 4096 :]
        path.write_bytes(spoilt)
        yield f"page {page + 1} of {pages}", spoilt
    path.write_bytes(whole)


def look_everywhere(desk: Desk, task: str) -> list[str]:
    """What reading commands, the audit and the database's own check say."""
    found: list[str] = []

    def attempt(look: Callable[[Application], object]) -> None:
        try:
            said = look(desk.app)
        except FoureyesError as problem:
            found.append(problem.message)
        else:
            if isinstance(said, tuple | list):
                found.extend(str(each) for each in said)

    def tables(app: Application) -> None:
        with app.context.store.read():
            dump_of(app.context.store)  # type: ignore[arg-type]

    attempt(lambda app: app.context.store.health())
    attempt(lambda app: app.audit.verify().findings)
    attempt(lambda app: app.lists.show(ALICE, task))
    attempt(lambda app: app.status.show(ALICE))
    attempt(tables)
    desk.close()
    return found


def test_a_write_to_a_damaged_store_changes_nothing_or_is_whole_G1_G4(desk: Desk) -> None:
    """Noise in the journal's own pages: whatever a write does, it says so in our words."""
    task, path = task_of(desk), desk.place.folder / "store.db"
    for page, _ in with_a_page_of_noise(desk, task):
        for ending in ("-wal", "-shm"):
            path.with_name(path.name + ending).unlink(missing_ok=True)
        ended = Child(lambda: _log(desk, task)).ended()
        assert ended.error is None or isinstance(ended.error, FoureyesError), (page, ended.error)


def _log(desk: Desk, task: str) -> None:
    desk.app.notes.log(CLAUDE, task, "on damaged ground")
