"""What the benchmark counts of a decision is what the decision reads, and no more than it may."""

from __future__ import annotations

from pathlib import Path

from bench.counts import decisions


def test_facts_and_rules_that_an_approval_and_a_merge_read_are_counted_with_their_budgets(tmp_path: Path) -> None:
    rows = decisions(tmp_path / "decisions")
    assert [(row.what, row.budget, row.met) for row in rows] == [
        ("approve, facts read", "≤ 2", True),
        ("approve, policy read", "≤ 2", True),
        ("merge, facts read", "≤ 3", True),
        ("merge, policy read", "≤ 2", True),
    ]
    assert all(float(row.value) >= 1 for row in rows), "a decision rests on both"
