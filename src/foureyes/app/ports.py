"""What the application needs of the outside world, as protocols; of git, `git_ports`. Adapters implement
them; tests may too."""

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
"""Files: texts by their paths, or what writes them into an empty directory."""
CountProgress = Callable[[int, int], None]
"""Called with how much is done, and of how much."""


class Clock(Protocol):
    """The time, in UTC, and waiting for a later one."""

    def now(self) -> datetime: ...

    def zone(self) -> str:
        """In which zone people read clocks here: its name (`Europe/Berlin`), or how far it is from UTC (`+02:00`)."""

    def wait(self, seconds: float) -> None:
        """Return when about so much time has passed; who needs to know looks at `now` again."""


class Ids(Protocol):
    """A source of random numbers for new ids."""

    def number(self) -> int: ...


class OwnKeys(Protocol):
    """The caller's own keys (I9): private parts in the user's configuration directory, the passphrase from the terminal
    only.
    """

    def make(self) -> str:
        """A new key with a passphrase; its public line."""

    def adopt(self, path: str) -> str:
        """A FIDO key that asks for touch; its public line. One that could sign silently is refused."""

    def held(self) -> dict[str, str]:
        """Fingerprint and public line of every key that lies here."""

    def private_files(self) -> dict[str, str]:
        """Fingerprint and file of every key here that could sign, as far as that shows without its passphrase."""

    def written(self, file: str) -> str:
        """When such a file got there or was last changed, in words."""

    def sign(self, fingerprint: str, statement: bytes) -> str: ...

    def once(self) -> AbstractContextManager[None]:
        """Within it a passphrase that was typed is good for all signatures: one batch asks once and signs each."""

    def verify(self, public: str, statement: bytes, signature: str) -> str:
        """Why the signature does not hold; empty when it does."""

    def fingerprint(self, public: str) -> str: ...

    def forget(self, fingerprint: str) -> None:
        """Remove a key that was made just now and could not be registered."""


class TreeFiles(Protocol):
    """The files of a tree: for all the checks that run on it, and for the environment that they need (D5)."""

    @property
    def name(self) -> str:
        """What the tree is known by."""

    def listed(self, globs: Sequence[str]) -> Mapping[str, str]:
        """The files that globs mean, each with its mode and object."""

    def of_target(self, globs: Sequence[str]) -> Sequence[Mapping[str, str]]:
        """The same of the target branch as it is now, and as it was where the change to it begins."""

    @property
    def beside(self) -> str:
        """The tree of the target where the change to it begins; empty where that is not known."""

    def agreed(self) -> Sequence[Mapping[str, str]]:
        """All files of the target, as far as it is on record that they are: somebody agreed to them."""

    def agreed_beside(self) -> Mapping[str, str]:
        """The same where the change begins, as far as the target is there now: it holds for no other beginning."""

    def write_some(self, paths: Sequence[str], path: str) -> None:
        """Write these files into an empty directory."""


class Lent(msgspec.Struct, frozen=True):
    """What of an environment lies in the tree, and the path that it was made at."""

    path: str
    was: str


class CheckRunner(Protocol):
    """Runs one check in a throwaway checkout, without token, store or secrets (D5)."""

    def program(self, rule: CheckRule, tree: TreeFiles) -> str:
        """What the check would run on a tree, and in which environment, as results name it; empty where that cannot be
        told.
        """

    def absent(self, rule: CheckRule) -> str:
        """The program that a check, or what makes its environment, begins with, if it is not found here."""

    def misled(self, rule: CheckRule) -> str:
        """The directory of a checkout that the check would use in place of its tree, as far as can be told before."""

    def run(
        self, rule: CheckRule, export: Callable[[str], None], progress: Callable[[str], None] | None = None,
        stop: Callable[[], bool] | None = None, *, tree: TreeFiles | None = None, last: bool = False,
    ) -> Ran:  # fmt: skip
        """`export` fills an empty directory, for a `tree` once for all its checks, of which this may be the `last`.
        `progress` hears the last line; `stop` ends it, with all it started.
        """

    def close(self) -> None:
        """Forget what was exported."""

    def environments(self) -> Sequence[EnvironmentRow]:
        """What is kept of `prepare`, the one that was used last first."""

    def prune_environments(self, *, everything: bool, only_try: bool) -> Sequence[EnvironmentRow]:
        """Remove what nobody needs, or `everything` that is not in use; what goes."""

    def lend(self, rule: CheckoutRule, tree: TreeFiles) -> AbstractContextManager[Lent | None]:
        """The environment that is kept for a tree, to be copied; None where none is: nothing is made."""

    def why_no_rooms(self) -> str:
        """D5: why checks cannot be kept from seeing other files here; empty where they can."""


