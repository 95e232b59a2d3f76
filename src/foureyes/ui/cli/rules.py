"""Texts of rules, as `fe help P2` prints them. No project is needed."""

from __future__ import annotations

import re
from collections.abc import Sequence

from foureyes.config import rules as book
from foureyes.config.rules import Rule, RuleGroup
from foureyes.errors import NotFound
from foureyes.steps import fe
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session


def explain(session: Session, ids: Sequence[str]) -> None:
    """Print rules and groups of rules. Without ids, print one line per rule."""
    chosen = [_named(name) for name in dict.fromkeys(word.strip().upper() for word in ids)]
    if session.json:
        output.write_lines(chosen or book.by_id().values())
    elif chosen:
        output.write("\n\n".join(_text(each) for each in chosen))
    else:
        output.write("\n\n".join(_heading(group) + "\n" + _lines(group.rules) for group in book.groups()))


def is_rule(name: str) -> bool:
    """Return True if this has the form of a rule's id, or of a group's letter."""
    return re.fullmatch(r"[A-Za-z]\d*", name.strip()) is not None


def _named(name: str) -> Rule | RuleGroup:
    """Return the named rule or group. An unknown name suggests the nearest one."""
    known: dict[str, Rule | RuleGroup] = {**book.by_id(), **{group.letter: group for group in book.groups()}}
    if name in known:
        return known[name]
    from difflib import get_close_matches

    close = get_close_matches(name, known, n=1, cutoff=0.3)
    hint = f" Did you mean {close[0]}?" if close else ""
    raise NotFound(
        f"there is no rule {name[:40]}.{hint}", next_step=fe("help", close[0][0]) if close else fe("help", "rules")
    )


def _text(each: Rule | RuleGroup) -> str:
    """Return a rule in full, or a group with its text and one line per rule."""
    if isinstance(each, Rule):
        return f"{each.id}\n\n{each.text}"
    return "\n\n".join(part for part in (_heading(each), each.text, _lines(each.rules)) if part)


def _heading(group: RuleGroup) -> str:
    return f"{group.letter}. {group.title}"


def _lines(rules: Sequence[Rule]) -> str:
    return "\n".join(f"  {rule.id:<3} {rule.summary}{'' if rule.built else ' (not built yet)'}" for rule in rules)
