"""Checks of a Python project, by its tools' own settings."""

from __future__ import annotations

import os
import re
from typing import Any

import msgspec

from foureyes.bootstrap.looking import FolderFiles, table
from foureyes.core.nouns.check_config import CheckoutRule, CheckRule

PYTEST = 'pytest -q --junitxml="$FOUREYES_REPORT"'
MARKERS = ("pyproject.toml", "setup.py", "pytest.ini", "setup.cfg", "tox.ini", "noxfile.py", "manage.py")
SETTINGS = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}
OWN_RUNNER = "tests/runtests.py"
"""How Django itself, and projects of its kind, run their tests."""
OWN_NEEDS = "tests/requirements"
LOCKED = {
    "uv.lock": "uv sync --frozen --no-install-project",
    "poetry.lock": "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-root --no-interaction",
    "pdm.lock": "pdm sync --no-self",
    "Pipfile.lock": "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev",
}
"""What makes the environment that a lock file describes, in the tree itself."""
OF_TESTS = ("test", "tests", "testing", "dev", "develop", "development")
"""What extras and groups of dependencies are called that have what the tests need."""
NAMES_PYTEST = re.compile(r"^\s*pytest\b", re.MULTILINE)
ITSELF = re.compile(r"^\s*(?:-e\s*|--editable[ =])?\.(?:\[([\w,. -]*)\])?\s*(?:#.*)?$", re.MULTILINE)
"""A line of a requirements file that installs the project."""
NOT_ITSELF = r"grep -hvE '^(-e *|--editable[ =])?\.(\[|$)' {} > ~/others.txt"
BUILD = "SETUPTOOLS_SCM_PRETEND_VERSION=0 .venv/bin/pip install -q --no-deps --no-build-isolation -e ."
"""A checkout has no `.git`, so there is no tag to read a version from."""
MAKES_FILE = re.compile(r"\b(version[-_]file|write_to|ext_modules|maturin|scikit_build_core|mesonpy)\b")
"""What says that a package is not whole before it is built."""


def source_of(look: FolderFiles) -> str:
    """The file that makes it a Python project."""
    return look.first(*MARKERS, *_requirements(look))


def checks_of(look: FolderFiles) -> list[CheckRule]:
    """Tests, types and lint."""
    if not source_of(look):
        return []
    return [*_tests(look), *_types(look), *_lint(look)]


def ways_of(look: FolderFiles) -> list[CheckoutRule]:
    """How its environment is made: by its lock file, else by what its manifests say that the tests need. The project
    itself is installed where it is not whole without, or as the second way.
    """
    lock = look.first(*LOCKED)
    locked = [CheckoutRule(prepare=LOCKED[lock] + (_uv_options(look) if lock == "uv.lock" else ""))] if lock else []
    needs = _needs(look)
    if needs is None:
        return locked
    backend = str(table(look.toml("pyproject.toml"), "build-system").get("build-backend", ""))
    can_build = look.has("pyproject.toml", "setup.py") and (backend or look.has("setup.py"))
    is_made = any(MAKES_FILE.search(look.text(name)) for name in ("pyproject.toml", "setup.py", "setup.cfg"))
    plain = [] if can_build and is_made else [CheckoutRule(prepare=needs.command())]
    built = [CheckoutRule(prepare=needs.command(_build_tools(backend)), build=BUILD)] if can_build else []
    return [*locked, *plain, *built]


def _build_tools(backend: str) -> tuple[str, ...]:
    """What a backend needs to install a project in place, beside what the project names."""
    if backend.startswith("hatchling"):
        return ("editables",)
    return ("setuptools", "wheel") if not backend or backend.startswith("setuptools") else ()


class _Needs(msgspec.Struct, frozen=True):
    """What the tests need: requirements files, and lists of pyproject.toml, as keys."""

    files: tuple[str, ...]
    itself: tuple[str, ...]
    """Those of the files that install the project as well."""
    lists: tuple[tuple[str, ...], ...]
    own_name: str
    """Of the project, where one of the lists names another one; these names are left out."""
    requires: bool
    """Whether pyproject.toml says what the project is built with."""

    def command(self, build_tools: tuple[str, ...] | None = None) -> str:
        """What makes the environment; with `build_tools` one that the project can be built in."""
        parts = ["python3 -m venv .venv"]
        lists = [*self.lists, *([("build-system", "requires")] if build_tools is not None and self.requires else [])]
        files = [name for name in self.files if name not in self.itself]
        if self.itself:
            parts.append(NOT_ITSELF.format(" ".join(self.itself)))
            files.append("~/others.txt")
        if lists:
            wanted = ", ".join("*p" + "".join(f"['{key}']" for key in keys) for keys in lists)
            if self.own_name:
                wanted = f"*(d for d in [{wanted}] if isinstance(d, str) and not d.startswith('{self.own_name}['))"
            read = "import tomllib; p = tomllib.load(open('pyproject.toml', 'rb'))"
            parts.append(f'.venv/bin/python -c "{read}; print({wanted}, sep=chr(10))" > ~/needs.txt')
            files.append("~/needs.txt")
        wanted = " ".join([*(f"-r {name}" for name in files), *(build_tools or ())])
        return " && ".join([*parts, f".venv/bin/pip install -q {wanted}"])


