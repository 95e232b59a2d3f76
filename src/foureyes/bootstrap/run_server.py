"""Answers of a runner to its runs. A call over a run's socket counts as the sender's own. Each call has its own
Application. (I2, I5)
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from time import monotonic, sleep
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from foureyes.adapters.git.client.locate import locate
from foureyes.adapters.identity import peer as identity
from foureyes.adapters.identity.recognition import TOKEN
from foureyes.adapters.remote import wire
from foureyes.adapters.remote.run_socket import Door, Peer, can_be
from foureyes.adapters.remote.wire import LARGEST
from foureyes.app.verb_calls import RemoteCall, ask
from foureyes.bootstrap.files import append_trace
from foureyes.bootstrap.places import folder_of
from foureyes.bootstrap.wiring import open_for
from foureyes.errors import BadInput, FoureyesError, GitProblem, Internal, Refused
from foureyes.steps import prose

if TYPE_CHECKING:
    from foureyes.adapters.git.client.locate import Located
    from foureyes.app.application import Application
    from foureyes.core.nouns.session import Actor


WHO = "sessions.recognise"
"""The verb that identifies the caller."""
LAST_SECONDS = 30.0
"""Seconds that a closing runner waits for open calls."""


class Stall(NamedTuple):
    """The directory, token and recorded worktree of a run."""

    directory: str
    token: str
    worktree: str


class RunDoors:
    """Sockets of a runner's runs. `environ` is the runner's environment, with which the store is found. Calls see
    nothing of it.
    """

    def __init__(self, place: Located, environ: Mapping[str, str]) -> None:
        self._place, self._environ = place, environ
        self._doors: dict[str, Door] = {}

    def open(self, run: str, directory: str, token: str, worktree: str) -> None:
        """Open the socket of a run. If that is impossible, the run's commands open the store themselves."""
        if can_be():
            with suppress(OSError):
                stall = Stall(directory, token, worktree)
                self._doors[run] = Door(directory, lambda peer, sent: self._answer(peer, sent, stall))

    def shut(self, run: str) -> bool:
        """Accept no more calls. Return True if all open calls are finished."""
        door = self._doors.get(run)
        if door is not None and not door.shut():
            return False
        self._doors.pop(run, None)
        return True

    def close(self) -> None:
        """Close every socket, giving open calls time to finish."""
        end = monotonic() + LAST_SECONDS
        while self._doors and monotonic() < end:
            for run in list(self._doors):
                self.shut(run)
            sleep(0.02 if self._doors else 0)

    def _answer(self, peer: Peer, sent: bytes, stall: Stall) -> bytes:
        refused: FoureyesError
        try:
            return self._done(peer, wire.read(sent, wire.Request), stall)
        except wire.Unreadable as problem:
            refused = BadInput(f"a run cannot request that: {problem}.", next_step=_SAME)
        except FoureyesError as problem:
            refused = problem
        except Exception as problem:  # a defect ends this call, not the runner
            refused = self._internal(problem)
        return wire.write(wire.refused(refused))

    def _done(self, peer: Peer, request: wire.Request, stall: Stall) -> bytes:
        with self._opened(stall, request) as app:
            actor = _caller(app, peer, request, stall.token)
            asked = RemoteCall(verb=request.verb, args=request.args, given=request.given, knows=request.knows)
            answer = wire.answer(actor if request.verb == WHO else ask(app, actor, asked))
        if len(answer) > LARGEST:
            raise Refused(
                f"the answer has more than {LARGEST >> 20} MB.", next_step=prose("ask for a smaller part of it")
            )
        return answer

    @contextmanager
    def _opened(self, stall: Stall, request: wire.Request) -> Iterator[Application]:
        """Open the project as seen from the run's worktree, without the runner's environment."""
        own = {"HOME": stall.directory} | ({TOKEN: "given"} if request.token else {})
        app = open_for(self._place, self._environ, self._standing(stall.worktree), own)
        try:
            yield app
        finally:
            app.close()

    def _standing(self, worktree: str) -> Located:
        """Return the recorded worktree if it still belongs to this repository. A run could have changed its git
        file.
        """
        try:
            place = locate(worktree)
        except GitProblem:
            return self._place
        of_ours = place is not None and (place.root, place.common_dir) == (self._place.root, self._place.common_dir)
        return place if of_ours and place is not None else self._place

    def _internal(self, problem: Exception) -> Internal:
        text = "".join(traceback.format_exception(problem))
        try:
            where = append_trace(folder_of(self._place), f"crash-{os.getpid()}.txt", text)
        except OSError:
            where = ""
        report = f"Report with {where}" if where else f"{type(problem).__name__}: {problem}"
        return Internal(f"internal error, nothing was changed. {report}")


_SAME = prose("use the same version of fe as the runner")


def _caller(app: Application, peer: Peer, request: wire.Request, token: str) -> Actor:
    """Return the caller, which must be below the reaper of this run. If it shows a token itself, that is checked later.
    (I2)
    """

    def seen(shown: str, programs: Sequence[str]) -> Actor:
        caller = identity.caller(
            peer.pid, peer.uid, peer.is_there, token=shown, asserted=request.asserted, programs=programs
        )
        return replace(caller, ancestors=()) if request.left else caller

    actor = app.sessions.recognise(lambda programs: seen(token, programs))
    if not request.token:
        return actor
    return app.sessions.recognise(lambda programs: seen(request.token, programs))
