"""Checks of a Python project, by its tools' own settings."""

from __future__ import annotations

from foureyes.bootstrap.looking import FolderFiles, table
from foureyes.core.nouns.check_rule import CheckRule

PYTEST = 'pytest -q --junitxml="$FOUREYES_REPORT"'
MARKERS = ("pyproject.toml", "setup.py", "pytest.ini", "setup.cfg", "tox.ini", "noxfile.py", "manage.py")
SETTINGS = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}
OWN_RUNNER = "tests/runtests.py"
"""How Django itself, and projects of its kind, run their tests."""
LOCKED = {
    "uv.lock": "uv sync --frozen --no-install-project",
    "poetry.lock": "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-root --no-interaction",
    "pdm.lock": "pdm sync --no-self",
    "Pipfile.lock": "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev",
}
"""What makes the environment that a lock file describes, in the tree itself."""


def source_of(look: FolderFiles) -> str:
    """The file that makes it a Python project."""
    return look.first(*MARKERS, *_requirements(look))


def checks_of(look: FolderFiles) -> list[CheckRule]:
    """Tests, types and lint."""
    if not source_of(look):
        return []
    return [*_tests(look), *_types(look), *_lint(look)]


def prepare_of(look: FolderFiles) -> str:
    """How its environment is made; empty where no file says which packages it has."""
    if lock := look.first(*LOCKED):
        return LOCKED[lock]
    wanted = [name for name in _requirements(look) if name == "requirements.txt" or "pytest" in look.text(name)]
    if not any("pytest" in look.text(name) for name in wanted):
        return ""
    return f"python3 -m venv .venv && .venv/bin/pip install -q {' '.join(f'-r {name}' for name in wanted)}"


def _requirements(look: FolderFiles) -> list[str]:
    return [name for name in look.names() if name.startswith("requirements") and name.endswith(".txt")]


def _tests(look: FolderFiles) -> list[CheckRule]:
    if not _has_pytest(look):
        if look.has(OWN_RUNNER):
            return [CheckRule(name="tests", run=f"PYTHONPATH=. python {OWN_RUNNER}")]
        if look.has("manage.py"):
            return [CheckRule(name="tests", run="python manage.py test")]
        if look.has("tox.ini") or table(look.toml("pyproject.toml"), "tool", "tox"):
            return [CheckRule(name="tests", run="tox -q")]
        if look.has("noxfile.py"):
            return [CheckRule(name="tests", run="nox")]
    if not _has_pytest(look) and not any(look.is_folder(name) for name in ("tests", "test")):
        return []
    return [CheckRule(name="tests", run=_first_path(look) + PYTEST, report="junit")]


def _has_pytest(look: FolderFiles) -> bool:
    """By its settings, or named among what the project needs."""
    if any(look.sections(name).has_section(section) for name, section in SETTINGS.items()):
        return True
    files = ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "noxfile.py", *_requirements(look))
    return look.has("pytest.ini") or any("pytest" in look.text(name) for name in files)


def _first_path(look: FolderFiles) -> str:
    """Of a `src/` layout: the tree's own packages go first, whatever is installed (D5); unless pytest says it."""
    from foureyes.adapters.checks.pytest_settings import said_paths

    has_code = any(name.endswith(".py") or look.has(f"src/{name}/__init__.py") for name in look.names("src"))
    return "PYTHONPATH=src " if has_code and not said_paths(look.root) else ""


def _types(look: FolderFiles) -> list[CheckRule]:
    tools = table(look.toml("pyproject.toml"), "tool")
    ini = look.first("mypy.ini", ".mypy.ini") or "setup.cfg"
    sections = look.sections(ini)
    if "mypy" in tools or sections.has_section("mypy"):
        own = table(tools, "mypy")
        has_files = any(name in own or sections.has_option("mypy", name) for name in ("files", "packages", "modules"))
        return [CheckRule(name="types", run="mypy" if has_files else "mypy .")]
    if "pyright" in tools or "basedpyright" in tools or look.has("pyrightconfig.json"):
        return [CheckRule(name="types", run="basedpyright" if "basedpyright" in tools else "pyright")]
    return []


def _lint(look: FolderFiles) -> list[CheckRule]:
    if "ruff" in table(look.toml("pyproject.toml"), "tool") or look.has("ruff.toml", ".ruff.toml"):
        return [CheckRule(name="lint", run="ruff check .")]
    if look.has(".flake8") or any(look.sections(name).has_section("flake8") for name in ("setup.cfg", "tox.ini")):
        return [CheckRule(name="lint", run="flake8")]
    return []
