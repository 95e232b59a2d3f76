"""What a patch has in it that whoever looks should know (H1): read from git's own output, once, when work is
handed in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from foureyes.adapters.git.client.answers import shown
from foureyes.core.nouns.attempt import ChangedFile, Mark

EXECUTABLE, LINK = b"100755", b"120000"
# Zero-width and bidirectional characters, byte order marks, soft hyphens, and control characters other than tab.
_HIDDEN = re.compile(
    rb"\xe2\x80[\x8b-\x8f\xaa-\xae]|\xe2\x81[\xa0-\xa9]|\xef\xbb\xbf|\xc2\xad|\xd8\x9c|[\x01-\x08\x0b\x0c\x0e-\x1f\x7f]"
)
_SKIP = re.compile(
    rb"pytest\.mark\.(?:skip|xfail)|pytest\.skip\(|unittest\.skip|\b(?:it|test|describe)\.(?:skip|todo)\b|\bx(?:it|describe|test)\("
    rb"|@Disabled\b|@Ignore\b|\bt\.Skip|#\[ignore"
)
_ASSERT = re.compile(rb"\bassert|\bexpect\(|\.should\b|\brequire\.\w+\(t,|\bt\.(?:Error|Fatal)")
_HARMLESS = bytes(set(range(256)) - {*range(1, 9), 0x0B, 0x0C, *range(0x0E, 0x20), 0x7F, 0xC2, 0xD8, 0xE2, 0xEF})
"""Every byte with which nothing hidden begins."""
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
_ADDED = re.compile(rb"^\+[^\n]*", re.MULTILINE)
_REMOVED = re.compile(rb"^-[^\n]*", re.MULTILINE)


def marks_of(
    changed: Sequence[tuple[bytes, bytes, bytes, bytes, bytes]], files: Sequence[ChangedFile]
) -> tuple[Mark, ...]:
    """Marks of entries given as (path, status, old mode, new mode, hunks)."""
    marks = [Mark("binary", file.path) for file in files if file.added is None]
    for path, status, old_mode, new_mode, hunks in changed:
        name = shown(path)
        if status[:1] == b"D":
            marks.append(Mark("deleted", name))
        elif new_mode == EXECUTABLE != old_mode:
            marks.append(Mark("executable", name))
        elif new_mode == LINK:
            marks.append(Mark("link", name))
        marks += [Mark(kind, name) for kind in _in_hunks(hunks)]  # type: ignore[arg-type]
    return tuple(dict.fromkeys(marks))


def _in_hunks(hunks: bytes) -> Iterator[str]:
    """What the added and removed lines show. A quick look first: most patches have none of it."""
    if (
        hunks.translate(None, _HARMLESS)
        and _HIDDEN.search(hunks)
        and any(_HIDDEN.search(line) for line in _ADDED.findall(hunks))
    ):
        yield "hidden"
    for kind, words, pattern, more in (("skip", _SKIP_WORDS, _SKIP, True), ("assert", _ASSERT_WORDS, _ASSERT, False)):
        if not any(word in hunks for word in words) or not pattern.search(hunks):
            continue
        added, removed = (
            sum(bool(pattern.search(line)) for line in lines.findall(hunks)) for lines in (_ADDED, _REMOVED)
        )
        if (added > removed) if more else (removed > added):
            yield kind
