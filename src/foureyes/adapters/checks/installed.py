"""Environments that use a checkout in place (D5): an editable install, a path file, a link, or a copy made of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from glob import escape, glob

from foureyes.adapters.checks.code_origin import NOTE, installed_from
from foureyes.adapters.folders import read

MOST_BYTES = 1_000_000


def sites_of(program: str) -> list[str]:
    """Where the environment of an interpreter has what is installed, as environments are laid out."""
    home = os.path.dirname(os.path.dirname(os.path.abspath(program)))
    return sorted(glob(os.path.join(escape(home), "lib*", "*", "*-packages")))


def used_in_place(sites: Sequence[str], checkouts: Sequence[str]) -> str:
    """The first directory of a checkout that an environment names; empty where there is none."""
    for site in sites:
        for path in _named_in(site):
            real = os.path.realpath(path)
            if any(real == root or real.startswith(root + "/") for root in checkouts):
                return real
    return ""


def _named_in(site: str) -> Iterator[str]:
    with suppress(OSError):
        for entry in sorted(os.listdir(site), key=lambda name: (name.endswith(".dist-info"), name)):
            path = os.path.join(site, entry)
            if entry.endswith((".pth", ".egg-link")):
                yield from (line.strip() for line in _text(path).split("\n") if line.startswith("/"))
            elif entry.endswith(".dist-info"):
                yield from filter(None, [installed_from(_text(os.path.join(path, NOTE)))[0]])
            elif os.path.islink(path):
                yield path


def _text(path: str) -> str:
    try:
        return read(path, MOST_BYTES, follow=True).decode("utf-8", "surrogateescape")
    except OSError:
        return ""
