"""`fe merge` and `fe merge --list|retry|drop`: what they print, what they answer as JSON, how they exit."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage.commands import Cast
from tests.ui.cli.counter import Counter, counter, keys

GATED = '\n[[checks]]\nname = "lint"\nrun = "sh lint.sh"\n'


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Counter:
    return counter(template, tmp_path, cast, "")


def test_an_empty_queue(shop: Counter) -> None:
    assert shop.text(shop.cast.alice, "merge") == "nothing to merge\n"
    assert shop.text(shop.cast.alice, "merge", "--list") == "nothing to merge\n"
    assert (shop.lines(shop.cast.alice, "merge"), shop.lines(shop.cast.alice, "merge", "--list")) == ([], [])


def test_the_list_says_what_each_waits_for_and_the_merge_what_became_of_it(shop: Counter) -> None:
    task, held = shop.approved(title="Add login"), shop.approved(path="src/b.py", title="Pay")
    shop.done(shop.cast.alice, "hold", held, "-m", "not yet")
    assert [line.split() for line in shop.text(shop.cast.codex, "merge", "--list").splitlines()] == [
        ["#", "ID", "P", "STATE", "WAITS", "FOR", "TITLE"],
        ["1", "T1", "P2", "waiting", "ready", "Add", "login"],
        ["2", "T2", "P2", "waiting", "held:", "not", "yet", "Pay"],
        ["next:", "a", "person", "or", "CI", "runs:", "fe", "merge"],
    ]
    done = shop.run(shop.cast.alice, "merge")
    held_back = 'waits    T2  held: not yet\n         next: a person runs: fe resume T2 -m "why"\n'
    assert shop.named(done.out) == "merged   T1  main is at SHA\n" + held_back
    assert "this checkout: brought up to date" in done.err
    assert shop.on_main("src/a.py") == "# Add login"
    assert shop.show(task)["task"]["resolution"] == "merged"


def test_json_of_merge_and_list(shop: Counter) -> None:
    task = shop.approved()
    (item,) = shop.lines(shop.cast.alice, "merge", "--list")
    assert (
        keys(
            item,
            "n task title priority attempt approval approver approver_kind approved_at state tries why hold open_deps",
        )
        == set()
    )
    (row,) = shop.lines(shop.cast.job, "merge")
    assert keys(row, "task attempt outcome sha message notes") == set()
    assert (row["task"], row["outcome"], row["sha"]) == (task, "merged", shop.tip())


def test_an_agent_is_refused_with_who_may_D5(shop: Counter) -> None:
    shop.approved()
    assert shop.text(shop.cast.claude, "merge", rc=1).splitlines() == [
        "refused: merge is not allowed here. 1 reason:",
        "  - an agent cannot process the merge queue, because checks that run below an agent do not count (D5)",
        "    next: a person or a service (cron, CI) runs: fe merge",
        "nothing was changed",
    ]


def test_a_conflict_is_told_with_where_the_feedback_is_Q3(shop: Counter) -> None:
    shop.approved(path="app.py", text="mine\n")
    shop.commit("main", {"app.py": "theirs\n"})
    shop.git("reset", "-q", "--hard", "main")
    assert shop.text(shop.cast.job, "merge", rc=6) == (
        "CONFLICT T1  Merging into main at SHA conflicts in 1 file: app.py\n"
        "         T1 is open again, with this as feedback: fe show T1 --context\n"
    )
    assert "- app.py" in shop.context(shop.tasks()[0])


def test_red_stuck_retry_and_void(template: Path, tmp_path: Path, cast: Cast) -> None:
    shop = counter(template, tmp_path, cast, GATED)
    (shop.repo / "lint.sh").write_text("true\n")
    shop.git("add", "lint.sh")
    shop.git("commit", "-q", "-m", "a linter")
    task = shop.good()
    shop.done(cast.alice, "approve", task)
    shop.commit("main", {"lint.sh": "exit 127\n"})
    shop.git("reset", "-q", "--hard", "main")
    assert shop.text(cast.job, "merge", rc=6).startswith("STUCK    T1  the required check lint crashed")
    assert shop.text(cast.job, "merge", rc=6).endswith(
        "when that is fixed: fe merge T1   or send it back: fe redo T1\n"
    ), "still stuck (B8)"
    assert shop.text(cast.alice, "status").startswith("waits for a person")
    assert shop.text(cast.alice, "merge", "--retry", task) == "T1 is back in the merge queue\nnext: fe merge\n"
    assert shop.text(cast.alice, "merge", "--retry", task) == "T1 is not stuck\nnext: fe merge\n"
    shop.commit("main", {"lint.sh": "exit 1\n"})
    shop.git("reset", "-q", "--hard", "main")
    assert shop.text(cast.job, "merge").startswith("waits    T1  main itself fails lint. Fix main first")
    (mine,) = shop.git("diff", "--name-only", f"main...fe/{task}").split()
    shop.commit("main", {"lint.sh": f"test ! -e {mine}\n"})
    shop.git("reset", "-q", "--hard", "main")
    assert shop.text(cast.job, "merge", rc=6).startswith(
        "RED      T1  Your change was not merged, because after merging it into main these required checks fail: lint."
    )


def test_one_task_is_merged_where_it_is_its_turn_Q1(shop: Counter) -> None:
    first, second, third = shop.approved(), shop.approved(path="src/b.py"), shop.work({"src/c.py": "c\n"})
    assert "T1 is before T2 in the merge queue" in shop.text(shop.cast.job, "merge", second, rc=1)
    assert "T3 is reviewing. Only approved tasks are in the merge queue." in shop.text(
        shop.cast.job, "merge", third, rc=1
    )
    assert shop.text(shop.cast.job, "merge", first) == "merged   T1  main is at SHA\n"
    shop.done(shop.cast.alice, "hold", second, "-m", "not yet")
    assert "T2 held: not yet" in shop.text(shop.cast.job, "merge", second, rc=1)
    shop.done(shop.cast.alice, "resume", second, "-m", "now")
    assert shop.text(shop.cast.alice, "merge", second) == "merged   T2  main is at SHA\n"
    assert shop.no(shop.cast.job, "merge", "fe-zzzz", rc=3).code == "not_found"


def test_a_void_approval_says_why(shop: Counter) -> None:
    task = shop.approved()
    shop.done(shop.cast.alice, "label", "add", task, "security")
    assert shop.text(shop.cast.job, "merge", rc=6).startswith(
        "VOID     T1  the approval no longer holds: label security requires a person, but codex#1 ("
    )


def test_drop_is_a_redo_with_a_reason_Q3(shop: Counter) -> None:
    task = shop.approved()
    assert shop.cast.alice.fe("redo", task, cwd=shop.repo).rc == 1, "a reason is needed"
    assert (
        shop.text(shop.cast.alice, "redo", task, "-m", "not now")
        == "T1 is open again with your feedback\n  the approval by codex#1 (P7) is over\nnext: fe queue\n"
    )
    assert shop.no(shop.cast.alice, "redo", task, "-m", "again").rules == ("T2",)
    assert shop.no(shop.cast.alice, "merge", "--retry", task).rules == ("T2",)
    assert shop.no(shop.cast.alice, "merge", "--retry", "fe-zzzz", rc=3).code == "not_found"


def test_a_dirty_checkout_is_left_alone_and_its_person_told_Q5(shop: Counter) -> None:
    shop.approved(path="app.py")
    (shop.repo / "app.py").write_text("mine\n")
    done = shop.run(shop.cast.alice, "merge")
    assert (done.rc, "this checkout: skipped:" in done.err, "next: git -C" in done.err) == (0, True, True)
    assert (shop.repo / "app.py").read_text() == "mine\n"
