"""What of a plan is code and what is a comment (M7). Neither loses a task in silence: code may show a comment, and a
comment that holds a task may have been meant as text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from foureyes.core.documents import plan_lines as lines
from foureyes.steps import Steps, prose

TASK = re.compile(
    r"^(?:\d{1,3}[.)]\s+)?Task(?:\s+(?P<ref>#?[\w][\w.-]{0,20}))?\s*(?::\s*|\s[-–—]\s+|(?<=\d)[.)]\s+)(?P<title>.*)$",
    re.IGNORECASE,
)
ESCAPED = "\\<!--"
"""A comment that is text."""
_BEGIN, _END = "<!--", "-->"
_CODE_OR_COMMENT = re.compile(r"(?<![`\\])(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|(?<!\\)(?P<comment><!--)")
_TEXT_AGAIN = prose(f"end it, or write {ESCAPED} or `{_BEGIN}` where it is text")

TellFenceProblem = Callable[[int, str, Steps], None]


def unmarked(heading: str) -> str:
    """A heading without emphasis around it."""
    text = heading.strip()
    return text[2:-2].strip() if text.startswith("**") and text.endswith("**") and len(text) > 4 else text


def _begins_a_task(line: str) -> bool:
    heading = lines.ANY_HEADING.match(line)
    return bool(heading and TASK.match(unmarked(heading["text"])))


def _is_strict(line: str) -> bool:
    field = lines.field_in(line)
    return field is not None and field.name in lines.STRICT


def escaped(text: str) -> str:
    """Text as a plan holds it: no comment begins in it."""
    return text.replace(_BEGIN, ESCAPED)


class _Comments:
    """Takes the comments out of lines that are no code. `since`: where the one that is open began."""

    def __init__(self, problem: TellFenceProblem) -> None:
        self.problem = problem
        self.since = 0
        self._behind_text = False
        self._told = 0

    def without(self, number: int, line: str) -> str:
        """A line without what is a comment in it, and without the backslash before what is none."""
        return self._kept(number, line).replace(ESCAPED, _BEGIN)

    def _kept(self, number: int, line: str) -> str:
        kept, at = "", 0
        if self.since:
            end = line.find(_END)
            if end < 0:
                self._check(number, line)
                return ""
            self.since, at = 0, end + len(_END)
        while match := _CODE_OR_COMMENT.search(line, at):
            if not match["comment"]:
                kept += line[at : match.end()]
                at = match.end()
                continue
            kept += line[at : match.start()]
            end = line.find(_END, match.start() + 2)  # <!--> is a whole one
            if end < 0:
                self.since, self._behind_text = number, bool(kept.strip())
                return kept
            at = end + len(_END)
        return kept + line[at:]

    def _check(self, number: int, line: str) -> None:
        """A comment that begins behind text is one only to the end of its paragraph."""
        if _begins_a_task(line):
            self._tell(f"a comment begins here, with the task of line {number} in it")
        elif self._behind_text and (not line.strip() or lines.is_special(line)):
            self._tell(f"a comment begins behind text, with line {number} in it")

    def end(self) -> None:
        """No line is left."""
        if self.since:
            self._tell("a comment begins here and never ends")

    def _tell(self, why: str) -> None:
        """Once per comment."""
        if self._told != self.since:
            self._told = self.since
            self.problem(self.since, why, _TEXT_AGAIN)


def fences(text: list[str], problem: TellFenceProblem) -> Iterator[tuple[int, str, bool]]:
    """Number, line without comments, and whether it is in a code fence. One that never ends must not swallow a task
    or what makes one strict.
    """
    opened, since, swallowed = "", 0, False
    comments = _Comments(problem)
    for number, line in enumerate(text, 1):
        fence = None if comments.since else lines.FENCE.match(line)
        if opened:
            swallowed = swallowed or _begins_a_task(line) or _is_strict(line)
            yield number, line, True
            if fence and fence["sign"].startswith(opened) and not fence["after"].strip():
                opened = ""
        elif fence:
            opened, since, swallowed = fence["sign"], number, False
            yield number, line, True
        else:
            yield number, comments.without(number, line), False
    comments.end()
    if opened and swallowed:
        problem(since, "a code fence begins here and never ends, with lines of a plan in it", prose("close the fence"))
