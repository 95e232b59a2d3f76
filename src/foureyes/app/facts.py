"""Facts for decisions: everything about one task, or a page of tasks, in few reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypedDict, TypeVar

import msgspec

from foureyes.app.context import OF_PROJECT, EvidenceRow, spawners
from foureyes.app.results.session import SessionView
from foureyes.core.events import Event, SessionEvidenceAdded, SessionStarted, kind_of
from foureyes.core.nouns.attempt import AUTHOR_SOURCES, Attempt, Author, EarlierAttempt
from foureyes.core.nouns.finding_state import Blocking, FindingState, holds
from foureyes.core.nouns.session import CONVERSATION, NESTED, Party, SessionKind, Trust, is_one_origin, is_oneself
from foureyes.core.nouns.task import Task
from foureyes.core.rules.facts import Control, Facts, HistoryEntry, RecordedApproval
from foureyes.core.words.ids import OriginId, SessionId, TaskId
from foureyes.errors import StoreProblem
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.attempt import Change
    from foureyes.core.nouns.session import Actor


# ---- Attempts ----


class AttemptRow(Attempt, frozen=True, kw_only=True):
    """An attempt with its task."""

    task: str


def attempt_of(tx: Tx, task: TaskId) -> Attempt | None:
    """Return the latest attempt of a task, or None if nothing was submitted."""
    return tx.one("attempt.latest", AttemptRow, ids=[task])


def attempts_of(tx: Tx, ids: Sequence[str]) -> Mapping[str, Attempt]:
    """Return the latest attempt of each task. Tasks without one are missing."""
    return {row.task: row for row in tx.all("attempt.latest", AttemptRow, ids=list(ids))} if ids else {}


# ---- Authors in the store ----


class AuthorRow(Author, frozen=True, kw_only=True):
    """An author with its task."""

    task: str


def authors_of(tx: Tx, ids: Sequence[str]) -> list[AuthorRow]:
    """Return the authors of these tasks, each once per task."""
    return surest(tx.all("attempt.authors", AuthorRow, ids=list(ids)))


def surest(rows: Iterable[AuthorRow]) -> list[AuthorRow]:
    """Return each author once, with the strongest source in any attempt and the number of the latest attempt."""
    authors: dict[tuple[str, str], AuthorRow] = {}
    for row in rows:
        known = authors.get((row.task, row.session), row)
        best = min(known, row, key=lambda author: AUTHOR_SOURCES.index(author.source))
        authors[row.task, row.session] = msgspec.structs.replace(best, attempt=max(known.attempt, row.attempt))
    return list(authors.values())


def authors_of_change(facts: Facts, change: Change, tokens: Sequence[SessionId], actor: Actor) -> tuple[Author, ...]:
    """Return the sessions that held the claim or an implementer token, or that a commit trailer names, and the agent that
    submits for them. (A1, I3)
    """
    authors: dict[SessionId, Author] = {}
    started = [entry.session for entry in facts.history or () if entry.action == "started"]
    for session in [*started, facts.task.implementer]:
        if session is not None:
            authors.setdefault(session, Author.by("claim", session))
    for session in tokens:
        authors.setdefault(session, Author.by("token", session))
    if actor.kind == "agent":
        authors.setdefault(actor.session, Author.by("claim", actor.session))
    for commit in change.commits:
        for name in commit.sessions:
            if name and len(name) <= 80:
                session = SessionId(name)
                authors.setdefault(session, Author.by("trailer", session, commit.sha[:7]))
    return tuple(authors.values())


# ---- Facts for decisions ----

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.ports import NamedQuery, Tx
    from foureyes.core.loop.reviews import Review
    from foureyes.core.nouns.check import CheckResult
    from foureyes.core.nouns.cycle import InCycle
    from foureyes.core.rules.policy import ReviewPolicy

    class CheckFacts(TypedDict):
        """Facts about checks."""

        results: tuple[CheckResult, ...]
        tests: dict[str, frozenset[str]]

    class TaskBound(Protocol):
        """A row that belongs to a task."""

        @property
        def task(self) -> str: ...

    R = TypeVar("R", bound=TaskBound)

DAY_MINUTES = 24 * 60
WAIVED = "a blocking finding is waived"
OF_TASKS = (
    "task.some", "attempt.latest", "attempt.history", "attempt.authors", "attempt.recorded", "attempt.cleared",
    "journal.controls", "review.of_diffs", "cycle.standing", "finding.holding", "finding.troubles", "stack.below",
)  # fmt: skip
"""Queries about submitted tasks that need only task ids."""
FEW = 10
"""Largest number of tasks to prefetch for. With more, reading the rows takes longer than the round trips."""


class HistoryRow(HistoryEntry, frozen=True, kw_only=True):
    """A history entry with its task."""

    task: str


class TestList(msgspec.Struct, frozen=True):
    """The packed names of the tests of a report."""

    digest: str
    packed: str


class SubmittedRow(EarlierAttempt, frozen=True, kw_only=True):
    """An earlier attempt with its task."""

    task: str


class RecordedRow(RecordedApproval, frozen=True, kw_only=True):
    """A recorded approval with its task."""

    task: str


class Troubles(msgspec.Struct, frozen=True):
    """Warning signs in the blocking findings of a task. (H1)"""

    task: str
    disputed: bool
    waived: bool
    false_fixed: bool


class Cleared(msgspec.Struct, frozen=True):
    """The last attempt for which a person cleared a session of commit trailers."""

    task: str
    session: str
    attempt: int


class Children(msgspec.Struct, frozen=True):
    """A task's number of children, and how many of them are closed."""

    parent: str
    total: int
    closed: int


