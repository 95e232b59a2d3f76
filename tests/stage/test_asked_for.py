"""No real agent program is started by who only names a file. Here none could be: nothing is on the PATH."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.sandboxes.programs import PROGRAMS, program_path
from tests.stage.asked_for import TARGETS, refuse_unless_asked

NAMED = {"tests/agents/test_quick.py": "make test-agents", "tests/sandboxes/test_setup.py": "make test-sandboxes"}


@pytest.fixture(autouse=True)
def _without_programs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    for variable in TARGETS:
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize(("file", "target"), NAMED.items())
def test_a_file_that_is_named_to_pytest_is_refused_and_the_target_is_said(
    pytestconfig: pytest.Config, file: str, target: str, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "pytest", "-n", "0", "--collect-only", "-p", "no:cacheprovider", file]
    env = {"PATH": str(tmp_path), "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, cwd=pytestconfig.rootpath, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == pytest.ExitCode.USAGE_ERROR, done.stdout + done.stderr
    assert f"started by {target} only" in done.stderr + done.stdout


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_program_is_not_even_looked_for_unless_a_target_asked(name: str) -> None:
    with pytest.raises(pytest.UsageError, match="Nothing was started"):
        program_path(PROGRAMS[name])


@pytest.mark.parametrize("variable", TARGETS)
def test_who_is_asked_by_its_own_target_goes_on(variable: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(variable, "1")
    refuse_unless_asked(variable)
    refuse_unless_asked()
    (other,) = set(TARGETS) - {variable}
    with pytest.raises(pytest.UsageError):
        refuse_unless_asked(other)
