"""Who calls through a server (I5)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.session import Actor, Namespaces
from foureyes.core.rules.callers import has_lost_its_starter, served
from foureyes.core.rules.rights import barred
from foureyes.core.words.ids import session_of
from foureyes.errors import Reason

CODEX, SHELL, INIT, EDITOR = "proc:x:y:40:7", "proc:x:y:30:6", "proc:x:y:1:1", "proc:x:y:50:8"
PERSON = Actor(
    session=session_of("person:ann@desk"),
    kind="human",
    trust="observed",
    person="ann@desk",
    host="desk",
    evidence=("person:ann@desk",),
    ancestors=(EDITOR, INIT),
    leader=EDITOR,
)
SERVICE = replace(PERSON, kind="service", person="", evidence=("service:ann@desk",), session=session_of("service"))
AGENT = Actor(
    session=session_of(CODEX),
    kind="agent",
    trust="observed",
    agent="codex",
    host="desk",
    evidence=(CODEX,),
    processes=(CODEX,),
    ancestors=(CODEX, SHELL, INIT),
)


def may(actor: Actor, verb: str) -> bool:
    return barred(actor.kind, actor.trust, actor.name, verb, actor.role, actor.within, actor.bound) is None


def test_I5_below_an_agent_it_is_that_agent_and_may_decide() -> None:
    actor = served(AGENT, AGENT)
    assert (actor.session, actor.agent, actor.evidence, actor.processes) == (
        AGENT.session,
        "codex",
        (CODEX,),
        (CODEX,),
    )
    assert may(actor, "start")
    assert may(actor, "approve")


@pytest.mark.parametrize("seen", [PERSON, SERVICE])
def test_I5_it_is_never_a_person_and_below_an_editor_it_may_start_and_hand_in_and_decides_nothing(seen: Actor) -> None:
    actor = served(seen, seen)
    assert (actor.kind, actor.person, actor.processes, actor.is_proven) == ("agent", "", (), False)
    assert [may(actor, verb) for verb in ("start", "submit", "log", "approve", "redo", "review submit", "hold")] == [
        *(True, True, True),
        *(False, False, False, False),
    ]


def test_I5_all_servers_of_one_editor_are_one_session_which_says_nothing_of_its_terminals() -> None:
    one, other = served(PERSON, PERSON), served(SERVICE, SERVICE)
    assert one.session == other.session
    assert EDITOR not in one.evidence, "else who types in a terminal of that editor would be an agent"
    assert "person:ann@desk" not in one.evidence, "else the person could not judge what it submits"


def test_I5_what_was_seen_at_its_start_stays_and_calls_only_add() -> None:
    outer = "proc:x:y:20:5"
    now = replace(AGENT, evidence=(CODEX, outer, "conv:CODEX_THREAD_ID:00"), processes=(CODEX, outer))
    actor = served(AGENT, now)
    assert actor.evidence == (CODEX, outer, "conv:CODEX_THREAD_ID:00")
    later = served(PERSON, replace(AGENT, ancestors=PERSON.ancestors))
    assert CODEX in later.evidence
    assert not may(later, "approve"), "an agent that comes later gives it no rights"


@pytest.mark.parametrize(
    "now",
    [
        replace(PERSON, ancestors=(INIT,)),
        replace(SERVICE, ancestors=()),
        replace(AGENT, ancestors=("proc:x:y:40:99", INIT)),
        replace(AGENT, ancestors=(CODEX[:-1] + "8", SHELL, INIT)),
    ],
)
def test_I5_when_its_starter_is_gone_it_keeps_its_evidence_and_decides_nothing(now: Actor) -> None:
    assert has_lost_its_starter(AGENT, now)
    actor = served(AGENT, now)
    assert (actor.kind, actor.session, actor.evidence[0]) == ("agent", AGENT.session, CODEX)
    assert may(actor, "log")
    assert may(actor, "submit")
    assert not may(actor, "approve")


def test_I5_an_agent_that_is_gone_above_a_wrapper_is_its_starter_too() -> None:
    wrapped = replace(AGENT, ancestors=(SHELL, CODEX, INIT))
    assert not has_lost_its_starter(wrapped, wrapped)
    assert has_lost_its_starter(wrapped, replace(wrapped, ancestors=(SHELL, INIT)))
    assert not has_lost_its_starter(wrapped, replace(wrapped, ancestors=(SHELL, CODEX))), "what is above may go"


def test_I2_a_token_holds_below_its_process_and_nowhere_once_the_starter_is_gone() -> None:
    shown = replace(AGENT, token="f" * 64)
    assert CODEX in served(shown, AGENT).ancestors
    assert served(shown, AGENT).token
    assert served(shown, replace(SERVICE, ancestors=(CODEX, INIT))).ancestors == (CODEX, SHELL, INIT)
    assert served(shown, replace(SERVICE, ancestors=(INIT,))).ancestors == ()


def test_I5_what_a_check_or_git_started_stays_what_it_is() -> None:
    check = replace(SERVICE, within="fe check run")
    assert served(check, AGENT).within == served(AGENT, check).within == "fe check run"
    git = Reason("I5", "git (pid 9) started this")
    assert served(replace(AGENT, bound=git), AGENT).bound == git
    assert served(AGENT, replace(AGENT, bound=git)).bound == git


def test_I3_where_it_stands_is_still_to_be_judged() -> None:
    namespaces = Namespaces(first=False, top="codex", launcher="codex")
    assert served(replace(AGENT, namespaces=namespaces), replace(AGENT, namespaces=namespaces)).namespaces == namespaces
