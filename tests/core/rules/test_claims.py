"""Whether a task is free to be started, and what is against it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from foureyes.core.nouns.session import Actor, Party
from foureyes.core.rules.claims import is_next_process, why_not_free
from foureyes.core.words.ids import OriginId, SessionId
from foureyes.errors import Reason
from foureyes.ui.steps import steps_text

from tests.core.samples import task
from tests.stage.people import agent, marked, person


def against(*, project_hold: str | None = None, is_parent_blocked: bool = False, **fields: Any) -> list[Reason]:
    waits_for = fields.pop("waits_for", ())
    return why_not_free(
        task(implementer=None, **({"status": "open"} | fields)),
        project_hold=project_hold,
        waits_for=waits_for,
        is_parent_blocked=is_parent_blocked,
    )


def test_an_open_task_that_waits_for_nothing_is_free_T1() -> None:
    assert against() == []
    assert against(waits_for=[("fe-old", "closed")], parent="fe-big") == []


@pytest.mark.parametrize(
    ("fields", "rule", "step"),
    [
        ({"status": "blocked", "blocked_reason": "no key"}, "T1", "fe unblock fe-abc"),
        ({"status": "deferred"}, "T1", "fe undefer fe-abc"),
        ({"status": "closed"}, "T1", "fe reopen fe-abc"),
        ({"status": "reviewing"}, "T1", "fe show fe-abc"),
        ({"project_hold": "stop"}, "D3", 'a person runs: fe resume --project -m "why"'),
        ({"hold": "stop"}, "D3", 'a person runs: fe resume fe-abc -m "why"'),
        ({"waiting_for": "user"}, "E2", 'a person runs: fe lead (senior or fresh or continue) fe-abc -m "why"'),
        ({"waits_for": [("fe-old", "closed"), ("fe-new", "reviewing")]}, "T3", "fe show fe-new"),
        ({"parent": "fe-big", "is_parent_blocked": True}, "T4", "fe show fe-big"),
    ],
)
def test_each_thing_against_a_start_is_a_reason_with_its_next_step_T1(
    fields: dict[str, Any], rule: str, step: str
) -> None:
    (reason,) = against(**fields)
    assert (reason.rule, steps_text(reason.next)) == (rule, step)


def test_everything_against_a_start_is_said_at_once_T1() -> None:
    reasons = against(
        status="blocked", project_hold="stop", hold="wait", waiting_for="lead", waits_for=[("fe-new", "open")],
        parent="fe-big", is_parent_blocked=True,
    )  # fmt: skip
    assert [reason.rule for reason in reasons] == ["T1", "D3", "D3", "E2", "T3", "T4"]


ENDED = Party(
    session=SessionId("ses-old"), kind="agent", agent="claude", process="p1", origins=frozenset({OriginId("o1")})
)
NEW = Party(
    session=SessionId("ses-new"), kind="agent", agent="claude", process="p2", origins=frozenset({OriginId("o2")})
)
RESUMED = msgspec.structs.replace(NEW, origins=frozenset({OriginId("o1"), OriginId("o2")}))


@pytest.mark.parametrize(
    ("me", "is_there", "has_claims", "succeeds"),
    [
        (NEW, True, True, True),
        (RESUMED, False, True, True),
        (NEW, False, False, True),
        (NEW, False, True, False),
    ],
)
def test_the_next_process_is_there_goes_on_with_the_conversation_or_has_no_claim_T2_I3(
    me: Party, is_there: bool, has_claims: bool, succeeds: bool
) -> None:
    caller = agent("claude")
    assert is_next_process(caller, me, ENDED, living=(), is_there=is_there, has_claims=has_claims) is succeeds


def test_only_an_observed_process_of_the_same_program_is_the_next_one_T2() -> None:
    def succeeds(actor: Actor, owner: Party = ENDED) -> bool:
        return is_next_process(actor, NEW, owner, living=(), is_there=True, has_claims=False)

    assert succeeds(agent("claude"))
    others = [agent("codex"), marked("claude"), person(), msgspec.structs.replace(agent("claude"), trust="issued")]
    assert [actor for actor in others if succeeds(actor)] == []
    assert not succeeds(agent("claude"), msgspec.structs.replace(ENDED, process="")), "a token has no process on record"
