"""Checks of Python projects, by the settings of their tools (D5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.bootstrap.check_discovery import PYTEST, detected_in

TESTS = ("tests", PYTEST)


VENV = "python3 -m venv .venv && "
PIP = f"{VENV}.venv/bin/pip install -q"
LISTS = f"{VENV}.venv/bin/python -c \"import tomllib; p = tomllib.load(open('pyproject.toml', 'rb')); "
INTO = "> ~/needs.txt && .venv/bin/pip install -q -r ~/needs.txt"
DEPENDENCIES, EXTRAS = "*p['project']['dependencies']", "*p['project']['optional-dependencies']"
EXTRA = '[project]\nname = "x"\ndependencies = ["flask"]\n[project.optional-dependencies]\ntests = ["pytest>=8"]\n'
GROUPS = '[project]\nname = "x"\n[dependency-groups]\nmore = ["pytest"]\ndev = ["ruff", {include-group = "more"}]\n'


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
        ({"requirements/dev.txt": "pytest\nmypy\n", "requirements/tests.txt": "pytest\n"}, f"{PIP} -r requirements/tests.txt"),
        ({"requirements_dev.txt": "pytest\n"}, f"{PIP} -r requirements_dev.txt"),
        ({"pyproject.toml": EXTRA}, f'{LISTS}print({DEPENDENCIES}, {EXTRAS}[\'tests\'], sep=chr(10))" {INTO}'),
        ({"pyproject.toml": EXTRA, "requirements-mypy.txt": "pytest\n"},
         f'{LISTS}print({DEPENDENCIES}, {EXTRAS}[\'tests\'], sep=chr(10))" {INTO}'),
        ({"pyproject.toml": GROUPS},
         f"{LISTS}print(*(d for d in [*p['dependency-groups']['dev'], *p['dependency-groups']['more']] "
         f'if isinstance(d, str) and not d.startswith(\'x[\')), sep=chr(10))" {INTO}'),
        ({"pyproject.toml": EXTRA, "uv.lock": "x"}, "uv sync --frozen --no-install-project --extra tests"),
        ({"pyproject.toml": '[project]\nname = "x"\n[project.optional-dependencies]\nhttp2 = ["h2"]\n',
          "requirements.txt": "-e .[http2]\npytest\n"},
         "python3 -m venv .venv && grep -hvE '^(-e *|--editable[ =])?\\.(\\[|$)' requirements.txt > ~/others.txt && "
         f'{LISTS[len(VENV):]}print({EXTRAS}[\'http2\'], sep=chr(10))" > ~/needs.txt && '
         ".venv/bin/pip install -q -r ~/others.txt -r ~/needs.txt"),
        ({"setup.py": "x", "requirements.txt": "-e .[http2]\npytest\n"}, ""),
        ({}, ""),
    ],
)  # fmt: skip
def test_how_the_environment_is_made_is_in_the_lock_file(tmp_path: Path, files: dict[str, str], prepare: str) -> None:
    assert of(tmp_path, {"pytest.ini": "[pytest]\n", **files})[1] == prepare


BUILT = "SETUPTOOLS_SCM_PRETEND_VERSION=0 .venv/bin/pip install -q --no-deps --no-build-isolation -e ."
HATCH = '[build-system]\nbuild-backend = "hatchling.build"\nrequires = ["hatchling"]\n'


@pytest.mark.parametrize(
    ("more", "builds"), [("", ["", BUILT]), ('[tool.hatch]\nbuild.hooks.vcs.version-file = "x/_version.py"\n', [BUILT])]
)
def test_a_project_that_is_not_whole_before_it_is_built_is_built_others_as_the_second_way(
    tmp_path: Path, more: str, builds: list[str]
) -> None:
    (tmp_path / "requirements.txt").write_text("pytest\n")
    (tmp_path / "pyproject.toml").write_text(HATCH + more)
    ways = detected_in(str(tmp_path)).ways
    assert [way.build for way in ways] == builds
    assert ways[-1].prepare.endswith("-r requirements.txt -r ~/needs.txt editables")
    assert "*p['build-system']['requires']" in ways[-1].prepare


def test_the_trees_own_packages_go_first_without_src_too_D5(tmp_path: Path) -> None:
    assert of(tmp_path, {"pytest.ini": "[pytest]\n", "shop/__init__.py": ""})[0] == [
        ("tests", f"PYTHONPATH=. {PYTEST}")
    ]


PACKAGE = '{"scripts": {"test": "grunt"}, "devDependencies": {"grunt": "1"}}'


def test_django_has_what_its_own_runner_needs_beside_it(tmp_path: Path) -> None:
    files = {"setup.py": "", "tests/runtests.py": "", "tests/requirements/py3.txt": "jinja2\n", "package.json": PACKAGE}
    checks, prepare = of(tmp_path, files)
    assert checks == [("tests", "PYTHONPATH=. python tests/runtests.py")]
    assert prepare == f"{PIP} -r tests/requirements/py3.txt"
