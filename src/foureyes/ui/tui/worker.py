"""The desk: the app's one way to the Application. Work is done in a thread of its own, one piece after the other;
widgets get its results as messages, so that they alone own what they show.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from textual.message import Message

from foureyes.errors import FoureyesError

if TYPE_CHECKING:
    from textual.message_pump import MessagePump

    from foureyes.app.application import Application
    from foureyes.core.nouns.session import Actor

T = TypeVar("T")
Receive = Callable[[T], None]


class Answered(Message, bubble=False):
    """The Application has answered: `answer` is given to `then`, if the asker is still there."""

    def __init__(self, desk: Desk, asker: MessagePump, answer: object, then: Receive[object]) -> None:
        super().__init__()
        self.desk, self.asker, self.answer, self.then = desk, asker, answer, then


class Failed(Message, bubble=False):
    """The Application has refused, or something broke; `otherwise` is who wants to know first."""

    def __init__(
        self, desk: Desk, asker: MessagePump, problem: Exception, otherwise: Receive[FoureyesError] | None
    ) -> None:
        super().__init__()
        self.desk, self.asker, self.problem, self.otherwise = desk, asker, problem, otherwise


class Desk:
    """Who sits here, and the Application that they use. It is opened in the thread that uses it."""

    def __init__(self, open_app: Callable[[], Application], whoami: Callable[[Application], Actor]) -> None:
        self._open, self._whoami = open_app, whoami
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="desk")
        self._app: Application | None = None
        self.aside: Callable[[Callable[[], str]], str] = lambda question: question()
        """Lets a question be asked at the terminal (a passphrase, a touch): the app steps aside as long as it is there.
        Called by work at the desk.
        """
        self.pending = 0
        """How many pieces of work are under way; counted and read by the app's own thread only."""

    def beside(self) -> Desk:
        """A second desk with an Application of its own, for work that takes long: nothing else waits for it. Nobody is
        asked anything there.
        """
        return Desk(self._open, self._whoami)

    @cached_property
    def actor(self) -> Actor:
        """Who is calling. Only for work at the desk."""
        return self._whoami(self.application)

    @property
    def application(self) -> Application:
        """The Application. Only for work at the desk: a connection belongs to one thread."""
        if self._app is None:
            self._app = self._open()
        return self._app

    def reopen(self) -> None:
        """Let go of the store: the next piece of work opens it again (a server that went away and came back)."""
        app, self._app = self._app, None
        if app is not None:
            app.close()

    def ask(
        self,
        asker: MessagePump,
        work: Callable[[Desk], T],
        then: Receive[T],
        otherwise: Receive[FoureyesError] | None = None,
    ) -> Future[None]:
        """Have something done; the app gets what comes of it, for the asker. Nothing here touches a widget.

        It goes to the app, not to the asker: a page that was closed meanwhile would hear nothing, and an answer that
        nobody counts is waited for without end.
        """
        self.pending += 1
        app = asker.app

        def run() -> None:
            try:
                answer = work(self)
            except Exception as problem:  # whatever it is, the app goes on and says so
                app.post_message(Failed(self, asker, problem, otherwise))
            else:
                app.post_message(Answered(self, asker, answer, then))  # type: ignore[arg-type]

        return self._thread.submit(run)

    def close(self) -> None:
        """End: what is under way is finished first, so that nothing is cut in the middle."""
        self._thread.submit(self.reopen)
        self._thread.shutdown(wait=True)
