"""Memory of a program that stays: collecting garbage must not be felt at the keys."""

from __future__ import annotations

import gc

OFTEN = (10_000, 20, 50)
"""A look at everything, a tenth of a second, comes after ten million new things that stayed; not after some keys."""


def steady() -> None:
    """Collect garbage, which a command that ends at once does without, but seldom, and not among what was imported:
    that stays as long as the app.
    """
    gc.enable()
    gc.freeze()
    gc.set_threshold(*OFTEN)
