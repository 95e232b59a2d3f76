"""Ports for the outside world, as protocols that adapters and tests implement. `git_ports` has those for git."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from datetime import datetime
from typing import TYPE_CHECKING, Protocol, TypeVar

import msgspec

from foureyes.app.results.journal import AuditReport
from foureyes.app.results.settings import ProgramSetup
from foureyes.app.results.task_list import ListQuery
from foureyes.app.results.work import Unwritable
from foureyes.core.events import Event

if TYPE_CHECKING:
    from foureyes.app.agent_ports import LocalAgents
    from foureyes.app.git_ports import Remote, Workshop
    from foureyes.app.results.attempt import EnvironmentRow
    from foureyes.app.results.settings import StoreRole
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
        """Return the local time zone by name (`Europe/Berlin`) or UTC offset (`+02:00`)."""

    def wait(self, seconds: float) -> None:
        """Wait about this many seconds. If the exact time matters, check `now` afterwards."""


class Ids(Protocol):
    """A source of random numbers for new ids."""

    def number(self) -> int: ...


class OwnKeys(Protocol):
    """The caller's own keys. Private parts are in the user's configuration directory, and passphrases come only from
    the terminal. (I9)
    """

    def make(self) -> str:
        """Create a key with a passphrase and return its public line."""

    def adopt(self, path: str) -> str:
        """Add a FIDO key that requires a touch, and return its public line. Refuse one that can sign without."""

    def held(self) -> dict[str, str]:
        """Return the public line of each key here, by fingerprint."""

    def private_files(self) -> dict[str, str]:
        """Return the file of each private key here, by fingerprint, as far as known without its passphrase."""

    def written(self, file: str) -> str:
        """Say when such a file was last changed."""

    def sign(self, fingerprint: str, statement: bytes) -> str: ...

    def once(self) -> AbstractContextManager[None]:
        """Return a context in which a passphrase is typed once for several signatures. Each decision is signed."""

    def verify(self, public: str, statement: bytes, signature: str) -> str:
        """Return why a signature is invalid, or ""."""

    def fingerprint(self, public: str) -> str: ...

    def forget(self, fingerprint: str) -> None:
        """Remove a new key that could not be registered."""


class TreeFiles(Protocol):
    """The files of a tree, for its checks and their environment. (D5)"""

    @property
    def name(self) -> str:
        """The tree's id."""

    def listed(self, globs: Sequence[str]) -> Mapping[str, str]:
        """Return the matching files with mode and object."""

    def of_target(self, globs: Sequence[str]) -> Sequence[Mapping[str, str]]:
        """Return the matching files of the current target, and of the target where the change starts."""

    @property
    def for_start(self) -> str:
        """The target's tree where the change starts, "" if unknown."""

    def agreed(self) -> Sequence[Mapping[str, str]]:
        """Return all files of the target, as far as the journal shows that they were approved."""

    def agreed_for_start(self) -> Mapping[str, str]:
        """Like agreed(), for the target where the change starts, if the target still contains that. Not valid for any
        other start.
        """

    def write_some(self, paths: Sequence[str], path: str) -> None:
        """Write these files into an empty directory."""


class Lent(msgspec.Struct, frozen=True):
    """The part of an environment that lies in the tree, and the path at which it was built."""

    path: str
    was: str


class CheckRunner(Protocol):
    """Runs one check in a temporary checkout, without token, store or secrets. (D5)"""

    def program(self, rule: CheckRule, tree: TreeFiles) -> str:
        """Return the program and environment of the check for a tree, as recorded in results. "" if unknown."""

    def absent(self, rule: CheckRule) -> str:
        """Return the first program of the check or its environment that is not installed, or ""."""

    def misled(self, rule: CheckRule) -> str:
        """Return the checkout that the check would use instead of its tree, or "", as far as known in advance."""

    def run(
        self, rule: CheckRule, export: Callable[[str], None], progress: Callable[[str], None] | None = None,
        stop: Callable[[], bool] | None = None, *, tree: TreeFiles | None = None, last: bool = False,
    ) -> Ran:  # fmt: skip
        """Run the check.

        `export` fills an empty directory, once for all checks of a `tree`, and `last` marks the last of them.
        `progress` gets the last line of output. `stop` returns True to end the check and everything it started.
        """

    def close(self) -> None:
        """Delete exported files."""

    def environments(self) -> Sequence[EnvironmentRow]:
        """Return the environments that are kept, last used first."""

    def prune_environments(self, *, everything: bool, only_try: bool) -> Sequence[EnvironmentRow]:
        """Delete environments that are not needed, or with `everything` all that are not in use. Return them."""

    def lend(self, rule: CheckoutRule, tree: TreeFiles) -> AbstractContextManager[Lent | None]:
        """Return a context with the kept environment of a tree, to copy from, or None. Never builds one."""

    def why_no_sandboxes(self) -> str:
        """Return why checks cannot be kept away from other files, or "". (D5)"""


class DraftFiles(Protocol):
    """Draft files by person and name. Each is held by one process at a time."""

    def read(self, person: str, name: str) -> bytes | None:
        """Return a file's content, or None."""

    def write(self, person: str, name: str, document: bytes) -> None:
        """Replace a file atomically."""

    def set_aside(self, person: str, name: str) -> str:
        """Rename an unreadable file and return its new place."""

    def drop(self, person: str, name: str) -> bool:
        """Delete a file. Return False if there was none."""

    def names(self, person: str) -> list[str]: ...

    def take(self, person: str, name: str) -> int:
        """Lock a file. Return 0, or the number of the process that holds it (-1 if unknown)."""

    def release(self, person: str, name: str) -> None: ...

    def close(self) -> None:
        """Release every file."""


