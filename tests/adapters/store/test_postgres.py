"""PostgreSQL alone: the translation of statements, lost connections, restarts, and passwords that nobody sees."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from foureyes.adapters.store import postgres as adapter
from foureyes.adapters.store.connection import SqlValue, sql
from foureyes.adapters.store.postgres import PostgresEngine, schema_of, translated
from foureyes.adapters.store.shared_store import open_shared, postgres
from foureyes.adapters.store.store import Store
from foureyes.core.words.store_place import without_password
from foureyes.errors import BadInput, FoureyesError, NoStore, StoreBusy, StoreProblem
from foureyes.ui.steps import steps_text

from tests import engines
from tests.adapters.store.shop import append, security
from tests.engines import NOW
from tests.stage.night import plays

# ------------------------------------------------------------------------------------------------------- translation


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("SELECT :id", "SELECT %(id)s"),
        ("SELECT :id, :id", "SELECT %(id)s, %(id)s"),
        ("SELECT :after_n + 1", "SELECT %(after_n)s + 1"),
        ("SELECT x::text, :x::int", "SELECT x::text, %(x)s::int"),
        ("SELECT '10:30', a:b", "SELECT '10:30', a:b"),
        ("SELECT '50%' WHERE a LIKE '%x'", "SELECT '50%%' WHERE a LIKE '%%x'"),
        (
            "id IN (SELECT value FROM json_each(:ids))",
            "id = ANY (ARRAY(SELECT value FROM json_array_elements_text(CAST(%(ids)s AS json))))",
        ),
        ("SELECT 1", "SELECT 1"),
    ],
)
def test_a_statement_is_translated(ours: str, theirs: str) -> None:
    assert translated(ours) == theirs


def test_what_is_said_differently_is_replaced_also_inside_of_a_list() -> None:
    part = sql("task.where_text")
    whole = translated(f"{sql('task.list')} WHERE t.deleted = 0 AND {part} ORDER BY t.n LIMIT :limit")
    assert "MATCH" not in whole
    assert "%(text_words)s" in whole
    assert whole.endswith("LIMIT %(limit)s")


@pytest.mark.parametrize("project", ["", "A", "a-b", 'a"b', "a b", "ä", "x" * 60, "a;drop", "a\n"])
def test_a_project_id_that_is_no_name_is_refused(project: str) -> None:
    if project == "":
        assert schema_of("") == "foureyes_"
        return
    with pytest.raises(StoreProblem, match="not a project id"):
        schema_of(project)


# --------------------------------------------------------------------------------------------------- lost connections


@pytest.fixture
def place(tmp_path: Path) -> engines.Place:
    return engines.Place("postgres", tmp_path / "folder")


def journal(place: engines.Place) -> list[tuple[SqlValue, ...]]:
    return place.open().engine.fetch("SELECT seq FROM journal ORDER BY seq", {})[1]


def test_a_writer_that_stands_still_is_ended_by_the_server_and_the_others_go_on_G4(
    place: engines.Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A stopped process, or a machine that sleeps, in the middle of its transaction."""
    still, other = place.create(), place.open()
    monkeypatch.setattr(adapter, "STANDING_STILL", "50ms")

    def stand_still() -> None:
        with still.write() as tx:
            tx.append("ses-1", NOW, [("", security())])
            monkeypatch.undo()
            append(other, security())  # waits until the server has ended the first one
            still.engine.fetch("SELECT 1", {})

    with pytest.raises(StoreBusy, match="paused too long"):
        stand_still()
    assert journal(place) == [(1,)]
    assert append(still, security()) == [2]


def test_who_holds_the_lock_is_named_by_role_and_process_with_where_to_look_at_it_G4_G5(place: engines.Place) -> None:
    """Any role that may connect can, outside of a transaction, too."""
    store, other = place.create(), place.open()
    assert isinstance(store.engine, adapter.PostgresEngine)
    ((pid, role),) = other.engine.fetch("SELECT pg_backend_pid(), current_user", {})[1]
    other.engine.fetch("SELECT pg_advisory_lock(hashtext(:name))", {"name": store.engine.schema})
    store.engine.connection.execute("SET lock_timeout = '20ms'")
    with pytest.raises(StoreBusy, match=rf"role {role}, pid {pid} of the server") as busy:
        append(store, security())
    (look,) = [step.argv for step in busy.value.next_step.steps if step.argv]
    seen = f"SELECT * FROM pg_stat_activity WHERE pid = {pid}"
    assert look == ("psql", without_password(store.engine.url), "-c", seen), "it ends nothing, on no server"
    assert "The administrator of that server can end it" in steps_text(busy.value.next_step)
    other.engine.fetch("SELECT pg_advisory_unlock_all()", {})
    assert append(store, security()) == [1]


def test_a_connection_that_the_server_closed_is_made_anew(place: engines.Place, server: engines.Server) -> None:
    store = place.create()
    append(store, security())
    server.hang_up(store.engine)
    assert append(store, security()) == [2]
    server.hang_up(store.engine)
    with store.read() as tx:
        assert tx is not None
    assert store.audit().findings == ()


