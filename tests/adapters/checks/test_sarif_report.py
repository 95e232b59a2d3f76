"""SARIF reports: levels, suppressions, paths, and scans that broke."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foureyes.adapters.checks import sarif_report
from foureyes.adapters.checks.reports import LARGEST_REPORT, CheckedFiles
from foureyes.adapters.checks.sarif_report import read
from foureyes.core.nouns.check import ToolFinding
from foureyes.core.rules.check_states import known_by

from tests.stage.night import NIGHT, plays

MESSAGE = {"text": "no"}


def log(*results: Any, rules: Any = (), **run: Any) -> bytes:
    """A report of one run."""
    driver = {"name": "lint", "informationUri": "https://example.org", "rules": list(rules)}
    whole = {
        "$schema": "s",
        "version": "2.1.0",
        "runs": [{"tool": {"driver": driver}, "results": list(results), **run}],
    }
    return msgspec.json.encode(whole)


def at(uri: str, line: int = 7) -> list[Any]:
    return [
        {
            "physicalLocation": {
                "artifactLocation": {"uri": uri, "uriBaseId": "%SRCROOT%"},
                "region": {"startLine": line},
            }
        }
    ]


def test_a_result_has_rule_level_path_line_and_message() -> None:
    data = log({"ruleId": "S1", "level": "error", "message": MESSAGE, "locations": at("src/a.py")})
    assert read(data) == (ToolFinding("S1", "error", "src/a.py", 7, "no", known_by("S1", "no"), "lint"),)


def test_a_result_with_a_score_of_nine_is_critical_L1() -> None:
    scores = [{"properties": {"security-severity": score}} for score in ("9.8", "8.9", "undefined")]
    data = log(*[{"ruleId": "S1", "level": "error", "message": MESSAGE, **each} for each in scores])
    assert [found.critical for found in read(data)] == [True, False, False]


def keys(root: Path, *places: tuple[str, int]) -> list[str]:
    data = log(*[{"ruleId": "S1", "message": MESSAGE, "locations": at(uri, line)} for uri, line in places])
    return [found.key for found in read(data, CheckedFiles(str(root), str(root)))]


def test_a_result_is_known_by_the_code_of_its_line_wherever_that_is_D5(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x = eval(1)\ny = 2\n\xff = 3\n")
    first, second, odd, beyond = keys(tmp_path, ("a.py", 1), ("a.py", 2), ("a.py", 3), ("a.py", 9))
    assert first == known_by("S1", "no", "x = eval(1)")
    assert len({first, second, odd, beyond}) == 4
    assert beyond == known_by("S1", "no")
    (tmp_path / "a.py").write_text("# one line more\nx  =  eval(1)\n")
    assert keys(tmp_path, (str(tmp_path / "a.py"), 2)) == [first]


@pytest.mark.parametrize("odd", ["\r", "\f", "\v", "\x1c", "\x85", "\u2028", "\u2029"])
def test_where_tools_count_lines_differently_only_the_same_file_has_the_same_D5(tmp_path: Path, odd: str) -> None:
    before, new = f"# {odd}x = 1\neval(a)\n", f"# {odd}x = 1\neval(b)\n"
    (tmp_path / "a.py").write_text(before, newline="")
    known = keys(tmp_path, ("a.py", 2), ("a.py", 3))
    assert keys(tmp_path, ("a.py", 2), ("a.py", 3)) == known
    (tmp_path / "a.py").write_text(new, newline="")
    assert set(known).isdisjoint(keys(tmp_path, ("a.py", 2), ("a.py", 3)))


def test_a_line_that_ends_as_on_windows_is_the_same_line_D5(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"x = 1\r\neval(a)\r\n")
    assert keys(tmp_path, ("a.py", 2)) == [known_by("S1", "no", "eval(a)")]


def test_what_is_no_file_of_the_tree_is_not_read_for_it_D5(tmp_path: Path) -> None:
    outside = tmp_path / "secret"
    outside.write_text("key\n")
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "link.py").symlink_to(outside)
    assert set(keys(tree, ("link.py", 1), ("../secret", 1), (str(outside), 1))) == {known_by("S1", "no")}


ERRORS = [{"id": "A"}, {"id": "B", "defaultConfiguration": {"level": "error"}}, {"id": "C", "defaultConfiguration": {}}]


@pytest.mark.parametrize(
    ("result", "level"),
    [
        ({"level": "note", "ruleId": "B"}, "note"),
        ({"ruleId": "B"}, "error"),
        ({"ruleIndex": 1}, "error"),
        ({"rule": {"index": 1}}, "error"),
        ({"rule": {"id": "B"}}, "error"),
        ({"ruleId": "B/sub/part"}, "error"),
        ({"ruleId": "A"}, "warning"),
        ({"ruleId": "C"}, "warning"),
        ({"ruleId": "unknown"}, "warning"),
        ({"ruleIndex": 99}, "warning"),
        ({}, "warning"),
        ({"ruleId": "B", "kind": "pass"}, "none"),
        ({"level": "error", "kind": "informational"}, "none"),
        ({"level": "error", "kind": "fail"}, "error"),
        ({"level": None, "ruleId": "B"}, "error"),
    ],
)
def test_the_level_is_the_results_or_its_rules_or_warning(result: Any, level: str) -> None:
    (found,) = read(log({"message": MESSAGE, **result}, rules=ERRORS))
    assert found.level == level


def test_rules_of_an_extension_are_found_by_name_and_by_place() -> None:
    tool = {"driver": {"name": "CodeQL", "rules": []}, "extensions": [{"name": "x"}, {"name": "pack", "rules": ERRORS}]}
    by_place = {"message": MESSAGE, "rule": {"index": 1, "toolComponent": {"index": 1}}}
    nowhere = {"message": MESSAGE, "rule": {"index": 1, "toolComponent": {"index": 9}}}
    found = read(log(by_place, nowhere, {"message": MESSAGE, "ruleId": "B"}, tool=tool))
    assert [(one.rule, one.level) for one in found] == [("B", "error"), ("", "warning"), ("B", "error")]


@pytest.mark.parametrize(
    ("suppressions", "left_out"),
    [
        ([{"kind": "inSource"}], True),
        ([{"kind": "external", "status": "accepted"}], True),
        ([{"kind": "external", "status": "underReview"}], False),
        ([{"kind": "inSource"}, {"kind": "external", "status": "rejected"}], False),
        ([], False),
        (None, False),
    ],
)
def test_only_what_is_suppressed_beyond_doubt_is_left_out(suppressions: Any, left_out: bool) -> None:
    assert (read(log({"message": MESSAGE, "suppressions": suppressions})) == ()) == left_out


def test_what_is_gone_since_the_baseline_is_left_out() -> None:
    results = [{"message": MESSAGE, "baselineState": state} for state in ("absent", "new", "unchanged")]
    assert len(read(log(*results))) == 2


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("src/a%20b.py", "src/a b.py"),
        ("./src/a.py", "src/a.py"),
        ("file:///scratch/tree/src/a.py", "src/a.py"),
        ("file://localhost/scratch/tree/gr%C3%BC%C3%9Fe.py", "grüße.py"),
        ("file:/scratch/tree/a.py", "a.py"),
        ("/scratch/tree/a.py", "a.py"),
        ("file:///scratch/trees/a.py", "/scratch/trees/a.py"),
        ("file:///etc/passwd", "/etc/passwd"),
        ("a%0Ab%1b.py", "a b␛.py"),
    ],
)
def test_a_path_is_decoded_and_relative_to_what_was_checked(uri: str, path: str) -> None:
    (found,) = read(log({"message": MESSAGE, "locations": at(uri)}), CheckedFiles("/scratch/tree"))
    assert found.path == path


def test_a_path_may_stand_in_the_list_of_files() -> None:
    place = [{"physicalLocation": {"artifactLocation": {"index": 1}}}, {}]
    artifacts = [{"location": {"uri": "a.py"}}, {"location": {"uri": "b.py"}}]
    (found,) = read(log({"message": MESSAGE, "locations": place}, artifacts=artifacts))
    assert (found.path, found.line) == ("b.py", 0)


def test_a_clean_scan_has_no_findings() -> None:
    assert read(log()) == ()
    assert read(b"\xef\xbb\xbf" + log(invocations=[{"executionSuccessful": True, "exitCode": 0}])) == ()
    assert read(b'{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "ESLint"}}}]}') == (), (
        "ESLint says nothing about nothing"
    )


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (log(invocations=[{"executionSuccessful": False}]), "lint broke: executionSuccessful is false"),
        (log(invocations=[{"executionSuccessful": True}, {"executionSuccessful": False}]), "lint broke"),
        (
            log(invocations=[{"executionSuccessful": True, "toolExecutionNotifications": [{"level": "error", "message": {"text": "full"}}]}]),
            "lint broke: full",
        ),
        (log(invocations=[{"toolExecutionNotifications": [{"level": "error", "message": {}}]}]), "an error without a message"),
        (log(invocations=[{"toolConfigurationNotifications": [{"level": "error", "message": MESSAGE}]}]), "lint broke: no"),
        (log(invocations=[{"executionSuccessful": False, "processStartFailureMessage": "not there"}]), "lint broke: not there"),
        (log(results=None), "did not scan"),
        (b'{"version": "2.1.0", "runs": []}', "no run of a tool"),
    ],
)  # fmt: skip
def test_a_scan_that_broke_or_was_not_made_is_no_clean_one(data: bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read(data)


def test_a_warning_of_the_tool_about_itself_does_not_make_it_broken() -> None:
    told = [
        {
            "executionSuccessful": True,
            "toolExecutionNotifications": [{"level": "warning", "message": MESSAGE}, {"message": MESSAGE}],
        }
    ]
    assert read(log(invocations=told)) == ()


@pytest.mark.parametrize(
    "data",
    [
        b"", b"[]", b"{}", b"null", b"<testsuite/>", b'{"version": "2.1.0"}', b'{"version": "1.0.0", "runs": []}',
        b"\xff\xfe{}", log()[:-3], log() + b"{}", log({"message": "text"}), log({"message": MESSAGE, "level": "fatal"}),
        log({"ruleId": "A"}), log("text"), log({"message": MESSAGE, "ruleIndex": "0"}),
        b'{"version":"2.1.0","runs":[{"tool":{}}]}', b'{"x":' + b"[" * 300_000,
    ],
)  # fmt: skip
def test_garbage_is_said_so_in_a_sentence_G1(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a SARIF"):
        read(data)


def test_a_report_that_is_too_large_is_not_read() -> None:
    with pytest.raises(ValueError, match="larger than 50 MB"):
        read(b" " * (LARGEST_REPORT + 1))


def test_text_of_a_report_is_short_and_has_no_control_characters() -> None:
    (found,) = read(log({"ruleId": "a\x1bb", "message": {"text": "one\ntwo \u202e" + "x" * 5000}}))
    assert found.rule == "a␛b"
    assert found.message.startswith("one two ⟨U+202E⟩xxx")
    assert len(found.message) == sarif_report.MAX_TEXT


def test_a_message_without_text_is_its_markdown_or_its_id() -> None:
    assert [
        one.message
        for one in read(log({"message": {"markdown": "*m*"}}, {"message": {"id": "default"}}, {"message": {}}))
    ] == [
        "*m*",
        "default",
        "",
    ]


WHOLE = log({"ruleId": "B", "message": MESSAGE, "locations": at("a.py")}, rules=ERRORS)


@settings(derandomize=not NIGHT, max_examples=plays("random values"), deadline=None, database=None)
@given(
    st.binary(max_size=60)
    | st.tuples(st.integers(0, len(WHOLE)), st.binary(max_size=3)).map(
        lambda c: WHOLE[: c[0]] + c[1] + WHOLE[c[0] + 1 :]
    )
)
def test_whatever_the_bytes_the_answer_is_findings_or_a_value_error(data: bytes) -> None:
    with suppress(ValueError):
        assert all(finding.level for finding in read(data))


@pytest.mark.parametrize(("score", "level"), [("9.8", "error"), ("7.0", "error"), ("6.9", "warning")])
def test_a_score_is_worth_as_much_as_in_an_imported_report_D5_L3(score: str, level: str) -> None:
    rules = [{"id": "S1", "properties": {"security-severity": score}}]
    (one,) = read(log({"ruleId": "S1", "level": "warning", "message": MESSAGE}, rules=rules))
    assert one.level == level
