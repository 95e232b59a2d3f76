"""Events: the journal as sentences, and a cheap way to notice new rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import asdict

from foureyes.app.results.journal import EventKind, EventLine, JournalHead
from foureyes.app.results.session import SessionView
from foureyes.core.events import Event, kind_of
from foureyes.core.nouns.decision import basis_of
from foureyes.core.words.store_place import place_words
from foureyes.core.words.text import one_line
from foureyes.core.words.untrusted_text import some

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.ports import Tx


# ---- Events ----

END = 2**62


class PackedEvent(msgspec.Struct, frozen=True):
    """A journal row with its encoded event."""

    seq: int
    at: str
    task: str
    session: str
    kind: str
    payload: str


class Events:
    """Recent events for programs that watch."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def head(self) -> int:
        """Return the number of the last journal row. This is one query, cheap enough to poll."""
        with self._context.store.read() as tx:
            row = tx.one("journal.head", JournalHead)
        return row.seq if row else 0

    def latest(self, limit: int = 50) -> list[EventLine]:
        """Return the latest events, oldest first."""
        with self._context.store.read() as tx:
            return self._lines(tx, tx.all("journal.events", PackedEvent, before=END, quiet=QUIET, limit=limit)[::-1])

    def since(self, seq: int, limit: int = 200) -> list[EventLine]:
        """Return the events after a row, oldest first. To get more, call again with the last one's number."""
        with self._context.store.read() as tx:
            return self._lines(tx, tx.all("journal.events_since", PackedEvent, after=seq, quiet=QUIET, limit=limit))

    def _lines(self, tx: Tx, rows: Sequence[PackedEvent]) -> list[EventLine]:
        """Return rows as sentences with session names."""
        sessions = sorted({row.session for row in rows})
        names = {row.id: row.name for row in tx.all("session.some", SessionView, ids=sessions)} if rows else {}
        names[str(self._context.gate.session)] = "the gate"
        return [_line(row, names.get(row.session, row.session)) for row in rows]


def _line(row: PackedEvent, actor: str) -> EventLine:
    """Return one row as a sentence. An unreadable row is reported as such, and the others are shown."""
    try:
        event = msgspec.json.decode(row.payload, type=kind_of(row.kind))
    except (KeyError, msgspec.DecodeError):
        text = f"{actor} did something that this version cannot read ({row.kind}). To check: fe audit verify"
        return EventLine(seq=row.seq, at=row.at, task=row.task, actor=actor, text=text, kind="security")
    text, kind = sentence(actor, event), kind_of_line(event)
    return EventLine(seq=row.seq, at=row.at, task=row.task, actor=actor, text=text, kind=kind)


# ---- Sentences ----

LONGEST = 160
QUIET = (
    "SessionEvidenceAdded",
    "TestsListed",
    "FindingsPlaced",
    "DecisionSigned",
    "MergeLeased",
    "TaskReserved",
    "RunBound",
)
"""Events that tell a person nothing new. Another event, recorded with each of them, does."""

DECISIONS = frozenset(
    {
        "Approved", "ApprovalRecorded", "ApprovalFinished", "ApprovalWithdrawn", "RedoRequested", "TaskRejected",
        "TaskMerged", "TaskClosed", "LeadDecided", "FindingRuled", "PolicyAccepted", "SettingChanged",
        "CycleDecided",
    }
)  # fmt: skip
STOPS = frozenset(
    {
        "ProjectHeld", "TaskHeld", "TaskEscalated", "TaskBlocked", "MergeFailed", "ApprovalVoided", "AttemptSentBack",
        "ApprovalEnded", "RunsPaused", "RunStuck", "SprintPaused",
    }
)  # fmt: skip
EXCEPTIONS = frozenset({"SecurityRecorded", "UnapprovedMergeSeen", "AttributionCleared", "KeyAdded", "KeyRetired"})


def sentence(actor: str, event: Event) -> str:
    """Describe an event in one line, starting with `actor`."""
    return one_line(f"{actor} {PREDICATES[type(event).__name__](event)}", LONGEST)


def kind_of_line(event: Event) -> EventKind:
    """Return how to highlight an event."""
    name, fields = type(event).__name__, asdict(event)
    if fields.get("kind") == "token_elsewhere":
        return "refused"
    if name in EXCEPTIONS or fields.get("exception"):
        return "security"
    if name in STOPS or fields.get("stuck"):
        return "stop"
    return "decision" if name in DECISIONS else "plain"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _why(text: str) -> str:
    return f": {text}" if text else ""


