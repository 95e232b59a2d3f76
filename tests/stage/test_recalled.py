"""What is recalled is what running would have made; and it runs wherever something else came before."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.stage import recalled
from tests.stage.checkout import copied
from tests.stage.commands import Cast, Stage, new_repository
from tests.stage.recalled import Memory


class CheckCache:
    """A project of plain files, and one word for it."""

    runs = 0

    def __init__(self, repo: Path) -> None:
        self.repo = repo
        self.count = 0

    def state(self) -> int:
        return self.count

    def resume(self, state: int) -> None:
        self.count = state

    def let_go(self) -> None: ...

    @recalled.recalled
    def add(self, name: str, lines: list[str]) -> dict[str, str]:
        CheckCache.runs += 1
        self.count += 1
        (self.repo / f"{name}.{self.count}").write_text("".join(lines))
        return {"name": f"{name}.{self.count}"}


@pytest.fixture
def template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """By day and by night."""
    monkeypatch.setattr(Memory, "is_used", True)
    monkeypatch.setattr(CheckCache, "runs", 0)
    (tmp_path / "template" / "folder").mkdir(parents=True)
    (tmp_path / "template" / "folder" / "file").write_text("text")
    return tmp_path / "template"


def shelf(template: Path, name: str) -> CheckCache:
    return CheckCache(copied(template, template.with_name(name)))


def files(at: CheckCache) -> dict[str, str]:
    paths = [path for path in sorted(at.repo.rglob("*")) if path.is_file()]
    return {str(path.relative_to(at.repo)): path.read_text() for path in paths}


def test_the_same_words_run_once_and_leave_and_say_the_same(template: Path) -> None:
    first, second = shelf(template, "first"), shelf(template, "second")
    said = [[at.add("b", ["1"]), at.add("b", ["2"])] for at in (first, second)]
    assert said == [[{"name": "b.1"}, {"name": "b.2"}]] * 2
    assert files(first) == files(second) == {"folder/file": "text", "b.1": "1", "b.2": "2"}
    assert (first.count, second.count, CheckCache.runs) == (2, 2, 2)
    said[0][0]["name"] = "another"
    assert shelf(template, "third").add("b", ["1"]) == {"name": "b.1"}


def test_other_words_run(template: Path) -> None:
    shelf(template, "first").add("b", ["1"])
    assert [shelf(template, name).add(name, ["1"])["name"] for name in "xy"] == ["x.1", "y.1"]
    assert CheckCache.runs == 3


CHANGES: dict[str, Callable[[Path], object]] = {
    "written": lambda file: file.write_text("TEXT"),
    "touched": os.utime,
    "removed": Path.unlink,
    "added": lambda file: file.with_name("new").touch(),
    "another mode": lambda file: file.chmod(0o600),
}


@pytest.mark.parametrize("way", CHANGES)
def test_after_anything_else_everything_runs(template: Path, way: str) -> None:
    for name in ("first", "second"):
        at = shelf(template, name)
        file = at.repo / "folder" / "file"
        CHANGES[way](file)
        at.add("b", ["1"])
        at.add("c", ["1"])
    assert CheckCache.runs == 4


def test_what_is_old_runs_again(template: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recalled, "AGE", 0.0)
    for name in ("first", "second"):
        shelf(template, name).add("b", ["1"])
    assert CheckCache.runs == 2


def test_who_knows_where_it_lies_is_not_copied(template: Path) -> None:
    for name in ("first", "second"):
        at = shelf(template, name)
        (at.repo / ".git" / "worktrees").mkdir(parents=True)
        recalled.begin(at.repo, template)
        at.add("b", ["1"])
    assert CheckCache.runs == 2


def test_a_task_in_review_is_recalled_whole(cast: Cast, tmp_path: Path) -> None:
    """With real commands: what a second stage is given is sound, and goes on from there."""
    begun = new_repository(tmp_path / "begun")
    assert cast.alice.fe("init", cwd=begun).rc == 0
    stages = [Stage(copied(begun, tmp_path / name), cast) for name in ("first", "second")]
    works = [stage.in_review(cast.alice, cast.claude) for stage in stages]
    assert not Memory.is_used or works[0] == works[1]
    for stage, work in zip(stages, works, strict=True):
        stage.approve(cast.codex, work, "-m", "read it")
        assert stage.status(work.task) == "approved"
        stage.verify()
