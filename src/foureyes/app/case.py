"""All input for a decision about one task, read once in a transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace

from foureyes.app.context import of_party
from foureyes.app.facts import facts_of, of_facts
from foureyes.core.nouns.session import Actor, Party
from foureyes.core.rules.facts import Facts
from foureyes.core.rules.gate import Tip
from foureyes.core.rules.policy import ReviewPolicy

if TYPE_CHECKING:
    from foureyes.app.context import Context
    from foureyes.app.ports import NamedQuery, Tx
    from foureyes.core.nouns.attempt import Attempt
    from foureyes.core.nouns.task import Task
    from foureyes.core.words.ids import TaskId


NO_TIP = Tip()


class Case(msgspec.Struct, frozen=True, kw_only=True):
    """A task, the caller who decides about it, and the rules in force.

    `tip` is the git state of the attempt, read before the transaction, or None if git failed. (G1)
    """

    facts: Facts
    me: Party
    policy: ReviewPolicy
    target: str = ""
    tip: Tip | None = NO_TIP

    @property
    def task(self) -> Task:
        return self.facts.task

    @property
    def attempt(self) -> Attempt | None:
        return self.facts.attempt

    @property
    def diff_id(self) -> str:
        """Diff id of the change to decide about, "" if nothing was submitted."""
        return self.facts.attempt.diff_id if self.facts.attempt else ""

    @property
    def seen(self) -> str:
        """Name of that change, as a reviewer saw it. (D7)"""
        return self.facts.attempt.seen if self.facts.attempt else ""

    @property
    def alone(self) -> Facts:
        """The facts without approvals recorded by others. Someone who may finish such an approval may still not
        approve. (P11)
        """
        return replace(self.facts, recorded=())


def of_case(actor: Actor, task: TaskId) -> list[NamedQuery]:
    """Return the queries to prefetch for a task and a caller, for `ahead`."""
    return [*of_party(actor), *of_facts([task])]


def case_of(context: Context, tx: Tx, actor: Actor, task: TaskId, *, tip: Tip | None = NO_TIP) -> Case:
    """Read the case of a task and a caller in this transaction."""
    tx.along(*of_case(actor, task))
    me = context.party(tx, actor)
    facts, policy = facts_of(context, tx, task, me), context.policy(tx, actor)
    return Case(facts=facts, me=me, policy=policy, target=context.project(tx).target, tip=tip)
