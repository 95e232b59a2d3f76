"""`fe redo`, `fe reject`: what they print, what they answer as JSON, how they exit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.stage.commands import Cast
from tests.ui.cli.counter import Counter, counter


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Counter:
    return counter(template, tmp_path, cast, "")


def test_redo_says_what_happened_and_the_mirror_lies_there_F2(shop: Counter) -> None:
    task = shop.work()
    said = shop.text(
        shop.cast.alice, "redo", task, "--issue", "1", "--issue", "sec", "-m", "rotate the token", "--bump"
    )
    assert said == "T1 is open again with your feedback\nnext: fe queue\n"
    (entry,) = json.loads((shop.folder / "feedback" / f"{task}.json").read_text())["history"]
    assert (entry["quickIssues"], entry["customFeedback"], entry["redoOption"], entry["priorityChange"]) == (
        ["Tests incomplete", "Security issues"], "rotate the token", "keep", "bump",
    )  # fmt: skip
    assert shop.show(task)["task"]["priority"] == 1


def test_an_agent_is_sent_to_its_own_list(shop: Counter) -> None:
    task = shop.work()
    assert shop.text(shop.cast.codex, "redo", task, "-m", "again").splitlines()[-1] == "next: fe list --reviewable"


def test_json_of_redo_and_reject(shop: Counter) -> None:
    task, other = shop.work(), shop.work({"src/b.py": "b\n"})
    done = shop.done(shop.cast.alice, "redo", task, "-m", "again")
    assert (done["task"], done["status"], done["changed"], done["notes"]) == (task, "open", True, [])
    done = shop.done(shop.cast.alice, "reject", other, "--comment", "never")
    assert (done["status"], done["message"]) == ("blocked", f"rejected {other}: never")


def test_fresh_and_checkpoint_are_what_git_says_F1(shop: Counter) -> None:
    fresh, back = shop.work(), shop.work({"src/b.py": "b\n"})
    base, first = shop.tip(), shop.tip(f"fe/{back}")
    shop.git("switch", "-q", f"fe/{back}")
    shop.done(shop.cast.claude, "checkpoint", "create", "half", "--task", back)
    shop.git("switch", "-q", "main")
    shop.commit(f"fe/{back}", {"src/c.py": "c\n"})
    shop.submit(shop.cast.claude, back)
    shop.done(shop.cast.alice, "redo", fresh, "--fresh", "-m", "another way")
    shop.done(shop.cast.alice, "redo", back, "--checkpoint", "half", "-m", "from there")
    assert (shop.tip(f"fe/{fresh}"), shop.tip(f"fe/{back}")) == (base, first)


def test_landed_work_is_to_be_reverted_by_a_task_of_its_own_K4(shop: Counter) -> None:
    task = shop.create(shop.cast.alice)
    shop.done(shop.cast.claude, "start", task)
    shop.commit("main", {"src/a.py": "a\n"})
    shop.git("reset", "-q", "--hard", "main")
    shop.submit(shop.cast.claude, task, "main")
    assert shop.text(shop.cast.alice, "redo", task, "-m", "take it back").splitlines()[1] == (
        "  planned T2, because the work is already on the target branch and must be reverted there (K4)"
    )


def test_words_are_needed_and_options_exclude_each_other_F1(shop: Counter) -> None:
    task = shop.work()
    assert shop.no(shop.cast.alice, "redo", task).rules == ("F1",)
    assert shop.no(shop.cast.alice, "redo", task, "-m", "  ").rules == ("F1",)
    assert shop.no(shop.cast.alice, "redo", task, "--issue", "9", rc=2).code == "usage"
    assert (
        "exclude each other"
        in shop.no(shop.cast.alice, "redo", task, "--fresh", "--checkpoint", "x", "-m", "y", rc=2).message
    )
    assert shop.no(shop.cast.alice, "redo", task, "--checkpoint", "x", "-m", "y", rc=3).code == "not_found"
    assert shop.run(shop.cast.alice, "reject", task).rc != 0
    assert shop.status(task) == "reviewing"


def test_the_refusal_of_a_maker_names_the_rule_P2(shop: Counter) -> None:
    task = shop.work()
    assert (
        shop.text(shop.cast.claude, "redo", task, "-m", "mine", rc=1).splitlines()[0]
        == "refused: T1 was not changed. 1 reason:"
    )
    assert shop.no(shop.cast.claude, "reject", task, "-m", "mine").rules == ("P2",)
    assert shop.no(shop.cast.job, "redo", task, "-m", "x").rules == ("I5",)


def test_reject_prints_the_reason_and_the_task_is_blocked(shop: Counter) -> None:
    task = shop.work()
    assert (
        shop.text(shop.cast.alice, "reject", task, "-m", "we do not want it").splitlines()[0]
        == "rejected T1: we do not want it"
    )
    assert shop.status(task) == "blocked"


def test_a_mirror_that_is_no_such_file_is_kept_and_said(shop: Counter) -> None:
    task = shop.work()
    path = shop.folder / "feedback" / f"{task}.json"
    path.parent.mkdir()
    path.write_text("{half a file")
    assert "was unreadable. It was kept as T1.json.bad-1" in shop.text(shop.cast.alice, "redo", task, "-m", "again")
    assert (path.parent / f"{task}.json.bad-1").read_text() == "{half a file"
