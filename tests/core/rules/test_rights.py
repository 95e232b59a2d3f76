"""I1, I2, I3, I5, I9: which verbs a caller may use at all."""

from __future__ import annotations

from itertools import product

import pytest

from foureyes.core.nouns.session import Role, SessionKind, Trust
from foureyes.core.rules.rights import FOR_PEOPLE, KNOWN, SIGNED, barred
from foureyes.errors import Reason
from foureyes.steps import fe
from foureyes.ui.steps import steps_text


def verbs(text: str) -> list[str]:
    return [verb.strip() for verb in text.split(",") if verb.strip()]


ANYBODY = verbs(
    """init, create, log, handoff, submit, setup, store backup, session spawn, session end, check run, plan import,
    checkpoint create, finding answer, finding import, review decide"""
)
"""Services, too. (I5)"""
NO_SERVICE = verbs(
    """start, next, unstart, whoami --new, update, label, dep, dep --remove, block, unblock, defer, undefer, cancel, delete,
    close, reopen, approve, withdraw, redo, reject, finding add, finding judge, finding judge --withdraw,
    finding answer --track,
    review request, review submit, review clarify, agent emit, agent signal, lead split, lead senior, lead fresh,
    lead ask, lead continue, checkpoint restore, checkpoint list --prune, check environments --prune, merge --retry,
    worktree --prune"""
)
NO_AGENT = dict.fromkeys(
    verbs("run, pause --now, sprint plan, sprint start, sprint stop, sprint pause, sprint undo"), "I5"
) | {"merge": "D5", "review request --now": "V1"}  # fmt: skip
PEOPLE = {
    "hold": "I5", "resume": "I5", "pause": "I5", "config set": "P12", "config set --default": "P12", "config accept": "P12",
    "store restore": "I5", "store copy": "P12", "store join": "P12", "store adopt": "P12", "target here": "Q6",
    "target accept": "Q6", "target accept --address": "Q6", "key add --new": "I9", "key add": "I9", "key retire": "I9",
    "audit correct-author": "I8", "plan accept": "M7", "finding waive": "E3", "review clarify --ask": "V8", "review decide --end": "V8",
}  # fmt: skip
EVERY = [*ANYBODY, *NO_SERVICE, *NO_AGENT, *PEOPLE]
SPAWNING = "log, handoff, session spawn, session end, "
OF_A_ROLE: dict[Role, str] = {
    "implement": SPAWNING
    + "start, submit, check run, finding answer, agent signal, agent emit, review request, review clarify, review decide",
    "review": SPAWNING
    + "review submit, review decide, finding add, finding judge, finding judge --withdraw, approve, withdraw, redo, reject",
    "lead": "log, handoff, lead split, lead senior, lead fresh, lead ask, lead continue",
    "plan": "log, handoff, agent signal, agent emit",
}
"""What a token may do on its task. (I2)"""
DECIDING = verbs(
    """approve, withdraw, redo, reject, close, cancel, delete, reopen, unblock, finding judge, finding judge --withdraw,
    review submit, lead split, lead senior, lead fresh, lead ask, lead continue"""
)
WITH_A_KEY = verbs(
    """hold, resume, config set, config set --default, config accept, audit correct-author, key add, key retire, finding waive,
    store adopt, target here, target accept, target accept --address,
    review decide --end"""
)
"""What needs a key once there is one. (I9)"""
KINDS: list[SessionKind] = ["agent", "human", "service"]


def rule(reason: Reason | None) -> str:
    assert reason is None or (reason.message and reason.next), "every no has a sentence and a next step (G2)"
    return reason.rule if reason else ""


def test_every_verb_is_in_the_table() -> None:
    assert sorted(EVERY) == sorted(KNOWN)


@pytest.mark.parametrize("trust", ["observed", "issued"])
def test_people_may_do_everything_others_what_the_rules_list(trust: Trust) -> None:
    for kind, refused in (
        ("human", {}),
        ("agent", NO_AGENT | PEOPLE),
        ("service", PEOPLE | dict.fromkeys(NO_SERVICE, "I5")),
    ):
        found = {verb: rule(barred(kind, trust, "x", verb)) for verb in EVERY}  # type: ignore[arg-type]
        assert found == dict.fromkeys(EVERY, "") | refused


@pytest.mark.parametrize("role", list(OF_A_ROLE))
def test_a_token_is_good_for_its_role(role: Role) -> None:
    expected = dict.fromkeys(EVERY, "I2") | dict.fromkeys(verbs(OF_A_ROLE[role]), "")
    if role == "plan":
        expected |= {"create": "M7", "plan import": "M7"}
    assert {verb: rule(barred("agent", "issued", "x", verb, role)) for verb in EVERY} == expected
    in_run = dict.fromkeys(EVERY, "I2") | {"log": ""} if role == "review" else expected
    found = {verb: rule(barred("agent", "issued", "x", verb, role, in_run=True)) for verb in EVERY}
    assert found == in_run, "a run that reviews only logs"
    git = Reason("I5", "git started this", fe("whoami"))
    found = {verb: rule(barred("agent", "issued", "x", verb, role, bound=git, by_git=True)) for verb in EVERY}
    assert found == {verb: each or ("" if verb == "log" else "I5") for verb, each in expected.items()}, "below git"


