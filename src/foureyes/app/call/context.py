"""What every verb shares: the ports, who is calling, and one way to read and to write."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from foureyes.app.call.caller import check_token, gate_of, permit, spawners
from foureyes.app.call.rows import ChangeRow, IdRow, Origin, StoredSetting
from foureyes.app.call.work import Work, of_writer
from foureyes.app.views.session import SessionView
from foureyes.core.nouns.session import Actor, Party
from foureyes.core.nouns.task import Task
from foureyes.core.rules.rights import DECISIONS, PLACING, SIGNED
from foureyes.core.words.ids import TASK_INPUT, OriginId, SessionId, TaskId
from foureyes.core.words.text import visible
from foureyes.errors import AmbiguousId, BadInput, Internal, NotFound, StaleState
from foureyes.steps import fe, phrase

if TYPE_CHECKING:  # a verb that asks no rule reads no configuration
    from foureyes.app.git_ports import Remote, Repo, Workshop
    from foureyes.app.ports import Clock, DraftFiles, Ids, NamedQuery, Outside, OwnKeys, Store, Tx
    from foureyes.app.views.project import ProjectView
    from foureyes.config.layers import Layers
    from foureyes.config.settings import SettingValue
    from foureyes.core.rules.policy import IdentityRule, ReviewPolicy

T = TypeVar("T")

OF_SETTINGS = ("FOUREYES_", "TD_FEATURE_")
"""How the names of variables begin that can say something about a setting."""
OF_PROJECT: tuple[NamedQuery, ...] = (("project.get", {}), ("project.settings", {}))
"""What rules are made of: who asks for one of them nearly always asks for the other, too."""


def of_party(actor: Actor) -> list[NamedQuery]:
    """What is asked about a caller (`ahead`)."""
    return [("session.get", {"id": actor.session}), ("session.origins", {"evidence": actor.evidence})]


class Context:
    """The ports, bound together for one process."""

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
        """The repository; made when first asked for, because many commands never need git."""
        return self._repo()

    @cached_property
    def keys(self) -> OwnKeys:
        """The caller's keys; made when first asked for, because hardly any command signs."""
        if self._keys is None:
            raise Internal("this Application was made without keys")
        return self._keys()

    def shared(self, kind: type[T], make: Callable[[], T]) -> T:
        """What several nouns of one process use together: made by the first of them."""
        if kind not in self._shared:
            self._shared[kind] = make()
        made = self._shared[kind]
        assert isinstance(made, kind)
        return made

    def signing_once(self) -> AbstractContextManager[None]:
        """The decisions of one batch: a person is asked for the passphrase once, and signs each (H2, I9)."""
        return self.keys.once() if self._keys is not None else nullcontext()

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

    def remote(self, tx: Tx) -> Remote | None:
        """The git remote that the project is shared by (Q6); None where there is none. Nothing is asked of it yet."""
        return self.remote_named(tx, self.gate_policy(tx).remote)

    def remote_named(self, tx: Tx, name: str) -> Remote | None:
        """The git remote of that name, whatever the configuration says by now."""
        if name and name not in self._remotes:
            self._remotes[name] = self.outside.remote(name)
        if not name:
            return None
        from foureyes.app.call.addresses import Addressed, recorded

        return Addressed(self, self._remotes[name], recorded(self, tx, name))

    def forget_remote(self, name: str) -> None:
        """Whoever asks for it next finds it as git has it then."""
        self._remotes.pop(name, None)

    @cached_property
    def drafts(self) -> DraftFiles:
        """The files of drafts; made when first asked for, and held by this process until it closes them."""
        return self.outside.drafts()

    @cached_property
    def gate(self) -> Actor:
        """The gate of this project, which does what rules alone decide."""
        return gate_of(self.store.project)

    def close(self) -> None:
        """Let go of the store and, if they were ever made, of the repository's ports."""
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
        """The moment that many minutes before now."""
        return stamp(self.clock.now() - timedelta(minutes=minutes))

    def later(self, seconds: int) -> str:
        """The moment that many seconds after now."""
        return stamp(self.clock.now() + timedelta(seconds=seconds))

    @contextmanager
    def writing(self, actor: Actor, verb: str) -> Iterator[Work]:
        """A transaction for a verb, if the caller may use the verb at all (I1, I2, I5)."""
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
        """A transaction for a decision about this: a person signs it before, where the rules want that (I9).

        The signature is checked with the first thing that is recorded, so no verb can forget it.
        """
        from foureyes.app.call.signing import Intent, deciding

        act = Intent(verb=verb, task=task or "", diff_id=diff_id, reason=reason, how=how)
        return deciding(self, actor, act, as_a_person=as_a_person, policy=policy, worth=worth)

    def wants_key(
        self, tx: Tx, actor: Actor, verb: str, *, as_a_person: bool = False, policy: ReviewPolicy | None = None
    ) -> bool:
        """I9: whether a person's signature belongs under this verb. `as_a_person`: it counts because a person does it.

        `policy` are the rules, if they were read already.
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
        """Whether any person's key counts in this project."""
        from foureyes.app.views.key import SigningKey

        return any(key.retired_at is None for key in tx.all("record.keys", SigningKey))

    def project(self, tx: Tx) -> ProjectView:
        return tx.once("project", lambda: project_in(tx))

    def layers(self, tx: Tx, actor: Actor) -> Layers:
        """Where settings come from, for this caller. foureyes.toml is the one that a person last accepted (P12)."""
        from foureyes.config.layers import Layers

        text, environ = self.project(tx).accepted_text, self._variables()
        stored = {row.name: row.value for row in self._stored(tx)}
        # Who has a key changes the policy with it, not by a variable (I9).
        human = bool(environ) and actor.kind == "human" and not self.has_keys(tx)
        return Layers(file=self._read(text), store=stored, environ=environ, human=human)

    @staticmethod
    def _stored(tx: Tx) -> list[StoredSetting]:
        return tx.once("settings", lambda: tx.all("project.settings", StoredSetting))

    def _variables(self) -> dict[str, str]:
        """What the environment says about settings."""
        if not any(name.startswith(OF_SETTINGS) for name in self.environ):
            return {}
        from foureyes.config.layers import variables_in

        return variables_in(self.environ)

    def _read(self, text: str | None) -> dict[str, SettingValue]:
        """The settings of a file; the text that was read last is not parsed again."""
        if not text:
            return {}
        from foureyes.config.reading import read_file

        if self._parsed is None or self._parsed[0] != text:
            self._parsed = (text, read_file(text))
        return dict(self._parsed[1])

    def policy(self, tx: Tx, actor: Actor) -> ReviewPolicy:
        """The rules in force for this caller, as the transaction sees them: read once, and again after a write."""
        human = actor.kind == "human" and bool(self._variables())
        return tx.once(("policy", human), lambda: self._policy(tx, actor))

    def _policy(self, tx: Tx, actor: Actor) -> ReviewPolicy:
        """Where nothing is set anywhere, the rules are as they come: no configuration is loaded to find that out."""
        if self.is_configured(tx):
            return self._resolved(self.layers(tx, actor))
        from foureyes.core.rules.policy import ReviewPolicy

        return ReviewPolicy()

    def is_configured(self, tx: Tx) -> bool:
        """Whether any layer says anything about settings."""
        return bool(self.project(tx).accepted_text or self._stored(tx) or self._variables())

    def _resolved(self, layers: Layers) -> ReviewPolicy:
        """The rules that settings come to; the same settings are not resolved again."""
        from foureyes.config.policy import review_policy

        if self._last is None or self._last[0] != layers:
            self._last = (layers, review_policy(layers))
        return self._last[1]

    def home(self, tx: Tx) -> IdentityRule:
        """I3: where this project is at home, as accepted; an environment can only make that stricter, whoever asks."""
        from foureyes.config.policy import identity_rule

        return identity_rule(self.layers(tx, self.gate))

    def gate_policy(self, tx: Tx) -> ReviewPolicy:
        """The rules in force for what the gate does, whoever sets it off."""
        return self.policy(tx, self.gate)

    def find(self, tx: Tx, text: str) -> Task:
        """The task that an id, or any unambiguous beginning of one, means."""
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
            raise NotFound(f"no task {visible(text)}.", next_step=fe("list", "--text", phrase("…")), task=wanted)
        names = " or ".join(row.id for row in rows[:4])
        raise AmbiguousId(f"{visible(text)} means {names}; type one more character", task=wanted)

    def get(self, tx: Tx, task: TaskId) -> Task:
        row = tx.one("task.get", Task, id=task)
        if row is None:
            raise NotFound(f"no task {task}.", next_step=fe("list", "--text", phrase("…")), task=task)
        return row

    def check_version(self, tx: Tx, task: Task, seen: int | None) -> None:
        """T6: a stale write is refused, with who changed what, and when."""
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
        """The caller as the policy sees it: every origin its evidence belongs to, everyone above it."""
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
        """I3: the origins of the agents whose processes are above the caller's own agent."""
        if len(actor.processes) < 2:
            return frozenset()
        return frozenset(
            OriginId(row.origin) for row in tx.all("session.origins", Origin, evidence=actor.processes[1:])
        )


def project_in(tx: Tx) -> ProjectView:
    """The project's row, with the settings on their way."""
    from foureyes.app.views.project import ProjectView

    tx.ahead(*OF_PROJECT)
    project = tx.one("project.get", ProjectView)
    if project is None:
        raise Internal("the store has no project row")
    return project


def _as_id(text: str) -> str:
    """What somebody typed, as ids are written; refused where it can be none."""
    wanted = text.strip().lower()
    if not TASK_INPUT.match(wanted):
        raise BadInput(f"{visible(text)[:60]!r} is not a task id.", next_step=fe("list"))
    return wanted


def stamp(moment: datetime) -> str:
    """UTC with milliseconds, as the journal has it."""
    return moment.isoformat(timespec="milliseconds").removesuffix("+00:00") + "Z"


def seconds_since(context: Context, moment: str) -> int:
    """How long ago something was."""
    return max(0, int((context.clock.now() - datetime.fromisoformat(moment)).total_seconds()))
