"""`fe restore`: put a backup in the place of the store."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from foureyes.adapters.store.opening import restore_store
from foureyes.app.call.caller import permit
from foureyes.bootstrap.places import project_folder, repository
from foureyes.bootstrap.wiring import now, open_project
from foureyes.errors import Refused, StoreProblem
from foureyes.steps import blank, fe, in_turn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from foureyes.core.nouns.session import Actor


def restore_backup(cwd: str, environ: Mapping[str, str], actor: Actor, source: str) -> str:
    """Put a backup in the store's place, by a person, on the record; where the old store is kept."""
    permit(actor, "restore")
    folder = project_folder(repository(cwd))
    if os.path.lexists(os.path.join(folder, "store.json")):
        raise Refused(
            "the store is on a server: its own backups restore it.",
            next_step=in_turn(fe("store", "copy", "sqlite"), fe("restore", blank("FILE")), joint=", then "),
        )
    _sign_restore(cwd, environ, actor, source)
    kept = restore_store(folder, os.path.join(cwd, source), now())
    app = open_project(cwd, environ)
    try:
        app.projects.note_restore(actor, os.path.basename(source), os.path.basename(kept))
        app.context.store.mirror_anew()
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
