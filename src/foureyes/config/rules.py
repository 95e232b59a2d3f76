"""The rules by id, so that users can look up what a refusal cites. Their text is in the package's `rules.md`."""

from __future__ import annotations

import os
import re
from functools import cache

import msgspec

UNBUILT = "Not built yet:"
"""The beginning of a paragraph about a part that is not built yet."""

DETAIL = "In detail:"
"""The line after the two sentences with which every rule begins."""

FIRST_SENTENCE = re.compile(r".*?\.(?=\s|$)", re.DOTALL)


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """One rule: its id, first sentence and whole text. `built` is False if the rule is not implemented at all."""

    id: str
    summary: str
    text: str
    built: bool = True


class RuleGroup(msgspec.Struct, frozen=True, kw_only=True):
    """The rules under one letter, with their introduction."""

    letter: str
    title: str
    text: str
    rules: tuple[Rule, ...]


@cache
def groups() -> tuple[RuleGroup, ...]:
    """Return every group in the order of the page."""
    return tuple(_group(section) for section in _sections(text(), "## "))


def text() -> str:
    """Return the whole page."""
    with open(os.path.join(os.path.dirname(__file__), "rules.md"), encoding="utf-8") as file:
        return file.read()


def by_id() -> dict[str, Rule]:
    """Return every rule by its id."""
    return {rule.id: rule for group in groups() for rule in group.rules}


def _sections(page: str, mark: str) -> list[str]:
    """Return the sections of a page at one heading level, without the heading mark."""
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
