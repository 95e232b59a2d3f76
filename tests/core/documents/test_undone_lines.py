"""What a stack's upper part undoes of a lower task (A7, Q2)."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.documents.undone_lines import taken_back
from foureyes.core.documents.unified_diff import FileDiff, parse


def change(old: str | None, new: str | None, path: str = "f") -> tuple[FileDiff, ...]:
    """A change of one file, every character a line, as git writes it without lines around it."""
    if old == new:
        return ()
    lines = list(
        difflib.unified_diff([f"{c}\n" for c in old or ""], [f"{c}\n" for c in new or ""], n=0, lineterm="\n")
    )[2:]
    head = f"diff --git a/{path} b/{path}\n"
    head += "new file mode 100644\n" if old is None else "deleted file mode 100644\n" if new is None else ""
    names = f"--- {'/dev/null' if old is None else 'a/' + path}\n+++ {'/dev/null' if new is None else 'b/' + path}\n"
    return parse((head + names + "".join(lines)).encode())


@pytest.mark.parametrize(
    ("base", "landed", "head", "undone"),
    [
        ("abc", "aXbc", "abc", True),       # what the lower one brought is taken away: the reader saw nothing
        ("abc", "aXbc", "Abc", True),       # also beside something that is shown
        ("abc", "ac", "abc", True),         # what it took away comes back
        ("abc", "aXc", "aXbc", True),       # also behind what it put there instead
        ("abc", "aXc", "abXc", True),
        ("abc", "aXc", "aYc", True),        # its own line changed again: to be shown again
        ("abc", "aXbc", "aXYbc", False),    # more beside what it brought
        ("abc", "aXbc", "aYXbc", False),
        ("abc", "aXbc", "aXBc", False),     # the next line, which it skipped
        ("abc", "aXc", "AXc", False),
        ("abc", "aXc", "AbXc", True),       # what it took away, with something that is shown
        ("abcde", "aXcde", "aXcDe", False), # another place
        ("abcde", "abcd", "abXcd", False),
        (None, "ab", "aXb", False),         # a new file is shown as it became
        (None, "ab", "b", False),
        (None, "ab", None, True),
        ("ab", None, "ab", True),
        ("ab", None, "aX", True),
        ("ab", "aX", None, True),
    ],
)  # fmt: skip
def test_what_comes_after_a_lower_task_undoes_nothing_of_it_that_was_not_shown_A7(
    base: str | None, landed: str | None, head: str | None, undone: bool
) -> None:
    assert taken_back(change(base, landed), change(landed, head)) == (("f",) if undone else ())


def test_a_file_that_only_one_of_them_touched_is_no_matter_A7() -> None:
    assert taken_back(change("a", "b", "one"), change("a", "b", "two")) == ()


@pytest.mark.parametrize(
    "mode", ["old mode 100644\nnew mode 100755\n", "index 1234567..2345678\nBinary files differ\n"]
)
def test_what_changed_otherwise_than_by_lines_is_not_measured_A7(mode: str) -> None:
    other = parse(f"diff --git a/f b/f\n{mode}".encode())
    assert taken_back(other, change("a", "b")) == ("f",)
    assert taken_back(change("a", "b"), other) == ("f",)


@given(st.text("abc", max_size=6), st.text("abcX", max_size=6), st.text("abcXY", max_size=6))
def test_where_nothing_is_undone_every_line_that_was_brought_is_still_there_A7(
    base: str, landed: str, head: str
) -> None:
    if taken_back(change(base, landed), change(landed, head)):
        return
    brought = [
        line.text for file in change(base, landed) for hunk in file.hunks for line in hunk.lines if line.kind == "added"
    ]
    rest = iter(head)
    assert all(any(line == each for each in rest) for line in brought)
