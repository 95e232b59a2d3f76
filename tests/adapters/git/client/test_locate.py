"""Finding the repository from files, and the one root of all its worktrees (K3)."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from foureyes.adapters.git.client.locate import Located, locate
from foureyes.errors import GitProblem
from foureyes.ui.steps import steps_text

from tests.adapters.git.conftest import Project


def found(start: Path) -> Located:
    place = locate(start)
    assert place is not None
    return place


def test_a_repository_is_found_from_below(project: Project) -> None:
    deep = project.path / "a/b"
    deep.mkdir(parents=True)
    git_dir, root = str(project.path / ".git"), str(project.path)
    assert found(deep) == found(project.path) == Located(root, git_dir, git_dir, root)


def test_outside_of_a_repository_there_is_none(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    assert locate(tmp_path) is None


def test_every_worktree_has_the_same_root_K3(project: Project, tmp_path: Path) -> None:
    project.git("worktree", "add", "-q", str(tmp_path / "linked"))
    project.git("worktree", "add", "-q", str(project.path / ".foureyes/worktrees/one"))
    for path in (tmp_path / "linked", project.path / ".foureyes/worktrees/one"):
        place = found(path)
        assert (place.worktree, place.root) == (str(path), str(project.path))
        assert place.common_dir == str(project.path / ".git")
        assert place.git_dir == project.git("rev-parse", "--absolute-git-dir", cwd=path)


def test_a_way_through_a_symbolic_link_is_the_same_place_K3(project: Project, tmp_path: Path) -> None:
    (tmp_path / "alias").symlink_to(project.path)
    assert found(tmp_path / "alias") == found(project.path)


def test_inside_the_git_directory_the_repository_is_found(project: Project) -> None:
    assert found(project.path / ".git/refs") == found(project.path)


def test_a_bare_repository_and_its_worktrees_have_the_git_directory_as_root_K3(
    project: Project, tmp_path: Path
) -> None:
    bare = tmp_path / "bare.git"
    project.git("clone", "-q", "--bare", str(project.path), str(bare))
    project.git("worktree", "add", "-q", str(tmp_path / "linked"), "main", cwd=bare)
    assert found(bare) == Located(str(bare), str(bare), str(bare), str(bare))
    assert found(tmp_path / "linked").root == str(bare)


def test_a_bare_repository_inside_a_checkout_is_no_project_K3(project: Project) -> None:
    """It may have come with a commit: its configuration and refs are whoever's who wrote that."""
    planted = project.path / "vendor/evil"
    project.git("clone", "-q", "--bare", str(project.path), str(planted))
    for place in (planted, planted / "refs"):
        assert found(place).root == str(project.path)


def test_a_bare_repository_behind_a_git_file_has_one_root_K3(project: Project, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    project.git("clone", "-q", "--bare", str(project.path), str(folder / ".bare"))
    (folder / ".git").write_text("gitdir: ./.bare\n")
    project.git("worktree", "add", "-q", "linked", "main", cwd=folder)
    assert found(folder).root == found(folder / "linked").root == str(folder / ".bare")


def test_a_submodule_is_a_repository_of_its_own(new_project: Callable[..., Project]) -> None:
    outer, inner = new_project("outer"), new_project("inner")
    outer.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner.path), "sub")
    place = found(outer.path / "sub")
    assert (place.worktree, place.root) == (str(outer.path / "sub"), str(outer.path / "sub"))
    assert place.git_dir == str(outer.path / ".git/modules/sub")


def test_a_separate_git_directory_is_found_from_its_worktree(
    new_project: Callable[..., Project], tmp_path: Path
) -> None:
    project = new_project("apart", f"--separate-git-dir={tmp_path / 'elsewhere'}")
    place = found(project.path)
    assert place == Located(
        str(project.path), str(tmp_path / "elsewhere"), str(tmp_path / "elsewhere"), str(project.path)
    )


def test_no_second_store_is_guessed_for_a_separate_git_directory_K3(
    new_project: Callable[..., Project], tmp_path: Path
) -> None:
    project = new_project("apart", f"--separate-git-dir={tmp_path / 'elsewhere'}")
    project.git("worktree", "add", "-q", str(tmp_path / "linked"))
    with pytest.raises(GitProblem, match="does not say where its main worktree is") as refused:
        locate(tmp_path / "linked")
    assert "core.worktree" in steps_text(refused.value.next_step)
    project.git("config", "core.worktree", f"{project.path}")
    assert found(tmp_path / "linked").root == found(project.path).root == str(project.path)


