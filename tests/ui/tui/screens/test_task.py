"""The page of a task: what it says, what its decision keys do to store and git, and what others do meanwhile."""

from __future__ import annotations

from foureyes.core.rules.four_eyes import Declaration
from foureyes.ui.tui.screens.refusal import RefusalPage
from foureyes.ui.tui.screens.task import TaskPage
from foureyes.ui.tui.screens.text_page import TextPage

from tests.ui.tui.stage import ALICE, BOB, CI, CODE, CODEX, LARGE, Clock, Player, Seat, play

TWO = {"src/login.py": "def login():\n    return 1\n", "src/steps.py": CODE.replace("return 5\n", "return 55\n")}


def page_of(at: Player) -> TaskPage:
    page = at.app.screen
    assert isinstance(page, TaskPage)
    return page


def test_one_key_approves_exactly_what_is_on_screen_and_one_takes_it_back_D7(seat: Seat) -> None:
    task = seat.deliver("Add login", TWO)

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        screen = await at.press("r")
        for words in (
            "REVIEW TASK", "Iteration 1", "2 hunks unseen", "WHY YOU", "CHANGES", "2 files", "QUALITY",
            "FINDINGS none", "REVIEWS  none asked", "SIGNAL   DONE",
            "IF YOU APPROVE   allowed (P3) → merge queue, place 1",
        ):  # fmt: skip
            assert words in screen
        order = [screen.index(word) for word in ("WHY YOU", "RISK", "CHANGES", "QUALITY", "FINDINGS", "REVIEWS",
                                                 "SIGNAL", "IF YOU APPROVE")]  # fmt: skip
        assert order == sorted(order)
        assert f"{task} approved" in await at.press("a")
        assert seat.status(task) == "approved"
        assert at.app.last_command.startswith(f"fe approve {task} --seen ")
        assert f"{task} is back in review" in await at.press("u")
        clock.now += 1.0
        assert "nothing to take back" in await at.press("u")

    play(seat.sit(), story)
    detail = seat.app.lists.show(BOB, task)
    assert detail.task.status == "reviewing"
    (approval,) = detail.approvals
    assert approval.seen == detail.attempts[0].seen
    assert (approval.viewed.face, approval.viewed.shown, approval.viewed.hunks) == ("tui", 0, 2)
    assert seat.kinds(task)[-2:] == ["Approved", "ApprovalWithdrawn"]


def test_holding_the_key_approves_one_of_six_and_after_a_rest_the_next(seat: Seat) -> None:
    tasks = [seat.deliver(f"Add part {number}") for number in range(3)]

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        await at.hit("r", "enter")
        first = page_of(at).task_id
        for _ in range(20):
            clock.now += 0.03
            await at.hit("a", "a") if page_of(at).asked else await at.press("a")
        assert page_of(at).task_id != first
        assert f"new task: {page_of(at).task_id} · A was ignored: pause a moment" in at.screen
        assert [seat.status(task) for task in tasks].count("approved") == 1
        clock.now += 1.0
        await at.hit("a")
        assert [seat.status(task) for task in tasks].count("approved") == 2
        clock.now += 1.0
        screen = await at.press("a")
        assert "REVIEW SUMMARY" in screen
        assert "3 decided in " in screen
        assert ": 3 approved · Esc board" in screen

    play(seat.sit(), story)
    assert [seat.status(task) for task in tasks] == ["approved"] * 3


def test_a_high_risk_change_with_unseen_hunks_asks_once_and_what_was_shown_is_counted_H4(seat: Seat) -> None:
    task = seat.deliver("Add login", TWO, labels=["security"])

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        await at.hit("r")
        strip = "2 of 2 hunks not shown (login.py and 1 more). A approve anyway · D read them"
        assert strip in await at.press("a")
        assert strip not in await at.press("escape")  # the question is answered, the page stays
        assert page_of(at).task_id == task
        assert strip in await at.press("a")
        assert strip not in await at.press("down")
        await at.pilot.resize_terminal(*LARGE)
        screen = await at.settle()
        assert "@@ 1–2" in screen
        clock.now += 1.0
        page_of(at).hunks.measure()
        assert "all hunks shown" in await at.settle()
        await at.hit("a")

    play(seat.sit(), story)
    (approval,) = seat.app.lists.show(BOB, task).approvals
    assert (approval.viewed.shown, approval.viewed.hunks) == (2, 2)


