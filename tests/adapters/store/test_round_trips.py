"""How often one write goes to its database, and that what PostgreSQL keeps back on the way changes nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
import psycopg
import pytest

from foureyes.adapters.store.exceptions_file import EXCEPTION
from foureyes.adapters.store.postgres import KEPT_BACK, PostgresEngine
from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.adapters.store.store import FEW_ROWS
from foureyes.app.context import IdRow
from foureyes.app.ports import Beacon, NamedQuery, Tx
from foureyes.core.events.project import ProjectCreated
from foureyes.core.events.task import TaskEdited
from foureyes.core.nouns.run import RunId
from foureyes.core.nouns.task import Task
from foureyes.errors import Internal, StoreProblem

from tests import engines
from tests.adapters.store.shop import append, full_world, security
from tests.engines import NOW
from tests.stage.people import ALICE, CLAUDE
from tests.stage.playground import Playground
from tests.stage.world import DeskWorld

LOG_STATEMENTS = 11
"""On SQLite: begin, task, session, evidence, end of chain, journal, log, session, end of chain, task, commit."""
LOG_MESSAGES = 4
"""On PostgreSQL: turn and clock; task, session, evidence and end of chain; all that is written and the task; commit."""


def counted(world: DeskWorld, work: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What was said to the database meanwhile."""
    said: list[str] = []
    engine = world.store.engine
    if isinstance(engine, SqliteEngine):

        def trace(_: object, statement: str, __: object) -> bool:
            said.append(statement)
            return True

        engine.connection.exec_trace = trace
        work()
        engine.connection.exec_trace = None
        return said
    original = psycopg.Connection.execute

    def execute(connection: Any, statement: Any, *args: Any, **options: Any) -> Any:
        said.append(str(statement))
        return original(connection, statement, *args, **options)

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Connection, "execute", execute)
        work()
    return said


