"""Anchors in the messages of commits (J3): the row and hash of the journal that a merge knew."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from foureyes.adapters.git.client.object_form import commit_head, message_of
from foureyes.core.words.ids import ANCHOR, Sha

if TYPE_CHECKING:
    from foureyes.app.git_ports import HeldAnchors

BEGINS = ANCHOR.encode()


def not_held(anchors: Sequence[str], held: HeldAnchors | None) -> list[str]:
    """Those of some anchors that are not held; asked once for all of them: a shared store is far away."""
    holding = held(anchors) if held is not None and anchors else ()
    return [anchor for anchor in anchors if anchor not in holding]


def is_work(sha: Sha, commit: bytes, work: Collection[Sha]) -> bool:
    """Whether a commit is plain `work` of a task: who made it wrote its message, and the gate only makes merges. A
    merge counts, whoever handed it in: it may be another store's.
    """
    head = commit_head(commit) if sha in work else None
    return head is not None and len(head.parents) < 2


def anchors_in(commit: bytes) -> list[str]:
    """What the `Journal:` lines of a commit say (J3). A message can keep git from seeing its trailers, so what looks
    like an anchor counts wherever it stands, and in the last paragraph whatever it looks like (G1).
    """
    before, _, last = message_of(commit).rstrip().rpartition(b"\n\n")
    values = [value for value in _journal_lines(before) if _is_anchor(value)] + _journal_lines(last)
    return [value.decode("utf-8", "replace") or "nothing" for value in values]


def _journal_lines(text: bytes) -> list[bytes]:
    return [line.removeprefix(BEGINS).strip() for line in text.split(b"\n") if line.startswith(BEGINS)]


def _is_anchor(value: bytes) -> bool:
    row, _, digest = value.partition(b":")
    return row.isdigit() and bool(digest) and not digest.strip(b"0123456789abcdef")
