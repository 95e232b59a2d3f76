"""Entry point of the programs `fe` and `foureyes`, before any large import."""

from __future__ import annotations

import gc


def main() -> None:
    """Run one command. Garbage collection is off, because it only slows down a process that takes a tenth of a
    second.
    """
    gc.disable()
    from foureyes.ui.cli.module_finder import straighten

    straighten("foureyes", "click", "msgspec")
    from foureyes.ui.cli.lazy_imports import lighten

    lighten()
    from foureyes.ui.cli.main import main as run

    run()
