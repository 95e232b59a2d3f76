"""`fe start` by a person at a terminal: asked first, because who starts a task is an author of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage.commands import Cast
from tests.ui.cli.counter import GREEN, Counter, counter


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Counter:
    return counter(template, tmp_path, cast)


def test_a_person_at_a_terminal_is_asked_before_one_word_makes_them_an_author_P2(shop: Counter) -> None:
    alice = shop.cast.alice
    task = shop.create(alice)
    asked = shop.run(alice, "start", task, tty=True, input="n\n")
    assert f"you become an author of {task} and cannot approve it (P2)" in asked.out
    assert "nothing was started" in asked.out
    assert shop.status(task) == "open"
    assert f"started {task}" in shop.run(alice, "start", task, tty=True, input="y\n").out
    other = shop.create(alice, title="Add logout")
    assert f"started {other}" in shop.run(alice, "start", other, "--yes", tty=True).out
    third = shop.create(alice, title="Add a page")
    assert shop.run(alice, "start", third).out.startswith(f"started {third}"), "no terminal to ask at"


def test_a_person_who_started_it_is_told_that_their_own_run_informs_only_D5(shop: Counter) -> None:
    alice = shop.cast.alice
    task = shop.deliver(alice, shop.create(alice), GREEN).task
    said = shop.text(alice, "check", "run", task).splitlines()
    assert said[-2:] == [
        "  your own run does not count, because you started or made this work. Another person or CI must run it. (D5)",
        "next: another person or CI runs: fe check run T1",
    ]
    assert shop.text(alice, "reviewable").splitlines()[:2] == ["no tasks for you to approve", "not by you:"]
    shop.checked(shop.cast.job, task)
    assert "your own run" not in shop.text(alice, "check", "show", task)


def test_a_person_who_types_next_is_asked_too_and_gets_the_task_that_was_named_P2(shop: Counter) -> None:
    alice = shop.cast.alice
    task = shop.create(alice)
    asked = shop.run(alice, "next", tty=True, input="n\n")
    assert f"{task}  " in asked.out
    assert f"you become an author of {task} and cannot approve it (P2)" in asked.out
    assert "nothing was started" in asked.out
    assert shop.status(task) == "open"
    assert f"started {task}" in shop.run(alice, "next", tty=True, input="y\n").out
    other = shop.create(alice, title="Add logout")
    assert f"started {other}" in shop.run(alice, "next", "--yes", tty=True).out
    assert f"you already have {task}, and no other task is ready" in shop.run(alice, "next", tty=True).out, (
        "there is nothing to ask about"
    )


def test_status_says_what_waits_in_review_and_is_not_by_you_P2(shop: Counter) -> None:
    alice = shop.cast.alice
    shop.deliver(alice, shop.create(alice), GREEN)
    said = shop.text(alice, "status").splitlines()
    assert "  not by you 1 of those in review. Why, and who can approve them: fe list --reviewable" in said
    assert said[-1] == "next: fe list --reviewable      tasks waiting for others"
    assert "not by you" not in shop.text(shop.cast.codex, "status"), "an agent is not told of what is nobody's business"


def test_a_person_who_closes_what_was_begun_is_asked_why_C1(shop: Counter) -> None:
    task, alice = shop.work(), shop.cast.alice
    shop.checked(shop.cast.job, task)
    assert "nothing was closed" in shop.run(alice, "close", task, tty=True, input="\n").out
    assert shop.status(task) == "reviewing"
    asked = shop.run(alice, "close", task, tty=True, input="we need it no more\n").out
    assert "why is it closed?" in asked
    assert f"closed {task}" in asked
    assert "we need it no more" in shop.text(alice, "audit", "log")
