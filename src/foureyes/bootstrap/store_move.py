"""`fe store copy`: move a project's store to a server."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.context import permit
from foureyes.bootstrap.places import git, project_folder, repository, settings_on_target
from foureyes.bootstrap.wiring import application, now
from foureyes.core.words.store_place import without_user
from foureyes.errors import Refused
from foureyes.steps import blank, fe

if TYPE_CHECKING:
    from collections.abc import Mapping

    from foureyes.adapters.store.store import Store
    from foureyes.app.ports import CountProgress
    from foureyes.app.results.settings import CopiedStore
    from foureyes.core.nouns.session import Actor


VARIABLE = "FOUREYES_STORE"


def remote_to_name(cwd: str) -> str:
    """Return the git remote that a shared project should name, or an empty string if it names one or there is none.
    (Q6)
    """
    place = repository(cwd)
    return "" if settings_on_target(place).get("git.remote") else git(place).usual_remote()


def address_to_name(cwd: str, environ: Mapping[str, str], url: str) -> str:
    """Return the address that foureyes.toml could offer to fresh clones. "" if it has one, or if the address must not
    be written to a file. (P12)
    """
    from foureyes.adapters.store.shared_store import is_postgres

    is_named = bool(settings_on_target(repository(cwd)).get("store.url"))
    is_quotable = url.isprintable() and not set(url) & set('"\\')
    return without_user(url) if is_postgres(url) and is_quotable and not (is_named or environ.get(VARIABLE)) else ""


def copy_store(
    cwd: str, environ: Mapping[str, str], actor: Actor, url: str, progress: CountProgress | None
) -> CopiedStore:
    """Move the store from the file to a server. A backup can bring it back. Only a person may."""
    permit(actor, "store copy")
    from foureyes.adapters.store import shared_store

    place = repository(cwd)
    folder = project_folder(place, environ)

    def record_place(store: Store, where: str) -> None:
        application(store, place, environ).projects.note_place(actor, where)

    if shared_store.read_pointer(folder) is not None:
        back = fe(
            "store",
            "restore",
            blank("FILE"),
            "--into-file",
            before="to move it back into a file, make a backup, then: ",
        )
        raise Refused("the store is already on a server.", next_step=back)
    return shared_store.move_to_server(
        folder,
        shared_store.kept_url(url),
        now(),
        keep_url=not environ.get(VARIABLE),
        record_place=record_place,
        progress=progress,
    )
