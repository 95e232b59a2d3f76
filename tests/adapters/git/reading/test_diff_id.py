"""The diff id (A2): what changes it, and everything that must not."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.adapters.git.conftest import Project
from tests.stage.checkout import CODE

EVIL = "[diff]\n\texternal = /bin/false\n\talgorithm = patience\n\tnoprefix = true\n[core]\n\tattributesFile = ~/evil\n"
SUBMODULE = "1" * 40
OTHER_SUBMODULE = "2" * 40


def canonical(*fields: bytes) -> bytes:
    return b"".join(b"%d:%s" % (len(field), field) for field in fields)


def named(entries: bytes) -> str:
    return "sha256:" + hashlib.sha256(b"foureyes diff 1\n" + entries).hexdigest()


def rich(project: Project) -> None:
    """On `work`: edits, a binary, a rename, a removal, a mode, a link, a type change and a submodule."""
    project.write("blank.py", "def one():\n    pass\n\n\ndef two():\n    pass\n")
    project.write("picture.bin", b"\x00" + b"ol\x01" * 100)
    project.write("moved.py", CODE + "the same\n")
    project.write("gone.py", "gone\n")
    project.write("tool.sh", "echo\n")
    project.write("becomes.py", "text\n")
    project.commit("more files")
    project.branch("work")
    project.write("blank.py", "def one():\n    pass\n\n\ndef two():\n    return 2\n")
    project.write("picture.bin", b"\x00" + b"ne\x01" * 100)
    project.git("mv", "moved.py", "there.py")
    (project.path / "gone.py").unlink()
    (project.path / "tool.sh").chmod(0o755)
    (project.path / "becomes.py").unlink()
    (project.path / "becomes.py").symlink_to("code.py")
    (project.path / "link").symlink_to("code.py")
    project.write("code.py", CODE.replace("line 5\n", "line five\n").replace("line 14\n", "line fourteen\n"))
    project.git("add", "-A")
    project.git("update-index", "--add", "--cacheinfo", f"160000,{'1' * len(project.head())},lib")
    project.git("commit", "-q", "-m", "rich")


# What must not change it


def tree_attributes(project: Project) -> None:
    project.write(".gitattributes", "*.py -diff\n*.bin diff\n*.sh diff=evil\n")
    project.git("config", "diff.evil.textconv", "tr a-z A-Z <")
    project.git("config", "diff.evil.command", "/bin/false")


def binary_attribute(project: Project) -> None:
    project.write(".gitattributes", "* binary\n")
    project.git("add", ".gitattributes")


def info_attributes(project: Project) -> None:
    (project.path / ".git/info").mkdir(exist_ok=True)
    (project.path / ".git/info/attributes").write_text("*.py -diff\n*.bin text diff\n*.py diff=evil ident eol=crlf\n")
    project.git("config", "diff.evil.xfuncname", "^line 1.*$")


def own_attributes(project: Project) -> None:
    folder = Path(os.environ["HOME"]) / ".config/git"
    folder.mkdir(parents=True)
    (folder / "attributes").write_text("*.py -diff\n*.bin diff\n")


def own_configuration(project: Project) -> None:
    home = Path(os.environ["HOME"])
    (home / ".gitconfig").write_text(EVIL)
    (home / "evil").write_text("*.py -diff\n")


def repository_configuration(project: Project) -> None:
    settings = {
        "diff.noprefix": "true",
        "diff.mnemonicPrefix": "true",
        "diff.srcPrefix": "x/",
        "diff.algorithm": "histogram",
        "diff.indentHeuristic": "true",
        "diff.external": "/bin/false",
        "diff.context": "0",
        "diff.interHunkContext": "9",
        "diff.renames": "copies",
        "diff.suppressBlankEmpty": "true",
        "diff.ignoreSubmodules": "all",
        "diff.submodule": "log",
        "diff.relative": "true",
        "diff.wsErrorHighlight": "all",
        "submodule.lib.ignore": "all",
        "core.quotepath": "false",
        "core.attributesFile": str(project.write(".git/evil", "*.py -diff\n")),
        "core.bigFileThreshold": "1",
        "core.whitespace": "cr-at-eol",
        "core.autocrlf": "true",
        "core.commitGraph": "true",
        "color.ui": "always",
        "attr.tree": "HEAD",
    }
    for key, value in settings.items():
        project.git("config", key, value)
    project.git("config", "diff.orderFile", str(project.write(".git/order", "there.py\n*.sh\n")))


def replaced_head(project: Project) -> None:
    project.git("replace", "work", "main")


def replaced_blob(project: Project) -> None:
    other = project.git("hash-object", "-w", "--stdin", stdin=b"harmless\n")
    project.git("replace", "-f", project.git("rev-parse", "work:code.py"), other)


def grafted(project: Project) -> None:
    (project.path / ".git/info").mkdir(exist_ok=True)
    (project.path / ".git/info/grafts").write_text(project.head("work") + "\n")


def forged_worktree_file(project: Project) -> None:
    """The file on disk has other content, and git was told to trust size and time."""
    project.git("config", "core.trustctime", "false")
    project.git("config", "core.checkStat", "minimal")
    path = project.path / "code.py"
    os.utime(path, (1_000_000_000, 1_000_000_000))
    project.git("update-index", "-q", "--ignore-submodules", "--refresh")
    path.write_text(path.read_text().replace("line five", "LINE FIVE"))
    os.utime(path, (1_000_000_000, 1_000_000_000))


def ignored_submodule(project: Project) -> None:
    project.write(".gitmodules", '[submodule "lib"]\n\tpath = lib\n\turl = ./lib\n\tignore = all\n')


@pytest.mark.parametrize(
    "make_hostile",
    [
        tree_attributes,
        binary_attribute,
        info_attributes,
        own_attributes,
        own_configuration,
        repository_configuration,
        replaced_head,
        replaced_blob,
        grafted,
        forged_worktree_file,
        ignored_submodule,
    ],
)
def test_nothing_beside_the_objects_changes_the_diff_A2(
    project: Project, make_hostile: Callable[[Project], None]
) -> None:
    rich(project)
    before = project.change()
    make_hostile(project)
    after = project.change()
    assert (after.diff_id, after.files) == (before.diff_id, before.files)
    assert project.port().diff_text(before.base, before.head) == project.port().diff_text(after.base, after.head)


def test_the_environment_does_not_change_the_diff_A2(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    rich(project)
    before = project.change()
    variables = {
        "GIT_DIFF_OPTS": "-u0",
        "GIT_EXTERNAL_DIFF": "/bin/false",
        "GIT_DIR": "/nonexistent",
        "GIT_OBJECT_DIRECTORY": "/nonexistent",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "diff.context",
        "GIT_CONFIG_VALUE_0": "0",
        "GIT_ATTR_SOURCE": "HEAD",
    }
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert project.change() == before


def test_attributes_that_are_committed_do_not_change_the_diff_A2(new_project: Callable[..., Project]) -> None:
    plain, marked = new_project("plain"), new_project("marked")
    marked.write(".gitattributes", "*.py -diff\n*.bin diff\n*.sh diff=evil\n")
    marked.commit("attributes")
    rich(plain)
    rich(marked)
    assert plain.diff_id() == marked.diff_id()


def test_a_rebase_with_the_same_context_keeps_the_diff_A2(project: Project) -> None:
    rich(project)
    before = project.change()
    project.switch("main")
    project.commit("elsewhere", code_py="line 0\n" * 3 + CODE, other_py="new\n")
    project.git("rebase", "-q", "main", "work")
    after = project.change()
    assert after.head != before.head
    assert after.base != before.base
    assert after.diff_id == before.diff_id


def test_the_message_and_the_number_of_commits_do_not_change_the_diff_A2(project: Project) -> None:
    project.branch("work")
    project.commit("one", code_py=CODE + "a\n")
    project.commit("two", code_py=CODE + "a\nb\n")
    before = project.diff_id()
    project.git("reset", "-q", "--soft", "main")
    project.commit("both")
    assert project.diff_id() == before


# What must change it

BODY = "if ready:\n    start()\nlog()\n" + CODE


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(BODY.replace("log()", "    log()"), id="moved-into-the-if"),
        pytest.param(BODY.replace("log()", "log() "), id="space-at-the-end"),
        pytest.param(BODY.replace("log()\n", "log()\r\n"), id="line-end"),
        pytest.param(BODY.replace("log()\n", "log()\n\n"), id="empty-line"),
        pytest.param(BODY.rstrip("\n"), id="no-newline-at-the-end"),
        pytest.param("\ufeff" + BODY, id="byte-order-mark"),
    ],
)
def test_a_white_space_change_is_another_diff_A2(project: Project, text: str) -> None:
    project.branch("work")
    project.commit("plain", code_py=BODY)
    before = project.diff_id()
    project.commit("spaced", code_py=text)
    assert project.diff_id() != before


def test_the_same_line_elsewhere_is_another_diff_A2(project: Project) -> None:
    project.branch("work")
    project.commit("here", code_py=CODE.replace("line 5\n", "line 5\nreturn\n"))
    before = project.diff_id()
    project.commit("there", code_py=CODE.replace("line 25\n", "line 25\nreturn\n"))
    assert project.diff_id() != before


def test_the_path_is_part_of_the_diff_A2(project: Project) -> None:
    project.branch("work")
    project.commit("one", a_py="x\n")
    before = project.diff_id()
    project.git("mv", "a.py", "b.py")
    project.commit("other")
    assert project.diff_id() != before


def test_the_mode_is_part_of_the_diff_A2(project: Project) -> None:
    project.branch("work")
    project.commit("plain", a_sh="x\n")
    before = project.diff_id()
    (project.path / "a.sh").chmod(0o755)
    project.commit("executable")
    assert project.diff_id() != before


def test_a_change_of_mode_alone_is_a_diff_whatever_the_content_A2(project: Project) -> None:
    empty = project.port().change(target="main", ref="refs/heads/main", since=None).diff_id
    project.branch("work")
    (project.path / "code.py").chmod(0o755)
    project.commit("executable")
    before = project.change()
    assert before.diff_id != empty
    assert [(file.path, file.added, file.removed) for file in before.files] == [("code.py", 0, 0)]
    project.switch("main")
    project.commit("content", code_py=CODE + "more\n")
    project.git("rebase", "-q", "main", "work")
    assert project.diff_id() == before.diff_id


def test_a_link_enters_by_its_target_A2(project: Project) -> None:
    project.branch("work")
    (project.path / "link").symlink_to("one")
    project.commit("one")
    before = project.diff_id()
    (project.path / "link").unlink()
    (project.path / "link").symlink_to("two")
    project.commit("two")
    assert project.diff_id() != before


def test_a_link_is_not_a_file_of_the_same_content_A2(project: Project) -> None:
    project.branch("work")
    (project.path / "link").symlink_to("one")
    project.commit("link")
    before = project.diff_id()
    (project.path / "link").unlink()
    project.write("link", "one")
    project.commit("file")
    assert project.diff_id() != before


def test_a_submodule_enters_by_its_commit_A2(project: Project) -> None:
    project.branch("work")
    project.git("update-index", "--add", "--cacheinfo", f"160000,{SUBMODULE},lib")
    project.git("commit", "-q", "-m", "one")
    before = project.diff_id()
    project.git("update-index", "--cacheinfo", f"160000,{OTHER_SUBMODULE},lib")
    project.git("commit", "-q", "-m", "two")
    assert project.diff_id() != before


@pytest.mark.parametrize(("one", "two"), [(b"\0one", b"\0two"), (b"x" * 7999 + b"\0one", b"x" * 7999 + b"\0two")])
def test_a_binary_enters_by_its_content_A2(project: Project, one: bytes, two: bytes) -> None:
    project.branch("work")
    project.write("picture", one)
    project.commit("one")
    before = project.change()
    project.write("picture", two)
    project.commit("two")
    after = project.change()
    assert after.diff_id != before.diff_id
    assert [(file.added, file.removed) for file in after.files] == [(None, None)]


def test_a_type_change_is_a_removal_and_an_addition_A2(project: Project) -> None:
    project.commit("file", thing="text\n")
    project.branch("work")
    (project.path / "thing").unlink()
    (project.path / "thing").symlink_to("code.py")
    project.commit("link")
    link = project.git("rev-parse", "work:thing").encode()
    gone = canonical(b"thing", b"100644", b"000000", b"hunks", b"@@\n-text\n", b"")
    made = canonical(b"thing", b"000000", b"120000", b"objects", b"0" * 40, link)
    assert project.diff_id() == named(gone + made)


def test_content_that_looks_like_a_diff_does_not_confuse_it_A2(project: Project) -> None:
    project.branch("work")
    tricky = (
        "diff --git a/x b/x\n@@ -1 +1 @@\n--- a/x\n+++ b/x\nBinary files a and b differ\n\\ No newline at end of file"
    )
    project.write("a.txt", tricky)
    project.write("b.txt", "x\n")
    project.commit("tricky")
    before = project.diff_id()
    project.write("a.txt", tricky.replace("@@ -1 +1 @@", "@@ -2 +2 @@"))
    project.commit("other numbers")
    assert project.diff_id() != before


def test_content_moved_from_one_file_to_the_next_is_another_diff_A2(project: Project) -> None:
    project.branch("work")
    project.commit("one", a_py="x\ny\n", b_py="z\n")
    before = project.diff_id()
    project.commit("two", a_py="x\n", b_py="y\nz\n")
    assert project.diff_id() != before


ODD_NAMES = [
    b"line\nbreak",
    b"a\ttab",
    b'"quoted"',
    b"back\\slash",
    b"-dash",
    b"--output=x",
    b"\xff\xfe",
    b" a b ",
    "é".encode(),
]


@pytest.mark.parametrize("name", ODD_NAMES, ids=repr)
def test_any_name_that_git_can_hold_is_named_and_told_apart_A2(project: Project, name: bytes) -> None:
    project.branch("work")
    project.write(name, "one\n")
    project.commit("odd")
    before = project.change()
    assert [file.path for file in before.files] == [name.decode("utf-8", "backslashreplace")]
    before.files[0].path.encode()
    project.git("mv", "--", os.fsdecode(name), os.fsdecode(name + b"x"))
    project.commit("odder")
    assert project.diff_id() != before.diff_id


def test_the_id_is_a_sha256_and_the_same_in_every_process_A2(project: Project) -> None:
    project.branch("work")
    project.commit("one", a_py="x\n")
    assert project.diff_id() == named(b"4:a.py6:0000006:1006445:hunks6:@@\n+x\n0:")


def test_a_repository_with_sha256_objects_works_A2(new_project: Callable[..., Project]) -> None:
    project = new_project("sha256", "--object-format=sha256")
    rich(project)
    change = project.change()
    assert len(change.head) == 64
    assert change.diff_id.startswith("sha256:")


def test_a_shallow_clone_works_A2(project: Project, tmp_path: Path) -> None:
    for number in range(3):
        project.commit("more", code_py=CODE + f"{number}\n")
    project.branch("work")
    project.commit("work", a_py="x\n")
    project.git("clone", "-q", "--depth=2", "--no-single-branch", f"file://{project.path}", str(tmp_path / "clone"))
    clone = Project(tmp_path / "clone")
    clone.git("branch", "main", "origin/main")
    assert clone.diff_id() == project.diff_id()


def test_objects_borrowed_from_another_repository_are_found_A2(project: Project, tmp_path: Path) -> None:
    project.branch("work")
    project.commit("work", a_py="x\n")
    project.git("clone", "-q", "--shared", str(project.path), str(tmp_path / "one"))
    project.git("clone", "-q", "--shared", str(tmp_path / "one"), str(tmp_path / 'two "odd"'))
    clone = Project(tmp_path / 'two "odd"')
    clone.git("branch", "main", project.head("main"))
    assert clone.diff_id() == project.diff_id()


def test_reading_writes_nothing_into_the_repository(project: Project) -> None:
    rich(project)
    git_dir = project.path / ".git"
    before = {path: path.stat().st_mtime_ns for path in git_dir.rglob("*")}
    change = project.change()
    project.port().diff_text(change.base, change.head)
    project.port().uncommitted("refs/heads/work")
    project.port().relation(base=change.base, head=change.head, new_head=change.base, target="main")
    assert {path: path.stat().st_mtime_ns for path in git_dir.rglob("*")} == before


def test_the_temporary_directory_is_removed(project: Project, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    project.branch("work")
    repo = project.port()
    repo.change(target="main", ref="refs/heads/work", since=None)
    assert len(list(temporary.iterdir())) == 1
    repo.close()
    assert list(temporary.iterdir()) == []
    repo.change(target="main", ref="refs/heads/work", since=None)
    del repo
    assert list(temporary.iterdir()) == []
