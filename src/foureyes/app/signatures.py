"""A person's signature under a decision (I9): requested before the transaction, verified inside it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import msgspec
from msgspec.structs import replace

from foureyes.app.context import Hash, permit
from foureyes.app.views.journal import JournalHead
from foureyes.app.views.settings import SigningKey
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


# ---- A person's signature under what they decide (I9) ----

T = TypeVar("T")
NEW_KEY = fe("key", "new", "--human")


class Statement(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a person signs: exactly this decision, in this project, after this journal row."""

    project: str
    task: str
    verb: str
    diff_id: str
    reason: str
    row: int
    head: str

    @property
    def text(self) -> str:
        """The bytes that are signed, and kept."""
        return msgspec.json.encode(self, order="sorted").decode()


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """A signature that was given, with what it covers."""

    key: str
    statement: Statement
    signature: str


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """A signature on record."""

    seq: int
    task: str
    session: str
    fingerprint: str
    statement: str
    signature: str
    at: str


class Intent(msgspec.Struct, frozen=True, kw_only=True):
    """A decision that somebody is about to take: what a person's signature covers."""

    verb: str
    task: str = ""
    diff_id: str = ""
    reason: str = ""
    how: str = ""

    @property
    def signed(self) -> str:
        """The verb as it is signed: with the way in which it is done."""
        return f"{self.verb} {self.how}".strip()


class AttemptDiff(msgspec.Struct, frozen=True):
    """The change that an attempt is."""

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
    """A transaction for a decision: signed before it where the rules want that, checked with its first record (I9).

    `policy` are the rules that were read just before, if they were; under the lock they are read again. `worth` is
    asked before a person is: whether there is anything to sign; it may refuse.
    """
    permit(actor, act.verb)
    proof = prove(context, actor, act, as_a_person=as_a_person, policy=policy, worth=worth)
    with context.writing(known_by_key(actor, proof) if proof else with_keys_here(context, actor), act.verb) as work:
        work.key = proof.key if proof else ""
        work.seal = partial(check, context, proof, act)
        yield work


@contextmanager
def loosening(context: Context, actor: Actor, act: Intent, *, loosens: Callable[[], bool]) -> Iterator[Work]:
    """M6: a transaction for what may loosen how a task is looked at. Where the project has keys and one of them lies
    here, a person signs it first; otherwise it is recorded, does not count, and `work.unsigned` says so. `work.key`
    goes into the events.
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
            work.seal = partial(check, context, proof, act)
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
    """Ask for the person's signature where the rules want one; as long as a person takes, so outside a transaction."""
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
    """A signature for what is done outside of the store, where the project has keys; it is checked, and not kept. A
    store that has lost its head, or its keys, is one that a backup is for: where it has keys, it asks for one.
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
    """What a store has of something; None where that is damaged. One that is only busy is waited for."""
    try:
        with context.store.read() as tx:
            return read(tx)
    except StoreBusy:
        raise
    except StoreProblem:
        return None


def keys_at_hand(context: Context, actor: Actor, keys: list[SigningKey]) -> list[SigningKey]:
    """The project's keys that could sign here: the caller's own before those of others, the newer before the older. A
    file that is no private key is passed over: whoever writes files here could have put it there.
    """
    files = context.keys.private_files() if keys else {}
    here = [key for key in reversed(keys) if key.fingerprint in files]
    return sorted(here, key=lambda key: key.person != actor.person)


def sign(context: Context, actor: Actor, keys: list[SigningKey], act: Intent, head: JournalHead) -> Proof:
    """A signature with one of the project's keys that lie here; where one does not sign, with the next."""
    mine = keys_at_hand(context, actor, keys)
    if not mine:  # of what lies here and could not sign its own refusal says why
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
    """Why no key here signed: of each why."""
    if len(problems) == 1:
        return problems[0]
    each = [reason for why in problems for reason in why.reasons or (Reason("I9", why.message, why.next_step),)]
    reasons = tuple({reason.message: reason for reason in each}.values())
    step = next((reason.next for reason in reasons if reason.next), NO_STEP)
    return Refused(problems[0].message, reasons=reasons, next_step=step)


def _no_key(context: Context, tx: Tx, verb: str, person: str) -> Reason:
    """I9: why nothing here can sign; a key that waits to be added is named, so that nobody makes a second one."""
    if waiting := waiting_keys(context, tx):
        lacks = f"the one that lies here does not count yet ({all_waiting(waiting)})"
        return Reason("I9", f"{verb} needs a person's key, and {lacks}", add_waiting(waiting, person))
    lacks = "none of this project's keys lies here" if active_keys(tx) else "this project has none yet"
    return Reason("I9", f"{verb} needs a person's key, and {lacks}", NEW_KEY)


