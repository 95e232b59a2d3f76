"""What a project that is there could have for checks: `fe check detect`; tried once: `fe check try`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.app.call.caller import permit
from foureyes.bootstrap.detecting import Detected, detected_in
from foureyes.bootstrap.places import folder_of, is_project, repository
from foureyes.config import FILE
from foureyes.core.nouns.check_rule import CheckRule
from foureyes.errors import ConfigError

if TYPE_CHECKING:
    from foureyes.app.gate.running import Telling
    from foureyes.config.settings import Value
    from foureyes.core.nouns.session import Actor


def propose(cwd: str) -> Detected:
    """What lies in the repository says it has, beyond what its foureyes.toml has by name; nothing is run."""
    root = repository(cwd).root
    found, own = detected_in(root), _own(root)
    has = own.get("checks", ())
    names = {rule.name for rule in has if isinstance(rule, CheckRule)} if isinstance(has, tuple) else set()
    left = tuple(each for each in found.checks if each.rule.name not in names)
    if not names:
        return found
    known = f"{FILE} has {', '.join(sorted(names))} already, which fe check run --target runs"
    prepare = "" if any(key.startswith("checkout.") for key in own) else found.prepare
    return replace(found, checks=left, prepare=prepare, notes=(*found.notes, known))


def _own(root: str) -> dict[str, Value]:
    """What the foureyes.toml that lies there says; nothing where there is none that can be read."""
    from foureyes.adapters.folders import MB, read
    from foureyes.config.reading import read_file

    try:
        return read_file(read(os.path.join(root, FILE), MB).decode())
    except (OSError, UnicodeDecodeError, ConfigError):
        return {}


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
