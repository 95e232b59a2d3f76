"""`fe mcp` as a command: help, and what it refuses before it serves."""

from __future__ import annotations

from tests.stage.commands import Stage


def test_I1_a_server_has_no_typed_name_and_its_help_shows_how_it_is_registered(stage: Stage) -> None:
    refused = stage.cast.claude.fe("mcp", "--as", "root", cwd=stage.repo)
    assert (refused.rc, refused.out) == (2, "")
    assert "no typed name" in refused.err
    said = stage.cast.claude.fe("mcp", "--help", cwd=stage.repo)
    assert "claude mcp add foureyes -- fe mcp" in said.out
