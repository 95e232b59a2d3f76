"""Reads the contents of commits in the clean room: texts, renames, links (A4), pieces of an attempt (A6), missing
objects."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from foureyes.adapters.git.client.answers import as_sha, as_text, must_be_sha
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.object_files import FILE, LINK, MODULE, PROGRAM, TREE, TreeEntry, entry_of, named_by
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem

# ---- Content (A6) ----

# A commit's own diff is identified by a sha256 over its patch: white space, paths, modes and three lines of context
# count. Line numbers and the function name after `@@` do not, and neither do object ids if there are hunks. So the same
# commit on another base is the same piece.

MAX_TEXT = 2_000_000
BINARY_WITHIN = 8_000
"""Git's own test for a binary file: a NUL among the first 8,000 bytes."""
RENAME_LIMIT = 400
"""Number of new or deleted files above which git compares no contents. It still finds files that moved unchanged."""

_LONGEST_PATH = 4_096
_FILES = (FILE, PROGRAM)
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
# As for the diff id (A2): most of these are defaults in the clean room, stated in case git's defaults change.
_OWN_DIFFS = (
    "-c", "core.quotepath=true", "-c", "diff.suppressBlankEmpty=false", "-c", "diff.orderFile=/dev/null", "-c",
    "log.showRoot=true", "log", "--no-merges", "--no-decorate", "--no-notes", "--no-show-signature", "--format=%H",
    "-p", "--full-index", "--no-renames", "--diff-algorithm=myers", "--no-indent-heuristic", "--src-prefix=a/",
    "--dst-prefix=b/", "-U3", "--inter-hunk-context=0", "--submodule=short", *_PLAIN,
)  # fmt: skip
# Every content line of a patch starts with a space, a sign or a backslash, so these patterns never match content.
_COMMIT = re.compile(rb"^(?:[0-9a-f]{64}|[0-9a-f]{40})$\n?", re.MULTILINE)
_SECTION = re.compile(rb"^(?=diff --git )", re.MULTILINE)
_HUNK = re.compile(rb"^@@ [^\n]*\n", re.MULTILINE)
_OBJECTS = re.compile(rb"^index [0-9a-f]+\.\.[0-9a-f]+", re.MULTILINE)


def texts(git: Git, commit: Sha, paths: Sequence[str]) -> dict[str, str]:
    """Return the texts of regular files at a commit. Absent, binary and very large files are left out."""
    entries = entries_at(git, commit, [path for path in paths if _is_askable(path)])
    blobs = {path: entry.sha for path, entry in entries.items() if entry.mode in _FILES}
    sizes = git.lookup.sizes(set(blobs.values()))
    asked = [sha for sha, size in sizes.items() if size <= MAX_TEXT]
    contents = {
        sha: each.content
        for sha, each in git.lookup.objects(asked).items()
        if b"\0" not in each.content[:BINARY_WITHIN]
    }
    if absent := sorted(set(blobs.values()) - sizes.keys()):
        raise git.lookup.missing(absent[0])
    return {path: contents[blob].decode("utf-8", "replace") for path, blob in blobs.items() if blob in contents}


def text_at(git: Git, commit: Sha, path: str) -> str | None:
    """Return the text of a file or link at a commit, or None if the file or the commit is absent."""
    is_there = _is_askable(path) and commit in git.lookup.commits([commit])
    entry = entries_at(git, commit, [path]).get(path) if is_there else None
    if entry is None or entry.mode in (TREE, MODULE):
        return None
    blob = git.lookup.objects([entry.sha]).get(entry.sha)
    if blob is None:
        raise git.lookup.missing(entry.sha)
    return blob.content.decode("utf-8", "replace")


