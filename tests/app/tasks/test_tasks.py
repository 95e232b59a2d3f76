"""Tasks: create and edit, dependencies, labels, versions (T3, T4, T6, T8)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from foureyes.core.words.text import TEXT_LIMIT
from foureyes.errors import AmbiguousId, BadInput, NotFound, Refused, StaleState
from foureyes.ui.steps import steps_text

from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, asserted
from tests.stage.world import DeskWorld


def test_a_created_task_is_open_and_has_all_its_fields(desk: DeskWorld) -> None:
    parent, other = desk.create(type="epic"), desk.create()
    done = desk.app.tasks.create(
        CLAUDE,
        "  Write it  ",
        description="what\r\nand why",
        type="Bug",
        priority=1,
        labels=["b", "a", "b"],
        parent=parent,
        depends_on=[other, other],
        acceptance="it works",
        minor=True,
        group="backend",
        estimate_minutes=20,
    )
    found = desk.show(done.task)
    task = found.task
    assert (task.title, task.description, task.type, task.status, task.priority) == (
        "Write it",
        "what\nand why",
        "bug",
        "open",
        1,
    )
    assert (task.labels, task.parent, task.acceptance, task.minor, task.minor_by) == (
        ["a", "b"],
        parent,
        "it works",
        True,
        CLAUDE.session,
    )
    assert (task.group, task.estimate_minutes, task.creator, task.version) == (
        "backend",
        20,
        CLAUDE.session,
        done.version,
    )
    assert [link.id for link in found.depends_on] == [other]
    assert [(entry.session, entry.action) for entry in found.history] == [(CLAUDE.session, "created")]


def test_a_service_may_create_and_a_typed_name_may_not_I1_I5(desk: DeskWorld) -> None:
    assert desk.status(desk.create(CI)) == "open"
    with desk.refused("I1"):
        desk.create(asserted(ALICE))


@pytest.mark.parametrize("title", ["", "   ", "two\nlines", "bell\x07", "x" * 501, "\ud800"])
def test_a_title_that_is_empty_or_has_control_characters_is_bad_input(desk: DeskWorld, title: str) -> None:
    with desk.refused(error=BadInput):
        desk.create(title=title)


@pytest.mark.parametrize(
    "fields",
    [
        {"description": "x" * (TEXT_LIMIT + 1)},
        {"description": "x" * 1_000_000},
        {"acceptance": "escape \x1b[31m"},
        {"labels": ["two words"]},
        {"labels": [""]},
        {"type": "story"},
        {"group": "two\nlines"},
        {"priority": 5},
        {"priority": -1},
    ],
)
def test_wrong_fields_are_bad_input_and_leave_nothing(desk: DeskWorld, fields: dict[str, Any]) -> None:
    with desk.refused(error=BadInput):
        desk.create(**fields)


@pytest.mark.parametrize("field", ["parent", "depends_on"])
def test_a_missing_neighbour_is_not_found(desk: DeskWorld, field: str) -> None:
    with desk.refused(error=NotFound):
        desk.create(parent="fe-nope") if field == "parent" else desk.create(depends_on=["fe-nope"])


def test_ids_are_accepted_by_any_unambiguous_beginning(desk: DeskWorld) -> None:
    task = desk.create()
    assert desk.show(task.upper()).task.id == task
    assert desk.show(task.removeprefix("fe-")).task.id == task
    assert desk.show(task[:-1]).task.id == task
    for _ in range(40):
        desk.create()
    with pytest.raises(AmbiguousId, match="could mean"):
        desk.show("fe-")
    with pytest.raises(NotFound):
        desk.show("fe-zzzzzz")
    for text in ("", "x" * 50, "a b", "../..", "é"):
        with pytest.raises(BadInput):
            desk.show(text)


def test_an_id_that_is_taken_is_not_given_twice(desk: DeskWorld) -> None:
    first = desk.create()
    desk.ids.count = 0
    second = desk.create()
    assert first != second


def test_ids_grow_when_the_short_ones_are_taken(desk: DeskWorld, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desk.ids, "number", lambda: 7)
    lengths = [len(desk.create()) for _ in range(4)]
    assert lengths == [6, 7, 8, 9]


def test_edit_changes_only_what_is_given_and_says_so(desk: DeskWorld) -> None:
    task = desk.create(description="old")
    done = desk.app.tasks.edit(
        BOB, task, title="new title", priority=0, labels=["ux"], type="chore", group="g", estimate_minutes=5
    )
    now = desk.task(task)
    assert done.changed
    assert (now.title, now.description, now.priority, now.labels, now.type) == ("new title", "old", 0, ["ux"], "chore")
    assert (now.group, now.estimate_minutes, now.status, now.creator) == ("g", 5, "open", ALICE.session)


def test_editing_to_what_it_is_already_changes_nothing(desk: DeskWorld) -> None:
    task = desk.create(title="same", labels=["a"], priority=3)
    with desk.unchanged():
        done = desk.app.tasks.edit(BOB, task, title="same", labels=["a"], priority=3, minor=False)
    assert not done.changed


def test_bump_and_lower_clamp(desk: DeskWorld) -> None:
    task = desk.create(priority=1)
    for step, expected in ((-1, 0), (-1, 0), (1, 1), (9, 4), (1, 4)):
        desk.app.tasks.edit(BOB, task, step=step)
        assert desk.task(task).priority == expected


def test_an_edit_is_all_or_nothing_G4(desk: DeskWorld) -> None:
    task = desk.create(title="old")
    with desk.refused("T4"):
        desk.app.tasks.edit(BOB, task, title="new", depends_on=[task])
    with desk.refused(error=NotFound):
        desk.app.tasks.edit(BOB, task, title="new", labels=["x"], depends_on=["fe-nope"])
    assert desk.task(task).title == "old"


def test_no_field_of_an_edit_is_the_status_T2(desk: DeskWorld) -> None:
    task = desk.create()
    with pytest.raises(TypeError):
        desk.app.tasks.edit(BOB, task, status="closed")  # type: ignore[call-arg]
    assert "status" not in desk.app.tasks.edit.__annotations__


def test_labels_are_put_on_and_taken_off_once(desk: DeskWorld) -> None:
    task = desk.create()
    assert desk.app.tasks.add_label(BOB, task, ["b", "a"]).changed
    with desk.unchanged():
        assert not desk.app.tasks.add_label(BOB, task, ["a"]).changed
    assert desk.task(task).labels == ["a", "b"]
    assert desk.app.tasks.remove_label(BOB, task, ["a", "missing"]).changed
    with desk.unchanged():
        assert not desk.app.tasks.remove_label(BOB, task, ["a"]).changed
    assert desk.task(task).labels == ["b"]


def test_a_stale_write_is_refused_with_who_changed_what_T6(desk: DeskWorld) -> None:
    task = desk.create()
    seen = desk.task(task).version
    desk.app.tasks.edit(CLAUDE, task, title="other")
    with desk.refused(error=StaleState) as caught:
        desk.app.tasks.edit(BOB, task, priority=0, if_version=seen)
    assert "claude#1 TaskEdited at 2026-03-01T12:00:00.000Z" in caught[0].message
    desk.app.tasks.edit(BOB, task, priority=0, if_version=desk.task(task).version)
    assert desk.task(task).priority == 0


@pytest.mark.parametrize(
    "call",
    [
        lambda w, t, v: w.app.claims.start(CLAUDE, t, if_version=v),
        lambda w, t, v: w.app.closing.close(BOB, t, if_version=v),
        lambda w, t, v: w.app.decisions.approve(BOB, t, if_version=v),
    ],
)
def test_every_verb_with_a_version_refuses_an_old_one_T6(
    desk: DeskWorld, call: Callable[[DeskWorld, str, int], object]
) -> None:
    task = desk.create()
    seen = desk.task(task).version
    desk.app.tasks.add_label(BOB, task, ["x"])
    with desk.refused(error=StaleState):
        call(desk, task, seen)


def test_a_log_line_is_no_change_of_the_task_T6(desk: DeskWorld) -> None:
    task = desk.create()
    seen = desk.task(task).version
    desk.app.notes.log(CLAUDE, task, "looked")
    assert desk.task(task).version == seen


def test_dependencies_are_added_once_and_removed_T3(desk: DeskWorld) -> None:
    task, other = desk.create(), desk.create()
    assert desk.app.tasks.add_dependency(BOB, task, [other]).changed
    with desk.unchanged():
        assert not desk.app.tasks.add_dependency(BOB, task, [other]).changed
    assert not desk.task(task).ready
    assert [link.id for link in desk.show(other).dependents] == [task]
    assert desk.app.tasks.remove_dependency(BOB, task, [other]).changed
    with desk.unchanged():
        assert not desk.app.tasks.remove_dependency(BOB, task, [other]).changed
    assert desk.task(task).ready
    assert "DependencyRemoved" in desk.kinds(task)


def test_only_closed_satisfies_a_dependency_and_approved_does_not_T3(desk: DeskWorld) -> None:
    other = desk.create()
    task = desk.create(depends_on=[other])
    assert (desk.task(task).open_deps, desk.task(task).ready) == (1, False)
    desk.start(CLAUDE, other)
    desk.repo.commit("work")
    desk.submit(CLAUDE, other)
    desk.approve(CODEX, other)
    assert (desk.status(other), desk.task(task).open_deps, desk.task(task).ready) == ("approved", 1, False)
    desk.repo.land("work")
    desk.app.merges.process(BOB)
    assert (desk.status(other), desk.task(task).open_deps, desk.task(task).ready) == ("closed", 0, True)
    desk.app.closing.reopen(BOB, other)
    assert (desk.task(task).open_deps, desk.task(task).ready) == (1, False)


def test_a_cancelled_or_deleted_dependency_no_longer_blocks_T3(desk: DeskWorld) -> None:
    first, second = desk.create(), desk.create()
    task = desk.create(depends_on=[first, second])
    desk.app.closing.cancel(ALICE, first)
    assert not desk.task(task).ready
    desk.app.closing.delete(ALICE, second)
    assert desk.task(task).ready


def test_circles_of_dependencies_are_refused_T4(desk: DeskWorld) -> None:
    first = desk.create()
    second = desk.create(depends_on=[first])
    third = desk.create(depends_on=[second])
    for task, other in ((first, first), (first, second), (first, third), (second, third)):
        with desk.refused("T4"):
            desk.app.tasks.add_dependency(BOB, task, [other])
    desk.app.tasks.add_dependency(BOB, third, [first])


def test_a_circle_of_parents_is_refused_T4(desk: DeskWorld) -> None:
    top = desk.create(type="epic")
    middle = desk.create(parent=top)
    low = desk.create(parent=middle)
    for task, parent in ((top, top), (top, middle), (top, low)):
        with desk.refused("T4"):
            desk.app.tasks.edit(BOB, task, parent=parent)
    desk.app.tasks.edit(BOB, low, parent=top)
    assert desk.task(low).parent == top
    desk.app.tasks.edit(BOB, low, parent="")
    assert desk.task(low).parent is None


def test_the_tree_names_what_a_task_waits_for(desk: DeskWorld) -> None:
    first = desk.create(title="first")
    second = desk.create(depends_on=[first])
    third = desk.create(depends_on=[second, first])
    found = [(depth, link.id) for depth, link in desk.app.lists.tree(third)]
    assert found[0] == (0, third)
    assert sorted(found[1:]) == sorted([(1, first), (1, second), (2, first)])


def test_an_edited_text_ends_an_approval_T8(desk: DeskWorld) -> None:
    for field in ("title", "description", "acceptance"):
        task = desk.submitted_task()
        desk.approve(CODEX, task)
        done = desk.app.tasks.edit(CLAUDE, task, **{field: "something else"})  # type: ignore[arg-type]
        assert done.status == "reviewing"
        assert "T8" in done.notes[0]
        (approval,) = desk.show(task).approvals
        assert approval.state == "ended"
        assert field in approval.ended_why


def test_an_edited_priority_or_label_ends_no_approval_T8(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    desk.approve(CODEX, task)
    desk.app.tasks.edit(BOB, task, priority=0, labels=["x"])
    assert desk.status(task) == "approved"


def test_edits_are_shown_to_whoever_judges_and_an_authors_late_ones_are_marked_T3_T8(desk: DeskWorld) -> None:
    other = desk.create()
    task = desk.create(labels=["ux"], depends_on=[other])
    desk.app.tasks.edit(BOB, task, title="before the start")
    desk.clock.advance(minutes=1)
    desk.app.tasks.remove_dependency(BOB, task, [other])
    desk.start(CLAUDE, task)
    desk.clock.advance(minutes=1)
    desk.app.tasks.edit(CLAUDE, task, acceptance="easier")
    desk.app.tasks.remove_label(CLAUDE, task, ["ux"])
    found = {edit.what: (edit.session, edit.by_author, edit.after_start) for edit in desk.show(task).edits}
    assert (BOB.session, False, False) == found["edited title"]
    assert found[f"no longer depends on {other}"][:2] == (BOB.session, False)
    assert found["edited acceptance"] == found["label ux removed"] == (CLAUDE.session, True, True)


def test_unknown_tasks_are_not_found_by_every_verb(desk: DeskWorld) -> None:
    app, nope = desk.app, "fe-nope"
    calls: list[Callable[[], object]] = [
        lambda: app.tasks.edit(BOB, nope, title="x"),
        lambda: app.tasks.add_label(BOB, nope, ["x"]),
        lambda: app.tasks.remove_label(BOB, nope, ["x"]),
        lambda: app.tasks.add_dependency(BOB, nope, []),
        lambda: app.tasks.remove_dependency(BOB, nope, []),
        lambda: app.claims.start(BOB, nope),
        lambda: app.claims.unstart(BOB, nope),
        lambda: app.attempts.submit(BOB, nope),
        lambda: app.attempts.diff(nope),
        lambda: app.decisions.approve(BOB, nope),
        lambda: app.decisions.withdraw(BOB, nope),
        lambda: app.feedback.redo(BOB, nope, "why"),
        lambda: app.feedback.reject(BOB, nope, "why"),
        lambda: app.closing.close(BOB, nope),
        lambda: app.closing.cancel(BOB, nope),
        lambda: app.closing.delete(BOB, nope),
        lambda: app.closing.reopen(BOB, nope),
        lambda: app.stops.block(BOB, nope, "why"),
        lambda: app.stops.unblock(BOB, nope),
        lambda: app.stops.defer(BOB, nope),
        lambda: app.stops.undefer(BOB, nope),
        lambda: app.stops.hold(BOB, nope, "why"),
        lambda: app.stops.resume(BOB, nope, "why"),
        lambda: app.notes.log(BOB, nope, "text"),
        lambda: app.notes.handoff(BOB, nope, done=["x"], remaining=[], decisions=[], uncertain=[]),
        lambda: app.lists.show(BOB, nope),
        lambda: app.lists.tree(nope),
        lambda: app.lists.place(nope),
        lambda: app.audit.log(task=nope),
    ]
    for call in calls:
        with desk.refused(error=NotFound):
            call()


def test_a_typed_name_may_only_log_I1(desk: DeskWorld) -> None:
    name, task, app = asserted(ALICE), desk.create(), desk.app
    calls: list[Callable[[], object]] = [
        lambda: app.tasks.edit(name, task, title="x"),
        lambda: app.tasks.add_label(name, task, ["x"]),
        lambda: app.tasks.add_dependency(name, task, []),
        lambda: app.claims.start(name, task),
        lambda: app.claims.next(name),
        lambda: app.decisions.approve(name, task),
        lambda: app.feedback.redo(name, task, "why"),
        lambda: app.closing.close(name, task),
        lambda: app.closing.cancel(name, task),
        lambda: app.stops.block(name, task, "why"),
        lambda: app.stops.hold(name, task, "why"),
        lambda: app.notes.handoff(name, task, done=["x"], remaining=[], decisions=[], uncertain=[]),
        lambda: app.policy.set(name, "review.policy", "trusted"),
        lambda: app.policy.set_feature(name, "balanced_review_policy", "false"),
    ]
    for call in calls:
        with desk.refused("I1"):
            call()
    assert app.notes.log(name, task, "but this").changed


def test_a_service_never_starts_closes_or_decides_I5(desk: DeskWorld) -> None:
    task, app = desk.submitted_task(), desk.app
    fresh = desk.create()
    calls: list[Callable[[], object]] = [
        lambda: app.claims.start(CI, fresh),
        lambda: app.claims.next(CI),
        lambda: desk.approve(CI, task),
        lambda: app.feedback.redo(CI, task, "why"),
        lambda: app.feedback.reject(CI, task, "why"),
        lambda: app.closing.close(CI, fresh),
        lambda: app.closing.cancel(CI, fresh),
        lambda: app.closing.reopen(CI, fresh),
        lambda: app.stops.hold(CI, fresh, "why"),
        lambda: app.policy.set(CI, "review.policy", "trusted"),
    ]
    for call in calls:
        with desk.refused("I5" if calls.index(call) < 9 else "P12"):
            call()


def test_a_refusal_always_says_what_to_do_G2(desk: DeskWorld) -> None:
    task = desk.create()
    with pytest.raises(Refused) as caught:
        desk.app.tasks.add_dependency(BOB, task, [task])
    assert all(reason.message for reason in caught.value.reasons)
    assert any(steps_text(reason.next) for reason in caught.value.reasons)


def test_a_priority_and_a_step_say_two_things_and_are_refused(desk: DeskWorld) -> None:
    task = desk.create(priority=3)
    with desk.refused(error=BadInput):
        desk.app.tasks.edit(ALICE, task, priority=0, step=-1)
    desk.app.tasks.edit(ALICE, task, step=-1)
    assert desk.task(task).priority == 2


@pytest.mark.parametrize("verb", ["cancel", "delete"])
def test_what_waited_for_a_task_that_is_dropped_is_free_and_that_is_said_T3(desk: DeskWorld, verb: str) -> None:
    needed = desk.create()
    waits = desk.create(depends_on=[needed])
    assert not desk.task(waits).ready
    done = getattr(desk.app.closing, verb)(ALICE, needed)
    assert done.notes == (f"these tasks no longer wait for it: {waits}",)
    assert desk.task(waits).ready
    desk.start(CLAUDE, waits)


def test_what_waits_for_a_task_that_stands_still_is_told_both_ways_out_T3(desk: DeskWorld) -> None:
    needed = desk.create()
    waits = desk.create(depends_on=[needed])
    desk.app.stops.block(ALICE, needed, "the bank")
    with desk.refused("T3") as caught:
        desk.start(CLAUDE, waits)
    assert [step.argv for step in caught[0].next_step.steps] == [
        ("fe", "show", needed),
        ("fe", "dep", waits, needed, "--remove"),
    ]


def test_a_key_of_a_task_that_was_dropped_says_so_and_how_it_comes_back(desk: DeskWorld) -> None:
    task = desk.app.tasks.create(ALICE, "Greet", key="once").task
    desk.app.closing.delete(ALICE, task)
    again = desk.app.tasks.create(ALICE, "Greet", key="once")
    assert (again.task, again.changed, again.message) == (task, False, f"{task} already exists, and was deleted")
    assert steps_text(again.next) == f"fe reopen {task}"
