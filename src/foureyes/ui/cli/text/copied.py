"""What `fe store copy` did, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from foureyes.app.views.settings import CopiedStore

SHARE = "other machines: push foureyes.toml, clone there, then fe store join URL; other roles: fe store roles"


def copied_text(copied: CopiedStore, remote: str, address: str = "") -> str:
    """How many rows were moved, and how others come to them. `remote`, `address`: the git remote and the server that
    the project does not name yet.
    """
    lines = [f"{copied.rows} rows copied and verified; the store is now the server", f"  {SHARE}"]
    if address:
        lines.append(f'  a fresh clone proposes to join it: put [store] url = "{address}" into foureyes.toml (P12)')
    if remote:
        lines.append(f'  the code travels by a git remote: put [git] remote = "{remote}" into foureyes.toml (Q6)')
    return "\n".join(lines)
