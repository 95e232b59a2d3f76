"""What to do next, as a value (G2): commands as their words, who types them, and what is said around them.

A refusal, an answer or a finding of the doctor holds `Steps`; each face shows them in its own way. Nobody takes a
command out of a sentence.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Who = Literal["you", "person", "person_or_service", "other", "lead"]
"""Who types a command: the caller, a person, a person or a service, somebody else than the caller, who leads a loop."""

Follows = Literal["", "or", "then"]
"""What a step is to the one before it: another way, or what comes after it."""


class Arg(msgspec.Struct, frozen=True):
    """An argument that is not typed just as it stands: whoever types it puts something of their own in its place
    (`TASK`, `"why"`), or takes one of its `choices`. `quote`: the marks that it is shown in.
    """

    name: str
    quote: Literal["", '"', "'"] = ""
    choices: tuple[str, ...] = ()


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """One thing to do: a command, with what is said before and after it; or, without `argv`, only words.

    `says` is how a sentence names who types it, where that is not the usual way ("its creator closes it: ").
    """

    argv: tuple[str | Arg, ...] = ()
    who: Who = "you"
    says: str = ""
    before: str = ""
    after: str = ""
    follows: Follows = ""


class Steps:
    """What to do next: a step, several ways, several in turn, or nothing.

    No msgspec type on purpose: each face says, by its `enc_hook`, what becomes of it.
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
    """A command of ours: `fe("show", task)`."""
    return shell("fe", *argv, before=before, after=after)


def shell(*argv: str | Arg, before: str = "", after: str = "") -> Steps:
    """A command of another program: `shell("git", "fsck")`."""
    return Steps(Step(argv=argv, before=before, after=after))


def unshallow(remote: str = "") -> Steps:
    """What brings the history that a clone made with `--depth` lacks."""
    return shell("git", "fetch", "--unshallow", *([remote] if remote else []))


def prose(text: str) -> Steps:
    """Something to do that is no command: `prose("name another file")`."""
    return Steps(Step(before=text))


def blank(name: str) -> Arg:
    """A word to fill in: `TASK`."""
    return Arg(name)


def phrase(text: str) -> Arg:
    """Words to fill in, shown in quotation marks: `"why"`."""
    return Arg(text, '"')


def one_of(*choices: str) -> Arg:
    """One of these words: `(--fixed or --rejected)`. Typed as it stands a shell runs nothing; a bar would be a pipe."""
    return Arg(f"({' or '.join(choices)})" if len(choices) > 1 else choices[0], choices=choices)


def by(who: Who, steps: Steps, says: str = "") -> Steps:
    """Steps that somebody else takes: `by("other", fe("approve", task), "someone else runs: ")`."""
    return Steps(*[msgspec.structs.replace(step, who=who, says=says) if step.argv else step for step in steps.steps])


def by_person(steps: Steps) -> Steps:
    """Steps that a person takes."""
    return by("person", steps)


def by_person_or_service(steps: Steps) -> Steps:
    """Steps that a person or a service takes."""
    return by("person_or_service", steps)


def either(*ways: Steps, joint: str = " · ") -> Steps:
    """Several ways, one of which will do."""
    return _joined(ways, joint, "or")


def in_turn(*ways: Steps, joint: str = ", then: ") -> Steps:
    """Several steps, one after the other."""
    return _joined(ways, joint, "then")


def _joined(ways: tuple[Steps, ...], joint: str, follows: Follows) -> Steps:
    first, *others = [way for way in ways if way]
    for way in others:
        head, *rest = way.steps
        first += Steps(msgspec.structs.replace(head, before=joint + head.before, follows=follows), *rest)
    return first
