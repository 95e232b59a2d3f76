"""Symbolic links of whole trees, by their hashes: a change may reach a file by a name that it does not show (A4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from foureyes.adapters.git.client.answers import as_text
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.object_form import LINK, TREE, TreeEntry, entry_of
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem

LONGEST = 4_096
"""What is longer, no system follows."""
MOST_LINKS = 100_000
"""So many links are looked at; nobody has more by honest work."""


def links(git: Git, *roots: Sha) -> list[dict[str, str]]:
    """The links of commits or trees, each path with what it says. What they have in common is read once."""
    tops = [git.lookup.tree_of(root) for root in roots]
    trees = _trees(git, tops)
    leading = _leading(trees)
    paths = [_paths(top, trees, leading) for top in tops]
    texts = _texts(git, {sha for each in paths for sha in each.values()})
    return [{as_text(path): texts[sha] for path, sha in each.items() if sha in texts} for each in paths]


def _trees(git: Git, tops: Iterable[Sha]) -> dict[Sha, dict[bytes, TreeEntry]]:
    """Every tree below these, with its folders and links alone."""
    trees: dict[Sha, dict[bytes, TreeEntry]] = {}
    ahead = set(tops)
    while ahead:
        for sha, rows in git.lookup.branches(sorted(ahead)).items():
            trees[sha] = {name: entry_of(row) for name, row in rows.items()}
        below = {entry.sha for sha in ahead for entry in trees[sha].values() if entry.mode == TREE}
        ahead = below - trees.keys()
    return trees


def _leading(trees: Mapping[Sha, Mapping[bytes, TreeEntry]]) -> set[Sha]:
    """The trees that have a link somewhere below."""
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
