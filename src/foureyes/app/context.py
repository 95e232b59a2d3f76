"""What every verb shares: the ports, who is calling, and one way to read and to write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import cached_property

import msgspec

from foureyes import config
from foureyes.app.ports import Clock, Ids, Keys, Outside, Repo, Store, Tx, Workshop, WriteTx
from foureyes.app.views import ProjectView, SessionView
from foureyes.core.events import Event, SessionEvidenceAdded, SessionStarted
from foureyes.core.ids import TASK_INPUT, OriginId, SessionId, TaskId, session_of
from foureyes.core.policy import ReviewPolicy
from foureyes.core.rights import barred
from foureyes.core.session import Actor, Party, Role
from foureyes.core.task import Task, visible
from foureyes.errors import AmbiguousId, BadInput, Internal, NotFound, Reason, Refused, StaleState


class Known(msgspec.Struct, frozen=True):
    """A piece of evidence that the store has."""

    evidence: str


class Origin(msgspec.Struct, frozen=True):
    """An origin that some evidence belongs to."""

    origin: str


class Named(msgspec.Struct, frozen=True):
    """A task id."""

    id: str


class Count(msgspec.Struct, frozen=True):
    """A number."""

    n: int


class StoredSetting(msgspec.Struct, frozen=True):
    """A journalled setting."""

    name: str
    value: str
    session: str = ""
    at: str = ""


DECISIONS = frozenset(
    {
        "approve", "withdraw", "redo", "reject", "close", "cancel", "delete", "reopen", "unblock", "finding rule",
        "review submit", "lead split", "lead senior", "lead fresh", "lead ask", "lead continue",
    }
)  # fmt: skip
"""I9: what `human_proof = "key"` wants a person's signature under."""

SIGNED = frozenset(
    {
        "policy set", "policy unset", "policy accept", "feature set", "feature unset", "hold", "resume", "author clear",
        "key add", "key retire", "finding waive",
    }
)  # fmt: skip
"""I9: what wants one as soon as there is any key; so do break-glass and an approval that counts because a person gives
it.
"""


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A person's public key on record."""

    fingerprint: str
    public: str
    person: str
    session: str = ""
    at: str = ""
    retired_at: str | None = None
    retired_why: str = ""


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """A token as the store knows it."""

    hash: str
    session: SessionId
    task: TaskId
    role: Role
    bound: str
    ended: bool


class Work:
    """A writing transaction of one actor: reads see what was already recorded in it.

    `unproven` is why nothing may be recorded yet: a person's signature is still to be checked (I9).
    """

    def __init__(self, tx: WriteTx, actor: Actor, at: str, unproven: str = "") -> None:
        self.tx = tx
        self.actor = actor
        self.at = at
        self.unproven = unproven
        self._known = False

    def record(self, task: str, *events: Event) -> list[int]:
        """Journal events about a task (or about none: ""). The session's row is made with its first write (I1)."""
        refuse_other_task(self.actor, task)
        if self.unproven:
            raise Internal(f"{self.unproven} was about to be recorded without its signature (I9)")
        self.introduce()
        return self.tx.append(self.actor.session, self.at, [(task, event) for event in events])

    def as_gate(self, project: str) -> Work:
        """The same transaction, in the name of the gate: what a rule decides, no caller decides (lesson 28)."""
        return Work(self.tx, gate_of(project), self.at)

    def introduce(self) -> None:
        """Make the session's row, or add what is new about it; once."""
        if self._known:
            return
        self._known = True
        actor, tx = self.actor, self.tx
        known = tx.one("session.get", SessionView, id=actor.session)
        event: Event | None = None
        if known is None:
            event = self._first_words()
        elif actor.trust != "asserted":
            have = {
                row.evidence
                for row in tx.all("session.known_evidence", Known, evidence=actor.evidence, origin=known.origin)
            }
            missing = tuple(piece for piece in actor.evidence if piece not in have)
            event = SessionEvidenceAdded(evidence=missing) if missing else None
        if event is not None:
            tx.append(actor.session, self.at, [("", event)])

    def _first_words(self) -> SessionStarted:
        actor = self.actor
        name = actor.name
        if actor.kind == "agent" and actor.trust != "asserted":
            count = self.tx.one("session.count_agent", Count, agent=actor.agent)
            name = f"{actor.agent or 'agent'}#{(count.n if count else 0) + 1}"
        return SessionStarted(
            kind=actor.kind,
            trust=actor.trust,
            agent=actor.agent,
            person=actor.person,
            host=actor.host,
            model=actor.model,
            vendor=actor.vendor,
            name=name,
            proven=is_proven(actor),
            parent=actor.parent,
            base=actor.base,
            process=actor.processes[0] if actor.processes and actor.kind == "agent" else "",
            evidence=() if actor.trust == "asserted" else actor.evidence,
        )


