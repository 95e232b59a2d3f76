"""SQLite through apsw: one connection with verified settings, and our own error messages."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

import apsw

from foureyes.adapters.folders import OddFile, kind_of
from foureyes.adapters.store.connection import sql
from foureyes.adapters.store.write_lock import in_its_place, only_readable
from foureyes.core.words.store_place import FILE
from foureyes.errors import StoreBusy, StoreProblem
from foureyes.steps import blank, fe, prose

if TYPE_CHECKING:
    from foureyes.adapters.store.connection import SqlValue

OLDEST = (3, 51, 3)
"""Oldest safe version. Earlier ones have the WAL-reset race, which can corrupt a file written by several processes."""
APPLICATION_ID = 0x46455945
STATEMENTS = 512
"""Size of the cache for prepared statements. It has room for all, so that each is prepared only once."""
BUSY_MILLISECONDS = 10_000
TEMPORARY = ""
"""The path of a temporary store in memory. A large one goes to an unnamed file, deleted on close."""
LEAST_ROOM = 64 * 1024
"""The disk space in bytes that SQLite needs even to read."""
WITHOUT_FILE = (":memory:", TEMPORARY)
FOR_READING = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
NOT_FOR_WRITING = (apsw.ReadOnlyError, apsw.CantOpenError, apsw.PermissionsError)
SETTINGS = (
    ("journal_mode", "WAL", "wal"),
    ("synchronous", "FULL", 2),
    ("foreign_keys", "ON", 1),
    # A log entry takes seven pages, so SQLite's default of 1,000 would checkpoint every 140 entries.
    ("wal_autocheckpoint", 4000, 4000),
)


FileStamp = tuple[tuple[int, ...], int]


class SqliteEngine:
    """An open SQLite store. `path` may be ":memory:" or TEMPORARY. With `retired`, it is a former store that was
    renamed.
    """

    name = "sqlite"

    def __init__(self, path: str, *, create: bool = False, retired: bool = False) -> None:
        self.path = path
        self.place = "" if path in WITHOUT_FILE else FILE
        self.written: set[str] | None = None
        self._pointer = "" if retired else os.path.join(os.path.dirname(path), "store.json")
        self._columns: dict[str, list[str]] = {}
        check_library_version(apsw.sqlite_lib_version())
        refuse_odd(path)
        self._seen: FileStamp | None = None
        with translated(path):
            self._open(create)
            self._inode = self._inode_now()

    def _open(self, create: bool) -> None:
        """Open for writing, or for reading if the folder is not writable."""
        try:
            flags = apsw.SQLITE_OPEN_READWRITE | (apsw.SQLITE_OPEN_CREATE if create else 0)
            self.connection = connected(self.path, flags)
            if not self.connection.readonly("main"):
                if not create:
                    self._check_owner()
                self._configure()
                if create:
                    self.connection.pragma("application_id", APPLICATION_ID)
                return
        except NOT_FOR_WRITING:
            if create or not os.path.lexists(self.path):
                raise
        self._open_for_reading()

    def _open_for_reading(self) -> None:
        """Open for reading, with the existing log. SQLite would otherwise create one for the wrong owner.

        If there is no log, the file is opened as immutable. That could return old rows, so `transaction` checks for
        changes.
        """
        self._seen = None
        if os.path.lexists(self.path + "-wal"):
            with suppress(*NOT_FOR_WRITING):
                self.connection = connected(f"{as_uri(self.path)}?mode=ro&readonly_shm=1", FOR_READING)
                return self._check_owner()
        seen = self._stamp()
        if seen[1]:
            raise StoreProblem(
                "the store has an unmerged log, which needs write access to be read.",
                next_step=fe("status", after=", where .foureyes can be written; then try again here"),
            )
        self.connection, self._seen = connected(f"{as_uri(self.path)}?immutable=1", FOR_READING), seen
        return self._check_owner()

    def _stamp(self) -> FileStamp:
        """Return values that change with every write: those of the store's file, and the size of its log."""
        about, log = _about(self.path), _about(self.path + "-wal")
        return (about.st_ino, about.st_size, about.st_mtime_ns) if about else (), log.st_size if log else 0

    @property
    def is_read_only(self) -> bool:
        """True if the caller cannot write."""
        return self.connection.readonly("main")

    def _check_owner(self) -> None:
        number = self.connection.pragma("application_id")
        if number != APPLICATION_ID:
            raise StoreProblem(
                f"{os.path.basename(self.path)} is not a Foureyes store (application id {number}). It was not touched.",
                next_step=fe("store", "restore", blank("FILE"), after=", if you have a backup"),
            )

    def _configure(self) -> None:
        for name, value, expected in SETTINGS:
            self.connection.pragma(name, value)
            taken = self.connection.pragma(name)
            if taken != expected and self.path not in WITHOUT_FILE:
                raise StoreProblem(
                    f"SQLite did not take the setting {name} = {value} (it says {taken}).", next_step=fe("doctor")
                )

    def run(self, name: str, params: dict[str, SqlValue]) -> None:
        try:
            self.connection.execute(sql(name), params)
        except apsw.Error as problem:
            raise in_our_words(problem, self.path) from problem

    def change(self, name: str, params: dict[str, SqlValue]) -> int:
        self.run(name, params)
        return self.connection.changes()

    def fetch(self, statement: str, params: dict[str, SqlValue]) -> tuple[list[str], list[tuple[SqlValue, ...]]]:
        try:
            cursor = self.connection.execute(statement, params)
            if statement not in self._columns:
                self._columns[statement] = [column[0] for column in cursor.get_description()]
            rows: list[tuple[SqlValue, ...]] = cursor.fetchall()  # type: ignore[assignment]
            return self._columns[statement] if rows else [], rows
        except apsw.ExecutionCompleteError:
            return [], []
        except apsw.Error as problem:
            raise in_our_words(problem, self.path) from problem

    def fetch_all(
        self, asked: Sequence[tuple[str, dict[str, SqlValue]]]
    ) -> list[tuple[list[str], list[tuple[SqlValue, ...]]]]:
        return [self.fetch(statement, params) for statement, params in asked]

    def stream(self, statement: str) -> Iterator[tuple[SqlValue, ...]]:
        """Yield rows one by one, for tables larger than memory."""
        with translated(self.path):
            yield from self.connection.execute(statement)

    def script(self, statements: list[str]) -> None:
        """Execute statements one by one. Several in one call would stop at the first row."""
        self._columns.clear()
        with translated(self.path):
            for statement in statements:
                self.connection.execute(statement)

    @contextmanager
    def transaction(self, *, write: bool) -> Iterator[None]:
        """Open a transaction with one consistent state. A writing one commits at the end, or rolls back on an error."""
        if self._seen and self._stamp() != self._seen:
            with translated(self.path):
                self.connection.close()
                self._open_for_reading()
        self._say("BEGIN IMMEDIATE" if write else "BEGIN")
        try:
            yield
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise
        self._say("COMMIT" if write else "ROLLBACK")
        if self._seen and self._stamp() != self._seen:
            raise StoreBusy("the store was written while it was read here.", next_step=prose("try again"))

    def _say(self, statement: str) -> None:
        try:
            self.connection.execute(statement)
        except apsw.Error as problem:
            raise in_our_words(problem, self.path) from problem

    def _inode_now(self) -> int:
        return 0 if self.path in WITHOUT_FILE else os.lstat(self.path).st_ino

    def check_place(self) -> None:
        """Raise StoreProblem if the open file was moved, because writes to it would be lost."""
        try:
            moved = self._inode_now() != self._inode or os.path.lexists(self._pointer)
        except OSError:
            moved = True
        if moved:
            raise StoreProblem(
                "the store was moved while this command ran. Nothing was changed.", next_step=prose("try again")
            )

    def checkpoint(self) -> None:
        """Move everything from the write-ahead log into the file itself."""
        with translated(self.path):
            self.connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def schema_version(self) -> int:
        with translated(self.path):
            return int(self.connection.pragma("user_version"))

    def set_schema_version(self, version: int) -> None:
        self.connection.pragma("user_version", version)

    def backup(self, path: str) -> None:
        """Write a complete copy, consistent even while others write."""
        refuse_odd(path)
        with translated(path):
            copy = apsw.Connection(path)
            with copy.backup("main", self.connection, "main") as backup:
                while not backup.done:
                    backup.step(1000)
            copy.close()

    def tables(self) -> set[str]:
        """Return the names of the tables in the file."""
        return {str(row[0]) for row in self.fetch("SELECT name FROM sqlite_schema WHERE type = 'table'", {})[1]}

    def describe(self) -> str:
        return f"SQLite {apsw.sqlite_lib_version()}, schema {self.schema_version()}"

    def role(self) -> None:
        """Return None, because anyone who can write the file has all rights."""

    def grants(self, writers: Sequence[str], readers: Sequence[str]) -> str:
        return ""

    def problems(self) -> list[str]:
        """Return the defects found by SQLite's own check."""
        with translated(self.path):
            problems = [str(row[0]) for row in self.connection.execute("PRAGMA quick_check(5)")]
        return [] if problems == ["ok"] else problems

    def close(self) -> None:
        self.connection.close()


