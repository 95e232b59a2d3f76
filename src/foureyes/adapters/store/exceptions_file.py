"""Writes `.foureyes/security_events.jsonl`, the recorded exceptions in a file for any tool. (P8)

It mirrors the journal and is never read back as truth. Every write first appends the missing lines.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from foureyes.adapters.folders import MB, OddFile, folder, opened, read, rename_unreadable
from foureyes.app.results.journal import SecurityRow

if TYPE_CHECKING:
    from foureyes.app.ports import Tx
    from foureyes.app.results.journal import Discrepancy

PIECE = 65_536
TAIL = 4 * MB
"""Number of bytes at the end of the file that are searched for a known line."""
ROOM = 16 * MB
"""Bytes by which the file may exceed its expected size and still be read whole."""
NAMED = 100
"""Largest number of forged lines to list. An attacker could write a million."""
EXCEPTION = "SecurityRecorded"
"""The only event kind that records an exception."""


class End(msgspec.Struct, frozen=True):
    """The last security row of the store."""

    seq: int | None


class Mirror:
    """The mirror file and how far it goes. `note` is the last write's message. `shared`: other machines write to the
    store too, each with its own file.
    """

    def __init__(self, path: str, *, shared: bool = False) -> None:
        self.path = path
        self.shared = shared
        self.note = ""

    def sync(self, tx: Tx, end: int | None = None) -> int:
        """Append the missing rows and return their number. An unwritable file is no error. `end` is the last recorded
        exception, if the caller knows it.
        """
        if end is None:
            last = tx.one("record.security_end", End)
            end = last.seq if last else None
        self.note = ""
        if not end:
            return 0
        try:
            try:
                return self._append(tx) if self._last_seq(tx, end) < end else 0
            except OddFile as odd:
                self._set_aside(odd)
                return self._append(tx)
        except OSError:
            return 0

    def _set_aside(self, odd: OddFile) -> None:
        """Rename a file that is not our mirror, so that it is written again from the journal."""
        around, name = os.path.split(self.path)
        shown = f"{os.path.basename(around)}/{name}"
        self.note = f"{shown} did not match the journal: {odd.strerror}"
        with folder(around) as place:
            kept = rename_unreadable(place, name)
        self.note += f". It was kept as {kept} and written again from the journal"

    def _append(self, tx: Tx) -> int:
        """Append the missing lines under the file's own lock, because writers to a server's store share no other lock."""
        fd = opened(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND)
        with open(fd, "r+b", buffering=0) as file:
            fcntl.flock(
                fd, fcntl.LOCK_EX | fcntl.LOCK_NB
            )  # held by another writer: the next write brings it up to date
            missing = tx.all("record.security_since", SecurityRow, after=self._last_seq(tx, 0))
            lines = b"".join(line_of(row) for row in missing)
            tail = next(_lines_backwards(file))
            if tail and lines.startswith(tail):
                os.ftruncate(
                    fd, file.seek(0, os.SEEK_END) - len(tail)
                )  # what a crash left of the very line that comes now
            elif tail:
                lines = b"\n" + lines
            os.write(fd, lines)
            os.fsync(fd)
        return len(missing)

    def _last_seq(self, tx: Tx, known: int) -> int:
        """Find the last line of the file that is also in the journal and return its row. A torn or forged last line does not count. `known`
        is a row that the journal certainly has.
        """
        try:
            with open(opened(self.path), "rb") as file:
                for line in _lines_backwards(file):
                    seq = seq_of(line)
                    if seq is not None and (
                        seq == known or tx.one("record.security_at", SecurityRow, seq=seq) is not None
                    ):
                        return seq
        except FileNotFoundError:
            pass
        return 0

    def lines(self, expected: int = 0) -> list[bytes]:
        """Return the lines of the file. Raise OSError if it is unreadable. `expected` is its expected size."""
        try:
            return [line for line in read(self.path, expected + ROOM).split(b"\n") if line]
        except FileNotFoundError:
            return []


def expected_lines(tx: Tx) -> dict[int, bytes]:
    """Return every expected line by row."""
    return {row.seq: line_of(row).rstrip(b"\n") for row in tx.all("record.security_since", SecurityRow, after=0)}


def differences(
    lines: list[bytes], before: dict[int, bytes], after: dict[int, bytes], *, shared: bool = False
) -> list[Discrepancy]:
    """Return the differences between file and journal: gaps, edits and forged lines.

    `before` and `after` are the rows before and after the file was read, so that concurrent writes are no difference.
    With `shared`, a shorter or missing file only means that this machine has not written since.
    """
    from foureyes.app.results.journal import Discrepancy

    altered: list[str] = []
    seen: set[int] = set()
    for number, line in enumerate(lines, 1):
        seq = seq_of(line)
        if seq is None or seq not in after:
            altered.append(f"security_events.jsonl line {number} is not in the journal")
        elif line != after[seq]:
            altered.append(f"security_events.jsonl line {number} (row {seq}) was changed")
        elif seq in seen or seq < max(seen, default=0):
            altered.append(f"security_events.jsonl line {number} (row {seq}) is in the wrong place")
        seen.add(seq or 0)
    if len(altered) > NAMED:
        altered[NAMED:] = [f"security_events.jsonl: {len(altered) - NAMED} more lines are not as the journal has them"]
    last = max(seen, default=0) if shared else max(before, default=0)
    missing = [f"security_events.jsonl has no line for row {seq}" for seq in before if seq not in seen and seq <= last]
    return [Discrepancy("integrity", text) for text in altered] + [
        Discrepancy("completeness", text) for text in missing
    ]


def lines_behind(lines: list[bytes], before: dict[int, bytes]) -> int:
    """Return the number of recorded exceptions after the last one in the file."""
    last = max((seq for line in lines if (seq := seq_of(line)) in before and seq), default=0)
    return sum(seq > last for seq in before)


def _lines_backwards(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file from its end. Raise OddFile if the end has no line short enough to be ours."""
    end = file.seek(0, os.SEEK_END)
    least, rest = end - TAIL, b""
    while end > 0:
        if end <= least:
            raise OddFile(f"its last {TAIL // MB} MB are not lines of the journal")
        start = max(0, end - PIECE)
        file.seek(start)
        lines = (file.read(end - start) + rest).split(b"\n")
        rest, end = lines[0], start
        yield from reversed(lines[1:])
    yield rest


def line_of(row: SecurityRow) -> bytes:
    return msgspec.json.encode(row) + b"\n"


def seq_of(line: bytes) -> int | None:
    """Return the row of a line, or None."""
    try:
        return msgspec.json.decode(line, type=SecurityRow).seq
    except msgspec.DecodeError:
        return None
