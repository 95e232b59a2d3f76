"""The branch that foureyes.toml names as the target: a person brings the project there by accepting it (P12)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.noted_target import branch_here, noted_name
from foureyes.app.call.recorded_target import points_on_record
from foureyes.config import FILE
from foureyes.core.words.ids import Sha
from foureyes.core.words.text import flat
from foureyes.errors import ConfigError, Reason, Refused
from foureyes.steps import Steps, blank, by_person, fe, in_turn, prose, shell

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.views.project import ProjectView

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
    from foureyes.config.reading import read_file  # most often there is nothing to read, or it was read before

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
    from foureyes.config.reading import read_file

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
        raise _refused(project, wanted, "there is no such branch", in_turn(make, ACCEPT))
    named = named_in(context.repo.file_at(at, FILE))
    if named != ConfiguredProject(project.id, wanted):
        bring = prose(f"bring {FILE} of {project.target} to {wanted}, then: ") + ACCEPT
        raise _refused(project, wanted, f"{FILE} there does not say that it is this project's target", bring)
    return wanted


def _refused(project: ProjectView, wanted: str, why: str, step: Steps) -> Refused:
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
