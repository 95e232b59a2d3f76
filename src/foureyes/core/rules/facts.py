"""Facts about one task, read from the store at once. The rules in this package decide on them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Literal, TypeVar

import msgspec

from foureyes.core.nouns.attempt import Attempt, Author, Below, EarlierAttempt, MarkKind
from foureyes.core.nouns.session import Party
from foureyes.core.nouns.task import Task
from foureyes.core.words.ids import SessionId

if TYPE_CHECKING:
    from foureyes.core.nouns.check import CheckResult
    from foureyes.core.nouns.cycle import InCycle
    from foureyes.core.nouns.finding_state import Blocking

T = TypeVar("T")


class HistoryEntry(msgspec.Struct, frozen=True):
    """One action of a session on a task. `attempt` is the iteration of the action. (I7)"""

    session: SessionId
    action: str
    attempt: int = 0
    via: SessionId | None = None
    at: str = ""


class Control(msgspec.Struct, frozen=True):
    """An act that affects how a task is reviewed: a label set or removed, a plan, an edited acceptance, the minor mark.
    (M6)

    `late`: after the task was created. `after_start`: after work on it began. `key`: the key of a person's signature.
    """

    kind: Literal["label", "off", "plan", "acceptance", "minor"]
    session: SessionId
    label: str = ""
    late: bool = False
    after_start: bool = False
    key: str = ""


class RecordedApproval(msgspec.Struct, frozen=True):
    """A recorded approval that someone still has to finish. (P11)"""

    seq: int
    session: SessionId
    diff_id: str
    reason: str = ""
    exception: str = ""


class Lower(msgspec.Struct, frozen=True, kw_only=True):
    """A task whose work is inside the attempt: that work, and the task's own current facts. (A7)"""

    inside: Below
    facts: Facts

    @property
    def task(self) -> Task:
        return self.facts.task

    @property
    def attempt(self) -> Attempt | None:
        return self.facts.attempt


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """One task with its history, as the rules see it.

    - history, authors: None if they could not be read (P0)
    - parties: everyone named in the facts, and their spawners
    - cleared: a session and the last attempt for which a person cleared it of commit trailers (I8)
    - reviewers: sessions with a counting review of the diff (D9)
    - nested: those of them that run below an agent of another name (I4)
    - voiceless: a session and why its agreeing review does not count (V3, V4)
    - blocked_by: agents that may not stop the task, with a blocker on this attempt (R1)
    - troubles: warnings about findings and reviews for the reviewer (H1)
    - earlier: the attempts before the latest
    - below: tasks inside the attempt (A7)
    - cycle: the last review cycle (V8)
    - has_keys: a person's loosening counts only if signed (M6)
    """

    task: Task
    attempt: Attempt | None = None
    earlier: tuple[EarlierAttempt, ...] = ()
    history: tuple[HistoryEntry, ...] | None = ()
    authors: tuple[Author, ...] | None = ()
    parties: dict[SessionId, Party] = {}
    children_closed: bool = True
    child_count: int = 0
    child_makers: frozenset[SessionId] = frozenset()
    labels_taken_off: tuple[Control, ...] = ()
    controls: tuple[Control, ...] = ()
    results: tuple[CheckResult, ...] = ()
    tests: dict[str, frozenset[str]] = {}
    open_blocking: tuple[Blocking, ...] = ()
    troubles: tuple[str, ...] = ()
    recorded: tuple[RecordedApproval, ...] = ()
    cleared: dict[SessionId, int] = {}
    reviewers: frozenset[SessionId] = frozenset()
    nested: frozenset[SessionId] = frozenset()
    voiceless: dict[SessionId, str] = {}
    blocked_by: frozenset[SessionId] = frozenset()
    project_hold: str | None = None
    is_configured: bool = True
    has_keys: bool = False
    minor_self_approvals: dict[str, int] = {}
    below: tuple[Lower, ...] = ()
    cycle: InCycle | None = None

    def party(self, session: SessionId) -> Party:
        """Return the party of a session. A session unknown to the store, such as a forged trailer, is an agent of its
        own.
        """
        return self.parties.get(session) or Party(session=session, kind="agent", name=session)

    def party_name(self, session: str) -> str:
        """Return the display name of a session: `claude#1 (ses-…)`, or a person's name."""
        party = self.party(SessionId(session))
        return (
            party.name
            if party.kind == "human" or not party.name or party.name == session
            else f"{party.name} ({session})"
        )

    def results_for(self, base_tree: str) -> list[CheckResult]:
        """Return the results that apply to a change on this tree of the target. (D5)"""
        return [result for result in self.results if result.holds_for(base_tree)]

    def changed_paths(self) -> list[str]:
        """Return every path that the attempt affects. This includes both paths of a rename, links to changed files, and
        paths of a merge that voided an approval.
        """
        files = self.attempt.files if self.attempt else ()
        own = [path for changed in files for path in (changed.path, changed.old_path) if path]
        return own + self.paths_behind() + self.paths_at_merge()

    def paths_behind(self) -> list[str]:
        """Return gate files, and inputs of the checks, that are links to changed files. (A4)"""
        return self._marked("behind")

    def called_paths(self) -> list[str]:
        """Return the changed files named by a check's script. (M4)"""
        return self._marked("called")

    def paths_at_merge(self) -> list[str]:
        """Return the paths of a merge that voided an approval of this attempt. (Q2)"""
        return self._marked("at_merge")

    def _marked(self, kind: MarkKind) -> list[str]:
        return [mark.path for mark in self.attempt.marks if mark.kind == kind] if self.attempt else []


def remembered(rule: Callable[[Facts], T]) -> Callable[[Facts], T]:
    """Cache a rule's last result per Facts object. Facts are immutable, and callers must not modify the result."""
    last: tuple[Facts, T] | None = None

    @wraps(rule)
    def answer(facts: Facts) -> T:
        nonlocal last
        known = last
        if known is None or known[0] is not facts:
            last = known = (facts, rule(facts))
        return known[1]

    return answer
