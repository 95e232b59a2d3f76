"""What a patch has in it that whoever looks should know (H1): read from git's own output, once, when work is
submitted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from foureyes.adapters.git.client.answers import as_text
from foureyes.adapters.git.client.object_form import FILE, LINK, MODULE, NO_FILE, PROGRAM
from foureyes.core.nouns.attempt import ChangedFile, Mark, MarkKind
from foureyes.core.words.text import has_unseen, is_odd_name

_SKIP = re.compile(
    rb"pytest\.mark\.(?:skip|xfail)|pytest\.skip\(|unittest\.skip|\b(?:it|test|describe)\.(?:skip|todo)\b|\bx(?:it|describe|test)\("
    rb"|@Disabled\b|@Ignore\b|\bt\.Skip|#\[ignore"
)
_ASSERT = re.compile(rb"\bassert|\bexpect\(|\.should\b|\brequire\.\w+\(t,|\bt\.(?:Error|Fatal)")
_PRINTED = bytes(range(0x20, 0x7F))
_HARMLESS = bytes({*_PRINTED, *b"\t\n\r"})
"""Every byte of a text in which nothing is hidden, but for a lone return."""
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
"""One of these is in whatever the patterns find; a word is found many times faster than a pattern."""
_LONG = re.compile(rb"^\+[^\n]{501,}", re.MULTILINE)
LONGEST_LINE = 500
"""H1: of more characters nobody sees all."""
_ADDED = re.compile(rb"^\+[^\n]*", re.MULTILINE)
_REMOVED = re.compile(rb"^-[^\n]*", re.MULTILINE)


def marks_of(
    changed: Sequence[tuple[bytes, bytes, bytes, bytes, bytes]], files: Sequence[ChangedFile]
) -> tuple[Mark, ...]:
    """Marks of entries given as (path, status, old mode, new mode, hunks)."""
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
    """P10, M3: what a file is besides its lines, before and after."""
    if NO_FILE not in (old, new) and old != new:
        yield "mode"
    if old == LINK != new:
        yield "unlinked"
    if MODULE in (old, new):
        yield "submodule"
    if not {old, new} <= {NO_FILE, FILE}:
        yield "odd"


def _may_show(hunks: bytes) -> bool:
    """Whether lines may show something: most patches show nothing, and all files at once are looked through faster
    than each.
    """
    odd = hunks.translate(None, _HARMLESS) or b"\r" in hunks
    return bool(odd) or _LONG.search(hunks) is not None or any(word in hunks for word in (*_SKIP_WORDS, *_ASSERT_WORDS))


def _in_hunks(hunks: bytes) -> Iterator[str]:
    """What the added and removed lines show. A quick look first: most patches have none of it."""
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
