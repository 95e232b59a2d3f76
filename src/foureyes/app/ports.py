"""Ports for the outside world, as protocols. `git_ports` has those for git. Adapters implement them, and so may tests."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from foureyes.app.views.journal import AuditReport
from foureyes.app.views.settings import ProgramSetup
from foureyes.app.views.task_list import ListQuery
from foureyes.app.views.work import Unwritable
from foureyes.core.events import Event

if TYPE_CHECKING:
    from foureyes.app.agent_ports import LocalAgents
    from foureyes.app.git_ports import Remote, Workshop
    from foureyes.app.views.attempt import EnvironmentRow
    from foureyes.app.views.settings import StoreRole
    from foureyes.core.nouns.check import Ran
    from foureyes.core.nouns.check_config import CheckoutRule, CheckRule
    from foureyes.core.nouns.finding import Finding, ReportedFinding, Severity
    from foureyes.core.nouns.session import Actor

T = TypeVar("T")
CountProgress = Callable[[int, int], None]
"""Called with the amount done and the total."""


class Clock(Protocol):
    """The time in UTC, and a way to wait."""

    def now(self) -> datetime: ...

    def zone(self) -> str:
        """Return the local time zone: its name (`Europe/Berlin`) or its offset from UTC (`+02:00`)."""

    def wait(self, seconds: float) -> None:
        """Wait about this many seconds. Check `now` afterwards if the exact time matters."""


class Ids(Protocol):
    """A source of random numbers for new ids."""

    def number(self) -> int: ...


class OwnKeys(Protocol):
    """The caller's own keys: private parts in the user's configuration directory, passphrases only from the terminal.
    (I9)
    """

    def make(self) -> str:
        """Create a key with a passphrase. Return its public line."""

    def adopt(self, path: str) -> str:
        """Add a FIDO key that requires touch, and return its public line. Refuses one that can sign silently."""

    def held(self) -> dict[str, str]:
        """Return the public line of every key here, by fingerprint."""

    def private_files(self) -> dict[str, str]:
        """Return the file of every private key here, by fingerprint, as far as that shows without its passphrase."""

    def written(self, file: str) -> str:
        """Describe when such a file was last changed."""

    def sign(self, fingerprint: str, statement: bytes) -> str: ...

    def once(self) -> AbstractContextManager[None]:
        """Return a context in which one typed passphrase serves all signatures of a batch. Each decision is signed."""

    def verify(self, public: str, statement: bytes, signature: str) -> str:
        """Return the reason why a signature is invalid. Empty if it is valid."""

    def fingerprint(self, public: str) -> str: ...

    def forget(self, fingerprint: str) -> None:
        """Remove a new key that could not be registered."""


class TreeFiles(Protocol):
    """The files of a tree, for its checks and their environment. (D5)"""

    @property
    def name(self) -> str:
        """The tree's id."""

    def listed(self, globs: Sequence[str]) -> Mapping[str, str]:
        """Return matching files with mode and object."""

    def of_target(self, globs: Sequence[str]) -> Sequence[Mapping[str, str]]:
        """Return the matching files of the current target, and of the target where the change starts."""

    @property
    def beside(self) -> str:
        """The target's tree where the change starts. Empty if unknown."""

    def agreed(self) -> Sequence[Mapping[str, str]]:
        """Return all files of the target, as far as the journal shows that they were approved."""

    def agreed_beside(self) -> Mapping[str, str]:
        """Return the same for the target where the change starts, if the target still contains it. Valid for no other
        start.
        """

    def write_some(self, paths: Sequence[str], path: str) -> None:
        """Write these files into an empty directory."""


class Lent(msgspec.Struct, frozen=True):
    """The part of an environment that is inside the tree, and the path at which it was built."""

    path: str
    was: str


