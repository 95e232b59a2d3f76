"""Estimates (X1): how long tasks will take, from what the past took, and where each figure comes from."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

import msgspec

DEFAULT_MINUTES = 20
ENOUGH = 3
"""So many past tasks make a median worth something."""
QUIET = "review:"
"""Labels that say how a task is reviewed say nothing about how long it takes."""

EstimateSource = Literal["label", "type", "overall", "own", "default"]
"""The median of tasks with its label, of its type, of all; `estimate_minutes`; nothing at all."""


class Past(msgspec.Struct, frozen=True, kw_only=True):
    """A task that was submitted: how long was worked on it."""

    seconds: int
    type: str = "task"
    labels: tuple[str, ...] = ()


class Estimate(msgspec.Struct, frozen=True, kw_only=True):
    """How long a task will take. `word` is the label or the type, `past` how many tasks the median is of."""

    minutes: int
    source: EstimateSource
    word: str = ""
    past: int = 0

    @property
    def words(self) -> str:
        """Where it comes from."""
        match self.source:
            case "label" | "type":
                return f"median of {self.past} with {self.source} {self.word}"
            case "overall":
                return f"median of {self.past}"
            case "own":
                return "its own estimate"
        return f"no past runs: default {DEFAULT_MINUTES} m"


class Estimates:
    """What the past says, sorted once: asking about a task costs nothing that grows with it."""

    def __init__(self, past: Iterable[Past]) -> None:
        by_label: dict[str, list[int]] = defaultdict(list)
        by_type: dict[str, list[int]] = defaultdict(list)
        all_of_it: list[int] = []
        for each in past:
            all_of_it.append(each.seconds)
            by_type[each.type].append(each.seconds)
            for label in each.labels:
                by_label[label].append(each.seconds)
        self.past = len(all_of_it)
        self._labels, self._types = _medians(by_label), _medians(by_type)
        self._overall = _medians({"": all_of_it}).get("")

    def of(self, *, labels: Sequence[str], type: str, own: int | None) -> Estimate:
        """X1: by label, by type, overall; then the task's own; then the default. Of several labels the one with the
        longest past.
        """
        known = [(self._labels[label], label) for label in labels if label in self._labels and _speaks(label)]
        if known:
            (past, minutes), word = max(known, key=lambda it: (it[0][0], it[1]))
            return Estimate(minutes=minutes, source="label", word=word, past=past)
        if type in self._types:
            past, minutes = self._types[type]
            return Estimate(minutes=minutes, source="type", word=type, past=past)
        if self._overall is not None:
            past, minutes = self._overall
            return Estimate(minutes=minutes, source="overall", past=past)
        if own:
            return Estimate(minutes=own, source="own")
        return Estimate(minutes=DEFAULT_MINUTES, source="default")


def _speaks(label: str) -> bool:
    return not label.startswith(QUIET)


def _medians(groups: Mapping[str, list[int]]) -> dict[str, tuple[int, int]]:
    """How many, and the median in minutes, of every group that is large enough."""
    return {
        name: (len(seconds), _minutes(median(seconds))) for name, seconds in groups.items() if len(seconds) >= ENOUGH
    }


def median(values: Sequence[int]) -> int:
    """The middle one, or half-way between the two."""
    ordered, half = sorted(values), len(values) // 2
    return ordered[half] if len(values) % 2 else (ordered[half - 1] + ordered[half]) // 2


def _minutes(seconds: int) -> int:
    return max(1, round(seconds / 60))


def together(minutes: Sequence[int], agents: int) -> int:
    """How many minutes tasks take with so many agents at once: never less than the longest of them."""
    if not minutes:
        return 0
    return max(-(-sum(minutes) // max(1, agents)), *minutes)
