"""What a project that is there could have for checks: `fe check detect`; tried once: `fe check detect --try`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import closing
from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.app.context import permit
from foureyes.bootstrap.detecting import Detected, detected_in
from foureyes.bootstrap.places import folder_of, is_project, repository
from foureyes.config import FILE
from foureyes.core.nouns.check_config import CheckRule
from foureyes.errors import ConfigError

if TYPE_CHECKING:
    from foureyes.app.application import Application
    from foureyes.app.gate.checks import Telling
    from foureyes.config.settings import SettingValue
    from foureyes.core.nouns.session import Actor


def propose(cwd: str) -> Detected:
    """What lies in the repository says it has, beyond what its foureyes.toml has by name; nothing is run."""
    root = repository(cwd).root
    return beyond(detected_in(root), settings_in(root))


def beyond(detected: Detected, own: dict[str, SettingValue]) -> Detected:
    """What was found, without what a configuration has already; its `[checkout]` is what the checks would run in."""
    has = own.get("checks", ())
    names = {rule.name for rule in has if isinstance(rule, CheckRule)} if isinstance(has, tuple) else set()
    if names:
        known = f"{FILE} has {', '.join(sorted(names))} already, which fe check run --target runs"
        left = tuple(each for each in detected.checks if each.rule.name not in names)
        detected = replace(detected, checks=left, notes=(*detected.notes, known))
    if not any(key.startswith("checkout.") for key in own):
        return detected
    from foureyes.config.layers import Layers
    from foureyes.config.policy import review_policy

    return replace(detected, ways=(), own=review_policy(Layers(file=own)).checkout)


def settings_in(root: str) -> dict[str, SettingValue]:
    """What the foureyes.toml that lies there says; nothing where there is none that can be read."""
    from foureyes.adapters.folders import MB, read
    from foureyes.config.reading import read_file

    try:
        return read_file(read(os.path.join(root, FILE), MB).decode())
    except (OSError, UnicodeDecodeError, ConfigError):
        return {}


def try_out(cwd: str, environ: Mapping[str, str], actor: Actor, tell: Telling) -> Detected:
    """The same, each run once on what is checked in, where the gate would run it. Where there is a project, what each
    printed is kept (D5).
    """
    permit(actor, "check run")
    from foureyes.bootstrap.trying import all_kept, tried

    place, detected = repository(cwd), propose(cwd)
    if not is_project(folder_of(place)):
        return tried(place, environ, detected, tell)
    from foureyes.bootstrap.wiring import open_project

    with closing(open_project(cwd, environ)) as app:
        detected = _in_force(app, actor, detected, settings_in(place.root))
    detected = tried(place, environ, detected, tell)
    with closing(open_project(cwd, environ)) as app:
        return replace(detected, checks=tuple(all_kept(app, actor, detected)))


def _in_force(app: Application, actor: Actor, detected: Detected, own: dict[str, SettingValue]) -> Detected:
    """With the checkout that is in force once the foureyes.toml that lies there is accepted, and a note where another
    one is until then (P12).
    """
    from foureyes.config.policy import review_policy

    with app.context.store.read() as tx:
        now, layers = app.context.policy(tx, actor).checkout, app.context.layers(tx, actor)
    then = review_policy(replace(layers, file=own)).checkout
    if then.matters:
        detected = replace(detected, own=then, ways=())
    if then == now or not (then.matters or now.matters):
        return detected
    note = f"tried with the [checkout] of the {FILE} that lies here; the accepted one has another"
    if not then.matters:
        note = f"the accepted {FILE} has a [checkout], and the one that lies here has none: tried without"
    return replace(detected, notes=(*detected.notes, note))


def as_lines(detected: Detected) -> str:
    """What to add to a foureyes.toml: what is of use, as it should stand there."""
    from foureyes.config.writing import to_toml

    used = tuple(proposal.rule for proposal in detected.checks if proposal.is_of_use)
    return to_toml(detected.settings | {"checks": used}) if used else ""
