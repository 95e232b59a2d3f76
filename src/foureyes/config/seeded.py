"""The built-in set of changes that reviewers are calibrated with: one planted defect each, or none (V4).

A file of `seeded/` is one change of one file: as it was, as it is, and the lines of it in which the defect lies.
"""

from __future__ import annotations

import msgspec

from foureyes.core.cycle.calibrating import LineRange, TrialCase

MADE_WITH = 1
"""The number of this set; it goes up when a case comes, goes or says something else."""


class Seeded(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One change. `planted`: parts of lines of `head`, each of which occurs there once; none where nothing is wrong
    with it. `defect` says what was planted, `words` what names it.
    """

    name: str = ""
    title: str
    acceptance: str
    language: str
    path: str
    head: str
    base: str = ""
    defect: str = ""
    planted: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    @property
    def case(self) -> TrialCase:
        """What its review is judged by."""
        places = tuple(LineRange(self.path, line, line) for line in map(self._line, self.planted))
        return TrialCase(name=self.name, kind="seeded" if places else "clean", places=places, words=self.words)

    def _line(self, part: str) -> int:
        return self.head[: self.head.index(part)].count("\n") + 1


def seeded() -> list[Seeded]:
    """Every change of the set, by name."""
    import tomllib
    from importlib.resources import files

    folder = files("foureyes.config") / "seeded"
    documents = {each.name.removesuffix(".toml"): each for each in folder.iterdir() if each.name.endswith(".toml")}
    trees = ((name, tomllib.loads(documents[name].read_text(encoding="utf-8"))) for name in sorted(documents))
    return [msgspec.convert({"name": name, **tree}, Seeded) for name, tree in trees]
