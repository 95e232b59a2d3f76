"""Laundering (A6): whether what was found in one change is in another one, by its quote."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from foureyes.core.loop.fingerprint import normal

LEAST_THERE = 4
"""So many characters, white space aside, a quote has to have to tell anything in the file that it was about."""
LEAST_ELSEWHERE = 12
"""And so many in any other file: a brace or a `return` stands everywhere."""


def is_telling(quote: str, *, same_path: bool) -> bool:
    """Whether it means anything that a quote is found there."""
    return len(normal(quote)) >= (LEAST_THERE if same_path else LEAST_ELSEWHERE)


class Haystack:
    """The changed files of an attempt, in which many quotes are looked for: each file is made ready once."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = {path: normal(text) for path, text in texts.items()}
        self._begins: frozenset[str] | None = None

    def __contains__(self, path: object) -> bool:
        return path in self._texts

    def has(self, quote: str, path: str) -> bool:
        """Whether a file has the quote, white space aside."""
        return normal(quote) in self._texts.get(path, "")

    def with_quote(self, quote: str) -> str:
        """The first file that has a telling quote; empty where none has. Most are ruled out by how they begin."""
        wanted = normal(quote)
        if wanted[:LEAST_ELSEWHERE] not in self._beginnings():
            return ""
        return next((path for path, text in self._texts.items() if wanted in text), "")

    def _beginnings(self) -> frozenset[str]:
        if self._begins is None:
            self._begins = frozenset(_pieces(self._texts.values()))
        return self._begins


def _pieces(texts: Iterable[str]) -> Iterable[str]:
    """Every run of characters that a quote could begin with."""
    for text in texts:
        yield from (text[at : at + LEAST_ELSEWHERE] for at in range(len(text) - LEAST_ELSEWHERE + 1))
