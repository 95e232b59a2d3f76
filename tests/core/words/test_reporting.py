"""The line that turns a tool's report on keeps what the project's own command says (D5)."""

from __future__ import annotations

import pytest

from foureyes.core.words.check_output import report_line

REPORT = '"$FOUREYES_REPORT"'


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("PYTHONPATH=. pytest -q tests", f"PYTHONPATH=. pytest --junitxml={REPORT} -q tests"),
        ("go test -race ./...", f"gotestsum --junitfile {REPORT} -- -race ./..."),
        ("cargo test --workspace", "cargo nextest run --profile ci --workspace"),
        ("jest --ci", f"JEST_JUNIT_OUTPUT_FILE={REPORT} npx jest --reporters=default --reporters=jest-junit --ci"),
        ("vitest run src", f"npx vitest run --reporter=junit --outputFile={REPORT} src"),
        (
            "mocha --require test/support/env --reporter spec --check-leaks test/",
            f"MOCHA_FILE={REPORT} npx mocha --reporter mocha-junit-reporter --require test/support/env --check-leaks test/",
        ),
        ("nyc mocha -R dot", f"nyc env MOCHA_FILE={REPORT} npx mocha --reporter mocha-junit-reporter"),
        ("./mvnw -B -q test", "./mvnw -B -q test"),
        ("./gradlew check test", "./gradlew check test"),
        ("node --import tsx --test", f"node --import tsx --test --test-reporter=junit --test-reporter-destination={REPORT}"),
    ],
)  # fmt: skip
def test_the_line_keeps_the_options_of_the_command(command: str, line: str) -> None:
    assert f"run = '{line}', report = \"junit\"" in report_line(command)


def test_a_command_with_quotes_is_quoted_for_the_file() -> None:
    line = report_line("mocha 'test/**/*.js'")
    assert line.startswith('run = "MOCHA_FILE=\\"$FOUREYES_REPORT\\" npx mocha')
    assert report_line("make test") == ""
