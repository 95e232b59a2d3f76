"""Sessions: a row with the first write only (I1), and origins that shared evidence joins (I3)."""

from __future__ import annotations

from itertools import permutations

import pytest
from msgspec.structs import replace

from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import session_of

from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, agent, asserted, child_of, marked, person
from tests.stage.world import DeskWorld


def origins(desk: DeskWorld) -> dict[str, str]:
    return {row.id: row.origin for row in desk.app.sessions.list()}


def test_a_session_row_is_made_with_its_first_write_I1(desk: DeskWorld) -> None:
    task = desk.create()
    with desk.unchanged():
        desk.app.sessions.whoami(CLAUDE)
        desk.show(task, CLAUDE)
    assert not desk.app.sessions.whoami(CLAUDE).known
    desk.app.notes.log(CLAUDE, task, "hello")
    me = desk.app.sessions.whoami(CLAUDE)
    assert (me.known, me.name, me.kind, me.trust) == (True, "claude#1", "agent", "observed")
    assert desk.kinds()[-2:] == ["SessionStarted", "Logged"]
    desk.app.notes.log(CLAUDE, task, "again")
    assert desk.kinds().count("SessionStarted") == 2, "Alice, who made the project, and Claude"


def test_a_refused_first_write_makes_no_session_I1_G4(desk: DeskWorld) -> None:
    task = desk.create()
    with desk.refused("D1"):
        desk.approve(CLAUDE, task)
    assert CLAUDE.session not in origins(desk)


@pytest.mark.parametrize("name", ["codex", "gemini"])
def test_below_what_was_an_agent_of_another_name_one_is_nested_I4_D6(desk: DeskWorld, name: str) -> None:
    process = "process:boot:ns:77:1"
    above = replace(agent("codex", evidence=()), session=session_of(process), evidence=(process,), processes=(process,))
    caller = replace(agent(name, 2), ancestors=(*agent(name, 2).processes, process))
    assert not desk.app.sessions.recognise(lambda programs: caller).is_nested, "nobody knows that process"
    desk.app.notes.log(above, desk.create(), "hello")
    assert desk.app.sessions.recognise(lambda programs: caller).is_nested == (name != "codex")


def test_last_seen_is_the_last_journal_row_I1(desk: DeskWorld) -> None:
    task = desk.create()
    desk.app.notes.log(CLAUDE, task, "one")
    desk.clock.advance(hours=1)
    desk.app.notes.log(CODEX, task, "two")
    rows = {row.id: row for row in desk.app.sessions.list()}
    assert rows[CLAUDE.session].last_seen_at == "2026-03-01T12:00:00.000Z"
    assert rows[CODEX.session].started_at == rows[CODEX.session].last_seen_at == "2026-03-01T13:00:00.000Z"
    desk.app.notes.log(CLAUDE, task, "three")
    assert [row.id for row in desk.app.sessions.list(limit=2)] == [CLAUDE.session, CODEX.session]


def test_agents_of_one_program_are_numbered_and_people_are_named(desk: DeskWorld) -> None:
    task = desk.create()
    for actor in (agent("claude", 1), agent("claude", 2), agent("codex", 1), BOB, CI):
        desk.app.notes.log(actor, task, "x")
    names = {row.id: row.name for row in desk.app.sessions.list()}
    del names[ALICE.session], names[CI.session]
    assert names == {
        "ses-claude1": "claude#1",
        "ses-claude2": "claude#2",
        "ses-codex1": "codex#1",
        "ses-bob": "bob@box",
    }


def test_sessions_without_shared_evidence_are_of_different_origins_I3(desk: DeskWorld) -> None:
    task = desk.create()
    for actor in (CLAUDE, CODEX, BOB, CI):
        desk.app.notes.log(actor, task, "x")
    assert len(set(origins(desk).values())) == 5


CHAIN = (
    agent("a", evidence=["x"]),
    agent("b", evidence=["x", "y"]),
    agent("c", evidence=["y", "z"]),
    agent("d", evidence=["z"]),
)


