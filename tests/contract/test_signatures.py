"""Every stand-in of a port has the port's methods, each called as the port says, and beside them only what scripts it.

Types are mypy's: each stand-in is passed where the port is asked for. That a method went from the port, or that its
parameters have other names or defaults, mypy does not say.
"""

from __future__ import annotations

import inspect

import pytest

from foureyes.adapters.agents.live_run import LiveProgram
from foureyes.adapters.agents.programs import AgentPrograms
from foureyes.adapters.clock import RandomIds, SharedClock, SystemClock
from foureyes.adapters.git.remote import GitRemote
from foureyes.adapters.git.repo import GitRepo
from foureyes.adapters.git.workshop import GitWorkshop
from foureyes.app import agent_ports, git_ports, ports
from foureyes.bootstrap.services import LazyOutside as RealOutside

from tests.stage.places import RealOutside as OutsideOfPlaces
from tests.stage.playing import PlayedAgents, PlayedRepo, PlayedRun, PlayedWorkshop
from tests.stage.ports import CountedIds, DeskKeys, DeskOutside, FixedClock, NoPrograms, ScriptedChecks
from tests.stage.ring import FileRing
from tests.stage.scripted_git import MergingWorkshop, ScriptedRemote, ScriptedRepo, ScriptedWorkshop

STAND_INS: list[tuple[type, type, frozenset[str]]] = [
    (ScriptedRepo, git_ports.Repo, frozenset({"commit", "land", "knows", "reachable", "change_id"})),
    (ScriptedWorkshop, git_ports.Workshop, frozenset()),
    (MergingWorkshop, git_ports.Workshop, frozenset()),
    (ScriptedRemote, git_ports.Remote, frozenset({"commit"})),
    (FixedClock, ports.Clock, frozenset({"advance"})),
    (CountedIds, ports.Ids, frozenset()),
    (DeskKeys, ports.OwnKeys, frozenset()),
    (ScriptedChecks, ports.CheckRunner, frozenset({"says"})),
    (DeskOutside, ports.Outside, frozenset()),
    (NoPrograms, agent_ports.LocalAgents, frozenset()),
    (PlayedRepo, git_ports.Repo, frozenset({"commit", "land", "knows", "reachable", "change_id"})),
    (PlayedWorkshop, git_ports.Workshop, frozenset()),
    (PlayedAgents, agent_ports.LocalAgents, frozenset({"over"})),
    (PlayedRun, agent_ports.LiveRun, frozenset()),
    (FileRing, ports.OwnKeys, frozenset()),
    (OutsideOfPlaces, ports.Outside, frozenset()),
]
"""Stand-in, port, and the words by which a test scripts it."""
REAL: list[tuple[type, type]] = [
    (GitRepo, git_ports.Repo),
    (GitWorkshop, git_ports.Workshop),
    (GitRemote, git_ports.Remote),
    (SystemClock, ports.Clock),
    (SharedClock, ports.Clock),
    (RandomIds, ports.Ids),
    (RealOutside, ports.Outside),
    (AgentPrograms, agent_ports.LocalAgents),
    (LiveProgram, agent_ports.LiveRun),
]


def methods(kind: type) -> dict[str, list[tuple[str, object, object]]]:
    """The public methods and their parameters: name, kind, default."""
    return {
        name: [(each.name, each.kind, each.default) for each in inspect.signature(method).parameters.values()]
        for name, method in inspect.getmembers(kind, inspect.isfunction)
        if not name.startswith("_")
    }


@pytest.mark.parametrize(("stand_in", "port", "script"), STAND_INS, ids=lambda each: getattr(each, "__name__", ""))
def test_a_stand_in_has_exactly_the_methods_of_its_port(stand_in: type, port: type, script: frozenset[str]) -> None:
    assert set(methods(stand_in)) == set(methods(port)) | script


@pytest.mark.parametrize(
    ("kind", "port"), [*((kind, port) for kind, port, _ in STAND_INS), *REAL], ids=lambda each: each.__name__
)
def test_each_method_is_called_as_the_port_says(kind: type, port: type) -> None:
    has = methods(kind)
    differ = {name: has.get(name) for name, wanted in methods(port).items() if has.get(name) != wanted}
    assert differ == {}
