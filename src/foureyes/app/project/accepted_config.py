"""Acceptance of the configuration (P12): which foureyes.toml a person decides about, and the target that it names."""

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
    from foureyes.app.views.project import ProjectView


# ---- Asking (P12, Q6) ----


def ask_remote(context: Context) -> tuple[ProjectView, RemoteTips]:
    """The project, and where the remote has its target, and the branch that is to be the target next; where it cannot
    be asked nobody knows which file is meant.
    """
    with context.store.read() as tx:
        project = context.project(tx)
    remote = remote_in(project.accepted_text)
    if not remote:
        return project, {}
    try:
        return project, _heard(context, project)
    except RemoteProblem as problem:
        why = f"which {FILE} is on {project.target} of {remote} is not known: {problem.message}"
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
    """Where nothing is new there: a file that only this clone has is not the one that everybody would go by."""
    target, at, repo = project.target, read_at(context, project, project.target, heard), context.repo
    here, there = branch_here(context, target), repo.commit_of(at)
    if at == target or here is None or there is None or repo.is_ancestor(here, there):
        return
    if repo.file_at(target, FILE) == repo.file_at(at, FILE):
        return
    remote = remote_in(project.accepted_text)
    why = f"{FILE} on {target} of this clone is not the one on {target} of {remote}, which counts"
    push = by_person(shell("git", "push", remote, target))
    if not repo.is_ancestor(there, here):
        push = in_turn(by_person(shell("git", "pull", "--no-rebase", remote, target)), push)
    raise _not_accepted(why, in_turn(push, ACCEPT))


def _not_accepted(why: str, step: Steps) -> Refused:
    return Refused("nothing was accepted.", reasons=(Reason("P12", why, step),), next_step=step)


# ---- The branch that foureyes.toml names as the target ----

BRANCH = "refs/heads/"
BRANCHES_LOOKED_AT = 200
"""So many branches are looked at for the one that the target was renamed to."""
NEW_COMMITS = 200
"""So many commits of a branch are looked at for one that is known, and are shown if none is newer."""
RemoteTips = Mapping[str, Sha]
"""What the remote has for branches, as it answered just now."""
ACCEPT = by_person(fe("config", "accept"))
BRING_HERE = in_turn(
    fe("store", "backup", blank("FILE"), before="where its store is: ", after=", here: "),
    by_person(fe("store", "restore", blank("FILE"))),
    joint="",
)
"""The way where this store is of another project than the target's file."""


class ConfiguredProject(msgspec.Struct, frozen=True):
    """What a foureyes.toml says about whose it is."""

    project: str = ""
    target: str = ""


def named_in(text: str | None) -> ConfiguredProject:
    """Project and target that a file names; one that cannot be read names none, and what reads it says why."""
    if not text:
        return ConfiguredProject()
    from foureyes.config.parser import read_file  # most often there is nothing to read, or it was read before

    try:
        known = read_file(text)
    except ConfigError:
        return ConfiguredProject()
    return ConfiguredProject(str(known.get("project.id", "")), str(known.get("project.target", "")))


@lru_cache(maxsize=4)
def remote_in(text: str | None) -> str:
    """The remote that a file names; empty where it names none."""
    if not text:
        return ""
    from foureyes.config.parser import read_file

    try:
        return str(read_file(text).get("git.remote", ""))
    except ConfigError:
        return ""


def read_at(context: Context, project: ProjectView, branch: str, heard: RemoteTips | None = None) -> str:
    """Q6: where the files of a branch are read: as the remote had it when it was last asked; in this repository where
    the project has no remote, or the remote has no such branch. Who decides goes by what was `heard` just now, and
    not by what is noted here.
    """
    if heard is not None:
        return heard.get(branch, branch)
    return noted_name(context, remote_in(project.accepted_text), branch)


def is_missing(context: Context, branch: str) -> bool:
    """Whether there is no such branch here."""
    return branch_here(context, branch) is None


def wanted_target(context: Context, project: ProjectView, heard: RemoteTips | None = None) -> str:
    """P12: the target after accepting. Another one than now must exist and say the same of itself: else nobody could
    tell which file is meant.
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
        bring = prose(f"bring {FILE} of {project.target} to {wanted}, then: ") + ACCEPT
        raise _not_retargeted(project, wanted, f"{FILE} there does not say that it is this project's target", bring)
    return wanted


def _not_retargeted(project: ProjectView, wanted: str, why: str, step: Steps) -> Refused:
    reason = Reason("P12", f"{FILE} on {project.target} names {wanted} as the target, and {why}", step)
    return Refused("the target stays as it is.", reasons=(reason,), next_step=step)


def renamed_to(context: Context, project: ProjectView) -> str:
    """The branch that the target is called now, if it is gone and exactly one branch says that it is this project's
    target.
    """
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
    """P12: what is on the branch that would be the target and is not known from the one before, a line each: its newest
    commits, down to one that a task began from or was merged as, or where the target was at `fe init`. And where that
    branch is. Of the target itself it is asked until the first task began: then its commits are listed (Q5).
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
        return (f"where {project.target} was is not known, so nothing tells what else is on {target}: {at}",), tip
    brings = f"{target} brings" if target != project.target else f"on {target} since fe init:"
    return tuple(f"{brings} {commit.sha[:12]} {flat(commit.subject)}" for commit in line[:last]), tip


