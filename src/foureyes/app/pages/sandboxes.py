"""Sandboxes in which agent programs run commands: how each is known, and how somebody lets it write a place."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from foureyes.steps import Steps, prose, shell

MARKS = {"CODEX_SANDBOX_NETWORK_DISABLED": "codex", "CODEX_SANDBOX": "codex", "SANDBOX_RUNTIME": "claude"}
"""Variables that a program sets for commands in its sandbox, and for no others."""


def sandbox_around(environ: Mapping[str, str]) -> str:
    """The agent program in whose sandbox a command runs; empty where none says so."""
    return next((agent for mark, agent in MARKS.items() if mark in environ), "")


def let_write(agent: str, paths: Sequence[str]) -> Steps:
    """How somebody lets the sandbox of an agent program write some places."""
    if agent == "codex":
        roots = [word for path in paths for word in ("--add-dir", path)]
        return shell("codex", "-s", "workspace-write", *roots, before="allow it to write: ")
    if agent == "claude":
        allow = json.dumps({"sandbox": {"filesystem": {"allowWrite": list(paths)}}})
        return prose(f"allow it to write, in .claude/settings.json: {allow}")
    return prose(f"let this command write {', '.join(paths)}")
