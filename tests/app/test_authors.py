"""Author sets (A1, I8): each session once, by what makes it an author most surely."""

from __future__ import annotations

from itertools import permutations

import pytest

from foureyes.app.facts import AuthorRow, surest
from foureyes.core.words.ids import SessionId


def row(why: str, attempt: int, session: str = "ses-x", task: str = "fe-1") -> AuthorRow:
    return AuthorRow(session=SessionId(session), why=why, attempt=attempt, task=task)


@pytest.mark.parametrize("words", ["claim", "token", "a token", "shares blob 1a2b3c4 with fe-7k2"])
def test_who_is_an_author_by_more_than_a_trailer_is_one_by_more_than_a_trailer_I8_A6(words: str) -> None:
    rows = [row("commit 1a2b3c4", 1), row(words, 2), row("commit 5d6e7f8", 3)]
    for order in permutations(rows):
        (author,) = surest(order)
        assert (author.why, author.attempt) == (words, 3)


def test_each_author_of_each_task_is_there_once_A1() -> None:
    rows = [row("claim", 1), row("claim", 2), row("claim", 1, "ses-y"), row("a token", 1, task="fe-2")]
    assert surest(rows) == [row("claim", 2), row("claim", 1, "ses-y"), row("a token", 1, task="fe-2")]
