"""What a failed check says: each failure, or one list of very many; and which of them are known (L2, L13, F4)."""

from __future__ import annotations

from foureyes.core.loop.failures import LISTED, assigned, failing_of, is_many, was_fixed
from foureyes.core.nouns.check import MANY_FAILURES, CheckResult, ToolFinding
from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.nouns.finding import Finding, ReportedFinding
from foureyes.core.words.ids import SessionId, Sha

TESTS = CheckRule(name="tests", run="pytest", report="junit")
SCAN = CheckRule(name="scan", run="semgrep", report="sarif")


def result(*failing: str, failed: int = 0) -> CheckResult:
    return CheckResult(
        seq=1, tree=Sha("t"), name="tests", digest="d", outcome="failed", summary="no", failing=list(failing),
        failed=failed or len(failing), session=SessionId("s"),
    )  # fmt: skip


def told(*names: str, message: str = "boom", path: str = "") -> list[ToolFinding]:
    return [ToolFinding(name, "error", path, number, message) for number, name in enumerate(names)]


def known(root: str, rule: str, path: str = "", line: int = 0, title: str = "eval") -> Finding:
    return Finding(
        root=root, id=root, task="t", kind="CK", session=SessionId("s"), raised=1, flagged=1, severity="HIGH",
        title=title, path=path, line=line, rule=rule,
    )  # fmt: skip


def test_a_few_failures_are_findings_with_words_that_a_prompt_can_hold_F4() -> None:
    names = [f"t{number}" for number in range(MANY_FAILURES)]
    found = failing_of(TESTS, result(*names), told(*names, message="x" * 5_000), 1)
    assert [one.rule for one in found] == names
    assert sum(len(one.problem) for one in found) <= 12_000
    (alone,) = failing_of(TESTS, result("t"), told("t", message="why", path="a.py"), 1)
    assert (alone.title, alone.problem, alone.path) == ("failing test: t", "why", "a.py")


def test_very_many_failures_are_one_finding_that_lists_them_and_counts_right_F4() -> None:
    names = [f"t{number}" for number in range(1_000)]
    (one,) = failing_of(TESTS, result(*names, failed=3_000), told(*names, message="No module named shop"), 2)
    assert is_many(one)
    assert one.title == "3000 tests of check tests fail in attempt 2"
    assert f"- and {3_000 - LISTED} more" in one.problem
    assert "No module named shop" in one.problem
    assert len(one.problem) < 15_000
    (scan,) = failing_of(SCAN, result(*names), told(*names, path="a.py"), 1)
    assert "- t1 (a.py:1): boom" in scan.problem


def test_a_check_that_names_nothing_is_a_finding_itself() -> None:
    tool = ToolFinding("S1", "error", "a.py", 3, "no", tool="ruff", critical=True)
    (found,) = failing_of(SCAN, result("S1 a.py:3 no"), [tool], 1, "it broke there")
    assert (found.severity, found.tool) == ("CRITICAL", "ruff")
    assert found.problem == "no\n\nIt is not known whether the target fails too: it broke there."
    (one,) = failing_of(TESTS, result(), [], 1)
    assert (one.rule, is_many(one)) == ("tests", False)


def test_the_same_words_at_two_places_are_two_and_each_is_known_by_its_line_then_in_order_L2() -> None:
    both = [known("one", "R", "a.py", 7), known("two", "R", "a.py", 13)]

    def roots(*lines: int) -> dict[int, str]:
        found = [ReportedFinding(severity="HIGH", title="eval", path="a.py", line=line, rule="R") for line in lines]
        return {lines[at]: one.root for at, one in assigned(found, both, by_name=False).items()}

    assert roots(7, 13) == {7: "one", 13: "two"}
    assert roots(13) == {13: "two"}, "the first one is fixed"
    assert roots(9, 15) == {9: "one", 15: "two"}, "both moved"
    assert roots(7, 13, 20) == {7: "one", 13: "two"}, "the third one is new"


def test_a_list_is_mended_by_one_test_that_ran_and_passes_and_by_nothing_else_L13() -> None:
    before = result("a", "b", "c")
    assert was_fixed(before, result("b", "c"), {"a", "b", "c"}, [], [])
    assert not was_fixed(before, result("b", "c", "d"), {"b", "c", "d"}, [], []), "a did not run"
    assert not was_fixed(before, result("a", "b", "c", "d"), {"a", "b", "c", "d"}, [], [])
    assert not was_fixed(before, result("b", failed=5_000), {"a", "b"}, [], []), "nobody knows what else failed"
    assert was_fixed(before, result("a"), (), told("R", "S"), told("R"))
    assert not was_fixed(before, result("a"), (), told("R"), told("R", "S"))
