"""Journal events about a project: creation, holds, settings, exceptions."""

from __future__ import annotations

from foureyes.core.events.event import Event
from foureyes.core.words.vocabulary import ExceptionKind


class ProjectCreated(Event, frozen=True, kw_only=True):
    """`fe init` created the project.

    `tip` is the target at that time (Q5), empty if it had no commit yet. All anchors up to commit `adopted` count as
    held (J3).
    """

    name: str
    prefix: str
    target: str
    place: str = ""
    tip: str = ""
    adopted: str = ""


class StorePlaced(Event, frozen=True, kw_only=True):
    """A person moved the store, or adopted it where it was found (P12). `tip` is the target commit up to which merges
    may be missing here.
    """

    place: str
    tip: str = ""


class ProjectHeld(Event, frozen=True, kw_only=True):
    """The whole project was held."""

    reason: str


class ProjectResumed(Event, frozen=True, kw_only=True):
    """The project's hold was lifted."""

    reason: str


class SecurityRecorded(Event, frozen=True, kw_only=True):
    """An exception for auditors, also written to the task's log as a `security` line and to the mirror file. (P8)"""

    kind: ExceptionKind
    rule: str
    reason: str
    detail: str = ""


class PolicyAccepted(Event, frozen=True, kw_only=True):
    """A person accepted the foureyes.toml on the target branch. (P12)

    `target` is the new target branch, if it changed. `tip` is the target's commit as shown to the person, if that
    differs or no task had begun. `commit` brought the file, or had it on the remote's target, and is empty if it was
    not looked up (Q6).
    """

    digest: str
    text: str
    target: str = ""
    tip: str = ""
    commit: str = ""


class TemplateAccepted(Event, frozen=True, kw_only=True):
    """A person accepted a prompt template on the target branch. (F4, P12)"""

    name: str
    digest: str


class SettingChanged(Event, frozen=True, kw_only=True):
    """A person changed a journaled setting. If `new` is None, it was unset. (P12)"""

    name: str
    old: str | None
    new: str | None
