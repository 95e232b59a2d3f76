"""A project whose checks need more than its files: `[checkout]`, from the configuration to the merge (D5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stage.commands import Cast
from tests.stage.namespaces import need
from tests.stage.processes import Caller
from tests.ui.cli.counter import Counter, counter

CHECKOUT = """
[checkout]
prepare = "mkdir -p .venv/bin && sh install.lock > .venv/bin/tool && chmod +x .venv/bin/tool"
extra_inputs = ["install.lock"]

[[checks]]
name = "tests"
run = "tool src/prices.py"
failed_exit = [1]

[[checks]]
name = "lint"
run = "! grep -rn MESSY src"
"""
FILES = {"install.lock": "echo '#!/bin/sh'; echo 'grep -q price $1'\n", "src/prices.py": "price = 1\n"}


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Counter:
    need("unshare", "-Urm", "true")
    made = counter(template, tmp_path, cast, "")
    made.configure(CHECKOUT, FILES)
    return made


def row_of(shop: Counter, task: str, name: str) -> tuple[str, str]:
    (row,) = (row for row in shop.show(task)["checks"] if row["check"] == name)
    return row["outcome"], row["summary"]


def test_D5_checks_have_their_environment_and_what_prepare_breaks_is_nobodys_fault(
    shop: Counter, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Its environments lie beside it: never in a checkout."""
    tmp_path = tmp_path_factory.mktemp("shelf")
    job, alice, place = shop.cast.job, shop.cast.alice, {"TMPDIR": str(tmp_path)}

    def checked(who: Caller, task: str, rc: int) -> None:
        assert shop.run(who, "check", "run", task, env=place).rc == rc

    broken = shop.work({"src/prices.py": "nothing = 1\n"})
    checked(job, broken, 6)
    assert row_of(shop, broken, "tests")[0] == "failed"
    offline = shop.work({"install.lock": "echo no network >&2; exit 7\n"}, title="Update")
    checked(job, offline, 6)
    assert row_of(shop, offline, "tests") == (
        "crashed",
        "its environment could not be prepared: checkout.prepare ended with exit code 7",
    )
    assert shop.status(offline) == "reviewing"
    assert shop.show(offline)["findings"] == []
    assert "no network" in shop.text(alice, "check", "show", offline)
    good = shop.work({"src/prices.py": "price = 2\n"}, title="Price")
    checked(job, good, 0)
    rows = shop.lines(alice, "checkout", "list", env=place)
    assert [(row["tree"], row["command"][:5]) for row in rows] == [("", "mkdir")], "what failed is not kept"
    assert "cached check environments: 1" in shop.run(alice, "doctor", env=place).out
    ends = [
        shop.text(alice, "checkout", *words, env=place).splitlines()[-1]
        for words in (("prune",), ("prune", "--all", "--dry-run"), ("prune", "--all"), ("list",))
    ]
    assert [end.partition(":")[0] for end in ends] == [
        "nothing to remove", "would go", "removed", "no cached check environments",
    ]  # fmt: skip
