"""Where the programs `fe` and `foureyes` begin: before anything large is imported."""

from __future__ import annotations

import gc


def main() -> None:
    """Run one command. It lives for a tenth of a second: collecting garbage during its imports only costs time."""
    gc.disable()
    from foureyes.ui.cli.module_finder import straighten

    straighten("foureyes", "click", "msgspec")
    from foureyes.ui.cli.lazy_imports import lighten

    lighten()
    from foureyes.ui.cli.main import main as run

    run()
