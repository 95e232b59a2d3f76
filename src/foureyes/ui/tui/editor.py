"""The writer's own editor: the app steps aside, and what was written comes back."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

if TYPE_CHECKING:
    from foureyes.ui.tui.screens.page import Page


def editor_of(environ: Mapping[str, str]) -> list[str]:
    """The editor that somebody wants."""
    for name in ("VISUAL", "EDITOR"):
        if environ.get(name, "").strip():
            return shlex.split(environ[name])
    return ["vi"]


def edit(page: Page, text: str) -> str | None:
    """A text after somebody worked on it in their editor; None where that did not work, which is said. The file is
    theirs alone, and gone afterwards.
    """
    words = editor_of(page.app.environ)
    descriptor, path = tempfile.mkstemp(prefix="foureyes-", suffix=".md")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        with page.app.suspend():
            done = subprocess.run([*words, path], check=False, env=dict(page.app.environ))
        if done.returncode:
            page.note(f"{words[0]} ended with {done.returncode}; the text is as it was")
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
