r"""Parser for unified diffs as git writes them: files, hunks and numbered lines.

Every content line begins with a space, a sign or a backslash, so content is never taken for a header. Texts keep the
files' control characters, which the caller must make visible. Bytes that are not UTF-8 appear as `\xe9`. No input
raises an error, and unknown lines become notes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec
from msgspec.structs import replace

from foureyes.core.words.digest import sha256

# ---- Unified diff ----


LineKind = Literal["context", "added", "removed", "note"]
FileStatus = Literal["A", "M", "D", "R", "T"]

_SECTION = re.compile(rb"^diff --git ", re.MULTILINE)
_HUNK = re.compile(
    rb"^@@ -(\d{1,10})(?:,(\d{1,10}))? \+(\d{1,10})(?:,(\d{1,10}))? @@(?: ([^\n]*))?(?:\n|\Z)", re.MULTILINE
)
_INDEX = re.compile(rb"index ([0-9a-f]{4,64})\.\.([0-9a-f]{4,64})(?: (\d{6}))?\Z")
_MOVED = re.compile(rb"^:(\d{6}) (\d{6}) [^\n\t]* R\d+\t[^\n\t]+\t([^\n\t]+)$", re.MULTILINE)
_ESCAPE = re.compile(rb'\\([abfnrtv"\\]|[0-7]{3})')
_LETTERS = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}
_KINDS: dict[str, LineKind] = {" ": "context", "+": "added", "-": "removed"}


class DiffLine(msgspec.Struct, frozen=True, gc=False):
    """A line of a hunk with its numbers in the old and the new file."""

    kind: LineKind
    old: int | None
    new: int | None
    text: str


class Hunk(msgspec.Struct, frozen=True):
    """A hunk: the changes in one place.

    Its `id` is made from paths, modes and lines without line numbers, so that an unchanged hunk keeps its id in later
    attempts. A file that changed in no line (binary, empty, mode or name only) has one hunk with one note, so that
    there is something to review. `hides_space`: lines that differ only in white space are shown as unchanged.
    """

    id: str
    section: str
    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    lines: tuple[DiffLine, ...]
    hides_space: bool = False


class FileDiff(msgspec.Struct, frozen=True, kw_only=True):
    """A changed file.

    - old_path: set for a rename
    - sizes: set for a binary file
    - mode_change: such as `100644 to 100755`
    - kind: describes a file that is not an ordinary one, or became one
    - folded: a generated file or a lock file
    - counts: its hunks count for the review (H4)
    """

    path: str
    old_path: str = ""
    status: FileStatus = "M"
    added: int = 0
    removed: int = 0
    binary: bool = False
    old_size: int | None = None
    new_size: int | None = None
    mode_change: str = ""
    kind: str = ""
    folded: bool = False
    counts: bool = True
    hunks: tuple[Hunk, ...] = ()
    old_object: str = ""
    new_object: str = ""


class _Header(msgspec.Struct):
    """The header above the hunks of a file."""

    path: bytes = b""
    old_path: bytes = b""
    status: FileStatus = "M"
    old_mode: bytes = b""
    new_mode: bytes = b""
    old: bytes = b""
    new: bytes = b""
    binary: bool = False
    unshown: bytes = b""

    @property
    def mode_change(self) -> str:
        both = self.old_mode and self.new_mode and self.old_mode != self.new_mode
        return f"{_text(self.old_mode)} to {_text(self.new_mode)}" if both else ""

    @property
    def kind(self) -> str:
        return kind_in_words(_text(self.old_mode), _text(self.new_mode), _object(self.old), _object(self.new))

    @property
    def facts(self) -> tuple[bytes, ...]:
        """Everything that identifies the file, apart from its lines."""
        return self.path, self.old_path, self.old_mode, self.new_mode


def parse(patch: bytes) -> tuple[FileDiff, ...]:
    """Return the files of a patch in order. A type change (a file becomes a link) is one file.

    Git's raw lines, if they come first, give the modes of files that only moved.
    """
    files: list[FileDiff] = []
    headers: list[_Header] = []
    raw, *sections = _SECTION.split(patch)
    moved = {_unquoted(row[3]): (row[1], row[2]) for row in _MOVED.finditer(raw)}
    for section in sections:
        first = _HUNK.search(section)
        header = _header(section[: first.start()] if first else section)
        if not header.old_mode and not header.new_mode:
            header.old_mode, header.new_mode = moved.get(header.path, (b"", b""))
        file = _file(header, tuple(_hunks(header, section, first.start())) if first else ())
        if files and (files[-1].status, file.status) == ("D", "A") and files[-1].path == file.path:
            gone = headers.pop()
            header.old_mode, header.old = gone.old_mode, gone.old
            file = _joined(files.pop(), file, header)
        files.append(file)
        headers.append(header)
    return tuple(files)


def _file(header: _Header, hunks: tuple[Hunk, ...]) -> FileDiff:
    kinds = [line.kind for hunk in hunks for line in hunk.lines]
    return FileDiff(
        path=_text(header.path),
        old_path=_text(header.old_path),
        status=header.status,
        added=kinds.count("added"),
        removed=kinds.count("removed"),
        binary=header.binary,
        mode_change=header.mode_change,
        kind=header.kind,
        hunks=hunks or (_without_lines(header),),
        old_object=_object(header.old),
        new_object=_object(header.new),
    )


def _joined(gone: FileDiff, made: FileDiff, both: _Header) -> FileDiff:
    """Return a removal and an addition of one path as a single type change."""
    return replace(
        made,
        status="T",
        removed=gone.removed,
        binary=gone.binary or made.binary,
        mode_change=both.mode_change,
        kind=both.kind,
        hunks=gone.hunks + made.hunks,
        old_object=gone.old_object,
    )


# Hunks


def _hunks(header: _Header, section: bytes, at: int) -> Iterator[Hunk]:
    """Yield the hunks of a file. Hunks with the same lines get different ids, by their order."""
    starts = list(_HUNK.finditer(section, at))
    ends = [start.start() for start in starts[1:]] + [len(section)]
    seen: dict[str, int] = {}
    for start, end in zip(starts, ends, strict=True):
        body = section[start.end() : end].removesuffix(b"\n")
        name = hunk_id(*header.facts, body)
        seen[name] = seen.get(name, 0) + 1
        old_start, old_lines, new_start, new_lines = (1 if word is None else int(word) for word in start.groups()[:4])
        yield Hunk(
            id=name if seen[name] == 1 else hunk_id(*header.facts, body, b"%d" % seen[name]),
            section=_text(start[5] or b""),
            old_start=old_start,
            old_lines=old_lines,
            new_start=new_start,
            new_lines=new_lines,
            lines=_lines(_text(body), old_start, new_start),
        )


def hunk_id(*facts: bytes) -> str:
    """Return the id of a hunk.

    It is a full digest, because an author controls the content. Each fact is prefixed with its length, so that
    different facts never collide.
    """
    return sha256(b"".join(b"%d:%b" % (len(fact), fact) for fact in facts)).hexdigest()


def _lines(body: str, old: int, new: int) -> tuple[DiffLine, ...]:
    lines = []
    for text in body.split("\n") if body else ():
        kind = _KINDS.get(text[:1])
        if kind == "context":
            lines.append(DiffLine(kind, old, new, text[1:]))
            old, new = old + 1, new + 1
        elif kind == "added":
            lines.append(DiffLine(kind, None, new, text[1:]))
            new += 1
        elif kind == "removed":
            lines.append(DiffLine(kind, old, None, text[1:]))
            old += 1
        else:
            lines.append(DiffLine("note", None, None, text.removeprefix("\\ ")))
    return tuple(lines)


def _without_lines(header: _Header) -> Hunk:
    """Return a hunk for a file without changed lines. Different content gives a different hunk."""
    words = [header.kind] if header.kind else []
    words += [f"mode {header.mode_change}"] if header.mode_change else []
    if header.binary:
        words.append(", ".join(["binary file", *([_text(header.unshown)] if header.unshown else [])]))
    elif header.status == "R":
        words.append("content unchanged")
    elif not header.mode_change:
        words.append("empty file")
    note = DiffLine("note", None, None, ", ".join(words))
    return Hunk(hunk_id(*header.facts, header.old, header.new), "", 0, 0, 0, 0, (note,))


# Headers


def _header(text: bytes) -> _Header:
    """Return the header of a file. Names come from lines with a single name. The first line, which has two, is used
    only if there are none.
    """
    first, *lines = text.split(b"\n")
    header = _Header()
    for line in lines:
        _read(header, line)
    header.path = header.path or header.old_path or _twice(first)
    if header.status != "R" or header.old_path == header.path:
        header.old_path = b""
    return header


def _read(header: _Header, line: bytes) -> None:
    if index := _INDEX.match(line):
        header.old, header.new = index[1], index[2]
        header.old_mode, header.new_mode = header.old_mode or index[3] or b"", header.new_mode or index[3] or b""
    elif line.startswith(b"old mode "):
        header.old_mode = line[9:]
    elif line.startswith(b"new mode "):
        header.new_mode = line[9:]
    elif line.startswith(b"new file mode "):
        header.status, header.new_mode = "A", line[14:]
    elif line.startswith(b"deleted file mode "):
        header.status, header.old_mode = "D", line[18:]
    elif line.startswith(b"rename from "):
        header.status, header.old_path = "R", _unquoted(line[12:])
    elif line.startswith(b"rename to "):
        header.path = _unquoted(line[10:])
    elif line.startswith(b"--- ") and header.status != "R":
        header.old_path = _prefixed(line[4:], b"a/")
    elif line.startswith(b"+++ ") and header.status != "R":
        header.path = _prefixed(line[4:], b"b/")
    elif line.startswith((b"Binary files ", b"GIT binary patch")):
        header.binary = True
    elif line.startswith(b"not shown: "):
        header.unshown = line


def _prefixed(word: bytes, prefix: bytes) -> bytes:
    """Return the path of a `---` or `+++` line. Git adds a tab to a path with white space."""
    return b"" if word == b"/dev/null" else _unquoted(word.removesuffix(b"\t")).removeprefix(prefix)


def _twice(names: bytes) -> bytes:
    """Return the path of `a/path b/path`. Both paths are equal, so the middle is known."""
    middle = len(names) // 2
    return _unquoted(names[middle + 1 :]).removeprefix(b"b/")


def _unquoted(word: bytes) -> bytes:
    if len(word) < 2 or word[:1] != b'"' or word[-1:] != b'"':
        return word
    return _ESCAPE.sub(_meant, word[1:-1])


def _meant(escape: re.Match[bytes]) -> bytes:
    code = escape[1]
    return bytes([int(code, 8) & 0xFF]) if len(code) == 3 else _LETTERS.get(code, code)


def _object(name: bytes) -> str:
    return "" if not name.strip(b"0") else _text(name)


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")


# ---- The kind of a changed file, in words ----

FILE = "100644"
KINDS = {FILE: "file", "100664": "file", "100755": "executable", "120000": "link", "160000": "submodule"}
"""The modes known to git. `100664` is a file in very old repositories."""
_COMMIT = 12
"""Number of digits shown of a submodule's commit."""


