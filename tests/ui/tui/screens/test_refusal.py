"""A refusal: its digits open what its next steps are about, and nothing that breaks on the way ends the app."""

from __future__ import annotations

from foureyes.core.nouns.finding import Answer, ReportedFinding
from foureyes.errors import Reason, Refused
from foureyes.steps import by, fe
from foureyes.ui.tui.screens.finding import FindingPage
from foureyes.ui.tui.screens.refusal import RefusalPage
from foureyes.ui.tui.screens.task import TaskPage
from foureyes.ui.tui.screens.text_page import TextPage

from tests.ui.tui.stage import ALICE, BOB, CI, CLAUDE, CODE, CODEX, Player, Seat, play


def claimed(seat: Seat) -> str:
    """A task in review with a finding that its maker says is fixed."""
    task = seat.deliver(files={"src/steps.py": CODE.replace("return 5\n", "return 55\n")})
    found = ReportedFinding(severity="HIGH", title="Five", path="src/steps.py", line=22, problem="p", why="w", fix="f")
    finding = seat.app.findings.add(CODEX, task, found).id
    seat.app.feedback.redo(BOB, task, "mend it")
    seat.app.claims.start(CLAUDE, task)
    seat.app.answers.respond(CLAUDE, task, [Answer(finding=finding, action="FIXED", text="done")])
    seat.work(task, {"src/steps.py": CODE.replace("return 5\n", "return five\n")})
    seat.app.checks.run(CI, task)
    return task


def test_a_digit_opens_the_finding_that_holds_an_approval_up_D2(seat: Seat) -> None:
    claimed(seat)

    async def story(at: Player) -> None:
        screen = await at.press("r", "a")
        assert isinstance(at.app.screen, RefusalPage)
        assert "1 open the finding" in screen
        await at.hit("1")
        assert isinstance(at.app.screen, FindingPage)
        await at.hit("escape")
        assert isinstance(at.app.screen, TaskPage)

    play(seat.sit(), story)


def test_a_digit_shows_what_the_checks_printed_D5(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": f"{CODE}RED\n"}, via=ALICE)

    async def story(at: Player) -> None:
        screen = await at.press("r", "a")
        assert isinstance(at.app.screen, RefusalPage)
        assert "1 show the output" in screen
        screen = await at.press("1")
        assert isinstance(at.app.screen, TextPage)
        assert f"CHECKS {task}" in screen

    play(seat.sit(), story)


def test_a_configuration_that_is_not_accepted_is_shown_and_accepted_from_a_red_check_P12(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": f"{CODE}RED\n"}, via=ALICE)
    config = (seat.root / "foureyes.toml").read_text()
    seat.checkout.commit("foureyes.toml", config.replace("settle_seconds = 0", "settle_seconds = 9"), message="slower")

    async def story(at: Player) -> None:
        screen = await at.press("r", "a")
        assert "2  P12  foureyes.toml on main has changes that were not accepted, so it is not" in screen
        assert "2 show it and accept it" in screen
        assert "review.human.settle_seconds: 0 → 9" in await at.press("2")
        await at.press("escape")
        assert "! shows it and accepts it" in await at.press("c")
        await at.press("!")
        assert "ATTENTION (0)" in await at.press("1")

    play(seat.sit(), story)
    assert seat.status(task) == "reviewing"
    assert [row.value for row in seat.app.policy.show(BOB) if row.key == "review.human.settle_seconds"] == [9]


def test_a_check_that_was_not_run_is_run_by_its_number_and_no_output_is_promised_D5(seat: Seat) -> None:
    task = seat.deliver(checked=False)

    async def story(at: Player) -> None:
        screen = await at.press("r", "a")
        assert isinstance(at.app.screen, RefusalPage)
        assert "show the output" not in screen
        assert f"1 run the checks      fe check run {task}" in screen
        await at.hit("1")
        await at.until("tests passed, lint passed")
        assert "allowed" in await at.press("escape")

    play(seat.sit(), story)
    assert [row.outcome for row in seat.app.check_runs.of_task(BOB, task).checks] == ["passed", "passed"]


def test_a_hold_is_lifted_by_its_number_with_a_reason_D3(seat: Seat) -> None:
    task = seat.deliver()
    seat.app.stops.hold(BOB, task, "freeze")

    async def story(at: Player) -> None:
        screen = await at.press("r", "a")
        assert isinstance(at.app.screen, RefusalPage)
        assert "1 lift the hold" in screen
        screen = await at.press("1")
        assert f"lift the hold of {task}" in screen
        await at.press("escape")
        assert isinstance(at.app.screen, RefusalPage), "nothing was done"
        await at.press("1", *"over", "enter")
        assert isinstance(at.app.screen, TaskPage)
        assert "allowed" in at.screen

    play(seat.sit(), story)
    assert seat.app.lists.show(BOB, task).task.hold is None


def test_what_breaks_in_a_handler_is_said_and_the_app_goes_on(seat: Seat) -> None:
    seat.deliver()

    def breaks(*_: object) -> None:
        raise ZeroDivisionError("a defect")

    async def story(at: Player) -> None:
        at.app.raises = False
        page = at.app.pages[-1]
        page.ask(lambda _: 1, breaks)
        assert "Something in Foureyes broke" in await at.settle()
        page.note("")
        page.ask(lambda desk: desk.application.lists.show(desk.actor, "fe-none"), breaks, breaks)
        assert "Something in Foureyes broke" in await at.settle()
        page.note("")
        at.app.desk.ask(at.app, lambda _: 1, breaks)
        assert "Something in Foureyes broke" in await at.settle()
        page._filtered = breaks  # type: ignore[attr-defined]
        await at.hit("/", "x", "enter")
        assert "Something in Foureyes broke" in at.screen
        assert "REVIEW TASK" in await at.press("enter")

    play(seat.sit(), story)


def test_R_sends_back_what_could_not_be_approved_and_is_offered_only_there_F1(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": f"{CODE}RED\n"}, via=ALICE)

    async def story(at: Player) -> None:
        assert "R redo" in await at.press("r", "a")
        assert isinstance(at.app.screen, RefusalPage)
        assert "REDO WITH FEEDBACK" in await at.press("r")
        await at.hit("1", "enter")
        assert seat.status(task) == "open"
        at.app.show_refusal(Refused("no", task=task))
        assert "R redo" not in await at.settle(), "it waits for nobody any more"

    play(seat.sit(), story)


def test_what_somebody_else_types_is_said_to_them_and_not_typed_here_D4_G2(seat: Seat) -> None:
    again = by("other", fe("submit", "fe-1"), "its author runs on alpha: ")

    async def story(at: Player) -> None:
        at.app.show_refusal(Refused("fe-1 was not approved", reasons=(Reason("D4", "it is stale", again),)))
        screen = await at.settle()
        assert "1 say it      its author runs on alpha: fe submit fe-1" in screen
        await at.hit("1")
        assert "type: who" not in at.screen

    play(seat.sit(), story)
