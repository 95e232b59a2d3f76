"""The wheel, as a user gets it: built from the tracked files, installed where no tool of development is, and used from
`fe init` to `fe merge`. What a checkout has and a wheel lacks (a `.sql` file, a prompt, a dependency that only tests
declare) fails here and nowhere else.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from importlib.metadata import Distribution, distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.stage.processes import Caller, People

ROOT = Path(__file__).resolve().parents[2]
DECLARED = {"apsw", "click", "cryptography", "markdown-it-py", "mcp", "msgspec", "textual"}
"""What a user installs beside Foureyes where the platform is Linux; one more is a decision, not an accident."""
DRIVER = "psycopg"
"""The one package that is an extra: modules that need it may lack it."""

WALK = """
import importlib, json, pkgutil, foureyes
missing = {}
for module in pkgutil.walk_packages(foureyes.__path__, "foureyes."):
    if not module.name.endswith("__main__"):
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as problem:
            missing[module.name] = problem.name
print(json.dumps([foureyes.__file__, missing]))
"""
INSTALLED = """
import json
from importlib.metadata import distributions
print(json.dumps(sorted({each.name.lower().replace("_", "-") for each in distributions()})))
"""


# Building and installing


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of what git tracks: neither the egg-info of a checkout nor its build directory can lend a file."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in tracked("src", "pyproject.toml", "README.md", "LICENSE"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    pip("wheel", "--no-deps", "--no-build-isolation", "--no-index", "-w", str(folder / "dist"), str(folder))
    [built] = (folder / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An empty virtual environment with the wheel and what its metadata asks for, and not even pip."""
    folder = tmp_path_factory.mktemp("environment") / "venv"
    run([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    python = folder / "bin" / "python"
    pip("--python", str(python), "install", "--no-deps", "--no-index", "--no-compile", str(wheel))
    [packages] = (folder / "lib").glob("python*/site-packages")
    for needed in needs(wheel).values():
        link(needed, packages)
    return folder


def tracked(*paths: str) -> list[str]:
    """The files that git tracks and that are there; whoever clones gets these."""
    names = run(["git", "-C", str(ROOT), "ls-files", "-z", "--", *paths]).split("\0")
    return [name for name in names if name and (ROOT / name).exists()]


def run(argv: list[str]) -> str:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{argv}\n{done.stdout}{done.stderr}"
    return done.stdout


def pip(*args: str) -> str:
    return run([sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", *args])


def requirements(texts: list[str] | None) -> list[Requirement]:
    """Those that hold here, and without any extra."""
    wanted = [Requirement(text) for text in texts or []]
    return [each for each in wanted if each.marker is None or each.marker.evaluate({"extra": ""})]


def needs(wheel: Path) -> dict[str, Distribution]:
    """What the wheel's own metadata asks for, whole: each of them of a version that it accepts."""
    texts = [line.partition(": ")[2] for line in metadata(wheel) if line.startswith("Requires-Dist: ")]
    taken: dict[str, Distribution] = {}
    waiting = requirements(texts)
    while waiting:
        each = waiting.pop()
        found = distribution(each.name)
        assert each.specifier.contains(found.version, prereleases=True), f"{each} is not {found.version}"
        if taken.setdefault(canonicalize_name(each.name), found) is found:
            waiting += requirements(found.requires)
    return taken


def metadata(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        return archive.read(name).decode().splitlines()


def link(needed: Distribution, packages: Path) -> None:
    """Show a distribution of this environment to another one: its own folders and modules, nothing beside them."""
    tops = {file.parts[0] for file in needed.files or ()} - {"..", "__pycache__"}
    assert tops, f"{needed.name} does not say what it is made of"
    for top in tops:
        (packages / top).symlink_to(Path(str(needed.locate_file(top))))


# What is in it


def test_the_wheel_has_every_file_of_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        packed = {name for name in archive.namelist() if ".dist-info/" not in name}
    assert packed == {name.removeprefix("src/") for name in tracked("src")}


def test_what_is_installed_is_what_is_declared(wheel: Path, environment: Path) -> None:
    texts = [line.partition(": ")[2] for line in metadata(wheel) if line.startswith("Requires-Dist: ")]
    assert {each.name for each in requirements(texts)} == DECLARED
    installed = json.loads(run([str(environment / "bin" / "python"), "-I", "-c", INSTALLED]))
    assert set(installed) == {"foureyes", *needs(wheel)}
    assert not {"pytest", "psutil", "psycopg", "hypothesis", "pip", "setuptools"} & set(installed)


def test_every_module_can_be_imported_there_but_for_the_driver_of_postgresql(environment: Path) -> None:
    file, missing = json.loads(run([str(environment / "bin" / "python"), "-I", "-c", WALK]))
    assert Path(file).is_relative_to(environment)
    assert {name: lacks for name, lacks in missing.items() if lacks != DRIVER} == {}
    assert all("postgres" in name for name in missing), missing


# The whole way


class InstalledShop:
    """A repository far from the checkout, and the installed `fe` in it."""

    def __init__(self, environment: Path, world: People) -> None:
        self.fe = str(environment / "bin" / "fe")
        self.world = world
        self.repo = world.directory / "shop"
        self.repo.mkdir()

    def types(self, who: Caller, *args: str) -> Any:
        """Run the installed command; the last object that it answers."""
        done = who.run([self.fe, *args, "--json"], cwd=self.repo, timeout=300)
        assert done.rc == 0, f"{who.name}: fe {' '.join(args)}\n{done.out}{done.err}{done.screen}"
        return json.loads(done.out.splitlines()[-1])

    def shell(self, who: Caller, command: str) -> str:
        done = who.sh(command, cwd=self.repo)
        assert done.rc == 0, f"{who.name}: {command}\n{done.out}{done.err}"
        return done.out.strip()


@pytest.fixture
def shop(environment: Path, tmp_path: Path) -> Iterator[InstalledShop]:
    with People(tmp_path, {"PYTHONPATH": ""}) as world:
        yield InstalledShop(environment, world)


@pytest.mark.scenario
def test_the_installed_command_goes_the_whole_way_from_init_to_merge(shop: InstalledShop) -> None:
    alice, claude = shop.world.person("alice"), shop.world.agent("claude")
    name = "git config user.name Alice && git config user.email alice@example.org"
    shop.shell(alice, f"git init -q -b main && {name} && echo 1 > greet.py && git add . && git commit -qm first")

    shop.types(alice, "init")
    assert shop.types(alice, "whoami")["kind"] == "human"
    assert shop.types(claude, "whoami")["kind"] == "agent"
    shop.types(alice, "config", "set", "review.human.settle_seconds", "0")
    merging = {"2": ("merge", "--wait"), "3": ("watch", "--until-idle")}  # a runner, too, needs nothing but the wheel
    for text, merges in merging.items():
        task = shop.types(alice, "create", f"Greet {text}")["task"]
        shop.types(claude, "start", task)
        shop.shell(claude, f"cd .foureyes/worktrees/{task} && echo {text} > greet.py && git commit -qam 'Greet'")
        shop.types(claude, "submit", task, "-m", "done")
        assert task in shop.types(alice, "prompt", task, "--for", "review")["prompt"]
        shop.types(alice, "approve", task)
        shop.types(alice, *merges)
        assert shop.types(alice, "show", task)["task"]["status"] == "closed"
        assert shop.shell(alice, "git show main:greet.py") == text

    assert shop.types(alice, "audit", "verify")["ok"]
    assert shop.types(alice, "rules", "P2")["id"] == "P2"
