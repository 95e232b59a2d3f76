"""What changed between two commits: the diff id (A2), the counted files (A1) and the text for reading.

The canonical form that the id is the sha256 of: a version line, then per entry six fields, each as `<length>:<bytes>`:
path, old mode, new mode, `hunks` or `objects` or `mode`, and two values: the hunks' bytes and nothing, or old and new
object id. Each hunk is `@@\\n` and its lines; line numbers and the function name behind `@@` are gone, because they
change when code elsewhere does. White space and three lines of context count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from foureyes.adapters.git.client.answers import as_text
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.object_form import LINK, MODULE, NO_FILE
from foureyes.adapters.git.reading.marks import marks_of
from foureyes.adapters.git.reading.readable import patch
from foureyes.core.nouns.attempt import MOST_MEASURED, ChangedFile, Mark
from foureyes.core.words.ids import DiffId, Sha
from foureyes.errors import GitProblem

if TYPE_CHECKING:
    from foureyes.core.documents.unified_diff import FileDiff

# In the clean room most of these are the default; named all the same, for a git whose defaults will be others. There is
# no `--text`: without attributes git's own test for a binary file is the rule (a NUL in the first 8,000 bytes), and a
# file that it takes for binary enters by object id, which no two contents share.
_EXACT = (
    "-c", "core.quotepath=true", "-c", "diff.suppressBlankEmpty=false", "-c", "diff.orderFile=/dev/null",
    "diff-tree", "-r", "--raw", "-p", "-z", "--full-index", "--no-color", "--no-ext-diff", "--no-textconv",
    "--no-renames", "--diff-algorithm=myers", "--no-indent-heuristic", "--src-prefix=a/", "--dst-prefix=b/", "-U3",
    "--inter-hunk-context=0", "--no-relative", "--submodule=short", "--ignore-submodules=none",
)  # fmt: skip
_RAW = ("diff-tree", "-r", "--raw", "-z", "--no-abbrev", "--no-renames", "--no-relative", "--ignore-submodules=none")
_COUNTED = ("diff-tree", "-r", "--numstat", "-z", "-M", "--no-ext-diff", "--no-textconv", "--no-relative",
            "--ignore-submodules=none")  # fmt: skip

_VERSION = b"foureyes diff 1\n"
_BY_OBJECT = (LINK, MODULE)
_SECTION = re.compile(rb"^diff --git ", re.MULTILINE)
_INDEX = re.compile(rb"^index ([0-9a-f]{7})[0-9a-f]*\.\.([0-9a-f]{7})[0-9a-f]*", re.MULTILINE)
_HUNK = re.compile(rb"^@@ [^\n]*\n", re.MULTILINE)
_BINARY = b"\nBinary files "
_CHANGED = re.compile(rb"^[-+]([^\n]*)", re.MULTILINE)


class Diff(NamedTuple):
    """Identity and size of a change, and what is odd about it; `raw` is which objects it replaces by which."""

    diff_id: DiffId
    files: tuple[ChangedFile, ...]
    marks: tuple[Mark, ...] = ()
    size: int = 0
    raw: bytes = b""


class _RawLine(NamedTuple):
    """One line of `--raw -z`."""

    path: bytes
    old_mode: bytes
    new_mode: bytes
    old: bytes
    new: bytes
    status: bytes


class _Section(NamedTuple):
    """One entry and its part of the patch: what stands before the first hunk, all hunks, and what follows the line
    that opens the first one.
    """

    path: bytes
    status: bytes
    old_mode: bytes
    new_mode: bytes
    lines: bytes
    hunks: bytes
    head: bytes
    entry: _RawLine


def diff(git: Git, base: Sha, head: Sha) -> Diff:
    """A1, A2. One call of git; a second one only where a file may have been renamed."""
    out = git.room(*_EXACT, base, head, trees=(base, head)).out
    entries, raw, patch = _entries(out)
    sections = list(_sections(entries, patch))
    if {b"A", b"D"} <= (kinds := {entry.status[:1] for entry in entries}) or b"T" in kinds:
        files = _files(git.room(*_COUNTED, base, head, trees=(base, head)).out)
    else:
        files = [_counted(section) for section in sections]
    marks = marks_of([each[:5] for each in sections], files)
    return Diff(_diff_id(sections), tuple(files), marks, _size(sections), raw)


def diff_as(git: Git, like: Diff, base: Sha, head: Sha) -> Diff:
    """The same as `diff`, where another change that was read already probably replaces the same objects by the same.
    The trees are in the room, for one of them was made there of the other.
    """
    done = git.room(*_RAW, base, head, ok=(0, 128))
    return like if done.rc == 0 and done.out == like.raw else diff(git, base, head)


def _size(sections: list[_Section]) -> int:
    """P10: the bytes of the lines that came and went, and of the names: an empty file says something by its name."""
    size = sum(len(each.path) + sum(map(len, _CHANGED.findall(each.lines))) for each in sections)
    return min(size, MOST_MEASURED)


def _sections(entries: list[_RawLine], patch: bytes) -> Iterator[_Section]:
    """Each entry with its part of the patch, which has one per entry in the same order: content never starts a line."""
    halves = [half for entry in entries for half in _halves(entry)]
    parts = _SECTION.split(patch)[1:]
    if len(parts) != len(halves):
        raise GitProblem(f"git listed {len(halves)} changed files and printed {len(parts)}: the change cannot be named")
    for entry, part in zip(halves, parts, strict=True):
        first = _HUNK.search(part)
        at, lines = (first.start(), part[first.end() :]) if first else (len(part), b"")
        yield _Section(entry.path, entry.status, entry.old_mode, entry.new_mode, lines, part[at:], part[:at], entry)


def _counted(section: _Section) -> ChangedFile:
    """A file with the lines that came and went; a binary one has none."""
    if _BINARY in section.head:
        return ChangedFile(as_text(section.path), None, None)
    lines = b"\n" + section.lines
    return ChangedFile(as_text(section.path), lines.count(b"\n+"), lines.count(b"\n-"))


def diff_text(git: Git, base: Sha, head: Sha) -> str:
    """The change as people read it; bytes that are no UTF-8 as `\\xe9`."""
    return as_text(_INDEX.sub(rb"index \1..\2", patch(git, base, head)))


def file_diffs(git: Git, base: Sha, head: Sha, context: int = 3) -> tuple[FileDiff, ...]:
    """The same change, as structure, with so many lines around it. Sizes of binary files are asked for where there are
    any.
    """
    from foureyes.core.documents.unified_diff import parse

    files = parse(patch(git, base, head, "--raw", context=context))
    names = {name for file in files if file.binary for name in (file.old_object, file.new_object) if name}
    if not names:
        return files
    sizes = _sizes(git, sorted(names))
    return tuple(
        replace(file, old_size=sizes.get(file.old_object, 0), new_size=sizes.get(file.new_object, 0))
        if file.binary
        else file
        for file in files
    )


def exact_files(git: Git, base: Sha, head: Sha) -> tuple[FileDiff, ...]:
    """The change as structure, each file under its own name, without lines around what changed."""
    from foureyes.core.documents.unified_diff import parse

    return parse(_entries(git.room(*_EXACT, "-U0", base, head, trees=(base, head)).out)[2])


def _sizes(git: Git, names: list[str]) -> dict[str, int]:
    """The size of each object that is there."""
    asked = "".join(f"{name}\n" for name in names).encode()
    rows = git.room("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=asked).out.split(b"\n")
    words = [row.decode("ascii", "replace").split(" ") for row in rows]
    return {row[0]: int(row[1]) for row in words if len(row) == 2 and row[1].isdigit()}


def _entries(out: bytes) -> tuple[list[_RawLine], bytes, bytes]:
    """The raw part of git's answer, as entries and as it is; and the patch that follows it."""
    entries, at = [], 0
    while out[at : at + 1] == b":":
        header_end = out.index(b"\0", at)
        path_end = out.index(b"\0", header_end + 1)
        old_mode, new_mode, old, new, status = out[at + 1 : header_end].split(b" ")
        entries.append(_RawLine(out[header_end + 1 : path_end], old_mode, new_mode, old, new, status))
        at = path_end + 1
    return entries, out[:at], out[at:].removeprefix(b"\0")


