"""The writer's own editor: the app steps aside, and what was written comes back."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

if TYPE_CHECKING:
    from collections.abc import Mapping

    from foureyes.config.own_settings import Own
    from foureyes.ui.tui.screens.page import Page


def editor_of(own: Own, environ: Mapping[str, str]) -> list[str]:
    """The editor as its words: the writer's own setting, else as every program finds it."""
    from foureyes.bootstrap.user_programs import program_of, words_of

    return words_of(own.editor) if own.editor else program_of(environ, ("VISUAL", "EDITOR"), "vi")


def edit(page: Page, text: str) -> str | None:
    """A text after somebody worked on it in their editor; None where that did not work, which is said. The file is
    theirs alone, and gone afterwards.
    """
    from foureyes.bootstrap.user_programs import hand_over

    words = editor_of(page.app.own, page.app.environ)
    descriptor, path = tempfile.mkstemp(prefix="foureyes-", suffix=".md")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        with page.app.suspend():
            code = hand_over([*words, path], page.app.environ)
        if code:
            page.note(f"{words[0]} ended with {code}; the text is as it was")
            return None
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().rstrip("\n")
    except SuspendNotSupported:
        page.note("no editor can be opened on this terminal")
    except OSError as problem:
        page.note(f"{words[0]}: {problem.strerror or problem}; the text is as it was")
    finally:
        os.unlink(path)
    page.refresh()
    return None
