"""Journal events about a project: creation, holds, settings, exceptions."""

from __future__ import annotations

from foureyes.core.events.event import Event
from foureyes.core.words.vocabulary import ExceptionKind


class ProjectCreated(Event, frozen=True, kw_only=True):
    """The project exists: `fe init`. `tip` is where the target was then (Q5); empty if it had no commit yet. `adopted`:
    up to which commit every anchor counts as held (J3).
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
    """An audited exception, also written as a `security` line to the task's log and the mirror file. (P8)"""

    kind: ExceptionKind
    rule: str
    reason: str
    detail: str = ""


class PolicyAccepted(Event, frozen=True, kw_only=True):
    """A person accepted the foureyes.toml on the target branch. (P12)

    `target` is the new target branch, if it changed. `tip` is the commit at which the target was shown, if that
    differs or no task had begun. `commit` brought the file, or had it on the remote's target (Q6). It is empty if it
    was not looked up.
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
    """A person changed a journaled setting. `new` None means unset. (P12)"""

    name: str
    old: str | None
    new: str | None