class ChildMaker(msgspec.Struct, frozen=True):
    """A session that worked on a child of a task."""

    parent: str
    session: str


class SessionCount(msgspec.Struct, frozen=True):
    """A session, and how often it did something."""

    session: str
    n: int


def facts_of(context: Context, tx: Tx, task: TaskId, caller: Party | None = None) -> Facts:
    """Return the facts of one task. The transaction caches them until the next write."""
    above = caller.above if caller else ()
    return tx.once(("facts", task, above), lambda: facts_for(context, tx, [task], caller)[task])


def facts_for(context: Context, tx: Tx, ids: list[TaskId], caller: Party | None = None) -> dict[TaskId, Facts]:
    """Return the facts of several tasks. (A7, I4)

    They include facts of tasks whose work is inside these. `caller` is needed to judge the sessions above it.
    """
    facts = _facts_for(context, tx, ids, caller)
    submitted = [task for task, about in facts.items() if about.attempt is not None]
    if not submitted:
        return facts
    from foureyes.app.stacked_tasks import BelowRow, with_below

    rows = tx.all("stack.below", BelowRow, ids=submitted)
    if not rows:
        return facts
    lowers = sorted({row.task for row in rows})
    return with_below(facts, rows, _facts_for(context, tx, lowers, caller))


def _facts_for(context: Context, tx: Tx, ids: list[TaskId], caller: Party | None) -> dict[TaskId, Facts]:
    page = _read(tx, ids)
    parties = parties_of(tx, page.sessions() | set(caller.above if caller else ()))
    holding, troubles = holding_of(context, tx, ids), _troubles(tx, ids, page.reviews)
    project = context.project(tx)
    minor = _minor_self_approvals(context, tx) if any(task.minor for task in page.tasks) else {}
    keyed = any(page.controls.values()) and _counts_only_signed(context, tx, page, parties)
    facts: dict[TaskId, Facts] = {}
    for task in page.tasks:
        children = page.children.get(task.id)
        about = Facts(
            task=task,
            attempt=page.attempts.get(task.id),
            earlier=tuple(page.earlier[task.id]),
            history=tuple(page.history[task.id]),
            authors=tuple(page.authors[task.id]),
            parties=parties,
            labels_taken_off=tuple(control for control in page.controls[task.id] if control.kind == "off"),
            recorded=tuple(page.recorded[task.id]),
            controls=tuple(control for control in page.controls[task.id] if control.kind != "off"),
            has_keys=keyed,
            **_checked(tx, page.attempts.get(task.id), page.results),
            cleared={SessionId(row.session): row.attempt for row in page.cleared[task.id]},
            children_closed=children is None or children.closed == children.total,
            child_count=children.total if children else 0,
            child_makers=frozenset(page.child_makers[task.id]),
            project_hold=project.hold,
            is_configured=project.accepted_text is not None,
            minor_self_approvals=minor,
            open_blocking=tuple(row.blocking for row in holding[task.id] if not row.by_check),
            troubles=tuple(troubles[task.id]),
            cycle=page.cycles.get(task.id),
        )
        reviews = page.reviews[task.id]
        facts[task.id] = _with_reviewers(context, tx, about, reviews) if reviews else about
    return facts