def _needs(look: FolderFiles) -> _Needs | None:
    """None where nothing says what the tests need."""
    document = look.toml("pyproject.toml")
    project = table(document, "project")
    files, lists = _files(look), []
    if (found := _list_of_tests(document)) is not None:
        files, lists = [], found
    elif not files:
        return None
    itself = [name for name in files if ITSELF.search(look.text(name))]
    for name in itself:
        for match in ITSELF.finditer(look.text(name)):
            lists += [("project", "optional-dependencies", key) for key in _extras(project, match[1] or "")]
    if itself and not project:
        return None
    name = str(project.get("name", ""))
    named = [each for keys in lists for each in table(document, *keys[:-1])[keys[-1]]]
    is_mixed = any(isinstance(each, dict) or str(each).startswith(f"{name}[") for each in named)
    if project.get("dependencies"):
        lists.insert(0, ("project", "dependencies"))
    requires = bool(table(document, "build-system").get("requires"))
    return _Needs(tuple(files), tuple(itself), tuple(dict.fromkeys(lists)), (name or " ") if is_mixed else "", requires)


def _extras(project: dict[str, Any], named: str) -> list[str]:
    known = table(project, "optional-dependencies")
    return [name for each in named.split(",") if (name := each.strip()) in known]


def _list_of_tests(document: dict[str, Any]) -> list[tuple[str, ...]] | None:
    """The group or the extra of pyproject.toml that has pytest, with the lists that it names in turn."""
    for place in (("dependency-groups",), ("project", "optional-dependencies")):
        known = table(document, *place)
        for name in OF_TESTS:
            names = _named(known, name, str(table(document, "project").get("name", "")))
            if any(NAMES_PYTEST.match(each) for one in names for each in known[one] if isinstance(each, str)):
                return [(*place, one) for one in names]
    return None


def _named(known: dict[str, Any], name: str, project: str) -> list[str]:
    """A list of dependencies, and those that it includes, each once."""
    found: list[str] = []
    ahead = [name]
    while ahead:
        name = ahead.pop(0)
        if name in found or not isinstance(known.get(name), list):
            continue
        found.append(name)
        for each in known[name]:
            if isinstance(each, dict):
                ahead.append(str(each.get("include-group", "")))
            elif isinstance(each, str) and project and each.startswith(f"{project}["):
                ahead += [one.strip() for one in each.partition("[")[2].partition("]")[0].split(",")]
    return found


def _uv_options(look: FolderFiles) -> str:
    """uv installs the group `dev` by itself."""
    lists = _list_of_tests(look.toml("pyproject.toml")) or []
    options = {"dependency-groups": "group", "project": "extra"}
    return "".join(f" --{options[keys[0]]} {keys[-1]}" for keys in lists[:1] if keys != ("dependency-groups", "dev"))


def _requirements(look: FolderFiles) -> list[str]:
    return [name for name in look.names() if name.startswith("requirements") and name.endswith(".txt")]


def _files(look: FolderFiles) -> list[str]:
    """The requirements file that has pytest, by a name of the tests first, with `requirements.txt`; where the project
    has a runner of its own, what lies beside that.
    """
    folders = ("", "requirements", OWN_NEEDS)
    names = [os.path.join(folder, name) for folder in folders for name in look.names(folder) if name.endswith(".txt")]
    known = [name for name in names if "requirements" in name]
    if look.has(OWN_RUNNER) and not _has_pytest(look):
        return [name for name in known if name.startswith(OWN_NEEDS)][:1]
    named = [name for name in known if NAMES_PYTEST.search(look.text(name))]
    found = sorted(named, key=lambda name: ("test" not in name, "dev" not in name, name != "requirements.txt"))[:1]
    return sorted({*found, *(["requirements.txt"] if look.has("requirements.txt") else [])}) if found else []


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
    """The tree's own packages go first, whatever is installed (D5); unless pytest says it."""
    from foureyes.adapters.checks.code_use import said_paths

    if said_paths(look.root):
        return ""
    if any(name.endswith(".py") or look.has(f"src/{name}/__init__.py") for name in look.names("src")):
        return "PYTHONPATH=src "
    tops = [name for name in look.names() if look.has(f"{name}/__init__.py") and name not in ("tests", "test")]
    return "PYTHONPATH=. " if tops else ""


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
