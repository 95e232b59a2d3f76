"""Owner, writer and reader of a store on a server: what each may do, what is said where something is missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from foureyes.adapters.store.postgres import PostgresEngine, schema_of
from foureyes.adapters.store.postgres_access import SchemaFacts, grants_sql
from foureyes.adapters.store.shared_store import open_shared
from foureyes.adapters.store.store import Store
from foureyes.app.results.settings import StoreRole
from foureyes.errors import BadInput, StoreProblem
from foureyes.ui.steps import steps_text

from tests import engines
from tests.adapters.store.shop import append, security
from tests.engines import NOW
from tests.stage.on_server import as_role, roles
from tests.stage.world import DeskWorld


@pytest.fixture
def place(tmp_path: Path) -> engines.Place:
    return engines.Place("postgres", tmp_path / "folder")


@pytest.fixture
def people(server: engines.Server) -> Iterator[tuple[str, str]]:
    """A writer and a reader, who may do nothing yet."""
    with roles(server, "writer", "reader") as (writer, reader):
        yield writer, reader


def opened(place: engines.Place, server: engines.Server, role: str) -> Store:
    store = open_shared(str(place.folder), as_role(server, role), place.project, NOW)
    engines.kept(store.engine)
    return store


def let_in(place: engines.Place, server: engines.Server, people: tuple[str, str]) -> None:
    """The owner runs what is printed, as psql would."""
    with psycopg.connect(server.url, autocommit=True) as connection:
        connection.execute(place.open().grants(people[:1], people[1:]).encode())


def test_a_schema_that_is_there_and_shut_is_not_taken_for_none(
    place: engines.Place, server: engines.Server, people: tuple[str, str]
) -> None:
    """A colleague with a role of their own was told to copy the store once more."""
    place.create()
    with pytest.raises(StoreProblem, match=f"role {people[0]} may not use its schema") as caught:
        opened(place, server, people[0])
    assert f"fe store roles --writer {people[0]}" in steps_text(caught.value.next_step)


def test_whoever_may_make_no_schema_is_told_the_grant(server: engines.Server, people: tuple[str, str]) -> None:
    with pytest.raises(StoreProblem, match="may not create a schema in database postgres") as caught:
        PostgresEngine(as_role(server, people[0]), engines.new_project(), create=True)
    assert f'GRANT CREATE ON DATABASE "postgres" TO "{people[0]}"' in steps_text(caught.value.next_step)


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_is_not_in_utf_8_is_refused_before_anything_is_made(
    server: engines.Server, encoding: str
) -> None:
    name = f"other_{engines.new_project()}"
    server.run(f"CREATE DATABASE {name} ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    try:
        with pytest.raises(StoreProblem, match=f"is in {encoding}, and a store needs UTF-8") as caught:
            PostgresEngine(server.url.replace("/postgres?", f"/{name}?"), engines.new_project(), create=True)
        assert caught.value.next_step
    finally:
        server.run(f"DROP DATABASE {name}")


def test_a_writer_adds_to_the_journal_and_changes_nothing_of_it(
    place: engines.Place, server: engines.Server, people: tuple[str, str]
) -> None:
    append(place.create(), security())
    let_in(place, server, people)
    store, schema = opened(place, server, people[0]), schema_of(place.project)
    assert append(store, security()) == [2]
    assert store.role() == StoreRole(name=people[0], kind="writer", schema=schema, owner="postgres")
    for statement in ("UPDATE journal SET kind = 'x'", "DELETE FROM journal", "TRUNCATE journal", "DROP TABLE journal"):
        with pytest.raises(StoreProblem, match="your role on the server may not"):
            store.engine.fetch(statement, {})
    assert store.audit().findings == ()


def test_a_row_that_a_writer_puts_after_the_head_is_a_named_problem_which_the_owner_mends_as_written_G4(
    place: engines.Place, server: engines.Server, people: tuple[str, str]
) -> None:
    append(place.create(), security())
    let_in(place, server, people)
    store, schema = opened(place, server, people[0]), schema_of(place.project)
    columns = "'now', 'p', '', 's', 'Nonsense', '{}', '', 'x'"
    with psycopg.connect(as_role(server, people[0]), autocommit=True) as connection:
        connection.execute(f"INSERT INTO {schema}.journal VALUES (2, {columns}), (3, {columns})".encode())
    with pytest.raises(StoreProblem, match="the journal ends at row 3, but its head is row 1") as caught:
        append(store, security())
    assert "the owner of the store restores a backup: fe store restore FILE" in steps_text(caught.value.next_step)
    assert "row 2" in store.audit().findings[0].message
    server.run(owners_way_out("DELETE FROM", schema))
    assert (append(store, security()), store.audit().findings) == ([2], ())
    for statement in ("UPDATE head SET seq = 1", "DELETE FROM head"):
        store.engine.script([statement])
        with pytest.raises(StoreProblem, match="the journal ends at row"):
            append(store, security())
        server.run(owners_way_out("INSERT INTO", schema))
        assert (bool(append(store, security())), store.audit().findings) == (True, ())


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ("seq = seq + 5", "ends at row 1, but its head is row 6"),
        ("seq = 2147483647", "ends at row 1, but its head is row 2147483647"),
        ("hash = 'x'", "ends at row 1, but its head is another row 1"),
    ],
)
def test_a_head_that_a_writer_sets_forward_or_onto_another_row_tears_no_chain_G4_J1(
    place: engines.Place, server: engines.Server, people: tuple[str, str], change: str, says: str
) -> None:
    append(place.create(), security())
    let_in(place, server, people)
    store, schema = opened(place, server, people[0]), schema_of(place.project)
    with psycopg.connect(as_role(server, people[0]), autocommit=True) as connection:
        connection.execute(f"UPDATE {schema}.head SET {change}".encode())
    with pytest.raises(StoreProblem, match=says):
        append(store, security())
    server.run(owners_way_out("INSERT INTO", schema))
    assert (append(store, security()), store.audit().findings) == ([2], ()), "nothing was written meanwhile"


def owners_way_out(begins: str, schema: str) -> str:
    """What the page tells the owner to type, for the first row after the head."""
    page = (Path(__file__).parents[3] / "docs/howto/several-machines.md").read_text()
    (block,) = [text for text in page.split("\n    ") if text.startswith(f"{begins} SCHEMA.")]
    start = page.index(block)
    text = page[start : page.index("\n\n", start)]
    return text.replace("SCHEMA", schema).replace("ROW", "2")


def test_the_name_of_a_database_ends_no_comment_of_the_sql_for_psql_H1() -> None:
    facts = SchemaFacts("foureyes_x", database="shop\nDROP TABLE t; --", owner="o", owns=True)
    assert not any(line.startswith("DROP") for line in grants_sql(facts, ["w"], ["r"]).splitlines())


def test_a_reader_verifies_and_backs_up_and_writes_nothing(
    place: engines.Place, server: engines.Server, people: tuple[str, str], tmp_path: Path
) -> None:
    append(place.create(), security())
    let_in(place, server, people)
    store = opened(place, server, people[1])
    role = store.role()
    assert role is not None
    assert role.kind == "reader"
    assert (store.audit().findings, store.audit().rows) == ((), 1)
    store.backup(str(tmp_path / "backup.db"))
    with pytest.raises(StoreProblem, match="your role on the server may not") as caught:
        append(store, security())
    step = steps_text(caught.value.next_step)
    assert (
        f"postgres owns it and prints the SQL that gives you access with: fe store roles --writer {people[1]}" in step
    )


def test_a_writer_who_could_change_the_journal_is_named(
    place: engines.Place, server: engines.Server, people: tuple[str, str]
) -> None:
    place.create()
    let_in(place, server, people)
    server.run(f'GRANT DELETE ON "{schema_of(place.project)}".journal TO {people[0]}')
    writer, reader = (opened(place, server, name).role() for name in people)
    assert writer is not None
    assert reader is not None
    assert [(role.kind, role.rewrites) for role in (writer, reader)] == [("writer", True), ("reader", False)]


def test_an_older_schema_is_upgraded_by_its_owner_only(
    place: engines.Place, server: engines.Server, people: tuple[str, str]
) -> None:
    place.create()
    let_in(place, server, people)
    server.run(f'DELETE FROM "{schema_of(place.project)}".migrations WHERE n > 1')
    with pytest.raises(StoreProblem, match="by the owner of its tables") as caught:
        opened(place, server, people[0])
    assert caught.value.next_step


def test_only_who_is_named_is_let_in(place: engines.Place) -> None:
    grants = place.create().grants(["agents"], [])
    assert 'TO "agents";' in grants
    assert "reader" not in grants
    assert 'FOR ROLE "postgres"' in grants, "later tables are the owner's, whoever of the administrators runs it"
    assert "cannot run this" not in grants


def test_each_of_several_is_let_in_once(place: engines.Place) -> None:
    """The first of two writers was dropped without a word."""
    world = DeskWorld(store=place.create())
    grants = world.app.projects.grants(["agents", "bob", "agents"], ["audit", "guest"])
    schema = schema_of(place.project)
    assert [grants.count(f'GRANT USAGE ON SCHEMA "{schema}" TO "{name}"') for name in ("agents", "bob")] == [1, 1]
    for name in ("audit", "guest"):
        assert f'GRANT SELECT ON ALL TABLES IN SCHEMA "{schema}" TO "{name}"' in grants


@pytest.mark.parametrize("names", [(["agents", "postgres"], []), ([], ["postgres"])])
def test_the_owner_is_made_neither_a_writer_nor_a_reader(
    place: engines.Place, names: tuple[list[str], list[str]]
) -> None:
    """The SQL would take from it the rights by which it upgrades the store."""
    world = DeskWorld(store=place.create())
    with pytest.raises(BadInput, match="postgres owns the store") as caught:
        world.app.projects.grants(*names)
    assert "fe store roles --writer NAME" in steps_text(caught.value.next_step)


def test_who_cannot_run_the_sql_is_told_who_can(
    place: engines.Place, server: engines.Server, people: tuple[str, str]
) -> None:
    place.create()
    let_in(place, server, people)
    assert f"You are {people[0]}, and cannot run this: postgres gives it to psql" in (
        opened(place, server, people[0]).grants(["agents"], [])
    )