class FactRows(msgspec.Struct, frozen=True, kw_only=True):
    """Store rows about several tasks, grouped by task."""

    tasks: list[Task]
    attempts: Mapping[str, Attempt]
    earlier: dict[str, list[SubmittedRow]]
    history: dict[str, list[HistoryRow]]
    authors: dict[str, list[AuthorRow]]
    recorded: dict[str, list[RecordedRow]]
    reviews: dict[str, list[Review]]
    cleared: dict[str, list[Cleared]]
    controls: dict[str, list[Control]]
    results: list[CheckResult]
    children: dict[str, Children]
    child_makers: dict[str, set[SessionId]]
    cycles: dict[str, InCycle]

    def sessions(self) -> set[SessionId]:
        """Return all sessions in these rows."""
        named = {result.session for result in self.results}
        for task in self.tasks:
            named |= {row.via for row in self.history[task.id] if row.via}
            named |= {s for s in (task.creator, task.implementer, task.minor_by, task.rejected_by) if s}
            for rows in (self.history, self.authors, self.recorded, self.reviews, self.controls):
                named |= {SessionId(row.session) for row in rows[task.id]}
            named |= self.child_makers[task.id]
        return named


def of_facts(ids: Sequence[TaskId]) -> list[NamedQuery]:
    """Return the queries to prefetch for the facts of tasks, for `ahead`."""
    return [*[(query, {"ids": list(ids)}) for query in OF_TASKS], *OF_PROJECT]


def _read(tx: Tx, ids: list[TaskId]) -> FactRows:
    if len(ids) <= FEW:
        tx.ahead(*of_facts(ids))
    tasks = tx.all("task.some", Task, ids=ids)
    attempts = attempts_of(tx, ids)
    trees = sorted({tree for row in attempts.values() for tree in (row.tree, row.base_tree) if tree})
    epics = [task.id for task in tasks if task.type == "epic"]
    children = tx.all("task.child_standing", Children, ids=epics) if epics else []
    return FactRows(
        tasks=tasks,
        attempts=attempts,
        earlier=_by_task(_earlier(tx, attempts)),
        history=_by_task(tx.all("attempt.history", HistoryRow, ids=ids)),
        authors=_by_task(authors_of(tx, ids)),
        recorded=_by_task(tx.all("attempt.recorded", RecordedRow, ids=ids)),
        reviews=_by_task(_reviews(tx, ids) if attempts else ()),
        cleared=_by_task(tx.all("attempt.cleared", Cleared, ids=ids)),
        controls=controls_of(tx, ids),
        results=_results(tx, trees) if trees else [],
        children={row.parent: row for row in children},
        child_makers=_child_makers(tx, epics) if epics else defaultdict(set),
        cycles=_cycles(tx, attempts) if attempts else {},
    )