class CheckRunner(Protocol):
    """Runs one check in a throwaway checkout, without token, store or secrets. (D5)"""

    def program(self, rule: CheckRule, tree: TreeFiles) -> str:
        """Return the program and environment of the check for a tree, as results name it. Empty if unknown."""

    def absent(self, rule: CheckRule) -> str:
        """Return the program that the check or its environment starts with, if it is not installed."""

    def misled(self, rule: CheckRule) -> str:
        """Return the checkout directory that the check would use instead of its tree, as far as it shows in advance."""

    def run(
        self, rule: CheckRule, export: Callable[[str], None], progress: Callable[[str], None] | None = None,
        stop: Callable[[], bool] | None = None, *, tree: TreeFiles | None = None, last: bool = False,
    ) -> Ran:  # fmt: skip
        """Run the check. `export` fills an empty directory, once for all checks of a `tree`, and `last` marks the final
        one. `progress` gets the last output line. `stop` ends the check and everything it started.
        """

    def close(self) -> None:
        """Delete exported files."""

    def environments(self) -> Sequence[EnvironmentRow]:
        """Return the kept `prepare` environments, last used first."""

    def prune_environments(self, *, everything: bool, only_try: bool) -> Sequence[EnvironmentRow]:
        """Delete unneeded environments, or `everything` that is not in use. Return them."""

    def lend(self, rule: CheckoutRule, tree: TreeFiles) -> AbstractContextManager[Lent | None]:
        """Return a context with the kept environment of a tree, for copying. None if there is none. Never builds one."""

    def why_no_rooms(self) -> str:
        """Return the reason why checks cannot be isolated from other files. Empty if they can. (D5)"""


class DraftFiles(Protocol):
    """Draft files by person and name. One process at a time holds each."""

    def read(self, person: str, name: str) -> bytes | None:
        """Return a file's content, or None."""

    def write(self, person: str, name: str, document: bytes) -> None:
        """Replace a file atomically."""

    def set_aside(self, person: str, name: str) -> str:
        """Rename an unreadable file. Return its new place."""

    def drop(self, person: str, name: str) -> bool:
        """Delete a file. Return True if it existed."""

    def names(self, person: str) -> list[str]: ...

    def take(self, person: str, name: str) -> int:
        """Lock a file. Return 0 on success, else the number of the process that holds it (-1: unknown)."""

    def release(self, person: str, name: str) -> None: ...

    def close(self) -> None:
        """Release every file."""


class Changes(Protocol):
    """Detects writes to the store, on its own connection."""

    def fileno(self) -> int:
        """Return a file descriptor that becomes readable after a write. -1 if only polling works."""

    def changed(self) -> bool:
        """Return True if the store was written since the last call."""

    def close(self) -> None: ...


class Outside(Protocol):
    """Resources that few commands need, each created on first use."""

    def workshop(self) -> Workshop: ...

    def remote(self, name: str) -> Remote:
        """Return the git remote of this name. Makes no network call."""

    def clone(self) -> str:
        """Return this clone's id: its machine, a colon, and a name unique on that machine."""

    def checks(self) -> CheckRunner: ...

    def drafts(self) -> DraftFiles: ...

    def agents(self) -> LocalAgents: ...

    def launch_runner(self, starter: Actor, agents: int, *, sprints: bool = False) -> int:
        """Start a runner for `starter` in a process that outlives this one. Return its number. With `sprints`, it ends
        with the sprints.
        """

    def read_findings(
        self, document: bytes, name: str, paths: Callable[[], Collection[str]], most: Mapping[str, Severity]
    ) -> list[ReportedFinding]:
        """Parse a tool's SARIF report. Raises `BadInput` if it is not one. `paths` are those of the tree, `most` limits
        the severity of the tool's levels.
        """

    def write_sarif(self, findings: Sequence[Finding]) -> bytes:
        """Return findings as a SARIF 2.1.0 log."""

    def template(self, name: str) -> str:
        """Return the built-in text of a prompt."""

    def process(self) -> str:
        """Return the evidence of this process (I3). Empty if it cannot be read."""

    def is_gone(self, process: str) -> bool:
        """Return True if a recorded process has provably ended."""

    def notify(self, command: str, message: str) -> str:
        """Run a command of the accepted configuration with a message on standard input. Return the error, else an empty
        string.
        """

    def kept_notices(self) -> set[str]:
        """Return the keys of notifications already sent on this machine."""

    def keep_notices(self, keys: Set[str]) -> None:
        """Store these keys instead. If that fails, people are notified again."""

    def keep_plan(self, name: str, text: str) -> str:
        """Store an agent's draft plan in the project's folder. Return its path."""

    def free_space(self) -> int | None:
        """Return the free bytes in the project's folder, or None. (X3)"""

    def unwritable(self) -> list[Unwritable]:
        """Return the places of claiming, committing and submitting that cannot be written. Tries each and leaves
        nothing behind.
        """

    def kept_aside(self) -> list[str]:
        """Return the names of old stores that moves, restores and upgrades left in the project's folder."""

    def set_ups(self) -> list[ProgramSetup]:
        """Return the setup of each agent program in this checkout."""


