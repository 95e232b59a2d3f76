"""What is looked at after every fault on the floor: nothing half done, nothing lost, the target always fully checked
(G4, Q4).
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from tests.stage.checkout import Checkout
from tests.stage.floor import Floor

SHA = re.compile(rb"\b[0-9a-f]{7,40}\b")
TRAILERS = ("Task", "Approved-by", "Attempt", "Journal")
REQUIRED = ("tests",)


class Tables(msgspec.Struct):
    """The rows of a store, by column."""

    tasks: list[dict[str, Any]]
    attempts: list[dict[str, Any]]
    approvals: list[dict[str, Any]]
    checks: list[dict[str, Any]]
    merges: list[dict[str, Any]]
    journal: list[dict[str, Any]]


class Picture(NamedTuple):
    """All that a command leaves behind, without what differs from run to run: numbers of processes, dates of
    commits.
    """

    tasks: tuple[tuple[str, str, int], ...]
    kinds: tuple[tuple[str, str], ...]
    refs: str
    checkouts: tuple[str, ...]
    files: tuple[tuple[str, str], ...]


def tables(floor: Floor) -> Tables:
    """Everything, read after an ordinary opening."""
    store = floor.place.open()
    try:
        with store.read():
            found = {}
            for name in Tables.__struct_fields__:
                columns, rows = store.engine.fetch(f"SELECT * FROM {name}", {})
                found[name] = [dict(zip(columns, row, strict=True)) for row in rows]
        return Tables(**found)
    finally:
        store.close()


def picture(floor: Floor) -> Picture:
    """The store, the refs, the checkouts, the files of the project's folder."""
    found = tables(floor)
    tasks = tuple(sorted((row["id"], row["status"], row["iteration"]) for row in found.tasks))
    kinds = tuple((row["kind"], row["task"]) for row in sorted(found.journal, key=lambda row: int(row["seq"])))
    refs = floor.checkout.git("for-each-ref", "--format=%(refname) %(tree)")
    return Picture(tasks, kinds, refs, tuple(_checkouts(floor)), tuple(_files(floor)))


def _checkouts(floor: Floor) -> list[str]:
    """The person's checkout and the worktrees of tasks, with what git says about each."""
    root = floor.place.folder / "worktrees"
    places = [floor.checkout.path, *sorted(path for path in root.glob("*") if path.is_dir())]
    return [f"{place.name}: {Checkout(place).git('status', '--porcelain')}" for place in places]


def _files(floor: Floor) -> list[tuple[str, str]]:
    """The feedback files; what a killed writer leaves beside them is named without its process."""
    folder = floor.place.folder / "feedback"
    names = sorted(os.listdir(folder)) if folder.is_dir() else []
    return [(name.partition(".new-")[0] + ("+" if ".new-" in name else ""), _digest(folder / name)) for name in names]


def _digest(path: Path) -> str:
    """Without the names of commits, which have their dates in them."""
    return hashlib.sha256(SHA.sub(b"#", path.read_bytes())).hexdigest()[:12]


def apart_from_merged(found: Picture) -> tuple[str, tuple[str, ...]]:
    """Refs and checkouts without those of tasks that are done: see `test_what_a_killed_merge_leaves_to_tidy`."""
    done = [task for task, status, _ in found.tasks if status == "closed"]
    refs = "\n".join(
        line for line in found.refs.splitlines() if line.split()[0] not in [f"refs/heads/fe/{task}" for task in done]
    )
    return refs, tuple(line for line in found.checkouts if line.partition(":")[0] not in done)


def check(floor: Floor) -> None:
    """The invariants that hold after any kill whatever."""
    assert floor.place.findings() == []
    found = tables(floor)
    line = floor.checkout.git("rev-list", "--first-parent", "--reverse", f"{floor.base}..main").split()
    assert floor.checkout.git("merge-base", floor.base, "main") == floor.base, "the target only grows"
    merged = [_merge(floor, found, commit) for commit in line]
    assert len(merged) == len(set(merged)), f"a task was merged twice: {merged}"
    statuses = {row["id"]: (row["status"], row["merge_sha"]) for row in found.tasks}
    for task, commit in zip(merged, line, strict=True):
        assert statuses[task] in (("closed", commit), ("approved", None)), (task, statuses[task])
    closed = {task for task, (status, merge) in statuses.items() if status == "closed" and merge is not None}
    assert closed <= set(merged), "what is closed as merged is on the target"
    _approvals(found)


def _merge(floor: Floor, found: Tables, commit: str) -> str:
    """One commit on the target's first-parent line: a merge of an approved attempt, checked, with its anchor. Its
    task.
    """
    text = floor.checkout.git("log", "-1", "--format=%P%x00%T%x00%(trailers:only,unfold)", commit)
    parents, tree, trailers = text.split("\0")
    said = dict(line.split(": ", 1) for line in trailers.splitlines())
    assert tuple(said) == TRAILERS, (commit, said)
    (attempt,) = [row for row in found.attempts if (row["task"], str(row["n"])) == (said["Task"], said["Attempt"])]
    assert parents.split()[1] == attempt["head"], "what was merged is what was submitted"
    given = [row for row in found.approvals if (row["task"], row["attempt"]) == (said["Task"], attempt["n"])]
    assert said["Approved-by"] in [row["session"] for row in given]
    passed = {row["name"] for row in found.checks if row["tree"] == tree and row["outcome"] == "passed"}
    assert set(REQUIRED) <= passed, f"{commit} was never checked"
    seq, _, anchor = said["Journal"].partition(":")
    assert anchor in [row["hash"] for row in found.journal if str(row["seq"]) == seq], "the journal holds the anchor"
    return said["Task"]


def _approvals(found: Tables) -> None:
    """An approved task has an approval of its latest attempt that stands; an open one has none."""
    for task in found.tasks:
        standing = [row for row in found.approvals if row["task"] == task["id"] and row["state"] == "active"]
        if task["status"] == "approved":
            assert [row["attempt"] for row in standing] == [task["iteration"]], task
        if task["status"] in ("open", "in_progress", "reviewing", "blocked"):
            assert standing == [], task


def nothing_is_merging(floor: Floor) -> None:
    """Q4: no item is processing any more once its process is gone."""
    states = {item.task: item.state for item in floor.app.merges.all()}
    assert "merging" not in states.values(), states