def _cycles(tx: Tx, attempts: Mapping[str, Attempt]) -> dict[str, InCycle]:
    """Return the last cycle of each latest attempt. (V8)"""
    from foureyes.core.nouns.cycle import InCycle

    rows = tx.all("cycle.standing", InCycle, ids=list(attempts))
    return {row.task: row for row in rows if row.attempt == attempts[row.task].n}


def _earlier(tx: Tx, attempts: Mapping[str, Attempt]) -> list[SubmittedRow]:
    ids = [task for task, attempt in attempts.items() if attempt.n > 1]
    return tx.all("attempt.earlier", SubmittedRow, ids=ids) if ids else []


def _reviews(tx: Tx, ids: list[TaskId]) -> list[Review]:
    """Return reviews of the diffs submitted last."""
    from foureyes.core.loop.reviews import Review

    return tx.all("review.of_diffs", Review, ids=ids)


def _results(tx: Tx, trees: list[str]) -> list[CheckResult]:
    from foureyes.core.nouns.check import CheckResult

    return tx.all("check.of_trees", CheckResult, trees=trees)


def _by_task(rows: Iterable[R]) -> dict[str, list[R]]:
    by_task: dict[str, list[R]] = defaultdict(list)
    for row in rows:
        by_task[row.task].append(row)
    return by_task


def _child_makers(tx: Tx, epics: list[TaskId]) -> dict[str, set[SessionId]]:
    """Return the sessions that worked on the children of each epic."""
    makers: dict[str, set[SessionId]] = defaultdict(set)
    for row in tx.all("task.child_makers", ChildMaker, ids=epics):
        makers[row.parent].add(SessionId(row.session))
    return makers


def _troubles(tx: Tx, ids: list[TaskId], reviews: dict[str, list[Review]]) -> dict[str, list[str]]:
    """Return warning signs: disputed, waived or wrongly claimed findings, and reviewers who disagree. (H1)"""
    troubles: dict[str, list[str]] = defaultdict(list)
    for row in tx.all("finding.troubles", Troubles, ids=ids):
        troubles[row.task] += ["a blocking finding was disputed"] if row.disputed else []
        troubles[row.task] += [WAIVED] if row.waived else []
        troubles[row.task] += ["a blocking finding was claimed fixed but was not"] if row.false_fixed else []
    for task, rows in reviews.items():
        verdicts = set({row.session: row.effective for row in rows}.values())
        troubles[task] += ["reviewers disagree"] if len(verdicts) > 1 else []
        troubles[task] += ["a reviewer has concerns"] if verdicts & {"concerns", "blocker"} else []
    return troubles


def _with_reviewers(context: Context, tx: Tx, facts: Facts, reviews: list[Review]) -> Facts:
    """Add the reviewers whose review of this diff counts: it agrees, and the reviewer could approve now. (V6, I3, I4)

    Sessions of one origin count as one reviewer, by their latest verdict. Only the reviewer itself can withdraw a
    blocker.
    """
    from foureyes.app.blockers import last_verdicts
    from foureyes.core.rules.four_eyes import Declaration, may_approve

    policy = context.gate_policy(tx)
    alone = msgspec.structs.replace(facts, recorded=())
    latest = last_verdicts(reviews, facts.party, is_one_origin)
    without = voiceless(context, tx, [row.session for row in latest if row.agrees])
    counting = {
        row.session
        for row in latest
        if row.agrees
        and row.session not in without
        and may_approve(alone, facts.party(row.session), policy, Declaration(row.summary)).allowed
    }
    nested = _nested(tx, [facts.party(session) for session in counting])
    blocked_by = _blocked_by(tx, facts, last_verdicts(reviews, facts.party))
    return msgspec.structs.replace(
        facts, reviewers=frozenset(counting), nested=nested, voiceless=without, blocked_by=blocked_by
    )


