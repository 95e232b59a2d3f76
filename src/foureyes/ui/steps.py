"""Next steps as text for the command line. Only this module turns steps into text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from foureyes.steps import Steps

if TYPE_CHECKING:
    from foureyes.steps import Arg, Step, Who

RUNS: dict[Who, str] = {
    "you": "",
    "person": "a person runs: ",
    "person_or_service": "a person or CI runs: ",
    "other": "someone else runs: ",
    "lead": "the lead runs: ",
}
SAFE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-")
"""Characters that a shell does not interpret, as in `shlex`, which most refusals then need not import."""


def steps_text(steps: Steps) -> str:
    """Return steps on one line, to be read and typed."""
    return "".join(_step(step) for step in steps.steps)


def next_line(steps: Steps) -> str:
    """Return the last line of an answer, with the next steps."""
    return f"next: {steps_text(steps)}"


def for_json(value: object) -> str:
    """Return the text of next steps, which JSON has no form for."""
    if isinstance(value, Steps):
        return steps_text(value)
    raise NotImplementedError(f"{type(value).__name__} has no form in JSON")


def _step(step: Step) -> str:
    before, after = _flat(step.before), _flat(step.after)
    if not step.argv:
        return before + after
    command = " ".join(_word(word) for word in step.argv)
    return f"{before}{_flat(step.says or RUNS[step.who])}{command}{after}"


def _flat(words: str) -> str:
    """Return the text around a command on one line. A name in it must not end the line."""
    if words.isprintable():
        return words
    from foureyes.core.words.text import flat

    return flat(words)


def _word(word: str | Arg) -> str:
    if not isinstance(word, str):
        return f"{word.quote}{word.name}{word.quote}"
    if word and SAFE.issuperset(word):
        return word
    from foureyes.core.words.text import shown

    if shown(word) != word:
        return f"$'{''.join(map(_escaped, word))}'"
    from shlex import quote

    return quote(word)


def _escaped(character: str) -> str:
    """Return a character as it stands within `$'…'`. An invisible one is written as its bytes, so that people type what
    they read.
    """
    if character in "\\'":
        return f"\\{character}"
    if character.isascii() and character.isprintable():
        return character
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))
