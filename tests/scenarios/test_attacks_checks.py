"""Attacks on what the checks say: their configuration, their programs, their reports, who ran them (D5, M4, A4, P12).

A check runs the attempt's own code, so an attempt can always cheat its own checks. What the gate holds against it: the
configuration is not the attempt's, what changes how checks run is looked at, and what was run is on record. Each test
that shows a limit says so; docs/threat-model.md has it.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import pytest

from tests.scenarios.attack_gate import CODE, TESTS, Content, Gate, Link, Program
from tests.scenarios.attack_moves import detached, kinds
from tests.stage.commands import GIT_ENV

pytestmark = pytest.mark.scenario

BROKEN = {"src/prices.py": "# the gross price\n"}
"""What makes the honest check red."""
PYTEST = (
    f'PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 {sys.executable} -m pytest -q -p no:cacheprovider "--junitxml=$FOUREYES_REPORT"'
)
ALWAYS = '\n[[checks]]\nname = "tests"\nrun = "true"\n'


def digest(path: Path) -> str:
    """The program of a run, as it is recorded."""
    return f"{path} sha256:{hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"


def program(path: Path, text: str) -> Path:
    """An executable script."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def another_check(gate: Gate, run: str, *, report: str = "junit", files: dict[str, str] | None = None) -> None:
    """A person has replaced the honest check by another one."""
    text = (gate.repo / "foureyes.toml").read_text().split("[[checks]]")[0]
    (gate.repo / "foureyes.toml").write_text(text)
    gate.configure(
        f'[[checks]]\nname = "tests"\nrun = \'{run}\'\nreport = "{report}"\n', files or {"src/more.py": "more = 1\n"}
    )


def test_M4_honest_work_is_approved_by_the_gate_so_these_tests_would_notice(gate: Gate) -> None:
    work = gate.trusted(CODE)
    assert gate.settled(work)["status"] == "approved"
    assert gate.status(gate.trusted(BROKEN).task) == "reviewing"


# The configuration


def _toml(gate: Gate, way: str) -> dict[str, Content]:
    text = gate.on_main("foureyes.toml") + "\n"
    checks = text.index("[[checks]]")
    ways: dict[str, dict[str, Content]] = {
        "a check that always passes": {"foureyes.toml": text[:checks] + ALWAYS},
        "one more that always passes": {"foureyes.toml": text + ALWAYS.replace('"tests"', '"more"')},
        "no check of this project is required": {"foureyes.toml": text + "required = false\n"},
        "no checks at all": {"foureyes.toml": text[:checks]},
        "everything skips": {
            "foureyes.toml": text.replace("[review.human]", '[review]\ndefault_mode = "skip"\n[review.human]')
        },
        "renamed": {"foureyes.toml": None, "foureyes.toml.old": text},
        "deleted": {"foureyes.toml": None},
        "a link": {"foureyes.toml": Link("docs/mine.toml"), "docs/mine.toml": text[:checks] + ALWAYS},
    }
    return ways[way]


@pytest.mark.parametrize(
    "way",
    [
        "a check that always passes", "one more that always passes", "no check of this project is required", "no checks at all", "everything skips",
        "renamed", "deleted", "a link",
    ],
)  # fmt: skip
def test_P12_an_attempt_is_judged_by_the_accepted_checks_whatever_it_does_to_foureyes_toml(
    gate: Gate, way: str
) -> None:
    work = gate.trusted({**_toml(gate, way), **BROKEN})
    report = gate.settled(work, rc=6)
    assert (report["mode"], report["status"]) == ("per-task", "open")
    row = gate.check_of(work)
    assert (row["outcome"], row["required"], row["failing"]) == ("failed", True, ["shop::prices"])
    gate.may_not_approve(gate.cast.gemini, work, rules=["D1", "D5", "P6"])
    gate.may_not_approve(gate.cast.alice, work, rules=["D1", "D5"])
    assert gate.status(work.task) == "open"


# A fake program


def fake_and_honest(gate: Gate, folder: Path) -> Path:
    """The check is `pytest`, which on an honest machine finds what is broken; where the honest one lies."""
    another_check(gate, "pytest -q", report="none")
    return program(folder / "honest" / "pytest", "grep -q net src/prices.py")


