"""`fe review calibrate`: what reviewer profiles find in changes of which it is known what is wrong with them."""

from __future__ import annotations

from collections.abc import Sequence

import click

from foureyes.app.views.calibration import CalibrationView
from foureyes.core.nouns.calibration import PAST_CASES, CaseEnd
from foureyes.core.rules.calibrated import percent
from foureyes.core.words.text import visible
from foureyes.errors import VerificationFailed
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, end_cleanly, verb
from foureyes.ui.steps import next_line

MICROS = 1_000_000
ENDS: dict[CaseEnd, str] = {
    "found": "found",
    "let_pass": "pointed at, and agreed to all the same",
    "missed": "missed",
    "quiet": "nothing blocking said",
    "made_up": "made up",
    "no_review": "no review",
}


@verb("calibrate", example="fe review calibrate codex gemini\nfe review calibrate --show")
@click.argument("profiles", nargs=-1, metavar="[PROFILE]...")
@click.option("--show", is_flag=True, help="Only what is known: the last calibration of every profile.")
@click.option("--past", default=PAST_CASES, show_default=True, metavar="N", type=click.IntRange(0, 50),
              help="So many attempts of this project with findings that were true.")  # fmt: skip
@click.option("--case", "cases", multiple=True, metavar="NAME", help="Only this one of the set; nothing is recorded.")
def review_calibrate(
    session: Session, profiles: tuple[str, ...], show: bool, past: int, cases: tuple[str, ...]
) -> None:
    """Give reviewers changes with a planted defect, changes without one, and this project's own past findings, and see
    what they find, miss and make up (V4). Without a profile, those that are asked for reviews.

    Each profile reviews in a throwaway project, by the runs that review in this one; it takes as long as so many
    reviews, and costs as much. review.peers.min_recall keeps who misses too much from counting. For people.
    """
    if show:
        rows = session.app.calibrations.listed()
        rows = [row for row in rows if not profiles or row.profile in profiles]
    else:
        end_cleanly()
        rows = session.app.calibrations.calibrate(
            session.actor, profiles, cases=cases, past=past, progress=_say
        )  # fmt: skip
    if session.json:
        output.write_lines(rows)
    else:
        output.write(
            "\n\n".join(calibration_text(row, cases=show or bool(cases)) for row in rows) or "no calibration yet"
        )
    if not show and any(not row.recorded and (not cases or row.next.steps) for row in rows):
        raise SystemExit(VerificationFailed.exit_code)


def _say(profile: str, case: str, line: str) -> None:
    click.echo(visible(f"{profile}  {case}: {line}"), err=True)


def calibration_text(row: CalibrationView, *, cases: bool = True) -> str:
    """One calibration: what was found, missed, made up, and whether reviews of the profile count."""
    if not row.defects:
        line = f"{row.profile}: {row.problem or 'nothing was tried'}"
        return "\n".join(filter(None, (line, _counts(row), _next(row))))
    what = ", ".join(
        filter(None, (row.program, row.version, row.model and f"model {row.model}", f"set {row.made_with}"))
    )
    lines = [f"{row.profile} ({what}){f', {output.when(row.at)} by {row.by}' if row.at else ''}"]
    seeded = f"{row.found - row.past_found} of {output.count(row.defects - row.past, 'seeded defect')}"
    past = f"; {row.past_found} of {row.past} of this project's own, which count for nothing" if row.past else ""
    lines.append(f"  found     {seeded} ({percent(row.recall)}){past}")
    quiet = output.count(row.quiet_cases, "change") + " without a defect"
    lines.append(f"  made up   {output.count(row.made_up, 'blocking finding')}; {quiet}")
    lines.append(f"  precision {'none' if row.precision is None else percent(row.precision)}")
    lines += [f"  no review {output.count(row.unanswered, 'time')}"] if row.unanswered else []
    lines.append(f"  time      {'none' if row.seconds is None else f'{row.seconds} s'}, median of a review")
    lines.append(f"  cost      {_cost(row)}")
    lines += _cases(row, every=cases)
    lines += [f"  not recorded: {row.problem}"] if row.problem else []
    lines += [f"  {row.old}"] if row.old else []
    return "\n".join([*lines, *filter(None, (_counts(row), _next(row)))])


def _counts(row: CalibrationView) -> str:
    return f"  its reviews do not count: {row.against}" if row.against else ""


def _next(row: CalibrationView) -> str:
    return next_line(row.next) if row.next.steps else ""


def _cases(row: CalibrationView, *, every: bool) -> Sequence[str]:
    """Case by case; else only those in which it did not do well."""
    lines = []
    for each in row.cases:
        if not every and each.end in ("found", "quiet"):
            continue
        beside = f", {each.made_up} made up" if each.made_up and each.end != "made_up" else ""
        why = f": {each.why}" if each.why else ""
        lines.append(f"  {each.case:<22} {ENDS[each.end]}{beside}{why}")
    return lines


def _cost(row: CalibrationView) -> str:
    tokens = f"{row.input_tokens + row.output_tokens:,} tokens" if row.input_tokens or row.output_tokens else ""
    money = f"{row.cost_micros / MICROS:.2f}" if row.cost_micros else ""
    return ", ".join(filter(None, (money, tokens))) or "not reported"