NamedQuery = tuple[str, Mapping[str, object]]
"""A query's name and parameters."""


class Tx(Protocol):
    """Typed reads of one consistent state. `adapters/store/queries` defines the query names."""

    def all(self, query: str, into: type[T], /, **params: object) -> list[T]: ...

    def one(self, query: str, into: type[T], /, **params: object) -> T | None: ...

    def tasks(self, query: ListQuery, into: type[T], /) -> list[T]: ...

    def ahead(self, *asked: NamedQuery) -> None:
        """Prefetch queries that come next, in one round trip to a server. Changes no result."""

    def along(self, *asked: NamedQuery) -> None:
        """Prefetch queries that may come later, together with the next query. Sends nothing if no query follows."""

    def once(self, key: Hashable, make: Callable[[], T], /) -> T:
        """Return a value made from reads, cached by key until a write or the end of the transaction."""


class WriteTx(Tx, Protocol):
    """A write transaction: reads, and appends to the journal. An exception discards all its changes (G4).

    `notes` are messages for afterwards, for example about a mirror file that could not be written (F2).
    """

    notes: list[str]

    def append(self, session: str, at: str, entries: Sequence[tuple[str, Event]]) -> list[int]: ...

    def renew(self, leases: Sequence[tuple[str, int]], until: str) -> None:
        """Extend leases, given with their fences. Writes no journal row, and replay ignores it. (J4)"""


class Beacon(Protocol):
    """A lock that shows that a runner or merge is connected. It speeds up take-over, but only the lease decides. (J4)"""

    name: str

    def fileno(self) -> int:
        """Return a file descriptor that becomes readable when the connection ends. -1 if it has."""

    def is_lit(self) -> bool:
        """Return True if the lock is held over the same connection."""

    def light(self) -> None:
        """Take the lock again over a new connection."""

    def close(self) -> None: ...


class Store(Protocol):
    """A project's journal and tables. `place` is where it was found (P12), empty if nobody else can find it."""

    project: str
    place: str

    def read(self) -> AbstractContextManager[Tx]: ...

    def write(self, *, anywhere: bool = False) -> AbstractContextManager[WriteTx]:
        """Open a write transaction. `anywhere`: also if the store is not at its recorded place."""

    def mirror_anew(self) -> list[str]:
        """Write every mirror file of the store again. Return messages. (F2)"""

    def audit(self, progress: CountProgress | None = None) -> AuditReport: ...

    def health(self) -> list[str]:
        """Return the problems that the database's own checks find."""

    def changes(self) -> Changes | None:
        """Return a detector of writes. None if nobody else can write."""

    def beacon(self, name: str) -> Beacon | None:
        """Take a database lock that lasts as long as the connection. None if the database has no such locks."""

    def dark(self, names: Sequence[str]) -> frozenset[str]:
        """Return the locks that nobody holds, with one query. Empty if unknown."""

    def describe(self) -> str:
        """Describe the kind of database in a few words."""

    def role(self) -> StoreRole | None:
        """Return the caller's role on a server. None for a file."""

    def grants(self, writers: Sequence[str], readers: Sequence[str]) -> str:
        """Return the SQL that gives access to writers and readers. Empty for a file."""

    def backup(self, path: str) -> None: ...

    def close(self) -> None: ...
