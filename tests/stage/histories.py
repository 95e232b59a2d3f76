"""Random histories of a target and a branch, and what a merge of them may make: by trees alone, not by the product.

A history is a list of commits on two lines, `main` and `work`, that now and then merge each other: so there are several
merge bases, merges that drop or smuggle in what they like, and dates that say what they like.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from random import Random
from typing import NamedTuple

from tests.stage.checkout import Repository

FILE, PROGRAM, LINK, MODULE = "100644", "100755", "120000", "160000"
NAMES = (
    b"notes.md", b"AGENTS.md", b"src/code.py", b"src/other.py", b"two words", b'a "quoted" name', b"line\nfeed",
    b"-dash", b"\xfc\xff", "ü/ä.txt".encode(), b"picture.bin", b"tool.sh", b"lib",
)  # fmt: skip
RENAMED = {b"notes.md": b"AGENTS.md", b"src/code.py": b"lib/code.py", b"two words": b"-x", b"tool.sh": b"\xfctool"}


class Entry(NamedTuple):
    """What a path holds in a tree; of a submodule the commit."""

    mode: str
    content: bytes


Tree = dict[bytes, Entry]


class Made(NamedTuple):
    """A commit of a history: its id, and what is in it."""

    sha: str
    tree: Tree


class History(NamedTuple):
    """Two lines of a random history, and every commit of it by its id."""

    target: str
    branch: str
    commits: dict[str, Tree]
    merges: int

    @property
    def tip(self) -> Made:
        return Made(self.target, self.commits[self.target])

    @property
    def head(self) -> Made:
        return Made(self.branch, self.commits[self.branch])


class _Commit(NamedTuple):
    line: str
    parents: tuple[int, ...]
    tree: Tree
    date: int


def lines(random: Random, name: bytes) -> bytes:
    """A text whose lines are all different, so that a change fits in one place only."""
    return b"".join(b"%s %d\n" % (name.hex().encode(), number) for number in range(random.choice((8, 20))))


def edited(random: Random, entry: Entry) -> Entry:
    """One line of a text is another, is gone, or is new; of anything else all of it."""
    number = b"%d" % random.randrange(10**6)
    if entry.mode == MODULE:
        return Entry(MODULE, b"%040x" % random.randrange(16**40))
    if entry.mode == LINK:
        return Entry(LINK, b"to/" + number)
    if b"\0" in entry.content:
        return entry._replace(content=b"\0" + number)
    rows = entry.content.splitlines(keepends=True)
    at = random.randrange(len(rows) + 1)
    rows[at : at + random.choice((0, 1))] = [b"new " + number + b"\n"]
    return entry._replace(content=b"".join(rows))


def changed(random: Random, tree: Tree) -> Tree:
    """A tree with one to three things done to it."""
    new = dict(tree)
    for _ in range(random.randint(1, 3)):
        one_change(random, new)
    return new


def one_change(random: Random, tree: Tree) -> None:
    """A file is edited, made, deleted, renamed, or becomes something else."""
    there = sorted(tree)
    what = random.choice(("edit", "edit", "edit", "make", "delete", "rename", "mode", "become"))
    name = random.choice(there) if there else b"src/code.py"
    entry = tree.get(name)
    if what == "make" or entry is None:
        name = random.choice(NAMES)
        kind = random.choice((FILE, FILE, FILE, PROGRAM, LINK, MODULE))
        text = b"\0binary" if name == b"picture.bin" else lines(random, name)
        put(tree, name, Entry(kind, {LINK: b"to/nowhere", MODULE: b"1" * 40}.get(kind, text)))
    elif what == "delete":
        del tree[name]
    elif what == "rename":
        del tree[name]
        new = RENAMED.get(name, name + b" moved")
        put(tree, new, edited(random, entry) if random.random() < 0.5 else entry)
    elif what == "mode" and entry.mode in (FILE, PROGRAM):
        tree[name] = entry._replace(mode=PROGRAM if entry.mode == FILE else FILE)
    elif what == "become" and entry.mode != MODULE:
        tree[name] = Entry(LINK, b"elsewhere") if entry.mode != LINK else Entry(FILE, lines(random, name))
    else:
        tree[name] = edited(random, entry)


def put(tree: Tree, name: bytes, entry: Entry) -> None:
    """A file, unless there is a folder in its place or a file in the place of its folder."""
    parts = name.split(b"/")
    above = {b"/".join(parts[:n]) for n in range(1, len(parts))}
    if not above & tree.keys() and not any(other.startswith(name + b"/") for other in tree):
        tree[name] = entry


def merged(random: Random, ours: Tree, theirs: Tree) -> Tree:
    """What somebody makes of a merge: one side, both, or whatever they like."""
    how = random.choice(("ours", "theirs", "both", "both", "evil"))
    if how in ("ours", "theirs"):
        return dict(ours if how == "ours" else theirs)
    tree = dict(ours)
    for name, entry in sorted(theirs.items()):
        if name not in tree:
            put(tree, name, entry)
    return changed(random, tree) if how == "evil" else tree


def commits_of(random: Random) -> list[_Commit]:
    """Four to ten commits after the first, on two lines that may merge each other."""
    first: Tree = {}
    for name in random.sample(NAMES, random.randint(4, 8)):
        put(first, name, Entry(random.choice((FILE, FILE, FILE, PROGRAM)), lines(random, name)))
    made = [_Commit("main", (), first, 1)]
    at = {"main": 0, "work": 0}
    cross = random.randrange(10)
    for step in range(random.randint(4, 10)):
        mine, theirs = at["main"], at["work"]
        if step == cross and mine != theirs:
            # Each takes in the other: from here on there are two best common ancestors.
            for line, first_parent, second in (("main", mine, theirs), ("work", theirs, mine)):
                tree = merged(random, made[first_parent].tree, made[second].tree)
                made.append(_Commit(line, (first_parent, second), tree, random.randrange(1, 10**9)))
                at[line] = len(made) - 1
            continue
        line = random.choice(("main", "work"))
        other = "work" if line == "main" else "main"
        here, date = at[line], random.randrange(1, 10**9)
        if random.random() < 0.35 and at[other] != here:
            # An older commit of the other line makes a criss-cross as often as the newest.
            there = random.choice([n for n, commit in enumerate(made) if commit.line == other] + [at[other]])
            tree = merged(random, made[here].tree, made[there].tree)
            third = [random.randrange(len(made))] if random.random() < 0.1 else []
            parents = tuple(dict.fromkeys((here, there, *third)))
        else:
            tree, parents = changed(random, made[here].tree), (here,)
        made.append(_Commit(line, parents, tree, date))
        at[line] = len(made) - 1
    if at["work"] == 0:
        made.append(_Commit("work", (0,), changed(random, first), 2))
    return made


def import_history(
    repository: Repository,
    random: Random,
    target: str,
    branch: str,
    *,
    kept: Tree | None = None,
    onto: str = "",
) -> History:
    """Make a random history in a repository, by one call of git; branches are made or moved, nothing is checked out.

    `kept` is in every commit; the first one comes `onto` a commit that is there.
    """
    made = [commit._replace(tree={**commit.tree, **(kept or {})}) for commit in commits_of(random)]
    refs = {"main": f"refs/heads/{target}", "work": f"refs/heads/{branch}"}
    parts = [b"reset %s\n" % ref.encode() for ref in refs.values()] if not onto else []
    for number, commit in enumerate(made, 1):
        message = b"commit %d\n" % number
        ref = "refs/fuzz/first" if number == 1 else refs[commit.line]
        parts.append(b"commit %s\nmark :%d\n" % (ref.encode(), number))
        parts.append(b"committer Ada <ada@example.org> %d +0000\ndata %d\n%s\n" % (commit.date, len(message), message))
        if number == 1 and onto:
            parts.append(b"from %s\n" % onto.encode())
        for n, parent in enumerate(commit.parents):
            parts.append(b"%s :%d\n" % (b"merge" if n else b"from", parent + 1))
        parts.append(b"deleteall\n")
        parts += [_line(name, entry) for name, entry in sorted(commit.tree.items())]
        parts.append(b"\n")
    for line, ref in refs.items():
        if not any(commit.line == line for commit in made[1:]):
            parts.append(b"reset %s\nfrom :1\n\n" % ref.encode())
    parts += [b"get-mark :%d\n" % number for number in range(1, len(made) + 1)]
    out = repository.git("fast-import", "--quiet", "--force", "--cat-blob-fd=1", stdin=b"".join(parts)).split()
    ids = dict(enumerate(out))
    commits = {ids[n]: commit.tree for n, commit in enumerate(made)}
    last = {line: max((n for n, commit in enumerate(made) if commit.line == line), default=0) for line in refs}
    joins = sum(len(commit.parents) > 1 for commit in made)
    return History(ids[last["main"]], ids[last["work"]], commits, joins)


def _line(name: bytes, entry: Entry) -> bytes:
    path = b'"' + b"".join(b"\\%03o" % byte for byte in name) + b'"'
    if entry.mode == MODULE:
        return b"M 160000 %s %s\n" % (entry.content, path)
    return b"M %s inline %s\ndata %d\n%s\n" % (entry.mode.encode(), path, len(entry.content), entry.content)


def tree_of(repository: Repository, tree: str) -> Tree:
    """What git has in a tree."""
    found = [row.partition(b"\t") for row in _git(repository.path, "ls-tree", "-rz", "--full-tree", tree).split(b"\0")]
    rows = [(path, facts[:6].decode(), facts.split()[2]) for facts, _, path in found if path]
    wanted = b"".join(name + b"\n" for _, mode, name in rows if mode != MODULE)
    contents = iter(_contents(_git(repository.path, "cat-file", "--batch", stdin=wanted)))
    return {path: Entry(mode, name if mode == MODULE else next(contents)) for path, mode, name in rows}


def _contents(out: bytes) -> list[bytes]:
    found, at = [], 0
    while at < len(out):
        end = out.index(b"\n", at)
        size = int(out[at:end].split(b" ")[2])
        found.append(out[end + 1 : end + 1 + size])
        at = end + 1 + size + 1
    return found


def _git(path: Path, *args: str, stdin: bytes = b"", ok: tuple[int, ...] = (0,), index: Path | None = None) -> bytes:
    env = {"GIT_INDEX_FILE": str(index)} if index else {}
    done = subprocess.run(
        ["git", *args], cwd=path, input=stdin, capture_output=True, check=False, env={**os.environ, **env}
    )
    assert done.returncode in ok, done.stderr.decode()
    return done.stdout if done.returncode == 0 else b""


def applied(repository: Repository, shown: str, tip: str, index: Path) -> str:
    """The tree that comes of a shown change by `git apply` on top of a commit; nothing where it does not fit."""
    _git(repository.path, "read-tree", tip, index=index)
    patch = shown.encode("utf-8", "surrogateescape")
    done = subprocess.run(
        ["git", "apply", "--cached", "--whitespace=nowarn", "-"],
        cwd=repository.path,
        input=patch,
        capture_output=True,
        check=False,
        env={**os.environ, "GIT_INDEX_FILE": str(index)},
    )
    return _git(repository.path, "write-tree", index=index).decode().strip() if done.returncode == 0 else ""


def can_be_applied(base: Tree, head: Tree) -> bool:
    """Whether the text of a change holds all of it: no binary, no submodule, no name that is not text."""
    differing = [name for name in base.keys() | head.keys() if base.get(name) != head.get(name)]
    entries = [tree[name] for name in differing for tree in (base, head) if name in tree]
    plain = all(entry.mode != MODULE and b"\0" not in entry.content for entry in entries)
    return plain and all(_is_text(name) for name in differing)


def _is_text(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def by_hand(base: Tree, head: Tree, tip: Tree) -> tuple[Tree, set[bytes]]:
    """What base..head makes of the tip, path by path, and the paths of which both sides have their own: those are not
    decided here.
    """
    result: Tree = {}
    open_ones: set[bytes] = set()
    for name in base.keys() | head.keys() | tip.keys():
        was, mine, theirs = base.get(name), head.get(name), tip.get(name)
        if mine != was and theirs not in (was, mine):
            open_ones.add(name)
        elif (chosen := theirs if mine == was else mine) is not None:
            result[name] = chosen
    return result, open_ones


def reference(repository: Repository, base: str, head: str, tip: str) -> str:
    """The tree that git makes of base..head and base..tip, with no other history; nothing where they conflict."""

    def commit(of: str, *parents: str) -> str:
        args = [word for parent in parents for word in ("-p", parent)]
        return _git(repository.path, "commit-tree", f"{of}^{{tree}}", *args, "-m", "x").decode().strip()

    begin = commit(base)
    sides = (commit(tip, begin), commit(head, begin))
    out = _git(repository.path, "merge-tree", "--write-tree", "--no-messages", *sides, ok=(0, 1))
    return out.decode().strip()


def why_not(repository: Repository, history: History, base: str, result: str) -> str:
    """Why a merge result is not the change since `base` on top of the target; empty when it is.

    By hand where each path has one answer. Where both sides changed a path, or one renamed it, as git itself merges
    the three trees; and even there no line comes from elsewhere than the change and the target.
    """
    was, head, tip = history.commits[base], history.head.tree, history.tip.tree
    expected, open_ones = by_hand(was, head, tip)
    found = tree_of(repository, result)
    if not open_ones:
        differing = [name for name in expected.keys() | found.keys() if expected.get(name) != found.get(name)]
        return f"{sorted(differing)} is not as by hand" if differing else ""
    if reference(repository, base, history.branch, history.target) != result:
        return "git makes another tree of these three"
    mine = _all_lines({name: entry for name, entry in head.items() if was.get(name) != entry})
    strange = _all_lines(found) - mine - _all_lines(tip)
    return f"{sorted(strange)[:3]} come from nowhere" if strange else ""


def _all_lines(tree: Tree) -> set[bytes]:
    return {line for entry in tree.values() for line in entry.content.splitlines()}
