"""Files of its tree that a run left as others: what it says is then about something that nobody committed (D5)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foureyes.core.nouns.check_rule import CheckRule
from foureyes.core.words.globs import matching
from foureyes.core.words.text import visible

NAMED = 3
"""So many are named in one line."""


class Rewritten(msgspec.Struct, frozen=True):
    """Paths at which something else is than was committed, or nothing: since `built`, the end of `checkout.build`, or
    since the check that came after it.
    """

    built: tuple[str, ...] = ()
    checked: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.built or self.checked)


def unlisted(rule: CheckRule, rewritten: Rewritten) -> Rewritten:
    """D5: what neither the check's `writes` nor, of the build's, the checkout's let it write."""
    by_build = rule.checkout.writes if rule.checkout is not None else ()
    return Rewritten(_without(rewritten.built, by_build), _without(rewritten.checked, rule.writes))


def _without(paths: Sequence[str], globs: Sequence[str]) -> tuple[str, ...]:
    let = frozenset(matching(paths, globs))
    return tuple(path for path in paths if path not in let)


def in_words(rewritten: Rewritten) -> str:
    """What was changed, and by what."""
    parts = [_named(rewritten.built) + " by checkout.build"] if rewritten.built else []
    parts += [_named(rewritten.checked)] if rewritten.checked else []
    return f"changed {', and '.join(parts)}"


def what_to_do(rewritten: Rewritten) -> str:
    """How the next run is about what was committed."""
    names = ["checkout.writes"] if rewritten.built else []
    names += ["writes of its [[checks]]"] if rewritten.checked else []
    return f"commit that as the run leaves it, or let {' and '.join(names)} name it"


def unfit_in_words(paths: Sequence[str]) -> str:
    """What is to be committed besides, where a change asks for other packages than its lock files have."""
    return (
        f"{_named(paths)} did not fit what this change asks for, and the run changed it: commit it as the run leaves it"
    )


def _named(paths: Sequence[str]) -> str:
    more = len(paths) - NAMED
    return ", ".join(map(visible, paths[:NAMED])) + (f" and {more} more" if more > 0 else "") + " of its tree"
