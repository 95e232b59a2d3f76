"""The block between marks: idempotent, versioned, removable; everything around it stays."""

from __future__ import annotations

import pytest

from foureyes.adapters.agents.setup.marked_block import MARKDOWN, TOML, VERSION, found, install, remove
from foureyes.config.primer import BLOCK

AROUND = [
    "",
    "\n",
    "# Ours\n",
    "# Ours\n\nSome words.\n\n",
    "# Ours, with more below\n\n\n\n",
    "# Ours, without a line end",
    "# Ours\r\n\r\nwith the other line ends\r\n",
    "# Ours\r\nand no end of the last",
    "# Ünïcode \U0001f642 and <!-- a comment -->\n",
    "```\nfoureyes:begin v1\n```\n",
    "\ufeff# with a mark of its own\n",
]
V1 = "<!-- foureyes:begin v1 -->\nold rules\n<!-- foureyes:end -->\n"


def put(text: str | None, user: str = "codex", body: str = BLOCK) -> str:
    done = install(text, MARKDOWN, user, body)
    assert done.text is not None
    return done.text


def test_a_new_file_is_the_block_alone_and_goes_with_it() -> None:
    text = put(None, body="the rules\n")
    begin, *body, end = text.splitlines()
    assert begin.startswith(f"<!-- foureyes:begin v{VERSION} for=codex text=")
    assert (body, end) == (["the rules"], "<!-- foureyes:end -->")
    assert remove(text, MARKDOWN, "codex", BLOCK) == (None, "removed", "")


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("comment", [MARKDOWN, TOML])
def test_what_was_there_stays_above_it_and_is_all_that_is_there_after_it(around: str, comment: tuple[str, str]) -> None:
    done = install(around, comment, "codex", BLOCK)
    assert (done.outcome, (done.text or "").startswith(around)) == ("written", True)
    assert install(done.text, comment, "codex", BLOCK) == (done.text, "unchanged", "")
    assert remove(done.text, comment, "codex", BLOCK) == (around, "removed", "")
    assert remove(around, comment, "codex", BLOCK) == (around, "absent", "")


@pytest.mark.parametrize("around", AROUND)
def test_it_stays_as_long_as_somebody_uses_it(around: str) -> None:
    one = put(around, "agents-md")
    both = install(one, MARKDOWN, "codex", BLOCK)
    assert (both.outcome, found(both.text or "", MARKDOWN).users) == ("updated", ("agents-md", "codex"))  # type: ignore[union-attr]
    assert remove(both.text, MARKDOWN, "opencode", BLOCK).outcome == "absent"
    assert remove(both.text, MARKDOWN, "codex", BLOCK) == (one, "updated", "the block stays for agents-md")
    assert remove(one, MARKDOWN, "agents-md", BLOCK).text == around


def test_a_block_of_version_1_is_brought_up_to_date_in_its_place() -> None:
    done = install(f"above\n{V1}below\n", MARKDOWN, "codex", "new rules", others=("agents-md",))
    assert done.outcome == "updated"
    block = found(done.text or "", MARKDOWN)
    assert block is not None
    assert (block.version, block.users, block.text) == (VERSION, ("agents-md", "codex"), "new rules\n")
    assert (done.text or "").startswith("above\n<!--")
    assert (done.text or "").endswith("-->\nbelow\n")


def test_a_block_of_version_1_is_taken_out_too() -> None:
    assert remove(f"above\n\n{V1}", MARKDOWN, "codex", BLOCK) == ("above\n", "removed", "")
    assert remove(V1, MARKDOWN, "codex", BLOCK) == (None, "removed", "")


def test_another_text_of_ours_is_brought_up_to_date() -> None:
    done = install(put("# Ours\n", body="one"), MARKDOWN, "codex", "two")
    assert done == (put("# Ours\n", body="two"), "updated", "")


def test_a_text_that_somebody_edited_is_theirs() -> None:
    edited = put("# Ours\n").replace("Never approve", "Always approve")
    for done in (install(edited, MARKDOWN, "codex", BLOCK), remove(edited, MARKDOWN, "codex", BLOCK)):
        assert (done.text, done.outcome) == (edited, "kept")
        assert "the text between its marks was edited" in done.why


def test_a_block_of_a_newer_version_stays() -> None:
    newer = put("# Ours\n").replace(f"begin v{VERSION}", f"begin v{VERSION + 1}")
    for done in (install(newer, MARKDOWN, "codex", BLOCK), remove(newer, MARKDOWN, "codex", BLOCK)):
        assert (done.text, done.outcome) == (newer, "kept")
        assert "a newer Foureyes" in done.why


def test_text_between_two_others_is_replaced_and_removed_alone() -> None:
    text = put("above", body="old") + "\nbelow\n"
    done = install(text, MARKDOWN, "codex", r"new with \1 and \g<0>")
    assert r"new with \1 and \g<0>" in (done.text or "")
    assert remove(done.text, MARKDOWN, "codex", BLOCK).text == "above\n\n\nbelow\n"


def test_a_block_whose_line_ends_an_editor_changed_is_known_and_does_not_grow() -> None:
    text = put("# Ours\n").replace("\n", "\r\n") + "below\r\n"
    assert install(text, MARKDOWN, "codex", BLOCK).outcome == "unchanged"
    assert (remove(text, MARKDOWN, "codex", BLOCK).text or "").split() == ["#", "Ours", "below"]


def test_a_block_without_its_end_swallows_nothing() -> None:
    """Somebody deleted the end mark by accident and wrote on below."""
    text = put("above\n").replace("<!-- foureyes:end -->\n", "") + "\nour own rules\n"
    for _ in range(3):
        text = put(text, body="new rules")
    assert text.count("new rules") == 1
    assert "our own rules" in (remove(text, MARKDOWN, "codex", BLOCK).text or "")


def test_the_rules_come_first_and_fit() -> None:
    assert len(put(None).encode()) < 2600
    assert BLOCK.index("fe prime") < BLOCK.index("RULES")