def test_a_key_that_would_be_refused_says_why_with_every_reason(seat: Seat) -> None:
    task = seat.deliver("Add colours", {"src/colours.py": "RED = 1\n"}, via=ALICE)

    async def story(at: Player) -> None:
        screen = await at.press("r")
        assert "[A] Why not?" in screen
        assert "refused: " in screen
        screen = await at.press("a")
        assert isinstance(at.app.screen, RefusalPage)
        assert "D5" in screen
        assert "Nothing was changed." in screen
        screen = await at.press("escape", "w")
        assert isinstance(at.app.screen, TextPage)
        assert "If you approve: refused" in screen
        assert "1 failed" in await at.press("escape", "c")

    play(seat.sit(), story)
    assert seat.status(task) == "reviewing"
    assert "refused" not in " ".join(seat.kinds(task))


def test_what_others_do_is_a_banner_and_nothing_moves_until_it_is_asked_for(seat: Seat) -> None:
    task = seat.deliver("Add login", TWO)
    other = seat.deliver("Add logout")

    async def story(at: Player) -> None:
        await at.hit("r")
        await at.hit(str(at.app.number_of(task) + 1))  # type: ignore[operator]
        seat.app.feedback.redo(BOB, task, "once more")
        seat.work(task, {"src/login.py": "def login():\n    return 2\n"})
        at.app.look_around()
        screen = await at.settle()
        assert "MOVED    iteration 2 was submitted" in screen
        assert "Iteration 1" in screen
        assert "MOVED" in at.screen.splitlines()[3]
        for key in ("a", "r", "x"):
            assert "MOVED    iteration 2" in "\n".join((await at.press(key)).splitlines()[-4:])
        assert seat.status(task) == "reviewing"
        screen = await at.press("f5")
        assert "MOVED" not in screen
        assert "Iteration 2" in screen
        assert "since you looked at iteration 1: +1 −1" in screen
        seat.app.checks.run(CI, task)
        seat.app.decisions.approve(BOB, task, seen=seat.app.lists.show(BOB, task).attempts[-1].diff_id)
        at.app.look_around()
        assert "DECIDED  approved" in await at.settle()
        assert "DECIDED" in await at.press("a")
        await at.hit("n" if page_of(at).app.flow.at == 0 else "p")
        assert page_of(at).task_id == other
        seat.checkout.git("switch", "-q", f"fe/{other}")
        seat.checkout.commit("src/more.py", "more = 1\n")
        seat.checkout.git("switch", "-q", "main")
        seat.app.notes.log(ALICE, other, "something for the journal")
        at.app.look_around()
        assert "STALE    the branch has" in await at.settle()

    play(seat.sit(), story)
    assert seat.status(other) == "reviewing"


def test_every_other_key_of_the_page(seat: Seat) -> None:
    task = seat.deliver("Add colours", {**TWO, "src/colours.py": "RED = 1\n"}, via=ALICE)
    seat.app.notes.log(ALICE, task, "the log says so")

    async def story(at: Player) -> None:
        await at.hit("r")
        rows = page_of(at).rows
        assert "last of 1" in await at.press("n")
        assert "first of 1" in await at.press("p")
        assert "Iteration 1" in await at.press("i")
        assert "submitted" in await at.press("escape", "h") or "submitted" in at.screen
        assert "the log says so" in await at.press("escape", "l")
        await at.hit("escape", "tab")
        assert rows.at == "risk"
        await at.hit("tab", "tab", "tab")
        assert rows.at == "findings"
        await at.hit(".")
        assert (rows.at or "").startswith("finding:")
        assert "no further finding" in await at.press(".")
        await at.hit(",")
        assert "no further finding" in at.screen
        await at.hit("/", *"signal")
        await at.hit("enter")
        assert rows.at == "signal"
        await at.hit("home")
        assert rows.at == "why"
        await at.hit("end")
        assert rows.at == "answer"
        await at.hit("space", "pageup", "up", "down")
        assert "there is no file 9" in await at.press("9")
        screen = await at.press("2")
        assert "DIFF" in screen
        assert "(2/3)" in screen
        await at.hit("escape", "f")
        assert "check tests fails" in at.screen
        await at.hit("escape", "d")
        assert "DIFF" in at.screen
        await at.hit("escape", "?")
        assert "HELP  task review" in at.screen
        await at.hit("escape", "escape")
        assert "foureyes" in at.screen

    play(seat.sit(), story)