@pytest.mark.parametrize(
    "text", ["", "nonsense\n", "gitdir:\n", "gitdir: /nonexistent\n", "gitdir: a\0b\n", "x" * 70_000]
)
def test_a_damaged_git_file_is_a_clear_sentence_and_stays_where_it_is(tmp_path: Path, text: str) -> None:
    (tmp_path / ".git").write_text(text)
    with pytest.raises(GitProblem, match=r"\.git (is damaged|names /nonexistent|cannot be read)") as refused:
        locate(tmp_path)
    assert steps_text(refused.value.next_step).startswith(("git worktree repair", "check what it is"))


def test_no_file_in_a_git_directory_makes_another_repository_of_it_Q2(project: Project, tmp_path: Path) -> None:
    """Git follows any `commondir`, also in the main git directory: branches and objects would be somebody else's."""
    evil = tmp_path / "evil.git"
    project.git("clone", "-q", "--bare", str(project.path), str(evil))
    project.git("config", "core.worktree", str(project.path), cwd=evil)
    planted = project.path / ".git/commondir"
    planted.write_text(f"{evil}\n")
    assert project.git("rev-parse", "--git-common-dir") == str(evil)
    with pytest.raises(GitProblem, match=f"{planted} names {evil}, which has no such worktree") as refused:
        locate(project.path / "below")
    assert "move it away" in steps_text(refused.value.next_step)
    for text in ("", "\n", "\0\n"):
        planted.write_text(text)
        with pytest.raises(GitProblem, match="commondir is damaged"):
            locate(project.path)
    planted.write_text("nowhere\n")
    assert locate(project.path) is None


def test_a_worktree_is_where_its_repository_has_it_K3(project: Project, tmp_path: Path) -> None:
    project.git("worktree", "add", "-q", str(tmp_path / "linked"))
    other = tmp_path / "other"
    project.git("clone", "-q", str(project.path), str(other))
    note = project.path / ".git/worktrees/linked/commondir"
    assert found(tmp_path / "linked").root == str(project.path)
    note.write_text(f"{other}/.git\n")
    with pytest.raises(GitProblem, match="commondir names"):
        locate(tmp_path / "linked")


def test_files_of_a_commit_that_look_like_a_git_directory_stop_nobody(project: Project) -> None:
    folder = project.path / "vendor"
    folder.mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / "commondir").write_text("../.git\n")
    assert found(folder).root == str(project.path)


def test_a_git_file_is_read_byte_for_byte_as_git_reads_it(project: Project, tmp_path: Path) -> None:
    odd = tmp_path / " a\nname "
    project.git("worktree", "add", "-q", "--detach", str(odd))
    assert found(odd).worktree == str(odd)
    text = (odd / ".git").read_text()
    for damaged in (text.replace("gitdir: ", "gitdir:"), f"\n{text}", text.replace("gitdir: ", "gitdir:  ")):
        (odd / ".git").write_text(damaged)
        with pytest.raises(GitProblem, match=r"\.git (is damaged|names)"):
            locate(odd)


@pytest.mark.parametrize(
    "config",
    [
        "[core]\n\tworktree = ../there\n",
        '[core] worktree = "../there" ; comment\n',
        '[CORE]\n  WorkTree = "../th\\\nere"\n[core "x"]\n worktree = no\n',
        "[other]\nworktree = no\n# [core]\n[core]\nbare\nworktree=../there # comment",
    ],
)
def test_the_configuration_is_read_as_git_reads_it(project: Project, config: str) -> None:
    """What it says is seen in the refusal: the store is not looked for in another place than the checkout (P12)."""
    (project.path / ".git/config").write_text(config)
    with pytest.raises(GitProblem, match=f"main worktree is {project.path / 'there'}"):
        locate(project.path)


def test_a_line_that_makes_a_git_directory_bare_does_not_move_the_store_K3_P12(project: Project) -> None:
    project.git("config", "core.bare", "true")
    assert found(project.path).root == str(project.path / ".git")
    (project.path / ".foureyes").mkdir()
    assert found(project.path).root == str(project.path)


def test_locating_starts_no_program_and_loads_little() -> None:
    heavy = ("subprocess", "pathlib", "tempfile", "shutil", "foureyes.adapters.process")
    code = (
        f"import sys, foureyes.adapters.git.client.locate as l; l.locate('.');print([name for name in {heavy} "
        "if name in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert said.strip() == "[]"
