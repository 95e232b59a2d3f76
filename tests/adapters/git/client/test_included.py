"""Files that a repository's configuration has git read besides are found as git finds them, and looked at first."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters.git.client.git import Git
from foureyes.adapters.git.client.odd_files import held_by, included, refuse_odd
from foureyes.errors import GitProblem

from tests.stage.checkout import Checkout
from tests.stage.odd import in_place_of

MB = 1 << 20
WAYS = (
    "[include]\n\tpath = {}\n",
    "[INCLUDE] path={} ; why\n",
    '[includeIf "gitdir:/nowhere/"]\npath = "{}"\n',
    '[includeif "onbranch:a\\"]b"]\n  Path = {} # why\n',
    "[core]\n\tbare = false\n[include]\n\tother = 1\n\tpath = \\\n{}\n",
)


@pytest.mark.parametrize("way", WAYS)
def test_what_a_configuration_includes_is_looked_at_before_git_is_asked_G1(project: Checkout, way: str) -> None:
    folder = project.path / ".git"
    config = folder / "config"
    config.write_text(config.read_text() + way.format("more.inc"))
    (folder / "more.inc").write_text("[user]\n\tname = x\n")
    assert list(included((str(config),), MB)) == [str(folder / "more.inc")]
    refuse_odd(str(folder), str(folder))
    with in_place_of(folder / "more.inc", "a named pipe"):
        with pytest.raises(GitProblem, match=r"more\.inc is a named pipe"):
            Git(str(folder), str(folder)).real("rev-parse", "HEAD")
        assert "more.inc is a named pipe" in held_by(str(folder))


def test_includes_of_includes_and_of_a_worktree_are_followed_and_a_circle_ends(
    project: Checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = project.path / ".git"
    monkeypatch.setenv("HOME", str(tmp_path))
    (folder / "config.worktree").write_text("[include]\npath = ~/far.inc\n")
    (tmp_path / "far.inc").write_text(f"[include]\npath = next.inc\npath = {folder / 'config.worktree'}\n")
    configs = (str(folder / "config"), str(folder / "config.worktree"))
    assert list(included(configs, MB)) == [str(tmp_path / "far.inc"), str(tmp_path / "next.inc")]
    os.mkfifo(tmp_path / "next.inc")
    with pytest.raises(GitProblem, match=r"next\.inc is a named pipe"):
        refuse_odd(str(folder), str(folder))


def test_what_is_no_include_is_none(project: Checkout) -> None:
    config = project.path / ".git" / "config"
    config.write_text(
        "[core]\n\tpath = a\n[alias]\n\tinclude = path = b\n# [include]\n#\tpath = c\n[include]\n\tpath =\n"
    )
    assert list(included((str(config),), MB)) == []