def gate_of(project: str) -> Actor:
    """The gate of a project: a service that is nobody's, and only ever does what the rules say."""
    evidence = f"gate:{project}"
    return Actor(session=session_of(evidence), kind="service", trust="observed", agent="gate", evidence=(evidence,))


def is_proven(actor: Actor) -> bool:
    """I3: an agent without process evidence has no origin of its own."""
    return actor.kind != "agent" or bool(actor.processes) or actor.trust == "issued"


class Context:
    """The ports, bound together for one process."""

    def __init__(
        self,
        store: Store,
        repo: Callable[[], Repo],
        clock: Clock,
        ids: Ids,
        environ: Mapping[str, str],
        folder: str = "",
        keys: Callable[[], Keys] | None = None,
        outside: Outside | None = None,
    ) -> None:
        self.store = store
        self._repo = repo
        self._keys = keys
        self._outside = outside
        self.clock = clock
        self.ids = ids
        self.environ = environ
        self.folder = folder

    @cached_property
    def repo(self) -> Repo:
        """The repository; made when first asked for, because many commands never need git."""
        return self._repo()

    @cached_property
    def keys(self) -> Keys:
        """The caller's keys; made when first asked for, because hardly any command signs."""
        if self._keys is None:
            raise Internal("this Application was made without keys")
        return self._keys()

    @property
    def outside(self) -> Outside:
        """Worktrees, merges, checks, files: what few commands need."""
        if self._outside is None:
            raise Internal("this Application was made without a workshop")
        return self._outside

    @cached_property
    def workshop(self) -> Workshop:
        """What may be done to the repository; made when first asked for."""
        return self.outside.workshop()

    def close(self) -> None:
        """Let go of the store and, if they were ever made, of the repository's ports."""
        if "repo" in self.__dict__:
            self.repo.close()
        if "workshop" in self.__dict__:
            self.workshop.close()
        self.store.close()

    def now(self) -> str:
        return stamp(self.clock.now())

    def ago(self, minutes: int) -> str:
        """The moment that many minutes before now."""
        return stamp(self.clock.now() - timedelta(minutes=minutes))

    def later(self, seconds: int) -> str:
        """The moment that many seconds after now."""
        return stamp(self.clock.now() + timedelta(seconds=seconds))

    @contextmanager
    def writing(self, actor: Actor, verb: str) -> Iterator[Work]:
        """A transaction for a verb, if the caller may use the verb at all (I1, I2, I5)."""
        permit(actor, verb)
        with self.store.write() as tx:
            check_token(tx, actor)
            yield Work(tx, actor, self.now(), verb if self.wants_key(tx, actor, verb) else "")

    def wants_key(self, tx: Tx, actor: Actor, verb: str, *, as_a_person: bool = False) -> bool:
        """I9: whether a person's signature belongs under this verb. `as_a_person`: it counts because a person does
        it.
        """
        if actor.kind != "human" or (verb not in SIGNED and verb not in DECISIONS):
            return False
        if (as_a_person or verb in SIGNED) and self.has_keys(tx):
            return True
        return self.policy(tx, actor).human_proof == "key"

    @staticmethod
    def has_keys(tx: Tx) -> bool:
        """Whether any person's key counts in this project."""
        return any(key.retired_at is None for key in tx.all("record.keys", Key))

    def project(self, tx: Tx) -> ProjectView:
        found = tx.one("project.get", ProjectView)
        if found is None:
            raise Internal("the store has no project row")
        return found

    def layers(self, tx: Tx, actor: Actor) -> config.Layers:
        """Where settings come from, for this caller. foureyes.toml is the one that a person last accepted (P12)."""
        text = self.project(tx).accepted_text
        stored = {row.name: row.value for row in tx.all("project.settings", StoredSetting)}
        human = actor.kind == "human" and not self.has_keys(
            tx
        )  # who has a key changes the policy with it, not by a variable (I9)
        return config.Layers(
            file=config.read_file(text) if text else {}, store=stored, environ=self.environ, human=human
        )

    def policy(self, tx: Tx, actor: Actor) -> ReviewPolicy:
        return config.review_policy(self.layers(tx, actor))

    def find(self, tx: Tx, text: str) -> Task:
        """The task that an id, or any unambiguous beginning of one, means."""
        return self.get(tx, self.find_id(tx, text))

    def find_id(self, tx: Tx, text: str) -> TaskId:
        wanted = text.strip().lower()
        if not TASK_INPUT.match(wanted):
            raise BadInput(f"{visible(text)[:60]!r} is not a task id.", next_step="fe list")
        if tx.one("task.exists", Named, id=wanted):
            return TaskId(wanted)
        if "-" not in wanted:
            wanted = f"{self.project(tx).prefix}-{wanted}"
        found = tx.all("task.with_prefix", Named, low=wanted, high=wanted + "~")
        if len(found) == 1 or any(row.id == wanted for row in found):
            return TaskId(wanted if len(found) > 1 else found[0].id)
        if not found:
            raise NotFound(f"no task {visible(text)}.", next_step='fe list --text "…"', task=wanted)
        names = " or ".join(row.id for row in found[:4])
        raise AmbiguousId(f"{visible(text)} means {names}; type one more character", task=wanted)

    def get(self, tx: Tx, task: TaskId) -> Task:
        found = tx.one("task.get", Task, id=task)
        if found is None:
            raise NotFound(f"no task {task}.", next_step='fe list --text "…"', task=task)
        return found

    def check_version(self, tx: Tx, task: Task, seen: int | None) -> None:
        """T6: a stale write is refused, with who changed what, and when."""
        if seen is None or seen == task.version:
            return
        rows = tx.all("journal.of_task_since", Change, task=task.id, after=seen)
        names = {row.id: row.name for row in tx.all("session.some", SessionView, ids=sorted({r.session for r in rows}))}
        what = (
            "; ".join(f"{names.get(row.session, row.session)} {row.kind} at {row.at}" for row in rows[-3:])
            or "nothing on record"
        )
        raise StaleState(
            f"{task.id} changed since you read it: {what} (you saw version {seen}, now {task.version}).",
            next_step=f"fe show {task.id}",
            task=task.id,
        )

    def party(self, tx: Tx, actor: Actor) -> Party:
        """The caller as the policy sees it: every origin its evidence belongs to, everyone above it."""
        known = tx.one("session.get", SessionView, id=actor.session)
        origins = {row.origin for row in tx.all("session.origins", Origin, evidence=actor.evidence)}
        origins |= {known.origin} if known else {str(actor.session)}
        parent = actor.parent or (known.parent if known else None)
        return Party(
            session=actor.session,
            kind=actor.kind,
            trust=actor.trust,
            name=known.name if known else actor.name,
            person=actor.person,
            origins=frozenset(OriginId(origin) for origin in origins),
            proven=is_proven(actor),
            above=spawners(tx, SessionId(parent) if parent else None),
            under=frozenset(actor.processes[1:]),
            under_origins=self._under(tx, actor),
            process=known.process if known else "".join(actor.processes[:1]),
            role=actor.role,
            task=actor.task,
            model=actor.model,
            vendor=actor.vendor,
        )

    @staticmethod
    def _under(tx: Tx, actor: Actor) -> frozenset[OriginId]:
        """I3: the origins of the agents whose processes are above the caller's own agent."""
        if len(actor.processes) < 2:
            return frozenset()
        return frozenset(
            OriginId(row.origin) for row in tx.all("session.origins", Origin, evidence=actor.processes[1:])
        )


