"""The lock that a merge holds while it is connected (J4), so that another machine need not wait for its lease."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from foureyes.errors import StoreProblem

if TYPE_CHECKING:
    from foureyes.app.ports import Beacon, Store


class MergeLock:
    """A lock of the database, taken with the first lease, and again where its connection was lost."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._beacon: Beacon | None = None

    def held(self) -> str:
        """Its name, held by now; empty where there is no such lock, or none to be had: then the lease is waited for."""
        if self._beacon is not None and self._beacon.is_lit():
            return self._beacon.name
        self.close()
        try:
            self._beacon = self._store.beacon(f"merge {os.urandom(16).hex()}")
        except StoreProblem:
            return ""
        return self._beacon.name if self._beacon is not None else ""

    def close(self) -> None:
        if self._beacon is not None:
            self._beacon.close()
        self._beacon = None
