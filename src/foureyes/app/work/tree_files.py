"""The files of a tree that checks run on: which of them an environment is made from (D5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from foureyes.app.call.context import Context
from foureyes.app.call.noted_target import noted_tip
from foureyes.app.call.recorded_target import merge_place_of
from foureyes.core.words.globs import matching
from foureyes.core.words.ids import Sha


class FilesOfTree(msgspec.Struct, frozen=True):
    """A tree, by what git has of it. `base`: that of the target where the change to it begins, if that is known, and
    `begins` its commit; `is_asked`: the target is there, by who merges onto it.
    """

    context: Context
    tree: Sha
    base: str = ""
    begins: str = ""
    is_asked: bool = False

    @property
    def name(self) -> str:
        return self.tree

    @property
    def beside(self) -> str:
        return self.base

    def listed(self, globs: Sequence[str]) -> Mapping[str, str]:
        """The files that globs mean, each with its mode and object."""
        return _some(self.context.workshop.files_of(self.tree), globs)

    def of_target(self, globs: Sequence[str]) -> list[Mapping[str, str]]:
        """The same of the target as the last merge on record left it, and as it was at the base; of what is not there,
        nothing. No branch is asked where it is: an attempt could be there for the moment, too.
        """
        known = [Sha(each) for each in (self._merged(), self.base) if each]
        return [_some(self.context.workshop.files_of(each), globs) for each in known]

    def _merged(self) -> Sha | None:
        with self.context.store.read() as tx:
            newest = merge_place_of(tx).newest
        return self.context.repo.commit_of(newest) if newest else None

    def agreed(self) -> list[Mapping[str, str]]:
        """All files of the target by the last merge on record: as it left them, and at the base if it has that. A
        submission counts from where a branch was for the moment, and says of nothing that somebody agreed to it.
        """
        merged, files_of = self._merged(), self.context.workshop.files_of
        if merged is None:
            return []
        has_base = bool(self.base) and self.begins and self.context.repo.is_ancestor(Sha(self.begins), merged)
        return [files_of(merged), *([files_of(Sha(self.base))] if has_base else [])]

    def agreed_beside(self) -> Mapping[str, str]:
        """All files at the base, where no record tells: of who merges onto it, and where nothing is merged yet of a
        target that is there or further. True for this base alone.
        """
        is_there = self.is_asked or self.base == self.tree
        if not is_there and self.begins and self._merged() is None:
            repo = self.context.repo
            with self.context.store.read() as tx:
                tip = noted_tip(self.context, tx, self.context.project(tx))
            is_there = tip is not None and (tip == self.begins or repo.is_ancestor(Sha(self.begins), tip))
        return self.context.workshop.files_of(Sha(self.base)) if self.base and is_there else {}

    def write_some(self, paths: Sequence[str], path: str) -> None:
        """Write these files into an empty directory."""
        if paths:
            self.context.workshop.export(self.tree, path, paths)


def _some(files: Mapping[str, str], globs: Sequence[str]) -> dict[str, str]:
    return {path: files[path] for path in matching(files, globs)}
