"""Marks and colours: what each state looks like, never by colour alone; and untrusted text made visible."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Literal

import msgspec
from rich.style import Style
from rich.text import Text

from foureyes.config.own_settings import THEMES, Theme
from foureyes.core.words.text import shown


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """One set of marks."""

    checks: Mapping[str, str]
    severities: Mapping[str, str]
    risks: Mapping[str, str]
    cursor: str
    unseen: str
    seen: str
    more: str
    rule: str
    double: str
    bar: str
    edge: str
    waits: str
    rejected: str
    working: str
    ellipsis: str
    dot: str
    minus: str


FINE = Marks(
    checks={"passed": "✓", "failed": "✗", "running": "…", "not_run": "–", "crashed": "E", "timed_out": "E",
            "unsound": "U"},
    severities={"CRITICAL": "◆", "HIGH": "▲", "MEDIUM": "●", "LOW": "○"},
    risks={"high": "‼", "medium": "!", "low": "·"},
    cursor="►", unseen="○", seen="●", more="⋮", rule="─", double="═", bar="│", edge="┃", waits="⊘", rejected="✗",
    working="●", ellipsis="…", dot="·", minus="−",
)  # fmt: skip
PLAIN = Marks(
    checks={"passed": "+", "failed": "x", "running": "~", "not_run": "-", "crashed": "E", "timed_out": "E",
            "unsound": "U"},
    severities={"CRITICAL": "C", "HIGH": "H", "MEDIUM": "M", "LOW": "L"},
    risks={"high": "!!", "medium": "!", "low": "."},
    cursor=">", unseen="o", seen="*", more=":", rule="-", double="=", bar="|", edge="|", waits="/", rejected="x",
    working="*", ellipsis="~", dot="-", minus="-",
)  # fmt: skip


_DRAWN = {
    "…": "~", "─": "-", "━": "=", "═": "=", "│": "|", "┃": "|", "┆": "|", "▐": "[", "▌": "]", "·": "-", "►": ">",
    "⊘": "/", "●": "*", "○": "o", "◆": "C", "▲": "H", "▼": "v", "‼": "!", "✓": "+", "✗": "x", "–": "-", "−": "-",
    "→": ">", "←": "<", "↑": "^", "↓": "v", "█": "#", "░": ".", "⋮": ":", "┌": "+", "└": "+", "├": "+",
    "±": "+", "•": "*",
}  # fmt: skip
_CONTROL = {chr(0x2400 + code): f"^{chr(0x40 + code)}" for code in range(32)}
"""The pictures of control characters, as old terminals write them."""
_ASCII = str.maketrans({**_DRAWN, **_CONTROL, "␡": "^?", "⟨": "<", "⟩": ">"})


def in_ascii(text: Text) -> Text:
    """The same text with every drawn sign as one of ASCII's; what others wrote stays as it is made visible."""
    text.plain = ascii_of(text.plain)
    return text


def ascii_of(text: str) -> str:
    """The same for a text without styles. A sign may become two, so it comes before anything is cut."""
    return text.translate(_ASCII)


def marks_for(environ: Mapping[str, str], encoding: str) -> Marks:
    """ASCII where it is asked for, or where the terminal's text is no UTF-8."""
    plain = environ.get("FOUREYES_ASCII", "") not in ("", "0") or "utf" not in encoding.lower()
    return PLAIN if plain else FINE


StyleRole = Literal[
    "text", "dim", "title", "heading", "cursor", "focus", "added", "removed", "hunk", "ok", "bad", "warn",
    "high", "medium", "low", "banner", "key", "link", "error",
]  # fmt: skip
Palette = Mapping[str, Style]
CHECK_ROLES = {"passed": "ok", "failed": "bad", "crashed": "warn", "timed_out": "warn", "unsound": "warn"}
"""The colours of what came of a check; of anything else it is `dim`."""


def _palette(**styles: str) -> Palette:
    return {role: Style.parse(text) for role, text in styles.items()}


