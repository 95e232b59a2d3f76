"""The files of a tree and of the target, as an environment is made from them (D5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.adapters.tree_comparison import unlike
from foureyes.app.work.worktrees import FilesOfTree
from foureyes.core.words.ids import Sha

from tests.stage.gated import approved, merge
from tests.stage.people import CODEX
from tests.stage.world import GitWorld

GLOBS = ("**/package.json", "lock")


@pytest.mark.on("sqlite")
def test_D5_the_inputs_of_a_tree_are_listed_and_written_and_nothing_else(world: GitWorld, tmp_path: Path) -> None:
    repo = world.checkout
    for name, text in {"package.json": "1\n", "packages/a/package.json": "2\n", "src/app.js": "code\n"}.items():
        (repo.path / name).parent.mkdir(parents=True, exist_ok=True)
        (repo.path / name).write_text(text)
    repo.git("add", ".")
    repo.git("commit", "-qm", "inputs")
    tree = Sha(repo.git("rev-parse", "HEAD^{tree}").strip())
    blob = repo.git("rev-parse", "HEAD:packages/a/package.json").strip()
    files = FilesOfTree(world.app.context, tree, tree)
    assert [files.listed(GLOBS)] == files.of_target(GLOBS)
    assert files.listed(GLOBS)["packages/a/package.json"] == f"100644 {blob}"
    repo.commit("lock", "moved\n")
    assert [each.get("lock") for each in files.of_target(GLOBS)] == [None], "a branch is anybody's to move"
    repo.write(".git/info/exclude", ".foureyes/\n")
    task = approved(world, by=CODEX)
    assert merge(world) == {task: "merged"}
    assert [each.get("lock") is None for each in files.of_target(GLOBS)] == [False, True], "as merged, and as it was"
    place = tmp_path / "inputs"
    place.mkdir()
    files.write_some(list(files.listed(GLOBS)), str(place))
    found = sorted(str(path.relative_to(place)) for path in place.rglob("*") if path.is_file())
    assert found == ["package.json", "packages/a/package.json"]


@pytest.mark.on("sqlite")
def test_D5_what_git_writes_of_a_tree_is_what_it_lists_whatever_the_attributes_say(
    world: GitWorld, tmp_path: Path
) -> None:
    repo, place = world.checkout, tmp_path / "written"
    place.mkdir()
    (repo.path / "crlf.txt").write_bytes(b"a\r\nb\n\xff")
    (repo.path / ".gitattributes").write_text("* ident\n*.md text eol=crlf\n")
    (repo.path / "b\u00e4d dir").mkdir()
    (repo.path / "b\u00e4d dir" / "run.md").write_text("$Id$\n")
    (repo.path / "b\u00e4d dir" / "run.md").chmod(0o755)
    (repo.path / "out").symlink_to("/nowhere")
    repo.git("add", ".")
    repo.git("commit", "-qm", "odd files")
    tree = Sha(repo.git("rev-parse", "HEAD^{tree}").strip())
    world.app.context.workshop.export(tree, str(place))
    assert unlike(str(place), FilesOfTree(world.app.context, tree).listed(("**",))) == ""


@pytest.mark.on("sqlite")
def test_D5_a_base_where_the_target_was_for_a_moment_makes_no_file_one_of_the_target(world: GitWorld) -> None:
    repo, context = world.checkout, world.app.context
    repo.write(".git/info/exclude", ".foureyes/\n")
    begins = repo.head()
    repo.git("switch", "-qc", "mine")
    repo.commit("tool", "exit 0\n")
    forged = repo.head()
    repo.commit("bug.py", "bug\n")
    repo.git("switch", "-q", "main")

    def files(commit: str, *, is_asked: bool = False) -> FilesOfTree:
        return FilesOfTree(context, tree_of("mine"), tree_of(commit), commit, is_asked=is_asked)

    def tree_of(commit: str) -> Sha:
        return Sha(repo.git("rev-parse", f"{commit}^{{tree}}").strip())

    for _ in ("nothing is merged yet", "the last merge is on record"):
        mine = files(forged)
        assert (all("tool" not in had for had in mine.agreed()), "tool" in mine.agreed_for_start()) == (True, False)
        theirs = [*files(begins).agreed(), files(begins).agreed_for_start()]
        assert any("foureyes.toml" in had for had in theirs), "what the target had"
        task = approved(world, by=CODEX)
        assert merge(world) == {task: "merged"}
    assert "tool" in files(forged, is_asked=True).agreed_for_start(), "who merges onto it takes it for that merge alone"
