"""Reports of other tools as findings: levels, places, texts, and refusals that name the field (L3, G1)."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foureyes.adapters.exchange import sarif
from foureyes.adapters.exchange.sarif import ReportPaths, read
from foureyes.core.nouns.finding import ReportedFinding, most_of
from foureyes.errors import BadInput

from tests.stage.night import NIGHT, plays

MESSAGE = {"text": "no"}


def log(*results: Any, rules: Any = (), **run: Any) -> bytes:
    """A SARIF log of one run."""
    driver = {"name": "lint", "rules": list(rules)}
    return json.dumps(
        {"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": list(results), **run}]}
    ).encode()


def at(uri: str, line: int | None = 7, **location: Any) -> list[Any]:
    return [{"physicalLocation": {"artifactLocation": {"uri": uri, **location}, "region": {"startLine": line}}}]


def only(document: bytes, *roots: str) -> ReportedFinding:
    """The one finding in it."""
    (one,) = read(document, "report", ReportPaths(roots))
    return one


def result(**fields: Any) -> ReportedFinding:
    return only(log({"message": MESSAGE, **fields}))


def refusal(document: bytes, name: str = "report.sarif") -> str:
    """Why a document is refused, with something to do about it."""
    with pytest.raises(BadInput) as refused:
        read(document, name)
    assert refused.value.next_step
    return refused.value.message


def test_a_result_is_a_finding_L3() -> None:
    message = {"text": "SQL from input.\nUse a parameter."}
    place = at("src/a.py")
    place[0]["physicalLocation"]["region"]["snippet"] = {"text": "run(f'{x}')\n"}
    found = read(log({"ruleId": "S1", "level": "error", "message": message, "locations": place}), "x.sarif")
    assert found == [
        ReportedFinding(
            severity="HIGH", title="SQL from input.", path="src/a.py", line=7, problem="SQL from input.\nUse a parameter.",
            quote="run(f'{x}')", rule="S1", tool="lint",
        )
    ]  # fmt: skip


# Severity

RULES = [
    {"id": "A"},
    {"id": "B", "defaultConfiguration": {"level": "error"}},
    {"id": "C", "properties": {"security-severity": "9.8"}, "defaultConfiguration": {"level": "note"}},
    {"id": "D", "defaultConfiguration": {"level": "none"}},
]


@pytest.mark.parametrize(
    ("fields", "severity"),
    [
        ({"level": "error"}, "HIGH"),
        ({"level": "warning"}, "MEDIUM"),
        ({"level": "note"}, "LOW"),
        ({"level": None, "ruleId": "A"}, "MEDIUM"),
        ({"ruleId": "B"}, "HIGH"),
        ({"ruleId": "B/sub/part"}, "HIGH"),
        ({"ruleIndex": 1}, "HIGH"),
        ({"rule": {"index": 1}}, "HIGH"),
        ({"rule": {"id": "B"}}, "HIGH"),
        ({"ruleIndex": 99}, "MEDIUM"),
        ({"ruleId": "C"}, "CRITICAL"),
        ({"ruleId": "C", "properties": {"security-severity": "5.0"}}, "LOW"),
        ({"level": "note", "properties": {"security-severity": "9.0"}}, "CRITICAL"),
        ({"level": "note", "properties": {"security-severity": 8.9}}, "HIGH"),
        ({"level": "note", "properties": {"security-severity": "7"}}, "HIGH"),
        ({"level": "note", "properties": {"security-severity": "6.9"}}, "LOW"),
        ({"level": "error", "properties": {"security-severity": "1.0"}}, "HIGH"),
        ({"level": "error", "properties": {"security-severity": ""}}, "HIGH"),
        ({"level": "note", "properties": {"security-severity": "undefined"}}, "LOW"),
        ({"ruleId": "C", "properties": {"security-severity": "null"}}, "CRITICAL"),
        ({"level": "note", "properties": {"security-severity": "HIGH"}}, "HIGH"),
        ({"level": "note", "properties": {"security-severity": "medium"}}, "LOW"),
        ({"level": "note", "rank": 90.0}, "CRITICAL"),
        ({"level": "note", "rank": 70}, "HIGH"),
        ({"level": "note", "rank": 10}, "LOW"),
        ({"level": "note", "rank": -1.0}, "LOW"),
    ],
)
def test_the_severity_is_that_of_the_level_or_a_higher_score_L1(fields: Any, severity: str) -> None:
    assert only(log({"message": MESSAGE, **fields}, rules=RULES)).severity == severity


@pytest.mark.parametrize(
    "fields",
    [
        {"level": "none"},
        {"level": "none", "properties": {"security-severity": "9.9"}},
        {"ruleId": "D"},
        {"level": "error", "kind": "pass"},
        {"level": "error", "baselineState": "absent"},
        {"level": "error", "suppressions": [{"kind": "inSource"}]},
        {"level": "error", "suppressions": [{"kind": "external", "status": "accepted"}]},
    ],
)
def test_what_is_no_finding_any_more_is_left_out_L3(fields: Any) -> None:
    assert read(log({"message": MESSAGE, **fields}, rules=RULES), "x") == []


@pytest.mark.parametrize(
    "fields",
    [
        {"suppressions": []},
        {"suppressions": None},
        {"suppressions": [{"kind": "external", "status": "rejected"}]},
        {"suppressions": [{"kind": "inSource"}, {"kind": "external", "status": "underReview"}]},
        {"baselineState": "unchanged"},
        {"baselineState": "new"},
        {"kind": "fail"},
    ],
)
def test_what_may_still_be_one_is_a_finding_L3(fields: Any) -> None:
    assert result(**fields).title == "no"


def test_rules_of_an_extension_are_found_by_name_and_by_place_L3() -> None:
    tool = {"driver": {"name": "x", "rules": []}, "extensions": [{"name": "x"}, {"name": "pack", "rules": RULES}]}
    by_place = {"message": MESSAGE, "rule": {"index": 1, "toolComponent": {"index": 1}}}
    nowhere = {"message": MESSAGE, "rule": {"index": 1, "toolComponent": {"index": 9}}}
    found = read(log(by_place, nowhere, {"message": MESSAGE, "ruleId": "B"}, tool=tool), "x")
    assert [(one.rule, one.severity) for one in found] == [("B", "HIGH"), ("", "MEDIUM"), ("B", "HIGH")]


# Messages


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ({"text": "plain {0}", "arguments": ["words", "x"]}, "plain words"),
        ({"id": "default", "arguments": ["x", "y"]}, "y before x, not {7}"),
        ({"id": "shared"}, "of all rules"),
        ({"id": "unknown"}, "unknown"),
        ({"markdown": "*m*"}, "*m*"),
        ({"text": "\n\n  first \t line \nsecond"}, "first line"),
        ({"text": "x" * 300}, "x" * 200),
        ({}, "what the rule is about"),
    ],
)
def test_the_title_is_the_first_line_of_the_message_L3(message: Any, title: str) -> None:
    rule = {
        "id": "A",
        "messageStrings": {"default": {"text": "{1} before {0}, not {7}"}},
        "shortDescription": {"text": "what the rule is about"},
    }
    driver = {"name": "lint", "rules": [rule], "globalMessageStrings": {"shared": {"text": "of all rules"}}}
    assert only(log({"ruleId": "A", "message": message}, tool={"driver": driver})).title == title


def test_a_finding_without_any_words_still_has_a_title_L3() -> None:
    assert result(message={}).title == "a finding without a message"
    assert result(message={}, ruleId="S1").title == "S1"


def test_control_characters_and_half_characters_become_spaces_L3() -> None:
    raw = b'{"text": "a\\u001b[31mb\\u0000\\ud800c\\r\\n\\td\\u009be"}'
    one = only(log({"message": "HERE", "ruleId": "r\n\x07s"}).replace(b'"HERE"', raw))
    assert one.title == "a [31mb c"
    assert one.problem == "a [31mb  c\n\td e"
    assert one.rule == "r"


def test_a_long_message_is_cut_L3() -> None:
    assert len(result(message={"text": "x" * 50_000}).problem) == sarif.MAX_TEXT


# Places


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("src/a.py", "src/a.py"),
        ("src/a%20b%25.py", "src/a b%.py"),
        ("./src//./a.py", "src/a.py"),
        ("gr%C3%BC%C3%9Fe.py", "grüße.py"),
        ("a%3Ab.py", "a:b.py"),
        ("file:///place/tree/src/a.py", "src/a.py"),
        ("FILE://localhost/place/tree/a.py", "a.py"),
        ("file:/place/tree/a.py", "a.py"),
        ("/place/tree/a.py", "a.py"),
        ("file:///place/a.py", "a.py"),
    ],
)
def test_a_path_is_decoded_and_relative_to_the_repository_L3(uri: str, path: str) -> None:
    one = only(log({"message": MESSAGE, "locations": at(uri)}), "/place", "/place/tree/")
    assert (one.path, one.line, one.problem) == (path, 7, "no")


@pytest.mark.parametrize(
    ("uri", "told"),
    [
        ("file:///etc/passwd", "/etc/passwd:7"),
        ("/place/trees/a.py", "/place/trees/a.py:7"),
        ("../x", "../x:7"),
        ("a/../../x", "a/../../x:7"),
        ("%2e%2e/x", "../x:7"),
        ("%2Fetc/passwd", "/etc/passwd:7"),
        ("https://example.org/a.py", "https://example.org/a.py:7"),
        ("C:/a.py", "C:/a.py:7"),
        ("file:///C:/a.py", "/C:/a.py:7"),
        ("a%0Ab.py", "a b.py:7"),
        ("src/", "src/:7"),
    ],
)
def test_a_place_outside_the_repository_is_kept_out_and_told_L3(uri: str, told: str) -> None:
    one = only(log({"message": MESSAGE, "locations": at(uri)}), "/place/tree")
    assert (one.path, one.line) == ("", 0)
    assert one.problem == f"no\n\nThe report places it at {told}, which is not a path of the repository."


def test_what_is_told_about_a_place_fits_into_a_long_problem_L3() -> None:
    one = result(message={"text": "x" * 9_000}, locations=at("/etc/passwd"))
    assert one.problem.endswith("which is not a path of the repository.")
    assert len(one.problem) == sarif.MAX_TEXT


BASES = {
    "%SRCROOT%": {"uri": "file:///build/tree/"},
    "SUB": {"uri": "sub/dir", "uriBaseId": "%SRCROOT%"},
    "LIBRARY": {"uri": "file:///usr/lib/"},
    "LOOP": {"uri": "x/", "uriBaseId": "LOOP"},
    "UP": {"uri": "../", "uriBaseId": "%SRCROOT%"},
}


@pytest.mark.parametrize(
    ("base", "path"),
    [
        ("%SRCROOT%", "a.py"),
        ("SUB", "sub/dir/a.py"),
        ("LIBRARY", ""),
        ("UNKNOWN", "a.py"),
        ("LOOP", "x/x/x/x/x/x/x/x/x/a.py"),
        ("UP", ""),
    ],
)
def test_a_path_may_be_relative_to_a_directory_of_the_run_L3(base: str, path: str) -> None:
    assert (
        only(log({"message": MESSAGE, "locations": at("a.py", uriBaseId=base)}, originalUriBaseIds=BASES)).path == path
    )


def test_an_absolute_path_below_the_runs_own_root_is_in_the_repository_L3() -> None:
    places = at("file:///build/tree/src/a.py")
    assert only(log({"message": MESSAGE, "locations": places}, originalUriBaseIds=BASES)).path == "src/a.py"
    assert (
        only(
            log({"message": MESSAGE, "locations": places}, originalUriBaseIds={"HERE": {"uri": "file:///build/tree/"}})
        ).path
        == "src/a.py"
    )
    assert (
        only(log({"message": MESSAGE, "locations": places}, originalUriBaseIds={"ROOT": {"uri": "file:///"}})).path
        == ""
    )


def test_the_first_place_in_a_file_counts_and_may_stand_in_the_list_of_files_L3() -> None:
    places = [{}, {"logicalLocations": []}, {"physicalLocation": {"artifactLocation": {"index": 1}}}, *at("c.py")]
    artifacts = [{"location": {"uri": "a.py"}}, {"location": {"uri": "b.py"}}]
    one = only(log({"message": MESSAGE, "locations": places}, artifacts=artifacts))
    assert (one.path, one.line) == ("b.py", 0)


def test_a_fix_is_told_in_words_L3() -> None:
    changes = [
        {"deletedRegion": {"startLine": 3, "endLine": 4}, "insertedContent": {"text": "new()\n"}},
        {"deletedRegion": {"startLine": 9}},
    ]
    fixes = [
        {"description": {"text": "Use new."}, "artifactChanges": [{"replacements": changes}]},
        {"description": {"text": "second"}},
    ]
    assert result(fixes=fixes).fix == "Use new.\n\nReplace lines 3 to 4 by:\nnew()\n\n\nRemove line 9, or a part of it."
    assert result().fix == ""


# Refusals


@pytest.mark.parametrize(
    ("document", "where"),
    [
        (log("text"), 'runs[0].results[0]: "text" is not an object'),
        (
            log({"message": MESSAGE}, {"message": MESSAGE}, {"message": MESSAGE, "level": "fatal"}),
            'runs[0].results[2].level: "fatal" is not one of error, none, note, warning',
        ),
        (log({"message": MESSAGE, "level": 3}), "runs[0].results[0].level: 3 is none of error, none, note, warning"),
        (log({"message": "text"}), 'runs[0].results[0].message: "text" is not an object'),
        (log({"ruleId": "A"}), "runs[0].results[0].message: missing. Expected an object"),
        (log({"message": {"text": ["x"]}}), "runs[0].results[0].message.text: a list is not text or null"),
        (
            log({"message": {"text": "x", "arguments": ["a", 1]}}),
            "runs[0].results[0].message.arguments[1]: 1 is not text",
        ),
        (log({"message": MESSAGE, "locations": {}}), "runs[0].results[0].locations: an object is not a list or null"),
        (
            log({"message": MESSAGE, "locations": [{}, 1]}),
            "runs[0].results[0].locations[1]: 1 is not an object",
        ),
        (
            log({"message": MESSAGE, "locations": at("a.py", True)}),
            "region.startLine: true is not a whole number or null",
        ),
        (
            log({"message": MESSAGE, "locations": at("a.py", -1)}),
            "locations[0].physicalLocation.region.startLine: -1 is not between 0 and 2,147,483,647",
        ),
        (
            log({"message": MESSAGE, "locations": at("a.py", 10**30)}),
            "startLine: 1000000000000000000000000000000 is not between 0 and",
        ),
        (log({"message": MESSAGE, "rank": "x"}), 'runs[0].results[0].rank: "x" is not a number'),
        (
            log({"message": MESSAGE, "properties": {"security-severity": "bad"}}),
            'results[0].properties["security-severity"]: "bad" is not a number',
        ),
        (
            log({"message": MESSAGE, "properties": {"security-severity": "nan"}}),
            'properties["security-severity"]: "nan" is not a number',
        ),
        (
            log({"message": MESSAGE, "suppressions": [{"status": 1}]}),
            "runs[0].results[0].suppressions[0].status: 1 is not text or null",
        ),
        (log({"message": MESSAGE, "fixes": [[]]}), "runs[0].results[0].fixes[0]: a list is not an object"),
        (log(tool={"driver": {"rules": [{"id": 7}]}}), "runs[0].tool.driver.rules[0].id: 7 is not text"),
        (
            log(invocations=[{"executionSuccessful": False}]),
            "runs[0].invocations[0]: lint broke: executionSuccessful is false",
        ),
        (
            log(invocations=[{"toolExecutionNotifications": [{"level": "error", "message": {"text": "disk full"}}]}]),
            "runs[0].invocations[0]: lint broke: disk full",
        ),
        (
            log(invocations=[{"processStartFailureMessage": "no such program"}]),
            "runs[0].invocations[0]: lint broke: no such program",
        ),
        (
            log(invocations=[{"executionSuccessful": None}]),
            "runs[0].invocations[0].executionSuccessful: null is not true or false",
        ),
        (log(tool={}), "runs[0].tool.driver: missing. Expected an object"),
        (
            b'{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{}], "results": []}]}',
            "runs[0].results: given more than once",
        ),
        (log(results=None), "runs[0].results: is null, so lint did not scan"),
        (b'{"version": "2.1.0", "runs": []}', "runs: it contains no run of a tool"),
        (b'{"version": "2.1.0", "runs": 1}', "runs: 1 is not a list"),
        (b'{"version": "2.0.0", "runs": [{}]}', "version: only 2.1.0 is read, not 2.0.0"),
        (b'{"runs": [{}]}', "version: only 2.1.0 is read, not a log without a version"),
        (b'{"$schema": "sarif-2.1.0", "version": "2.1.0"}', "runs: missing. Expected a list"),
    ],
)
def test_a_wrong_field_is_named_by_its_path_G1(document: bytes, where: str) -> None:
    assert where in refusal(document)


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        (b"", "it is empty"),
        (b"\xef\xbb\xbf \n", "it is empty"),
        (b"[]", "the document: a list is not an object"),
        (b"null", "the document: null is not an object"),
        (b"{}", "it is not a SARIF log: it has no runs"),
        (b"<testsuite/>", "it is not JSON: line 1, column 1: expecting value"),
        (log()[:-3], "it is not JSON"),
        (log() + b"{}", "it is not JSON: line 1, column 99: extra data"),
        (b"\xff\xfe{}", "it is not valid UTF-8 (at byte 1)"),
        (b'{"runs": NaN}', "it is not JSON: NaN is not a number"),
        (b'{"version": "2.1.0", "runs": ' + b"9" * 5_000 + b"}", "is not a list"),
        (b'{"x":' + b"[" * 300_000, "it is nested too deep"),
    ],
)
def test_what_is_no_report_is_refused_in_a_sentence_G1(document: bytes, sentence: str) -> None:
    said = refusal(document)
    assert said.startswith("report.sarif cannot be read: ")
    assert sentence in said


def test_a_refusal_shows_no_control_characters_of_the_report_or_its_name_G1() -> None:
    said = refusal(log({"message": MESSAGE, "level": "\x1b[31m\ud800" + "x" * 500}), "a\x1b\nb")
    assert said.isprintable()
    assert len(said) < 300
    said.encode()


def test_a_report_that_is_too_large_is_refused_G1() -> None:
    assert refusal(b" " * (sarif.LARGEST_IMPORT + 1)) == "report.sarif is larger than 20 MB."


def test_more_findings_than_anybody_can_answer_are_refused_G1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MAX_FINDINGS", 3)
    assert len(read(log(*[{"message": MESSAGE}] * 3, *[{"message": MESSAGE, "level": "none"}] * 9), "x")) == 3
    assert refusal(log(*[{"message": MESSAGE}] * 4)) == "report.sarif has more than 3 findings."


WHOLE = log(
    {"ruleId": "B", "message": MESSAGE, "locations": at("a.py"), "rank": 5, "fixes": [{}]},
    rules=RULES,
    originalUriBaseIds=BASES,
)


@settings(derandomize=not NIGHT, max_examples=plays("random values"), deadline=None, database=None)
@given(
    st.binary(max_size=60)
    | st.tuples(st.integers(0, len(WHOLE)), st.binary(max_size=3)).map(
        lambda c: WHOLE[: c[0]] + c[1] + WHOLE[c[0] + 1 :]
    )
)
def test_whatever_the_bytes_the_answer_is_findings_or_a_refusal_G1(data: bytes) -> None:
    with suppress(BadInput):
        assert all(one.title and not one.path.startswith("/") for one in read(data, "x"))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=2),
    max_leaves=4,
)
fields = st.sampled_from(
    "message level kind rank rule ruleId ruleIndex locations suppressions baselineState fixes properties".split()
)


@settings(derandomize=not NIGHT, max_examples=plays("random values"), deadline=None, database=None)
@given(st.dictionaries(fields, values, max_size=4))
def test_whatever_the_types_the_answer_is_findings_or_a_refusal_G1(wrong: dict[str, Any]) -> None:
    with suppress(BadInput):
        assert all(one.title for one in read(log({"message": MESSAGE, **wrong}), "x"))


def test_a_linters_level_alone_does_not_block_and_a_score_does_L1() -> None:
    most = most_of(["Lint", "eslint=LOW"])

    def severity(**fields: Any) -> str:
        (one,) = read(log({"message": MESSAGE, **fields}), "report", None, most)
        return one.severity

    assert [severity(level=level) for level in ("error", "warning", "note")] == ["MEDIUM", "MEDIUM", "LOW"]
    assert severity(level="error", properties={"security-severity": "9.1"}) == "CRITICAL"
    assert result(level="error").severity == "HIGH", "a scanner's does"
    with pytest.raises(ValueError, match="not a tool with a severity"):
        most_of(["eslint=WORSE"])


@pytest.mark.parametrize(
    ("fields", "mark"),
    [
        ({"fingerprints": {"matchBasedId/v1": "abc_0"}, "partialFingerprints": {"x": "y"}}, "matchBasedId/v1=abc_0"),
        ({"partialFingerprints": {"foureyes/root/v1": "TL-1", "primaryLocationLineHash": "39f:1"}},
         "primaryLocationLineHash=39f:1"),
        ({"fingerprints": {"a": 7}, "partialFingerprints": [1]}, ""),
    ],
)  # fmt: skip
def test_a_result_has_the_name_of_its_tool_and_what_that_knows_it_by_L2(fields: dict[str, Any], mark: str) -> None:
    one = result(**fields)
    assert (one.tool, one.mark) == ("lint", mark)
