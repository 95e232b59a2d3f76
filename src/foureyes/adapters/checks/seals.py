"""What is on record about environments apart from them (D5): where checks have no room, they can write what lies beside
an environment, and so vouch for what they did to it. Here a project keeps the seal of each environment that it made, in
the folder of its store, of which no check is told.
"""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256

from foureyes.adapters.folders import MB, folder, read, replace

SEALS = "seals"


class Seals:
    """The record of one project; without a folder, of one process."""

    def __init__(self, store: str, environments: str) -> None:
        self._folder = os.path.join(store, SEALS) if store else ""
        self._environments = environments
        self._own: dict[str, str] = {}

    @property
    def owner(self) -> str:
        """Whose environments they are: nobody uses what somebody else's record vouches for."""
        return sha256(os.fsencode(self._folder)).hexdigest()[:12]

    def known(self, key: str) -> str:
        """The seal that an environment had when it was made; empty where nobody here made it."""
        with suppress(OSError):
            if self._folder:
                return read(os.path.join(self._folder, key), MB).decode("ascii", "replace")
        return self._own.get(key, "")

    def note(self, key: str, seal: str) -> None:
        """Keep it; what is said about environments that are gone goes."""
        self._own[key] = seal
        if not self._folder:
            return
        with folder(self._folder, make=True, mode=0o700) as here:
            for name in os.listdir(here):
                if name != key and not os.path.isdir(os.path.join(self._environments, name)):
                    with suppress(OSError):
                        os.unlink(name, dir_fd=here)
            replace(here, key, seal.encode("ascii"), 0o600, durable=False)
