"""Acceptance of the configuration: whether the foureyes.toml on the target is the one in force (P12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.noted_target import branch_here
from foureyes.app.project.retargeting import (
    ACCEPT,
    BRING_HERE,
    is_missing,
    named_in,
    read_at,
    remote_in,
    renamed_to,
)
from foureyes.config import FILE
from foureyes.core.rules.policy import digest_of
from foureyes.errors import FoureyesError, Reason
from foureyes.steps import Steps, blank, by, by_person, either, fe, in_turn, prose, shell

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.views.project import ProjectView

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
    from foureyes.app.work.reserving import no_target

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
