"""The few settings of a repository that must be known before git is asked: read from its config file, no program."""

from __future__ import annotations

from foureyes.adapters.folders import MB, read
from foureyes.errors import GitProblem

LARGEST = 16 * MB
_ESCAPES = {"n": "\n", "t": "\t", "b": "\b"}
_TRUE = frozenset({"true", "yes", "on", "1"})


def read_settings(path: str) -> dict[str, str]:
    """`section.key` in lower case to value; the last one wins. Subsections and includes are left out: git itself takes
    none of the settings asked for here from them. A missing file is empty."""
    try:
        text = read(path, LARGEST, follow=True).decode("utf-8", "surrogateescape")
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as problem:
        raise GitProblem(f"the git configuration {path} cannot be read: {problem.strerror}") from problem
    settings: dict[str, str] = {}
    section = ""
    for line in text.replace("\\\n", "").split("\n"):
        line = line.strip()
        if line.startswith("["):
            name, _, line = line[1:].partition("]")
            section, line = name.strip().lower(), line.strip()
        if line and line[0] not in "#;" and section and " " not in section:
            key, equals, value = line.partition("=")
            settings[f"{section}.{key.strip().lower()}"] = _value(value) if equals else "true"
    return settings


def is_true(value: str | None) -> bool:
    """What git takes for true."""
    return value is not None and value.lower() in _TRUE


def _value(text: str) -> str:
    """A value without its quotes, escapes and comment."""
    out, quoted, characters = "", False, iter(text.strip())
    for character in characters:
        if character == "\\":
            escaped = next(characters, "")
            out += _ESCAPES.get(escaped, escaped)
        elif character == '"':
            quoted = not quoted
        elif character in "#;" and not quoted:
            return out.rstrip()
        else:
            out += character
    return out
