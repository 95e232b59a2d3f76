"""A person's signature for a decision: given before the transaction and verified inside it. (I9)"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec.structs import replace

from foureyes.app.context import Hash, permit
from foureyes.app.results.journal import JournalHead
from foureyes.app.results.settings import SigningKey
from foureyes.core.events import DecisionSigned
from foureyes.core.words.text import visible
from foureyes.errors import (
    Conflict,
    EnvironmentProblem,
    FoureyesError,
    NotFound,
    Reason,
    Refused,
    StoreBusy,
    StoreProblem,
)
from foureyes.steps import NO_STEP, Steps, blank, by, either, fe, prose

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foureyes.app.context import Context, Work
    from foureyes.app.ports import Tx
    from foureyes.core.nouns.session import Actor
    from foureyes.core.nouns.task import Task
    from foureyes.core.rules.policy import ReviewPolicy


# ---- Signatures for decisions (I9) ----

T = TypeVar("T")
NEW_KEY = fe("key", "add", "--new")


class Statement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The content of a signature: one decision, in one project, after one journal row."""

    project: str
    task: str
    verb: str
    diff_id: str
    reason: str
    row: int
    head: str

    @property
    def text(self) -> str:
        """The signed text, as it is stored."""
        return msgspec.json.encode(self, order="sorted").decode()


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """A new signature and what was signed."""

    key: str
    statement: Statement
    signature: str


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """A recorded signature."""

    seq: int
    task: str
    session: str
    fingerprint: str
    statement: str
    signature: str
    at: str


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """A decision that a caller is about to make, as far as it is signed."""

    verb: str
    task: str = ""
    diff_id: str = ""
    reason: str = ""
    how: str = ""

    @property
    def signed(self) -> str:
        """The verb and its variant, as signed."""
        return f"{self.verb} {self.how}".strip()


class AttemptDiff(msgspec.Struct, frozen=True):
    """An attempt's diff id."""

    diff_id: str


@contextmanager
def deciding(
    context: Context,
    actor: Actor,
    act: Intent,
    *,
    as_a_person: bool = False,
    policy: ReviewPolicy | None = None,
    worth: Callable[[], bool] = lambda: True,
) -> Iterator[Work]:
    """Open a write transaction for a decision. The person signs first if the rules require it, and the first event
    checks the signature. (I9)

    `policy` is the policy if the caller has just read it. The check reads it again. `worth` runs before the person is
    asked. It returns False if there is nothing to sign, and may refuse.
    """
    permit(actor, act.verb)
    proof = prove(context, actor, act, as_a_person=as_a_person, policy=policy, worth=worth)
    with context.writing(known_by_key(actor, proof) if proof else with_keys_here(context, actor), act.verb) as work:
        work.key = proof.key if proof else ""
        work.sign = partial(check, context, proof, act)
        yield work


@contextmanager
def loosening(context: Context, actor: Actor, act: Intent, *, loosens: Callable[[], bool]) -> Iterator[Work]:
    """Open a write transaction for an event that may loosen a task's review. (M6)

    If one of the project's keys is on this machine, the person signs first. Otherwise the event is recorded but does
    not count, and `work.unsigned` is set. Events carry `work.key`.
    """
    permit(actor, act.verb)
    keys, head = _keys_and_head(context) if actor.kind == "human" else ([], None)
    wanted = bool(keys) and loosens()
    proof = None
    if head is not None and wanted and keys_at_hand(context, actor, keys):
        proof = sign(context, actor, keys, _resolved(context, act), head)
    with context.writing(known_by_key(actor, proof), act.verb) as work:
        work.unsigned = wanted and proof is None
        if proof is not None:
            work.key = proof.key
            work.sign = partial(check, context, proof, act)
        yield work


def _keys_and_head(context: Context) -> tuple[list[SigningKey], JournalHead | None]:
    with context.store.read() as tx:
        tx.ahead(("record.keys", {}), ("journal.head", {}))
        return active_keys(tx), tx.one("journal.head", JournalHead)


def _resolved(context: Context, act: Intent) -> Intent:
    if not act.task:
        return act
    with context.store.read() as tx:
        return replace(act, task=context.find_id(tx, act.task))


def prove(
    context: Context,
    actor: Actor,
    act: Intent,
    *,
    as_a_person: bool = False,
    policy: ReviewPolicy | None = None,
    worth: Callable[[], bool] = lambda: True,
) -> Proof | None:
    """Ask the person to sign, if the rules require it. Call this outside a transaction, because people take their
    time.
    """
    if actor.kind != "human":
        return None
    with context.store.read() as tx:
        if not context.wants_key(tx, actor, act.verb, as_a_person=as_a_person, policy=policy) or not worth():
            return None
        resolved = replace(act, task=context.find_id(tx, act.task)) if act.task else act
        keys = active_keys(tx)
        head = tx.one("journal.head", JournalHead)
        assert head is not None
    return sign(context, actor, keys, resolved, head)


