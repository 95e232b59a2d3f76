"""Mutation score of the pure rules: `make mutants`, or `python -m tools.mutants [--seed N] [--each N] [FILE...]`.

A mutant is the file with one small change: a comparison turned round, an operand left out, a number off by one. The
tests of tests/core that run the changed line must fail. A mutant that none of them notices is a survivor: a missing
test, a needless line, or an equivalent that tools/mutants.toml names with its reason. Each mutant is tried in a
process of its own, in which no module of Foureyes was imported before.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib.abc
import importlib.machinery
import os
import random
import re
import signal
import sys
import tempfile
import time
import tomllib
import traceback
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, ModuleType
from typing import TypeAlias

import hypothesis
import pytest
from coverage import CoverageData

SOURCE = Path("src")
RULES = ("core/rules", "core/cycle", "core/loop", "core/sprint", "core/runner")
HEART = ("four_eyes", "gate", "modes", "decision", "required", "rights")
"""Files of which every mutant is tried."""
EQUIVALENTS = Path("tools/mutants.toml")
PYTEST = ("--noconftest", "-W", "ignore::pytest.PytestAssertRewriteWarning", "-p", "no:xdist", "-p", "no:cacheprovider")
SECONDS = 120
"""A mutant that runs longer goes in circles: killed."""

COMPARISONS: dict[type[ast.cmpop], list[type[ast.cmpop]]] = {
    ast.Eq: [ast.NotEq],
    ast.NotEq: [ast.Eq],
    ast.Lt: [ast.LtE, ast.GtE],
    ast.LtE: [ast.Lt, ast.Gt],
    ast.Gt: [ast.GtE, ast.LtE],
    ast.GtE: [ast.Gt, ast.Lt],
    ast.Is: [ast.IsNot],
    ast.IsNot: [ast.Is],
    ast.In: [ast.NotIn],
    ast.NotIn: [ast.In],
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
NEXT_STEPS = {"fe", "phrase", "by", "by_person", "by_person_or_service"}
"""Calls that word a next step: text for people."""
WORD = re.compile(r"[A-Za-z][\w.-]*")
"""A string that a program may decide by. Texts for people do not count."""


@dataclass(frozen=True)
class Mutant:
    file: Path
    line: int
    where: str
    """The function or class that holds it."""
    old: str
    new: str
    nth: int
    """Counts equal changes within one function, from 1."""
    tree: ast.Module = field(compare=False, repr=False)

    @property
    def key(self) -> tuple[str, str, str, str, int]:
        return (str(self.file), self.where, self.old, self.new, self.nth)

    @property
    def module(self) -> str:
        return ".".join(self.file.relative_to(SOURCE).with_suffix("").parts)


# ---------------------------------------------------------------------------------------------------------- mutants


def mutants_of(file: Path) -> list[Mutant]:
    """Return every mutant of a file, in order of lines."""
    tree = ast.parse(file.read_text())
    seen: dict[tuple[str, str, str], int] = defaultdict(int)
    found: list[Mutant] = []
    for where, parent, slot, index, node in _places(tree):
        for changed in _changes(node):
            old, new = ast.unparse(node), ast.unparse(changed)
            if old == new:
                continue
            seen[where, old, new] += 1
            _put(parent, slot, index, changed)
            mutated = copy.deepcopy(tree)
            _put(parent, slot, index, node)
            line = getattr(node, "lineno", 0)
            found.append(Mutant(file, line, where, old, new, seen[where, old, new], ast.fix_missing_locations(mutated)))
    return sorted(found, key=lambda mutant: (mutant.line, mutant.key))


def _put(parent: ast.AST, slot: str, index: int | None, node: ast.AST) -> None:
    if index is None:
        setattr(parent, slot, node)
    else:
        getattr(parent, slot)[index] = node


Place: TypeAlias = tuple[str, ast.AST, str, int | None, ast.expr]


def _places(node: ast.AST, where: str = "") -> Iterator[Place]:
    """Yield each expression that may change, with the slot of its parent. Annotations, docstrings and texts are left out."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        where = f"{where}.{node.name}" if where else node.name
    for slot, value in ast.iter_fields(node):
        if slot in ("annotation", "returns", "decorator_list", "bases", "keywords") and not isinstance(node, ast.Call):
            continue
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        if isinstance(node, ast.JoinedStr | ast.Assert) or _is_step(node):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST):
                continue
            if isinstance(child, ast.expr):
                yield where, node, slot, index, child
            yield from _places(child, where)


