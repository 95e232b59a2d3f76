"""The environments that are measured: what `pip install foureyes` gives, and the same beside Textual and the MCP SDK.

Development tools are in neither. The second one is what users get whose faces or whose own programs bring these: with
them come typing_extensions and pydantic, which a library that looks for them loads.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENVS = {"plain": ROOT / ".venv-bench", "crowded": ROOT / ".venv-bench-crowded"}
NEIGHBOURS = ("textual", "mcp")


def digest() -> str:
    """What the environment is made from: interpreter, dependencies, source."""
    files = [ROOT / "pyproject.toml", ROOT / "constraints.txt", *sorted((ROOT / "src" / "foureyes").rglob("*"))]
    state = hashlib.sha256(sys.version.encode())
    for path in files:
        if path.is_file() and "__pycache__" not in path.parts:
            content = hashlib.sha256(path.read_bytes()).hexdigest()
            state.update(f"{path.relative_to(ROOT)}\0{content}\n".encode())
    return state.hexdigest()


def pip_install(place: Path, *arguments: str) -> None:
    """Install into a measured environment with our own pip, so that it holds neither pip nor setuptools."""
    subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(place / "bin" / "python"),
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


def installed(name: str = "plain") -> Path:
    """The folder of programs of an up-to-date environment; made when something changed since the last time."""
    place, current = VENVS[name], digest()
    stamp = place / ".made-from"
    if not stamp.exists() or stamp.read_text(encoding="utf-8") != current:
        print(f"setting up {place.name} ({name}: runtime dependencies) ...", file=sys.stderr)
        venv.create(place, clear=True, with_pip=False, symlinks=True)
        pip_install(place, "-c", "constraints.txt", *runtime_dependencies())
        if name == "crowded":
            pip_install(place, *NEIGHBOURS)
        pip_install(place, "--no-deps", str(ROOT))
        stamp.write_text(current, encoding="utf-8")
    return place / "bin"
