"""Plugs the rooms together: the only room that knows every concrete class."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from foureyes.adapters.clock import RandomIds, SharedClock, SystemClock
from foureyes.adapters.git.client.locate import Located, locate
from foureyes.adapters.store.opening import open_store, restore_store
from foureyes.app.application import Application
from foureyes.app.call.caller import permit
from foureyes.app.call.context import Context, stamp
from foureyes.bootstrap.outside import Outside
from foureyes.errors import EnvironmentProblem, NoProject, Refused, StoreProblem
from foureyes.steps import blank, fe, in_turn, shell

if TYPE_CHECKING:
    from foureyes.adapters.git.repo import GitRepo
    from foureyes.adapters.identity.keys import KeyRing
    from foureyes.adapters.store.store import Store
    from foureyes.app.ports import Progress
    from foureyes.bootstrap.creating import Created
    from foureyes.config.settings import Value
    from foureyes.core.nouns.session import Actor

FOLDER = ".foureyes"


def whoami(environ: Mapping[str, str], asserted: str = "", programs: Sequence[str] = ()) -> Actor:
    """Who is calling, as far as can be seen; the store may know more (`Sessions.recognise`)."""
    from foureyes.adapters.identity.observe import observe

    return observe(environ, asserted=asserted, programs=programs)


def keys(environ: Mapping[str, str]) -> KeyRing:
    """The caller's own keys."""
    from foureyes.adapters.identity.keys import KeyRing

    return KeyRing(environ)


def repository(cwd: str) -> Located:
    """The repository around a directory, or a sentence about what is missing."""
    found = locate(cwd)
    if found is None:
        raise EnvironmentProblem(
            "this directory is not in a git repository.\n  Foureyes keeps agents' work on branches until "
            "someone else has agreed to it.",
            next_step=in_turn(shell("git", "init"), fe("init"), joint=" && "),
        )
    return found


def git(place: Located) -> GitRepo:
    """The repository's port; imported late, because many commands never need git."""
    from foureyes.adapters.git.repo import GitRepo

    return GitRepo(place.worktree, place.git_dir, place.common_dir, place.root)


def describe(place: Located) -> str:
    """A repository in a few words, for the first run."""
    repo = git(place)
    commits = repo.commit_count()
    state = "clean" if repo.is_clean() else "with uncommitted changes"
    return f"branch {repo.default_target() or 'detached'}, {commits} {'commit' if commits == 1 else 'commits'}, {state}"


def folder_of(place: Located) -> str:
    """Where a project keeps what is not committed; the same from every worktree (K3)."""
    return os.path.join(place.root, FOLDER)


PROMPTS = "prompts"


def is_project(folder: str) -> bool:
    """Whether there is a project; templates of prompts alone, which a clone brings along, are none (F4)."""
    return os.path.isdir(folder) and os.listdir(folder) != [PROMPTS]


def open_project(cwd: str, environ: Mapping[str, str]) -> Application:
    """The project around a directory."""
    place = repository(cwd)
    folder = folder_of(place)
    if not is_project(folder):
        raise NoProject("no Foureyes project here or above.", next_step=fe("init"))
    return application(_open(folder, place, environ), place, environ)


def _open(folder: str, place: Located, environ: Mapping[str, str]) -> Store:
    """The store of a project: where FOUREYES_STORE or the pointer file says, else the file."""
    url = environ.get("FOUREYES_STORE", "")
    if not url and not os.path.exists(os.path.join(folder, "store.json")):
        return open_store(folder, now())
    from foureyes.adapters.store.shared import open_shared

    url, project = _server(folder, place, url)
    return open_shared(folder, url, project, now())


def _server(folder: str, place: Located, url: str) -> tuple[str, str]:
    """Address and project of a shared store."""
    from foureyes.adapters.store.shared import check_url, read_pointer

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


