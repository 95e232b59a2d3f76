"""Named SQL: `queries/*.sql`, one `-- name: …` before each statement or fragment. All that verbs and projections
use is there; what an engine asks about itself stands beside it. What several statements of a file have in common stands
above them once, as `-- part: NAME`, and in them as `{NAME}`."""

from __future__ import annotations

import os
from functools import cache

from foureyes.errors import Internal

FOLDER = os.path.join(os.path.dirname(__file__), "queries")
MARK, PART = "-- name: ", "-- part: "


@cache
def _load(noun: str) -> dict[str, str]:
    """All statements of one file, with their comments."""
    with open(os.path.join(FOLDER, noun + ".sql"), encoding="utf-8") as file:
        text = file.read()
    above, *blocks = text.split(MARK)
    for part in above.split(PART)[1:]:
        name, _, body = part.partition("\n")
        blocks = [block.replace(f"{{{name.strip()}}}", _statement(body)) for block in blocks]
    statements = (block.partition("\n") for block in blocks)
    return {name.strip(): body for name, _, body in statements}


def _statement(body: str) -> str:
    return "\n".join(line for line in body.splitlines() if not line.startswith("--")).strip().rstrip(";")


@cache
def sql(name: str) -> str:
    """The statement with this name; it lies in the file that its first part names (`task.get` in task.sql)."""
    noun = name.partition(".")[0]
    try:
        return _statement(_load(noun)[name])
    except (KeyError, FileNotFoundError):
        raise Internal(f"there is no query named {name}") from None


@cache
def overrides(engine: str) -> dict[str, str]:
    """Statements that an engine says differently: ours, and what to say instead (`task.postgres.sql`)."""
    ending = f".{engine}.sql"
    files = sorted(entry.removesuffix(".sql") for entry in os.listdir(FOLDER) if entry.endswith(ending))
    return {sql(name): _statement(body) for file in files for name, body in _load(file).items()}


def names() -> list[str]:
    """Every query there is, for the tests."""
    nouns = sorted(entry.removesuffix(".sql") for entry in os.listdir(FOLDER) if entry.count(".") == 1)
    return [name for noun in nouns for name in _load(noun)]
