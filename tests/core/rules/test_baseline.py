"""D5: a result seen against the target's: what the target has is not held against a task, and nothing new is hidden."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from foureyes.core.nouns.check import CheckResult, Ran, ToolFinding, failures_in
from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.rules.check_states import MOST_RESULTS, Against, against, known_by, listed, on_target
from foureyes.core.words.ids import SessionId, Sha

from tests.core.samples import quick

SCAN = CheckRule(name="scan", run="scan", report="sarif")
TESTS = CheckRule(name="tests", run="pytest", report="junit")


Renames = dict[str, str]


def found(path: str, line: int, code: str = "eval(x)", level: str = "error", said: str = "no eval") -> ToolFinding:
    return ToolFinding("R1", level, path, line, said, known_by("R1", said, code))


def result(*findings: ToolFinding, tests: str = "now", **more: Any) -> CheckResult:
    names = failures_in(Ran(exit_code=1, findings=findings))
    row: dict[str, Any] = {"seq": 1, "tree": Sha("t"), "name": "scan", "digest": "", "summary": f"{len(names)} errors"}
    row |= {"outcome": "failed" if names else "passed", "exit_code": 1 if findings else 0}
    return CheckResult(**row | {"failing": names, "tests": tests, "session": SessionId("s")} | more)


def seen(now: list[ToolFinding], then: list[ToolFinding], renames: Renames | None = None) -> Against:
    lists = {"now": set(listed(now)), "then": set(listed(then))}
    return against(SCAN, result(*now), result(*then, tests="then"), lists, renames or {})


def new(now: list[ToolFinding], then: list[ToolFinding], renames: Renames | None = None) -> list[str]:
    return [name.split(" ")[1] for name in seen(now, then, renames).result.failing]


def test_what_the_target_has_is_known_at_whatever_line_it_is_now_D5() -> None:
    before = [found("a.py", 3), found("b.py", 1)]
    after = seen([found("a.py", 7), found("b.py", 1)], before)
    assert (after.result.outcome, after.result.failures, after.lacking) == ("passed", 0, "")
    assert after.result.summary == "2 errors, all of which the target also has"
    assert new([found("a.py", 3)], before) == [], "one that is fixed makes nothing new"


def test_one_more_of_the_same_line_is_new_and_the_one_at_its_old_line_is_not_D5() -> None:
    assert new([found("a.py", 3), found("a.py", 9)], [found("a.py", 9)]) == ["a.py:3"]
    assert new([found("a.py", 3), found("a.py", 9)], [found("a.py", 3)]) == ["a.py:9"]
    after = seen([found("a.py", 3), found("a.py", 9)], [found("a.py", 3)]).result
    assert (after.outcome, after.failures) == ("failed", 1)
    assert after.summary == "1 error, plus 1 error that the target also has"


@pytest.mark.parametrize(
    "other",
    [
        found("c.py", 3),
        found("a.py", 3, code="eval(y)"),
        found("a.py", 3, said="no exec"),
        ToolFinding("R2", "error", "a.py", 3, "no eval", known_by("R2", "no eval", "eval(x)")),
    ],
    ids=["another file", "other code", "other words", "another rule"],
)
def test_in_the_place_of_a_known_one_something_else_is_new_D5(other: ToolFinding) -> None:
    assert len(new([other], [found("a.py", 3)])) == 1


def test_a_file_that_was_renamed_has_what_it_had_and_a_copy_of_it_is_new_D5() -> None:
    assert new([found("new.py", 3)], [found("old.py", 3)], {"new.py": "old.py"}) == []
    assert len(new([found("new.py", 3), found("old.py", 3)], [found("old.py", 3)], {"new.py": "old.py"})) == 1


def test_numbers_in_its_words_make_nothing_new_where_its_code_is_the_same_D5() -> None:
    assert known_by("F811", "redefinition of x from line 3", "x = 1") == known_by(
        "F811", "redefinition of x from line 30", "  x  =  1"
    )
    assert known_by("F811", "port 80") != known_by("F811", "port 81"), "without code its words are all there is"
    assert known_by("F811", "x", mark="id=1") != known_by("F811", "x", mark="id=2")


def test_an_exit_code_that_the_target_did_not_have_or_a_new_warning_is_no_pass_D5_G1() -> None:
    one, warning = found("a.py", 3), found("a.py", 4, level="warning")
    lists = {"now": set(listed([one, warning])), "then": set(listed([one]))}
    was = result(one, tests="then")
    after = against(SCAN, result(one, warning), was, lists, {}).result
    assert (after.outcome, after.failing) == ("failed", [])
    assert after.summary.endswith("also has, but 1 warnings that the target does not have")
    assert against(SCAN, result(one, warning, exit_code=0), was, lists, {}).result.outcome == "passed", "no exit by it"
    after = against(SCAN, result(one, tests="then", exit_code=3), was, lists, {}).result
    assert (after.outcome, after.summary[-21:]) == ("failed", ", but exit code 3 here, 1 on the target"[-21:])


def test_what_cannot_be_compared_stays_and_says_why_D5_G1() -> None:
    one = found("a.py", 3)
    named = result(one)
    for before in (result(one, tests=""), result(one, tests="gone"), result(exit_code=2, outcome="failed")):
        after = against(SCAN, named, before, {"now": set(listed([one]))}, {})
        assert (after.result, bool(after.lacking)) == (named, True)
    assert against(SCAN, named, result(tests=""), {}, {}) == Against(named), "the target passes: all of it is new"


@pytest.mark.parametrize(
    ("rule", "there", "said"),
    [
        (SCAN, {}, "1 known error"),
        (TESTS, {"failing": ["t::a", "t::b"], "tests": ""}, "2 known failures"),
        (SCAN, {"tests": ""}, ""),
        (SCAN, {"failing": []}, ""),
        (SCAN, {"outcome": "crashed"}, ""),
        (SCAN, {"outcome": "unsound"}, ""),
    ],
    ids=["errors", "tests", "no list", "nothing is named", "crashed", "unsound"],
)
def test_what_is_held_against_no_task_does_not_make_the_target_red_D5(
    rule: CheckRule, there: dict[str, Any], said: str
) -> None:
    row = result(found("a.py", 3), **there)
    seen = on_target(rule, row)
    assert seen == (replace(row, outcome="passed", summary=said) if said else row)


def test_of_too_many_no_list_is_made_so_nothing_is_known_D5() -> None:
    assert list(listed([found("a.py", 1)] * (MOST_RESULTS + 1))) == []


def test_tests_that_fail_on_the_target_too_are_known_by_name_D5() -> None:
    before = result(tests="then", outcome="failed", exit_code=1, failing=["t::a", "t::b"])
    now = result(tests="now", outcome="failed", exit_code=1, failing=["t::b"], summary="9/10 passed")
    assert against(TESTS, now, before, {}, {}).result.outcome == "passed"
    more = result(tests="now", outcome="failed", exit_code=1, failing=["t::b", "t::c"], failed=5)
    after = against(TESTS, more, before, {}, {}).result
    assert (after.outcome, after.failing, after.failures) == ("failed", ["t::c"], 4), "what has no name is new"


@pytest.mark.parametrize(("there", "here", "expected"), [(2, 1, "passed"), (2, 3, "failed"), (5, 1, "failed")])
def test_an_exit_code_that_counts_the_failed_tests_may_go_down_with_them_D5(
    there: int, here: int, expected: str
) -> None:
    before = result(tests="then", outcome="failed", exit_code=there, failing=["t::a", "t::b"])
    now = result(tests="now", outcome="failed", exit_code=here, failing=["t::b"], summary="9/10 passed")
    assert against(TESTS, now, before, {}, {}).result.outcome == expected


SPOTS = st.lists(
    st.builds(found, st.sampled_from(["a", "b", "c"]), st.integers(1, 4), st.sampled_from("xy"),
              st.sampled_from(["error", "warning", "note"])),
    max_size=12,
)  # fmt: skip


@quick
@given(SPOTS, SPOTS, st.sampled_from([{}, {"c": "a"}]))
def test_nothing_new_is_ever_hidden_D5(
    now: list[ToolFinding], then: list[ToolFinding], renames: dict[str, str]
) -> None:
    errors = [each for each in now if each.level == "error"]
    if not errors or not any(each.level == "error" for each in then):
        return
    after = seen(now, then, renames).result

    def kind(each: ToolFinding) -> tuple[str, str]:
        return renames.get(each.path, each.path), each.key

    had = Counter((each.path, each.key) for each in then if each.level in ("error", "warning"))
    beyond = Counter(kind(each) for each in now if each.level in ("error", "warning")) - had
    if after.outcome == "passed":
        assert not beyond
    most = Counter(map(kind, errors)) - had
    assert after.failures >= most.total(), "as many of a kind as are more than the target has"
    assert Counter(after.failing) <= Counter(result(*now).failing)
    assert beyond or after.outcome == "passed", "and what it has is not held against the task"
