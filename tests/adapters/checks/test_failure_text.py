"""What reporters say about a failing test, in the words of each: the finding has its message and its place (L3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.adapters.checks.junit_report import FailureText, message_of, read
from foureyes.adapters.checks.reports import CheckedFiles
from foureyes.core.loop.failures import LONGEST_FAILURE

FILES = [
    "tests/test_a.py", "src/shop/cart.py", "tests/CartTest.php", "src/sum.test.ts", "js/cart.test.js", "pkg/x_test.go",
    "other/x_test.go", "src/test/java/org/shop/CartTest.java", "crates/a/src/lib.rs", "spec/cart_spec.rb",
]  # fmt: skip

PYTEST_1 = """<testsuites><testsuite name="pytest"><testcase classname="tests.test_a"
 name="test_bad" file="tests/test_a.py" line="9"><failure message="AssertionError: assert 1 == 2">def test_bad():
&gt;       assert f() == 2
E       assert 1 == 2

tests/test_a.py:12: AssertionError</failure></testcase></testsuite></testsuites>"""
PYTEST_SETUP = """<testsuites><testsuite name="pytest"><testcase classname="tests.test_a"
 name="test_bad" file="tests/test_a.py" line="9"><error message="no fixture"/></testcase></testsuite></testsuites>"""
PYTEST_2 = """<testsuites><testsuite name="pytest"><testcase classname="tests.test_a.TestIt" name="test_bad"><failure
 message="KeyError: 'x'">self = 1

tests/test_a.py:12:
_ _ _
src/shop/cart.py:7: KeyError</failure></testcase></testsuite></testsuites>"""
PYTEST_BARE = """<testsuites><testsuite name="pytest"><testcase classname="tests.test_a.TestIt" name="test_bad"><failure
 message="no"/></testcase></testsuite></testsuites>"""
UNITTEST = """<testsuite name="t"><testcase classname="test_a.Case" name="test_x"><failure type="A"
 message="1 != 2">
Traceback (most recent call last):
  File "{root}/tests/test_a.py", line 4, in test_x
AssertionError: 1 != 2</failure></testcase></testsuite>"""
PHPUNIT = """<testsuite name="CartTest" file="{root}/tests/CartTest.php"><testcase name="testAdds" class="CartTest"
 classname="CartTest" file="{root}/tests/CartTest.php" line="8"><failure type="E">CartTest::testAdds
Failed asserting that 1 is 2.