def test_D5_a_program_in_the_attempts_own_tree_is_not_found_by_a_relative_path(gate: Gate, tmp_path: Path) -> None:
    honest = fake_and_honest(gate, tmp_path)
    fake = Program("#!/bin/sh\nexit 0\n")
    work = gate.trusted({"pytest": fake, "bin/pytest": fake, **BROKEN})
    path = {"PATH": f":.:bin:./bin:{honest.parent}:{GIT_ENV['PATH']}"}
    assert gate.run(gate.cast.job, "check", "run", work.task, env=path).rc == 6
    assert gate.results(work)[-1]["program"] == digest(honest)
    assert gate.status(work.task) in ("reviewing", "open")


@pytest.mark.parametrize("who", ["a person", "a service", "the agent, detached"])
def test_D5_a_limit_a_fake_program_on_the_path_of_whoever_counts_passes_and_is_on_record(
    gate: Gate, tmp_path: Path, who: str
) -> None:
    """The repository's own virtual environment is anybody's to write. What was run, and its digest, stands in the
    result.
    """
    fake_and_honest(gate, tmp_path)
    fake = program(gate.repo / ".venv" / "bin" / "pytest", "exit 0")
    work = gate.trusted(BROKEN)
    runner = {
        "a person": gate.cast.alice,
        "a service": gate.cast.job,
        "the agent, detached": detached(gate.cast.codex),
    }[who]
    gate.run(runner, "check", "run", work.task, env={"PATH": f"{fake.parent}:{GIT_ENV['PATH']}"})
    assert gate.status(work.task) == "approved"
    assert gate.results(work)[-1]["program"] == digest(fake)


def test_D5_what_was_run_is_shown_with_the_result(gate: Gate, tmp_path: Path) -> None:
    """`fe check show` is where a person would notice a program that lies where an agent can write."""
    honest = fake_and_honest(gate, tmp_path)
    work = gate.attempt(CODE)
    gate.run(gate.cast.job, "check", "run", work.task, env={"PATH": f"{honest.parent}:{GIT_ENV['PATH']}"})
    assert digest(honest) in gate.run(gate.cast.alice, "check", "show", work.task, "--json").out
    assert digest(honest) in gate.run(gate.cast.alice, "check", "show", work.task).out


# A forged report

FORGER = """
def forge():
    with open(os.environ["FOUREYES_REPORT"], "w") as file:
        file.write("<testsuite><testcase classname='tests.test_shop' name='test_shop'/></testsuite>")
    os._exit(0)
"""
CONFTEST = f"import os\n{FORGER}\ndef pytest_unconfigure(config):\n    forge()\n"
MODULE = f"import atexit, os\n{FORGER}\natexit.register(forge)\n\ndef test_new():\n    assert False\n"


@pytest.fixture
def by_pytest(gate: Gate) -> Gate:
    """The check is a real pytest, and the target has one test."""
    another_check(gate, PYTEST, files={"tests/test_shop.py": "def test_shop():\n    assert True\n"})
    return gate


def test_M4_a_conftest_that_writes_a_green_report_over_a_failing_test_is_believed_by_no_rule(by_pytest: Gate) -> None:
    """Nobody can tell the report from an honest one. So what changes how checks run never approves itself, and people
    are told.
    """
    gate = by_pytest
    work = gate.trusted({"conftest.py": CONFTEST, "tests/test_shop.py": "def test_shop():\n    assert False\n"})
    assert "M4 it changes how checks run: conftest.py" in gate.why_not(work)
    assert gate.check_of(work)["outcome"] == "passed"
    assert gate.row(work)["auto_approvable"] is False
    assert "it changes how checks run: conftest.py" in gate.run(gate.cast.alice, "queue").out
    gate.run(gate.cast.alice, "approve", "--all-auto", "--yes")
    assert gate.status(work.task) == "reviewing"


def test_M4_a_conftest_in_a_batch_is_named_to_the_person_who_looks(by_pytest: Gate) -> None:
    gate = by_pytest
    work = gate.attempt({"conftest.py": CONFTEST})
    gate.checked(gate.cast.job, work.task)
    assert gate.row(work)["auto_approvable"] is False
    assert "conftest.py" in gate.run(gate.cast.alice, "queue").out


def test_M4_a_limit_a_test_module_that_forges_the_report_gets_through_where_nobody_wants_to_look(
    by_pytest: Gate,
) -> None:
    """Any line of the attempt runs in the check. A person said that nobody needs to look; the diff shows it to who
    does.
    """
    gate = by_pytest
    work = gate.trusted({"tests/test_new.py": MODULE})
    assert gate.settled(work)["status"] == "approved"
    assert "os._exit(0)" in gate.run(gate.cast.alice, "show", work.task, "--diff").out


