"""Texts, renames and pieces of commits: whatever names and settings there are (A2, A6)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from foureyes.adapters import process
from foureyes.adapters.git.client import object_reader
from foureyes.adapters.git.reading import content
from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem

from tests.adapters.git.conftest import Project
from tests.stage.checkout import CODE
from tests.stage.counting import counting

NOBODY = Sha("1" * 40)


def pieces(project: Project, base: str = "main", head: str = "HEAD") -> list[str]:
    return list(project.port().pieces(project.head(base), project.head(head)))


def blobs(project: Project, base: str = "main", head: str = "HEAD") -> set[str]:
    return {piece.removeprefix("blob ") for piece in pieces(project, base, head) if piece.startswith("blob ")}


def diffs(project: Project, base: str = "main", head: str = "HEAD") -> set[str]:
    return {piece for piece in pieces(project, base, head) if piece.startswith("diff ")}


def blob_of(text: bytes) -> str:
    return hashlib.sha1(b"blob %d\0%s" % (len(text), text), usedforsecurity=False).hexdigest()


# Texts


def test_texts_are_those_of_the_commit_and_not_of_the_worktree(project: Project) -> None:
    commit = project.commit(code_py="as committed\n")
    project.commit(code_py="later\n")
    project.write("code.py", "dirty\n")
    assert project.port().texts(commit, ["code.py"]) == {"code.py": "as committed\n"}


NAMES = [
    "a b.py",
    "ünïcode/dë ep.py",
    "line\nbreak.py",
    "tab\t.py",
    '"quoted".py',
    ":(glob)*.py",
    "*.py",
    "-x",
    "--batch",
    "back\\slash",
]


def test_odd_names_are_only_names(project: Project) -> None:
    for name in NAMES:
        project.write(name, f"text of {name}")
    commit = project.commit()
    assert project.port().texts(commit, NAMES) == {name: f"text of {name}" for name in NAMES}


def test_a_path_that_is_no_utf8_is_asked_for_by_its_bytes(project: Project) -> None:
    name = b"gr\xfc\xdfe.py"
    project.write(name, "text\n")
    commit = project.commit()
    assert project.port().texts(commit, [os.fsdecode(name)]) == {os.fsdecode(name): "text\n"}


IMPOSSIBLE = [
    "",
    "/",
    "/etc/passwd",
    "../x",
    "a/../code.py",
    "./code.py",
    "code.py/",
    "nul\0",
    "\ud800",
    "x" * 5000,
    "no",
    "code.py/no",
    ".git",
]


def test_what_is_not_there_or_cannot_be_asked_for_is_left_out(project: Project) -> None:
    assert project.port().texts(project.head(), [*IMPOSSIBLE, "code.py"]) == {"code.py": CODE}
    assert project.port().texts(project.head(), IMPOSSIBLE) == {}
    assert project.port().texts(project.head(), []) == {}


def test_binary_and_large_files_links_folders_and_submodules_are_left_out(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content, "MAX_TEXT", 20_000)
    project.write("binary", b"a" * 7_999 + b"\0")
    project.write("nul later", b"a" * 8_000 + b"\0")
    project.write("large", "x" * 20_001)
    project.write("nearly", "x" * 20_000)
    project.write("folder/file", "x")
    os.symlink("code.py", project.path / "link")
    project.git("add", "-A")
    project.git("update-index", "--add", "--cacheinfo", f"160000,{project.head()},module")
    project.git("commit", "-q", "-m", "all kinds")
    asked = ["binary", "nul later", "large", "nearly", "folder", "link", "module"]
    found = project.port().texts(project.head(), asked)
    assert sorted(found) == ["nearly", "nul later"]
    assert found["nul later"].endswith("a\0")


def test_text_that_is_no_utf8_is_read_all_the_same(project: Project) -> None:
    project.write("latin.txt", b"gr\xfc\xdfe\r\n")
    assert project.port().texts(project.commit(), ["latin.txt"]) == {"latin.txt": "gr��e\r\n"}


def test_files_with_the_same_content_and_empty_ones_are_all_there(project: Project) -> None:
    commit = project.commit(a_py="same\n", b_py="same\n", c_py="")
    assert project.port().texts(commit, ["a.py", "b.py", "c.py", "a.py"]) == {
        "a.py": "same\n",
        "b.py": "same\n",
        "c.py": "",
    }


def test_many_paths_are_asked_for_in_portions(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_reader, "PORTION", 7)
    names = [f"folder/file {number}" for number in range(50)]
    for name in names:
        project.write(name, name)
    assert project.port().texts(project.commit(), names) == {name: name for name in names}


def test_an_unknown_commit_is_a_problem_and_never_an_option(project: Project) -> None:
    repo = project.port()
    for nobody in (NOBODY, Sha("HEAD"), Sha("--help"), Sha("")):
        with pytest.raises(GitProblem):
            repo.texts(nobody, ["code.py"])
        with pytest.raises(GitProblem):
            repo.renames(nobody, project.head())
        with pytest.raises(GitProblem):
            repo.pieces(project.head(), nobody)


# Renames


def test_a_renamed_file_is_found_by_its_new_path_L2(project: Project) -> None:
    old = project.head()
    project.git("mv", "code.py", "näme\nnew.py")
    project.write("näme\nnew.py", CODE.replace("line 7\n", "line seven\n"))
    new = project.commit()
    assert project.port().renames(old, new) == {"näme\nnew.py": "code.py"}
    assert project.port().renames(new, old) == {"code.py": "näme\nnew.py"}
    assert project.port().renames(new, new) == {}


def test_new_changed_gone_and_empty_files_are_no_renames_L2(project: Project) -> None:
    old = project.commit(empty_py="", gone_py="a\nb\nc\n")
    project.git("mv", "empty.py", "empty2.py")
    (project.path / "gone.py").unlink()
    new = project.commit(other_py="x\ny\nz\n", code_py=CODE + "more\n")
    assert project.port().renames(old, new) == {}


def test_beyond_the_limit_only_unchanged_files_are_followed_L2(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    limited = tuple("-l3" if word == f"-l{content.RENAME_LIMIT}" else word for word in content._RENAMES)
    texts = {number: "".join(f"{number} {line}\n" for line in range(20)) for number in range(6)}
    for number, text in texts.items():
        project.write(f"old{number}.txt", text)
    old = project.commit()
    for number, text in texts.items():
        (project.path / f"old{number}.txt").unlink()
        project.write(f"new{number}.txt", text if number == 0 else text + "more\n")
    new = project.commit()
    assert len(project.port().renames(old, new)) == 6
    monkeypatch.setattr(content, "_RENAMES", limited)
    assert project.port().renames(old, new) == {"new0.txt": "old0.txt"}


# What is left behind


def test_the_pieces_of_a_change_are_what_it_leaves_behind_and_its_commits_A6(project: Project) -> None:
    project.branch("work")
    project.commit(a_py="one\n")
    project.commit(a_py="two\n", code_py="changed\n")
    assert blobs(project) == {blob_of(b"two\n"), blob_of(b"changed\n")}
    assert len(diffs(project)) == 2
    assert pieces(project) == sorted(set(pieces(project)))


def test_nothing_changed_is_no_piece_A6(project: Project) -> None:
    assert pieces(project) == []
    project.branch("work")
    project.git("commit", "-q", "--allow-empty", "-m", "nothing")
    assert pieces(project) == []


def test_a_link_has_a_piece_and_a_deletion_a_submodule_and_emptiness_have_none_A6(project: Project) -> None:
    project.branch("work")
    (project.path / "code.py").unlink()
    project.write("empty.py", "")
    os.symlink("somewhere", project.path / "link")
    project.git("add", "-A")
    project.git("update-index", "--add", "--cacheinfo", f"160000,{project.head()},module")
    project.git("commit", "-q", "-m", "all kinds")
    assert blobs(project) == {blob_of(b"somewhere")}


def test_content_that_was_there_before_is_nobodys_new_work_A6(project: Project) -> None:
    project.commit(run_sh="echo\n")
    project.branch("work")
    project.git("mv", "code.py", "core.py")
    project.git("update-index", "--chmod=+x", "run.sh")
    project.git("commit", "-q", "-m", "moved")
    assert blobs(project) == set()
    assert len(diffs(project)) == 1


def test_the_same_content_under_another_name_is_the_same_piece_A6(project: Project) -> None:
    project.branch("one")
    project.commit(theirs_py="stolen\n")
    project.branch("two", "main")
    project.commit("not mine", mine_py="stolen\n", more_py="x\n")
    assert blobs(project, head="one") == {blob_of(b"stolen\n")} < blobs(project, head="two")
    assert not diffs(project, head="one") & diffs(project, head="two")


def test_a_repository_with_long_object_names_has_pieces_too_A6(new_project: Callable[..., Project]) -> None:
    project = new_project("long", "--object-format=sha256")
    project.branch("work")
    project.commit(a_py="one\n", empty_py="")
    assert blobs(project) == {hashlib.sha256(b"blob 4\0one\n").hexdigest()}
    assert len(diffs(project)) == 1


# What each commit changes


def picked(project: Project, onto: str) -> None:
    """The tip of `work` again, on another base."""
    project.branch("other", onto)
    project.git("cherry-pick", "work")


def test_a_commit_that_is_picked_onto_another_base_is_the_same_piece_A6(project: Project) -> None:
    project.branch("work")
    project.commit("theirs", code_py=CODE.replace("line 30\n", "line thirty\n"))
    project.switch("main")
    project.commit("longer at the top", code_py="top\n" * 5 + CODE)
    picked(project, "main")
    project.git("commit", "-q", "--amend", "-m", "mine", "--author=Mallory <m@example.org>")
    assert diffs(project) == diffs(project, "work~1", "work") != set()
    assert not blobs(project) & blobs(project, "work~1", "work")


@pytest.mark.parametrize(
    "text", [CODE.replace("line 30\n", "    line thirty\n"), CODE.replace("line 31\n", "line thirty\n")]
)
def test_white_space_and_surroundings_count_A6(project: Project, text: str) -> None:
    project.branch("work")
    project.commit(code_py=CODE.replace("line 30\n", "line thirty\n"))
    project.branch("other", "main")
    project.commit(code_py=text)
    assert not diffs(project) & diffs(project, "main", "work")


def test_binary_files_links_modes_and_empty_files_make_different_pieces_A6(project: Project) -> None:
    def one(name: str, write: Callable[[Path], object]) -> set[str]:
        project.branch(name, "main")
        write(project.path)
        project.commit(name)
        return diffs(project)

    made = [
        one("binary-1", lambda path: (path / "x").write_bytes(b"\0one")),
        one("binary-2", lambda path: (path / "x").write_bytes(b"\0two")),
        one("link-1", lambda path: os.symlink("one", path / "x")),
        one("link-2", lambda path: os.symlink("two", path / "x")),
        one("mode", lambda path: (path / "code.py").chmod(0o755)),
        one("empty-1", lambda path: (path / "x").write_text("")),
        one("empty-2", lambda path: (path / "y").write_text("")),
        one("text", lambda path: (path / "x").write_text("one")),
        one("text-with-its-end", lambda path: (path / "x").write_text("one\n")),
        one("blank-line", lambda path: (path / "x").write_text("one\n\n")),
    ]
    assert [len(each) for each in made] == [1] * len(made)
    assert len(set.union(*made)) == len(made)


def test_merges_have_no_diff_of_their_own_A6(project: Project) -> None:
    project.branch("work")
    project.commit(a_py="a\n")
    own = diffs(project)
    project.switch("main")
    project.commit(b_py="b\n")
    project.switch("work")
    project.git("merge", "-q", "--no-edit", "main")
    assert diffs(project) == own


def test_content_that_looks_like_a_log_is_only_content_A6(project: Project) -> None:
    fake = f"{NOBODY}\n\ndiff --git a/x b/x\nindex 1..2\n@@ -1 +1 @@\n-x\n+y\n{NOBODY}\n"
    project.branch("one")
    project.commit(fake, fake_txt=fake)
    project.branch("two", "main")
    project.commit(x="y\n")
    assert len(diffs(project, head="one")) == 1
    assert not diffs(project, head="one") & diffs(project, head="two")
    project.branch("three", "main")
    project.commit(fake_txt=fake.replace("-1 +1", "-2 +2"))
    assert not diffs(project, head="one") & diffs(project, head="three"), "a hunk's head inside a file is content"


def test_no_setting_and_no_attribute_changes_what_pieces_are_A2(project: Project, home: Path, tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    project.branch("work")
    project.write("name \xfc.py", "x\n")
    project.commit(code_py=CODE.replace("line 3\n", "\nline three\n"))
    before, renamed = pieces(project), project.port().renames(project.head("main"), project.head())
    project.write(".git/info/attributes", "*.py diff=x\n*.py -diff\n")
    program = f"touch {mark}; cat"
    for key, value in {
        "diff.external": program,
        "diff.x.textconv": program,
        "diff.algorithm": "patience",
        "diff.noprefix": "true",
        "diff.context": "9",
        "diff.mnemonicPrefix": "true",
        "core.abbrev": "7",
        "log.showSignature": "true",
        "diff.renames": "copies",
        "core.quotePath": "false",
        "diff.orderFile": "nowhere",
        "log.diffMerges": "on",
        "format.pretty": "email",
        "diff.suppressBlankEmpty": "true",
        "log.showRoot": "false",
        "color.ui": "always",
        "core.attributesFile": str(home / "a"),
    }.items():
        project.git("config", key, value)
    project.git("replace", project.head(), project.head("main"))
    assert pieces(project) == before
    assert project.port().renames(project.head("main"), project.head()) == renamed
    assert not mark.exists()


def test_a_replaced_object_is_read_as_it_is_A2(project: Project) -> None:
    real, fake = project.git("rev-parse", "HEAD:code.py"), project.git("hash-object", "-w", "--stdin", stdin=b"fake\n")
    project.git("replace", real, fake)
    assert project.port().texts(project.head(), ["code.py"]) == {"code.py": CODE}


def test_the_calls_do_not_grow_with_the_change_A6(project: Project) -> None:
    def calls(commits: int) -> int:
        project.branch(f"work-{commits}", "main")
        for number in range(commits):
            project.commit(**{f"file{number}_py": f"{commits} {number}\n"})
        with counting({"programs": process.start}) as started:
            assert len(project.port().pieces(project.head("main"), project.head())) == 2 * commits
        return started["programs"]

    assert calls(2) == calls(12)