def _blocked_by(tx: Tx, facts: Facts, latest: Sequence[Review]) -> frozenset[SessionId]:
    """Return reviewers who gave a blocker that did not stop the task and still counts. It counts until someone who did
    not make the work decides to ignore it. (R1)
    """
    rows = [row for row in latest if row.verdict == "blocker" and row.effective != "blocker"]
    if not rows:
        return frozenset()
    from foureyes.app.blockers import blockers_set_aside
    from foureyes.core.rules.involvement import made_by

    set_aside = blockers_set_aside(tx)
    people = parties_of(tx, {row.session for row in set_aside} | {row.detail for row in set_aside})
    set_aside = [row for row in set_aside if made_by(facts, people[row.session]) is None]

    def is_set_aside(row: Review) -> bool:
        by = facts.party(row.session)
        return any(each.seq > row.seq and is_oneself(by, people[each.detail]) for each in set_aside)

    return frozenset(row.session for row in rows if not is_set_aside(row))


def has_made(tx: Tx, task: str, session: SessionId) -> bool:
    """Return True if the session made the work of the task. (P2)"""
    from foureyes.core.rules.involvement import made_by

    page = _read(tx, [TaskId(task)])
    parties = parties_of(tx, page.sessions() | {session})
    rows = tuple(page.history[task]), tuple(page.authors[task])
    facts = Facts(task=page.tasks[0], history=rows[0], authors=rows[1], parties=parties)
    return made_by(facts, parties[session]) is not None


def _nested(tx: Tx, reviewers: Iterable[Party]) -> frozenset[SessionId]:
    """Return the agents that run below an agent of another name. (I4)"""
    pieces = {party.session: NESTED + party.process for party in reviewers if party.kind == "agent" and party.process}
    rows = tx.all("session.known", EvidenceRow, evidence=sorted(set(pieces.values()))) if pieces else []
    known = {row.evidence for row in rows}
    return frozenset(session for session, piece in pieces.items() if piece in known)


def voiceless(context: Context, tx: Tx, sessions: Sequence[SessionId]) -> dict[SessionId, str]:
    """Return those of these agents whose approval does not count, each with the reason. (V3)"""
    policy = context.gate_policy(tx)
    if not sessions or not policy.scripted or policy.demo:
        return {}

    programs = programs_of(tx, set(sessions))
    without = {session: without_voice(policy, programs.get(session, ())) for session in set(sessions)}
    return {session: "; ".join(reasons) for session, reasons in without.items() if reasons}


def without_voice(policy: ReviewPolicy, agents: Iterable[str]) -> list[str]:
    """Return why approvals of these agents do not count: they follow a script, and this is no demo. (V3)"""
    scripts = set(agents) & policy.scripted if not policy.demo else set()
    return [f"{name} only plays a script, which works only in a demo" for name in sorted(scripts)]


def _checked(tx: Tx, attempt: Attempt | None, results: list[CheckResult]) -> CheckFacts:
    """Return the results for an attempt's tree and base tree, and the test names if these differ. (D5)"""
    if attempt is None:
        return {"results": (), "tests": {}}
    mine = tuple(result for result in results if result.tree in (attempt.tree, attempt.base_tree))
    return {"results": mine, "tests": tests_of(tx, mine)}


def with_trees(tx: Tx, facts: Facts, trees: Sequence[str]) -> Facts:
    """Return the facts with results of further trees, for example of a merge and of the target."""
    results = tuple(_results(tx, sorted({tree for tree in trees if tree})))
    known = {result.seq for result in facts.results}
    everything = (*facts.results, *[result for result in results if result.seq not in known])
    parties = facts.parties | parties_of(tx, {result.session for result in results} - set(facts.parties))
    return msgspec.structs.replace(facts, results=everything, tests=tests_of(tx, everything), parties=parties)


def tests_of(tx: Tx, results: Iterable[CheckResult]) -> dict[str, frozenset[str]]:
    """Return the lists of test names of these results, by digest. If all results have the same list, return none."""
    digests = sorted({result.tests for result in results if result.tests})
    if len(digests) < 2:
        return {}
    from foureyes.app.compressed_names import unpack

    return {row.digest: unpack(row.packed) for row in tx.all("check.tests", TestList, digests=digests)}


