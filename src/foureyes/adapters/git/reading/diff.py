"""The diff of two commits: its id (A2), its counted files (A1), its marks (H1) and its text to read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from foureyes.adapters import process
from foureyes.adapters.git.client.answers import as_text
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.object_files import FILE, LINK, MODULE, NO_FILE, PROGRAM
from foureyes.core.nouns.attempt import MOST_MEASURED, ChangedFile, Mark, MarkKind
from foureyes.core.words.ids import DiffId, Sha
from foureyes.core.words.text import has_unseen, is_odd_name
from foureyes.errors import GitProblem

if TYPE_CHECKING:
    from foureyes.core.documents.unified_diff import FileDiff


# ---- Diff (A2) ----

# The id is the sha256 of this canonical form: a version line, then six fields per entry, each as `<length>:<bytes>`:
# path, old mode, new mode, the word `hunks`, `objects` or `mode`, and two values, which are the hunks' bytes and
# nothing, or the old and new object id. Each hunk is `@@\n` and its lines. Line numbers and the function name after
# `@@` are omitted, because they change with code elsewhere. White space and three lines of context count.

# Most of these are defaults in the clean room, stated in case git's defaults change. There is no `--text`: without
# attributes, git's own test decides about binary files (a NUL in the first 8,000 bytes), and a binary file counts by
# its object id.
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
    """The identity, size and marks of a change. `raw` lists the replaced objects."""

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
    """One entry and its part of the patch: the text before the first hunk, all hunks, and the text after the first
    hunk's header.
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
    """Return the diff of two commits. Calls git a second time only if a file may have been renamed. (A1, A2)"""
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
    """Like diff(), but return `like` if both replace the same objects. The trees must already be in the clean room."""
    done = git.room(*_RAW, base, head, ok=(0, 128))
    return like if done.rc == 0 and done.out == like.raw else diff(git, base, head)


def _size(sections: list[_Section]) -> int:
    """Return the bytes of all added and removed lines and of all paths. Paths count, so that an empty file has a size.
    (P10)
    """
    size = sum(len(each.path) + sum(map(len, _CHANGED.findall(each.lines))) for each in sections)
    return min(size, MOST_MEASURED)


def _sections(entries: list[_RawLine], patch: bytes) -> Iterator[_Section]:
    """Yield each entry with its part of the patch. Both lists have the same order, and content never starts a line."""
    halves = [half for entry in entries for half in _halves(entry)]
    parts = _SECTION.split(patch)[1:]
    if len(parts) != len(halves):
        raise GitProblem(
            f"git listed {len(halves)} changed files but printed {len(parts)}, so the diff id cannot be computed"
        )
    for entry, part in zip(halves, parts, strict=True):
        first = _HUNK.search(part)
        at, lines = (first.start(), part[first.end() :]) if first else (len(part), b"")
        yield _Section(entry.path, entry.status, entry.old_mode, entry.new_mode, lines, part[at:], part[:at], entry)


def _counted(section: _Section) -> ChangedFile:
    """Return a file with its added and removed line counts. A binary file has none."""
    if _BINARY in section.head:
        return ChangedFile(as_text(section.path), None, None)
    lines = b"\n" + section.lines
    return ChangedFile(as_text(section.path), lines.count(b"\n+"), lines.count(b"\n-"))


def diff_text(git: Git, base: Sha, head: Sha) -> str:
    r"""Return the change as text to read. Bytes that are not UTF-8 appear as `\\xe9`."""
    return as_text(_INDEX.sub(rb"index \1..\2", patch(git, base, head)))


def file_diffs(git: Git, base: Sha, head: Sha, context: int = 3) -> tuple[FileDiff, ...]:
    """Return the change as structure, with `context` lines around each place. Sizes are looked up only if there are
    binary files.
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
    """Return the parsed diff, without context lines or rename detection."""
    from foureyes.core.documents.unified_diff import parse

    return parse(_entries(git.room(*_EXACT, "-U0", base, head, trees=(base, head)).out)[2])


def _sizes(git: Git, names: list[str]) -> dict[str, int]:
    asked = "".join(f"{name}\n" for name in names).encode()
    rows = git.room("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=asked).out.split(b"\n")
    words = [row.decode("ascii", "replace").split(" ") for row in rows]
    return {row[0]: int(row[1]) for row in words if len(row) == 2 and row[1].isdigit()}


def _entries(out: bytes) -> tuple[list[_RawLine], bytes, bytes]:
    """Return the raw part of git's output, parsed and as bytes, and the patch after it."""
    entries, at = [], 0
    while out[at : at + 1] == b":":
        header_end = out.index(b"\0", at)
        path_end = out.index(b"\0", header_end + 1)
        old_mode, new_mode, old, new, status = out[at + 1 : header_end].split(b" ")
        entries.append(_RawLine(out[header_end + 1 : path_end], old_mode, new_mode, old, new, status))
        at = path_end + 1
    return entries, out[:at], out[at:].removeprefix(b"\0")


