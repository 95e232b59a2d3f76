"""Files by their content (D5): whether a directory holds what was committed, and nothing else."""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from foureyes.adapters.checks.reports import CheckedFiles
from foureyes.adapters.tree_comparison import changed, sizes, unlike

from tests.adapters.checks.trees import blob
from tests.stage.odd import deep

FILES = {"a.py": f"100644 {blob(b'a')}", "dir/b": f"100755 {blob(b'')}", "link": f"120000 {blob(b'dir')}"}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "dir").mkdir()
    (tmp_path / "a.py").write_text("a")
    (tmp_path / "dir" / "b").touch(0o755)
    (tmp_path / "link").symlink_to("dir")
    return tmp_path


def test_D5_what_was_committed_is_like_it_and_submodules_are_directories(tree: Path) -> None:
    assert unlike(str(tree), FILES) == ""
    (tree / "module").mkdir()
    assert unlike(str(tree), {**FILES, "module": "160000 " + "0" * 40}) == ""
    long = sha256(b"blob 1\0a").hexdigest()
    assert unlike(str(tree), {**FILES, "a.py": f"100644 {long}"}) == "", "of a repository with the longer names, too"


def test_D5_another_content_and_what_is_gone_or_more_is_found(tree: Path) -> None:
    (tree / "dir" / "conftest.py").touch()
    assert unlike(str(tree), FILES) == "dir/conftest.py"
    (tree / "dir" / "b").unlink()
    assert unlike(str(tree), FILES) == "dir/b"
    (tree / "a.py").write_text("b")
    assert unlike(str(tree), FILES) == "a.py"


def test_D5_a_program_that_is_none_and_a_file_that_became_one_are_found(tree: Path) -> None:
    (tree / "dir" / "b").chmod(0o644)
    assert unlike(str(tree), FILES) == "dir/b"
    (tree / "a.py").chmod(0o744)
    assert list(changed(str(tree), FILES)) == ["a.py", "dir/b"]


def test_D5_what_is_of_another_kind_is_found_and_nobody_waits_for_it(tree: Path) -> None:
    (tree / "link").unlink()
    (tree / "link").symlink_to("a.py")
    assert unlike(str(tree), FILES) == "link"
    (tree / "dir" / "b").unlink()
    (tree / "dir" / "b").symlink_to("../a.py")
    assert unlike(str(tree), FILES) == "dir/b"
    (tree / "a.py").unlink()
    os.mkfifo(tree / "a.py")
    assert unlike(str(tree), FILES) == "a.py"


def test_D5_what_a_run_left_as_another_is_told_and_of_a_layer_only_what_lies_in_it(tree: Path, tmp_path: Path) -> None:
    assert changed(str(tree), FILES) == {}
    (tree / "a.py").write_text("b")
    (tree / "dir" / "b").unlink()
    (tree / "new").touch()
    assert changed(str(tree), FILES) == {"a.py": f"100644 {blob(b'b')}", "dir/b": ""}
    layer = tmp_path / "layer"
    layer.mkdir()
    assert changed(str(tree), FILES, str(layer)) == {}
    (layer / "dir").touch()
    assert list(changed(str(tree), FILES, str(layer))) == ["dir/b"], "a directory that was removed lies there as one"
    (layer / "dir").unlink()
    (layer / "dir").mkdir()
    assert list(changed(str(tree), FILES, str(layer))) == ["dir/b"], "one that was made again is empty there"
    assert list(changed(str(tree), {**FILES, "dir/sub/c": FILES["a.py"]}, str(layer))) == ["dir/b", "dir/sub/c"]


def test_D5_of_what_is_longer_than_it_was_only_the_kernel_is_asked(tree: Path) -> None:
    before = sizes(str(tree))
    assert changed(str(tree), FILES, size_of=before.get) == {}
    os.truncate(tree / "a.py", 3 << 40)
    found = changed(str(tree), FILES, size_of=before.get)
    assert found["a.py"].startswith(f"{3 << 40} bytes, ")
    (tree / "a.py").write_text("longer, and short enough to be read")
    assert changed(str(tree), FILES, size_of=before.get)["a.py"].startswith("100644 ")


def test_D5_files_a_thousand_folders_deep_are_found(tmp_path: Path) -> None:
    """Anybody can hand such a path in."""
    with deep(tmp_path, "file") as last:
        path = os.path.relpath(f"{last}/file", tmp_path)
        assert unlike(str(tmp_path), {path: f"100644 {blob(b'')}"}) == ""
        assert sizes(str(tmp_path)) == {path: 0}
        assert CheckedFiles(str(tmp_path)).find(path) == path
