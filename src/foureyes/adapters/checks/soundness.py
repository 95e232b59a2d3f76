"""Whether a run used the tree that it was started on (D5): the interpreters that a check starts are watched, and links
and paths that lead from the tree into a checkout are looked for afterwards.

`code_origin.py` does the watching, inside of those interpreters. Who takes it off (`PYTHONPATH=… pytest`, `-I`, `env
-i`) is seen among the processes of the run, and asked afterwards, with the same path and options, where it would import
the project's packages from.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from foureyes.adapters.checks import code_origin, interpreters
from foureyes.adapters.checks.interpreters import IGNORES_PATH, PATH, Interpreter, asked_for
from foureyes.adapters.checks.stand import run_in
from foureyes.adapters.folders import MB, folder, read, replace
from foureyes.adapters.process import ProcessProblem
from foureyes.adapters.reaper import below
from foureyes.core.nouns.check import Elsewhere
from foureyes.core.words.text import visible

if TYPE_CHECKING:
    from foureyes.adapters.checks.rooms import Room

MOST_FOUND, MOST_ASKED, MOST_NAMES = 100_000, 8, 200
ASKING = 30.0
SOON, SELDOM = 0.01, 0.4
"""Seconds between two looks at what runs, at first and later."""
ROOTS = ("", "src", "lib", "python")
NO_PACKAGES = frozenset("tests test testing docs doc examples setup conftest noxfile fabfile tasks".split())


class Watch:
    """Watches one run in its scratch place, which the run sees as `seen`, perhaps in a room. `checkouts`: where the
    repository is checked out.
    """

    def __init__(self, place: str, checkouts: Sequence[str], seen: str = "", room: Room | None = None) -> None:
        self._place, self._room = seen or place, room
        self._folder, self._work = os.path.join(place, "watch"), os.path.join(self._place, "work")
        self._seen_folder = os.path.join(self._place, "watch")
        self._checkouts = [os.path.realpath(path) for path in checkouts]
        self._unwatched: dict[Interpreter, None] = {}
        self._next, self._pause = 0.0, SOON

    def environment(self, env: Mapping[str, str]) -> dict[str, str]:
        """The environment of a check, with the watch in it; without a checkout there is nothing to mistake."""
        if not self._checkouts:
            return dict(env)
        watch, places = read(code_origin.__file__, MB), os.fsencode("\0".join([self._place, *self._checkouts]))
        with folder(self._folder, make=True, mode=0o700) as here:
            replace(here, "sitecustomize.py", watch, 0o600, durable=False)
            replace(here, code_origin.PLACES, places, 0o600, durable=False)
        return {**env, PATH: os.pathsep.join(filter(None, (self._seen_folder, env.get(PATH, ""))))}

    def look(self, reaper: int) -> None:
        """See which interpreters run now below a process and are not watched."""
        now = time.monotonic()
        if now < self._next or not self._checkouts or len(self._unwatched) >= MOST_ASKED:
            return
        self._pause = min(self._pause * 2, SELDOM)
        for pid, _ in below(reaper):
            with suppress(OSError, ValueError):
                started = interpreters.at(f"/proc/{pid}", self._seen_folder, self._work)
                if started is not None:
                    self._unwatched[started] = None
        self._next = time.monotonic() + self._pause

    def found(self, command: str, env: Mapping[str, str]) -> Elsewhere | None:
        """What the run took from elsewhere; the first thing that was found."""
        if not self._checkouts:
            return None
        origin = self._told()
        if origin is None:
            if self._room is None:  # what a command would start in a room cannot be told from here
                self._unwatched |= dict.fromkeys(interpreters.in_command(command, env, self._work, self._folder))
            self._ask(env)
            origin = self._told()
        if origin is None and self._room is not None:
            return None  # no way leads to a checkout that is not there
        if origin is None:
            from foureyes.adapters.checks.links import leading_out

            return leading_out(self._work, self._checkouts, env)
        file, checkout, prefix = origin
        return Elsewhere(
            file=visible(file.removeprefix(checkout + "/")), checkout=visible(checkout), by=visible(prefix),
            advice=_advice(command, file, checkout),
        )  # fmt: skip

    def _told(self) -> tuple[str, str, str] | None:
        """The first complete line that an interpreter wrote."""
        try:
            line, ended, _ = read(os.path.join(self._folder, code_origin.FOUND), MOST_FOUND).partition(b"\0\n")
        except OSError:
            return None
        words = os.fsdecode(line).split("\0")
        return (words[0], words[1], words[2]) if ended and len(words) == 3 else None

    def _ask(self, env: Mapping[str, str]) -> None:
        """Ask who was not watched; what finds something writes it where those who were watched do."""
        script, output = os.path.join(self._seen_folder, "sitecustomize.py"), list[bytes]()
        names = packages_in([self._readable(self._work), *self._checkouts]) if self._unwatched else []
        for each in list(self._unwatched)[:MOST_ASKED]:
            options = [f"-{letter}" for letter in each.options]
            given = {**env, PATH: each.path} if each.path else {name: env[name] for name in env if name != PATH}
            cwd = each.cwd if os.path.isdir(self._readable(each.cwd)) else self._place
            argv = [each.program, *options, script, os.pathsep.join(each.first), *names]
            with suppress(ProcessProblem, OSError):
                run_in(self._room, argv, cwd, given, ASKING, output.append)

    def _readable(self, path: str) -> str:
        return self._room.inside(path) if self._room is not None else path


def packages_in(roots: Sequence[str]) -> list[str]:
    """The top-level packages and modules of some checkouts, as far as their usual places tell."""
    names: dict[str, None] = {}
    for place in (os.path.join(root, inner) for root in roots for inner in ROOTS):
        with suppress(OSError):
            for entry in sorted(os.listdir(place)):
                name, ending = os.path.splitext(entry)
                is_package = not ending and os.path.isfile(os.path.join(place, entry, "__init__.py"))
                if (ending == ".py" or is_package) and name.isidentifier() and name not in NO_PACKAGES:
                    names[name] = None
    return list(names)[:MOST_NAMES]


def _advice(command: str, file: str, checkout: str) -> str:
    """What to type so that the tree's own code is used."""
    words = command.split()
    is_built = not file.endswith(code_origin.SOURCES)
    if is_built or any(word.startswith("-") and IGNORES_PATH & asked_for([word]).options for word in words):
        return "let it make an environment of its own (python -m venv, then pip install -e .)"
    root = _root_of(file, checkout)
    if f"{PATH}=" in command:
        return f"let its {PATH} be {visible(root)}:${PATH}, so that the tree comes first and it is seen what is used"
    return f"begin its run with {PATH}={visible(root)}"


def _root_of(file: str, checkout: str) -> str:
    """The directory of a checkout that a file is imported by; of a copy, where its package would lie."""
    if not file.startswith(checkout + "/"):
        return "src" if os.path.isdir(os.path.join(checkout, "src")) else "."
    folder = os.path.dirname(file)
    while len(folder) > len(checkout) and os.path.isfile(os.path.join(folder, "__init__.py")):
        folder = os.path.dirname(folder)
    root = os.path.relpath(folder, checkout)
    return root.split(os.sep)[0] if root.split(os.sep)[0] in ROOTS else root
