"""Verbs called by name, from elsewhere: the same answer and the same refusal as at home, for who really calls (G3)."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from foureyes.adapters.remote import wire
from foureyes.app import verb_calls
from foureyes.app.catalog import WHO, Verb, verbs, why_here
from foureyes.app.gate import attempts
from foureyes.app.gate.submission import Wish
from foureyes.app.verb_calls import RemoteCall, ask, by_name, call, method_of, takes_actor
from foureyes.core.nouns.session import Actor
from foureyes.errors import BadInput, FoureyesError, Refused

from tests.app import test_catalog as catalog
from tests.stage.people import ALICE, BOB, CODEX
from tests.stage.world import DeskWorld

Handed = tuple[DeskWorld, dict[str, Any]]
submitted_task = catalog.submitted_task


def served() -> list[Verb]:
    """What a run can ask its runner for."""
    return [
        verb
        for verb in verbs()
        if not why_here(verb.noun, verb.name) and "runner" not in inspect.signature(method_of(verb)).parameters
    ]


def wishes(verb: Verb, names: dict[str, Any]) -> list[dict[str, Any]]:
    takes = inspect.signature(method_of(verb)).parameters
    usual = {"task": catalog.TASK, "finding": catalog.FINDING}
    asked = catalog.ASKED.get(f"{verb.noun}.{verb.name}") or [{k: v for k, v in usual.items() if k in takes}]
    return [catalog.filled(given, names) for given in asked]


def carried(desk: DeskWorld, actor: Actor, verb: Verb, *args: Any, **given: Any) -> Any:
    """The same call, there and back over the wire."""
    request = wire.Request(
        verb=f"{verb.noun}.{verb.name}", args=list(args), given=given, knows=takes_actor(method_of(verb))
    )
    sent = wire.read(wire.write(request), wire.Request)
    asked = RemoteCall(verb=sent.verb, args=sent.args, given=sent.given, knows=sent.knows)
    try:
        done = wire.answer(ask(desk.app, actor, asked))
    except FoureyesError as problem:
        done = wire.write(wire.refused(problem))
    return wire.value_of(done)


def at_home(desk: DeskWorld, actor: Actor, verb: Verb, given: dict[str, Any]) -> Any:
    done = call(desk.app, actor, verb, given)
    return list(done) if isinstance(done, Iterator) else done


def test_every_verb_that_only_looks_answers_a_run_as_at_home(submitted_task: Handed) -> None:
    desk, names = submitted_task
    looking = [verb for verb in served() if not verb.writes and "agent" in WHO[verb.who]]
    assert len(looking) > 40
    for verb in looking:
        for given in wishes(verb, names):
            assert carried(desk, BOB, verb, **given) == at_home(desk, BOB, verb, given), verb


def test_I5_what_is_for_people_or_services_is_refused_for_an_agent_in_the_words_of_the_verb(
    submitted_task: Handed,
) -> None:
    desk, names = submitted_task
    theirs = [verb for verb in served() if "agent" not in WHO[verb.who]]
    assert len(theirs) > 15
    for verb in theirs:
        for given in wishes(verb, names):
            with desk.unchanged(), pytest.raises(Refused) as there:
                carried(desk, CODEX, verb, **given)
            with pytest.raises(Refused) as here_:
                at_home(desk, CODEX, verb, given)
            assert there.value.reasons == here_.value.reasons, verb


def test_I5_a_verb_that_would_forget_to_refuse_is_refused_before_it_is_called(
    submitted_task: Handed, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, names = submitted_task
    monkeypatch.setattr(verb_calls, "why_barred", lambda actor, right: None)
    with pytest.raises(Refused) as caught:
        carried(desk, CODEX, by_name()["stops.hold"], names[catalog.TASK], reason="x")
    assert caught.value.reasons[0].rule == "I5"


def test_I5_an_answer_that_is_not_for_agents_is_withheld(
    submitted_task: Handed, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, _ = submitted_task
    batch = by_name()["queue.batch"]
    monkeypatch.setattr(type(desk.app.queue), "batch", lambda self, actor: "what people see")
    with pytest.raises(Refused) as caught:
        carried(desk, CODEX, batch)
    assert caught.value.reasons[0].rule == "I5"


def test_writes_of_a_run_are_those_of_who_calls_and_of_nobody_who_is_named(submitted_task: Handed) -> None:
    desk, names = submitted_task
    log = by_name()["notes.log"]
    carried(desk, CODEX, log, names[catalog.TASK], "by order", type="decision")
    said = desk.app.lists.show(ALICE, names[catalog.TASK]).logs[-1]
    assert (said.text, said.type, said.session) == ("by order", "decision", CODEX.session)
    given = {"task": names[catalog.TASK], "text": "x"}
    for forged in ({"actor": msgspec.to_builtins(ALICE)}, {"self": 1}, {"nothing": 1}):
        with desk.unchanged(), pytest.raises(BadInput):
            ask(desk.app, CODEX, RemoteCall(verb="notes.log", given=given | forged))


@pytest.mark.parametrize(
    ("verb", "args"),
    [
        ("nothing.at_all", []), ("notes.__init__", []), ("notes._context", []), ("sessions.recognise", [1]),
        ("runs.reserve", ["fe-1"]), ("runs.launch", []), ("checks.run", ["fe-1"]), ("projects.backup", ["/tmp/x"]),
        ("drafts.load", ["fe-1"]), ("notes.log", [1, 2]), ("notes.log", ["a", "b", "c", "d"]), ("notes.log", []),
        ("claims.unstart", ["fe-1", "", "cancelled"]),
        ("lists.listed", [{"limit": "many"}]), ("findings.add", ["fe-1", {"severity": "AWFUL"}]),
    ],
    ids=str,
)  # fmt: skip
def test_what_a_run_cannot_ask_for_is_refused_and_nothing_is_done(desk: DeskWorld, verb: str, args: list[Any]) -> None:
    with desk.unchanged(), pytest.raises(BadInput):
        ask(desk.app, BOB, RemoteCall(verb=verb, args=args))


def test_who_serves_a_run_stands_nowhere_so_no_program_of_the_tree_runs_when_it_commits_A1(
    desk: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    wishes: list[Wish] = []
    monkeypatch.setattr(attempts, "submit_work", lambda context, actor, wish: wishes.append(wish))
    for given in ({}, {"elsewhere": False}):
        ask(desk.app, CODEX, RemoteCall(verb="attempts.submit", args=["fe-1"], given={"commit": "mine"} | given))
    assert [(wish.commit, wish.elsewhere) for wish in wishes] == [("mine", True)] * 2
