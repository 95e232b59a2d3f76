"""Shared parts of all verbs: the ports, the caller, refusals and transactions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, NoReturn, TypeVar

import msgspec

from foureyes.app.results.session import SessionView
from foureyes.core.nouns.session import Actor, Party, Role
from foureyes.core.nouns.task import Task
from foureyes.core.rules.rights import DECISIONS, PLACING, SIGNED, barred
from foureyes.core.words.ids import TASK_INPUT, OriginId, SessionId, Sha, TaskId, session_of
from foureyes.core.words.lifecycle import TRANSITIONS, is_allowed
from foureyes.core.words.text import clean_text, is_blank, visible
from foureyes.errors import AmbiguousId, BadInput, Internal, NotFound, Reason, Refused, StaleState
from foureyes.steps import NO_STEP, Steps, by_person, fe, phrase

if TYPE_CHECKING:
    from foureyes.app.git_ports import Remote, Repo, Workshop
    from foureyes.app.ports import Clock, DraftFiles, Ids, NamedQuery, Outside, OwnKeys, Store, Tx, WriteTx
    from foureyes.app.results.project import ProjectView
    from foureyes.config.layers import Layers
    from foureyes.config.settings import SettingValue
    from foureyes.core.events import Event, SessionStarted
    from foureyes.core.rules.policy import IdentityRule, ReviewPolicy
    from foureyes.core.words.decision import Decision


# ---- Context ----

T = TypeVar("T")

OF_SETTINGS = ("FOUREYES_", "TD_FEATURE_")
"""Prefixes of environment variables that can change a setting."""
OF_PROJECT: tuple[NamedQuery, ...] = (("project.get", {}), ("project.settings", {}))
"""Queries for the project row and its settings, which are nearly always needed together."""


def of_party(actor: Actor) -> list[NamedQuery]:
    """Return the queries to prefetch for a caller, for `ahead`."""
    return [("session.get", {"id": actor.session}), ("session.origins", {"evidence": actor.evidence})]


class Context:
    """The ports of one process."""

    def __init__(
        self,
        store: Store,
        repo: Callable[[], Repo],
        clock: Clock,
        ids: Ids,
        environ: Mapping[str, str],
        keys: Callable[[], OwnKeys] | None = None,
        outside: Outside | None = None,
    ) -> None:
        self.store = store
        self._repo = repo
        self._keys = keys
        self._outside = outside
        self.clock = clock
        self.ids = ids
        self.environ = environ
        self._parsed: tuple[str, dict[str, SettingValue]] | None = None
        self._last: tuple[Layers, ReviewPolicy] | None = None
        self._shared: dict[type, object] = {}
        self._remotes: dict[str, Remote] = {}

    @cached_property
    def repo(self) -> Repo:
        """The repository, opened on first use, because many commands never need git."""
        return self._repo()

    @cached_property
    def keys(self) -> OwnKeys:
        """The caller's keys, loaded on first use, because few commands sign."""
        if self._keys is None:
            raise Internal("this Application was made without keys")
        return self._keys()

    def shared(self, kind: type[T], make: Callable[[], T]) -> T:
        """Return the object of this type that the whole process shares. The first call creates it."""
        if kind not in self._shared:
            self._shared[kind] = make()
        made = self._shared[kind]
        assert isinstance(made, kind)
        return made

    def signing_once(self) -> AbstractContextManager[None]:
        """Return a context that asks for the passphrase only once for several decisions. Each one is signed. (H2,
        I9)
        """
        return self.keys.once() if self._keys is not None else nullcontext()

    @property
    def outside(self) -> Outside:
        """Access to worktrees, merges, checks and files."""
        if self._outside is None:
            raise Internal("this Application was made without a workshop")
        return self._outside

    @cached_property
    def workshop(self) -> Workshop:
        """Write access to the repository, opened on first use."""
        return self.outside.workshop()

    def remote(self, tx: Tx) -> Remote | None:
        """Return the git remote that has the target, or None. Does not use the network. (Q6)"""
        return self.remote_named(tx, self.gate_policy(tx).remote)

    def remote_named(self, tx: Tx, name: str) -> Remote | None:
        """Return the git remote with this name, even if the configuration no longer names it."""
        if name and name not in self._remotes:
            self._remotes[name] = self.outside.remote(name)
        if not name:
            return None
        from foureyes.app.target_merges import Addressed, recorded

        return Addressed(self, self._remotes[name], recorded(self, tx, name))

    def forget_remote(self, name: str) -> None:
        """Drop a cached remote, so that its git configuration is read again."""
        self._remotes.pop(name, None)

    @cached_property
    def drafts(self) -> DraftFiles:
        """The draft files, opened on first use. This process holds them until it closes them."""
        return self.outside.drafts()

    @cached_property
    def gate(self) -> Actor:
        """The gate as actor, for decisions that only rules make."""
        return gate_of(self.store.project)

    def close(self) -> None:
        """Close the store and, if it was opened, the repository."""
        if "repo" in self.__dict__:
            self.repo.close()
        if "workshop" in self.__dict__:
            self.workshop.close()
        if "drafts" in self.__dict__:
            self.drafts.close()
        self.store.close()

    def now(self) -> str:
        return stamp(self.clock.now())

    def ago(self, minutes: int) -> str:
        """Return the time this many minutes before now."""
        return stamp(self.clock.now() - timedelta(minutes=minutes))

    def later(self, seconds: int) -> str:
        """Return the time this many seconds after now."""
        return stamp(self.clock.now() + timedelta(seconds=seconds))

    @contextmanager
    def writing(self, actor: Actor, verb: str) -> Iterator[Work]:
        """Open a write transaction for a verb. Refuse a caller who may not use it. (I1, I2, I5)"""
        permit(actor, verb)
        with self.store.write(anywhere=verb in PLACING) as tx:
            tx.along(*of_writer(actor))
            check_token(tx, actor)
            unproven = verb if self.wants_key(tx, actor, verb) else ""
            yield Work(tx, actor, self.now(), self.store.project, unproven)

    def deciding(
        self,
        actor: Actor,
        verb: str,
        *,
        task: str | None = None,
        diff_id: str = "",
        reason: str = "",
        how: str = "",
        as_a_person: bool = False,
        policy: ReviewPolicy | None = None,
        worth: Callable[[], bool] = lambda: True,
    ) -> AbstractContextManager[Work]:
        """Open a write transaction for a decision. The person signs first if the rules require it. (I9)

        The first recorded event checks the signature, so that no verb can forget it.
        """
        from foureyes.app.signatures import Intent, deciding

        act = Intent(verb=verb, task=task or "", diff_id=diff_id, reason=reason, how=how)
        return deciding(self, actor, act, as_a_person=as_a_person, policy=policy, worth=worth)

    def wants_key(
        self, tx: Tx, actor: Actor, verb: str, *, as_a_person: bool = False, policy: ReviewPolicy | None = None
    ) -> bool:
        """Return True if the verb needs a person's signature. (I9)

        `as_a_person`: the decision counts only because a person makes it. `policy` is the policy if the caller has read
        it already.
        """
        if actor.kind != "human" or (verb not in SIGNED and verb not in DECISIONS):
            return False
        if actor.by_key:
            return True
        if (as_a_person or verb in SIGNED) and self.has_keys(tx):
            return True
        return (policy or self.policy(tx, actor)).human_proof == "key"

    @staticmethod
    def has_keys(tx: Tx) -> bool:
        """Return True if any person's key is active in this project."""
        from foureyes.app.results.settings import SigningKey

        return any(key.retired_at is None for key in tx.all("record.keys", SigningKey))

    def project(self, tx: Tx) -> ProjectView:
        return tx.once("project", lambda: project_in(tx))

    def layers(self, tx: Tx, actor: Actor) -> Layers:
        """Return the settings of all sources for this caller. The file among them is the foureyes.toml that a person
        last accepted. (P12)
        """
        from foureyes.config.layers import Layers

        text, environ = self.project(tx).accepted_text, self._variables()
        stored = {row.name: row.value for row in self._stored(tx)}
        # Once any person has a key, a person's policy changes need it, so variables no longer count as a person's. (I9)
        human = bool(environ) and actor.kind == "human" and not self.has_keys(tx)
        return Layers(file=self._read(text), store=stored, environ=environ, human=human)

    @staticmethod
    def _stored(tx: Tx) -> list[StoredSetting]:
        return tx.once("settings", lambda: tx.all("project.settings", StoredSetting))

    def _variables(self) -> dict[str, str]:
        """Return the settings in the environment."""
        if not any(name.startswith(OF_SETTINGS) for name in self.environ):
            return {}
        from foureyes.config.layers import variables_in

        return variables_in(self.environ)

    def _read(self, text: str | None) -> dict[str, SettingValue]:
        """Return the settings in a file's text. The last text is cached."""
        if not text:
            return {}
        from foureyes.config.parser import read_file

        if self._parsed is None or self._parsed[0] != text:
            self._parsed = (text, read_file(text))
        return dict(self._parsed[1])

    def policy(self, tx: Tx, actor: Actor) -> ReviewPolicy:
        """Return the rules in force for this caller. The transaction caches them until its next write."""
        human = actor.kind == "human" and bool(self._variables())
        return tx.once(("policy", human), lambda: self._policy(tx, actor))

    def _policy(self, tx: Tx, actor: Actor) -> ReviewPolicy:
        """Return the rules. If nothing is set, use the defaults without importing the configuration code."""
        if self.is_configured(tx):
            return self._resolved(self.layers(tx, actor))
        from foureyes.core.rules.policy import ReviewPolicy

        return ReviewPolicy()

    def is_configured(self, tx: Tx) -> bool:
        """Return True if any source has a setting."""
        return bool(self.project(tx).accepted_text or self._stored(tx) or self._variables())

    def _resolved(self, layers: Layers) -> ReviewPolicy:
        """Return the rules that these settings give. The last result is cached."""
        from foureyes.config.effective_policy import review_policy

        if self._last is None or self._last[0] != layers:
            self._last = (layers, review_policy(layers))
        return self._last[1]

    def home(self, tx: Tx) -> IdentityRule:
        """Return the project's accepted identity rule. The environment can only make it stricter, for every caller.
        (I3)
        """
        from foureyes.config.effective_policy import identity_rule

        return identity_rule(self.layers(tx, self.gate))

    def gate_policy(self, tx: Tx) -> ReviewPolicy:
        """Return the rules in force for the gate. They do not depend on the caller."""
        return self.policy(tx, self.gate)

    def find(self, tx: Tx, text: str) -> Task:
        """Return the task with this id, or with an id that begins like this and no other does."""
        row = tx.one("task.get", Task, id=_as_id(text))
        return row if row is not None else self.get(tx, self.find_id(tx, text))

    def find_id(self, tx: Tx, text: str) -> TaskId:
        wanted = _as_id(text)
        if tx.one("task.exists", IdRow, id=wanted):
            return TaskId(wanted)
        if "-" not in wanted:
            wanted = f"{self.project(tx).prefix}-{wanted}"
        rows = tx.all("task.with_prefix", IdRow, low=wanted, high=wanted + "~")
        if len(rows) == 1 or any(row.id == wanted for row in rows):
            return TaskId(wanted if len(rows) > 1 else rows[0].id)
        if not rows:
            raise NotFound(
                f"there is no task {visible(text)}.", next_step=fe("list", "--text", phrase("…")), task=wanted
            )
        names = " or ".join(row.id for row in rows[:4])
        raise AmbiguousId(f"{visible(text)} could mean {names}. Type one more character", task=wanted)

    def get(self, tx: Tx, task: TaskId) -> Task:
        row = tx.one("task.get", Task, id=task)
        if row is None:
            raise NotFound(f"there is no task {task}.", next_step=fe("list", "--text", phrase("…")), task=task)
        return row

    def check_version(self, tx: Tx, task: Task, seen: int | None) -> None:
        """Refuse a write based on an old version, and list the changes since. (T6)"""
        if seen is None or seen == task.version:
            return
        rows = tx.all("journal.of_task_since", ChangeRow, task=task.id, after=seen)
        names = {row.id: row.name for row in tx.all("session.some", SessionView, ids=sorted({r.session for r in rows}))}
        what = (
            "; ".join(f"{names.get(row.session, row.session)} {row.kind} at {row.at}" for row in rows[-3:])
            or "nothing on record"
        )
        raise StaleState(
            f"{task.id} changed since you read it: {what} (you saw version {seen}, now {task.version}).",
            next_step=fe("show", task.id),
            task=task.id,
        )

    def party(self, tx: Tx, actor: Actor) -> Party:
        """Return the caller as the policy sees it, with all origins of its evidence and all sessions above it."""
        tx.ahead(*of_party(actor))
        known = tx.one("session.get", SessionView, id=actor.session)
        origins = {row.origin for row in tx.all("session.origins", Origin, evidence=actor.evidence)}
        origins |= {known.origin} if known else {str(actor.session)}
        by_file = tuple(
            (OriginId(row.origin), file)
            for piece, file in actor.keys_here
            for row in tx.all("session.origins", Origin, evidence=(piece,))
            if row.origin not in origins
        )
        parent = actor.parent or (known.parent if known else None)
        return Party(
            session=actor.session,
            kind=actor.kind,
            trust=actor.trust,
            name=known.name if known else actor.name,
            agent=actor.agent,
            person=actor.person,
            origins=frozenset([*(OriginId(origin) for origin in origins), *(origin for origin, _ in by_file)]),
            by_key_file=by_file,
            proven=actor.is_proven,
            above=spawners(tx, SessionId(parent) if parent else None),
            under=frozenset(actor.processes[1:]),
            under_origins=self._under(tx, actor),
            process=known.process if known else "".join(actor.processes[:1]),
            role=actor.role,
            task=actor.task,
            model=actor.model,
            vendor=actor.vendor,
            bound=actor.bound,
        )

    @staticmethod
    def _under(tx: Tx, actor: Actor) -> frozenset[OriginId]:
        """Return the origins of the agents whose processes are above the caller's own. (I3)"""
        if len(actor.processes) < 2:
            return frozenset()
        return frozenset(
            OriginId(row.origin) for row in tx.all("session.origins", Origin, evidence=actor.processes[1:])
        )


