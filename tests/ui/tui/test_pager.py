"""The pager: exactly the change that is on screen, as a unified diff without a single control character."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.app.results.diff import DiffView
from foureyes.core.documents.unified_diff import DiffLine, FileDiff, Hunk
from foureyes.ui.tui.pager import patch_lines

from tests.ui.tui.screens.test_diff import open_diff
from tests.ui.tui.stage import BOB, CODE, Player, Seat, play


def test_a_change_is_a_unified_diff_whose_control_characters_can_be_seen() -> None:
    lines = (
        DiffLine("context", 1, 1, "\tdef a():"),
        DiffLine("removed", 2, None, "x\x1b[2J"),
        DiffLine("added", None, 2, "y"),
        DiffLine("note", None, None, "No newline at end of file"),
    )
    files = (
        FileDiff(path="new\x07.py", status="A", hunks=(Hunk("h", "class A", 1, 2, 1, 2, lines),)),
        FileDiff(path="b.py", old_path="a.py", status="R", mode_change="100644 to 100755", kind="now executable"),
        FileDiff(path="c.py", status="D"),
    )
    view = DiffView(task="fe-1", attempt=1, diff_id="d", base="b", head="h", files=files)
    assert list(patch_lines(view)) == [
        "diff --git a/new␇.py b/new␇.py",
        "--- /dev/null",
        "+++ b/new␇.py",
        "@@ -1,2 +1,2 @@ class A",
        " \tdef a():",
        "-x␛[2J",
        "+y",
        "\\ No newline at end of file",
        "diff --git a/a.py b/b.py",
        "now executable, mode 100644 to 100755",
        "--- a/a.py",
        "+++ b/b.py",
        "diff --git a/c.py b/c.py",
        "--- a/c.py",
        "+++ /dev/null",
    ]


def test_the_pager_gets_the_change_and_the_record_says_pager_H5(
    seat: Seat, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = seat.deliver(files={"src/steps.py": CODE.replace("return 5\n", "return 55\n")})
    out = tmp_path / "read"

    async def story(player: Player) -> None:
        from contextlib import nullcontext

        monkeypatch.setattr(player.app, "suspend", nullcontext)  # there is no terminal to give away here
        page = await open_diff(player, task)
        screen = await player.press("d")
        assert "it was read in tee" in screen
        assert page.looking.pager
        await player.hit("a")

    play(seat.sit(FOUREYES_PAGER=f"tee {out}"), story)
    assert "+    return 55" in out.read_text()
    assert seat.app.lists.show(BOB, task).approvals[0].viewed.pager


def test_a_pager_that_failed_is_not_recorded_as_one_H5(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    task = seat.deliver()

    async def story(player: Player) -> None:
        from contextlib import nullcontext

        monkeypatch.setattr(player.app, "suspend", nullcontext)
        page = await open_diff(player, task)
        assert "false ended with 1; the record does not say" in await player.press("d")
        assert not page.looking.pager

    play(seat.sit(FOUREYES_PAGER="false"), story)
