"""K1, G4: what git ignores in a worktree that goes is made again by a tool, or keeps it."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.adapters.git.checkouts.task_worktrees import goes_along

from tests.adapters.git.workshop_project import TASK, add, bench, commit


@pytest.mark.parametrize(
    ("path", "goes"),
    [
        (b".venv/", ".venv"),
        (b"web/node_modules/", "web/node_modules"),
        (b".mypy_cache/3.11/x.json", ".mypy_cache"),
        (b"src/__pycache__/a.cpython-311.pyc", "src/__pycache__"),
        (b"dist/", "dist"),
        (b"web/build/", "web/build"),
        (b"build/.env", None),
        (b"src/out/local.db", None),
        (b"out", None),
        (b"target/data/", None),
        (b"build/a.o", "build/a.o"),
        (b"model.obj", None),
        (b"notes.txt", None),
        (b".env", None),
        (b"data/", None),
        (b"builds/", None),
        (b"\xff.db", None),
    ],
)
def test_only_what_a_tool_makes_again_goes_with_a_worktree_K1_G4(tmp_path: Path, path: bytes, goes: str | None) -> None:
    gone, lost = goes_along(str(tmp_path / "here"), str(tmp_path / "root"), [path])
    assert (gone, bool(lost)) == ([goes] if goes else [], goes is None)


def test_a_link_and_a_copy_of_the_file_in_the_main_checkout_are_not_lost_K1_G4(tmp_path: Path) -> None:
    here, root = tmp_path / "here", tmp_path / "root"
    for place, name, text in ((here, ".env", "A=1\n"), (root, ".env", "A=1\n"), (here, "b", "2\n"), (root, "b", "1\n")):
        place.mkdir(exist_ok=True)
        (place / name).write_text(text)
    (here / "cache").symlink_to(root)
    assert goes_along(str(here), str(root), [b".env", b"cache", b"b", b"nowhere"]) == (
        [".env", "cache"],
        ["b", "nowhere"],
    )


def test_an_ignored_file_that_is_nowhere_else_keeps_the_worktree_and_the_rest_is_named_K1_G4(tmp_path: Path) -> None:
    project = bench(tmp_path / "project")
    project.write(".gitignore", ".env\nnode_modules/\n*.pyc\n")
    project.commit("ignore")
    at = add(project)
    commit(project, at)
    (at / "node_modules").mkdir()
    (at / "node_modules" / "x.js").write_text("x")
    (at / ".env").write_text("KEY=only here\n")
    stays = project.workshop().drop_worktree(TASK).stays
    assert stays == f"git ignores .env in {at}, and it is stored nowhere else"
    assert (at / ".env").exists()
    (at / ".env").unlink()
    assert project.workshop().drop_worktree(TASK).gone == ("node_modules",)
    assert not at.exists()