def connected(path: str, flags: int) -> apsw.Connection:
    connection = apsw.Connection(path, flags=flags, statementcachesize=STATEMENTS)
    connection.set_busy_timeout(BUSY_MILLISECONDS)
    # Otherwise SQLite plans by the values, and plans a statement again for each new value.
    connection.config(apsw.SQLITE_DBCONFIG_ENABLE_QPSG, 1)
    return connection


def _about(path: str) -> os.stat_result | None:
    try:
        return os.stat(path)
    except OSError:
        return None


def as_uri(path: str) -> str:
    """Return a path as a URI, which SQLite needs for options."""
    from urllib.parse import quote

    return "file:" + quote(os.path.abspath(path))


def refuse_odd(path: str) -> None:
    """Raise StoreProblem if one of SQLite's files is a link, pipe or directory. SQLite would follow a link."""
    for ending in ("", "-wal", "-shm", "-journal") if path not in WITHOUT_FILE else ():
        try:
            mode = os.lstat(path + ending).st_mode
        except OSError:
            continue
        if not stat.S_ISREG(mode):
            raise in_its_place(path + ending, OddFile(f"it is {kind_of(mode)}, not a file", path + ending))


def check_library_version(version: str) -> None:
    """Raise StoreProblem for a SQLite version that can corrupt a file with several writers."""
    if tuple(int(part) for part in version.split(".")[:3]) < OLDEST:
        wanted = ".".join(str(part) for part in OLDEST)
        raise StoreProblem(
            f"SQLite {version} is too old, because versions before {wanted} can corrupt a store that several processes write.",
            next_step=prose("install a newer apsw"),
        )


