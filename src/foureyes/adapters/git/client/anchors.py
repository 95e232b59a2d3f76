"""Anchors in the messages of commits (J3): the row and hash of the journal that a merge knew."""

from __future__ import annotations

from foureyes.adapters.git.client.loose_objects import LARGEST, read_loose_object
from foureyes.adapters.git.client.object_form import commit_head, message_of
from foureyes.core.words.ids import Sha
from foureyes.core.words.place import ANCHOR

NEAR = 20
BEGINS = ANCHOR.encode()


def anchor_near(common_dir: str, tip: Sha) -> str | None:
    """The anchor of the first commit with one on the first-parent line, among the newest commits (J3)."""
    for _ in range(NEAR):
        kind, content = read_loose_object(common_dir, tip, LARGEST) or (b"", b"")
        if kind != b"commit":
            return None
        if anchors := anchors_in(content):
            return anchors[-1]
        head = commit_head(content)
        if head is None or not head.parents:
            return None
        tip = head.parents[0]
    return None


def anchors_in(commit: bytes) -> list[str]:
    """What the `Journal:` lines of a commit say (J3). A message can keep git from seeing its trailers, so what looks
    like an anchor counts wherever it stands, and in the last paragraph whatever it looks like (G1).
    """
    before, _, last = message_of(commit).rstrip().rpartition(b"\n\n")
    said = [value for value in _journal_lines(before) if _is_anchor(value)] + _journal_lines(last)
    return [value.decode("utf-8", "replace") or "nothing" for value in said]


def _journal_lines(text: bytes) -> list[bytes]:
    return [line.removeprefix(BEGINS).strip() for line in text.split(b"\n") if line.startswith(BEGINS)]


def _is_anchor(value: bytes) -> bool:
    row, _, digest = value.partition(b":")
    return row.isdigit() and bool(digest) and not digest.strip(b"0123456789abcdef")