def entries_at(git: Git, commit: Sha, paths: Sequence[str]) -> dict[str, TreeEntry]:
    """Return the tree entries of a commit at these paths. Reads each tree once."""
    entries: dict[str, TreeEntry] = {}
    ahead = {path: path.encode("utf-8", "surrogateescape").split(b"/") for path in dict.fromkeys(paths)}
    head = git.lookup.commits([must_be_sha(commit)]).get(commit) if ahead else None
    if head is None:
        if ahead:
            raise git.lookup.missing(commit)
        return entries
    where = dict.fromkeys(ahead, head.tree)
    while where:
        trees = git.lookup.trees(set(where.values()))
        below: dict[str, Sha] = {}
        for path, tree in where.items():
            row = trees[tree].get(ahead[path].pop(0))
            if row is not None and not ahead[path]:
                entries[path] = entry_of(row)
            elif row is not None and row[0] == TREE:
                below[path] = entry_of(row).sha
        where = below
    return entries


def _is_askable(path: str) -> bool:
    """Return True if this string can be the path of a file in a tree."""
    try:
        raw = path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return False
    return len(raw) <= _LONGEST_PATH and b"\0" not in raw and _ODD_PARTS.isdisjoint(path.split("/"))


def renames(git: Git, old: Sha, new: Sha) -> dict[str, str]:
    """Return the old path of each file renamed between two commits, by its new path."""
    sides = (must_be_sha(old), must_be_sha(new))
    words = git.room(*_RENAMES, *sides, trees=sides).out.split(b"\0")[:-1]
    return {as_text(now): as_text(then) for then, now in zip(words[1::3], words[2::3], strict=True)}


def pieces(git: Git, base: Sha, head: Sha) -> tuple[str, ...]:
    """Return `blob <sha>` for each new or changed file and link, and `diff <id>` for each commit that is not a merge.
    (A6)"""
    if must_be_sha(base) == must_be_sha(head):
        return ()
    blobs = {f"blob {blob}" for blob in _new_blobs(git, base, head)}
    git.entrance.own_differences(base, head)
    diffs = {f"diff {named}" for named in _own_diffs(git.room(*_OWN_DIFFS, f"{base}..{head}").out)}
    return tuple(sorted(blobs | diffs))


def _new_blobs(git: Git, base: Sha, head: Sha) -> set[str]:
    """Return the contents new to the changed files. A pure rename adds none."""
    words = git.room(*_RAW, base, head, trees=(base, head)).out.split(b"\0")[:-1]
    rows = [row[1:].split(b" ") for row in words[::2]]
    before = {old for _, _, old, _, _ in rows}
    after = {new for _, mode, _, new, _ in rows if mode in _FILES or mode == LINK}
    return {blob.decode("ascii") for blob in after - before} - _empty_blobs()


def _empty_blobs() -> set[str]:
    """Return the ids of the empty blob. Empty files are everywhere, so they count as nobody's work."""
    return {named_by(b"blob", b"", digits) for digits in (40, 64)}


def _own_diffs(log: bytes) -> Iterator[str]:
    """Yield the id of each diff in a log. A commit without a diff yields nothing."""
    import hashlib

    for patch in _COMMIT.split(log):
        sections = _SECTION.split(patch)[1:]
        if sections:
            yield hashlib.sha256(b"".join(_canonical(section.rstrip(b"\n")) for section in sections)).hexdigest()


def _canonical(section: bytes) -> bytes:
    """Return one file's part of a patch without its line numbers, function names and, if it has hunks, object ids."""
    if _HUNK.search(section) is None:
        return section + b"\n"
    return _OBJECTS.sub(b"index", _HUNK.sub(b"@@\n", section)) + b"\n"


# ---- Symbolic links of whole trees, by their hashes ----

LONGEST = 4_096
"""Length above which a link is left out. No operating system follows such a link."""
MOST_LINKS = 100_000
"""Largest number of links in one tree. More raise GitProblem."""


def links(git: Git, *roots: Sha) -> list[dict[str, str]]:
    """Return the symbolic links of commits or trees, each path with its link text. Reads shared trees once."""
    tops = [git.lookup.tree_of(root) for root in roots]
    trees = _trees(git, tops)
    leading = _leading(trees)
    paths = [_paths(top, trees, leading) for top in tops]
    texts = _texts(git, {sha for each in paths for sha in each.values()})
    return [{as_text(path): texts[sha] for path, sha in each.items() if sha in texts} for each in paths]


