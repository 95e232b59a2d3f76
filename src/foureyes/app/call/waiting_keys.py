"""Keys that lie here and wait for a signature (I9): made by who has no other, and not added yet by somebody who has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.views.key import SigningKey
from foureyes.core.words.text import visible
from foureyes.steps import Steps, blank, by, either, fe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx


class WaitingKey(msgspec.Struct, frozen=True):
    """A key that nobody added yet: its public line, its file, and when that was written."""

    fingerprint: str
    public: str
    file: str
    since: str

    @property
    def words(self) -> str:
        """By what a person tells the one that they made from one that was put there."""
        return f"{self.fingerprint} in {visible(self.file)}, last changed {self.since}"


def waiting_keys(context: Context, tx: Tx) -> list[WaitingKey]:
    """None where a key of this project lies here, or where the project has none. Whoever writes files here could put
    one there: it is shown to who may know it, with its file and since when, and counts for nothing.
    """
    known = {key.fingerprint: key.retired_at is None for key in tx.all("record.keys", SigningKey)}
    if not any(known.values()):
        return []
    here, lines, written = context.keys.private_files(), context.keys.held(), context.keys.written
    if any(known.get(fingerprint) for fingerprint in here):
        return []
    return [WaitingKey(name, lines[name], file, written(file)) for name, file in here.items() if name not in known]


def all_waiting(waiting: Sequence[WaitingKey]) -> str:
    """Each of them, with its file."""
    return "; ".join(key.words for key in waiting)


def add_waiting(waiting: Sequence[WaitingKey], person: str) -> Steps:
    """The line by which somebody else lets it count."""
    lines = [fe("key", "add", key.public, "--person", person or blank("USER@HOST")) for key in waiting]
    return by("other", either(*lines, joint="; "), "if you made it then, an owner of a project key runs: ")
