"""When a check that broke itself is due again (D5); with a store in tests/app/gate/test_checks.py."""

from __future__ import annotations

import pytest

from foureyes.core.nouns.check import CheckResult
from foureyes.core.rules.check_states import BrokenCheckRuns
from foureyes.core.words.ids import SessionId, Sha

LAST = CheckResult(
    seq=1, tree=Sha("t"), name="lint", digest="d", outcome="crashed", summary="", session=SessionId("ses-ci")
)


@pytest.mark.parametrize(("tries", "minutes"), [(1, 1), (2, 2), (3, 4), (6, 32), (7, 60), (1000, 60)])
def test_the_pause_doubles_from_a_minute_to_an_hour_D5(tries: int, minutes: int) -> None:
    assert BrokenCheckRuns(LAST, tries).pause == minutes * 60
