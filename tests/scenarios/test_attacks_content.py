"""Attacks below the rules: bytes swapped under an object's name, files beside the objects, a configuration that git and
the gate might read in two ways (A2, Q2).

Real processes, real git. Whoever tries has the rights of the person whose repository it is.
"""

from __future__ import annotations

from pathlib import Path

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


def test_A2_P12_settings_that_are_swapped_are_neither_accepted_nor_used(gate: Gate) -> None:
    settings = gate.on_main("foureyes.toml") + "\n"
    work = gate.approved({"foureyes.toml": settings + "\n# harmless\n"})
    before = gate.tip()
    swap(gate, f"{work.head}:foureyes.toml", (settings + '\n[review]\npolicy = "trusted"\n').encode())
    gate.run(gate.cast.alice, "merge", "--json")
    assert gate.tip() == before
    swap(gate, "main:foureyes.toml", (settings + '\n[review]\npolicy = "trusted"\n').encode())
    for command in (("config", "accept"), ("config", "show"), ("status",)):
        result = gate.run(gate.cast.alice, *command)
        assert "trusted" not in result.out + result.err, command
    refused = gate.run(gate.cast.alice, "config", "accept")
    assert refused.rc != 0
    assert "bytes were changed" in refused.err


def test_A2_a_shallow_file_and_grafts_do_not_choose_what_is_shown_and_merged(gate: Gate) -> None:
    work = gate.approved({**CODE, "src/more.py": "more = 1\n"})
    gate.commit("main", {"src/elsewhere.py": "elsewhere = 1\n"})
    gate.git("reset", "-q", "--hard")
    shown = gate.run(gate.cast.alice, "show", work.task, "--diff").out
    tip, head = gate.tip(), work.head
    for name, text in {"shallow": f"{head}\n{tip}\n", "info/grafts": f"{head}\n{tip} {head}\n"}.items():
        path = gate.repo / ".git" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        assert gate.run(gate.cast.alice, "show", work.task, "--diff").out == shown
        path.unlink()
    (gate.repo / ".git" / "shallow").write_text(f"{head}\n")
    assert gate.merge() == {work.task: "merged"}
    (gate.repo / ".git" / "shallow").unlink()
    assert gate.on_main("src/elsewhere.py") == "elsewhere = 1"


@pytest.mark.parametrize("way", ["a line feed in the hash's name", "a lone return"])
def test_Q2_a_configuration_that_could_be_read_in_two_ways_runs_nothing(gate: Gate, tmp_path: Path, way: str) -> None:
    work = gate.approved({"src/prices.py": "# the net price, here\n", ".gitattributes": "* merge=evil\n"})
    gate.commit("main", {"src/prices.py": "# the net price, there\n", ".gitattributes": "* merge=evil\n"})
    gate.git("reset", "-q", "--hard")
    before = gate.tip()
    config = gate.repo / ".git" / "config"
    text = config.read_bytes()
    driver = f"touch {tmp_path}/was-run; echo evil > %A"
    if way == "a lone return":
        config.write_bytes(text + b'# c\r[merge "evil"]\r\tdriver = ' + driver.encode() + b"\n")
    else:
        value = 'sha1\\n[merge \\"evil\\"]\\n\\tdriver = ' + driver
        config.write_bytes(text + b'[extensions]\n\tobjectformat = "' + value.encode() + b'"\n')
    gate.run(gate.cast.alice, "merge", "--json")
    assert not (tmp_path / "was-run").exists()
    assert gate.run(gate.cast.alice, "status").rc in (0, 1, 4), "a sentence, no crash"
    config.write_bytes(text)
    assert gate.tip() == before
    assert gate.status(work.task) in ("approved", "open")


def test_Q2_a_return_in_the_configuration_does_not_hide_the_project(gate: Gate) -> None:
    config = gate.repo / ".git" / "config"
    config.write_bytes(config.read_bytes() + b"[x]\n\ty = z # \r[core]\r bare = true\n")
    assert gate.git("rev-parse", "--is-bare-repository") == "false"
    assert gate.run(gate.cast.alice, "status").rc == 0
