"""Project access of a run through its runner: an Application whose verbs are mostly performed at the other end of the
run's socket. (I2)

Verbs that need the caller's own process open the store if possible. Every command of a run imports this module, so it
must not import anything that only the store needs.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

from foureyes.adapters.remote import wire
from foureyes.adapters.remote.connection import RunnerLine
from foureyes.app.catalog import NOUNS, why_here
from foureyes.bootstrap.places import folder_of, repository
from foureyes.core.nouns.session import RUN_DIR, Actor
from foureyes.errors import StoreProblem
from foureyes.steps import Steps, by, fe, prose

if TYPE_CHECKING:
    from foureyes.app.application import Application


RUNS = "runs"
TOKEN = "FOUREYES_TOKEN"  # noqa: S105  (a variable's name)
RECOGNISE = "recognise"


def reach(
    cwd: str, environ: Mapping[str, str], asserted: str = "", *, has_left: Callable[[], bool] = lambda: False
) -> Application:
    """Return the project through the runner of the current run, or through its store if the runner does not answer.
    (I5)

    `has_left` returns True if the process that started this server is gone.
    """
    directory = os.path.normpath(environ.get(RUN_DIR, ""))
    if os.path.dirname(directory) == os.path.join(folder_of(repository(cwd)), RUNS):
        line = RunnerLine(directory)
        if line.connect():
            return cast("Application", Reached(line, cwd, environ, asserted, has_left))
    return _opened(cwd, environ, "the runner of this run does not answer", _ON)


def _opened(cwd: str, environ: Mapping[str, str], why: str, way: Steps) -> Application:
    from foureyes.bootstrap.wiring import open_project

    try:
        return open_project(cwd, environ)
    except StoreProblem as problem:
        if environ.get("FOUREYES_STORE") or not os.path.lexists(os.path.join(folder_of(repository(cwd)), "store.json")):
            raise
        raise StoreProblem(
            f"{why}, and a run cannot reach a store on a server in any other way.", next_step=way
        ) from problem


_ON = by(
    "person", fe("run"), "if commands may not connect, use the tools of its MCP server. Otherwise, a person runs: "
)
_WITHOUT = prose("continue without it, because the runner does the rest after the submission")


class Reached:
    """An Application at the other end of a connection, with one attribute per noun."""

    def __init__(
        self, line: RunnerLine, cwd: str, environ: Mapping[str, str], asserted: str, has_left: Callable[[], bool]
    ) -> None:
        self._line, self._cwd, self._environ, self._asserted = line, cwd, environ, asserted
        self._has_left = has_left
        self._own: Application | None = None

    def __getattr__(self, noun: str) -> Noun:
        if noun not in NOUNS:
            raise AttributeError(f"{type(self).__name__} has no noun {noun!r}")
        return Noun(self, noun)

    def ask(self, verb: str, args: tuple[Any, ...] = (), given: Mapping[str, Any] | None = None) -> object:
        """Ask the runner and return its answer. Actors and callbacks are not sent: the runner identifies the caller
        itself.
        """
        plain = [each for each in args if not isinstance(each, Actor) and not callable(each)]
        named = {name: each for name, each in (given or {}).items() if name != "actor" and not callable(each)}
        request = wire.Request(
            verb=verb,
            args=plain,
            given=named,
            knows=any(isinstance(each, Actor) for each in (*args, *(given or {}).values())),
            token=self._environ.get(TOKEN, ""),
            asserted=self._asserted,
            left=self._has_left(),
        )
        return wire.value_of(self._line.ask(wire.write(request)))

    def at_home(self, why: str) -> Application:
        """Return the project opened through its store."""
        if self._own is None:
            self._own = _opened(
                self._cwd, self._environ, f"a runner does not do this for a run, because {why}", _WITHOUT
            )
        return self._own

    def close(self) -> None:
        """Close the connection and the store."""
        self._line.close()
        if self._own is not None:
            self._own.close()


class Noun:
    """A noun at the other end of a connection, with one method per verb."""

    def __init__(self, reached: Reached, name: str) -> None:
        self._reached, self._name = reached, name

    def __getattr__(self, verb: str) -> Callable[..., Any]:
        name, reached = self._name, self._reached
        if (name, verb) == ("sessions", RECOGNISE):
            return lambda _: reached.ask(f"{name}.{verb}")
        if why := why_here(name, verb):
            return cast("Callable[..., Any]", getattr(getattr(reached.at_home(why), name), verb))
        return lambda *args, **given: reached.ask(f"{name}.{verb}", args, given)