DECIDES = """
src/conftest.py pytest.ini tox.ini Makefile package.json
.pytest.ini pytest.toml pytest.py GNUmakefile makefile Justfile .mypy.ini .pylintrc pyrightconfig.json
vite.config.ts .mocharc.json .npmrc .cargo/config.toml usercustomize.py
""".split()


@pytest.mark.parametrize("path", DECIDES)
def test_M4_what_decides_how_checks_run_never_approves_itself(gate: Gate, path: str) -> None:
    """conftest, pytest/tox/lint configuration, package scripts, Makefile: under every name by which the tools find
    them.
    """
    assert f"M4 it changes how checks run: {path}" in gate.why_not(gate.trusted({path: "# mine\n"}))


def test_M4_a_makefile_that_goes_before_the_makefile_does_not_approve_itself(gate: Gate) -> None:
    """GNU make reads GNUmakefile and makefile before Makefile."""
    another_check(gate, "make -s test", report="none", files={"Makefile": "test:\n\tgrep -q net src/prices.py\n"})
    work = gate.trusted({"GNUmakefile": "test:\n\t@true\n", **BROKEN})
    gate.run(gate.cast.job, "check", "run", work.task)
    assert gate.status(work.task) != "approved"


NET = "grep -q net src/prices.py\n"
FAKE = "exit 0\n"
DERIVED: dict[str, tuple[str, dict[str, str], dict[str, Content], str]] = {
    "a script": ("sh ci/verify.sh", {"ci/verify.sh": NET}, {"ci/verify.sh": FAKE}, "ci/verify.sh"),
    "a wrapper": ("sh ./gradlew test", {"gradlew": NET}, {"gradlew": FAKE}, "gradlew"),
    "in a folder": ("cd ci && sh verify", {"ci/verify": f"cd .. && {NET}"}, {"ci/verify": FAKE}, "ci/verify"),
    "a new file of that name": ("sh ./verify || true", {}, {"verify": FAKE}, "verify"),
    "a module": ("python3 -m ci.verify", {"ci/verify.py": ""}, {"ci/verify.py": "# mine\n"}, "ci/verify.py"),
    "a module's package": ("python3 -m verify", {"verify/__main__.py": ""}, {"verify/__init__.py": ""}, "verify/__init__.py"),
    "by a Makefile": (
        "make -s test", {"Makefile": "test:\n\t@sh ci/verify.sh\n", "ci/verify.sh": NET}, {"ci/verify.sh": FAKE},
        "ci/verify.sh",
    ),
    "by a script": (
        "sh ci/all.sh", {"ci/all.sh": '. "$(dirname "$0")/lib.sh"\n', "ci/lib.sh": NET}, {"ci/lib.sh": FAKE},
        "ci/lib.sh",
    ),
    "by a script of npm": (
        "npm run test || true",
        {"package.json": '{"main": "app.js", "scripts": {"test": "npm run unit", "unit": "node ci/verify"}}', "ci/verify.js": ""},
        {"ci/verify.js": "// mine\n"}, "ci/verify.js",
    ),
    "a manifest of Maven": ("true", {"pom.xml": "<project/>\n"}, {"pom.xml": "<project />\n"}, "pom.xml"),
    "a lock file": ("true", {}, {"sub/Cargo.lock": "version = 3\n"}, "sub/Cargo.lock"),
    "requirements": ("true", {}, {"requirements-dev.txt": "pytest\n"}, "requirements-dev.txt"),
    "what builds it": ("true", {}, {"lib/CMakeLists.txt": "project(x)\n"}, "lib/CMakeLists.txt"),
}  # fmt: skip


@pytest.mark.parametrize("way", DERIVED)
def test_M4_what_a_check_names_or_runs_never_approves_itself(gate: Gate, way: str) -> None:
    run, target, change, path = DERIVED[way]
    another_check(gate, run, report="none", files={"src/more.py": "more = 1\n", **target})
    work = gate.trusted({**change, **BROKEN})
    assert any(why.startswith(f"M4 it changes how checks run: {path}") for why in gate.why_not(work))
    approved = gate.approve(gate.cast.gemini, work, "-m", "read it")
    assert approved["status"] == "approved", "only gate files need a person"


