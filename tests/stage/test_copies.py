"""A copy of a project is what it was, with its links, modes and times."""

from __future__ import annotations

import os
from pathlib import Path

from tests.stage.copies import copy_tree


def test_files_folders_links_modes_and_times_are_the_same(tmp_path: Path) -> None:
    project = tmp_path / "project"
    (project / "empty").mkdir(parents=True)
    (project / "large").write_bytes(os.urandom(3_000_000))
    (project / "ü").write_text("")
    (project / "run").write_text("x")
    (project / "run").chmod(0o4775)
    (project / "link").symlink_to("nowhere")
    (project / "there").symlink_to("empty")
    os.utime(project / "run", ns=(1, 2))
    os.utime(project / "empty", ns=(3, 4))
    copy_tree(project, tmp_path / "deep" / "copy")
    assert seen(tmp_path / "deep" / "copy") == seen(project)


def seen(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    found = {}
    for path in (folder, *folder.rglob("*")):
        about = path.lstat()
        content = path.read_bytes() if path.is_file() else os.fsencode(path.readlink()) if path.is_symlink() else b""
        time = 0 if path.is_symlink() else about.st_mtime_ns
        found[str(path.relative_to(folder))] = (about.st_mode, time, content)
    return found
