"""Acceptance of the configuration: the foureyes.toml that a person accepts, and the target it names. (P12)"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.target import ask_target, branch_here, noted_name, points_on_record
from foureyes.config import FILE
from foureyes.core.rules.policy import digest_of
from foureyes.core.words.ids import Sha
from foureyes.core.words.text import flat
from foureyes.errors import ConfigError, FoureyesError, Reason, Refused, RemoteProblem
from foureyes.steps import Steps, blank, by, by_person, either, fe, in_turn, prose, shell

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.results.project import ProjectView


# ---- Asking the remote (P12, Q6) ----


def ask_remote(context: Context) -> tuple[ProjectView, RemoteTips]:
    """Return the project, and the remote's heads of its target and next target. Refuse if the remote cannot be asked,
    because its file is then unknown.
    """
    with context.store.read() as tx:
        project = context.project(tx)
    remote = remote_in(project.accepted_text)
    if not remote:
        return project, {}
    try:
        return project, _heard(context, project)
    except RemoteProblem as problem:
        why = f"the {FILE} on {project.target} of {remote} is unknown: {problem.message}"
        raise _not_accepted(why, in_turn(problem.next_step, ACCEPT)) from problem


def _heard(context: Context, project: ProjectView) -> RemoteTips:
    answered = ask_target(context)
    heard = {project.target: answered.tip} if answered and answered.tip else {}
    wanted = named_in(context.repo.file_at(read_at(context, project, project.target, heard), FILE)).target
    with context.store.read() as tx:
        remote = context.remote(tx)
    if remote is not None and wanted not in ("", project.target):
        tip = remote.fetch([branch := f"{BRANCH}{wanted}"]).get(branch)
        heard |= {wanted: tip} if tip else {}
    return heard


def refuse_unpushed(context: Context, project: ProjectView, heard: RemoteTips) -> None:
    """Refuse to accept a file that only this clone has. The file on the remote's target counts."""
    target, at, repo = project.target, read_at(context, project, project.target, heard), context.repo
    here, there = branch_here(context, target), repo.commit_of(at)
    if at == target or here is None or there is None or repo.is_ancestor(here, there):
        return
    if repo.file_at(target, FILE) == repo.file_at(at, FILE):
        return
    remote = remote_in(project.accepted_text)
    why = f"{FILE} on {target} of this clone differs from the one on {target} of {remote}, and only the remote's counts"
    push = by_person(shell("git", "push", remote, target))
    if not repo.is_ancestor(there, here):
        push = in_turn(by_person(shell("git", "pull", "--no-rebase", remote, target)), push)
    raise _not_accepted(why, in_turn(push, ACCEPT))


def _not_accepted(why: str, step: Steps) -> Refused:
    return Refused("nothing was accepted.", reasons=(Reason("P12", why, step),), next_step=step)


# ---- The target named in foureyes.toml ----

BRANCH = "refs/heads/"
BRANCHES_LOOKED_AT = 200
"""Number of branches to search for a renamed target."""
NEW_COMMITS = 200
"""Number of commits to search for a known one, and to show if there is none."""
RemoteTips = Mapping[str, Sha]
"""Branch heads as the remote just answered."""
ACCEPT = by_person(fe("config", "accept"))
BRING_HERE = in_turn(
    fe("store", "backup", blank("FILE"), before="where its store is: ", after=", here: "),
    by_person(fe("store", "restore", blank("FILE"))),
    joint="",
)
"""Next steps if the store belongs to another project than the target's file."""


class ConfiguredProject(msgspec.Struct, frozen=True):
    """The project and target that a foureyes.toml names."""

    project: str = ""
    target: str = ""


def named_in(text: str | None) -> ConfiguredProject:
    """Return the project and target that a file names. An unreadable file names none."""
    if not text:
        return ConfiguredProject()
    from foureyes.config.parser import read_file  # usually there is no file, or it is parsed already

    try:
        known = read_file(text)
    except ConfigError:
        return ConfiguredProject()
    return ConfiguredProject(str(known.get("project.id", "")), str(known.get("project.target", "")))


