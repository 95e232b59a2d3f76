"""Runs one check in a temporary checkout without token, store, terminal, secrets or home, and leaves nothing behind.
(D5)

The command comes from the project, and the files from an author who wants them merged. Neither may reach the caller's
files through a variable, block us, fill our memory or outlive the check.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec.structs import replace

from foureyes.adapters.checks.checkout import (
    ALL,
    Exported,
    OwnParts,
    PreparedCheckout,
    Stopped,
    Unprepared,
    clean_path,
    environment,
    made,
    remains,
    scratch,
    why_ended,
)
from foureyes.adapters.checks.code_use import Watch
from foureyes.adapters.checks.output import Output, TellLine
from foureyes.adapters.checks.reports import CheckedFiles, Reports
from foureyes.adapters.folders import opened
from foureyes.adapters.process import ProcessProblem, ProgramEnd
from foureyes.adapters.tree_comparison import changed, sizes
from foureyes.core.nouns.check import Ran, Rewritten, WhatRan
from foureyes.core.nouns.check_config import TIMEOUT_MINUTES, CheckRule
from foureyes.core.words.check_output import CANNOT_RUN, tool_of
from foureyes.core.words.text import visible
from foureyes.errors import GitProblem

if TYPE_CHECKING:
    from foureyes.adapters.checks.environments import CheckoutProvider
    from foureyes.app.ports import Lent, TreeFiles
    from foureyes.app.results.attempt import EnvironmentRow
    from foureyes.core.nouns.check_config import CheckoutRule

MAX_PROGRAM = 1_000_000_000
"""Size of the largest program that is read for its digest. Some kernel files report terabytes."""
OWN_ENVIRONMENTS = (".venv", "venv")
PATHS_SHOWN = 5
PROGRAM = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*")
OF_A_SHELL = frozenset(
    "alias break case cd command continue eval exec exit export for function if read readonly return select set shift "
    "source test time times trap type ulimit umask unalias unset until wait while".split()
)
ONLY_READ = frozenset("bandit black flake8 isort mypy pylint pyright ruff semgrep".split())
"""Tools that only read the files of the tree and run none."""


class Pipeline:
    """Runs checks.

    - environ: only the permitted part of it is passed on
    - checkouts: checkouts of the repository, whose code no check may use
    - hidden: other paths of the project
    - store: the folder of its store
    - minute: the length of a minute in seconds, shorter in tests
    """

    def __init__(
        self,
        environ: Mapping[str, str],
        checkouts: Sequence[str] = (),
        hidden: Sequence[str] = (),
        *,
        minute: float = 60.0,
        store: str = "",
    ) -> None:
        self._environ = environ
        self._checkouts = checkouts
        self._hidden = hidden
        self._store = store
        self._minute = minute
        self._trees: dict[tuple[str, bool], Exported] = {}
        self._places = ExitStack()

    @cached_property
    def _provider(self) -> CheckoutProvider:
        from foureyes.adapters.checks.environments import CheckoutProvider

        return CheckoutProvider(self._environ, [*self._checkouts, *self._hidden], self._minute, self._store)

    def close(self) -> None:
        """Remove the exported trees."""
        self._trees.clear()
        self._places.close()

    def run(
        self,
        rule: CheckRule,
        export: Callable[[str], None],
        progress: TellLine | None = None,
        stop: Callable[[], bool] | None = None,
        *,
        tree: TreeFiles | None = None,
        last: bool = False,
    ) -> Ran:
        """Run one check on the files that `export` writes.

        A check that cannot start is reported as a problem, not an exception. Files exported for a `tree` are used again
        until the `last` check or close(). A check with a checkout configuration of its own runs there.
        """
        began = time.monotonic()
        output = Output(progress)
        left = ""
        try:
            if rule.checkout is not None and tree is not None:
                standing = self._in_cache(rule, rule.checkout, export, tree, output, stop or _never)
            else:
                standing = self._throwaway(self._filling(export, tree, last=last), tree)
            with standing as prepared:
                ran, left = self._in(prepared, rule, output, stop or _never)
            left += remains(prepared.place)
        except (ProcessProblem, OSError, GitProblem, Stopped) as problem:
            ran = Ran(exit_code=None, problem=visible(str(problem)))
        except Unprepared as problem:
            ran = Ran(exit_code=None, unprepared=visible(str(problem)))
        except OwnParts as problem:
            for_start = WhatRan(for_start=tree.for_start if tree is not None else "")
            ran = Ran(exit_code=None, unbuilt=visible(str(problem)), program=for_start.stored)
        return replace(ran, duration_ms=round((time.monotonic() - began) * 1000), output=output.text() + left)

    def _in_cache(
        self,
        rule: CheckRule,
        checkout: CheckoutRule,
        export: Callable[[str], None],
        tree: TreeFiles,
        output: Output,
        stop: Callable[[], bool],
    ) -> AbstractContextManager[PreparedCheckout]:
        """Return a checkout as the project configures it."""
        from foureyes.adapters.checks.environments import Ask

        shared = self._shared(tree, export, in_cache=True)
        return self._provider.prepared(Ask(rule, checkout, tree, shared, output, stop))

    @contextmanager
    def _throwaway(self, fill: Callable[[str], None], tree: TreeFiles | None) -> Iterator[PreparedCheckout]:
        """Yield a checkout in a temporary directory."""
        with scratch(self._environ, self._checkouts) as place:
            work = os.path.join(place, "work")
            fill(work)
            if tree is None:
                yield PreparedCheckout(place, place, first=self._installed)
                return
            before = sizes(work)
            yield PreparedCheckout(
                place, place, first=self._installed,
                changed=lambda: changed(work, tree.listed(ALL), size_of=before.get),
            )  # fmt: skip

    @cached_property
    def _installed(self) -> tuple[str, ...]:
        """Program directories of the main checkout's own environment, even if inactive. None if another environment is
        active.
        """
        if self._environ.get("VIRTUAL_ENV"):
            return ()
        folders = [os.path.join(root, name) for root in self._checkouts[:1] for name in OWN_ENVIRONMENTS]
        return tuple(os.path.join(at, "bin") for at in folders if os.path.isfile(os.path.join(at, "pyvenv.cfg")))

    def _path(self, rule: CheckRule) -> str:
        """Return the PATH used to find the programs of a check."""
        path = clean_path(self._environ.get("PATH", ""))
        return path if rule.checkout is not None else os.pathsep.join([*self._installed, path])

    def _filling(self, export: Callable[[str], None], tree: TreeFiles | None, *, last: bool) -> Callable[[str], None]:
        """Return the function that fills the checkout: git for a single check, otherwise a copy. The last check gets
        the original files.
        """
        if tree is None or (last and (tree.name, False) not in self._trees):
            return export
        shared = self._shared(tree, export, in_cache=False)
        return shared.move_to if last else shared.copy_to

    def _shared(self, tree: TreeFiles, export: Callable[[str], None], *, in_cache: bool) -> Exported:
        key = (tree.name, in_cache)
        if key not in self._trees:
            if in_cache:
                self._provider.cache.make()
                place = self._places.enter_context(self._provider.cache.run())
            else:
                place = self._places.enter_context(made(self._environ, self._checkouts))
            self._trees[key] = Exported(export, place, lambda: tree.listed(ALL))
        return self._trees[key]

    def environments(self) -> list[EnvironmentRow]:
        """Return the cached environments, the most recently used first."""
        return self._provider.environments.listed()

    def prune_environments(self, *, everything: bool, only_try: bool) -> list[EnvironmentRow]:
        """Delete and return unneeded environments, or with `everything` all that are not in use."""
        return self._provider.environments.prune(everything=everything, only_try=only_try)

    def lend(self, rule: CheckoutRule, tree: TreeFiles) -> AbstractContextManager[Lent | None]:
        """Return a context with the cached environment for a tree, or None. Never builds or waits."""
        return self._provider.lend(rule, tree)

    def why_no_sandboxes(self) -> str:
        """Return the reason that checks cannot run in a sandbox here, or an empty string."""
        return self._provider.why_none()

    def program(self, rule: CheckRule, tree: TreeFiles) -> str:
        """Return the program or environment of a check as recorded in its results, "" if unknown before the run."""
        if rule.checkout is not None:
            return WhatRan(environment=self._provider.key_in_sandbox(rule.checkout, tree)).stored
        word = next((word for word in rule.run.split() if "=" not in word), "")
        return "" if "/" in word else _program(rule.run, "", self._path(rule))

    def absent(self, rule: CheckRule) -> str:
        """Return the first program that the check needs, if PATH lacks it, or "". Later ones may come from `prepare`.
        Shell words and paths in the tree are not looked for.
        """
        import shutil

        made_by = [rule.checkout.prepare, rule.checkout.build] if rule.checkout is not None else []
        command = next((each for each in made_by if each.strip()), rule.run)
        word = next((word for word in command.split() if "=" not in word), "")
        is_program = PROGRAM.fullmatch(word) is not None and word not in OF_A_SHELL
        return word if is_program and shutil.which(word, path=self._path(rule)) is None else ""

    def misled(self, rule: CheckRule) -> str:
        """Return the checkout that the Python of a check's command uses in place, or "". It does not if the tree comes
        first on its path.
        """
        from foureyes.adapters.checks.code_use import in_command, sites_of, used_in_place

        if tool_of(rule.run) in ONLY_READ:
            return ""
        roots = [os.path.realpath(path) for path in self._checkouts]
        env = {"PATH": self._path(rule)}
        for interpreter in in_command(rule.run, env, roots[0], watch="") if roots else ():
            is_made = _is_made_for_it(rule, interpreter.program, roots[0], env["PATH"])
            place = "" if interpreter.path or is_made else used_in_place(sites_of(interpreter.program), roots)
            # A conftest.py puts the root first, but a package in src is still imported from its install location.
            is_src = place.endswith("/src") and not any(path.endswith("/src") for path in interpreter.given)
            if place and (is_src or not interpreter.given):
                return visible(place)
        return ""

    def _in(
        self, prepared: PreparedCheckout, rule: CheckRule, output: Output, stop: Callable[[], bool]
    ) -> tuple[Ran, str]:
        """Run the check and return the result, and a line about files of the tree that it changed."""
        watch = Watch(prepared.place, self._checkouts, prepared.seen, prepared.sandbox)
        env = watch.environment(environment(self._environ, rule, prepared.seen, prepared.first))
        if (unbuilt := self._build(prepared, rule, env, output, stop)) is not None:
            return unbuilt, _changed_files(prepared.changed())
        built = prepared.changed() if rule.checkout is not None and rule.checkout.build.strip() else {}
        program = _program(rule.run, prepared.readable(prepared.work), _readable_path(prepared, env["PATH"]))
        program = WhatRan(program, prepared.environment, prepared.for_start).stored

        def examining(reaper: int) -> bool:
            watch.examine(reaper)
            return stop()

        files = CheckedFiles(prepared.readable(prepared.work), prepared.work, prepared.seen)
        reports = Reports(rule, os.path.join(prepared.place, "report"), files)
        try:
            ended = prepared.run(rule.run, env, rule.timeout_minutes * self._minute, output.hear, examining)
            ran = replace(_seen(ended, program), elsewhere=watch.found(rule.run, env), disturbed=prepared.disturbed())
            ran = reports.read(ran)
            left = prepared.changed()
        finally:
            reports.close()
        checked = tuple(path for path, now in left.items() if built.get(path) != now)
        return replace(ran, rewritten=Rewritten(tuple(built), checked)), _changed_files([*left])

    def _build(
        self,
        prepared: PreparedCheckout,
        rule: CheckRule,
        env: Mapping[str, str],
        output: Output,
        stop: Callable[[], bool],
    ) -> Ran | None:
        """Run the build step of a check in its own copy. A failure counts against the tree."""
        if rule.checkout is None or not rule.checkout.build.strip():
            return None
        named = {name: self._environ[name] for name in rule.checkout.env if name in self._environ and name not in env}
        build = {**named, **env}
        with output.during("building", rule.checkout.build):
            ended = prepared.run(
                rule.checkout.build, build, TIMEOUT_MINUTES * self._minute, output.hear, output.beating(stop)
            )
        why = why_ended(ended, TIMEOUT_MINUTES)
        if why and (ended.rc is None or ended.rc in CANNOT_RUN):
            return Ran(exit_code=None, problem=f"checkout.build {why}", disturbed=prepared.disturbed())
        return Ran(exit_code=ended.rc, unbuilt=f"checkout.build {why}", disturbed=prepared.disturbed()) if why else None


def _never() -> bool:
    return False


def _changed_files(files: Iterable[str]) -> str:
    """Return a line about files that the run changed. They were tested as changed."""
    paths = [*files]
    more = f" and {len(paths) - PATHS_SHOWN} more" if len(paths) > PATHS_SHOWN else ""
    return f"\n(It changed files of its tree: {', '.join(map(visible, paths[:PATHS_SHOWN]))}{more}.)\n" if paths else ""


def _readable_path(prepared: PreparedCheckout, path: str) -> str:
    """Return the PATH of a check, translated to paths that we can read."""
    return os.pathsep.join([*map(prepared.readable, prepared.first), *path.split(os.pathsep)[len(prepared.first) :]])


def _seen(ended: ProgramEnd, program: str) -> Ran:
    return Ran(exit_code=ended.rc, timed_out=ended.timed_out, program=program, problem=ended.problem)


def _program(command: str, work: str, path: str) -> str:
    """Return the path and short digest of the program that a command starts with, or an empty string."""
    import shutil
    from hashlib import file_digest

    word = next((word for word in command.split() if "=" not in word), "")
    program = os.path.join(work, word) if "/" in word else shutil.which(word, path=path) if word else None
    try:
        if not program or not os.path.isfile(program) or not 0 < os.path.getsize(program) < MAX_PROGRAM:
            return ""
        with open(opened(program, follow=True), "rb") as file:
            digest = file_digest(file, "sha256").hexdigest()[:12]
    except (OSError, ValueError):
        return ""
    shown = program.removeprefix(work + "/") if work else program
    return f"{visible(shown)} sha256:{digest}"


def _is_made_for_it(rule: CheckRule, program: str, root: str, path: str) -> bool:
    """Return True if the command names a program of its tree (`.venv/bin/python`) that `prepare` creates there. The one
    in the main checkout is then not used.
    """
    if rule.checkout is None or not rule.checkout.prepare.strip() or root in rule.run:
        return False
    folder = os.path.dirname(os.path.abspath(program))
    return folder.startswith(f"{root}/") and folder not in path.split(os.pathsep)