def test_the_clock_survives_a_closed_connection(place: engines.Place, server: engines.Server) -> None:
    engine = place.create().engine
    assert isinstance(engine, PostgresEngine)
    before = engine.now()
    server.hang_up(engine)
    assert engine.now() >= before


def test_problems_are_told_of_a_closed_connection_and_not_raised(place: engines.Place, server: engines.Server) -> None:
    store = place.create()
    server.hang_up(store.engine)
    problems = store.health()
    assert problems == [] or "cannot be reached" in problems[0]


def test_a_connection_lost_in_the_middle_leaves_the_old_state_G4(place: engines.Place, server: engines.Server) -> None:
    store = place.create()
    append(store, security())

    def lost() -> None:
        with store.write() as tx:
            tx.append("ses-1", NOW, [("", security())])
            server.hang_up(store.engine)
            tx.append("ses-1", NOW, [("", security())])

    with pytest.raises(StoreProblem, match="Nothing was changed") as caught:
        lost()
    assert caught.value.next_step
    assert journal(place) == [(1,)]
    assert append(store, security()) == [2]
    assert store.audit().findings == ()


def test_a_connection_lost_at_the_commit_says_that_it_does_not_know_G4(
    place: engines.Place, server: engines.Server
) -> None:
    store = place.create()

    def lost() -> None:
        with store.write() as tx:
            tx.append("ses-1", NOW, [("", security())])
            store.engine.fetch("SELECT 1", {})  # all of it is on the server now, but the commit
            server.hang_up(store.engine)

    with pytest.raises(StoreProblem, match="saved completely or not at all") as caught:
        lost()
    assert "Nothing was changed" not in caught.value.message
    assert steps_text(caught.value.next_step) == "fe audit log"
    assert journal(place) == []
    assert append(store, security()) == [1]


def test_a_read_whose_connection_is_lost_is_a_clear_problem(place: engines.Place, server: engines.Server) -> None:
    store = place.create()

    def lost() -> None:
        with store.read():
            store.engine.fetch("SELECT 1", {})  # with it the transaction begins
            server.hang_up(store.engine)
            store.engine.fetch("SELECT 1", {})

    with pytest.raises(StoreProblem, match="cannot be reached"):
        lost()
    with store.read():
        assert store.engine.fetch("SELECT 1", {})[1] == [(1,)]


# -------------------------------------------------------------------------------------------------- opening and rights


def test_a_missing_store_is_said_so_and_not_made(server: engines.Server) -> None:
    project = engines.new_project()
    with pytest.raises(NoStore, match=project) as caught:
        PostgresEngine(server.url, project)
    assert caught.value.exit_code == 5
    assert server.schemas(project) == []


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://nobody@127.0.0.1:1/x",
        "postgresql:///x?host=/nowhere/at/all",
        "postgresql://127.0.0.1:1,127.0.0.1:2/x?connect_timeout=2",
    ],
)
def test_a_server_that_is_not_there_is_a_clear_problem(url: str) -> None:
    with pytest.raises(StoreProblem, match="cannot be reached") as caught:
        PostgresEngine(url, "abc")
    assert (caught.value.exit_code, "FOUREYES_STORE" in steps_text(caught.value.next_step)) == (5, True)
    assert "\n" not in caught.value.message


def test_a_database_that_is_not_there_is_a_clear_problem(server: engines.Server) -> None:
    with pytest.raises(StoreProblem, match="no_such_database") as caught:
        PostgresEngine(server.url.replace("/postgres?", "/no_such_database?"), "abc")
    assert "CREATE DATABASE NAME" in steps_text(caught.value.next_step)


def test_a_service_that_no_file_names_is_led_to_that_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for file, words in (("none.conf", "service file"), ("some.conf", 'definition of service "team" not found')):
        (tmp_path / "some.conf").write_text("[other]\nhost=127.0.0.1\n")
        monkeypatch.setenv("PGSERVICEFILE", str(tmp_path / file))
        with pytest.raises(StoreProblem, match=words) as caught:
            PostgresEngine("postgresql:///?service=team", "abc", create=True)
        assert "~/.pg_service.conf" in steps_text(caught.value.next_step)


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://h:port/x", "postgresql://[::1/x", "postgresql://h/x?surprise=1", "postgresql://h/x?sslmode",
        "postgresql://%zz/x", "postgresql://h/x?connect_timeout=soon", "postgresql://h/x?sslmode=perhaps",
    ],
)  # fmt: skip
def test_an_address_that_cannot_be_read_is_said_in_our_words(url: str) -> None:
    with pytest.raises((StoreProblem, BadInput)) as caught:
        PostgresEngine(url, "abc")
    assert caught.value.next_step


def as_role(server: engines.Server, name: str) -> str:
    return server.url.replace("postgres:@", f"{name}@")


@pytest.fixture
def reader(server: engines.Server) -> Iterator[str]:
    """The address of somebody who may only look."""
    name = f"reader_{engines.new_project()}"
    server.run(f"CREATE ROLE {name} LOGIN")
    yield name
    server.run(f"DROP OWNED BY {name}")
    server.run(f"DROP ROLE {name}")