class DraftFiles(Protocol):
    """The files of drafts, by person and name; each is held by one process at a time."""

    def read(self, person: str, name: str) -> bytes | None:
        """What is in a file; None where there is none."""

    def write(self, person: str, name: str, document: bytes) -> None:
        """Replace a file in one step: whatever is cut off, the old or the new is there as a whole."""

    def set_aside(self, person: str, name: str) -> str:
        """Keep a file that cannot be read under another name; where it is then."""

    def drop(self, person: str, name: str) -> bool:
        """Remove a file; whether there was one."""

    def names(self, person: str) -> list[str]: ...

    def take(self, person: str, name: str) -> int:
        """Hold a file: 0 where it is this process's now, else the number of the process that has it (-1: unknown)."""

    def release(self, person: str, name: str) -> None: ...

    def close(self) -> None:
        """Let go of every file."""


class Changes(Protocol):
    """Notices that somebody wrote to the store, on a connection of its own."""

    def fileno(self) -> int:
        """Becomes readable when somebody did; -1 where only asking tells."""

    def changed(self) -> bool:
        """Whether somebody wrote since the last time this was asked."""

    def close(self) -> None: ...


class Outside(Protocol):
    """What few commands need of the world; each is made when first asked for."""

    def workshop(self) -> Workshop: ...

    def remote(self, name: str) -> Remote:
        """The git remote of this name; nothing is asked of it yet."""

    def clone(self) -> str:
        """Which clone this is: its machine, a colon, and a name that no other repository of that machine has."""

    def checks(self) -> CheckRunner: ...

    def drafts(self) -> DraftFiles: ...

    def agents(self) -> LocalAgents: ...

    def launch_runner(self, starter: Actor, agents: int, *, sprints: bool = False) -> int:
        """Start a runner, in the name of who starts it, in a process of its own that outlives this one: its number.
        `sprints`: one that ends with them.
        """

    def read_findings(
        self, document: bytes, name: str, paths: Callable[[], Collection[str]], most: Mapping[str, Severity]
    ) -> list[ReportedFinding]:
        """The findings of a tool's SARIF report; `BadInput` when it is not one. `paths`: those of the tree that it is
        about; `most`: what a tool's levels are worth at most.
        """

    def write_sarif(self, findings: Sequence[Finding]) -> bytes:
        """Findings as a SARIF 2.1.0 log."""

    def template(self, name: str) -> str:
        """The built-in text of a prompt."""

    def process(self) -> str:
        """The evidence of this process (I3); empty where it cannot be read."""

    def is_gone(self, process: str) -> bool:
        """Whether a process on record is shown to have ended."""

    def notify(self, command: str, message: str) -> str:
        """Start a command of the accepted configuration, with a message on its standard input; what went wrong, else
        empty.
        """

    def kept_notices(self) -> set[str]:
        """The keys of what people were notified of on this machine, as `keep_notices` has kept them."""

    def keep_notices(self, keys: Set[str]) -> None:
        """Keep them instead; where that is not possible, people are notified again."""

    def keep_plan(self, name: str, text: str) -> str:
        """Keep a plan that an agent drafted in a file of the project's folder; its path."""

    def free_space(self) -> int | None:
        """X3: how many bytes can still be written where the project's folder lies; None where that cannot be told."""

    def unwritable(self) -> list[Unwritable]:
        """Try to write where claiming, committing and submitting write; nothing of it stays."""

    def kept_aside(self) -> list[str]:
        """Stores that moves, restores and upgrades left in the project's folder, by their names."""

    def set_ups(self) -> list[ProgramSetup]:
        """What agent programs find in this checkout, and whether it fits."""


