"""What is exported can be imported: as what it was, here and elsewhere."""

from __future__ import annotations

import pytest

from tests.stage.people import ALICE
from tests.stage.planned import PLAN, import_
from tests.stage.world import DeskWorld


def test_what_is_exported_is_known_here_and_the_same_tasks_elsewhere(desk: DeskWorld) -> None:
    found = import_(desk, PLAN)
    text = desk.app.plans.export()
    assert {row.state for row in desk.app.plans.import_(ALICE, text)} == {"known"}
    for row in desk.app.plans.import_(ALICE, text, again=True):
        new, old = desk.task(row.task), desk.task(found[row.title])
        assert new.id != old.id
        assert (new.labels, new.priority, new.type, new.acceptance, new.description) == (
            old.labels, old.priority, old.type, old.acceptance, old.description,
        )  # fmt: skip
        assert [link.title for link in desk.show(new.id).depends_on] == [
            link.title for link in desk.show(old.id).depends_on
        ]


def test_tasks_with_the_same_title_are_exported_and_imported_as_what_they_are(desk: DeskWorld) -> None:
    one, other = desk.create(title="Fix it, now", priority=3), desk.create(title="fix it, NOW", priority=1)
    top = desk.create(title="Top", depends_on=[one])
    text = desk.app.plans.export()
    assert f"## Task {one}: Fix it, now" in text
    rows = {row.task: row for row in desk.app.plans.import_(ALICE, text)}
    assert ({row.state for row in rows.values()}, set(rows)) == ({"known"}, {one, other, top})
    again = {desk.task(row.task).priority: row for row in desk.app.plans.import_(ALICE, text, again=True)}
    assert again[2].depends_on == (again[3].task,)


def test_what_was_waited_for_and_is_done_is_not_exported(desk: DeskWorld) -> None:
    done = desk.create(title="Done")
    desk.create(title="Next", depends_on=[done])
    desk.app.closing.cancel(ALICE, done)
    assert "Depends on" not in desk.app.plans.export()


def test_an_export_of_nothing_is_empty(desk: DeskWorld) -> None:
    assert desk.app.plans.export() == ""


@pytest.mark.parametrize(
    "description",
    [
        "Labels: security",
        "Text.\n- **Labels:** x\nLables: y\n| Mode | skip |",
        "# A heading\ntext",
        "## Task: a trap",
        "```\nopen fence",
        "<!-- a comment -->",
    ],
    ids=["field", "fields", "heading", "task", "fence", "comment"],
)
def test_an_export_survives_odd_descriptions(desk: DeskWorld, description: str) -> None:
    """Every task that is exported comes back, and only those; whoever wrote a description plans nothing by it."""
    desk.create(title="first", description=description)
    desk.create(title="second", description="plain")
    again = {row.title: row.task for row in desk.app.plans.import_(ALICE, desk.app.plans.export(), again=True)}
    assert sorted(again) == ["first", "second"]
    assert desk.task(again["first"]).labels == []


def test_an_export_of_what_looks_like_a_comment_comes_back_as_it_was(desk: DeskWorld) -> None:
    one = desk.create(title="Close every <!--", acceptance="- no <!-- stays\n- and no `-->`")
    desk.create(title="Then", depends_on=[one])
    rows = {row.title: row for row in desk.app.plans.import_(ALICE, desk.app.plans.export(), again=True)}
    assert rows["Then"].depends_on == (rows["Close every <!--"].task,)
    assert desk.task(rows["Close every <!--"].task).acceptance == "- no <!-- stays\n- and no `-->`"
