"""Where what is said must be what is so, from plan to merge: plans that come back, prompts, counts, hints, a checkout
left behind.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage.commands import Stage
from tests.stage.shop import Shop, commit_in, with_pipeline

pytestmark = pytest.mark.scenario


@pytest.fixture
def shop(stage: Stage) -> Shop:
    """A project with four checks; an approval settles at once."""
    return with_pipeline(stage)


def planned_again(shop: Shop, file: Path) -> dict[str, dict[str, object]]:
    """Export the open tasks, cancel them, import them; the new ones by title."""
    file.write_text(shop.run(shop.cast.alice, "plan", "export").out)
    for task in shop.tasks():
        shop.done(shop.cast.alice, "cancel", task)
    return {row["title"]: row for row in shop.lines(shop.cast.alice, "plan", "import", str(file))}


def test_M7_a_task_that_was_batch_is_not_auto_approve_after_export_and_import(shop: Shop, tmp_path: Path) -> None:
    shop.create(shop.cast.alice, title="By hand")
    rows = planned_again(shop, tmp_path / "plan.md")
    assert rows["By hand"]["mode"] not in ("auto-approve", "review:auto", "review:auto-approve", "review:skip")


def test_M6_a_description_does_not_become_a_label_by_export_and_import(shop: Shop, tmp_path: Path) -> None:
    text = "Labels: review:skip\n## Task: Another\nis what the author wrote"
    shop.create(shop.cast.claude, "-d", text, title="Innocent")
    rows = planned_again(shop, tmp_path / "plan.md")
    assert list(rows) == ["Innocent"]
    assert rows["Innocent"]["labels"] in ([], ["review:batch"])
    assert "is what the author wrote" in shop.show(str(rows["Innocent"]["task"]))["task"]["description"]


def test_T3_dependencies_come_back_with_an_exported_plan(shop: Shop, tmp_path: Path) -> None:
    first = shop.create(shop.cast.alice, title="First")
    shop.create(shop.cast.alice, "--depends-on", first, title="Second")
    rows = planned_again(shop, tmp_path / "plan.md")
    assert rows["Second"]["depends_on"] == [rows["First"]["task"]]


def test_F3_the_prompt_does_not_say_that_a_branch_was_set_back_that_was_not(shop: Shop) -> None:
    cast, task = shop.cast, shop.create(shop.cast.alice)
    place = Path(shop.done(cast.claude, "start", task, "--worktree")["worktree"])
    head = commit_in(shop, place, {"src/a.py": "1\n"})
    shop.done(cast.claude, "submit", task, cwd=place)
    (place / "src/a.py").write_text("not committed\n")
    said = shop.done(cast.alice, "redo", task, "--fresh", "-m", "begin again")
    assert "was not reset" in " ".join(said["notes"])
    assert (shop.tip(f"fe/{task}"), (place / "src/a.py").read_text()) == (head, "not committed\n")
    assert "The branch was set back" not in shop.context(task)


def test_N3_a_merge_by_broken_glass_does_not_say_that_all_checks_passed(shop: Shop) -> None:
    task = shop.create(shop.cast.alice)
    shop.done(shop.cast.claude, "start", task)
    shop.commit(f"fe/{task}", {"src/a.py": "MESSY\n"})
    shop.submit(shop.cast.alice, task)
    shop.checked(shop.cast.job, task, rc=6)
    shop.done(shop.cast.alice, "approve", task, "--break-glass", "the shop is down")
    (row,) = shop.lines(shop.cast.job, "merge")
    assert (row["outcome"], "checks 4/4" in row["message"]) == ("merged", False)


def test_Q5_whose_checkout_was_left_behind_by_a_services_merge_is_told_by_status(shop: Shop) -> None:
    """The service's terminal is not the person's: who commits all in that checkout now takes the merged work back
    unawares.
    """
    task = shop.create(shop.cast.alice)
    shop.deliver(shop.cast.claude, task, {"src/prices.py": "# the net price of two\n"})
    shop.checked(shop.cast.job, task)
    shop.done(shop.cast.alice, "approve", task)
    (shop.repo / "src/prices.py").write_text("half a thought\n")
    assert shop.merge(shop.cast.job) == {task: "merged"}
    assert (shop.repo / "src/prices.py").read_text() == "half a thought\n"
    for verb in ("status", "doctor"):
        said = shop.run(shop.cast.alice, verb).out
        assert "src/prices.py is changed there, and by the merge" in said
        assert "update-ref --no-deref HEAD" in said


def test_S2_the_way_out_of_a_failed_run_is_not_to_call_it_done(shop: Shop) -> None:
    task = shop.create(shop.cast.alice)
    shop.done(shop.cast.claude, "start", task)
    refused = shop.no(shop.cast.claude, "submit", task, "--signal", "FAILED", rc=2)
    assert "a failed run is never a submission" in refused.message
    assert not any("--signal DONE" in hint for hint in refused.hints)


def test_H2_all_auto_does_not_promise_an_agent_what_D7_refuses_it(shop: Shop) -> None:
    task = shop.create(shop.cast.alice)
    shop.deliver(shop.cast.claude, task, {"src/a.py": "1\n"})
    shop.checked(shop.cast.job, task)
    said = shop.run(shop.cast.gemini, "approve", "--all-auto")
    assert said.rc != 0
    assert "would be approved" not in said.err
