"""Requests for a review (V2): what is asked about, what is known already, and when it is asked again."""

from __future__ import annotations

import pytest

from foureyes.errors import NotFound

from tests.stage.looped import again, issue, review
from tests.stage.people import CODEX
from tests.stage.world import DeskWorld


def test_a_reviewer_of_an_attempt_is_told_which_change_it_is_and_what_is_open_V2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    first = desk.app.reviews.request(CODEX, task)
    assert (first.attempt, first.iteration, first.is_re_review, first.context.open_findings) == (1, 1, False, ())
    assert (first.targets, first.context.diff) == ((task,), f"fe show {task} --diff")
    review(desk, task, [issue("a hole", "HIGH")], verdict="concerns")
    again(desk, task)
    second = desk.app.reviews.request(CODEX, task, reviewer="codex")
    assert (second.reviewer, second.attempt, second.iteration, second.is_re_review) == ("codex", 2, 2, True)
    assert [finding.title for finding in second.context.open_findings] == ["a hole"]
    assert second.diff_id != first.diff_id


def test_nobody_is_asked_about_a_task_of_which_nothing_was_handed_in_V2(desk: DeskWorld) -> None:
    task = desk.create()
    with pytest.raises(NotFound):
        desk.app.reviews.request(CODEX, task)