def _files(counts: bytes) -> list[ChangedFile]:
    """Return the files of `--numstat -z`: added, removed, path. A rename has an empty path, then the old and new one."""
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
    """Return a removal and an addition for a type change, as git prints it, and any other entry unchanged."""
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


# ---- Marks (H1) ----

_SKIP = re.compile(
    rb"pytest\.mark\.(?:skip|xfail)|pytest\.skip\(|unittest\.skip|\b(?:it|test|describe)\.(?:skip|todo)\b|\bx(?:it|describe|test)\("
    rb"|@Disabled\b|@Ignore\b|\bt\.Skip|#\[ignore"
)
_ASSERT = re.compile(rb"\bassert|\bexpect\(|\.should\b|\brequire\.\w+\(t,|\bt\.(?:Error|Fatal)")
_PRINTED = bytes(range(0x20, 0x7F))
_HARMLESS = bytes({*_PRINTED, *b"\t\n\r"})
"""Bytes of a text that hides nothing. A lone carriage return is tested separately."""
_SKIP_WORDS = (
    b"skip",
    b"Skip",
    b"xfail",
    b".todo",
    b"xit(",
    b"xdescribe(",
    b"xtest(",
    b"@Disabled",
    b"@Ignore",
    b"#[ignore",
)
_ASSERT_WORDS = (b"assert", b"expect(", b".should", b"require.", b"t.Error", b"t.Fatal")
"""Words of which every match of the patterns has one. Searching for words is much faster."""
_LONG = re.compile(rb"^\+[^\n]{501,}", re.MULTILINE)
LONGEST_LINE = 500
"""Length of a line above which readers may miss a part of it. (H1)"""
_ADDED = re.compile(rb"^\+[^\n]*", re.MULTILINE)
_REMOVED = re.compile(rb"^-[^\n]*", re.MULTILINE)


def marks_of(
    changed: Sequence[tuple[bytes, bytes, bytes, bytes, bytes]], files: Sequence[ChangedFile]
) -> tuple[Mark, ...]:
    """Return the marks of entries given as (path, status, old mode, new mode, hunks)."""
    marks = [Mark("binary", file.path) for file in files if file.added is None]
    marks += [Mark("rename", file.path) for file in files if file.old_path]
    is_plain = not _may_show(b"".join(hunks for *_, hunks in changed))
    are_plain = not b"".join(path for path, *_ in changed).translate(None, _PRINTED)
    for path, status, old_mode, new_mode, hunks in changed:
        name = as_text(path)
        if status[:1] == b"D":
            marks.append(Mark("deleted", name))
        elif new_mode == PROGRAM != old_mode:
            marks.append(Mark("executable", name))
        elif new_mode == LINK:
            marks.append(Mark("link", name))
        marks += [Mark(kind, name) for kind in _by_modes(old_mode, new_mode)]
        marks += [Mark("hidden", name)] if not are_plain and is_odd_name(name) else []
        marks += [] if is_plain else [Mark(kind, name) for kind in _in_hunks(hunks)]  # type: ignore[arg-type]
    return tuple(dict.fromkeys(marks))


def _by_modes(old: bytes, new: bytes) -> Iterator[MarkKind]:
    """Yield the marks that follow from the old and new file mode. (P10, M3)"""
    if NO_FILE not in (old, new) and old != new:
        yield "mode"
    if old == LINK != new:
        yield "unlinked"
    if MODULE in (old, new):
        yield "submodule"
    if not {old, new} <= {NO_FILE, FILE}:
        yield "odd"


