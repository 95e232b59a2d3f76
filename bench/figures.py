"""What a benchmark prints: figures with their budgets, as a table."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime

import msgspec


class Figure(msgspec.Struct, frozen=True):
    """One measured thing. `met` is None where there is no budget; `detail` says what the ratio was made of."""

    what: str
    value: str
    budget: str = "–"
    met: bool | None = None
    detail: str = ""


def at_least(what: str, ratio: float, budget: float, detail: str = "") -> Figure:
    """A ratio that must not be smaller."""
    return Figure(what, f"{ratio:.2f}", f"≥ {budget:g}", ratio >= budget, detail)


def at_most(what: str, ratio: float, budget: float, detail: str = "") -> Figure:
    """A ratio, or a number of things, that must not be larger."""
    value = str(ratio) if isinstance(ratio, int) else f"{ratio:.2f}"
    return Figure(what, value, f"≤ {budget:g}", ratio <= budget, detail)


def none_of(what: str, count: int, detail: str = "") -> Figure:
    """Something that must not happen at all."""
    return Figure(what, str(count), "0", count == 0, detail)


def note(what: str, value: str, detail: str = "") -> Figure:
    """Something worth knowing that has no budget."""
    return Figure(what, value, detail=detail)


def table(figures: Sequence[Figure]) -> str:
    """Markdown; a missed budget is said in plain words."""
    said = {True: "yes", False: "**missed**", None: "–"}
    lines = ["| figure | value | budget | met | detail |", "|---|---|---|---|---|"]
    lines += [
        f"| {figure.what} | {figure.value} | {figure.budget} | {said[figure.met]} | {figure.detail} |"
        for figure in figures
    ]
    return "\n".join(lines)


def show(title: str, name: str, figures: Sequence[Figure]) -> int:
    """Print a section of Markdown; 1 when a budget is missed."""
    print(f"\n### {title}\n\n`python -m bench {name}`, {circumstances()}\n\n{table(figures)}", flush=True)
    missed = [figure.what for figure in figures if figure.met is False]
    if missed:
        print(f"missed: {'; '.join(missed)}", file=sys.stderr)
    return int(bool(missed))


def circumstances() -> str:
    """The day, and how busy the machine was: what waits for a processor beside the benchmark distorts every time."""
    load, processors = os.getloadavg()[1], os.cpu_count() or 1
    busy = "; busy: other programs ran beside it" if load > processors + 1 else ""
    return f"{datetime.now(UTC).date().isoformat()}, load {load:.1f} on {processors} processors{busy}"


def progress(text: str) -> None:
    """What is being done now, for who waits."""
    print(f"  {text} ...", file=sys.stderr, flush=True)
