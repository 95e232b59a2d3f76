"""The forms of redo and reject: what they send, what they keep, what they answer in place."""

from __future__ import annotations

from pathlib import Path

from foureyes.app.results.draft import CommentDraft, Draft, RedoDraft
from foureyes.config.own_settings import Own
from foureyes.ui.tui.comments import Comment
from foureyes.ui.tui.editor import editor_of
from foureyes.ui.tui.screens.redo import RedoPage
from foureyes.ui.tui.screens.reject import RejectPage
from foureyes.ui.tui.screens.text_page import TextPage
from foureyes.ui.tui.text.feedback import priorities_of

from tests.ui.tui.stage import ALICE, BOB, CLAUDE, Clock, Player, Seat, play

COMMENT = Comment(path="src/add_login.py", line=2, quote="    return 1", text="why 1?", weight="HIGH")


def form_of(at: Player) -> RedoPage | RejectPage:
    page = at.app.screen
    assert isinstance(page, RedoPage | RejectPage)
    return page


def test_redo_by_digits_and_words_reaches_the_next_prompt_word_for_word_F1_F3(seat: Seat) -> None:
    task = seat.deliver("Add login")
    seat.checkout.git("switch", "-q", f"fe/{task}")
    seat.app.checkpoints.create(ALICE, "half-way", task=task)
    seat.checkout.git("switch", "-q", "main")

    async def story(at: Player) -> None:
        await at.hit("r")
        screen = await at.press("r")
        assert "Previous iterations" not in screen, "there are none"
        for words in ("REDO WITH FEEDBACK", "[ ] 1 Tests incomplete", "(•) 1 Keep current",
                      "Reset to checkpoint half-way", "(•) 1 Same (P2)", "Enter Submit & Queue Redo"):  # fmt: skip
            assert words in screen
        assert "choose an issue or write a sentence (F1)" in await at.press("enter")
        assert "[✓] 2 Code style issues" in await at.press("2", "5")
        assert "Ctrl+S Submit & Queue Redo" in await at.press("t")  # a letter goes into the text
        await at.hit("o", "o", "enter", "1", "0")
        page = form_of(at)
        assert page.text_part.text == "too\n10"
        await at.hit("tab", "2", "tab", "right")
        assert "(•) 2 Reset to before this task" in at.screen
        assert "(•) 2 Bump to P1" in at.screen
        at.app.looks.of(task).comments.append(COMMENT)
        screen = await at.press("ctrl+o")
        assert isinstance(at.app.screen, TextPage)
        for words in ("- Code style issues", "> too", "> 10", "Begin again from where the task began", "why 1?"):
            assert words in screen
        screen = await at.press("escape")
        assert '+ src/add_login.py:2  "why 1?"  HIGH' in screen
        await at.hit("shift+tab", "enter")
        assert "is open again with your feedback" in at.screen

    play(seat.sit(), story)
    detail = seat.app.lists.show(BOB, task)
    (sent,) = detail.feedback
    assert (sent.text, sent.quick_issues) == ("too\n10", ["Code style issues", "Security issues"])
    assert (sent.option, sent.priority, detail.task.priority) == ("fresh", "bump", 1)
    assert sent.viewed.face == "tui"
    (finding,) = detail.findings
    assert (finding.severity, finding.title, finding.place) == ("HIGH", "why 1?", "src/add_login.py:2")
    seat.app.claims.start(CLAUDE, task)
    prompt = seat.app.prompts.text(CLAUDE, task, "implement")
    assert "> too\n> 10" in prompt
    assert seat.app.drafts.listed(ALICE) == []


def test_reject_needs_a_reason_and_says_what_stays(seat: Seat) -> None:
    task = seat.deliver("Add login")
    waiting = seat.create("Use the login")
    seat.app.tasks.add_dependency(ALICE, waiting, [task])

    async def story(at: Player) -> None:
        await at.hit("r")
        screen = await at.press("x")
        for words in (
            "REJECT",
            f"branch fe/{task}, 1 attempt, findings.",
            f"Waiting on it: {waiting}",
            "Ctrl+S reject",
        ):
            assert words in screen
        assert "Enter" not in screen
        assert "say why" in await at.press("ctrl+s")
        await at.hit(*"no 1", "escape")
        assert "REVIEW TASK" in at.screen
        await at.hit("x")
        assert form_of(at).text_part.text == "no 1"
        await at.hit("enter", *"but", "ctrl+s")

    play(seat.sit(), story)
    detail = seat.app.lists.show(BOB, task)
    assert (detail.task.status, detail.task.blocked_reason) == ("blocked", "no 1\nbut")


