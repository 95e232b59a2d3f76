"""`make demo` plays its story to the end, wherever it is run, and says so when it cannot."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.launcher import World

ROOT = Path(__file__).resolve().parents[2]
DEMO = [sys.executable, str(ROOT / "demo" / "demo.py")]
KEY_LINES = (
    r"\$ fe init\n +Foureyes project created\.",
    r"codex\$ fe approve .*\(exit 1\)\n.*not approved.*\n +P2 .* whoever made a change may not approve it",
    r"claude\$ fe approve .*\(exit 1\)\n.*\n +P3 .* only with a reason",
    r"approved fe-\w+ by exception P3",
    r"D4 +attempt 1 is stale",
    r"approved fe-\w+ \(P7\)",
    r"alice\$ fe merge\n +closed fe-\w+ .*\n +closed fe-\w+ ",
    r"alice\$ fe security\n(.*\n)+?.*creator_approval",
    r"rows verified",
    r"\(exit 6\)\n(.*\n)+?.*row \d+ \(SecurityRecorded of fe-\w+\) was changed after it was written",
)


def demo(tmp_path: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """The demo as CI runs it: no terminal, no input."""
    return subprocess.run(
        DEMO, cwd=tmp_path, env={**os.environ, "TMPDIR": str(tmp_path), **env}, stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip


@pytest.mark.scenario
def test_the_demo_tells_its_whole_story_and_ends_with_where_it_is_kept(tmp_path: Path) -> None:
    done = demo(tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    missing = [line for line in KEY_LINES if not re.search(line, done.stdout)]
    assert not missing, "\n".join([*missing, done.stdout])
    assert "\033" not in done.stdout
    kept = re.fullmatch(r"Kept in (\S+)\. Look around: cd \1 && fe status     Yours: fe init", done.stdout.splitlines()[-1])
    assert kept, done.stdout[-300:]
    assert (Path(kept.group(1)) / ".foureyes" / "store.db").is_file()


@pytest.mark.scenario
def test_the_demo_tells_the_same_below_an_agent_and_with_an_agents_environment(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        done = world.agent("claude").run(DEMO, env={"TMPDIR": str(tmp_path), "CLAUDECODE": "1", "CODEX_THREAD_ID": "t-1"})
    assert done.rc == 0, done.out + done.err


@pytest.mark.scenario
def test_the_demo_tells_the_same_on_a_desk(tmp_path: Path) -> None:
    with World(tmp_path) as world:
        done = world.person("alice").run(DEMO, env={"TMPDIR": str(tmp_path), "TERM": "xterm"}, tty=True)
    assert done.rc == 0, done.out
    assert "\033[1m1. " in done.out


@pytest.mark.scenario
def test_the_demo_fails_loudly_when_a_step_does_something_else(tmp_path: Path) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "git").write_text("#!/bin/sh\necho git version 2.20.0\n", encoding="utf-8")
    (tools / "git").chmod(0o755)
    done = demo(tmp_path, PATH=f"{tools}:{os.environ.get('PATH', os.defpath)}")
    assert done.returncode == 1
    assert "The demo failed." in done.stderr
    assert "Kept in" not in done.stdout