def _counts_only_signed(context: Context, tx: Tx, page: FactRows, parties: dict[SessionId, Party]) -> bool:
    """Return True if a person's loosening counts only when signed. (M6, I9)

    Return False if there is no unsigned one, because it then makes no difference.
    """
    controls = [control for rows in page.controls.values() for control in rows if not control.key]
    if not any(parties[control.session].kind == "human" for control in controls if control.session in parties):
        return False
    return context.has_keys(tx) or (bool(page.attempts) and context.gate_policy(tx).human_proof == "key")


def _minor_self_approvals(context: Context, tx: Tx) -> dict[str, int]:
    """Return how many of its own minor tasks each origin approved in 24 hours, including sessions that it spawned.
    (P10)
    """
    rows = tx.all("attempt.minor_self_approvals", SessionCount, since=context.ago(DAY_MINUTES))
    parties = parties_of(tx, {SessionId(row.session) for row in rows})
    counts: dict[str, int] = defaultdict(int)
    for row in rows:
        me = parties[SessionId(row.session)]
        line = [
            me,
            *[parties[session] for session in me.above if session in parties and parties[session].kind == "agent"],
        ]
        for origin in {origin for party in line for origin in party.origins}:
            counts[origin] += row.n
    return dict(counts)


# ---- Open blocking findings in the store (D2) ----


class HoldingRow(msgspec.Struct, frozen=True, kw_only=True):
    """A blocking finding that is unresolved, or waived."""

    task: str
    id: str
    severity: str
    state: FindingState
    title: str
    path: str = ""
    line: int = 0
    waiting: bool = False
    waived_until: str = ""
    by_check: str = ""

    @property
    def blocking(self) -> Blocking:
        """The finding in the form that the rules use."""
        where = f"{self.path}:{self.line}" if self.path and self.line else self.path
        expired = self.state == "waived"
        return Blocking(self.id, self.severity, self.state, self.title, where, self.waiting, expired=expired)


def holding_of(context: Context, tx: Tx, ids: Sequence[str]) -> dict[str, list[HoldingRow]]:
    """Return the findings that block an approval, by task, including those raised by checks. (D2)"""
    now = context.now()
    holding: dict[str, list[HoldingRow]] = defaultdict(list)
    for row in tx.all("finding.holding", HoldingRow, ids=list(ids)):
        if holds(True, row.state, row.waived_until, now):
            holding[row.task].append(row)
    return holding


# ---- Parties ----


def parties_of(tx: Tx, sessions: Iterable[SessionId]) -> dict[SessionId, Party]:
    """Return the sessions as the policy sees them, and all sessions above them."""
    parties: dict[SessionId, Party] = {}
    wanted = set(sessions)
    while wanted:
        rows = tx.all("session.some", SessionView, ids=sorted(wanted))
        for row in rows:
            parties[SessionId(row.id)] = _party(tx, row)
        wanted = {above for row in rows for above in parties[SessionId(row.id)].above} - set(parties)
    return parties


def _party(tx: Tx, row: SessionView) -> Party:
    return Party(
        session=SessionId(row.id),
        kind=msgspec.convert(row.kind, SessionKind),
        trust=msgspec.convert(row.trust, Trust),
        name=row.name,
        agent=row.agent,
        person=row.person,
        origins=frozenset({OriginId(row.origin)}),
        proven=row.proven,
        above=spawners(tx, SessionId(row.parent)) if row.parent else (),
        process=row.process,
        model=row.model,
        vendor=row.vendor,
    )


