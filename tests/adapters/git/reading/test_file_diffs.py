"""The change as files and hunks: what git writes for reading, whatever is in the files and whatever they are called."""

from __future__ import annotations

import re
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foureyes.core.documents.unified_diff import FileDiff
from foureyes.core.words.ids import Sha

from tests.adapters.git.conftest import Project
from tests.adapters.git.reading.test_diff_id import rich
from tests.core.documents.test_unified_diff import rejoined
from tests.stage.checkout import CODE
from tests.stage.night import plays


def files_of(project: Project) -> dict[str, FileDiff]:
    change = project.change()
    return {file.path: file for file in project.port().file_diffs(change.base, change.head)}


def written(project: Project, base: Sha, head: Sha) -> str:
    """The hunks of a change as git itself writes them, without what stands above them."""
    command = ["git", "diff-tree", "-r", "-p", "-M", base, head]
    patch = subprocess.run(command, cwd=project.path, capture_output=True, check=True).stdout
    text = patch.decode("utf-8", "backslashreplace")
    return re.sub(r"^(?![@ +\\-]).*\n|^(?:---|\+\+\+) (?:a/|b/|/dev/null).*\n", "", text, flags=re.MULTILINE)


def test_every_kind_of_change_is_told_and_counts_are_those_of_the_attempt_A1(project: Project) -> None:
    rich(project)
    files = files_of(project)
    assert {path: file.status for path, file in files.items()} == {
        "becomes.py": "T",
        "blank.py": "M",
        "code.py": "M",
        "gone.py": "D",
        "lib": "A",
        "link": "A",
        "picture.bin": "M",
        "there.py": "R",
        "tool.sh": "M",
    }
    assert (files["there.py"].old_path, files["tool.sh"].mode_change) == ("moved.py", "100644 to 100755")
    picture = files["picture.bin"]
    assert (picture.binary, picture.old_size, picture.new_size) == (True, 301, 301)
    assert files["lib"].hunks[0].lines[0].text.startswith("Subproject commit ")
    assert [hunk.section for hunk in files["code.py"].hunks] == ["line 1", "line 10"]
    counted = {file.path: (file.added or 0, file.removed or 0) for file in project.change().files}
    assert {path: (file.added, file.removed) for path, file in files.items()} == counted
    assert all(file.hunks for file in files.values()), "there is something to look at in every file"


def test_the_kind_of_each_file_is_told_also_of_one_that_only_moved(project: Project) -> None:
    (project.path / "here.lnk").symlink_to("../elsewhere/of/a/long/name")
    project.commit("a link")
    rich(project)
    project.git("mv", "here.lnk", "there\t.lnk")
    project.git("commit", "-q", "-m", "moved")
    kinds = {path: file.kind for path, file in files_of(project).items() if file.kind}
    assert kinds.pop("lib").startswith("new submodule at ")
    assert kinds == {
        "becomes.py": "was a file, now a link",
        "link": "new link",
        "there\t.lnk": "link",
        "tool.sh": "now executable",
    }


@pytest.mark.parametrize(
    "name",
    [b"with space", b"caf\xc3\xa9", b"latin\xe9", b'quote"', b"tab\there", b"line\nbreak", b"back\\slash", b" b/x"],
)
def test_a_file_of_any_name_is_found_under_the_name_that_was_handed_in(project: Project, name: bytes) -> None:
    project.write(b"mode-" + name, "text\n")
    project.commit("before")
    project.branch("work")
    project.write(name, "text\n")
    project.write(b"bin-" + name, b"\0")
    project.write(b"empty-" + name, b"")
    (project.path / project.write(b"mode-" + name, "text\n")).chmod(0o755)
    project.commit("a name")
    assert set(files_of(project)) == {file.path for file in project.change().files}


def test_what_is_read_does_not_depend_on_attributes_and_configuration_A2(project: Project) -> None:
    rich(project)
    before = files_of(project)
    project.git("config", "diff.noprefix", "true")
    project.git("config", "diff.external", "/bin/false")
    project.git("config", "core.attributesFile", str(project.write("../evil", "* -diff\n")))
    assert files_of(project) == before


CONTENT = st.one_of(
    st.binary(max_size=60),
    st.lists(
        st.sampled_from([b"a\n", b"b\n", b"\n", b"c\r\n", b"-- d\n", b"@@ -1 +1 @@\n", b"\xff\xfe\n", b"e"]),
        max_size=60,
    ).map(b"".join),
)


@settings(
    max_examples=plays("random diffs by git"),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.lists(st.tuples(CONTENT, CONTENT), min_size=1, max_size=8))
def test_hunks_rejoined_are_what_git_wrote_and_numbers_lead_to_the_line(
    home: Path, contents: list[tuple[bytes, bytes]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        project = Project(Path(folder))
        project.git("init", "-q", "-b", "main")
        for n, (old, _) in enumerate(contents):
            project.write(f"{n}", old)
        base = project.commit("before")
        for n, (_, new) in enumerate(contents):
            project.write(f"{n}", new)
        head = project.commit("after")
        files = project.port().file_diffs(base, head)
        text = written(project, base, head)
    hunks = [hunk for file in files for hunk in file.hunks if hunk.old_lines or hunk.new_lines]
    assert "".join(map(rejoined, hunks)) == text
    for file in files:
        before, after = (raw.split(b"\n") for raw in contents[int(file.path)])
        for line in (line for hunk in file.hunks for line in hunk.lines):
            assert line.old is None or before[line.old - 1].decode("utf-8", "backslashreplace") == line.text
            assert line.new is None or after[line.new - 1].decode("utf-8", "backslashreplace") == line.text


def test_a_hunk_that_did_not_change_keeps_its_id_on_another_base(project: Project) -> None:
    project.branch("work")
    project.commit("work", code_py=CODE.replace("line 30\n", "line thirty\n"))
    before = files_of(project)["code.py"].hunks
    project.switch("main")
    project.commit("above", code_py="new\n" + CODE)
    project.switch("work")
    project.git("rebase", "-q", "main")
    after = files_of(project)["code.py"].hunks
    assert [hunk.id for hunk in before] == [hunk.id for hunk in after]
    assert [hunk.new_start for hunk in before] != [hunk.new_start for hunk in after]