def test_a_draft_outlives_an_app_that_was_killed_and_a_second_window_does_not_write_it(seat: Seat) -> None:
    task = seat.deliver("Add login")
    kept = Draft(
        task=task,
        redo=RedoDraft(quick_issues=("Security issues",), text="half a sen"),
        comments=(CommentDraft(path="src/add_login.py", line=2, quote="    return 1", text="why 1?"),),
    )
    seat.app.drafts.save(ALICE, kept)

    async def second(at: Player) -> None:
        await at.hit("r")
        screen = await at.press("r")
        assert "draft not saved: process" in screen
        assert "half a sen" in screen
        await at.hit("!")
        assert form_of(at).text_part.text == "half a sen!"
        await at.hit("escape")

    async def first(at: Player) -> None:
        screen = await at.press("r", "r")
        assert "[✓] 5 Security issues" in screen
        assert "half a sen" in screen
        assert "1 kept, sent once you saw it in the diff" in screen
        await at.hit("t")
        await at.pilot.press("ctrl+q")

    play(seat.sit(), second)
    assert seat.status(task) == "reviewing"
    seat.app.drafts.release(ALICE, task)
    play(seat.sit(), first)
    draft = seat.app.drafts.load(ALICE, task).draft
    assert draft.redo.text == "half a sent"
    assert draft.comments[0].text == "why 1?"


def test_what_moved_while_somebody_wrote_is_not_sent_back_and_the_words_stay(seat: Seat) -> None:
    task = seat.deliver("Add login")

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        await at.hit("r", "r", *"no")
        seat.app.feedback.redo(BOB, task, "once more")
        seat.work(task, {"src/add_login.py": "def add_login():\n    return 2\n"})
        assert "iteration 2 was submitted in the meantime" in await at.press("ctrl+s")
        assert form_of(at).text_part.text == "no"
        screen = await at.press("escape", "f5")
        assert "Iteration 2" in screen
        clock.now += 1.0
        await at.hit("r")
        assert form_of(at).text_part.text == "no"
        await at.hit("ctrl+s")

    play(seat.sit(), story)
    assert [row.text for row in seat.app.lists.show(BOB, task).feedback] == ["once more", "no"]


def test_the_editor_gets_the_text_and_gives_it_back(seat: Seat, tmp_path: Path) -> None:
    seat.deliver("Add login", checked=False)

    async def story(at: Player) -> None:
        await at.hit("r", "r", *"no")
        assert "no editor can be opened on this terminal" in await at.press("ctrl+e")
        assert form_of(at).text_part.text == "no"

    play(seat.sit(EDITOR="true"), story)
    assert not list(tmp_path.glob("foureyes-*"))


def test_ones_own_editor_goes_before_the_variables_and_ones_theme_and_rest_hold(seat: Seat) -> None:
    assert editor_of(Own(editor="nano -w"), {"VISUAL": "code"}) == ["nano", "-w"]
    assert editor_of(Own(editor=""), {"EDITOR": "ed"}) == ["ed"]
    assert editor_of(Own(), {}) == ["vi"]

    async def story(at: Player) -> None:
        assert (at.app.look, at.app.animation_level) == ("light", "none")

    play(seat.sit(own=Own(theme="light")), story)


def test_the_part_with_the_keys_has_a_double_rule_and_a_bold_title(seat: Seat) -> None:
    seat.deliver("Add login")

    async def story(at: Player) -> None:
        await at.hit("r", "r")
        for title in ("Quick Issues", "Custom Feedback", "Redo Options", "Priority After Redo", "Quick Issues"):
            (here,) = [line for line in at.screen.splitlines() if "══" in line]
            assert here.startswith(f" ══ {title}")
            await at.hit("tab")
        assert "bold" in str(form_of(at).rule("x", here=True).style)

    play(seat.sit(), story)