def why_unsignable(context: Context, tx: Tx, actor: Actor, verb: str, policy: ReviewPolicy) -> Reason | None:
    """I9: that a decision has to be signed, and the caller has nothing to sign it with: told before they take it."""
    if not context.wants_key(tx, actor, verb, policy=policy):
        return None
    keys = active_keys(tx)
    if keys_at_hand(context, actor, keys):
        return None
    if keys and any(key.fingerprint in context.keys.held() for key in keys):
        why = f"{verb} needs a person's key, and no key of this project on this machine can sign"
        return Reason("I9", why, prose("try it: the refusal names the file, and what is wrong with it"))
    return _no_key(context, tx, verb, actor.person)


def unsigned(message: str, next_step: Steps) -> Refused:
    """I9: a decision that lacks a person's signature."""
    return Refused(
        "it was not signed, so nothing was changed.", reasons=(Reason("I9", message, next_step),), next_step=next_step
    )


def with_keys_here(context: Context, actor: Actor) -> Actor:
    """I1, P2: whose key of this project lies here is who signed with it elsewhere, also where nothing is to be signed.
    It only takes away, from this one decision: whoever writes files here could put one there, so it is not recorded.
    """
    if actor.kind != "human":
        return actor
    with context.store.read() as tx:
        keys = active_keys(tx)
    files = context.keys.private_files() if keys else {}
    here = tuple((f"key:{key.fingerprint}", files[key.fingerprint]) for key in keys if key.fingerprint in files)
    return replace(actor, keys_here=here) if here else actor


def known_by_key(actor: Actor, proof: Proof | None) -> Actor:
    """I1: who signs with a key is the same person wherever they do it."""
    return replace(actor, evidence=(*actor.evidence, f"key:{proof.key}")) if proof else actor


def check(context: Context, proof: Proof | None, act: Intent, work: Work) -> None:
    """Inside the transaction: the signature is there if it must be, holds, covers exactly this, and was never used.

    It is recorded beside what it covers. Whoever signed knew the row at which the task last changed.
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
    """A signature for something else is none for this: also where the task's change is another one by now."""
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
    """The keys that count, the oldest first."""
    return [key for key in tx.all("record.keys", SigningKey) if key.retired_at is None]


def key_named(tx: Tx, text: str) -> SigningKey:
    """The key that a fingerprint, or an unambiguous part of one, means."""
    keys = [
        key
        for key in tx.all("record.keys", SigningKey)
        if text.removeprefix("SHA256:") and text.removeprefix("SHA256:") in key.fingerprint
    ]
    if len(keys) != 1:
        raise NotFound(f"{'several keys are' if keys else 'no key is'} called {text}.", next_step=fe("key", "list"))
    return keys[0]


# ---- Keys that lie here and wait for a signature (I9) ----


class WaitingKey(msgspec.Struct, frozen=True):
    """A key that nobody added yet: its public line, its file, and when that was written."""

    fingerprint: str
    public: str
    file: str
    since: str

    @property
    def words(self) -> str:
        """By what a person tells the one that they made from one that was put there."""
        return f"{self.fingerprint} in {visible(self.file)}, last changed {self.since}"


def waiting_keys(context: Context, tx: Tx) -> list[WaitingKey]:
    """None where a key of this project lies here, or where the project has none. Whoever writes files here could put
    one there: it is shown to who may know it, with its file and since when, and counts for nothing.
    """
    known = {key.fingerprint: key.retired_at is None for key in tx.all("record.keys", SigningKey)}
    if not any(known.values()):
        return []
    here, lines, written = context.keys.private_files(), context.keys.held(), context.keys.written
    if any(known.get(fingerprint) for fingerprint in here):
        return []
    return [WaitingKey(name, lines[name], file, written(file)) for name, file in here.items() if name not in known]


def all_waiting(waiting: Sequence[WaitingKey]) -> str:
    """Each of them, with its file."""
    return "; ".join(key.words for key in waiting)


def add_waiting(waiting: Sequence[WaitingKey], person: str) -> Steps:
    """The line by which somebody else lets it count."""
    lines = [fe("key", "add", key.public, "--person", person or blank("USER@HOST")) for key in waiting]
    return by("other", either(*lines, joint="; "), "if you made it then, an owner of a project key runs: ")