@lru_cache(maxsize=4)
def remote_in(text: str | None) -> str:
    """Return the remote that a file names, or ""."""
    if not text:
        return ""
    from foureyes.config.parser import read_file

    try:
        return str(read_file(text).get("git.remote", ""))
    except ConfigError:
        return ""


def read_at(context: Context, project: ProjectView, branch: str, heard: RemoteTips | None = None) -> str:
    """Return the ref to read a branch's files from. (Q6)

    It is the remote's last known head, or the local branch if there is no remote. For a decision, pass `heard`, the
    remote's current answer, because anyone can change local refs.
    """
    if heard is not None:
        return heard.get(branch, branch)
    return noted_name(context, remote_in(project.accepted_text), branch)


def is_missing(context: Context, branch: str) -> bool:
    """Return True if the branch does not exist here."""
    return branch_here(context, branch) is None


def wanted_target(context: Context, project: ProjectView, heard: RemoteTips | None = None) -> str:
    """Return the target after an acceptance. Refuse a new target that does not exist, or whose own foureyes.toml does
    not name it. (P12)
    """
    text = context.repo.file_at(read_at(context, project, project.target, heard), FILE)
    if text is None:
        return renamed_to(context, project) or project.target
    wanted = named_in(text).target or project.target
    if wanted == project.target:
        return wanted
    at = read_at(context, project, wanted, heard)
    if at == wanted and is_missing(context, wanted):
        make = by_person(shell("git", "branch", wanted, project.target))
        raise _not_retargeted(project, wanted, "there is no such branch", in_turn(make, ACCEPT))
    named = named_in(context.repo.file_at(at, FILE))
    if named != ConfiguredProject(project.id, wanted):
        bring = prose(f"put {FILE} of {project.target} on {wanted}, then: ") + ACCEPT
        raise _not_retargeted(project, wanted, f"{FILE} there does not name it as this project's target", bring)
    return wanted


def _not_retargeted(project: ProjectView, wanted: str, why: str, step: Steps) -> Refused:
    reason = Reason("P12", f"{FILE} on {project.target} names {wanted} as the target, but {why}", step)
    return Refused("the target stays as it is.", reasons=(reason,), next_step=step)


def renamed_to(context: Context, project: ProjectView) -> str:
    """Return the new name of a missing target, if exactly one branch says that it is this project's target."""
    if not is_missing(context, project.target):
        return ""
    names = [ref.removeprefix(BRANCH) for ref in context.repo.heads() if not ref.startswith(f"{BRANCH}fe/")]
    matches = [
        name
        for name in names[:BRANCHES_LOOKED_AT]
        if named_in(context.repo.file_at(name, FILE)) == ConfiguredProject(project.id, name)
    ]
    return matches[0] if len(matches) == 1 else ""


def brought_along(
    context: Context, project: ProjectView, target: str, heard: RemoteTips | None = None
) -> tuple[tuple[str, ...], str]:
    """Return a line about each commit that the future target adds to the known ones, and its head. (P12, Q5)

    Commits of the current target are listed only before the first task has begun.
    """
    with context.store.read() as tx:
        known = points_on_record(tx)
    if target == project.target and known:
        return (), ""
    line = context.repo.line(read_at(context, project, target, heard), NEW_COMMITS)
    tip = line[0].sha if line else ""
    if target == project.target and not project.tip:
        return (), tip
    known |= {Sha(project.tip)} if project.tip else set()
    last = next((n for n, commit in enumerate(line) if commit.sha in known), None)
    if last is None:
        at = f"it is at {tip[:12]} {flat(line[0].subject)}" if line else "it has no commit"
        return (f"it is unknown where {project.target} was, so other commits on {target} cannot be listed: {at}",), tip
    brings = f"{target} brings" if target != project.target else f"on {target} since fe init:"
    return tuple(f"{brings} {commit.sha[:12]} {flat(commit.subject)}" for commit in line[:last]), tip


# ---- Differences to the accepted configuration ----

INIT = by_person(fe("init"))


class Unaccepted(msgspec.Struct, frozen=True):
    """The difference between the target's foureyes.toml and the accepted one, and the next step. `acceptable`: it can
    be accepted as it is.
    """

    text: str
    next: Steps = ACCEPT
    acceptable: bool = True


