"""What a commit of everything would add: new files, staged or not, and what grew (A1, S4)."""

from __future__ import annotations

from collections.abc import Callable

from tests.adapters.git.conftest import Project

MAIN = "refs/heads/main"


def _grow(project: Project, path: str, by: int) -> None:
    project.write(path, (project.path / path).read_text() + "x" * by)


def test_new_is_what_the_last_commit_lacks_staged_or_not_A1_S4(project: Project) -> None:
    project.write(".gitignore", ".env\nquiet\n")
    project.write(".env", "PASSWORD=x\n")
    project.write("plain.py", "1\n")
    project.write("meant.py", "12\n")
    project.write("quiet", "ignored\n")
    project.write(".foureyes/store.db", "x\n")
    project.git("add", "--force", ".env")
    project.git("add", "--intent-to-add", "meant.py")
    found = project.port().additions(MAIN)
    assert found.new == {".env": 11, ".gitignore": 11, "plain.py": 2, "meant.py": 3}
    assert found.grown == {}


def test_what_was_there_counts_by_its_growth_A1_S4(project: Project) -> None:
    project.commit("two more", small_py="1\n", gone_py="1\n")
    _grow(project, "code.py", 1000)
    project.write("small.py", "")
    (project.path / "gone.py").unlink()
    found = project.port().additions(MAIN)
    assert (found.new, found.grown) == ({}, {"code.py": 1000})


def test_taken_out_of_the_index_it_is_not_new_S4(project: Project) -> None:
    project.git("rm", "-q", "--cached", "code.py")
    _grow(project, "code.py", 7)
    found = project.port().additions(MAIN)
    assert (found.new, found.grown) == ({}, {"code.py": 7})


def test_what_is_staged_counts_although_the_file_became_small_or_went_S4(project: Project) -> None:
    for name in ("bits.bin", "sparse.bin", "gone.bin"):
        project.write(name, "x" * 5000)
    _grow(project, "code.py", 1000)
    project.git("add", ".")
    project.git("update-index", "--assume-unchanged", "bits.bin", "code.py")
    project.git("update-index", "--skip-worktree", "sparse.bin")
    project.write("bits.bin", "x")
    project.write("code.py", "x")
    (project.path / "sparse.bin").unlink()
    (project.path / "gone.bin").unlink()
    found = project.port().additions(MAIN)
    assert (found.new, found.grown) == ({"bits.bin": 5000, "sparse.bin": 5000}, {"code.py": 1000})


def test_before_the_first_commit_everything_is_new_A1(new_project: Callable[..., Project]) -> None:
    project = new_project("fresh")
    project.git("switch", "-q", "--orphan", "fresh")
    project.write("first.py", "1\n")
    project.git("add", ".")
    project.write("second.py", "12\n")
    assert project.port().additions("refs/heads/fresh").new == {"first.py": 2, "second.py": 3}
