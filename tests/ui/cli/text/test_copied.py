"""What is said after a store was moved."""

from __future__ import annotations

from foureyes.app.views.kept_store import CopiedStore
from foureyes.ui.cli.text.copied import SHARE, copied_text


def test_whom_a_server_lets_in_again_is_said_and_how_others_come_to_it() -> None:
    copied = CopiedStore(rows=4, store="postgresql", let_in=("agents (writer)", "auditor (reader)"))
    assert copied_text(copied, "origin", "postgresql://db/shop").splitlines() == [
        "4 rows copied and verified; the store is now the server",
        "  let in as before: agents (writer), auditor (reader)",
        f"  {SHARE}",
        '  a fresh clone proposes to join it: put [store] url = "postgresql://db/shop" into foureyes.toml (P12)',
        '  the code travels by a git remote: put [git] remote = "origin" into foureyes.toml (Q6)',
    ]


def test_of_a_file_there_is_nobody_to_let_in() -> None:
    copied = CopiedStore(rows=4, store="sqlite")
    assert copied_text(copied, "origin") == "4 rows copied and verified; the store is now the file .foureyes/store.db"
