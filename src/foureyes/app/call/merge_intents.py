"""Merges that were pushed while nobody knows yet whether they arrived (Q4, Q6): the intent on record (decision 10)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.call.refusals import refuse_task
from foureyes.core.words.ids import Sha
from foureyes.core.words.text import visible
from foureyes.errors import Reason, StoreProblem
from foureyes.steps import by_person_or_service, fe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from foureyes.app.ports import Tx

_INTENT = re.compile(r"([0-9a-f]{40}|[0-9a-f]{64}) ([0-9]{1,9}) (.+)")
NOT_ARRIVED = "its merge was pushed and did not arrive"
NOT_KNOWN = "its merge was pushed, and it is not known yet whether it arrived"


class SentMerge(msgspec.Struct, frozen=True):
    """A merge that was pushed to the remote, while nobody knows whether it arrived; `value` is what its intent says."""

    task: str
    value: str

    @property
    def made(self) -> Sha:
        return Sha(self._words()[0])

    @property
    def attempt(self) -> int:
        return int(self._words()[1])

    @property
    def remote(self) -> str:
        """Where it was pushed to."""
        return self._words()[2]

    def _words(self) -> Sequence[str]:
        """The parts of the intent; what no gate wrote is a `StoreProblem`: nothing goes on by it (J2)."""
        words = _INTENT.fullmatch(self.value)
        if words is None:
            text = (
                f"what is on record of the push of {self.task} was written by no merge: {visible(self.value[:60])!r}."
            )
            raise StoreProblem(text, next_step=fe("audit", "verify"), task=self.task)
        return words.groups()


def sent_merges(tx: Tx) -> dict[str, SentMerge]:
    """Q6: tasks whose merges may be on the remote, with what was pushed."""
    return {row.task: row for row in tx.all("merge.sent", SentMerge)}


def sent_for(tx: Tx, task: str) -> Sha | None:
    """The merge of a task that may be on the remote."""
    sent = sent_merges(tx).get(task)
    return sent.made if sent else None


def refuse_sent(tx: Tx, task: str) -> None:
    """Q4, Q6: what may be on the remote's target already is not taken back by a word."""
    if sent_for(tx, task) is not None:
        why = f"the merge of {task} was pushed, and it is not known yet whether it arrived"
        refuse_task(task, "was not changed", Reason("Q4", why, by_person_or_service(fe("merge"))))
