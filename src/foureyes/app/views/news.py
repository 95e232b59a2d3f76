"""What a long verb says while it works."""

from __future__ import annotations

import msgspec

from foureyes.steps import NO_STEP, Steps


class News(msgspec.Struct, frozen=True):
    """A line of progress: something begins or ends; or, where it is `printed`, a check says something itself."""

    text: str
    next: Steps = NO_STEP
    printed: bool = False