# ---- Acceptance of the configuration ----

INIT = by_person(fe("init"))


class Unaccepted(msgspec.Struct, frozen=True):
    """The foureyes.toml on the target is not the one in force: what to say about it, and what helps. `acceptable`: it
    can be accepted as it is.
    """

    text: str
    next: Steps = ACCEPT
    acceptable: bool = True


def unaccepted(context: Context, project: ProjectView) -> Unaccepted | None:
    """P12: what there is to say about the foureyes.toml on the target, if it is not the one in force. A file that is
    missing cannot be accepted. With a remote its target counts, as it was when it was last asked (Q6).
    """
    at = read_at(context, project, project.target)
    text = context.repo.file_at(at, FILE)
    defaults = "the built-in defaults are in force"
    if text is None and is_missing(context, project.target):
        return _gone(context, project)
    named = named_in(text)
    where = project.target if at == project.target else f"{project.target} of {remote_in(project.accepted_text)}"
    if named.project not in ("", project.id):
        return Unaccepted(f"{FILE} on {where} is of another project ({named.project})", BRING_HERE, acceptable=False)
    if named.target not in ("", project.target):
        return Unaccepted(f"{FILE} names {named.target} as the target, and this project merges into {project.target}")
    if project.accepted_text is None and not text:
        return Unaccepted(f"{FILE} is not on {where}: {defaults}", INIT, acceptable=False)
    if project.accepted_text is None:
        return Unaccepted(f"{FILE} on {where} was never accepted: {defaults}")
    if digest_of(text or "") == project.accepted_digest or _knows_more(context, project, at):
        return None
    if text is None:
        return Unaccepted(f"{FILE} is gone from {where}: the one accepted last is in force")
    if not _is_behind(context, project, at):
        return Unaccepted(f"{FILE} on {where} is not the accepted one and is not used")
    step = either(fe("doctor"), ACCEPT, joint="; if that says so, too: ")
    return Unaccepted(f"{FILE} on {where}, as this clone last saw it, is not the accepted one", step, acceptable=False)


def not_in_force(context: Context) -> Reason | None:
    """P12: the foureyes.toml on the target that is not in force, as a reason beside checks; None where it is, or where
    git cannot say.
    """
    try:
        with context.store.read() as tx:
            project = context.project(tx)
        left = unaccepted(context, project)
    except FoureyesError:
        return None
    return Reason("P12", left.text, left.next) if left else None


def with_unaccepted(context: Context, reasons: tuple[Reason, ...]) -> tuple[Reason, ...]:
    """P12: who is refused for a check (D5) reads that the checks on the target are not the ones in force."""
    note = not_in_force(context) if any(reason.rule == "D5" for reason in reasons) else None
    return (*reasons, note) if note else reasons


def _is_behind(context: Context, project: ProjectView, at: str) -> bool:
    """Q6: whether the commit with the file in force came to the remote after it was last asked here."""
    if not remote_in(project.accepted_text) or not project.accepted_at:
        return False
    seen, accepted = context.repo.commit_of(at), context.repo.commit_of(project.accepted_at)
    return seen is not None and (accepted is None or not context.repo.is_ancestor(accepted, seen))


def _knows_more(context: Context, project: ProjectView, at: str) -> bool:
    """Q6: whether this clone was brought up to date since the remote was last asked, and has the file in force."""
    repo, target = context.repo, project.target
    if at == target:
        return False
    here, there = branch_here(context, target), repo.commit_of(at)
    if here is None or there is None or not repo.is_ancestor(there, here):
        return False
    return digest_of(repo.file_at(target, FILE) or "") == project.accepted_digest


def _gone(context: Context, project: ProjectView) -> Unaccepted:
    """The target was renamed, which a person accepts; or comes back under its name."""
    from foureyes.app.work.worktrees import no_target

    text = no_target(project.target)
    new = renamed_to(context, project)
    if new:
        return Unaccepted(f"{text}; {FILE} on {new} says that it is {new} now")
    bring = by(
        "person",
        shell("git", "branch", project.target, blank("BRANCH-OR-COMMIT")),
        "a person brings it back, from where it is now: ",
    )
    rename = prose(f'was it renamed, a person writes target = "its name" into {FILE} there, commits it, then: ')
    return Unaccepted(text, in_turn(bring, rename + fe("config", "accept"), joint="; "), acceptable=False)
