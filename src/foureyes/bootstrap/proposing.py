"""What a project that is there could have for checks: `fe check detect`; tried once: `fe check try`. Writes nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from foureyes.app.call.caller import permit
from foureyes.bootstrap.detecting import Detected, detected_in
from foureyes.bootstrap.places import repository

if TYPE_CHECKING:
    from foureyes.config.settings import Value
    from foureyes.core.nouns.session import Actor


def propose(cwd: str) -> Detected:
    """What lies in the repository says it has; nothing is run."""
    return detected_in(repository(cwd).root)


def try_out(cwd: str, environ: Mapping[str, str], actor: Actor, tell: Callable[[str], None]) -> Detected:
    """The same, each run once on what is checked in; nothing is kept."""
    permit(actor, "check run")
    from foureyes.bootstrap.trying import tried

    return tried(repository(cwd), environ, propose(cwd), tell)


def as_lines(found: Detected) -> str:
    """What to add to a foureyes.toml: what is of use, as it should stand there."""
    from foureyes.config.writing import to_toml

    used = tuple(proposal.rule for proposal in found.checks if proposal.is_of_use)
    settings: dict[str, Value] = {"checkout.prepare": found.prepare} if found.prepare and used else {}
    return to_toml(settings | {"checks": used}) if used else ""
