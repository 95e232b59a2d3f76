"""Events of a project: made, held, settings, exceptions."""

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
    """A person moved the store, or adopted it where it was found (P12). `tip`: the commit of the target up to which
    its merges may be missing here.
    """

    place: str
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
    the target from now on, where that is another one than before. `tip` is the commit at which the target was shown,
    where that is another one, or no task had begun. `commit`: the one that brought the file, or the one of the remote's target that had it (Q6); empty where nobody was asked.
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
