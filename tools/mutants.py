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
import gc
import importlib
import importlib.abc
import importlib.machinery
import inspect
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
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TypeAlias

import hypothesis
import pytest
from _pytest.main import pytest_runtestloop as runtestloop
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


Key: TypeAlias = tuple[str, str, str, str, int]


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
    def key(self) -> Key:
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


class Swapping:
    """Collects all tests once and tries each mutant in a fork, with the code of one function swapped."""

    def __init__(self, mutants: list[Mutant], coverage: Coverage, jobs: int, survivors: Path) -> None:
        self.mutants, self.coverage, self.jobs, self.survivors = mutants, coverage, jobs, survivors

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        gc.freeze()
        items = {item.nodeid: item for item in session.items}

        def trial(mutant: Mutant) -> int:
            tests = self.coverage.tests_for(mutant)
            session.items = [items[test] for test in sorted(tests, key=lambda test: tests[test])]
            session.config.option.maxfail = 1
            if not swap(mutant):
                return 0
            try:
                runtestloop(session)
            except session.Failed:
                return 1
            return int(session.testsfailed > 0)

        left = tried(self.mutants, self.jobs, trial)
        self.survivors.write_text(" ".join(str(self.mutants.index(mutant)) for mutant in left))
        return True


def swap(mutant: Mutant) -> bool:
    """Give the mutated function its new code, in place. Return False if the change is not inside a function."""
    code: CodeType | None = compile(mutant.tree, str(mutant.file.resolve()), "exec", dont_inherit=True)
    found: object = importlib.import_module(mutant.module)
    for name in mutant.where.split(".") if mutant.where else []:
        assert code is not None
        code = next((part for part in code.co_consts if isinstance(part, CodeType) and part.co_name == name), None)
        found = vars(found).get(name)
        found = getattr(found, "fget", None) or getattr(found, "__func__", None) or found
        found = inspect.unwrap(found) if callable(found) else found
        if isinstance(found, FunctionType) and code is not None:
            found.__code__ = code
            return True
        if code is None or found is None:
            return False
    return False


class Seconds:
    def __init__(self) -> None:
        self.of: dict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.of[report.nodeid] += report.duration


def tried(mutants: list[Mutant], jobs: int, trial: Callable[[Mutant], int]) -> list[Mutant]:
    """Try each mutant in a child process, some at the same time; return those whose trial ends with 0."""
    left: list[Mutant] = []
    running: dict[int, Mutant] = {}
    waiting = mutants[::-1]
    while waiting or running:
        while waiting and len(running) < jobs:
            mutant = waiting.pop()
            running[in_child(lambda: trial(mutant), os.devnull)] = mutant  # noqa: B023
        child, status = os.wait()
        mutant = running.pop(child)
        if os.waitstatus_to_exitcode(status) == 0:
            left.append(mutant)
    return sorted(left, key=lambda mutant: (str(mutant.file), mutant.line, mutant.key))


def in_child(work: Callable[[], int], log: str, seconds: int = SECONDS) -> int:
    """Do the work in a fork of this process; return its process id. Its exit code is the answer, 1 after an error."""
    child = os.fork()
    if child:
        return child
    signal.alarm(seconds)
    output = os.open(log, os.O_WRONLY | os.O_CREAT)
    os.dup2(output, 1)
    os.dup2(output, 2)
    code = 1
    try:
        code = work()
    except BaseException:
        traceback.print_exc()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def ended(child: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def fresh_trial(mutant: Mutant, coverage: Coverage) -> int:
    """Import everything anew with the mutant in place, and run the tests of its line."""
    tests = coverage.tests_for(mutant)
    sys.meta_path.insert(0, Mutated(mutant))
    files = sorted({test.partition("::")[0] for test in tests})
    return int(pytest.main(["-x", "-q", *PYTEST, "-p", "no:cov", *files], plugins=[Chosen(tests)])) if tests else 0


def survivors(mutants: list[Mutant], coverage: Coverage, jobs: int, folder: Path) -> list[Mutant]:
    """Return the mutants that no test notices: first tried quickly, those that are left once more in a fresh process."""
    file, log = folder / "survivors", folder / "log"
    arguments = ["-q", *PYTEST, "-p", "no:cov", "tests/core"]
    swapping = Swapping(mutants, coverage, jobs, file)
    if ended(in_child(lambda: int(pytest.main(arguments, plugins=[swapping])), str(log), 0)) not in (0, 5):
        sys.exit(f"the tests could not be collected:\n{log.read_text()}")
    left = [mutants[int(number)] for number in file.read_text().split()]
    return tried(left, jobs, lambda mutant: fresh_trial(mutant, coverage))


def measured(folder: Path) -> Coverage:
    """Run tests/core once, unchanged, and note which test runs which line."""
    file, log = folder / "coverage", folder / "log"

    def work() -> int:
        os.environ["COVERAGE_FILE"] = str(file)
        seconds = Seconds()
        packages = [f"--cov={SOURCE / 'foureyes' / package}" for package in RULES]
        arguments = ["-q", *PYTEST, *packages, "--cov-context=test", "--cov-report=", "tests/core"]
        code = int(pytest.main(arguments, plugins=[seconds]))
        (folder / "seconds").write_text("\n".join(f"{took}\t{test}" for test, took in seconds.of.items()))
        return code

    if ended(in_child(work, str(log), 0)) != 0:
        sys.exit(f"the tests fail without a mutant:\n{log.read_text()}")
    data = CoverageData(str(file))
    data.read()
    lines: dict[str, dict[int, set[str]]] = {}
    for name in data.measured_files():
        contexts = data.contexts_by_lineno(name)
        lines[name] = {line: {test.rpartition("|")[0] for test in tests if test} for line, tests in contexts.items()}
    rows = (row.split("\t", 1) for row in (folder / "seconds").read_text().splitlines())
    return Coverage(lines, {test: float(took) for took, test in rows})


# ----------------------------------------------------------------------------------------------------------- report


def equivalents() -> set[Key]:
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
    hypothesis.settings.register_profile("mutants", deadline=None, derandomize=True, database=None)
    hypothesis.settings.load_profile("mutants")
    possible = {file: mutants_of(file) for file in files}
    chosen: list[Mutant] = []
    for file, all_of_it in possible.items():
        some = [mutant for mutant in all_of_it if mutant.key not in known]
        is_whole = asked.all or asked.files or file.stem in HEART
        chosen += some if is_whole else draw.sample(some, min(asked.each, len(some)))
    with tempfile.TemporaryDirectory() as name:
        left = survivors(chosen, measured(Path(name)), asked.jobs, Path(name))
    sys.exit(report(possible, chosen, left, known))


def report(possible: dict[Path, list[Mutant]], chosen: list[Mutant], left: list[Mutant], known: set[Key]) -> int:
    """Print a line for each file and its survivors; return 1 if any file is below 95 %."""
    is_short = False
    for file, all_of_it in possible.items():
        total = sum(mutant.file == file for mutant in chosen)
        if not total:
            continue
        alive = [mutant for mutant in left if mutant.file == file]
        killed = total - len(alive)
        is_short |= killed * 100 < total * 95
        equal = sum(mutant.key in known for mutant in all_of_it)
        print(
            f"{killed:4} of {total:4} killed, {killed * 100 // total:3} %, {len(all_of_it):4} possible, "
            f"{equal:2} equivalent  {file.relative_to(SOURCE / 'foureyes')}"
        )
        for mutant in alive:
            print(f"       {mutant.line}: {mutant.where}: {mutant.old}  →  {mutant.new}")
    return int(is_short)


if __name__ == "__main__":
    main()
