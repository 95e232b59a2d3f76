"""What git's objects say is read as git reads it, or not at all."""

from __future__ import annotations

from pathlib import Path

from foureyes.adapters.git.client.object_files import (
    FILE,
    LINK,
    MODULE,
    PROGRAM,
    TREE,
    CommitHead,
    TreeEntry,
    commit_head,
    entry_of,
    is_only_files,
    named_by,
    read_loose_object,
    tree_rows,
    write_loose_object,
)
from foureyes.core.words.ids import Sha

from tests.adapters.git.conftest import Project

ONE, TWO = Sha("1" * 40), Sha("2" * 40)
PEOPLE = b"author A <a> 1 +0000\ncommitter C <c> 17 +0000\n"


def entry(mode: bytes, name: bytes, sha: Sha = ONE) -> bytes:
    return mode + b" " + name + b"\0" + bytes.fromhex(sha)


def test_a_commit_is_read_to_its_message_and_parents_only_where_git_takes_them() -> None:
    raw = f"tree {ONE}\nparent {TWO}\n".encode() + PEOPLE + f"parent {ONE}\n\nparent {ONE}\n".encode()
    assert commit_head(raw) == CommitHead(ONE, (TWO,), 17)
    assert commit_head(f"tree {ONE}\n".encode() + PEOPLE + f"\ntree {TWO}\n".encode()) == CommitHead(ONE, (), 17)
    for odd in (b"", b"tree x\n", f"parent {ONE}\n".encode(), f"tree {ONE}\nparent x\n".encode()):
        assert commit_head(odd) is None


def test_a_tree_that_could_be_seen_in_two_ways_is_none_A2() -> None:
    good = entry(b"100644", b"a.b") + entry(b"040000", b"a", TWO) + entry(b"100644", b"b")
    rows = tree_rows(good, 20)
    assert rows is not None
    assert {name: entry_of(row) for name, row in rows.items()} == {
        b"a.b": TreeEntry(b"100644", ONE),
        b"a": TreeEntry(TREE, TWO),
        b"b": TreeEntry(b"100644", ONE),
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
        b"x" + plain,
        plain + b"100644 a",
        b"100644 a",
    ):
        assert tree_rows(odd, 20) is None


def test_modes_are_taken_as_git_takes_them_A4() -> None:
    for mode, taken in {
        b"120644": LINK,
        b"0120000": LINK,
        b"100664": FILE,
        b"100444": FILE,
        b"100744": PROGRAM,
        b"100655": FILE,
        b"40755": TREE,
        b"160644": MODULE,
        b"60000": MODULE,
    }.items():
        rows = tree_rows(entry(mode, b"a"), 20)
        assert rows is not None
        assert rows[b"a"][0] == taken


def test_only_a_tree_of_files_is_passed_over_A4() -> None:
    assert is_only_files(b"", 20)
    assert is_only_files(entry(b"100644", b"a") + entry(b"100755", b"120000 b"), 20)
    for mode in (b"120000", b"120644", b"40000", b"040000", b"100664"):
        assert not is_only_files(entry(b"100644", b"a") + entry(mode, b"b"), 20)


def test_an_object_has_the_name_that_git_gives_it(project: Project, tmp_path: Path) -> None:
    assert named_by(b"blob", b"", 40) == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    (project.path / "text").write_text("text\n")
    assert named_by(b"blob", b"text\n", 40) == project.git("hash-object", "text")
    (tmp_path / "room/objects").mkdir(parents=True)
    for digits in (40, 64):
        made = write_loose_object(str(tmp_path / "room"), b"blob", b"text\n", digits)
        assert (len(made), made) == (digits, named_by(b"blob", b"text\n", digits))
        assert read_loose_object(str(tmp_path / "room"), made, 100) == (b"blob", b"text\n")
