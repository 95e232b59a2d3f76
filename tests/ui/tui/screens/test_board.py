"""The board: columns, panes, filters, new tasks; the cursor follows the task."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from foureyes.app.results.journal import EventLine
from foureyes.app.results.run import Resting
from foureyes.ui.tui.actions import Actions
from foureyes.ui.tui.marks import PALETTES
from foureyes.ui.tui.screens.attention import AttentionPage
from foureyes.ui.tui.screens.board import BoardPage
from foureyes.ui.tui.text.board import agent_lines, event_lines
from foureyes.ui.tui.widgets.rows import Rows

from tests.ui.tui.stage import ALICE, CLAUDE, LARGE, Player, Seat, play


def cards(screen: str) -> str:
    """What is above the agents."""
    return screen.partition("AGENTS")[0]


def test_the_board_opens_where_something_waits_and_every_column_can_be_reached(seat: Seat) -> None:
    waiting = seat.deliver("Add login")
    planned = seat.create("Write the handbook")
    taken = seat.create("Export orders")
    seat.app.claims.start(CLAUDE, taken)

    async def story(player: Player) -> None:
        assert "▐Reviewing 1▌" in player.screen
        assert f"►  {waiting}" in player.screen
        assert "REVIEW PENDING │ 1 task │ Press [R] to review" in player.screen
        assert f"►● {taken}" in await player.press("left")
        assert f"►  {planned}" in await player.press("left", "left")
        screen = await player.press("right", "right", "right", "right")
        assert "▐Done 0▌" in screen
        assert "nothing here" in screen

    play(seat.sit(), story)


def test_at_a_hundred_columns_the_columns_stand_side_by_side(seat: Seat) -> None:
    seat.deliver("Add login")

    async def story(player: Player) -> None:
        assert "REVIEWING 1 ═" in player.screen
        assert "OPEN 0" in player.screen
        assert "AGENTS" in player.screen

    play(seat.sit(), story, LARGE)


def test_tab_goes_through_the_panes_and_enter_opens_the_task_of_an_agent(seat: Seat) -> None:
    task = seat.create("Export orders")
    seat.app.claims.start(CLAUDE, task)
    seat.app.notes.log(CLAUDE, task, "reading the old exporter")

    async def story(player: Player) -> None:
        screen = await player.press("tab")
        assert "══ AGENTS" in screen
        assert f"►  claude#1       {task}" in screen
        assert "reading the old exporter" in screen
        assert "══ EVENTS" in await player.press("tab")
        assert "══ AGENTS" in await player.press("shift+tab")
        assert task in await player.press("l")
        assert "reading the old exporter" in player.screen

    play(seat.sit(), story)


def test_a_filter_narrows_as_it_is_typed_and_esc_clears_it(seat: Seat) -> None:
    login, limit = seat.create("Add login", labels=["security"]), seat.create("Rate limit")

    async def story(player: Player) -> None:
        screen = await player.press("slash", *"label", "colon", *"sec")
        assert login in cards(screen)
        assert limit not in cards(screen)
        assert "1 of 2" in await player.press("enter")
        assert limit in cards(await player.press("escape"))
        assert 'No task matches "zebra". Esc clears the filter (2 tasks).' in await player.press("slash", *"zebra")
        assert "label:docs" in await player.press("enter", "escape", "f")
        assert "Ctrl+Q quits" in await player.press("escape", "ctrl+c")
        await player.hit("slash", "ctrl+q")
        assert player.app._exit, "from anywhere"

    play(seat.sit(), story)


def test_a_task_is_planned_from_the_board_and_what_was_typed_is_kept(seat: Seat) -> None:
    async def story(player: Player) -> None:
        assert "Nothing planned yet." in player.screen
        await player.hit("n", *"Exp", "escape")
        assert " Exp" in await player.press("n")
        assert "a number from 0 to 4" in await player.press("tab", *"docs", "tab", "9", "ctrl+s")
        assert "created fe-" in await player.press("backspace", "1", "enter")
        assert "a task needs a title" in await player.press("n", "ctrl+s")

    play(seat.sit(), story)
    (row,) = seat.rows("open")
    assert (row.title, row.priority, row.labels) == ("Exp", 1, ["docs"])


def test_what_others_do_appears_by_itself_and_the_cursor_stays_with_its_task(seat: Seat) -> None:
    seat.create("First")
    second = seat.create("Second")

    async def story(player: Player) -> None:
        assert f"►  {second}" in await player.press("down")
        urgent = seat.create("Urgent", priority=0)
        screen = await player.until("Open 3")
        assert f"►  {second}" in screen
        assert cards(screen).index(urgent) < cards(screen).index(second)
        seat.app.claims.start(CLAUDE, second)
        player.app.look_around()
        screen = await player.until("In progress 1")
        assert f"►  {second}" not in screen
        assert f"{second} is no longer in this column" in screen

    play(seat.sit(), story)


def test_keys_that_decide_elsewhere_say_so_and_others_are_silent(seat: Seat) -> None:
    seat.create("First")

    async def story(player: Player) -> None:
        screen = await player.press("a")
        assert "A works in: task, diff (approve); summary (approve auto-approvable)" in screen
        assert "works in" not in await player.press("y")
        assert "Sprint planning is Shift+S" in await player.press("s")
        assert "fe demo" in await player.press("d")
        assert "nothing to take back" in await player.press("u")
        assert "ATTENTION" in await player.press("exclamation_mark")
        assert "▐Open 1▌" in await player.press("escape")
        assert "HELP  board" in await player.press("question_mark")
        assert "▐Open 1▌" in await player.press("escape")

    play(seat.sit(), story)


def test_a_title_with_control_characters_is_shown_as_text(seat: Seat) -> None:
    seat.create("evil \u202e title")

    async def story(player: Player) -> None:
        assert "evil ⟨U+202E⟩ title" in player.screen

    play(seat.sit(FOUREYES_ASCII="0"), story)


def test_a_terminal_that_is_too_small_says_so_and_everything_comes_back(seat: Seat) -> None:
    seat.create("First")

    async def story(player: Player) -> None:
        await player.pilot.resize_terminal(52, 14)
        assert "Terminal is 52x14; Foureyes needs 60x16." in await player.settle()
        await player.pilot.resize_terminal(80, 24)
        assert "▐Open 1▌" in await player.settle()

    play(seat.sit(), story)


def test_every_card_can_be_reached_window_by_window(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foureyes.app.pages.board.BLOCK", 4)
    monkeypatch.setattr("foureyes.ui.tui.screens.board.CARDS", 4)
    tasks = {seat.create(f"Task {number}") for number in range(11)}

    async def story(player: Player) -> None:
        page = player.app.pages[0]
        assert len(page.rows.order) == 4
        await player.hit("end", "home", "end", "home", "end")
        assert set(page.rows.order) == tasks
        assert page.rows.at == page.rows.order[-1]
        page.reload()
        await player.settle()
        assert set(page.rows.order) == tasks, "what was read stays read"

    play(seat.sit(), story)


def test_a_configuration_that_is_broken_or_not_accepted_is_said_P12(seat: Seat) -> None:
    config = (seat.root / "foureyes.toml").read_text()
    seat.checkout.commit("foureyes.toml", config.replace("settle_seconds = 0", "settle_seconds = 9"), message="slower")

    async def story(player: Player) -> None:
        assert "CONFIG" in player.screen.splitlines()[-4]
        seat.checkout.commit("foureyes.toml", "[review\n", message="broken")
        player.app.pages[0].reload()
        assert "CONFIG" in await player.settle()

    play(seat.sit(), story)


def test_what_is_committed_on_the_target_is_noticed_though_nobody_wrote_P12(seat: Seat) -> None:
    good = (seat.root / "foureyes.toml").read_text()

    async def story(player: Player) -> None:
        page = player.app.screen
        assert isinstance(page, BoardPage)
        assert "CONFIG" not in player.screen
        seat.checkout.commit("foureyes.toml", good + "[[[\n", message="broken")
        page.tick()
        assert "CONFIG" in (await player.settle()).splitlines()[-4]
        screen = await player.press("!")
        assert "It cannot be accepted" in screen
        steps = "fix foureyes.toml and commit it on main, then a person runs: fe config accept"
        assert steps in " ".join(screen.split())
        seat.checkout.commit("foureyes.toml", good, message="fixed")
        attention = player.app.screen
        assert isinstance(attention, AttentionPage)
        attention.tick()
        assert "does not wait as you read it" in await player.settle()
        await player.hit("escape")
        page.tick()
        assert "CONFIG" not in await player.settle()

    play(seat.sit(), story)


def test_a_held_task_is_announced_below_the_board_E6(seat: Seat) -> None:
    seat.deliver("Add login")
    task = seat.create("Pay by card")

    async def story(player: Player) -> None:
        seat.app.stops.hold(ALICE, task, "ask legal first")
        player.app.look_around()
        screen = await player.until("[!]")
        assert "HELD 1 [!]      REVIEW PENDING │ 1 task │ Press [R] to review" in screen
        await player.pilot.resize_terminal(*LARGE)
        assert f"HELD {task}: ask legal first. ! shows it      REVIEW PENDING" in await player.settle()

    play(seat.sit(), story)


def test_a_filter_leads_to_the_column_that_has_what_is_looked_for(seat: Seat) -> None:
    seat.deliver("Add login")
    task = seat.create("Write the handbook")

    async def story(player: Player) -> None:
        assert "▐Reviewing 1▌" in player.screen
        screen = await player.press("/", *"handbook", "enter")
        assert "▐Open 1▌" in screen
        assert "handbook: 1 of 1" in screen
        assert f"►  {task}" in screen

    play(seat.sit(), story)


def test_an_empty_column_leaves_its_room_to_the_others(seat: Seat) -> None:
    seat.deliver("Add login")

    async def story(player: Player) -> None:
        widths = {name: player.app.screen.query_one(f"#box-{name}").size.width for name in ("open", "reviewing")}
        assert widths["open"] < 20
        assert widths["reviewing"] > 2 * widths["open"]

    play(seat.sit(), story, LARGE)


def test_what_is_approved_says_which_key_merges_it_and_a_long_note_is_not_cut(seat: Seat) -> None:
    task = seat.deliver("Add login")

    async def story(player: Player) -> None:
        screen = await player.press("r", "a")
        words = " ".join(screen.split())
        assert (
            f"{task} approved (P3), number 1 in the merge queue; G on the board merges it · U takes it back until then"
            in words
        )
        assert "1 approved: [G] merges" in await player.press("escape")

    play(seat.sit(), story)


def test_the_clock_goes_on_while_nothing_happens(seat: Seat) -> None:
    async def story(player: Player) -> None:
        page = player.app.pages[0]
        assert isinstance(page, BoardPage)
        assert page.view is not None
        assert player.app._watch is not None
        player.app._watch.pause()  # nothing happens
        now = player.app.clock()
        player.app.clock = lambda: now
        page.tick()
        await player.settle()
        before = page.minute(page.view)
        assert before in player.screen.splitlines()[0]
        player.app.clock = lambda: now + 600
        page.tick()
        await player.settle()
        assert page.minute(page.view) != before
        assert page.minute(page.view) in player.screen.splitlines()[0]

    play(seat.sit(), story)


def test_who_reads_older_events_is_not_moved_by_new_ones(seat: Seat) -> None:
    for number in range(12):
        seat.create(f"Task {number}")

    async def story(player: Player) -> None:
        page = player.app.pages[0]
        rows = page.query_one("#events", Rows)
        await player.hit("shift+tab", "down", "down", "down")
        read = rows.lines[rows.scroll_offset.y].row
        assert rows.scroll_offset.y == 3
        seat.create("One more")
        page.reload()
        await player.settle()
        assert rows.lines[rows.scroll_offset.y].row == read

    play(seat.sit(), story)


def test_the_palette_types_what_the_key_would(seat: Seat) -> None:
    task = seat.create("First")

    async def story(player: Player) -> None:
        rows = list(Actions(player.app.screen)._all())
        commands = [command for _, _, command in rows]
        assert f"fe show {task}" in commands
        assert not any("{" in command for command in commands)

    play(seat.sit(), story)


def test_a_click_takes_the_keys_to_another_column_or_pane_and_what_an_agent_does_is_not_cut(seat: Seat) -> None:
    planned, taken = seat.create("Write the handbook"), seat.create("Export orders")
    seat.app.claims.start(CLAUDE, taken)
    seat.app.notes.log(CLAUDE, taken, "reading the schema")

    async def story(player: Player) -> None:
        page = player.app.pages[0]
        assert isinstance(page, BoardPage)
        assert f"claude#1 {taken}" in player.screen
        assert "it 1 · reading the schema" in player.screen
        await player.pilot.click("#column-open", offset=(3, 0))
        await player.settle()
        assert (page.column, page.selected_task()) == ("open", planned)
        await player.pilot.click("#agents", offset=(3, 1))
        await player.settle()
        assert (page.pane, page.selected_task()) == ("agents", taken)
        await player.pilot.click("#agents", offset=(3, 1), times=2)
        screen = await player.settle()
        assert f"TASK{' ' * 20}" in screen
        assert player.app.flow.task == taken

    play(seat.sit(), story, LARGE)


def test_a_narrow_pane_says_who_above_and_what_below_also_of_the_gate() -> None:
    event = EventLine(
        seq=1, at="2026-01-01T12:01:00Z", task="fe-7k2", actor="the gate", text="the gate merged iteration 1"
    )
    lines = [line.paint(40).plain.rstrip() for line in event_lines([event], PALETTES["default"], tall=True)]
    assert [lines[0].partition(" fe-")[2], *lines[1:]] == ["7k2 the gate", "   merged iteration 1"]


def test_who_is_not_at_work_and_why_is_not_cut_in_a_narrow_pane_and_fits_a_small_terminal(seat: Seat) -> None:
    left = Resting(profile="codex", until="", error="missing", text="not on the PATH")
    view = replace(seat.app.board.view(ALICE), resting=(left,))
    narrow, wide = (
        [line.paint(200).plain.rstrip() for line in agent_lines(view, PALETTES["default"], tall=tall)]
        for tall in (True, False)
    )
    assert narrow[:3] == [" Nobody is at work.", " fe run starts agents;", " fe next takes a task."]
    assert narrow[3:] == [" codex", "   skipped until it works", "   missing: not on the PATH"]
    assert [len(line) < 80 for line in wide] == [True, True]
    assert wide[0] == f" {' '.join(line.strip() for line in narrow[:3])}"
    (begins, _) = agent_lines(replace(view, runners=1), PALETTES["default"])
    assert begins.paint(80).plain.rstrip() == " Nobody is at work. The runner begins what is ready."
