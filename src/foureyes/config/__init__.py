"""Configuration: every key, how it is read, which layer wins, and the policy that comes of it (P12)."""

from __future__ import annotations

from typing import Final

FILE: Final = "foureyes.toml"