@pytest.mark.parametrize("kind", KINDS)
def test_a_typed_name_may_only_log(kind: SessionKind) -> None:
    found = [verb for verb in [*EVERY, "an unknown verb", ""] if rule(barred(kind, "asserted", "ada", verb)) != "I1"]
    assert found == ["log"]
    assert '"ada" is only a name' in str(barred(kind, "asserted", "ada", "approve"))


@pytest.mark.parametrize("within", ["fe check run", "git", "a runner", "fe run", "fe watch"])
def test_programs_started_by_a_check_hook_or_runner_have_no_rights(within: str) -> None:
    trusts: list[Trust] = ["observed", "issued", "asserted"]
    roles: list[Role | None] = [None, "implement", "review"]
    for kind, trust, role, verb in product(KINDS, trusts, roles, [*EVERY, "an unknown verb"]):
        reason = barred(kind, trust, "x", verb, role, within)
        assert rule(reason) == "I5"
        assert f"started by {within}" in str(reason)
        assert ("shows no token of its run" in str(reason)) == (within in ("a runner", "fe run", "fe watch"))


def test_a_caller_of_unknown_origin_works_and_decides_nothing() -> None:
    """Where nothing shows who is above it, an agent still works, and a person is a service (I3, I5)."""
    bound = Reason("I3", "nothing shows who is above it", fe("whoami"))
    agents = dict.fromkeys(EVERY, "") | NO_AGENT | PEOPLE | dict.fromkeys(DECIDING, "I3")
    services = dict.fromkeys(EVERY, "I3") | dict.fromkeys([*ANYBODY, *NO_AGENT], "")
    for by_git in (False, True):  # git bounds a token, not its lack
        for kind, expected in (("agent", agents), ("service", services)):
            found = {verb: rule(barred(kind, "observed", "x", verb, bound=bound, by_git=by_git)) for verb in EVERY}  # type: ignore[arg-type]
            assert found == expected
    reviewing = verbs(OF_A_ROLE["review"])
    found = {verb: rule(barred("agent", "issued", "x", verb, "review", bound=bound)) for verb in reviewing}
    assert found == {verb: agents[verb] for verb in reviewing}


def test_a_person_by_a_key_alone_is_one_for_what_it_signs() -> None:
    found = {verb: rule(barred("human", "observed", "ada", verb, by_key=True)) for verb in EVERY}
    assert found == dict.fromkeys(EVERY, "I9") | dict.fromkeys([*DECIDING, *WITH_A_KEY, "create", "log"], "")


@pytest.mark.parametrize("verb", ["an unknown verb", "policy unset", "run-x"])
def test_an_unknown_verb_is_refused(verb: str) -> None:
    assert rule(barred("human", "observed", "x", verb)) == rule(barred("agent", "observed", "x", verb)) == "G1"
    assert rule(barred("service", "observed", "x", verb)) == "I5"


def test_a_command_without_a_verb_is_open_to_people_and_agents() -> None:
    assert barred("human", "observed", "x", "") is barred("agent", "observed", "x", "") is None
    assert rule(barred("service", "observed", "x", "")) == "I5"


WITHOUT_A_SIGNATURE = {
    "key add --new": "the first key of a project has nothing to be signed with; a later one is signed where it is made (I9)",
    "store restore": "the store it is about may be gone: put on record, for everybody to see (J2)",
    "store copy": "it decides nothing: what is put on record is where the store lies now",
    "store join": "it decides nothing: which store that is, its own journal says (P12)",
    "plan accept": "it loosens: unsigned it is recorded and does not count (M6)",
    "pause": "it only stops, and what lifts it (resume) is signed (V9)",
    "review clarify --ask": "it only asks: what is held stays so, and what lifts it (resume) is signed (R1)",
}


def test_commands_for_people_are_signed_or_listed_with_a_reason() -> None:
    assert set(WITHOUT_A_SIGNATURE) == FOR_PEOPLE - SIGNED


@pytest.mark.parametrize(
    ("verb", "kind", "step"),
    [
        ("merge", "agent", "a person or a service (cron, CI) runs: fe merge"),
        ("pause --now", "agent", "a person runs: fe pause TASK --now"),
        ("sprint start", "agent", "a person or CI runs: fe sprint start …"),
        ("review request --now", "agent", "fe review request TASK"),
        ("run", "agent", "a person runs: fe run"),
        ("config set", "service", "a person runs it in a terminal: fe config set …"),
        ("create", "plan", "a person runs: fe plan import FILE"),
    ],
)
def test_a_refusal_names_who_may(verb: str, kind: str, step: str) -> None:
    reason = (
        barred("agent", "issued", "x", verb, "plan")
        if kind == "plan"
        else barred("agent" if kind == "agent" else "service", "observed", "x", verb)
    )
    assert reason is not None
    assert steps_text(reason.next) == step