def test_somebody_who_may_only_look_is_told_so_and_changes_nothing(
    place: engines.Place, server: engines.Server, reader: str
) -> None:
    append(place.create(), security())
    schema = schema_of(place.project)
    server.run(f'GRANT USAGE ON SCHEMA "{schema}" TO {reader}')
    server.run(f'GRANT SELECT ON ALL TABLES IN SCHEMA "{schema}" TO {reader}')
    store = open_shared(str(place.folder), as_role(server, reader), place.project, NOW)
    with store.read():
        assert store.engine.fetch("SELECT count(*) FROM journal", {})[1] == [(1,)]
    with pytest.raises(StoreProblem, match="your role on the server may not") as caught:
        append(store, security())
    assert "fe store roles" in steps_text(caught.value.next_step)
    store.close()
    assert journal(place) == [(1,)]


def test_somebody_without_any_right_is_told_so(place: engines.Place, server: engines.Server, reader: str) -> None:
    place.create()
    with pytest.raises(StoreProblem):
        open_shared(str(place.folder), as_role(server, reader), place.project, NOW)
    with pytest.raises(StoreProblem, match="may not create a schema"):
        open_shared(str(place.folder), as_role(server, reader), engines.new_project(), NOW, create=True)


def test_a_read_only_database_is_told_of(place: engines.Place, server: engines.Server) -> None:
    place.create().close()
    url = f"{server.url}&options=-c%20default_transaction_read_only%3Don"
    store: Store | None = None
    try:
        store = open_shared(str(place.folder), url, place.project, NOW)
        assert isinstance(store.engine, PostgresEngine)
        store.engine.connection.execute("SET default_transaction_read_only = on")
        assert store.health() == ["the database is read-only"]
        with pytest.raises(StoreProblem, match="does not let you write"):
            append(store, security())
    finally:
        if store is not None:
            store.close()


# ---------------------------------------------------------------------------------------------------------- passwords

SECRET = "s3cr3t"
around = st.text("ab:/@?#%[]&=+' \\\"\t,;\n€", max_size=4)


def said(url: str) -> str:
    """All that a person gets to see when a store cannot be reached."""
    with pytest.raises(FoureyesError) as caught:
        PostgresEngine(url, "abc")
    return f"{caught.value.message} {steps_text(caught.value.next_step)} {caught.value.reasons}"


@settings(max_examples=plays("random passwords in addresses"), deadline=None, suppress_health_check=list(HealthCheck))
@example("p@", "", "127.0.0.1:1")
@example("", "/x", "127.0.0.1:1")
@example("", ":", "127.0.0.1:1")
@example("?", "", "127.0.0.1:1")
@example("", "#", "127.0.0.1:1")
@example("%", "", "127.0.0.1:1")
@example("a b", "", "127.0.0.1:1")
@example("", "%aa", "127.0.0.1:1")
@given(around, around, st.sampled_from(["127.0.0.1:1", "127.0.0.1:1/db", "[::1]:1/db?connect_timeout=2"]))
def test_no_piece_of_a_password_is_ever_shown_however_it_is_written(before: str, after: str, host: str) -> None:
    """Typed as it is, with everything in it that means something in an address; and typed rightly."""
    for password in (before + SECRET + after, quote(before + SECRET + after, safe="")):
        assert SECRET not in said(f"postgresql://someone:{password}@{host}")
        assert SECRET not in said(f"postgresql://{host}?password={password}")


def test_words_of_the_server_itself_are_kept(server: engines.Server) -> None:
    assert "no_such_role" in said(server.url.replace("postgres:@", "no_such_role@"))


def test_the_address_is_not_in_what_the_engine_shows_of_itself(place: engines.Place) -> None:
    assert "postgresql://" not in repr(place.create().engine)


def test_a_schema_that_is_being_made_by_two_at_once_is_made_once(server: engines.Server) -> None:
    """`CREATE SCHEMA IF NOT EXISTS` is not safe against itself: the second one may see neither the schema nor
    nothing.
    """
    project = engines.new_project()
    first = psycopg.connect(server.url)
    first.execute(f'CREATE SCHEMA "{schema_of(project)}"')
    made: list[object] = []

    def second() -> None:
        try:
            engine = PostgresEngine(server.url, project, create=True)
            engine.close()
            made.append("made")
        except Exception as problem:
            made.append(problem)

    thread = threading.Thread(target=second)
    thread.start()
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE %s"
    while thread.is_alive() and server.run(waiting, f"%{project}%") == [(0,)]:
        pass
    first.commit()
    first.close()
    thread.join()
    assert made == ["made"]


def test_the_driver_is_an_extra_and_its_absence_a_clear_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "foureyes.adapters.store.postgres", None)
    with pytest.raises(StoreProblem, match="psycopg") as caught:
        postgres("postgresql://h/x", "abc")
    assert "foureyes[postgres]" in steps_text(caught.value.next_step)
