"""Sprint planning (X1): a target, tasks to tick, two options; Enter starts it, and nothing before that is stored."""

from __future__ import annotations

import pytest

from foureyes.bootstrap.services import LazyOutside
from foureyes.errors import EnvironmentProblem

from tests.ui.tui.stage import ALICE, LARGE, SMALL, Player, Seat, play


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The runners that were asked for; none is started."""
    asked: list[int] = []

    def launch(_: object, __: object, agents: int, *, sprints: bool = False) -> int:
        asked.append(agents if sprints else -agents)
        return 4711

    monkeypatch.setattr(LazyOutside, "launch_runner", launch)
    return asked


def prepared(seat: Seat) -> list[str]:
    return [
        seat.create("Split the invoice module", labels=["security"], priority=0),
        seat.create("Retry failed mails", priority=1),
        seat.create("Update the handbook", labels=["docs"], priority=3),
    ]


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["80x24", "120x40"])
def test_the_screen_has_everything_that_is_to_be_known_before_enter_X1(seat: Seat, size: tuple[int, int]) -> None:
    tasks = prepared(seat)

    async def story(player: Player) -> None:
        screen = await player.press("S")
        for words in (
            "SPRINT PLANNING", "Sprint Target", "( ) Complete [20] tasks", "(•) Run until [08:00] in ",
            "( ) Run for [8] hours", "( ) Run until no ready tasks", "Task Selection", "Ready: 3", "no past runs",
            f"[✓] {tasks[0]}", "P0 security", "per-task", "20 m*", "Selected: 3 tasks", "with 3 agents",
            "1 will need you (per-task)", "* no past runs: default 20 m", "[✓] Create checkpoint before start",
            "[ ] Pause on any error", "Enter Start Sprint", "Esc",
        ):  # fmt: skip
            assert words in screen, f"{words}\n{screen}"
        assert max(map(len, screen.splitlines())) <= size[0]

    play(seat.sit(), story, size)


def test_ticks_filters_and_targets_and_nothing_is_stored_by_them_X1(seat: Seat) -> None:
    first, _, third = prepared(seat)
    rows = seat.app.events.head()

    async def story(player: Player) -> None:
        screen = await player.press("S", "space")
        assert f"[ ] {first}" in screen
        assert "Selected: 2 tasks" in screen
        assert "Selected: 0 tasks" in await player.press("-")
        screen = await player.press("slash", *"handbook", "enter", "+")
        assert "Selected: 1 task ·" in screen
        assert first not in screen
        assert third in screen
        screen = await player.press("4")
        assert "(•) Run until [4]" in screen
        assert "[4] in" not in screen, "what is half typed is no time"
        assert "(•) Run for [8] hours" in await player.press("right")
        assert "(•) Run for [12] hours" in await player.press("1", "2")
        assert "(•) Run for [1] hours" in await player.press("backspace")
        assert "[ ] Create checkpoint before start" in await player.press("tab", "tab", "space")
        assert "[✓] Pause on any error" in await player.press("right", "space")
        assert "REVIEW" not in await player.press("escape")

    play(seat.sit(), story)
    assert seat.app.events.head() == rows


def test_enter_starts_it_without_a_second_question_and_shift_s_shows_its_progress_E2E_S01(
    seat: Seat, launched: list[int]
) -> None:
    first, second, third = prepared(seat)

    async def story(player: Player) -> None:
        await player.press("S", "down", "down", "space", "left", "2")
        screen = await player.press("enter")
        assert "s-01 has started: 2 tasks, complete 2 tasks" in screen
        assert "SPRINT │ 0/2 tasks │ Until 2 are done" in screen
        screen = await player.press("S")
        assert "SPRINT s-01   0/2 tasks │ Until 2 are done" in screen
        assert "running" in screen

    play(seat.sit(), story)
    assert launched == [3]
    view = seat.app.sprints.status(ALICE)
    assert (view.state, view.of, view.checkpoint) == ("running", 2, "sprint-s-01")
    with seat.app.context.store.read() as tx:
        from foureyes.app.tasks.sprint_records import tasks_of

        assert [row.id for row in tasks_of(tx, "s-01")] == [first, second]
    assert third not in view.upcoming


def test_what_is_no_target_and_what_is_refused_is_said_in_place_X1_X5(
    seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepared(seat)

    def breaks(*_: object, **__: object) -> int:
        raise EnvironmentProblem("there are too many processes.")

    monkeypatch.setattr(LazyOutside, "launch_runner", breaks)

    async def story(player: Player) -> None:
        assert "is not a time of the day" in await player.press("S", *"9999")
        assert "is not a time of the day" in await player.press("enter")
        assert "nothing is ticked" in await player.press(*"0800", "backspace", "-", "enter")
        screen = await player.press("+", "tab", *"0730", "enter")
        assert "there are too many processes" in screen

    play(seat.sit(), story)
    assert seat.app.sprints.status(ALICE).state == "paused"


def test_plain_s_says_where_planning_is_and_nothing_ready_says_so(seat: Seat) -> None:
    async def story(player: Player) -> None:
        assert "Sprint planning is Shift+S" in await player.press("s")
        assert "Nothing is ready." in await player.press("S")

    play(seat.sit(), story)
