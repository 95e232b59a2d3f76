"""Stories are told with the fixtures of `fixtures.py`, attacks on checks and merges with those of `attack_gate.py`.

Everything here is played by real processes, seconds a case. Day by day each test runs with the first and the last of
its cases, and the policy matrix with every fifth row; `make nightly` runs all of them, and so does naming a test.
"""

import os
from collections import defaultdict

import pytest

from tests.scenarios.attack_gate import gate, guarded
from tests.scenarios.fixtures import bare_repo, cast, stage, template

__all__ = ["bare_repo", "cast", "gate", "guarded", "stage", "template"]

WHOLE = frozenset({"test_readme.py", "test_demo.py", "test_review_flows.py", "test_story.py"})
ROWS = "test_matrix_by_processes.py"


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is one more case of the same, unless it is night or one was named."""
    if os.environ.get("FOUREYES_NIGHTLY") or any("::" in arg for arg in config.args):
        return
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.path.parent.name == "scenarios" and item.path.name not in WHOLE:
            cases[item.nodeid.partition("[")[0]].append(item)
    left_out = {item for some in cases.values() for item in some if item not in _kept(some)}
    if left_out:
        config.hook.pytest_deselected(items=[item for item in items if item in left_out])
        items[:] = [item for item in items if item not in left_out]


def _kept(cases: list[pytest.Item]) -> list[pytest.Item]:
    return cases[::5] if cases[0].path.name == ROWS else [cases[0], cases[-1]]
