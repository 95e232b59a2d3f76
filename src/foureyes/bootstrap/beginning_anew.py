"""`fe init --again`: a new journal of a project whose store is lost; and never a second one by accident (P12)."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING

from foureyes.adapters.store.store_files import NAME, create_store, put_mirrors_aside
from foureyes.app.context import permit
from foureyes.bootstrap.making import made_folder
from foureyes.bootstrap.places import FOLDER, folder_of, git, no_project_here, project_on_target, settings_on_target
from foureyes.bootstrap.restoring import server_address
from foureyes.bootstrap.wiring import application, now
from foureyes.config.reading import read_file
from foureyes.config.settings import FILE
from foureyes.errors import NoProject, Refused
from foureyes.steps import fe, in_turn, shell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from foureyes.adapters.git.client.locate import Located
    from foureyes.adapters.store.store import Store
    from foureyes.core.nouns.session import Actor


def refuse_second_journal(place: Located, environ: Mapping[str, str]) -> None:
    """P12: in a clone of a repository with a project, another store would be another project that merges nothing."""
    elsewhere = no_project_here(place, environ)
    shared = environ.get("FOUREYES_STORE") or settings_on_target(place).get("store.url")
    if elsewhere is not None and not shared:
        raise elsewhere
    if elsewhere is None:
        _refuse_unpulled(place)


def _refuse_unpulled(place: Located) -> None:
    """As far as this clone knows: what others have pushed may name a project already. Whoever has all of it and took
    the file away wants another one.
    """
    repo = git(place)
    branch = repo.default_target()
    here, there = repo.commit_of(f"refs/heads/{branch}"), repo.commit_of(f"refs/remotes/origin/{branch}")
    if there is None or (here is not None and repo.is_ancestor(there, here)):
        return
    text = repo.file_at(there, FILE)
    named = read_file(text).get("project.id") if text else None
    if named:
        raise NoProject(
            f"{FILE} on origin/{branch} names project {named}, and is not in this clone yet: another project would "
            "merge nothing (P12).",
            next_step=in_turn(shell("git", "pull"), fe("status")),
        )


def begin_anew(place: Located, environ: Mapping[str, str], actor: Actor) -> None:
    """A person begins the project's journal again: tasks and history are gone, the project is the same. Merging goes on
    when the person has taken the store up (`fe store adopt`), where the target has merges.
    """
    permit(actor, "store adopt")
    folder, project, known = folder_of(place), project_on_target(place), settings_on_target(place)
    if not project:
        raise Refused("foureyes.toml names no project whose journal could begin again.", next_step=fe("init"))
    names = (os.path.basename(place.root) or "project", str(known.get("project.prefix") or "fe"))

    def begin(store: Store) -> None:
        with closing(store):
            projects = application(store, place, environ).projects
            projects.create(actor, *names, str(known.get("project.target") or "main"), lost=True)

    if os.path.lexists(os.path.join(folder, NAME)):
        raise Refused(f"there is a store here already ({FOLDER}/{NAME}).", next_step=fe("doctor"))
    with made_folder(folder) as made:
        if address := server_address(place, environ):
            _on_server(made, address, project, begin, kept=not environ.get("FOUREYES_STORE"))
        else:
            _in_the_file(made, project, begin)


def _in_the_file(folder: str, project: str, begin: Callable[[Store], None]) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(dir=folder, prefix="incoming-") as desk:
        begin(create_store(desk, project, now()))
        put_mirrors_aside(folder, now())
        os.replace(os.path.join(desk, NAME), os.path.join(folder, NAME))


def _on_server(folder: str, address: str, project: str, begin: Callable[[Store], None], *, kept: bool) -> None:
    """Where the project's store was, and only if that server has none of it any more."""
    from foureyes.adapters.store.shared_store import Pointer, has_project, open_shared, write_pointer

    if has_project(address, project):
        raise Refused("that server has a store of this project already.", next_step=fe("doctor"))
    put_mirrors_aside(folder, now())
    begin(open_shared(folder, address, project, now(), create=True))
    write_pointer(folder, Pointer(project, address if kept else ""))
