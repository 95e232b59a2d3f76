"""What is compiled ahead is what pytest would compile itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage import rewritten


def test_what_was_compiled_ahead_is_taken_by_whoever_imports_it(pytestconfig: pytest.Config, tmp_path: Path) -> None:
    files = [tmp_path / f"test_{number}.py" for number in range(3)]
    for file in files:
        file.write_text("def test_x() -> None:\n    assert 1 == 1\n")
    broken = tmp_path / "test_broken.py"
    broken.write_text("def\n")
    assert all(rewritten.is_stale(file) for file in files)
    rewritten.shared([broken, *files], 2, lambda file: rewritten.compile_one(file, pytestconfig))
    assert not any(rewritten.is_stale(file) for file in files)
    assert not rewritten.compiled(broken).exists()
    files[0].write_text("def test_y() -> None:\n    assert 2 == 2, 'longer'\n")
    assert rewritten.is_stale(files[0])
