"""Discovery of checks: finds a repository's checks, and how to set up their environment, in its own files."""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Sequence
from configparser import ConfigParser, Error
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from foureyes.adapters.folders import opened, walked
from foureyes.core.nouns.check import CheckOutcome, Ran
from foureyes.core.nouns.check_config import CheckoutRule, CheckRule
from foureyes.core.words.check_output import report_line

if TYPE_CHECKING:
    from foureyes.config.settings import SettingValue


# ---- Checks of a Python project, from the settings of its tools ----

PYTEST = 'pytest -q --junitxml="$FOUREYES_REPORT"'
MARKERS = ("pyproject.toml", "setup.py", "pytest.ini", "setup.cfg", "tox.ini", "noxfile.py", "manage.py")
SETTINGS = {"pytest.ini": "pytest", ".pytest.ini": "pytest", "tox.ini": "pytest", "setup.cfg": "tool:pytest"}
OWN_RUNNER = "tests/runtests.py"
"""The test runner of Django and similar projects."""
OWN_NEEDS = "tests/requirements"
PYTHON_LOCKS = {
    "uv.lock": "uv sync --frozen --no-install-project",
    "poetry.lock": "POETRY_VIRTUALENVS_IN_PROJECT=true poetry install --no-root --no-interaction",
    "pdm.lock": "pdm sync --no-self",
    "Pipfile.lock": "PIPENV_VENV_IN_PROJECT=1 pipenv sync --dev",
}
"""Commands that create the environment of a lock file inside the tree."""
OF_TESTS = ("test", "tests", "testing", "dev", "develop", "development")
"""Usual names of extras and dependency groups for tests."""
NAMES_PYTEST = re.compile(r"^\s*pytest\b", re.MULTILINE)
ITSELF = re.compile(r"^\s*(?:-e\s*|--editable[ =])?\.(?:\[([\w,. -]*)\])?\s*(?:#.*)?$", re.MULTILINE)
"""Pattern for a requirements line that installs the project itself."""
NOT_ITSELF = r"grep -hvE '^(-e *|--editable[ =])?\.(\[|$)' {} > ~/others.txt"
BUILD = "SETUPTOOLS_SCM_PRETEND_VERSION=0 .venv/bin/pip install -q --no-deps --no-build-isolation -e ."
"""Command that installs the project without a tag to read its version from. A checkout has no `.git`."""
MAKES_FILE = re.compile(r"\b(version[-_]file|write_to|ext_modules|maturin|scikit_build_core|mesonpy)\b")
"""Pattern for build settings of packages that are incomplete before they are built."""


def python_source(listing: FolderFiles) -> str:
    """Return the file that marks a Python project, or an empty string."""
    return listing.first(*MARKERS, *_requirements(listing))


def python_checks(listing: FolderFiles) -> list[CheckRule]:
    """Return checks for tests, types and lint."""
    if not python_source(listing):
        return []
    return [*_tests(listing), *_types(listing), *_lint(listing)]


def python_installs(listing: FolderFiles) -> list[CheckoutRule]:
    """Return the ways to create the environment: from the lock file, or else from the dependencies of the tests.

    The project itself is installed if it is incomplete without a build, or as a second way.
    """
    lock = listing.first(*PYTHON_LOCKS)
    locked = (
        [CheckoutRule(prepare=PYTHON_LOCKS[lock] + (_uv_options(listing) if lock == "uv.lock" else ""))] if lock else []
    )
    needs = _needs(listing)
    if needs is None:
        return locked
    backend = str(table(listing.toml("pyproject.toml"), "build-system").get("build-backend", ""))
    can_build = listing.has("pyproject.toml", "setup.py") and (backend or listing.has("setup.py"))
    is_made = any(MAKES_FILE.search(listing.text(name)) for name in ("pyproject.toml", "setup.py", "setup.cfg"))
    plain = [] if can_build and is_made else [CheckoutRule(prepare=needs.command())]
    built = [CheckoutRule(prepare=needs.command(_build_tools(backend)), build=BUILD)] if can_build else []
    return [*locked, *plain, *built]


