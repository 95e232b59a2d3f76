"""Day and night: what runs with every change, and what `make nightly` adds. One table, and a run says what it left.

A test with many variants (parameters, engines, attacks) runs by day with some of them, spread evenly and always with
the first and the last; strides are odd, so that both engines have their turn. By night, or where a test is named
(`file.py::test`), all of them run.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import pytest

T = TypeVar("T")
NIGHT = bool(os.environ.get("FOUREYES_NIGHTLY"))
ALL = 10**9
KEY = "left_for_the_night"


class Day(NamedTuple):
    """By day: a test below `where` with more than `most` variants runs with every `stride`-th of them and the last."""

    where: str
    most: int
    stride: int
    why: str


TABLE = (
    Day("tests/scenarios/test_readme.py", ALL, 1, "every page that people type from"),
    Day("tests/scenarios/test_demo.py", ALL, 1, "what people see first"),
    Day("tests/scenarios/test_review_flows.py", ALL, 1, "the flows of a review"),
    Day("tests/scenarios/test_story.py", ALL, 1, "the whole way"),
    Day("tests/scenarios/test_matrix_by_processes.py", 1, 5, "the same rows run whole through the Application"),
    Day("tests/scenarios", 2, ALL, "real processes, seconds a case: the first and the last"),
    Day("tests/races", 4, 3, "many processes at once"),
    Day("tests/faults", 6, 3, "killed and started again"),
    Day("tests/app", 10, 3, "both engines"),
    Day("tests/adapters", 10, 3, "both engines, real git"),
    Day("tests", 24, 5, "one more case of the same"),
)
"""The first row that fits decides."""


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
    return kept if (len(variants) - 1) % stride == 0 else [*kept, variants[-1]]


def leave_for_the_night(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Take out of a run what is one more case of the same."""
    if NIGHT or any("::" in argument for argument in config.args):
        return
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    kept = {id(item) for name, some in cases.items() for item in by_day(name.partition("::")[0], some)}
    left = [item for item in items if id(item) not in kept]
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if id(item) in kept]
    config.stash[LEFT] = len(left)


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
            terminalreporter.write_line(f"{left} variants left for the night (make nightly; tests/stage/night.py)")