def test_lines_that_are_pasted_key_by_key_into_a_reject_are_lines_and_decide_nothing(seat: Seat) -> None:
    task = seat.deliver("Add login")

    async def story(at: Player) -> str:
        await at.hit("r", "x")
        await at.burst(*"one", "enter", *"two", "enter")
        await at.settle()
        return form_of(at).text_part.text

    assert play(seat.sit(), story) == "one\ntwo\n"
    assert seat.status(task) == "reviewing"


def test_comments_go_with_a_reject_and_the_form_says_so(seat: Seat) -> None:
    task = seat.deliver("Add login")

    async def story(at: Player) -> None:
        await at.hit("r")
        at.app.looks.of(task).comments.append(COMMENT)
        screen = await at.press("x")
        assert "1 comment from the diff added" in screen
        assert '+ src/add_login.py:2  "why 1?"  HIGH' in screen
        await at.hit(*"no", "ctrl+s")
        assert at.app.looks.of(task).comments == []

    play(seat.sit(), story)
    detail = seat.app.lists.show(BOB, task)
    assert detail.task.status == "blocked"
    assert [(row.severity, row.title, row.place) for row in detail.findings] == [
        ("HIGH", "why 1?", "src/add_login.py:2")
    ]


def test_a_digit_that_names_no_issue_is_not_written_and_a_letter_that_is_says_so(seat: Seat) -> None:
    seat.deliver("Add login")

    async def story(at: Player) -> None:
        await at.hit("r", "r")
        assert "there is no 6 here" in await at.press("6")
        assert form_of(at).text_part.text == ""
        screen = await at.press("r")
        assert "Enter adds a line; Ctrl+S submits; Shift+Tab goes back" in screen
        assert "works in" not in screen
        assert form_of(at).text_part.text == "r"

    play(seat.sit(), story)


def test_at_the_ends_no_priority_is_offered_that_is_the_same() -> None:
    assert priorities_of(2) == ["Same (P2)", "Bump to P1", "Lower to P3"]
    assert priorities_of(0)[1] == "Bump (P0 is the highest)"
    assert priorities_of(4)[2] == "Lower (P4 is the lowest)"


def test_where_the_form_is_taller_than_the_screen_its_keys_stay_and_its_parts_scroll(seat: Seat) -> None:
    seat.deliver()

    async def story(at: Player) -> None:
        screen = await at.press("r", "r")
        assert "REDO WITH FEEDBACK" in screen
        assert "Submit" in screen
        assert "Esc keeps draft" in screen
        assert "Lower to P3" not in screen
        assert "══ Quick Issues" in screen, "every part stands below its heading, from the first on"
        assert "══ Custom Feedback" in await at.press("tab")
        assert "══ Redo Options" in await at.press("tab")
        assert "Lower to P3" in await at.press("tab")
        assert "══ Custom Feedback" in await at.press("shift+tab", "shift+tab")
        assert "══ Quick Issues" in await at.press("shift+tab")
        assert "Lower to P3" in await at.press("pagedown", "pagedown")
        assert "Quick Issues" in await at.press("pageup", "pageup")
        screen = await at.press("enter")
        assert "choose an issue or write a sentence" in " ".join(screen.split())

    play(seat.sit(), story, (60, 16))


def test_a_redo_over_somebodys_approval_says_so_before_and_after(seat: Seat) -> None:
    task = seat.deliver("Add login", actor=CLAUDE)
    seen = seat.app.lists.show(BOB, task).attempts[-1].seen

    async def story(at: Player) -> None:
        await at.hit("r", "r", *"no limit")
        seat.app.decisions.approve(BOB, task, seen=seen)
        at.app.look_around()
        screen = await at.settle()
        assert "DECIDED  approved" in screen
        assert "by bob@box. Sending this ends that approval." in screen
        assert form_of(at).text_part.text == "no limit"
        assert "bob@box (P7) is over" in await at.press("ctrl+s")

    play(seat.sit(), story)
    assert seat.status(task) == "open"
