"""`fe store restore`: replace the store with a backup, as a file or on the server."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING

import msgspec

from foureyes.adapters.store.store_files import NAME, refuse_no_file, restore_store, retire_mirrors
from foureyes.app.context import permit
from foureyes.app.results.settings import RestoredStore
from foureyes.bootstrap.places import (
    FOLDER,
    folder_of,
    is_project,
    is_shared,
    project_folder,
    project_on_target,
    repository,
    settings_on_target,
)
from foureyes.bootstrap.project_folder import made_folder
from foureyes.bootstrap.wiring import application, now, open_project, server_of
from foureyes.core.words.store_place import without_password
from foureyes.errors import BadInput, FoureyesError, NoProject, StoreProblem
from foureyes.steps import blank, either, fe, prose

if TYPE_CHECKING:
    from collections.abc import Mapping

    from foureyes.adapters.git.client.locate import Located
    from foureyes.adapters.store.store import Store
    from foureyes.app.application import Application
    from foureyes.app.results.settings import Milestones
    from foureyes.core.nouns.session import Actor


def restore_backup(
    cwd: str, environ: Mapping[str, str], actor: Actor, source: str, *, into_file: bool = False
) -> RestoredStore:
    """Replace the store with a backup and record it. Return the undone changes and the place of the old store. Only a
    person may. (P12)

    `into_file` creates a file although the project's store was on a server.
    """
    permit(actor, "store restore")
    from foureyes.adapters.store.shared_store import leave_server

    place = repository(cwd)
    project = project_on_target(place)
    if not is_project(folder_of(place)) and not project:
        project_folder(place, environ)  # raises NoProject with the next step
    path, address = os.path.join(cwd, source), server_address(place, environ)
    address = _refuse_unconfirmed(place, address, into_file=into_file)
    _refuse_others(place, address)
    refuse_no_file(path)
    if into_file:
        environ = {name: value for name, value in environ.items() if name != "FOUREYES_STORE"}
    before = _sign_restore(_in_place(cwd, place, environ, address), actor, source)
    if address:
        return _on_server(place, environ, actor, path, address, before)
    with made_folder(folder_of(place)) as folder:
        kept = restore_store(folder, path, now(), project, leaves_server=into_file)
        if into_file:
            leave_server(folder)
    with closing(open_project(cwd, environ)) as app:
        done = app.projects.note_restore(actor, os.path.basename(source), kept, before)
        app.context.store.rewrite_mirror()
        return msgspec.structs.replace(done, where=os.path.join(FOLDER, NAME))


def refuse_restore(cwd: str, environ: Mapping[str, str], actor: Actor, source: str) -> bool:
    """Refuse a caller or a file that cannot restore, before asking for confirmation. Return True if a store will be
    replaced.
    """
    permit(actor, "store restore")
    refuse_no_file(os.path.join(cwd, source))
    place = repository(cwd)
    return _refuse_others(place, server_address(place, environ))


def _refuse_unconfirmed(place: Located, address: str, *, into_file: bool) -> str:
    """Return the server's address to restore to, or "" for the file. Refuse if a server still has the store. (P12)"""
    from foureyes.adapters.store.shared_store import has_project

    if address and into_file:
        project = _project(place)
        if not project or has_project(address, project):
            raise BadInput(
                "this project's store is still on its server, and a file would be a second store.",
                next_step=either(
                    fe("store", "restore", blank("FILE"), before="to put the backup on the server: "),
                    prose(f'or its owner first renames it in psql: ALTER SCHEMA "foureyes_{project}" RENAME TO …'),
                    joint="; ",
                ),
            )
        return ""
    folder = folder_of(place)
    if not address and is_project(folder) and is_shared(folder):
        server_of(folder, place, "")  # raises: it joined through FOUREYES_STORE, which is not set
    return address


def _refuse_others(place: Located, address: str) -> bool:
    """Refuse anyone but the owner of a server's store, before asking for a signature. Return True if there is a
    store.
    """
    project = _project(place) if address else ""
    if not project:
        return True
    from foureyes.adapters.store.postgres_restore import refuse_others

    return refuse_others(address, project) is not None


def server_address(place: Located, environ: Mapping[str, str]) -> str:
    """Return the server of the project's store, or "" for a file. A fresh clone takes it from foureyes.toml."""
    from foureyes.adapters.store.shared_store import kept_url, read_pointer

    folder, address = folder_of(place), environ.get("FOUREYES_STORE", "")
    if not is_project(folder):
        configured = "" if address else str(settings_on_target(place).get("store.url", ""))
        return address or (kept_url(configured) if configured else "")
    pointer = read_pointer(folder)
    return address or (pointer.url if pointer else "")


def _on_server(
    place: Located, environ: Mapping[str, str], actor: Actor, source: str, address: str, before: Milestones | None
) -> RestoredStore:
    """Create the restored store next to the current one, record the restore in it, then swap them."""
    from foureyes.adapters.store.postgres_restore import put_back
    from foureyes.adapters.store.shared_store import Pointer, check_url, open_shared, read_pointer, write_pointer

    def noted(store: Store, kept: str) -> RestoredStore:
        return application(store, place, environ).projects.note_restore(actor, os.path.basename(source), kept, before)

    with made_folder(folder_of(place)) as folder:
        pointer, project = read_pointer(folder), _project(place)
        if not project:
            raise StoreProblem("the project of this store is unknown.", next_step=fe("store", "restore", blank("FILE")))
        done, owner = put_back(folder, check_url(address), project, source, now(), noted)
        if pointer is None:
            write_pointer(folder, Pointer(project, "" if environ.get("FOUREYES_STORE") else address))
        retire_mirrors(folder, now())
        with closing(open_shared(folder, address, project, now())) as store:
            store.rewrite_mirror()
    return msgspec.structs.replace(done, on_server=True, where=without_password(address), owner=owner)


def _project(place: Located) -> str:
    from foureyes.adapters.store.shared_store import read_pointer

    pointer = read_pointer(folder_of(place))
    return project_on_target(place) or (pointer.project if pointer else "")


def _in_place(cwd: str, place: Located, environ: Mapping[str, str], address: str) -> Application | None:
    """Return the store that will be replaced, or None if it is missing or cannot be opened."""
    from foureyes.adapters.store.shared_store import has_project, open_shared

    try:
        if not address:
            return open_project(cwd, environ)
        project = _project(place)
        if not project or not has_project(address, project):
            return None
        return application(open_shared(folder_of(place), address, project, now()), place, environ)
    except (StoreProblem, NoProject):
        return None


def _sign_restore(app: Application | None, actor: Actor, source: str) -> Milestones | None:
    """Ask for a signature if the store has keys, and return its milestones. (I9)"""
    from foureyes.app.signatures import demand

    if app is None:
        return None
    with closing(app):
        demand(app.context, actor, "store restore", os.path.basename(source))
        try:
            return app.projects.milestones()
        except FoureyesError:
            return None