def test_M4_a_check_path_of_the_project_is_added_to_those_that_are_known(gate: Gate) -> None:
    settings = gate.repo / "foureyes.toml"
    settings.write_text(settings.read_text().replace("[review]\n", '[review]\nextra_check_paths = ["rules/**"]\n'))
    gate.configure("")
    for path in ("rules/a.txt", "conftest.py"):
        assert f"M4 it changes how checks run: {path}" in gate.why_not(gate.trusted({path: f"# {path}\n"}))


def test_M4_what_no_check_names_approves_itself(gate: Gate) -> None:
    """The sources that a Makefile compiles, and programs of npm scripts that no check runs, decide no check."""
    files = {
        "Makefile": "test: main.c\n\t@sh ci/verify.sh\n",
        "ci/verify.sh": NET,
        "package.json": '{"main": "app.js", "scripts": {"start": "node app.js", "test": "true"}}',
    }
    another_check(gate, "make -s test && npm test || true", report="none", files=files)
    work = gate.trusted({"main.c": "int main;\n", "app.js": "// new\n", "ci/other.sh": "true\n"})
    assert gate.settled(work)["status"] == "approved"


WEAKER: dict[str, dict[str, Content]] = {
    "deleted": {"tests/shop.t": None, "tests/new.t": "new true\n"},
    "emptied": {"tests/shop.t": ""},
    "shorter": {"tests/shop.t": TESTS.splitlines()[0] + "\n"},
    "changed": {"tests/shop.t": TESTS.replace("grep", "true grep")},
    "moved": {"tests/shop.t": None, "tests/shop.off": TESTS},
}


@pytest.mark.parametrize("way", WEAKER)
def test_M4_without_a_report_a_test_that_loses_or_changes_lines_bars_the_rule(gate: Gate, way: str) -> None:
    another_check(gate, "true", report="none")
    why = gate.why_not(gate.trusted(WEAKER[way]))
    assert any(reason.startswith("M4 it ") and "tests/shop.t" in reason for reason in why), why


def test_M4_without_a_report_tests_and_lines_that_are_added_bar_nothing(gate: Gate) -> None:
    another_check(gate, "true", report="none")
    work = gate.trusted({"tests/shop.t": f"{TESTS}more true\n", "tests/new.t": "new true\n"})
    assert gate.settled(work)["status"] == "approved"


def test_M4_with_a_report_lines_of_tests_may_change(gate: Gate) -> None:
    work = gate.trusted({"tests/shop.t": TESTS.replace("grep -q", "grep  -q")})
    assert gate.settled(work)["status"] == "approved"


# Tests that go

FEWER: dict[str, dict[str, Content]] = {
    "one is deleted": {"tests/shop.t": "prices grep -q net src/prices.py\n"},
    "one is renamed": {"tests/shop.t": TESTS.replace("stock", "stocks")},
    "their file is deleted": {"tests/shop.t": None, "tests/other.t": "other true\n"},
    "their file is renamed to what is not run": {
        "tests/shop.t": None,
        "tests/shop.t.off": TESTS,
        "tests/other.t": "other true\n",
    },
}


@pytest.mark.parametrize("way", FEWER)
def test_D5_a_test_of_the_target_does_not_go_unnoticed(gate: Gate, way: str) -> None:
    work = gate.attempt(FEWER[way])
    gate.checked(gate.cast.job, work.task, rc=6)
    assert "shop::stock" in gate.check_of(work)["gone"]
    gate.may_not_approve(gate.cast.gemini, work, "-m", "fine", rules=["D5"])
    gate.may_not_approve(gate.cast.alice, work, rules=["D5"])
    gate.approve(gate.cast.alice, work, "-m", "the stock is counted elsewhere")
    assert "tests_gone" in kinds(gate)
    assert gate.merge() == {work.task: "merged"}


# Who ran them


def test_D5_another_agents_run_is_a_claim_too(gate: Gate) -> None:
    work = gate.trusted(CODE)
    gate.checked(gate.cast.gemini, work.task)
    assert gate.status(work.task) == "reviewing"
    gate.may_not_approve(gate.cast.gemini, work, rules=["D5"])


def test_M4_a_test_file_that_is_renamed_away_is_deleted_also_where_no_report_names_its_tests(gate: Gate) -> None:
    another_check(gate, "true", report="none")
    work = gate.trusted({"tests/shop.t": None, "docs/shop.txt": TESTS})
    assert any("deletes the test file" in reason for reason in gate.why_not(work))
