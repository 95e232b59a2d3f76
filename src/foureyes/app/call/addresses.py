"""Where the remote of a clone is (Q6): the first push from there puts it on record, and another address counts once a
person said so.

The address stands in `.git/config`, which agents can write. A repository of their own in the remote's place could put
commits under a merge that nobody saw, and run its hooks as whoever merges.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.core.events.gate import RemoteAddressed
from foureyes.errors import RemoteProblem
from foureyes.steps import by_person, fe, phrase

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from foureyes.app.call.context import Context
    from foureyes.app.git_ports import Address, Moved, Pushed, RefUpdate, Remote, TakenAway
    from foureyes.app.ports import Tx
    from foureyes.core.words.ids import Sha
    from foureyes.steps import Steps


def moved_to(shown: str) -> Steps:
    """How a person says that a remote is there from now on, and that this is the address they saw."""
    return by_person(fe("target", "address", "--seen", shown, "-m", phrase("why it is there now")))


class _Row(msgspec.Struct, frozen=True):
    value: str


class RecordedAddress(msgspec.Struct, frozen=True):
    """What the journal says about the remote of this clone."""

    digest: str
    shown: str


def recorded(context: Context, tx: Tx, remote: str) -> RecordedAddress | None:
    """Where the remote was the last time; None where nobody has pushed from this clone, or to another remote."""
    row = tx.one("merge.address", _Row, clone=context.outside.clone())
    digest, name, shown = row.value.split(" ", 2) if row else ("", "", "")
    return RecordedAddress(digest, shown) if name == remote else None


def said_about(context: Context, remote: str, address: Address) -> RemoteAddressed:
    """That it is there from now on."""
    return RemoteAddressed(clone=context.outside.clone(), remote=remote, digest=address.digest, shown=address.shown)


class Addressed:
    """A remote that is asked where it is on record, and nowhere else."""

    def __init__(self, context: Context, remote: Remote, known: RecordedAddress | None) -> None:
        self._context, self._remote, self._known = context, remote, known

    @property
    def name(self) -> str:
        """What git calls it here."""
        return self._remote.name

    @property
    def known(self) -> RecordedAddress | None:
        """What is on record."""
        return self._known

    def address(self) -> Address:
        """Where it is by what git says, on record or not."""
        return self._remote.address()

    def tips(self, refs: Sequence[str]) -> dict[str, Sha]:
        """As the remote says, if it is where it was."""
        self._check()
        return self._remote.tips(refs)

    def fetch(self, refs: Sequence[str]) -> dict[str, Sha]:
        """As the remote says, if it is where it was."""
        self._check()
        return self._remote.fetch(refs)

    def push(self, updates: Sequence[RefUpdate]) -> Pushed | Moved:
        """To where it was; the first one from this clone puts that on record before."""
        address = self._check()
        if self._known is None:
            self._record(address)
        return self._remote.push(updates)

    def take_away(self, refs: Mapping[str, Sha]) -> TakenAway:
        """As the remote says, if it is where it was."""
        self._check()
        return self._remote.take_away(refs)

    def _check(self) -> Address:
        address = self._remote.address()
        if self._known is not None and address.digest != self._known.digest:
            raise self._refused(
                f"{self.name} is at {address.shown} in this clone, and {self._known.shown} is on record", address
            )
        if self._known is None and address.apart:
            raise self._refused(f"{self.name} is written elsewhere than it is read: {address.shown}", address)
        return address

    def _refused(self, why: str, address: Address) -> RemoteProblem:
        self._context.forget_remote(self.name)
        step = moved_to(address.shown)
        return RemoteProblem(f"{why}: nothing goes there until a person says so", kind="moved", next_step=step)

    def _record(self, address: Address) -> None:
        context = self._context
        with context.writing(context.gate, "submit") as work:
            self._known = recorded(context, work.tx, self.name)
            if self._known is None:
                work.record("", said_about(context, self.name, address))
                self._known = RecordedAddress(address.digest, address.shown)
        self._check()