def project_in(tx: Tx) -> ProjectView:
    """Return the project row, and prefetch the settings."""
    from foureyes.app.results.project import ProjectView

    tx.ahead(*OF_PROJECT)
    project = tx.one("project.get", ProjectView)
    if project is None:
        raise Internal("the store has no project row")
    return project


def _as_id(text: str) -> str:
    """Return the text in the form of an id. Raise `BadInput` if it cannot be one."""
    wanted = text.strip().lower()
    if not TASK_INPUT.match(wanted):
        raise BadInput(f"{visible(text)[:60]!r} is not a task id.", next_step=fe("list"))
    return wanted


def stamp(moment: datetime) -> str:
    """Format a time as the journal does: UTC with milliseconds."""
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def seconds_since(context: Context, moment: str) -> int:
    """Return the seconds since `moment`."""
    return max(0, int((context.clock.now() - datetime.fromisoformat(moment)).total_seconds()))


# ---- Caller (I1, I2, I5) ----


def gate_of(project: str) -> Actor:
    """Return the gate as actor: a service that belongs to nobody and only follows the rules."""
    evidence = f"gate:{project}"
    return Actor(session=session_of(evidence), kind="service", trust="observed", agent="gate", evidence=(evidence,))


def spawners(tx: Tx, parent: SessionId | None) -> tuple[SessionId, ...]:
    """Return `parent` and every session above it, nearest first."""
    above: list[SessionId] = []
    while parent is not None and parent not in above:
        above.append(parent)
        row = tx.one("session.get", SessionView, id=parent)
        parent = SessionId(row.parent) if row and row.parent else None
    return tuple(above)


