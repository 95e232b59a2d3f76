"""Keys that lie here and wait for a signature (I9): made by who has no other, and not added yet by somebody who has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.views.key import SigningKey
from foureyes.steps import Steps, blank, by, either, fe

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx


def waiting_keys(context: Context, tx: Tx) -> dict[str, str]:
    """Public line by fingerprint; none where a key of this project lies here, or where the project has none. Whoever
    writes files here could put one there: it is shown to who may know it, and counts for nothing.
    """
    known = {key.fingerprint: key.retired_at is None for key in tx.all("record.keys", SigningKey)}
    if not any(known.values()):
        return {}
    here, lines = context.keys.private_files(), context.keys.held()
    if any(known.get(fingerprint) for fingerprint in here):
        return {}
    return {fingerprint: lines[fingerprint] for fingerprint in here if fingerprint not in known}


def add_waiting(waiting: dict[str, str], person: str) -> Steps:
    """The line by which somebody else lets it count."""
    lines = [fe("key", "add", public, "--person", person or blank("USER@HOST")) for public in waiting.values()]
    return by("other", either(*lines, joint="; "), "if you made it, somebody with a key of this project runs: ")
