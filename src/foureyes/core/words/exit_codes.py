"""Exit codes: what one means for a check, and whether it is its tool that speaks (D5)."""

from __future__ import annotations

from collections.abc import Collection

from foureyes.core.words.tools import tool_of

CANNOT_RUN = frozenset({126, 127})
"""What a shell answers for a program that is not there or cannot be run."""
NOT_THE_TOOLS_OWN = 124
"""From this exit code on it is not the tool that speaks: `timeout`, `env`, the shell, a signal."""

FOUND_SOMETHING: dict[str, tuple[int, ...]] = {
    **dict.fromkeys("bandit biome eslint flake8 golangci-lint mypy pyright ruff semgrep shellcheck".split(), (1,)),
    "pytest": (1, 5),
    "pylint": tuple(code for code in range(1, 32)),
    "tsc": (1, 2),
}
"""Exit codes with which a known tool says that it ran and found something; any other one but 0 means that it broke."""


def why_broke(command: str, code: int, failed: Collection[int] | None = None) -> str:
    """Why an exit code means that the check itself broke; empty when it means passed or failed. `failed`: which
    ones mean that, where it is said.
    """
    if code == 0:
        return ""
    if code < 0 or code > 128:
        return f"ended by signal {-code if code < 0 else code - 128}"
    if code in CANNOT_RUN:
        return f"exit code {code}: the program was not found or could not be run"
    known = failed if failed is not None else FOUND_SOMETHING.get(tool_of(command))
    return f"exit code {code}" if known is not None and code not in known else ""


def is_tools_own_break(command: str, code: int | None, failed: Collection[int] | None = None) -> bool:
    """Whether a check broke by an exit code that its tool gave: nothing of the machine says so."""
    return code is not None and 0 < code < NOT_THE_TOOLS_OWN and bool(why_broke(command, code, failed))
