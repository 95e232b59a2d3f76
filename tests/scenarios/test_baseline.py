"""D5: a linter in a project that has findings already, by the tool itself: what the target has keeps nobody's work."""

from __future__ import annotations

import os
import sys

import pytest

from tests.stage.checkout import AT_ONCE
from tests.stage.commands import GIT_ENV, Stage
from tests.stage.shop import Shop

pytestmark = pytest.mark.scenario

LINT = """
[[checks]]
name = "lint"
run = "ruff check --isolated --no-cache --select F --output-format sarif -o $FOUREYES_REPORT shop.py rest"
report = "sarif"
"""
OLD = "import os\n\n\ndef area(w, h):\n    return w * h\n"


def test_D5_what_ruff_finds_on_the_target_too_is_let_pass_and_what_a_change_adds_is_sent_back(stage: Stage) -> None:
    shop, cast = Shop(stage.repo, stage.cast), stage.cast
    env = {"PATH": f"{os.path.dirname(sys.executable)}:{GIT_ENV['PATH']}"}
    shop.configure(AT_ONCE + LINT, {"shop.py": OLD, "rest/more.py": "import os\n"})
    good, bad = (shop.create(cast.alice, "-l", "review:auto") for _ in range(2))
    shop.deliver(cast.claude, good, {"shop.py": f'"""The shop."""\n\n{OLD}'})
    shop.git("switch", "-q", "main")
    shop.deliver(cast.gemini, bad, {"shop.py": f"import re\n{OLD}"})
    shop.git("switch", "-q", "main")

    (row,) = shop.checked(cast.job, good, env=env)["checks"]
    assert (row["outcome"], row["summary"]) == ("passed", "2 errors, all of which the target also has")
    report = shop.checked(cast.job, bad, rc=6, env=env)
    assert (report["status"], len(report["checks"][0]["failing"])) == ("open", 1)
    assert "`re` imported but unused" in report["checks"][0]["failing"][0]
    assert shop.merge(env=env) == {good: "merged"}
