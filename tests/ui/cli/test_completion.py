"""A shell completes ids, statuses, labels, findings and checks; it hears no errors, and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

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


def test_where_there_is_no_project_a_shell_hears_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for kind in ("task", "label", "finding", "check"):
        assert completion.offered(kind, "show", "") == []


def test_a_broken_source_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    def breaks(_: str) -> None:
        raise RuntimeError

    monkeypatch.setitem(completion.SOURCES, "task", breaks)
    assert completion.offered("task", "show", "") == []
