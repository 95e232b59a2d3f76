"""Objects are what their names say, or are not read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters.git.client.reader import TREE, Entry, commit_head, tree_entries
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem

from tests.adapters.git.conftest import Project

ONE, TWO = Sha("1" * 40), Sha("2" * 40)
PEOPLE = b"author A <a> 1 +0000\ncommitter C <c> 17 +0000\n"


def entry(mode: bytes, name: bytes, sha: Sha = ONE) -> bytes:
    return mode + b" " + name + b"\0" + bytes.fromhex(sha)


def test_a_commit_is_read_to_its_message_and_parents_only_where_git_takes_them() -> None:
    raw = f"tree {ONE}\nparent {TWO}\n".encode() + PEOPLE + f"parent {ONE}\n\nparent {ONE}\n".encode()
    assert commit_head(raw) == (ONE, (TWO,), 17)
    assert commit_head(f"tree {ONE}\n".encode() + PEOPLE + f"\ntree {TWO}\n".encode()) == (ONE, (), 17)
    for odd in (b"", b"tree x\n", f"parent {ONE}\n".encode(), f"tree {ONE}\nparent x\n".encode()):
        assert commit_head(odd) is None


def test_a_tree_that_could_be_seen_in_two_ways_is_none_A2() -> None:
    good = entry(b"100644", b"a.b") + entry(b"040000", b"a", TWO) + entry(b"100644", b"b")
    assert tree_entries(good, 20) == {
        b"a.b": Entry(b"100644", ONE),
        b"a": Entry(TREE, TWO),
        b"b": Entry(b"100644", ONE),
    }
    plain = entry(b"100644", b"a")
    for odd in (
        plain + plain,
        plain + entry(b"40000", b"a"),
        entry(b"100644", b"b") + plain,
        entry(b"100644", b"a/b"),
        entry(b"100644", b""),
        entry(b"40000", b".Git"),
        entry(b"100644", b".git . "),
        entry(b"40000", b".."),
        entry(b"100644", b"n" * 256),
        plain[:-1],
        b"100644 a",
    ):
        assert tree_entries(odd, 20) is None


@pytest.mark.parametrize("place", ["objects/{}/{}", "objects/info/alternates", "shallow"])
def test_a_pipe_in_the_place_of_a_file_holds_nobody_up(project: Project, place: str) -> None:
    project.branch("work")
    project.commit("one", a_py="x\n")
    blob = project.head("work:a.py")
    path = project.path / ".git" / place.format(blob[:2], blob[2:])
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with pytest.raises(GitProblem, match="is a named pipe"):
        project.change()


def test_the_reader_of_one_process_is_not_shared_with_a_fork(project: Project, tmp_path: Path) -> None:
    repo = project.port()
    tree = repo._git.lookup.tree_of(project.head())
    child = os.fork()
    if not child:
        same = repo._git.lookup.tree_of(tree) == tree
        (tmp_path / "said").write_text(str(same))
        os._exit(0)
    os.waitpid(child, 0)
    assert (tmp_path / "said").read_text() == "True"
    assert repo._git.lookup.trees([tree])