def kind_in_words(old_mode: str, new_mode: str, old: str = "", new: str = "") -> str:
    """Return the kind of file created, removed or changed, or "" for an ordinary file before and after. `old` and
    `new` name the objects, which for a submodule are commits.
    """
    was, now = _kind(old_mode), _kind(new_mode)
    if was == now:
        return _unchanged(now, old, new)
    if not was:
        return "" if now == "file" else f"new {now}{_commit(now, new)}"
    if not now:
        return "" if was == "file" else f"removed {was}{_commit(was, old)}"
    if {was, now} == {"file", "executable"}:
        return "now executable" if now == "executable" else "no longer executable"
    return f"was {_a(was)}{_commit(was, old)}, now {_a(now)}{_commit(now, new)}"


def _kind(mode: str) -> str:
    return KINDS.get(mode, f"file of mode {mode}") if mode.strip("0") else ""


def _unchanged(kind: str, old: str, new: str) -> str:
    if kind == "submodule":
        return f"submodule, from{_commit(kind, old)} to{_commit(kind, new)}".replace(" at ", " ")
    return "" if kind == "file" else kind


def _commit(kind: str, name: str) -> str:
    return f" at {name[:_COMMIT]}" if kind == "submodule" and name else ""


def _a(kind: str) -> str:
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


