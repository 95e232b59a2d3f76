"""Facts that a decision about one task rests on: read from the store in one go, judged by the rules beside this."""

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
    """One action of a session on a task (I7). `attempt` is the iteration it was about."""

    session: SessionId
    action: str
    attempt: int = 0
    via: SessionId | None = None
    at: str = ""


class Control(msgspec.Struct, frozen=True):
    """Something that decides how a task is looked at, and who did it (M6): a label put on or taken off, a plan, an
    acceptance edited, the mark minor.

    `late`: after the task was created; `after_start`: after somebody had begun it; `key`: what a person signed it with.
    """

    kind: Literal["label", "off", "plan", "acceptance", "minor"]
    session: SessionId
    label: str = ""
    late: bool = False
    after_start: bool = False
    key: str = ""


class RecordedApproval(msgspec.Struct, frozen=True):
    """P11: an approval that was recorded and waits to be finished."""

    seq: int
    session: SessionId
    diff_id: str
    reason: str = ""
    exception: str = ""


class Lower(msgspec.Struct, frozen=True, kw_only=True):
    """A7: a task whose work is inside an attempt: what is inside, and how the task stands now."""

    inside: Below
    facts: Facts

    @property
    def task(self) -> Task:
        return self.facts.task

    @property
    def attempt(self) -> Attempt | None:
        return self.facts.attempt


class Facts(msgspec.Struct, frozen=True, kw_only=True):
    """One task with its history. `history` or `authors` is None when it could not be read (P0).

    `parties` has everyone who is named anywhere in it, spawners included. `cleared` says up to which attempt a person
    cleared a session of what trailers say about it (I8). `reviewers` have a counting review of the diff (D9), of them
    `nested` run below an agent of another name (I4), `voiceless` one that agrees and does not count by who gave it,
    with why (V3, V4). `blocked_by`: agents that may not stop the task, whose blocker about this attempt nobody set
    aside (R1). `troubles` are things about findings and reviews that whoever looks should know (H1). `earlier`:
    the attempts before the latest. `below` are the tasks whose work is inside the attempt (A7); `cycle` is the last one
    about it (V8). `has_keys`: what a person loosens counts only signed (M6).
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
        """Who a session is; one that the store does not know (a forged or foreign trailer) is only itself."""
        return self.parties.get(session) or Party(session=session, kind="agent", name=session)

    def party_name(self, session: str) -> str:
        """What people call a session: `claude#1 (ses-…)`, or a person's name."""
        party = self.party(SessionId(session))
        return (
            party.name
            if party.kind == "human" or not party.name or party.name == session
            else f"{party.name} ({session})"
        )

    def results_beside(self, base_tree: str) -> list[CheckResult]:
        """D5: the results that say something about a change to this tree of the target."""
        return [result for result in self.results if result.holds_beside(base_tree)]

    def changed_paths(self) -> list[str]:
        """Every path that the attempt touches; of a rename both, those of links that lead there, and where a merge
        would have put the change.
        """
        files = self.attempt.files if self.attempt else ()
        own = [path for changed in files for path in (changed.path, changed.old_path) if path]
        return own + self.paths_behind() + self.paths_at_merge()

    def paths_behind(self) -> list[str]:
        """Gate files, and what decides how checks run, that are links to what changes (A4)."""
        return self._marked("behind")

    def called_paths(self) -> list[str]:
        """What a script of a check names, among what changes (M4)."""
        return self._marked("called")

    def paths_at_merge(self) -> list[str]:
        """Where a merge would have put the change, when that ended an approval of this attempt (Q2)."""
        return self._marked("at_merge")

    def _marked(self, kind: MarkKind) -> list[str]:
        return [mark.path for mark in self.attempt.marks if mark.kind == kind] if self.attempt else []


def remembered(rule: Callable[[Facts], T]) -> Callable[[Facts], T]:
    """A question about facts that one judgement asks again and again: its answer is kept until it is asked about
    others. Facts never change, so the very same ones have the very same answer, which nobody may change either.
    """
    last: tuple[Facts, T] | None = None

    @wraps(rule)
    def answer(facts: Facts) -> T:
        nonlocal last
        known = last
        if known is None or known[0] is not facts:
            last = known = (facts, rule(facts))
        return known[1]

    return answer
