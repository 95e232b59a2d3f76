"""Who may decide about a loop that is stuck. (E2, E3)"""

from __future__ import annotations

import pytest

from foureyes.core.events.loop import LeadOption
from foureyes.core.nouns.session import Party
from foureyes.core.rules.closing import why_not_lead
from foureyes.ui.steps import steps_text

from tests.core.samples import ADA, MAKER, STRANGER, asserted, made, service

ALL: list[LeadOption] = ["split", "senior", "fresh", "ask", "continue"]


@pytest.mark.parametrize(
    ("me", "agent", "lead", "waiting_for", "rules"),
    [
        (ADA, "", "claude", "lead", []),
        (ADA, "", "claude", "user", []),
        (ADA, "", "human", "lead", []),
        (ADA, "", "", "user", []),
        (ADA, "", "claude", "", ["E3"]),
        (STRANGER, "claude", "claude", "lead", []),
        (STRANGER, "codex", "claude", "lead", ["E2"]),
        (STRANGER, "claude", "claude", "user", ["E2"]),
        (STRANGER, "human", "human", "lead", ["E2"]),
        (STRANGER, "", "", "lead", ["E2"]),
        (STRANGER, "claude", "claude", "", ["E3"]),
        (MAKER, "claude", "claude", "lead", ["E3"]),
        (MAKER, "codex", "claude", "lead", ["E2", "E3"]),
        (service(), "", "claude", "lead", ["I5", "E2"]),
        (asserted(), "", "claude", "lead", ["I1"]),
    ],
)
def test_who_decides_about_a_loop(me: Party, agent: str, lead: str, waiting_for: str, rules: list[str]) -> None:
    facts = made(waiting_for=waiting_for)
    for option in ALL:
        found = why_not_lead(facts, me, lead, agent, option)
        asked_again = ["E3"] if option == "ask" and waiting_for == "user" else []
        assert [reason.rule for reason in found] == [*rules, *asked_again], option
        assert all(reason.message and reason.next for reason in found)


def test_a_person_who_made_the_work_decides_about_its_loop() -> None:
    assert why_not_lead(made(ADA, waiting_for="lead"), ADA, "claude", "", "senior") == []


@pytest.mark.parametrize(
    ("lead", "waiting_for", "who"),
    [
        ("claude", "lead", "claude or a person"),
        ("claude", "user", "a person"),
        ("human", "lead", "a person"),
        ("", "lead", "a person"),
    ],
)
def test_a_refusal_names_who_decides(lead: str, waiting_for: str, who: str) -> None:
    (reason,) = why_not_lead(made(waiting_for=waiting_for), STRANGER, lead, "codex", "senior")
    assert reason.message.startswith(f"{who} must decide about fe-abc")
    assert steps_text(reason.next).startswith(f"{who} runs: fe lead (senior or fresh or continue) fe-abc")
