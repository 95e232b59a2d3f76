"""A small project with a `src/` layout, and Python environments without pip: laid out by hand, which takes no time."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec

from foureyes.adapters.checks.pipeline import Pipeline
from foureyes.core.nouns.check import CheckJudgement, judge
from foureyes.core.nouns.check_config import CheckRule

VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
RIGHT, WRONG = "def area(w, h):\n    return w * h\n", "def area(w, h):\n    return w + h\n"
TESTED = "import shop\n\nassert shop.area(2, 3) == 6\n"


def make_environment(folder: Path) -> Path:
    """An environment of the interpreter that runs the tests; where its packages lie."""
    (folder / "bin").mkdir(parents=True)
    base = os.path.realpath(sys.executable)
    for name in ("python", "python3"):
        (folder / "bin" / name).symlink_to(base)
    (folder / "pyvenv.cfg").write_text(f"home = {os.path.dirname(base)}\ninclude-system-site-packages = false\n")
    site = folder / "lib" / VERSION / "site-packages"
    site.mkdir(parents=True)
    return site


def script(environment: Path, name: str, text: str) -> None:
    """A program of an environment, as installers write it."""
    path = environment / "bin" / name
    path.write_text(f"#!{environment}/bin/python\n{text}")
    path.chmod(0o755)


class Ground(msgspec.Struct, frozen=True):
    """A checkout whose code is right, an environment, and a place for scratch."""

    checkout: Path
    environment: Path
    site: Path
    scratch: Path

    def in_place(self) -> None:
        """What `pip install -e .` leaves."""
        (self.site / "__editable__.shop-1.pth").write_text(f"{self.checkout}/src\n")

    def checked(
        self, command: str, code: str = WRONG, *, change: Callable[[Path], None] | None = None, **env: str
    ) -> CheckJudgement:
        """The outcome of a command on a tree with this code."""

        def export(path: str) -> None:
            shutil.copytree(self.checkout, path, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
            Path(path, "src/shop/__init__.py").write_text(code)
            if change is not None:
                change(Path(path))

        rule = CheckRule(name="tests", run=command, env=tuple(env))
        environ = {"PATH": f"{self.environment}/bin:{os.defpath}", "TMPDIR": str(self.scratch), **env}
        return judge(rule, Pipeline(environ, [str(self.checkout)]).run(rule, export))


def make_ground(folder: Path) -> Ground:
    checkout, scratch = folder / "checkout", folder / "scratch"
    for name, text in {"src/shop/__init__.py": RIGHT, "tests/check.py": TESTED}.items():
        (checkout / name).parent.mkdir(parents=True)
        (checkout / name).write_text(text)
    (checkout / ".git").mkdir()
    scratch.mkdir()
    return Ground(checkout, folder / "venv", make_environment(folder / "venv"), scratch)
