"""Day and night: what runs with every change, and what `make nightly` adds. One table, and a run says what it left.

A test with many variants (parameters, engines, attacks) runs by day with some of them, spread evenly and always with
the first and the last; strides are odd, so that both engines have their turn. By night, or where a test is named
(`file.py::test`), all of them run.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

import pytest

T = TypeVar("T")
NIGHT = bool(os.environ.get("FOUREYES_NIGHTLY"))
ALL = 10**9
KEY = "left_for_the_night"
ENGINES = ("sqlite", "postgres")
WHOLE = {
    "tests/scenarios/test_terminal_signing.py",
    "tests/adapters/git/client/test_ssh.py",
    "tests/scenarios/test_team_day.py",
    "tests/scenarios/test_page_of_machines.py",
}
"""Slow files that run at night only, or where one is named."""
ODD = "ein Ordner mit ü"
"""A test that runs in folders of several names runs in this one by day."""


class Day(NamedTuple):
    """By day: a test below `where` with more than `most` variants runs with every `stride`-th of them and the last.

    A stride of ALL leaves the first. With `turns`, a variant runs on SQLite only; in the first test and every
    `turns`-th one after it of each file, or of each folder with `by_room`, the first variant runs on PostgreSQL in
    place of it.
    """

    where: str
    most: int
    stride: int
    why: str
    turns: int = 0
    by_room: bool = False


TABLE = (
    Day("tests/scenarios/test_readme.py", 1, 9, "a page is a minute of typing: the README and every ninth page"),
    Day(
        "tests/scenarios/test_demo.py",
        1,
        ALL,
        "what people see first, where it is hardest: below an agent; at a "
        "terminal until the app is there and the window is closed",
    ),
    Day("tests/scenarios", 1, ALL, "real processes, half a second a case: every test with its first one"),
    Day("tests/races", 2, 5, "many processes at once; a race costs three times as much on PostgreSQL", 12),
    Day("tests/faults/test_random_rounds.py", 1, ALL, "days of random kills, seconds each"),
    Day("tests/faults/test_killed_runner.py", 2, ALL - 1, "the first and the last of its steps, seconds each"),
    Day("tests/faults", 2, 25, "killed before each of many steps and started again: every family, few commands", 8),
    Day("tests/stage/test_night.py", ALL, 1, "every row of these tables; one takes no time"),
    Day("tests/core/runner", ALL, 1, "the table of what the runner does; a row takes no time"),
    Day("tests/ui/cli/test_golden.py", ALL, 1, "what people read"),
    Day("tests/ui/tui/test_every_key.py", 1, 9, "one story a context; that none leaves out a key is looked at by day"),
    Day("tests/ui/tui/test_marks.py", 1, ALL, "every page once; sizes are test_small_and_large.py's"),
    Day("tests/ui/tui/test_small_and_large.py", ALL, 1, "one app a size"),
    Day("tests/ui", 2, ALL, "real processes"),
    Day("tests/app/review/test_policy_matrix.py", 6, 59, "the pure function answers every row by day, too", ALL),
    Day("tests/app/findings/test_loop_properties.py", ALL, 1, "one random play on either engine"),
    Day("tests/app", 2, 5, "a case costs six times as much on PostgreSQL; what engines differ in, the store", 40, True),
    Day(
        "tests/adapters/store/test_postgres_restore.py", 2, 5, "what can be wrong with a store; a case is half a second"
    ),
    Day("tests/adapters/store", 2, 19, "both engines by day, too: of many rows and columns to spoil, some"),
    Day("tests/adapters/git", 2, 3, "real git"),
    Day("tests/adapters", 6, 5, "real processes"),
    Day("tests", 12, 5, "one more case of the same"),
)
"""The first row that fits decides."""

ALSO = {
    "tests/faults/test_killed_runner.py::"
    "test_a_runner_that_is_killed_at_any_step_leaves_what_the_next_one_brings_to_its_end_J4_Q4": "after:commit",
    "tests/adapters/store/test_shared_store.py::"
    "test_a_crash_on_the_way_there_leaves_a_usable_project_and_a_second_call_completes_it_G4": (
        "after the copy, before the pointer"
    ),
}
"""A case of a test that runs by day whatever its row says: in the middle, where something is half done."""


class Plays(NamedTuple):
    """How many random examples a property is tried on."""

    day: int
    night: int


PLAYS = {
    "random verbs": Plays(3, 200),
    "random verbs of runners": Plays(12, 300),
    "processes that claim": Plays(24, 64),
    "tasks that they claim": Plays(30, 200),
    "rounds of a race of two": Plays(2, 4),
    "runs that wait at once": Plays(20, 50),
    "files that are exported": Plays(5_000, 20_000),
    "lines that each of 32 writes": Plays(3, 8),
    "random verbs, copied to the other engine": Plays(1, 30),
    "random loops on sqlite": Plays(3, 600),
    "random loops on postgres": Plays(1, 60),
    "random diffs by git": Plays(5, 60),
    "random texts that git reads": Plays(10, 200),
    "random histories that are merged": Plays(25, 300),
    "random histories by the real program": Plays(2, 10),
    "random passwords in addresses": Plays(30, 300),
    "random values through the engines": Plays(10, 100),
    "random run ends": Plays(15, 1000),
    "random cycles": Plays(2, 60),
    "run ends of real processes": Plays(8, 30),
    "random values": Plays(14, 300),
}
"""All properties that need a store, git or a socket for every example; `random values` are those of all others."""


def plays(name: str) -> int:
    """How many examples now."""
    return PLAYS[name].night if NIGHT else PLAYS[name].day


STRIDES = {"rows of a journal that are removed": 29, "pages of a store that are noise": 9}
"""Long walks in one test: by day it is every so-many-th step."""


def steps(name: str, every: Sequence[T]) -> Sequence[T]:
    """The steps of a walk that are gone now."""
    return every if NIGHT else every[:: STRIDES[name]]


MOST = {"steps before which a command is killed": 3, "steps before which the command line is killed": 3}
"""Walks of any length: by day they have so many steps, the first and the last among them."""


def spread(name: str, every: Sequence[T]) -> Sequence[T]:
    """The steps of such a walk that are gone now."""
    most = MOST[name]
    if NIGHT or len(every) <= most:
        return every
    return [every[number * (len(every) - 1) // (most - 1)] for number in range(most)]


class Case(Protocol):
    """The parameters of a test, once."""

    @property
    def params(self) -> dict[str, object]: ...


class WithId(Protocol):
    """A case, by the name that it has in brackets."""

    @property
    def id(self) -> str: ...


C = TypeVar("C", bound=WithId)


def day_of(name: str) -> Day:
    """The row that a test's file stands under."""
    return next(row for row in TABLE if name == row.where or name.startswith(row.where + "/"))


