"""Names without case, and as other file systems may read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.words.folding import folded, folded_path, is_short_name

from tests.core.samples import quick


@pytest.mark.parametrize(
    "text",
    ["security", "Security", "SECURITY", " security ", "SECUR\u0130TY", "secur\u0131ty", "\uff33\uff25\uff23urity",
     "secu\u200brity", "se\u00adcurity", "security\ufe0f", "\u2060security"],
)  # fmt: skip
def test_a_label_is_the_same_however_it_is_written(text: str) -> None:
    assert folded(text) == "security"


@pytest.mark.parametrize("text", ["sécurité", "sekurity", "security2", "se curity", "ѕecurity"])
def test_another_word_is_another_word(text: str) -> None:
    assert folded(text) != "security"


@quick
@given(st.text(max_size=30))
def test_folding_twice_is_folding_once(text: str) -> None:
    assert folded(folded(text)) == folded(text)
    assert folded(text.upper().lower()) == folded(text.lower())


@pytest.mark.parametrize(
    "path",
    ["agents.md", "AGENTS.MD", "Agents.md.", "AGENTS.md ", "AGENTS.md::$DATA", "AG\u200dENTS.md", "AGENTS.m\ufeffd",
     "\uff21GENTS.md", "AGENTS.md. ."],
)  # fmt: skip
def test_a_file_is_the_same_as_another_file_system_reads_it(path: str) -> None:
    assert folded_path(path) == "agents.md"
    assert folded_path(f"Packages\\x/{path}") == "packages/x/agents.md"


@pytest.mark.parametrize("path", ["claude~1", "x/FOUREY~1.TOM", "a/CLAUDE~12/b"])
def test_a_short_name_may_be_any_file(path: str) -> None:
    assert is_short_name(folded_path(path))


@pytest.mark.parametrize("path", ["a~", "notes.md~", "~/x", "longername~1", "a~b/c", "x~0"])
def test_a_tilde_alone_makes_no_short_name(path: str) -> None:
    assert not is_short_name(folded_path(path))
