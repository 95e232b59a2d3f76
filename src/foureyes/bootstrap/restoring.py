"""`fe restore`: put a backup in the place of the store."""

from __future__ import annotations

import os
from contextlib import closing
from typing import TYPE_CHECKING

from foureyes.adapters.store.opening import restore_store
from foureyes.app.call.caller import permit
from foureyes.app.views.kept_store import Restored
from foureyes.bootstrap.making import made_folder
from foureyes.bootstrap.places import folder_of, is_project, project_folder, project_on_target, repository
from foureyes.bootstrap.wiring import now, open_project
from foureyes.errors import FoureyesError, NoProject, Refused, StoreProblem
from foureyes.steps import blank, fe, in_turn

if TYPE_CHECKING:
    from collections.abc import Mapping

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
        project_folder(place)  # says that there is no project, and what to do
    if os.path.lexists(os.path.join(folder_of(place), "store.json")):
        raise Refused(
            "the store is on a server: its own backups restore it.",
            next_step=in_turn(fe("store", "copy", "sqlite"), fe("restore", blank("FILE")), joint=", then "),
        )
    before = _sign_restore(cwd, environ, actor, source)
    with made_folder(folder_of(place)) as folder:
        kept = restore_store(folder, os.path.join(cwd, source), now(), project)
    with closing(open_project(cwd, environ)) as app:
        done = app.projects.note_restore(actor, os.path.basename(source), kept, before)
        app.context.store.mirror_anew()
        return done


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