def _may_show(hunks: bytes) -> bool:
    """Return False if the hunks certainly produce no mark. Scanning all files at once is faster than one by one."""
    odd = hunks.translate(None, _HARMLESS) or b"\r" in hunks
    return bool(odd) or _LONG.search(hunks) is not None or any(word in hunks for word in (*_SKIP_WORDS, *_ASSERT_WORDS))


def _in_hunks(hunks: bytes) -> Iterator[str]:
    """Yield the marks of the added and removed lines."""
    if (hunks.translate(None, _HARMLESS) or b"\r" in hunks) and has_unseen(
        b"".join(line + b"\n" for line in _ADDED.findall(hunks)).decode("utf-8", "replace")
    ):
        yield "hidden"
    if any(len(line.decode("utf-8", "replace")) > LONGEST_LINE + 1 for line in _LONG.findall(hunks)):
        yield "long"
    for kind, words, pattern, more in (("skip", _SKIP_WORDS, _SKIP, True), ("assert", _ASSERT_WORDS, _ASSERT, False)):
        if not any(word in hunks for word in words) or not pattern.search(hunks):
            continue
        added, removed = (
            sum(bool(pattern.search(line)) for line in lines.findall(hunks)) for lines in (_ADDED, _REMOVED)
        )
        if (added > removed) if more else (removed > added):
            yield kind


# ---- The change as text ----

# The diff id (A2) does not depend on this part. There, a binary file counts by its object id.

_READABLE = ("-c", "core.quotepath=false", "diff-tree", "-r", "-p", "-M", "--no-color", "--no-ext-diff",
             "--no-textconv", "--no-relative", "--submodule=short", "--ignore-submodules=none")  # fmt: skip
_EXACT_NAMES = ("--full-index", "--src-prefix=a/", "--dst-prefix=b/")
_AS_TEXT = ("diff", "--text", "--no-color", "--no-ext-diff", "--no-textconv", "--no-indent-heuristic")
_SECTION_START = re.compile(rb"^(?=diff --git )", re.MULTILINE)
_INDEX_LINE = re.compile(rb"^index ([0-9a-f]{40,64})\.\.([0-9a-f]{40,64})", re.MULTILINE)
_BINARY_LINE = re.compile(rb"^Binary files ([^\n]*) differ$", re.MULTILINE)
_HUNK_START = re.compile(rb"^@@ ", re.MULTILINE)

RunInRoom = Callable[..., process.Finished]
"""Runs a git command in the clean room that can see both commits."""
Blob = tuple[bytes, int, "bytes | None"]
"""The name, size and content of an object. The content is None if too large."""

MOST_BYTES = 1_000_000
"""Largest size of one file to read. All files together may have ten times as much."""
BEGINNING = 60
_CONTROL = bytes({*range(0x20), 0x7F} - set(b"\t\n\r\f"))


def patch(git: Git, base: Sha, head: Sha, *style: str, context: int = 3) -> bytes:
    """Return the change as git prints it, with readable text in place of git's "Binary files differ" where possible."""
    out = git.room(*_READABLE, *_EXACT_NAMES, f"-U{context}", *style, base, head, trees=(base, head)).out
    if not _BINARY_LINE.search(out):
        return out
    head_part, *sections = _SECTION_START.split(out)
    closed = [_is_binary(section) for section in sections]
    room = partial(git.room, trees=(base, head))
    contents = _contents(
        room, [name for section, is_so in zip(sections, closed, strict=True) if is_so for name in _objects(section)]
    )
    return head_part + b"".join(
        _opened(room, section, contents, context) if is_so else section
        for section, is_so in zip(sections, closed, strict=True)
    )


def is_text(data: bytes) -> bool:
    """Return True if a file that git calls binary is readable: without NULs, at most a tenth of it is undecodable or
    control characters.
    """
    rest = data.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff").replace(b"\0", b"")
    text = rest.decode("utf-8", "replace")
    odd = text.count("\ufffd") + len(rest) - len(rest.translate(None, _CONTROL))
    return bool(rest) and odd * 10 <= len(text)


def _is_binary(section: bytes) -> bool:
    first = _HUNK_START.search(section)
    return _BINARY_LINE.search(section, 0, first.start() if first else len(section)) is not None


