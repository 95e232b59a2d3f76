"""The page of a finding: what it says, and answers, rulings and waivers by a digit."""

from __future__ import annotations

from foureyes.core.nouns.finding import Answer, ReportedFinding, Ruling
from foureyes.ui.tui import review_session as review
from foureyes.ui.tui.screens.diff import DiffPage
from foureyes.ui.tui.screens.finding import FindingPage
from foureyes.ui.tui.screens.refusal import RefusalPage
from foureyes.ui.tui.screens.task import TaskPage

from tests.ui.tui.stage import ALICE, BOB, CI, CLAUDE, CODE, CODEX, Player, Seat, held, play

FIRST = CODE.replace("return 5\n", "return 55\n")
SECOND = CODE.replace("return 5\n", "return settings.five\n")


def find(seat: Seat, task: str, title: str = "Five is hard-coded", line: int = 22, severity: str = "HIGH") -> str:
    """Somebody finds something at the line that changed."""
    found = ReportedFinding(
        severity=severity,  # type: ignore[arg-type]
        title=title,
        path="src/steps.py",
        line=line,
        problem="55 is written in the code",
        why="operators cannot change it without a release",
        fix="read it from settings.five",
    )
    return seat.app.findings.add(CODEX, task, found).id


def answered(seat: Seat, word: str, **fields: str) -> str:
    """The finding of a task that is in review again, answered by who made it."""
    task = seat.deliver(files={"src/steps.py": FIRST})
    finding = find(seat, task)
    seat.app.feedback.redo(BOB, task, "please mend it")
    seat.app.claims.start(CLAUDE, task)
    answer = Answer(finding=finding, action=word, **fields)  # type: ignore[arg-type]
    seat.app.answers.respond(CLAUDE, task, [answer])
    seat.work(task, {"src/steps.py": SECOND})
    seat.app.checks.run(CI, task)
    return finding


async def open_finding(player: Player, finding: str) -> FindingPage:
    page = FindingPage(finding)
    player.app.push_screen(page)
    await player.settle()
    return page


def state(seat: Seat, finding: str) -> str:
    return seat.app.findings.show(ALICE, finding).state


def test_a_claim_is_verified_with_one_key_and_taken_back_L8_L18(seat: Seat) -> None:
    finding = answered(seat, "FIXED", text="reads settings.five now")

    async def story(player: Player) -> None:
        await open_finding(player, finding)
        screen = player.screen
        assert f"FINDING {finding}" in screen
        assert "▲? HIGH · claimed fixed · round 2" in screen
        assert "why       operators cannot change it without a release" in screen
        assert "answered FIXED" in screen
        assert "reads settings.five now" in screen
        assert "what changed there since iteration 1" in screen
        assert "22 -     return 55" in screen
        assert "22 +     return settings.five" in screen
        assert "1 verified" in screen
        assert "2 not fixed" in screen
        assert "3 waive …" in screen
        assert '0 open blocking findings left after a "1"' in screen
        screen = await player.press("1")
        assert "VERIFIED. No blocking finding is open · U takes it back (L18)" in screen
        assert state(seat, finding) == "resolved"
        assert "▲✓ HIGH · resolved" in screen
        screen = await player.press("u")
        assert state(seat, finding) == "claimed"
        assert "1 verified" in screen
        await player.hit("2")
        assert state(seat, finding) == "open"

    play(seat.sit(), story)
    assert [move.word for move in seat.app.findings.show(ALICE, finding).moves if move.kind == "ruled"] == [
        "VERIFIED",
        "NOT_FIXED",
    ]


def test_a_rejection_is_accepted_or_overruled_L9(seat: Seat) -> None:
    words = "the task says that five is fixed for this release"
    finding = answered(seat, "REJECTED", text=words, ground="misunderstood_requirement")
    task = seat.app.findings.show(ALICE, finding).task
    seat.app.tasks.edit(ALICE, task, acceptance="five stays as it is for this release")

    async def story(player: Player) -> None:
        await open_finding(player, finding)
        assert "▲! HIGH · disputed" in player.screen
        assert "answered REJECTED (misunderstood_requirement)" in player.screen
        assert "1 accept the rejection" in player.screen
        assert "(L9)" in player.screen
        assert "done if   five stays as it is for this release" in player.screen
        await player.hit("2")
        assert state(seat, finding) == "open"
        assert seat.app.findings.show(ALICE, finding).must_fix

    play(seat.sit(), story)