def not_writable(path: str) -> StoreProblem | None:
    """Return the error for store files that the caller may not write, or None."""
    folder = os.path.dirname(path)
    places = {f"{os.path.basename(folder)}/": folder, os.path.basename(path): path}
    wrong = [name for name, place in places.items() if os.path.lexists(place) and not os.access(place, os.W_OK)]
    return only_readable(folder, wrong) if wrong and path not in WITHOUT_FILE else None


@contextmanager
def translated(path: str) -> Iterator[None]:
    """Translate apsw's errors into our messages."""
    try:
        yield
    except apsw.Error as problem:
        raise in_our_words(problem, path) from problem


def _full() -> StoreProblem:
    return StoreProblem("the disk is full. Nothing was changed.", next_step=prose("free some space and try again"))


def _is_full(folder: str) -> bool:
    """Return True if the disk has no space for the index that SQLite needs even to read."""
    try:
        about = os.statvfs(folder)
    except OSError:
        return False
    return about.f_bavail * about.f_frsize < LEAST_ROOM


def in_our_words(problem: apsw.Error, path: str) -> Exception:
    """Return our error for an error of apsw, or the original if unknown."""
    name = os.path.basename(path)
    match problem:
        case apsw.BusyError() | apsw.LockedError():
            return StoreBusy("the store is busy. Nothing was changed.", next_step=prose("try again"))
        case apsw.FullError():
            return _full()
        case apsw.IOError() if _is_full(os.path.dirname(path) or os.environ.get("TMPDIR") or "/tmp"):  # noqa: S108 (looked at)
            return _full()
        case apsw.ReadOnlyError() | apsw.PermissionsError():
            return not_writable(path) or StoreProblem(
                "the store cannot be written. Nothing was changed.", next_step=prose("make .foureyes writable for you")
            )
        case apsw.CantOpenError():
            text = f"{name} cannot be opened, because it is missing or you cannot read and write its directory."
            return not_writable(path) or StoreProblem(text, next_step=fe("doctor"))
        case apsw.NotADBError() | apsw.CorruptError():
            text = f"{name} is damaged or not a store ({problem}). It was not touched."
            return StoreProblem(text, next_step=fe("store", "restore", blank("FILE"), after=", if you have a backup"))
        case apsw.IOError():
            return StoreProblem(f"the disk reported an error ({problem}). Nothing was changed.", next_step=fe("doctor"))
        case apsw.SQLError() if lost := _lost_tables(path):
            text = f"a part of {name} is gone ({', '.join(lost)}). Nothing was changed."
            return StoreProblem(text, next_step=fe("store", "restore", blank("FILE"), after=", if you have a backup"))
    return problem


def _lost_tables(path: str) -> list[str]:
    """Return the tables missing from a store of this version, after a statement failed. (J2)"""
    from foureyes.adapters.store.migrate import LATEST, migrate

    if path in WITHOUT_FILE:
        return []
    whole = SqliteEngine(":memory:", create=True)
    migrate(whole, "", None)
    with closing(whole), closing(connected(path, apsw.SQLITE_OPEN_READONLY)) as store:
        names = {str(name) for (name,) in store.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        return sorted(whole.tables() - names) if store.pragma("user_version") == LATEST else []
