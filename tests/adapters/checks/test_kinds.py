"""Reports as public collections have them, one small one of each kind, written for this: which tests there were and
where they failed (D5, L3); what a scanner found (D5).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from foureyes.adapters.checks import sarif_report
from foureyes.adapters.checks.junit_report import read, read_all
from foureyes.adapters.checks.reports import CheckedFiles

FILES = [
    "test_u.py", "js/a.js", "t/m.spec.js", "tests/CalcTest.php", "src/calc_test.cpp", "src/Calc.scala", "src/lib/app.c",
    "tests/skip.phpt", "Tests/AppTests/AppTests.swift", "src/test/java/demo/ATest.java", "t/basic.t", "app/go.mod",
]  # fmt: skip

JUNIT: dict[str, tuple[str, dict[str, str], str]] = {
    "unittest-xml-reporting": (
        """<testsuite name="test_u.T-20260102030405" tests="2" file="test_u.py"><testcase classname="test_u.T"
 name="test_bad" file="test_u.py" line="4"><failure type="AssertionError" message="1 != 2"><![CDATA[Traceback:
  File "{root}/test_u.py", line 6, in test_bad]]></failure></testcase><testcase classname="test_u.T" name="test_later">
<skipped type="skip" message="no"/></testcase></testsuite>""",
        {"test_u.T::test_bad": "failed", "test_u.T::test_later": "skipped"},
        "test_u.py:6",
    ),
    "mocha xunit": (
        """<testsuite name="Mocha Tests" tests="3" failures="0" errors="1" skipped="1"><testcase classname="render"
 name="works" file="{root}/t/m.spec.js"/><testcase classname="render" name="fails" file="{root}/t/m.spec.js"><failure>
1 == 2
    at Context.&#x3C;anonymous&#x3E; (t/m.spec.js:1:112)</failure></testcase>
<testcase classname="render" name="later" file="{root}/t/m.spec.js"><skipped/></testcase></testsuite>""",
        {"render::works": "passed", "render::fails": "failed", "render::later": "skipped"},
        "t/m.spec.js:1",
    ),
    "eslint": (
        """<testsuites><testsuite package="org.eslint" time="0" tests="2" errors="2" name="{root}/js/a.js">
<testcase time="0" name="org.eslint.no-eval" classname="{root}/js/a"><failure
 message="eval can be harmful."><![CDATA[line 2, col 1, Error - eval can be harmful. (no-eval)]]></failure></testcase>
</testsuite></testsuites>""",
        {"js/a::org.eslint.no-eval": "failed"},
        "js/a.js:2",
    ),
    "ctest": (
        """<testsuite name="Linux-c++" tests="2" failures="1" disabled="0" skipped="1" hostname="" time="0"><testcase
 name="calc" classname="calc" status="fail"><failure message="Failed"/><system-out>src/lib/app.c:7: wrong</system-out>
</testcase><testcase name="slow" classname="slow" status="disabled"><skipped message="Disabled"/></testcase>
</testsuite>""",
        {"calc::calc": "failed", "slow::slow": "skipped"},
        ":0",
    ),
    "PHPUnit": (
        """<testsuites><testsuite name="default"><testsuite name="CalcTest" file="{root}/tests/CalcTest.php"><testsuite
 name="CalcTest::testAdds"><testcase name="testAdds with data set #1" class="CalcTest" classname="CalcTest"
 file="{root}/tests/CalcTest.php" line="12"><failure type="X">{root}/tests/CalcTest.php:14</failure></testcase>
</testsuite></testsuite></testsuite></testsuites>""",
        {"CalcTest::testAdds with data set #1": "failed"},
        "tests/CalcTest.php:14",
    ),
    "Bazel": (
        """<testsuites><testsuite name="src/calc_test" tests="1" failures="0" errors="1"><testcase name="src/calc_test"
 status="run" duration="0" time="0"><error message="exited with error code 1"></error></testcase>
<system-out>log</system-out>
</testsuite></testsuites>""",
        {"src/calc_test": "failed"},
        ":0",
    ),
    "scalatest": (
        """<testsuite errors="0" failures="1" hostname="h" name="demo.CalcSpec" skipped="1" tests="2">
<properties/><testcase
 name="A calc should add" classname="demo.CalcSpec"><failure message="1 did not equal 2 (Calc.scala:9)" type="E"/>
