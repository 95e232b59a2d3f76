"""What `make mutants` changes, and what it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.mutants import mutants_of


@pytest.mark.parametrize(
    ("line", "changes"),
    [
        ("return a == 1", {"a == 1 → a != 1", "1 → 2"}),
        ("return a < b", {"a < b → a <= b", "a < b → a >= b"}),
        ("return a and b", {"a and b → a or b", "a and b → a", "a and b → b"}),
        ("return not a", {"not a → bool(a)"}),
        ("return any(x for x in a)", {"any((x for x in a)) → all((x for x in a))"}),
        ("return [x for x in a if x]", {"[x for x in a if x] → [x for x in a]"}),
        ("return a if b else 'human'", {"a if b else 'human' → a", "a if b else 'human' → 'human'", "'human' → 'human-x'"}),
        ("return 'a text for people'", set()),
        ("return f'{a} == {b}'", set()),
        ("return fe('approve', a)", set()),
        ("'A docstring.'", set()),
    ],
)  # fmt: skip
def test_each_decision_is_changed_and_no_text(tmp_path: Path, line: str, changes: set[str]) -> None:
    file = tmp_path / "rule.py"
    file.write_text(f"def rule(a: int, b: int) -> object:\n    {line}\n")
    found = mutants_of(file)
    assert {f"{mutant.old} → {mutant.new}" for mutant in found} == changes
    assert {mutant.where for mutant in found} <= {"rule"}