def check_token(tx: Tx, actor: Actor) -> None:
    """Refuse an issued session without a live token. Once a token has ended, it is worthless. (I2)"""
    if actor.trust != "issued":
        return
    if actor.kind == "service":
        from foureyes.app.runner_registry import check_runner

        check_runner(tx, actor)
        return
    token = tx.one("session.token", Token, hash=actor.token) if actor.token else None
    if (
        token is None
        or token.ended
        or (token.session, token.role, token.task) != (actor.session, actor.role, actor.task)
    ):
        refuse_verb("the token was refused.", Reason("I2", f"{actor.session} has no valid token for this"))


def refuse_other_task(actor: Actor, task: str) -> None:
    """Refuse a task other than the one the token is for. (I2)"""
    if actor.task is not None and task and task != actor.task:
        reason = Reason("I2", f"this session has a token for {actor.task}, not for {task}", fe("whoami"))
        refuse_task(task, "was not changed", reason)


def permit(actor: Actor, verb: str) -> None:
    """Refuse a caller who may not use the verb. (I1, I2, I5)"""
    if actor.namespaces is not None:
        raise Internal("it was not judged whether this caller is at home (I3)")
    reason = why_barred(actor, verb)
    if reason is not None:
        refuse_verb(f"{verb} is not allowed here", reason)


