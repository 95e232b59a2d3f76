"""`fe check detect`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from foureyes.steps import fe
from foureyes.ui.cli.command import Session, end_cleanly, verb
from foureyes.ui.steps import next_line

if TYPE_CHECKING:
    from foureyes.bootstrap.check_discovery import Detected


@verb("detect", example="fe check detect --try")
@click.option("--try", "tries", is_flag=True, help="Try each proposed check once on the committed files.")
def check_detect(session: Session, tries: bool) -> None:
    """Propose checks for this repository. They are found from the files and settings of its tools, and printed as lines
    for foureyes.toml. No file is written. With --try, a check that cannot run is left out, and one that fails is not
    required. In a project, what each one printed is kept (fe check show --run N).
    """
    from foureyes.bootstrap.check_trial import propose, try_out

    if not tries:
        _say(session, propose(session.cwd))
        return
    end_cleanly()
    from foureyes.ui.cli.project import teller

    _say(session, try_out(session.cwd, os.environ, session.actor, teller(session)))


def _say(session: Session, detected: Detected) -> None:
    from foureyes.bootstrap.check_trial import as_lines
    from foureyes.ui.cli.project import note_lines, proposals

    lines = as_lines(detected)
    step = fe("config", "accept", before="add these lines to foureyes.toml, commit it, then: ")
    checks = [
        {"rule": each.rule, "source": each.source, "tried": each.tried, "output": each.output, "run": each.run}
        for each in detected.checks
    ]
    fields = {"checks": checks, "prepare": detected.prepare, "notes": detected.notes, "lines": lines}
    shown = proposals(detected.checks) if detected.checks or not detected.notes else []
    text = [*shown, *note_lines(detected.notes)]
    session.answer(fields, "\n".join([*text, *(["", lines.rstrip("\n"), next_line(step)] if lines else [])]))
