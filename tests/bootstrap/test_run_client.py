"""The project of a run: by its runner while that answers, by its store where that can be, else a clear word."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from foureyes.adapters.store.shared_store import Pointer, write_pointer
from foureyes.app.application import Application
from foureyes.bootstrap import wiring
from foureyes.bootstrap.run_client import Reached, reach
from foureyes.errors import EnvironmentProblem, StoreProblem, TokenRefused

from tests.bootstrap.runs import House
from tests.stage.checkout import Checkout
from tests.stage.people import ALICE


@pytest.fixture
def house(checkout: Checkout) -> Iterator[House]:
    made = House(checkout)
    yield made
    made.close()


def test_while_its_runner_answers_a_run_opens_no_store(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    lodge = house.run()
    with monkeypatch.context() as patched:
        patched.setattr(wiring, "open_project", None)
        app = house.reach(lodge)
        assert isinstance(app, Reached)
        assert app.lists.show(ALICE, lodge.run.task).task.id == lodge.run.task
    with pytest.raises(AttributeError):
        _ = app.context


def test_what_only_a_process_of_its_own_does_opens_the_store_there(house: House) -> None:
    lodge = house.run()
    app = house.reach(lodge)
    assert app.doctor.examine(ALICE)
    assert isinstance(app.at_home("it is asked twice"), Application)  # type: ignore[attr-defined]


def test_a_runner_that_is_gone_leaves_the_store_as_it_was_before(house: House) -> None:
    lodge = house.run()
    assert house.answers.shut(lodge.run.id)
    assert isinstance(house.reach(lodge), Application)
    stale = socket.socket(socket.AF_UNIX)
    here = os.open(lodge.directory, os.O_RDONLY)
    stale.bind(f"/proc/self/fd/{here}/socket")
    stale.close()
    os.close(here)
    assert isinstance(house.reach(lodge), Application), "what a killed runner left is nobody's ear"


def test_a_directory_that_is_no_run_of_this_project_is_not_asked(house: House, tmp_path: Path) -> None:
    for path in (str(tmp_path), "", "runs/x", f"{house.root}/.foureyes/runs", f"{house.root}/.foureyes/runs/../x"):
        found = reach(house.root, {"FOUREYES_RUN_DIR": path})
        assert isinstance(found, Application)
        found.close()


def test_a_line_that_breaks_is_a_sentence_and_nothing_is_asked_twice(house: House) -> None:
    lodge = house.run()
    app = house.reach(lodge)
    assert app.status.show(ALICE).project
    house.answers.close()
    with pytest.raises(EnvironmentProblem, match="before it answered"):
        app.notes.log(ALICE, lodge.run.task, "x")
    with pytest.raises(EnvironmentProblem, match="nothing was done"):
        app.notes.log(ALICE, lodge.run.task, "x")


def test_without_a_runner_and_without_an_address_a_run_is_told_who_goes_on(house: House) -> None:
    lodge = house.run()
    house.answers.close()
    write_pointer(f"{house.root}/.foureyes", Pointer(house.app.projects.get().id))
    with pytest.raises(StoreProblem, match="the runner of this run does not answer") as caught:
        house.reach(lodge)
    assert [step.argv for step in caught.value.next_step.steps] == [("fe", "run")]


def test_I2_whoever_falls_back_to_the_store_still_shows_the_token_of_the_run(house: House) -> None:
    lodge = house.run(process="proc:another:boot:1:1")
    house.answers.close()
    app = house.reach(lodge)
    with pytest.raises(TokenRefused):
        app.sessions.recognise(lambda programs: wiring.whoami(lodge.environ, "", programs))
