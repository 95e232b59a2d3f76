"""Whom a store on a server lets in, in its backups."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from foureyes.adapters.store.let_in import owner_in, people_of, remember, remembered
from foureyes.adapters.store.sqlite import SqliteEngine

from tests import engines
from tests.stage.on_server import roles


def test_a_backup_tells_what_was_kept_in_it_and_another_nothing(tmp_path: Path) -> None:
    people = {"an owner": "owner", 'a "writer"': "writer", "reader": "reader"}
    with closing(SqliteEngine(str(tmp_path / "told.db"), create=True)) as told:
        remember(told, people)
    SqliteEngine(str(tmp_path / "other.db"), create=True).close()
    assert remembered(str(tmp_path / "told.db")) == people
    assert (owner_in(people), remembered(str(tmp_path / "other.db")), owner_in({})) == ("an owner", {}, "")


@pytest.mark.on("postgres")
def test_who_may_use_a_schema_is_a_writer_if_they_add_to_any_table(tmp_path: Path, server: engines.Server) -> None:
    place = engines.Place("postgres", tmp_path / "folder")
    store = place.create()
    schema = f"foureyes_{place.project}"
    with roles(server, "adds", "looks", "shut") as (adds, looks, shut):
        server.run(f"GRANT USAGE ON SCHEMA {schema} TO {adds}, {looks}, PUBLIC")
        server.run(f"GRANT INSERT ON {schema}.tasks TO {adds}, {shut}")
        server.run(f"GRANT SELECT ON {schema}.tasks TO {looks}")
        found = people_of(store.engine, schema)
    assert found == {"postgres": "owner", adds: "writer", looks: "reader"}
