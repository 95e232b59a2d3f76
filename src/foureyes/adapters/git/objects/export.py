"""The files of a tree in a directory, byte for byte as they were committed.

git itself writes them (it refuses `.git`, `..` and paths through links), from a clean room of their own, into which the
whole tree was let by its hash. An attribute file in there overrules every `.gitattributes` of the tree, so that neither
line ends nor encodings nor keywords are converted, and with no configuration there is no filter to run.
"""

from __future__ import annotations

import os
from os.path import join

from foureyes.adapters.git.client.answers import as_sha, must_be_sha
from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.object_form import MODULE
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem
from foureyes.steps import shell

_AS_COMMITTED = "* -text !eol !crlf -ident -filter !working-tree-encoding\n"


def export(common_dir: str, tree: Sha, path: str) -> None:
    """Write the files of a tree, or of a commit's tree, into an empty directory."""
    place = _empty_directory(path)
    git = Git(common_dir, common_dir)
    try:
        _overrule_attributes(git.room_path)
        index = _index_of(git, must_be_sha(tree))
        git.room(f"--work-tree={place}", "checkout-index", "--all", "--quiet", env=index)
    finally:
        git.close()


def _empty_directory(path: str) -> str:
    try:
        if not os.listdir(path):
            return os.path.realpath(path)
    except OSError as problem:
        raise GitProblem(f"files cannot be written to {path}: {problem.strerror}") from problem
    raise GitProblem(f"files are written to an empty directory only, and {path} is not")


def _overrule_attributes(room: str) -> None:
    os.makedirs(join(room, "info"), exist_ok=True)
    with open(join(room, "info", "attributes"), "w", encoding="ascii") as file:
        file.write(_AS_COMMITTED)


def _index_of(git: Git, tree: Sha) -> dict[str, str]:
    """The environment in which git's index is that of the tree.

    A damaged tree (a name twice, a name with a slash) would be written as another one than was asked for. `read-tree`
    takes the tree's word for what it holds; put together again from its entries, it has to come out the same.
    """
    index = {"GIT_INDEX_FILE": join(git.room_path, "index")}
    if tree not in git.lookup.objects([tree]):
        raise GitProblem(f"{tree} is not a tree or commit of this repository")
    asked = git.entrance.whole(tree)
    if entries := git.room("ls-tree", "-r", "-z", "--full-tree", asked).out:
        rows = (row.split(b"\t", 1)[0].split(b" ") for row in entries.split(b"\0")[:-1])
        git.entrance.must_hold(Sha(sha.decode("ascii")) for mode, _, sha in rows if mode != MODULE)
        git.room("update-index", "-z", "--index-info", stdin=entries, env=index)
    if as_sha(git.room("write-tree", "--missing-ok", env=index).out.strip()) != asked:
        raise GitProblem(
            f"the tree {asked} is damaged: its files cannot be written as they are named",
            next_step=shell("git", "fsck"),
        )
    return index
