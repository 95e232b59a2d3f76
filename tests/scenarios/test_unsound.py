"""D5: an editable install made the checks test the person's own checkout; broken code was approved and merged."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.adapters.checks.environments import RIGHT, TESTED, WRONG, make_environment
from tests.stage.checkout import AT_ONCE
from tests.stage.commands import GIT_ENV, Stage
from tests.stage.shop import Shop

pytestmark = pytest.mark.scenario

CHECK = '\n[[checks]]\nname = "tests"\nrun = "python tests/check.py"\n'


def test_D5_broken_code_behind_an_editable_install_is_unsound_then_red_and_never_merged(
    stage: Stage, tmp_path: Path
) -> None:
    shop, cast = Shop(stage.repo, stage.cast), stage.cast
    site = make_environment(tmp_path / "venv")
    (site / "__editable__.shop.pth").write_text(f"{shop.repo}/src\n")
    path = {"PATH": f"{tmp_path}/venv/bin:{GIT_ENV['PATH']}"}
    shop.configure(AT_ONCE + CHECK, {"src/shop/__init__.py": RIGHT, "tests/check.py": TESTED})
    task = shop.create(cast.alice, "-l", "review:auto")
    work = shop.deliver(cast.claude, task, {"src/shop/__init__.py": WRONG})
    shop.git("switch", "-q", "main")

    report = shop.checked(cast.job, task, rc=6, env=path)
    (row,) = report["checks"]
    assert (row["outcome"], report["status"]) == ("unsound", "reviewing")
    assert row["summary"].startswith(f"used src/shop/__init__.py of {shop.repo} (by {tmp_path}/venv)")
    assert row["summary"].endswith("begin its run with PYTHONPATH=src")
    assert f"its Python uses {shop.repo}/src installed in place" in shop.run(cast.alice, "doctor", env=path).out
    refused = shop.run(cast.alice, "approve", task, "--seen", work.seen, "-m", "fine", env=path)
    assert (refused.rc, "was unsound" in refused.out + refused.err) == (1, True)
    assert shop.merge(env=path) == {}
    assert "FindingsRaised" not in shop.kinds(task)

    toml = (shop.repo / "foureyes.toml").read_text()
    (shop.repo / "foureyes.toml").write_text(toml.replace("python tests", "PYTHONPATH=src python tests"))
    shop.git("commit", "-q", "-am", "the tree first")
    shop.accept_policy(cast.alice)
    report = shop.checked(cast.job, task, rc=6, env=path)
    assert ([row["outcome"] for row in report["checks"]], report["status"]) == (["failed"], "open")
