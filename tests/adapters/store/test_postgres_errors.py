"""What a server or its driver says, in our words, with a next step that fits."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from psycopg import errors

from foureyes.adapters.store.postgres import PostgresEngine
from foureyes.adapters.store.postgres_errors import in_our_words, unreachable
from foureyes.errors import FoureyesError, NoStore, StoreBusy, StoreProblem
from foureyes.ui.steps import steps_text

from tests import engines


class Tried:
    """How far a connection came, as the driver tells it."""

    def __init__(self, *, needs: bool, used: bool) -> None:
        self.needs_password, self.used_password = needs, used


@pytest.mark.parametrize(
    ("tried", "told", "unconfirmed"),
    [
        (None, "check that the server runs", ".pgpass"),
        (Tried(needs=False, used=False), "fe store join URL", ".pgpass"),
        (Tried(needs=True, used=True), ".pgpass", "store join"),
        (Tried(needs=False, used=True), ".pgpass", "[store] url"),
    ],
)
def test_the_next_step_is_told_by_how_far_the_connection_came(tried: Tried | None, told: str, unconfirmed: str) -> None:
    problem = psycopg.OperationalError("no", pgconn=tried)  # type: ignore[arg-type]
    step = steps_text(unreachable(problem, "postgresql://u@h/x").next_step)
    assert told in step
    assert unconfirmed not in step


@pytest.mark.parametrize(
    "said",
    [
        "FATAL:  sorry, too many clients already",
        "FATAL:  remaining connection slots are reserved for roles with the SUPERUSER attribute",
        'FATAL:  too many connections for role "team"',
    ],
)
def test_a_server_without_room_is_told_from_one_that_is_away(said: str) -> None:
    problem = unreachable(psycopg.OperationalError(f"connection failed: {said}"), "postgresql://u@h/x")
    assert problem.message.startswith("the server has no connection left: ")
    assert "max_connections" in steps_text(problem.next_step)
    assert "check that the server runs" not in steps_text(problem.next_step)


@pytest.mark.parametrize(
    ("problem", "into", "words"),
    [
        (errors.LockNotAvailable("x"), StoreBusy, "busy"),
        (errors.DiskFull("x"), StoreProblem, "out of space"),
        (errors.ReadOnlySqlTransaction("x"), StoreProblem, "does not let you write"),
        (errors.InsufficientPrivilege("x"), StoreProblem, "your role on the server may not"),
        (errors.UntranslatableCharacter("x"), StoreProblem, "not use UTF-8"),
        (errors.UndefinedTable('relation "task" does not exist'), NoStore, 'gone there: relation "task" does not'),
        (psycopg.OperationalError("x"), StoreProblem, "cannot be reached"),
    ],
)
def test_every_error_is_a_sentence_with_a_next_step(problem: Exception, into: type[FoureyesError], words: str) -> None:
    with pytest.raises(into, match=words) as caught, in_our_words():
        raise problem
    assert caught.value.next_step


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ('FATAL:  database "nosuch" does not exist', "CREATE DATABASE NAME ENCODING 'UTF8' TEMPLATE template0"),
        ('definition of service "team" not found', "~/.pg_service.conf"),
        ('service file "/home/x/team.conf" not found', "~/.pg_service.conf"),
        ('FATAL:  password authentication failed for user "team"', "fix it where it is set: its line of ~/.pgpass"),
        ('FATAL:  role "team" does not exist', "CREATE ROLE NAME LOGIN"),
        ('FATAL:  no pg_hba.conf entry for host "10.0.0.1", user "team"', "pg_hba.conf"),
    ],
)
@pytest.mark.parametrize("tried", [None, Tried(needs=False, used=True)])
def test_what_the_server_refused_has_the_next_step_for_that(words: str, told: str, tried: Tried | None) -> None:
    """A missing database had that of a wrong password, a missing service that of a server that is away."""
    problem = psycopg.OperationalError(f"connection failed: {words}", pgconn=tried)  # type: ignore[arg-type]
    step = steps_text(unreachable(problem, "postgresql://team@h/x").next_step)
    assert told in step
    assert "check that the server runs" not in step
    assert "store join" not in step


def test_who_makes_a_store_there_is_not_told_to_join_one() -> None:
    problem = psycopg.OperationalError("connection refused")
    step = steps_text(unreachable(problem, "postgresql://team@h/x", making=True).next_step)
    assert step == "check that the server runs and that the address is right"


@pytest.fixture
def engine() -> PostgresEngine:
    engine = engines.database("postgres")
    assert isinstance(engine, PostgresEngine)
    return engine


def asked(engine: PostgresEngine, question: str) -> None:
    with engine.transaction(write=False):
        engine.fetch(question, {})


def test_a_first_question_that_the_server_answers_with_an_error_is_not_asked_again_G4(engine: PostgresEngine) -> None:
    connection = engine.connection
    with pytest.raises(StoreProblem):
        asked(engine, "DO $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = '53100'; END $$")
    assert engine.connection is connection, "it was not lost"


def test_a_first_question_that_ends_its_own_connection_is_asked_once_more_and_no_more_G4(
    engine: PostgresEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    connect = engine._connect

    def counted() -> psycopg.Connection[Any]:
        made.append(connection := connect())
        return connection

    monkeypatch.setattr(engine, "_connect", counted)
    with pytest.raises(StoreProblem):
        asked(engine, "SELECT pg_terminate_backend(pg_backend_pid())")
    assert len(made) == 1
    asked(engine, "SELECT 1")
