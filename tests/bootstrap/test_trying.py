"""Proposed checks, tried on what is checked in (D5); more of it stands beside what is proposed."""

from __future__ import annotations

import json

from foureyes.bootstrap.creating import create_project

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
