"""How the usual tools write a JUnit report (D5): the lines of a check that turn it on."""

from __future__ import annotations

import re


def _line(run: str, more: str = "", needs: str = "") -> str:
    return f"run = '{run}', report = \"junit\"{more}" + (f"   (needs {needs})" if needs else "")


WRITES: tuple[tuple[str, str], ...] = (
    (r"\bpytest\b", _line('pytest --junitxml="$FOUREYES_REPORT"')),
    (r"\bvitest\b", _line('npx vitest run --reporter=junit --outputFile="$FOUREYES_REPORT"')),
    (
        r"\bjest\b",
        _line(
            'JEST_JUNIT_OUTPUT_FILE="$FOUREYES_REPORT" npx jest --reporters=default --reporters=jest-junit',
            needs="npm install -D jest-junit",
        ),
    ),
    (
        r"\bmocha\b",
        _line(
            'MOCHA_FILE="$FOUREYES_REPORT" npx mocha --reporter mocha-junit-reporter',
            needs="npm install -D mocha-junit-reporter",
        ),
    ),
    (
        r"\bnode\b.* --test\b",
        _line('node --test --test-reporter=junit --test-reporter-destination="$FOUREYES_REPORT"'),
    ),
    (r"\bgo test\b", _line('gotestsum --junitfile "$FOUREYES_REPORT" ./...', needs="gotest.tools/gotestsum")),
    (
        r"\bcargo test\b",
        _line(
            "cargo nextest run --profile ci",
            ', report_files = ["target/nextest/ci/junit.xml"]',
            'cargo-nextest, and in .config/nextest.toml: [profile.ci.junit] path = "junit.xml"',
        ),
    ),
    (r"\b(mvn|mvnw)\b.* test\b", _line("mvn -B test", ', report_files = ["**/target/surefire-reports/TEST-*.xml"]')),
    (
        r"\b(gradle|gradlew)\b.* test\b",
        _line("gradle --no-daemon test", ', report_files = ["**/build/test-results/**/TEST-*.xml"]'),
    ),
)
"""What is in a command of a tool, or in the script that it runs, and what to write in its place."""


def report_line(command: str) -> str:
    """What to write in place of a command, so that its tool writes a report; empty where none is known."""
    return next((line for pattern, line in WRITES if re.search(pattern, command)), "")