def unaccepted(context: Context, project: ProjectView) -> Unaccepted | None:
    """Return how the target's foureyes.toml differs from the accepted one, or None. With a remote, its last known
    target is compared. (P12, Q6)
    """
    at = read_at(context, project, project.target)
    text = context.repo.file_at(at, FILE)
    defaults = "the built-in defaults are in force"
    if text is None and is_missing(context, project.target):
        return _gone(context, project)
    named = named_in(text)
    where = project.target if at == project.target else f"{project.target} of {remote_in(project.accepted_text)}"
    if named.project not in ("", project.id):
        return Unaccepted(
            f"{FILE} on {where} belongs to another project ({named.project})", BRING_HERE, acceptable=False
        )
    if named.target not in ("", project.target):
        return Unaccepted(f"{FILE} names {named.target} as the target, but this project merges into {project.target}")
    if project.accepted_text is None and not text:
        return Unaccepted(f"{FILE} is not on {where}, so {defaults}", INIT, acceptable=False)
    if project.accepted_text is None:
        return Unaccepted(f"{FILE} on {where} was never accepted, so {defaults}")
    if digest_of(text or "") == project.accepted_digest or _knows_more(context, project, at):
        return None
    if text is None:
        return Unaccepted(f"{FILE} is gone from {where}, so the one accepted last is in force")
    if not _is_behind(context, project, at):
        return Unaccepted(f"{FILE} on {where} has changes that were not accepted, so it is not used")
    step = either(fe("doctor"), ACCEPT, joint=", and if the remote has it too: ")
    return Unaccepted(
        f"{FILE} on {where}, as this clone last saw it, has changes that were not accepted", step, acceptable=False
    )


def not_in_force(context: Context) -> Reason | None:
    """Return a reason if the target's foureyes.toml is not accepted, to show with check results. None if it is, or if
    git fails. (P12)
    """
    try:
        with context.store.read() as tx:
            project = context.project(tx)
        left = unaccepted(context, project)
    except FoureyesError:
        return None
    return Reason("P12", left.text, left.next) if left else None


def with_unaccepted(context: Context, reasons: tuple[Reason, ...]) -> tuple[Reason, ...]:
    """Add a note to a refusal over checks (D5) if the target's file names other checks than the accepted one. (P12)"""
    note = not_in_force(context) if any(reason.rule == "D5" for reason in reasons) else None
    return (*reasons, note) if note else reasons


def _is_behind(context: Context, project: ProjectView, at: str) -> bool:
    """Return True if the accepted commit came to the remote after the last fetch. (Q6)"""
    if not remote_in(project.accepted_text) or not project.accepted_at:
        return False
    seen, accepted = context.repo.commit_of(at), context.repo.commit_of(project.accepted_at)
    return seen is not None and (accepted is None or not context.repo.is_ancestor(accepted, seen))


def _knows_more(context: Context, project: ProjectView, at: str) -> bool:
    """Return True if this clone's target is newer than the last known remote one, and has the accepted file. (Q6)"""
    repo, target = context.repo, project.target
    if at == target:
        return False
    here, there = branch_here(context, target), repo.commit_of(at)
    if here is None or there is None or not repo.is_ancestor(there, here):
        return False
    return digest_of(repo.file_at(target, FILE) or "") == project.accepted_digest


def _gone(context: Context, project: ProjectView) -> Unaccepted:
    """Describe a missing target. A person accepts its new name or restores the branch."""
    from foureyes.app.work.worktrees import no_target

    text = no_target(project.target)
    new = renamed_to(context, project)
    if new:
        return Unaccepted(f"{text}. {FILE} on {new} names {new} as the target now")
    bring = by(
        "person",
        shell("git", "branch", project.target, blank("BRANCH-OR-COMMIT")),
        "a person restores the branch from its current commit: ",
    )
    rename = prose(
        f'If the branch was renamed, a person writes target = "its name" into {FILE} there, commits it, then: '
    )
    return Unaccepted(text, in_turn(bring, rename + fe("config", "accept"), joint=". "), acceptable=False)