{root}/tests/CartTest.php:11</failure></testcase></testsuite>"""
VITEST = """<testsuites name="vitest tests"><testsuite name="src/sum.test.ts">
<testcase classname="src/sum.test.ts" name="adds">
<failure message="expected 2 to be 3" type="AssertionError">AssertionError: expected 2 to be 3
 ❯ src/sum.test.ts:5:20</failure></testcase></testsuite></testsuites>"""
NODE = """<testsuites><testcase name="adds" classname="test" file="{root}/js/cart.test.js"><failure
 type="testCodeFailure" message="1 !== 2">[Error: 1 !== 2] {{ stack:
 at TestContext.&lt;anonymous&gt; (file://{root}/js/cart.test.js:6:10)
 at Test.runInAsyncScope (node:async_hooks:206:9) }}</failure></testcase></testsuites>"""
JEST = """<testsuites name="jest tests"><testsuite name="render">
<testcase classname="render works" name="render works"><failure>
Error: expect(received).toBe(expected)
    at check ({root}/node_modules/expect/build/index.js:10:1)
    at Object.toBe ({root}/js/cart.test.js:3:9)</failure></testcase></testsuite></testsuites>"""
GOTESTSUM = """<testsuites><testsuite name="example.org/shop/pkg">
<testcase classname="example.org/shop/pkg" name="TestX"><failure
 message="Failed" type="">=== RUN   TestX
    x_test.go:9: got 1
--- FAIL: TestX (0.00s)</failure></testcase></testsuite></testsuites>"""
SUREFIRE = """<testsuite name="org.shop.CartTest"><testcase name="adds" classname="org.shop.CartTest"><failure
 message="expected: 1 but was: 2" type="AssertionFailedError"><![CDATA[AssertionFailedError: expected: 1 but was: 2
	at org.junit.Assert.fail(Assert.java:87)
	at org.shop.CartTest.adds(CartTest.java:12)
]]></failure></testcase></testsuite>"""
NEXTEST = """<testsuites><testsuite name="a"><testcase name="works" classname="a"><failure type="test failure">
thread 'works' panicked at crates/a/src/lib.rs:10:5:
assertion failed</failure></testcase></testsuite></testsuites>"""
RSPEC = """<testsuite name="rspec"><testcase classname="spec.cart_spec" name="adds" file="./spec/cart_spec.rb"><failure
 message="expected 1">Failure/Error: x
./spec/cart_spec.rb:5:in `block'</failure></testcase></testsuite>"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> CheckedFiles:
    root = tmp_path_factory.mktemp("tree")
    for name in (*FILES, "node_modules/expect/build/index.js"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    return CheckedFiles(str(root))


@pytest.mark.parametrize(
    ("report", "path", "line", "said"),
    [
        (PYTEST_1, "tests/test_a.py", 12, "assert 1 == 2"),
        (PYTEST_SETUP, "tests/test_a.py", 10, "no fixture"),
        (PYTEST_2, "tests/test_a.py", 12, "KeyError: 'x'"),
        (PYTEST_BARE, "tests/test_a.py", 0, "no"),
        (UNITTEST, "tests/test_a.py", 4, "1 != 2"),
        (PHPUNIT, "tests/CartTest.php", 11, "Failed asserting"),
        (VITEST, "src/sum.test.ts", 5, "expected 2 to be 3"),
        (NODE, "js/cart.test.js", 6, "1 !== 2"),
        (JEST, "js/cart.test.js", 3, "expect(received)"),
        (GOTESTSUM, "pkg/x_test.go", 9, "got 1"),
        (SUREFIRE, "src/test/java/org/shop/CartTest.java", 12, "expected: 1 but was: 2"),
        (NEXTEST, "crates/a/src/lib.rs", 10, "assertion failed"),
        (RSPEC, "spec/cart_spec.rb", 5, "expected 1"),
    ],
    ids="pytest-1 setup pytest-2 bare unittest phpunit vitest node jest gotestsum surefire nextest rspec".split(),
)
def test_a_failing_test_has_its_message_and_its_place_whoever_reports_it_L3(
    files: CheckedFiles, report: str, path: str, line: int, said: str
) -> None:
    root = files.root
    (test,) = read(report.replace("{root}", root).replace("{{", "{").replace("}}", "}").encode(), files)
    assert (test.path, test.line, test.state) == (path, line, "failed")
    assert said in test.message
    assert root not in test.message


def test_a_message_is_said_once_and_a_long_one_has_its_beginning_and_its_end() -> None:
    said = FailureText("E", "boom")
    said.hear("boom\nat x", 100)
    assert message_of(said, CheckedFiles()) == "boom\nat x"
    long = FailureText("E", "")
    long.hear("begin" + "x" * 50_000, 20_000)
    long.hear("the end", 20_000)
    assert len(long.text) <= 20_007
    text = message_of(long, CheckedFiles())
    assert text.startswith("begin")
    assert text.endswith("the end")
    assert len(text) <= LONGEST_FAILURE
    assert message_of(FailureText("TimeoutError", ""), CheckedFiles()) == "TimeoutError", (
        "the kind, where nothing else is said"
    )


def test_without_files_there_is_no_place_and_odd_words_hurt_nobody(tmp_path: Path) -> None:
    (test,) = read(SUREFIRE.encode())
    assert (test.path, test.line) == ("", 0)
    odd = SUREFIRE.replace("CartTest.java:12", "../../etc/passwd:1) (:9) (a.b:99999999999")
    (test,) = read(odd.encode(), CheckedFiles(str(tmp_path)))
    assert (test.path, test.line) == ("", 0)