def _build_tools(backend: str) -> tuple[str, ...]:
    """Return the packages a build backend needs for an editable install besides the declared ones."""
    if backend.startswith("hatchling"):
        return ("editables",)
    return ("setuptools", "wheel") if not backend or backend.startswith("setuptools") else ()


class _Needs(msgspec.Struct, frozen=True):
    """Dependencies of the tests: requirements files, and lists in pyproject.toml given by their keys."""

    files: tuple[str, ...]
    itself: tuple[str, ...]
    """Files that also install the project."""
    lists: tuple[tuple[str, ...], ...]
    own_name: str
    """The project's name, if a list refers to another list by it. Such entries are skipped."""
    requires: bool
    """True if pyproject.toml declares build requirements."""

    def command(self, build_tools: tuple[str, ...] | None = None) -> str:
        """Return the command that creates the environment. With `build_tools`, the project can be built in it."""
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


def _needs(listing: FolderFiles) -> _Needs | None:
    """Return the dependencies of the tests, or None if no file declares them."""
    document = listing.toml("pyproject.toml")
    project = table(document, "project")
    files, lists = _files(listing), []
    if (found := _list_of_tests(document)) is not None:
        files, lists = [], found
    elif not files:
        return None
    itself = [name for name in files if ITSELF.search(listing.text(name))]
    for name in itself:
        for match in ITSELF.finditer(listing.text(name)):
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
    """Return the group or extra of pyproject.toml that contains pytest, with the lists it includes."""
    for place in (("dependency-groups",), ("project", "optional-dependencies")):
        known = table(document, *place)
        for name in OF_TESTS:
            names = _named(known, name, str(table(document, "project").get("name", "")))
            if any(NAMES_PYTEST.match(each) for one in names for each in known[one] if isinstance(each, str)):
                return [(*place, one) for one in names]
    return None


def _named(known: dict[str, Any], name: str, project: str) -> list[str]:
    """Return a dependency list and the lists it includes, each once."""
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


def _uv_options(listing: FolderFiles) -> str:
    """Return the options of `uv sync` for the tests' group. uv installs the group `dev` by default."""
    lists = _list_of_tests(listing.toml("pyproject.toml")) or []
    options = {"dependency-groups": "group", "project": "extra"}
    return "".join(f" --{options[keys[0]]} {keys[-1]}" for keys in lists[:1] if keys != ("dependency-groups", "dev"))


def _requirements(listing: FolderFiles) -> list[str]:
    return [name for name in listing.names() if name.startswith("requirements") and name.endswith(".txt")]


def _files(listing: FolderFiles) -> list[str]:
    """Return the requirements file with pytest, preferring names of tests, and `requirements.txt`. With a test runner
    of the project's own, return the file next to that.
    """
    folders = ("", "requirements", OWN_NEEDS)
    names = [
        os.path.join(folder, name) for folder in folders for name in listing.names(folder) if name.endswith(".txt")
    ]
    known = [name for name in names if "requirements" in name]
    if listing.has(OWN_RUNNER) and not _has_pytest(listing):
        return [name for name in known if name.startswith(OWN_NEEDS)][:1]
    named = [name for name in known if NAMES_PYTEST.search(listing.text(name))]
    found = sorted(named, key=lambda name: ("test" not in name, "dev" not in name, name != "requirements.txt"))[:1]
    return sorted({*found, *(["requirements.txt"] if listing.has("requirements.txt") else [])}) if found else []


def _tests(listing: FolderFiles) -> list[CheckRule]:
    if not _has_pytest(listing):
        if listing.has(OWN_RUNNER):
            return [CheckRule(name="tests", run=f"PYTHONPATH=. python {OWN_RUNNER}")]
        if listing.has("manage.py"):
            return [CheckRule(name="tests", run="python manage.py test")]
        if listing.has("tox.ini") or table(listing.toml("pyproject.toml"), "tool", "tox"):
            return [CheckRule(name="tests", run="tox -q")]
        if listing.has("noxfile.py"):
            return [CheckRule(name="tests", run="nox")]
    if not _has_pytest(listing) and not any(listing.is_folder(name) for name in ("tests", "test")):
        return []
    return [CheckRule(name="tests", run=_first_path(listing) + PYTEST, report="junit")]


