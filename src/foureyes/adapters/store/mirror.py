"""`.foureyes/security_events.jsonl`: the security ledger as a file that any tool can read (P8).

A mirror of the journal, never read back as truth. Every write first appends what is missing at its end.
"""

from __future__ import annotations

import os

import msgspec

from foureyes.app.ports import SecurityRow, Tx

TAIL = 65_536


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
            last = self._last_seq()
            if last >= end.seq:
                return 0
            missing = tx.all("record.security_since", SecurityRow, after=last)
            lines = b"".join(line_of(row) for row in missing)
            fd = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o644)
            try:
                size = os.fstat(fd).st_size
                if size and os.pread(fd, 1, size - 1) != b"\n":
                    lines = b"\n" + lines
                os.write(fd, lines)
                os.fsync(fd)
            finally:
                os.close(fd)
            return len(missing)
        except OSError:
            return 0

    def _last_seq(self) -> int:
        """The number of the last readable line; a torn last line does not count."""
        try:
            with open(self.path, "rb") as file:
                file.seek(0, os.SEEK_END)
                file.seek(max(0, file.tell() - TAIL))
                lines = file.read().split(b"\n")
        except FileNotFoundError:
            return 0
        for line in reversed(lines):
            seq = seq_of(line)
            if seq is not None:
                return seq
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
            seen.add(seq or 0)
        found += [f"security_events.jsonl has no line for row {seq}" for seq in ledger if seq not in seen]
        return found


def line_of(row: SecurityRow) -> bytes:
    """One line of the file."""
    return msgspec.json.encode(row) + b"\n"


def seq_of(line: bytes) -> int | None:
    """The row a line stands for."""
    try:
        return msgspec.json.decode(line, type=SecurityRow).seq
    except msgspec.DecodeError:
        return None
