"""A block between two marks in a text of somebody else: idempotent, versioned, removable; everything around it stays.

The mark at its begin says for which programs the block is there, what its text was, so that a text that somebody edited
is known, and what was put above it, so that it can be taken out byte for byte.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from typing import Literal, NamedTuple

VERSION = 2
CommentSigns = tuple[str, str]
MARKDOWN: CommentSigns = ("<!-- ", " -->")
TOML: CommentSigns = ("# ", "")
ABOUT = re.compile(r" for=([a-z,-]*) text=([0-9a-f]{8}) above=(new|[0-2])")
LINE_END = re.compile(r"\r?\n\Z")

WriteOutcome = Literal["written", "updated", "unchanged", "removed", "absent", "kept"]


class Block(NamedTuple):
    """A block as it was found. `digest` is that of the text that was written, empty in version 1, which had none;
    `above` the line ends before it that are not the file's own, or that the file came with it.
    """

    version: int
    users: tuple[str, ...]
    digest: str
    above: str
    text: str
    start: int
    end: int

    @property
    def is_edited(self) -> bool:
        """Whether somebody else wrote in it."""
        return bool(self.digest) and digest_of(self.text) != self.digest

    @property
    def is_newer(self) -> bool:
        """Whether a later version of this program wrote it."""
        return self.version > VERSION


class Changed(NamedTuple):
    """What becomes of a text; None is no file at all. `why` says it where somebody may wonder."""

    text: str | None
    outcome: WriteOutcome
    why: str = ""


def digest_of(text: str) -> str:
    """A text's digest, whatever its line ends."""
    return hashlib.sha256("\n".join(text.strip().splitlines()).encode()).hexdigest()[:8]


def found(text: str, comment: CommentSigns) -> Block | None:
    """The block in a text."""
    match = _pattern(comment).search(text)
    if match is None:
        return None
    about = ABOUT.match(match["about"])
    users = tuple(name for name in about[1].split(",") if name) if about else ()
    digest, above = (about[2], about[3]) if about else ("", "")
    return Block(int(match["version"]), users, digest, above, match["text"], match.start(), match.end())


def install(text: str | None, comment: CommentSigns, user: str, body: str, *, others: tuple[str, ...] = ()) -> Changed:
    """Put the block into a text, or bring an older one up to date. `others` are who else uses a block of version 1."""
    old = text or ""
    line_end = "\r\n" if "\r\n" in old else "\n"
    block = found(old, comment)
    if block is None:
        above = "new" if text is None else _missing_ends(old)
        ends = 0 if above == "new" else int(above)
        return Changed(old + line_end * ends + _block(comment, (user,), body, above, line_end), "written")
    if block.is_newer or block.is_edited:
        return Changed(text, "kept", why_kept(block))
    users = tuple(sorted({*(block.users if block.digest else others), user}))
    above = block.above if block.digest else "new" if not (old[: block.start] + old[block.end :]).strip() else "0"
    new = old[: block.start] + _block(comment, users, body, above, line_end) + old[block.end :]
    return Changed(new, "unchanged" if new == old else "updated")


def remove(text: str | None, comment: CommentSigns, user: str, body: str) -> Changed:
    """Take the block out, if nobody else uses it; what was there before it is there after it."""
    old = found(text or "", comment)
    if text is None or old is None or (old.digest and user not in old.users):
        return Changed(text, "absent")
    if old.is_newer or old.is_edited:
        return Changed(text, "kept", why_kept(old))
    before, after = text[: old.start], text[old.end :]
    left = tuple(name for name in old.users if name != user)
    if left:
        line_end = "\r\n" if "\r\n" in text else "\n"
        block = _block(comment, left, body, old.above, line_end)
        return Changed(before + block + after, "updated", f"the block stays for {' and '.join(left)}")
    if not old.digest:
        rest = (before + after).rstrip("\n")
        return Changed(rest + "\n" if rest.strip() else None, "removed")
    if old.above == "new":
        return Changed(before + after or None, "removed")
    for _ in range(0 if after else int(old.above)):
        before = LINE_END.sub("", before)
    return Changed(before + after, "removed")


def why_kept(block: Block) -> str:
    """Why a block is left as it is."""
    if block.is_newer:
        return f"a newer Foureyes wrote its block (version {block.version}, this one writes {VERSION})"
    return "the text between its marks was edited. Remove the two marks to keep it as your own, or remove all of it and run this again."


def _block(comment: CommentSigns, users: tuple[str, ...], body: str, above: str, line_end: str) -> str:
    lines = body.strip().splitlines()
    about = f"for={','.join(users)} text={digest_of(body)} above={above}"
    begin = f"{comment[0]}foureyes:begin v{VERSION} {about}{comment[1]}"
    return line_end.join([begin, *lines, f"{comment[0]}foureyes:end{comment[1]}", ""])


def _missing_ends(old: str) -> str:
    """How many line ends it takes until an empty line is above."""
    shorter = LINE_END.sub("", old)
    if shorter == old:
        return "2" if old else "0"
    return "1" if LINE_END.sub("", shorter) == shorter else "0"


@cache
def _pattern(comment: CommentSigns) -> re.Pattern[str]:
    opening, closing = (re.escape(part) for part in comment)
    begin = rf"{opening}foureyes:begin v(?P<version>\d+)(?P<about>[^\r\n]*?){closing}\r?\n"
    text = rf"(?P<text>(?:(?!{opening}foureyes:begin).)*?)"
    return re.compile(rf"^{begin}{text}^{opening}foureyes:end{closing}(?:\r?\n|\Z)", re.DOTALL | re.MULTILINE)
