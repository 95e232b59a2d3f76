"""Checks of Python projects, by the settings of their tools (D5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.bootstrap.detecting import detected_in
from foureyes.bootstrap.detecting_python import PYTEST

TESTS = ("tests", PYTEST)


def of(folder: Path, files: dict[str, str]) -> tuple[list[tuple[str, str]], str]:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    found = detected_in(str(folder))
    return [(one.rule.name, one.rule.run) for one in found.checks], found.prepare


@pytest.mark.parametrize(
    ("files", "checks"),
    [
        ({"pyproject.toml": '[tool.mypy]\nfiles = ["src"]\n'}, [("types", "mypy")]),
        ({"pyproject.toml": '[tool.mypy]\npackages = ["shop"]\n'}, [("types", "mypy")]),
        ({"setup.cfg": "[mypy]\nstrict = true\n"}, [("types", "mypy .")]),
        ({"setup.py": "", "mypy.ini": "[mypy]\nfiles = src\n"}, [("types", "mypy")]),
        ({"pyproject.toml": "[tool.pyright]\n"}, [("types", "pyright")]),
        ({"pyproject.toml": "", "ruff.toml": "x = 1\n"}, [("lint", "ruff check .")]),
        ({"setup.cfg": "[flake8]\n"}, [("lint", "flake8")]),
        ({"requirements.txt": "flask\n", "tests/test_a.py": ""}, [TESTS]),
        ({"requirements-dev.txt": "pytest\n"}, [TESTS]),
        ({"setup.cfg": "[tool:pytest]\naddopts = -q\n"}, [TESTS]),
        ({"setup.py": "", "tests/runtests.py": ""}, [("tests", "PYTHONPATH=. python tests/runtests.py")]),
        ({"manage.py": "", "requirements.txt": "django\n"}, [("tests", "python manage.py test")]),
        ({"manage.py": "", "requirements.txt": "pytest-django\n"}, [TESTS]),
        ({"tox.ini": "[tox]\nenvlist = py\n[testenv]\ncommands = python -m unittest\n"}, [("tests", "tox -q")]),
        ({"tox.ini": "[testenv]\ncommands = pytest\n"}, [TESTS]),
        ({"noxfile.py": "import nox\n"}, [("tests", "nox")]),
        ({"pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n', "src/shop.py": ""}, [TESTS]),
    ],
)  # fmt: skip
def test_what_the_tools_own_settings_say(tmp_path: Path, files: dict[str, str], checks: list[tuple[str, str]]) -> None:
    assert of(tmp_path, files)[0] == checks


@pytest.mark.parametrize(
    ("files", "prepare"),
    [
        ({"uv.lock": "x"}, "uv sync --frozen --no-install-project"),
        ({"poetry.lock": "x"}, "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-root --no-interaction"),
        ({"pdm.lock": "x"}, "pdm sync --no-self"),
        ({"requirements.txt": "flask\n", "requirements-dev.txt": "pytest\n"},
         "python3 -m venv .venv && .venv/bin/pip install -q -r requirements-dev.txt -r requirements.txt"),
        ({"requirements.txt": "flask\n"}, ""),
        ({}, ""),
    ],
)  # fmt: skip
def test_how_the_environment_is_made_is_in_the_lock_file(tmp_path: Path, files: dict[str, str], prepare: str) -> None:
    assert of(tmp_path, {"pytest.ini": "[pytest]\n", **files})[1] == prepare