def why_barred(actor: Actor, verb: str) -> Reason | None:
    """Return why the caller may not use the verb, or None."""
    seen = (actor.within, actor.bound, actor.by_key, actor.git is not None, actor.in_run)
    return barred(actor.kind, actor.trust, actor.name, verb, actor.role, *seen)


# ---- Refusals that several verbs share ----


def refuse_task(task: str, what: str, *reasons: Reason, lead: Reason | None = None) -> NoReturn:
    """Raise a refusal about a task with all its reasons: `refuse_task("fe-1", "was not changed", reason)`.

    The next step is that of `lead`, by default the first reason.
    """
    refuse_verb(f"{task} {what}.", *reasons, task=task, lead=lead)


def refuse_verb(message: str, *reasons: Reason, task: str = "", lead: Reason | None = None) -> NoReturn:
    """Raise a refusal with a sentence of its own and all its reasons."""
    step = lead or reasons[0]
    raise Refused(message, reasons=reasons, next_step=step.next, task=task)


def not_submitted(task: str, *, so: str = "", step: Steps = NO_STEP) -> NotFound:
    """Return the error for a task without an attempt. `so` says what follows from that."""
    from foureyes.core.nouns.attempt import nothing_submitted
    from foureyes.errors import NotFound

    return NotFound(f"{nothing_submitted(task)}{so}.", next_step=step or fe("show", task), task=task)