def test_an_approval_that_needs_a_reason_asks_for_it_on_a_sheet_P11(seat: Seat) -> None:
    seat.app.policy.set(ALICE, "review.policy", "delegated")
    task = seat.deliver("Add login", TWO, actor=ALICE)
    diff = seat.app.lists.show(CODEX, task).attempts[-1].diff_id
    seat.app.decisions.approve(CODEX, task, seen=diff, declaration=Declaration(record_only=True))

    async def story(at: Player) -> None:
        screen = await at.press("r")
        assert "allowed with a reason, audited (P11)" in screen
        screen = await at.press("a")
        assert "APPROVE WITH A REASON" in screen
        assert "an exception needs a reason" in await at.press("enter")
        await at.hit(*"read it", "enter")

    play(seat.sit(), story)
    (approval,) = seat.app.lists.show(BOB, task).approvals
    assert (seat.status(task), approval.finished_why) == ("approved", "read it")


def test_what_the_task_asks_for_stands_on_its_page(seat: Seat) -> None:
    long = "\n".join(f"sentence {number}" for number in range(9))
    task = seat.create("Write the handbook", description=long, acceptance="every chapter\nhas a summary")

    async def story(at: Player) -> None:
        screen = await at.press("enter")
        assert "TASK     sentence 0" in screen
        assert "DONE IF  every chapter" in screen
        assert "no checks" not in screen
        await at.hit("tab")
        assert page_of(at).rows.at == "task"
        screen = await at.press("enter")
        assert f"TASK {task}" in screen
        assert "sentence 8" in screen
        assert "has a summary" in screen

    play(seat.sit(), story)


def test_a_file_that_nobody_has_to_look_at_is_said_not_to_be_counted(seat: Seat) -> None:
    seat.deliver("Add login", {"src/a.py": "a = 1\n", "poetry.lock": "a = 1\n"})

    async def story(at: Player) -> None:
        lines = (await at.press("r")).splitlines()
        assert any("poetry.lock" in line and "not counted, folded" in line for line in lines)
        assert any("src/a.py" in line and "1 unseen" in line for line in lines)
        await at.pilot.resize_terminal(60, 16)
        assert "hunk unseen" in (await at.settle()).splitlines()[2], "how much was not shown is never what is cut"

    play(seat.sit(), story)


def test_a_rejected_task_says_why(seat: Seat) -> None:
    task = seat.deliver("Add login", TWO)
    seat.app.feedback.reject(BOB, task, "we do not want logins")

    async def story(at: Player) -> None:
        screen = await at.press("enter")
        assert "rejected by bob" in screen
        assert "we do not want logins" in screen

    play(seat.sit(), story)


def test_a_rejected_task_says_how_it_is_taken_up_again_T2(seat: Seat) -> None:
    task = seat.deliver("Add login")
    seat.app.feedback.reject(ALICE, task, "not wanted")

    async def story(at: Player) -> None:
        screen = await at.press("left", "left", "left", "enter")
        words = " ".join(screen.split())
        assert "rejected by alice@box: not wanted" in words
        assert f"to take it up again a person runs: fe unblock {task}" in words

    play(seat.sit(), story)
