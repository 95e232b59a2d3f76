"""Exit codes: what one means for a check, and whether it is its tool that speaks (D5)."""

from __future__ import annotations

import re
from collections.abc import Collection

from foureyes.core.words.shape import Shape
from foureyes.core.words.tools import tool_of

NOT_FOUND, CANNOT_RUN = 127, frozenset({126, 127})
"""What a shell answers for a program that is not there or cannot be run."""
NOT_THE_TOOLS_OWN = frozenset({124, 125, *CANNOT_RUN})
"""Exit codes of `timeout`, `env` and the shell."""
AS_IF_KILLED = frozenset({137, 143})
"""What a shell answers for a program that the machine ended (SIGKILL, SIGTERM); a tool may end so by itself."""
PROGRAM_NOT_FOUND = Shape(
    r"^\S*sh: (?:(?:line )?\d+: )?([\w.@+-]+): (?:command )?not found$"
    r"|\bcommand not found: ([\w.@+-]+)$"
    r"|^(?:env|timeout|nice|xargs)\b.* '?([\w.@+-]+)'?: No such file or directory$",
    re.MULTILINE,
)

OR_REMOVE = ": install it, or remove the check from foureyes.toml"

FOUND_SOMETHING: dict[str, tuple[int, ...]] = {
    **dict.fromkeys("bandit biome eslint flake8 golangci-lint mypy pyright ruff semgrep shellcheck".split(), (1,)),
    "pytest": (1, 5),
    "pylint": tuple(code for code in range(1, 32)),
    "tsc": (1, 2),
}
"""Exit codes with which a known tool says that it ran and found something; any other one but 0 means that it broke."""


def why_broke(command: str, code: int, failed: Collection[int] | None = None, output: str = "") -> str:
    """Why an exit code means that the check itself broke; empty when it means passed or failed. `failed`: which
    ones mean that, where it is said. Below zero it is a signal; above 128 it is an exit code like any other.
    """
    if code == 0:
        return ""
    if code < 0:
        return f"ended by signal {-code}"
    if code == NOT_FOUND and (missing := PROGRAM_NOT_FOUND.search(output)):
        return not_installed(next(filter(None, missing.groups())))
    if code in CANNOT_RUN:
        return f"exit code {code}: the program was not found or could not be run"
    if failed is None and code > 128:
        return ""
    known = failed if failed is not None else FOUND_SOMETHING.get(tool_of(command))
    return f"exit code {code}" if known is not None and code not in known else ""


def not_installed(program: str) -> str:
    """What is said of a program that a check needs and this machine lacks."""
    return f"`{program}` is not installed here{OR_REMOVE}"


def is_tools_own_break(command: str, code: int | None, failed: Collection[int] | None = None) -> bool:
    """Whether a check broke by an exit code that its tool gave: nothing of the machine says so."""
    return code is not None and code > 0 and code not in NOT_THE_TOOLS_OWN and bool(why_broke(command, code, failed))