</testcase><testcase name="later" classname="demo.CalcSpec"><skipped/></testcase></testsuite>""",
        {"demo.CalcSpec::A calc should add": "failed", "demo.CalcSpec::later": "skipped"},
        "src/Calc.scala:9",
    ),
    "Catch2": (
        """<testsuites><testsuite name="calc" errors="0" failures="1" skipped="0" tests="2"><properties/><testcase
 classname="calc.global" name="adds" time="0" status="run"><failure message="1 == 2" type="REQUIRE">FAILED:
at src/calc_test.cpp:21</failure></testcase><testcase classname="calc.global" name="adds/nested" status="run"/>
</testsuite>
</testsuites>""",
        {"calc.global::adds": "failed", "calc.global::adds/nested": "passed"},
        "src/calc_test.cpp:21",
    ),
    "CUnit": (
        """<testsuites errors="0" failures="1" tests="1" name=""><testsuite errors="0" failures="1" tests="1"
 name="Suite">
<testcase classname=".Suite" name="adds" time="0"><failure message="1 == 2" type="Failure">Condition: 1 == 2
 File Line: src/lib/app.c:33</failure></testcase></testsuite></testsuites>""",
        {".Suite::adds": "failed"},
        "src/lib/app.c:33",
    ),
    "swift": (
        """<testsuites><testsuite name="TestResults" errors="0" tests="2" failures="1"><testcase
 classname="AppTests.AppTests" name="testBad"><failure message="failed at AppTests.swift:8"/></testcase><testcase
 classname="AppTests.AppTests" name="testOk"/></testsuite></testsuites>""",
        {"AppTests.AppTests::testBad": "failed", "AppTests.AppTests::testOk": "passed"},
        "Tests/AppTests/AppTests.swift:8",
    ),
    "nette and phpt": (
        """<testsuites><testsuite errors="1" skipped="1" tests="3"><testcase classname="{root}/tests/skip.phpt"
 name="{root}/tests/skip.phpt"><failure message="Failed"/></testcase><testcase classname="{root}/tests/b.phpt"
 name="{root}/tests/b.phpt"><skipped/></testcase></testsuite></testsuites>""",
        {"tests/skip.phpt::tests/skip.phpt": "failed", "tests/b.phpt::tests/b.phpt": "skipped"},
        "tests/skip.phpt:0",
    ),
    "perl": (
        """<testsuites><testsuite failures="1" errors="0" tests="2" name="t_basic_t"><testcase name="1 - ok"/><testcase
 name="2 - adds"><failure message="not ok 2 - adds" type="TestFailed"><![CDATA[at t/basic.t line 9.]]>
</failure></testcase>
<system-out>x</system-out></testsuite></testsuites>""",
        {"1 - ok": "passed", "2 - adds": "failed"},
        ":0",
    ),
    "JUnit 4 by ant": (
        """<testsuites><testsuite errors="1" failures="0" id="0" name="ATest" package="demo" tests="1"
 skipped="0"><properties/>
<testcase classname="demo.ATest" name="bad"><error message="boom" type="java.lang.Error">java.lang.Error: boom
	at demo.ATest.bad(ATest.java:7)</error></testcase><system-err/></testsuite></testsuites>""",
        {"demo.ATest::bad": "failed"},
        "src/test/java/demo/ATest.java:7",
    ),
    "go-junit-report": (
        """<testsuites tests="2" failures="1"><testsuite name="example.org/app" tests="2" failures="1" errors="0" id="0"
 hostname="h"><properties/><testcase name="TestMain" classname="example.org/app" time="0"><failure
 message="Build error"/>
</testcase><testcase name="TestX/sub_1" classname="example.org/app"/></testsuite></testsuites>""",
        {"example.org/app::TestMain": "failed", "example.org/app::TestX/sub_1": "passed"},
        ":0",
    ),
    "container-structure-test": (
        """<testsuites failures="1" tests="2" time="1"><testsuite><testcase name="Command Test: runs" time="1">
