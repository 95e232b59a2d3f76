"""Reviews: what a stated verdict comes to (V5), what was not read (V6), and when a review counts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from foureyes.core.nouns.attempt import ChangedFile
from foureyes.core.nouns.finding import ReviewStatus
from foureyes.core.words.ids import SessionId
from foureyes.core.words.paths import matching
from foureyes.core.words.vocabulary import Verdict

NOBODY: Mapping[SessionId, str] = {}


class Review(msgspec.Struct, frozen=True, kw_only=True):
    """One reviewer's result as the store has it."""

    seq: int
    task: str
    attempt: int
    diff_id: str
    session: SessionId
    verdict: Verdict
    effective: Verdict
    status: ReviewStatus
    summary: str
    files: list[str] = []
    missing: list[str] = []
    notes: list[str] = []
    raised: int = 0
    blocking: int = 0
    actionable: bool = False
    cycle: str = ""
    look: int = 0
    at: str = ""

    @property
    def raised_in(self) -> int:
        """The row of the journal with what it raised: a review is recorded just before that."""
        return self.seq + 1

    @property
    def is_whole(self) -> bool:
        """V6: it says that it read every changed file."""
        return not self.missing

    @property
    def agrees(self) -> bool:
        """Whole and, by what it found, for the change. Whether it counts also hangs on who gave it (P)."""
        return self.is_whole and self.effective == "approved"


def why_not_counting(
    review: Review,
    reviews: Sequence[Review],
    diff_id: str,
    counting: Collection[str],
    voiceless: Mapping[SessionId, str] = NOBODY,
) -> str:
    """Why a review does not count as an agreeing one of the latest attempt; empty when it does. `counting` are the
    sessions whose review does (D9), `voiceless` those whose review does not by who they are, with why (V3, V4).
    """
    if review.effective != "approved":
        return f"it says {review.effective}"
    if review.missing:
        return f"incomplete, {len(review.missing)} {'file' if len(review.missing) == 1 else 'files'} not read (V6)"
    if diff_id and review.diff_id != diff_id:
        return "it is about an earlier change"
    if any(later.session == review.session and later.seq > review.seq for later in reviews):
        return "a later review of the same session is there"
    if review.session in voiceless:
        return f"{voiceless[review.session]} (V3, V4)"
    return "" if review.session in counting else "its reviewer may not approve (P)"


def has_reviewed(session: str, diff_id: str, before: int, reviews: Iterable[Review]) -> bool:
    """D9: whether a session had agreed to exactly this change in a review of its own before it decided."""
    return any(
        review.session == session and review.diff_id == diff_id and review.agrees and review.seq < before
        for review in reviews
    )


class FilesRead(msgspec.Struct, frozen=True):
    """V6: the changed files that a program's stream tells it read. `complete`: it tells every one."""

    files: tuple[str, ...]
    complete: bool = True


def seen_by(told: Iterable[str], place: str, diff: str, changed: Sequence[ChangedFile], *, whole: bool) -> list[str]:
    """V6: the changed files that a stream tells of, from the place it read in. Who reads the whole `diff`, which lies
    in a folder beside the tree, reads each; of one that is too long for one reading only what is gone from the tree.
    """
    paths = {path.removeprefix("./").removeprefix(place.rstrip("/") + "/") for path in told}
    own = {file.path for file in changed}
    if not any(path.startswith(".") and path.count("/") == 1 and path.endswith(f"/{diff}") for path in paths - own):
        return sorted(paths)
    return sorted(paths | {file.path for file in changed if whole or not file.added})


def uncovered(
    changed: Sequence[ChangedFile], stated: Iterable[str], told: FilesRead | None, exclude: Sequence[str]
) -> tuple[str, ...]:
    """V6: what a review does not cover: by what it says, and where a stream tells every read, by that; both must
    agree.
    """
    seen = unread(changed, told.files, exclude) if told is not None and told.complete else ()
    both = {*unread(changed, stated, exclude), *seen}
    return tuple(file.path for file in changed if file.path in both)


def untold(
    changed: Sequence[ChangedFile], stated: Iterable[str], told: FilesRead | None, exclude: Sequence[str]
) -> tuple[str, ...]:
    """V6: what a review says it read, and a stream that need not tell every read does not tell of: it changes the
    reviewer's score, not what counts.
    """
    if told is None or told.complete:
        return ()
    left = {*unread(changed, told.files, exclude)} - {*unread(changed, stated, exclude)}
    return tuple(file.path for file in changed if file.path in left)


def unread(changed: Sequence[ChangedFile], read: Iterable[str], exclude: Sequence[str]) -> tuple[str, ...]:
    """V6: the changed files that a review does not say it read, those that need no reading aside; one that
    was moved among these is to be read.
    """
    named = {path.strip().removeprefix("./") for path in read}
    left = [file for file in changed if file.path not in named]
    paths = [path for file in left for path in (file.path, file.old_path) if path]
    aside = {"", *matching(paths, exclude)}
    return tuple(file.path for file in left if not {file.path, file.old_path} <= aside)
