"""`fe init`, `status`, `doctor`, `prime`, and bare `fe`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import click

from foureyes.app.views.status import Check, StatusView
from foureyes.bootstrap.places import describe, folder_of, is_project, is_shared, no_project_here, repository
from foureyes.core.words.text import flat
from foureyes.errors import EnvironmentProblem, FoureyesError, NoProject, StoreProblem, VerificationFailed
from foureyes.steps import either, fe, phrase
from foureyes.ui.cli import output
from foureyes.ui.cli.attention import first
from foureyes.ui.cli.command import Session, verb
from foureyes.ui.cli.text.attention import first_lines
from foureyes.ui.steps import next_line, steps_text

if TYPE_CHECKING:
    from foureyes.app.views.project import News
    from foureyes.app.views.run import RunnerView
    from foureyes.app.views.run_state import Standstill
    from foureyes.app.views.sprint import SprintGlance
    from foureyes.app.views.status import AttentionView
    from foureyes.bootstrap.check_discovery import CheckProposal
    from foureyes.bootstrap.init import Created

SHOWN_STUCK = 5
"""Number of stuck tasks in `fe status`. `fe attention` lists all."""


@verb("init", example="fe init --prefix shop")
@click.option("--prefix", default="fe", show_default=True, help="Prefix of task ids.")
@click.option("--target", help="The protected branch; default: the current one, if it is the usual one.")
@click.option("--no-commit", is_flag=True, help="Write foureyes.toml without committing it.")
@click.option(
    "--from", "source", metavar="FILE", help="Take settings from an older tool's file (JSON in camelCase, or TOML)."
)
@click.option("--again", "--anew", is_flag=True, help="Start a new journal, because the store is lost. People only.")
@click.option(
    "--try/--no-try",
    "trying",
    default=None,
    help="Run each proposed check once, and leave out what cannot run. The default on a terminal.",
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
    session.note(f"{here} is checked out, and there is {usual}.")
    answer: str = click.prompt("which branch is to be protected?", default=usual, err=True)
    return answer.strip()


def _asks_for_other_program(session: Session) -> bool:
    """Return True if a person wants reviewers of a new project to use another program than the author. (I6)"""
    session.note(
        "Two sessions of one program can miss the same mistakes, but by default (yes) each may review the other."
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
        parts = ["already a project; nothing changed", *tried, *note_lines(made.notes)]
        output.write("\n".join([*parts, *([next_line(made.next)] if made.next else [])]))
        return
    lines = ["Foureyes project created." if made.new else "Foureyes project completed.", f"  target     {made.target}"]
    root = repository(session.cwd).root
    lines += [f"  repository {root}"] if os.path.realpath(root) != os.path.realpath(session.cwd) else []
    lines += proposals(made.checks)
    lines += [f"  checkout   {made.prepare}   makes what they need"] if made.prepare else []
    lines.append("  review     batch: the author of a change may not approve it. All settings: fe config show")
    lines += note_lines(made.notes)
    where = f"store {'on the server' if is_shared(folder_of(repository(session.cwd))) else 'in .foureyes/'}"
    lines.append(f"committed foureyes.toml (1 file); {where}" if made.committed else where)
    learn = fe("setup", "agents-md", before="to instruct your agents: ")
    lines.append(next_line(made.next or either(fe("create", phrase("your first task")), learn, joint="      ")))
    output.write("\n".join(lines))


def note_lines(notes: Sequence[str]) -> list[str]:
    """Return the notes as lines. The lines of a quoted output are indented."""
    return [f"  note       {note}".replace("\n", f"\n{'':<13}") for note in notes]


def proposals(checks: Sequence[CheckProposal]) -> list[str]:
    """Return one line per check with its source. Missing checks are reported too. (M4)"""
    if not checks:
        return ["  checks     none found: nothing can be auto-approved until there is one (M4)"]
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
            lines.append(f"{'':<13}with a report Foureyes could compare it test by test: {proposal.reporting}")
    if not any(proposal.is_of_use and proposal.rule.required for proposal in checks):
        lines.append("             none is required: nothing can be auto-approved until one is (M4)")
    return lines


def _kept_as(proposal: CheckProposal) -> str:
    """Return how a check that fails on the target is treated, and why."""
    if not proposal.is_red:
        return ""
    if proposal.rule.required and proposal.rule.report == "none":
        return f"; red on the target as it is: until that passes, a person accepts each change with a reason{_shown(proposal)}"
    if proposal.rule.required:
        return f"; the tests that fail are known by name, and any other one that fails counts{_shown(proposal)}"
    return f"; not required, because it is red on the target itself{_shown(proposal)}"


def _shown(proposal: CheckProposal) -> str:
    return f" (fe check show --run {proposal.run})" if proposal.run else ""


@verb("status", example="fe status")
def status(session: Session) -> None:
    """Show the project at a glance."""
    view, waiting = session.app.status.show(session.actor), first(session)
    runners, still = session.app.runs.runners(), session.app.runs.standstill()
    fields = {"attention": waiting.rows, "runners": runners, "pauses": still.pauses, "stuck": still.stuck}
    session.answer(
        output.plain(view) | fields,
        status_text(view, waiting, [*unattended(view.sprint, runners), *running_lines(runners, still)]),
    )


def status_text(view: StatusView, waiting: AttentionView, running: Sequence[str] = ()) -> str:
    """Return the status, after the items that wait for a person. (E6)"""
    count, split = view.counts, _split(view.counts)
    lines = [
        *first_lines(waiting),
        f"{view.project} on {view.target} · policy {view.policy} (from {view.policy_source})",
    ]
    words = [f"open {count['open']}" + (f" ({split})" if split else ""), f"in progress {count['in_progress']}"]
    words += [f"reviewing {count['reviewing']}", f"approved {count['approved']}", f"closed {count['closed']}"]
    words += [f"{name} {count[name]}" for name in ("blocked", "rejected", "deferred", "held") if count[name]]
    lines.append("  " + "   ".join(words))
    if view.hold is not None and not any(row.kind == "hold" and not row.task for row in waiting.rows):
        lines.append(f"  HELD      {flat(view.hold)}")
    lines += [sprint_line(view.sprint)] if view.sprint is not None else []
    lines += running
    waits = "1 submission waits" if view.unchecked == 1 else f"{view.unchecked} submissions wait"
    lines += [f"  checks    {waits} for checks (a person or a service: fe check run)"] if view.unchecked else []
    lines += (
        [f"  not by you {view.barred} of those in review: why, and by whom: fe list --reviewable"]
        if view.barred
        else []
    )
    lines += (
        [f"  by rule   {count['auto_approved']} approved automatically (M4): fe audit log"]
        if count["auto_approved"]
        else []
    )
    lines += (
        [f"  landed    {count['landed']} on {view.target} before review: fe list --landed"] if count["landed"] else []
    )
    lines += (
        [f"  unmerged  {count['unmerged']} closed without merging: fe list --unmerged"] if count["unmerged"] else []
    )
    repeats = [view.unaccepted] if any(row.kind == "config" for row in waiting.rows) else []
    repeats += [view.stopped] if any(row.kind == "merge" and not row.task for row in waiting.rows) else []
    lines += [f"  note      {steps_text(note)}" for note in view.notes if note not in repeats]
    return "\n".join([*lines, next_line(view.next)])


def _split(count: Mapping[str, int]) -> str:
    """Return the numbers of open tasks by what they wait for. Tasks that need a person count as stopped. (E6)"""
    if not count["open"]:
        return ""
    more = {name: count.get(name, 0) for name in ("stuck", "epics")}
    more["stopped"] = count["open"] - count["ready"] - count["waiting"] - sum(more.values())
    parts = [
        f"{number} {name[:-1] if (name, number) == ('epics', 1) else name}"
        for name, number in more.items()
        if number > 0
    ]
    return ", ".join([f"{count['ready']} ready", f"{count['waiting']} waiting", *parts])


def sprint_line(sprint: SprintGlance) -> str:
    """Return the progress of the active sprint. (X2)"""
    paused = f"   PAUSED: {flat(sprint.why)}" if sprint.state == "paused" else ""
    more = f"   and {sprint.more} more: fe sprint list" if sprint.more else ""
    return f"  sprint    {sprint.id}  {sprint.sentence}{paused}{more}"


def unattended(sprint: SprintGlance | None, runners: Sequence[RunnerView]) -> list[str]:
    """Return a warning if no runner works on the running sprint. (X5)"""
    if sprint is None or sprint.state != "running" or any(each.state == "live" and each.agents for each in runners):
        return []
    return [f"  NO RUNNER for the tasks of {sprint.id}. To start one: {steps_text(fe('sprint', 'start', sprint.id))}"]


def running_lines(runners: Sequence[RunnerView], still: Standstill) -> list[str]:
    """Return the runners, their runs, and what keeps new runs from starting."""
    lines = []
    for runner in runners:
        words = {"live": "", "gone": ", gone", "silent": ", silent", "ended": ", ended"}[runner.state]
        at_work = len(runner.runs) if runner.state == "live" else 0
        what = f"{at_work} of {runner.agents} at work" if runner.agents else "watches"
        what += f", for {output.age(runner.started_at)}"
        lines.append(f"  runner    {what}, started by {flat(runner.starter)} on {flat(runner.host)}{words}")
        left = {"live": "", "silent": "its runner is not heard of"}.get(runner.state, "its runner is gone")
        lines += [
            f"  run       {run.task}  {run.profile}  {left}: fe run goes on with it"
            if left
            else f"  run       {run.task}  {run.profile}  {run.state}: fe attach {run.task}"
            for run in runner.runs
        ]
    lines += [f"  PAUSED    {pause.task or 'everything'}: {flat(pause.reason)}" for pause in still.pauses]
    lines += [f"  STUCK     {row.task}: {flat(row.why)}" for row in still.stuck[:SHOWN_STUCK]]
    return lines


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
    output.write("the rest needs the store, and was not checked")


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
