"""SARIF logs: what the format requires is there, and reading one gives the findings back (L3)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foureyes import __version__
from foureyes.adapters.exchange.sarif import read, write
from foureyes.core.nouns.finding import SEVERITIES, Finding
from foureyes.core.words.ids import SessionId

from tests.stage.night import NIGHT, plays

NOW = "2026-03-01T12:00:00.000Z"


def finding(number: int = 1, **fields: Any) -> Finding:
    name = f"TL-fe-7k2-1-{number:03}"
    given: dict[str, Any] = {
        "root": name, "id": name, "task": "fe-7k2", "kind": "TL", "severity": "HIGH", "title": "a race",
        "path": "src/a.py", "line": 7, "session": SessionId("ses-1"), "raised": 1, "flagged": 1,
    }  # fmt: skip
    return Finding(**(given | fields))


def log(*findings: Finding, now: str = "") -> Any:
    return json.loads(write(findings, now))


def results(*findings: Finding, now: str = "") -> list[Any]:
    made: list[Any] = log(*findings, now=now)["runs"][0]["results"]
    return made


# What the schema of SARIF 2.1.0 requires of the objects that occur in a log, and the words that it allows.
REQUIRED = {
    "sarifLog": ["version", "runs"], "run": ["tool"], "tool": ["driver"], "toolComponent": ["name"],
    "reportingDescriptor": ["id"], "result": ["message"], "suppression": ["kind"],
}  # fmt: skip


def test_a_log_has_every_field_that_the_format_requires_L3() -> None:
    made = log(
        finding(), finding(2, path="", rule="S1", severity="LOW"), finding(3, state="waived", waived_until="2027")
    )
    (run,) = made["runs"]
    driver = run["tool"]["driver"]
    seen = [("sarifLog", made), ("run", run), ("tool", run["tool"]), ("toolComponent", driver)]
    seen += [("reportingDescriptor", rule) for rule in driver["rules"]]
    seen += [("result", result) for result in run["results"]]
    seen += [("suppression", one) for result in run["results"] for one in result.get("suppressions", ())]
    assert {kind for kind, _ in seen} == set(REQUIRED)
    assert [(kind, name) for kind, value in seen for name in REQUIRED[kind] if name not in value] == []
    assert made["version"] == "2.1.0"
    assert (driver["name"], driver["version"]) == ("foureyes", __version__)
    for result in run["results"]:
        assert result["level"] in ("none", "note", "warning", "error")
        assert result["message"]["text"]
        assert 0.0 <= result["rank"] <= 100.0
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        for location in result.get("locations", ()):
            assert location["physicalLocation"]["region"]["startLine"] >= 1


def test_a_log_of_nothing_is_a_log_of_a_scan_that_took_place_L3() -> None:
    assert log()["runs"][0]["results"] == []
    assert read(write([]), "x") == []


def test_a_finding_is_a_result_with_its_place_and_its_root_L3() -> None:
    (made,) = results(finding(2, root="TL-fe-7k2-1-001", problem="Two writers.", quote="x += 1", rule="R1"))
    assert made == {
        "ruleId": "R1",
        "ruleIndex": 0,
        "level": "error",
        "rank": 75.0,
        "message": {"text": "a race\n\nTwo writers."},
        "partialFingerprints": {"foureyes/root/v1": "TL-fe-7k2-1-001"},
        "properties": {
            "id": "TL-fe-7k2-1-002",
            "root": "TL-fe-7k2-1-001",
            "state": "open",
            "severity": "HIGH",
            "task": "fe-7k2",
        },
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "src/a.py", "uriBaseId": "%SRCROOT%"},
                    "region": {"startLine": 7, "snippet": {"text": "x += 1"}},
                }
            }
        ],
    }


@pytest.mark.parametrize(
    ("severity", "level"), [("CRITICAL", "error"), ("HIGH", "error"), ("MEDIUM", "warning"), ("LOW", "note")]
)
def test_the_level_is_that_of_the_severity_L1(severity: str, level: str) -> None:
    assert results(finding(severity=severity))[0]["level"] == level


def test_a_rule_stands_once_and_a_reviewers_finding_has_the_rule_of_its_kind_L3() -> None:
    made = log(finding(1), finding(2, kind="QA"), finding(3, rule="S1"), finding(4, rule="S1"), finding(5))
    assert [rule["id"] for rule in made["runs"][0]["tool"]["driver"]["rules"]] == ["foureyes/TL", "foureyes/QA", "S1"]
    assert [result["ruleIndex"] for result in made["runs"][0]["results"]] == [0, 1, 2, 2, 0]
    assert [one.rule for one in read(json.dumps(made).encode(), "x")] == ["", "", "S1", "S1", ""]


def test_a_place_without_a_line_has_no_region_L3() -> None:
    (made,) = results(finding(line=0, quote="x"))
    assert made["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "src/a.py", "uriBaseId": "%SRCROOT%"}}}
    ]
    assert "locations" not in results(finding(path="", line=0))[0]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"state": "open"}, None),
        ({"state": "claimed"}, None),
        ({"state": "disputed"}, None),
        ({"state": "deferred"}, None),
        ({"state": "skipped"}, None),
        ({"state": "waived", "waived_until": "2026-03-31T00:00:00.000Z"}, "waived until 2026-03-31T00:00:00.000Z"),
        ({"state": "waived", "waived_until": "2026-02-28T00:00:00.000Z"}, None),
        ({"state": "resolved", "ruling": "ACCEPTED"}, "resolved: the reason against it was accepted"),
        ({"state": "resolved", "ruling": "VERIFIED"}, "resolved: fixed and verified"),
        ({"state": "resolved", "ruling": "DISMISSED"}, "resolved: dismissed"),
        ({"state": "obsolete", "ruling": "OBSOLETE"}, "obsolete: the code that it is about is gone"),
    ],
)
def test_what_is_settled_is_suppressed_and_says_why_E3(fields: Any, why: str | None) -> None:
    (made,) = results(finding(**fields), now=NOW)
    assert made.get("suppressions") == (None if why is None else [{"kind": "external", "justification": why}])
    assert len(read(write([finding(**fields)], NOW), "x")) == (why is None)


def test_control_characters_and_odd_paths_do_not_break_a_log_L3() -> None:
    odd = finding(title="a\x1b b", problem="p\x00", path="a b/ü:%?#\udcff.py", quote="\ud800x")
    document = write([odd])
    assert json.loads(document)["runs"][0]["results"][0]["message"]["text"] == "a b\n\np"
    assert b"a%20b/%C3%BC%3A%25%3F%23%FF.py" in document
    assert b"\\u001b" not in document
    document.decode("utf-8")


names = st.text(st.characters(exclude_categories=("Cc", "Cs", "Zl", "Zp", "Zs", "Cf")), min_size=1, max_size=12)
paths = st.lists(names.filter(lambda name: "/" not in name and name not in (".", "..")), min_size=1, max_size=3).map(
    "/".join
)
titles = st.lists(names, min_size=1, max_size=4).map(" ".join)
problems = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@settings(derandomize=not NIGHT, max_examples=plays("random values"), deadline=None, database=None)
@given(st.sampled_from(SEVERITIES), titles, problems, paths, st.integers(0, 10**6), st.booleans())
def test_reading_what_was_written_gives_the_finding_back_L3(
    severity: str, title: str, problem: str, path: str, line: int, repeats: bool
) -> None:
    written = finding(
        severity=severity, title=title, problem=f"{title}\n{problem}" if repeats else problem, path=path, line=line
    )
    (found,) = read(write([written]), "x")
    assert (found.severity, found.title, found.path, found.line) == (severity, title, path, line)
    assert found.problem.startswith(title)


def test_what_a_tool_found_is_in_a_run_of_that_tool_and_comes_back_with_its_name_L3() -> None:
    ours, theirs = finding(), finding(2, tool="bandit", rule="B602", kind="CK")
    runs = log(ours, theirs)["runs"]
    assert [(run["tool"]["driver"]["name"], len(run["results"])) for run in runs] == [("foureyes", 1), ("bandit", 1)]
    assert [rule["id"] for rule in runs[1]["tool"]["driver"]["rules"]] == ["B602"]
    found = read(write([ours, theirs], ""), "x")
    assert [one.tool for one in found] == ["", "bandit"]
