"""A shell completes ids, statuses, labels, findings and checks; it hears no errors, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.shell_completion import CompletionItem

from foureyes.ui.cli import completion

from tests.stage.commands import Stage


def completed(stage: Stage, typed: str) -> list[str]:
    """What the program offers a shell for the last word."""
    words = typed.split(" ")
    env = {"_FE_COMPLETE": "zsh_complete", "COMP_WORDS": typed.rstrip(), "COMP_CWORD": str(len(words) - 1)}
    result = stage.run(stage.cast.alice, env=env)
    assert (result.rc, result.err) == (0, "")
    return result.out.splitlines()[1::3]


def test_a_shell_offers_what_fits_and_nothing_is_written(stage: Stage) -> None:
    cast = stage.cast
    task = stage.create(cast.alice, "-l", "payments", title="Take money")
    work = stage.in_review(cast.claude, cast.codex)
    before = stage.head()
    assert completed(stage, "fe start ") == [task]
    assert completed(stage, "fe approve ") == [work.task]
    assert set(completed(stage, "fe show ")) == {task, work.task}
    assert completed(stage, "fe create x -l pay") == ["payments"]
    assert completed(stage, "fe list --status re") == ["reviewing"]
    assert completed(stage, "fe help appr") == ["approve"]
    assert "--json" in completed(stage, "fe show --")
    assert stage.head() == before


RUN_BY_A_SHELL = (
    "urgent$(fe${IFS}approve)",
    "a`id`",
    "a;id",
    "a&b",
    "~",
    "*",
    "a\\b",
    "'",
    "--force",
    "-m",
    "gr\u00f6\u00dfe",
    "",
)
"""A shell puts what it is offered on the line without quotes."""


def test_what_a_shell_would_run_or_take_for_an_option_is_not_offered_H1(monkeypatch: pytest.MonkeyPatch) -> None:
    words = (*RUN_BY_A_SHELL, "review:per-task", "area/ui", "c++")
    monkeypatch.setitem(completion.SOURCES, "label", lambda _: map(CompletionItem, words))
    assert [item.value for item in completion.offered("label", "list", "")] == ["review:per-task", "area/ui", "c++"]


def test_a_help_of_several_lines_offers_no_value_of_its_own_H1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(completion.SOURCES, "check", lambda _: [CompletionItem("unit", help="x\nplain,$(id)\u2028y")])
    (item,) = completion.offered("check", "run", "")
    assert (item.value, len(str(item.help).splitlines())) == ("unit", 1)


def test_where_there_is_no_project_a_shell_hears_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for kind in ("task", "label", "finding", "check"):
        assert completion.offered(kind, "show", "") == []


def test_a_broken_source_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(_: str) -> None:
        raise RuntimeError

    monkeypatch.setitem(completion.SOURCES, "task", breaks)
    assert completion.offered("task", "show", "") == []
