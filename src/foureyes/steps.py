"""Next steps as values: commands, who types them, and the text around them. (G2)

Refusals, answers and diagnoses have `Steps`, and each interface shows them in its own way. No code has to take a
command out of a sentence.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Who = Literal["you", "person", "person_or_service", "other", "lead"]
"""Who types a command: the caller, a person, a person or a service, someone other than the caller, or the lead of a
loop.
"""

Follows = Literal["", "or", "then"]
"""How a step relates to the one before it: another way, or what comes after it."""


class Arg(msgspec.Struct, frozen=True):
    """An argument that is not typed as it stands. The user replaces it (`TASK`, `"why"`) or takes one of its `choices`.
    `quote` has the marks around it.
    """

    name: str
    quote: Literal["", '"', "'"] = ""
    choices: tuple[str, ...] = ()


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One step: a command with the text before and after it, or only text if there is no `argv`.

    `says` introduces the person who types it, if the usual words do not fit ("its creator closes it: ").
    """

    argv: tuple[str | Arg, ...] = ()
    who: Who = "you"
    says: str = ""
    before: str = ""
    after: str = ""
    follows: Follows = ""


class Steps:
    """Next steps: one, several alternatives, several in turn, or none.

    This is not a msgspec type on purpose, so that each interface decides by its `enc_hook` how to encode it.
    """

    __slots__ = ("steps",)

    def __init__(self, *steps: Step) -> None:
        self.steps = steps

    def __bool__(self) -> bool:
        return bool(self.steps)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Steps) and self.steps == other.steps

    def __hash__(self) -> int:
        return hash(self.steps)

    def __repr__(self) -> str:
        return f"Steps{self.steps!r}"

    def __add__(self, other: Steps) -> Steps:
        return Steps(*self.steps, *other.steps)


NO_STEP = Steps()


def fe(*argv: str | Arg, before: str = "", after: str = "") -> Steps:
    """Return a step with a command of ours: `fe("show", task)`."""
    return shell("fe", *argv, before=before, after=after)


def shell(*argv: str | Arg, before: str = "", after: str = "") -> Steps:
    """Return a step with a command of another program: `shell("git", "fsck")`."""
    return Steps(Step(argv=argv, before=before, after=after))


def unshallow(remote: str = "") -> Steps:
    """Return the command that fetches the history missing in a clone made with `--depth`."""
    return shell("git", "fetch", "--unshallow", *([remote] if remote else []))


def prose(text: str) -> Steps:
    """Return a step that is no command: `prose("name another file")`."""
    return Steps(Step(before=text))


def blank(name: str) -> Arg:
    """Return a word to fill in: `TASK`."""
    return Arg(name)


def phrase(text: str) -> Arg:
    """Return words to fill in, shown in quotation marks: `"why"`."""
    return Arg(text, '"')


def one_of(*choices: str) -> Arg:
    """Return a choice of words: `(--fixed or --rejected)`. If typed as it stands, a shell runs nothing. With bars it
    would be a pipe.
    """
    return Arg(f"({' or '.join(choices)})" if len(choices) > 1 else choices[0], choices=choices)


def by(who: Who, steps: Steps, says: str = "") -> Steps:
    """Return the steps as someone else's: `by("other", fe("approve", task), "someone else runs: ")`."""
    return Steps(*[msgspec.structs.replace(step, who=who, says=says) if step.argv else step for step in steps.steps])


def by_person(steps: Steps) -> Steps:
    """Return the steps as a person's."""
    return by("person", steps)


def by_person_or_service(steps: Steps) -> Steps:
    """Return the steps as those of a person or a service."""
    return by("person_or_service", steps)


def either(*ways: Steps, joint: str = " · ") -> Steps:
    """Return several ways, one of which is enough."""
    return _joined(ways, joint, "or")


def in_turn(*ways: Steps, joint: str = ", then: ") -> Steps:
    """Return several steps, one after the other."""
    return _joined(ways, joint, "then")


def _joined(ways: tuple[Steps, ...], joint: str, follows: Follows) -> Steps:
    first, *others = [way for way in ways if way]
    for way in others:
        head, *rest = way.steps
        first += Steps(msgspec.structs.replace(head, before=joint + head.before, follows=follows), *rest)
    return first
