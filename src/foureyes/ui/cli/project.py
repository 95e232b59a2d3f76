"""`fe init`, `doctor`, `prime`, and bare `fe`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import click

from foureyes.app.results.status import Check
from foureyes.bootstrap.places import describe, folder_of, is_project, is_shared, no_project_here, repository
from foureyes.core.words.text import flat
from foureyes.errors import EnvironmentProblem, FoureyesError, NoProject, StoreProblem, VerificationFailed
from foureyes.steps import fe, phrase
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.cli.status import first, status_text
from foureyes.ui.steps import next_line

if TYPE_CHECKING:
    from foureyes.app.results.project import News
    from foureyes.bootstrap.check_discovery import CheckProposal
    from foureyes.bootstrap.init import Created


@verb("init", example="fe init --prefix shop")
@click.option("--prefix", default="fe", show_default=True, help="Prefix of task ids.")
@click.option("--target", help="The protected branch. Default: the current one, if it is the usual one.")
@click.option("--no-commit", is_flag=True, help="Write foureyes.toml without committing it.")
@click.option(
    "--from", "source", metavar="FILE", help="Take settings from an older tool's file (JSON in camelCase, or TOML)."
)
@click.option("--again", "--anew", is_flag=True, help="Start a new journal, because the store is lost. People only.")
@click.option(
    "--try/--no-try",
    "trying",
    default=None,
    help="Run each proposed check once, and leave out what cannot run. Default on a terminal.",
)
def init(
    session: Session,
    prefix: str,
    target: str | None,
    no_commit: bool,
    source: str | None,
    again: bool,
    trying: bool | None,
) -> None:
    """Set up Foureyes in this git repository. Creates .foureyes/, which is never committed, and foureyes.toml in one
    commit.
    """
    from foureyes.bootstrap.init import create_project, refuse_second_journal

    place = repository(session.cwd)
    is_new = not is_project(folder_of(place))
    if is_new and not again:
        refuse_second_journal(place, os.environ)
    if target is None and not again and session.can_ask:
        target = _asked_target(session)
    if trying is None:
        trying = is_new and sys.stdin.isatty() and sys.stderr.isatty() and not session.json
    other_program = is_new and not again and not source and session.can_ask and _asks_for_other_program(session)
    made = create_project(
        session.cwd,
        os.environ,
        session.actor,
        prefix=prefix,
        target=target,
        commit=not no_commit,
        source=source,
        trying=trying,
        other_program=other_program,
        home=session.home,
        again=again,
        tell=teller(session) if trying else _unheard,
    )
    _say_made(session, made)


def teller(session: Session) -> Callable[[News], None]:
    """Return the function that receives progress. It is silent with `--json`."""
    from foureyes.ui.cli.checks import Teller

    return _unheard if session.json else Teller(session)


def _unheard(news: News) -> None:
    """Ignore progress."""


def _asked_target(session: Session) -> str | None:
    """Ask which branch to protect if the current one is not the usual one."""
    from foureyes.bootstrap.init import unsure_target

    here, usual = unsure_target(session.cwd)
    if not usual:
        return None
    session.note(f"{here} is checked out, but there is also {usual}.")
    answer: str = click.prompt("which branch should be protected?", default=usual, err=True)
    return answer.strip()


def _asks_for_other_program(session: Session) -> bool:
    """Return True if a person wants reviewers of a new project to use another program than the author. (I6)"""
    session.note(
        "Two sessions of one program can miss the same mistakes. Unless you say no, each may still review the other."
    )
    return not click.confirm("May one claude approve what another claude made?", default=True, err=True)


def _say_made(session: Session, made: Created) -> None:
    """Print the result of `fe init` and the remaining steps."""
    fields = {
        "created": made.new,
        "project": made.project,
        "target": made.target,
        "prefix": made.prefix,
        "commit": made.committed,
    }
    if session.json:
        checks = [
            {"rule": each.rule, "source": each.source, "tried": each.tried, "output": each.output, "run": each.run}
            for each in made.checks
        ]
        fields |= {"checks": checks, "prepare": made.prepare, "notes": made.notes}
        output.write_json(fields | ({"next": made.next} if made.next else {}))
        return
    if made.joined is not None:
        from foureyes.ui.cli.text.store import joined_text

        output.write(joined_text(made.joined))
        return
    if not made.new and not made.committed:
        tried = proposals(made.checks) if any(each.tried for each in made.checks) else []
        parts = ["this is already a project, so nothing was changed", *tried, *note_lines(made.notes)]
        output.write("\n".join([*parts, *([next_line(made.next)] if made.next else [])]))
        return
    lines = ["Foureyes project created." if made.new else "Foureyes project completed.", f"  target     {made.target}"]
    root = repository(session.cwd).root
    lines += [f"  repository {root}"] if os.path.realpath(root) != os.path.realpath(session.cwd) else []
    lines += proposals(made.checks)
    lines += [f"  checkout   {made.prepare}   installs what they need"] if made.prepare else []
    lines.append(
        "  review     batch: someone other than the author must approve each change. All settings: fe config show"
    )
    lines += note_lines(made.notes)
    where = f"store {'on the server' if is_shared(folder_of(repository(session.cwd))) else 'in .foureyes/'}"
    lines.append(f"committed foureyes.toml, {where}" if made.committed else where)
    if not made.next:
        lines.append("to instruct your agents: fe setup agents-md")
    lines.append(next_line(made.next or fe("create", phrase("your first task"))))
    output.write("\n".join(lines))


def note_lines(notes: Sequence[str]) -> list[str]:
    """Return the notes as lines. The lines of a quoted output are indented."""
    return [f"  note       {note}".replace("\n", f"\n{'':<13}") for note in notes]


def proposals(checks: Sequence[CheckProposal]) -> list[str]:
    """Return one line per check with its source. Missing checks are reported too. (M4)"""
    if not checks:
        return ["  checks     none found, so nothing can be approved automatically (M4)"]
    lines: list[str] = []
    for proposal in sorted(checks, key=lambda each: not each.is_of_use):
        if proposal.is_of_use:
            tried = f"   tried: {proposal.tried}{_kept_as(proposal)}" if proposal.tried else ""
            label = "" if lines else "checks"
            lines.append(f"  {label:<10} {proposal.rule.name:<8} {proposal.rule.run}   from {proposal.source}{tried}")
        else:
            lines.append(
                f"  left out   {proposal.rule.name:<8} {proposal.rule.run}   {proposal.tried}{_shown(proposal)}"
            )
        if proposal.is_of_use and proposal.reporting:
            lines.append(f"{'':<13}to compare it with main test by test, add a report: {proposal.reporting}")
    if not any(proposal.is_of_use and proposal.rule.required for proposal in checks):
        lines.append("             none is required, so nothing can be approved automatically (M4)")
    return lines


def _kept_as(proposal: CheckProposal) -> str:
    """Return how a check that fails on the target is treated, and why."""
    if not proposal.is_red:
        return ""
    if proposal.rule.required and proposal.rule.report == "none":
        return f". It is red on the target, so until it passes there, a person accepts each change with a reason{_shown(proposal)}"
    if proposal.rule.required:
        return f". The failing tests are recorded by name, and only other failures count{_shown(proposal)}"
    return f". Not required, because it is red on the target itself{_shown(proposal)}"


def _shown(proposal: CheckProposal) -> str:
    return f" (fe check show --run {proposal.run})" if proposal.run else ""


@verb("doctor", example="fe doctor")
def doctor(session: Session) -> None:
    """Check the setup and report problems. Repairs nothing. Exit code 6 if something is broken."""
    from foureyes.ui.cli.store import show_progress

    try:
        checks = session.app.doctor.examine(session.actor, show_progress)
    except StoreProblem as problem:
        _look_without(session, problem)
        raise SystemExit(problem.exit_code) from None
    failures = sum(check.result == "fail" for check in checks)
    if session.json:
        output.write_lines(checks)
        if failures:
            raise SystemExit(VerificationFailed.exit_code)
        return
    _write_checks(checks)
    if failures:
        raise SystemExit(VerificationFailed.exit_code)


def _write_checks(checks: list[Check]) -> None:
    for check in checks:
        output.write(_check(check))
    warnings, failures = (sum(check.result == result for check in checks) for result in ("warn", "fail"))
    output.write(f"{len(checks)} checked, {output.count(warnings, 'warning')}, {output.count(failures, 'failure')}")


def _look_without(session: Session, problem: StoreProblem) -> None:
    """Print the diagnosis of git and the target when the store cannot be opened."""
    from foureyes.bootstrap.diagnosis import examined_without

    checks = [*examined_without(session.cwd), Check("store", "fail", problem.message, problem.next_step)]
    if session.json:
        output.write_lines(checks)
        output.flush()
        return
    _write_checks(checks)
    output.write("the other checks need the store and were skipped")


def _check(check: Check) -> str:
    result = "FAIL" if check.result == "fail" else check.result
    return f"{result:<5} {flat(check.message)}" + (f"      {next_line(check.next)}" if check.next else "")


@verb("prime", example="fe prime")
def prime(session: Session) -> None:
    """Print the instructions for agents, in less than 2 KB."""
    from foureyes.config.primer import PRIME

    session.answer({"prime": PRIME}, PRIME.rstrip("\n"))


WHAT_IT_IS = "Foureyes: nothing reaches main until someone other than its author approves it."


def bare(ctx: click.Context) -> None:
    """Run bare `fe`: instructions for an agent, the app on a terminal, else the status. Without a project it says what
    Foureyes is and how to start.
    """
    from foureyes.ui.cli.tui import can_draw, open_terminal, prepare_terminal

    prepare_terminal()
    session = ctx.ensure_object(Session)
    if session.actor.kind == "agent":
        from foureyes.config.primer import PRIME

        output.write("\n".join([*_own_work(session), PRIME.rstrip("\n")]))
        return
    try:
        place = repository(session.cwd)
    except EnvironmentProblem:
        session.note(WHAT_IT_IS)
        raise
    on_terminal = can_draw()
    made: Created | None = None
    is_new = not is_project(folder_of(place))
    if is_new and (elsewhere := no_project_here(place, os.environ)):
        raise elsewhere
    if is_new and not (on_terminal and (made := _first_run(session, describe(place)))):
        session.note(WHAT_IT_IS)
        raise NoProject(
            f"no Foureyes project here yet ({describe(place)}).",
            next_step=fe("init", after="   creates .foureyes/ and commits foureyes.toml, nothing else"),
        )
    if on_terminal:
        open_terminal(session, "; ".join(made.notes) if made is not None else "")
        return
    output.write(status_text(session.app.status.show(session.actor), first(session)))


def _own_work(session: Session) -> list[str]:
    """Return what an agent must do for its own tasks first. Nothing without a project."""
    try:
        lines = [flat(line) for line in session.app.status.own(session.actor)]
    except FoureyesError:
        return []
    return ["YOUR OWN WORK FIRST", *[f"  {line}" for line in lines], ""] if lines else []


def _first_run(session: Session, where: str) -> Created | None:
    """Offer to set up the project on a small screen. Return the new project, or None."""
    from foureyes.bootstrap.init import create_project
    from foureyes.ui.tui.first_run import FirstRun

    if not FirstRun(where).run():
        return None
    made = create_project(
        session.cwd, os.environ, session.actor, prefix="fe", target=None, commit=True, home=session.home, trying=True,
        tell=teller(session),
    )  # fmt: skip
    _say_made(session, made)
    return made
