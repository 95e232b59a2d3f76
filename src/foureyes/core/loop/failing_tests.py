"""The QA loop (L13): which tests failed at first, which pass since, which still fail, which are new, iteration by
iteration.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec


class Tests(msgspec.Struct, frozen=True):
    """The failing tests of one iteration: from the report, or the check's name where there is none."""

    iteration: int
    failing: frozenset[str]


class Tracking(msgspec.Struct, frozen=True, kw_only=True):
    """One iteration against the first one that failed and the one before."""

    iteration: int
    original_failures: tuple[str, ...] = ()
    fixed_since_start: tuple[str, ...] = ()
    still_failing: tuple[str, ...] = ()
    new_failures: tuple[str, ...] = ()
    fixed_now: tuple[str, ...] = ()

    @property
    def progress_made(self) -> bool:
        """A test that failed before passes now; only new failures are none."""
        return bool(self.fixed_now)


def track(iterations: Iterable[Tests]) -> list[Tracking]:
    """L13: original failures are those of the first iteration that had any."""
    tracked: list[Tracking] = []
    original: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    for tests in iterations:
        original = original or tests.failing
        tracked.append(
            Tracking(
                iteration=tests.iteration,
                original_failures=_sorted(original),
                fixed_since_start=_sorted(original - tests.failing),
                still_failing=_sorted(original & tests.failing),
                new_failures=_sorted(tests.failing - original),
                fixed_now=_sorted(before - tests.failing),
            )
        )
        before = tests.failing
    return tracked


def _sorted(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(names))


def progress(tracked: Sequence[Tracking]) -> bool:
    """Whether the latest iteration made a test pass that failed before."""
    return bool(tracked) and tracked[-1].progress_made
