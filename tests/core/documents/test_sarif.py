"""The one reader of SARIF, for checks and for imports: no broken scan is a clean one (G1, D5, L3)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from foureyes.core.documents.json_reader import Wrong, parsed
from foureyes.core.documents.sarif import BrokenReport, Replaced, Reported, is_address, results

MESSAGE = {"text": "no"}


def log(*found: Any, **run: Any) -> Any:
    """A parsed log of one run."""
    whole = {"tool": {"driver": {"name": "lint"}}, "results": list(found), **run}
    return parsed(json.dumps({"version": "2.1.0", "runs": [whole]}))


def only(result: Any, **run: Any) -> Reported:
    (reported,) = results(log({"message": MESSAGE, **result}, **run))
    return reported


BROKEN: list[tuple[dict[str, Any], str, str]] = [
    ({"results": None}, "runs[0].results", "is null, so lint scanned nothing"),
    (
        {"invocations": [{}, {"executionSuccessful": False}]},
        "runs[0].invocations[1]",
        "lint broke: executionSuccessful",
    ),
    ({"invocations": [{"processStartFailureMessage": "gone"}]}, "runs[0].invocations[0]", "lint broke: gone"),
    (
        {"invocations": [{"toolExecutionNotifications": [{"level": "error", "message": {"markdown": "*full*"}}]}]},
        "runs[0].invocations[0]",
        "lint broke: *full*",
    ),
    (
        {"invocations": [{"toolConfigurationNotifications": [{"level": "error", "message": {}}]}]},
        "runs[0].invocations[0]",
        "lint broke: an error without a message",
    ),
]


@pytest.mark.parametrize(("run", "path", "sentence"), BROKEN, ids=[row[2] for row in BROKEN])
def test_a_scan_that_broke_or_was_not_made_is_no_clean_one_G1(run: dict[str, Any], path: str, sentence: str) -> None:
    with pytest.raises(BrokenReport) as caught:
        results(log(**run))
    assert str(caught.value).startswith(f"{path}: {sentence}")
    assert caught.value.what.startswith(sentence), "the sentence alone, for who shows no paths"


def test_a_log_without_any_run_says_nothing_G1() -> None:
    with pytest.raises(BrokenReport, match="no run of a tool"):
        results({"version": "2.1.0", "runs": []})


@pytest.mark.parametrize("field", ["executionSuccessful"])
@pytest.mark.parametrize("value", [None, "true", 1])
def test_whether_a_tool_went_well_is_true_or_false_G1(field: str, value: Any) -> None:
    with pytest.raises(Wrong, match="is not true or false"):
        results(log(invocations=[{field: value}]))


def test_a_field_that_is_given_twice_is_refused_and_not_the_last_one_taken_G1() -> None:
    run = '{"tool": {"driver": {"name": "x"}}, "results": [{"message": {}}], "results": []}'
    with pytest.raises(Wrong, match=r"^runs\[0\]\.results: given more than once$"):
        results(parsed('{"version": "2.1.0", "runs": [' + run + "]}"))


def test_what_nobody_asks_for_is_skipped_whatever_it_is_L3() -> None:
    assert only({"webRequest": 7, "properties": {"tags": None}, "partialFingerprints": []}).message == "no"


def test_null_is_as_if_the_field_were_left_out_L3() -> None:
    names = "ruleId ruleIndex rule kind level rank locations suppressions baselineState fixes properties".split()
    assert only(dict.fromkeys(names)) == only({})


def test_a_result_has_everything_that_anybody_asks_for_L3_D5() -> None:
    rule = {
        "id": "S1",
        "shortDescription": {"text": "about"},
        "defaultConfiguration": {"level": "error"},
        "messageStrings": {"m": {"text": "{0} is bad"}},
        "properties": {"security-severity": "8.1"},
    }
    place = {"artifactLocation": {"uri": "a%20b.py", "uriBaseId": "SRC"}}
    region = {"startLine": 3, "snippet": {"text": "x"}}
    change = {"replacements": [{"deletedRegion": {"startLine": 3}, "insertedContent": {"text": "y"}}]}
    result = {
        "ruleId": "S1/part",
        "message": {"id": "m", "arguments": ["it"]},
        "locations": [{"physicalLocation": {**place, "region": region}}],
        "fixes": [{"description": {"text": "do y"}, "artifactChanges": [change]}],
        "rank": 20,
    }
    tool = {"driver": {"name": "lint", "rules": [rule]}}
    reported = only(result, tool=tool, originalUriBaseIds={"SRC": {"uri": "file:///tree/"}})
    assert reported == Reported(
        level="error", rule="S1/part", message="it is bad", place="/tree/a b.py", line=3, quote="x", score=8.1,
        about="about", fix="do y", replaced=(Replaced(3, 3, "y"),), roots=("/tree/",), tool="lint",
    )  # fmt: skip


def test_halves_of_characters_are_no_reason_to_lose_a_report_L3() -> None:
    text = json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "x"}}, "results": [{"message": 0}]}]})
    (reported,) = results(parsed(text.replace('"message": 0', '"message": {"text": "a\\ud800b"}')))
    assert reported.message == "a\ud800b"


@pytest.mark.parametrize(
    ("uri", "place"),
    [
        ("a%2Fb.py", "a/b.py"),
        ("a%C3%BC%ff.py", "aü\ufffd.py"),
        ("100%.py", "100%.py"),
        ("a%3Ab", "./a:b"),
        ("https://x/%20", "https://x/%20"),
    ],
)
def test_an_address_is_decoded_unless_it_is_no_file_L3(uri: str, place: str) -> None:
    location = [{"physicalLocation": {"artifactLocation": {"uri": uri}}}]
    assert only({"locations": location}).place == place
    assert is_address(place) == (place == uri and ":" in uri)
