"""What a maker loosens does not count (M6): a label that asks for a person keeps asking when an author takes it off."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from foureyes.app.tasks import tasks as tasks_module
from foureyes.core.nouns.session import Actor
from foureyes.errors import BadInput

from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, agent, child_of
from tests.stage.world import DeskWorld

GEMINI = agent("gemini")


def secured(desk: DeskWorld) -> tuple[str, str]:
    task = desk.submitted_task(CLAUDE, labels=["security"])
    return task, desk.show(task).attempts[-1].diff_id


@pytest.mark.parametrize("maker", [CLAUDE, child_of(CLAUDE)], ids=["the author", "a session it spawned"])
def test_an_author_cannot_take_off_the_label_that_asks_for_a_person_M6_P6(desk: DeskWorld, maker: Actor) -> None:
    task, seen = secured(desk)
    with desk.refused("P6"):
        desk.app.decisions.approve(CODEX, task, seen=seen)
    desk.app.tasks.remove_label(maker, task, ["security"])
    assert desk.task(task).labels == []
    with desk.refused("P6"):
        desk.app.decisions.approve(CODEX, task, seen=seen)
    assert desk.app.decisions.approve(BOB, task).rule == "P7"


def test_taking_it_off_before_the_start_does_not_count_either_M6(desk: DeskWorld) -> None:
    task = desk.create(ALICE, labels=["security"])
    desk.app.tasks.remove_label(CLAUDE, task, ["security"])
    desk.start(CLAUDE, task)
    desk.repo.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.submit(CLAUDE, task)
    with desk.refused("P6"):
        desk.app.decisions.approve(CODEX, task, seen=desk.show(task).attempts[-1].diff_id)


@pytest.mark.parametrize("outsider", [BOB, GEMINI], ids=["a person", "an uninvolved agent"])
def test_an_outsider_may_take_it_off_M6(desk: DeskWorld, outsider: Actor) -> None:
    task, seen = secured(desk)
    desk.app.tasks.remove_label(outsider, task, ["security"])
    assert desk.app.decisions.approve(CODEX, task, seen=seen).rule == "P7"


@pytest.mark.parametrize("label", ["Security", "SECURITY", "secur\u0131ty"])
def test_a_label_asks_for_a_person_however_it_is_written_M3_P6(desk: DeskWorld, label: str) -> None:
    task = desk.submitted_task(CLAUDE, labels=[label])
    with desk.refused("P6"):
        desk.app.decisions.approve(CODEX, task, seen=desk.show(task).attempts[-1].diff_id)


def test_a_label_is_put_on_once_and_taken_off_however_it_is_written_M3(desk: DeskWorld) -> None:
    task = desk.create(ALICE, labels=["Security", "security"])
    assert desk.task(task).labels == ["Security"]
    with desk.unchanged():
        desk.app.tasks.add_label(ALICE, task, ["SECURITY"])
    desk.app.tasks.remove_label(ALICE, task, ["security"])
    assert desk.task(task).labels == []


def test_a_label_with_something_in_it_that_nobody_sees_is_none(desk: DeskWorld) -> None:
    for label in ("secu\u200brity", "docs\u2060", "\U000e0041docs"):
        with pytest.raises(BadInput):
            desk.create(ALICE, labels=[label])


RUNS_IN_A_SHELL = "urgent$(fe${IFS}approve)"


def test_a_label_that_a_shell_would_run_is_none_and_one_from_before_is_taken_off_H1(
    desk: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    for label in (RUNS_IN_A_SHELL, "a;b", "`x`", "a|b", "--force", "~", "a*", "C#", "\u201cx\u201d"):
        with pytest.raises(BadInput):
            desk.create(ALICE, labels=[label])
    with pytest.raises(BadInput, match=r"plan\.md:2"):
        desk.app.plans.import_(ALICE, f"## Task: Greet\nLabels: {RUNS_IN_A_SHELL}\n", "plan.md")
    for label in ("area/ui", "c++", "v1.2", "gr\u00f6\u00dfe", "\u0939\u093f\u0928\u094d\u0926\u0940", "\U0001f525"):
        assert desk.task(desk.create(ALICE, labels=[label])).labels == [label]
    with monkeypatch.context() as before:
        before.setattr(tasks_module, "clean_label", str)
        task = desk.create(ALICE, labels=[RUNS_IN_A_SHELL])
    assert desk.task(task).labels == [RUNS_IN_A_SHELL]
    desk.app.tasks.remove_label(ALICE, task, [RUNS_IN_A_SHELL])
    assert desk.task(task).labels == []


def test_the_page_says_who_took_a_label_off_T8(desk: DeskWorld) -> None:
    task, _ = secured(desk)
    desk.app.tasks.remove_label(CLAUDE, task, ["security"])
    (edit,) = desk.show(task).edits
    assert (edit.what, edit.by_author, edit.after_start) == ("label security removed", True, True)


@pytest.mark.parametrize("label", ["review:never", "Review:Per_Task", "review:"])
def test_a_label_that_names_no_mode_is_refused_with_those_that_do_M2(desk: DeskWorld, label: str) -> None:
    task, tasks = desk.create(ALICE), desk.app.tasks
    calls: list[Callable[[], object]] = [
        lambda: tasks.create(ALICE, "Greet", labels=[label, "area:shop"]),
        lambda: tasks.add_label(CLAUDE, task, ["x", label]),
        lambda: tasks.edit(ALICE, task, labels=[label]),
    ]
    for call in calls:
        with desk.refused(error=BadInput) as caught:
            call()
        assert "review:per-task, review:batch, review:auto-approve, review:skip" in caught[0].message
    desk.app.tasks.remove_label(ALICE, task, [label])
    assert desk.app.tasks.create(ALICE, "Greet", labels=["review:skip", "area:shop"]).notes == ()