class Changes(Protocol):
    """Tells if the store was written, over a connection of its own."""

    def fileno(self) -> int:
        """Return a file descriptor that becomes readable after a write, or -1 if the caller has to poll."""

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
        """Start a runner for `starter` in a process that outlives this one, and return its number. With `sprints`, it
        ends when the sprints do.
        """

    def read_findings(
        self, document: bytes, name: str, paths: Callable[[], Collection[str]], most: Mapping[str, Severity]
    ) -> list[ReportedFinding]:
        """Parse a tool's SARIF report. Raise `BadInput` if it is not one.

        `paths` are the paths in the tree. `most` limits the severities that the tool's levels give.
        """

    def write_sarif(self, findings: Sequence[Finding]) -> bytes:
        """Convert findings to a SARIF 2.1.0 log."""

    def template(self, name: str) -> str:
        """Return the built-in text of a prompt."""

    def process(self) -> str:
        """Return the evidence of this process, "" if it cannot be read. (I3)"""

    def is_gone(self, process: str) -> bool:
        """Return True if a recorded process has certainly ended."""

    def notify(self, command: str, message: str) -> str:
        """Run a command of the accepted configuration with a message on standard input. Return its error, or ""."""

    def kept_notices(self) -> set[str]:
        """Return the keys of the notifications sent on this machine."""

    def keep_notices(self, keys: Set[str]) -> None:
        """Replace the keys of notifications sent. If that fails, people are notified again."""

    def keep_plan(self, name: str, text: str) -> str:
        """Store an agent's draft plan in the project's folder and return its path."""

    def free_space(self) -> int | None:
        """Return the free bytes for the project's folder, or None if unknown. (X3)"""

    def unwritable(self) -> list[Unwritable]:
        """Try to write where claiming, committing and submitting do. Return the places where that fails. Leaves nothing
        behind.
        """

    def kept_stores(self) -> list[str]:
        """Return the names of old stores in the project's folder, from moves, restores and upgrades."""

    def set_ups(self) -> list[ProgramSetup]:
        """Return how each agent program is set up in this checkout."""


NamedQuery = tuple[str, Mapping[str, object]]
"""A query's name and parameters."""


class Tx(Protocol):
    """Typed reads of one consistent state. The query names are defined in `adapters/store/queries`."""

    def all(self, query: str, into: type[T], /, **params: object) -> list[T]: ...

    def one(self, query: str, into: type[T], /, **params: object) -> T | None: ...

    def tasks(self, query: ListQuery, into: type[T], /) -> list[T]: ...

    def ahead(self, *asked: NamedQuery) -> None:
        """Prefetch queries that follow, with one request to a server. Changes no result."""

    def along(self, *asked: NamedQuery) -> None:
        """Prefetch queries that may follow, together with the next query. If none follows, nothing is sent."""

    def once(self, key: Hashable, make: Callable[[], T], /) -> T:
        """Return a value made from reads. It is cached by key until a write or the end of the transaction."""


class WriteTx(Tx, Protocol):
    """A write transaction: reads, and appends to the journal. An exception discards all changes (G4).

    `notes` are messages for later, for example about a mirror file that could not be written (F2).
    """

    notes: list[str]

    def append(self, session: str, at: str, entries: Sequence[tuple[str, Event]]) -> list[int]: ...

    def renew(self, leases: Sequence[tuple[str, int]], until: str) -> None:
        """Extend leases, given with their fences. This writes no journal row, and a replay ignores it. (J4)"""


class Beacon(Protocol):
    """A lock that shows that a runner or a merge is connected. It makes a take-over faster, but only the lease decides.
    (J4)
    """

    name: str

    def fileno(self) -> int:
        """Return a file descriptor that becomes readable when the connection ends, or -1 if it has ended."""

    def is_lit(self) -> bool:
        """Return True if the lock is still held over the same connection."""

    def light(self) -> None:
        """Take the lock again over a new connection."""

    def close(self) -> None: ...


class Store(Protocol):
    """A project's journal and tables. `place` is where it was found, "" if nobody else can find it. (P12)"""

    project: str
    place: str

    def read(self) -> AbstractContextManager[Tx]: ...

    def write(self, *, anywhere: bool = False) -> AbstractContextManager[WriteTx]:
        """Open a write transaction. `anywhere`: even if the store is not at its recorded place."""

    def rewrite_mirror(self) -> list[str]:
        """Write all mirror files of the store again. Return messages. (F2)"""

    def audit(self, progress: CountProgress | None = None) -> AuditReport: ...

    def health(self) -> list[str]:
        """Return the problems that the database's own checks find."""

    def changes(self) -> Changes | None:
        """Return an object that tells about writes, or None if nobody else can write."""

    def beacon(self, name: str) -> Beacon | None:
        """Take a database lock that lasts as long as the connection. Return None if the database has no such locks."""

    def dark(self, names: Sequence[str]) -> frozenset[str]:
        """Return the locks that nobody holds, with one query. Empty if unknown."""

    def describe(self) -> str:
        """Say in a few words what kind of database it is."""

    def role(self) -> StoreRole | None:
        """Return the caller's role on a server, or None for a file."""

    def grants(self, writers: Sequence[str], readers: Sequence[str]) -> str:
        """Return the SQL that grants access to writers and readers, or "" for a file."""

    def backup(self, path: str) -> None: ...

    def close(self) -> None: ...