def _has_pytest(listing: FolderFiles) -> bool:
    """Return True if pytest has settings here or a dependency file names it."""
    if any(listing.sections(name).has_section(section) for name, section in SETTINGS.items()):
        return True
    files = ("pyproject.toml", "setup.py", "setup.cfg", "tox.ini", "noxfile.py", *_requirements(listing))
    return listing.has("pytest.ini") or any("pytest" in listing.text(name) for name in files)


def _first_path(listing: FolderFiles) -> str:
    """Return the PYTHONPATH prefix that puts the tree's packages before installed ones, unless pytest sets the path.
    (D5)
    """
    from foureyes.adapters.checks.code_use import said_paths

    if said_paths(listing.root):
        return ""
    if any(name.endswith(".py") or listing.has(f"src/{name}/__init__.py") for name in listing.names("src")):
        return "PYTHONPATH=src "
    tops = [name for name in listing.names() if listing.has(f"{name}/__init__.py") and name not in ("tests", "test")]
    return "PYTHONPATH=. " if tops else ""


def _types(listing: FolderFiles) -> list[CheckRule]:
    tools = table(listing.toml("pyproject.toml"), "tool")
    ini = listing.first("mypy.ini", ".mypy.ini") or "setup.cfg"
    sections = listing.sections(ini)
    if "mypy" in tools or sections.has_section("mypy"):
        own = table(tools, "mypy")
        has_files = any(name in own or sections.has_option("mypy", name) for name in ("files", "packages", "modules"))
        return [CheckRule(name="types", run="mypy" if has_files else "mypy .")]
    if "pyright" in tools or "basedpyright" in tools or listing.has("pyrightconfig.json"):
        return [CheckRule(name="types", run="basedpyright" if "basedpyright" in tools else "pyright")]
    return []


def _lint(listing: FolderFiles) -> list[CheckRule]:
    if "ruff" in table(listing.toml("pyproject.toml"), "tool") or listing.has("ruff.toml", ".ruff.toml"):
        return [CheckRule(name="lint", run="ruff check .")]
    if listing.has(".flake8") or any(listing.sections(name).has_section("flake8") for name in ("setup.cfg", "tox.ini")):
        return [CheckRule(name="lint", run="flake8")]
    return []


# ---- Checks of a Node project ----