NamedQuery = tuple[str, Mapping[str, object]]
"""The name of a query, and its parameters."""


class Tx(Protocol):
    """Typed reads over one consistent state. Query names are those of `adapters/store/queries`."""

    def all(self, query: str, into: type[T], /, **params: object) -> list[T]: ...

    def one(self, query: str, into: type[T], /, **params: object) -> T | None: ...

    def tasks(self, query: ListQuery, into: type[T], /) -> list[T]: ...

    def ahead(self, *asked: NamedQuery) -> None:
        """Queries and their parameters that are asked next: where each is a way to a server and back, all by one.
        It changes no answer; what is not asked afterwards was asked for nothing.
        """

    def along(self, *asked: NamedQuery) -> None:
        """The same for what will be asked sooner or later: it goes to a server with the next question, by one way. Who
        asks nothing any more sends nothing.
        """

    def once(self, key: Hashable, make: Callable[[], T], /) -> T:
        """A value made from reads, kept under a key until something is written or the transaction ends."""


class WriteTx(Tx, Protocol):
    """A writing transaction: reads, and appends to the journal. Leaving it by an exception changes nothing (G4).

    `notes` is what there is to say afterwards: about a mirror file that was set aside or could not be written (F2).
    """

    notes: list[str]

    def append(self, session: str, at: str, entries: Sequence[tuple[str, Event]]) -> list[int]: ...

    def renew(self, leases: Sequence[tuple[str, int]], until: str) -> None:
        """J4: leases with their fences hold until then. No row of the journal, and nothing that is replayed."""


class Beacon(Protocol):
    """J4: shows others that a runner or a merge is connected. It speeds their take-over; the lease stays the truth."""

    name: str

    def fileno(self) -> int:
        """Becomes readable when the connection ends; -1 where it has."""

    def is_lit(self) -> bool:
        """Whether it is held, still over the same connection."""

    def light(self) -> None:
        """Over a new connection."""

    def close(self) -> None: ...


class Store(Protocol):
    """A project's journal and tables. `place` is where it was found (P12); empty where nobody else could find it."""

    project: str
    place: str

    def read(self) -> AbstractContextManager[Tx]: ...

    def write(self, *, anywhere: bool = False) -> AbstractContextManager[WriteTx]:
        """`anywhere`: also where the journal does not say that the store lies."""

    def mirror_anew(self) -> list[str]:
        """Write every file again that mirrors the store (F2); what there is to say."""

    def audit(self, progress: CountProgress | None = None) -> AuditReport: ...

    def health(self) -> list[str]:
        """What the database's own checks find wrong with it."""

    def changes(self) -> Changes | None:
        """Who notices that somebody wrote; None where nobody else can."""

    def beacon(self, name: str) -> Beacon | None:
        """A lock of the database that is held as long as its holder is connected; None where there is no such lock."""

    def dark(self, names: Sequence[str]) -> frozenset[str]:
        """Those of such locks that nobody holds, by one question; none where that cannot be told."""

    def describe(self) -> str:
        """What kind of database this is, in a few words."""

    def role(self) -> StoreRole | None:
        """Who the caller is to a server; None for a file, which has no such roles."""

    def grants(self, writers: Sequence[str], readers: Sequence[str]) -> str:
        """The SQL that lets writers and readers in; empty for a file."""

    def backup(self, path: str) -> None: ...

    def close(self) -> None: ...