def needed(reason: str, verb: str, task: str) -> str:
    """Return the cleaned reason. Refuse a blank one. (T2)"""
    reason = clean_text(reason, "the reason").strip()
    if is_blank(reason):
        missing = Reason(
            "T2",
            f'{verb} needs a reason. Add -m "why"',
            fe(*verb.split(), *task.split(), "-m", phrase("why")),
        )
        refuse_verb(f"{verb} needs a reason.", missing)
    return reason


def refuse_from(task: Task, action: str) -> None:
    """Refuse an action that the transition table does not allow from the task's status. (T2)"""
    if not is_allowed(action, task.status):
        allowed = ", ".join(TRANSITIONS[action].from_)
        is_dropped = action in ("cancel", "delete") and is_allowed("close", task.status)
        step = by_person(fe("close", task.id, "-m", phrase("why"))) if is_dropped else fe("show", task.id)
        reason = Reason("T2", f"{task.id} is {task.status}, and {action} is possible only from {allowed}", step)
        refuse_task(task.id, "was not changed", reason)


def refuse_unless(decision: Decision, task: Task) -> None:
    """Raise a refusal if the rules decided against it."""
    if not decision.allowed:
        refuse_task(task.id, "was not changed", *decision.reasons)


# ---- Rows of the store that several packages read ----


class EvidenceRow(msgspec.Struct, frozen=True):
    """A piece of evidence in the store."""

    evidence: str


class Origin(msgspec.Struct, frozen=True):
    """An origin in the store."""

    origin: str


class IdRow(msgspec.Struct, frozen=True):
    """A row with only an id: of a task, a run or a cycle."""

    id: str


class Hash(msgspec.Struct, frozen=True):
    """The hash of a journal row."""

    hash: str


class TargetCommit(msgspec.Struct, frozen=True):
    """A commit of the target in the store."""

    sha: Sha


class Count(msgspec.Struct, frozen=True):
    """A row with only a number."""

    n: int


class StoredSetting(msgspec.Struct, frozen=True):
    """A setting in the journal."""

    name: str
    value: str
    session: str = ""
    at: str = ""


class Token(msgspec.Struct, frozen=True, kw_only=True):
    """A token in the store."""

    hash: str
    session: SessionId
    task: TaskId
    role: Role
    bound: str
    ended: bool


class RunnerRow(msgspec.Struct, frozen=True, kw_only=True):
    """A runner in the store. `until` is the end of its lease. (J4)"""

    session: SessionId
    starter: str
    process: str
    host: str
    agents: int
    beacon: str
    """Database lock that the runner holds while connected, "" if it has none."""
    started_at: str
    ended_at: str
    reason: str
    lost: bool
    until: str
    seq: int


class CheckLease(msgspec.Struct, frozen=True, kw_only=True):
    """The runner that runs a task's checks. `runner` is "" if there is none. (J4)"""

    task: str
    runner: str
    fence: int
    until: str


class ChangeRow(msgspec.Struct, frozen=True):
    """A journal row that shows which session made a change."""

    seq: int
    at: str
    session: str
    kind: str


# ---- Write transactions ----

