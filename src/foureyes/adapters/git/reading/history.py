"""Reads commits and their ancestry in the clean room. (A3)"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from foureyes.adapters.git.client.answers import as_sha, as_text
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.object_files import (
    BEGINS,
    anchors_in,
    author_of,
    commit_head,
    is_work,
    message_of,
    not_held,
    write_loose_object,
)
from foureyes.adapters.git.client.object_reader import PORTION
from foureyes.core.nouns.attempt import Commit, Relation, relation
from foureyes.core.words.ids import Sha, anchored_row
from foureyes.errors import GitProblem
from foureyes.steps import shell

if TYPE_CHECKING:
    from foureyes.app.git_ports import HeldAnchors


# ---- Commits and their ancestry ----

SESSION_TRAILER = "Foureyes-Session"
TASK_TRAILER = "Task"


def _trailer(key: str) -> str:
    # Unfolded values contain no line break, so a line break is a safe separator.
    return f"%(trailers:key={key},valueonly,unfold,separator=%x0A)"


MOST_BASES, MOST_TRIED = 64, 8
"""Limits for the common ancestors compared and the merges tried."""

_SIZES = (
    "-c", "core.quotepath=true", "diff-tree", "--stdin", "-r", "--numstat", "--no-renames", "--no-color",
    "--no-ext-diff", "--no-textconv", "--no-relative", "--ignore-submodules=none",
)  # fmt: skip
_FIELDS = ("%m", "%H", "%T", "%s", "%an", _trailer(SESSION_TRAILER), _trailer(TASK_TRAILER))


class KnownCommit(NamedTuple):
    """A commit that exists, and its tree."""

    commit: Sha
    tree: Sha


def known(git: Git, *commits: str) -> list[KnownCommit | None]:
    """Return the trees of commits given by full id, in one call. Unknown ids and non-commits yield None."""
    asked = [as_sha(commit) for commit in commits]
    heads = git.lookup.commits(sha for sha in asked if sha)
    return [KnownCommit(sha, heads[sha].tree) if sha and sha in heads else None for sha in asked]


def merge_base(git: Git, tip: Sha, head: Sha) -> Sha | None:
    """Return the point where `head` left `tip`, or None for unrelated histories. (Q2)

    Of several best common ancestors, it is the one with the smallest change to `head` (A2) among those that merge
    cleanly. Git would choose the youngest, but an author can forge dates. The displayed change and the merge both start
    at this base.
    """
    if (only := git.entrance.history(tip, head)) is not None:
        return only
    words = git.room("merge-base", "--all", tip, head, ok=(0, 1), history=(tip, head)).out.split()
    bases = [base for word in words if (base := as_sha(word))]
    return _best(git, bases, tip, head) if len(bases) > 1 else next(iter(bases), None)


def _best(git: Git, bases: Sequence[Sha], tip: Sha, head: Sha) -> Sha:
    """Return the nearest base from which both sides merge.

    A branch that continued after its first attempt was merged has two bases. From the wrong one it conflicts with its
    own first attempt.
    """
    onto, ends, *begins = known(git, tip, head, *sorted(bases)[:MOST_BASES])
    candidates = [begin for begin in begins if begin is not None]
    if onto is None or ends is None or not candidates:
        raise GitProblem(f"the commit {head} cannot be read", next_step=shell("git", "fsck"))
    nearest = _by_size(git, candidates, ends)
    merging = (
        begin.commit
        for begin in nearest[:MOST_TRIED]
        if three_way(git, base=begin.tree, ours=onto.tree, theirs=ends.tree).tree is not None
    )
    return next(merging, nearest[0].commit)


def _by_size(git: Git, candidates: Sequence[KnownCommit], ends: KnownCommit) -> list[KnownCommit]:
    """Sort by lines, then files, then tree id, in one call. Dates and messages do not count."""
    trees = sorted({begin.tree for begin in candidates})
    asked = "".join(f"{tree} {ends.tree}\n" for tree in trees).encode()
    sizes = _sizes(git.room(*_SIZES, stdin=asked, trees=(*trees, ends.tree)).out)
    return sorted(candidates, key=lambda begin: (sizes.get(begin.tree, (0, 0)), begin.tree, begin.commit))


def _sizes(out: bytes) -> dict[Sha, tuple[int, int]]:
    """Return the lines and files of each change, by the tree it starts from. A binary file counts as one line."""
    sizes: dict[Sha, tuple[int, int]] = {}
    tree: Sha | None = None
    for row in out.split(b"\n"):
        words = row.split(b"\t")
        if len(words) == 1 and row:
            tree = as_sha(row.split(b" ")[0])
        elif tree and len(words) > 2:
            lines, files = sizes.get(tree, (0, 0))
            counts = [int(word) for word in words[:2] if word.isdigit()]
            sizes[tree] = (lines + (sum(counts) if counts else 1), files + 1)
    return sizes


def is_ancestor(git: Git, commit: Sha, of: Sha) -> bool:
    """Return True if `commit` is reachable from `of`. Return False for an unknown commit."""
    return bool(as_sha(commit) and as_sha(of)) and git.entrance.is_ancestor(commit, of)


def commits(git: Git, base: Sha, head: Sha) -> tuple[tuple[Commit, ...], dict[str, Sha]]:
    """Return the commits of base..head, oldest first, with their trailers as git parses them.

    Also return the trees of these commits and of their boundary commits.
    """
    args = (
        "-z",
        "--reverse",
        "--topo-order",
        "--boundary",
        "--no-show-signature",
        "--encoding=UTF-8",
        "--no-color",
        "--no-notes",
    )
    out = git.room("log", *args, "--format=" + "%x00".join(_FIELDS), f"{base}..{head}", history=(base, head)).out
    words = out.decode("utf-8", "replace").split("\0")[:-1]
    rows = [words[at : at + len(_FIELDS)] for at in range(0, len(words), len(_FIELDS))]
    trees = {row[1]: tree for row in rows if (tree := as_sha(row[2]))}
    return tuple(_commit(*row) for row in rows if row[0] != "-"), trees


def _commit(_mark: str, sha: str, _tree: str, subject: str, author: str, sessions: str, tasks: str) -> Commit:
    return Commit(Sha(sha), subject, author, _values(sessions), _values(tasks))


def _values(text: str) -> tuple[str, ...]:
    return tuple(value.strip() for value in text.split("\n") if value.strip())


def last_anchor(
    git: Git,
    tip: Sha,
    since: Sha | None = None,
    *,
    work: Collection[Sha] = (),
    held: HeldAnchors | None = None,
    adopted: Sha | None = None,
) -> str | None:
    """Return the anchor with the highest row among the commits of `tip` after `since`, and in `since` itself. (J3)

    `since` counts only if it is on `tip`. Every anchor must be `held`, so that none hides another. Plain commits in
    `work` have no anchors. A malformed anchor counts as the highest, because no one has it (G1). Everything up to
    `adopted` counts as held.
    """
    words = b"\n" + BEGINS
    known = next((end for end in (since, adopted) if end is not None and _is_on(git, end, tip)), None)
    commits = _all_with(git, tip, words, known)
    if known is not None:
        commits |= {known: git.lookup.reader.read([known])[known].content}
    anchors = _anchors(commits, work)
    lacking = set(not_held([anchor for anchor, _ in anchors], held))
    if lacking and adopted is not None:
        beyond = {} if _is_on(git, tip, adopted) else _all_with(git, tip, words, adopted)
        anchors = [(anchor, sha) for anchor, sha in anchors if sha in beyond]
    return max((anchor for anchor, _ in anchors if anchor in lacking), key=anchored_row, default=None)


def _anchors(commits: Mapping[Sha, bytes], work: Collection[Sha]) -> list[tuple[str, Sha]]:
    """Return the anchors in these commits with their commit, the highest row first."""
    others = [(sha, commit) for sha, commit in commits.items() if not is_work(sha, commit, work)]
    anchors = [(anchor, sha) for sha, commit in others for anchor in anchors_in(commit)]
    return sorted(anchors, key=lambda each: anchored_row(each[0]), reverse=True)


def _is_on(git: Git, commit: Sha, tip: Sha) -> bool:
    """Like is_ancestor(), but return False if a shallow clone ends too early to tell."""
    try:
        return is_ancestor(git, commit, tip)
    except GitProblem:
        if not git.lookup.is_shallow:
            raise
        return False


def _all_with(git: Git, tip: Sha, words: bytes, since: Sha | None) -> dict[Sha, bytes]:
    """Return the commits of `tip` after `since` that contain some words. Parents are followed by hash, in a shallow
    clone as far as it goes.
    """
    met: dict[Sha, tuple[Sha, ...]] = {}
    contents: dict[Sha, bytes] = {}
    ahead = [] if tip == since else git.entrance.ahead(tip, since) or [tip]
    while ahead:
        portion, ahead = ahead[:PORTION], ahead[PORTION:]
        read = git.lookup.reader.read(portion)
        for sha in portion:
            head = commit_head(read[sha].content) if sha in read and read[sha].kind == b"commit" else None
            if head is None and (sha == tip or not git.lookup.is_shallow):
                raise git.lookup.missing(sha)
            met[sha] = head.parents if head is not None else ()
            contents |= {sha: read[sha].content} if head is not None and words in read[sha].content else {}
        if not ahead:  # the prefetch list is unverified, so check for omissions
            left = {up for parents in met.values() for up in parents if up not in met and up != since}
            ahead = sorted(up for up in left if since is None or not _is_on(git, up, since))
    return contents


def line(git: Git, tip: Sha, most: int) -> list[tuple[Sha, str, tuple[str, ...], str]]:
    """Return id, subject, tasks and author of the newest commits on the first-parent line. Stops at the first absent
    commit."""
    rows: list[tuple[Sha, str, tuple[str, ...], str]] = []
    here: Sha | None = tip
    while here is not None and len(rows) < most:
        head = git.lookup.commits([here]).get(here)
        if head is None:
            break
        rows.append(described(git, here))
        here = head.parents[0] if head.parents else None
    return rows


def described(git: Git, commit: Sha) -> tuple[Sha, str, tuple[str, ...], str]:
    """Return id, subject, tasks and author of a commit that is present."""
    says, raw = f"{TASK_TRAILER}: ", git.lookup.raw(commit)
    lines = message_of(raw).strip().decode("utf-8", "replace").split("\n")
    tasks = tuple(line.removeprefix(says).strip() for line in lines[1:] if line.startswith(says))
    return commit, lines[0], tasks, author_of(raw).decode("utf-8", "replace")


class Nearest(NamedTuple):
    """Commits, each before its parents. `more`: there are further commits. `lacks`: parents that are absent."""

    commits: dict[Sha, tuple[Sha, ...]]
    more: bool
    lacks: set[Sha]


def nearest(git: Git, tip: Sha, most: int) -> Nearest:
    """Return the commits nearest to `tip` by number of steps, not by date, because authors can forge dates."""
    met: dict[Sha, tuple[Sha, ...]] = {}
    lacks: set[Sha] = set()
    level = [tip]
    while level and len(met) < most:
        heads = git.lookup.commits(level)
        lacks |= set(level) - set(heads)
        met |= {sha: head.parents for sha, head in heads.items()}
        level = list(dict.fromkeys(up for head in heads.values() for up in head.parents if up not in met))
    return Nearest(_children_first(met, tip), bool(level), lacks)


def _children_first(met: dict[Sha, tuple[Sha, ...]], tip: Sha) -> dict[Sha, tuple[Sha, ...]]:
    waits = Counter(up for parents in met.values() for up in parents if up in met)
    ordered: dict[Sha, tuple[Sha, ...]] = {}
    ready = [tip] if tip in met else []
    while ready:
        here = ready.pop()
        ordered[here] = met[here]
        for up in reversed(met[here]):
            waits[up] -= 1
            if up in met and waits[up] == 0:
                ready.append(up)
    return ordered


def count(git: Git, head: Sha) -> int:
    """Return the number of commits up to `head`. For display only."""
    return int(git.real("rev-list", "--count", head).out)


def back(git: Git, commit: Sha, steps: int) -> Sha | None:
    """Return the commit `steps` back on the first-parent line, or None before the first one."""
    git.entrance.line(commit, steps)
    return as_sha(git.room("rev-list", "--first-parent", f"--skip={steps}", "-n", "1", commit).out.strip())


def reached(git: Git, commits: Sequence[Sha], tip: Sha) -> set[Sha]:
    """Return the commits that seem reachable from `tip`. Confirm each with merged_by().

    Absent commits count as reached. If git cannot read one of them or its history, all count.
    """
    asked = [sha for commit in commits if (sha := as_sha(commit))]
    lines = "".join(f"{sha}\n" for sha in asked) + f"^{tip}\n"
    done = git.real("rev-list", "--ignore-missing", "--stdin", stdin=lines.encode(), ok=(0, 128))
    beyond = set(done.out.decode("ascii").split()) if done.rc == 0 else set[str]()
    return {sha for sha in asked if sha not in beyond}


def merged_by(git: Git, head: Sha, tip: Sha) -> Sha | None:
    """Return the first commit on the first-parent line of `tip` that contains `head`, or None."""
    if head == tip:
        return head
    args = ("log", "--ancestry-path", "--format=%H %P", f"{head}..{tip}")
    try:
        out = git.room(*args, ok=(0, 128), history=(head, tip)).out
    except GitProblem:
        if _is_elsewhere(git, head, tip):
            return None
        raise
    first_parent = {words[0]: words[1] for line in out.decode("ascii").splitlines() if len(words := line.split()) > 1}
    if tip not in first_parent:
        return None
    here: str = tip
    while first_parent[here] in first_parent:
        here = first_parent[here]
    return Sha(head if first_parent[here] == head else here)


def _is_elsewhere(git: Git, head: Sha, tip: Sha) -> bool:
    """Return True if the whole history of `tip` is readable and lacks `head`."""
    done = git.real("rev-list", tip, ok=(0, 128))
    return done.rc == 0 and head not in done.out.decode("ascii").split()


# ---- Merges by a single base ----

# Git merges over every common ancestor, and authors control their number (criss-cross). Here only the three trees
# decide: the base becomes a commit without parents, and both sides become its children. They are written to the clean
# room, and no ref names them.

_SOMEBODY = b"foureyes <foureyes@localhost> 0 +0000"
_MERGE = ("merge-tree", "--write-tree", "--name-only", "-z", "--messages")


class ThreeWay(NamedTuple):
    """The tree of a clean merge, or None and the conflicting paths."""

    tree: Sha | None
    conflicts: tuple[str, ...] = ()


def three_way(git: Git, *, base: Sha, ours: Sha, theirs: Sha) -> ThreeWay:
    """Merge two trees by their common base tree. The result is in the clean room."""
    if ours in (base, theirs):
        return ThreeWay(theirs)
    if theirs == base:
        return ThreeWay(ours)
    begin = _room_commit(git, base)
    sides = (_room_commit(git, ours, begin), _room_commit(git, theirs, begin))
    git.entrance.differences(base, ours, theirs, merging=True)
    done = git.room(*_MERGE, *sides, ok=(0, 1))
    tree, *rest = done.out.split(b"\0")
    tree_id = as_sha(tree)
    if tree_id is None:
        raise GitProblem(f"git merge-tree named no tree, but {as_text(tree)[:80]!r}")
    if done.rc:
        return ThreeWay(None, _conflicts(rest))
    return ThreeWay(tree_id)


def _room_commit(git: Git, tree: Sha, parent: Sha | None = None) -> Sha:
    """Write a commit of a tree in the clean room, with a fixed author and date."""
    lines = [b"tree " + tree.encode("ascii"), *([b"parent " + parent.encode("ascii")] if parent else [])]
    body = b"\n".join([*lines, b"author " + _SOMEBODY, b"committer " + _SOMEBODY, b"", b""])
    return write_loose_object(git.room_path, b"commit", body, len(tree))


def _conflicts(words: list[bytes]) -> tuple[str, ...]:
    """Return the conflicting paths, then the paths of other conflicts, such as a directory renamed two ways."""
    end = words.index(b"") if b"" in words else len(words)
    names = {as_text(word): None for word in words[:end]}
    rest = iter(words[end + 1 :])
    for number in rest:
        if not number.isdigit():
            break
        paths = [as_text(next(rest, b"")) for _ in range(int(number))]
        kind, _ = next(rest, b""), next(rest, b"")
        if kind.startswith(b"CONFLICT"):
            names |= dict.fromkeys(paths)
    return tuple(names)


# ---- The relation of two attempts (A3) ----


def relation_of(git: Git, *, base: Sha, head: Sha, new_head: Sha, tip: Sha) -> Relation:
    """Return the relation of `new_head` to the approved base..head, with `tip` the target's commit. Unknown commits are
    rework."""
    was_base, was, now = known(git, base, head, new_head)
    if was_base is None or was is None or now is None:
        return "rework"
    if was.commit == now.commit:
        return relation(same_head=True, same_tree=True, same_base=True, mechanical=False)
    new_base = _new_base(git, was_base.commit, was.commit, now.commit, tip)
    return relation(
        same_head=False,
        same_tree=was.tree == now.tree,
        same_base=new_base == was_base.commit,
        mechanical=_is_mechanical(git, was_base, was, now, new_base),
    )


def _new_base(git: Git, base: Sha, head: Sha, new_head: Sha, tip: Sha) -> Sha | None:
    """Return the point where the new head left the target."""
    new_base = merge_base(git, tip, new_head)
    return _base_before_merge(git, base, head, new_head, tip) if new_base == new_head else new_base


def _base_before_merge(git: Git, base: Sha, head: Sha, new_head: Sha, tip: Sha) -> Sha | None:
    """Return where a new head began that is already on the target.

    Its merge base would be itself, and any change that contains the approved one would pass for a rebase. The merge
    commit's first parent is the earlier target. After a fast-forward, go back as many commits as were approved.
    """
    merge = merged_by(git, new_head, tip)
    if merge is not None and merge != new_head:
        before = back(git, merge, 1)
        return merge_base(git, before, new_head) if before else None
    steps = int(git.room("rev-list", "--count", f"{base}..{head}", history=(base, head)).out)
    began = back(git, new_head, steps)
    return began if began and is_ancestor(git, base, began) else None


def _is_mechanical(git: Git, base: KnownCommit, head: KnownCommit, now: KnownCommit, new_base: Sha | None) -> bool:
    """Return True if git can build the new head's tree from the approved change and the new base without a conflict.

    The new base must contain the old one. A new head that adds nothing to its base is not the approved change.
    """
    if new_base is None or new_base == base.commit:
        return False
    if not (is_ancestor(git, base.commit, new_base) and is_ancestor(git, base.commit, head.commit)):
        return False
    (onto,) = known(git, new_base)
    if onto is None or onto.tree == now.tree:
        return False
    # The approved change is base..head as a whole, so merge it by that base. If the target merged a part of it and
    # reverted that, git's own history-based merge would omit that part.
    return three_way(git, base=base.tree, ours=onto.tree, theirs=head.tree).tree == now.tree