PALETTES: dict[Theme, Palette] = {
    "default": _palette(
        text="none", dim="#8a8f98", title="bold", heading="bold #7aa2f7", cursor="bold on #1d2740", focus="bold",
        added="#9ece6a", removed="#f7768e", hunk="#7dcfff", ok="#9ece6a", bad="bold #f7768e", warn="#e0af68",
        high="bold #f7768e", medium="#e0af68", low="#8a8f98", banner="bold #1a1b26 on #e0af68", key="bold #7aa2f7",
        link="underline #7dcfff", error="bold #f7768e",
    ),
    "light": _palette(
        text="none", dim="#5c6370", title="bold", heading="bold #1e4fa3", cursor="bold on #edf3ff", focus="bold",
        added="#1a7f37", removed="#b3261e", hunk="#0b6a8f", ok="#1a7f37", bad="bold #b3261e", warn="#8a5a00",
        high="bold #b3261e", medium="#8a5a00", low="#5c6370", banner="bold #ffffff on #8a5a00", key="bold #1e4fa3",
        link="underline #0b6a8f", error="bold #b3261e",
    ),
    "blue-orange": _palette(
        text="none", dim="#8a8f98", title="bold", heading="bold #8ab4f8", cursor="bold on #1d2740", focus="bold",
        added="#62b0ff", removed="#ff9e3d", hunk="#b8b8ff", ok="#62b0ff", bad="bold #ff9e3d", warn="#ffd08a",
        high="bold #ff9e3d", medium="#ffd08a", low="#8a8f98", banner="bold #1a1b26 on #ffd08a", key="bold #8ab4f8",
        link="underline #8ab4f8", error="bold #ff9e3d",
    ),
    "high-contrast": _palette(
        text="#ffffff", dim="#d0d0d0", title="bold #ffffff", heading="bold #ffff00", cursor="bold #000000 on #ffff00",
        focus="bold #ffff00", added="bold #00ff00", removed="bold #ff6060", hunk="bold #00ffff", ok="bold #00ff00",
        bad="bold #ff6060", warn="bold #ffff00", high="bold #ff6060", medium="bold #ffff00", low="#ffffff",
        banner="bold #000000 on #ffffff", key="bold #ffff00", link="underline #00ffff", error="bold #ff6060",
    ),
    "mono": _palette(
        text="none", dim="dim", title="bold", heading="bold", cursor="reverse", focus="bold underline", added="bold",
        removed="dim", hunk="underline", ok="none", bad="bold", warn="none", high="bold", medium="none", low="dim",
        banner="reverse", key="bold", link="underline", error="bold reverse",
    ),
}  # fmt: skip


def visible(text: str, tabs: int = 0) -> str:
    """Untrusted text with everything that nobody sees shown as what it is; `tabs`: how wide a tab is drawn where tabs
    are ordinary (code).
    """
    return shown(text.expandtabs(tabs) if tabs else text)


def theme_for(environ: Mapping[str, str], wanted: str) -> Theme:
    """The theme in force: NO_COLOR wins, then what was asked for."""
    if environ.get("NO_COLOR"):
        return "mono"
    return next((theme for theme in THEMES if theme == wanted), "default")


PORTABLE = ("C", "POSIX")
COERCED = ("C.UTF-8", "C.utf8", "UTF-8")


def encoding_of(environ: Mapping[str, str]) -> str:
    """The terminal's encoding, as the locale variables say. Python gives LC_CTYPE a value of its own where nobody did
    and LANG says C: then it is LANG that was meant.
    """
    if environ.get("LANG") in PORTABLE and not environ.get("LC_ALL") and environ.get("LC_CTYPE") in COERCED:
        return "ascii"
    for name in ("LC_ALL", "LC_CTYPE", "LANG"):
        if environ.get(name):
            value = environ[name]
            return "utf-8" if "utf" in value.lower() else "ascii" if value in PORTABLE else value
    return "utf-8" if os.name == "nt" else "ascii"
