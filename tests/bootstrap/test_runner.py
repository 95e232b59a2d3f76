"""A runner in the background: who breaks says so where somebody can read it."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest

from foureyes.adapters.folders import LOGS
from foureyes.adapters.store.store import Store
from foureyes.bootstrap.init import create_project
from foureyes.bootstrap.runner import BEGAN, RUNNER_LOG, Running, options_for, refusal_of
from foureyes.bootstrap.wiring import open_project
from foureyes.errors import BadInput, LostRunner, Reason, Refused, StoreProblem
from foureyes.steps import fe, phrase
from foureyes.ui.steps import steps_text

from tests.stage.checkout import Checkout
from tests.stage.people import ALICE


def told(running: Running) -> tuple[int, str]:
    """Be the process of its own, in a copy of this one: its exit code, and what it tells who waits."""
    readable, written = os.pipe2(os.O_CLOEXEC)
    child = os.fork()
    if child == 0:
        running.be_detached(written, ALICE)
    os.close(written)
    with open(readable, encoding="utf-8") as pipe:
        said = pipe.read()
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said


def test_a_runner_that_breaks_after_it_began_says_so_in_its_log(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(tell: object, show: object, began: Callable[[], None], starter: object) -> str:
        began()
        raise LostRunner("it was taken for dead.", reasons=(Reason("J4", "by another"),))

    running = Running(str(checkout.path), os.environ, options_for(1, once=False, until_idle=False, assigned=()))
    monkeypatch.setattr(running, "run", broken)
    assert told(running) == (4, BEGAN)
    said = (checkout.path / ".foureyes" / LOGS / RUNNER_LOG).read_text()
    assert "! the runner ended: it was taken for dead." in said
    assert "! the runner ended: by another" in said


@pytest.mark.parametrize("said", ["", "by another"])
def test_a_refusal_before_it_began_keeps_its_rules_its_steps_and_its_kind_G2(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, said: str
) -> None:
    step = fe("resume", "fe-1", "-m", phrase("why"))

    def refused(tell: object, show: object, began: object, starter: object) -> str:
        if said:
            raise BadInput("nothing began.", next_step=step, reasons=(Reason("J4", said, step), Reason("E6", "stuck")))
        raise RuntimeError

    running = Running(str(checkout.path), os.environ, options_for(1, once=False, until_idle=False, assigned=()))
    monkeypatch.setattr(running, "run", refused)
    problem = refusal_of(told(running)[1])
    assert type(problem) is (BadInput if said else Refused)
    if said:
        assert problem.message == "nothing began."
        assert [reason.rule for reason in problem.reasons] == ["J4", "E6"]
        assert steps_text(problem.reasons[0].next) == steps_text(problem.next_step) == steps_text(step)
    else:
        assert [reason.rule for reason in problem.reasons] == ["I5"]


def test_a_runner_that_gets_no_connection_is_not_on_record_J4(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(store: Store) -> None:
        raise StoreProblem("the server has no connection left: too many clients.")

    monkeypatch.setattr(Store, "changes", full)
    create_project(str(checkout.path), {}, ALICE, prefix="fe", target=None, commit=False)
    app = open_project(str(checkout.path), os.environ)
    running = Running(str(checkout.path), os.environ, options_for(1, once=False, until_idle=False, assigned=()))
    with pytest.raises(StoreProblem, match="no connection left"):
        running.run(lambda task, line: None, lambda glance: None, starter=ALICE)
    assert app.runs.runners() == []
    app.close()