def _is_step(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in NEXT_STEPS


def _changes(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.Compare(ops=[op]):
            for other in COMPARISONS[type(op)]:
                yield ast.copy_location(ast.Compare(node.left, [other()], node.comparators), node)
        case ast.BoolOp():
            swapped = ast.Or() if isinstance(node.op, ast.And) else ast.And()
            yield ast.copy_location(ast.BoolOp(swapped, node.values), node)
            for left_out in range(len(node.values)):
                rest = [value for index, value in enumerate(node.values) if index != left_out]
                yield ast.copy_location(rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest), node)
        case ast.UnaryOp(op=ast.Not()):
            yield ast.copy_location(ast.Call(ast.Name("bool", ast.Load()), [node.operand], []), node)
        case ast.IfExp():
            yield ast.copy_location(node.body, node)
            yield ast.copy_location(node.orelse, node)
        case ast.BinOp() if type(node.op) in OPERATORS:
            yield ast.copy_location(ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right), node)
        case ast.Constant(value=bool(value)):
            yield ast.copy_location(ast.Constant(not value), node)
        case ast.Constant(value=int(value)):
            yield ast.copy_location(ast.Constant(value + 1), node)
        case ast.Constant(value=str(value)) if WORD.fullmatch(value):
            yield ast.copy_location(ast.Constant(f"{value}-x"), node)
        case ast.Call(func=ast.Name(id="any" | "all" as name)):
            other_name = "all" if name == "any" else "any"
            yield ast.copy_location(ast.Call(ast.Name(other_name, ast.Load()), node.args, []), node)
        case ast.ListComp() | ast.SetComp() | ast.GeneratorExp() | ast.DictComp():
            for index, part in enumerate(node.generators):
                for condition in range(len(part.ifs)):
                    changed = copy.deepcopy(node)
                    del changed.generators[index].ifs[condition]
                    yield changed


# ------------------------------------------------------------------------------------------------------------ trial


class Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports one module from a changed tree."""

    def __init__(self, mutant: Mutant) -> None:
        self.mutant = mutant

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if name != self.mutant.module:
            return None
        spec = importlib.machinery.ModuleSpec(name, self, origin=str(self.mutant.file.resolve()))
        spec.has_location = True
        return spec

    def exec_module(self, module: ModuleType) -> None:
        code: CodeType = compile(self.mutant.tree, str(self.mutant.file.resolve()), "exec", dont_inherit=True)
        exec(code, module.__dict__)


class Chosen:
    """Keeps the tests that run the changed line, quickest first."""

    def __init__(self, tests: dict[str, float]) -> None:
        self.tests = tests

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        items[:] = sorted(
            (item for item in items if item.nodeid in self.tests), key=lambda item: self.tests[item.nodeid]
        )


@dataclass(frozen=True)
class Coverage:
    lines: dict[str, dict[int, set[str]]]
    """File, line: the tests that run it."""
    seconds: dict[str, float]

    def tests_for(self, mutant: Mutant) -> dict[str, float]:
        """Return the tests that run the mutant's line; those of the whole file where it runs at import."""
        lines = self.lines.get(str(mutant.file.resolve()), {})
        tests = lines.get(mutant.line, set())
        if not mutant.where or not tests:
            tests = set().union(*lines.values())
        return {test: self.seconds.get(test, 0.0) for test in tests}


class Seconds:
    def __init__(self) -> None:
        self.of: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.of[report.nodeid] += report.duration


