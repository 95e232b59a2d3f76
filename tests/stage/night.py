"""Day and night: what runs with every change, and what `make nightly` adds."""

from __future__ import annotations

import os

NIGHT = bool(os.environ.get("FOUREYES_NIGHTLY"))
