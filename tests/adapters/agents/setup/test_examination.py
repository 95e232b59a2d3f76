"""What agent programs find in a checkout, and whether it fits."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

from foureyes.adapters.agents.setup import changes
from foureyes.adapters.agents.setup.examination import examine, own_programs
from foureyes.adapters.agents.setup.marked_block import MARKDOWN, install
from foureyes.adapters.agents.setup.programs import PROGRAMS
from foureyes.app.results.settings import ProgramSetup
from foureyes.config.primer import BLOCK


@pytest.fixture
def environ(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A PATH on which this `fe` lies."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "fe").write_text("#!/bin/sh\n")
    (folder / "fe").chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(folder / "fe")])
    return {"PATH": str(folder)}


def set_up(root: Path, *programs: str) -> None:
    for program in programs:
        changes.apply(str(root), changes.plan(str(root), program, BLOCK, remove=False))


def look(root: Path, environ: dict[str, str]) -> dict[str, ProgramSetup]:
    return {each.program: each for each in examine(str(root), BLOCK, environ)}


def test_where_nothing_is_set_up_nothing_is_said(tmp_path: Path, environ: dict[str, str]) -> None:
    (tmp_path / "AGENTS.md").write_text("# Ours\n")
    (tmp_path / ".mcp.json").write_text('{"mcpServers": {"other": {}}}')
    assert look(tmp_path, environ) == {}


def test_every_program_that_is_set_up_fits(tmp_path: Path, environ: dict[str, str]) -> None:
    set_up(tmp_path, *PROGRAMS)
    found = look(tmp_path, environ)
    assert list(found) == list(PROGRAMS)
    assert [each.wrong for each in found.values()] == [()] * len(PROGRAMS)
    assert found["claude"].entries == (
        "instructions in CLAUDE.md",
        "tools in .mcp.json",
        "reminder in .claude/settings.json",
    )
    assert found["codex"].entries == ("instructions in AGENTS.md", "tools and reminder in .codex/config.toml")


def test_only_who_is_named_is_set_up(tmp_path: Path, environ: dict[str, str]) -> None:
    set_up(tmp_path, "codex")
    assert list(look(tmp_path, environ)) == ["codex"]


def test_what_is_missing_is_said(tmp_path: Path, environ: dict[str, str]) -> None:
    set_up(tmp_path, "claude", "codex")
    (tmp_path / "CLAUDE.md").unlink()
    (tmp_path / ".claude" / "settings.json").write_text("{}")
    (tmp_path / ".codex" / "config.toml").write_text("")
    found = look(tmp_path, environ)
    assert found["claude"].wrong == ("CLAUDE.md is missing", "no reminder in .claude/settings.json")
    assert found["codex"].wrong == ("no tools in .codex/config.toml",)


@pytest.mark.parametrize("program", ["agents-md", "claude"])
def test_a_block_of_version_1_is_older(tmp_path: Path, environ: dict[str, str], program: str) -> None:
    page = tmp_path / PROGRAMS[program].page
    page.write_text("<!-- foureyes:begin v1 -->\nold\n<!-- foureyes:end -->\n")
    assert "are older than this version of Foureyes" in look(tmp_path, environ)[program].wrong[0]


def test_an_older_text_of_ours_is_older_and_an_edited_one_is_said_to_be(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    page = tmp_path / "AGENTS.md"
    page.write_text(install(None, MARKDOWN, "agents-md", "what we said once").text or "")
    assert look(tmp_path, environ)["agents-md"].wrong == (
        "the instructions in AGENTS.md are older than this version of Foureyes",
    )
    page.write_text((install(None, MARKDOWN, "agents-md", BLOCK).text or "").replace("Never approve", "Always approve"))
    assert "the text between its marks was edited" in look(tmp_path, environ)["agents-md"].wrong[0]


def test_another_fe_and_none_at_all_are_said(
    tmp_path: Path, environ: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    set_up(tmp_path, "claude", "codex", "opencode")
    for each, file in (("claude", ".mcp.json"), ("codex", ".codex/config.toml"), ("opencode", "opencode.json")):
        assert look(tmp_path, {"PATH": "/nowhere"})[each].wrong == (f"{file} starts fe, which is not on the PATH here",)
    monkeypatch.setattr(sys, "argv", ["/usr/bin/python3"])
    program = os.path.join(environ["PATH"], "fe")
    for found in look(tmp_path, environ).values():
        assert f"starts {program}, which is not this fe" in found.wrong[0]


@pytest.mark.parametrize(
    ("server", "fits"),
    [
        ({"command": "@FE@", "args": ["mcp", "--all"]}, True),
        ({"command": "fe", "args": ["mcp"], "env": {"A": "b"}}, True),
        ({"command": "fe"}, False),
        ({"command": "fe", "args": "mcp"}, True),
        ({"url": "http://127.0.0.1"}, False),
        ({"command": ["fe", {}], "args": None}, False),
        ("fe mcp", False),
        ([], False),
    ],
)
def test_an_entry_of_somebodys_own_fits_if_it_starts_this_fe(
    tmp_path: Path, environ: dict[str, str], server: object, fits: bool
) -> None:
    set_up(tmp_path, "claude")
    text = json.dumps({"mcpServers": {"foureyes": server}}).replace("@FE@", f"{environ['PATH']}/fe")
    (tmp_path / ".mcp.json").write_text("// by hand\n" + text)
    wrong = look(tmp_path, environ)["claude"].wrong
    assert wrong == (() if fits else ("the entry foureyes of .mcp.json does not start fe mcp",))


@pytest.mark.parametrize("text", ["{", '"x"', "[]"])
def test_what_cannot_be_read_is_said(tmp_path: Path, environ: dict[str, str], text: str) -> None:
    set_up(tmp_path, "claude", "codex")
    (tmp_path / ".mcp.json").write_text(text)
    (tmp_path / ".codex" / "config.toml").write_text("= 1")
    (tmp_path / ".claude" / "settings.json").unlink()
    os.mkfifo(tmp_path / ".claude" / "settings.json")
    found = look(tmp_path, environ)
    assert found["claude"].wrong[0] == ".mcp.json is not valid JSON"
    assert "named pipe" in found["claude"].wrong[1]
    assert ".codex/config.toml is not valid TOML" in found["codex"].wrong[0]


def test_this_fe_is_the_script_beside_its_python(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["pytest"])
    review_folder = os.path.join(os.path.dirname(sys.executable), "fe")
    assert os.path.realpath(review_folder) in own_programs()
