"""Stepping aside for a passphrase or a touch: the screen comes back whatever the question comes to."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import cast

import pytest

from foureyes.errors import NotFound, Refused
from foureyes.ui.tui.app import FoureyesApp
from foureyes.ui.tui.suspend_terminal import step_aside

from tests.ui.tui.stage import ALICE, Player, Seat, play


class Stage:
    """An app as far as stepping aside goes: what happened to its screen, in order."""

    def __init__(self) -> None:
        self.story: list[str] = []

    @contextmanager
    def suspend(self) -> Iterator[None]:
        self.story.append("away")
        yield
        self.story.append("back")

    def refresh(self, *, layout: bool) -> None:
        assert layout

    def asks(self, answer: str | BaseException) -> str:
        def question() -> str:
            self.story.append("asked")
            if isinstance(answer, KeyboardInterrupt):
                os.kill(os.getpid(), signal.SIGINT)
                signal.sigtimedwait([], 5.0)
            if isinstance(answer, BaseException):
                raise answer
            return answer

        return step_aside(cast("FoureyesApp", self), question)


def test_an_answer_comes_back_after_the_screen_did() -> None:
    stage = Stage()
    assert stage.asks("signed") == "signed"
    assert stage.story == ["away", "asked", "back"]


def test_a_problem_is_told_after_the_screen_is_back() -> None:
    stage = Stage()
    with pytest.raises(NotFound):
        stage.asks(NotFound("no key"))
    assert stage.story == ["away", "asked", "back"]


def test_an_interrupt_breaks_the_question_off_and_nothing_else_I9() -> None:
    stage, before = Stage(), signal.getsignal(signal.SIGINT)
    with pytest.raises(Refused) as refused:
        stage.asks(KeyboardInterrupt())
    assert refused.value.reasons[0].rule == "I9"
    assert stage.story == ["away", "asked", "back"]
    assert signal.getsignal(signal.SIGINT) is before


def test_work_at_the_desk_asks_in_the_thread_of_the_app(seat: Seat) -> None:
    async def story(at: Player) -> list[str]:
        answers: list[str] = []
        page = at.app.pages[-1]
        page.ask(lambda desk: desk.aside(lambda: f"signed for {desk.actor.person}"), answers.append)
        await at.settle()
        return answers

    assert play(seat.sit(), story) == [f"signed for {ALICE.person}"]