@pytest.mark.parametrize("on", engines.NAMES)
def test_a_log_line_takes_few_ways_to_the_database(on: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with engines.worlds_on(on):
        world = DeskWorld()
    task = world.create()
    world.app.notes.log(CLAUDE, task, "the first one makes the session known")
    said = counted(world, lambda: world.app.notes.log(CLAUDE, task, "a line"), monkeypatch)
    assert len(said) <= (LOG_STATEMENTS if on == "sqlite" else LOG_MESSAGES), said


def test_a_look_asks_as_often_however_many_runners_and_runs_there_are_J4(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a hundred runners of ten agents each, every look asked the server a thousand times who is connected."""
    with engines.worlds_on("postgres"):
        ground = Playground()
    looking = ground.runner(agents=0)
    ground.ticks(looking)
    asked, beacons = [], list[Beacon]()
    for number in range(4):
        starter = msgspec.structs.replace(ALICE, host=f"machine{number}")
        beacon = ground.store.beacon(f"runner {number}")
        assert beacon is not None
        beacons.append(beacon)
        other = ground.app.runs.begin(starter, agents=2, beacon=f"runner {number}").actor
        for _ in range(2):
            ground.app.runs.reserve(other, ground.create(ALICE), profile="claude", purpose="implement")
        asked.append(len(counted(ground, lambda: looking._reader.read(looking.memory), monkeypatch)))
    assert len(set(asked)) == 1, asked
    assert looking._reader.read(looking.memory).runs == (), "what others have at work is theirs"
    beacons[0].close()
    while not ground.store.dark(["runner 0"]):
        os.sched_yield()
    assert [live.lost for live in looking._reader.read(looking.memory).runs] == [True, True]
    for beacon in beacons:
        beacon.close()
    ground.app.close()


RUN_MESSAGES = {"reserve": 6, "bind": 14, "renew": 6, "end": 10}
"""What a runner says while it has the project's turn to write; every other writer waits for each way there and back."""


def test_what_a_runner_writes_takes_few_ways_while_others_wait_J4(monkeypatch: pytest.MonkeyPatch) -> None:
    with engines.worlds_on("postgres"):
        ground = Playground()
    runs, runner = ground.app.runs, ground.app.runs.begin(ALICE, agents=2).actor
    task, run = ground.create(ALICE), RunId("")

    def reserve() -> None:
        nonlocal run
        run = runs.reserve(runner, task, profile="claude", purpose="implement").id

    said = {
        "reserve": counted(ground, reserve, monkeypatch),
        "bind": counted(ground, lambda: runs.bind(runner, run, secret="s", process="p", program="x"), monkeypatch),
        "renew": counted(ground, lambda: runs.renew(runner, [run]), monkeypatch),
        "end": counted(ground, lambda: runs.end(runner, run, None, ending="lost"), monkeypatch),
    }
    held = {name: len(_held(statements)) for name, statements in said.items()}
    assert all(held[name] <= most for name, most in RUN_MESSAGES.items()), held
    ground.app.close()


def _held(said: list[str]) -> list[str]:
    """From when it is this writer's turn until it is the next one's."""
    first = next(n for n, text in enumerate(said) if text.startswith("BEGIN; "))
    last = next(n for n, text in enumerate(said) if text.endswith("COMMIT"))
    return said[first : last + 1]


@pytest.mark.parametrize("on", engines.NAMES)
def test_what_is_asked_ahead_is_what_is_there_and_a_write_makes_it_be_asked_anew(
    on: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with engines.worlds_on(on):
        world = DeskWorld()
    task = world.create(title="old")
    asked: list[NamedQuery] = [("task.get", {"id": task}), ("task.exists", {"id": "fe-none"}), ("project.get", {})]

    def read() -> None:
        with world.store.read() as tx:
            tx.ahead(*asked)
            found = tx.one("task.get", Task, id=task)
            assert found is not None
            assert (found.title, tx.one("task.exists", IdRow, id="fe-none")) == ("old", None)
            assert world.app.context.project(tx).prefix == "fe"
            tx.ahead(*asked[:1])

    said = counted(world, read, monkeypatch)
    assert on == "sqlite" or len(said) == 2, said  # all of it, the end
    with world.store.write() as tx:
        tx.ahead(*asked)
        before = tx.one("task.get", Task, id=task)
        tx.append(ALICE.session, NOW, [(task, TaskEdited(title="new"))])
        after = tx.one("task.get", Task, id=task)
    assert before is not None
    assert after is not None
    assert (before.title, after.title) == ("old", "new")
    world.app.close()


@pytest.mark.parametrize("on", engines.NAMES)
def test_what_goes_along_is_asked_with_the_next_question_and_not_after_a_write(
    on: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with engines.worlds_on(on):
        world = DeskWorld()
    task = world.create(title="old")

    def title(tx: Tx) -> str:
        row = tx.one("task.get", Task, id=task)
        assert row is not None
        return row.title

    def read() -> None:
        with world.store.read() as tx:
            tx.along(("task.get", {"id": task}), ("project.get", {}))
            assert tx.one("task.exists", IdRow, id="fe-none") is None
            assert (title(tx), world.app.context.project(tx).prefix) == ("old", "fe")

    def read_nothing() -> None:
        with world.store.read() as tx:
            tx.along(("task.get", {"id": task}))

    said, nothing = counted(world, read, monkeypatch), counted(world, read_nothing, monkeypatch)
    assert on == "sqlite" or (len(said), nothing) == (2, []), said  # all of it, the end
    with world.store.write() as tx:
        tx.along(("task.get", {"id": task}))
        tx.append(ALICE.session, NOW, [(task, TaskEdited(title="new"))])
        assert title(tx) == "new"
    world.app.close()


def test_what_goes_through_many_rows_is_not_kept() -> None:
    with engines.worlds_on("sqlite"):
        world = DeskWorld()
    made = [world.create() for _ in range(FEW_ROWS + 1)]
    with world.store.read() as tx:
        assert len(tx.all("task.some", Task, ids=made)) == len(made)
        assert len(tx.all("task.some", Task, ids=made[1:])) == FEW_ROWS
        assert len(tx._answers) == 1  # type: ignore[attr-defined]
    world.app.close()


def test_only_exceptions_on_record_have_a_line_in_the_mirror_P8() -> None:
    """The writer of a transaction knows the last of them by this, without asking."""
    world = full_world("sqlite")
    recorded = world.sql("SELECT seq FROM security ORDER BY seq")
    assert recorded == world.sql(f"SELECT seq FROM journal WHERE kind = '{EXCEPTION}' ORDER BY seq") != []


# ------------------------------------------------------------------------------------------------ what is kept back


@pytest.fixture
def engine() -> PostgresEngine:
    engine = engines.database("postgres")
    assert isinstance(engine, PostgresEngine)
    return engine


def count(engine: PostgresEngine, name: str) -> None:
    engine.run("project.count", {"name": name, "n": 1})


def counters(engine: PostgresEngine) -> list[object]:
    return [row[0] for row in engine.fetch("SELECT name FROM counters ORDER BY name", {})[1]]


def test_what_was_kept_back_is_seen_by_every_question_of_the_same_transaction(engine: PostgresEngine) -> None:
    with engine.transaction(write=True):
        count(engine, "a")
        assert counters(engine) == ["a"]
        count(engine, "b")
        assert list(engine.stream("SELECT name FROM counters ORDER BY name")) == [("a",), ("b",)]
        count(engine, "c")
        assert engine.change("project.count", {"name": "c", "n": 2}) == 1
        count(engine, "d")
        engine.script(["UPDATE counters SET n = 9 WHERE name = 'd'"])
    assert engine.fetch("SELECT name, n FROM counters ORDER BY name", {})[1] == [("a", 1), ("b", 1), ("c", 3), ("d", 9)]


def test_more_than_one_message_holds_is_written_in_its_order(engine: PostgresEngine) -> None:
    with engine.transaction(write=True):
        for number in range(2 * KEPT_BACK + 3):
            count(engine, f"{number:04}")
    assert counters(engine) == [f"{number:04}" for number in range(2 * KEPT_BACK + 3)]


def test_texts_that_mean_something_to_the_driver_or_the_server_arrive_as_they_are(engine: PostgresEngine) -> None:
    names = ["100%", "%s %(name)s", "a;b", "it's -- not", "back\\slash", "$1 $$", "ü\n"]
    with engine.transaction(write=True):
        for name in names:
            count(engine, name)
    assert counters(engine) == sorted(names, key=str.encode)


def test_a_statement_that_fails_after_it_was_kept_back_leaves_nothing_G4(engine: PostgresEngine) -> None:
    def twice() -> None:
        with engine.transaction(write=True):
            count(engine, "before")
            engine.run("record.insert_log", {**log_line(), "seq": 1})
            engine.run("record.insert_log", {**log_line(), "seq": 1})
            count(engine, "behind")

    with pytest.raises(engines.INTEGRITY):
        twice()
    assert counters(engine) == []
    with engine.transaction(write=True):
        count(engine, "after")
    assert counters(engine) == ["after"]


def log_line() -> dict[str, str | int | None]:
    return {"task": "fe-1", "session": "s", "type": "progress", "text": "t", "at": NOW}


def test_what_was_kept_back_by_a_transaction_that_came_to_nothing_is_forgotten_G4(engine: PostgresEngine) -> None:
    def interrupted() -> None:
        with engine.transaction(write=True):
            count(engine, "lost")
            raise KeyError

    with pytest.raises(KeyError):
        interrupted()
    count(engine, "outside of a transaction, at once")
    with engine.transaction(write=True):
        assert counters(engine) == ["outside of a transaction, at once"]


def test_a_connection_lost_before_anything_was_sent_is_known_to_have_changed_nothing_G4(
    tmp_path: Any, server: engines.Server
) -> None:
    place = engines.Place("postgres", tmp_path / "folder")
    store = place.create()
    append(store, ProjectCreated(name="p", prefix="fe", target="main"))

    def lost() -> None:
        with store.write() as tx:
            tx.append("ses-1", NOW, [("", security())])
            server.hang_up(store.engine)

    with pytest.raises(StoreProblem, match="Nothing was changed"):
        lost()
    assert append(store, security()) == [2]
    assert store.audit().findings == ()


def test_who_reads_sees_one_state_from_the_first_question_on(tmp_path: Any) -> None:
    place = engines.Place("postgres", tmp_path / "folder")
    reader, writer = place.create().engine, place.open().engine
    with reader.transaction(write=False):
        count_in(writer, "before the first question")
        first = reader.fetch("SELECT name FROM counters ORDER BY name", {})[1]
        count_in(writer, "after it")
        assert reader.fetch("SELECT name FROM counters ORDER BY name", {})[1] == first != []
    assert len(reader.fetch("SELECT name FROM counters", {})[1]) == len(first) + 1


def count_in(engine: Any, name: str) -> None:
    with engine.transaction(write=True):
        count(engine, name)


def test_who_reads_nothing_yet_is_in_a_transaction_all_the_same(engine: PostgresEngine) -> None:
    def nested() -> None:
        with engine.transaction(write=False), engine.transaction(write=True):
            pass

    with pytest.raises(Internal):
        nested()
    with engine.transaction(write=False):
        assert list(engine.stream("SELECT name FROM counters")) == []
    with engine.transaction(write=False):
        first = engine.now()
        assert counters(engine) == []
        assert first <= engine.now()
    count_in(engine, "afterwards")
    assert counters(engine) == ["afterwards"]


def test_a_question_that_fails_with_the_beginning_leaves_the_connection_as_it_was_G4(engine: PostgresEngine) -> None:
    def fails() -> None:
        with engine.transaction(write=False):
            engine.fetch("SELECT nothing FROM nowhere", {})

    with pytest.raises(StoreProblem):
        fails()
    count_in(engine, "afterwards")
    assert counters(engine) == ["afterwards"]


def test_a_connection_lost_before_the_first_question_is_made_anew(tmp_path: Any, server: engines.Server) -> None:
    store = engines.Place("postgres", tmp_path / "folder").create()
    with store.read() as tx:
        server.hang_up(store.engine)
        assert tx.all("project.settings", IdRow) == []


def test_the_clock_of_a_transaction_is_the_servers_and_goes_on_T1(engine: PostgresEngine) -> None:
    before = engine.now()
    with engine.transaction(write=True):
        first, second = engine.now(), engine.now()
        asked = engine.fetch("SELECT extract(epoch FROM clock_timestamp())::float8", {})[1][0][0]
    assert before <= first <= second <= engine.now()
    assert abs(first.timestamp() - float(asked or 0)) < timedelta(hours=1).total_seconds()
