"""JUnit reports of many tools, and files that only look like one."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foureyes.adapters.checks import junit_report
from foureyes.adapters.checks.junit_report import read, read_all
from foureyes.adapters.checks.reports import LARGEST_REPORT, CheckedFiles

from tests.stage.night import NIGHT, plays

PYTEST = b"""<?xml version="1.0" encoding="utf-8"?><testsuites name="pytest tests"><testsuite name="pytest" errors="1" failures="1"
 skipped="1" tests="4" time="0.1" timestamp="2026-01-01T00:00:00" hostname="h"><testcase classname="tests.test_a" name="test_ok[1-x]"
 time="0.0"/><testcase classname="tests.test_a" name="test_bad"><failure message="assert 0">E assert 0</failure></testcase>
<testcase classname="tests.test_a" name="test_broken"><error message="setup">x</error></testcase><testcase classname="tests.test_a"
 name="test_later"><skipped type="pytest.skip" message="no">m</skipped></testcase></testsuite></testsuites>"""

VITEST = b"""<?xml version="1.0" encoding="UTF-8" ?>
<testsuites name="vitest tests" tests="2" failures="1" errors="0" time="0.4">
  <testsuite name="src/sum.test.ts" timestamp="x" hostname="h" tests="2" failures="1" errors="0" skipped="0" time="0.004">
    <testcase classname="src/sum.test.ts" name="sum &gt; adds" time="0.002"></testcase>
    <testcase classname="src/sum.test.ts" name="sum &gt; fails" time="0.002"><failure message="expected 2 to be 3">at</failure></testcase>
  </testsuite>
</testsuites>"""

GO = b"""<testsuites tests="3" failures="1" skipped="1"><testsuite name="example.org/pkg" tests="3" failures="1" errors="0" id="0">
<properties><property name="go.version" value="go1.22"></property></properties>
<testcase name="TestOne" classname="example.org/pkg" time="0.000"></testcase>
<testcase name="TestTwo" classname="example.org/pkg"><failure message="Failed"><![CDATA[    x_test.go:9: <error/> no]]></failure></testcase>
<testcase name="TestThree" classname="example.org/pkg"><skipped message="later"></skipped></testcase></testsuite></testsuites>"""

NEXTEST = b"""<testsuites name="nextest-run" tests="2" failures="0" errors="0" uuid="u"><testsuite name="crate::bin" tests="2" disabled="0"
 errors="0" failures="0"><testcase name="it_works" classname="crate::bin" timestamp="t" time="0.002"></testcase>
<testcase name="flaky" classname="crate::bin"><flakyFailure type="test failure"/><system-out>x</system-out></testcase>
</testsuite></testsuites>"""

SUREFIRE = b"""<?xml version="1.0" encoding="ISO-8859-1"?><testsuite xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
 xsi:noNamespaceSchemaLocation="https://maven.apache.org/surefire-test-report.xsd" name="org.ATest" tests="1" errors="0" failures="1">
