"""What is imported late works as if imported at once; msgspec without typing_extensions works as with it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.house import ROOT

SCRIPT = "from foureyes.ui.cli.lazy_imports import lighten\nlighten()\n"


def python(code: str, *paths: Path) -> str:
    """What a fresh interpreter prints; `paths` come before this checkout."""
    where = ":".join(str(path) for path in (*paths, ROOT / "src"))
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": where}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize(
    "use",
    [
        "import inspect; inspect.signature(lambda a, b: 0)",
        "from inspect import signature; signature(lambda a: 0)",
        "import inspect; inspect.cleandoc('one line')",
        "import inspect; inspect.cleandoc(' one  ')",
        "import inspect; inspect.cleandoc('one\\tline')",
        "import inspect; inspect.cleandoc('')",
        "import inspect; inspect.cleandoc('one\\n    two\\n      three')",
        "import platform; platform.system()",
        "import platform; platform.python_implementation()",
        "import textwrap; textwrap.dedent('  a')",
        "import msgspec; msgspec.inspect.type_info(dict[str, int])",
        "import msgspec; msgspec.json.schema(list[int])",
        "import msgspec; msgspec.msgpack.decode(msgspec.msgpack.encode([1]))",
        "import msgspec.toml as toml; toml.encode.__doc__",
        "import uuid; (uuid.UUID(int=1), uuid._LINUX)",
        "import decimal; decimal.Decimal('1.10') + 1",
        "import typing; typing.TypedDict('Named', {'id': int}).__annotations__",
    ],
)
def test_a_module_that_is_loaded_late_answers_as_ever(use: str) -> None:
    before, _, last = use.rpartition(";")
    code = f"{before}\nprint(repr({last.strip()}))"
    assert python(SCRIPT + code) == python(code)


def test_a_module_that_is_loaded_late_is_one_object_for_all_and_is_whole_afterwards() -> None:
    code = (
        "import inspect as first\nfirst.signature\nimport inspect as second\n"
        "print(first is second, type(first).__name__, first.__file__.endswith('inspect.py'), first.__spec__.name)"
    )
    assert python(SCRIPT + code) == "True module True inspect"


def test_a_module_that_is_loaded_late_says_what_it_does_not_have() -> None:
    code = "import textwrap\ntry:\n    textwrap.nothing\nexcept AttributeError as problem:\n    print(problem)"
    assert python(SCRIPT + code) == "module 'textwrap' has no attribute 'nothing'"


def test_two_threads_that_use_a_late_module_at_once_both_get_it() -> None:
    code = (
        "import threading, inspect\nstart, got = threading.Barrier(8), []\n"
        "def use():\n    start.wait()\n    got.append(inspect.signature)\n"
        "threads = [threading.Thread(target=use) for _ in range(8)]\n"
        "[thread.start() for thread in threads]\n[thread.join() for thread in threads]\nprint(len(got), len(set(got)))"
    )
    assert python(SCRIPT + code) == "8 1"


def test_what_was_imported_before_is_left_alone() -> None:
    code = "import inspect, platform\nbefore = (inspect, platform)\n" + SCRIPT
    assert python(code + "print(before == (__import__('inspect'), __import__('platform')))") == "True"


def test_typing_extensions_is_not_loaded_with_msgspec_and_can_be_imported_afterwards(tmp_path: Path) -> None:
    (tmp_path / "typing_extensions.py").write_text("import sys\nsys.stdout.write('loaded ')\n", encoding="utf-8")
    assert (
        python(SCRIPT + "print('msgspec is there')\nimport typing_extensions", tmp_path) == "msgspec is there\nloaded"
    )


def test_click_and_msgspec_are_loaded_without_modules_of_types_that_nobody_uses() -> None:
    code = "import sys, click, msgspec\nprint([n for n in ('decimal', 'uuid', 'platform') if n in sys.modules])"
    assert python(SCRIPT + code) == "[]"


def test_nothing_is_compiled_while_click_and_msgspec_load_and_fields_are_read() -> None:
    """The first `compile` of a process makes a type of every kind of node that a syntax tree has."""
    heard = (
        "import builtins\nheard, ours = [], compile\ndef compile(text, name, mode, *more, **other):\n"
        "    heard.extend([text] if mode == 'eval' else [])\n    return ours(text, name, mode, *more, **other)\n"
        "builtins.compile = compile\n"
    )
    code = (
        "import msgspec, click\nfrom foureyes.core.nouns.task import Task\n"
        "from foureyes.core.nouns.session import Actor\n"
        "print([len(msgspec.structs.fields(kind)) > 5 for kind in (Task, Actor)])\nprint(heard)"
    )
    assert python(heard + SCRIPT + code).endswith("[True, True]\n[]")


TYPES = """
import msgspec, re
from importlib import import_module
from pathlib import Path
import foureyes
root = Path(foureyes.__file__).parent
for file in sorted(root.rglob("*.py")):
    name = ".".join(("foureyes", *file.relative_to(root).with_suffix("").parts))
    if not name.endswith(("__main__", "__init__")) and "postgres" not in name:
        import_module(name)
def all_of(kind):
    for each in kind.__subclasses__():
        yield each
        yield from all_of(each)
from msgspec import Struct, inspect
def said(kind):
    return str(kind), str(inspect.type_info(kind)) if kind.__name__ == "Input" else ""  # several of one name
ours = sorted((k for k in set(all_of(Struct)) if k.__module__.startswith("foureyes")), key=said)
print(len(ours) > 150)
for kind in ours:
    try:
        print(re.sub(r" at 0x[0-9a-f]+", "", str(inspect.type_info(kind))))
    except (NameError, TypeError) as problem:  # made by ourselves and only ever written, never read
        print(kind, problem)
"""


def test_msgspec_reads_every_type_of_ours_the_same_without_typing_extensions_and_none_it_was_not_shown() -> None:
    """The types are read as msgspec reads them to decode and to check; development tools bring typing_extensions."""
    without = python(SCRIPT + TYPES)
    with_it = python("import typing_extensions\nimport msgspec._utils as u\nassert u.NotRequired\n" + TYPES)
    assert without.startswith("True")
    assert without == with_it
    assert not {"Decimal", "UUID"} & set(re.findall(r"\w+", without)), "msgspec was not shown these"
