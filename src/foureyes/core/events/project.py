"""Events of a project: made, held, settings, exceptions."""

from __future__ import annotations

from foureyes.core.events.event import Event
from foureyes.core.words.exceptions import ExceptionKind


class ProjectCreated(Event, frozen=True, kw_only=True):
    """The project exists: `fe init`."""

    name: str
    prefix: str
    target: str
    place: str = ""


class StorePlaced(Event, frozen=True, kw_only=True):
    """A person moved the store, or took it up where it was found (P12). `anchor` is the last one on the target, where
    this store does not hold it: merges of it are known to be missing here. `tip` is where the target was then: what
    came to it later was taken up by nobody; empty in rows from before that was on record.
    """

    place: str
    anchor: str = ""
    tip: str = ""


class ProjectHeld(Event, frozen=True, kw_only=True):
    """A stop for the whole project."""

    reason: str


class ProjectResumed(Event, frozen=True, kw_only=True):
    """The project's hold was lifted."""

    reason: str


class SecurityRecorded(Event, frozen=True, kw_only=True):
    """An exception, audited (P8): also a `security` line in the task's log and in the mirror file."""

    kind: ExceptionKind
    rule: str
    reason: str
    detail: str = ""


class PolicyAccepted(Event, frozen=True, kw_only=True):
    """A person made the foureyes.toml that is on the target branch the one in force (P12). `target`: the branch that is
    the target from now on, where that is another one than before, and `tip` the commit at which it was shown. `commit`:
    the one that brought the file, or the one of the remote's target that had it (Q6); empty where nobody was asked.
    """

    digest: str
    text: str
    target: str = ""
    tip: str = ""
    commit: str = ""


class TemplateAccepted(Event, frozen=True, kw_only=True):
    """A person made a template of prompts that is on the target branch the one in force (F4, P12)."""

    name: str
    digest: str


class SettingChanged(Event, frozen=True, kw_only=True):
    """A journalled setting (P12): a person's change of policy; `new` None means unset."""

    name: str
    old: str | None
    new: str | None