<failure>no
</failure></testcase><testcase name="File Test: there" time="1"></testcase></testsuite></testsuites>""",
        {"Command Test: runs": "failed", "File Test: there": "passed"},
        ":0",
    ),
    "marathon": (
        """<testsuite name="device" tests="2" failures="0" errors="0" skipped="1"><testcase classname="demo.UiTest"
 name="opens"/><testcase classname="demo.UiTest" name="ignored"><skipped/></testcase></testsuite>""",
        {"demo.UiTest::opens": "passed", "demo.UiTest::ignored": "skipped"},
        "",
    ),
}


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tree = tmp_path_factory.mktemp("tree")
    for name in FILES:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("x\n" * 50)
    return tree


@pytest.mark.parametrize("kind", JUNIT)
def test_a_junit_report_of_each_kind_is_read_with_its_tests_and_the_first_place_D5_L3(kind: str, root: Path) -> None:
    text, states, place = JUNIT[kind]
    found = read(text.replace("{root}", str(root)).encode(), CheckedFiles(str(root), str(root)))
    assert {test.id: test.state for test in found} == states
    failed = [f"{test.path}:{test.line}" for test in found if test.state == "failed"]
    assert failed[:1] == ([place] if place else [])


def test_the_time_of_a_run_in_the_name_of_a_suite_or_a_file_is_in_no_name_D5() -> None:
    def names(time: str) -> list[str]:
        case = '<testcase classname="T" name="a"/>'
        report = f'<testsuites><testsuite name="x.T-{time}">{case}</testsuite><testsuite name="y.T-{time}">{case}'
        return [test.id for test in read_all([(f"TEST-T-{time}.xml", f"{report}</testsuite></testsuites>".encode())])]

    assert names("20260102030405") == names("20271112131415") == ["T::a [in x.T]", "T::a [in y.T]"]


def located(uri: str, line: int = 0, **more: Any) -> list[dict[str, Any]]:
    place: dict[str, Any] = {"artifactLocation": {"uri": uri, **more}}
    return [{"physicalLocation": {**place, **({"region": {"startLine": line}} if line else {})}}]


def rule(score: str = "", **more: Any) -> dict[str, Any]:
    return {"id": "R", **({"properties": {"security-severity": score}} if score else {}), **more}


SARIF: dict[str, tuple[dict[str, Any], tuple[str, str, int, bool]]] = {
    "CodeQL": (
        {"ruleIndex": 0, "rule": {"id": "R", "index": 0}, "locations": located("js/a.js", 3, uriBaseId="%SRCROOT%"),
         "partialFingerprints": {"primaryLocationLineHash": "39fa2ee980eb94b0:1"}, "of": rule("9.3")},
        ("error", "js/a.js", 3, True),
    ),
    "Semgrep": (
        {"level": "error", "locations": located("js/a.js", 3, uriBaseId="%SRCROOT%"),
         "fingerprints": {"matchBasedId/v1": "requires login"}, "of": rule("MEDIUM")},
        ("error", "js/a.js", 3, False),
    ),
    "Snyk": (
        {"level": "note", "locations": located("js/a.js", 3, uriBaseId="%SRCROOT%"), "of": rule("undefined")},
        ("note", "js/a.js", 3, False),
    ),
    "Trivy and Grype": (
        {"level": "error", "locations": located("app/go.mod", 1, uriBaseId="ROOTPATH"), "of": rule("7.5")},
        ("error", "app/go.mod", 1, False),
    ),
    "osv-scanner": (
        {"locations": located("file://{root}/app/go.mod"), "of": rule(defaultConfiguration={"level": "warning"})},
        ("warning", "app/go.mod", 0, False),
    ),
    "SpotBugs": (
        {"locations": located("demo/ATest.java", 7, uriBaseId="8736793520"), "of": rule(), "level": "warning"},
        ("warning", "src/test/java/demo/ATest.java", 7, False),
    ),
    "Flawfinder and gitleaks": (
        {"level": "error", "rank": 80.0, "locations": located("./src/lib/app.c", 9), "of": rule()},
        ("error", "src/lib/app.c", 9, False),
    ),
    "ReSharper and Qodana": (
        {"level": "note", "kind": "fail", "locations": located("src/lib/app.c", 9, uriBaseId="solutionDir"),
         "of": rule()},
        ("note", "src/lib/app.c", 9, False),
    ),
    "ESLint": (
        {"level": "error", "locations": located("file://{root}/js/a.js", 2, index=0), "of": rule()},
        ("error", "js/a.js", 2, False),
    ),
    "dependency-check": (
        {"level": "error", "locations": located("file:///nowhere/lib.jar"), "of": rule("10.0")},
        ("error", "/nowhere/lib.jar", 0, True),
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", SARIF)
def test_a_sarif_report_of_each_kind_is_read_with_its_level_its_place_and_its_score_D5_L3(
    kind: str, root: Path
) -> None:
    given, (level, path, line, critical) = SARIF[kind]
    result = {"ruleId": "R", "message": {"text": "found"}, **{k: v for k, v in given.items() if k != "of"}}
    driver = {"name": kind, "rules": [given["of"]]}
    log = {"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": [result]}]}
    data = msgspec.json.encode(log).replace(b"{root}", str(root).encode())
    (found,) = sarif_report.read(data, CheckedFiles(str(root), str(root)))
    assert (found.level, found.path, found.line, found.critical, found.tool) == (level, path, line, critical, kind)
