"""Checks the setup in a checkout: the version of the instructions, and each entry."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from functools import partial

from foureyes.adapters.agents.setup import json_text, marked_block
from foureyes.adapters.agents.setup.changes import state, text_of
from foureyes.adapters.agents.setup.programs import NAME, PROGRAMS, SERVER, ProgramFiles, SetupEntry, Tables
from foureyes.app.results.settings import ProgramSetup
from foureyes.errors import EnvironmentProblem

Remark = tuple[str, str]
"""A result and a defect. Either may be empty."""


def examine(root: str, body: str, environ: Mapping[str, str]) -> list[ProgramSetup]:
    """Return the setup of every program with at least one entry."""
    setups = []
    for name, program in PROGRAMS.items():
        traces = list(_traces(root, name, program, body, environ))
        if any(what for what, _ in traces):
            wrong = tuple(dict.fromkeys(why for _, why in traces if why))
            setups.append(ProgramSetup(program=name, entries=tuple(what for what, _ in traces if what), wrong=wrong))
    return setups


def _traces(root: str, name: str, program: ProgramFiles, body: str, environ: Mapping[str, str]) -> Iterator[Remark]:
    yield _guarded(root, program.page, lambda text: _page(text, name, program.page, body))
    if program.tables is not None:
        tables = program.tables
        yield _guarded(root, tables.file, lambda text: _tables(text, tables, environ))
    for entry in program.entries:
        yield _guarded(root, entry.file, partial(_entry, entry=entry, environ=environ))


def _guarded(root: str, file: str, look: Callable[[str], Remark]) -> Remark:
    try:
        text = text_of(root, file)
    except EnvironmentProblem as problem:
        return "", problem.message
    if text is None:
        return "", f"{file} is missing"
    return look(text)


def _page(text: str, name: str, file: str, body: str) -> Remark:
    block = marked_block.found(text, marked_block.MARKDOWN)
    if block is None or (block.digest and name not in block.users):
        return "", f"no instructions in {file}"
    if not block.digest and name not in ("agents-md", "claude"):
        return "", f"no instructions in {file}"  # version 1 did not say for whom
    what = f"instructions in {file}"
    if block.is_newer or block.is_edited:
        return what, f"{file}: {marked_block.why_kept(block)}"
    if block.digest != marked_block.digest_of(body):
        return what, f"the instructions in {file} are older than this version of Foureyes"
    return what, ""


def _tables(text: str, tables: Tables, environ: Mapping[str, str]) -> Remark:
    import tomllib

    try:
        servers = tomllib.loads(text).get("mcp_servers")
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        return "", f"{tables.file} is not valid TOML: {problem}"
    server = servers.get(NAME) if isinstance(servers, dict) else None
    if not isinstance(server, dict):
        return "", f"no tools in {tables.file}"
    block = marked_block.found(text, marked_block.TOML)
    what = f"tools and reminder in {tables.file}" if block else f"tools in {tables.file}"
    if block and not block.is_edited and not block.is_newer and block.digest != marked_block.digest_of(tables.text):
        return what, f"the tables in {tables.file} are older than this version of Foureyes"
    return what, _why_not_started(tables.file, [server.get("command"), *_list(server.get("args"))], environ)


def _entry(text: str, entry: SetupEntry, environ: Mapping[str, str]) -> Remark:
    document = json_text.lenient(text)
    if not isinstance(document, dict):
        return "", f"{entry.file} is not valid JSON"
    known, _ = state(document, entry)
    if known == "absent":
        return "", f"no {entry.part} in {entry.file}"
    what = f"{entry.part} in {entry.file}"
    if known == "older":
        return what, f"the {entry.part} in {entry.file} are older than this version of Foureyes"
    if entry.part == "reminder":
        return what, ""
    server = document[entry.path[0]][NAME]
    command = server.get("command") if isinstance(server, dict) else None
    words = [*_list(command), *_list(server.get("args"))] if command else []
    return what, _why_not_started(entry.file, words, environ)


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else [] if value is None else [value]


def _why_not_started(file: str, words: list[object], environ: Mapping[str, str]) -> str:
    """Return the reason that an entry does not start this `fe`'s server, or an empty string."""
    if not words or SERVER[1] not in words[1:]:
        return f"the entry {NAME} of {file} does not start fe mcp"
    command = str(words[0])
    program = shutil.which(command, path=environ.get("PATH"))
    if program is None:
        return f"{file} starts {command}, which is not on the PATH here"
    if os.path.realpath(program) not in own_programs():
        return f"{file} starts {program}, which is not this fe"
    return ""


def own_programs() -> set[str]:
    """Return the possible paths of this `fe`."""
    here = [sys.argv[0]] if os.path.basename(sys.argv[0]) in ("fe", "foureyes") else []
    folders = (sysconfig.get_path("scripts"), os.path.dirname(sys.executable))
    here += [os.path.join(folder, name) for folder in folders for name in ("fe", "foureyes")]
    return {os.path.realpath(path) for path in here}
