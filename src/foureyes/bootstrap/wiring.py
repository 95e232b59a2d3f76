"""Wiring: identify the caller, open the store, and build an Application over it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from foureyes.adapters.clock import RandomIds, SharedClock, SystemClock
from foureyes.adapters.git.client.locate import SharedGit
from foureyes.adapters.store.store_files import open_store
from foureyes.app.application import Application
from foureyes.app.context import Context, stamp
from foureyes.bootstrap.places import folder_of, git, project_folder, repository, settings_on_target
from foureyes.bootstrap.services import LazyOutside
from foureyes.errors import StoreProblem
from foureyes.steps import blank, fe, shell

if TYPE_CHECKING:
    from foureyes.adapters.git.client.locate import Located
    from foureyes.adapters.identity.keys import Asking, KeyRing
    from foureyes.adapters.store.store import Store
    from foureyes.core.nouns.session import Actor
    from foureyes.core.rules.policy import IdentityRule


def whoami(environ: Mapping[str, str], asserted: str = "", programs: Sequence[str] = ()) -> Actor:
    """Return the caller as observed. The store may know more (`Sessions.recognise`)."""
    from foureyes.adapters.identity.recognition import observe

    return observe(environ, asserted=asserted, programs=programs)


def newcomer(environ: Mapping[str, str], asserted: str = "") -> tuple[Actor, IdentityRule]:
    """Return the caller outside a project, and the home that a new project here would get. (I3)"""
    from foureyes.core.rules.callers import at_home, fitting_home
    from foureyes.core.rules.policy import IdentityRule

    seen = whoami(environ, asserted)
    home = fitting_home(seen.namespaces) or IdentityRule()
    return at_home(seen, home), home


def keys(environ: Mapping[str, str], asking: Asking | None = None) -> KeyRing:
    """Return the caller's own keys. `asking` frees the terminal while the caller is asked."""
    from foureyes.adapters.identity.keys import KeyRing, at_once

    return KeyRing(environ, asking or at_once)


def open_project(cwd: str, environ: Mapping[str, str], asking: Asking | None = None) -> Application:
    """Open the project around a directory."""
    place = repository(cwd)
    return application(_open(project_folder(place, environ), place, environ), place, environ, asking)


def open_for(home: Located, environ: Mapping[str, str], here: Located, own: Mapping[str, str]) -> Application:
    """Open a project for another process in one of its worktrees. `environ` finds the store, and the Application sees
    only `own` as its environment.
    """
    return application(_open(project_folder(home), home, environ), here, own)


def _open(folder: str, place: Located, environ: Mapping[str, str]) -> Store:
    """Open the store named by FOUREYES_STORE or the pointer file, else the file."""
    url = environ.get("FOUREYES_STORE", "")
    if not url and not os.path.lexists(os.path.join(folder, "store.json")):
        return open_store(folder, now())
    from foureyes.adapters.store.shared_store import open_shared

    url, project = server_of(folder, place, url)
    return open_shared(folder, url, project, now())


def server_of(folder: str, place: Located, url: str) -> tuple[str, str]:
    """Return the address and project of a shared store. `url` is the value of the environment."""
    from foureyes.adapters.store.shared_store import check_url, read_pointer

    pointer = read_pointer(folder)
    address = url or (pointer.url if pointer else "")
    if not address:
        raise StoreProblem(
            "this project's store is on a PostgreSQL server.",
            next_step=shell("export", blank("FOUREYES_STORE=postgresql://…")),
        )
    project = pointer.project if pointer else str(settings_on_target(place).get("project.id", ""))
    if not project:
        raise StoreProblem(
            "foureyes.toml names no project id, so the server's store cannot be found.", next_step=fe("init")
        )
    return check_url(address), project


def application(store: Store, place: Located, environ: Mapping[str, str], asking: Asking | None = None) -> Application:
    """Build an Application over a store and a repository."""
    clock, folder = SharedClock(store.engine), folder_of(place)
    shared = SharedGit(place)
    outside = LazyOutside(place, folder, environ, shared)
    return Application(
        Context(store, lambda: git(place, shared), clock, RandomIds(), environ, lambda: keys(environ, asking), outside)
    )


def now() -> str:
    return stamp(SystemClock().now())
