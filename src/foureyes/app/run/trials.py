"""What a reviewer is tried with (V4): the built-in set, and findings of the project itself that were true."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from foureyes.app.ports import TreeContent
from foureyes.core.cycle.calibrating import LineRange, TrialCase, is_near
from foureyes.core.events.loop import FindingsRaised
from foureyes.core.words.fence import some
from foureyes.core.words.ids import Sha
from foureyes.errors import BadInput
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.config.seeded import Seeded

MOST_FINDINGS = 200
"""Among so many of the latest findings the attempts are chosen."""
MOST_OF_ONE = 5
"""So many places of one attempt are asked for."""
NAMED = 20


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One change to review, and what its review is judged by; one change may have several defects."""

    title: str
    acceptance: str
    files: TreeContent
    cases: tuple[TrialCase, ...]


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """Changes that grow out of the same files."""

    files: TreeContent
    trials: tuple[Trial, ...]


class TrueFinding(msgspec.Struct, frozen=True, kw_only=True):
    """A finding that was true, with the attempt that it was raised in, and the row that raised it."""

    root: str
    task: str
    title: str
    acceptance: str
    raised: int
    base: Sha
    head: Sha
    payload: str


def built_in(names: Sequence[str] = ()) -> Bundle:
    """The set that comes with Foureyes, or some of it."""
    from foureyes.config.seeded import seeded

    known = seeded()
    unknown = sorted(set(names) - {each.name for each in known})
    if unknown:
        wanted = some([each.name for each in known], NAMED)
        raise BadInput(
            f"there is no case {unknown[0]!r}; there are: {wanted}.", next_step=fe("review", "calibrate", "--help")
        )
    chosen = [each for each in known if not names or each.name in names]
    return Bundle(files={each.path: each.base or "\n" for each in known}, trials=tuple(map(_trial, chosen)))


def _trial(seeded: Seeded) -> Trial:
    files = {seeded.path: seeded.head}
    return Trial(title=seeded.title, acceptance=seeded.acceptance, files=files, cases=(seeded.case,))


def of_the_project(context: Context, most: int) -> list[Bundle]:
    """The latest attempts of the project with findings that were true: each beside the files that it grew out of."""
    if most <= 0:
        return []
    with context.store.read() as tx:
        rows = tx.all("calibration.true_findings", TrueFinding, limit=MOST_FINDINGS)
    by_attempt: dict[tuple[str, int], list[TrueFinding]] = {}
    for row in rows:
        by_attempt.setdefault((row.task, row.raised), []).append(row)
    bundles = (_bundle(context, list(reversed(each))) for each in by_attempt.values() if _is_there(context, each[0]))
    return [bundle for _, bundle in zip(range(most), bundles, strict=False)]


def _is_there(context: Context, row: TrueFinding) -> bool:
    """Whether git still has both sides of the change."""
    return all(context.repo.commit_of(commit) is not None for commit in (row.base, row.head))


def _bundle(context: Context, rows: Sequence[TrueFinding]) -> Bundle:
    first = rows[0]
    trial = Trial(
        title=first.title,
        acceptance=first.acceptance,
        files=lambda path: context.workshop.export(first.head, path),
        cases=_one_per_place(map(_case, rows)),
    )
    return Bundle(files=lambda path: context.workshop.export(first.base, path), trials=(trial,))


def _one_per_place(cases: Iterable[TrialCase]) -> tuple[TrialCase, ...]:
    """Whoever points at some lines points at everything that was found there: that is one case."""
    kept: list[TrialCase] = []
    for case in cases:
        if case.places and not any(
            is_near(at, other) for at in case.places for earlier in kept for other in earlier.places
        ):
            kept.append(case)
    return tuple(kept[:MOST_OF_ONE])


def _case(row: TrueFinding) -> TrialCase:
    """Where it was when it was raised: later attempts move it."""
    event = msgspec.json.decode(row.payload, type=FindingsRaised)
    raised = next((each for each in event.findings if each.root == row.root), None)
    places = (LineRange(raised.path, raised.line, raised.line),) if raised is not None else ()
    words = (raised.title,) if raised is not None else ()
    return TrialCase(name=row.root, kind="past", places=places, words=words)