def _prepare(log: str) -> None:
    output = os.open(log, os.O_WRONLY | os.O_CREAT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    hypothesis.settings.register_profile("mutants", deadline=None, derandomize=True, database=None)
    hypothesis.settings.load_profile("mutants")


def started(mutant: Mutant, tests: dict[str, float]) -> int:
    """Run the tests on the mutant in a child process; return its id. It ends with 0 if all pass."""
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        _prepare(os.devnull)
        sys.meta_path.insert(0, Mutated(mutant))
        files = sorted({test.partition("::")[0] for test in tests})
        try:
            code = (
                int(pytest.main(["-x", "-q", *PYTEST, "-p", "no:cov", *files], plugins=[Chosen(tests)])) if tests else 0
            )
        except BaseException:
            code = 1
        os._exit(code)
    return child


def survivors(mutants: list[Mutant], coverage: Coverage, jobs: int) -> list[Mutant]:
    """Try all mutants, some at the same time; return those that no test noticed."""
    left: list[Mutant] = []
    running: dict[int, Mutant] = {}
    waiting = mutants[::-1]
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            running[started(mutant, coverage.tests_for(mutant))] = mutant
        child, status = os.wait()
        mutant = running.pop(child)
        if os.waitstatus_to_exitcode(status) == 0:
            left.append(mutant)
    return sorted(left, key=lambda mutant: (mutant.line, mutant.key))


def measured(folder: Path) -> Coverage:
    """Run tests/core once, unchanged, and note which test runs which line."""
    file = folder / "coverage"
    child = os.fork()
    if child == 0:
        _prepare(str(folder / "log"))
        os.environ["COVERAGE_FILE"] = str(file)
        seconds, code = Seconds(), 1
        try:
            packages = [f"--cov={SOURCE / 'foureyes' / package}" for package in RULES]
            arguments = ["-q", *PYTEST, *packages, "--cov-context=test", "--cov-report=", "tests/core"]
            code = int(pytest.main(arguments, plugins=[seconds]))
            (folder / "seconds").write_text("\n".join(f"{took}\t{test}" for test, took in seconds.of.items()))
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) != 0:
        sys.exit(f"the tests fail without a mutant:\n{(folder / 'log').read_text()}")
    data = CoverageData(str(file))
    data.read()
    lines: dict[str, dict[int, set[str]]] = {}
    for name in data.measured_files():
        contexts = data.contexts_by_lineno(name)
        lines[name] = {line: {test.rpartition("|")[0] for test in tests if test} for line, tests in contexts.items()}
    rows = (row.split("\t", 1) for row in (folder / "seconds").read_text().splitlines())
    return Coverage(lines, {test: float(took) for took, test in rows})


# ----------------------------------------------------------------------------------------------------------- report


def equivalents() -> set[tuple[str, str, str, str, int]]:
    """Return the mutants that nobody can tell from the original, with the reason in the file."""
    rows = tomllib.loads(EQUIVALENTS.read_text()).get("equivalent", [])
    return {(row["file"], row["where"], row["old"], row["new"], row.get("nth", 1)) for row in rows}


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    options.add_argument("files", nargs="*", type=Path, help="files to try, every mutant; else all of the pure rules")
    options.add_argument("--seed", type=int, default=int(time.time()), help="which mutants are drawn")
    options.add_argument("--each", type=int, default=25, help="how many of each file that is not the heart")
    options.add_argument("--all", action="store_true", help="every mutant of every file")
    options.add_argument("--jobs", type=int, default=os.cpu_count() or 2)
    asked = options.parse_args()
    files = asked.files or [
        file
        for package in RULES
        for file in sorted((SOURCE / "foureyes" / package).glob("*.py"))
        if file.name != "__init__.py"
    ]
    known, draw = equivalents(), random.Random(asked.seed)
    sys.dont_write_bytecode = False
    print(f"seed {asked.seed}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        coverage = measured(Path(folder))
    is_short = False
    for file in files:
        possible = mutants_of(file)
        equal = [mutant for mutant in possible if mutant.key in known]
        tried = [mutant for mutant in possible if mutant.key not in known]
        if not (asked.all or asked.files or file.stem in HEART) and len(tried) > asked.each:
            tried = sorted(draw.sample(tried, asked.each), key=lambda mutant: (mutant.line, mutant.key))
        if not tried:
            continue
        left = survivors(tried, coverage, asked.jobs)
        killed = len(tried) - len(left)
        is_short |= killed * 100 < len(tried) * 95
        print(
            f"{killed:4} of {len(tried):4} killed, {killed * 100 // len(tried):3} %, "
            f"{len(possible):4} possible, {len(equal):2} equivalent  {file.relative_to(SOURCE / 'foureyes')}",
            flush=True,
        )
        for mutant in left:
            print(f"       {mutant.line}: {mutant.where}: {mutant.old}  →  {mutant.new}", flush=True)
    sys.exit(is_short)


if __name__ == "__main__":
    main()
