"""What a key of the configuration is: its default, its meaning, and which way is stricter (P12)."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.rules.policy import LabelRule, Profile

SettingValue = (
    str | int | float | bool | tuple[str, ...] | dict[str, LabelRule] | dict[str, Profile] | tuple[CheckRule, ...]
)
Plain = Literal["text", "number", "share", "amount", "yes/no", "choice", "list", "rules", "profiles", "checks"]
SettingSource = Literal["environment", "store", "foureyes.toml", "default"]


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """One key of the configuration.

    `of` is the struct of the rules that the key fills, `field` the field there if it is not called like the key: the
    default is the struct's. A key that no rule asks about has its `own_default`.
    `builtin` is the list that the entries of the key are added to.
    `scale` says which way is stricter, so that an environment may tighten it: for a choice the allowed values from
    strictest to loosest, for a number "low", for yes/no the stricter of both. Without a scale it cannot be overridden
    there; `only_tighter` means that people cannot loosen it there either, because it is about who is a person.
    """

    key: str
    kind: Plain
    meaning: str
    of: type[msgspec.Struct] | None = None
    field: str = ""
    own_default: SettingValue = ""
    builtin: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    scale: tuple[str, ...] | Literal["low", "no", "yes", ""] = ""
    only_tighter: bool = False

    @property
    def name(self) -> str:
        """The field of the struct that the key fills."""
        return self.field or self.key.rpartition(".")[2]

    @property
    def default(self) -> SettingValue:
        """The value where no layer says anything."""
        if self.builtin:
            return ()
        return self.own_default if self.of is None else getattr(self.of(), self.name)

    @property
    def env(self) -> str:
        return variable_of(self.key) if self.scale else ""


def variable_of(key: str) -> str:
    """The environment variable for a key."""
    return "FOUREYES_" + key.replace(".", "_").upper()
