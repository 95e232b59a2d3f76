"""The server that a run's program starts is ours, whatever lies in the worktree (I2, I5)."""

from __future__ import annotations

import subprocess
from pathlib import Path

from foureyes.bootstrap.runner import mcp_command


def test_a_package_of_our_name_in_the_worktree_is_not_started_I5(tmp_path: Path) -> None:
    (tmp_path / "foureyes").mkdir()
    for name in ("__init__", "__main__"):
        (tmp_path / "foureyes" / f"{name}.py").write_text("open('pwned', 'w')\n")
    done = subprocess.run([*mcp_command(), "--help"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert not (tmp_path / "pwned").exists()
    assert (done.returncode, "--run" in done.stdout) == (0, True), done.stderr
