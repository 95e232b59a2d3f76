"""D5: attempts that poison what the checks of others use, by the commands that people type: none of it gets there."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.stage.checkout import AT_ONCE
from tests.stage.commands import Stage
from tests.stage.namespaces import need
from tests.stage.shop import Shop
from tests.stage.theatre import wait_for

pytestmark = pytest.mark.scenario

INSTALL = "mkdir -p node_modules && cp lock node_modules/package && echo clean > ~/build-cache\n"
HONEST = "cat src/app.py node_modules/package ~/build-cache; ls -A node_modules; test ! -e src/conftest.py\n"
CLEAN = "right\n1\nclean\npackage\n"
POISON = "echo poison | tee src/app.py src/conftest.py node_modules/package node_modules/later ~/build-cache\n"
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


def test_D5_what_a_check_of_an_attempt_leaves_reaches_neither_its_next_check_nor_anothers_P12(shop: Shop) -> None:
    """A rewritten source, a conftest.py, a file among the packages, a build cache."""
    own = shop.on_main("foureyes.toml").replace('"sh first.sh"\n', '"sh first.sh"\nwrites = ["src/**"]\n')
    poisoned, after = checked(shop, {"first.sh": POISON, "foureyes.toml": own}, rc=6)
    assert poisoned["output"].startswith("poison\n")
    assert "It changed files of its tree: src/app.py" in poisoned["output"]
    assert (poisoned["outcome"], "changed src/app.py" in poisoned["summary"]) == ("unsound", True), "P12: its own toml"
    assert (after["outcome"], after["output"]) == ("passed", CLEAN), "the second check of the same attempt"
    assert printed(shop, {"other.txt": "x\n"}) == [CLEAN, CLEAN], "another attempt"


def test_D5_what_the_installation_of_an_attempt_leaves_serves_that_attempt_alone(shop: Shop) -> None:
    """As a script that runs after an installation would: for as long as nobody agreed to it."""
    assert printed(shop, {"other.txt": "x\n"}) == [CLEAN, CLEAN]
    script = INSTALL + "echo poison > node_modules/package; echo poison > ~/build-cache\n"
    mine = printed(shop, {"install.sh": script})
    assert mine == [CLEAN.replace("1\nclean", "poison\npoison")] * 2
    assert printed(shop, {"more.txt": "x\n"}) == [CLEAN, CLEAN]


def test_D5_an_attempt_that_brings_a_file_into_the_packages_does_not_run(shop: Shop) -> None:
    rows = checked(shop, {"node_modules/package": "poison\n"}, rc=6)
    assert [(row["outcome"], "poison" in row["output"]) for row in rows] == [("failed", False)] * 2
    assert all(
        row["summary"].startswith("it changes node_modules/package, which checkout.prepare creates") for row in rows
    )


WAITS = "touch ready; until test -e go; do sleep 0.01; done; cat src/app.py\n"


def written_from_outside(text: str) -> bool:
    """By the path that every process of the same user has to a file of one that runs, in a room as well."""
    for name in os.listdir("/proc"):
        with suppress(OSError):
            work = Path("/proc", name, "cwd")
            if (work / "ready").exists() and (work / "first.sh").read_text() == WAITS:
                (work / "src" / "app.py").write_text(text)
                (work / "go").touch()
                return True
    return False


def test_D5_what_somebody_writes_from_outside_while_the_command_runs_is_no_pass(shop: Shop) -> None:
    """Another process than any of the check's, while `fe check run` waits for it."""
    found: list[list[dict[str, Any]]] = []
    thread = Thread(target=lambda: found.append(checked(shop, {"first.sh": WAITS}, rc=6)))
    thread.start()
    wait_for(lambda: written_from_outside("from outside\n"))
    thread.join()
    ((first, second),) = found
    assert (first["outcome"], first["output"].split("\n")[0]) == ("unsound", "from outside")
    assert "changed src/app.py of its tree" in first["summary"]
    assert (second["outcome"], second["output"]) == ("passed", CLEAN)


def test_D5_a_part_of_the_attempt_is_not_the_targets_because_a_hand_in_was_counted_from_it(shop: Shop) -> None:
    """The target's branch is moved onto it for the moment of a submission."""
    old, task = shop.git("rev-parse", "main"), shop.create(shop.cast.alice)
    shop.done(shop.cast.claude, "start", task)
    own = shop.commit(f"fe/{task}", {"node_modules/package": "own\n"})
    shop.commit(f"fe/{task}", {"bug.py": "bug\n"})
    shop.git("update-ref", "refs/heads/main", own)
    shop.submit(shop.cast.claude, task)
    shop.git("update-ref", "refs/heads/main", old)
    rows = shop.checked(shop.cast.job, task, rc=6)["checks"]
    assert {row["outcome"] for row in rows} == {"failed"}
    assert {row["summary"].partition(",")[0] for row in rows} == {
        "node_modules/package is committed but also created by checkout.prepare"
    }
