"""A person's signature under what they decide (I9): asked for before the transaction, checked inside it."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from foureyes.app.call.context import Context
from foureyes.app.call.work import Work
from foureyes.app.ports import Tx
from foureyes.app.views.project import Key
from foureyes.core.events import DecisionSigned
from foureyes.core.nouns.session import Actor
from foureyes.errors import Conflict, NotFound, Reason, Refused

NEW_KEY = "fe key new --human"


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


class Head(msgspec.Struct, frozen=True):
    """The end of the chain."""

    seq: int
    hash: str


class Hash(msgspec.Struct, frozen=True):
    """The hash of a journal row."""

    hash: str


class Signature(msgspec.Struct, frozen=True, kw_only=True):
    """A signature on record."""

    seq: int
    task: str
    session: str
    fingerprint: str
    statement: str
    signature: str
    at: str


def prove(
    context: Context,
    actor: Actor,
    verb: str,
    *,
    task: str = "",
    diff_id: str = "",
    reason: str = "",
    as_a_person: bool = False,
    how: str = "",
) -> Proof | None:
    """Ask for the person's signature where the rules want one. Takes as long as a person takes, so outside of a
    transaction.
    """
    with context.store.read() as tx:
        if not context.wants_key(tx, actor, verb, as_a_person=as_a_person):
            return None
        keys = active_keys(tx)
        head = tx.one("journal.head", Head)
        assert head is not None
    return sign(context, keys, f"{verb} {how}".strip(), task=task, diff_id=diff_id, reason=reason, head=head)


def demand(context: Context, actor: Actor, verb: str, reason: str) -> None:
    """A signature for what is done outside of the store, where the project has keys; it is checked, and not kept."""
    with context.store.read() as tx:
        keys = active_keys(tx)
        head = tx.one("journal.head", Head)
    if not keys or actor.kind != "human":
        return
    assert head is not None
    proof = sign(context, keys, verb, task="", diff_id="", reason=reason, head=head)
    public = next(key.public for key in keys if key.fingerprint == proof.key)
    wrong = context.keys.verify(public, proof.statement.text.encode(), proof.signature)
    if wrong:
        raise unsigned(wrong, "try again")


def sign(context: Context, keys: list[Key], verb: str, *, task: str, diff_id: str, reason: str, head: Head) -> Proof:
    """A signature with the newest of the project's keys that lies here."""
    if not keys:
        raise unsigned(f"{verb} needs a person's key, and this project has none yet", NEW_KEY)
    held = context.keys.held()
    mine = next((key for key in reversed(keys) if key.fingerprint in held), None)
    if mine is None:
        raise unsigned(f"{verb} needs a person's key, and none of this project's keys lies here", "fe key list")
    said = Statement(
        project=context.store.project,
        task=task,
        verb=verb,
        diff_id=diff_id,
        reason=reason.strip(),
        row=head.seq,
        head=head.hash,
    )
    return Proof(
        key=mine.fingerprint, statement=said, signature=context.keys.sign(mine.fingerprint, said.text.encode())
    )


def unsigned(message: str, next_step: str) -> Refused:
    """I9: a decision that lacks a person's signature."""
    return Refused(
        "it was not signed, so nothing was changed.", reasons=(Reason("I9", message, next_step),), next_step=next_step
    )


def known_by_key(actor: Actor, proof: Proof | None) -> Actor:
    """I1: who signs with a key is the same person wherever they do it."""
    return replace(actor, evidence=(*actor.evidence, f"key:{proof.key}")) if proof else actor


def check(
    context: Context,
    work: Work,
    proof: Proof | None,
    verb: str,
    *,
    task: str = "",
    diff_id: str = "",
    reason: str = "",
    version: int = 0,
    as_a_person: bool = False,
    how: str = "",
) -> None:
    """Inside the transaction: the signature is there if it must be, holds, covers exactly this, and was never used.

    It is recorded beside what it covers. `version` is the row at which the task last changed: whoever signed knew it.
    """
    if proof is None:
        if context.wants_key(work.tx, work.actor, verb, as_a_person=as_a_person):
            raise unsigned(f"{verb} needs a person's key", "try again")
        return
    key = next((key for key in active_keys(work.tx) if key.fingerprint == proof.key), None)
    if key is None:
        raise unsigned(f"{proof.key} is not a key of this project", "fe key list")
    _check_content(
        context, work.tx, proof.statement, f"{verb} {how}".strip(), task=task, diff_id=diff_id, reason=reason
    )
    wrong = context.keys.verify(key.public, proof.statement.text.encode(), proof.signature)
    if wrong:
        raise unsigned(wrong, "try again")
    if work.tx.one("record.signature", Signature, signature=proof.signature) is not None:
        raise unsigned("this signature was used before", "try again")
    if proof.statement.row < version:
        raise Conflict(f"{task} changed while you signed. Nothing was changed.", next_step=f"fe show {task}", task=task)
    work.unproven = ""
    work.record(task, DecisionSigned(key=proof.key, statement=proof.statement.text, signature=proof.signature))


def _check_content(
    context: Context, tx: Tx, said: Statement, verb: str, *, task: str, diff_id: str, reason: str
) -> None:
    """A signature for something else is none for this."""
    row = tx.one("journal.at", Hash, seq=said.row)
    expected = (context.store.project, task, verb, diff_id, reason.strip())
    if (said.project, said.task, said.verb, said.diff_id, said.reason) != expected:
        raise unsigned("the signature covers something else than what is asked for", "try again")
    if row is None or row.hash != said.head:
        raise unsigned("the signature was made over another journal", "fe audit verify")


def named_task(context: Context, text: str | None) -> str:
    """The id of the task that is meant, before the transaction."""
    if text is None:
        return ""
    with context.store.read() as tx:
        return context.find_id(tx, text)


def active_keys(tx: Tx) -> list[Key]:
    """The keys that count, the oldest first."""
    return [key for key in tx.all("record.keys", Key) if key.retired_at is None]


def key_named(tx: Tx, text: str) -> Key:
    """The key that a fingerprint, or an unambiguous part of one, means."""
    found = [
        key
        for key in tx.all("record.keys", Key)
        if text.removeprefix("SHA256:") and text.removeprefix("SHA256:") in key.fingerprint
    ]
    if len(found) != 1:
        raise NotFound(f"{'several keys are' if found else 'no key is'} called {text}.", next_step="fe key list")
    return found[0]
