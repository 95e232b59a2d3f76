"""A writing command that is killed."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from tests.stage.places import Desk


class Verb(NamedTuple):
    """A command: `before` prepares and names its task, `act` is what is killed."""

    name: str
    before: Callable[[Desk], str]
    act: Callable[[Desk, str], object]