class Change(msgspec.Struct, frozen=True):
    """A journal row, for saying who changed what."""

    seq: int
    at: str
    session: str
    kind: str


def spawners(tx: Tx, parent: SessionId | None) -> tuple[SessionId, ...]:
    """Everyone above a session, nearest first."""
    found: list[SessionId] = []
    while parent is not None and parent not in found:
        found.append(parent)
        row = tx.one("session.get", SessionView, id=parent)
        parent = SessionId(row.parent) if row and row.parent else None
    return tuple(found)


def check_token(tx: Tx, actor: Actor) -> None:
    """I2: an issued session is who shows its live token, nobody else; also not a moment after it has ended."""
    if actor.trust != "issued":
        return
    token = tx.one("session.token", Token, hash=actor.token) if actor.token else None
    if (
        token is None
        or token.ended
        or (token.session, token.role, token.task) != (actor.session, actor.role, actor.task)
    ):
        raise Refused(
            "the token was refused.", reasons=(Reason("I2", f"{actor.session} has no token that is good for this"),)
        )


def refuse_other_task(actor: Actor, task: str) -> None:
    """I2: a token is good for one task."""
    if actor.task is not None and task and task != actor.task:
        reason = Reason("I2", f"this session has a token for {actor.task}, not for {task}", "fe whoami")
        raise Refused(f"{task} was not changed.", reasons=(reason,), next_step=reason.next, task=task)


def permit(actor: Actor, verb: str) -> None:
    """I1, I2, I5: whether the caller may use the verb at all."""
    reason = barred(actor.kind, actor.trust, actor.name, verb, actor.role, actor.within)
    if reason is not None:
        raise Refused(f"{verb} is not for you", reasons=(reason,), next_step=reason.next)


def stamp(moment: datetime) -> str:
    """UTC with milliseconds, as the journal has it."""
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"
