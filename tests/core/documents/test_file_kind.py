"""The kind of a changed file: whatever is no ordinary file is said in words."""

from __future__ import annotations

import pytest

from foureyes.core.documents.unified_diff import kind_in_words

OLD, NEW = "1" * 40, "2" * 40


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("", "", ""),
        ("", "100644", ""),
        ("100644", "", ""),
        ("100644", "100644", ""),
        ("100664", "100644", ""),
        ("", "100755", "new executable"),
        ("", "120000", "new link"),
        ("", "160000", "new submodule at 222222222222"),
        ("000000", "120000", "new link"),
        ("120000", "", "removed link"),
        ("160000", "", "removed submodule at 111111111111"),
        ("100755", "100755", "executable"),
        ("120000", "120000", "link"),
        ("160000", "160000", "submodule, from 111111111111 to 222222222222"),
        ("100644", "100755", "now executable"),
        ("100755", "100644", "no longer executable"),
        ("100644", "120000", "was a file, now a link"),
        ("100755", "120000", "was an executable, now a link"),
        ("120000", "100644", "was a link, now a file"),
        ("120000", "160000", "was a link, now a submodule at 222222222222"),
        ("", "100600", "new file of mode 100600"),
    ],
)
def test_a_file_that_is_no_ordinary_one_says_so(old: str, new: str, words: str) -> None:
    assert kind_in_words(old, new, OLD, NEW) == words
