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
    """The links that a link leads over, and where it ends, without case; empty where it never ends.

    Where a checkout lies is nobody's to know here. So of a way that leaves the tree every end of it counts as a place
    inside: `../repo/docs/x` may come back to `docs/x`.
    """
    if text.startswith("/"):
        return _back([], text.split("/"), links)
    return _followed(folded_path(link).split("/")[:-1], text.split("/"), links, is_inside=True)


def _followed(here: list[str], parts: list[str], links: Mapping[str, str], *, is_inside: bool) -> list[str]:
    way: list[str] = []
    ahead = parts[::-1]
    while ahead:
        part = ahead.pop()
        if part == "..":
            if not here:
                return _back(way, ahead[::-1], links) if is_inside else way
            here.pop()
        elif part not in ("", "."):
            here.append(folded_path(part))
            place = "/".join(here)
            if place in links:
                way.append(place)
                if len(way) > MOST_FOLLOWED:
                    return []
                if links[place].startswith("/"):
                    rest = [*links[place].split("/"), *ahead[::-1]]
                    return _back(way, rest, links) if is_inside else way
                here.pop()
                ahead += links[place].split("/")[::-1]
    return [*way, "/".join(here)]


def _back(way: list[str], rest: list[str], links: Mapping[str, str]) -> list[str]:
    """The places that a way may come back to, of which the rest is known. Not the top itself: a folder that several
    checkouts share is an ordinary thing to link to. A `..` is gone back by where the links before it led.
    """
    parts = [part for part in rest if part not in ("", ".")]
    ends = [parts[start:] for start in range(max(0, len(parts) - MOST_FOLLOWED), len(parts)) if parts[start] != ".."]
    return [*way, *dict.fromkeys(place for end in ends for place in _followed([], end, links, is_inside=False))]
