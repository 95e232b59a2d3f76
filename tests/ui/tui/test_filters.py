"""Filters: words, pairs, numbers; all of them must fit."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.app.results.board import Card
from foureyes.app.results.review import QueueRow
from foureyes.app.results.task_list import Preview
from foureyes.core.rules.risk import Risk
from foureyes.ui.tui.filters import parse, searched

ROW = QueueRow(
    task="fe-7k2", title="Add login with tokens", priority=1, attempt=3, diff_id="sha256:0", mode="per-task",
    labels=("docs", "security"), owner="codex#1", risk=Risk("high", ()), auto_approvable=False,
    you=Preview(may_approve=True, rule="P7"),
)  # fmt: skip
CARD = Card(
    task="fe-7k2", title="Add login with tokens", state="reviewing", status="reviewing", priority=1,
    labels=("docs", "security"), iteration=3, owner="codex#1", review=ROW,
)  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["", "login", "LOGIN tokens", "fe-7k2", "label:sec", "risk:high", "risk:h", "it:3", "it:>2", "it:<4", "mode:per",
     "agent:codex", "p1", "mine", "login risk:high it:>1 mine"],
)  # fmt: skip
def test_a_card_and_a_row_of_the_queue_pass_what_they_are(text: str) -> None:
    assert parse(text).fits(CARD)
    assert parse(text).fits(ROW)


@pytest.mark.parametrize(
    "text", ["logout", "label:web", "risk:low", "it:2", "it:>3", "it:x", "mode:auto", "agent:claude", "p2", "login p0"]
)
def test_a_card_does_not_pass_what_it_is_not(text: str) -> None:
    assert not parse(text).fits(CARD)


def test_a_card_that_is_not_in_review_has_no_risk_mode_or_approver() -> None:
    card = Card(task="fe-1", title="Later", state="ready", status="open", priority=2)
    assert not any(parse(text).fits(card) for text in ("risk:high", "mode:batch", "mine"))


def test_a_number_is_a_row_and_an_unknown_name_a_word() -> None:
    assert parse("4812").fits(ROW, number=4812)
    assert not parse("4812").fits(ROW, number=4813)
    assert parse("foo:bar").words == ("foo:bar",)


def test_what_looks_like_a_number_and_is_none_is_an_ordinary_word() -> None:
    assert not parse("²").fits(ROW, number=2)
    assert not parse("it:²").fits(ROW)


def test_what_is_seen_is_told_by_the_hunks_that_are_left() -> None:
    assert parse("seen:no").fits(ROW, unseen=2)
    assert not parse("seen:no").fits(ROW, unseen=0)
    assert parse("seen:yes").fits(ROW, unseen=0)


def test_what_only_looks_like_a_filter_is_named_where_nothing_matches() -> None:
    assert parse("foo:bar login").no_match(3) == (
        'No task matches "foo:bar login". foo: is no filter (label:, risk:, it:, mode:, agent:, seen: are). '
        "Esc clears the filter (3 tasks)."
    )
    assert parse("risk:low :x").no_match(3) == 'No task matches "risk:low :x". Esc clears the filter (3 tasks).'


def test_whose_number_was_typed_comes_before_whose_name_has_these_digits() -> None:
    rows = [replace(ROW, task="fe-11k", n=3), replace(ROW, n=11), replace(ROW, task="fe-x11", n=12)]
    texts = [searched(row) for row in rows]
    assert [row.n for row in parse("11").among(rows, texts, lambda row: None)] == [11, 3, 12]
    assert [row.n for row in parse("login").among(rows, texts, lambda row: None)] == [3, 11, 12]