NODE_TESTS = ("test.js", "test.mjs", "test.cjs")
"""Files at the top that `node --test` finds by itself."""
NPM_RUN = re.compile(r"(?:npm|pnpm|yarn|bun) run(?:-script)? (?:--silent |-s )?([\w:.-]+)")
LINTS = re.compile(r"(?:npx )?(?:lint|eslint|standard|xo|jshint|jscs|biome|oxlint|prettier)\b")
ALONE = " --ignore-scripts"
"""Option for npm to run only the named script, without its pre and post scripts."""
NO_TEST = "no test specified"
"""Text of the placeholder test that `npm init` writes."""
TYPES = ("typecheck", "type-check", "types:check", "check:types", "check-types", "tsc")
MANAGERS = {
    "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun", "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}  # fmt: skip
LOCKED_INSTALL = {
    "npm": "npm ci", "pnpm": "pnpm install --frozen-lockfile", "yarn": "yarn install --frozen-lockfile",
    "bun": "bun install --frozen-lockfile",
}  # fmt: skip
UNLOCKED = {
    "npm": "npm install --no-package-lock",
    "pnpm": "pnpm install",
    "yarn": "yarn install",
    "bun": "bun install",
}
MODERN_YARN = "yarn install --immutable"
OF_ITSELF = ("prepare", "postinstall", "install", "preinstall")
"""Package scripts that run during an install."""
NEEDS_GIT = re.compile(r"\b(husky|simple-git-hooks|lefthook)\b")
"""Pattern for tools that install git hooks during an install. They fail in a checkout without a repository."""


def node_source(listing: FolderFiles) -> str:
    return listing.first("package.json", *NODE_TESTS) and "package.json"


def manager_of(listing: FolderFiles) -> str:
    """Return the package manager: npm, pnpm, yarn or bun."""
    manager = str(listing.json("package.json").get("packageManager", "")).partition("@")[0]
    lock = listing.first(*MANAGERS)
    return (
        manager
        if manager in LOCKED_INSTALL
        else MANAGERS.get(lock, "pnpm" if listing.has("pnpm-workspace.yaml") else "npm")
    )


def node_installs(listing: FolderFiles) -> list[CheckoutRule]:
    """Return the ways to install the packages, none if there are no packages.

    Install scripts of the project need its sources, so they are skipped, and their build runs in each check's own copy.
    """
    how = _install(listing)
    scripts = table(listing.json("package.json"), "scripts")
    has_own = any(name in scripts for name in OF_ITSELF)
    if not how or not has_own or how.endswith(ALONE):
        return [CheckoutRule(prepare=how)] if how else []
    manager = manager_of(listing)
    without = f"{how}{ALONE} && npm rebuild" if manager == "npm" else how + ALONE
    alone = CheckoutRule(prepare=without if how != MODERN_YARN else f"{how} --mode=skip-build")
    if "prepare" not in scripts:
        return [CheckoutRule(prepare=how), alone]
    return [replace(alone, build=f"{manager} run prepare"), alone]


def _install(listing: FolderFiles) -> str:
    package, manager = listing.json("package.json"), manager_of(listing)
    if not listing.has(*MANAGERS) and not any(table(package, name) for name in ("dependencies", "devDependencies")):
        return ""
    how = LOCKED_INSTALL[manager] if listing.has(*MANAGERS) else UNLOCKED[manager]
    if manager == "yarn" and (
        listing.has(".yarnrc.yml") or str(package.get("packageManager", ""))[5:6] not in ("", "1")
    ):
        how = MODERN_YARN
    scripts = table(package, "scripts")
    hooks = " ".join(str(scripts.get(name, "")) for name in OF_ITSELF)
    return how + (ALONE if NEEDS_GIT.search(hooks) and how != MODERN_YARN else "")


def script_of(listing: FolderFiles, run: str) -> str:
    """Return the package script behind a command, or the command itself."""
    named = NPM_RUN.match(run)
    return str(table(listing.json("package.json"), "scripts").get(named[1], "")) if named else run


def is_workspace(listing: FolderFiles) -> bool:
    """Return True if the repository is a workspace of several packages."""
    return bool(listing.json("package.json").get("workspaces")) or listing.has("pnpm-workspace.yaml")


def node_checks(listing: FolderFiles) -> list[CheckRule]:
    """Return `quality` if it exists, else checks for tests, types and lint. Without a test script, node's own runner is
    used.
    """
    scripts = table(listing.json("package.json"), "scripts")
    names = [name for name, run in scripts.items() if not (name == "test" and NO_TEST in str(run))]
    manager = manager_of(listing)
    if "quality" in names:
        return [CheckRule(name="quality", run=f"{manager} run quality")]
    types = next((name for name in TYPES if name in names), "")
    wanted = {"test": "tests", types: "types", "lint": "lint"}
    lint = _lints_before(scripts) if "test" in names else ""
    alone = ALONE if lint and manager == "npm" else ""
    rules = [
        CheckRule(name=label, run=f"{manager} run {script}{alone if script == 'test' else ''}")
        for script, label in wanted.items()
        if script in names
    ]
    if lint and "lint" not in names:
        rules.append(CheckRule(name="lint", run=f"{manager} run {lint}"))
    if "test" not in names:
        rules = [*_without_a_script(listing, manager), *rules]
    return rules


def _without_a_script(listing: FolderFiles, manager: str) -> list[CheckRule]:
    if any(listing.text(name) for name in NODE_TESTS):
        return [CheckRule(name="tests", run="node --test")]
    each = {"pnpm": "pnpm -r --if-present test", "npm": "npm test --workspaces --if-present"}.get(manager, "")
    return [CheckRule(name="tests", run=each)] if each and is_workspace(listing) else []


def _lints_before(scripts: dict[str, object]) -> str:
    """Return the script that lints before every test, or "". It becomes a check of its own, because a lint error is not
    a failing test.
    """
    before = str(scripts.get("pretest", "")).strip()
    named = NPM_RUN.fullmatch(before)
    if named and named[1] in scripts:
        return named[1] if LINTS.match(named[1]) or _only_lints(str(scripts[named[1]])) else ""
    return "pretest" if _only_lints(before) else ""


def _only_lints(script: str) -> bool:
    return all(LINTS.match(part.strip()) for part in re.split("[&|;]+", script))


# ---- Checks of projects in Rust, Go and for the JVM ----

TARGET = re.compile(r"^([A-Za-z0-9_.-]+)\s*:(?!=)", re.MULTILINE)
RECIPE = re.compile(r"^@?([A-Za-z0-9_-]+)(?:\s+[^:=\n]*)?:(?!=)", re.MULTILINE)
JUST = ("justfile", "Justfile", ".justfile")
GRADLE = ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
SUREFIRE = ("**/target/surefire-reports/TEST-*.xml",)
GRADLES = ("**/build/test-results/**/TEST-*.xml",)
JAVA = ("JAVA_HOME",)
PRE_COMMIT = ".pre-commit-config.yaml"
FETCH_CRATES = (
    "cp -R . ~/all && cd ~/all && find . -name Cargo.toml -execdir sh -c 'mkdir -p src && touch src/lib.rs' ';' "
    "&& cargo fetch --locked && rm -r ~/all"
)
"""Command to fetch crates. cargo reads a manifest only if it finds sources, so placeholder sources are created in a
copy.
"""


def cargo(listing: FolderFiles) -> list[CheckRule]:
    """Return test checks for all packages of a workspace. Clippy is added only if the project itself uses it."""
    if not listing.text("Cargo.toml"):
        return []
    env, whole = ("CARGO_HOME", "RUSTUP_HOME"), " --workspace" if "workspace" in listing.toml("Cargo.toml") else ""
    rules = [CheckRule(name="tests", run=f"cargo test{whole} --quiet", env=env)]
    if _has_clippy(listing):
        rules.append(CheckRule(name="lint", run=f"cargo clippy{whole} -- -D warnings", env=env))
    return rules


def _has_clippy(listing: FolderFiles) -> bool:
    manifest = listing.toml("Cargo.toml")
    own = table(manifest, "lints", "clippy") or table(manifest, "workspace", "lints", "clippy")
    flows = [f".github/workflows/{name}" for name in listing.names(".github/workflows")]
    files = ("Makefile", *JUST, PRE_COMMIT, ".gitlab-ci.yml", *flows)
    return (
        bool(own) or listing.has("clippy.toml", ".clippy.toml") or any("clippy" in listing.text(name) for name in files)
    )


def go(listing: FolderFiles) -> list[CheckRule]:
    env = ("GOPATH", "GOMODCACHE")
    rules = [CheckRule(name="tests", run="go test ./...", env=env), CheckRule(name="vet", run="go vet ./...", env=env)]
    return rules if listing.text("go.mod") else []


def go_prepare(listing: FolderFiles) -> str:
    """Return the command that downloads the modules and compiles the standard library once."""
    if not listing.text("go.mod"):
        return ""
    return ("go mod download && " if listing.has("go.sum") and not listing.is_folder("vendor") else "") + "go build std"


def cargo_prepare(listing: FolderFiles) -> str:
    return (
        FETCH_CRATES
        if listing.has("Cargo.toml") and listing.has("Cargo.lock") and not listing.is_folder("vendor")
        else ""
    )


FETCH_JARS = (
    "echo 'allprojects { task fetchAll { doLast { configurations.findAll { it.canBeResolved }.each { "
    "it.resolvedConfiguration.lenientConfiguration.files } } } }' > ~/all.gradle && "
    "{} --no-daemon -q -I ~/all.gradle fetchAll && rm ~/all.gradle"
)
"""Command to fetch dependencies. Gradle has none of its own, and fetches nothing for missing sources."""


def jvm_prepare(listing: FolderFiles) -> str:
    """Return the command that downloads the dependencies.

    "" for Maven builds of several modules and Gradle builds with code, whose sources are missing at that time.
    """
    if not listing.has("pom.xml"):
        is_code = listing.is_folder("buildSrc") or any("includeBuild" in listing.text(name) for name in GRADLE)
        return FETCH_JARS.replace("{} --no", f"{_gradle(listing)} --no") if listing.has(*GRADLE) and not is_code else ""
    if "<modules>" in listing.text("pom.xml"):
        return ""
    return f"{'./mvnw' if listing.has('mvnw') else 'mvn'} -q -B dependency:go-offline"


def jvm(listing: FolderFiles) -> list[CheckRule]:
    """Return the test check of Maven or Gradle, using the project's wrapper and its reports per class."""
    if listing.has("pom.xml"):
        run = f"{'./mvnw' if listing.has('mvnw') else 'mvn'} -q -B test"
        return [CheckRule(name="tests", run=run, report="junit", report_files=SUREFIRE, env=JAVA)]
    if listing.has(*GRADLE):
        run = f"{_gradle(listing)} --no-daemon -q test"
        return [CheckRule(name="tests", run=run, report="junit", report_files=GRADLES, env=JAVA)]
    return []


def _gradle(listing: FolderFiles) -> str:
    return "./gradlew" if listing.has("gradlew") else "gradle"


def make(listing: FolderFiles) -> list[CheckRule]:
    return _offered(set(TARGET.findall(listing.text("Makefile"))), "make")


def just(listing: FolderFiles) -> list[CheckRule]:
    return _offered(set(RECIPE.findall(listing.text(listing.first(*JUST)))), "just") if listing.has(*JUST) else []


def _offered(names: set[str], program: str) -> list[CheckRule]:
    wanted = {"check": "checks"} if "check" in names else {"test": "tests", "lint": "lint"}
    return [CheckRule(name=label, run=f"{program} {name}") for name, label in wanted.items() if name in names]


def pre_commit(listing: FolderFiles) -> list[CheckRule]:
    """Return the pre-commit check. It needs a repository, so it creates one in the checkout."""
    run = "git init -q && git add -A && pre-commit run --all-files"
    return [CheckRule(name="lint", run=run)] if listing.text(PRE_COMMIT) else []


# ---- Reading the files of a repository or of one of its directories ----

MOST_BYTES = 200_000
MANY_FILES = 10_000
LEFT_OUT = frozenset({".git", "node_modules", ".venv", "venv", "target", "vendor", "dist", "build", "__pycache__"})


class FolderFiles:
    """Files below a directory. A missing or unreadable file reads as empty."""

    def __init__(self, root: str) -> None:
        self.root = root

    def text(self, name: str) -> str:
        try:
            path = os.path.join(self.root, name)
            with open(opened(path, follow=True), encoding="utf-8", errors="replace") as file:
                return file.read(MOST_BYTES)
        except OSError:
            return ""

    def first(self, *names: str) -> str:
        """Return the first of these files that exists."""
        return next((name for name in names if os.path.isfile(os.path.join(self.root, name))), "")

    def has(self, *names: str) -> bool:
        return bool(self.first(*names))

    def is_folder(self, name: str) -> bool:
        return os.path.isdir(os.path.join(self.root, name))

    def names(self, folder: str = "") -> list[str]:
        try:
            return sorted(os.listdir(os.path.join(self.root, folder)))
        except OSError:
            return []

    def toml(self, name: str) -> dict[str, Any]:
        try:
            return tomllib.loads(self.text(name))
        except (tomllib.TOMLDecodeError, RecursionError):
            return {}

    def json(self, name: str) -> dict[str, Any]:
        try:
            document = json.loads(self.text(name) or "{}")
        except (ValueError, RecursionError):
            return {}
        return document if isinstance(document, dict) else {}

    def sections(self, name: str) -> ConfigParser:
        """Return the sections of an ini file."""
        settings = ConfigParser(interpolation=None, strict=False)
        try:
            settings.read_string(self.text(name))
        except Error:
            return ConfigParser()
        return settings

    def is_large(self) -> bool:
        """Return True if there are so many files that checking all of them takes long."""
        return next((True for number, _ in enumerate(self._files()) if number >= MANY_FILES), False)

    def _files(self) -> Iterator[str]:
        for _, folders, names in walked(self.root):
            folders[:] = [name for name in folders if name not in LEFT_OUT]
            yield from names


def table(value: object, *names: str) -> dict[str, Any]:
    """Return a nested table, or an empty one."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


# ---- Proposals ----

MOST_PARTS = 6
"""Largest number of projects in a repository to propose checks for."""
AROUND = ("packages", "apps", "services", "libs")
"""Directories of projects in a monorepo."""


class CheckProposal(msgspec.Struct, frozen=True):
    """A proposed check, what it comes from, and its trial. `output` is the end of the trial's output, and run `run`
    keeps all of it.
    """

    rule: CheckRule
    source: str
    tried: str = ""
    outcome: CheckOutcome | None = None
    output: str = ""
    ran: Ran | None = None
    tree: str = ""
    run: int = 0
    reporting: str = ""
    """The setting that turns on a report, if the tool has one and it is off."""

    @property
    def is_of_use(self) -> bool:
        """True if the check is untried or its trial ran. A check that cannot run, or a report without a passing test,
        would block every approval. (D5)
        """
        is_empty = self.outcome == "failed" and self.rule.report == "junit" and not self.rule.required
        return self.outcome not in ("crashed", "timed_out", "unsound") and not is_empty

    @property
    def is_red(self) -> bool:
        """True if it fails on the current target. (D5)"""
        return self.outcome == "failed"


class Detected(msgspec.Struct, frozen=True):
    """A proposal for a repository: checks, ways to create their environment, best first, and notes. `own` is the
    checkout rule already configured.
    """

    checks: tuple[CheckProposal, ...] = ()
    ways: tuple[CheckoutRule, ...] = ()
    notes: tuple[str, ...] = ()
    own: CheckoutRule | None = None

    @property
    def checkout(self) -> CheckoutRule | None:
        rule = self.own or next(iter(self.ways), None)
        return rule if rule is not None and rule.matters else None

    @property
    def prepare(self) -> str:
        """The command that creates the proposed environment, or ""."""
        return self.ways[0].prepare if self.ways else ""

    @property
    def settings(self) -> dict[str, SettingValue]:
        """The proposed environment as settings."""
        way = self.ways[0] if self.ways else CheckoutRule()
        parts = {"checkout.prepare": way.prepare, "checkout.build": way.build}
        return {key: value for key, value in parts.items() if value}


def checks_in(root: str) -> list[CheckProposal]:
    """Return only the proposed checks."""
    return list(detected_in(root).checks)


def detected_in(root: str) -> Detected:
    """Return the proposal for the top directory, or for the projects below if it has none."""
    listing = FolderFiles(root)
    detected = _at(listing, whatever=True)
    detected = detected if detected.checks else _below(listing)
    return replace(detected, notes=(*detected.notes, *_said(listing))) if detected.checks else detected


Detector = tuple[str, Callable[[FolderFiles], list[CheckRule]]]


def _at(listing: FolderFiles, *, whatever: bool = False) -> Detected:
    """Return the proposal, in the order Python, Node, Rust, Go, JVM. `whatever` adds the Makefile or justfile if
    nothing else is found, and pre-commit if there is no lint.
    """
    sources: list[Detector] = [
        (python_source(listing), python_checks),
        (node_source(listing), node_checks),
        ("Cargo.toml", cargo),
        ("go.mod", go),
        (listing.first("pom.xml", *GRADLE), jvm),
    ]
    proposals = _taken(listing, sources)
    if whatever:
        proposals = proposals or _taken(listing, [("Makefile", make)])
        proposals = proposals or _taken(listing, [(listing.first(*JUST), just)])
        is_linted = any(proposal.rule.name in ("lint", "checks", "quality") for proposal in proposals)
        proposals += [] if is_linted else _taken(listing, [(PRE_COMMIT, pre_commit)])
    names: dict[str, CheckProposal] = {}
    for proposal in proposals:
        names.setdefault(proposal.rule.name, proposal)
    lost = {proposal.source for proposal in proposals} - {proposal.source for proposal in names.values()}
    return Detected(tuple(names.values()), _ways(listing, lost) if names else ())


def _taken(listing: FolderFiles, sources: list[Detector]) -> list[CheckProposal]:
    return [
        CheckProposal(rule, source, reporting=_reporting(listing, rule))
        for source, checks in sources
        if source
        for rule in checks(listing)
    ]


def _reporting(listing: FolderFiles, rule: CheckRule) -> str:
    return report_line(script_of(listing, rule.run)) if rule.report == "none" else ""


def _ways(listing: FolderFiles, lost: Collection[str]) -> tuple[CheckoutRule, ...]:
    """Return the ways to create the environment. `lost` are sources that have no check left, because others took their
    names.
    """
    plain = (cargo_prepare, go_prepare, jvm_prepare)
    others = [[CheckoutRule(prepare=how)] for prepare in plain if (how := prepare(listing))]
    node = [] if "package.json" in lost else node_installs(listing)
    return _together([python_installs(listing), node, *others])


def _together(parts: Sequence[Sequence[CheckoutRule]]) -> tuple[CheckoutRule, ...]:
    """Combine the ways of several tools: all first ways, then all second ways. A tool with fewer ways repeats its last."""
    rows = [[ways[min(number, len(ways) - 1)] for ways in parts if ways] for number in range(max(map(len, parts)))]
    return tuple(
        CheckoutRule(
            prepare=" && ".join(way.prepare for way in row), build=" && ".join(way.build for way in row if way.build)
        )
        for row in rows
    )


def _below(listing: FolderFiles) -> Detected:
    """Return the proposal for the projects of a monorepo, with checks that run in each project's directory."""
    checks: list[CheckProposal] = []
    ways: list[list[CheckoutRule]] = [[]]
    parts = [part for part in _parts(listing) if _at(FolderFiles(os.path.join(listing.root, part))).checks]
    for part in parts[:MOST_PARTS]:
        detected = _at(FolderFiles(os.path.join(listing.root, part)))
        ways.append([_way_in(part, way) for way in detected.ways])
        checks += [
            replace(proposal, rule=_in(part, proposal.rule), source=f"{part}/{proposal.source}")
            for proposal in detected.checks
        ]
    left = len(parts) - MOST_PARTS
    notes = [f"the repository has several projects, and {left} more are not proposed"] if left > 0 else []
    notes = notes or (["several projects in one repository"] if len(parts) > 1 else [])
    return Detected(tuple(checks), _together(ways), tuple(notes))


def _parts(listing: FolderFiles) -> list[str]:
    """Return the directories that may hold a project and have plain names."""
    tops = [name for name in listing.names() if listing.is_folder(name) and name not in LEFT_OUT]
    inner = [f"{around}/{name}" for around in AROUND for name in listing.names(around)]
    return [name for name in (*tops, *inner) if re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_/.-]*", name)]


def _way_in(part: str, way: CheckoutRule) -> CheckoutRule:
    prepare, build = (f"(cd {part} && {how})" if how else "" for how in (way.prepare, way.build))
    return CheckoutRule(prepare=prepare, build=build)


def _in(part: str, rule: CheckRule) -> CheckRule:
    name = f"{rule.name}-{re.sub(r'[^A-Za-z0-9_-]+', '-', part)}"[:40]
    return replace(rule, name=name, run=f"cd {part} && {rule.run}")


def _said(listing: FolderFiles) -> list[str]:
    """Return notes to show before the checks run."""
    notes = []
    if is_workspace(listing) or listing.has("go.work"):
        notes.append("this is a workspace of several packages, and the checks run at its top")
    if listing.is_large():
        notes.append("this is a large repository, so these checks may take long (timeout_minutes is 10)")
    return notes
