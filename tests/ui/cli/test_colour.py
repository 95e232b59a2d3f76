"""Colours are for people at a terminal that has them."""

from __future__ import annotations

import pytest

from foureyes.ui.cli import colour, output

from tests.stage.commands import Stage


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A terminal with colours."""
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return monkeypatch


def test_statuses_and_changes_are_coloured_at_a_terminal(terminal: pytest.MonkeyPatch) -> None:
    assert output.painted("+new\n-old", colour.of_diff) == "\x1b[32m+new\x1b[0m\n\x1b[31m-old\x1b[0m\n"
    table = output.table(("ID", "STATUS"), [("fe-1", "blocked"), ("fe-2", "open")])
    assert table.splitlines()[1:] == ["fe-1  \x1b[31mblocked\x1b[0m", "fe-2  open"]


@pytest.mark.parametrize(("name", "value"), [("NO_COLOR", "1"), ("TERM", "dumb")])
def test_who_wants_no_colour_gets_none(terminal: pytest.MonkeyPatch, name: str, value: str) -> None:
    terminal.setenv(name, value)
    assert output.painted("+new", colour.of_diff) == "+new\n"
    assert "\x1b" not in output.table(("STATUS",), [("blocked",)])


def test_escapes_of_others_are_shown_and_ours_are_sent(terminal: pytest.MonkeyPatch) -> None:
    assert output.painted("+\x1b[2J", colour.of_diff) == "\x1b[32m+␛[2J\x1b[0m\n"


def test_a_person_at_a_terminal_sees_colours_and_json_has_none(stage: Stage) -> None:
    task = stage.create(stage.cast.alice)
    stage.done(stage.cast.codex, "start", task)
    env = {"TERM": "xterm"}
    assert "\x1b[36min_progress" in stage.run(stage.cast.alice, "list", tty=True, env=env).out
    assert "\x1b" not in stage.run(stage.cast.alice, "list", "--json", tty=True, env=env).out
