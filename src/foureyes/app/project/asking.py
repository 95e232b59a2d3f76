"""Which foureyes.toml a person decides about where a remote has the target (P12, Q6): the one that is there now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.app.call.noted_target import branch_here
from foureyes.app.call.told_target import ask_target
from foureyes.app.project.retargeting import ACCEPT, BRANCH, RemoteTips, named_in, read_at, remote_in
from foureyes.config import FILE
from foureyes.errors import Reason, Refused, RemoteProblem
from foureyes.steps import Steps, by_person, in_turn, shell

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.views.project import ProjectView


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
        raise _refused(why, in_turn(problem.next_step, ACCEPT)) from problem


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
    raise _refused(why, in_turn(push, ACCEPT))


def _refused(why: str, step: Steps) -> Refused:
    return Refused("nothing was accepted.", reasons=(Reason("P12", why, step),), next_step=step)