def programs_of(tx: Tx, sessions: Iterable[SessionId]) -> dict[SessionId, frozenset[str]]:
    """Return the program names of each agent session and of every agent above it. A session's own name is only a claim
    of its parent. (I4)
    """
    parties = parties_of(tx, sessions)
    rows = tx.all("session.some", SessionView, ids=sorted(parties)) if parties else []
    called = {SessionId(row.id): row.agent for row in rows if row.kind == "agent"}
    return {
        session: frozenset(called[each] for each in (session, *party.above) if each in called)
        for session, party in parties.items()
        if session in called
    }


def processes_of(tx: Tx, session: SessionId) -> set[str]:
    """Return the agent processes recorded above an observed agent, including its own. Other evidence is no process.
    (I3)
    """
    shown: set[str] = set()
    for row in tx.all("journal.shown", EventRow, session=session):
        event = event_of(row)
        if isinstance(event, SessionStarted | SessionEvidenceAdded):
            shown.update(event.evidence)
    return {piece for piece in shown if not piece.startswith((NESTED, CONVERSATION))}


# ---- Controls ----


class EventRow(msgspec.Struct, frozen=True):
    """A journal row about a task, with its event."""

    seq: int
    task: str
    at: str
    session: str
    kind: str
    payload: str


class Bearing(msgspec.Struct, frozen=True):
    """Those fields of a new task that affect how it is reviewed."""

    labels: tuple[str, ...] = ()
    planned: str = ""
    minor: bool = False


def event_of(row: EventRow) -> Event:
    """Decode the event of a row. Raise `StoreProblem` with row and task if it is unreadable."""
    try:
        event: Event = msgspec.json.decode(row.payload, type=kind_of(row.kind))
    except msgspec.DecodeError as problem:
        raise StoreProblem(
            f"journal row {row.seq} of {row.task} cannot be read: {problem}.",
            next_step=fe("audit", "verify"),
            task=row.task,
        ) from problem
    return event


def controls_of(tx: Tx, ids: Sequence[str]) -> dict[str, list[Control]]:
    """Return the acts that affect how tasks are reviewed, by task and in order: labels, planned mode, minor mark,
    acceptance criteria. (M6)
    """
    controls: dict[str, list[Control]] = defaultdict(list)
    started: set[str] = set()
    for row in tx.all("journal.controls", EventRow, ids=list(ids)):
        if row.kind == "TaskStarted":
            started.add(row.task)
            continue
        if row.kind == "TaskCreated" and bears_on_nothing(row):
            continue
        begun = row.task in started
        for control in controls_in(event_of(row), SessionId(row.session)):
            controls[row.task].append(msgspec.structs.replace(control, after_start=begun) if begun else control)
    return controls


def bears_on_nothing(row: EventRow) -> bool:
    """Return True if a new task has no label, plan or minor mark. That is true of most, and then the event types need
    not be loaded.
    """
    try:
        return msgspec.json.decode(row.payload, type=Bearing) == Bearing()
    except msgspec.DecodeError:
        return False


def controls_in(event: Event, who: SessionId) -> Iterator[Control]:
    """Yield the acts in one event that affect how its task is reviewed."""
    from foureyes.core.events import LabelAdded, LabelRemoved, MinorSet, TaskCreated, TaskEdited

    match event:
        case TaskCreated():
            key = event.signed_by
            yield from (Control("label", who, label, key=key) for label in event.labels)
            yield from [Control("plan", who, key=key)] if event.planned else []
            yield from [Control("minor", who, key=key)] if event.minor else []
        case LabelAdded():
            yield Control("label", who, event.label, late=True, key=event.signed_by)
        case LabelRemoved():
            yield Control("off", who, event.label, late=True, key=event.signed_by)
        case MinorSet():
            yield Control("minor", who, late=True, key=event.signed_by)
        case TaskEdited() if event.acceptance is not None:
            yield Control("acceptance", who, late=True, key=event.signed_by)
        case _ if type(event).__name__ == "PlanAccepted":
            # compared by name, so that the gate's events need not be imported
            yield Control("plan", who, late=True, key=getattr(event, "signed_by", ""))
