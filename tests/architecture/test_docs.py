"""The generated references are what the code says now."""

from __future__ import annotations

import subprocess
import sys

from tests.architecture.house import ROOT


def test_the_generated_references_are_up_to_date() -> None:
    run = subprocess.run(
        [sys.executable, "-m", "tools.reference", "--check"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr
