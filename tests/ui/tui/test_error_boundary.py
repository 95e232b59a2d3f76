"""A defect of ours never ends the app: every handler is guarded, and what breaks is said and written down."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from rich.text import Text

from foureyes.ui.tui import screens, widgets
from foureyes.ui.tui.screens.ask_text import AskText, ask_text
from foureyes.ui.tui.screens.batch import BatchPage
from foureyes.ui.tui.screens.board import BoardPage
from foureyes.ui.tui.screens.new_task import NewTaskPage
from foureyes.ui.tui.screens.redo import RedoPage
from foureyes.ui.tui.screens.sheet import Sheet, SheetField
from foureyes.ui.tui.widgets.rows import PaintedLine

from tests.ui.tui.stage import Player, Seat, play, small_work

BROKE = "Something in Foureyes broke"
LATER = {"set_timer": 1, "set_interval": 1, "call_after_refresh": 0, "call_later": 0}
"""What runs something later, and which of its arguments that is."""


def modules() -> list[Path]:
    folders = [Path(*package.__path__) for package in (screens, widgets)]
    return sorted(path for folder in folders for path in folder.glob("*.py"))


def is_guarded(method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = {each.id for each in method.decorator_list if isinstance(each, ast.Name)}
    return isinstance(method, ast.FunctionDef) and bool(names & {"guarded", "painted"})


def handed_on(tree: ast.Module) -> set[str]:
    """The page's own methods that a timer or the next paint calls."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in LATER:
            target = node.args[LATER[node.func.attr]]
            if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id == "self":
                names.add(target.attr)
    return names


def unguarded(tree: ast.Module) -> list[str]:
    """What the library calls by itself, and nothing keeps its defects from ending the app."""
    known = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    later = handed_on(tree)
    called = [each for each in known if each.name.startswith("on_") or each.name == "render_line" or each.name in later]
    return [each.name for each in called if not is_guarded(each)]


def test_every_handler_and_every_timer_is_guarded() -> None:
    names = {path.name: unguarded(ast.parse(path.read_text())) for path in modules()}
    assert {name: found for name, found in names.items() if found} == {}


def test_one_that_is_not_guarded_is_found() -> None:
    source = "class A:\n def on_key(self): self.set_timer(1, self.save)\n @guarded\n def on_paste(self): ...\n"
    source += " def save(self): ..."
    assert unguarded(ast.parse(source)) == ["on_key", "save"]


def broken(*_: object, **__: object) -> None:
    raise ZeroDivisionError


def test_a_form_whose_draft_cannot_be_put_down_goes_on(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    seat.deliver("Add login")

    async def story(at: Player) -> None:
        at.app.raises = False
        await at.hit("r", "r")
        monkeypatch.setattr(RedoPage, "put_down", broken)
        assert BROKE in await at.press("2", "n", "o")
        monkeypatch.undo()
        await at.hit("escape", "escape")
        monkeypatch.setattr(NewTaskPage, "values", broken)
        assert BROKE in await at.press("n", "x", "enter")
        monkeypatch.undo()
        assert isinstance((await at.press("escape"), at.app.screen)[1], BoardPage)
        assert (seat.root / ".foureyes" / "logs" / "app.log").exists()

    play(seat.sit(), story)


def test_sheets_timers_and_painting_go_on(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(at: Player) -> None:
        at.app.raises = False
        page = at.app.pages[-1]
        ask_text(page, "WHY", broken)
        await at.settle()
        assert isinstance(at.app.screen, AskText)
        assert BROKE in await at.press("x", "enter")
        at.app.push_screen(Sheet("SHEET", [], [SheetField("reason", "Reason")], broken))
        assert BROKE in await at.press("escape") or BROKE in await at.press("enter")
        page.note("")

        def unpainted(_: int) -> Text:
            raise ZeroDivisionError

        page.rows.show([PaintedLine(unpainted, "fe-1")])
        assert BROKE in await at.settle()
        page.note("")
        monkeypatch.setattr(BoardPage, "changed", broken)
        at.app.seq = -1
        at.app.look_around()
        assert BROKE in await at.settle()
        page.note("")
        monkeypatch.setattr(type(at.app.waiting), "show", broken)
        at.app._asking = True
        assert BROKE in await at.until(BROKE)

    play(seat.sit(), story, paints=True)


def test_what_a_page_misses_while_it_is_left_is_no_defect(seat: Seat, monkeypatch: pytest.MonkeyPatch) -> None:
    async def story(at: Player) -> None:
        await at.hit("r", "a")
        board, *_, batch = at.app.pages
        assert isinstance(board, BoardPage)
        assert isinstance(batch, BatchPage)
        monkeypatch.setattr(BatchPage, "_pens", broken)
        with pytest.raises(ZeroDivisionError):
            batch._draw_columns()
        await at.hit("escape")
        batch._draw_columns()
        monkeypatch.setattr(BoardPage, "minute", broken)
        with pytest.raises(ZeroDivisionError):
            board.tick()
        at.app.exit()
        board.tick()

    seat.deliver("Add login", labels=["security"])
    seat.deliver("Sort the list", small_work("sort"))
    play(seat.sit(), story)