RECORDED_DECISIONS = frozenset({
    "Approved", "ApprovalFinished", "RedoRequested", "AttemptSentBack", "TaskRejected",
    "TaskClosed", "TaskCancelled", "TaskDeleted", "TaskMerged",
})  # fmt: skip
"""Events that end a task's cycles for good and lift their pauses. (V9)

A newer attempt is not among them: its own cycle lifts an R2 pause.
"""


ENDS_APPROVAL = frozenset({
    "ApprovalWithdrawn", "ApprovalEnded", "RedoRequested", "TaskRejected", "TaskClosed", "TaskCancelled", "TaskDeleted",
    "AttemptSubmitted", "AttemptSentBack", "TaskReopened", "ApprovalVoided", "MergeFailed",
})  # fmt: skip
"""Events that have to wait while nobody knows if the task's merge reached the remote. (Q6)"""


def of_writer(actor: Actor) -> list[NamedQuery]:
    """Return the queries that every write transaction needs, for `along`: the caller and the end of the journal."""
    return [("session.get", {"id": actor.session}), ("session.known_evidence", _evidence(actor)), ("journal.end", {})]


def _evidence(actor: Actor) -> dict[str, object]:
    return {"evidence": actor.evidence, "session": actor.session}


class Work:
    """A write transaction of one actor. Its reads see the events recorded in it.

    - unproven: the verb whose signature is not checked yet. Recording is blocked until `sign` has checked it with the
    first event (I9).
    - key: the signing key
    - by_person: only a person may make this decision
    - unsigned: a person loosened a rule without the signature needed for it to count (M6)
    """

    def __init__(self, tx: WriteTx, actor: Actor, at: str, project: str, unproven: str = "") -> None:
        self.tx = tx
        self.actor = actor
        self.at = at
        self.unproven = unproven
        self.sign: Callable[[Work], None] | None = None
        self.key = ""
        self.by_person = False
        self.unsigned = False
        self._project = project
        self._known = False

    def record(self, task: str, *events: Event) -> list[int]:
        """Record events about a task, or about none (""). The session is recorded with its first write. (I1)"""
        if self.actor.task is not None:
            refuse_other_task(self.actor, task)
        if self.sign is not None:
            sign, self.sign = self.sign, None
            sign(self)
        if self.unproven:
            raise Internal(f"{self.unproven} was about to be recorded without its signature (I9)")
        if task and any(type(event).__name__ in ENDS_APPROVAL for event in events):
            from foureyes.app.target import refuse_sent

            refuse_sent(self.tx, task)
        self.introduce()
        rows = self.tx.append(self.actor.session, self.at, [(task, event) for event in events])
        for kind in (type(event).__name__ for event in events):
            if task and kind in RECORDED_DECISIONS:
                from foureyes.app.blockers import lift_decided

                lift_decided(self, task, kind)
        return rows

    @property
    def notes(self) -> tuple[str, ...]:
        """Messages about mirror files of the store, available after the commit."""
        return tuple(self.tx.notes)

    def decide_nothing(self) -> None:
        """Declare that the rest of the transaction is no decision and needs no signature."""
        self.sign, self.unproven = None, ""

    @cached_property
    def gate(self) -> Work:
        """The same transaction with the gate as actor, for decisions by rule."""
        return Work(self.tx, gate_of(self._project), self.at, self._project)

    def introduce(self) -> None:
        """Record the session, or its new evidence, once per transaction."""
        if self._known:
            return
        self._known = True
        actor, tx = self.actor, self.tx
        known = tx.one("session.get", SessionView, id=actor.session)
        event: Event | None = None
        if known is None:
            event = self._first_words()
        elif actor.trust != "asserted":
            have = {row.evidence for row in tx.all("session.known_evidence", EvidenceRow, **_evidence(actor))}
            missing = tuple(piece for piece in actor.evidence if piece not in have)
            if missing:
                from foureyes.core.events import SessionEvidenceAdded

                event = SessionEvidenceAdded(evidence=missing)
        if event is not None:
            tx.append(actor.session, self.at, [("", event)])

    def _first_words(self) -> SessionStarted:
        from foureyes.core.events import SessionStarted

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
            proven=actor.is_proven,
            parent=actor.parent,
            base=actor.base,
            process=actor.processes[0] if actor.processes and actor.kind == "agent" else "",
            evidence=() if actor.trust == "asserted" else actor.evidence,
        )
