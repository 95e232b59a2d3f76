"""The reader's own pager: the app steps aside, and the change goes there as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from textual.app import SuspendNotSupported

from foureyes.ui.tui.marks import visible

if TYPE_CHECKING:
    from foureyes.app.results.diff import DiffView
    from foureyes.core.documents.unified_diff import Hunk
    from foureyes.ui.tui.screens.change import ChangePage

SIGNS = {"added": "+", "removed": "-", "context": " ", "note": "\\ "}


def open_pager(page: ChangePage, view: DiffView) -> None:
    """Exactly the change that is on screen, in the pager; that it was read there is recorded as that."""
    from foureyes.bootstrap.user_programs import hand_over, program_of

    words = program_of(page.app.environ, ("FOUREYES_PAGER", "PAGER"), "less")
    text = "\n".join(patch_lines(view)) + "\n"
    try:
        with page.app.suspend():
            code = hand_over(words, page.app.environ, text.encode())
    except SuspendNotSupported:
        page.note("no pager can be opened on this terminal")
    except OSError as problem:
        page.note(f"{words[0]}: {problem.strerror or problem}")
    else:
        page.refresh()
        if code:  # nobody knows whether it showed anything
            page.note(f"{words[0]} ended with {code}; the record does not say that the change was read there")
            return
        page.looking.pager = page.looking.pager or view.since is None
        page.note(f"it was read in {words[0]}; the record says so")


def patch_lines(view: DiffView) -> Iterator[str]:
    """A change as a unified diff. Control characters are made visible: a pager may well pass them on."""
    for file in view.files:
        old, new = visible(file.old_path or file.path), visible(file.path)
        yield f"diff --git a/{old} b/{new}"
        if file.kind:
            yield file.kind + (f", mode {file.mode_change}" if file.mode_change else "")
        yield "--- /dev/null" if file.status == "A" else f"--- a/{old}"
        yield "+++ /dev/null" if file.status == "D" else f"+++ b/{new}"
        for hunk in file.hunks:
            yield _heading(hunk)
            for line in hunk.lines:
                yield SIGNS[line.kind] + "\t".join(visible(part) for part in line.text.split("\t"))


def _heading(hunk: Hunk) -> str:
    section = f" {visible(hunk.section)}" if hunk.section else ""
    return f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@{section}"
