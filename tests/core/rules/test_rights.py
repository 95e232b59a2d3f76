"""I1, I5, P12: which verbs a caller may use at all."""

from __future__ import annotations

import pytest

from foureyes.core.nouns.session import Role, SessionKind, Trust
from foureyes.core.rules.rights import (
    FOR_A_ROLE,
    FOR_A_SERVICE,
    FOR_PEOPLE,
    NOT_FOR_AGENTS,
    SIGNED,
    barred,
)
from foureyes.errors import Reason

DECIDING = ["start", "next", "unstart", "approve", "withdraw", "redo", "reject", "close", "cancel", "delete", "reopen"]
PLANNING = [
    "create",
    "update",
    "label",
    "dep",
    "dep --remove",
    "block",
    "unblock",
    "defer",
    "undefer",
    "handoff",
    "submit",
    "log",
]
PEOPLE = ["resume", "config set", "config set --default", "config set", "config set --default"]


@pytest.mark.parametrize("verb", [*DECIDING, *PLANNING, *PEOPLE, "init"])
@pytest.mark.parametrize("kind", ["agent", "human", "service"])
def test_a_typed_name_may_only_log_I1(kind: SessionKind, verb: str) -> None:
    reason = barred(kind, "asserted", "lead", verb)
    assert (reason is None) == (verb == "log")
    if reason is not None:
        assert reason.rule == "I1"
        assert "lead" in reason.message
        assert reason.next


WITHOUT_A_SIGNATURE = {
    "key add --new": "the first key of a project has nothing to be signed with; a later one is signed where it is made (I9)",
    "store restore": "the store it is about may be gone: put on record, for everybody to see (J2)",
    "store copy": "it decides nothing: what is put on record is where the store lies now",
    "store join": "it decides nothing: which store that is, its own journal says (P12)",
    "plan accept": "it loosens: unsigned it is recorded and does not count (M6)",
    "pause": "it only stops, and what lifts it (resume) is signed (V9)",
    "review clarify --ask": "it only asks: what is held stays so, and what lifts it (resume) is signed (R1)",
}


def test_what_is_for_people_is_signed_or_it_is_known_why_not_I9() -> None:
    assert set(WITHOUT_A_SIGNATURE) == FOR_PEOPLE - SIGNED
    assert "review decide --end" in SIGNED


def test_what_no_agent_may_and_nobody_signs_a_service_may_too_so_nobody_gains_by_looking_like_a_person_I5_I9() -> None:
    assert NOT_FOR_AGENTS <= FOR_A_SERVICE


@pytest.mark.parametrize("verb", ["create", "plan import"])
def test_a_run_that_plans_answers_and_a_person_imports_M7(verb: str) -> None:
    reason = barred("agent", "issued", "x", verb, "plan")
    assert reason is not None
    assert (reason.rule, "a person" in reason.message) == ("M7", True)


@pytest.mark.parametrize("verb", ["create", "log", "submit"])
def test_a_service_may_create_log_and_submit_I5(verb: str) -> None:
    assert barred("service", "observed", "ci", verb) is None


@pytest.mark.parametrize("verb", DECIDING)
@pytest.mark.parametrize("trust", ["observed", "issued"])
def test_a_service_never_starts_closes_or_decides_I5(verb: str, trust: str) -> None:
    reason = barred("service", trust, "ci", verb)  # type: ignore[arg-type]
    assert reason is not None
    assert reason.rule == "I5"
    assert verb in reason.message


@pytest.mark.parametrize(
    "verb", [*DECIDING, *PLANNING, *PEOPLE, "init", "check run", "session spawn", "an unknown verb"]
)
@pytest.mark.parametrize("kind", ["agent", "human", "service"])
@pytest.mark.parametrize("trust", ["observed", "issued", "asserted"])
@pytest.mark.parametrize("role", [None, "implement", "review"])
def test_what_a_check_or_hook_starts_has_no_rights_at_all_I5(
    kind: SessionKind, trust: Trust, role: Role | None, verb: str
) -> None:
    reason = barred(kind, trust, "x", verb, role, "fe check run")
    assert reason is not None
    assert reason.rule == "I5"
    assert reason.message.startswith("this was started by fe check run: ")
    assert reason.next


@pytest.mark.parametrize("verb", ["an unknown verb", ""])
def test_a_verb_that_nobody_thought_of_is_not_for_services_G1(verb: str) -> None:
    assert barred("service", "observed", "ci", verb) is not None


def test_the_merge_queue_is_worked_off_by_people_and_services_only_D5() -> None:
    assert barred("human", "observed", "ada", "merge") is None
    assert barred("service", "observed", "cron", "merge") is None
    reason = barred("agent", "observed", "claude", "merge")
    assert reason is not None
    assert reason.rule == "D5"


@pytest.mark.parametrize("verb", PEOPLE)
def test_policy_and_resuming_are_for_people_P12_D3(verb: str) -> None:
    assert barred("human", "observed", "ada", verb) is None
    for kind in ("agent", "service"):
        reason = barred(kind, "issued", "x", verb)
        assert reason is not None
        assert "for people" in reason.message


@pytest.mark.parametrize("verb", [*DECIDING, *PLANNING])
@pytest.mark.parametrize("kind", ["agent", "human"])
def test_agents_and_people_may_use_every_other_verb_I5(kind: SessionKind, verb: str) -> None:
    assert barred(kind, "observed", "x", verb) is None


@pytest.mark.parametrize(
    ("role", "verb"), [(role, verb) for role, verbs in FOR_A_ROLE.items() for verb in sorted(verbs)]
)
def test_below_git_a_token_is_good_for_the_log_and_nothing_else_I2_I5(role: Role, verb: str) -> None:
    git = Reason("I5", "git started this")
    assert barred("agent", "issued", "x", verb, role, bound=git, by_git=True) == (None if verb == "log" else git)
    assert barred("agent", "issued", "x", verb, role) is None


def test_a_token_makes_no_decision_of_who_decides_nothing_there_and_hands_in_still_I3() -> None:
    elsewhere = Reason("I3", "nothing shows who is above it")
    assert barred("agent", "issued", "x", "approve", "review", bound=elsewhere) == elsewhere
    assert barred("agent", "issued", "x", "submit", "implement", bound=elsewhere) is None


def test_unknown_verb_is_nobodys_right_G1() -> None:
    reason = barred("human", "observed", "alice", "policy unset")
    assert reason is not None
    assert reason.rule == "G1"
