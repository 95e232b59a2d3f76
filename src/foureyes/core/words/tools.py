"""The program that a command line is about."""

from __future__ import annotations

from foureyes.core.words.shape import Shape

STARTERS = frozenset("command env exec nice npx bunx uv uvx pipx poetry pdm hatch rye pnpm yarn run time".split())
"""Words before the tool that a command line is about."""

COMPOUND = Shape(r"[;|\n`]|(?<!>)&|\$\(")
PYTHON = Shape(r"(python|pypy)[0-9.]*")
SETTING = Shape(r"[A-Za-z_][A-Za-z0-9_]*=")


def tool_of(command: str) -> str:
    """The program that a command line is about, as far as one can tell; empty where that is not the whole line's."""
    if COMPOUND.search(command):
        return ""
    words = command.split()
    while words:
        name = words[0].rpartition("/")[2]
        if SETTING.match(words[0]):
            words = words[1:]
        elif PYTHON.fullmatch(name):
            return _module_of(words[1:])
        elif name not in STARTERS:
            return name
        else:
            words = words[1:]
            while words and words[0].startswith("-"):
                words = words[1:]
    return ""


def _module_of(words: list[str]) -> str:
    """What Python runs: a module, or the script that its first argument is."""
    if words and not words[0].startswith("-"):
        return words[0].rpartition("/")[2]
    return words[words.index("-m") + 1].partition(".")[0] if "-m" in words[:-1] else ""
