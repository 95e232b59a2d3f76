"""`fe agent list`: the profiles' agent programs on this machine."""

from __future__ import annotations

import click

from foureyes.app.views.run import AgentView
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb

HEAD = ("PROFILE", "PROGRAM", "STATE", "AT WORK", "TIER", "LAST ERROR")
TOLD = 60


@verb("list", example="fe agent list")
@click.option("--quick", is_flag=True, help="Do not start programs to ask for their version.")
def agent_list(session: Session, quick: bool) -> None:
    """List agent programs: found, version, login, last error. Also shows how many runs each may have at once and whether
    one is skipped for a while. Login is read from files; errors are in the program's own words.
    """
    rows = session.app.agents.listed(session.actor, ask=not quick)
    if session.json:
        output.write_lines(rows)
        return
    output.write_raw(output.table(HEAD, [_cells(row) for row in rows]) + "\n")


def _cells(row: AgentView) -> tuple[str, ...]:
    program = " ".join(filter(None, (row.program.rpartition("/")[2], row.model)))
    error = f"{row.error}, {output.when(row.error_at)}: {row.error_text}" if row.error != "none" else ""
    left = f", the runner of {row.left} is gone" if row.left else ""
    at_work = f"{row.running} of {row.slots}{left}"
    tiers, trouble = ", ".join(row.tiers), output.shorten(error, TOLD)
    return row.profile, program, _state(row), at_work, tiers, trouble


def _state(row: AgentView) -> str:
    """Return one table cell: whether the program can be used, and if not, why or until when."""
    if row.problem:
        return row.problem
    if row.cooled:
        return f"skipped until {row.until}" if row.until else "skipped until it works again"
    return ", ".join(filter(None, (row.version, row.login))) or "found"