# ---- A diff through a lens ----

CONTEXT = 3
"""Number of context lines by default."""
MOST_CONTEXT = 1_000
COMPARED = 100_000
"""Largest number of line pairs to compare. Above it, only lines at the same position are compared."""


def widened(files: Sequence[FileDiff], wide: Sequence[FileDiff]) -> tuple[FileDiff, ...]:
    """Return the files with more context, taken from `wide`, the same change. Hunks that merged there are split
    again.
    """
    lines = {file.path: [line for hunk in file.hunks for line in hunk.lines] for file in wide}
    return tuple(replace(file, hunks=_cut(file.hunks, lines.get(file.path, []))) for file in files)


def _cut(hunks: tuple[Hunk, ...], lines: list[DiffLine]) -> tuple[Hunk, ...]:
    """Return the hunks with more context, each reaching up to the next one. If the lines do not match the hunks,
    return them unchanged.
    """
    firsts, at = [], 0
    for hunk in hunks:
        start = next((n for n in range(at, len(lines)) if hunk.lines[:1] == (lines[n],)), len(lines))
        end = start + len(hunk.lines)
        if tuple(lines[start:end]) != hunk.lines or start == end:
            return hunks
        firsts.append(_first(lines, start, at))
        at = end
    return tuple(
        _with(hunk, lines[first:end]) for hunk, first, end in zip(hunks, firsts, [*firsts[1:], len(lines)], strict=True)
    )


