"""The program that a command line is about (D5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.core.words.check_output import tool_of

from tests.core.samples import quick


@pytest.mark.parametrize(
    ("command", "tool"),
    [
        ("pytest", "pytest"), ("  pytest  -q ", "pytest"), ("/usr/bin/pytest --junitxml=$FOUREYES_REPORT", "pytest"),
        ("python -m pytest", "pytest"), (".venv/bin/python3.12 -m pytest -x", "pytest"),
        ("python3 -W error -m mypy src", "mypy"), ("python -m coverage.cmdline run", "coverage"),
        ("python tests/all.py", "all.py"), ("python -c pass", ""), ("python", ""), ("python -m", ""),
        ("FOO=/usr/bin/x pytest", "pytest"), ("A=1 B=a-b=c ruff check", "ruff"), ("env A=1 ruff check x=1", "ruff"),
        ("uv run --frozen pytest", "pytest"), ("poetry run pytest", "pytest"), ("npx --yes eslint .", "eslint"),
        ("pnpm exec eslint .", "eslint"), ("exec pytest", "pytest"), ("pytest 2>&1", "pytest"),
        ("pytest -k 'a and (b or c)'", "pytest"), ("cd x && pytest", ""), ("pytest || true", ""), ("pytest; true", ""),
        ("pytest | cat", ""), ("pytest\ntrue", ""), ("pytest &", ""), ("$(which pytest)", ""), ("`which pytest`", ""),
        ("", ""), ("   ", ""), ("A=1", ""), ("uv run", ""), ("npx -y", ""),
    ],
)  # fmt: skip
def test_the_tool_of_a_command_line_is_the_program_whose_exit_code_it_is(command: str, tool: str) -> None:
    assert tool_of(command) == tool


@quick
@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from(["python", "-m", "npx", "-x", "A=1", "uv", "run", "/", "="])).map(" ".join)
)
def test_no_command_line_is_too_odd_to_have_a_tool_or_none(command: str) -> None:
    assert isinstance(tool_of(command), str)
