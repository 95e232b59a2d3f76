"""Which Pythons a command line starts without the watch, and what they find modules by (D5)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foureyes.adapters.checks.code_use import Interpreter, asked_for, in_command

from tests.adapters.checks.environments import make_environment, script

WATCH = "/scratch/watch"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("env") / "venv"
    make_environment(folder)
    script(folder, "pytest", "")
    (folder / "bin" / "long").write_text(f"#!/bin/sh\n'''exec' {folder}/bin/python \"$0\" \"$@\"\n' '''\n")
    (folder / "bin" / "by-env").write_text("#!/usr/bin/env python3\n")
    for name in ("long", "by-env"):
        (folder / "bin" / name).chmod(0o755)
    return folder


def started(command: str, environment: Path, work: Path) -> list[Interpreter]:
    env = {"PATH": f"{environment}/bin:{os.defpath}", "PYTHONPATH": WATCH}
    return list(in_command(command, env, str(work), WATCH))


@pytest.mark.parametrize(
    ("command", "path", "options"),
    [
        ("PYTHONPATH=src pytest -q", "src", ""),
        ("cd . && PYTHONPATH=src nice python -m pytest", "src", ""),
        ("export PYTHONPATH=$PWD/src && by-env", "{work}/src", ""),
        ("PYTHONPATH=a; long x | cat", "a", ""),
        ("env -i PATH=$PATH pytest", "", ""),
        ("python -IB -W error -m pytest", WATCH, "I"),
        ("python3 -sE x.py", WATCH, "Es"),
    ],
)
def test_who_is_not_watched(environment: Path, tmp_path: Path, command: str, path: str, options: str) -> None:
    (found,) = started(command, environment, tmp_path)
    assert found.program.startswith(f"{environment}/bin/python")
    assert (found.path, found.options) == (path.format(work=tmp_path), options)


@pytest.mark.parametrize(
    "command",
    [
        "pytest -q", "python -m pytest", "PYTHONPATH=src:$PYTHONPATH pytest", "PYTHONPATH=src make test", "true",
        "python -S -I x.py", "PYTHONPATH=src python -m pip install .", "PYTHONPATH=src nosuch", "echo 'open",
        "PYTHONPATH=src python", "",
    ],
)  # fmt: skip
def test_who_is_watched_or_is_no_python_that_tests(environment: Path, tmp_path: Path, command: str) -> None:
    assert started(command, environment, tmp_path) == []


def test_what_goes_first(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = src lib\n")
    (script_run,) = started("python -E tools/x.py", environment, tmp_path)
    (module,) = started("python -E -m unittest", environment, tmp_path)
    (tests,) = started("python -I -m pytest", environment, tmp_path)
    assert script_run.first == [str(tmp_path / "tools")]
    assert module.first == [str(tmp_path)]
    assert tests.first == [str(tmp_path / "src"), str(tmp_path / "lib")]


@pytest.mark.parametrize(
    ("words", "kind", "name", "options"),
    [
        ("-m pytest.x -I", "m", "pytest", ""),
        ("-Impytest", "m", "pytest", "I"),
        ("-c pass", "c", "", ""),
        ("-X dev -Wd -b x.py -E", "script", "x.py", "XWb"),
        ("-", "", "", ""),
        ("--version", "", "", ""),
    ],
)
def test_what_an_interpreter_is_asked_to_run(words: str, kind: str, name: str, options: str) -> None:
    asked = asked_for(words.split())
    assert (asked.kind, asked.name, asked.options) == (kind, name, frozenset(options))
