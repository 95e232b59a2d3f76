"""Paths in a tree: globs, symbolic links (A4), paths written by other clones and tools, and names of secret files."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache

from foureyes.core.words.folding import folded_path
from foureyes.core.words.ids import Shape

# ---- Path globs of the configuration ----

PATHS = 4_096
"""Number of results cached per set of globs. Tasks ask about the same few paths again and again."""


@lru_cache(maxsize=256)
def _expression(glob: str) -> str:
    out = ""
    at = 0
    while at < len(glob):
        if glob.startswith("**/", at):
            out += "(?:.*/)?"
            at += 3
        elif glob.startswith("**", at):
            out += ".*"
            at += 2
        else:
            out += {"*": "[^/]*", "?": "[^/]"}.get(glob[at], re.escape(glob[at]))
            at += 1
    return out


@lru_cache(maxsize=256)
def _fits(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """Return a cached test for paths that match any of the globs. The globs become one expression, because a long queue
    tests thousands of paths.
    """
    pattern = re.compile("|".join(f"(?:{_expression(glob)})" for glob in globs), re.DOTALL)
    return lru_cache(maxsize=PATHS)(lambda path: pattern.fullmatch(path) is not None)


@lru_cache(maxsize=64)
def _fits_folded(globs: tuple[str, ...]) -> Callable[[str], bool]:
    """Like _fits(), but also match a path as another file system may read it."""
    fits, fits_folded = _fits(globs), _fits(tuple(folded_path(glob) for glob in globs))
    return lru_cache(maxsize=PATHS)(lambda path: fits(path) or fits_folded(folded_path(path)))


def matching(paths: Iterable[str], globs: Iterable[str]) -> list[str]:
    """Return the paths that match at least one glob, in order."""
    wanted = tuple(globs)
    return list(filter(_fits(wanted), paths)) if wanted else []


def matching_any_case(paths: Iterable[str], globs: Iterable[str]) -> list[str]:
    """Like matching(), but ignore case and match paths as other file systems may read them. Use it to protect paths,
    never to loosen a rule.
    """
    wanted = tuple(globs)
    return list(filter(_fits_folded(wanted), paths)) if wanted else []


# ---- Symbolic links of a tree ----

MOST_FOLLOWED = 40
"""Number of links to follow in a row, like an operating system's limit."""


def other_names(links: Mapping[str, str], changed: Iterable[str]) -> list[str]:
    """Return the other paths by which links lead to a changed path.

    These are the link itself, or the path below a link to a folder. A change anywhere on the way counts: to a link that
    another link passes through, or to a folder that was replaced.
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
    """Return the folders that contain a path. The first is the top of the tree."""
    parts = path.split("/")
    return ["/".join(parts[:many]) for many in range(len(parts))]


def _way(link: str, text: str, links: Mapping[str, str]) -> list[str]:
    """Return the links that a link passes through and the path it ends at, folded. Return [] if it never ends.

    Where the checkout lies is unknown here. If the way leaves the tree, every place where it may come back counts:
    `../repo/docs/x` may be `docs/x`.
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
    """Return the places where a way that left the tree may come back, given the rest of it. The top is excluded,
    because links to a folder shared by several checkouts are common.
    """
    parts = [part for part in rest if part not in ("", ".")]
    ends = [parts[start:] for start in range(max(0, len(parts) - MOST_FOLLOWED), len(parts)) if parts[start] != ".."]
    return [*way, *dict.fromkeys(place for end in ends for place in _followed([], end, links, is_inside=False))]


# ---- Lookup of tree paths by other names ----


class Tails:
    """A lookup of paths in the tree by their last parts. It finds nothing if several paths fit."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = set(paths)
        self._by_name: defaultdict[str, list[str]] = defaultdict(list)
        for path in self._paths:
            self._by_name[path.rpartition("/")[2]].append(path)

    def __contains__(self, path: str) -> bool:
        return path in self._paths

    def longest(self, path: str, least: int = 1) -> str:
        """Return the longest suffix of a path, with at least this many parts, that is in the tree. Use it for absolute
        paths from another clone.
        """
        parts = parts_of(path)
        ends = ("/".join(parts[at:]) for at in range(len(parts) + 1 - least))
        return next((end for end in ends if end in self._paths), "")

    def ending(self, path: str, near: Sequence[str] = ()) -> str:
        """Return the only path in the tree that ends with the given one. Programs report paths relative to their
        directory.

        If several fit, `near` (the parts of a package's name) decides.
        """
        parts = parts_of(path)
        if not parts:
            return ""
        fits = [each for each in self._by_name[parts[-1]] if each.split("/")[-len(parts) :] == parts]
        if len(fits) > 1 and near:
            shared = {each: _shared(each.split("/")[: -len(parts)], near) for each in fits}
            most = max(shared.values())
            fits = [each for each in fits if most and shared[each] == most]
        return fits[0] if len(fits) == 1 else ""


def _shared(folder: Sequence[str], near: Sequence[str]) -> int:
    """Return the number of parts that two paths have in common, from the end."""
    number = 0
    for here, there in zip(reversed(folder), reversed(near), strict=False):
        if here != there:
            break
        number += 1
    return number


def parts_of(path: str) -> list[str]:
    """Return the parts of a path without `.` and `..`."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return parts


# ---- Names of files that mostly hold a secret ----

_LIKELY = Shape(
    r"""
    \.env | \.env\..+ | .+\.env                          # variables of a deployment
    | .+\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|asc)  # keys and stores of keys
    | id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?               # ssh
    | credentials(?:\..+)? | .*[-_.]credentials(?:\..+)?
    | secrets?\.(?:ya?ml|json|toml|ini|env|txt)
    | service[-_]account.*\.json | client[-_]secret.*\.json
    | \.netrc | \.pgpass | \.pypirc | \.htpasswd | \.git-credentials
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SHOWN_TO_ALL = Shape(r".*(?:example|sample|template|dist|\.pub)(?:\..*)?", re.IGNORECASE)
_CODE = Shape(r".+\.(?:py|js|ts|go|rs|java|rb|php|c|h|cpp|cs|kt|swift|md|rst|html|sh)", re.IGNORECASE)


def is_likely_secret(path: str) -> bool:
    """Return True if the file's name suggests a secret. Templates and code files do not count."""
    name = path.rpartition("/")[2]
    return bool(_LIKELY.fullmatch(name)) and not _SHOWN_TO_ALL.fullmatch(name) and not _CODE.fullmatch(name)
