"""What a server or its driver says, in our words, with a next step that fits."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import errors

from foureyes.adapters.store.postgres_errors import in_our_words, unreachable
from foureyes.errors import FoureyesError, NoStore, StoreBusy, StoreProblem
from foureyes.ui.steps import steps_text


class Tried:
    """How far a connection came, as the driver tells it."""

    def __init__(self, *, needs: bool, used: bool) -> None:
        self.needs_password, self.used_password = needs, used


@pytest.mark.parametrize(
    ("tried", "told", "untold"),
    [
        (None, "look whether the server runs", ".pgpass"),
        (Tried(needs=False, used=False), "fe store join URL", ".pgpass"),
        (Tried(needs=True, used=True), ".pgpass", "store join"),
        (Tried(needs=False, used=True), ".pgpass", "[store] url"),
    ],
)
def test_the_next_step_is_told_by_how_far_the_connection_came(tried: Tried | None, told: str, untold: str) -> None:
    problem = psycopg.OperationalError("no", pgconn=tried)  # type: ignore[arg-type]
    step = steps_text(unreachable(problem, "postgresql://u@h/x").next_step)
    assert told in step
    assert untold not in step


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
    assert "look whether the server runs" not in steps_text(problem.next_step)


@pytest.mark.parametrize(
    ("problem", "into", "words"),
    [
        (errors.LockNotAvailable("x"), StoreBusy, "busy"),
        (errors.DiskFull("x"), StoreProblem, "out of space"),
        (errors.ReadOnlySqlTransaction("x"), StoreProblem, "does not let you write"),
        (errors.InsufficientPrivilege("x"), StoreProblem, "your role on the server may not"),
        (errors.UntranslatableCharacter("x"), StoreProblem, "not in UTF-8"),
        (errors.UndefinedTable('relation "task" does not exist'), NoStore, 'gone there: relation "task" does not'),
        (psycopg.OperationalError("x"), StoreProblem, "cannot be reached"),
    ],
)
def test_every_error_is_a_sentence_with_a_next_step(problem: Exception, into: type[FoureyesError], words: str) -> None:
    with pytest.raises(into, match=words) as caught, in_our_words():
        raise problem
    assert caught.value.next_step
