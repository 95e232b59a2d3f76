"""Forged files: drafts and positions that another program of the same user wrote. They may say what they want; what
counts is what was on screen here, and what somebody typed here.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from foureyes.adapters.drafts.files import directory_of
from foureyes.app.results.draft import MOST_BYTES, CommentDraft, Draft, NewTaskDraft, Position, RedoDraft
from foureyes.ui.tui.screens.diff import DiffPage
from foureyes.ui.tui.screens.form import FormPage
from foureyes.ui.tui.screens.task import TaskPage

from tests.ui.tui.stage import ALICE, BOB, Clock, Player, Seat, play

EVIL, HARMLESS = {"src/evil.py": "evil()\n"}, {"src/harmless.py": "x = 1\n"}
AUDITED = "I have audited evil.py: it is safe"


def folder_of(seat: Seat) -> Path:
    seat.app.drafts.save_position(ALICE, Position())
    return seat.root / ".foureyes" / "drafts" / directory_of(ALICE.person)


def forge(seat: Seat, **documents: msgspec.Struct) -> None:
    """Write files as any program of the same user can."""
    for name, document in documents.items():
        (folder_of(seat) / f"{name.replace('_', '-')}.json").write_bytes(msgspec.json.encode(document))


def forge_draft(seat: Seat, draft: Draft) -> None:
    (folder_of(seat) / f"{draft.task}.json").write_bytes(msgspec.json.encode(draft))


async def wait(at: Player, seconds: float = 1.0) -> None:
    """Time passes, and the page looks at what is on screen."""
    at.app.clock.now += seconds  # type: ignore[attr-defined]
    page = at.app.screen
    if isinstance(page, DiffPage):
        page.tick()
    await at.settle()


def test_what_a_file_says_was_seen_is_not_shown_and_not_what_is_compared_with_H4_D8(seat: Seat) -> None:
    config = seat.root / "foureyes.toml"
    rule = '\n[review.label_rules]\npayments = { unseen = "refuse" }\n'
    seat.checkout.commit("foureyes.toml", config.read_text() + rule, message="rule")
    seat.app.policy.accept(ALICE)
    task = seat.deliver("Add login", EVIL, labels=["payments"])
    seat.app.feedback.redo(BOB, task, "once more")
    seat.work(task, HARMLESS)
    seat.app.checks.run(BOB, task)
    hunks = [hunk.id for file in seat.app.attempts.changes(task).files for hunk in file.hunks]
    document = msgspec.to_builtins(Draft(task=task, attempt=1, seen=dict.fromkeys(hunks, "shown"))) | {"looked": 1}
    (folder_of(seat) / f"{task}.json").write_bytes(msgspec.json.encode(document))

    async def story(at: Player) -> None:
        at.app.clock = Clock()
        await at.hit("r")
        looking = at.app.looks.of(task)
        assert (looking.unseen, len(looking.before)) == (2, 2)
        await at.hit("a", "escape")
        assert seat.status(task) == "reviewing"
        screen = await at.press("d")
        assert "it 2 vs base" in screen
        assert "evil()" in screen
        assert "unseen 2/2" in screen
        assert "seen before · hunk 1/1" in screen
        await wait(at)
        await wait(at)
        assert "unseen 0/2" in at.screen
        assert "seen before" not in at.screen
        await at.hit("a")

    play(seat.sit(), story)
    (approval,) = seat.app.lists.show(BOB, task).approvals
    assert (approval.viewed.shown, approval.viewed.hunks) == (2, 2)


def test_what_this_person_decided_about_is_what_a_second_look_is_compared_with_after_a_restart(seat: Seat) -> None:
    task = seat.deliver("Add login", EVIL)
    seat.app.feedback.redo(ALICE, task, "once more")
    seat.work(task, HARMLESS)

    async def story(at: Player) -> None:
        await at.hit("r")
        assert "it 2 vs it 1" in await at.press("d")

    play(seat.sit(), story)


def test_a_comment_that_came_from_a_file_is_sent_only_after_it_was_on_screen(seat: Seat) -> None:
    tasks = [seat.deliver(title, EVIL | {f"src/{title[-1]}.py": "x = 1\n"}) for title in ("Add a", "Add b")]
    for task in tasks:
        comment = CommentDraft(path="src/evil.py", line=1, quote="evil()", text=AUDITED)
        forge_draft(seat, Draft(task=task, comments=(comment,)))

    async def blind(at: Player) -> None:
        at.app.clock = Clock()
        assert "R redo (1 kept)" in await at.press("r", "1")
        screen = await at.press("a")
        assert "a comment kept from an earlier session not sent" in " ".join(screen.split())
        await at.settle()

    async def read(at: Player) -> None:
        at.app.clock = Clock()
        await at.hit("r", "d")
        assert f"kept: {AUDITED}" in at.screen
        assert at.app.looks.of(at.app.flow.task).own_comments == []
        await wait(at)
        await wait(at)
        assert "R redo (1 comment)" in await at.press("down")
        await at.hit("a")

    play(seat.sit(), blind)
    first = next(task for task in tasks if seat.status(task) == "approved")
    other = next(task for task in tasks if task != first)
    assert seat.app.lists.show(BOB, first).findings == []
    assert seat.app.drafts.load(ALICE, first).draft.comments[0].text == AUDITED
    play(seat.sit(), read)
    assert [finding.title for finding in seat.app.lists.show(BOB, other).findings] == [AUDITED]


def test_the_habitual_keys_send_no_words_of_a_file(seat: Seat) -> None:
    task = seat.deliver("Add login", EVIL)
    words = "You are useless" + "\n" * 12 + "begin again"
    forge_draft(seat, Draft(task=task, redo=RedoDraft(text=words, option="fresh", priority="lower")))
    forge(seat, position=Position(screen="redo", task=task, tasks=(task,)))

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        await at.until("Welcome back")
        assert "draft redo kept: R opens it" in await at.press("r")
        assert isinstance(at.app.screen, TaskPage)
        screen = await at.press("r")
        assert "kept from an earlier session" in screen
        assert "You are useless" in screen, "from its top"
        assert "send these kept words (13 lines)? Enter again" in await at.press("enter")
        await at.hit("enter", "enter")  # a key that is held down
        assert seat.status(task) == "reviewing"
        clock.now += 1.0
        await at.hit("enter")

    play(seat.sit(), story)
    assert seat.app.lists.show(BOB, task).feedback[0].text == words


def test_a_comment_whose_end_is_off_the_screen_was_not_read_until_it_is_opened(seat: Seat) -> None:
    task = seat.deliver("Add login", EVIL)
    long = "Fine" + " " * 80 + AUDITED
    forge_draft(seat, Draft(task=task, comments=(CommentDraft(path="src/evil.py", line=1, quote="evil()", text=long),)))

    async def story(at: Player) -> None:
        at.app.clock = Clock()
        assert "comment, kept, unread" in await at.press("r", "d")
        await wait(at)
        await wait(at)
        looking = at.app.looks.of(task)
        assert looking.own_comments == []
        page = at.app.screen
        assert isinstance(page, DiffPage)
        page.canvas.go(next(n for n, row in enumerate(page.reading_now.rows.rows) if row.kind == "comment"))
        await at.hit("enter", "escape")
        assert len(looking.own_comments) == 1
        assert "comment, kept, not sent" in at.screen

    play(seat.sit(), story)


@pytest.mark.parametrize("key", ["2", "!"])
def test_kept_words_that_somebody_touched_are_theirs_and_sent_at_once(seat: Seat, key: str) -> None:
    task = seat.deliver("Add login", EVIL)
    forge_draft(seat, Draft(task=task, redo=RedoDraft(text="half")))

    async def story(at: Player) -> None:
        await at.hit("r")
        assert "kept from an earlier session" in await at.press("r")
        assert "kept from an earlier session" not in await at.press(key)
        await at.hit("ctrl+s")

    play(seat.sit(), story)
    (feedback,) = seat.app.lists.show(BOB, task).feedback
    assert feedback.text in ("half", "half!")


def test_a_kept_reason_and_a_kept_task_are_asked_about_too(seat: Seat) -> None:
    task = seat.deliver("Add login", EVIL)
    forge_draft(seat, Draft(task=task, reject="because"))
    forge(seat, newtask=NewTaskDraft(title="Give me everything"))

    async def story(at: Player) -> None:
        at.app.clock = clock = Clock()
        assert "kept from an earlier session" in await at.press("n")
        assert "send these kept words (1 line)? Enter again" in await at.press("enter")
        await at.hit("escape")
        assert [row.title for row in seat.rows("open")] == []
        assert "draft reject kept: X opens it" in await at.press("r")
        assert "kept from an earlier session" in await at.press("x")
        assert "send these kept words (1 line)? Ctrl+S again" in await at.press("ctrl+s")
        assert seat.status(task) == "reviewing"
        clock.now += 1.0
        await at.hit("ctrl+s")

    play(seat.sit(), story)
    assert seat.status(task) == "blocked"


@contextmanager
def locked(seat: Seat, task: str) -> Iterator[None]:
    """Another program holds the lock of a draft, and says that it is process 1."""
    with open(folder_of(seat) / f"{task}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        lock.write("1")
        lock.flush()
        yield


@pytest.mark.parametrize(("key", "status"), [("r", "open"), ("x", "blocked")])
def test_a_lock_that_is_never_let_go_stops_no_decision(seat: Seat, key: str, status: str) -> None:
    task = seat.deliver("Add login", EVIL)

    async def story(at: Player) -> None:
        screen = await at.press("r", key)
        assert "draft not saved: process 1 is editing it" in screen
        await at.hit(*"no", "ctrl+s")

    with locked(seat, task):
        play(seat.sit(), story)
    assert seat.status(task) == status
    (feedback,) = seat.app.lists.show(BOB, task).feedback
    assert feedback.text == "no"


def test_a_file_in_the_place_of_the_folder_hides_no_change_and_stops_no_decision(seat: Seat) -> None:
    task = seat.deliver("Add login", EVIL)
    folder = folder_of(seat)
    shutil.rmtree(folder)
    folder.write_text("?")

    async def story(at: Player) -> None:
        at.app.clock = Clock()
        assert "a draft could not be read: it is a file, not a directory" in at.screen
        assert "a draft could not be read: it is a file, not a directory" in await at.press("r")
        assert "evil()" in await at.press("d")
        await wait(at)
        screen = await at.press("r")
        words = "draft not saved: a draft could not be taken: it is a file, not a directory; what"
        assert words in " ".join(screen.split())
        await at.hit(*"no", "ctrl+s")

    play(seat.sit(), story)
    assert seat.status(task) == "open"


def test_junk_does_not_silence_the_welcome_and_a_pipe_does_not_hold_the_app_up(seat: Seat) -> None:
    task, other = seat.deliver("Add login", EVIL), seat.deliver("Add logout")
    forge_draft(seat, Draft(task=task, reject="half"))
    folder = folder_of(seat)
    (folder / "zzz.json").write_text("?")
    os.mkfifo(folder / f"{other}.json")

    async def story(at: Player) -> None:
        screen = " ".join(at.screen.split())
        assert f"Welcome back: draft reject for {task}" in screen
        assert "zzz.json is a draft about a task that does not exist here" in screen

    play(seat.sit(), story)


def test_a_draft_that_is_too_large_is_set_aside_before_anybody_waits_for_it(seat: Seat) -> None:
    task = seat.deliver("Add login", EVIL)
    comment = CommentDraft(path="src/evil.py", line=1, text="x")
    large = Draft(task=task, comments=(comment,) * 8_000)
    assert len(msgspec.json.encode(large)) > MOST_BYTES
    forge_draft(seat, large)

    async def story(at: Player) -> None:
        assert f"{task}.json.bad-1" in " ".join(at.screen.split())
        await at.hit("r", "d")
        page = at.app.screen
        assert isinstance(page, DiffPage)
        assert page.looking.comments == []
        assert not isinstance(page, FormPage)

    play(seat.sit(), story)
