"""Process key presses one at a time, in order."""

from __future__ import annotations

import asyncio

from textual import events
from textual.app import App
from textual.dom import DOMNode
from textual.message import Message
from textual.message_pump import MessagePump

PATIENCE_SECONDS = 2.0
"""What is closed while its key waits may never answer: so long the next key waits."""


class InTurn(App[None], inherit_bindings=False):
    """An app that handles one key at a time, so that what is typed ahead meets what the key before it has opened."""

    def __init__(self, *, ansi_color: bool = False) -> None:
        self._turn: events.Event | None = None
        """The key that is being handled."""
        self._unused = False
        """Whether it came back from every part without being stopped."""
        super().__init__(ansi_color=ansi_color)

    def pressed(self) -> None:
        """A key was pressed."""

    async def on_event(self, event: events.Event) -> None:
        if not is_pressed(event):
            await super().on_event(event)
            return
        target = self.focused or self.screen
        self.pressed()
        self._turn, self._unused = event, False
        await super().on_event(event)
        await until_handled(self, target)
        self._turn = None
        if self._unused:
            await super().on_event(event)
            await until_handled(self, target)

    def post_message(self, message: Message) -> bool:
        """A key that no part has stopped comes back, for what it is bound to: that is done in its turn, too. Behind the
        keys after it, it would take away what they typed.
        """
        if message is self._turn and self._turn.is_forwarded:
            self._unused = True
            return True
        return super().post_message(message)


def is_pressed(event: events.Event) -> bool:
    """Whether a key or a paste comes from the terminal (and not from a part that had no use for it)."""
    return isinstance(event, events.Key | events.Paste) and not event.is_forwarded


async def until_handled(app: App[None], target: DOMNode) -> None:
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
