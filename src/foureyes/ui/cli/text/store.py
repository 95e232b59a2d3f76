"""Text forms of a copied, joined or restored store."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from foureyes.core.words.text import flat
from foureyes.steps import blank, fe, shell
from foureyes.ui.cli import output
from foureyes.ui.steps import next_line, steps_text

if TYPE_CHECKING:
    from foureyes.app.results.settings import CopiedStore, RestoredStore
    from foureyes.bootstrap.join import Joined


# ---- Restored ----

BEFORE = "_before_restore_"
ROLES = fe("store", "roles", "--writer", blank("NAME"), "--reader", blank("NAME"))


def restored_fields(done: RestoredStore, file: str) -> dict[str, object]:
    """Return the JSON fields. The owner applies only to a server."""
    fields: dict[str, object] = {
        "restored": file,
        "where": done.where,
        "kept": _name(done),
        "rows_undone": done.rows_undone,
        "merged_undone": done.merged_undone,
    }
    if done.on_server:
        fields["owner"] = done.owner
    return fields


def restored_text(done: RestoredStore, file: str, cwd: str) -> str:
    """Return where the restored store is, what was undone, and how to reverse the restore."""
    name = _name(done)
    lines = [f"restored {file}: {output.count(done.rows, 'row')}"]
    lines += (
        [f"  it is the store now, {'on the server: ' if done.on_server else 'in '}{done.where}"] if done.where else []
    )
    where = f"schema {name}, on the same server" if done.on_server else f".foureyes/{name}"
    lines += [f"  the store before it is {where}"] if name else ["  there was no store before it"]
    if done.rows_undone:
        lines.append(
            f"  {output.count(done.rows_undone, 'row')} of the journal are newer than the backup and were undone"
        )
    if done.merged_undone:
        lines.append(f"  merged since then, and no longer recorded as merged: {', '.join(done.merged_undone)}")
    lines += [f"  {why}. fe merge waits until this store is adopted" for why in done.behind]
    lines += [f"  it belongs to role {flat(done.owner)}"] if done.owner else []
    if done.on_server and not name:
        lines.append(f"  other roles get access by the SQL of: {steps_text(ROLES)}")
    if name and done.on_server:
        lines.append(
            f"  undo, by the owner of the store: {steps_text(shell('psql', blank('URL'), '-c', _renaming(name)))}"
        )
    elif name:
        undo = fe("store", "restore", os.path.relpath(done.kept, cwd))
        lines.append(f"  undo: {steps_text(undo)}")
    return "\n".join([*lines, next_line(done.next)])


def _renaming(kept: str) -> str:
    """Return the SQL that swaps the names of the restored and the previous schema. The place stays the same, so no
    adoption is needed.
    """
    schema, _, moment = kept.partition(BEFORE)
    rename = f'ALTER SCHEMA "{schema}" RENAME TO "{schema}_restored_{moment}"'
    return f'{rename}; ALTER SCHEMA "{kept}" RENAME TO "{schema}"'


def _name(done: RestoredStore) -> str:
    return done.kept if done.on_server else os.path.basename(done.kept)


# ---- Copied ----

SHARE = "for other machines: push foureyes.toml, clone there, then fe store join URL. For other roles: fe store roles"


def copied_text(copied: CopiedStore, remote: str, address: str = "") -> str:
    """Return the number of moved rows and how others connect. `remote` and `address` are values that foureyes.toml
    lacks.
    """
    lines = [f"{copied.rows} rows copied and verified. The store is now on the server", f"  {SHARE}"]
    if address:
        lines.append(
            f'  so that a fresh clone offers to join it, put [store] url = "{address}" into foureyes.toml (P12)'
        )
    if remote:
        lines.append(f'  so that code reaches other machines, put [git] remote = "{remote}" into foureyes.toml (Q6)')
    return "\n".join(lines)


# ---- Joined ----

ROLE_WORDS = {"owner": "the owner", "writer": "a writer", "reader": "a reader"}


def joined_text(joined: Joined) -> str:
    """Return the joined project and the problems that remain for work here."""
    lines = [
        f"joined {flat(joined.name)} ({joined.project}).",
        f"  store      {flat(joined.address)}: {joined.store}, {joined.rows} rows",
    ]
    if (role := joined.role) is not None:
        borrowed = role.kind == "owner" and role.owner != role.name
        rights = f"with the rights of {flat(role.owner)}, the owner" if borrowed else ROLE_WORDS[role.kind]
        lines.append(f"  role       {flat(role.name)}, {rights} of schema {role.schema}")
    lines.append(f"  target     {flat(joined.target)}")
    for each in joined.missing:
        lines.append(f"  missing    {flat(each.message)}")
        lines += [f"             {next_line(each.next)}"] if each.next else []
    return "\n".join([*lines, next_line(fe("status"))])
