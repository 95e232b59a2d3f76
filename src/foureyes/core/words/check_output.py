"""Constants and functions for check commands: their programs, exit codes and report options. (D5)"""

from __future__ import annotations

import re
from collections.abc import Collection

import msgspec

from foureyes.core.words.ids import Shape

# ---- Exit codes ----

NOT_FOUND, CANNOT_RUN = 127, frozenset({126, 127})
"""Shell exit codes for a program that is missing or cannot be run."""
NOT_THE_TOOLS_OWN = frozenset({124, 125, *CANNOT_RUN})
"""Exit codes of `timeout`, `env` and the shell, which say nothing about the tool."""
AS_IF_KILLED = frozenset({137, 143})
"""Shell exit codes for a killed program (SIGKILL, SIGTERM). A tool may also exit with them itself."""
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
"""Exit codes with which known tools report findings. Any other code except 0 means that the tool broke."""


def why_broke(command: str, code: int, failed: Collection[int] | None = None, output: str = "") -> str:
    """Return why an exit code means that the check broke, or "" if it passed or failed. `failed` lists the codes that
    mean failure, if configured. Negative codes are signals. Codes above 128 are ordinary exit codes.
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
    """Return the message for a missing program that a check needs."""
    return f"`{program}` is not installed here{OR_REMOVE}"


def is_tools_own_break(command: str, code: int | None, failed: Collection[int] | None = None) -> bool:
    """Return True if the tool itself exited with a code that means it broke. Codes of the shell and signals do not
    count.
    """
    return code is not None and code > 0 and code not in NOT_THE_TOOLS_OWN and bool(why_broke(command, code, failed))


# ---- Reporting (D5) ----


class ReportWriter(msgspec.Struct, frozen=True):
    """A tool in a command and its replacement with a report. `sets` is a variable it reads, `drops` options that
    prevent the report, `files` the report's place if the tool chooses it, `needs` packages to install.
    """

    tool: str
    writes: str
    sets: str = ""
    drops: str = ""
    files: str = ""
    needs: str = ""


WRITERS = (
    ReportWriter(r"\bpytest\b", 'pytest --junitxml="$FOUREYES_REPORT"'),
    ReportWriter(r"(?:npx )?\bvitest\b(?: run\b)?", 'npx vitest run --reporter=junit --outputFile="$FOUREYES_REPORT"'),
    ReportWriter(
        r"(?:npx )?\bjest\b",
        "npx jest --reporters=default --reporters=jest-junit",
        sets='JEST_JUNIT_OUTPUT_FILE="$FOUREYES_REPORT"',
        needs="npm install -D jest-junit",
    ),
    ReportWriter(
        r"(?:npx )?\bmocha\b",
        "npx mocha --reporter mocha-junit-reporter",
        sets='MOCHA_FILE="$FOUREYES_REPORT"',
        drops=r" (?:--reporter|-R)[= ](?!mocha-junit-reporter)\S+",
        needs="npm install -D mocha-junit-reporter",
    ),
    ReportWriter(
        r"(?P<node>\bnode\b.*?) --test\b",
        r'\g<node> --test --test-reporter=junit --test-reporter-destination="$FOUREYES_REPORT"',
    ),
    ReportWriter(r"\bgo test\b", 'gotestsum --junitfile "$FOUREYES_REPORT" --', needs="gotest.tools/gotestsum"),
    ReportWriter(
        r"\bcargo test\b",
        "cargo nextest run --profile ci",
        files="target/nextest/ci/junit.xml",
        needs='cargo-nextest, and in .config/nextest.toml: [profile.ci.junit] path = "junit.xml"',
    ),
    ReportWriter(r"(?P<all>\b(?:mvn|mvnw)\b.* test\b)", r"\g<all>", files="**/target/surefire-reports/TEST-*.xml"),
    ReportWriter(r"(?P<all>\b(?:gradle|gradlew)\b.* test\b)", r"\g<all>", files="**/build/test-results/**/TEST-*.xml"),
)


def report_line(command: str) -> str:
    """Return the `[[checks]]` line that makes a command's tool write a report, or "" if none is known."""
    for each in WRITERS:
        found = re.search(each.tool, command)
        if found is None:
            continue
        before = f"{each.sets} " if each.sets else ""
        before = f"env {before}" if before and found.start() else before
        run = command[: found.start()] + before + found.expand(each.writes) + command[found.end() :]
        run = re.sub(each.drops, "", run) if each.drops else run
        files = f', report_files = ["{each.files}"]' if each.files else ""
        needs = f"   (needs {each.needs})" if each.needs else ""
        return f'run = {_quoted(run)}, report = "junit"{files}{needs}'
    return ""


def _quoted(run: str) -> str:
    return msgspec.json.encode(run).decode() if "'" in run else f"'{run}'"


# ---- The program that a command line is about ----

STARTERS = frozenset("command env exec nice npx bunx uv uvx pipx poetry pdm hatch rye pnpm yarn run time".split())
"""Words before the tool in a command line."""

COMPOUND = Shape(r"[;|\n`]|(?<!>)&|\$\(")
PYTHON = Shape(r"(python|pypy)[0-9.]*")
SETTING = Shape(r"[A-Za-z_][A-Za-z0-9_]*=")


def tool_of(command: str) -> str:
    """Return the program that a command line runs, or "" if several programs make up the line."""
    if COMPOUND.search(command):
        return ""
    words = command.split()
    while words:
        name = words[0].rpartition("/")[2]
        if SETTING.match(words[0]):
            words = words[1:]
        elif PYTHON.fullmatch(name):
            return _module_of(words[1:])
        elif name not in STARTERS:
            return name
        else:
            words = words[1:]
            while words and words[0].startswith("-"):
                words = words[1:]
    return ""


def _module_of(words: list[str]) -> str:
    """Return what Python runs: a module, or a script in the first argument."""
    if words and not words[0].startswith("-"):
        return words[0].rpartition("/")[2]
    return words[words.index("-m") + 1].partition(".")[0] if "-m" in words[:-1] else ""
