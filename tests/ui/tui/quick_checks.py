"""The stage's two checks without a process each: what they would say is read off the tree. Anything else than what the
stage's own scripts answer is left to the real pipeline; `test_quick_checks.py` holds the two to each other.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from foureyes.app.application import Application
from foureyes.app.git_ports import Workshop
from foureyes.app.ports import CheckRunner, Lent, Outside, TreeFiles
from foureyes.app.results.attempt import EnvironmentRow
from foureyes.core.nouns.check import Ran
from foureyes.core.nouns.check_config import CheckoutRule, CheckRule
from foureyes.core.words.ids import Sha

ASKED = ""
"""Where a tree is exported to that is only asked for by its name."""
ANSWERS = {"tests": {False: (0, "12 passed\n"), True: (1, "1 failed\n")}, "lint": {False: (0, ""), True: (0, "")}}
"""By check, and by whether something is red: exit code and output."""


class QuickChecks:
    """A check runner for trees of the stage."""

    def __init__(self, real: CheckRunner, root: Path, script: str) -> None:
        self._real, self._root, self._script = real, root, script
        self._known: dict[str, set[str]] = {}
        self.tree = ""

    def absent(self, rule: CheckRule) -> str:
        return ""

    def misled(self, rule: CheckRule) -> str:
        return ""

    def program(self, rule: CheckRule, tree: TreeFiles | None) -> str:
        return self._real.program(rule, tree) if tree is not None else ""

    def run(
        self,
        rule: CheckRule,
        export: Callable[[str], None],
        progress: Callable[[str], None] | None = None,
        stop: Callable[[], bool] | None = None,
        *,
        tree: TreeFiles | None = None,
        last: bool = False,
    ) -> Ran:
        export(ASKED)
        words = self._words(self.tree)
        if rule.name not in ANSWERS or words - {"RED"}:
            return self._real.run(rule, export, progress, stop, tree=tree, last=last)
        code, output = ANSWERS[rule.name]["RED" in words]
        return Ran(exit_code=code, output=output, duration_ms=1, program=self.program(rule, tree))

    def close(self) -> None:
        self._real.close()

    def environments(self) -> Sequence[EnvironmentRow]:
        return self._real.environments()

    def prune_environments(self, *, everything: bool, only_try: bool) -> Sequence[EnvironmentRow]:
        return self._real.prune_environments(everything=everything, only_try=only_try)

    def lend(self, rule: CheckoutRule, tree: TreeFiles) -> AbstractContextManager[Lent | None]:
        return self._real.lend(rule, tree)

    def why_no_sandboxes(self) -> str:
        return self._real.why_no_sandboxes()

    def _words(self, tree: str) -> set[str]:
        """What of a tree the checks look at: RED, MESSY, or that it has another script."""
        if tree not in self._known:
            script = self._git("show", f"{tree}:check.sh")
            words = set(self._git("grep", "-hoE", "RED|MESSY", tree, "--", "src").split())
            self._known[tree] = words if script == self._script else {*words, "another script"}
        return self._known[tree]

    def _git(self, *args: str) -> str:
        return subprocess.run(["git", *args], cwd=self._root, capture_output=True, text=True, check=False).stdout


class Asked:
    """A workshop that names a tree where it is only asked for it."""

    def __init__(self, workshop: Workshop, checks: QuickChecks) -> None:
        self._workshop, self._checks = workshop, checks

    def export(self, tree: Sha, path: str, only: Sequence[str] = ()) -> None:
        if path == ASKED:
            self._checks.tree = tree
        else:
            self._workshop.export(tree, path, only)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._workshop, name)


class Quick:
    """The world outside, with quick checks."""

    def __init__(self, outside: Outside, root: Path, script: str) -> None:
        self._outside = outside
        self.quick = QuickChecks(outside.checks(), root, script)

    def checks(self) -> QuickChecks:
        return self.quick

    def workshop(self) -> Asked:
        return Asked(self._outside.workshop(), self.quick)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._outside, name)


def with_quick_checks(app: Application, root: Path, script: str) -> Application:
    """The same Application; its checks start no process."""
    context = app.checks._context
    context._outside = Quick(context.outside, root, script)
    return app