def by_day(name: str, variants: Sequence[T]) -> list[T]:
    """The variants of one test that run by day."""
    row = day_of(name)
    many = len(variants) > max(row.most, 24)
    if len(variants) <= row.most or row.stride == 1:
        return list(variants)
    stride = max(row.stride, 5) if many else row.stride
    kept = list(variants[::stride])
    return kept if stride == ALL or (len(variants) - 1) % stride == 0 else [*kept, variants[-1]]


def engine_of(case: Case) -> str:
    """The engine that a case runs on; nothing where that is no parameter of it, or where several are."""
    named = [value for value in case.params.values() if isinstance(value, str) and value in ENGINES]
    return named[0] if len(named) == 1 else ""


def in_one_place(cases: Sequence[T], places: Callable[[T], Sequence[object]]) -> Sequence[T]:
    """Of a test in folders of several names, the cases in the one with the name that is hardest."""
    return [case for case in cases if ODD in places(case)] or cases


def with_also(name: str, cases: Sequence[C], kept: Sequence[C]) -> list[C]:
    """The cases of one test that are kept, and the one that is told to run with them."""
    if name not in ALSO:
        return list(kept)
    ids = [case.id for case in cases]
    assert ALSO[name] in ids, f"{name} has no case {ALSO[name]}"
    return [case for case in cases if case in kept or case.id == ALSO[name]]


class Turns:
    """Whose turn it is on PostgreSQL, file by file or room by room."""

    def __init__(self) -> None:
        self._tests: Counter[str] = Counter()

    def cases(self, name: str, cases: Sequence[T], engine: Callable[[T], str]) -> list[T]:
        """The cases of one test that run by day."""
        row, (sqlite, postgres) = day_of(name), ([case for case in cases if engine(case) == each] for each in ENGINES)
        if not (row.turns and sqlite and postgres and len(sqlite) + len(postgres) == len(cases)):
            return by_day(name, cases)
        kept, place = by_day(name, sqlite), name.rpartition("/")[0] if row.by_room else name
        self._tests[place] += 1
        return kept if (self._tests[place] - 1) % row.turns else [postgres[0], *kept[1:]]


def is_left(path: Path, config: pytest.Config) -> bool:
    """Whether a whole file is left for the night."""
    name = path.relative_to(config.rootpath).as_posix() if path.is_relative_to(config.rootpath) else ""
    return name in WHOLE and not NIGHT and not any(name in argument for argument in config.args)


class Leaving:
    """Takes out of a run what is one more case of the same, before it becomes an item: that alone took seconds of every
    worker.
    """

    def __init__(self) -> None:
        self._turns = Turns()
        self.left = 0
        self.every: dict[str, set[str]] = defaultdict(set)
        """Which engines the cases of a test run on by night."""
        self.kept: dict[str, set[str]] = defaultdict(set)
        """And which ones now."""

    def pytest_ignore_collect(self, collection_path: Path, config: pytest.Config) -> bool | None:
        return True if is_left(collection_path, config) else None

    @pytest.hookimpl(wrapper=True)
    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> Iterator[None]:
        yield
        name, cases = metafunc.definition.nodeid, metafunc._calls
        is_whole = NIGHT or any("::" in argument for argument in metafunc.config.args)
        if cases and not is_whole:
            here = in_one_place(cases, lambda case: list(case.params.values()))
            metafunc._calls = with_also(name, here, self._turns.cases(name.partition("::")[0], here, engine_of))
            self.left += len(cases) - len(metafunc._calls)
        self.every[name] |= {engine_of(case) for case in cases}
        self.kept[name] |= {engine_of(case) for case in metafunc._calls}

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        session.config.stash[LEFT] = self.left


LEFT = pytest.StashKey[int]()


class Report:
    """Says at the end of a run how many variants were left for the night, also with several workers."""

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[KEY] = session.config.stash.get(LEFT, 0)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object, error: object | None) -> None:
        config: pytest.Config = node.config  # type: ignore[attr-defined]
        left = getattr(node, "workeroutput", {}).get(KEY, 0)
        config.stash[LEFT] = max(config.stash.get(LEFT, 0), left)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
        if left := config.stash.get(LEFT, 0):
            shorter = f"{len(PLAYS) + len(STRIDES) + len(MOST)} random plays and walks are shorter than there"
            most = f"{left} variants and {len(WHOLE)} files left for the night"
            terminalreporter.write_line(f"{most}, and {shorter} (make nightly; tests/stage/night.py)")
