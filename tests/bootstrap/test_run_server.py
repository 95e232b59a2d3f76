"""What a runner answers its runs: to whoever is below their reapers, as that one, and to nobody else (I2, I5)."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from foureyes.adapters.identity.alive import of
from foureyes.adapters.remote import wire
from foureyes.adapters.remote.connection import RunnerLine
from foureyes.app.results.task_list import ListQuery
from foureyes.app.verb_calls import ask
from foureyes.bootstrap import run_server
from foureyes.errors import BadInput, Internal, Refused, TokenRefused

from tests.bootstrap.runs import House
from tests.stage.checkout import Checkout
from tests.stage.commands import Cast
from tests.stage.people import ALICE

NOT_ABOVE = "proc:another:boot:1:1"


@pytest.fixture
def house(checkout: Checkout) -> Iterator[House]:
    made = House(checkout)
    yield made
    made.close()


def test_I2_a_command_of_a_run_is_the_runs_session_and_the_runner_has_no_part_in_it_I7(house: House) -> None:
    lodge = house.run()
    app = house.reach(lodge)
    me = app.sessions.recognise(lambda programs: ALICE)
    assert (me.session, me.role, me.task, me.kind) == (lodge.run.session, "implement", lodge.run.task, "agent")
    app.notes.log(ALICE, lodge.run.task, "by the run")
    shown = house.app.lists.show(ALICE, lodge.run.task)
    assert [(row.text, row.session) for row in shown.logs] == [("by the run", lodge.run.session)]
    assert house.runner.session not in (me.session, *shown.authors)
    assert of(os.getpid()) not in me.evidence


def test_I2_the_socket_of_another_run_refuses_whoever_is_not_below_its_reaper_and_that_is_on_record(
    house: House,
) -> None:
    mine, theirs = house.run(), house.run(process=NOT_ABOVE)
    app = house.reach(theirs)
    for attempt in (
        lambda: app.lists.page(ListQuery()),
        lambda: app.notes.log(ALICE, theirs.run.task, "stolen"),
    ):
        with pytest.raises(TokenRefused) as caught:
            attempt()
        assert [reason.rule for reason in caught.value.reasons] == ["I2"]
    assert house.exceptions() == [("token_elsewhere", theirs.run.task)] * 2
    assert {row.type for row in house.app.lists.show(ALICE, theirs.run.task).logs} == {"security"}
    assert house.reach(mine).sessions.whoami(ALICE).session == mine.run.session


def test_I2_an_agent_outside_of_the_run_is_refused_and_on_record_as_itself(house: House, cast: Cast) -> None:
    lodge = house.run(process=NOT_ABOVE)
    done = cast.codex.fe("log", lodge.run.task, "hello", "--json", cwd=Path(house.root), env=lodge.environ)
    assert (done.rc, done.json["error"]["code"]) == (1, "token"), done
    (row,) = house.app.audit.exceptions()
    me = cast.codex.fe("whoami", "--json", cwd=Path(house.root)).json
    assert (row.kind, row.session) == ("token_elsewhere", me["session"])


def test_I2_a_run_that_has_ended_has_no_token_any_more(house: House) -> None:
    lodge = house.run()
    app = house.reach(lodge)
    house.app.runs.end(house.runner, lodge.run.id, None, ending="lost")
    with pytest.raises(TokenRefused, match="refused") as caught:
        app.runs.signal(ALICE, "DONE")
    assert "its session has ended" in caught.value.reasons[0].message


def test_I5_a_server_of_a_run_that_lost_its_starter_is_refused_and_on_record(house: House) -> None:
    lodge = house.run()
    with pytest.raises(TokenRefused):
        house.reach(lodge, left=True).notes.log(ALICE, lodge.run.task, "still here")
    assert house.exceptions() == [("token_elsewhere", lodge.run.task)]


def test_I2_a_token_given_out_within_a_run_holds_below_it_and_a_wrong_one_is_on_record(house: House) -> None:
    lodge = house.run()
    given = house.reach(lodge).sessions.spawn(ALICE, lodge.run.task, "implement")
    child = house.reach(lodge, FOUREYES_TOKEN=given.token)
    assert child.sessions.whoami(ALICE).session == given.session
    with pytest.raises(TokenRefused) as caught:
        house.reach(lodge, FOUREYES_TOKEN="fe-guessed").sessions.whoami(ALICE)
    assert caught.value.reasons[0].message.startswith("FOUREYES_TOKEN: ")
    elsewhere = house.run(process=NOT_ABOVE)
    with pytest.raises(TokenRefused):
        house.reach(elsewhere, FOUREYES_TOKEN=given.token).sessions.whoami(ALICE)
    assert house.exceptions() == [("token_elsewhere", elsewhere.run.task), ("token_elsewhere", "")]


def test_I1_a_typed_name_is_refused_beside_the_token_of_a_run(house: House) -> None:
    with pytest.raises(Refused, match="--as was refused"):
        house.reach(house.run(), "alice").sessions.whoami(ALICE)


def test_I5_what_people_decide_stays_refused_and_says_why_as_ever(house: House) -> None:
    lodge = house.run()
    app = house.reach(lodge)
    for call in (
        lambda: app.decisions.approve(ALICE, lodge.run.task, seen="1.abc"),
        lambda: app.stops.hold(ALICE, lodge.run.task, "stop"),
        lambda: app.runs.pause(ALICE, None, reason="stop"),
        lambda: app.policy.set(ALICE, "review.policy", "trusted"),
    ):
        with pytest.raises(Refused) as caught:
            call()
        assert caught.value.reasons[0].rule == "I2", caught.value.reasons
        assert caught.value.reasons[0].next


def test_ten_calls_at_once_are_all_answered(house: House) -> None:
    lodge = house.run()
    apps = [house.reach(lodge) for _ in range(10)]
    with ThreadPoolExecutor(10) as pool:
        list(pool.map(lambda app: app.notes.log(ALICE, lodge.run.task, "at once"), apps))
    assert len(house.app.lists.show(ALICE, lodge.run.task).logs) == 10


def test_one_slow_call_holds_up_nobody_and_a_run_is_over_when_it_is_done(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, other = house.run(), house.run()
    begun, go = threading.Event(), threading.Event()

    def slowly(app: Any, actor: Any, asked: Any) -> object:
        if asked.verb == "notes.log":
            begun.set()
            go.wait(60)
        return ask(app, actor, asked)

    monkeypatch.setattr(run_server, "ask", slowly)
    app, beside = house.reach(slow), house.reach(other)
    with ThreadPoolExecutor(1) as pool:
        logged = pool.submit(app.notes.log, ALICE, slow.run.task, "slow")
        begun.wait(60)
        assert beside.sessions.whoami(ALICE).session == other.run.session
        assert house.reach(slow).sessions.whoami(ALICE).session == slow.run.session
        assert not house.answers.shut(slow.run.id)
        go.set()
        logged.result()
    while not house.answers.shut(slow.run.id):
        pass
    assert len(house.app.lists.show(ALICE, slow.run.task).logs) == 1


def test_a_defect_of_ours_ends_the_call_with_a_trace_and_not_the_runner(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    lodge = house.run()
    app = house.reach(lodge)
    with monkeypatch.context() as patched:
        patched.setattr(run_server, "ask", lambda *_: 1 // 0)
        with pytest.raises(Internal, match=r"logs/crash-"):
            app.status.show(ALICE)
    assert app.status.show(ALICE).project


@pytest.mark.parametrize("sent", [b"garbage", b"{}", b'{"verb": 1}', b'{"verb": "runs.end", "args": []}'], ids=repr)
def test_garbage_is_refused_and_the_next_call_answered(house: House, sent: bytes) -> None:
    lodge = house.run()
    line = RunnerLine(lodge.directory)
    assert line.connect()
    with pytest.raises(BadInput):
        wire.value_of(line.ask(sent))
    line.close()
    assert house.reach(lodge).sessions.whoami(ALICE).session == lodge.run.session


def test_P12_a_worktree_that_calls_another_repository_its_own_is_not_believed(house: House, tmp_path: Path) -> None:
    other = Checkout(tmp_path / "other")
    other.path.mkdir()
    other.git("init", "-q", "-b", "evil")
    lodge = house.run(worktree=str(other.path))
    assert house.reach(lodge).projects.get().id == house.app.projects.get().id
    (other.path / ".git" / "HEAD").unlink()
    assert house.reach(lodge).projects.get().id == house.app.projects.get().id
    assert house.reach(lodge).findings.listed(lodge.run.task) == []


def test_no_setting_and_no_key_of_who_started_the_runner_is_a_runs(house: House) -> None:
    assert house.reach(house.run()).keys.list() == []
