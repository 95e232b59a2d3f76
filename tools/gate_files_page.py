"""The page of gate files: what only a person agrees to a change of (A4), from the list that the rule asks."""

from __future__ import annotations

from foureyes.core.rules.gate_files import GATE_FILES, GateFile

from tools.markdown import code, page, table


def row(file: GateFile) -> tuple[str, ...]:
    """One entry, with where it is written down."""
    return code(file.name), file.of, file.what, file.source or "not verified"


def gate_files_page() -> str:
    """Every gate file."""
    intro = (
        "A change of one of these is looked at by a person ([A4](rules.md#a4)). A name means a file or a folder of "
        "that name, with all that is in it, wherever it lies; `a/b` means b in a folder a; `/a` means at the top only; "
        "`*` means any end or any beginning. Names are compared without case, and as other file systems read them: "
        "without characters that nobody sees, dots and blanks at the end, or what follows a colon; a short name of "
        "Windows (`CLAUDE~1`) may be any of them. Further paths: `project.extra_protected_paths` in foureyes.toml, also for "
        "files that an instruction file or a configuration names."
    )
    return page(
        "Gate files",
        "`foureyes.core.rules.gate_files`",
        intro,
        table(("name", "of", "what it does", "source"), map(row, GATE_FILES)),
    )
