"""A block between two marks in a text that someone else wrote. It can be installed repeatedly, updated and removed.

The opening mark records the programs that use the block, the digest of its text, and the line ends added above it. An
edited block is recognized by that, and removing one restores every byte.
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
    """A block in a text.

    `digest` is that of the text as written, "" for version 1. `above` is the number of line ends added before it, or
    "new" if the file was created for it.
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
        """True if someone edited the block."""
        return bool(self.digest) and digest_of(self.text) != self.digest

    @property
    def is_newer(self) -> bool:
        """True if a later version of Foureyes wrote the block."""
        return self.version > VERSION


class Changed(NamedTuple):
    """The new text, None for no file, and the outcome. `why` explains an unexpected outcome."""

    text: str | None
    outcome: WriteOutcome
    why: str = ""


def digest_of(text: str) -> str:
    """Return the digest of a text, ignoring its kind of line ends."""
    return hashlib.sha256("\n".join(text.strip().splitlines()).encode()).hexdigest()[:8]


def found(text: str, comment: CommentSigns) -> Block | None:
    """Return the block in a text, or None."""
    match = _pattern(comment).search(text)
    if match is None:
        return None
    about = ABOUT.match(match["about"])
    users = tuple(name for name in about[1].split(",") if name) if about else ()
    digest, above = (about[2], about[3]) if about else ("", "")
    return Block(int(match["version"]), users, digest, above, match["text"], match.start(), match.end())


def install(text: str | None, comment: CommentSigns, user: str, body: str, *, others: tuple[str, ...] = ()) -> Changed:
    """Add the block to a text or update an older one. `others` are further users of a version 1 block."""
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
    """Remove the block unless another program uses it. Restores the text as it was before."""
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
    """Return the reason for keeping a block unchanged."""
    if block.is_newer:
        return f"a newer Foureyes wrote its block (version {block.version}, this one writes {VERSION})"
    return "the text between its marks was edited. Remove the two marks to keep it as your own, or remove all of it and run this again."


def _block(comment: CommentSigns, users: tuple[str, ...], body: str, above: str, line_end: str) -> str:
    lines = body.strip().splitlines()
    about = f"for={','.join(users)} text={digest_of(body)} above={above}"
    begin = f"{comment[0]}foureyes:begin v{VERSION} {about}{comment[1]}"
    return line_end.join([begin, *lines, f"{comment[0]}foureyes:end{comment[1]}", ""])


def _missing_ends(old: str) -> str:
    """Return the number of line ends needed for an empty line above."""
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
