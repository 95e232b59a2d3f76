"""Which change a decision is about (D7): the attempt and the beginning of its diff id, as whoever looked names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from foureyes.core.nouns.attempt import EarlierAttempt, same_change
from foureyes.core.words.fence import named
from foureyes.core.words.ids import SEEN_DIGITS, SEEN_FORM, seen_name
from foureyes.core.words.shape import Shape
from foureyes.errors import Reason
from foureyes.steps import fe

if TYPE_CHECKING:
    from foureyes.core.nouns.session import Party
    from foureyes.core.rules.facts import Facts

WHOLE = 64
TYPED_SHOWN = 20
"""How much of what somebody typed is said back."""
_NUMBER = Shape(r"[1-9][0-9]{0,8}\Z")
_DIGITS = Shape(r"[0-9a-f]{1,64}\Z")
_FORM = f"{SEEN_FORM}, like {seen_name(2, '9b20c4d1')}, or the whole diff id"


class SeenDiff(NamedTuple):
    """What somebody says they saw: an attempt's number, if they gave one, and digits of its diff id."""

    attempt: int | None
    digits: str

    @property
    def is_form(self) -> bool:
        """Whether it can mean one change only. Digits alone have to be all of them: two changes that begin alike are
        found in a second.
        """
        return len(self.digits) >= (WHOLE if self.attempt is None else SEEN_DIGITS)


def read_seen(text: str) -> SeenDiff | None:
    """`2.9b20c4d1`, or digits with or without their `sha256:`; None for anything else."""
    number, dot, digits = text.strip().lower().rpartition(".")
    digits = digits.removeprefix("sha256:")
    if not _DIGITS.match(digits) or (dot and not _NUMBER.match(number)):
        return None
    return SeenDiff(int(number) if dot else None, digits)


def was_not_seen(facts: Facts, actor: Party, seen: str) -> Reason | None:
    """D7: an approval names the change that was looked at; a person on the command line may leave it out. What it is
    called now is never said: who looks again is told.
    """
    attempt = facts.attempt
    if attempt is None:
        return None
    look = fe("show", facts.task.id, "--diff")
    if not seen:
        missing = f"an agent has to name the diff that it reviewed: --seen {SEEN_FORM} is missing"
        return None if actor.kind == "human" else Reason("D7", missing, look)
    given = read_seen(seen)
    if given is None or not given.is_form:
        return Reason(
            "D7", f"--seen {named(seen.strip()[:TYPED_SHOWN])} names no change: it takes {_FORM}; {_lacks(given)}", look
        )
    if not has_moved(facts, seen):
        return None
    typed, meant = seen.strip()[:TYPED_SHOWN], _named(facts, given)
    words = f"the change moved during your review: you saw {typed}, and attempt {attempt.n} is another change"
    if not meant:
        words = f"no attempt of {facts.task.id} was ever {typed}: --seen takes {_FORM}, as it was printed"
    elif given.attempt is None and attempt.n in [each.n for each in meant]:
        words = f"more than one attempt has this diff id, and attempt {attempt.n} is a rework: say which one you saw"
    return Reason("D7", words, look)


def _lacks(given: SeenDiff | None) -> str:
    """What is missing in something that is not of the form."""
    if given is None:
        return "it is printed behind the word diff"
    if given.attempt is None:
        return "digits alone may begin another change, too"
    return f"at least {SEEN_DIGITS} digits of the diff id"


def has_moved(facts: Facts, seen: str) -> bool:
    """D7: whether another change was looked at than the one that is there now."""
    given = read_seen(seen)
    if facts.attempt is None or given is None or not given.is_form:
        return False
    named = _named(facts, given)
    return not named or not {attempt.n for attempt in named} <= same_as_latest(facts)


def name_of_seen(facts: Facts, seen: str) -> str:
    """The change that was looked at, as the record has it; empty where none was named."""
    given = read_seen(seen)
    named = _named(facts, given) if given is not None else []
    return seen_name(named[-1].n, named[-1].diff_id) if named else ""


def same_as_latest(facts: Facts) -> frozenset[int]:
    """A3: the numbers of the attempts that are the same change as the latest."""
    return same_change(_handed_in(facts))


def _handed_in(facts: Facts) -> list[EarlierAttempt]:
    """Every attempt, the latest last."""
    latest = facts.attempt
    return [*facts.earlier, *([EarlierAttempt(latest.n, latest.diff_id, latest.relation)] if latest else [])]


def _named(facts: Facts, given: SeenDiff) -> list[EarlierAttempt]:
    """The attempts that are meant: the one of this number, or all that have this diff id."""
    everything = _handed_in(facts)
    if given.attempt is None:
        return [each for each in everything if _digits(each) == given.digits]
    return [each for each in everything if each.n == given.attempt and _digits(each).startswith(given.digits)]


def _digits(attempt: EarlierAttempt) -> str:
    return attempt.diff_id.removeprefix("sha256:")
