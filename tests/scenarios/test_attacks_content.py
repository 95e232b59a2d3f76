"""Attacks below the rules: bytes swapped under an object's name, files beside the objects, a configuration that git and
the gate might read in two ways (A2, Q2).

Real processes, real git. Whoever tries has the rights of the person whose repository it is.
"""

from __future__ import annotations

import pytest

from tests.adapters.git.client.swapping import put
from tests.scenarios.attack_gate import CODE, Gate
from tests.stage.commands import SubmissionTime

pytestmark = pytest.mark.scenario

EVIL = b"code = 'evil'\n"


def swap(gate: Gate, name: str, content: bytes, place: str = "loose") -> None:
    put(gate.repo / ".git", gate.tip(name), "blob", content, place)


def stays(gate: Gate, work: SubmissionTime, before: str) -> None:
    """Whatever the merge says, the target has not moved, and nothing of the other bytes is on it."""
    gate.run(gate.cast.alice, "merge", "--json")
    assert (gate.tip(), gate.status(work.task)) == (before, "approved")
    assert "evil" not in gate.on_main("src/code.py")


@pytest.mark.parametrize("place", ["loose", "pack"])
def test_A2_bytes_that_are_swapped_after_the_approval_are_not_merged(gate: Gate, place: str) -> None:
    work = gate.approved()
    before = gate.tip()
    swap(gate, f"{work.head}:src/code.py", EVIL, place)
    assert gate.git("show", f"{work.head}:src/code.py") == EVIL.decode().strip(), "git believes the name"
    stays(gate, work, before)
    put(gate.repo / ".git", gate.tip(f"{work.head}:src/code.py"), "blob", CODE["src/code.py"].encode())
    gate.run(gate.cast.alice, "merge", "--retry", work.task)
    gate.merge()
    assert gate.status(work.task) == "closed", "the right bytes again: nothing was lost"
    assert gate.on_main("src/code.py") == "code = 1"


def test_A2_bytes_that_are_swapped_while_somebody_looks_are_not_shown(gate: Gate) -> None:
    work = gate.attempt(CODE)
    swap(gate, f"{work.head}:src/code.py", b"code = 'harmless'\n")
    for command in (("show", work.task, "--diff"), ("context", work.task)):
        result = gate.run(gate.cast.alice, *command)
        assert "harmless" not in result.out + result.err, command
    assert "bytes were changed" in gate.run(gate.cast.alice, "show", work.task, "--diff").err


def test_Q2_a_return_in_the_configuration_does_not_hide_the_project(gate: Gate) -> None:
    config = gate.repo / ".git" / "config"
    config.write_bytes(config.read_bytes() + b"[x]\n\ty = z # \r[core]\r bare = true\n")
    assert gate.git("rev-parse", "--is-bare-repository") == "false"
    assert gate.run(gate.cast.alice, "status").rc == 0
