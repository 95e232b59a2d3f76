"""Texts in a form: of several lines, or of one. The form's own keys are not taken by the text, and what is put into it,
typed, pasted or kept from earlier, holds no control characters.
"""

from __future__ import annotations

from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.widgets import Input, TextArea
from textual.widgets.text_area import Edit, EditResult

from foureyes.ui.tui.control_chars import signs, typed

FORM_KEYS = frozenset({"ctrl+e", "ctrl+s", "ctrl+o", "ctrl+t", "ctrl+q", "escape", "tab", "shift+tab"})


def _bindings() -> list[BindingType]:
    """The text's keys for moving and editing, without those that belong to the form."""
    bindings: list[BindingType] = []
    for binding in TextArea.BINDINGS:
        assert isinstance(binding, Binding)
        keys = [key for key in binding.key.split(",") if key not in FORM_KEYS]
        if keys:
            bindings.append(Binding(",".join(keys), binding.action, show=False))
    return bindings


class TextPart(TextArea, inherit_bindings=False):
    """Plain text. Enter begins a new line; Tab leaves. Never read as code or markup."""

    BINDINGS: ClassVar[list[BindingType]] = _bindings()
    DEFAULT_CSS = """
    TextPart, TextPart:focus { height: 1fr; min-height: 3; border: none; border-left: outer $foreground 30%;
        padding: 0 1; margin: 0 0 0 1; background: $background; color: $foreground; }
    TextPart:focus { border-left: outer $foreground; }
    """

    def __init__(self, text: str = "", *, id: str | None = None) -> None:
        super().__init__(typed(text), id=id, tab_behavior="focus", soft_wrap=True, show_line_numbers=False)

    def load_text(self, text: str) -> None:
        super().load_text(typed(text))

    def edit(self, edit: Edit) -> EditResult:
        edit.text = typed(edit.text)
        return super().edit(edit)


class TextLine(Input):
    """One line of text. Control characters in it are signs. What stands in it is gone on with; with `whole` the first
    key takes its place.
    """

    def __init__(self, value: str = "", *, id: str | None = None, placeholder: str = "", whole: bool = False) -> None:
        super().__init__(value, id=id, placeholder=placeholder, select_on_focus=whole)

    def validate_value(self, value: str) -> str:
        return signs(value)
