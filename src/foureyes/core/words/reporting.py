"""How the usual tools write a JUnit report (D5): the lines of a check that turn it on."""

from __future__ import annotations

import json
import re
from typing import NamedTuple


class ReportWriter(NamedTuple):
    """A tool in a command, and what to write in its place. `sets`: a variable that it reads; `drops`: what stands in the
    way of the report; `files`: where its report is, if it chooses the name; `needs`: what has to be installed.
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
    """What to write in place of a command, so that its tool writes a report; empty where none is known."""
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
    return json.dumps(run, ensure_ascii=False) if "'" in run else f"'{run}'"
