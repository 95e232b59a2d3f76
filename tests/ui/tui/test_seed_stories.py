"""The six stories of the first design, E2E-R01 to R06, played through the terminal app; then the store and git."""

from __future__ import annotations

from foureyes.ui.tui.screens.board import BoardPage
from foureyes.ui.tui.screens.redo import RedoPage
from foureyes.ui.tui.screens.summary import SummaryPage
from foureyes.ui.tui.screens.task import TaskPage

from tests.ui.tui.stage import ALICE, BOB, CI, CLAUDE, Clock, Player, Seat, play, small_work


def routine(seat: Seat, title: str, *labels: str, checked: bool = True) -> str:
    """Small, green work with its test."""
    return seat.deliver(title, small_work(title.lower().replace(" ", "_")), labels=labels, checked=checked)


def merge(seat: Seat) -> dict[str, str]:
    """Work the merge queue off: what became of each task."""
    return {row.task: row.outcome for row in seat.app.merges.process(CI)}


def on_main(seat: Seat) -> set[str]:
    return set(seat.checkout.git("ls-tree", "-r", "--name-only", "main", "src").split())


async def calm(at: Player, *keys: str) -> str:
    """Press keys with a second between them, as somebody who reads."""
    screen = at.screen
    for key in keys:
        at.app.clock.now += 1.0  # type: ignore[attr-defined]
        screen = await at.press(key)
    return screen


def test_E2E_R01_a_single_task_is_opened_read_and_approved_and_reaches_main(seat: Seat) -> None:
    task = routine(seat, "Add login")

    async def story(at: Player) -> None:
        assert "REVIEW PENDING │ 1 task │ Press [R] to review" in at.screen
        await at.hit("r")
        assert isinstance(at.app.screen, TaskPage), "one task needs no summary"
        assert "src/add_login.py" in await at.press("d")
        assert "x = 1" in at.screen
        assert f"{task} approved" in await at.press("escape", "a")
        assert isinstance(at.app.screen, BoardPage)

    play(seat.sit(), story)
    (approval,) = seat.app.lists.show(BOB, task).approvals
    assert (approval.viewed.face, seat.status(task)) == ("tui", "approved")
    assert merge(seat) == {task: "merged"}
    assert "src/add_login.py" in on_main(seat)
    assert seat.status(task) == "closed"


def test_E2E_R02_several_are_decided_at_once_and_one_by_one_and_main_has_what_was_approved(seat: Seat) -> None:
    batch = [routine(seat, "Add login"), routine(seat, "Add logout")]
    risky = seat.deliver("Move the deployment", {"Dockerfile": "FROM scratch\n"}, checked=False)
    red = seat.deliver("Add colours", {"src/colours.py": "RED = 1\n"}, via=ALICE)

    async def story(at: Player) -> None:
        at.app.clock = Clock()
        assert "Auto-approvable: 2    Need attention: 2" in await at.press("r")
        assert "2 approved" in await calm(at, "a", "enter")
        number = at.app.number_of(red)
        assert number is not None
        await calm(at, "escape", str(number + 1))
        assert "is open again" in await calm(at, "r", "1", "enter")
        assert at.app.flow.task == risky
        assert "4 decided" in await calm(at, "x", *"not now", "ctrl+s")
        assert isinstance(at.app.screen, SummaryPage)
        assert "2 approved, 1 redo, 1 rejected" in at.screen
        assert "Nothing waits for you" in await calm(at, "escape", "r")

    play(seat.sit(), story)
    assert [seat.status(task) for task in (*batch, red, risky)] == ["approved", "approved", "open", "blocked"]
    assert merge(seat) == dict.fromkeys(batch, "merged")
    assert on_main(seat) == {"src/steps.py", "src/add_login.py", "src/add_logout.py"}


