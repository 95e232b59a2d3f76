"""T2: the table of rules T is the only way from one status to another; I7: the history actions."""

from __future__ import annotations

from typing import get_args

import pytest

from foureyes.core.words.lifecycle import (
    IMPLEMENTATION,
    STATUSES,
    TRANSITIONS,
    Action,
    TaskStatus,
    is_allowed,
    parse_status,
)

TABLE: dict[str, tuple[str, str]] = {
    # action: (from, to), as the rules have them
    "create": ("", "open"),
    "start": ("open", "in_progress"),
    "unstart": ("in_progress", "open"),
    "submit": ("in_progress reviewing", "reviewing approved"),
    "approve": ("reviewing", "approved closed"),
    "withdraw": ("approved", "reviewing"),
    "end_approval": ("approved", "reviewing"),
    "send_back": ("reviewing", "open"),
    "void": ("approved", "reviewing"),
    "redo": ("reviewing approved", "open"),
    "reject": ("reviewing", "blocked"),
    "block": ("open in_progress", "blocked"),
    "unblock": ("blocked", "open"),
    "defer": ("open", "deferred"),
    "undefer": ("deferred", "open"),
    "merged": ("approved", "closed"),
    "merge_failed": ("approved", "open"),
    "close": ("open in_progress reviewing blocked", "closed"),
    "cancel": ("open blocked deferred", "closed"),
    "delete": ("open blocked deferred", "closed"),
    "reopen": ("closed blocked", "open"),
}


def test_the_statuses_are_those_of_the_rules_T2() -> None:
    assert STATUSES == ("open", "in_progress", "reviewing", "approved", "closed", "blocked", "deferred")
    assert get_args(TaskStatus) == STATUSES


def test_the_actions_are_those_of_the_rules_and_no_others_T2() -> None:
    assert set(TRANSITIONS) == set(TABLE)


@pytest.mark.parametrize("action", TABLE)
@pytest.mark.parametrize("status", STATUSES)
def test_an_action_is_possible_exactly_where_the_table_says_T2(action: str, status: TaskStatus) -> None:
    assert is_allowed(action, status) == (status in TABLE[action][0].split())


@pytest.mark.parametrize("action", TABLE)
def test_an_action_leads_exactly_where_the_table_says_T2(action: str) -> None:
    assert TRANSITIONS[action].to == tuple(TABLE[action][1].split())


def test_every_status_is_reached_from_create_T2() -> None:
    reached: set[str] = set(TRANSITIONS["create"].to)
    while True:
        more = {to for row in TRANSITIONS.values() if reached & set(row.from_) for to in row.to} | reached
        if more == reached:
            break
        reached = more
    assert reached == set(STATUSES)


def test_nothing_is_a_dead_end_T2() -> None:
    left = {status for row in TRANSITIONS.values() for status in row.from_}
    assert left == set(STATUSES)


def test_only_an_approval_leads_to_approved_and_that_of_the_mode_comes_with_the_hand_in_T2_M() -> None:
    assert [action for action, row in TRANSITIONS.items() if "approved" in row.to] == ["submit", "approve"]


def test_review_is_entered_only_by_handing_in_or_from_an_approval_T2() -> None:
    assert {action for action, row in TRANSITIONS.items() if "reviewing" in row.to} == {
        "submit", "withdraw", "end_approval", "void",
    }  # fmt: skip


def test_the_history_actions_are_those_of_the_rules_I7() -> None:
    assert set(get_args(Action)) == set(
        "created started unstarted submitted responded committed reviewed requested_changes approved".split()
    )


def test_the_implementation_actions_are_those_of_the_rules_I7() -> None:
    assert set("started unstarted submitted responded committed".split()) == IMPLEMENTATION
    assert set(get_args(Action)) >= IMPLEMENTATION


@pytest.mark.parametrize(
    ("text", "status"), [("in_review", "reviewing"), ("done", "closed"), *((name, name) for name in STATUSES)]
)
def test_statuses_are_read_under_their_older_names_too_T2(text: str, status: str) -> None:
    assert parse_status(text) == status


@pytest.mark.parametrize("text", ["", "Open", "merged", "open ", "review", "None"])
def test_other_words_are_no_status_T2(text: str) -> None:
    assert parse_status(text) is None
