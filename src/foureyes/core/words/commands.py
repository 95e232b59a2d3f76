"""The files that a command or script runs, or reads to know what to run. (M4)"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from foureyes.core.words.folding import folded_path

VARIABLE = re.compile(r"\$\{[^}]*\}|\$\([^()]*\)|\$\w+|\$\$|\$[@#*?]")
WORD = re.compile(r"[^\w./@+-]+")
MODULE = re.compile(r"(?:^|\s)-m\s+([\w.]+)")
READS = {
    **dict.fromkeys("make gmake".split(), ("GNUmakefile", "makefile", "Makefile")),
    **dict.fromkeys("npm npx pnpm yarn bun".split(), ("package.json",)),
    **dict.fromkeys("gradle gradlew".split(), ("build.gradle", "build.gradle.kts")),
    "just": ("justfile", "Justfile", ".justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    "rake": ("Rakefile",),
    "tox": ("tox.ini",),
    "nox": ("noxfile.py",),
    "composer": ("composer.json",),
    "ant": ("build.xml",),
}
"""Files that a program reads without being told, such as a Makefile."""
OF_A_MODULE = (".py", "/__init__.py", "/__main__.py")
OF_NODE = (".js", ".cjs", ".mjs", ".ts")
"""Suffixes that a node script may omit."""
RUNNABLE = frozenset(
    " bash bat cfg cjs cmd conf cts fish gradle groovy ini js json kts lua mjs mk mts php pl ps1 py rb sh tcl toml ts xml"
    " yaml yml zsh".split(" ")
)
"""Suffixes of scripts and their settings. Other files in a script (sources, pages) are its input."""
MOST_WORDS = 40
"""Longest command to search for paths, in words. A longer one is no plain script call."""


class NamedFiles(NamedTuple):
    """The words of a command or script that may be paths, also in folded form.

    `folder` is the script's folder.
    """

    words: frozenset[str]
    plain: frozenset[str]
    folder: str = ""

    def has(self, path: str) -> bool:
        """Return True if this path may be one of the named files, from the top of the tree or below a named folder."""
        plain = folded_path(path)
        if plain in self.plain:
            return True
        parts = plain.split("/")
        ways = (("/".join(parts[:n]), "/".join(parts[n:])) for n in range(1, len(parts)))
        return any(name in self.plain and (top == self.folder or top in self.plain) for top, name in ways)

    def candidates(self) -> Iterator[str]:
        """Yield the paths that the words of a command may mean."""
        words = sorted(self.words)[:MOST_WORDS]
        yield from words
        yield from (f"{folder}/{word}" for folder in words for word in words if folder != word)


@lru_cache(maxsize=64)
def named_by(text: str, folder: str = "") -> NamedFiles:
    """Return the names in a command, or in a script in this folder."""
    words: set[str] = set()
    for word in filter(None, WORD.split(VARIABLE.sub("", text))):
        path = _from_top(word, folder)
        words.add(path)
        words.update(READS.get(path.rpartition("/")[2], ()))
        words.update(f"{path}{end}" for end in OF_NODE if "/" in path)
    for module in MODULE.findall(text):
        words.update(module.replace(".", "/") + end for end in OF_A_MODULE)
    words.discard("")
    return NamedFiles(frozenset(words), frozenset(map(folded_path, words)), folded_path(folder))


def _from_top(word: str, folder: str) -> str:
    """Return a word as a path from the top of the tree, resolving `..` from the script's folder."""
    parts: list[str] = []
    up = 0
    for part in word.split("/"):
        if part == ".." and parts:
            parts.pop()
        elif part == "..":
            up += 1
        elif part not in ("", "."):
            parts.append(part)
    above = folder.split("/")[:-up] if up and folder else []
    return "/".join([*above, *parts])


def script_text(path: str, text: str, command: str) -> str:
    """Return the part of a file that a command runs. For `package.json` these are the named scripts and the scripts
    they call.
    """
    return _scripts(text, command) if path.rpartition("/")[2] == "package.json" else text


def _scripts(text: str, command: str) -> str:
    import msgspec

    try:
        found = msgspec.json.decode(text.encode())
    except msgspec.DecodeError:
        return ""
    scripts = found.get("scripts") if isinstance(found, dict) else None
    if not isinstance(scripts, dict):
        return ""
    asked, known = command, ""
    while True:
        words = set(re.split(r"[\s\"';&|()]+", asked)) | ({"test"} if re.search(r"\b(t|tst)\b", asked) else set())
        wanted = {f"{before}{word}" for word in words for before in ("", "pre", "post")}
        more = " ; ".join(str(run) for name, run in scripts.items() if name in wanted)
        if more == known:
            return more
        asked, known = f"{command} {more}", more


def called_by(scripts: Iterable[NamedFiles], paths: Sequence[str]) -> list[str]:
    """Return the paths that one of these scripts names and that can be run or configure a run."""
    return [path for path in paths if _is_runnable(path) and any(script.has(path) for script in scripts)]


def _is_runnable(path: str) -> bool:
    name = path.rpartition("/")[2]
    return name.rpartition(".")[2].lower() in RUNNABLE if "." in name.lstrip(".") else True
