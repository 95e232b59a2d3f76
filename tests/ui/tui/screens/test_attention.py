"""Attention in the terminal app: why something waits, and every way to move it by its number (E6)."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from foureyes.app.application import Application
from foureyes.core.nouns.finding import Answer, ReportedFinding
from foureyes.ui.tui.app import FoureyesApp
from foureyes.ui.tui.screens.attention import AttentionPage
from foureyes.ui.tui.screens.task import TaskPage

from tests.stage.ports import DeskKeys
from tests.ui.tui.stage import ALICE, BOB, CI, CLAUDE, CODEX, LARGE, Player, Seat, held, play


def lines(screen: str) -> list[str]:
    return [line.strip() for line in screen.splitlines() if line.strip()]


def test_where_nothing_waits_it_says_so(seat: Seat) -> None:
    async def story(at: Player) -> None:
        screen = await at.press("!")
        assert lines(screen)[0] == "ATTENTION (0)"
        assert "Nothing waits for a person here." in screen
        await at.hit("1", "enter", "d", "down", "space")
        assert isinstance(at.app.pages[-1], AttentionPage)
        await at.hit("escape")
        assert not isinstance(at.app.pages[-1], AttentionPage)

    play(seat.sit(), story)


def test_a_hold_is_read_and_lifted_with_a_note_D3_E6(seat: Seat) -> None:
    task = seat.create("Pay by card")
    seat.app.stops.hold(BOB, task, "ask legal first")
    seat.app.stops.hold(BOB, None, "release freeze")

    async def story(at: Player) -> None:
        screen = await at.press("!")
        assert lines(screen)[0] == "ATTENTION (2)"
        assert lines(screen)[2].startswith("►  HELD       the project: release freeze")
        assert "Held by bob@box: release freeze" in screen
        assert "1 resume: let it continue as before" in screen
        assert "asks for a note" in screen
        assert "open task" not in screen, "it is about the whole project"
        assert "there is no choice 2" in await at.press("2")
        assert "the whole project" in await at.press("enter")
        screen = await at.press("down")
        assert f"{task} · ask legal first" in screen
        assert "Pay by card (open)" in screen
        assert "1 choose" in screen
        assert "open task" in screen
        assert "a sentence is needed" in await at.press("1", "enter")
        await at.hit(*"le", "escape")
        assert seat.kinds(task)[-1] == "TaskHeld", "Esc resumes nothing"
        screen = await at.press("1", *"gal", "enter")
        assert f"the hold on {task} is lifted" in screen
        assert lines(screen)[0] == "ATTENTION (1)"
        assert f"fe resume {task}" in at.app.last_command
        seat.app.stops.hold(BOB, task, "once more")
        screen = await at.press("1", *"ok", "enter")
        assert "the project's hold is lifted" in screen
        await at.hit("enter")
        assert isinstance(at.app.pages[-1], TaskPage)

    play(seat.sit(), story)
    (note,) = [row.payload for row in seat.app.audit.export() if row.kind == "TaskResumed"]
    assert "legal" in str(note)
    assert [row.kind for row in seat.app.audit.export() if row.kind.startswith("Project")][-1] == "ProjectResumed"


def test_a_claim_of_which_nothing_is_heard_is_released_T1(seat: Seat) -> None:
    task = seat.create("Export orders")
    seat.app.claims.start(CLAUDE, task)
    seat.app.notes.log(CLAUDE, task, "reading the schema")
    seat.app.policy.set(ALICE, "project.claim_stale_minutes", "0")

    async def story(at: Player) -> None:
        screen = await at.press("!")
        assert f"SILENT     {task} · claude#1 is silent" in screen
        assert "Last line: reading the schema" in screen
        assert f"released {task}" in await at.press("1")
        assert lines(at.screen)[0] == "ATTENTION (0)"

    play(seat.sit(), story)
    assert seat.status(task) == "open"


def stuck(seat: Seat, title: str) -> str:
    """An approved task whose merge a broken check stopped."""
    task = seat.deliver(title)
    seen = seat.app.lists.show(BOB, task).attempts[-1].diff_id
    seat.app.decisions.approve(BOB, task, seen=seen)
    return task


def test_a_stuck_merge_is_tried_again_or_sent_back_Q3(seat: Seat) -> None:
    first, second = stuck(seat, "Add login"), stuck(seat, "Sort the list")
    seat.checkout.commit("check.sh", "exit 127\n", message="the runner is gone")
    assert {row.outcome for row in seat.app.merges.process(CI)} == {"stuck"}

    async def story(at: Player) -> None:
        screen = await at.press("!")
        assert f"STUCK      {second} · merge stuck: the required check tests crashed" in screen
        assert "1 try the merge again" in screen
        assert "2 send the work back instead (redo)" in screen
        assert f"{second} is back in the merge queue" in await at.press("1")
        screen = await at.press("2", *"not so", "enter")
        assert f"{first} is open again with your feedback" in screen
        assert lines(screen)[0] == "ATTENTION (0)"

    play(seat.sit(), story, size=LARGE)
    assert (seat.status(first), seat.status(second)) == ("open", "approved")
    assert seat.app.lists.show(BOB, first).feedback[-1].text == "not so"
    assert "MergeRetried" in seat.kinds(second)


def test_a_configuration_is_accepted_where_its_changes_are_read_P12(seat: Seat) -> None:
    config = (seat.root / "foureyes.toml").read_text()
    seat.checkout.commit("foureyes.toml", config.replace("settle_seconds = 0", "settle_seconds = 9"), message="slower")

    async def story(at: Player) -> None:
        screen = await at.press("!")
        assert "CONFIG     foureyes.toml on main has changes that were not accepted" in screen
        assert "review.human.settle_seconds: 0 → 9" in screen
        assert lines(await at.press("1"))[0] == "ATTENTION (0)"

    play(seat.sit(), story)
    assert [row.value for row in seat.app.policy.show(ALICE) if row.key == "review.human.settle_seconds"] == [9]


def test_who_may_not_move_it_reads_who_may_I5(seat: Seat) -> None:
    task = seat.create("Pay by card")
    seat.app.stops.hold(BOB, task, "ask legal first")

    async def story(at: Player) -> None:
        screen = await at.press("!")
        assert f'a person runs: fe resume {task} -m "why"' in screen
        assert "choose" not in screen
        assert "there is no choice 1" in await at.press("1")

    play(seat.sit(CLAUDE), story)
    assert seat.kinds(task)[-1] == "TaskHeld"


def test_what_others_hold_or_resume_shows_without_losing_the_place(seat: Seat) -> None:
    one, two = seat.create("One"), seat.create("Two")
    seat.app.stops.hold(BOB, one, "first")

    async def story(at: Player) -> None:
        await at.hit("!")
        page = at.app.pages[-1]
        assert isinstance(page, AttentionPage)
        seat.app.stops.hold(BOB, two, "second")
        page.changed(0)
        screen = await at.settle()
        assert lines(screen)[0] == "ATTENTION (2)"
        assert page.rows.at == f"hold {one}", "the cursor stays"
        seat.app.stops.resume(BOB, one, "fine")
        page.changed(0)
        await at.settle()
        assert page.rows.at == f"hold {one}", "nothing moves under the finger"
        await at.hit("f5")
        assert page.rows.at == f"hold {two}"
        assert f"Only {two} is held" in at.screen

    play(seat.sit(), story)


def escalated(seat: Seat) -> str:
    """A task whose loop stuck, the lead must decide: nobody fixed what was found."""
    task = seat.deliver("Limit requests", {"src/limit.py": "x = 0\n"}, checked=False)
    found = ReportedFinding(
        severity="HIGH", title="no limit", path="src/limit.py", line=1, problem="p", why="w", fix="f"
    )
    finding = seat.app.findings.add(CODEX, task, found).id
    for number in range(1, 5):
        seat.app.feedback.redo(BOB, task, "there is still no limit")
        seat.app.claims.start(CLAUDE, task)
        if number == 1:
            seat.app.answers.respond(CLAUDE, task, [Answer(finding=finding, action="FIXED", text="done")])
        seat.work(task, {"src/limit.py": f"x = {number}\n"})
    seat.app.feedback.redo(BOB, task, "there is still no limit")
    assert seat.app.lists.show(ALICE, task).task.waiting_for == "lead"
    return task


def test_a_loop_shows_its_rounds_and_is_split_by_titles_and_a_reason_E3_L12(seat: Seat) -> None:
    task = escalated(seat)

    async def story(at: Player) -> None:
        screen = await at.press("!")
        assert f"ESCALATED  {task} · stuck, the lead must decide: " in screen
        assert "it  found  fixed  no-progress" in screen
        assert "1-5 choose" in screen
        screen = await at.press("1", *"Read it; Count it", "enter")
        assert "a note says why" in screen
        screen = await at.press(*"too much", "enter")
        assert f"{task}: was split and waits for its parts" in screen

    play(seat.sit(), story)
    detail = seat.app.lists.show(ALICE, task)
    assert sorted(link.title for link in detail.depends_on) == ["Count it", "Read it"]
    assert "LeadDecided" in seat.kinds(task)


def test_a_row_that_goes_while_it_is_read_takes_the_digits_with_it_until_f5(seat: Seat) -> None:
    one, two = seat.create("One"), seat.create("Two")
    seat.app.stops.hold(BOB, one, "first")
    seat.app.stops.hold(BOB, two, "second")

    async def story(at: Player) -> None:
        await at.hit("!", "home")
        page = at.app.pages[-1]
        assert isinstance(page, AttentionPage)
        selected = page.rows.at or ""
        seat.app.stops.resume(BOB, selected.removeprefix("hold "), "fine")
        page.changed(0)
        screen = await at.settle()
        assert page.rows.at == selected
        assert "does not wait as you read it" in screen
        assert "does not wait as you read it" in (await at.press("1")).splitlines()[-2]
        screen = await at.press("f5")
        assert "does not wait" not in screen
        assert page.rows.at != selected

    play(seat.sit(), story)


def test_the_same_digit_twice_moves_one_thing(seat: Seat) -> None:
    tasks = [seat.create(title) for title in ("One", "Two")]
    for task, who in zip(tasks, (CLAUDE, CODEX), strict=True):
        seat.app.claims.start(who, task)
    seat.app.policy.set(ALICE, "project.claim_stale_minutes", "0")

    async def story(at: Player) -> None:
        now = 100.0
        at.app.clock = lambda: now
        await at.hit("!")
        page = at.app.pages[-1]
        page.press("1")
        page.press("1")
        await at.settle()
        assert "one decision at a time" in await at.press("1")
        assert sorted(map(seat.status, tasks)) == ["in_progress", "open"]
        now += 1.0
        await at.hit("1")

    play(seat.sit(), story)
    assert list(map(seat.status, tasks)) == ["open", "open"]


def test_what_needs_a_signature_is_asked_for_at_the_bare_terminal_and_counts_wherever_the_reader_is_I9(
    seat: Seat, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = seat.create("Pay by card")
    seat.app.stops.hold(BOB, task, "ask legal first")
    app = seat.sit()

    class Ring(DeskKeys):
        """Keys of somebody who is asked at the terminal, as the app lets them be asked."""

        def sign(self, fingerprint: str, statement: bytes) -> str:
            return app.desk.aside(lambda: super(Ring, self).sign(fingerprint, statement))

    keys, aside = Ring(), []
    seat.app.context.keys = keys
    seat.app.keys.new(ALICE)
    seat.app.policy.set(ALICE, "review.human_proof", "key")
    opened = app.desk._open

    def with_keys() -> Application:
        application = opened()
        application.context.keys = keys
        return application

    def step_aside(stage: FoureyesApp, question: Callable[[], str]) -> str:
        aside.append(stage.pages[-1])
        return question()

    monkeypatch.setattr(app.desk, "_open", with_keys)
    monkeypatch.setattr("foureyes.ui.tui.app.step_aside", step_aside)

    async def story(at: Player) -> None:
        await at.hit("!", "1", *"legal")
        with held(at.app):
            await at.burst("enter", "escape")
        screen = await at.settle()
        assert f"the hold on {task} is lifted" in screen
        assert not isinstance(at.app.pages[-1], AttentionPage)
        assert at.app.deciding == 0

    play(app, story)
    assert len(aside) == 1
    assert task in keys.signed[-1].decode()
    assert seat.kinds(task)[-1] == "TaskResumed"
