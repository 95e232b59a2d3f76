"""Our modules are found straight away, and are the same modules; whatever is odd, Python looks for itself."""

from __future__ import annotations

import os
import py_compile
import subprocess
import sys
from pathlib import Path

import pytest

from foureyes.ui.cli.module_finder import LARGEST, PIECE, Straight, Way, read

START = (
    "import sys\nsys.path.insert(0, sys.argv[1])\nimport house\n"
    "from foureyes.ui.cli.module_finder import straighten\nstraighten('house')\n"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A package with a room and two modules, all compiled."""
    room = tmp_path / "house" / "room"
    room.mkdir(parents=True)
    for name, text in {
        "__init__": "",
        "door": "OPEN = 1\n",
        "room/__init__": "WIDE = 2\n",
        "room/chair": "LEGS = 3\n",
    }.items():
        source = tmp_path / "house" / f"{name}.py"
        source.write_text(text)
        py_compile.compile(str(source), doraise=True)
    return tmp_path


def run(folder: Path, script: str, *flags: str, **environ: str) -> str:
    command = [sys.executable, *flags, "-c", START + script, str(folder)]
    env = {**{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}, **environ}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert not done.returncode, done.stderr
    return done.stdout.strip()


WHOLE = "import house.door, house.room.chair as c, house.room as r\nprint(house.door.OPEN, r.WIDE, c.LEGS)"


def test_a_module_found_straight_away_is_the_module_that_python_finds(folder: Path) -> None:
    look = (
        "import house.door, house.room.chair, house.room\n"
        "for m in (house.door, house.room, house.room.chair):\n"
        "    s = m.__spec__\n"
        "    print(m.__name__, m.__file__, m.__package__, getattr(m, '__path__', ''), s.origin, s.cached, s.parent,"
        " s.has_location, s.loader.get_source(m.__name__), s.loader.get_filename())\n"
    )
    straight = run(folder, look + "assert type(house.room.__spec__.loader).__name__ == 'Straight'")
    assert straight == run(folder, "sys.meta_path.pop(0)\n" + look)
    assert "chair" in straight


def test_a_source_that_changed_is_compiled_anew(folder: Path) -> None:
    (folder / "house" / "door.py").write_text("OPEN = 'changed'\n")
    assert run(folder, WHOLE) == "changed 2 3"


@pytest.mark.parametrize("damage", [b"", b"\0" * 40, None])
def test_a_compiled_file_that_is_empty_foreign_or_gone_is_python_s_affair(folder: Path, damage: bytes | None) -> None:
    for compiled in folder.rglob("*.pyc"):
        if damage is None:
            compiled.unlink()
        else:
            compiled.write_bytes(damage)
    assert run(folder, WHOLE) == "1 2 3"


@pytest.mark.parametrize(("size", "loader"), [(PIECE, "Straight"), (LARGEST, "SourceFileLoader")])
def test_a_large_compiled_file_is_read_whole_and_a_huge_one_is_python_s_affair(
    folder: Path, size: int, loader: str
) -> None:
    door = folder / "house" / "door.py"
    door.write_text(f"OPEN = 1\nTEXT = {'x' * size!r}\n")
    py_compile.compile(str(door), doraise=True)
    assert run(folder, WHOLE + "\nprint(type(house.door.__loader__).__name__)") == f"1 2 3\n{loader}"


def test_compiled_files_elsewhere_or_of_other_kinds_are_python_s_affair(folder: Path) -> None:
    assert run(folder, WHOLE, "-X", f"pycache_prefix={folder}/else") == "1 2 3"
    assert run(folder, WHOLE, "-OO") == "1 2 3"
    for source in folder.rglob("*.py"):
        py_compile.compile(str(source), invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
    assert run(folder, WHOLE + "\nprint(type(house.door.__loader__).__name__)") == "1 2 3\nSourceFileLoader"


def test_what_is_not_there_and_what_belongs_to_others_is_not_found(folder: Path) -> None:
    way, house = Way(f".{sys.implementation.cache_tag}.pyc", "house"), [str(folder / "house")]
    assert way.find_spec("house.window", house) is None
    assert way.find_spec("houses.door", house) is None
    assert way.find_spec("house") is None
    assert way.find_spec("house.door", [*house, str(folder)]) is None, "a package that lies in two places"
    found = way.find_spec("house.room.chair", [str(folder / "house" / "room")])
    assert found is not None
    assert isinstance(found.loader, Straight)
    assert read("house.door", str(folder), str(folder)) is None


def test_modules_of_other_packages_are_found_where_python_found_the_package(folder: Path) -> None:
    """Wherever that is: only the way from there is ours."""
    other = folder / "elsewhere" / "shed"
    other.mkdir(parents=True)
    for name in ("__init__", "tool"):
        (other / f"{name}.py").write_text("SHARP = 4\n")
        py_compile.compile(str(other / f"{name}.py"), doraise=True)
    script = "sys.path.insert(0, sys.argv[1] + '/elsewhere')\nstraighten('house', 'shed')\nimport shed.tool as t\n"
    script += "print(t.SHARP, type(t.__loader__).__name__, type(sys.modules['shed'].__loader__).__name__)"
    assert run(folder, script) == "4 Straight SourceFileLoader"