def _among(names: Sequence[str], most: int = 3) -> str:
    return some(names, most)


def _submitted(event: Any) -> str:
    signal = "" if event.signal == "DONE" else f", signal {event.signal}"
    if event.no_code:
        return f"submitted iteration {event.n} without code{signal}"
    size = f"+{event.added} −{event.removed} in {_count(len(event.files), 'file')}"
    return f"submitted iteration {event.n}: {size}{signal}"


def _returned(event: Any) -> str:
    return (
        f"got the review of {f'iteration {event.attempt}' if event.attempt else 'unfinished work'} back ({event.why})"
    )


def _approved(event: Any) -> str:
    by_rule = "by rule " if basis_of(event.grade) == "rule" else ""
    exception = f", an exception ({event.exception})" if event.exception else ""
    return f"approved iteration {event.attempt} {by_rule}({event.rule}){exception}{_why(event.reason)}"


def _setting(event: Any) -> str:
    return f"unset {event.name}" if event.new is None else f"set {event.name} to {event.new}"


def _edited(event: Any) -> str:
    fields = [name for name in event.__struct_fields__ if name != "old" and getattr(event, name) is not None]
    return f"changed {_among(fields, 5) or 'nothing'}"


def _moved(event: Any) -> str:
    return f"moved it under {event.new}" if event.new else f"removed it from {event.old}"


def _ended_run(event: Any, verb: str) -> str:
    return f"{verb}{f' ({event.how})' if event.how else ''}{_why(event.reason)}"


def _check(event: Any) -> str:
    return (
        f"ran the check {event.name}: {event.outcome.replace('_', ' ')}{f' ({event.summary})' if event.summary else ''}"
    )


def _escalated(event: Any) -> str:
    waits = {"": f"sent it to tier {event.tier}", "lead": "asks the lead", "user": "asks a person"}[event.waiting_for]
    return f"{waits}{_why(event.why)}"


def _answered(event: Any) -> str:
    words = _among(sorted({answer.action for answer in event.answers}), 4)
    return f"answered {_count(len(event.answers), 'finding')}{f' ({words})' if words else ''}"


def _reviewed(event: Any) -> str:
    raised = f", {_count(event.raised, 'finding')}" if event.raised else ""
    return f"reviewed iteration {event.attempt}: {event.effective}{raised}"


def _raised(event: Any) -> str:
    worst = [word for word in ("CRITICAL", "HIGH") if any(each.severity == word for each in event.findings)]
    return f"raised {_count(len(event.findings), 'finding')}{f', worst {worst[0]}' if worst else ''}"


