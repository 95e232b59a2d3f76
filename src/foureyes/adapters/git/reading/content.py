"""What commits hold: texts of files, renames, and the pieces that an attempt is made of (A6); asked in the clean room.

A commit's own diff is named by a sha256 over its patch: white space, paths, modes and three lines of context count;
line numbers, the function name behind `@@` and, where there are lines to go by, object ids do not, so that the same
commit on another base is the same piece.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from foureyes.adapters.git.client.answers import must_be_sha, shown
from foureyes.adapters.git.client.git import Git
from foureyes.core.words.ids import Sha

MAX_TEXT = 2_000_000
BINARY_WITHIN = 8_000
"""Git's own test: a NUL among the first 8,000 bytes."""
RENAME_LIMIT = 400
"""Beyond so many new or so many gone files git compares no contents any more; files that moved unchanged are still
found.
"""

_LONGEST_PATH = 4_096
_BYTES_PER_CALL = 200_000
_FILES = (b"100644", b"100755")
_LINK = b"120000"
_ODD_PARTS = frozenset({"", ".", ".."})
_PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=none")
_RENAMES = (
    "diff-tree",
    "-r",
    "-z",
    "-M",
    f"-l{RENAME_LIMIT}",
    "--no-rename-empty",
    "--diff-filter=R",
    "--name-status",
    *_PLAIN,
)
_RAW = ("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", *_PLAIN)
# As for the diff id (A2): most of these are the default in the clean room, and are named for a git whose defaults are
# others.
_OWN_DIFFS = (
    "-c", "core.quotepath=true", "-c", "diff.suppressBlankEmpty=false", "-c", "diff.orderFile=/dev/null", "-c",
    "log.showRoot=true", "log", "--no-merges", "--no-decorate", "--no-notes", "--no-show-signature", "--format=%H",
    "-p", "--full-index", "--no-renames", "--diff-algorithm=myers", "--no-indent-heuristic", "--src-prefix=a/",
    "--dst-prefix=b/", "-U3", "--inter-hunk-context=0", "--submodule=short", *_PLAIN,
)  # fmt: skip
# Every line of a patch that is content starts with a space, a sign or a backslash, so none of these is ever found in
# content.
_COMMIT = re.compile(rb"^(?:[0-9a-f]{64}|[0-9a-f]{40})$\n?", re.MULTILINE)
_SECTION = re.compile(rb"^(?=diff --git )", re.MULTILINE)
_HUNK = re.compile(rb"^@@ [^\n]*\n", re.MULTILINE)
_OBJECTS = re.compile(rb"^index [0-9a-f]+\.\.[0-9a-f]+", re.MULTILINE)


def texts(git: Git, commit: Sha, paths: Sequence[str]) -> dict[str, str]:
    """The texts of regular files at a commit, whatever their names; what is not there, is binary or is very large is
    left out.
    """
    blobs = {path: blob for some in _portions(paths) for path, blob in _blobs(git, commit, some).items()}
    asked = sorted(set(blobs.values()))
    if not asked:
        return {}
    out = git.room("cat-file", "--batch", stdin=b"".join(blob + b"\n" for blob in asked)).out
    contents = dict(_contents(out))
    return {path: contents[blob].decode("utf-8", "replace") for path, blob in blobs.items() if blob in contents}


def _portions(paths: Sequence[str]) -> Iterator[list[str]]:
    """Paths that can be asked for, in portions that fit on a command line."""
    portion: list[str] = []
    size = 0
    for path in dict.fromkeys(paths):
        if not _is_askable(path):
            continue
        portion.append(path)
        size += len(path.encode("utf-8", "surrogateescape"))
        if size > _BYTES_PER_CALL:
            yield portion
            portion, size = [], 0
    if portion:
        yield portion


def _is_askable(path: str) -> bool:
    """Whether this can be the path of a file in a tree, and an argument of a program."""
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return len(raw) <= _LONGEST_PATH and b"\0" not in raw and _ODD_PARTS.isdisjoint(path.split("/"))


def _blobs(git: Git, commit: Sha, paths: list[str]) -> dict[str, bytes]:
    """The object of each path that is a regular file of a size to read."""
    wanted = {path.encode("utf-8", "surrogateescape"): path for path in paths}
    out = git.room("--literal-pathspecs", "ls-tree", "-l", "-z", "--full-tree", must_be_sha(commit), "--", *paths).out
    blobs = {}
    for row in out.split(b"\0")[:-1]:
        facts, _, raw = row.partition(b"\t")
        mode, _, blob, size = facts.split()
        if raw in wanted and mode in _FILES and size.isdigit() and int(size) <= MAX_TEXT:
            blobs[wanted[raw]] = blob
    return blobs


def _contents(out: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Object and content of each answer that is text. An object that is missing is answered with a line of two
    words.
    """
    at = 0
    while at < len(out):
        end = out.index(b"\n", at)
        words = out[at:end].split(b" ")
        at = end + 1
        if len(words) != 3:
            continue
        size = int(words[2])
        if b"\0" not in out[at : at + min(size, BINARY_WITHIN)]:
            yield words[0], out[at : at + size]
        at += size + 1


def renames(git: Git, old: Sha, new: Sha) -> dict[str, str]:
    """Path now → path then, of every file that was renamed between two commits."""
    words = git.room(*_RENAMES, must_be_sha(old), must_be_sha(new)).out.split(b"\0")[:-1]
    return {shown(now): shown(then) for then, now in zip(words[1::3], words[2::3], strict=True)}


def pieces(git: Git, base: Sha, head: Sha) -> tuple[str, ...]:
    """A6: `blob <sha>` of each file and link that is new or changed, and `diff <id>` of each commit that is no
    merge.
    """
    if must_be_sha(base) == must_be_sha(head):
        return ()
    blobs = {f"blob {blob}" for blob in _new_blobs(git, base, head)}
    diffs = {f"diff {named}" for named in _own_diffs(git.room(*_OWN_DIFFS, f"{base}..{head}").out)}
    return tuple(sorted(blobs | diffs))


def _new_blobs(git: Git, base: Sha, head: Sha) -> set[str]:
    """Contents on the new side that none of the changed files had before: a renamed file is nobody's new work."""
    words = git.room(*_RAW, base, head).out.split(b"\0")[:-1]
    rows = [row[1:].split(b" ") for row in words[::2]]
    before = {old for _, _, old, _, _ in rows}
    after = {new for _, mode, _, new, _ in rows if mode in _FILES or mode == _LINK}
    return {blob.decode("ascii") for blob in after - before} - _empty_blobs()


def _empty_blobs() -> set[str]:
    """The names of the content that is nothing: everybody has it, and it is nobody's."""
    import hashlib

    empty = b"blob 0\0"
    return {hashlib.sha1(empty, usedforsecurity=False).hexdigest(), hashlib.sha256(empty).hexdigest()}


def _own_diffs(log: bytes) -> Iterator[str]:
    """The id of each diff in a log; a commit without one has none."""
    import hashlib

    for patch in _COMMIT.split(log):
        sections = _SECTION.split(patch)[1:]
        if sections:
            yield hashlib.sha256(b"".join(_canonical(section.rstrip(b"\n")) for section in sections)).hexdigest()


def _canonical(section: bytes) -> bytes:
    """One file's part of a patch, without what changes when code elsewhere does."""
    if _HUNK.search(section) is None:
        return section + b"\n"
    return _OBJECTS.sub(b"index", _HUNK.sub(b"@@\n", section)) + b"\n"
