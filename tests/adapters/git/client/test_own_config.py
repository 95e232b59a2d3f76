"""The repository's configuration is asked for again whenever it may have changed (Q2: it must name no program)."""

from __future__ import annotations

import mmap
import os
from pathlib import Path

import pytest

from foureyes.adapters.git.client.config_programs import GitSetting, OwnConfig, own_settings

from tests.adapters.git.conftest import Project


class Asked:
    """Git, and how often it was asked."""

    def __init__(self, project: Project) -> None:
        self.times = 0
        self._git = project.workshop()._git

    def __call__(self, git_dir: str) -> list[GitSetting]:
        self.times += 1
        return own_settings(self._git.real, git_dir)


@pytest.fixture
def asked(project: Project) -> Asked:
    return Asked(project)


def look(config: OwnConfig, project: Project, asked: Asked) -> list[str]:
    return [key for key, _ in config.seen_from(f"{project.path}/.git", asked)]


def test_what_has_not_changed_is_not_asked_for_again(project: Project, asked: Asked) -> None:
    config = OwnConfig(f"{project.path}/.git")
    assert look(config, project, asked) == look(config, project, asked)
    assert asked.times == 1


@pytest.mark.parametrize("file", ["config", "config.worktree"])
def test_a_changed_file_is_seen_even_with_its_old_time_and_size_Q2(project: Project, asked: Asked, file: str) -> None:
    path = Path(f"{project.path}/.git/{file}")
    project.git("config", "extensions.worktreeConfig", "true")
    project.git("config", "--file", str(path), "demo.programm", "xx")
    config = OwnConfig(f"{project.path}/.git")
    before = os.stat(path)
    assert "core.fsmonitr" not in look(config, project, asked)
    text = path.read_text().replace("[demo]", "[core]").replace("programm", "fsmonitr")
    path.write_text(text[: before.st_size])
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert "core.fsmonitr" in look(config, project, asked)


def test_a_file_written_through_a_mapping_is_seen_Q2(project: Project, asked: Asked) -> None:
    """Its times and its size stay what they were."""
    path = Path(f"{project.path}/.git/config")
    path.write_text(path.read_text() + "#" + " " * 60 + "\n")
    config = OwnConfig(f"{project.path}/.git")
    with open(path, "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[mapped.find(b"#") : mapped.find(b"#") + 1] = b";"
        look(config, project, asked)
        planted = b'[filter "x"]\n\tclean = evil\n;'
        at = mapped.rfind(b";")
        mapped[at : at + len(planted)] = planted
        assert "filter.x.clean" in look(config, project, asked)


def test_what_includes_other_files_is_never_kept_Q2(project: Project, asked: Asked) -> None:
    project.git("config", "include.path", "elsewhere")
    config = OwnConfig(f"{project.path}/.git")
    look(config, project, asked)
    project.write(".git/elsewhere", '[filter "x"]\n\tclean = evil\n')
    assert "filter.x.clean" in look(config, project, asked)
