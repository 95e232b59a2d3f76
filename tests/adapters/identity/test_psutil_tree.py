"""Processes where there is no `/proc`: psutil tells the same, and what it cannot tell is not guessed (I3, I5, Q4)."""

from __future__ import annotations

import os
import sys
from types import SimpleNamespace

import pytest

from foureyes.adapters.identity import alive, psutil_tree
from foureyes.adapters.identity.process_tree import read_tree
from foureyes.adapters.identity.programs import agent_of


@pytest.fixture
def mac(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")


class _Denied(Exception):
    pass


def _process(pid: int, **told: object) -> SimpleNamespace:
    def denied() -> str:
        raise _Denied

    tells = {name: (lambda value=value: value) for name, value in told.items()}
    return SimpleNamespace(**{"pid": pid, "exe": denied, "cmdline": denied, **tells})


CLAUDE = _process(7, exe="/usr/bin/node", cmdline=["node", "/x/claude"], name="node", create_time=1.5)
TOP = _process(1, name="launchd", create_time=0.5)


def _fake_psutil(*parents: SimpleNamespace, vanished: bool = False) -> SimpleNamespace:
    def above() -> list[SimpleNamespace]:
        if vanished:
            raise _Denied
        return list(parents)

    own = SimpleNamespace(parents=above, terminal=lambda: "/dev/ttys003")
    return SimpleNamespace(Process=lambda: own, Error=_Denied, AccessDenied=_Denied)


@pytest.mark.usefixtures("mac")
def test_i3_elsewhere_psutil_tells_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psutil", _fake_psutil(CLAUDE, TOP))
    tree = read_tree()
    assert [agent_of(above.names, above.paths) for above in tree.ancestors] == ["claude", ""]
    assert (tree.readable, tree.terminal, tree.leader) == (True, "ttys003", os.getsid(0))
    assert tree.evidence(tree.ancestors[0]) == "proc:darwin:0:7:1500"


@pytest.mark.usefixtures("mac")
def test_i5_elsewhere_without_psutil_or_with_a_vanished_process_the_tree_is_unreadable(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "psutil", _fake_psutil(CLAUDE, TOP, vanished=True))
    assert not read_tree().readable
    monkeypatch.setitem(sys.modules, "psutil", None)
    assert not read_tree().readable


@pytest.mark.usefixtures("mac")
def test_i5_a_walk_that_does_not_come_to_the_top_is_unreadable(monkeypatch: pytest.MonkeyPatch) -> None:
    """psutil ends its list silently where a parent has ended meanwhile."""
    monkeypatch.setitem(sys.modules, "psutil", _fake_psutil(CLAUDE))
    tree = read_tree()
    assert not tree.readable
    assert [above.pid for above in tree.ancestors] == [7], "what was seen is still there"


def test_i3_the_real_psutil_sees_the_ancestors_that_proc_shows() -> None:
    pytest.importorskip("psutil")
    told, shown = psutil_tree.read_tree(), read_tree()
    assert [above.pid for above in told.ancestors] == [above.pid for above in shown.ancestors]
    assert told.leader == shown.leader
    assert told.ancestors[0].names[0] == shown.ancestors[0].names[0]


@pytest.mark.usefixtures("mac")
def test_q4_elsewhere_no_process_is_known_to_be_gone_G1() -> None:
    """Two machines that share a store could have the same pids: a lease there ends by its time alone."""
    assert not alive.is_gone(f"proc:{psutil_tree.place()}:{2**22 + 1}:1")
