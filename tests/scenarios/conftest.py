"""Stories are told with the fixtures of `fixtures.py`, attacks on checks and merges with those of `attack_gate.py`.

Each attack is played by real processes, two or three seconds a case. Day by day every attack runs with the first and the last of
its cases, `make nightly` runs all of them.
"""

import os
from collections import defaultdict

import pytest

from tests.scenarios.attack_gate import gate, guarded
from tests.scenarios.fixtures import bare_repo, cast, stage, template

__all__ = ["bare_repo", "cast", "gate", "guarded", "stage", "template"]

SAMPLED = frozenset(
    {
        "test_attacks_checks.py", "test_attacks_by_checks.py", "test_attacks_modes.py", "test_attacks_merge.py",
        "test_attacks_merge_races.py", "test_checks_have_no_rights.py",
    }
)  # fmt: skip


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the cases between the first and the last one of an attack, unless it is night or one was named."""
    if os.environ.get("FOUREYES_NIGHTLY") or any("::" in arg for arg in config.args):
        return
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.path.name in SAMPLED:
            cases[item.nodeid.partition("[")[0]].append(item)
    left_out = {item for some in cases.values() for item in some[1:-1]}
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]
