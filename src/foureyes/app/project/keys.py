"""Keys of people: proof that a decision is a person's, beyond observation. (I9)"""

from __future__ import annotations

from functools import partial

import msgspec
from msgspec.structs import replace

from foureyes.app.context import Context, needed, permit
from foureyes.app.results.journal import JournalHead
from foureyes.app.results.settings import KeyOutcome, KeyView, SigningKey
from foureyes.app.results.status import Check
from foureyes.app.signatures import (
    NEW_KEY,
    Intent,
    active_keys,
    add_waiting,
    all_waiting,
    check,
    key_named,
    keys_at_hand,
    known_by_key,
    sign,
    waiting_keys,
)
from foureyes.core import events as e
from foureyes.core.events.project import SecurityRecorded
from foureyes.core.nouns.session import Actor
from foureyes.core.words.text import clean_name
from foureyes.errors import BadInput, ConfigError, NotFound
from foureyes.steps import Arg, blank, by, fe

SIGNED_NOW = "from now on you sign decisions that only a person may make: policy, holds, waivers, keys, break-glass, and approvals reserved for people"
NOT_SIGNED_YET = "plain approvals and other decisions are not signed, so an agent that passes as you could make them"


class Keys:
    """Creating, adding, retiring and listing keys of people."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def new(self, actor: Actor, *, ssh: str = "", key: str = "") -> KeyOutcome:
        """Create a key for the caller, or adopt a FIDO key or one on this machine.

        The project's first key needs only an observed person. Later ones need the signature of an earlier key.
        """
        permit(actor, "key add --new")
        ring = self._context.keys
        public = self._held(key) if key else ring.adopt(ssh) if ssh else ring.make()
        fingerprint = ring.fingerprint(public)
        try:
            if ssh:  # refuse a key that signs without touch now, not at its first use
                ring.sign(fingerprint, b'{"verb":"try the key"}')
            return self._explained(actor, self._own(actor, public, fingerprint))
        except BaseException:  # also when the person cancels: an unregistered key must not stay behind
            if not key:
                ring.forget(fingerprint)
            raise

    def _explained(self, actor: Actor, done: KeyOutcome) -> KeyOutcome:
        """Return the outcome with notes about which decisions are signed from now on. (I9)"""
        if not done.registered:
            return done
        with self._context.store.read() as tx:
            whole = self._context.policy(tx, actor).human_proof == "key"
        if whole:
            return replace(done, notes=("people sign every decision (review.human_proof = key)",))
        return replace(
            done, partly=True, notes=(SIGNED_NOW, NOT_SIGNED_YET), next=fe("config", "set", "review.human_proof", "key")
        )

    def _held(self, key: str) -> str:
        lines = [public for name, public in self._context.keys.held().items() if key.removeprefix("SHA256:") in name]
        if len(lines) != 1 or not key.removeprefix("SHA256:"):
            raise NotFound(
                f"{'several keys on this machine are' if lines else 'no key on this machine is'} called {key}.",
                next_step=fe("key", "list"),
            )
        return lines[0]

    def _own(self, actor: Actor, public: str, fingerprint: str) -> KeyOutcome:
        with self._context.store.read() as tx:
            keys = active_keys(tx)
        others = {key.fingerprint for key in keys_at_hand(self._context, actor, keys)} - {fingerprint}
        if keys and not others and fingerprint not in {key.fingerprint for key in keys}:
            step = fe("key", "add", public, "--person", actor.person)
            message = (
                f"key {fingerprint} is on this machine, but does not count until an owner of a project key signs it"
            )
            return KeyOutcome(
                fingerprint=fingerprint,
                public=public,
                registered=False,
                message=message,
                next=by("other", step, "they run: "),
            )
        return self._register(actor, public, actor.person, own=True)

    def add(self, actor: Actor, public: str, person: str) -> KeyOutcome:
        """Add another person's public key, signed with the caller's key."""
        permit(actor, "key add")
        person = clean_name(person)
        if not all(person.partition("@")[::2]):
            raise BadInput(
                f"{person!r} is not a person. Write user@host, as fe whoami shows it.",
                next_step=fe("key", "add", Arg("LINE", "'"), "--person", blank("USER@HOST")),
            )
        return self._register(actor, public.strip(), person, own=False)

    def _register(self, actor: Actor, public: str, person: str, *, own: bool) -> KeyOutcome:
        fingerprint = self._context.keys.fingerprint(public)
        with self._context.store.read() as tx:
            keys = active_keys(tx)
            head = tx.one("journal.head", JournalHead)
            known = [key for key in tx.all("record.keys", SigningKey) if key.fingerprint == fingerprint]
        assert head is not None
        if known:
            state = "retired" if known[0].retired_at else "on record already"
            return KeyOutcome(
                fingerprint=fingerprint,
                public=public,
                registered=not known[0].retired_at,
                message=f"{fingerprint} is {state}",
            )
        reason = f"{person} {public}"
        act = Intent(verb="key add", reason=reason)
        proof = sign(self._context, actor, keys, act, head) if keys or not own else None
        caller = known_by_key(actor, proof)
        if own:
            caller = replace(caller, evidence=(*caller.evidence, f"key:{fingerprint}"))
        with self._context.writing(caller, "key add") as work:
            work.sign = partial(check, self._context, proof, act)
            if not active_keys(work.tx) and own:
                work.decide_nothing()  # the first key relies on an observed person
            work.record("", e.KeyAdded(fingerprint=fingerprint, public=public, person=person))
            how = "signed by an earlier key" if proof else "the first key, added by a person at a terminal"
            work.record(
                "", SecurityRecorded(kind="key_added", rule="I9", reason=f"{fingerprint} for {person}", detail=how)
            )
        return KeyOutcome(
            fingerprint=fingerprint, public=public, message=f"key {fingerprint} counts for {person}: {how}"
        )

    def retire(self, actor: Actor, key: str, reason: str) -> KeyOutcome:
        """Retire a lost or exposed key. A project key signs this."""
        permit(actor, "key retire")
        reason = needed(reason, "key retire", key)
        with self._context.store.read() as tx:
            row = key_named(tx, key)
        signed = f"{row.fingerprint}: {reason}"
        with self._context.deciding(actor, "key retire", reason=signed) as work:
            if key_named(work.tx, row.fingerprint).retired_at is None:
                work.record("", e.KeyRetired(fingerprint=row.fingerprint, reason=reason))
                work.record(
                    "",
                    SecurityRecorded(
                        kind="key_retired", rule="I9", reason=reason, detail=f"{row.fingerprint} of {row.person}"
                    ),
                )
        return KeyOutcome(
            fingerprint=row.fingerprint, public=row.public, message=f"retired {row.fingerprint} of {row.person}"
        )

    def waiting(self, actor: Actor) -> tuple[KeyOutcome, ...]:
        """Return the caller's local keys that a key owner has not added yet."""
        if actor.kind != "human":
            return ()
        with self._context.store.read() as tx:
            waiting = waiting_keys(self._context, tx)
        return tuple(
            KeyOutcome(
                fingerprint=key.fingerprint,
                public=key.public,
                registered=False,
                message=f"key {key.words} is on this machine, but does not count yet",
                next=add_waiting([key], actor.person),
            )
            for key in waiting
        )

    def list(self) -> list[KeyView]:
        """Return every key, oldest first."""
        held = self._context.keys.held()
        with self._context.store.read() as tx:
            return [
                KeyView(**msgspec.structs.asdict(key), here=key.fingerprint in held)
                for key in tx.all("record.keys", SigningKey)
            ]


def proof_of_people(context: Context, actor: Actor) -> Check:
    """Return the diagnosis of how people prove their identity. (I9)"""
    with context.store.read() as tx:
        keys = len(active_keys(tx))
        waiting = waiting_keys(context, tx) if actor.kind == "human" else []
        try:
            wanted = context.policy(tx, actor).human_proof == "key"
        except ConfigError:
            wanted = True
    if wanted and not keys:
        return Check(
            "keys",
            "fail",
            "review.human_proof = key, but no person has a key, so no person can decide anything",
            NEW_KEY,
        )
    if waiting:
        text = f"keys of people that count: {keys}. The key on this machine does not count yet ({all_waiting(waiting)})"
        return Check("keys", "warn", text, add_waiting(waiting, actor.person))
    return Check(
        "keys",
        "ok",
        f"keys of people that count: {keys}"
        if keys
        else "no signing keys: people are identified by user and terminal (observed)",
    )
