"""Symbolic links of a tree: under which other names a change is reached by them (A4)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from foureyes.core.words.folding import folded_path

MOST_FOLLOWED = 40
"""As many links one after the other as a system follows."""


def other_names(links: Mapping[str, str], changed: Iterable[str]) -> list[str]:
    """The names under which links lead to what is changed: the link itself, or a path below a link to a folder.

    A change anywhere on the way counts: a link that another one leads over, or what is put in the place of a folder.
    """
    if not links:
        return []
    paths = {folded_path(path) for path in changed}
    below: dict[str, list[str]] = defaultdict(list)
    for path in paths:
        for folder in _folders(path):
            below[folder].append(path)
    known = {folded_path(path): text for path, text in links.items()}
    names: dict[str, None] = {}
    for link, text in links.items():
        for place in _way(link, text, known):
            if place in paths or any(folder in paths for folder in _folders(place)):
                names[link] = None
            start = len(place) + 1 if place else 0
            names |= {f"{link}/{path[start:]}": None for path in below.get(place, ())}
    return list(names)


def _folders(path: str) -> list[str]:
    """The folders that a path lies in; the first is the top of the tree."""
    parts = path.split("/")
    return ["/".join(parts[:many]) for many in range(len(parts))]


def _way(link: str, text: str, links: Mapping[str, str]) -> list[str]:
    """The links that a link leads over, and where it ends, without case; empty where it leaves the tree or never
    ends.
    """
    way: list[str] = []
    here = folded_path(link).split("/")[:-1]
    ahead = text.split("/")[::-1]
    if text.startswith("/"):
        return []
    while ahead:
        part = ahead.pop()
        if part == "..":
            if not here:
                return []
            here.pop()
        elif part not in ("", "."):
            here.append(folded_path(part))
            place = "/".join(here)
            if place in links:
                way.append(place)
                if len(way) > MOST_FOLLOWED or links[place].startswith("/"):
                    return []
                here.pop()
                ahead += links[place].split("/")[::-1]
    return [*way, "/".join(here)]
