"""A change for reading. Git calls a file binary that has a NUL among its first bytes, and prints no line of it. What is
text otherwise is shown here, with its NULs; the rest says how large it is, how it begins, and that nobody saw it.

What a change is called (A2) does not depend on it: there a file that git calls binary counts by its object id.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from foureyes.adapters import process
from foureyes.adapters.git.client.git import Git
from foureyes.core.words.ids import Sha

_READABLE = ("-c", "core.quotepath=false", "diff-tree", "-r", "-p", "-M", "--no-color", "--no-ext-diff",
             "--no-textconv", "--no-relative", "--submodule=short", "--ignore-submodules=none")  # fmt: skip
_EXACT_NAMES = ("--full-index", "--src-prefix=a/", "--dst-prefix=b/")
_AS_TEXT = ("diff", "--text", "--no-color", "--no-ext-diff", "--no-textconv", "--no-indent-heuristic")
_SECTION = re.compile(rb"^(?=diff --git )", re.MULTILINE)
_INDEX = re.compile(rb"^index ([0-9a-f]{40,64})\.\.([0-9a-f]{40,64})", re.MULTILINE)
_BINARY = re.compile(rb"^Binary files ([^\n]*) differ$", re.MULTILINE)
_HUNK = re.compile(rb"^@@ ", re.MULTILINE)

RunInRoom = Callable[..., process.Finished]
"""A question in the clean room about the two commits."""
Blob = tuple[bytes, int, "bytes | None"]
"""Name, size and content of an object."""

MOST_BYTES = 1_000_000
"""A file up to this size is looked at; all of them together up to ten times as much."""
BEGINNING = 60
_CONTROL = bytes({*range(0x20), 0x7F} - set(b"\t\n\r\f"))


def patch(git: Git, base: Sha, head: Sha, *style: str, context: int = 3) -> bytes:
    """The change as git prints it, and the text in what git calls binary."""
    out = git.room(*_READABLE, *_EXACT_NAMES, f"-U{context}", *style, base, head, trees=(base, head)).out
    if not _BINARY.search(out):
        return out
    head_part, *sections = _SECTION.split(out)
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
    """Whether what git calls binary can be read all the same: at most a tenth of it, NULs aside, is neither a letter
    nor white space.
    """
    rest = data.removeprefix(b"\xff\xfe").removeprefix(b"\xfe\xff").replace(b"\0", b"")
    text = rest.decode("utf-8", "replace")
    odd = text.count("\ufffd") + len(rest) - len(rest.translate(None, _CONTROL))
    return bool(rest) and odd * 10 <= len(text)


def _is_binary(section: bytes) -> bool:
    first = _HUNK.search(section)
    return _BINARY.search(section, 0, first.start() if first else len(section)) is not None


def _objects(section: bytes) -> tuple[bytes, ...]:
    """The old and the new object of a section that are there."""
    names = _INDEX.search(section)
    return tuple(name for name in names.groups() if name.strip(b"0")) if names else ()


def _contents(room: RunInRoom, names: list[bytes]) -> dict[bytes, tuple[int, bytes | None]]:
    """Size and content of each object; no content of those that are too large to be looked at."""
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
    """The objects of `cat-file --batch`."""
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        name, _, size = out[at:end].split(b" ")
        yield name, out[end + 1 : end + 1 + int(size)]
        at = end + 2 + int(size)


def _opened(room: RunInRoom, section: bytes, contents: Mapping[bytes, tuple[int, bytes | None]], context: int) -> bytes:
    """The section of a file that git calls binary: with its lines if it can be read, else with what is known of it."""
    names, binary = _INDEX.search(section), _BINARY.search(section)
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
    """The hunks between two objects, one of which may be missing."""
    if old is not None and new is not None:
        out = room(*_AS_TEXT, f"-U{context}", old[0].decode(), new[0].decode()).out
        first = _HUNK.search(out)
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
    """The two names of `Binary files A and B differ`, quoted as git quotes them. Either may have ` and ` in it: both
    are equally long, or one is missing, or the lines about a rename say them.
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
