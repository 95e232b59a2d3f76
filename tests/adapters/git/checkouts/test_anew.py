"""A repository of its own with one commit; nobody's configuration has a word in it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from foureyes.adapters.git.checkouts.anew import BRANCH, begin


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, capture_output=True, text=True, check=True).stdout


def test_everything_that_lies_there_is_in_the_one_commit_whatever_anybody_ignores_signs_or_hooks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hooks, ran = tmp_path / "hooks", tmp_path / "ran"
    hooks.mkdir()
    (hooks / "pre-commit").write_text(f"#!/bin/sh\ntouch {ran}\nexit 1\n")
    (hooks / "pre-commit").chmod(0o755)
    config = tmp_path / "gitconfig"
    config.write_text(f"[core]\nhooksPath = {hooks}\n[commit]\ngpgSign = true\n[init]\ndefaultBranch = odd\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src" / "a.py").write_text("a\n")
    (root / ".gitignore").write_text("*.log\n")
    (root / "kept.log").write_text("kept\n")
    begin(root.as_posix(), "Begin")
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_CONFIG_GLOBAL")
    assert git(root, "ls-files").split() == [".gitignore", "kept.log", "src/a.py"]
    assert git(root, "log", "--format=%s %D").strip() == f"Begin HEAD -> {BRANCH}"
    assert not ran.exists()
