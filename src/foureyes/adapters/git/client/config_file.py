"""Reads the few repository settings needed before git can run, from the config file itself.

It parses byte for byte as git does (`config.c`), so that a crafted file cannot show us another value than git.
"""

from __future__ import annotations

import os
import stat
from functools import lru_cache

from foureyes.adapters.folders import MB, read
from foureyes.errors import GitProblem
from foureyes.steps import NO_STEP, by, fe, shell

LARGEST = 16 * MB
_BOM = b"\xef\xbb\xbf"
_LF, _CR = 10, 13
_SPACES = frozenset(b" \t\n\r")
_BLANKS = frozenset(b" \t")
_LETTERS = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_KEY = _LETTERS | frozenset(b"0123456789-")
_COMMENT = frozenset(b"#;")
_QUOTE, _BACKSLASH, _EQUALS, _DOT, _OPEN, _CLOSE = b'"\\=.[]'
_ESCAPES = {ord("n"): 10, ord("t"): 9, ord("b"): 8, _BACKSLASH: _BACKSLASH, _QUOTE: _QUOTE}
_TRUE = frozenset({"true", "yes", "on"})
_FALSE = frozenset({"false", "no", "off", ""})
_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}

ONCE_OUTSIDE = by("person", fe("init"), "a person runs once, outside of the sandbox: ")
"""Command that prepares a repository for sandboxes that keep git's own files unchanged."""


def is_masked(path: str) -> bool:
    """Return True if a sandbox has put a device in place of a file, which then cannot be created."""
    try:
        return stat.S_ISCHR(os.lstat(path).st_mode)
    except OSError:
        return False


class _BadLine(Exception):
    """Raised for a file that git would refuse."""

    line = 0


def read_settings(path: str) -> dict[str, str]:
    """Return the settings by `section.key` or `section.sub.key`. A missing file has none.

    The last value counts, and a key without a value is `true`. Includes are ignored, because git takes none of the
    settings needed here from them.
    """
    try:
        raw = read(path, LARGEST, follow=True)
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except OSError as problem:
        step = ONCE_OUTSIDE if is_masked(path) else NO_STEP
        raise GitProblem(
            f"the git configuration {path} cannot be read: {problem.strerror}", next_step=step
        ) from problem
    try:
        return dict(_settings_of(raw))
    except _BadLine as bad:
        raise GitProblem(
            f"the git configuration {path} cannot be read: line {bad.line} is bad",
            next_step=shell("git", "config", "--file", path, "--list"),
        ) from None


@lru_cache(maxsize=2)
def _settings_of(raw: bytes) -> tuple[tuple[str, str], ...]:
    """Return the settings of a file. Cached, because every command reads the same one several times."""
    text = _Text(raw)
    try:
        pairs = text.settings()
    except _BadLine as bad:
        bad.line = text.line
        raise
    return tuple((_text(key), "true" if value is None else _text(value)) for key, value in pairs)


def is_true(value: str | None) -> bool:
    """Return True if git reads the value as true. An invalid value is False."""
    if value is None or value.lower() in _FALSE:
        return False
    return value.lower() in _TRUE or bool(_number(value))


def _number(value: str) -> int:
    unit = _UNITS.get(value[-1:].lower(), 1)
    digits = value[:-1] if unit > 1 else value
    try:
        return int(digits, 10) * unit if digits.isascii() else 0
    except ValueError:
        return 0


def _text(raw: bytes) -> str:
    """Return text up to the first NUL, as C reads it."""
    return raw.partition(b"\0")[0].decode("utf-8", "surrogateescape")


class _Text:
    """A parser for the characters of a file."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw
        self._at = 0
        self._ended = False
        self.line = 1

    def _next(self) -> int:
        """Return the next character. A carriage return before a line feed is skipped, and the end of the file counts as
        a line end."""
        raw, at = self._raw, self._at
        if at >= len(raw):
            self._ended = True
            return _LF
        self._at += 1
        character = raw[at]
        if character == _CR and raw[at + 1 : at + 2] == b"\n":
            self._at += 1
            character = _LF
        if character == _LF:
            self.line += 1
        return character

    def settings(self) -> list[tuple[bytes, bytes | None]]:
        settings: list[tuple[bytes, bytes | None]] = []
        stem = b""
        self._skip_mark()
        while True:
            character = self._next()
            if character == _LF and self._ended:
                return settings
            if character in _SPACES:
                continue
            if character in _COMMENT:
                self._skip_line()
            elif character == _OPEN:
                stem = self._section() + b"."
            elif character in _LETTERS:
                settings.append(self._setting(stem + bytes((character,)).lower()))
            else:
                raise _BadLine

    def _skip_mark(self) -> None:
        """Skip a byte order mark. A partial one is an error."""
        if self._raw.startswith(_BOM):
            self._at = len(_BOM)
        elif self._raw[:1] == _BOM[:1]:
            raise _BadLine

    def _skip_line(self) -> None:
        while self._next() != _LF:
            pass

    def _section(self) -> bytes:
        name = bytearray()
        while True:
            character = self._next()
            if self._ended:
                raise _BadLine
            if character == _CLOSE:
                return bytes(name).lower()
            if character in _SPACES:
                return bytes(name).lower() + b"." + self._subsection(character)
            if character not in _KEY and character != _DOT:
                raise _BadLine
            name.append(character)

    def _subsection(self, character: int) -> bytes:
        while character in _SPACES:
            if character == _LF:
                raise _BadLine
            character = self._next()
        if character != _QUOTE:
            raise _BadLine
        name = bytearray()
        while (character := self._next()) != _QUOTE:
            if character == _BACKSLASH:
                character = self._next()
            if character == _LF:
                raise _BadLine
            name.append(character)
        if self._next() != _CLOSE:
            raise _BadLine
        return bytes(name)

    def _setting(self, name: bytes) -> tuple[bytes, bytes | None]:
        key = bytearray(name)
        while (character := self._next()) in _KEY and not self._ended:
            key += bytes((character,)).lower()
        while character in _BLANKS:
            character = self._next()
        if character == _LF:
            return bytes(key), None
        if character != _EQUALS:
            raise _BadLine
        return bytes(key), self._value()

    def _value(self) -> bytes:
        value = bytearray()
        quoted = False
        spaces = 0
        while True:
            character = self._next()
            if character == _LF:
                if quoted:
                    raise _BadLine
                return bytes(value)
            if character in _SPACES and not quoted:
                spaces += 1 if value else 0
                continue
            if character in _COMMENT and not quoted:
                self._skip_line()
                return bytes(value)
            value += b" " * spaces
            spaces = 0
            if character == _QUOTE:
                quoted = not quoted
            elif character == _BACKSLASH:
                value += self._escaped()
            else:
                value.append(character)

    def _escaped(self) -> bytes:
        character = self._next()
        if character == _LF:
            return b""
        if character not in _ESCAPES:
            raise _BadLine
        return bytes((_ESCAPES[character],))
