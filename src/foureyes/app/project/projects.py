"""The project: create it, and back up, restore and adopt its store."""

from __future__ import annotations

import os
from collections.abc import Sequence

from foureyes.app.context import Context, IdRow, permit
from foureyes.app.project.accepted_config import is_missing
from foureyes.app.results.journal import JournalHead
from foureyes.app.results.project import ProjectView
from foureyes.app.results.settings import Adoption, Milestones, RestoredStore, StoreRole
from foureyes.app.target import ADOPT, lost_now, misplaced, tip_there
from foureyes.core.events.project import ProjectCreated, SecurityRecorded, StorePlaced
from foureyes.core.nouns.session import Actor
from foureyes.core.words.store_place import place_words
from foureyes.core.words.text import visible
from foureyes.errors import BadInput
from foureyes.steps import blank, fe, in_turn, prose


class Projects:
    """The project row and its store."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def create(self, actor: Actor, name: str, prefix: str, target: str, *, lost: bool = False) -> ProjectView:
        """Create the project with the first row of its journal. The target's current commit counts as adopted.

        `lost`: the project's earlier store is lost. That is recorded.
        """
        with self._context.writing(actor, "init") as work:
            place, tip = self._context.store.place, self._context.repo.commit_of(f"refs/heads/{target}") or ""
            work.record("", ProjectCreated(name=name, prefix=prefix, target=target, place=place, tip=tip, adopted=tip))
            if lost:
                reason = "a new journal was started because the store of this project was lost"
                detail = f"{target} counts as merged up to {tip[:12]}" if tip else ""
                work.record("", SecurityRecorded(kind="store_adopted", rule="P12", reason=reason, detail=detail))
            return self._context.project(work.tx)

    def get(self) -> ProjectView:
        """Return the project row."""
        with self._context.store.read() as tx:
            return self._context.project(tx)

    def milestones(self) -> Milestones:
        """Return the journal's length and its merged tasks."""
        with self._context.store.read() as tx:
            head = tx.one("journal.head", JournalHead)
            merged = tuple(row.id for row in tx.all("merge.merged", IdRow))
        return Milestones(rows=head.seq if head else 0, merged=merged)

    def note_restore(self, actor: Actor, source: str, kept: str, before: Milestones | None = None) -> RestoredStore:
        """Record that the store was restored (P8). Return the changes undone since `before`, and the next step. (P12)

        A store that lacks merges of the target must be adopted first.
        """
        after = self.milestones()
        there = tip_there(self._context)  # outside the transaction, as in adopt()
        with self._context.writing(actor, "store restore") as work:
            reason = f"store restored from {source}"
            detail = f"the previous store: {os.path.basename(kept) or 'there was none'}"
            project = self._context.project(work.tx)
            is_moved = project.place not in (None, self._context.store.place)
            if is_moved:
                detail += f". In the backup it was {place_words(project.place or '')}, "
                detail += f"and from now on it is {place_words(self._context.store.place)}"
            work.record("", SecurityRecorded(kind="restore", rule="J2", reason=reason, detail=detail))
            if is_moved:
                work.record("", _placed(self._context.store.place, project))
            gone = is_missing(self._context, project.target)
            wrong = [] if gone else misplaced(self._context, work.tx, self._context.project(work.tx), reported=there)
        undone = [task for task in before.merged if task not in after.merged] if before else []
        return RestoredStore(
            kept=kept,
            rows=after.rows,
            rows_undone=max(0, before.rows - after.rows) if before else None,
            merged_undone=tuple(undone),
            behind=tuple(wrong),
            next=in_turn(fe("audit", "verify"), ADOPT if wrong or undone else fe("status")),
        )

    def note_place(self, actor: Actor, place: str) -> None:
        """Record the store's new place after a person moved it. What it adopted stays the same. (P12)"""
        with self._context.writing(actor, "store copy") as work:
            work.record("", _placed(place, self._context.project(work.tx)))

    def adopt(self, actor: Actor, reason: str) -> Adoption:
        """Make this store the project's and write its mirrors again. Only a person may. (P12)"""
        context = self._context
        if not reason.strip():
            raise BadInput("say why this is the store. The reason is recorded.", next_step=ADOPT)
        there = tip_there(context)
        with context.store.read() as tx:
            project = context.project(tx)
            place = context.store.place if context.store.place != project.place else ""
            anchor, tip = lost_now(context, tx, project, there)
        if place or anchor:
            with context.deciding(actor, "store adopt", reason=reason) as work:
                wrong = misplaced(context, work.tx, project, reported=there)
                detail = "; ".join(wrong) or "the store's location was not recorded before"
                work.record(
                    "",
                    SecurityRecorded(kind="store_adopted", rule="P12", reason=reason.strip(), detail=detail),
                    _placed(context.store.place or project.place or "", project, tip if anchor else ""),
                )
        else:
            permit(actor, "store adopt")
        notes = context.store.rewrite_mirror()
        with context.store.read() as tx:
            head = tx.one("journal.head", JournalHead)
        return Adoption(rows=head.seq if head else 0, place=place, anchor=anchor, notes=tuple(notes))

    def role(self) -> StoreRole | None:
        """Return the caller's role in a server store, or None for a file."""
        return self._context.store.role()

    def grants(self, writers: Sequence[str] = (), readers: Sequence[str] = ()) -> str:
        """Return the SQL that grants writers and readers access to a server store, "" for a file. Without names, one
        writer and one reader are named after the schema.
        """
        usual, roles = f"foureyes_{self._context.store.project}", fe("store", "roles", "--writer", blank("NAME"))
        if any(not name.strip() for name in (*writers, *readers)):
            raise BadInput("a role has a name.", next_step=roles)
        for both in set(writers) & set(readers):
            text = f"{visible(both)} cannot be both writer and reader. A writer can already read."
            raise BadInput(text, next_step=roles)
        role = self._context.store.role()
        if role is not None and role.owner in (*writers, *readers):
            text = f"{visible(role.owner)} owns the store and already has every right, so this would take rights away from it."
            raise BadInput(text, next_step=roles)
        if not writers and not readers:
            writers, readers = [f"{usual}_writer"], [f"{usual}_reader"]
        return self._context.store.grants(list(dict.fromkeys(writers)), list(dict.fromkeys(readers)))

    def backup(self, actor: Actor, path: str) -> None:
        """Copy the whole store to a new file. An existing file is never overwritten."""
        permit(actor, "store backup")
        if os.path.lexists(path):
            raise BadInput(
                f"{os.path.basename(path)} already exists, and a backup never overwrites a file.",
                next_step=prose("name another file"),
            )
        if not os.path.isdir(os.path.dirname(os.path.abspath(path))):
            raise BadInput(
                f"there is no directory for {os.path.basename(path)}.",
                next_step=prose("name a file in an existing directory"),
            )
        partial = f"{path}.partial-{os.getpid()}-{self._context.ids.number():x}"
        try:
            self._context.store.backup(partial)
            os.replace(partial, path)
        finally:
            for ending in ("", "-wal", "-shm", "-journal"):
                if os.path.lexists(partial + ending):
                    os.remove(partial + ending)


def _placed(place: str, project: ProjectView, tip: str = "") -> StorePlaced:
    """Return the event for the store's place, with the commit up to which it is adopted."""
    return StorePlaced(place=place, tip=tip or project.adopted or "")
