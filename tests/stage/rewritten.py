"""Files of tests are compiled once, by as many processes as there are processors, before the workers begin: in a fresh
checkout each worker would compile all of them, ten seconds of a processor each. So is hypothesis' list of the letters
that UTF-8 has, more than a second each.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from _pytest.assertion import rewrite
from hypothesis.internal.charmap import intervals_from_codec

FEW = 40
"""So many are left to the workers."""
LETTERS = Path("letters")
"""In the place of a file: what hypothesis draws from."""


def compiled(file: Path) -> Path:
    """Where pytest looks for the compiled file."""
    return rewrite.get_cache_dir(file) / f"{file.stem}{rewrite.PYC_TAIL}"


def is_stale(file: Path) -> bool:
    """Whether it has to be compiled."""
    return rewrite._read_pyc(file, compiled(file)) is None


def compile_one(file: Path, config: pytest.Config) -> None:
    """As pytest would when it imports it."""
    rewrite.try_makedirs(compiled(file).parent)
    found, code = rewrite._rewrite_test(file, config)
    rewrite._write_pyc(config.stash[rewrite.assertstate_key], code, found, compiled(file))


def shared(files: Sequence[Path], count: int, work: Callable[[Path], None]) -> None:
    """Each of some processes does its part; what cannot be compiled is said by who imports it."""
    children = []
    for number in range(count):
        child = os.fork()
        if child == 0:
            try:
                for file in files[number::count]:
                    with contextlib.suppress(Exception):
                        work(file)
            finally:
                os._exit(0)
        children.append(child)
    for child in children:
        os.waitpid(child, 0)


def ahead(config: pytest.Config) -> None:
    """Compile what is new, where several workers are about to run everything."""
    workers = 0 if hasattr(config, "workerinput") else config.getoption("numprocesses", 0)
    everything = [config.rootpath / "tests"]
    if not workers or sys.dont_write_bytecode or [config.rootpath / argument for argument in config.args] != everything:
        return
    files = sorted((*everything[0].rglob("test_*.py"), *everything[0].rglob("conftest.py")))
    stale = [file for file in files if not compiled(file).exists()]
    if len(stale) > FEW:
        shared([LETTERS, *stale], os.cpu_count() or 1, lambda file: make_one(file, config))


def make_one(file: Path, config: pytest.Config) -> None:
    """Compile a file, or list the letters: hypothesis keeps them."""
    if file == LETTERS:
        intervals_from_codec("utf-8")
    else:
        compile_one(file, config)
