"""A repository with a workshop, and traps: programs and hooks that leave a mark when somebody runs them."""

from __future__ import annotations

import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path

import pytest

from foureyes.core.words.ids import Sha

from tests.adapters.git.conftest import Project
from tests.stage import scratch
from tests.stage.checkout import copied, template_in

TASK = "fe-7k2"
TRAILERS = ["Task: fe-7k2", "Foureyes-Session: ses-1"]
HOOKS = """applypatch-msg pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit pre-rebase post-checkout post-merge
reference-transaction post-index-change post-rewrite update pre-receive post-receive post-update""".split()


class Bench(Project):
    """A project whose mark file tells whether a trap was sprung."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.mark = path.parent / f"{path.name}-sprung"

    @property
    def common_dir(self) -> Path:
        return Path(self.git("rev-parse", "--path-format=absolute", "--git-common-dir"))

    def trap(self) -> str:
        """A command that leaves a mark and passes its input on."""
        script = self.path.parent / "trap.sh"
        script.write_text(f'#!/bin/sh\necho "$0 $@" >> "{self.mark}"\ncat\n')
        script.chmod(0o755)
        return str(script)

    def set_traps(self) -> None:
        """Everything a repository can say to make git run something."""
        command = self.trap()
        for key in (
            "filter.x.smudge",
            "filter.x.clean",
            "merge.x.driver",
            "diff.x.textconv",
            "diff.x.command",
            "core.fsmonitor",
        ):
            self.git("config", key, command)
        self.git("config", "filter.x.required", "true")
        hooks = self.common_dir / "hooks"
        hooks.mkdir(exist_ok=True)
        for name in HOOKS:
            (hooks / name).write_text(Path(command).read_text())
            (hooks / name).chmod(0o755)

    def sprung(self) -> str:
        return self.mark.read_text() if self.mark.exists() else ""

    def tree(self, ref: str = "HEAD") -> Sha:
        return Sha(self.git("rev-parse", f"{ref}^{{tree}}"))

    def refs(self) -> str:
        return self.git("for-each-ref")


@cache
def _template() -> Path:
    return template_in(Path(tempfile.mkdtemp(prefix="bench-", dir=scratch.Run.folder)))


def bench(path: Path, *init: str) -> Bench:
    """A repository on `main` with one commit."""
    if not init:
        return Bench(copied(_template(), path))
    path.mkdir(parents=True)
    made = Bench(path)
    made.git("init", "-q", "-b", "main", *init)
    made.commit("first", code_py="".join(f"line {number}\n" for number in range(1, 41)))
    return made


def raw_tree(project: Project, *entries: tuple[bytes, bytes, str]) -> Sha:
    """A tree that git itself would not make: mode, name, object."""
    raw = b"".join(mode + b" " + name + b"\0" + bytes.fromhex(sha) for mode, name, sha in entries)
    return Sha(project.git("hash-object", "-t", "tree", "-w", "--literally", "--stdin", stdin=raw))


def tricked(monkeypatch: pytest.MonkeyPatch, elsewhere: Path) -> None:
    """An environment that tells git to use other places and programs."""
    for name in (
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_INDEX_FILE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_COMMON_DIR",
        "GIT_NAMESPACE",
    ):
        monkeypatch.setenv(name, str(elsewhere / name.lower()))
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", "core.hooksPath")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", str(elsewhere))
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Mallory")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "@0 +0000")


def quietly(*argv: str, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    """Run something whatever comes of it."""
    clean = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name == "GIT_CONFIG_NOSYSTEM"
    }
    return subprocess.run(argv, cwd=cwd, capture_output=True, check=False, env=clean)


def add(project: Bench, session: str = "ses-1", *, at: Path | None = None, base: Sha | None = None) -> Path:
    """The worktree of the task."""
    return Path(
        project.workshop(at).add_worktree(TASK, branch=f"fe/{TASK}", base=base or project.head("main"), session=session)
    )


def trailers(project: Bench, at: Path, ref: str = "HEAD") -> list[str]:
    return project.git("log", "-1", "--format=%(trailers:only,unfold)", ref, cwd=at).splitlines()


def commit(project: Bench, at: Path, *args: str) -> list[str]:
    (at / "work.py").write_text(f"work {os.urandom(4).hex()}\n")
    project.git("add", "-A", cwd=at)
    project.git("commit", "-q", *(args or ("-m", "work")), cwd=at)
    return trailers(project, at)


def hook(folder: Path, name: str, text: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)
