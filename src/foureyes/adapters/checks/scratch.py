"""Throwaway directories of checks: each nobody else's, none inside of a checkout, and gone in any case (D5)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from foureyes.adapters import folders
from foureyes.adapters.checks.code_origin import SCRATCH
from foureyes.adapters.process import ProcessProblem, run

INSIDE = ("work", "home", "tmp", "report", "home/.run")
REMOVING = 600.0


@contextmanager
def scratch(environ: Mapping[str, str], checkouts: Sequence[str]) -> Iterator[str]:
    """A place for one check, with all that is in one; removed in any case."""
    with made(environ, checkouts) as place:
        for name in INSIDE:
            os.mkdir(os.path.join(place, name), 0o700)
        yield place


@contextmanager
def made(environ: Mapping[str, str], checkouts: Sequence[str]) -> Iterator[str]:
    """An empty directory that nobody else can enter or guess; those of killed processes are removed first. Never in a
    checkout: tools look for their files in every directory above (node_modules, go.work, .cargo).
    """
    around = os.path.realpath(environ.get("TMPDIR") or "/tmp") + "/"  # noqa: S108
    if any(around.startswith(os.path.realpath(checkout) + "/") for checkout in checkouts):
        around = "/tmp"  # noqa: S108
    for place in folders.abandoned(around, SCRATCH):
        remove(place)
    place, held = folders.scratch(os.path.realpath(around), SCRATCH)
    try:
        yield place
    finally:
        os.close(held)
        remove(place)


def remove(place: str) -> None:
    """Also with directories that may not be written to or read, and with deeper ones than a recursion reaches."""
    import shutil

    try:
        shutil.rmtree(place)
    except FileNotFoundError:
        if not os.path.lexists(place):
            return
        _by_force(place)
    except (OSError, RecursionError):
        _by_force(place)


def _by_force(place: str) -> None:
    for command in (["/bin/chmod", "-R", "u+rwx", place], ["/bin/rm", "-rf", place]):
        with suppress(ProcessProblem):
            run(command, timeout=REMOVING)


def remains(place: str) -> str:
    """A line about what could not be removed: another user's files, made by a program that may do that."""
    return f"\n({place} could not be removed.)\n" if os.path.lexists(place) else ""
