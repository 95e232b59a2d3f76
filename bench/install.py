"""The environment that is measured: what `pip install foureyes` gives, without development tools.

Those would be unfair in both directions: typing_extensions, which they bring, makes msgspec load 10 ms slower.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv-bench"
STAMP = VENV / ".made-from"


def digest() -> str:
    """What the environment is made from: interpreter, dependencies, source."""
    files = [ROOT / "pyproject.toml", ROOT / "constraints.txt", *sorted((ROOT / "src" / "foureyes").rglob("*"))]
    state = hashlib.sha256(sys.version.encode())
    for path in files:
        if path.is_file() and "__pycache__" not in path.parts:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            state.update(f"{path.relative_to(ROOT)}\0{content}\n".encode())
    return state.hexdigest()


def pip_install(*arguments: str) -> None:
    """Install into the measured environment with our own pip, so that it holds neither pip nor setuptools."""
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(VENV / "bin" / "python"),
            "install",
            "-q",
            "--disable-pip-version-check",
            "--no-input",
            *arguments,
        ],
        cwd=ROOT,
        check=True,
        stdin=subprocess.DEVNULL,
    )


def runtime_dependencies() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return list(project["dependencies"])


def installed() -> Path:
    """The folder of programs of an up-to-date environment; made when something changed since the last time."""
    current = digest()
    if not STAMP.exists() or STAMP.read_text(encoding="utf-8") != current:
        print("setting up .venv-bench (runtime dependencies only) ...", file=sys.stderr)
        venv.create(VENV, clear=True, with_pip=False, symlinks=True)
        pip_install("-c", "constraints.txt", *runtime_dependencies())
        pip_install("--no-deps", str(ROOT))
        STAMP.write_text(current, encoding="utf-8")
    return VENV / "bin"
