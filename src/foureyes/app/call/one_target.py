"""One target (Q6): the merge that it has to have, and the clone that merges where no remote carries it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.core.words.ids import Sha
from foureyes.core.words.place import FILE
from foureyes.errors import EnvironmentProblem
from foureyes.steps import Steps, blank, by_person, either, fe, in_turn, phrase, shell

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.ports import Tx
    from foureyes.app.views.project import ProjectView

ACCEPT = by_person(fe("merges", "accept", "-m", phrase("why it was set back")))
HERE = by_person(fe("merges", "here", "-m", phrase("why they move")))


class MergePlace(msgspec.Struct, frozen=True):
    """What the journal says: the newest merge of the target, and where merges are made; empty where nothing is
    known.
    """

    newest: str
    clone: str

    @property
    def host(self) -> str:
        """The machine that merges."""
        return self.clone.rpartition(":")[0]


class MergeOf(msgspec.Struct, frozen=True):
    """A task, and the commit that it was merged as."""

    id: str
    sha: Sha


class Told(msgspec.Struct, frozen=True):
    """What keeps this clone from merging: a sentence, and the way back."""

    text: str
    next: Steps


def place_of(tx: Tx) -> MergePlace:
    """Where merges stand."""
    return tx.one("merge.place", MergePlace) or MergePlace("", "")


def lacking(context: Context, tx: Tx, project: ProjectView) -> Told | None:
    """Q6: that the target lacks the newest merge on record; None where it has it, or where there is no target."""
    newest, repo = Sha(place_of(tx).newest), context.repo
    tip = repo.commit_of(f"refs/heads/{project.target}") if newest else None
    if tip is None or tip == newest or repo.is_ancestor(newest, tip):
        return None
    task = next((row.id for row in tx.all("merge.shas", MergeOf) if row.sha == newest), "")
    merge = f"{newest[:7]} of {task}" if task else newest[:7]
    text = f"{project.target} is at {tip[:7]} and lacks the last merge on record ({merge})"
    if repo.commit_of(newest) is None:
        fetch = shell("git", "fetch", blank("REMOTE"), before="bring it from the clone that has it: ")
        return Told(f"{text}, which this clone does not have", either(fetch, ACCEPT, joint="; if that was meant: "))
    set_back = repo.is_ancestor(tip, newest)
    ways = ("--ff-only",) if set_back else ()
    bring = in_turn(shell("git", "switch", project.target), shell("git", "merge", *ways, newest[:12]))
    what = "it was set back" if set_back else "it was set to something else"
    return Told(f"{text}: {what}", either(by_person(bring), ACCEPT, joint="; if that was meant: "))


def amiss(context: Context, tx: Tx, project: ProjectView) -> Told | None:
    """The same for who looks: a clone in which nobody merges need not have it, and where git or a file cannot be read,
    that is said by others.
    """
    try:
        told = lacking(context, tx, project)
        return told if told is None or elsewhere(context, tx) is None else None
    except EnvironmentProblem:
        return None


def newest_after(context: Context, tx: Tx, found: Sha) -> Sha:
    """The newest merge once another one was found on the target: that one, unless it lies behind the one on record."""
    newest = Sha(place_of(tx).newest)
    return newest if newest and context.repo.is_ancestor(found, newest) else found


def elsewhere(context: Context, tx: Tx) -> Told | None:
    """Q6: that another clone merges, where several share the store and no remote carries the target."""
    place = place_of(tx)
    if not place.clone or context.store.place in ("", FILE) or place.clone == context.outside.clone():
        return None
    where = f"on {place.host}" if place.host else "in another clone"
    text = f"merges are made {where}, and no remote carries the target: a merge here would make a second one"
    return Told(text, either(fe("merge", before=f"{where}: "), HERE, joint="; or, once this clone has them all: "))


def merged_where(context: Context, tx: Tx) -> str:
    """Where merges are made, if not here; empty else."""
    try:
        told = elsewhere(context, tx)
    except EnvironmentProblem:
        return ""
    return told.text if told else ""
