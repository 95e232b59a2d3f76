"""The rules as a page: what `fe help rules` prints, with every id a link to its text."""

from __future__ import annotations

import re

from foureyes.config import rules

ID = re.compile(r"(?<![\w`-])([A-Z](?:0|[1-9][0-9]?))(?![\w`-])")
UNTOUCHED = re.compile(r"(^#.*?$|^```.*?^```$|`[^`]*`|P0, highest|P0 to P4)", re.MULTILINE | re.DOTALL)
"""Headings, code, and priorities that look like rules."""


def linked(text: str, page: str = "") -> str:
    """Markdown in which every id of a rule leads to its text; headings and what stands in backticks stay."""
    known = rules.by_id()

    def link(found: re.Match[str]) -> str:
        name = found.group(1)
        return f"[{name}]({page}#{name.lower()})" if name in known else name

    return "".join(part if UNTOUCHED.fullmatch(part) else ID.sub(link, part) for part in UNTOUCHED.split(text))


def body() -> str:
    """The page without its title: what it is, a way to each group, the rules."""
    _, _, text = rules.text().partition("\n")
    about, mark, rest = text.partition("\n## ")
    ways = "\n".join(f"- [{group.letter}. {group.title}](#{anchor(group)})" for group in rules.groups())
    return linked(f"{about.strip()}\n\n{ways}\n\n{mark.strip()} {rest}")


def anchor(group: rules.RuleGroup) -> str:
    """The anchor that a heading of a group gets."""
    return f"{group.letter}. {group.title}".lower().replace(".", "").replace(",", "").replace(" ", "-")