def settings_on_target(place: Located) -> dict[str, Value]:
    """foureyes.toml as it is on the branch checked out in the main worktree: what a fresh clone knows of its
    project.
    """
    from foureyes.config.reading import read_file
    from foureyes.config.settings import FILE

    repo = git(place)
    target = repo.default_target()
    text = repo.file_at(target, FILE) if target else None
    repo.close()
    return read_file(text) if text else {}


def application(store: Store, place: Located, environ: Mapping[str, str]) -> Application:
    """An Application over a store and a repository."""
    clock, folder = SharedClock(store.engine), folder_of(place)
    outside = Outside(place, folder, environ)
    return Application(Context(store, lambda: git(place), clock, RandomIds(), environ, lambda: keys(environ), outside))


def now() -> str:
    return stamp(SystemClock().now())


def create_project(
    cwd: str,
    environ: Mapping[str, str],
    actor: Actor,
    *,
    prefix: str,
    target: str | None,
    commit: bool,
    source: str | None = None,
    trying: bool = False,
) -> Created:
    """`fe init`; in a file of its own, because it happens once."""
    from foureyes.bootstrap.creating import create

    return create(cwd, environ, actor, prefix=prefix, target=target, commit=commit, source=source, trying=trying)


def restore(cwd: str, environ: Mapping[str, str], actor: Actor, source: str) -> str:
    """Put a backup in the store's place, by a person, on the record; where the old store is kept."""
    permit(actor, "restore")
    folder = folder_of(repository(cwd))
    if not is_project(folder):
        raise NoProject("no Foureyes project here or above.", next_step=fe("init"))
    if os.path.exists(os.path.join(folder, "store.json")):
        raise Refused(
            "the store is on a server: its own backups restore it.",
            next_step=in_turn(fe("store", "copy", "sqlite"), fe("restore", blank("FILE")), joint=", then "),
        )
    _sign_restore(cwd, environ, actor, source)
    kept = restore_store(folder, os.path.join(cwd, source), now())
    app = open_project(cwd, environ)
    try:
        app.projects.note_restore(actor, os.path.basename(source), os.path.basename(kept))
    finally:
        app.close()
    return kept


def _sign_restore(cwd: str, environ: Mapping[str, str], actor: Actor, source: str) -> None:
    """I9: a store with keys is put aside by somebody who has one. One that cannot be opened any more cannot say."""
    from foureyes.app.call.signing import demand

    try:
        app = open_project(cwd, environ)
    except StoreProblem:
        return
    try:
        demand(app.context, actor, "restore", os.path.basename(source))
    finally:
        app.close()


def copy_store(cwd: str, environ: Mapping[str, str], actor: Actor, url: str, progress: Progress | None) -> int:
    """Move the project's store to a server, or back into the file (`sqlite`); by a person; how many rows."""
    permit(actor, "store copy")
    from foureyes.adapters.store import shared

    place = repository(cwd)
    folder = folder_of(place)
    if not is_project(folder):
        raise NoProject("no Foureyes project here or above.", next_step=fe("init"))
    remote = shared.read_pointer(folder) is not None
    if url == shared.LOCAL:
        if not remote:
            raise Refused("the store is the file in .foureyes/ already.", next_step=fe("doctor"))
        address, project = _server(folder, place, environ.get("FOUREYES_STORE", ""))
        return shared.move_to_file(folder, address, project, now(), progress)
    if remote:
        raise Refused(
            "the store is on a server already.", next_step=fe("store", "copy", shared.LOCAL, after="   first")
        )
    return shared.move_to_server(
        folder, shared.check_url(url), now(), keep_url=not environ.get("FOUREYES_STORE"), progress=progress
    )


def setup(cwd: str, actor: Actor, agent: str, *, remove: bool) -> tuple[str, str]:
    """Write or take out the instruction block of an agent; the file's name and what was done."""
    permit(actor, "setup")
    from foureyes.adapters.agents import instructions
    from foureyes.config.primer import BLOCK

    root = repository(cwd).worktree
    name = instructions.FILES[agent]
    return name, instructions.remove(root, name) if remove else instructions.install(root, name, BLOCK)
