"""Why a database has no store of a project: it was moved from there, or nothing there tells.

Who moves a store away leaves its schema under a name that says so. Where that is there, the store lives on elsewhere: a
backup or a new journal in its place would be a second one (P12).
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from foureyes.core.words.text import visible
from foureyes.errors import MovedAway, NoStore
from foureyes.steps import blank, by, by_person, either, fe

if TYPE_CHECKING:
    from foureyes.adapters.store.engine import Engine

MOVED = """
    SELECT substring(n.nspname FROM '[0-9]+$'), pg_get_userbyid(n.nspowner)::text FROM pg_namespace n
      WHERE n.nspname ~ :moved ORDER BY 1 DESC LIMIT 1
"""
TO_THE_MINUTE = 12


def no_store(engine: Engine, schema: str, project: str) -> NoStore:
    """What is said where a database has no schema of this project."""
    rows = engine.fetch(MOVED, {"moved": f"^{schema}_moved_[0-9]+$"})[1]
    if rows:
        return _moved(project, str(rows[0][0]), visible(str(rows[0][1])))
    return NoStore(
        f"that database has no store of project {project}. Nothing was changed.",
        next_step=either(
            by("person", fe("restore", blank("FILE")), "who owned it puts a backup there: "),
            by_person(fe("store", "join", blank("URL"), before="is it in another database, join that: ")),
            by("person", fe("init", "--anew"), "is it lost without one, a person begins a new journal: "),
            joint="; ",
        ),
    )


def _moved(project: str, moment: str, owner: str) -> MovedAway:
    """A schema's name has the moment; only its owner could give it that name."""
    return MovedAway(
        f"the store of project {project} is not in that database any more: role {owner} moved it into a file, "
        f"{_moment(moment)}. Nothing was changed.",
        next_step=either(
            by("other", fe("store", "copy", blank("URL")), f"ask who connects as {owner}, who brings it back by: "),
            by_person(fe("store", "join", blank("URL"), before="is it on another server by now, join that: ")),
            by("person", fe("restore", blank("FILE")), f"only if {owner} has lost it, a backup takes its place: "),
            joint="; ",
        ),
    )


def _moment(digits: str) -> str:
    """As a person reads it; others may have given the name, with any digits."""
    try:
        moment = datetime.strptime(f"{digits[:TO_THE_MINUTE]}+0000", "%Y%m%d%H%M%z")
    except ValueError:
        return "at a time that its name does not tell"
    return f"{moment:%Y-%m-%d %H:%M} UTC"
