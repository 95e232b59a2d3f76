"""Settings in force, and a configuration that a person may accept."""

from __future__ import annotations

import msgspec


class SettingView(msgspec.Struct, frozen=True, kw_only=True):
    """A setting in force."""

    key: str
    value: object
    source: str
    note: str = ""


class ChangedSetting(msgspec.Struct, frozen=True):
    """A setting that accepting a configuration would change. `looser`: it would ask for less."""

    key: str
    old: str
    new: str
    looser: bool = False

    @property
    def text(self) -> str:
        return f"{self.key}: {self.old} → {self.new}{' (looser)' if self.looser else ''}"


class ConfigurationOffer(msgspec.Struct, frozen=True, kw_only=True):
    """A configuration that a person may accept: what would change, in lines to be read, the whole text of templates
    among them. `seen` stands for all of it; `new`: it is not the accepted one.
    """

    target: str
    seen: str
    digest: str
    new: bool
    changed: tuple[ChangedSetting, ...]
    lines: tuple[str, ...]


class Acceptance(msgspec.Struct, frozen=True):
    """What accepting a configuration changed. `digest` is of the file, `seen` of all that was shown."""

    digest: str
    changed: list[str]
    new: bool = True
    seen: str = ""
