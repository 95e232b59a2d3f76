"""Plans all changes to a checkout's files when a program is set up or removed, then writes them."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

from foureyes.adapters.agents.setup import json_text, marked_block
from foureyes.adapters.agents.setup.programs import NAME, PROGRAMS, REMINDER, ProgramFiles, SetupEntry, Tables
from foureyes.adapters.folders import MB, folder, read, replace
from foureyes.app.results.settings import FileChange, SetupResult
from foureyes.errors import EnvironmentProblem

# ---- Changes ----

OWN = f"it already has its own entry {NAME}, which stays as it is"
OWN_HOOK = f"it already has its own hook that runs {REMINDER}, which stays as it is"
JOINED: tuple[SetupResult, ...] = ("unchanged", "kept", "updated", "written")
"""Results in order of importance, for a file with several."""


class EntryChange(NamedTuple):
    """The effect of one entry on a text. `lines` are for the user to add or remove by hand."""

    text: str | None
    result: SetupResult
    why: str = ""
    lines: str = ""


def plan(root: str, name: str, body: str, *, remove: bool) -> list[FileChange]:
    """Return the planned changes for a program, file by file. Writes nothing."""
    program = PROGRAMS[name]
    page = _change(root, program.page, lambda text: _page(text, name, program, body, remove))
    return [page, *_tables(root, name, program, remove), *_entries(root, program, remove)]


def apply(root: str, changes: list[FileChange]) -> None:
    """Write the planned changes."""
    for change in changes:
        if change.after != change.before:
            put(root, change.file, change.after)


def _change(root: str, file: str, step: Callable[[str | None], EntryChange]) -> FileChange:
    before = text_of(root, file)
    done = step(before)
    if done.text != before:
        refuse_unwritable(root, file)
    return FileChange(file=file, result=done.result, why=done.why, lines=done.lines, before=before, after=done.text)


def _page(text: str | None, name: str, program: ProgramFiles, body: str, remove: bool) -> EntryChange:
    if remove:
        return EntryChange(*marked_block.remove(text, marked_block.MARKDOWN, name, body))
    others = ("agents-md",) if program.page == "AGENTS.md" else ()
    return EntryChange(*marked_block.install(text, marked_block.MARKDOWN, name, body, others=others))


def _tables(root: str, name: str, program: ProgramFiles, remove: bool) -> list[FileChange]:
    tables = program.tables
    if tables is None:
        return []
    return [_change(root, tables.file, lambda text: _taken(text, name, tables) if remove else _put(text, name, tables))]


def _taken(text: str | None, name: str, tables: Tables) -> EntryChange:
    return EntryChange(*marked_block.remove(text, marked_block.TOML, name, tables.text))


def _put(text: str | None, name: str, tables: Tables) -> EntryChange:
    """Add the tables to a TOML file. If they conflict with its content, return them as lines to add by hand."""
    old = text or ""
    why = _toml_problem(old)
    if why:
        return EntryChange(text, "by hand", f"it is not valid TOML ({why})", tables.text)
    done = marked_block.install(text, marked_block.TOML, name, tables.text)
    if marked_block.found(old, marked_block.TOML) is None and _server_in(old) is not None:
        return EntryChange(text, "kept", OWN)
    why = _toml_problem(done.text or "")
    return (
        EntryChange(text, "by hand", f"the tables cannot be added at its end ({why})", tables.text)
        if why
        else EntryChange(*done)
    )


def _toml_problem(text: str) -> str:
    import tomllib

    try:
        tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as problem:
        return str(problem) or "nested too deeply"
    return ""


def _server_in(text: str) -> Any:
    import tomllib

    servers = tomllib.loads(text).get("mcp_servers")
    return servers.get(NAME) if isinstance(servers, dict) else None


def _entries(root: str, program: ProgramFiles, remove: bool) -> list[FileChange]:
    files = dict.fromkeys(entry.file for entry in program.entries)
    by_file = {file: [entry for entry in program.entries if entry.file == file] for file in files}
    step = _without if remove else _with
    return [_change(root, file, partial(step, entries=entries)) for file, entries in by_file.items()]


def fresh(entries: list[SetupEntry]) -> dict[str, Any]:
    """Return the document for a new file."""
    made: dict[str, Any] = {}
    for entry in entries:
        holder = made
        for name in entry.path[:-1]:
            holder = holder.setdefault(name, {})
        if entry.to_list:
            holder.setdefault(entry.path[-1], []).append(entry.value)
        else:
            holder[entry.path[-1]] = entry.value
    for entry in entries:
        made |= dict(entry.extra)
    return made


def _with(text: str | None, entries: list[SetupEntry]) -> EntryChange:
    if text is None:
        return EntryChange(json_text.document(fresh(entries)), "written")
    new = text
    results: list[SetupResult] = []
    whys: list[str] = []
    try:
        for entry in entries:
            result, why = state(json_text.parsed(new), entry)
            for old in entry.former if result == "older" else ():
                new = json_text.take_out(new, entry.path, old, to_list=entry.to_list) or "{}"
            if result in ("absent", "older"):
                new = json_text.add(new, entry.path, entry.value, to_list=entry.to_list)
            results.append(_said(result))
            whys += [why] if why else []
    except json_text.NotPlain as problem:
        return _by_hand(text, entries, str(problem))
    return EntryChange(new, max(results, key=JOINED.index), "; ".join(whys))


def _said(state: str) -> SetupResult:
    results: dict[str, SetupResult] = {"absent": "written", "older": "updated", "ours": "unchanged", "edited": "kept"}
    return results[state]


def _without(text: str | None, entries: list[SetupEntry]) -> EntryChange:
    if text is None:
        return EntryChange(text, "absent")
    new = text
    whys: list[str] = []
    try:
        document = json_text.parsed(text)
        if entries[0].extra and json.dumps(document) == json.dumps(fresh(entries)):
            return EntryChange(None, "removed")
        for entry in reversed(entries):
            known, why = state(json_text.parsed(new) if new else {}, entry)
            for value in (entry.value, *entry.former) if known in ("ours", "older") else ():
                new = json_text.take_out(new, entry.path, value, to_list=entry.to_list) if new else new
            whys += [why] if why else []
    except json_text.NotPlain as problem:
        return _by_hand(text, entries, str(problem), remove=True)
    result: SetupResult = "removed" if new != text else "kept" if whys else "absent"
    return EntryChange(new or None, result, "; ".join(whys))


def _by_hand(text: str, entries: list[SetupEntry], why: str, *, remove: bool = False) -> EntryChange:
    """Return the missing entries as lines to type, for a file that cannot be merged. A document with comments can still
    be read.
    """
    seen = json_text.lenient(text)
    states = [state(seen, entry)[0] for entry in entries] if isinstance(seen, dict) else ["absent"] * len(entries)
    if remove and isinstance(seen, dict) and set(states) == {"absent"}:
        return EntryChange(text, "absent")
    if not remove and set(states) == {"ours"}:
        return EntryChange(text, "unchanged")
    wanted = [entry for entry, each in zip(entries, states, strict=True) if remove or each != "ours"]
    return EntryChange(text, "by hand", why, json_text.document(fresh(wanted)))


def state(document: Any, entry: SetupEntry) -> tuple[str, str]:
    """Return the state of an entry (absent, ours, older or edited) and the reason for skipping it."""
    holder = document
    for name in entry.path[:-1]:
        holder = holder.get(name) if isinstance(holder, dict) else None
    value = holder.get(entry.path[-1]) if isinstance(holder, dict) else None
    if not entry.to_list:
        known = "absent" if value is None else "ours" if value == entry.value else ""
        known = known or ("older" if value in entry.former else "edited")
        return known, OWN if known == "edited" else ""
    entries = value if isinstance(value, list) else []
    if entry.value in entries:
        return "ours", ""
    if any(old in entries for old in entry.former):
        return "older", ""
    return ("edited", OWN_HOOK) if any(REMINDER in json.dumps(each) for each in entries) else ("absent", "")


# ---- Other authors' files in a checkout ----

# A link to a plain file of the same checkout stays a link, because many projects have one text under two names.

LARGEST = 16 * MB


def text_of(root: str, name: str) -> str | None:
    """Return the text of a file unchanged, or None if it is absent."""
    path = _place(root, name)
    try:
        return read(path, LARGEST).decode()
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as problem:
        raise _untouched(name, f"it is not valid UTF-8 (byte {problem.start})") from problem
    except OSError as problem:
        raise _untouched(name, problem.strerror or "it cannot be read") from problem


def refuse_unwritable(root: str, name: str) -> None:
    """Refuse a read-only file, even though it could be replaced."""
    path = _place(root, name)
    with suppress(FileNotFoundError):
        if not os.stat(path).st_mode & 0o222:
            raise _untouched(name, "it is read-only")


def put(root: str, name: str, text: str | None) -> None:
    """Write, create or delete a file atomically. Deleting also removes folders that are then empty."""
    path = _place(root, name)
    try:
        if text is None:
            os.remove(path)
            _clear(root, os.path.dirname(path))
            return
        before = os.stat(path).st_mode & 0o777 if os.path.exists(path) else None
        around, last = os.path.split(path)
        with folder(around, make=True) as place:
            replace(place, last, text.encode(), 0o666 if before is None else before)
            if before is not None:
                os.chmod(last, before, dir_fd=place)
    except OSError as problem:
        raise _untouched(name, problem.strerror or "it cannot be written") from problem


def _clear(root: str, path: str) -> None:
    top = os.path.realpath(root)
    while path.startswith(top + os.sep):
        try:
            os.rmdir(path)
        except OSError:
            return
        path = os.path.dirname(path)


def _place(root: str, name: str) -> str:
    """Return the resolved path of a file. Refuse one outside the checkout or in git's own directory."""
    top = os.path.realpath(root)
    path = os.path.realpath(os.path.join(top, name))
    inside = os.path.relpath(path, top).split(os.sep)
    if inside[0] in (os.pardir, ".git", ".foureyes"):
        raise _untouched(name, f"a link leads to {path}, which is no file of this checkout")
    if path != os.path.join(top, name) and not os.path.lexists(path):
        raise _untouched(name, "a link leads nowhere")
    return path


def _untouched(name: str, why: str) -> EnvironmentProblem:
    return EnvironmentProblem(f"{name}: {why}. It was not touched.")