def _files(counts: bytes) -> list[ChangedFile]:
    """The rows of `--numstat -z`: added, removed, path; a rename has an empty path, then old and new."""
    files, words = [], iter(counts.split(b"\0"))
    for word in words:
        if not word:
            break
        added, removed, path = word.split(b"\t", 2)
        old_path = b"" if path else next(words)
        files.append(ChangedFile(as_text(path or next(words)), _count(added), _count(removed), as_text(old_path)))
    return files


def _count(number: bytes) -> int | None:
    return None if number == b"-" else int(number)


def _diff_id(sections: list[_Section]) -> DiffId:
    import hashlib

    digest = hashlib.sha256(_VERSION)
    for each in sections:
        fields = (each.path, each.old_mode, each.new_mode, *_content(each))
        digest.update(b"".join([b"%d:%b" % (len(field), field) for field in fields]))
    return DiffId(f"sha256:{digest.hexdigest()}")


def _halves(entry: _RawLine) -> tuple[_RawLine, ...]:
    """A type change (a file becomes a link) is two entries, as git prints it: a removal and an addition."""
    if entry.status[:1] != b"T":
        return (entry,)
    nothing = b"0" * len(entry.old)
    gone = entry._replace(new_mode=NO_FILE, new=nothing)
    made = entry._replace(old_mode=NO_FILE, old=nothing)
    return gone, made


def _content(section: _Section) -> tuple[bytes, bytes, bytes]:
    entry = section.entry
    if entry.old == entry.new:
        return b"mode", b"", b""
    if not section.hunks or entry.old_mode in _BY_OBJECT or entry.new_mode in _BY_OBJECT:
        return b"objects", entry.old, entry.new
    return b"hunks", _HUNK.sub(b"@@\n", section.hunks), b""
