"""Reviews: the effective verdict (V5), files not read (V6), and when a review counts."""

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
    """One reviewer's result from the store."""

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
    early_review: int = 0
    at: str = ""

    @property
    def raised_in(self) -> int:
        """The journal row with its findings, directly after the review's own."""
        return self.seq + 1

    @property
    def is_whole(self) -> bool:
        """True if the review names every changed file as read. (V6)"""
        return not self.missing

    @property
    def agrees(self) -> bool:
        """True if the review is complete and its effective verdict is approved. It counts only if the reviewer may
        review. (P)
        """
        return self.is_whole and self.effective == "approved"


def why_not_counting(
    review: Review,
    reviews: Sequence[Review],
    diff_id: str,
    counting: Collection[str],
    voiceless: Mapping[SessionId, str] = NOBODY,
) -> str:
    """Return why a review does not count as approval of the latest attempt, or "".

    `counting` are the sessions with a counting review (D9). `voiceless` maps sessions that cannot have one to the
    reason (V3, V4).
    """
    if review.effective != "approved":
        return f"its verdict is {review.effective}"
    if review.missing:
        return f"incomplete, {len(review.missing)} {'file' if len(review.missing) == 1 else 'files'} not read (V6)"
    if diff_id and review.diff_id != diff_id:
        return "it is about an earlier attempt"
    if any(later.session == review.session and later.seq > review.seq for later in reviews):
        return "the same session reviewed it again later"
    if review.session in voiceless:
        return f"{voiceless[review.session]} (V3, V4)"
    return "" if review.session in counting else "its reviewer may not approve (P)"


def has_reviewed(session: str, diff_id: str, before: int, reviews: Iterable[Review]) -> bool:
    """Return True if the session reviewed exactly this change before it decided. (D9)"""
    return any(
        review.session == session and review.diff_id == diff_id and review.agrees and review.seq < before
        for review in reviews
    )


class FilesRead(msgspec.Struct, frozen=True):
    """The changed files that the program's stream reports as read. `complete`: it reports every read. (V6)"""

    files: tuple[str, ...]
    complete: bool = True


def seen_by(
    reported: Iterable[str], place: str, diff: str, changed: Sequence[ChangedFile], *, whole: bool
) -> list[str]:
    """Return the changed files that a stream reports as read, relative to `place`. (V6)

    Reading the `diff` file, which lies in a folder of the checkout, counts as reading every changed file. If it is too
    long to read at once (`whole` is False), it counts only for files without added lines.
    """
    paths = {path.removeprefix("./").removeprefix(place.rstrip("/") + "/") for path in reported}
    own = {file.path for file in changed}
    if not any(path.startswith(".") and path.count("/") == 1 and path.endswith(f"/{diff}") for path in paths - own):
        return sorted(paths)
    return sorted(paths | {file.path for file in changed if whole or not file.added})


def uncovered(
    changed: Sequence[ChangedFile], stated: Iterable[str], reported: FilesRead | None, exclude: Sequence[str]
) -> tuple[str, ...]:
    """Return the files that a review does not cover. If the stream reports every read, it must name a file too. (V6)"""
    seen = unread(changed, reported.files, exclude) if reported is not None and reported.complete else ()
    both = {*unread(changed, stated, exclude), *seen}
    return tuple(file.path for file in changed if file.path in both)


def unconfirmed(
    changed: Sequence[ChangedFile], stated: Iterable[str], reported: FilesRead | None, exclude: Sequence[str]
) -> tuple[str, ...]:
    """Return files that a review names as read but the stream does not report, for streams that may omit reads. (V6)

    They lower the reviewer's score but do not make the review invalid.
    """
    if reported is None or reported.complete:
        return ()
    left = {*unread(changed, reported.files, exclude)} - {*unread(changed, stated, exclude)}
    return tuple(file.path for file in changed if file.path in left)


def unread(changed: Sequence[ChangedFile], read: Iterable[str], exclude: Sequence[str]) -> tuple[str, ...]:
    """Return the changed files that a review does not name as read, except excluded ones. A moved file is excluded
    only if both paths are. (V6)
    """
    named = {path.strip().removeprefix("./") for path in read}
    left = [file for file in changed if file.path not in named]
    paths = [path for file in left for path in (file.path, file.old_path) if path]
    excluded = {"", *matching(paths, exclude)}
    return tuple(file.path for file in left if not {file.path, file.old_path} <= excluded)
