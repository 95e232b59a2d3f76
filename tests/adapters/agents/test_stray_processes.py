"""Who has a run's mark is found and ended, and nobody else."""

from __future__ import annotations

import os
import subprocess

from foureyes.adapters.agents.stray_processes import marked, sweep


def started(mark: str) -> subprocess.Popen[bytes]:
    env = {"PATH": os.environ["PATH"], "FOUREYES_RUN": mark}
    child = subprocess.Popen(["sh", "-c", "echo; exec tail -f /dev/null"], env=env, stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.readline()
    return child


def test_only_processes_of_the_runs_asked_about_are_ended() -> None:
    mine, longer, check = started("agent:run-s1"), started("agent:run-s11"), started("check")
    assert marked(["run-s1", "run-none"]) == {"run-s1": [mine.pid]}
    assert sweep(["run-s1"]) == {}
    assert mine.wait() == -9
    assert (longer.poll(), check.poll()) == (None, None)
    assert marked([]) == {}
    for child in (mine, longer, check):
        child.kill()
        child.wait()
        assert child.stdout is not None
        child.stdout.close()
