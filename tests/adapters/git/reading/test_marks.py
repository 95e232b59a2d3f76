"""What a patch has in it that any reviewer should know (H1): from real git, whatever attributes and names say."""

from __future__ import annotations

import pytest

from tests.adapters.git.conftest import Project


def marks(project: Project) -> set[tuple[str, str]]:
    return {(mark.kind, mark.path) for mark in project.change().marks}


@pytest.fixture
def project(project: Project) -> Project:
    project.write("tests/test_a.py", "def test_a():\n    assert one()\n    assert two()\n")
    project.write("run.sh", "true\n")
    project.commit("more")
    project.branch("work")
    return project


def changed(project: Project, name: str, content: str | bytes) -> set[tuple[str, str]]:
    project.write(name, content)
    project.commit("work")
    return marks(project)


def test_a_plain_change_has_no_mark(project: Project) -> None:
    assert changed(project, "code.py", "x = 1\n") == set()


def test_a_deleted_file_and_a_renamed_one(project: Project) -> None:
    project.git("rm", "-q", "tests/test_a.py")
    project.git("mv", "run.sh", "go.sh")
    project.commit("work")
    assert ("deleted", "tests/test_a.py") in marks(project)
    assert ("deleted", "go.sh") not in marks(project)


def test_the_executable_bit_set_and_taken_off(project: Project) -> None:
    (project.path / "run.sh").chmod(0o755)
    project.commit("work")
    assert marks(project) == {("executable", "run.sh"), ("mode", "run.sh"), ("odd", "run.sh")}
    project.git("branch", "-q", "-f", "main", "work")
    (project.path / "run.sh").chmod(0o644)
    project.commit("back")
    assert marks(project) == {("mode", "run.sh"), ("odd", "run.sh")}


def test_a_new_executable_file(project: Project) -> None:
    project.write("tool", "x\n").chmod(0o755)
    project.commit("work")
    assert marks(project) == {("executable", "tool"), ("odd", "tool")}


def test_a_binary_file_also_where_attributes_call_it_text(project: Project) -> None:
    assert changed(project, "blob.bin", b"\0\1\2") == {("binary", "blob.bin")}
    project.write(".gitattributes", "*.bin text diff\n*.py -diff\n")
    project.write("hidden.py", "a = '\u202e'\n")
    project.commit("more")
    assert {("binary", "blob.bin"), ("hidden", "hidden.py")} <= marks(project)
    assert ("binary", "hidden.py") not in marks(project)


def test_a_line_of_more_than_500_characters_that_is_added_H1(project: Project) -> None:
    assert changed(project, "fits.py", "é" * 500 + "\n") == set()
    assert changed(project, "web/app.js", "x" * 501 + "\n") == {("long", "web/app.js")}
    project.git("branch", "-q", "-f", "main", "work")
    assert changed(project, "web/app.js", "x\n") == set(), "one that goes hides nothing"


HIDDEN = {
    "right to left": "\u202e", "isolate": "\u2066", "zero width": "\u200b", "joiner": "\u200d", "word joiner": "\u2060",
    "byte order mark": "\ufeff", "soft hyphen": "\u00ad", "arabic letter mark": "\u061c", "backspace": "\x08",
    "escape": "\x1b", "delete": "\x7f", "selector": "\U000e0100", "variant": "\ufe01", "filler": "\u3164",
    "jamo filler": "\u115f", "half filler": "\uffa0", "braille blank": "\u2800", "tag": "\U000e0041", "c1": "\x9b",
    "mongolian": "\u180e", "return": "\r", "bell": "\x07",
}  # fmt: skip


@pytest.mark.parametrize("character", HIDDEN.values(), ids=HIDDEN.keys())
def test_characters_that_do_not_show_are_hidden(project: Project, character: str) -> None:
    assert changed(project, "a.py", f"if admin{character}:\n") == {("hidden", "a.py")}


@pytest.mark.parametrize(
    "text",
    [
        "tab\there\n",
        "äöü ñ 日本 🎉\n",
        "a\n\n\nb\n",
        "dos\r\n",
        "❤\ufe0f 👨\u200d👩\u200d👧\n",
        "\u0645\u06cc\u200c\u062e\n",
        "dos\r",
    ],
    ids=["tab", "letters", "empty", "dos", "emoji", "persian", "dos without an end"],
)
def test_ordinary_text_is_not_hidden(project: Project, text: str) -> None:
    assert changed(project, "a.txt", text) == set()


def test_hidden_characters_that_are_only_taken_out_are_no_mark(project: Project) -> None:
    project.switch("main")
    project.write("a.py", "a\u200b = 1\n")
    project.commit("was there")
    project.git("branch", "-q", "-f", "work", "main")
    project.switch("work")
    assert changed(project, "a.py", "a = 1\n") == set()