<testcase name="gr\xfc\xdfe" classname="org.ATest"><failure/><rerunFailure/></testcase></testsuite>"""

GOOGLETEST = b"""<testsuites tests="2" failures="0" disabled="1" errors="0"><testsuite name="Math" tests="2">
<testcase name="Adds" status="run" result="completed" classname="Math"/><testcase name="DISABLED_Subs" status="notrun" result="suppressed"
 classname="Math"/></testsuite></testsuites>"""

NESTED = b"""<testsuites><testsuite name="a"><testsuite name="b" file="spec/b.js"><testcase name="deep" file="spec/b.js"/></testsuite>
<testcase name="alone"/><testcase/></testsuite></testsuites>"""


@pytest.mark.parametrize(
    ("report", "expected"),
    [
        (PYTEST, {
            "tests.test_a::test_ok[1-x]": "passed", "tests.test_a::test_bad": "failed",
            "tests.test_a::test_broken": "failed", "tests.test_a::test_later": "skipped",
        }),
        (VITEST, {"src/sum.test.ts::sum > adds": "passed", "src/sum.test.ts::sum > fails": "failed"}),
        (GO, {"example.org/pkg::TestOne": "passed", "example.org/pkg::TestTwo": "failed", "example.org/pkg::TestThree": "skipped"}),
        (NEXTEST, {"crate::bin::it_works": "passed", "crate::bin::flaky": "passed"}),
        (SUREFIRE, {"org.ATest::grüße": "failed"}),
        (GOOGLETEST, {"Math::Adds": "passed", "Math::DISABLED_Subs": "skipped"}),
        (NESTED, {"spec/b.js::deep": "passed", "alone": "passed", "(unnamed)": "passed"}),
        (b"<testsuites/>", {}),
        (b"\n \xef\xbb\xbf<testsuite/>".lstrip(), {}),
        (GO.decode().encode("utf-16"), {"example.org/pkg::TestOne": "passed", "example.org/pkg::TestTwo": "failed",
                                        "example.org/pkg::TestThree": "skipped"}),
        (b'<testsuite xmlns="urn:x"><testcase name="a"><failure/></testcase></testsuite>', {"a": "failed"}),
    ],
)  # fmt: skip
def test_the_dialects_of_many_tools_are_read(report: bytes, expected: dict[str, str]) -> None:
    assert {test.id: test.state for test in read(report)} == expected


def test_a_name_that_comes_again_gets_a_number_that_is_nobodys_yet() -> None:
    report = (
        b"<testsuite>"
        + b"".join(b'<testcase classname="a" name="%s"/>' % name for name in (b"x", b"x", b"x#2", b"x"))
        + b"</testsuite>"
    )
    assert [test.id for test in read(report)] == ["a::x", "a::x#3", "a::x#2", "a::x#4"]


def test_a_test_that_both_failed_and_was_skipped_failed_G1() -> None:
    report = (
        b'<testsuite><testcase name="a"><skipped/><failure/></testcase><testcase name="b" status="failed"/></testsuite>'
    )
    assert [test.state for test in read(report)] == ["failed", "failed"]


def test_a_suite_that_broke_as_a_whole_is_a_failed_test_G1() -> None:
    report = (
        b'<testsuites><testsuite name="unit"><error message="cannot import"/><testcase '
        b'name="a"/></testsuite></testsuites>'
    )
    assert {test.id: test.state for test in read(report)} == {"a": "passed", "unit": "failed"}


def test_names_cannot_hide_behind_control_characters() -> None:
    report = '<testsuite><testcase classname="a&#10;b" name="c\u202ed&#x9b;"/></testsuite>'.encode()
    assert [test.id for test in read(report)] == ["a␊b::c⟨U+202E⟩d⟨U+009B⟩"]


BOMB = (
    b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">'
    + b"".join(b'<!ENTITY %c "%s">' % (97 + n, b"&%c;" % (96 + n) * 10) for n in range(1, 12))
    + b"]><testsuite>&l;</testsuite>"
)


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        (b"", "not valid XML"),
        (b"   ", "not valid XML"),
        (b"3 passed", "not valid XML"),
        (b'{"tests": []}', "not valid XML"),
        (PYTEST[:-20], "not valid XML"),
        (PYTEST + b"<more/>", "not valid XML"),
        (b"<html><body/></html>", "begins with <html>"),
        (b"<test-run/>", "begins with <test-run>"),
        (BOMB, "document type"),
        (b'<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuite/>', "document type"),
        (b"<testsuite>&unknown;</testsuite>", "not valid XML"),
        (b'<?xml version="1.0" encoding="no-such"?><testsuite/>', "not valid XML"),
        (b'<?xml version="1.0" encoding="idna"?><testsuite/>', "not valid XML"),
        (b'<?xml version="1.0" encoding="utf-8"?><testsuite name="\xff"/>', "not valid XML"),
        (b"<test\0s", "not valid XML"),
        (b"<testsuite>" * 200_000, "nested more than 100 deep"),
        (b'<testsuite failures="2" errors="1"><testcase name="a"/></testsuite>', "counts 3 failures but names none"),
        (b"x" * (LARGEST_REPORT + 1), "larger than 50 MB"),
    ],
)
def test_what_is_no_report_is_said_so_in_a_sentence_G1(report: bytes, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        read(report)


def test_a_report_with_tests_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(junit_report, "MAX_TESTS", 10)
    with pytest.raises(ValueError, match="more than 10 tests"):
        read(b"<testsuite>" + b"<testcase/>" * 11 + b"</testsuite>")


def test_many_tests_of_one_name_are_numbered_in_one_go() -> None:
    tests = read(b"<testsuite>" + b'<testcase name="a"/>' * 10_000 + b"</testsuite>")
    assert len({test.id for test in tests}) == 10_000


@settings(derandomize=not NIGHT, max_examples=plays("random values"), deadline=None, database=None)
@given(
    st.binary(max_size=80)
    | st.tuples(st.integers(0, len(PYTEST)), st.binary(max_size=4)).map(
        lambda c: PYTEST[: c[0]] + c[1] + PYTEST[c[0] :]
    )
)
def test_whatever_the_bytes_the_answer_is_tests_or_a_value_error(data: bytes) -> None:
    with suppress(ValueError):
        assert all(test.id for test in read(data))


@pytest.mark.parametrize(
    "report",
    [
        b'<testsuite><testcase name="prints \x1b[31mred"/></testsuite>',
        b'<testsuite><testcase name="prints &#x1b;[31mred"/></testsuite>',
        b'<testsuite><testcase name="prints &#27;[31mred&#0;&#xFFFF;"/></testsuite>',
        b'<testsuite><testcase name="prints \x00\x08\x1fred\xef\xbf\xbe\xed\xa0\x80"/></testsuite>',
        '<testsuite><testcase name="prints \x1b[1;31mred"/></testsuite>'.encode("utf-16"),
    ],
    ids=["raw", "hex", "decimal", "control", "utf-16"],
)
def test_what_xml_forbids_is_dropped_before_it_is_read(report: bytes) -> None:
    assert [(test.id, test.state) for test in read(report)] == [("prints red", "passed")]


def test_ids_have_no_path_of_the_checkout_they_ran_in_D5() -> None:
    def ids(place: str) -> list[str]:
        said = (
            f'<testsuite name="{place}/work/js/ok.js"><testcase classname="{place}/work/js/ok" name="in {place}/work/a"'
        )
        return [test.id for test in read(f"{said}/></testsuite>".encode(), CheckedFiles("", f"{place}/work", place))]

    assert ids("/tmp/foureyes-check-1") == ids("/tmp/foureyes-check-2") == ["js/ok::in a"]


def suites(*names: str, red: str) -> bytes:
    """A suite for each file, with a test of the same name in each."""
    cases = [
        f'<testsuite name="{name}"><testcase classname="" name="works">{"<failure/>" if name == red else ""}</testcase>'
        "</testsuite>"
        for name in names
    ]
    return f"<testsuites>{''.join(cases)}</testsuites>".encode()


def test_equal_names_are_told_apart_by_their_suites_in_any_order() -> None:
    forth, back = (
        {test.id: test.state for test in read(suites(*names, red="a"))} for names in (("a", "b"), ("b", "a"))
    )
    assert forth == back == {"works [in a]": "failed", "works [in b]": "passed"}


def test_several_reports_are_one_and_what_is_wrong_with_one_is_said_with_its_name() -> None:
    one = b'<testsuite name="T"><testcase classname="T" name="a"/></testsuite>'
    found = read_all([("m1/TEST-T.xml", one), ("m2/TEST-T.xml", one)])
    assert [test.id for test in found] == ["T::a [in m1/TEST-T.xml]", "T::a [in m2/TEST-T.xml]"]
    with pytest.raises(ValueError, match=r"m2/x\.xml: the report is not valid XML"):
        read_all([("m1/TEST-T.xml", one), ("m2/x.xml", b"no")])
