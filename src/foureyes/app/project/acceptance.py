"""Acceptance of the configuration: whether the foureyes.toml on the target is the one in force (P12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.config.settings import FILE
from foureyes.core.rules.policy import digest_of
from foureyes.steps import Steps, blank, by, by_person, fe, shell

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.views.project import ProjectView

ACCEPT = by_person(fe("policy", "accept"))
INIT = by_person(fe("init"))


class Unaccepted(msgspec.Struct, frozen=True):
    """The foureyes.toml on the target is not the one in force: what to say about it, and what helps."""

    text: str
    next: Steps = ACCEPT


def unaccepted(context: Context, project: ProjectView) -> Unaccepted | None:
    """P12: what there is to say about the foureyes.toml on the target, if it is not the one in force. A file that is
    missing cannot be accepted.
    """
    text = context.repo.file_at(project.target, FILE)
    defaults = "the built-in defaults are in force"
    if text is None and context.repo.commit_of(f"refs/heads/{project.target}") is None:
        return Unaccepted(f"there is no branch {project.target}, which is the target of this project", _bring(project))
    if project.accepted_text is None and not text:
        return Unaccepted(f"{FILE} is not on {project.target}: {defaults}", INIT)
    if project.accepted_text is None:
        return Unaccepted(f"{FILE} on {project.target} was never accepted: {defaults}")
    if text is None:
        return Unaccepted(f"{FILE} is gone from {project.target}: the one accepted last is in force")
    if digest_of(text) != project.accepted_digest:
        return Unaccepted(f"{FILE} on {project.target} is not the accepted one and is not used")
    return None


def _bring(project: ProjectView) -> Steps:
    """A branch that was renamed or is gone comes back under its name: the target was chosen with the project."""
    bring = shell("git", "branch", project.target, blank("BRANCH-OR-COMMIT"))
    return by("person", bring, "a person brings it back, from where it is now: ")