@pytest.mark.parametrize("order", list(permutations(range(4))), ids=lambda order: "".join(map(str, order)))
def test_shared_evidence_joins_transitively_in_any_order_I3(desk: DeskWorld, order: tuple[int, ...]) -> None:
    task = desk.create()
    for n in order:
        desk.app.notes.log(CHAIN[n], task, "x")
    found = origins(desk)
    assert len({found[actor.session] for actor in CHAIN}) == 1
    assert found[ALICE.session] != found[CHAIN[0].session]


def test_evidence_that_comes_later_joins_too_I3(desk: DeskWorld) -> None:
    task = desk.create()
    first, second, third = agent("a"), agent("b"), agent("c", evidence=agent("b").evidence)
    for actor in (first, second, third):
        desk.app.notes.log(actor, task, "x")
    assert origins(desk)["ses-a1"] != origins(desk)["ses-b1"] == origins(desk)["ses-c1"]
    desk.app.notes.log(agent("a", evidence=["conversation:1"]), task, "new evidence")
    assert desk.kinds()[-2:] == ["SessionEvidenceAdded", "Logged"]
    desk.app.notes.log(agent("b", evidence=["conversation:1"]), task, "the same")
    assert len({origins(desk)[name] for name in ("ses-a1", "ses-b1", "ses-c1")}) == 1
    with desk.unchanged():
        assert len(desk.app.sessions.whoami(agent("a")).origins) == 1


def test_known_evidence_is_not_written_again_I1(desk: DeskWorld) -> None:
    task = desk.create()
    actor = agent("a", evidence=["x", "y"])
    desk.app.notes.log(actor, task, "one")
    desk.app.notes.log(actor, task, "two")
    assert "SessionEvidenceAdded" not in desk.kinds()


def test_a_caller_that_never_wrote_is_seen_with_the_origins_of_its_evidence_I3(desk: DeskWorld) -> None:
    task = desk.create()
    desk.app.notes.log(agent("a", evidence=["x"]), task, "one")
    desk.app.notes.log(agent("b", evidence=["y"]), task, "two")
    both = agent("c", evidence=["x", "y"])
    assert {origins(desk)["ses-a1"], origins(desk)["ses-b1"]} < set(desk.app.sessions.whoami(both).origins)


def test_a_typed_name_brings_no_evidence_and_joins_nothing_I1_I3(desk: DeskWorld) -> None:
    task = desk.create()
    desk.app.notes.log(CLAUDE, task, "one")
    desk.app.notes.log(asserted(CLAUDE), task, "two")
    assert origins(desk)[CLAUDE.session] != origins(desk)["ses-as-root"]
    desk.app.notes.log(asserted(CODEX), task, "three")
    desk.app.notes.log(CODEX, task, "four")
    assert origins(desk)[CLAUDE.session] != origins(desk)[CODEX.session]


def test_an_agent_without_process_evidence_is_not_proven_I3(desk: DeskWorld) -> None:
    assert not desk.app.sessions.whoami(marked()).proven
    assert desk.app.sessions.whoami(CLAUDE).proven
    task = desk.create()
    desk.app.notes.log(marked(), task, "x")
    assert not next(row for row in desk.app.sessions.list() if row.agent == "cursor").proven


def test_a_spawned_session_has_its_parent_on_record_I4(desk: DeskWorld) -> None:
    task = desk.create()
    child = child_of(CLAUDE)
    desk.app.notes.log(child, task, "x")
    row = next(row for row in desk.app.sessions.list() if row.id == child.session)
    assert row.parent == CLAUDE.session


@pytest.mark.parametrize("actor", [ALICE, person("carol")])
def test_people_are_themselves_across_terminals_I5(desk: DeskWorld, actor: Actor) -> None:
    task = desk.create(actor)
    desk.app.notes.log(person(actor.person.partition("@")[0]), task, "elsewhere")
    assert list(origins(desk)).count(actor.session) == 1
