"""What checks cost beside their own commands: the export of a tree, and the environment that they need.

Four checks that do nothing run on a tree of many files: how often it is exported, and what four cost over one, each
with a copy of its files and each in a room. Then a Python and a Node project, each with packages of its own making (no
network): the same command in the project itself, where everything is installed, and as a check in a room; cold, when
its environment is made, and warm. The warm check is the second one on its tree: what the export of the tree costs is
the first part. Of every step the least of all rounds counts.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from foureyes.adapters.checks.pipeline import Pipeline
from foureyes.adapters.git.client.locate import locate
from foureyes.adapters.git.workshop import GitWorkshop
from foureyes.core.nouns.check_config import CheckoutRule, CheckRule
from foureyes.core.words.ids import Sha
from foureyes.core.words.paths import matching

from bench.figures import Figure, at_most, none_of, note, progress, show
from bench.places import desk
from bench.timing import timed
from bench.workplace import write

FILES, PACKAGES, ROUNDS = 2_000, 400, 5
AIM = 1.1
"""A warm check over the same command in the project itself."""
PYTHON = {
    "make.lock": "python3 -m venv --without-pip .venv && python3 make.py && python3 -m compileall -q .venv",
    "make.py": (
        "import glob, os\n"
        "site = glob.glob('.venv/lib/*/site-packages')[0]\n"
        f"for n in range({PACKAGES}):\n"
        "    os.makedirs(f'{site}/pack{n}')\n"
        "    open(f'{site}/pack{n}/__init__.py', 'w').write(f'def value():\\n    return {n}\\n')\n"
    ),
    "test_all.py": (
        "import importlib\n"
        f"packs = [importlib.import_module(f'pack{{n}}') for n in range({PACKAGES})]\n"
        "total = 0\n"
        "for _ in range(40_000):\n"
        "    total += sum(pack.value() for pack in packs[:100])\n"
        "assert total == 40_000 * 4950\n"
    ),
}
NODE = {
    "make.lock": "node make.js",
    "make.js": (
        "const fs = require('fs');\n"
        f"for (let n = 0; n < {PACKAGES}; n++) {{\n"
        "  fs.mkdirSync(`node_modules/pack${n}`, { recursive: true });\n"
        "  fs.writeFileSync(`node_modules/pack${n}/index.js`, `exports.value = () => ${n};\\n`);\n"
        "}\n"
    ),
    "test.js": (
        f"const packs = Array.from({{ length: {PACKAGES} }}, (_, n) => require(`pack${{n}}`));\n"
        "let total = 0;\n"
        "for (let i = 0; i < 300000; i++) for (const pack of packs.slice(0, 100)) total += pack.value();\n"
        "if (total !== 300000 * 4950) process.exit(1);\n"
    ),
}
PROJECTS = {
    "Python": (PYTHON, ".venv/bin/python test_all.py", ("make.lock", "make.py")),
    "Node": (NODE, "node test.js", ("make.lock", "make.js")),
}


class Repository:
    """A repository of one commit, whose tree checks run on."""

    def __init__(self, folder: Path, files: Mapping[str, str]) -> None:
        self.path = folder
        for name, text in files.items():
            write(folder, name, text.splitlines())
        for words in (("init", "-q", "-b", "main"), ("add", "."), ("commit", "-q", "-m", "files")):
            self._git(*words)
        self.tree = Sha(self._git("rev-parse", "HEAD^{tree}").strip())
        here = locate(str(folder))
        assert here is not None
        self.shop = GitWorkshop(here, str(folder / ".foureyes"))
        self.exports = 0

    def _git(self, *words: str) -> str:
        who = ("-c", "user.name=bench", "-c", "user.email=bench@example.org")
        return subprocess.run(["git", *who, *words], cwd=self.path, check=True, capture_output=True, text=True).stdout

    # What checks ask of a tree

    @property
    def name(self) -> str:
        return self.tree

    def listed(self, globs: Sequence[str]) -> dict[str, str]:
        files = self.shop.files_of(self.tree)
        return {path: files[path] for path in matching(files, globs)}

    def of_target(self, globs: Sequence[str]) -> list[dict[str, str]]:
        return [self.listed(globs)]

    @property
    def for_start(self) -> str:
        return self.tree

    def agreed(self) -> list[dict[str, str]]:
        return [self.listed(("**",))]

    def agreed_for_start(self) -> dict[str, str]:
        return {}

    def write_some(self, paths: Sequence[str], path: str) -> None:
        self.shop.export(self.tree, path, paths)

    def export(self, path: str) -> None:
        self.exports += 1
        self.shop.export(self.tree, path)

    def check(self, runner: Pipeline, rule: CheckRule, *, last: bool = False) -> None:
        ran = runner.run(rule, self.export, tree=self, last=last)
        if ran.exit_code != 0:
            raise SystemExit(f"{rule.run}: {ran}")


def environ(folder: Path) -> dict[str, str]:
    place = folder / "tmp"
    place.mkdir(exist_ok=True)
    return {"PATH": os.environ["PATH"], "HOME": "/nowhere", "TMPDIR": str(place)}


def exports(folder: Path, rounds: int, files: int = FILES) -> list[Figure]:
    """Four checks on one tree, and one: with a copy each, and in rooms."""
    progress(f"checks on a tree of {files:,} files")
    repo = Repository(folder / "large", {f"part{n % 100}/file{n}.py": f"line of {n}" for n in range(files)})
    found, most = list[Figure](), 0
    for how, checkout in (("a copy each", None), ("in rooms", CheckoutRule(isolation="full"))):
        rule, least = CheckRule(name="nothing", run="true", checkout=checkout), dict[int, float]()
        for _ in range(rounds):
            for count in (1, 4):
                repo.exports = 0
                took = timed(partial(several, folder, repo, rule, count))
                least[count] = min(took, least.get(count, took))
                most = max(most, repo.exports)
        taken = f"{least[1]:.0f} → {least[4]:.0f} ms"
        found.append(note(f"four checks of nothing over one, {how}", f"{least[4] / least[1]:.2f}", taken))
    return [none_of(f"four checks on one tree of {files:,} files: exports beyond one", most - 1), *found]


def several(folder: Path, repo: Repository, rule: CheckRule, count: int) -> None:
    runner = Pipeline(environ(folder))
    for number in range(count):
        repo.check(runner, rule, last=number == count - 1)
    runner.close()


def warm(folder: Path, kind: str, rounds: int) -> list[Figure]:
    """A project's command in place, and as a check."""
    progress(f"a check in a {kind} project")
    files, command, inputs = PROJECTS[kind]
    repo = Repository(folder / kind, files)
    place = folder / f"{kind}-own"
    shutil.copytree(repo.path, place, ignore=shutil.ignore_patterns(".git"))
    subprocess.run(["sh", "make.lock"], cwd=place, check=True)
    rule = CheckRule(name="tests", run=command, checkout=CheckoutRule(prepare="sh make.lock", inputs=inputs))
    runner = Pipeline(environ(folder))
    cold = timed(lambda: repo.check(runner, rule))
    own, ours = list[float](), list[float]()
    for _ in range(rounds):
        own.append(timed(lambda: subprocess.run(["sh", "-c", command], cwd=place, check=True)))
        ours.append(timed(lambda: repo.check(runner, rule)))
    runner.close()
    low, high = min(own), min(ours)
    what = f"a warm check over the same command in the project itself, {kind}"
    return [
        at_most(what, high / low, AIM, f"{low:.0f} → {high:.0f} ms"),
        note(f"the same, cold: its environment of {PACKAGES} packages is made", f"{cold / low:.2f}", f"{cold:.0f} ms"),
    ]


def measured(rounds: int) -> list[Figure]:
    """All of it, in repositories that are gone afterwards."""
    with desk() as folder:
        found = exports(folder, rounds)
        for kind, program in (("Python", "python3"), ("Node", "node")):
            if shutil.which(program):
                found += warm(folder, kind, rounds)
            else:
                found.append(note(f"a warm check, {kind}", "not run", f"{program} is not here"))
    return found


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 when a tree is exported twice, or a warm check takes much longer than its command."""
    parser = argparse.ArgumentParser(prog="python -m bench.checks", description=__doc__)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    options = parser.parse_args(arguments or [])
    return show(f"Checks, least of {options.rounds} rounds", "gate", measured(options.rounds))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
