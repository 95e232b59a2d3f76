"""Files that others can write are opened in one place: `adapters/folders.py`, without following and without waiting."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tests.architecture.house import PACKAGE, name_of, nodes_of, product, tree_of

OPENER = "adapters/folders.py"
SAFE = frozenset({"opened", "given"})
"""What `folders` hands out."""
BY_PATH = frozenset({"read_text", "read_bytes", "write_text", "write_bytes", "fdopen"})
OPENERS = frozenset({"pathlib", "tarfile", "zipfile"})
"""Modules that open what they are given under names of their own: nobody imports them."""

ELSEWHERE = {
    "adapters/agents/scripted.py:command": "runs as an agent, with its rights",
    "adapters/agents/scripted.py:counted": "runs as an agent, with its rights",
    "adapters/agents/scripted.py:main": "runs as an agent, with its rights",
    "adapters/agents/scripted.py:_put": "runs as an agent, with its rights",
    "adapters/agents/scripted.py:_replace": "runs as an agent, with its rights",
    "adapters/agents/scripted.py:_review": "runs as an agent, with its rights",
    "adapters/agents/stray_processes.py:_environ": "the kernel's own files",
    "adapters/agents/stray_processes.py:_has_ended": "the kernel's own files",
    "adapters/checks/code_origin.py:tell": "runs in the interpreters of a check, with its rights",
    "adapters/checks/code_origin.py:text_of": "runs in the interpreters of a check, with its rights",
    "adapters/checks/code_use.py:_file": "/proc",
    "adapters/checks/namespaces.py:_give_up_rights": "the kernel's own file about this process",
    "adapters/checks/namespaces.py:_hide": "handles of directories, without opening anything in them: O_PATH",
    "adapters/checks/namespaces.py:_leave": "the kernel's own files",
    "adapters/checks/namespaces.py:enter": "the kernel's own files",
    "adapters/git/checkouts/patch.py:_is_back": "a new file, never over another: O_EXCL and O_NOFOLLOW",
    "adapters/git/client/clean_room.py:_write": "the clean room: a new directory with a random name, ours alone",
    "adapters/git/client/clean_room_objects.py:_end_history": "the clean room",
    "adapters/git/client/clean_room_objects.py:_names_in": "the clean room",
    "adapters/git/client/object_files.py:write_loose_object": "the clean room",
    "adapters/git/objects/export.py:_kept": "the clean room",
    "adapters/git/objects/export.py:_overrule_attributes": "the clean room",
    "adapters/git/objects/export.py:_put_back": "the clean room",
    "adapters/identity/keys.py:_terminal": "the terminal",
    "adapters/identity/keys.py:_write_new": "a new file in the user's own directory: O_EXCL",
    "adapters/identity/process_tree.py:_own_terminal": "the terminal",
    "adapters/identity/procfs.py:*": "the kernel's own files, below one checked handle",
    "adapters/reaper.py:_parent_and_group": "the kernel's own files",
    "adapters/store/write_lock.py:holder": "the kernel's own files",
    "adapters/store/migrate.py:*": "part of the program",
    "adapters/store/exceptions_file.py:*": "a handle of `opened`, a moment later",
    "adapters/store/store_files.py:_copy_bytes": "a new file: O_EXCL and O_NOFOLLOW",
    "adapters/store/connection.py:*": "part of the program",
    "bootstrap/files.py:read_given": "both ways are handles of `folders`",
    "bootstrap/files.py:append_trace": "a handle of `opened`",
    "bootstrap/services.py:*": "part of the program",
    "config/rules.py:*": "part of the program",
    "ui/cli/command.py:format_epilog": "no file: a page of help",
    "ui/cli/main.py:*": "/dev/null",
    "ui/cli/run.py:heard_or_not": "/dev/null",
    "ui/cli/module_finder.py:read": "part of the program",
    "ui/tui/editor.py:*": "a temporary file of our own, which the person's editor writes",
}
"""Who opens something by itself, and why that cannot be a file of the project in which somebody put something else."""


def openings(tree: ast.Module) -> Iterator[str]:
    """The function around every call that opens a file otherwise than by a handle of `folders`."""

    def look(node: ast.AST, around: str) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            name = child.name if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else around
            if isinstance(child, ast.Call) and _opens(child):
                yield name
            yield from look(child, name)

    return look(tree, "*")


def _opens(call: ast.Call) -> bool:
    what = call.func
    if isinstance(what, ast.Attribute):
        of = what.value.id if isinstance(what.value, ast.Name) else ""
        return what.attr in BY_PATH or (what.attr == "open" and of in ("os", "io", "codecs"))
    if not isinstance(what, ast.Name) or what.id != "open":
        return False
    first = call.args[0] if call.args else None
    return not (isinstance(first, ast.Call) and _name(first.func) in SAFE)


def _name(called: ast.expr) -> str:
    return called.attr if isinstance(called, ast.Attribute) else called.id if isinstance(called, ast.Name) else ""


def others(tree: ast.Module) -> Iterator[str]:
    """What opens files by their paths inside of the standard library: modules of `OPENERS`, and the copiers of shutil
    but the one between handles.
    """
    for node in nodes_of(tree):
        if isinstance(node, ast.Import):
            names = [each.name for each in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{each.name}" for each in node.names]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            names = [f"{node.value.id}.{node.attr}"] if node.value.id == "shutil" else []
        else:
            continue
        yield from (name for name in names if name.partition(".")[0] in OPENERS or _copies(name))


def _copies(name: str) -> bool:
    module, _, function = name.partition(".")
    return module == "shutil" and function.startswith(("copy", "move", "unpack")) and function != "copyfileobj"


def is_excused(place: str) -> bool:
    return place in ELSEWHERE or f"{place.partition(':')[0]}:*" in ELSEWHERE


def test_files_that_others_can_write_are_opened_by_folders_alone() -> None:
    found = {
        f"{module}:{function}"
        for path in product()
        if (module := path.relative_to(PACKAGE).as_posix()) != OPENER
        for function in openings(tree_of(path))
    }
    assert sorted(place for place in found if not is_excused(place)) == [], "open it by adapters/folders.py"
    used = found | {f"{place.partition(':')[0]}:*" for place in found}
    assert sorted(set(ELSEWHERE) - used) == [], "nobody opens anything there any more"


def test_nobody_uses_a_module_that_opens_files_by_itself() -> None:
    found = {f"{name_of(path)}: {name}" for path in product() for name in others(tree_of(path))}
    assert sorted(found) == [], "open it by adapters/folders.py"


def test_the_search_finds_every_way_to_open_a_file() -> None:
    code = (
        "def a(): open(path)\n"
        "def b(): os.open(path, 0)\n"
        "def c(): Path(path).read_text()\n"
        "def d(): open(opened(path), 'rb')\n"
        "def e(): store.open(path)\n"
    )
    assert list(openings(ast.parse(code))) == ["a", "b", "c"]
    code = (
        "import pathlib\nimport shutil, zipfile\nfrom tarfile import open\n"
        "from shutil import copy2, copyfileobj, which\n"
        "shutil.copytree(a, b)\nshutil.copyfileobj(a, b)\nshutil.rmtree(a)\n"
    )
    names = ["pathlib", "zipfile", "tarfile.open", "shutil.copy2", "shutil.copytree"]
    assert list(others(ast.parse(code))) == names
