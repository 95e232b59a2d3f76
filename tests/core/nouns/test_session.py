"""I3, I4, I6: who shares an origin with whom, who stands below whom, and how independent two sessions are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from foureyes.core.nouns.session import (
    GRADES,
    Actor,
    Grade,
    Party,
    has_grade,
    is_below,
    is_one_origin,
    is_oneself,
    is_same,
    is_tied,
)
from foureyes.core.words.ids import OriginId

from tests.core.samples import ADA, MAKER, STRANGER, agent, crowds, person, quick, service, session


def issued(name: str, model: str, vendor: str, origin: str = "") -> Party:
    return agent(name, origin=origin, issued=True, model=model, vendor=vendor)


def test_sessions_that_share_evidence_are_of_one_origin_I3() -> None:
    assert is_one_origin(agent("a", origin="p1"), agent("b", origin="p1"))
    assert not is_one_origin(agent("a", origin="p1"), agent("b", origin="p2"))


def test_one_shared_piece_of_many_is_enough_for_one_origin_I3() -> None:
    both = replace(agent("a"), origins=frozenset({OriginId("x"), OriginId("y")}))
    assert is_one_origin(both, agent("b", origin="y"))


def test_one_process_is_oneself_and_what_only_shares_an_origin_is_not_I3() -> None:
    first = replace(agent("a", origin="p1"), process="p1")
    assert is_oneself(replace(agent("again", origin="p1"), process="p1"), first)
    assert is_oneself(replace(agent("below", origin="p1"), process="p2", under=frozenset({"p1"})), first)
    assert not is_oneself(first, replace(agent("below", origin="p1"), process="p2", under=frozenset({"p1"})))
    assert not is_oneself(replace(agent("joined", origin="p1"), process="p3"), first)
    assert not is_oneself(agent("a", origin="p1"), agent("b", origin="p1")), "no process is no one's"


def test_a_person_is_the_same_in_every_terminal_I5() -> None:
    assert is_same(person("ada", terminal="1"), person("ada", terminal="2"))
    assert not is_same(person("ada"), person("bob"))


def test_two_agents_without_a_person_are_not_the_same_I5() -> None:
    assert not is_same(agent("a", origin="x"), agent("b", origin="x"))


def test_an_agent_without_process_evidence_is_independent_of_no_agent_I3() -> None:
    unknown = agent("marked", proven=False)
    assert is_tied(unknown, STRANGER)
    assert is_tied(STRANGER, unknown)
    assert not is_one_origin(unknown, STRANGER), "nothing is granted for it either"


def test_a_person_is_independent_of_an_agent_without_process_evidence_I5() -> None:
    """A person has no agent above and no agent mark; were they tied too, nobody at all could judge such an agent's
    work.
    """
    assert not is_tied(ADA, agent("marked", proven=False))


def test_a_variable_in_the_environment_does_not_make_a_person_somebody_else_I3() -> None:
    """Who calls with an agent's mark and no agent process above may be anybody, also the person who did the work."""
    assert is_tied(agent("marked", proven=False), ADA)


def test_below_means_spawned_at_any_depth_I4() -> None:
    lead = agent("lead")
    child = agent("child", parents=[lead])
    grandchild = agent("grandchild", parents=[child, lead])
    assert is_below(child, lead)
    assert is_below(grandchild, lead)
    assert is_below(grandchild, child)
    assert not is_below(lead, child)
    assert not is_below(child, child)


LADDER: list[tuple[str, Party, Party, Grade | None]] = [
    ("itself", MAKER, MAKER, None),
    ("another session of its origin", agent("b", origin="x"), agent("a", origin="x"), "session"),
    ("an observed agent", STRANGER, MAKER, "program"),
    (
        "an observed agent with another model",
        agent("b", model="beta", vendor="other"),
        agent("a", model="alpha", vendor="acme"),
        "program",
    ),
    ("issued, the same model", issued("b", "alpha", "acme"), issued("a", "alpha", "acme"), "program"),
    ("issued, another model", issued("b", "beta", "acme"), issued("a", "alpha", "acme"), "model"),
    ("issued, another vendor", issued("b", "beta", "other"), issued("a", "alpha", "acme"), "vendor"),
    (
        "issued, another vendor of the same model",
        issued("b", "alpha", "other"),
        issued("a", "alpha", "acme"),
        "program",
    ),
    (
        "issued, against an observed author",
        issued("b", "beta", "other"),
        agent("a", model="alpha", vendor="acme"),
        "program",
    ),
    ("issued, model unknown", issued("b", "", ""), issued("a", "alpha", "acme"), "program"),
    ("issued, the author's model unknown", issued("b", "beta", "other"), issued("a", "", ""), "program"),
    ("issued, of one origin", issued("b", "beta", "other", "x"), issued("a", "alpha", "acme", "x"), "session"),
    ("a person", ADA, MAKER, "human"),
    ("another person", ADA, person("bob"), "human"),
    ("the same person elsewhere", person("ada", terminal="2"), ADA, None),
]


@pytest.mark.parametrize(("reviewer", "author", "best"), [row[1:] for row in LADDER], ids=[row[0] for row in LADDER])
def test_independence_is_graded_I6(reviewer: Party, author: Party, best: Grade | None) -> None:
    reached = [grade for grade in GRADES if has_grade(reviewer, author, grade)]
    expected = GRADES[: GRADES.index(best) + 1] if best else ()
    assert tuple(reached) == expected


def test_the_grades_are_in_the_order_of_the_rules_I6() -> None:
    assert GRADES == ("session", "origin", "program", "model", "vendor", "human")


def test_only_a_person_has_grade_human_I6() -> None:
    assert not has_grade(service(), MAKER, "human")
    assert not has_grade(issued("b", "beta", "other"), MAKER, "human")


@quick
@given(crowds(), st.sampled_from(GRADES))
def test_whoever_reaches_a_grade_reaches_every_lower_one_I6(crowd: list[Party], grade: Grade) -> None:
    for reviewer in crowd:
        for author in crowd:
            lower = [below for below in GRADES[: GRADES.index(grade)] if not has_grade(reviewer, author, below)]
            assert not (lower and has_grade(reviewer, author, grade)), f"{grade} but not {lower}"


@quick
@given(crowds())
def test_being_tied_is_mutual_I3(crowd: list[Party]) -> None:
    for one in crowd:
        for other in crowd:
            if one.kind == other.kind == "agent" or (one.proven and other.proven):
                assert is_tied(one, other) == is_tied(other, one)
            assert is_one_origin(one, other) == is_one_origin(other, one)
            assert is_same(one, other) == is_same(other, one)


@quick
@given(crowds())
def test_being_of_one_origin_is_being_tied_I4(crowd: list[Party]) -> None:
    for one in crowd:
        assert is_tied(one, one)
        for other in crowd:
            assert is_tied(one, other) or not is_one_origin(one, other)


@quick
@given(crowds())
def test_nobody_of_one_origin_reaches_grade_origin_I4(crowd: list[Party]) -> None:
    for one in crowd:
        for other in crowd:
            if is_one_origin(one, other):
                assert not any(has_grade(one, other, grade) for grade in GRADES[1:])


def test_an_actor_is_called_by_the_plainest_name_it_has_I1() -> None:
    who = Actor(session=session("x"), kind="agent", trust="observed")
    assert who.name == "agent"
    assert replace(who, agent="claude").name == "claude"
    assert replace(who, agent="claude", person="ada@desk").name == "ada@desk"
    assert replace(who, agent="claude", asserted_name="root").name == "root"
