"""Where a project is at home, and what a caller is worth elsewhere (I3)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.session import Actor, Namespaces
from foureyes.core.rules.callers import at_home, fitting_home, why_not_home
from foureyes.core.rules.policy import IdentityRule
from foureyes.core.words.ids import session_of
from foureyes.errors import Reason
from foureyes.ui.steps import steps_text

ROOTLESS = "0 1000 1, 1 100000 65536"
CONTAINER = Namespaces(first=False, top="tini")
SANDBOX = Namespaces(first=False, top="codex", launcher="codex")
PODMAN = Namespaces(first=False, top="bash", uid_map=ROOTLESS)
MAPPED = Namespaces(uid_map="1001 1000 1")
FORGED = Namespaces(forged="Something else is mounted over /proc/7/stat.")
HERE = Namespaces()

PERSON = Actor(
    session=session_of("person:ann@desk"),
    kind="human",
    trust="observed",
    person="ann@desk",
    evidence=("person:ann@desk",),
    why=("Terminal pts/1.",),
)
CODEX = Actor(
    session=session_of("proc:x:y:1:7"),
    kind="agent",
    trust="observed",
    agent="codex",
    evidence=("proc:x:y:1:7", "conv:CODEX_THREAD_ID:00"),
    processes=("proc:x:y:1:7",),
    why=("codex (pid 1) is an ancestor of this process.",),
)


@pytest.mark.parametrize(
    ("namespaces", "rule", "home"),
    [
        (HERE, IdentityRule(), True),
        (HERE, IdentityRule("container", ROOTLESS), True),
        (CONTAINER, IdentityRule(), False),
        (CONTAINER, IdentityRule("container"), True),
        (CONTAINER, IdentityRule("container", ROOTLESS), False),
        (SANDBOX, IdentityRule("container"), False),
        (PODMAN, IdentityRule("container"), False),
        (PODMAN, IdentityRule("container", ROOTLESS), True),
        (PODMAN, IdentityRule("container", "0 1000  1,1 100000 65536"), True),
        (PODMAN, IdentityRule("host", ROOTLESS), False),
        (MAPPED, IdentityRule(), False),
        (MAPPED, IdentityRule("container"), False),
        (Namespaces(uid_map=""), IdentityRule(), False),
        (Namespaces(uid_map=""), IdentityRule("container", ""), False),
        (replace(MAPPED, uid_map=ROOTLESS), IdentityRule("container", ROOTLESS), True),
        (FORGED, IdentityRule("container"), False),
    ],
)
def test_i3_the_machine_is_always_home_a_container_by_the_accepted_setting_a_sandbox_never(
    namespaces: Namespaces, rule: IdentityRule, home: bool
) -> None:
    assert (why_not_home(namespaces, rule) == "") == home


@pytest.mark.parametrize(
    ("namespaces", "rule"),
    [
        (None, None),
        (CONTAINER, IdentityRule("container")),
        (PODMAN, IdentityRule("container", ROOTLESS)),
        (SANDBOX, None),
        (FORGED, None),
        (MAPPED, None),
        (Namespaces(first=False, uid_map="0 1000 1"), None),
        (Namespaces(first=False, uid_map=""), None),
    ],
)
def test_i3_init_calls_a_container_home_and_no_sandbox_nor_what_anybody_can_map(
    namespaces: Namespaces | None, rule: IdentityRule | None
) -> None:
    assert fitting_home(namespaces) == rule


def test_i3_at_home_everybody_is_who_was_seen() -> None:
    for actor in (PERSON, CODEX):
        assert at_home(actor, IdentityRule()) is actor
        assert at_home(replace(actor, namespaces=CONTAINER), IdentityRule("container")) == actor


@pytest.mark.parametrize("namespaces", [CONTAINER, SANDBOX, MAPPED, FORGED])
def test_i3_elsewhere_a_person_is_a_service_and_is_told_why(namespaces: Namespaces) -> None:
    actor = at_home(replace(PERSON, namespaces=namespaces), IdentityRule())
    assert (actor.kind, actor.person, actor.namespaces) == ("service", "", None)
    assert actor.evidence == ("service:ann@desk",)
    assert actor.bound is not None
    assert (actor.bound.rule, actor.why[0]) == ("I3", actor.bound.message + ".")


def test_i3_who_can_call_a_container_home_is_told_what_to_type_outside() -> None:
    for namespaces, step in (
        (CONTAINER, "fe config set identity.home container"),
        (PODMAN, f"fe config set identity.home container, then: fe config set identity.uid_map '{ROOTLESS}'"),
    ):
        bound = at_home(replace(PERSON, namespaces=namespaces), IdentityRule()).bound
        assert bound is not None
        assert steps_text(bound.next).endswith(f"a person outside runs: {step}")


@pytest.mark.parametrize("namespaces", [CONTAINER, SANDBOX, MAPPED, FORGED])
def test_i3_elsewhere_an_agent_may_work_and_decides_nothing(namespaces: Namespaces) -> None:
    actor = at_home(replace(CODEX, namespaces=namespaces), IdentityRule())
    assert (actor.kind, actor.agent, actor.is_proven) == ("agent", "codex", False)
    assert set(actor.evidence) == set(CODEX.evidence), "what was seen still joins"
    assert actor.session == session_of("conv:CODEX_THREAD_ID:00"), "its commands are one session"
    assert actor.bound is not None
    assert "cannot approve" in actor.bound.message
    assert len(actor.why) == 3


def test_i3_without_a_conversation_a_sandboxed_agent_is_the_session_that_its_process_is() -> None:
    actor = at_home(replace(CODEX, evidence=CODEX.processes, namespaces=SANDBOX), IdentityRule())
    assert (actor.session, actor.is_proven) == (CODEX.session, False)


def test_i9_where_there_are_keys_a_person_elsewhere_is_one_by_their_key_and_not_by_their_name() -> None:
    actor = at_home(replace(PERSON, namespaces=MAPPED), IdentityRule(), has_keys=True)
    assert (actor.kind, actor.by_key, actor.person) == ("human", True, "key:ann@desk")
    assert actor.session != PERSON.session
    assert not set(actor.evidence) & set(PERSON.evidence)
    assert at_home(replace(CODEX, namespaces=MAPPED), IdentityRule(), has_keys=True).by_key is False


def test_i5_what_foureyes_started_stays_what_it_is() -> None:
    check = replace(PERSON, kind="service", within="fe check run", namespaces=FORGED)
    assert at_home(check, IdentityRule()) == replace(check, namespaces=None)


@pytest.mark.parametrize(
    ("namespaces", "bound", "told"),
    [(MAPPED, None, False), (MAPPED, Reason("I5", "git started this"), True), (FORGED, None, True)],
)
def test_i3_a_service_elsewhere_stays_one_and_is_told_where_it_stands(
    namespaces: Namespaces, bound: Reason | None, told: bool
) -> None:
    service = Actor(session=session_of("s"), kind="service", trust="observed", why=("No terminal.",), bound=bound)
    actor = at_home(replace(service, namespaces=namespaces), IdentityRule())
    assert (actor.session, actor.kind) == (service.session, "service")
    assert actor.why[0] == why_not_home(namespaces, IdentityRule())
    assert (actor.bound is not None and actor.bound.rule == "I3") == told
