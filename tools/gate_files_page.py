"""The page of gate files: the files whose change only a person approves (A4), from the list that the rule asks."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.core.rules.gate_files import GATE_FILES, GateFile

from tools.markdown import code, page, table

INTRO = """Only a person approves a change to one of these ([A4](rules.md#a4)). `project.extra_protected_paths` in
foureyes.toml adds more, for example files that an instruction file or a configuration names.

- A name means a file or folder of that name anywhere, with everything in it. `a/b` means b in a folder a, `/a` only at
  the top. `*` stands for any beginning or end.
- Case, invisible characters, dots and blanks at the end, and everything after a colon are ignored. A short name of
  Windows (`CLAUDE~1`) matches every name that it may stand for.
- † was not verified with the program. The sources of the others are in `core/rules/gate_files.py`."""


def shown(file: GateFile) -> str:
    """The name of an entry, with a mark if it is unverified."""
    return code(file.name) + ("" if file.source else "†")


def rows() -> Iterator[tuple[str, str, str]]:
    """Each program with its files and their purposes."""
    programs: dict[str, list[GateFile]] = {}
    for file in GATE_FILES:
        programs.setdefault(file.of, []).append(file)
    for program, files in programs.items():
        contents = [part for file in files for part in file.what.split(", ")]
        yield program, " ".join(map(shown, files)), ", ".join(dict.fromkeys(contents))


def gate_files_page() -> str:
    """Every gate file."""
    return page(
        "Gate files", "`foureyes.core.rules.gate_files`", INTRO, table(("program", "files", "contents"), rows())
    )
