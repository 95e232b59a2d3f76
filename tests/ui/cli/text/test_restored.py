"""What a restore says: what it undid, how it is undone, and on a server whose it is."""

from __future__ import annotations

from foureyes.app.results.settings import RestoredStore
from foureyes.steps import fe
from foureyes.ui.cli.text.store import restored_fields, restored_text

FILE = RestoredStore(kept="/shop/.foureyes/store.db.before-restore-1", rows=4, rows_undone=2, next=fe("status"))
SERVER = RestoredStore(kept="foureyes_1_before_restore_1", rows=4, on_server=True, next=fe("status"))


def test_of_a_file_it_says_how_it_is_undone() -> None:
    said = restored_text(FILE, "b.db", "/shop/src")
    assert "the store before it is .foureyes/store.db.before-restore-1" in said
    assert "2 rows of the journal are newer than the backup and were undone" in said
    assert "undo: fe store restore ../.foureyes/store.db.before-restore-1" in said
    assert "owner" not in restored_fields(FILE, "b.db")


def test_of_a_server_it_says_whose_the_store_is_and_how_others_get_access() -> None:
    done = RestoredStore(kept="", rows=4, on_server=True, owner="o", next=fe("x"))
    said = restored_text(done, "b.db", "/shop").splitlines()
    assert said[1:4] == [
        "  there was no store before it",
        "  it belongs to role o",
        "  other roles get access by the SQL of: fe store roles --writer NAME --reader NAME",
    ]
    assert restored_fields(done, "b.db")["owner"] == "o"
    assert "other roles" not in restored_text(SERVER, "b.db", "/shop")
    assert "schema foureyes_1_before_restore_1, on the same server" in restored_text(SERVER, "b.db", "/shop")
