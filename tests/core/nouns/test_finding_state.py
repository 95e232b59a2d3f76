"""Where a finding stands, and whether it stands against an approval (D2, L5)."""

from __future__ import annotations

import pytest

from foureyes.core.nouns.finding_state import STATES, FindingState, holds

NOW, LATER = "2026-01-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z"


@pytest.mark.parametrize("state", STATES)
def test_what_nobody_settled_or_only_waived_until_now_stands_against_an_approval_D2_L5(state: FindingState) -> None:
    assert holds(True, state, NOW, NOW) == (state in ("open", "claimed", "disputed", "waived"))
    assert holds(True, state, LATER, NOW) == (state in ("open", "claimed", "disputed"))
    assert not holds(False, state, "", NOW)
