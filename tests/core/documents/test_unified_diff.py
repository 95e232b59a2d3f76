"""A unified diff: every line keeps its number and its text, and no bytes make the reader fail."""

from __future__ import annotations

import difflib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.documents.unified_diff import FileDiff, Hunk, hunk_id, parse

SIGNS = {"context": " ", "added": "+", "removed": "-", "note": "\\ "}
OLD, NEW = "1" * 40, "2" * 40


def section(path: str, *body: str, head: str = "") -> bytes:
    """One file's part of a patch."""
    names = f"--- a/{path}\n+++ b/{path}\n" if body else ""
    text = f"diff --git a/{path} b/{path}\n{head or f'index {OLD}..{NEW} 100644'}\n{names}"
    return (text + "".join(line + "\n" for line in body)).encode()


def rejoined(hunk: Hunk) -> str:
    """A hunk as git writes it."""
    counts = [
        str(start) if lines == 1 else f"{start},{lines}"
        for start, lines in ((hunk.old_start, hunk.old_lines), (hunk.new_start, hunk.new_lines))
    ]
    head = f"@@ -{counts[0]} +{counts[1]} @@" + (f" {hunk.section}" if hunk.section else "")
    return "".join(f"{line}\n" for line in [head, *(SIGNS[line.kind] + line.text for line in hunk.lines)])


def only(patch: bytes) -> FileDiff:
    (file,) = parse(patch)
    return file


def test_every_line_has_its_number_on_the_sides_it_is_on() -> None:
    file = only(section("a.py", "@@ -3,3 +3,4 @@ def f():", " one", "-two", "+2", "+two and a half", " three"))
    (hunk,) = file.hunks
    assert [(line.kind, line.old, line.new, line.text) for line in hunk.lines] == [
        ("context", 3, 3, "one"),
        ("removed", 4, None, "two"),
        ("added", None, 4, "2"),
        ("added", None, 5, "two and a half"),
        ("context", 5, 6, "three"),
    ]
    assert (hunk.section, file.added, file.removed, file.status) == ("def f():", 2, 1, "M")
    assert (file.old_object, file.new_object) == (OLD, NEW)


def test_content_that_looks_like_a_header_is_content() -> None:
    body = ["@@ -1,3 +1,4 @@", " diff --git a/x b/x", "--- a/x", "+++ b/x", "+@@ -1 +1 @@", " rename to y"]
    file = only(section("a.md", *body))
    assert [line.text for line in file.hunks[0].lines] == [line[1:] for line in body[1:]]
    assert (file.path, file.status) == ("a.md", "M")


def test_a_missing_end_of_line_is_a_note_and_has_no_number() -> None:
    file = only(section("a", "@@ -1 +1 @@", "-x", "\\ No newline at end of file", "+y"))
    note = file.hunks[0].lines[1]
    assert (note.kind, note.old, note.new, note.text) == ("note", None, None, "No newline at end of file")


@pytest.mark.parametrize("ending", ["\r", "\x0b", "\x0c", "\u2028", "\x85", "\x1b[2J"])
def test_only_the_end_of_line_of_git_ends_a_line(ending: str) -> None:
    file = only(section("a", "@@ -0,0 +1 @@", f"+x{ending}y{ending}"))
    assert [line.text for line in file.hunks[0].lines] == [f"x{ending}y{ending}"]


def test_bytes_that_are_no_text_are_shown_as_what_they_are() -> None:
    patch = section("a", "@@ -0,0 +1 @@") + b"+caf\xe9\n"
    assert only(patch).hunks[0].lines[0].text == "caf\\xe9"
    assert only(patch).hunks[0].id != only(section("a", "@@ -0,0 +1 @@", "+caf\\xe9")).hunks[0].id


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("with space", "with space"),
        ("caf\u00e9", "caf\u00e9"),
        ('"tab\\there"', "tab\there"),
        ('"caf\\303\\251"', "caf\u00e9"),
        ('"quote\\"back\\\\slash"', 'quote"back\\slash'),
        ('"line\\nbreak"', "line\nbreak"),
    ],
)
def test_a_quoted_path_is_read_as_it_is_meant(written: str, meant: str) -> None:
    def named(prefix: str) -> str:
        return f'"{prefix}{written[1:]}' if written.startswith('"') else prefix + written

    first = f"diff --git {named('a/')} {named('b/')}\n"
    tab = "\t" if " " in written else ""
    lines = f"--- {named('a/')}{tab}\n+++ {named('b/')}{tab}\n@@ -1 +1 @@\n-x\n+y\n"
    assert only((first + f"index {OLD}..{NEW} 100644\n{lines}").encode()).path == meant
    assert only((first + "old mode 100644\nnew mode 100755\n").encode()).path == meant
    renamed = only((first + f"similarity index 100%\nrename from before\nrename to {written}\n").encode())
    assert (renamed.path, renamed.old_path, renamed.status) == (meant, "before", "R")


