"""What a project that is there could have for checks: `fe check detect`; tried once: `fe check try`."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.app.call.caller import permit
from foureyes.bootstrap.detecting import Detected, detected_in
from foureyes.bootstrap.places import folder_of, is_project, repository

if TYPE_CHECKING:
    from foureyes.app.gate.running import Telling
    from foureyes.config.settings import Value
    from foureyes.core.nouns.session import Actor


def propose(cwd: str) -> Detected:
    """What lies in the repository says it has; nothing is run."""
    return detected_in(repository(cwd).root)


def try_out(cwd: str, environ: Mapping[str, str], actor: Actor, tell: Telling) -> Detected:
    """The same, each run once on what is checked in. Where there is a project, what each printed is kept (D5)."""
    permit(actor, "check run")
    from foureyes.bootstrap.trying import all_kept, tried

    place = repository(cwd)
    found = tried(place, environ, propose(cwd), tell)
    if not is_project(folder_of(place)):
        return found
    from foureyes.bootstrap.wiring import open_project

    with closing(open_project(cwd, environ)) as app:
        return replace(found, checks=tuple(all_kept(app, actor, found)))


def as_lines(found: Detected) -> str:
    """What to add to a foureyes.toml: what is of use, as it should stand there."""
    from foureyes.config.writing import to_toml

    used = tuple(proposal.rule for proposal in found.checks if proposal.is_of_use)
    settings: dict[str, Value] = {"checkout.prepare": found.prepare} if found.prepare and used else {}
    return to_toml(settings | {"checks": used}) if used else ""
