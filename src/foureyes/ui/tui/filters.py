"""Filters: words and `name:value` pairs that narrow a list. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

import msgspec

from foureyes.app.results.board import Card
from foureyes.ui.tui.marks import visible

if TYPE_CHECKING:
    from foureyes.app.results.review import QueueRow

HELP = """Words narrow by id and title. These narrow by what a task is:

  label:docs        has the label
  risk:high         look closely (high), look (medium), routine (low)
  it:2  it:>2       iteration
  mode:auto         per-task, batch, auto-approve, skip (a beginning will do)
  agent:codex       who works on it or made it
  P0 … P4           priority
  mine              what I may approve
  seen:no           with hunks that I was not shown
  4812              the row with this number

Several must all fit. Esc clears the filter."""


class Filter(msgspec.Struct, frozen=True, kw_only=True):
    """What was typed, and what it means."""

    text: str = ""
    words: tuple[str, ...] = ()
    pairs: tuple[tuple[str, str], ...] = ()

    @property
    def is_mine(self) -> bool:
        """Whether it asks for what the reader may approve."""
        return ("mine", "") in self.pairs

    def no_match(self, total: int) -> str:
        """What is said where nothing passes, and which of its words only look like a filter."""
        names = dict.fromkeys(word.partition(":")[0] for word in self.words if word.find(":") > 0)
        known = ", ".join(f"{name}:" for name in NAMES)
        hint = f" {', '.join(f'{visible(name)}:' for name in names)} is no filter ({known} are)." if names else ""
        return f'No task matches "{visible(self.text)}".{hint} Esc clears the filter ({total:,} tasks).'

    def fits(self, row: Card | QueueRow, *, number: int = 0, unseen: int | None = None) -> bool:
        """Whether a row passes."""
        words = searched(row)
        if not all(word in words or (word.isdecimal() and number and int(word) == number) for word in self.words):
            return False
        return self._pairs_fit(row, unseen)

    def among(
        self, rows: Sequence[QueueRow], texts: Sequence[str], unseen: Callable[[QueueRow], int | None]
    ) -> list[QueueRow]:
        """The rows that pass, of many: `texts` are theirs, made once and not at every key. Whose number was typed alone
        comes first: it is meant, not one whose name has these digits in it.
        """
        hits = list(zip(rows, texts, strict=True))
        for word in self.words:
            number = int(word) if word.isdecimal() else 0
            hits = [hit for hit in hits if word in hit[1] or (number and hit[0].n == number)]
        passing = [row for row, _ in hits if not self.pairs or self._pairs_fit(row, unseen(row))]
        meant = int(self.words[0]) if len(self.words) == 1 and self.words[0].isdecimal() else 0
        return sorted(passing, key=lambda row: row.n != meant) if meant else passing

    def _pairs_fit(self, row: Card | QueueRow, unseen: int | None) -> bool:
        return all(_pair(row, name, value, unseen) for name, value in self.pairs)


def searched(row: Card | QueueRow) -> str:
    """The text that words are looked for in."""
    return f"{row.task} {row.title}".lower()


def parse(text: str) -> Filter:
    """What was typed, read. A name that filters do not know is an ordinary word."""
    words, pairs = [], []
    for word in text.lower().split():
        name, colon, value = word.partition(":")
        if colon and name in NAMES:
            pairs.append((name, value))
        elif word in ("mine", "p0", "p1", "p2", "p3", "p4"):
            pairs.append(("mine", "") if word == "mine" else ("priority", word[1:]))
        else:
            words.append(word)
    return Filter(text=text.strip(), words=tuple(words), pairs=tuple(pairs))


NAMES: Sequence[Literal["label", "risk", "it", "mode", "agent", "seen"]] = (
    "label",
    "risk",
    "it",
    "mode",
    "agent",
    "seen",
)


def _pair(row: Card | QueueRow, name: str, value: str, unseen: int | None) -> bool:
    queue, iteration = (row.review, row.iteration) if isinstance(row, Card) else (row, row.attempt)
    if name == "label":
        return any(value in label.lower() for label in row.labels)
    if name == "priority":
        return row.priority == int(value)
    if name == "agent":
        return value in row.owner.lower()
    if name == "it":
        return _number(iteration, value)
    if queue is None:
        return False
    if name == "risk":
        return bool(queue.risk.level.startswith(value))
    if name == "mode":
        return bool(queue.mode.startswith(value))
    if name == "mine":
        return bool(queue.you.may_approve)
    return (unseen is None or unseen > 0) if value in ("no", "") else unseen == 0


def _number(iteration: int, value: str) -> bool:
    sign, digits = (value[0], value[1:]) if value[:1] in "<>" and value else ("", value)
    if not digits.isdecimal():
        return False
    return (
        iteration > int(digits) if sign == ">" else iteration < int(digits) if sign == "<" else iteration == int(digits)
    )