def _objects(section: bytes) -> tuple[bytes, ...]:
    """Return the old and new object of a section, without absent ones."""
    names = _INDEX_LINE.search(section)
    return tuple(name for name in names.groups() if name.strip(b"0")) if names else ()


def _contents(room: RunInRoom, names: list[bytes]) -> dict[bytes, tuple[int, bytes | None]]:
    """Return the size and content of each object. The content is None for objects above the size limit."""
    asked = b"".join(name + b"\n" for name in dict.fromkeys(names))
    rows = room("cat-file", "--batch-check=%(objectname) %(objectsize)", stdin=asked).out.split(b"\n")
    sizes = {row.split(b" ")[0]: int(row.split(b" ")[1]) for row in rows if row.split(b" ")[-1].isdigit()}
    left, small = MOST_BYTES * 10, []
    for name, size in sizes.items():
        if size <= min(MOST_BYTES, left):
            small.append(name)
            left -= size
    whole = dict(_read(room("cat-file", "--batch", stdin=b"".join(name + b"\n" for name in small)).out))
    return {name: (size, whole.get(name)) for name, size in sizes.items()}


def _read(out: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield the name and content of each object in the output of `cat-file --batch`."""
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        name, _, size = out[at:end].split(b" ")
        yield name, out[end + 1 : end + 1 + int(size)]
        at = end + 2 + int(size)


def _opened(room: RunInRoom, section: bytes, contents: Mapping[bytes, tuple[int, bytes | None]], context: int) -> bytes:
    """Return the section of a binary file with its lines if readable, else with its size and first bytes."""
    names, binary = _INDEX_LINE.search(section), _BINARY_LINE.search(section)
    assert names is not None
    assert binary is not None
    old, new = ((name, *contents.get(name, (0, b""))) if name.strip(b"0") else None for name in names.groups())
    known = [each for each in (old, new) if each is not None]
    if all(each[2] is not None and (not each[2] or is_text(each[2])) for each in known):
        a, b = _both_names(section, binary[1])
        return section[: binary.start()] + b"--- %b\n+++ %b\n" % (a, b) + _lines(room, old, new, context)
    size, data = known[-1][1:]
    begins = f", begins {data[:BEGINNING].decode('utf-8', 'backslashreplace')!r}" if data else ""
    return section[: binary.end()] + f"\nnot shown: {size:,} bytes{begins}\n".encode()


def _lines(room: RunInRoom, old: Blob | None, new: Blob | None, context: int) -> bytes:
    """Return the hunks between two objects, one of which may be absent."""
    if old is not None and new is not None:
        out = room(*_AS_TEXT, f"-U{context}", old[0].decode(), new[0].decode()).out
        first = _HUNK_START.search(out)
        return out[first.start() :] if first else b""
    blob, sign = (new, b"+") if new is not None else (old, b"-")
    assert blob is not None
    assert blob[2] is not None
    lines = blob[2].split(b"\n")
    whole = lines.pop() == b"" if blob[2].endswith(b"\n") else False
    count = b"0,0" if not lines else b"1,%d" % len(lines)
    at = (b"-0,0 +" + count) if sign == b"+" else (b"-" + count + b" +0,0")
    body = b"".join(sign + line + b"\n" for line in lines)
    return b"@@ %b @@\n" % at + body + (b"" if whole or not lines else b"\\ No newline at end of file\n")


def _both_names(section: bytes, names: bytes) -> tuple[bytes, bytes]:
    """Return the two names of `Binary files A and B differ`, quoted as git quotes them.

    A name may itself contain ` and `. Both names have the same length, or one is /dev/null, or the rename lines give
    them.
    """
    if names.startswith(b"/dev/null and "):
        return b"/dev/null", names[len(b"/dev/null and ") :]
    if names.endswith(b" and /dev/null"):
        return names[: -len(b" and /dev/null")], b"/dev/null"
    moved = re.search(rb"^rename from ([^\n]*)\nrename to ([^\n]*)$", section, re.MULTILINE)
    if moved:
        return _prefixed(b"a/", moved[1]), _prefixed(b"b/", moved[2])
    half = (len(names) - len(b" and ")) // 2
    return names[:half], names[-half:]


def _prefixed(prefix: bytes, name: bytes) -> bytes:
    return b'"' + prefix + name[1:] if name[:1] == b'"' else prefix + name
