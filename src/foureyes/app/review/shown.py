"""What was shown: how a face says that it was looked at, counted against the hunks of the attempt (H4, H5)."""

from __future__ import annotations

from msgspec.structs import replace

from foureyes.app.call.case import Case
from foureyes.app.call.context import Context
from foureyes.app.gate.changes import hunks_to_see
from foureyes.app.views.review import FaceLook
from foureyes.core.nouns.look import LONGEST, Looked, counted
from foureyes.errors import GitProblem


def looked(context: Context, case: Case, look: FaceLook) -> Looked:
    """How the caller looked at the attempt of this case (H5). Where the face measures nothing, or git cannot say which
    hunks there are, nothing is known.
    """
    about = Looked(
        face=look.face,
        pager=look.pager,
        confirmed=look.confirmed,
        seconds=min(max(look.seconds, 0), LONGEST),
    )
    if not look.measured or case.attempt is None:
        return about
    try:
        hunks = hunks_to_see(context, case.attempt.base, case.attempt.head, case.policy.coverage_exclude)
    except GitProblem:
        return about
    count = counted(hunks, look.shown, look.marked, look.spaceless)
    return replace(
        about,
        hunks=count.hunks,
        shown=count.shown,
        marked=count.marked,
        shown_ids=count.shown_ids,
        marked_ids=count.marked_ids,
        spaceless=count.spaceless,
        spaceless_ids=count.spaceless_ids,
    )


def still(looked: Looked, before: Case, now: Case) -> Looked:
    """The look, if the attempt is still the one that was counted; else nothing is known of what was seen."""
    if before.attempt is not None and now.attempt is not None and before.attempt.n == now.attempt.n:
        return looked
    return Looked(face=looked.face, seconds=looked.seconds)
