"""Diagnostics: the only module that writes to stderr and chooses exit codes. Errors are text, or JSON on stdout."""

from __future__ import annotations

import os
import sys

from foureyes.core.words.text import flat, in_encoding, visible
from foureyes.errors import BadInput, FoureyesError, Internal, Refused
from foureyes.steps import NO_STEP, Steps
from foureyes.ui.cli import output
from foureyes.ui.cli.output import write_json
from foureyes.ui.steps import next_line

USAGE = 2
INTERRUPTED = 130


CLEARED = "\r\x1b[K"
_passing = False


def talk(text: str) -> None:
    """Print progress, hints or warnings."""
    global _passing
    sys.stderr.write((CLEARED if _passing else "") + in_encoding(visible(text) + "\n", sys.stderr.encoding or "utf-8"))
    _passing = False


def pass_by(text: str) -> None:
    """Print a line that the next one replaces. Without a terminal, print nothing."""
    global _passing
    if not sys.stderr.isatty() or os.environ.get("TERM", "dumb") == "dumb":
        return
    from shutil import get_terminal_size

    line = flat(text)[: get_terminal_size().columns - 1]
    sys.stderr.write(CLEARED + in_encoding(line, sys.stderr.encoding or "utf-8"))
    sys.stderr.flush()
    _passing = True
    output.ahead = _clear


def _clear() -> None:
    """Remove a transient line before other output."""
    global _passing
    if _passing:
        sys.stderr.write(CLEARED)
        sys.stderr.flush()
    _passing = False


def report(problem: FoureyesError, *, json: bool) -> int:
    """Print a problem, its reasons and the next step. Return the exit code."""
    if json:
        from foureyes.ui.values import error_of

        write_json(error_of(problem))
    elif problem.reasons:
        talk(_reasons(problem) + (_why(problem) if sys.stderr.isatty() else ""))
    else:
        talk(f"fe: {flat(problem.message)}" + (f"\n  {next_line(problem.next_step)}" if problem.next_step else ""))
    return problem.exit_code


def _reasons(problem: FoureyesError) -> str:
    """Return a refusal with all reasons, each with its rule and next step."""
    count = len(problem.reasons)
    opening = "refused: " if isinstance(problem, Refused) else "fe: "
    lines = [f"{opening}{flat(problem.message).rstrip('.')}. {count} {'reason' if count == 1 else 'reasons'}:"]
    for reason in problem.reasons:
        lines.append(f"  - {flat(reason.message)}" + (f" ({reason.rule})" if reason.rule else ""))
        if reason.next:
            lines.append(f"    {next_line(reason.next)}")
    return "\n".join([*lines, problem.left])


def _why(problem: FoureyesError) -> str:
    """Return the command that explains the rules of a refusal."""
    ids = dict.fromkeys(reason.rule for reason in problem.reasons if reason.rule)
    return f"\nwhy: fe help {' '.join(ids)}" if ids else ""


def report_usage(message: str, *, json: bool, next_step: Steps = NO_STEP) -> int:
    """Print a usage error and return its exit code."""
    if json:
        from foureyes.ui.values import error_of

        write_json(error_of(BadInput(message, next_step=next_step)))
    else:
        talk(f"fe: {message}" + (f"\n  {next_line(next_step)}" if next_step else ""))
    return USAGE


def report_crash(problem: BaseException, *, json: bool, folder: str | None) -> int:
    """Save the traceback of a defect and print where it is. Return the exit code."""
    where = _keep(problem, folder)
    internal = Internal(
        "internal error, nothing was changed."
        + (f" Report with {where}" if where else f" {type(problem).__name__}: {problem}")
    )
    return report(internal, json=json)


def _keep(problem: BaseException, folder: str | None) -> str:
    if folder is None or not os.path.isdir(folder):
        return ""
    try:
        import traceback

        from foureyes.bootstrap.files import append_trace

        return append_trace(folder, f"crash-{os.getpid()}.txt", "".join(traceback.format_exception(problem)))
    except OSError:
        return ""
