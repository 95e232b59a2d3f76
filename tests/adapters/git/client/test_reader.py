"""Objects are what their names say, or are not read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters.git.client import git
from foureyes.errors import GitProblem

from tests.adapters.git.client.swapping import break_blob
from tests.adapters.git.conftest import Project
from tests.stage.checkout import CODE


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


@pytest.mark.parametrize("many", [1, 41])
def test_an_object_of_which_git_sends_less_than_it_says_is_named_and_nobody_waits_G1(
    project: Project, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    monkeypatch.setattr(git, "READ_TIMEOUT", 5.0)
    project.branch("work")
    names = [f"a{number}.py" for number in range(many)]
    head = project.commit("one", **{name.replace(".", "_"): f"code = {name}\n" for name in names})
    blob = project.head("work:a0.py")
    break_blob(project.path / ".git", blob, b"code = a0.py\n", "the size of more")
    repo = project.port()
    with pytest.raises(GitProblem, match=blob):
        repo.texts(head, names)
    assert repo.file_at("main", "code.py") == CODE
