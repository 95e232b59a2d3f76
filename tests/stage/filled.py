"""Words to fill in: what somebody would put for `TASK`, `ID` or `FILE` of a proposed step, where something fits."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from foureyes.app.results.task_list import ListQuery
from foureyes.steps import Arg, Step

from tests.stage.documents import review_result
from tests.stage.people import CODEX
from tests.stage.world import World

REVIEWING = ("redo", "approve", "finding add", "review submit")
"""Commands whose task has to be in review."""

FILLED = {
    "SHA": "a0a0a0a",
    "NAME": "bob",
    "SESSION": CODEX.session,
    "DATE": "2099-01-01",
    "ROLE": "implement",
    "PATH": ".",
    "LABEL": "docs",
}
"""What does not depend on anything."""


def filled(step: Step, world: World) -> Step | None:
    """A step with its words filled in; None where nothing fits, or only who types it knows."""
    command = " ".join(word for word in step.argv[1:3] if isinstance(word, str))
    words: list[str | Arg] = []
    for word in step.argv:
        if not isinstance(word, Arg) or word.choices or word.quote:
            words.append(word)
            continue
        put = FILLED.get(word.name) or PUT.get(word.name, nothing)(world, command, words)
        if not put:
            return None
        words.append(put)
    return replace(step, argv=tuple(words))


def nothing(world: World, command: str, words: Sequence[str | Arg]) -> str:
    return ""


def a_task(world: World, command: str, words: Sequence[str | Arg]) -> str:
    wanted = "reviewing" if command.startswith(REVIEWING) else "open" if command.startswith("session spawn") else ""
    return next(iter(world.ids_of(**({"status": wanted} if wanted else {"live": True}))), "")


def an_id(world: World, command: str, words: Sequence[str | Arg]) -> str:
    """A task that can be started, or a finding that can be answered, ruled on or tracked."""
    if command.startswith("start"):
        return next((row.id for row in world.app.lists.page(ListQuery(ready=True, limit=1))), "")
    states = {"finding answer": ("open",), "finding judge": ("claimed", "disputed")}.get(command, ())
    status = {"finding answer": "in_progress", "finding judge": "reviewing"}.get(command)
    found = [row for row in world.app.findings.listed(open_only=True) if not states or row.state in states]
    return next((row.id for row in found if status in (None, world.status(row.task))), "")


def a_file(world: World, command: str, words: Sequence[str | Arg]) -> str:
    """A review of the attempt that is there."""
    if command != "review submit":
        return ""
    attempt = world.show(str(words[-1])).attempts[-1]
    said = review_result((), diff_id=attempt.diff_id, files_reviewed=[file.path for file in attempt.files])
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump(said, file)
    return file.name


PUT: dict[str, Callable[[World, str, Sequence[str | Arg]], str]] = {"TASK": a_task, "ID": an_id, "FILE": a_file}
"""By the word to fill in: what depends on the world as it is."""
