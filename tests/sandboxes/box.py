"""A real agent program in its sandbox, around a project of the stage."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.sandboxes.programs import CODEX, ROOT, Program, environment
from tests.sandboxes.scripted_model import Asked
from tests.stage.commands import Stage
from tests.stage.namespaces import need
from tests.stage.processes import SOURCE

FE = str(ROOT / ".venv" / "bin" / "fe")


class Box:
    """A program and its sandbox around a project."""

    def __init__(self, program: Program, stage: Stage, folder: Path) -> None:
        need("unshare", "-n", "true")
        found = program.installed()
        if isinstance(found, str):
            pytest.skip(f"NOT RUN: {found}")
        self.program, self.stage, self.binary = program, stage, found
        self.home, self.plan = folder / "home", folder / "plan.json"
        self.said = ""
        """What the program said, in the last run."""
        self.heard: dict[str, int] = {}
        """How often the model was told what was listened for, in the last run."""

    def run(
        self,
        *commands: Asked,
        roots: Sequence[object] | None = None,
        cwd: Path | None = None,
        served: bool = False,
        listen: Sequence[str] = (),
    ) -> list[str]:
        """What each command printed, or each tool answered. `roots` are let write; None is the program's own default.
        `served`: with Foureyes as an MCP server. `listen`: what the model may be told.
        """
        env = environment(self.program, self.home)
        allowed = None if roots is None else [str(root) for root in roots]
        words = self.program.start(self.home, allowed)
        argv = [str(self.binary), *(self.program.serve(words, FE) if served else words)]
        plan = {"commands": commands, "argv": argv, "env": env, "cwd": str(cwd or self.stage.repo), "listen": listen}
        self.plan.write_text(json.dumps(plan))
        inside = ["unshare", "-n", sys.executable, "-m", "tests.sandboxes.inside", str(self.plan)]
        done = self.stage.cast.job.run(inside, cwd=ROOT, env={"PYTHONPATH": f"{ROOT}{os.pathsep}{SOURCE}"})
        assert done.rc == 0, done
        ran = done.json
        self.heard, self.said = ran["heard"], ran["out"] + ran["err"]
        assert len(ran["printed"]) == len(commands), (ran["rc"], ran["out"][-2000:], ran["err"][-2000:])
        return [str(printed) for printed in ran["printed"]]

    @property
    def roots(self) -> list[Path]:
        """The writable roots of the how-to."""
        return [self.stage.repo / ".git"] if self.program is CODEX else []
