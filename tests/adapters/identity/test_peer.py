"""Who is at the other end of a socket: what is above that process, and nothing of who looks (I2, I3)."""

from __future__ import annotations

import os

import pytest

from foureyes.adapters.identity import peer
from foureyes.adapters.identity.alive import of
from foureyes.adapters.identity.peer import caller
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import token_hash
from foureyes.errors import Refused

from tests.stage.commands import Cast

ME = os.geteuid()


def seen(pid: int, uid: int = ME, *, there: bool = True) -> Actor:
    return caller(pid, uid, lambda: there, token="fe-secret")


def test_I3_a_process_is_seen_with_all_that_is_above_it_and_speaks_for_itself() -> None:
    found = seen(os.getpid())
    assert found.ancestors[:2] == (of(os.getpid()), of(os.getppid()))
    assert found.token == token_hash("fe-secret")


def test_I3_the_agent_above_another_process_is_its_own_and_not_that_of_who_looks(cast: Cast) -> None:
    claude = cast.claude
    found = seen(claude.pid)
    assert (found.kind, found.agent, found.processes) == ("agent", "claude", (of(claude.pid),))
    assert of(os.getpid()) not in found.ancestors


@pytest.mark.parametrize(
    ("pid", "uid", "there"),
    [(0, ME, True), (-1, ME, True), (1 << 30, ME, True), (os.getpid(), ME + 1, True), (os.getpid(), ME, False)],
    ids=["unseen", "no number", "nobody has it", "another user", "it has ended"],
)
def test_I2_who_is_gone_or_of_another_user_or_somewhere_unseen_has_nothing_above_it(
    pid: int, uid: int, there: bool
) -> None:
    found = seen(pid, uid, there=there)
    assert (found.kind, found.ancestors, found.processes) == ("service", (), ())


def test_I2_a_typed_name_beside_a_token_is_refused() -> None:
    with pytest.raises(Refused) as caught:
        caller(os.getpid(), ME, lambda: True, token="fe-secret", asserted="alice")
    assert caught.value.reasons[0].rule == "I2"


def test_G1_an_environment_that_cannot_be_read_is_that_of_nobody() -> None:
    assert peer._environ_of(1 << 30) == peer.NOBODY
    assert "PATH" in peer._environ_of(os.getpid())
