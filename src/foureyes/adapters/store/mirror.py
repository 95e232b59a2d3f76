"""`.foureyes/security_events.jsonl`: the security ledger as a file that any tool can read (P8).

A mirror of the journal, never read back as truth. Every write first appends what is missing at its end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import BinaryIO

import msgspec

from foureyes.app.ports import SecurityRow, Tx

PIECE = 65_536


class End(msgspec.Struct, frozen=True):
    """The last security row of the store."""

    seq: int | None


class Mirror:
    """The file and how far it got."""

    def __init__(self, path: str) -> None:
        self.path = path

    def sync(self, tx: Tx) -> int:
        """Append the rows that the file does not have yet; how many. A file that cannot be written stops nothing."""
        end = tx.one("record.security_end", End)
        if end is None or end.seq is None:
            return 0
        try:
            last = self._last_seq(tx)
            if last >= end.seq:
                return 0
            missing = tx.all("record.security_since", SecurityRow, after=last)
            self._append(b"".join(line_of(row) for row in missing))
            return len(missing)
        except OSError:
            return 0

    def _append(self, lines: bytes) -> None:
        fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
        try:
            size = os.fstat(fd).st_size
            tail = os.pread(fd, PIECE, max(0, size - PIECE)).rpartition(b"\n")[2]
            if tail and lines.startswith(tail):
                os.ftruncate(fd, size - len(tail))  # what a crash left of the very line that comes now
            elif tail:
                lines = b"\n" + lines
            os.write(fd, lines)
            os.fsync(fd)
        finally:
            os.close(fd)

    def _last_seq(self, tx: Tx) -> int:
        """The number of the last line that the ledger has too; a torn or forged last line does not count."""
        try:
            with open(self.path, "rb") as file:
                for line in _lines_backwards(file):
                    seq = seq_of(line)
                    if seq is not None and tx.one("record.security_at", SecurityRow, seq=seq) is not None:
                        return seq
        except FileNotFoundError:
            pass
        return 0

    def differences(self, tx: Tx) -> list[str]:
        """Where the file is not what the ledger says: gaps, edits, lines nobody wrote."""
        try:
            with open(self.path, "rb") as file:
                lines = [line for line in file.read().split(b"\n") if line]
        except FileNotFoundError:
            lines = []
        except OSError as problem:
            return [f"security_events.jsonl cannot be read: {problem.strerror}"]
        ledger = {row.seq: line_of(row).rstrip(b"\n") for row in tx.all("record.security_since", SecurityRow, after=0)}
        found: list[str] = []
        seen: set[int] = set()
        for number, line in enumerate(lines, 1):
            seq = seq_of(line)
            if seq is None or seq not in ledger:
                found.append(f"security_events.jsonl line {number} is not in the journal")
            elif line != ledger[seq]:
                found.append(f"security_events.jsonl line {number} (row {seq}) was changed")
            elif seq in seen or seq < max(seen, default=0):
                found.append(f"security_events.jsonl line {number} (row {seq}) was changed: it stands in the wrong place")
            seen.add(seq or 0)
        found += [f"security_events.jsonl has no line for row {seq}" for seq in ledger if seq not in seen]
        return found


def _lines_backwards(file: BinaryIO) -> Iterator[bytes]:
    """The lines of a file from its end, read in pieces."""
    end = file.seek(0, os.SEEK_END)
    rest = b""
    while end > 0:
        start = max(0, end - PIECE)
        file.seek(start)
        lines = (file.read(end - start) + rest).split(b"\n")
        rest, end = lines[0], start
        yield from reversed(lines[1:])
    yield rest


def line_of(row: SecurityRow) -> bytes:
    """One line of the file."""
    return msgspec.json.encode(row) + b"\n"


def seq_of(line: bytes) -> int | None:
    """The row a line stands for."""
    try:
        return msgspec.json.decode(line, type=SecurityRow).seq
    except msgspec.DecodeError:
        return None
