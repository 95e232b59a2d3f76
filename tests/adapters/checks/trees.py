"""A tree of files for checks that stand in a checkout of the project's own, without git."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from hashlib import sha1, sha256
from pathlib import Path

from foureyes.adapters.checks.pipeline import Pipeline
from foureyes.core.nouns.check import CheckJudgement, Ran, judge
from foureyes.core.nouns.check_config import CheckoutRule, CheckRule
from foureyes.core.words.paths import matching

PATH = os.environ.get("PATH", os.defpath)


class Tree:
    """Files by name; what the target has is `target`, or the same; `base` is what it had where the change begins."""

    def __init__(
        self,
        files: Mapping[str, str],
        target: Mapping[str, str] | None = None,
        base: Mapping[str, str] | None = None,
    ) -> None:
        self._before = [] if base is None else [base]
        self._files = dict(files)
        self._target = dict(files if target is None else target)
        self.written = 0

    @property
    def name(self) -> str:
        return sha256(repr(sorted(self._files.items())).encode()).hexdigest()[:40]

    def listed(self, globs: Sequence[str]) -> dict[str, str]:
        return _some(self._files, globs)

    def of_target(self, globs: Sequence[str]) -> list[dict[str, str]]:
        return [_some(had, globs) for had in (self._target, *self._before)]

    @property
    def for_start(self) -> str:
        return "base" if self._before else ""

    def agreed(self) -> list[dict[str, str]]:
        return [_some(self._target, ("**",))]

    def agreed_for_start(self) -> dict[str, str]:
        return _some(self._before[0], ("**",)) if self._before else {}

    def write_some(self, paths: Sequence[str], path: str) -> None:
        for name in paths:
            place = Path(path, name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(self._files[name])

    def export(self, path: str) -> None:
        self.written += 1
        self.write_some(list(self._files), path)


def _some(files: Mapping[str, str], globs: Sequence[str]) -> dict[str, str]:
    """As git tells them: with mode and object."""
    return {path: f"100644 {blob(files[path].encode())}" for path in matching(files, globs)}


def blob(content: bytes) -> str:
    """What git knows a content by."""
    return sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


class Project:
    """A project with a checkout, and whoever runs its checks."""

    def __init__(self, folder: Path, **fields: object) -> None:
        self.folder = folder
        self.checkout, self.home, self.tmp = folder / "checkout", folder / "home", folder / "tmp"
        self.store = folder / "store"
        for place in (self.checkout, self.home, self.tmp, self.store):
            place.mkdir()
        (self.home / "secret").write_text("secret\n")
        (self.checkout / "own.py").write_text("own\n")
        self.environ = {"PATH": PATH, "HOME": str(self.home), "TMPDIR": str(self.tmp)}
        self.rule = CheckoutRule(**fields)  # type: ignore[arg-type]

    @property
    def cache(self) -> Path:
        return self.tmp / f"foureyes-{os.geteuid()}"

    def runner(self) -> Pipeline:
        return Pipeline(self.environ, [str(self.checkout)], store=str(self.store))

    def run(self, command: str, tree: Tree, runner: Pipeline | None = None, writes: tuple[str, ...] = ()) -> Ran:
        mine = runner or self.runner()
        try:
            return mine.run(self.check(command, writes), tree.export, tree=tree)
        finally:
            if runner is None:
                mine.close()

    def check(self, command: str, writes: tuple[str, ...] = ()) -> CheckRule:
        return CheckRule(name="c", run=command, checkout=self.rule, writes=writes)

    def judged(
        self, command: str, tree: Tree, runner: Pipeline | None = None, writes: tuple[str, ...] = ()
    ) -> CheckJudgement:
        return judge(self.check(command, writes), self.run(command, tree, runner, writes))
