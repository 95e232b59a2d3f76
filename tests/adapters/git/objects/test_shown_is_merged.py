"""A2, Q2: for random histories, what is shown, applied to the target, is what the gate merges; or it merges nothing.

The oracle is of the test's own: path by path over the trees that the history was made of, `git apply` of the shown
text, and git's merge of three trees without any history.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foureyes.core.words.ids import Sha
from foureyes.errors import GitProblem

from tests.adapters.git.conftest import Project
from tests.stage.histories import applied, can_be_applied, import_history, why_not
from tests.stage.night import plays


def test_what_is_shown_applied_to_the_target_is_what_is_merged_A2_Q2(project: Project, tmp_path: Path) -> None:
    repo, workshop, seen = project.port(), project.workshop(), Counter[str]()

    @settings(
        max_examples=plays("random histories that are merged"),
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.integers(0, 2**32))
    def every_history(seed: int) -> None:
        seen["histories"] += 1
        name = f"{seen['histories']}"
        history = import_history(project, Random(seed), f"target{name}", f"branch{name}")
        try:
            change = repo.change(target=f"target{name}", ref=f"refs/heads/branch{name}", since=None)
        except GitProblem:
            seen["refused"] += 1
            return
        several = len(project.git("merge-base", "--all", history.target, history.branch).split()) > 1
        merged = workshop.merge(base=change.base, tip=Sha(history.target), head=change.head)
        assert merged.diff_id == change.diff_id
        seen["several bases"] += several
        if merged.tree is None:
            seen["conflicts"] += 1
            return
        seen["merged"] += 1
        seen["merged with several bases"] += several
        assert why_not(project, history, change.base, merged.tree) == ""
        if can_be_applied(history.commits[change.base], history.head.tree):
            shown = repo.diff_text(change.base, change.head)
            tree = applied(project, shown, history.target, tmp_path / f"index{name}") if shown else ""
            assert tree in ("", merged.tree)
            seen["applied"] += bool(tree)

    every_history()
    assert seen["merged"] > seen["histories"] // 4, seen
    assert min(seen["merged with several bases"], seen["applied"], seen["conflicts"]) > 0, seen
