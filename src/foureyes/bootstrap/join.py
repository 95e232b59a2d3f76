"""`fe store join`: connect a clone to its project's store on a PostgreSQL server (P12)."""

from __future__ import annotations

import os
from contextlib import closing, suppress
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.context import permit
from foureyes.app.project.accepted_config import unaccepted
from foureyes.app.results.settings import StoreRole
from foureyes.app.results.status import Check
from foureyes.app.signatures import NEW_KEY, active_keys
from foureyes.app.target import ask_target, misplaced
from foureyes.app.target_merges import amiss
from foureyes.bootstrap.places import FOLDER, folder_of, git, is_project, repository, settings_on_target, workshop
from foureyes.bootstrap.project_folder import made_folder
from foureyes.bootstrap.wiring import application, now
from foureyes.core.words.store_place import without_password
from foureyes.errors import BadInput, GitProblem, NoStore, Refused
from foureyes.steps import blank, by, either, fe, in_turn, shell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from foureyes.adapters.git.client.locate import Located
    from foureyes.adapters.store.store import Store
    from foureyes.app.application import Application
    from foureyes.core.nouns.session import Actor


FROM_ENVIRONMENT = "FOUREYES_STORE"


class Joined(msgspec.Struct, frozen=True, kw_only=True):
    """A joined project, and the problems that remain. `kept` is True if the address was saved."""

    project: str
    name: str
    prefix: str
    target: str
    address: str
    kept: bool
    store: str
    rows: int
    role: StoreRole | None
    missing: tuple[Check, ...] = ()


def join_store(cwd: str, environ: Mapping[str, str], actor: Actor, url: str = "") -> Joined:
    """Connect this clone to the server's store of the project in foureyes.toml. Only a person may.

    Without `url`, the address comes from FOUREYES_STORE, foureyes.toml, or an earlier join.
    """
    permit(actor, "store join")
    place = repository(cwd)
    known = settings_on_target(place)
    project = _named(place, str(known.get("project.id", "")))
    return join(place, environ, project, _address(known, environ, url) or _address_before(place), url)


def join_known(place: Located, environ: Mapping[str, str]) -> Joined | None:
    """Join during `fe init`, for any caller, if foureyes.toml names a project whose server is known."""
    known = settings_on_target(place)
    project, url = str(known.get("project.id", "")), environ.get(FROM_ENVIRONMENT) or known.get("store.url")
    return join(place, environ, project, _address(known, environ, "")) if project and url else None


def join(place: Located, environ: Mapping[str, str], project: str, address: str, url: str = "") -> Joined:
    """Connect the clone to the store. The address is saved unless it came from the environment."""
    from foureyes.adapters.store.shared_store import Pointer, open_shared, write_pointer

    kept = bool(url) or not environ.get(FROM_ENVIRONMENT)
    _refuse_other_store(folder_of(place), project, url)
    with made_folder(folder_of(place)) as folder:
        _refuse_no_store(address, project)
        store = open_shared(folder, address, project, now())
        with closing(store):
            write_pointer(folder, Pointer(project, address if kept else ""))
            joined = _joined(place, environ, store, address, kept=kept)
    if place.worktree != place.git_dir:
        with suppress(GitProblem):  # the first worktree retries, or reports why it failed
            workshop(place).prepare_worktrees()
    return joined


def _named(place: Located, project: str) -> str:
    """Return the project id, or refuse if the checked-out foureyes.toml has none."""
    if not project:
        branch = git(place).default_target() or "the branch that is checked out"
        raise Refused(
            f"foureyes.toml is not on {branch} in this clone, so nothing says which project it belongs to.",
            next_step=in_turn(
                by("other", shell("git", "push"), "in the clone where fe init ran: "),
                shell("git", "pull", before="here "),
                fe("store", "join", blank("URL")),
                joint=", then ",
            ),
        )
    return project


