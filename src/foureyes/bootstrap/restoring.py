"""`fe restore`: put a backup in the place of the store, in the file or on the server."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from foureyes.adapters.store.opening import put_mirrors_aside, restore_store
from foureyes.app.call.caller import permit
from foureyes.app.views.kept_store import Restored
from foureyes.bootstrap.making import made_folder
from foureyes.bootstrap.places import (
    folder_of,
    is_project,
    project_folder,
    project_on_target,
    repository,
    settings_on_target,
)
from foureyes.bootstrap.wiring import application, now, open_project
from foureyes.errors import FoureyesError, NoProject, StoreProblem
from foureyes.steps import blank, fe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from foureyes.adapters.git.client.locate import Located
    from foureyes.adapters.store.store import Store
    from foureyes.app.views.kept_store import Milestones
    from foureyes.core.nouns.session import Actor


def restore_backup(cwd: str, environ: Mapping[str, str], actor: Actor, source: str) -> Restored:
    """Put a backup in the store's place, by a person, on the record; what that undid, and where the old store is kept.
    A clone without a store gets one so (P12).
    """
    permit(actor, "restore")
    place = repository(cwd)
    project = project_on_target(place)
    if not is_project(folder_of(place)) and not project:
        project_folder(place, environ)  # says that there is no project, and what to do
    before = _sign_restore(cwd, environ, actor, source)
    path, address = os.path.join(cwd, source), server_address(place, environ)
    if address:
        return _on_server(place, environ, actor, path, address, before)
    with made_folder(folder_of(place)) as folder:
        kept = restore_store(folder, path, now(), project)
    with closing(open_project(cwd, environ)) as app:
        done = app.projects.note_restore(actor, os.path.basename(source), kept, before)
        app.context.store.mirror_anew()
        return done


def server_address(place: Located, environ: Mapping[str, str]) -> str:
    """The server that has the project's store, or has to get it; empty where it is the file here. A clone that has none
    yet goes by its foureyes.toml.
    """
    from foureyes.adapters.store.shared import read_pointer

    folder, said = folder_of(place), environ.get("FOUREYES_STORE", "")
    if not is_project(folder):
        return said or str(settings_on_target(place).get("store.url", ""))
    pointer = read_pointer(folder)
    return said or (pointer.url if pointer else "")


def _on_server(
    place: Located, environ: Mapping[str, str], actor: Actor, source: str, address: str, before: Milestones | None
) -> Restored:
    """A whole store beside the one that is there, then in its place; what happened is on record in it."""
    from foureyes.adapters.store.putting_back import put_back
    from foureyes.adapters.store.shared import Pointer, check_url, open_shared, read_pointer, write_pointer

    def noted(store: Store, kept: str) -> Restored:
        return application(store, place, environ).projects.note_restore(actor, os.path.basename(source), kept, before)

    with made_folder(folder_of(place)) as folder:
        pointer = read_pointer(folder)
        project = project_on_target(place) or (pointer.project if pointer else "")
        if not project:
            raise StoreProblem("nothing says whose store it is.", next_step=fe("restore", blank("FILE")))
        done = put_back(folder, check_url(address), project, source, now(), noted)
        if pointer is None:
            write_pointer(folder, Pointer(project, "" if environ.get("FOUREYES_STORE") else address))
        put_mirrors_aside(folder, now())
        with closing(open_shared(folder, address, project, now())) as store:
            store.mirror_anew()
    return msgspec.structs.replace(done, on_server=True)


def _sign_restore(cwd: str, environ: Mapping[str, str], actor: Actor, source: str) -> Milestones | None:
    """I9: a store with keys is put aside by somebody who has one; what it knew. One that is not there, or cannot be
    opened any more, cannot say.
    """
    from foureyes.app.call.signing import demand

    try:
        app = open_project(cwd, environ)
    except (StoreProblem, NoProject):
        return None
    with closing(app):
        demand(app.context, actor, "restore", os.path.basename(source))
        try:
            return app.projects.milestones()
        except FoureyesError:
            return None