def test_E2E_R03_feedback_by_digits_and_words_is_in_the_next_prompt_and_the_next_iteration_is_approved(
    seat: Seat,
) -> None:
    task = routine(seat, "Add login")

    async def send_back(at: Player) -> None:
        await at.hit("r", "r", "2", "5", *"The rate is hardcoded.", "ctrl+s")
        assert isinstance(at.app.screen, BoardPage)

    async def look_again(at: Player) -> None:
        assert "Iteration 2" in await at.press("r")
        assert f"{task} approved" in await at.press("a")

    play(seat.sit(), send_back)
    seat.app.claims.start(CLAUDE, task)
    prompt = seat.app.prompts.text(CLAUDE, task, "implement")
    for words in ("- Code style issues", "- Security issues", "> The rate is hardcoded."):
        assert words in prompt
    seat.work(task, {"src/add_login.py": "x = 2\n"})
    seat.app.checks.run(CI, task)
    play(seat.sit(), look_again)
    assert merge(seat) == {task: "merged"}
    assert seat.checkout.git("show", "main:src/add_login.py") == "x = 2"
    decisions = [kind for kind in seat.kinds(task) if kind in ("RedoRequested", "Approved", "TaskMerged")]
    assert decisions == ["RedoRequested", "Approved", "TaskMerged"]


def test_E2E_R04_green_work_is_approved_by_the_rule_and_red_work_comes_back_and_nobody_is_asked(seat: Seat) -> None:
    async def story(at: Player) -> None:
        green = routine(seat, "Fix a typo", "review:auto")
        red = seat.deliver("Add colours", {"src/colours.py": "RED = 1\n"}, labels=["review:auto"])
        at.app.look_around()
        assert "Done 1" in await at.settle()
        assert "1 approved: [G] merges" in at.screen
        assert "Nothing waits for you" in await at.press("r")
        assert isinstance(at.app.screen, BoardPage)
        assert (seat.status(green), seat.status(red)) == ("approved", "open")

    play(seat.sit(), story)
    (green,) = merge(seat)
    assert seat.app.lists.show(BOB, green).approvals[0].rule == "M4"
    assert on_main(seat) == {"src/steps.py", "src/fix_a_typo.py"}


def test_E2E_R05_the_label_of_a_task_decides_whether_a_person_is_asked(seat: Seat) -> None:
    async def plan(at: Player) -> None:
        await at.hit("n", *"Watched", "tab", *"review:per-task", "ctrl+s")
        assert "created fe-" in at.screen

    async def review(at: Player) -> None:
        screen = await at.press("r")
        for words in ("2 tasks", "per-task", "batch", "Watched", "Batched"):
            assert words in screen
        assert "Trusted" not in screen
        watched = next(row for row in seat.rows("reviewing") if row.title == "Watched").id
        await at.hit("a")
        assert watched not in at.screen, "what waits on purpose is never approved in one go"

    play(seat.sit(), plan)
    (row,) = seat.rows("open")
    assert row.labels == ["review:per-task"]
    seat.work(row.id, small_work("watched"))
    seat.app.checks.run(CI, row.id)
    routine(seat, "Batched", "review:batch")
    skipped = routine(seat, "Trusted", "review:skip")
    play(seat.sit(), review)
    assert seat.status(skipped) == "approved"
    assert {row.title for row in seat.rows("reviewing")} == {"Watched", "Batched"}


def test_E2E_R06_place_draft_and_what_was_decided_survive_a_restart(seat: Seat) -> None:
    tasks = [routine(seat, title, checked=False) for title in ("Add login", "Add logout", "Add search")]
    seen: list[str] = []

    async def first(at: Player) -> None:
        at.app.clock = Clock()
        await calm(at, "r", "1", "x", *"no", "ctrl+s")
        await calm(at, "r", "1", *"half a sen")
        seen.append(at.app.flow.task)
        await calm(at, "ctrl+q")

    async def second(at: Player) -> None:
        assert f"draft redo for {seen[0]}" in await at.until("Welcome back")
        assert "draft redo kept: R opens it" in await at.press("r")
        assert "half a sen" in await at.press("r")
        assert isinstance(at.app.screen, RedoPage)
        await at.hit("tab", *"tence", "ctrl+s")

    play(seat.sit(), first)
    assert sorted(map(seat.status, tasks)) == ["blocked", "reviewing", "reviewing"]
    assert seat.app.drafts.load(ALICE, seen[0]).draft.redo.text == "half a sen"
    play(seat.sit(), second)
    assert sorted(map(seat.status, tasks)) == ["blocked", "open", "reviewing"]
    (feedback,) = seat.app.lists.show(BOB, seen[0]).feedback
    assert (feedback.text, len(feedback.quick_issues)) == ("half a sentence", 1)
    assert seat.app.drafts.listed(ALICE) == []
