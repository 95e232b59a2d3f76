"""Who an agent is below a runner's reaper, by real processes: its token's, and nobody without one (I2, I5)."""

from __future__ import annotations

import json
import os
import select
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from foureyes.adapters.agents.live_run import LiveProgram
from foureyes.adapters.agents.programs import AgentPrograms
from foureyes.adapters.identity.alive import of
from foureyes.app.agent_ports import Launch
from foureyes.app.application import Application
from foureyes.bootstrap.places import repository
from foureyes.bootstrap.run_server import RunDoors
from foureyes.bootstrap.wiring import open_project
from foureyes.core.nouns.run import Run
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.policy import Profile

from tests.stage.commands import Stage
from tests.stage.people import ALICE
from tests.stage.processes import SOURCE

FE = f"{sys.executable} -P -m foureyes"


class Shop:
    """A runner in this process, and agents that are shell scripts below real reapers."""

    def __init__(self, stage: Stage, home: Path) -> None:
        self.stage = stage
        self.app: Application = open_project(str(stage.repo), {})
        environ = {"PATH": os.environ["PATH"], "HOME": str(home)}
        self.answers_to = RunDoors(repository(str(stage.repo)), {})
        self.agents = AgentPrograms(str(stage.repo / ".foureyes"), environ, evidence=of, doors=self.answers_to)
        self.runner: Actor = self.app.runs.begin(ALICE, agents=2).actor
        self.live: list[LiveProgram] = []

    def run(self, script: str) -> tuple[Run, LiveProgram]:
        """An agent that is bound and let go; it runs a script in the project's checkout."""
        task = self.stage.create(self.stage.cast.alice)
        run = self.app.runs.reserve(self.runner, task, profile="claude", purpose="implement")
        secret = f"fe-{run.id}"
        profile = Profile(
            "/bin/sh", adapter="text", args=("-c", script), env=(f"PYTHONPATH={SOURCE}", "PYTHONDONTWRITEBYTECODE=1")
        )
        launch = Launch(
            run=run.id,
            profile_name="claude",
            profile=profile,
            role=run.role,
            purpose=run.purpose,
            worktree=str(self.stage.repo),
            prompt="work",
            token=secret,
            task=task,
        )
        live = self.agents.prepare(launch)
        self.live.append(live)
        bound = self.app.runs.bind(self.runner, run.id, secret=secret, process=live.process, program=live.program)
        live.go()
        return bound, live

    def answers(self, live: LiveProgram) -> list[Any]:
        """What the commands of a script answered with `--json`, when all of it has ended."""
        while (outcome := live.poll()) is None:
            select.select([live.fileno()], [], [], 1.0)
        self.live.remove(live)
        return [json.loads(line) for line in outcome.final.splitlines() if line.startswith("{")]

    def close(self) -> None:
        for live in self.live:
            live.stop("the test is over")
            while live.poll() is None:
                select.select([live.fileno()], [], [], 1.0)
        self.app.close()


@pytest.fixture
def shop(stage: Stage, tmp_path: Path) -> Iterator[Shop]:
    made = Shop(stage, tmp_path)
    yield made
    made.close()


def test_I2_an_agent_below_its_reaper_is_who_its_runs_token_says_and_signals(shop: Shop) -> None:
    run, live = shop.run(f"{FE} whoami --json; {FE} signal DONE -m ready --json; {FE} create more --json")
    me, signalled, created = shop.answers(live)
    assert (me["session"], me["role"], me["task"], me["parent"]) == (
        run.session, "implement", run.task, shop.runner.session,
    )  # fmt: skip
    assert signalled["task"] == run.task
    assert created["error"]["reasons"][0]["rule"] == "I2"
    assert shop.app.runs.of_task(run.task)[0].signal == "DONE"


def test_I2_the_token_of_another_run_is_refused_and_on_record_and_none_is_no_rights_at_all_I5(shop: Shop) -> None:
    other, _ = shop.run("exec tail -f /dev/null")
    theirs = shop.agents.places.run(other.id)
    run, live = shop.run(
        f"FOUREYES_RUN_DIR={theirs} {FE} whoami --json;"
        f"env -u FOUREYES_RUN_DIR -u FOUREYES_RUN {FE} log {other.task} hello --json;"
        f"FOUREYES_RUN_DIR=/nowhere {FE} log {other.task} hello --json"
    )
    stolen, bare, lost = shop.answers(live)
    assert [each["error"]["reasons"][0]["rule"] for each in (stolen, bare, lost)] == ["I2", "I5", "I5"]
    assert "finding_answer" in stolen["error"]["reasons"][0]["next"], "from the sandbox of a shell, tools work"
    assert [(row.kind, row.task) for row in shop.app.audit.exceptions()] == [("token_elsewhere", other.task)]
    assert run.task != other.task


def test_I5_what_git_starts_in_a_run_speaks_with_nobodys_token_and_no_monitor_begins(
    shop: Shop, tmp_path: Path
) -> None:
    planted, said = tmp_path / "planted", tmp_path / "said"
    said.write_text(f"{FE} signal BLOCKED -m forged --json; {FE} session end --json; {FE} whoami --json\n")
    shop.stage.cast.codex.run(["git", "config", "core.fsmonitor", f"touch {planted};"], cwd=shop.stage.repo)
    run, live = shop.run(f"git status -s; git -c alias.said='!sh {said}' said; {FE} signal DONE -m yes --json")
    signalled, ended, me, own = shop.answers(live)
    assert [each["error"]["reasons"][0]["rule"] for each in (signalled, ended)] == ["I5", "I5"]
    assert (me["session"], own["task"]) == (run.session, run.task)
    assert shop.app.runs.of_task(run.task)[0].signal == "DONE"
    assert not planted.exists()


def test_I5_a_puppet_runner_below_an_agent_or_below_a_run_does_not_begin(shop: Shop) -> None:
    code = (
        "import os, sys\n"
        "from foureyes.bootstrap.wiring import open_project, whoami\n"
        "app = open_project('.', os.environ)\n"
        "me = app.sessions.recognise(lambda programs: whoami(os.environ, '', programs))\n"
        "try:\n"
        "    app.runs.begin(me, agents=1)\n"
        "except Exception as problem:\n"
        '    print(\'{"rule": "%s"}\' % problem.reasons[0].rule)\n'
    )
    script = shop.stage.repo.parent / "puppet.py"
    script.write_text(code)
    _, live = shop.run(f"{sys.executable} {script}; env -u FOUREYES_RUN_DIR {sys.executable} {script}")
    assert [each["rule"] for each in shop.answers(live)] == ["I2", "I5"]
    claude = shop.stage.cast.claude
    env = {"PYTHONPATH": str(SOURCE)}
    assert claude.run([sys.executable, str(script)], cwd=shop.stage.repo, env=env).json == {"rule": "I5"}
    job = shop.stage.cast.people.service()
    assert job.run([sys.executable, str(script)], cwd=shop.stage.repo, env=env).json == {"rule": "I5"}
    assert len(shop.app.runs.runners()) == 1
