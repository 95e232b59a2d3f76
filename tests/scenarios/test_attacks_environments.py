"""D5: attempts that poison what the checks of others use, by the commands that people type: none of it gets there."""

from __future__ import annotations

from typing import Any

import pytest

from tests.stage.checkout import AT_ONCE
from tests.stage.commands import Stage
from tests.stage.namespaces import need
from tests.stage.shop import Shop

pytestmark = pytest.mark.scenario

INSTALL = "mkdir -p node_modules && cp lock node_modules/package && echo clean > ~/build-cache\n"
HONEST = "cat src/app.py node_modules/package ~/build-cache; ls -A node_modules; test ! -e src/conftest.py\n"
FILES = {"lock": "1\n", "install.sh": INSTALL, "src/app.py": "right\n", "first.sh": HONEST, "second.sh": HONEST}
SETTINGS = """
[checkout]
prepare = "sh install.sh"
extra_inputs = ["lock", "install.sh"]
isolation = "{}"

[[checks]]
name = "first"
run = "sh first.sh"

[[checks]]
name = "second"
run = "sh second.sh"
"""


@pytest.fixture(params=["auto", "none"], ids=["room", "slot"])
def shop(request: pytest.FixtureRequest, stage: Stage) -> Shop:
    """A project whose checks stand in a room; or without one, in a slot, as where the kernel forbids rooms."""
    if request.param == "auto":
        need("unshare", "-Urm", "true")
    shop = Shop(stage.repo, stage.cast)
    shop.configure(AT_ONCE + SETTINGS.format(request.param), FILES)
    return shop


def checked(shop: Shop, files: dict[str, str], rc: int = 0) -> list[dict[str, Any]]:
    """Somebody hands this in, and a service checks it: each check, with what it printed."""
    task = shop.create(shop.cast.alice)
    shop.deliver(shop.cast.claude, task, files)
    shop.checked(shop.cast.job, task, rc=rc)
    shown: list[dict[str, Any]] = shop.done(shop.cast.alice, "check", "show", task)["checks"]
    return shown


def printed(shop: Shop, files: dict[str, str]) -> list[str]:
    return [row["output"] for row in checked(shop, files)]


def test_D5_an_attempt_that_brings_a_file_into_the_packages_does_not_run(shop: Shop) -> None:
    rows = checked(shop, {"node_modules/package": "poison\n"}, rc=6)
    assert [(row["outcome"], "poison" in row["output"]) for row in rows] == [("failed", False)] * 2
    assert all(
        row["summary"].startswith("it changes node_modules/package, which checkout.prepare creates") for row in rows
    )