def demand(context: Context, actor: Actor, verb: str, reason: str) -> None:
    """Ask for a signature for an act outside the store, if the project has keys.

    The signature is checked but not stored. This works with a damaged store too, which is when a backup is needed.
    """
    keys = _read_if_whole(context, active_keys) or []
    if not keys or actor.kind != "human":
        return
    head = _read_if_whole(context, lambda tx: tx.one("journal.head", JournalHead)) or JournalHead(0, "")
    proof = sign(context, actor, keys, Intent(verb=verb, reason=reason), head)
    public = next(key.public for key in keys if key.fingerprint == proof.key)
    wrong = context.keys.verify(public, proof.statement.text.encode(), proof.signature)
    if wrong:
        raise unsigned(wrong, prose("try again"))


def _read_if_whole(context: Context, read: Callable[[Tx], T]) -> T | None:
    """Return what `read` returns, or None if the store is damaged. A busy store raises `StoreBusy`."""
    try:
        with context.store.read() as tx:
            return read(tx)
    except StoreBusy:
        raise
    except StoreProblem:
        return None


def keys_at_hand(context: Context, actor: Actor, keys: list[SigningKey]) -> list[SigningKey]:
    """Return the project's keys that can sign here, the caller's own first, then the newest.

    Files that are not private keys are skipped, because anyone who can write here could add one.
    """
    files = context.keys.private_files() if keys else {}
    here = [key for key in reversed(keys) if key.fingerprint in files]
    return sorted(here, key=lambda key: key.person != actor.person)


def sign(context: Context, actor: Actor, keys: list[SigningKey], act: Intent, head: JournalHead) -> Proof:
    """Sign with the first key on this machine that works."""
    mine = keys_at_hand(context, actor, keys)
    if not mine:  # keys that cannot sign still explain it in their refusal
        held = context.keys.held() if keys else {}
        mine = [key for key in reversed(keys) if key.fingerprint in held]
    if not mine:
        with context.store.read() as tx:
            lacks = _no_key(context, tx, act.signed, actor.person)
        raise unsigned(lacks.message, lacks.next)
    statement = Statement(
        project=context.store.project,
        task=act.task,
        verb=act.signed,
        diff_id=act.diff_id,
        reason=act.reason.strip(),
        row=head.seq,
        head=head.hash,
    )
    problems: list[FoureyesError] = []
    for key in mine:
        try:
            signature = context.keys.sign(key.fingerprint, statement.text.encode())
        except (Refused, EnvironmentProblem) as problem:
            problems.append(problem)
        else:
            return Proof(key=key.fingerprint, statement=statement, signature=signature)
    raise _none_signed(problems)


def _none_signed(problems: list[FoureyesError]) -> FoureyesError:
    """Return the error for keys that all failed, with each reason."""
    if len(problems) == 1:
        return problems[0]
    each = [reason for why in problems for reason in why.reasons or (Reason("I9", why.message, why.next_step),)]
    reasons = tuple({reason.message: reason for reason in each}.values())
    step = next((reason.next for reason in reasons if reason.next), NO_STEP)
    return Refused(problems[0].message, reasons=reasons, next_step=step)


def _no_key(context: Context, tx: Tx, verb: str, person: str) -> Reason:
    """Return the reason why no key can sign. Name a key that waits to be added, so that nobody creates another. (I9)"""
    if waiting := waiting_keys(context, tx):
        lacks = f"the key on this machine does not count yet ({all_waiting(waiting)})"
        return Reason("I9", f"{verb} needs a person's key, but {lacks}", add_waiting(waiting, person))
    lacks = "none of this project's keys is on this machine" if active_keys(tx) else "this project has none yet"
    return Reason("I9", f"{verb} needs a person's key, but {lacks}", NEW_KEY)


def why_unsignable(context: Context, tx: Tx, actor: Actor, verb: str, policy: ReviewPolicy) -> Reason | None:
    """Return the reason why the caller cannot give a signature that the decision needs, or None. (I9)"""
    if not context.wants_key(tx, actor, verb, policy=policy):
        return None
    keys = active_keys(tx)
    if keys_at_hand(context, actor, keys):
        return None
    if keys and any(key.fingerprint in context.keys.held() for key in keys):
        why = f"{verb} needs a person's key, but no key of this project on this machine can sign"
        return Reason("I9", why, prose("try it, and the refusal names the file and its problem"))
    return _no_key(context, tx, verb, actor.person)


def unsigned(message: str, next_step: Steps) -> Refused:
    """Return the refusal for a decision without a valid signature. (I9)"""
    return Refused(
        "it was not signed, so nothing was changed.", reasons=(Reason("I9", message, next_step),), next_step=next_step
    )


def with_keys_here(context: Context, actor: Actor) -> Actor:
    """Return the actor with the project keys on this machine as evidence. (I1, P2)

    They show that the caller is the person who signs elsewhere, even if nothing is signed now. This can only remove
    rights, and is not recorded, because anyone who can write here could add a key.
    """
    if actor.kind != "human":
        return actor
    with context.store.read() as tx:
        keys = active_keys(tx)
    files = context.keys.private_files() if keys else {}
    here = tuple((f"key:{key.fingerprint}", files[key.fingerprint]) for key in keys if key.fingerprint in files)
    return replace(actor, keys_here=here) if here else actor


