"""Whose `fe run` and `fe serve` start what is independent of them (I5)."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.session import Actor
from foureyes.core.rules.callers import why_not_independent
from foureyes.core.words.ids import session_of
from foureyes.errors import Reason

PERSON = Actor(session=session_of("p"), kind="human", trust="observed", person="ann@desk")
AGENT = Actor(session=session_of("a"), kind="agent", trust="observed", agent="codex", processes=("proc:x:1:1",))
JOB = Actor(session=session_of("s"), kind="service", trust="observed", evidence=("service:ci@build",))


@pytest.mark.parametrize(
    ("starter", "services", "may"),
    [
        (PERSON, (), True),
        (AGENT, (), False),
        (AGENT, ("ci@build",), False),
        (JOB, (), False),
        (JOB, ("ci@other",), False),
        (JOB, ("ci@build",), True),
        (replace(PERSON, trust="asserted"), (), False),
        (replace(AGENT, trust="issued", role="implement"), (), False),
        (replace(PERSON, within="fe check run"), (), False),
        (replace(JOB, within="fe check run"), ("ci@build",), False),
        (replace(JOB, bound=Reason("I5", "git started this")), ("ci@build",), False),
        (replace(PERSON, by_key=True), (), False),
    ],
)
def test_i5_only_a_person_or_a_service_that_the_policy_names_cuts_the_chain(
    starter: Actor, services: tuple[str, ...], may: bool
) -> None:
    why = why_not_independent(starter, services)
    assert (why is None) == may
    assert why is None or why.rule == "I5"
