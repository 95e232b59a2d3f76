"""Who may decide about a loop that is stuck."""

from __future__ import annotations

import pytest

from foureyes.core.events.loop import LeadOption
from foureyes.core.nouns.session import Party
from foureyes.core.rules.closing import why_not_lead

from tests.core.samples import ADA, MAKER, STRANGER, asserted, made

LEAD = "claude"


def rules(
    me: Party, *, waiting_for: str = "lead", lead: str = LEAD, agent: str = "", option: LeadOption = "senior"
) -> list[str]:
    return [reason.rule for reason in why_not_lead(made(waiting_for=waiting_for), me, lead, agent, option)]


def test_a_person_decides_whomever_the_loop_waits_for_E2() -> None:
    assert rules(ADA) == []
    assert rules(ADA, waiting_for="user") == []


def test_the_profile_that_leads_decides_where_the_loop_waits_for_the_lead_E2() -> None:
    assert rules(STRANGER, agent=LEAD) == []
    assert rules(STRANGER, agent="codex") == ["E2"]
    assert rules(STRANGER, agent=LEAD, waiting_for="user") == ["E2"]


@pytest.mark.parametrize("lead", ["", "human"])
def test_where_people_lead_no_agent_decides_E2(lead: str) -> None:
    assert rules(STRANGER, lead=lead, agent=lead) == ["E2"]


def test_whoever_made_the_work_does_not_decide_about_its_loop_E3() -> None:
    assert rules(MAKER, agent=LEAD) == ["E3"]


def test_a_loop_that_waits_for_nobody_is_not_decided_about_E3() -> None:
    assert rules(ADA, waiting_for="") == ["E3"]


def test_a_person_is_asked_once_E3() -> None:
    assert rules(ADA, option="ask") == []
    assert rules(ADA, waiting_for="user", option="ask") == ["E3"]


def test_a_typed_name_decides_nothing_I1() -> None:
    assert rules(asserted()) == ["I1"]