def _first(lines: list[DiffLine], start: int, end: int) -> int:
    """Return the start of the unbroken context above a hunk, not before `end`."""
    while start > end and _follows(lines[start - 1], lines[start]):
        start -= 1
    return start


def _follows(line: DiffLine, following: DiffLine) -> bool:
    """Return True if a context line is directly above another line."""
    if line.kind != "context" or line.old is None or line.new is None:
        return False
    return following.old in (None, line.old + 1) and following.new in (None, line.new + 1)


def _with(hunk: Hunk, lines: Sequence[DiffLine]) -> Hunk:
    old = [line.old for line in lines if line.old is not None]
    new = [line.new for line in lines if line.new is not None]
    return replace(
        hunk,
        old_start=old[0] if old else hunk.old_start,
        old_lines=len(old),
        new_start=new[0] if new else hunk.new_start,
        new_lines=len(new),
        lines=tuple(lines),
    )


def without_space(files: Sequence[FileDiff]) -> tuple[FileDiff, ...]:
    """Return the files without changes of white space. Those lines become context, and hunks or files with nothing else
    are dropped. A hunk with hidden changes is marked.
    """
    made = []
    for file in files:
        hunks = tuple(hunk for each in file.hunks if (hunk := _without_space(each)) is not None)
        if hunks:
            made.append(replace(file, hunks=hunks))
    return tuple(made)


def _without_space(hunk: Hunk) -> Hunk | None:
    lines = tuple(_calm(hunk.lines))
    if lines == hunk.lines:
        return hunk
    if all(line.kind in ("context", "note") for line in lines):
        return None
    return replace(hunk, lines=lines, hides_space=True)


def _calm(lines: Sequence[DiffLine]) -> Iterator[DiffLine]:
    """Yield the lines. Those that were replaced by the same words become context."""
    removed: list[DiffLine] = []
    added: list[DiffLine] = []
    for line in lines:
        if line.kind == "removed" and not added:
            removed.append(line)
        elif line.kind == "added":
            added.append(line)
        else:
            yield from _merged(removed, added)
            removed, added = ([line], []) if line.kind == "removed" else ([], [])
            if line.kind != "removed":
                yield line
    yield from _merged(removed, added)


def _merged(removed: list[DiffLine], added: list[DiffLine]) -> Iterator[DiffLine]:
    if not removed or not added:
        yield from [*removed, *added]
        return
    was = 0
    now = 0
    for old, new in [*_pairs(removed, added), (len(removed), len(added))]:
        yield from removed[was:old]
        yield from added[now:new]
        if old < len(removed):
            yield DiffLine("context", removed[old].old, added[new].new, added[new].text)
        was, now = old + 1, new + 1


def _pairs(removed: list[DiffLine], added: list[DiffLine]) -> list[tuple[int, int]]:
    """Return pairs of lines that differ only in white space."""
    olds, news = ([_words(line) for line in lines] for lines in (removed, added))
    if len(olds) * len(news) > COMPARED:
        same = len(olds) == len(news)
        return [(n, n) for n, word in enumerate(olds) if word == news[n]] if same else []
    return _common(olds, news)


def _common(olds: list[str], news: list[str]) -> list[tuple[int, int]]:
    """Return the longest common subsequence of words, as positions in each list."""
    longest = [[0] * (len(news) + 1) for _ in range(len(olds) + 1)]
    for old in reversed(range(len(olds))):
        here, below = longest[old], longest[old + 1]
        for new in reversed(range(len(news))):
            here[new] = below[new + 1] + 1 if olds[old] == news[new] else max(below[new], here[new + 1])
    pairs, old, new = [], 0, 0
    while old < len(olds) and new < len(news):
        if olds[old] == news[new]:
            pairs.append((old, new))
            old, new = old + 1, new + 1
        elif longest[old + 1][new] >= longest[old][new + 1]:
            old += 1
        else:
            new += 1
    return pairs


def _words(line: DiffLine) -> str:
    return "".join(line.text.split())
