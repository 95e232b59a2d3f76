"""What a repository's configuration has git read besides: files that `include.path` and `includeIf.….path` name.

Every condition counts as met: whether one is, git finds out while it reads.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from os.path import join

from foureyes.adapters.folders import read

_MOST = 64
_WORD = re.compile(rb"include", re.IGNORECASE)
_SECTION = re.compile(rb'\s*\[\s*([\w.:/~*-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]', re.IGNORECASE)
_PATH = re.compile(rb"\s*path\s*=\s*(.*)", re.IGNORECASE)
_ESCAPED = {b"n": b"\n", b"t": b"\t", b"b": b"\b"}


def included(configs: tuple[str, ...], largest: int) -> Iterator[str]:
    """The files that some configuration files name, and those that these name, each once; what is no file, or cannot
    be read, names none.
    """
    ahead, seen = list(configs), set(configs)
    while ahead and len(seen) < _MOST:
        config = ahead.pop(0)
        try:
            text = read(config, largest, follow=True) if os.path.exists(config) else b""
        except OSError:
            continue
        for path in _named(text) if _WORD.search(text) else ():
            named = join(os.path.dirname(config), os.path.expanduser(os.fsdecode(path)))
            if named not in seen:
                seen.add(named)
                ahead.append(named)
                yield named


def _named(text: bytes) -> Iterator[bytes]:
    """The values of `path` in every section that includes."""
    is_including = False
    for line in text.replace(b"\r\n", b"\n").replace(b"\\\n", b"").split(b"\n"):
        rest = line
        while section := _SECTION.match(rest):
            is_including = section[1].lower().startswith(b"include")
            rest = rest[section.end() :]
        value = _PATH.match(rest) if is_including else None
        if value is not None and (path := _plain(value[1])):
            yield path


def _plain(value: bytes) -> bytes:
    """A value without its quotes, escapes and comment."""
    plain, kept, is_quoted, at = b"", 0, False, 0
    while at < len(value):
        letter = value[at : at + 1]
        if letter == b"\\":
            at += 1
            letter = value[at : at + 1]
            plain += _ESCAPED.get(letter, letter)
            kept = len(plain)
        elif letter == b'"':
            is_quoted = not is_quoted
            kept = len(plain)
        elif not is_quoted and letter in (b"#", b";"):
            break
        else:
            plain += letter
            kept = len(plain) if is_quoted or not letter.isspace() else kept
        at += 1
    return plain[:kept]