def _address(known: Mapping[str, object], environ: Mapping[str, str], url: str) -> str:
    """Return the server's address: the given one, or else from the environment, or else from foureyes.toml."""
    from foureyes.adapters.store.shared_store import check_url, kept_url

    configured = str(known.get("store.url", ""))
    if not url and environ.get(FROM_ENVIRONMENT):
        return check_url(environ[FROM_ENVIRONMENT])
    return kept_url(url or configured) if url or configured else ""


def _address_before(place: Located) -> str:
    from foureyes.adapters.store.shared_store import read_pointer

    pointer = read_pointer(folder_of(place)) if is_project(folder_of(place)) else None
    if pointer is None or not pointer.url:
        raise BadInput("name the address of the server.", next_step=fe("store", "join", blank("postgresql://…")))
    return pointer.url


def _refuse_other_store(folder: str, project: str, url: str) -> None:
    """Refuse if this clone already has another store. A second address for the same project is allowed. (P12)"""
    from foureyes.adapters.store.shared_store import DamagedPointer, read_pointer
    from foureyes.adapters.store.store_files import NAME, project_in

    path, pointer = os.path.join(folder, NAME), None
    with suppress(DamagedPointer):  # join() rewrites it
        pointer = read_pointer(folder) if is_project(folder) else None
    if pointer is not None and pointer.project == project:
        return
    if pointer is not None:
        raise Refused(f"this clone has joined project {pointer.project}, not {project}.", next_step=fe("doctor"))
    if os.path.lexists(path) and project_in(path) == project:
        raise Refused(
            "this clone already has the project's store, as a file.",
            next_step=fe("store", "copy", blank("postgresql://…"), before="move it to the server: "),
        )
    if os.path.lexists(path):
        raise Refused(
            f"this clone has a store of another project in {FOLDER}/, and foureyes.toml names {project}.",
            next_step=fe(
                "store",
                "join",
                *([url] if url else []),
                before=f"move {FOLDER} away, if it is not needed, then: ",
            ),
        )


def _refuse_no_store(address: str, project: str) -> None:
    from foureyes.adapters.store.shared_store import has_project

    if not has_project(address, project):
        copy = fe("store", "copy", blank("postgresql://…"))
        raise NoStore(
            f"foureyes.toml names project {project}, but that database has no store of it. A project never gets "
            "a second journal.",
            next_step=either(
                by("person", copy, "on the machine that has the store a person runs: "),
                by(
                    "person",
                    fe("store", "restore", blank("FILE")),
                    "if the store is lost, its owner restores a backup: ",
                ),
                joint="; ",
            ),
        )


def _joined(place: Located, environ: Mapping[str, str], store: Store, address: str, *, kept: bool) -> Joined:
    app = application(store, place, environ)
    project = app.projects.get()
    role = app.projects.role()
    return Joined(
        project=project.id,
        name=project.name,
        prefix=project.prefix,
        target=project.target,
        address=without_password(address),
        kept=kept,
        store=store.describe(),
        rows=app.projects.milestones().rows,
        role=role,
        missing=tuple(_missing(app, kept=kept)),
    )


def _missing(app: Application, *, kept: bool) -> list[Check]:
    """Return what is still missing to work in this clone, and problems of the target. (Q6)"""
    context, answer = app.context, None
    with suppress(GitProblem):  # the target stays as it was cloned
        answer = ask_target(context)
    with context.store.read() as tx:
        project = context.project(tx)
        missing = [Check("place", "warn", each, fe("doctor")) for each in misplaced(context, tx, project)]
        stop, keys = amiss(context, tx, project, answer), active_keys(tx)
    if stop is not None:
        missing.append(Check("target", "warn", stop.text, stop.next))
    note = unaccepted(context, project)
    if note is not None:
        missing.append(Check("configuration", "warn", note.text, note.next))
    if not kept:
        missing.append(Check("address", "warn", f"the address is not stored, so every call needs {FROM_ENVIRONMENT}"))
    if not keys:
        alone = "people have no keys here, so on another machine you count as another person (I1), unless the same key is on both"
        missing.append(Check("keys", "warn", alone, NEW_KEY))
    return missing
