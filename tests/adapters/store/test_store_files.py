"""Making, opening and replacing stores: a restore checks first and keeps the store as it was."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from foureyes.adapters.store.migrate import LATEST
from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.adapters.store.store_files import create_store, open_store, project_of, restore_store
from foureyes.core.events.project import ProjectCreated
from foureyes.errors import StoreProblem

from tests.adapters.store.shop import append, fill, on_disk, security
from tests.engines import NOW
from tests.stage.checkout import PROJECT
from tests.stage.people import BOB


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A place with a project's folder, made once and copied; `backup.db` in it is an older state of the store."""
    place = tmp_path_factory.mktemp("opening")
    world = on_disk(place / ".foureyes")
    world.app.projects.backup(BOB, str(place / "backup.db"))
    fill(world)
    world.app.close()
    return place


@pytest.fixture
def folder(template: Path, tmp_path: Path) -> Path:
    """A project's folder; `backup.db` beside it is an older state of the store."""
    shutil.copytree(template, tmp_path, dirs_exist_ok=True)
    return tmp_path / ".foureyes"


def state(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def rows(path: Path) -> int:
    engine = SqliteEngine(str(path))
    ((count,),) = engine.fetch("SELECT count(*) FROM journal", {})[1]
    engine.close()
    assert isinstance(count, int)
    return count


def test_a_store_knows_its_project(folder: Path) -> None:
    store = open_store(str(folder), NOW)
    assert (store.project, project_of(store.engine)) == (PROJECT, PROJECT)
    store.close()


def test_a_restored_backup_is_the_store_and_the_old_one_is_kept(folder: Path, tmp_path: Path) -> None:
    before = rows(folder / "store.db")
    kept = Path(restore_store(str(folder), str(tmp_path / "backup.db"), NOW))
    assert rows(folder / "store.db") == rows(tmp_path / "backup.db") < before
    assert rows(kept) == before
    assert kept.parent == folder
    store = open_store(str(folder), NOW)
    assert store.audit().findings == ()
    append(store, security())
    store.close()
    assert not list(folder.glob("*incoming*"))


def test_the_mirror_of_the_old_store_is_kept_beside_it_and_a_new_one_begun_P8(folder: Path, tmp_path: Path) -> None:
    before = (folder / "security_events.jsonl").read_bytes()
    restore_store(str(folder), str(tmp_path / "backup.db"), NOW)
    assert not (folder / "security_events.jsonl").exists()
    assert before in [path.read_bytes() for path in folder.glob("security_events.jsonl.*")]
    store = open_store(str(folder), NOW)
    append(store, security())
    assert store.audit().findings == ()
    store.close()


def other_project(path: Path) -> Path:
    path.mkdir()
    store = create_store(str(path), "ffff", NOW)
    append(store, ProjectCreated(name="other", prefix="xx", target="main"))
    store.close()
    return path / "store.db"


def test_another_projects_store_is_refused_and_changes_nothing(folder: Path, tmp_path: Path) -> None:
    source, before = other_project(tmp_path / "other"), state(folder)
    with pytest.raises(StoreProblem, match="another project"):
        restore_store(str(folder), str(source), NOW)
    assert state(folder) == before


@pytest.mark.parametrize("content", [b"", b"garbage", b"SQLite format 3\0" + b"\0" * 100])
def test_garbage_is_refused_and_changes_nothing(folder: Path, tmp_path: Path, content: bytes) -> None:
    source, before = tmp_path / "bad.db", state(folder)
    source.write_bytes(content)
    with pytest.raises(StoreProblem, match=r"bad\.db is not a backup of a Foureyes store"):
        restore_store(str(folder), str(source), NOW)
    assert state(folder) == before
    assert source.read_bytes() == content


@pytest.mark.parametrize("share", [0.3, 0.6, 0.95])
def test_a_damaged_backup_is_refused_and_changes_nothing(folder: Path, tmp_path: Path, share: float) -> None:
    source, before = tmp_path / "bad.db", state(folder)
    whole = (tmp_path / "backup.db").read_bytes()
    source.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(StoreProblem):
        restore_store(str(folder), str(source), NOW)
    assert state(folder) == before


def test_a_missing_file_is_refused(folder: Path) -> None:
    with pytest.raises(StoreProblem, match="there is no file"):
        restore_store(str(folder), str(folder / "nope.db"), NOW)


def test_a_backup_of_a_newer_version_is_refused_and_changes_nothing(folder: Path, tmp_path: Path) -> None:
    engine = SqliteEngine(str(tmp_path / "backup.db"))
    engine.set_schema_version(LATEST + 1)
    engine.close()
    before = state(folder)
    with pytest.raises(StoreProblem):
        restore_store(str(folder), str(tmp_path / "backup.db"), NOW)
    assert state(folder) == before


@pytest.mark.parametrize("content", [b"", b"garbage", None])
def test_a_damaged_or_missing_store_can_be_restored(folder: Path, tmp_path: Path, content: bytes | None) -> None:
    """That is what backups are for, and what the error about a damaged store says to do."""
    if content is None:
        (folder / "store.db").unlink()
    else:
        (folder / "store.db").write_bytes(content)
    kept = restore_store(str(folder), str(tmp_path / "backup.db"), NOW)
    assert rows(folder / "store.db") == rows(tmp_path / "backup.db")
    if content is not None:
        assert Path(kept).read_bytes() == content


def test_a_truncated_store_can_be_restored(folder: Path, tmp_path: Path) -> None:
    whole = (folder / "store.db").read_bytes()
    (folder / "store.db").write_bytes(whole[: len(whole) // 2])
    restore_store(str(folder), str(tmp_path / "backup.db"), NOW)
    assert rows(folder / "store.db") == rows(tmp_path / "backup.db")


def test_the_backup_itself_is_not_changed_by_a_restore(folder: Path, tmp_path: Path) -> None:
    before = (tmp_path / "backup.db").read_bytes()
    restore_store(str(folder), str(tmp_path / "backup.db"), NOW)
    assert (tmp_path / "backup.db").read_bytes() == before
    assert sorted(path.name for path in tmp_path.glob("backup*")) == ["backup.db"]


def test_a_store_with_writes_still_in_the_wal_is_kept_whole(folder: Path, tmp_path: Path) -> None:
    store = open_store(str(folder), NOW)
    append(store, security("in the wal"))
    before = rows(folder / "store.db")
    kept = restore_store(str(folder), str(tmp_path / "backup.db"), NOW)
    assert rows(Path(kept)) == before
    store.close()
    assert rows(folder / "store.db") == rows(tmp_path / "backup.db")
