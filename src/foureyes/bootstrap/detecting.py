"""Which checks a repository seems to have: read from its own files, so that `fe init` can propose them. Runs
nothing.
"""

from __future__ import annotations

import json
import os
import re
import tomllib

import msgspec

from foureyes.adapters.folders import opened
from foureyes.core.nouns.check import CheckRule, Outcome, Ran

TARGET = re.compile(r"^([A-Za-z0-9_.-]+)\s*:(?!=)", re.MULTILINE)
MOST = 200_000
NODE_TESTS = ("test.js", "test.mjs", "test.cjs")
"""What `node --test` finds at the top without being told."""
NPM_RUN = re.compile(r"npm run(?:-script)? (?:--silent |-s )?([\w:.-]+)")
LINTS = re.compile(r"(?:npx )?(?:lint|eslint|standard|xo|jshint|jscs|biome|oxlint|prettier)\b")
ALONE = " --ignore-scripts"
"""npm runs the script that is named, and none before or after it."""
NO_TEST = "no test specified"
"""What `npm init` writes where there is no test."""


class Proposal(msgspec.Struct, frozen=True):
    """A check, where it comes from, and what came of trying it; `output` is the end of what it printed, all of which is
    kept as run `run`.
    """

    rule: CheckRule
    source: str
    tried: str = ""
    outcome: Outcome | None = None
    output: str = ""
    ran: Ran | None = None
    tree: str = ""
    run: int = 0

    @property
    def is_of_use(self) -> bool:
        """Untried, or it ran on the tree: a check that cannot would refuse every approval (D5)."""
        return self.outcome not in ("crashed", "timed_out", "unsound")

    @property
    def is_red(self) -> bool:
        """It fails on the target as it is: required, it would refuse every approval, too (D5)."""
        return self.outcome == "failed"


def checks_in(root: str) -> list[Proposal]:
    """Proposals in the order pyproject, package.json, Cargo, go.mod, Makefile; the Makefile only where nothing else
    says it.
    """
    sources = {"pyproject.toml": _python, "package.json": _node, "Cargo.toml": _cargo, "go.mod": _go}
    sources = {_there(root, source): look for source, look in sources.items()}
    proposals = [Proposal(rule, source) for source, look in sources.items() for rule in look(root)]
    proposals = proposals or [Proposal(rule, "Makefile") for rule in _make(root)]
    names: dict[str, Proposal] = {}
    for proposal in proposals:
        names.setdefault(proposal.rule.name, proposal)
    return list(names.values())


def _there(root: str, source: str) -> str:
    """Where a proposal comes from: a Python project need not have a pyproject.toml."""
    names = ("pyproject.toml", "setup.py", "pytest.ini") if source == "pyproject.toml" else ()
    return next((name for name in names if _read(root, name)), source)


def _read(root: str, name: str) -> str:
    try:
        with open(opened(os.path.join(root, name), follow=True), encoding="utf-8", errors="replace") as file:
            return file.read(MOST)
    except OSError:
        return ""


def _python(root: str) -> list[CheckRule]:
    text = _read(root, "pyproject.toml")
    try:
        tree = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        tree = {}
    tools = tree.get("tool", {}) if isinstance(tree.get("tool"), dict) else {}
    has_tests = any(os.path.isdir(os.path.join(root, name)) for name in ("tests", "test")) or "pytest" in text
    rules = []
    if (tools.get("pytest") or has_tests) and (text or _read(root, "setup.py") or _read(root, "pytest.ini")):
        run = 'pytest -q --junitxml="$FOUREYES_REPORT"'
        rules.append(CheckRule(name="tests", run=_first_path(root) + run, report="junit"))
    if "mypy" in tools:
        rules.append(CheckRule(name="types", run="mypy ."))
    if "ruff" in tools:
        rules.append(CheckRule(name="lint", run="ruff check ."))
    return rules


def _first_path(root: str) -> str:
    """Of a `src/` layout: the tree's own packages go first, whatever is installed (D5); unless pytest says it."""
    from foureyes.adapters.checks.pytest_settings import said_paths

    source = os.path.join(root, "src")
    entries = os.listdir(source) if os.path.isdir(source) else []
    has_code = any(
        entry.endswith(".py") or os.path.isfile(os.path.join(source, entry, "__init__.py")) for entry in entries
    )
    return "PYTHONPATH=src " if has_code and not said_paths(root) else ""


def _node(root: str) -> list[CheckRule]:
    """`quality` is the whole pipeline where there is one; else `test` and `lint` (and `typecheck`). Tests that no
    script runs are for node's own runner.
    """
    try:
        scripts = json.loads(_read(root, "package.json") or "{}").get("scripts", {})
    except (ValueError, AttributeError, RecursionError):
        return []
    named = scripts.items() if isinstance(scripts, dict) else ()
    names = [name for name, run in named if isinstance(name, str) and not (name == "test" and NO_TEST in str(run))]
    install = "npm ci --silent && " if _read(root, "package-lock.json") else ""
    if "quality" in names:
        return [CheckRule(name="quality", run=f"{install}npm run quality")]
    wanted = {"test": "tests", "typecheck": "types", "lint": "lint"}
    apart = _lints_before(scripts) if "test" in names else ""
    rules = [
        CheckRule(name=label, run=f"{install}npm run {script}{ALONE if apart and script == 'test' else ''}")
        for script, label in wanted.items()
        if script in names
    ]
    if apart and "lint" not in names:
        rules.append(CheckRule(name="lint", run=f"{install}npm run {apart}"))
    own = "test" not in names and any(_read(root, name) for name in NODE_TESTS)
    return [CheckRule(name="tests", run=f"{install}node --test"), *rules] if own else rules


def _lints_before(scripts: dict[str, object]) -> str:
    """The script that lints before every test, where one does: what it finds is no failing test."""
    before = str(scripts.get("pretest", "")).strip()
    named = NPM_RUN.fullmatch(before)
    if named and named[1] in scripts:
        return named[1] if LINTS.match(named[1]) or _only_lints(str(scripts[named[1]])) else ""
    return "pretest" if _only_lints(before) else ""


def _only_lints(script: str) -> bool:
    return all(LINTS.match(part.strip()) for part in re.split("[&|;]+", script))


def _cargo(root: str) -> list[CheckRule]:
    if not _read(root, "Cargo.toml"):
        return []
    env = ("CARGO_HOME", "RUSTUP_HOME")
    return [
        CheckRule(name="tests", run="cargo test --quiet", env=env),
        CheckRule(name="lint", run="cargo clippy -- -D warnings", env=env),
    ]


def _go(root: str) -> list[CheckRule]:
    env = ("GOPATH", "GOMODCACHE")
    rules = [CheckRule(name="tests", run="go test ./...", env=env), CheckRule(name="vet", run="go vet ./...", env=env)]
    return rules if _read(root, "go.mod") else []


def _make(root: str) -> list[CheckRule]:
    targets = set(TARGET.findall(_read(root, "Makefile")))
    wanted = {"check": "checks"} if "check" in targets else {"test": "tests", "lint": "lint"}
    return [CheckRule(name=label, run=f"make {target}") for target, label in wanted.items() if target in targets]
