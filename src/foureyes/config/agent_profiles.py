"""Reads `[agents.NAME]`: a custom agent program, or changes to a built-in one. Errors list the allowed values."""

from __future__ import annotations

from typing import get_args

import msgspec

from foureyes.core.rules.policy import DEFAULT_PROFILES, HUMAN, Adapter, OutputFormat, Profile
from foureyes.core.words.ids import Shape
from foureyes.errors import ConfigError

NAME = Shape(r"[A-Za-z0-9][A-Za-z0-9._-]{0,39}")
VARIABLE = Shape(r"[A-Za-z_][A-Za-z0-9_]{0,99}(=[^\0]*)?", 16)  # a value may have several lines
KEPT = ("FOUREYES_", "GIT_", "SSH_", "LD_", "DYLD_")
"""Variables that no profile passes on: our own, and those that give access to the user's repositories or machines."""
MOST_SLOTS, MOST_MINUTES = 100, 7 * 24 * 60
ALLOWED = (
    "program, model, vendor, adapter, output, reads (each a text), args, review_args, resume_args, attach_args, env "
    "(each a list of texts), slots, deadline_minutes, idle_minutes (each a whole number)"
)

ADAPTERS: tuple[str, ...] = tuple(filter(None, get_args(Adapter)))
OUTPUTS: tuple[str, ...] = tuple(filter(None, get_args(OutputFormat)))


def read_profile(profile: object, name: str, where: str) -> Profile:
    """Return a profile. Without a program, it runs the one with its own name.

    An entry for a built-in agent changes only the given keys, unless it names another program.
    """
    if not NAME.fullmatch(name) or name == HUMAN:
        raise ConfigError(
            f"{where}: {name!r} cannot be the name of an agent. Use letters, digits, . _ and -, and not {HUMAN}"
        )
    known = DEFAULT_PROFILES.get(name, Profile(name))
    is_same = isinstance(profile, dict) and profile.get("program", known.program) == known.program
    base = {key: value for key, value in msgspec.to_builtins(known).items() if is_same or key == "program"}
    try:
        given = msgspec.convert({**base, **profile} if isinstance(profile, dict) else profile, Profile)
    except msgspec.ValidationError as problem:
        raise ConfigError(f"{where}: {problem}; allowed are {_allowed(profile)}") from None
    if wrong := _wrong(given):
        raise ConfigError(f"{where}: {wrong}")
    return given


def _allowed(profile: object) -> str:
    """Return the allowed values of a wrong choice, or else all keys."""
    given = profile if isinstance(profile, dict) else {}
    for key, values in (("adapter", ADAPTERS), ("output", OUTPUTS), ("reads", ("complete",))):
        if key in given and given[key] not in ("", *values):
            return f"{key} = {'|'.join(values)}"
    return ALLOWED


def _wrong(profile: Profile) -> str:
    """Return what is wrong with a profile, or ""."""
    if not profile.program or ("/" in profile.program and not profile.program.startswith("/")):
        return f"program {profile.program!r} is neither the name of a program nor an absolute path"
    if not 0 <= profile.slots <= MOST_SLOTS:
        return f"slots is 0 to {MOST_SLOTS}"
    for minutes in ("deadline_minutes", "idle_minutes"):
        if not 1 <= getattr(profile, minutes) <= MOST_MINUTES:
            return f"{minutes} is 1 to {MOST_MINUTES}"
    for entry in profile.env:
        if not VARIABLE.fullmatch(entry):
            return f"env {entry!r} is neither the name of a variable nor NAME=value"
        if entry.startswith(KEPT):
            return (
                f"env {entry.partition('=')[0]}: variables starting with {', '.join(KEPT)} are never passed to agents"
            )
    words = (*profile.args, *profile.review_args, *profile.resume_args, *profile.attach_args)
    if "\0" in "".join((profile.program, *words)):
        return "an argument cannot hold a NUL character"
    return ""
