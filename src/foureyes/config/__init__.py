"""Configuration: every key, its parsing, the precedence of layers, and the resulting policy. (P12)"""

from __future__ import annotations

from typing import Final

FILE: Final = "foureyes.toml"
