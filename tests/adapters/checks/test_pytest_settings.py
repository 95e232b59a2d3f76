"""What pytest is told to put on the path."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.adapters.checks.code_use import first_paths, said_paths


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("pytest.ini", "[pytest]\npythonpath = src lib\n", ["src", "lib"]),
        ("tox.ini", "[tox]\n[pytest]\npythonpath =\n  src\n  %(x)s\n", ["src", "%(x)s"]),
        ("setup.cfg", "[tool:pytest]\npythonpath = .\n", ["."]),
        ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = ["src"]\n', ["src"]),
        ("pyproject.toml", '[tool.pytest.ini_options]\npythonpath = "src lib"\n', ["src", "lib"]),
        ("pyproject.toml", '[tool.pytest]\npythonpath = ["src"]\n', ["src"]),
        ("pyproject.toml", "[tool]\npytest = 3\n", []),
        ("pyproject.toml", "[[[", []),
        ("pytest.ini", "no section\n", []),
        ("other.ini", "[pytest]\npythonpath = src\n", []),
    ],
)
def test_the_settings_file_is_read_as_pytest_reads_it(tmp_path: Path, file: str, text: str, said: list[str]) -> None:
    (tmp_path / file).write_text(text)
    assert said_paths(str(tmp_path)) == said


def test_the_top_of_the_tree_goes_first_where_tests_are_a_package(tmp_path: Path) -> None:
    assert first_paths(str(tmp_path)) == []
    (tmp_path / "conftest.py").write_text("")
    assert first_paths(str(tmp_path)) == [f"{tmp_path}/"]
