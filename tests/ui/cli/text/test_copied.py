"""What is said after a store was moved."""

from __future__ import annotations

from foureyes.app.results.settings import CopiedStore
from foureyes.ui.cli.text.store import SHARE, copied_text


def test_how_others_come_to_a_moved_store_is_said() -> None:
    copied = CopiedStore(rows=4, store="postgresql")
    assert copied_text(copied, "origin", "postgresql://db/shop").splitlines() == [
        "4 rows copied and verified. The store is now on the server",
        f"  {SHARE}",
        '  so that a fresh clone offers to join it, put [store] url = "postgresql://db/shop" into foureyes.toml (P12)',
        '  so that code reaches other machines, put [git] remote = "origin" into foureyes.toml (Q6)',
    ]