def _trees(git: Git, tops: Iterable[Sha]) -> dict[Sha, dict[bytes, TreeEntry]]:
    """Return every tree below these, reduced to its folders and links."""
    trees: dict[Sha, dict[bytes, TreeEntry]] = {}
    ahead = set(tops)
    while ahead:
        for sha, rows in git.lookup.branches(sorted(ahead)).items():
            trees[sha] = {name: entry_of(row) for name, row in rows.items()}
        below = {entry.sha for sha in ahead for entry in trees[sha].values() if entry.mode == TREE}
        ahead = below - trees.keys()
    return trees


def _leading(trees: Mapping[Sha, Mapping[bytes, TreeEntry]]) -> set[Sha]:
    """Return the trees that contain a link at any depth."""
    above: dict[Sha, list[Sha]] = defaultdict(list)
    ahead = []
    for sha, entries in trees.items():
        for entry in entries.values():
            if entry.mode == TREE:
                above[entry.sha].append(sha)
        ahead += [sha] if any(entry.mode == LINK for entry in entries.values()) else []
    leading: set[Sha] = set()
    while ahead:
        sha = ahead.pop()
        if sha not in leading:
            leading.add(sha)
            ahead += above[sha]
    return leading


def _paths(top: Sha, trees: Mapping[Sha, Mapping[bytes, TreeEntry]], leading: set[Sha]) -> dict[bytes, Sha]:
    paths: dict[bytes, Sha] = {}
    ahead = [(b"", top)] if top in leading else []
    while ahead:
        folder, tree = ahead.pop()
        for name, entry in trees[tree].items():
            if entry.mode == LINK:
                paths[folder + name] = entry.sha
            elif entry.sha in leading:
                ahead.append((folder + name + b"/", entry.sha))
        if len(paths) + len(ahead) > MOST_LINKS:
            raise GitProblem(f"there are more than {MOST_LINKS:,} symbolic links in the tree {top}")
    return paths


def _texts(git: Git, names: set[Sha]) -> dict[Sha, str]:
    if not names:
        return {}
    sizes = git.lookup.sizes(names)
    objects = git.lookup.objects(sorted(sha for sha in names if sizes.get(sha, 0) <= LONGEST))
    if absent := sorted(sha for sha in names if sha not in objects and sizes.get(sha, 0) <= LONGEST):
        raise git.lookup.missing(absent[0])
    return {sha: as_text(each.content) for sha, each in objects.items()}


# ---- Presence ----


def missing(git: Git, objects: Sequence[Sha]) -> set[Sha]:
    """Return the objects that are absent, the damaged commits and the incomplete trees. If nothing is missing, this
    takes two git calls and one commit reader.
    """
    asked = sorted({sha for sha in objects if as_sha(sha)})
    answers = git.real("cat-file", "--batch-check", stdin="".join(f"{sha}\n" for sha in asked).encode()).out
    words = [as_text(line).split(" ") for line in answers.splitlines() if _is_there(line)]
    trees = [Sha(sha) for sha, kind, *_ in words if kind == "tree"]
    commits = [Sha(sha) for sha, kind, *_ in words if kind == "commit"]
    torn = set() if _is_whole(git, trees) else {tree for tree in trees if not _is_whole(git, [tree])}
    torn |= set() if _are_read(git, commits) else {commit for commit in commits if not _are_read(git, [commit])}
    return set(objects) - ({Sha(sha) for sha, *_ in words} - torn)


def _is_whole(git: Git, trees: Sequence[Sha]) -> bool:
    """Return True if everything below these trees is present. Objects that a partial clone left on its server do not
    count."""
    asked = "".join(f"{tree}\n" for tree in trees).encode()
    args = ("rev-list", "--objects", "--no-object-names", "--missing=allow-promisor", "--stdin")
    return not trees or git.real(*args, stdin=asked, ok=(0, 128)).rc == 0


def _are_read(git: Git, commits: Sequence[Sha]) -> bool:
    """Return True if the content of each commit matches its id. Git itself checks only the header of the object file."""
    try:
        return git.lookup.reader.read(commits).keys() == set(commits)
    except GitProblem:
        return False


def _is_there(answer: bytes) -> bool:
    return len(answer.split(b" ")) == 3
