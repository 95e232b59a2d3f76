"""Keys in turn: a key is handled to its end before the next is given to anybody.

Terminals deliver a paste, or what was typed on a slow line, all at once. Given out at once, the second key would meet
the page that the first has just left: a feedback that begins with an A would approve.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual import events
from textual.dom import DOMNode
from textual.message_pump import MessagePump

if TYPE_CHECKING:
    from foureyes.ui.tui.app import FoureyesApp

PATIENCE_SECONDS = 2.0
"""What is closed while its key waits may never answer: so long the next key waits."""


def is_pressed(event: events.Event) -> bool:
    """Whether a key or a paste comes from the terminal (and not from a part that had no use for it)."""
    return isinstance(event, events.Key | events.Paste) and not event.is_forwarded


async def until_handled(app: FoureyesApp, target: DOMNode) -> None:
    """Wait until whom a key was given to, and everything around it, is done with it, and what it opened stands."""
    around = [node for node in target.ancestors_with_self if node is not app]
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            for node in around:
                await _until_idle(node)
            if app.is_running and app.screen not in around:
                await _until_idle(app.screen)
    except TimeoutError:
        pass


async def _until_idle(node: MessagePump) -> None:
    """Wait until a part has handled what it was sent so far."""
    handled = asyncio.Event()
    if node.is_running and node.call_later(handled.set):
        await handled.wait()