SKIPS = {
    "pytest": "@pytest.mark.skip", "condition": "@pytest.mark.skipif(True, reason='')", "xfail": "@pytest.mark.xfail",
    "call": "pytest.skip('x')", "unittest": "@unittest.skip('x')", "jest": "it.skip('x', () => {})",
    "describe": "describe.skip('x')", "xit": "xit('x')", "todo": "test.todo('x')", "junit 5": "@Disabled",
    "junit 4": "@Ignore", "go": "t.Skip()", "rust": "#[ignore]",
}  # fmt: skip


@pytest.mark.parametrize("line", SKIPS.values(), ids=SKIPS.keys())
def test_a_test_that_is_skipped_now(project: Project, line: str) -> None:
    assert changed(project, "tests/test_b.py", f"{line}\n") == {("skip", "tests/test_b.py")}


def test_a_skip_that_only_moved_is_none(project: Project) -> None:
    project.switch("main")
    project.write("t.py", "@pytest.mark.skip\ndef a(): ...\n")
    project.commit("was there")
    project.git("branch", "-q", "-f", "work", "main")
    project.switch("work")
    assert changed(project, "t.py", "def b(): ...\n@pytest.mark.skip\ndef a(): ...\n") == set()


def test_fewer_assertions_than_before_and_as_many_elsewhere(project: Project) -> None:
    assert changed(project, "tests/test_a.py", "def test_a():\n    assert one()\n    two()\n") == {
        ("assert", "tests/test_a.py")
    }
    assert changed(project, "tests/test_a.py", "def test_a():\n    assert two()\n    assert one()\n") == set()


ASSERTS = [
    "expect(x).toBe(1)",
    "x.should.equal(1)",
    "require.Equal(t, 1, x)",
    "t.Errorf('x')",
    "self.assertEqual(1, 2)",
]


@pytest.mark.parametrize("line", ASSERTS)
def test_assertions_of_other_tools(project: Project, line: str) -> None:
    project.switch("main")
    project.write("t.txt", f"{line}\nkeep\n")
    project.commit("was there")
    project.git("branch", "-q", "-f", "work", "main")
    project.switch("work")
    assert changed(project, "t.txt", "keep\n") == {("assert", "t.txt")}


def test_a_file_with_several_marks_has_each_once_and_odd_names_are_shown(project: Project) -> None:
    found = changed(project, "tests/ä b\n.py", "@pytest.mark.skip\n@pytest.mark.skip\nx = '\u202e\u202e'\n")
    assert {kind for kind, _ in found} == {"skip", "hidden"}
    assert len(found) == 2


def test_a_link_and_a_file_that_became_one(project: Project) -> None:
    (project.path / "run.sh").unlink()
    (project.path / "run.sh").symlink_to("code.py")
    project.commit("work")
    assert marks(project) == {("link", "run.sh"), ("odd", "run.sh")}


def test_a_new_link_and_one_that_leads_elsewhere_but_not_one_that_is_gone(project: Project) -> None:
    link = project.path / "conf"
    link.symlink_to("/etc/passwd")
    project.commit("work")
    assert marks(project) == {("link", "conf"), ("odd", "conf")}
    project.git("branch", "-q", "-f", "main", "work")
    link.unlink()
    link.symlink_to("/etc/shadow")
    project.commit("elsewhere")
    assert marks(project) == {("link", "conf"), ("odd", "conf")}
    project.git("branch", "-q", "-f", "main", "work")
    project.git("rm", "-q", "conf")
    project.commit("gone")
    assert marks(project) == {("deleted", "conf"), ("unlinked", "conf"), ("odd", "conf")}


def test_a_rename_a_submodule_and_a_changed_program_are_marked_P10_M3(project: Project) -> None:
    project.git("mv", "run.sh", "go.sh")
    project.git("update-index", "--add", "--cacheinfo", f"160000,{project.git('rev-parse', 'HEAD').strip()},vendor/lib")
    project.git("commit", "-qm", "work")
    assert marks(project) >= {("rename", "go.sh"), ("submodule", "vendor/lib"), ("odd", "vendor/lib")}


def test_the_size_of_a_change_is_in_bytes_of_its_lines_and_names_P10(project: Project) -> None:
    project.write("long.py", "x = '" + "a" * 10_000 + "'\n")
    project.write("tests/test_a.py", "def test_a():\n    assert one()\n    assert 2\n")
    project.commit("work")
    lines = len("x = ''") + 10_000 + len("    assert two()") + len("    assert 2")
    assert project.change().size == lines + len("long.py") + len("tests/test_a.py")


def test_empty_files_have_the_size_of_their_names_P10(project: Project) -> None:
    project.write("pkg/__init__.py", "")
    project.commit("work")
    assert project.change().size == len("pkg/__init__.py")
