"""Proposed checks, tried on what is checked in (D5); more of it stands beside what is proposed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing

import pytest

from foureyes.adapters.git.client.locate import locate
from foureyes.adapters.git.workshop import GitWorkshop
from foureyes.bootstrap.check_discovery import CheckProposal, Detected, detected_in
from foureyes.bootstrap.check_trial import tried
from foureyes.bootstrap.init import create_project
from foureyes.bootstrap.wiring import open_project
from foureyes.config.parser import read_file
from foureyes.core.nouns.check_config import CheckoutRule, CheckRule
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


@pytest.mark.parametrize(
    ("more", "prepare"),
    [("", ""), ('[dependency-groups]\ndev = ["pytest"]\n', "python3 -m venv .venv")],
    ids=["no other way", "another way"],
)
def test_init_proposes_no_environment_by_a_missing_program(checkout: Checkout, more: str, prepare: str) -> None:
    checkout.write("pyproject.toml", f"[tool.pytest.ini_options]\n{more}")
    checkout.write("uv.lock", "version = 1\n")
    environ = {"PATH": "/usr/bin:/bin"}  # without uv, and nothing is tried
    made = create_project(str(checkout.path), environ, ALICE, prefix="fe", target=None, commit=True)
    assert [one.rule.name for one in made.checks] == ["tests"]
    assert made.prepare.startswith(prepare) if prepare else made.prepare == ""
    assert "uv" not in checkout.git("show", "main:foureyes.toml")
    (note,) = [note for note in made.notes if "uv" in note]
    assert note == "no environment is made by uv sync --frozen --no-install-project: `uv` is not installed here"


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
    ways = (CheckoutRule(prepare=prepare),) if prepare else ()
    found = Detected(tuple(CheckProposal(CheckRule(name=name, run="cat x.py"), "x") for name in "ab"), ways)
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
        "passed: exit code 0. It changed Cargo.lock of its tree. These paths are now listed in its writes, so check that this is right"
    )
    assert 'writes = ["Cargo.lock"]' in checkout.git("show", "main:foureyes.toml")
    assert (lint.outcome, len(lint.rule.writes)) == ("passed", 10)


def _node(checkout: Checkout, npm: str) -> dict[str, str]:
    """A project with a lock file, an npm that is a shell script, and the environment in which it is found."""
    checkout.write("package.json", json.dumps({"scripts": {"test": "x", "lint": "x"}}))
    checkout.write("package-lock.json", "{}")
    tools = checkout.path.parent / "tools"
    tools.mkdir(exist_ok=True)
    (tools / "npm").write_text(f"#!/bin/sh\n{npm}\n")
    (tools / "npm").chmod(0o755)
    checkout.commit("x.py")
    return {"PATH": f"{tools}:/usr/bin:/bin", "TMPDIR": str(checkout.path.parent)}


def test_the_first_run_on_the_target_uses_the_environment_that_was_made_to_try_the_checks_D5(
    checkout: Checkout,
) -> None:
    environ = _node(checkout, 'case "$1" in ci) touch made;; *) test -e made;; esac')
    made = create_project(str(checkout.path), environ, ALICE, prefix="fe", target=None, commit=True, trying=True)
    assert made.prepare == "npm ci"
    with closing(open_project(str(checkout.path), environ)) as app:
        app.checks.run_target(ALICE)
        assert len(app.checkouts.listed()) == 1


def test_the_end_of_what_a_failing_prepare_printed_is_in_the_note_D5(checkout: Checkout) -> None:
    environ = _node(checkout, 'case "$1" in ci) seq 100; exit 1;; esac')
    made = create_project(str(checkout.path), environ, ALICE, prefix="fe", target=None, commit=True, trying=True)
    (note,) = made.notes
    assert note.startswith("npm ci could not prepare an environment: ")
    assert note.endswith("\n| 99\n| 100")


REPORT = """<testsuite><testcase name="a"/><testcase name="b"><failure message="no"/></testcase></testsuite>"""


@pytest.mark.parametrize(
    ("passes", "kept"), [(True, [("tests", True)]), (False, [])], ids=["one test passes", "no test passes"]
)
def test_a_report_in_which_a_test_passes_stays_required_though_others_fail_on_the_target_D5(
    checkout: Checkout, passes: bool, kept: list[tuple[str, bool]]
) -> None:
    report = REPORT if passes else REPORT.replace('<testcase name="a"/>', "")
    tools = checkout.path.parent / "tools"
    tools.mkdir()
    (tools / "pytest").write_text(f"#!/bin/sh\necho '{report}' > \"$FOUREYES_REPORT\"; exit 1\n")
    (tools / "pytest").chmod(0o755)
    checkout.commit("pytest.ini", "[pytest]\n")
    environ = {"PATH": f"{tools}:/usr/bin:/bin", "TMPDIR": str(checkout.path.parent)}
    made = create_project(str(checkout.path), environ, ALICE, prefix="fe", target=None, commit=True, trying=True)
    assert [each.outcome for each in made.checks] == ["failed"]
    written = read_file(checkout.git("show", "main:foureyes.toml")).get("checks", ())
    assert [(rule.name, rule.required) for rule in written] == kept  # type: ignore[union-attr]


def test_programs_of_the_projects_own_environment_are_used_though_nobody_activated_it_D5(checkout: Checkout) -> None:
    """One that is active goes first: whoever chose it meant it."""
    tools = checkout.path / ".venv" / "bin"
    tools.mkdir(parents=True)
    (tools.parent / "pyvenv.cfg").write_text("")
    (tools / "ruff").write_text("#!/bin/sh\nexit 0\n")
    (tools / "ruff").chmod(0o755)
    checkout.commit("ruff.toml", "")
    checkout.commit("pyproject.toml", "")
    environ = {"PATH": "/usr/bin:/bin", "TMPDIR": str(checkout.path.parent)}
    place = locate(str(checkout.path))
    assert place is not None
    found = detected_in(str(checkout.path))
    assert [one.outcome for one in tried(place, environ, found, lambda news: None).checks] == ["passed"]
    active = {**environ, "VIRTUAL_ENV": "/elsewhere"}
    assert [one.tried for one in tried(place, active, found, lambda news: None).checks] == [
        "crashed: `ruff` is not installed here"
    ]


def test_the_first_way_in_which_the_tests_run_is_proposed_D5(checkout: Checkout) -> None:
    """The second way here is the one that installs the project, which needs what this one makes of itself."""
    rule = CheckRule(name="tests", run="test -e second")
    ways = tuple(CheckoutRule(prepare=f"touch {name}") for name in ("first", "second", "third"))
    checkout.commit("x.py")
    environ = {"PATH": "/usr/bin:/bin", "TMPDIR": str(checkout.path.parent)}
    place = locate(str(checkout.path))
    assert place is not None
    done = tried(place, environ, Detected((CheckProposal(rule, "x"),), ways), lambda news: None)
    assert (done.prepare, [one.outcome for one in done.checks]) == ("touch second", ["passed"])