@pytest.mark.parametrize(
    ("head", "status", "note"),
    [
        ("old mode 100644\nnew mode 100755", "M", "now executable, mode 100644 to 100755"),
        (f"new file mode 100644\nindex {'0' * 40}..{NEW}", "A", "empty file"),
        (f"deleted file mode 100644\nindex {OLD}..{'0' * 40}", "D", "empty file"),
        ("similarity index 100%\nrename from b\nrename to a", "R", "content unchanged"),
        (f"index {OLD}..{NEW} 100644\nBinary files a/a and b/a differ", "M", "binary file"),
    ],
)
def test_a_change_without_lines_is_something_to_look_at(head: str, status: str, note: str) -> None:
    file = only(section("a", head=head))
    (hunk,) = file.hunks
    assert (file.path, file.status, [line.text for line in hunk.lines]) == ("a", status, [note])
    assert file.binary == (note == "binary file")
    other = only(section("a", head=head.replace(NEW, "3" * 40).replace(OLD, "3" * 40).replace("755", "700")))
    assert (hunk.id == other.hunks[0].id) == (status == "R"), "another content is another hunk"


def test_a_file_that_becomes_a_link_is_one_file() -> None:
    gone = section("a", "@@ -1 +0,0 @@", "-text", head=f"deleted file mode 100644\nindex {OLD}..{'0' * 40}")
    made = section("a", "@@ -0,0 +1 @@", "+there", head=f"new file mode 120000\nindex {'0' * 40}..{NEW}")
    file = only(gone + made)
    assert (file.status, file.mode_change, file.added, file.removed) == ("T", "100644 to 120000", 1, 1)
    assert file.kind == "was a file, now a link"
    assert len(file.hunks) == 2
    assert (file.old_object, file.new_object) == (OLD, NEW)


def test_a_hunk_keeps_its_id_where_only_lines_above_it_changed() -> None:
    before = only(section("a", "@@ -1 +1 @@ def f():", "-x", "+y")).hunks[0]
    after = only(section("a", "@@ -71 +92 @@ def g():", "-x", "+y")).hunks[0]
    assert before.id == after.id
    assert len(before.id) == 64, "a cut digest can be met by another hunk"
    assert only(section("b", "@@ -1 +1 @@", "-x", "+y")).hunks[0].id != before.id
    assert only(section("a", "@@ -1 +1 @@", "-x", "+z")).hunks[0].id != before.id


HEADS = {
    "file": f"new file mode 100644\nindex {'0' * 40}..{NEW}",
    "executable": f"new file mode 100755\nindex {'0' * 40}..{NEW}",
    "link": f"new file mode 120000\nindex {'0' * 40}..{NEW}",
    "changed": f"index {OLD}..{NEW} 100644",
    "changed executable": f"index {OLD}..{NEW} 100755",
    "now executable": f"old mode 100644\nnew mode 100755\nindex {OLD}..{NEW}",
    "moved": f"similarity index 90%\nrename from b\nrename to a\nindex {OLD}..{NEW} 100644",
    "moved from elsewhere": f"similarity index 90%\nrename from c\nrename to a\nindex {OLD}..{NEW} 100644",
}


def test_the_same_lines_of_another_kind_of_file_are_another_hunk() -> None:
    files = {name: only(section("a", "@@ -0,0 +1 @@", "+/etc/passwd", head=head)) for name, head in HEADS.items()}
    assert len({file.hunks[0].id for file in files.values()}) == len(HEADS)
    assert {name: file.kind for name, file in files.items() if file.kind} == {
        "executable": "new executable",
        "link": "new link",
        "changed executable": "executable",
        "now executable": "now executable",
    }


def test_no_other_facts_have_the_id_of_a_hunk() -> None:
    assert hunk_id(b"a\0", b"b") != hunk_id(b"a", b"\0b")
    assert hunk_id(b"a", b"b", b"") != hunk_id(b"a", b"b")


def test_a_submodule_is_shown_with_its_commits() -> None:
    body = ("@@ -1 +1 @@", f"-Subproject commit {OLD}", f"+Subproject commit {NEW}")
    assert only(section("lib", *body, head=f"index {OLD}..{NEW} 160000")).kind == (
        f"submodule, from {OLD[:12]} to {NEW[:12]}"
    )


def test_hunks_with_the_same_lines_are_told_apart() -> None:
    file = only(section("a", "@@ -1 +1 @@", "-x", "+y", "@@ -9 +9 @@", "-x", "+y", "@@ -19 +19 @@", "-x", "+y"))
    assert len({hunk.id for hunk in file.hunks}) == 3


@given(st.binary())
def test_no_bytes_make_it_fail(garbage: bytes) -> None:
    assert parse(garbage) == () or b"diff --git " in garbage
    parse(b"diff --git " + garbage)
    parse(b"diff --git a/a b/a\n@@ -1 +1 @@\n" + garbage)
    parse(b"diff --git a/a b/a\n@@ -" + b"9" * 5000 + b" +1 @@\n" + garbage)


TEXTS = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n")), max_size=40)


@given(TEXTS, TEXTS)
def test_lines_rejoined_are_the_patch_and_numbers_lead_to_the_line(old: list[str], new: list[str]) -> None:
    lines = list(difflib.unified_diff(old, new, lineterm="", n=3))[2:]
    body = "".join(f"{line}\n" for line in lines)
    files = parse(b"diff --git a/a b/a\n--- a/a\n+++ b/a\n" + body.encode()) if lines else ()
    hunks = [hunk for file in files for hunk in file.hunks]
    assert "".join(rejoined(hunk) for hunk in hunks) == body
    for line in (line for hunk in hunks for line in hunk.lines):
        assert line.old is None or old[line.old - 1] == line.text
        assert line.new is None or new[line.new - 1] == line.text
        assert (line.old is None, line.new is None) == (line.kind == "added", line.kind == "removed")
