"""`fe store restore`: whole or refused, of this project only, and it says what it undid (P12, J2)."""

from __future__ import annotations

import shutil
from contextlib import closing, suppress
from pathlib import Path

import pytest

from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.bootstrap.init import create_project
from foureyes.bootstrap.restore import refuse_restore, restore_backup
from foureyes.bootstrap.wiring import open_project
from foureyes.errors import Refused, StoreProblem

from tests.bootstrap.beginning import init
from tests.stage.checkout import Checkout
from tests.stage.people import ALICE, BOB, CLAUDE


def test_a_restore_by_a_person_is_on_record_and_the_old_store_is_kept(checkout: Checkout) -> None:
    init(checkout)
    app = open_project(str(checkout.path), {})
    app.projects.backup(BOB, str(checkout.path / "backup.db"))
    app.tasks.create(CLAUDE, "after the backup")
    app.close()
    with pytest.raises(Refused):
        restore_backup(str(checkout.path), {}, CLAUDE, "backup.db")
    done = restore_backup(str(checkout.path), {}, ALICE, "backup.db")
    assert (done.rows_undone, done.merged_undone, done.behind) == (2, (), ())
    app = open_project(str(checkout.path), {})
    assert app.status.show(ALICE).counts["open"] == 0
    assert [(row.kind, "backup.db" in row.reason) for row in app.audit.exceptions()] == [("restore", True)]
    assert app.audit.verify().findings == ()
    app.close()
    assert Path(done.kept).exists()


def test_a_clone_gets_its_store_by_a_backup_and_never_that_of_another_project_P12(
    checkout: Checkout, tmp_path: Path
) -> None:
    init(checkout)
    app = open_project(str(checkout.path), {})
    app.tasks.create(ALICE, "known")
    app.projects.backup(ALICE, str(tmp_path / "right.db"))
    app.close()
    clone = tmp_path / "clone"
    checkout.git("clone", "-q", str(checkout.path), str(clone))
    checkout.git("clone", "-q", str(checkout.path), str(tmp_path / "other"))
    (tmp_path / "other" / "foureyes.toml").unlink()
    checkout.git("-C", str(tmp_path / "other"), "commit", "-qam", "another project")
    other = create_project(str(tmp_path / "other"), {}, CLAUDE, prefix="fe", target=None, commit=False)
    wrong = str(tmp_path / "other" / ".foureyes" / "store.db")
    with pytest.raises(StoreProblem, match=f"another project .{other.project}.") as caught:
        restore_backup(str(clone), {}, ALICE, wrong)
    assert caught.value.next_step
    assert not (clone / ".foureyes").exists(), "whole or refused"
    done = restore_backup(str(clone), {}, ALICE, str(tmp_path / "right.db"))
    assert (done.kept, done.rows_undone) == ("", None)
    app = open_project(str(clone), {})
    assert app.status.show(ALICE).counts["open"] == 1
    app.close()
    (clone / ".foureyes" / "store.db").unlink()
    with pytest.raises(StoreProblem, match="another project"):
        restore_backup(str(clone), {}, ALICE, wrong)
    shutil.copy(wrong, clone / ".foureyes" / "store.db")
    assert restore_backup(str(clone), {}, ALICE, str(tmp_path / "right.db")).kept, "a wrong one there does not bar it"


@pytest.mark.parametrize("content", [b"", b"words\n", b"SQLite format 3\x00" + bytes(500)])
def test_a_file_that_is_no_backup_is_named_and_changes_nothing(checkout: Checkout, content: bytes) -> None:
    init(checkout)
    (checkout.path / "a.txt").write_bytes(content)
    before = (checkout.path / ".foureyes" / "store.db").read_bytes()
    with pytest.raises(StoreProblem, match=r"a\.txt is not a backup"):  # before anybody is asked, or signs
        refuse_restore(str(checkout.path), {}, ALICE, "a.txt")
    with pytest.raises(StoreProblem, match=r"a\.txt is") as caught:
        restore_backup(str(checkout.path), {}, ALICE, "a.txt")
    assert ("store.db" not in caught.value.message, bool(caught.value.next_step)) == (True, True)
    assert (checkout.path / ".foureyes" / "store.db").read_bytes() == before


@pytest.mark.parametrize(
    "harm", ["DROP TABLE head", "DELETE FROM head", "DROP TABLE keys", "DROP TABLE project", "PRAGMA user_version = 0"]
)
def test_a_file_that_lost_a_part_is_said_so_and_gets_a_backup_in_its_place_J2_G2(checkout: Checkout, harm: str) -> None:
    cwd = str(checkout.path)
    create_project(cwd, {}, ALICE, prefix="fe", target=None, commit=True)
    with closing(open_project(cwd, {})) as app:
        app.projects.backup(ALICE, str(checkout.path / "backup.db"))
    with closing(SqliteEngine(str(checkout.path / ".foureyes/store.db"))) as store:
        store.script([harm])
    with suppress(StoreProblem), closing(open_project(cwd, {})) as app:
        app.status.show(ALICE)
    with suppress(StoreProblem), closing(open_project(cwd, {})) as app:
        app.audit.verify()
    restore_backup(cwd, {}, ALICE, "backup.db")
    with closing(open_project(cwd, {})) as app:
        assert app.audit.verify().findings == ()
