"""What to do next, in the words of the command line. The one place where steps become text."""

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
"""What a shell leaves alone, as `shlex` has it: most refusals need not load it."""


def steps_text(steps: Steps) -> str:
    """Steps on one line, to be read and typed."""
    return "".join(_step(step) for step in steps.steps)


def next_line(steps: Steps) -> str:
    """The last line of an answer."""
    return f"next: {steps_text(steps)}"


def for_json(value: object) -> str:
    """What JSON has no form for; the text of next steps."""
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
    """What is said around a command; a name in it ends no line."""
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
    """A character within `$'…'`, as its bytes where it does not show: what is read is what is typed."""
    if character in "\\'":
        return f"\\{character}"
    if character.isascii() and character.isprintable():
        return character
    return "".join(f"\\x{byte:02x}" for byte in character.encode("utf-8", "surrogateescape"))
