"""Whether a task is free to be started, who goes on with a claim (T1, T2, T3, T4), and where it began (K4)."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.session import Actor, Party
from foureyes.core.rules.claims import began_at, is_next_process, why_not_free
from foureyes.core.words.ids import OriginId, SessionId, Sha
from foureyes.errors import Reason
from foureyes.ui.steps import steps_text

from tests.core.samples import BASE, HEAD, STRANGER, WHEN, task


def against(*, project_hold: str | None = None, is_parent_blocked: bool = False, **fields: Any) -> list[Reason]:
    waits_for = fields.pop("waits_for", ())
    return why_not_free(
        task(implementer=None, **({"status": "open"} | fields)),
        project_hold=project_hold,
        waits_for=waits_for,
        is_parent_blocked=is_parent_blocked,
    )


def test_an_open_task_that_waits_for_nothing_is_free() -> None:
    assert against() == []
    assert against(waits_for=[("fe-old", "closed")], parent="fe-big") == []
    assert against(is_parent_blocked=True) == [], "it has no parent"


LEADS = 'fe lead (senior or fresh or continue) fe-abc -m "why"'


@pytest.mark.parametrize(
    ("fields", "rule", "words", "step"),
    [
        ({"status": "blocked", "blocked_reason": "no key"}, "T1", "blocked (no key)", "fe unblock fe-abc"),
        ({"status": "blocked"}, "T1", "fe-abc is blocked,", "fe unblock fe-abc"),
        (
            {"status": "blocked", "rejected_by": STRANGER.session},
            "T1",
            "is blocked,",
            "a person runs: fe unblock fe-abc",
        ),
        ({"status": "deferred"}, "T1", "is deferred,", "fe undefer fe-abc"),
        ({"status": "closed"}, "T1", "is closed,", "fe reopen fe-abc"),
        ({"status": "in_progress"}, "T1", "is in_progress,", "fe show fe-abc"),
        ({"status": "reviewing"}, "T1", "is reviewing,", "fe show fe-abc"),
        ({"project_hold": "stop"}, "D3", "project is held: stop", 'a person runs: fe resume --project -m "why"'),
        ({"project_hold": ""}, "D3", "project is held", 'a person runs: fe resume --project -m "why"'),
        ({"hold": "stop"}, "D3", "fe-abc is held: stop", 'a person runs: fe resume fe-abc -m "why"'),
        ({"hold": ""}, "D3", "fe-abc is held", 'a person runs: fe resume fe-abc -m "why"'),
        ({"waiting_for": "user"}, "E2", "a person must decide", f"a person runs: {LEADS}"),
        ({"waiting_for": "lead"}, "E2", "the lead must decide", f"the lead runs: {LEADS}"),
        ({"waits_for": [("fe-old", "closed"), ("fe-new", "reviewing")]}, "T3", "fe-new, which is", "fe show fe-new"),
        ({"waits_for": [("fe-new", "approved")]}, "T3", "fe-new, which is approved", "fe show fe-new"),
        ({"waits_for": [("fe-new", "blocked")]}, "T3", "is blocked", "fe show fe-new · fe dep fe-abc fe-new --remove"),
        (
            {"waits_for": [("fe-new", "deferred")]},
            "T3",
            "is deferred",
            "fe show fe-new · fe dep fe-abc fe-new --remove",
        ),
        ({"parent": "fe-big", "is_parent_blocked": True}, "T4", "parent fe-big is blocked", "fe show fe-big"),
    ],
)
def test_each_thing_against_a_start_is_a_reason_with_its_next_step(
    fields: dict[str, Any], rule: str, words: str, step: str
) -> None:
    (reason,) = against(**fields)
    assert (reason.rule, steps_text(reason.next)) == (rule, step)
    assert words in reason.message


def test_everything_against_a_start_is_said_at_once() -> None:
    reasons = against(
        status="blocked", project_hold="stop", hold="wait", waiting_for="lead", waits_for=[("fe-new", "open")],
        parent="fe-big", is_parent_blocked=True,
    )  # fmt: skip
    assert [reason.rule for reason in reasons] == ["T1", "D3", "D3", "E2", "T3", "T4"]


def caller(*processes: str, **fields: Any) -> Actor:
    """An agent that was seen, its processes nearest first."""
    known: dict[str, Any] = {"kind": "agent", "trust": "observed", "agent": "claude", "processes": processes or ("p2",)}
    return Actor(session=SessionId("ses-new"), **(known | fields))


ENDED = Party(
    session=SessionId("ses-old"), kind="agent", agent="claude", process="p1", origins=frozenset({OriginId("o1")})
)
NEW = replace(ENDED, session=SessionId("ses-new"), process="p2", origins=frozenset({OriginId("o2")}))
RESUMED = replace(NEW, origins=frozenset({OriginId("o1"), OriginId("o2")}))


@pytest.mark.parametrize(
    ("me", "is_there", "has_claims", "succeeds"),
    [(NEW, True, True, True), (RESUMED, False, True, True), (NEW, False, False, True), (NEW, False, True, False)],
    ids=["in the worktree", "same conversation", "no claim of its own", "none of these"],
)
def test_the_successor_is_there_has_the_conversation_or_no_claim(
    me: Party, is_there: bool, has_claims: bool, succeeds: bool
) -> None:
    """Of the same program, once every process above the claim has ended (T2, I3)."""
    for living in ((), ("p2", "p3")):
        answer = is_next_process(
            caller("p9", *living), me, ENDED, living=living, is_there=is_there, has_claims=has_claims
        )
        assert answer is succeeds


@pytest.mark.parametrize(
    ("actor", "owner", "living", "succeeds"),
    [
        (caller(), ENDED, (), True),
        (caller(agent="codex"), ENDED, (), False),
        (caller(kind="human", agent="claude"), ENDED, (), False),
        (caller(kind="service", agent="claude"), ENDED, (), False),
        (caller(trust="issued"), ENDED, (), False),
        (caller(processes=()), ENDED, (), False),
        (caller(), replace(ENDED, process=""), (), False),
        (caller("p2", "p3"), ENDED, ("p2", "p3"), True),
        (caller("p2", "p3"), ENDED, ("p3",), True),
        (caller("p2", agent="codex"), ENDED, ("p2",), True),
        (caller("p2", "p3", agent="codex"), ENDED, ("p3",), False),
        (caller("p2", "p3"), ENDED, ("p4",), False),
        (caller("p2", "p3"), ENDED, ("p2", "p4"), False),
        (caller("p2", kind="human"), ENDED, ("p2",), False),
    ],
    ids=[
        "its program", "another program", "a person", "a service", "a token", "no process", "a claim without process",
        "the nearest that runs", "below all that run", "the nearest, whatever its program", "another program below",
        "beside one that runs", "below some that run", "a person above",
    ],
)  # fmt: skip
def test_only_an_observed_process_below_all_that_run_is_the_successor(
    actor: Actor, owner: Party, living: tuple[str, ...], succeeds: bool
) -> None:
    assert is_next_process(actor, NEW, owner, living=living, is_there=True, has_claims=True) is succeeds


@pytest.mark.parametrize(
    ("started_at", "start_target", "began"),
    [(None, None, HEAD), (WHEN, BASE, HEAD), (WHEN, None, None)],
    ids=["never started", "started at a known place", "started at an unknown place"],
)
def test_a_start_whose_place_was_unknown_stays_unknown(
    started_at: str | None, start_target: Sha | None, began: Sha | None
) -> None:
    """What the target has may be the work (K4, Q6)."""
    begun = task(implementer=None, started_at=started_at, start_target=start_target)
    assert began_at(begun, HEAD) == began
    assert began_at(begun, None) is None