PREDICATES: dict[str, Callable[[Any], str]] = {
    # submission to merge
    "AttemptSubmitted": _submitted,
    "StackFound": lambda e: f"found {e.below.task} inside iteration {e.attempt} (A7)",
    "Approved": _approved,
    "ApprovalRecorded": lambda e: (
        f"recorded an approval of iteration {e.attempt}, which someone must complete ({e.rule})"
    ),
    "ApprovalFinished": lambda e: f"completed an approval{_why(e.reason)}",
    "ApprovalWithdrawn": lambda e: f"withdrew an approval{_why(e.reason)}",
    "ApprovalEnded": lambda e: f"ended an approval: {e.why}",
    "RedoRequested": lambda e: f"sent iteration {e.iteration} back{_why(e.feedback or _among(e.quick_issues))}",
    "TaskRejected": lambda e: f"rejected it: {e.reason}",
    "TaskMerged": lambda e: f"merged it as {e.sha[:7]}",
    "UnapprovedMergeSeen": lambda e: f"found work on the target without an approval ({e.sha[:7]})",
    # the gate
    "CheckFinished": _check,
    "ChecksTaken": lambda e: "started to run the checks",
    "ChecksLeft": lambda e: "finished the checks",
    "TestsListed": lambda e: f"recorded the names of {_count(e.count, 'test')}",
    "PlanAccepted": lambda e: f"accepted the planned mode {e.mode}",
    "AttemptSentBack": lambda e: (
        f"sent iteration {e.iteration} back: "
        + ("required checks are red" if e.source == "checks" else "blocking findings are open")
    ),
    "ApprovalVoided": lambda e: f"ended an approval: {', and '.join(e.reasons)}",
    "MergeLeased": lambda e: f"began to merge iteration {e.attempt}",
    "MergeLeft": lambda e: f"{'is stuck merging it' if e.stuck else 'could not merge it yet'}{_why(e.why)}",
    "MergeSent": lambda e: f"pushes the merge {e.made[:7]} to {e.remote}",
    "MergesPlaced": lambda e: f"set {e.clone.rpartition(':')[0]} as the machine that merges",
    "RemoteAddressed": lambda e: f"set the address of {e.remote} to {e.shown} on {e.clone.rpartition(':')[0]}",
    "TargetSetBack": lambda e: f"accepted that the target was reset to {e.tip[:7]}",
    "MergeRetried": lambda e: f"retried the merge of iteration {e.attempt}",
    "MergeFailed": lambda e: (
        f"could not merge iteration {e.iteration}: "
        + (f"conflict in {_among(e.paths)}" if e.kind == "conflict" else "checks are red on the result")
    ),
    "CheckpointNoted": lambda e: (
        {"create": "made", "restore": "went back to", "prune": "forgot"}[e.did] + f" the checkpoint {e.name}"
    ),
    # sessions and keys
    "SessionStarted": lambda e: f"joined as {e.kind}",
    "SessionEvidenceAdded": lambda e: f"showed {_count(len(e.evidence), 'more sign')} of its identity",
    "TokenIssued": lambda e: f"gave {e.name} a token to {e.role}",
    "SessionEnded": lambda e: f"ended the session {e.session}{_why(e.reason)}",
    "AttributionCleared": lambda e: f"cleared {e.session} of authorship up to iteration {e.attempt}: {e.reason}",
    "KeyAdded": lambda e: f"added the key {e.fingerprint} of {e.person}",
    "KeyRetired": lambda e: f"retired the key {e.fingerprint}: {e.reason}",
    "DecisionSigned": lambda e: f"signed it with {e.key}",
    # the loop
    "ReviewSubmitted": _reviewed,
    "ReviewReturned": _returned,
    "FindingsRaised": _raised,
    "FindingsAnswered": _answered,
    "FindingRuled": lambda e: f"ruled {e.ruling} on {e.root}{_why(e.reason)}",
    "RulingTakenBack": lambda e: f"withdrew the ruling on {e.root}",
    "FindingsCleared": lambda e: f"cleared {_count(len(e.roots), 'finding')} that no longer exist",
    "FindingWithdrawn": lambda e: f"withdrew {e.root}: {e.reason}",
    "FindingWaived": lambda e: f"waived {e.root} until {e.until}: {e.reason}",
    "FindingsPlaced": lambda e: f"updated the place of {_count(len(e.places), 'finding')}",
    "FindingTracked": lambda e: f"planned the task {e.follow_up} for {e.root}",
    "TaskEscalated": _escalated,
    "LeadDecided": lambda e: f"decided as lead: {e.option}{_why(e.reason)}",
    # review cycles
    "CycleOpened": lambda e: f"opened the review cycle {e.cycle}{_why(e.reason)}",
    "EarlyReviewTaken": lambda e: f"started early review {e.n} of the work",
    "ReviewAsked": lambda e: f"asked {e.reviewer} for a review ({e.cycle})",
    "ReviewNotGiven": lambda e: f"got no review from {e.reviewer} ({e.cycle}): {e.why}{_why(e.text)}",
    "ClarificationAsked": lambda e: f"asked to clarify {_count(len(e.points), 'point')} of {e.cycle}",
    "ClarificationAnswered": lambda e: f"clarified {e.point} of {e.cycle}: {e.text}",
    "CycleDecided": lambda e: f"decided {e.cycle} by rule {e.rule}{_why('. '.join(e.reasons))}",
    "CycleEnded": lambda e: f"ended {e.cycle}: {e.why}",
    "SprintPlanned": lambda e: f"planned the sprint {e.sprint}: {_count(len(e.tasks), 'task')}",
    "SprintStarted": lambda e: f"started the sprint {e.sprint}" + (f" until {e.ends_at}" if e.ends_at else ""),
    "SprintPaused": lambda e: f"paused the sprint {e.sprint}{_why(e.why)}",
    "SprintResumed": lambda e: f"continued the sprint {e.sprint}{_why(e.why)}",
    "SprintEnded": lambda e: f"ended the sprint {e.sprint}{_why(e.why)}",
    "SprintUndone": lambda e: f"planned {_count(len(e.reverts), 'task')} that revert the sprint {e.sprint}",
    # agents at work
    "RunnerStarted": lambda e: (
        f"started a runner on {e.host}" + (f", {_count(e.agents, 'agent')} at once" if e.agents else "")
    ),
    "RunnerEnded": lambda e: f"{'found a runner dead' if e.lost else 'ended the runner'}{_why(e.reason)}",
    "RunReserved": lambda e: f"reserved it for a run of {e.profile} ({e.purpose})",
    "RunTaken": lambda e: f"took over the run {e.run}{_why(e.why)}",
    "RunBound": lambda e: f"started the run {e.run}",
    "RunEnded": lambda e: (
        f"ended the run {e.run}: {e.ending}" + (f", {e.error}{_why(e.error_text)}" if e.error != "none" else "")
    ),
    "RunStopAsked": lambda e: f"asked the run {e.run} to stop{_why(e.reason)}",
    "RunStuck": lambda e: f"left it to a person: {e.why}",
    "Signalled": lambda e: f"signalled {e.signal}{_why(e.message)}",
    "Emitted": lambda e: f"says ({e.type.replace('_', ' ')}): {e.summary}",
    "RunsPaused": lambda e: f"paused it: {e.reason}",
    "RunsResumed": lambda e: f"resumed it: {e.reason}",
    "ProfileCooled": lambda e: (
        f"skips {e.profile} on {e.host}{f' until {e.until}' if e.until else ''}: {e.error_text or e.error}"
    ),
    "ProfileWarmed": lambda e: f"uses {e.profile} on {e.host} again{_why(e.reason)}",
    # notes
    "HandedOff": lambda e: f"left a note: {_count(len(e.done), 'thing')} done, {len(e.remaining)} to do",
    "Logged": lambda e: f"logged{'' if e.type == 'progress' else f' ({e.type})'}: {e.text}",
    # the project
    "PolicyAccepted": lambda e: f"accepted the configuration {e.digest[:15]}",
    "ProjectCreated": lambda e: f"created the project {e.name} on {e.target}",
    "ProjectHeld": lambda e: f"held the whole project: {e.reason}",
    "ProjectResumed": lambda e: f"resumed the project: {e.reason}",
    "SecurityRecorded": lambda e: f"made an exception: {e.kind} ({e.rule}){_why(e.reason)}",
    "SettingChanged": _setting,
    "StorePlaced": lambda e: f"recorded that the store is {place_words(e.place)}",
    "TemplateAccepted": lambda e: f"accepted the prompt {e.name}",
    # tasks
    "DependencyAdded": lambda e: f"made it depend on {e.depends_on}",
    "DependencyRemoved": lambda e: f"removed its dependency on {e.depends_on}",
    "LabelAdded": lambda e: f"added the label {e.label}",
    "LabelRemoved": lambda e: f"removed the label {e.label}",
    "MinorSet": lambda e: "marked it minor" if e.minor else "unmarked it as minor",
    "ParentChanged": _moved,
    "TaskBlocked": lambda e: f"blocked it: {e.reason}",
    "TaskCancelled": lambda e: f"cancelled it{_why(e.reason)}",
    "TaskClosed": lambda e: f"closed it without an approval ({e.rule}){_why(e.reason)}",
    "TaskCreated": lambda e: f"planned: {e.title}",
    "TaskDeferred": lambda e: f"deferred it{f' until {e.until}' if e.until else ''}",
    "TaskDeleted": lambda e: f"deleted it{_why(e.reason)}",
    "TaskEdited": _edited,
    "TaskHeld": lambda e: f"held it: {e.reason}",
    "TaskReleased": lambda e: _ended_run(e, f"released it from {e.implementer}"),
    "TaskReopened": lambda e: f"reopened it{_why(e.reason)}",
    "TaskResumed": lambda e: f"lifted its hold: {e.reason}",
    "ReservationEnded": lambda e: f"could not start it{_why(e.reason)}",
    "TaskReserved": lambda e: "was about to start it",
    "TaskStarted": lambda e: "started it" if e.implementer is None else f"started it for {e.implementer}",
    "TaskUnblocked": lambda e: f"unblocked it{_why(e.reason)}",
    "TaskUndeferred": lambda e: "undeferred it",
    "TaskUnstarted": lambda e: _ended_run(e, "gave it back"),
}
"""The predicate of each sentence, by event name."""
