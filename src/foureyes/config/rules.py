"""The rules by id: what a refusal cites can be looked up. Their text is the file `rules.md` of the package."""

from __future__ import annotations

import os
import re
from functools import cache

import msgspec

UNBUILT = "Not built yet:"
"""How a paragraph begins that says what is meant and not done yet."""

DETAIL = "In detail:"
"""The line below the two sentences that every rule begins with."""

FIRST_SENTENCE = re.compile(r".*?\.(?=\s|$)", re.DOTALL)


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule: its id, its first sentence and its whole text. `built` is false where nothing of it is done yet."""

    id: str
    summary: str
    text: str
    built: bool = True


class RuleGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The rules under one letter, with what is said about all of them."""

    letter: str
    title: str
    text: str
    rules: tuple[Rule, ...]


@cache
def groups() -> tuple[RuleGroup, ...]:
    """Every group in the order of the page."""
    return tuple(_group(section) for section in _sections(text(), "## "))


def text() -> str:
    """The whole page."""
    with open(os.path.join(os.path.dirname(__file__), "rules.md"), encoding="utf-8") as file:
        return file.read()


def by_id() -> dict[str, Rule]:
    """Every rule by its id."""
    return {rule.id: rule for group in groups() for rule in group.rules}


def _sections(page: str, mark: str) -> list[str]:
    """The parts of a page that begin with a heading of one level, without the mark."""
    return re.split(rf"^{re.escape(mark)}", page, flags=re.MULTILINE)[1:]


def _group(section: str) -> RuleGroup:
    heading, _, body = section.partition("\n")
    letter, _, title = heading.partition(". ")
    about = re.split(r"^### ", body, maxsplit=1, flags=re.MULTILINE)[0]
    rules = tuple(_rule(part) for part in _sections(body, "### "))
    return RuleGroup(letter=letter, title=title, text=about.strip(), rules=rules)


def _rule(section: str) -> Rule:
    name, _, body = section.partition("\n")
    about = body.strip()
    sentence = FIRST_SENTENCE.match(about.removeprefix(UNBUILT).strip())
    if sentence is None:
        raise ValueError(f"rule {name} has no sentence")
    summary = " ".join(sentence.group().split())
    return Rule(id=name, summary=summary[0].upper() + summary[1:], text=about, built=not about.startswith(UNBUILT))
