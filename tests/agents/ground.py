"""The five real programs below Foureyes' own adapter: a person's home with a dummy key, a project, a worktree, and a
model that answers from a script, in a network namespace with loopback only.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.sandboxes.programs import OPENCODE_SETTINGS, PROGRAMS, ROOT, program_path
from tests.sandboxes.scripted_model import Asked
from tests.stage.namespaces import need

SIGNAL = '{"type": "signal", "signal": "DONE", "message": "hello.txt is there"}'
HELLO: Asked = {"write": "hello.txt", "content": "hello\n"}
DONE: Asked = {"say": f"I have created hello.txt.\n\n{SIGNAL}"}
ESCAPE = """python3 -c "
import os
for name in 'ab':
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve('/bin/sleep', ['sleep', '1000'], {})
        os._exit(0)
" > /dev/null 2>&1 < /dev/null
"""
"""Two processes that leave everything behind: parent, session and environment."""

PROVIDER = (
    'model_providers.scripted={name="scripted",base_url="@URL@/v1",env_key="OPENAI_API_KEY",wire_api="responses",'
    "request_max_retries=0,stream_max_retries=0}"
)
GEMINI_SETTINGS = {
    "security": {"auth": {"selectedType": "gemini-api-key"}}, "general": {"enableAutoUpdate": False},
    "privacy": {"usageStatisticsEnabled": False}, "telemetry": {"enabled": False},
}  # fmt: skip


class Set(msgspec.Struct, frozen=True, kw_only=True):
    """What a person who uses a program has set: its profile in Foureyes, the environment, files of the home."""

    profile: dict[str, Any]
    environ: dict[str, str] = {}
    home: dict[str, str] = {}


SETTINGS = {
    "codex": Set(
        profile={
            "model": "gpt-5.5",
            "args": ["-c", "analytics.enabled=false", "-c", "model_provider=scripted", "-c", PROVIDER],
        },
        environ={"OPENAI_API_KEY": "dummy"},
    ),
    "claude": Set(
        profile={"model": "claude-sonnet-4-5", "env": ["CLAUDE_CODE_MAX_RETRIES=1"]},
        environ={"ANTHROPIC_API_KEY": "dummy", "ANTHROPIC_BASE_URL": "@URL@"},
    ),
    "gemini": Set(
        profile={"model": "gemini-2.5-pro"},
        environ={"GEMINI_API_KEY": "dummy", "GOOGLE_GEMINI_BASE_URL": "@URL@"},
        home={".gemini/settings.json": json.dumps(GEMINI_SETTINGS)},
    ),
    "opencode": Set(
        profile={"model": "scripted/scripted-model"},
        home={".config/opencode/opencode.json": json.dumps(OPENCODE_SETTINGS)},
    ),
    "qwen": Set(
        profile={"model": "scripted-model", "args": ["--auth-type", "openai"]},
        environ={"OPENAI_API_KEY": "dummy", "OPENAI_BASE_URL": "@URL@/v1"},
    ),
}

EACH = pytest.mark.parametrize("name", list(SETTINGS))


class Ended(msgspec.Struct, frozen=True, kw_only=True):
    """What became of a run, and what was left of it."""

    outcome: dict[str, Any]
    printed: list[str]
    requests: int
    left: list[str]
    marked: int


def found_program(name: str) -> Path:
    """Where a program is; where it cannot be run here, the test says so and is skipped."""
    need("unshare", "-n", "true")
    found = program_path(PROGRAMS[name])
    if isinstance(found, str):
        pytest.skip(f"NOT RUN: {found}")
    return found


class Ground:
    """A person, a project and a program."""

    def __init__(self, name: str, folder: Path) -> None:
        found = found_program(name)
        self.name, self.folder, self.settings = name, folder, SETTINGS[name]
        self.work, self.home = folder / "work", folder / "person"
        bin_ = folder / "bin"
        for path in (self.work, self.home, folder / ".foureyes", bin_):
            path.mkdir()
        (bin_ / name).symlink_to(found)
        self.environ = {"PATH": f"{bin_}{os.pathsep}{os.environ['PATH']}", "HOME": str(self.home)}
        (self.home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = ada@example.org\n")
        (self.work / "README.md").write_text("# A project\n")
        self.git("init", "-q", "-b", "main")
        self.commit()

    def git(self, *words: str) -> str:
        command = ["git", "-C", str(self.work), *words]
        return subprocess.run(command, env=self.environ, check=True, capture_output=True, text=True).stdout

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "Begin")

    def changed(self) -> list[str]:
        return [line[3:] for line in self.git("status", "--porcelain", "--untracked-files=all").splitlines()]

    def drive(
        self, *commands: Asked, role: str = "implement", resumes: str = "", stop_when: Path | None = None,
        prompt: str = "Work.\n", launch: Mapping[str, str] | None = None, **profile: Any,
    ) -> Ended:  # fmt: skip
        """One run, from its reaper to its last process. `launch` is how else it is launched."""
        done = self._driven(commands, role, resumes, stop_when, prompt, profile, launch or {})
        assert done.returncode == 0, done.stderr
        return msgspec.json.decode(done.stdout, type=Ended)

    def refused(self, why: str, *commands: Asked, role: str) -> None:
        """One run that does not even begin."""
        done = self._driven(commands, role, "", None, "Work.\n", {}, {})
        assert "AgentUnavailable" in done.stderr
        assert why in done.stderr

    def _driven(
        self, commands: tuple[Asked, ...], role: str, resumes: str, stop_when: Path | None, prompt: str,
        profile: dict[str, Any], more: Mapping[str, str],
    ) -> subprocess.CompletedProcess[str]:  # fmt: skip
        launch = {
            "profile_name": self.name, "role": role, "purpose": role,
            "worktree": str(self.work), "prompt": prompt, "token": "tok-of-the-run", "task": "fe-1", "resumes": resumes,
            **more,
        }  # fmt: skip
        plan = {
            "profile": {"program": self.name, **self.settings.profile, **profile}, "launch": launch,
            "environ": self.environ | self.settings.environ, "home": self.settings.home,
            "folder": str(self.folder / ".foureyes"), "worktree": str(self.work), "commands": commands,
            "stop_when": str(stop_when or ""),
        }  # fmt: skip
        path = self.folder / "plan.json"
        path.write_text(json.dumps(plan))
        inside = ["unshare", "-n", sys.executable, "-m", "tests.agents.drive", str(path)]
        env = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
        return subprocess.run(inside, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
