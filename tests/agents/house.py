"""A project in which real programs work and review for a person, by `fe run`, with a model that plays a script."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
from pathlib import Path
from typing import Any

from tests.agents.ground import PROVIDER, SETTINGS, found_program
from tests.agents.within import URL
from tests.sandboxes.programs import ROOT
from tests.sandboxes.scripted_model import Asked
from tests.stage.commands import Stage
from tests.stage.processes import FE, SOURCE
from tests.stage.shop import Shop

CHECKS = """
[[checks]]
name = "lint"
run = "! grep -rn MESSY src"
"""


TYPED = {
    "claude": "-p --setting-sources user --strict-mcp-config --model claude-sonnet-4-5 --allowedTools Bash".split(),
    "codex": ["exec", "--ignore-user-config", "--disable", "plugins", "-m", "gpt-5.5", "-c", "analytics.enabled=false",
              "-c", "model_provider=scripted", "-c", PROVIDER, "--dangerously-bypass-approvals-and-sandbox"],
}  # fmt: skip
"""What a person types behind a program's name."""


class House:
    """A project in which a real program works for a person."""

    def __init__(self, stage: Stage, folder: Path, *names: str, settings: str = "") -> None:
        self.shop, self.folder = Shop(stage.repo, stage.cast), folder
        self.told: dict[str, Any] = {}
        self.home, bin_ = folder / "person", folder / "bin"
        self.home.mkdir()
        bin_.mkdir()
        (self.home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
        self.environ = {"HOME": str(self.home), "PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}"}
        self.environ["PYTHONPATH"] = f"{ROOT}{os.pathsep}{SOURCE}"
        lines = [f'[tiers]\ndeveloper = "{names[0]}"\nsenior = "{names[-1]}"\nlead = "{names[-1]}"\n']
        for name in names:
            (bin_ / name).symlink_to(found_program(name))
            self.environ |= filled(SETTINGS[name].environ)
            for file, text in filled(SETTINGS[name].home).items():
                (self.home / file).parent.mkdir(parents=True, exist_ok=True)
                (self.home / file).write_text(text)
            profile = {"program": name, **filled(SETTINGS[name].profile)}
            lines.append(f"[agents.{name}]\n" + "".join(f"{key} = {json.dumps(v)}\n" for key, v in profile.items()))
        self.shop.configure("\n".join(lines) + settings + CHECKS)

    def create(self) -> str:
        return self.shop.create(self.shop.cast.alice, "--label", "review:auto", title="Say hello")

    def run(
        self, task: str, *commands: Asked, options: tuple[str, ...] = ("--until-idle",), kill_when: str = "",
        listen: tuple[str, ...] = (),
    ) -> list[dict[str, Any]]:  # fmt: skip
        """As a person, to its end; what the runner told. `kill_when`: a file of the worktree at which it is killed;
        `listen`: texts that are looked for in what the model is sent (`told["heard"]`).
        """
        words = [*FE, "run", *options, "--json"]
        return [json.loads(line) for line in self._within(words, commands, task, kill_when, listen).splitlines()]

    def work(self, name: str, task: str, *commands: Asked, kill_when: str = "") -> list[str]:
        """A program that the person starts in the project; what its commands printed."""
        fe = self.folder / "bin" / "fe"
        fe.write_text(f'#!/bin/sh\nexec {shlex.join(FE)} "$@"\n')
        fe.chmod(0o755)
        (self.home / ".profile").write_text(f"PATH={shlex.quote(str(fe.parent))}:$PATH\n")  # codex has login shells
        asked = self.folder / "asked"
        asked.write_text("Work on what fe next gives you.\n")
        words = [*filled(TYPED[name]), "-"] if name == "codex" else filled(TYPED[name])
        self._within(["sh", "-c", f'exec "$@" < {asked}', "sh", name, *words], commands, task, kill_when, ())
        return list(self.told["printed"])

    def _within(
        self, words: list[str], commands: tuple[Asked, ...], task: str, kill_when: str, listen: tuple[str, ...]
    ) -> str:
        told, plan = self.folder / "told.json", self.folder / "plan.json"
        tree = self.shop.folder / "worktrees" / task
        killed = str(tree / kill_when) if kill_when else ""
        told.unlink(missing_ok=True)
        script = {"commands": commands, "folder": str(tree), "told": str(told), "kill_when": killed, "listen": listen}
        plan.write_text(json.dumps(script))
        within = ["unshare", "-n", sys.executable, "-m", "tests.agents.within", str(plan)]
        done = self.shop.cast.alice.run([*within, *words], cwd=self.shop.repo, env=self.environ)
        assert done.rc == (-signal.SIGKILL % 256 if kill_when else 0), done
        self.told = json.loads(told.read_text())
        assert self.told["left"] == []
        return done.out


def filled(value: Any) -> Any:
    return json.loads(json.dumps(value).replace("@URL@", URL))


def told(lines: list[dict[str, Any]]) -> str:
    return "\n".join(str(line.get("text", "")) for line in lines)