def known_by_key(actor: Actor, proof: Proof | None) -> Actor:
    """Return the actor with the signing key as evidence. The same key always means the same person. (I1)"""
    return replace(actor, evidence=(*actor.evidence, f"key:{proof.key}")) if proof else actor


def check(context: Context, proof: Proof | None, act: Intent, work: Work) -> None:
    """Check the signature inside the transaction and record it.

    It must be there if required, valid, for exactly this decision, and not used before. Refuse if the task changed
    after the journal row that the signature names.
    """
    if proof is None:
        if context.wants_key(work.tx, work.actor, act.verb, as_a_person=work.by_person):
            raise unsigned(f"{act.verb} needs a person's key", prose("try again"))
        return
    key = next((key for key in active_keys(work.tx) if key.fingerprint == proof.key), None)
    if key is None:
        raise unsigned(f"{proof.key} is not a key of this project", fe("key", "list"))
    task = context.find(work.tx, act.task) if act.task else None
    _check_content(context, work.tx, proof.statement, act, task)
    wrong = context.keys.verify(key.public, proof.statement.text.encode(), proof.signature)
    if wrong:
        raise unsigned(wrong, prose("try again"))
    if work.tx.one("record.signature", Signature, signature=proof.signature) is not None:
        raise unsigned("this signature was used before", prose("try again"))
    if task is not None and proof.statement.row < task.version:
        message = f"{task.id} changed while you signed. Nothing was changed."
        raise Conflict(message, next_step=fe("show", task.id), task=task.id)
    work.unproven = ""
    signed = DecisionSigned(key=proof.key, statement=proof.statement.text, signature=proof.signature)
    work.record(task.id if task else "", signed)


def _check_content(context: Context, tx: Tx, statement: Statement, act: Intent, task: Task | None) -> None:
    """Refuse a signature for another decision, or for an earlier state of the task."""
    row = tx.one("journal.at", Hash, seq=statement.row)
    diff_id = act.diff_id
    if task is not None and diff_id:
        latest = tx.one("attempt.latest", AttemptDiff, ids=[task.id])
        diff_id = latest.diff_id if latest else ""
    expected = (context.store.project, task.id if task else "", act.signed, diff_id, act.reason.strip())
    if (statement.project, statement.task, statement.verb, statement.diff_id, statement.reason) != expected:
        raise unsigned("the signature is for something else", prose("try again"))
    if row is None or row.hash != statement.head:
        raise unsigned("the signature was made over another journal", fe("audit", "verify"))


def active_keys(tx: Tx) -> list[SigningKey]:
    """Return the keys in force, oldest first."""
    return [key for key in tx.all("record.keys", SigningKey) if key.retired_at is None]


def key_named(tx: Tx, text: str) -> SigningKey:
    """Return the key with this fingerprint, or an unambiguous part of it."""
    keys = [
        key
        for key in tx.all("record.keys", SigningKey)
        if text.removeprefix("SHA256:") and text.removeprefix("SHA256:") in key.fingerprint
    ]
    if len(keys) != 1:
        raise NotFound(f"{'several keys are' if keys else 'no key is'} called {text}.", next_step=fe("key", "list"))
    return keys[0]


# ---- Keys waiting to be added (I9) ----


class WaitingKey(msgspec.Struct, frozen=True):
    """A key on this machine that is not registered: its public line, file and date."""

    fingerprint: str
    public: str
    file: str
    since: str

    @property
    def words(self) -> str:
        """Details by which a person recognizes their key."""
        return f"{self.fingerprint} in {visible(self.file)}, last changed {self.since}"


def waiting_keys(context: Context, tx: Tx) -> list[WaitingKey]:
    """Return the keys on this machine that are not registered. Empty if a registered one is here, or if the project has
    no keys.

    They are only shown and count for nothing, because anyone who can write here could add one.
    """
    known = {key.fingerprint: key.retired_at is None for key in tx.all("record.keys", SigningKey)}
    if not any(known.values()):
        return []
    here, lines, written = context.keys.private_files(), context.keys.held(), context.keys.written
    if any(known.get(fingerprint) for fingerprint in here):
        return []
    return [WaitingKey(name, lines[name], file, written(file)) for name, file in here.items() if name not in known]


def all_waiting(waiting: Sequence[WaitingKey]) -> str:
    """Name each waiting key with its file."""
    return "; ".join(key.words for key in waiting)


def add_waiting(waiting: Sequence[WaitingKey], person: str) -> Steps:
    """Return the command by which another person registers the keys."""
    lines = [fe("key", "add", key.public, "--person", person or blank("USER@HOST")) for key in waiting]
    return by("other", either(*lines, joint="; "), "if you made it then, an owner of a project key runs: ")
