"""Text restored from a draft file; the user must confirm it before sending."""

from __future__ import annotations

REST_SECONDS = 0.3
"""So long rests a key between the question and its answer: a key that is held down answers nothing."""
WHENCE = "kept from an earlier session: read it before you send it"


class KeptWords:
    """The words of one form, as long as nobody has touched them. They are sent by a second press, after a question."""

    def __init__(self) -> None:
        self._words: object = None
        self._pressed: float | None = None

    def __bool__(self) -> bool:
        return self._words is not None

    def take(self, words: object) -> None:
        """These words came from a file."""
        self._words, self._pressed = words, None

    def touch(self, words: object) -> bool:
        """What stands in the form now; whether that is somebody's own from now on."""
        if self._words is None or words == self._words:
            return False
        self._words = None
        return True

    def asks(self, words: object, now: float) -> bool:
        """Whether a press that would send these words is only the question. Each press starts the rest again."""
        self.touch(words)
        last, self._pressed = self._pressed, now
        return self._words is not None and (last is None or now - last < REST_SECONDS)


def question(key: str, lines: int) -> str:
    """What is asked before kept words are sent."""
    return f"send these kept words ({lines} line{'' if lines == 1 else 's'})? {key} again"
