"""What wakes nobody: only what gives no runner anything to do."""

from __future__ import annotations

import pytest

from foureyes.core.events import WHERE
from foureyes.core.words.quiet_events import UNHEARD, is_unheard


def test_what_is_unheard_are_kinds_of_the_journal() -> None:
    assert set(WHERE) >= UNHEARD


def test_a_renewed_lease_and_a_run_that_begins_wake_nobody_J4() -> None:
    assert is_unheard([])
    assert is_unheard(["SessionStarted", "RunReserved"])
    assert is_unheard({"TokenIssued", "TaskStarted", "RunBound"})


@pytest.mark.parametrize(
    "kind",
    ["AttemptSubmitted", "Approved", "TaskCreated", "TaskMerged", "RunStopAsked", "RunEnded", "RunnerEnded", "Emitted",
     "TaskHeld", "ReviewAsked", "ReviewSubmitted", "CheckFinished", "ChecksLeft", "MergeLeft", "TaskReleased"],
)  # fmt: skip
def test_what_somebody_has_to_do_something_for_wakes_all_S_J4(kind: str) -> None:
    assert kind in WHERE
    assert not is_unheard(["Logged", kind])