def test_who_answered_sees_that_someone_else_rules_L9(seat: Seat) -> None:
    finding = answered(seat, "FIXED", text="reads settings.five now")

    async def story(player: Player) -> None:
        await open_finding(player, finding)
        assert "you answered this: someone else rules (L9)" in player.screen
        screen = await player.press("1")
        assert "there is no choice 1" in screen

    play(seat.sit(CLAUDE), story)
    assert state(seat, finding) == "claimed"


def test_an_implementer_answers_and_what_a_blocking_one_cannot_be_is_struck_out_L6_L7(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": FIRST}, actor=BOB)
    finding = find(seat, task)

    async def story(player: Player) -> None:
        await open_finding(player, finding)
        assert "1 FIXED …" in player.screen
        assert "2 REJECTED …" in player.screen
        assert "blocking: only FIXED or REJECTED (L6)" in player.screen
        screen = await player.press("3")
        assert "blocking: only FIXED or REJECTED (L6)" in screen.splitlines()[-3]
        screen = await player.press("2")
        assert "1 (*) misunderstood_requirement" in screen
        await player.hit("3", "tab", *"no", "enter")
        assert isinstance(player.app.screen, RefusalPage)
        assert "L7" in player.screen
        assert "20 characters" in player.screen
        screen = await player.press("escape", "2")
        assert "3 (*)" in screen, "a refusal throws no words away"
        await player.hit("tab", *", it is the same code in main", "enter")
        assert state(seat, finding) == "disputed"

    play(seat.sit(BOB), story)
    move = seat.app.findings.show(ALICE, finding).moves[-1]
    assert (move.ground, move.words) == ("false_positive", "no, it is the same code in main")


def test_a_waiver_asks_for_reason_and_days_E3(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": FIRST})
    finding = find(seat, task)

    async def story(player: Player) -> None:
        await open_finding(player, finding)
        assert "its implementer answers" in player.screen
        assert "1 waive …" in player.screen
        screen = await player.press("1", "enter")
        assert "a waiver needs a reason (E3)" in screen
        await player.hit(*"the next", "escape")
        assert state(seat, finding) == "open"
        await player.hit("1", *" release", "tab", "backspace", "backspace", "x", "enter")
        assert "days are a number" in player.screen
        assert state(seat, finding) == "open"
        await player.hit("1", "tab", "backspace", "7", "enter")

    play(seat.sit(), story)
    assert state(seat, finding) == "waived"
    assert any(move.words == "the next release" for move in seat.app.findings.show(ALICE, finding).moves)


def test_dot_and_comma_go_through_the_findings_and_d_shows_the_line(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": FIRST})
    first, second = find(seat, task), find(seat, task, "Another thing altogether", 19, "LOW")

    async def story(player: Player) -> None:
        page = await open_finding(player, first)
        await player.hit(".")
        assert page.finding == second
        assert "Another thing altogether" in player.screen
        assert "1 make a task of it" in player.screen
        screen = await player.press(".")
        assert "last of 2" in screen
        await player.hit(",")
        assert page.finding == first
        screen = await player.press("d")
        assert isinstance(player.app.screen, DiffPage)
        assert player.app.flow.task == task
        assert "►  22 +     return 55" in screen
        screen = await player.press(".", "enter")
        assert isinstance(player.app.screen, FindingPage)

    play(seat.sit(), story)


def test_what_others_do_to_a_finding_moves_nothing_under_the_finger(seat: Seat) -> None:
    finding = answered(seat, "FIXED", text="reads settings.five now")

    async def story(player: Player) -> None:
        page = await open_finding(player, finding)
        seat.app.findings.waive(BOB, finding, "not now")
        page.changed(0)
        screen = await player.settle()
        assert "CHANGED  it is waived until" in screen
        assert "1 verified" in screen
        await player.hit("1")
        assert state(seat, finding) == "waived"
        screen = await player.press("f5")
        assert "1 verified" not in screen

    play(seat.sit(), story)


def test_a_digit_is_about_the_finding_on_screen_also_while_another_is_being_read(seat: Seat) -> None:
    first = answered(seat, "FIXED", text="reads settings.five now")
    task = seat.app.findings.show(ALICE, first).task
    second = find(seat, task, "Another thing altogether", 19, "LOW")

    async def story(player: Player) -> None:
        page = await open_finding(player, first)
        page.press(".")
        page.press("1")  # the next one was asked for, but it is not on screen yet
        await player.settle()
        assert state(seat, first) == "resolved"

    play(seat.sit(), story)
    assert state(seat, second) == "open"


def test_what_the_reader_ruled_is_taken_in_by_the_pages_below_D2(seat: Seat) -> None:
    finding = answered(seat, "FIXED", text="reads settings.five now")
    task = seat.app.findings.show(ALICE, finding).task

    async def story(player: Player) -> None:
        await player.hit("r")
        assert "refused: " in player.screen
        await player.hit("f", "1")
        assert state(seat, finding) == "resolved"
        screen = await player.press("escape")
        assert "CHANGED" not in screen
        assert "IF YOU APPROVE   allowed" in screen
        await player.hit("d", ".", "enter", "u", "escape")
        assert "CHANGED" not in player.screen
        await player.hit(".", "enter")
        player.app.clock = lambda: 1e9
        await player.hit("1", "escape")
        assert "CHANGED" not in player.screen
        await player.hit("a")

    play(seat.sit(), story)
    assert seat.status(task) == "approved"


def test_what_the_reader_ruled_does_not_hide_an_edit_T6(seat: Seat) -> None:
    finding = answered(seat, "FIXED", text="reads settings.five now")
    task = seat.app.findings.show(ALICE, finding).task

    async def story(player: Player) -> None:
        await player.hit("r", "f")
        seat.app.tasks.edit(BOB, task, title="Delete the archive")
        await player.hit("1")
        screen = await player.press("escape")
        assert "CHANGED" in screen
        await player.hit("a")

    play(seat.sit(), story)
    assert seat.status(task) == "reviewing"


def test_from_the_diff_at_its_line_esc_goes_back_to_the_finding(seat: Seat) -> None:
    task = seat.deliver(files={"src/steps.py": FIRST})
    finding = find(seat, task)

    async def story(player: Player) -> None:
        await player.hit("r", "f", "d")
        assert isinstance(player.app.screen, DiffPage)
        await player.hit("escape")
        page = player.app.screen
        assert isinstance(page, FindingPage)
        assert page.finding == finding
        await player.hit("escape", "d", "escape")
        assert isinstance(player.app.screen, TaskPage)

    play(seat.sit(), story)


def test_a_ruling_that_is_refused_is_said_though_its_page_was_left(seat: Seat) -> None:
    finding = answered(seat, "FIXED", text="reads settings.five now")

    async def story(player: Player) -> None:
        await player.hit("r", "f")
        assert player.app._watch is not None
        player.app._watch.pause()
        seat.app.rulings.rule(BOB, [Ruling(finding, "VERIFIED")])
        with held(player.app):
            await player.burst("1", "escape")
        await player.settle()
        assert isinstance(player.app.screen, RefusalPage)

    play(seat.sit(), story)


def test_taking_an_approval_back_is_no_news_to_who_did_it_L18(seat: Seat) -> None:
    first, _ = seat.deliver("Add login"), seat.deliver("Add logout")

    async def story(player: Player) -> None:
        await player.hit("r")
        player.app.go(review.look(player.app.flow, first))
        await player.settle()
        await player.hit("a")
        player.app.go(review.look(player.app.flow, first))
        assert "approved" in await player.settle()
        screen = await player.press("u")
        player.app.look_around()
        screen = await player.settle()
        assert "CHANGED" not in screen
        assert "IF YOU APPROVE   allowed" in screen

    play(seat.sit(), story)
    assert seat.status(first) == "reviewing"
