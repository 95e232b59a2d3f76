"""A3: what a new head is to an approved one; sums of a change."""

from __future__ import annotations

from itertools import product

import msgspec
import pytest

from foureyes.core.nouns.attempt import (
    AUTHOR_SOURCES,
    KEEPS_APPROVAL,
    Author,
    AuthorSource,
    Change,
    ChangedFile,
    relation,
    source_of,
)
from foureyes.core.words.ids import SessionId

from tests.core.samples import BASE, DIFF, HEAD, REF


def test_a_new_head_is_judged_by_what_is_shown_about_it_A3() -> None:
    expected = {"same": 0, "message_only": 0, "trivial_rebase": 0, "rework": 0}
    for same_head, same_tree, same_base, mechanical in product([True, False], repeat=4):
        found = relation(same_head=same_head, same_tree=same_tree, same_base=same_base, mechanical=mechanical)
        expected[found] += 1
        assert (found == "same") == same_head
        if found == "message_only":
            assert same_tree
            assert same_base
        if found == "trivial_rebase":
            assert mechanical
        assert found != "rework" or not (mechanical or (same_tree and same_base))
    assert expected == {"same": 8, "message_only": 2, "trivial_rebase": 3, "rework": 3}


def test_an_equal_tree_on_another_base_is_not_enough_A3() -> None:
    assert relation(same_head=False, same_tree=True, same_base=False, mechanical=False) == "rework"


def test_everything_but_rework_keeps_an_approval_A3() -> None:
    assert set(KEEPS_APPROVAL) == {"same", "message_only", "trivial_rebase"}


def change(*files: ChangedFile) -> Change:
    return Change(base=BASE, head=HEAD, tree=HEAD, ref=REF, landed=False, diff_id=DIFF, files=files, commits=())


def test_a_change_counts_its_lines_and_binaries_count_none_A1() -> None:
    found = change(
        ChangedFile("a.py", 3, 1), ChangedFile("logo.png", None, None), ChangedFile("b.py", 0, 7, old_path="c.py")
    )
    assert (found.added, found.removed) == (3, 8)
    assert not found.is_empty


def test_a_change_without_files_is_empty_and_a_binary_is_not_A5() -> None:
    assert change().is_empty
    assert not change(ChangedFile("logo.png", None, None)).is_empty


OLD_WORDS: dict[str, AuthorSource] = {
    "claim": "claim",
    "token": "token",
    "a token": "token",
    "commit 1a2b3c4": "trailer",
    "shares blob 1a2b3c4 with fe-7k2": "shared",
    "shares commit 1a2b3c4 with fe-7k2": "shared",
}


@pytest.mark.parametrize(("words", "source"), OLD_WORDS.items(), ids=list(OLD_WORDS))
def test_the_journal_says_for_ever_what_made_a_session_an_author_A1_I8(words: str, source: AuthorSource) -> None:
    payload = {"session": "ses-x", "why": words}
    assert msgspec.convert(payload, Author).source == source


@pytest.mark.parametrize("source", AUTHOR_SOURCES)
def test_what_is_written_about_an_author_is_read_back_as_it_was_meant_A1(source: AuthorSource) -> None:
    author = Author.by(source, SessionId("ses-x"), "1a2b3c4")
    assert msgspec.json.decode(msgspec.json.encode(author), type=Author).source == source
    assert msgspec.to_builtins(author).keys() == {"session", "why", "attempt"}, "journal rows keep their shape"


@pytest.mark.parametrize("words", ["", "commits", "Commit 1a2b3c4", "was told to", "a commit 1a2b3c4"])
def test_words_that_nobody_has_written_so_far_clear_nobody_I8(words: str) -> None:
    assert source_of(words) == "claim"
