"""Keeps the counters for list headers and status lines, so that no read has to count rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from foureyes.adapters.store.connection import Engine, plain, sql


@contextmanager
def counted(db: Engine, ids: Iterable[str]) -> Iterator[None]:
    """Recompute `ready` for the tasks changed inside this block and adjust the counters by the difference."""
    touched = sorted(set(ids))
    before = _standing(db, touched)
    yield
    db.run("task.recompute_ready", plain({"ids": touched}))
    after = _standing(db, touched)
    for name in sorted({*before, *after}):
        if after[name] != before[name]:
            db.run("project.count", {"name": name, "n": after[name] - before[name]})


def _standing(db: Engine, ids: list[str]) -> Counter[str]:
    columns, rows = db.fetch(sql("task.standing"), plain({"ids": ids}))
    counts: Counter[str] = Counter()
    for values in rows:
        task = dict(zip(columns, values, strict=True))
        if task["deleted"]:
            continue
        counts[f"status:{task['status']}"] += 1
        counts["ready"] += int(task["ready"] or 0)
        counts["waiting"] += int(task["status"] == "open" and bool(task["open_deps"]))
        for flag in ("rejected", "held", "unmerged", "landed"):
            counts[flag] += int(task[flag] or 0)
    return counts
