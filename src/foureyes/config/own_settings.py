"""A user's own settings: appearance, pager and editor. They affect no decision and are not part of the project's
configuration. (P12)
"""

from __future__ import annotations

import tomllib
from typing import Literal, get_args

import msgspec

Theme = Literal["default", "light", "blue-orange", "high-contrast", "mono"]
THEMES: tuple[Theme, ...] = get_args(Theme)
REMOVED = frozenset({"reduced_motion"})
"""Former keys, accepted and ignored, because nothing in the app is animated."""
OWN_FILE = "foureyes/config.toml"
"""Path of the file, in $XDG_CONFIG_HOME or ~/.config."""


class Own(msgspec.Struct, frozen=True, kw_only=True):
    """A user's settings, None where unset. An empty `pager` means no pager."""

    theme: Theme = "default"
    pager: str | None = None
    editor: str | None = None


MEANINGS = {
    "theme": "Colours of the terminal app. `NO_COLOR` overrides it.",
    "pager": "Shows text that is longer than the screen, instead of `$PAGER`. Empty: none. `FOUREYES_PAGER` overrides it.",
    "editor": "Ctrl+E of the terminal app opens it, instead of `$VISUAL` or `$EDITOR`.",
}


def read_own(text: str) -> tuple[Own, list[str]]:
    """Return the settings in a file, and what is wrong with it. An unreadable value counts as unset."""
    try:
        given = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        return Own(), [str(problem)]
    known: dict[str, object] = {}
    wrong: list[str] = []
    for field in msgspec.structs.fields(Own):
        if field.name in given:
            try:
                known[field.name] = msgspec.convert(given[field.name], field.type)
            except msgspec.ValidationError as problem:
                wrong.append(f"{field.name}: {problem}")
    wrong += [f"there is no setting {key}" for key in given if key not in {*Own.__struct_fields__, *REMOVED}]
    return msgspec.convert(known, Own), wrong
