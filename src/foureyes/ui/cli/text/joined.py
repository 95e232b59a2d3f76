"""What a clone joined, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.core.words.text import flat
from foureyes.steps import fe
from foureyes.ui.steps import next_line

if TYPE_CHECKING:
    from foureyes.bootstrap.join import Joined

ROLES = {"owner": "the owner", "writer": "a writer", "reader": "a reader"}


def joined_text(joined: Joined) -> str:
    """What was found, and what is missing for work here."""
    lines = [
        f"joined {flat(joined.name)} ({joined.project}).",
        f"  store      {flat(joined.address)}: {joined.store}, {joined.rows} rows",
    ]
    if (role := joined.role) is not None:
        borrowed = role.kind == "owner" and role.owner != role.name
        stands = f"with the rights of {flat(role.owner)}, the owner" if borrowed else ROLES[role.kind]
        lines.append(f"  role       {flat(role.name)}, {stands} of schema {role.schema}")
    lines.append(f"  target     {flat(joined.target)}")
    for each in joined.missing:
        lines.append(f"  missing    {flat(each.message)}")
        lines += [f"             {next_line(each.next)}"] if each.next else []
    return "\n".join([*lines, next_line(fe("status"))])
