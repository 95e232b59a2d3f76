"""Proposed checks, tried on what is checked in (D5); more of it stands beside what is proposed."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest

from foureyes.adapters.git.client.locate import locate
from foureyes.adapters.git.workshop import GitWorkshop
from foureyes.bootstrap.creating import create_project
from foureyes.bootstrap.detecting import CheckProposal, Detected
from foureyes.bootstrap.trying import tried
from foureyes.core.nouns.check_rule import CheckRule
from foureyes.core.words.ids import Sha

from tests.stage.checkout import Checkout
from tests.stage.people import ALICE


def test_an_environment_that_cannot_be_made_here_is_proposed_to_nobody_and_the_note_says_why_D5(
    checkout: Checkout,
) -> None:
    checkout.write("package.json", json.dumps({"scripts": {"test": "x"}}))
    checkout.write("package-lock.json", "{}")
    tools = checkout.path.parent / "tools"
    tools.mkdir()
    (tools / "npm").write_text('#!/bin/sh\ncase "$1" in ci) echo "no network"; exit 1;; *) exit 0;; esac\n')
    (tools / "npm").chmod(0o755)
    checkout.commit("x.py")
    cache = checkout.path.parent / "cache"
    environ = {"PATH": f"{tools}:/usr/bin:/bin", "XDG_CACHE_HOME": str(cache)}
    made = create_project(str(checkout.path), environ, ALICE, prefix="fe", target=None, commit=True, trying=True)
    assert [(one.rule.name, one.outcome) for one in made.checks] == [("tests", "passed")]
    assert (made.prepare, "npm ci" in "".join(made.notes)) == ("", True)
    assert "checkout" not in checkout.git("show", "main:foureyes.toml")


@pytest.mark.parametrize("prepare", ["", "true", "false"])
def test_however_many_checks_are_tried_the_tree_is_written_once_D5(
    checkout: Checkout, monkeypatch: pytest.MonkeyPatch, prepare: str
) -> None:
    """Also where its environment cannot be made, and they are tried once more without."""
    checkout.commit("x.py", "x\n")
    whole, export = [], GitWorkshop.export

    def counting(shop: GitWorkshop, tree: Sha, path: str, only: Sequence[str] = ()) -> None:
        whole.extend([] if only else [tree])
        export(shop, tree, path, only)

    monkeypatch.setattr(GitWorkshop, "export", counting)
    found = Detected(tuple(CheckProposal(CheckRule(name=name, run="cat x.py"), "x") for name in "ab"), prepare)
    environ = {"PATH": "/usr/bin:/bin", "TMPDIR": str(checkout.path.parent)}
    place = locate(str(checkout.path))
    assert place is not None
    done = tried(place, environ, found, lambda news: None)
    assert ([one.outcome for one in done.checks], len(whole)) == (["passed", "passed"], 1)


def test_what_a_check_writes_on_the_target_itself_is_proposed_as_its_writes_and_told_D5(checkout: Checkout) -> None:
    checkout.write("Cargo.lock", "1\n")
    checkout.write(
        "Makefile", "test:\n\techo 2 > Cargo.lock\nlint:\n\tfor n in 0 1 2 3 4 5 6 7 8 9; do echo > a$$n; done\n"
    )
    for name in range(11):
        checkout.write(f"a{name}", f"{name}\n")
    checkout.commit("x.py")
    environ = {"PATH": "/usr/bin:/bin", "TMPDIR": str(checkout.path.parent)}
    made = create_project(str(checkout.path), environ, ALICE, prefix="fe", target=None, commit=True, trying=True)
    tests, lint = made.checks
    assert (tests.outcome, tests.rule.required, tests.rule.writes) == ("passed", True, ("Cargo.lock",))
    assert tests.tried == (
        "passed: exit code 0; it changed Cargo.lock of its tree, which its writes name now: see that it should"
    )
    assert 'writes = ["Cargo.lock"]' in checkout.git("show", "main:foureyes.toml")
    assert (lint.outcome, len(lint.rule.writes)) == ("passed", 10)
