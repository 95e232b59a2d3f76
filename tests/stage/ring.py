"""A key ring whose keys are the same in every child: what a killed command leaves of it are files, as of the real
one.
"""

from __future__ import annotations

import hashlib
import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path


class FileRing:
    """The protocol `Keys` over a folder. No passphrase, no terminal; the n-th key of a person is always the same
    one.
    """

    def __init__(self, folder: Path, person: str = "alice") -> None:
        self._folder = folder
        self._person = person
        self._made = 0

    def make(self) -> str:
        self._made += 1
        public = f"fake {self._person} {self._made}"
        os.makedirs(self._folder, exist_ok=True)
        with open(self._path(self.fingerprint(public)), "w") as file:
            file.write(public)
        return public

    def adopt(self, path: str) -> str:
        raise NotImplementedError

    def held(self) -> dict[str, str]:
        """What a kill cut in the middle is no key."""
        texts = (
            [(self._folder / name).read_text() for name in sorted(os.listdir(self._folder))]
            if self._folder.exists()
            else []
        )
        return {self.fingerprint(text): text for text in texts if self._path(self.fingerprint(text)).exists()}

    def private_files(self) -> dict[str, str]:
        return {fingerprint: str(self._path(fingerprint)) for fingerprint in self.held()}

    def written(self, file: str) -> str:
        return "2026-03-01 12:00 UTC"

    def sign(self, fingerprint: str, statement: bytes) -> str:
        assert fingerprint in self.held()
        return self._signature(fingerprint, statement)

    def once(self) -> AbstractContextManager[None]:
        return nullcontext()

    def verify(self, public: str, statement: bytes, signature: str) -> str:
        return (
            ""
            if signature == self._signature(self.fingerprint(public), statement)
            else "it was signed by somebody else"
        )

    def fingerprint(self, public: str) -> str:
        return f"SHA256:{hashlib.sha256(public.encode()).hexdigest()[:43]}"

    def forget(self, fingerprint: str) -> None:
        os.remove(self._path(fingerprint))

    def _path(self, fingerprint: str) -> Path:
        return self._folder / fingerprint.removeprefix("SHA256:")

    @staticmethod
    def _signature(fingerprint: str, statement: bytes) -> str:
        return hashlib.sha256(fingerprint.encode() + statement).hexdigest()
