"""PostgreSQL: the connection is lost at each statement, the server restarts between two commands, or is not there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from foureyes.errors import NoStore, StoreProblem

from tests.faults.choosing import NIGHTLY
from tests.stage.people import ALICE, CLAUDE, CODEX
from tests.stage.places import Desk, ServerPlace
from tests.stage.server import Server

MAYBE = "the connection was lost while the change was being saved. It was saved completely or not at all."


@pytest.fixture
def place(tmp_path: Path, server: Server) -> Iterator[ServerPlace]:
    made = ServerPlace(tmp_path / "project", server)
    yield made
    made.remove()


class Cutter:
    """Ends the connection's backend before (or right after) statement `at`, as a network or an administrator would."""

    def __init__(self, server: Server, monkeypatch: pytest.MonkeyPatch, *, after: bool = False) -> None:
        self.at, self.count = 0, 0
        self._server, self._after = server, after
        original = psycopg.Connection.execute

        def execute(connection: Any, statement: Any, *args: Any, **options: Any) -> Any:
            self.count += 1
            mine = self.count == self.at and self.at > 0
            if mine and not after:
                self._cut(connection)
            result = original(connection, statement, *args, **options)
            if mine and after:
                self._cut(connection)
            return result

        server.sql("SELECT 1")
        self._admin = server._admin
        monkeypatch.setattr(psycopg.Connection, "execute", execute)

    def _cut(self, connection: Any) -> None:
        pid, self.at = connection.info.backend_pid, 0
        assert self._admin is not None
        with self._admin.cursor() as cursor:
            cursor.execute(f"SELECT pg_terminate_backend({pid}, 5000)".encode())


CASES: dict[str, tuple[Callable[[Desk], str], Callable[[Desk, str], object]]] = {
    "log": (lambda desk: desk.create(), lambda desk, task: desk.app.notes.log(CLAUDE, task, "a line")),
    "start": (lambda desk: desk.create(), lambda desk, task: desk.app.claims.start(CLAUDE, task)),
    "approve with an exception": (
        lambda desk: desk.submitted_task(CLAUDE, creator=CODEX),
        lambda desk, task: desk.app.decisions.approve(
            CODEX, task, seen=desk.seen(task), reason="I know what I asked for"
        ),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_connection_lost_at_any_statement_is_said_truly_and_the_next_command_connects_anew_G4(
    place: ServerPlace, monkeypatch: pytest.MonkeyPatch, name: str, record_property: Callable[[str, object], None]
) -> None:
    before, act = CASES[name]
    desk = Desk(place)
    desk.found()
    task = before(desk)
    desk.close()
    place.keep()
    old = place.fingerprint()
    cutter = Cutter(place.server, monkeypatch)
    desk.app  # noqa: B018 - opened, and its statements are not counted
    cutter.count = 0
    act(desk, task)
    total, new = cutter.count, place.fingerprint()
    record_property("statements", total)
    untrue = []
    for number in (n for n in range(1, total + 1) if NIGHTLY or n == 1 or n > total - 4 or n % 18 == 0):
        place.reset()
        desk.close()
        desk.app  # noqa: B018
        cutter.count, cutter.at = 0, number
        problem = problem_of(lambda: act(desk, task))
        said = problem.message if problem else ""
        assert "postgresql://" not in said
        cutter.at = 0
        now = place.fingerprint()
        assert now in (old, new)
        if (not said and now != new) or ("Nothing was changed" in said and now != old):
            untrue.append(
                f"cut before statement {number} of {total}: it said {said!r}, but the change was saved: {now == new}"
            )
        assert desk.app.notes.log(ALICE, task, "next").changed, "the same process goes on"
    desk.close()
    assert untrue == []


def problem_of(work: Callable[[], object]) -> StoreProblem | None:
    """What it said, if it did not work."""
    try:
        work()
    except StoreProblem as problem:
        return problem
    return None


def test_a_connection_lost_right_after_the_commit_is_not_called_nothing_G4(
    place: ServerPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server has committed, and the answer is lost."""
    desk = Desk(place)
    desk.found()
    task = desk.create()
    original = psycopg.Connection.execute

    def execute(connection: Any, statement: Any, *args: Any, **options: Any) -> Any:
        result = original(connection, statement, *args, **options)
        if str(statement).endswith("COMMIT"):
            connection.close()
            raise psycopg.OperationalError("server closed the connection unexpectedly")
        return result

    with monkeypatch.context() as patch:
        patch.setattr(psycopg.Connection, "execute", execute)
        with pytest.raises(StoreProblem) as caught:
            desk.app.notes.log(CLAUDE, task, "a line")
    assert caught.value.message == MAYBE
    assert desk.app.notes.log(CLAUDE, task, "another").changed
    assert [row.kind for row in desk.app.audit.log()].count("Logged") == 2
    desk.close()
    assert place.findings() == []


def test_a_process_that_lives_through_a_restart_of_the_server_does_not_notice_it(place: ServerPlace) -> None:
    """A web server or a terminal app: nothing had begun, so the first command after the restart can simply connect
    again.
    """
    desk = Desk(place)
    desk.found()
    task = desk.create()
    place.server.stop()
    place.server.start()
    assert desk.app.notes.log(CLAUDE, task, "first").changed
    desk.close()


def test_a_server_that_is_down_is_said_in_one_sentence(place: ServerPlace) -> None:
    desk = Desk(place)
    desk.found()
    task = desk.create()
    place.server.stop()
    try:
        for act in (lambda: desk.app.notes.log(CLAUDE, task, "a line"), lambda: place.open().close()):
            with pytest.raises(StoreProblem) as caught:
                act()
            assert caught.value.exit_code == 5
            assert "Nothing was changed" in caught.value.message
            assert "\n" not in caught.value.message
            assert "postgresql://" not in caught.value.message
            assert caught.value.next_step
    finally:
        place.server.start()
    assert desk.app.notes.log(CLAUDE, task, "a line").changed
    desk.close()


def test_a_schema_that_is_gone_is_said_in_one_sentence(place: ServerPlace) -> None:
    desk = Desk(place)
    desk.found()
    task = desk.create()
    place.server.sql(f"ALTER SCHEMA {place.schema} RENAME TO {place.schema}_elsewhere")
    with pytest.raises(NoStore):
        place.open().close()
    with pytest.raises(StoreProblem) as caught:
        desk.app.notes.log(CLAUDE, task, "a line")
    assert caught.value.exit_code == 5
    desk.close()


def test_a_server_that_takes_no_writes_is_said_in_one_sentence(place: ServerPlace) -> None:
    desk = Desk(place)
    desk.found()
    task = desk.create()
    desk.close()
    before = place.fingerprint()
    place.server.sql("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
    place.server.let_go()
    try:
        with pytest.raises(StoreProblem) as caught:
            desk.app.notes.log(CLAUDE, task, "a line")
    finally:
        place.server.sql("SET default_transaction_read_only = off", "ALTER SYSTEM RESET default_transaction_read_only")
        place.server.sql("SELECT pg_reload_conf()")
        place.server.let_go()
        desk.close()
    assert "does not let you write" in caught.value.message
    assert place.fingerprint() == before
