"""The files of a tree that checks run on: which of them an environment is made from (D5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from foureyes.app.call.context import Context
from foureyes.app.call.one_target import merge_place_of
from foureyes.core.words.globs import matching
from foureyes.core.words.ids import Sha


class FilesOfTree(msgspec.Struct, frozen=True):
    """A tree, by what git has of it. `base`: that of the target where the change to it begins, if that is known."""

    context: Context
    tree: Sha
    base: str = ""

    @property
    def name(self) -> str:
        return self.tree

    def listed(self, globs: Sequence[str]) -> Mapping[str, str]:
        """The files that globs mean, each with its mode and object."""
        return _some(self.context.workshop.files_of(self.tree), globs)

    def of_target(self, globs: Sequence[str]) -> list[Mapping[str, str]]:
        """The same of the target as the last merge on record left it, and as it was at the base; of what is not there,
        nothing. No branch is asked where it is: an attempt could be there for the moment, too.
        """
        with self.context.store.read() as tx:
            newest = merge_place_of(tx).newest
        merged = self.context.repo.commit_of(newest) if newest else None
        known = [Sha(each) for each in (merged, self.base) if each]
        return [_some(self.context.workshop.files_of(each), globs) for each in known]

    def write_some(self, paths: Sequence[str], path: str) -> None:
        """Write these files into an empty directory."""
        if paths:
            self.context.workshop.export(self.tree, path, paths)


def _some(files: Mapping[str, str], globs: Sequence[str]) -> dict[str, str]:
    return {path: files[path] for path in matching(files, globs)}
