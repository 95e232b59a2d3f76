"""`fe logs` and `fe agent attach`: what a program printed, to its end, as people read it."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace
from typing import Any

import click
import pytest

from foureyes.app.results.run import Conversation
from foureyes.ui.cli.run_logs import _agrees, _Lines, _write

SAYS = {"type": "assistant", "message": {"content": [{"type": "text", "text": "two\nlines"}]}}
DOES = {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "Bash", "input": {"command": "ls"}}]}}
LOG = "\n".join(["==== run-1 dev implement", json.dumps(SAYS), json.dumps(DOES), "plain\x1b[31m", "==== run-1 ended"])


def shown(capsys: pytest.CaptureFixture[str], **wanted: Any) -> str:
    runs = SimpleNamespace(of_task=lambda _: [], runners=list)
    session: Any = SimpleNamespace(json=wanted.pop("json", False), app=SimpleNamespace(runs=runs))
    lines = _Lines(session, **({"raw": False, "last": None} | wanted))
    _write(io.BytesIO(LOG.encode()), False, session, "fe-1", lines)
    return capsys.readouterr().out


def test_a_log_is_read_as_what_was_said_and_done(capsys: pytest.CaptureFixture[str]) -> None:
    assert shown(capsys).splitlines()[:4] == ["== run-1 dev implement", "two", "lines", "> Bash ls"]


def test_only_its_last_lines_where_somebody_wants_these(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(shown(capsys, last=2).splitlines()) == 2
    assert shown(capsys, last=1).splitlines() == ["== run-1 ended"]


def test_json_is_an_object_a_line_and_raw_is_what_was_printed(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [json.loads(line) for line in shown(capsys, json=True).splitlines()]
    assert [row["kind"] for row in rows] == ["run", "says", "does", "text", "run"]
    assert shown(capsys, raw=True).splitlines()[1] == json.dumps(SAYS)
    assert "\x1b" not in shown(capsys, raw=True)
    assert json.loads(shown(capsys, raw=True, json=True).splitlines()[0]) == {"text": "==== run-1 dev implement"}


def test_what_is_printed_just_before_the_end_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    log = io.BytesIO(b"first\n")

    def of_task(_: str) -> list[Any]:
        """Asked whether it still runs: it has just printed its last line and ended."""
        at = log.tell()
        log.seek(0, io.SEEK_END)
        log.write(b"last\n")
        log.seek(at)
        return [SimpleNamespace(state="ended")]

    session: Any = SimpleNamespace(json=False, app=SimpleNamespace(runs=SimpleNamespace(of_task=of_task, runners=list)))
    _write(log, True, session, "fe-1", _Lines(session, raw=False, last=None))
    assert capsys.readouterr().out == "first\nlast\n"


def test_of_a_run_that_lost_its_runner_nothing_more_is_waited_for(capsys: pytest.CaptureFixture[str]) -> None:
    run = SimpleNamespace(state="running", runner="s")
    runs = SimpleNamespace(of_task=lambda _: [run], runners=lambda: [SimpleNamespace(state="gone", session="s")])
    session: Any = SimpleNamespace(json=False, app=SimpleNamespace(runs=runs))
    _write(io.BytesIO(b"first\n"), True, session, "fe-1", _Lines(session, raw=False, last=None))
    assert capsys.readouterr().out == "first\n"


def test_what_would_be_started_is_shown_before_the_yes_I2(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(click, "confirm", lambda *_, **__: said.append("asked"))
    session: Any = SimpleNamespace(note=said.append)
    argv = ("/bin/codex", "resume", "c1")
    assert not _agrees(session, Conversation(task="fe-1", run="run-1", profile="dev", argv=argv))
    assert said == ["this starts /bin/codex resume c1", "asked"]
