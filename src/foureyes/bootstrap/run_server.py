"""Answers of a runner to its runs: what comes over the socket of a run is a call of whoever sent it, and of nobody else
(I2, I5). Each has an Application of its own.
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
from foureyes.adapters.identity.observe import TOKEN
from foureyes.adapters.remote import wire
from foureyes.adapters.remote.run_socket import Door, Peer, can_be
from foureyes.adapters.remote.wire import LARGEST
from foureyes.app.calling import RemoteCall, ask
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
"""Asked for, it is who calls."""
LAST_SECONDS = 30.0
"""How long a runner that ends waits for what it was asked."""


class Stall(NamedTuple):
    """What a runner knows of a run: its directory, its token, and its worktree as the store has it."""

    directory: str
    token: str
    worktree: str


class RunDoors:
    """The doors of a runner's runs. `environ` is the runner's, which knows the way to the store; of it no call sees
    anything else.
    """

    def __init__(self, place: Located, environ: Mapping[str, str]) -> None:
        self._place, self._environ = place, environ
        self._doors: dict[str, Door] = {}

    def open(self, run: str, directory: str, token: str, worktree: str) -> None:
        """Open the door of a run. Where there can be none, its commands go to the store themselves, if they can."""
        if can_be():
            with suppress(OSError):
                stall = Stall(directory, token, worktree)
                self._doors[run] = Door(directory, lambda peer, sent: self._answer(peer, sent, stall))

    def shut(self, run: str) -> bool:
        """Let nobody in any more; whether all that was asked is done."""
        door = self._doors.get(run)
        if door is not None and not door.shut():
            return False
        self._doors.pop(run, None)
        return True

    def close(self) -> None:
        """Shut every door; what has begun is given its time."""
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
            refused = BadInput(f"that is nothing that a run can ask: {problem}.", next_step=_SAME)
        except FoureyesError as problem:
            refused = problem
        except Exception as problem:  # a defect of ours ends this call, and not the runner
            refused = self._internal(problem)
        return wire.write(wire.refused(refused))

    def _done(self, peer: Peer, request: wire.Request, stall: Stall) -> bytes:
        with self._opened(stall, request) as app:
            actor = _caller(app, peer, request, stall.token)
            asked = RemoteCall(verb=request.verb, args=request.args, given=request.given, knows=request.knows)
            answer = wire.answer(actor if request.verb == WHO else ask(app, actor, asked))
        if len(answer) > LARGEST:
            raise Refused(f"the answer has more than {LARGEST >> 20} MB.", next_step=prose("ask for less of it"))
        return answer

    @contextmanager
    def _opened(self, stall: Stall, request: wire.Request) -> Iterator[Application]:
        """The project as it is seen from the run's worktree; of the runner's environment a call sees nothing."""
        own = {"HOME": stall.directory} | ({TOKEN: "given"} if request.token else {})
        app = open_for(self._place, self._environ, self._standing(stall.worktree), own)
        try:
            yield app
        finally:
            app.close()

    def _standing(self, worktree: str) -> Located:
        """The worktree on record, if it is still one of this repository: a run can write the file that says so."""
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


_SAME = prose("use the fe that the runner is of")


def _caller(app: Application, peer: Peer, request: wire.Request, token: str) -> Actor:
    """I2: whoever is below the reaper of this run; a token that was given out by hand is looked at after that."""

    def seen(shown: str, programs: Sequence[str]) -> Actor:
        caller = identity.caller(
            peer.pid, peer.uid, peer.is_there, token=shown, asserted=request.asserted, programs=programs
        )
        return replace(caller, ancestors=()) if request.left else caller

    actor = app.sessions.recognise(lambda programs: seen(token, programs))
    if not request.token:
        return actor
    return app.sessions.recognise(lambda programs: seen(request.token, programs))
