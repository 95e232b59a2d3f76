"""`fe init` proposes checks from what lies in the repository (D5): read, never run; with `--try` only those that can
run stay.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from foureyes.app.gate.checks import Telling
from foureyes.app.results.project import News
from foureyes.bootstrap import check_discovery
from foureyes.bootstrap.check_discovery import checks_in, detected_in
from foureyes.bootstrap.init import Created, create_project
from foureyes.bootstrap.wiring import open_project
from foureyes.config.parser import read_file
from foureyes.core.nouns.check_config import CheckRule

from tests.stage.checkout import Checkout
from tests.stage.people import ALICE, BOB, CLAUDE

PYTEST = 'pytest -q --junitxml="$FOUREYES_REPORT"'


def found(folder: Path) -> list[tuple[str, str, str]]:
    return [(one.rule.name, one.rule.run, one.source) for one in checks_in(str(folder))]


def runs(folder: Path) -> list[str]:
    return [one.rule.run for one in checks_in(str(folder))]


# What is proposed


def test_an_empty_repository_has_none(tmp_path: Path) -> None:
    assert found(tmp_path) == []


def test_pyproject_with_its_tools(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        "[tool.pytest.ini_options]\nx = 1\n[tool.mypy]\n[tool.ruff]\nline-length = 99\n"
    )
    assert found(tmp_path) == [
        ("tests", PYTEST, "pyproject.toml"), ("types", "mypy .", "pyproject.toml"),
        ("lint", "ruff check .", "pyproject.toml"),
    ]  # fmt: skip
    assert [one.rule.report for one in checks_in(str(tmp_path))] == ["junit", "none", "none"]


def test_D5_of_a_src_layout_the_trees_own_packages_go_first_unless_pytest_says_it(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    (tmp_path / "src" / "data").mkdir(parents=True)
    assert runs(tmp_path) == [PYTEST], "no package, nothing to import"
    (tmp_path / "src" / "shop").mkdir()
    (tmp_path / "src" / "shop" / "__init__.py").write_text("")
    assert runs(tmp_path) == [f"PYTHONPATH=src {PYTEST}"]
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = src\n")
    assert runs(tmp_path) == [PYTEST]


@pytest.mark.parametrize("marker", ["pyproject.toml", "setup.py", "pytest.ini"])
def test_a_folder_of_tests_in_a_python_project(tmp_path: Path, marker: str) -> None:
    (tmp_path / "tests").mkdir()
    assert found(tmp_path) == [], "a folder alone says nothing about the language"
    (tmp_path / marker).write_text("# x\n")
    assert runs(tmp_path) == [PYTEST]
    assert found(tmp_path)[0][-1] == marker, "it says where it looked"


def test_a_python_project_without_tests_has_no_check_that_could_only_fail(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert found(tmp_path) == []


def test_package_json_quality_is_the_whole_pipeline(tmp_path: Path) -> None:
    scripts = {"quality": "x", "test": "x", "lint": "x"}
    (tmp_path / "package.json").write_text(json.dumps({"scripts": scripts}))
    assert found(tmp_path) == [("quality", "npm run quality", "package.json")]


def test_package_json_test_typecheck_and_lint_and_an_environment_where_there_is_a_lock(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text(
        json.dumps({"scripts": {"lint": "x", "test": "x", "typecheck": "x", "build": "x"}})
    )
    assert runs(tmp_path) == ["npm run test", "npm run typecheck", "npm run lint"]
    assert detected_in(str(tmp_path)).prepare == ""
    (tmp_path / "package-lock.json").write_text("{}")
    assert (runs(tmp_path)[0], detected_in(str(tmp_path)).prepare) == ("npm run test", "npm ci")


def test_a_test_of_node_that_no_script_runs(tmp_path: Path) -> None:
    (tmp_path / "test.js").write_text("require('node:test')\n")
    assert found(tmp_path) == [("tests", "node --test", "package.json")]
    empty = 'echo "Error: no test specified" && exit 1'
    (tmp_path / "package.json").write_text(json.dumps({"scripts": {"test": empty, "lint": "x"}}))
    assert runs(tmp_path) == ["node --test", "npm run lint"]
    (tmp_path / "package.json").write_text(json.dumps({"scripts": {"test": "node test.js"}}))
    assert runs(tmp_path) == ["npm run test"]


def test_cargo_and_go(tmp_path: Path) -> None:
    (tmp_path / "Cargo.toml").write_text("[package]\n")
    assert runs(tmp_path) == ["cargo test --quiet"], "clippy is not everybody's"
    (tmp_path / "Cargo.toml").write_text('[workspace]\nmembers = ["a"]\n[workspace.lints.clippy]\nall = "warn"\n')
    assert runs(tmp_path) == ["cargo test --workspace --quiet", "cargo clippy --workspace -- -D warnings"]
    (tmp_path / "Cargo.toml").unlink()
    (tmp_path / "go.mod").write_text("module x\n")
    assert runs(tmp_path) == ["go test ./...", "go vet ./..."]
    assert checks_in(str(tmp_path))[0].rule.env == ("GOPATH", "GOMODCACHE")


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("check: lint\n\ttrue\nlint:\n\ttrue\n", ["make check"]),
        ("test :\n\ttrue\nlint:\n", ["make test", "make lint"]),
        ("test := pytest\nCHECK = 1\n", []),
        ("\tcheck: x\n# test: no\nchecks:\n", []),
        (".PHONY: check test\n", []),
    ],
    ids=["check", "both", "variables", "not targets", "phony"],
)
def test_a_makefile_where_nothing_else_says_it(tmp_path: Path, text: str, commands: list[str]) -> None:
    (tmp_path / "Makefile").write_text(text)
    assert runs(tmp_path) == commands


def test_the_makefile_is_only_the_last_resort_and_names_are_taken_once(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("check:\n")
    (tmp_path / "go.mod").write_text("module x\n")
    (tmp_path / "package.json").write_text('{"scripts": {"test": "x"}}')
    assert found(tmp_path) == [("tests", "npm run test", "package.json"), ("vet", "go vet ./...", "go.mod")]


GARBAGE = {
    "not text": b"\xff\xfe\x00\x01",
    "empty": b"",
    "half": b'{"scripts": {"test"',
    "a list": b"[1, 2]",
    "null": b"null",
    "a word": b'"scripts"',
    "scripts is a list": b'{"scripts": ["test", 1]}',
    "tool is a text": b'tool = "pytes"\n',
    "deep": b"[" * 100_000,
    "deep value": b"a = " + b"[" * 100_000,
    "large": b"x" * 1_000_000,
}


@pytest.mark.parametrize("content", GARBAGE.values(), ids=GARBAGE.keys())
@pytest.mark.parametrize("name", ["pyproject.toml", "package.json", "Makefile"])
def test_garbage_is_no_check_and_no_crash(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / name).write_bytes(content)
    assert found(tmp_path) == []


@pytest.mark.parametrize("name", ["pyproject.toml", "package.json", "Cargo.toml", "go.mod", "Makefile"])
def test_a_directory_of_that_name_is_no_file(tmp_path: Path, name: str) -> None:
    (tmp_path / name).mkdir()
    assert found(tmp_path) == []


# What init makes of it


def init(
    checkout: Checkout,
    *,
    trying: bool = False,
    environ: dict[str, str] | None = None,
    tell: Telling = lambda news: None,
) -> Created:
    return create_project(
        str(checkout.path), environ or {}, ALICE, prefix="fe", target=None, commit=True, trying=trying, tell=tell
    )


def test_the_file_that_init_writes_reads_back_as_what_was_proposed_and_is_in_force(checkout: Checkout) -> None:
    checkout.write("pyproject.toml", "[tool.mypy]\n[tool.ruff]\n[tool.pytest.ini_options]\n")
    checkout.write("go.mod", "module x\n")
    checkout.commit("x.py")
    made = init(checkout)
    text = checkout.git("show", "main:foureyes.toml")
    assert read_file(text)["checks"] == tuple(one.rule for one in made.checks)
    assert [one.rule.name for one in made.checks] == ["tests", "types", "lint", "vet"]
    app = open_project(str(checkout.path), {})
    assert next(row.value for row in app.policy.show(BOB) if row.key == "checks") == tuple(
        one.rule for one in made.checks
    )
    app.close()


def test_without_a_proposal_there_is_no_checks_key(checkout: Checkout) -> None:
    made = init(checkout)
    assert (made.checks, "checks" in read_file(checkout.git("show", "main:foureyes.toml"))) == ([], False)


def test_checks_of_another_tools_file_are_not_mixed_with_proposals(checkout: Checkout) -> None:
    checkout.write("go.mod", "module x\n")
    checkout.write("old.toml", '[[checks]]\nname = "mine"\nrun = "true"\n')
    checkout.commit("x.py")
    made = create_project(str(checkout.path), {}, ALICE, prefix="fe", target=None, commit=True, source="old.toml")
    assert made.checks == []
    assert read_file(checkout.git("show", "main:foureyes.toml"))["checks"] == (CheckRule(name="mine", run="true"),)


def test_try_leaves_out_what_cannot_run_and_keeps_what_fails_D5(checkout: Checkout) -> None:
    """Either would refuse every approval; one that is red has something to say."""
    checkout.write("package.json", json.dumps({"scripts": {"test": "x", "lint": "x"}}))
    tools = checkout.path.parent / "tools"
    tools.mkdir()
    (tools / "npm").write_text('#!/bin/sh\ncase "$2" in test) echo "3 of 4"; exit 1;; *) exit 127;; esac\n')
    (tools / "npm").chmod(0o755)
    checkout.commit("x.py")
    made = init(checkout, trying=True, environ={"PATH": f"{tools}:/usr/bin:/bin"})
    assert [(one.rule.name, one.tried.split(":")[0], one.is_of_use) for one in made.checks] == [
        ("tests", "failed", True), ("lint", "crashed", False),
    ]  # fmt: skip
    assert made.checks[0].output == "3 of 4", "what a red one printed is shown"
    checks = read_file(checkout.git("show", "main:foureyes.toml"))["checks"]
    assert [(rule.name, rule.required) for rule in checks] == [("tests", True)]  # type: ignore[union-attr]
    app = open_project(str(checkout.path), {})
    assert app.check_runs.one(made.checks[1].run).check == "lint", "also what was left out is kept"
    (shown,) = app.check_runs.of_target(ALICE)
    assert (shown.check, shown.outcome, shown.output) == ("tests", "failed", "3 of 4\n")
    app.close()


def test_try_runs_what_is_checked_in_and_not_what_lies_around(checkout: Checkout) -> None:
    checkout.write("Makefile", "check:\n\ttest -e committed.py && ! test -e loose.py\n")
    checkout.commit("committed.py")
    checkout.write("loose.py", "x\n")
    told: list[News] = []
    (proposal,) = init(checkout, trying=True, environ={"PATH": "/usr/bin:/bin"}, tell=told.append).checks
    assert proposal.tried == "passed: exit code 0"
    assert [news.text for news in told if not news.printed] == ["trying checks: make check"], "it may take its time"


def test_where_everything_is_left_out_no_check_is_written(checkout: Checkout) -> None:
    checkout.write("go.mod", "module x\n")
    checkout.commit("x.py")
    made = init(checkout, trying=True, environ={"PATH": "/nowhere"})
    assert [one.is_of_use for one in made.checks] == [False, False]
    assert not read_file(checkout.git("show", "main:foureyes.toml")).get("checks")
    app = open_project(str(checkout.path), {})
    assert next(check.result for check in app.doctor.examine(ALICE) if check.check == "checks") == "warn"
    app.close()


def test_nothing_is_run_without_try(checkout: Checkout) -> None:
    checkout.write("Makefile", f'check:\n\t{sys.executable} -c \'open("{checkout.path}/ran", "w")\'\n')
    checkout.commit("x.py")
    init(checkout)
    assert not (checkout.path / "ran").exists()


def test_init_by_an_agent_proposes_and_accepts_nothing_P12(checkout: Checkout) -> None:
    checkout.write("go.mod", "module x\n")
    checkout.commit("x.py")
    made = create_project(str(checkout.path), {}, CLAUDE, prefix="fe", target=None, commit=True)
    assert (len(made.checks), made.committed) == (2, "")
    app = open_project(str(checkout.path), {})
    assert next(row.value for row in app.policy.show(BOB) if row.key == "checks") == ()
    app.close()


def test_what_is_left_out_stands_in_the_file_as_a_comment_that_a_person_can_take_up_D5(checkout: Checkout) -> None:
    checkout.write("package.json", json.dumps({"scripts": {"test": "x", "lint": "x"}}))
    tools = checkout.path.parent / "tools"
    tools.mkdir()
    (tools / "npm").write_text('#!/bin/sh\ncase "$2" in test) exit 0;; *) exit 127;; esac\n')
    (tools / "npm").chmod(0o755)
    checkout.commit("x.py")
    init(checkout, trying=True, environ={"PATH": f"{tools}:/usr/bin:/bin"})
    text = checkout.git("show", "main:foureyes.toml")
    assert "# Left out by fe init: crashed: " in text
    assert [rule.name for rule in read_file(text)["checks"]] == ["tests"]  # type: ignore[union-attr]
    taken_up = text.replace("# [[", "[[").replace("# name", "name").replace("# run", "run")
    rules = read_file(taken_up)["checks"]
    assert rules == (CheckRule(name="tests", run="npm run test"), CheckRule(name="lint", run="npm run lint"))


APART = "npm run test --ignore-scripts"


@pytest.mark.parametrize(
    ("scripts", "proposed"),
    [
        ({"pretest": "npm run lint", "lint": "eslint .", "test": "t"}, [APART, "npm run lint"]),
        ({"pretest": "eslint .", "test": "t"}, [APART, "npm run pretest"]),
        ({"pretest": "npm run style", "style": "standard", "test": "t"}, [APART, "npm run style"]),
        ({"pretest": "tsc -b", "test": "t", "lint": "eslint ."}, ["npm run test", "npm run lint"]),
        ({"pretest": "npm run build", "build": "tsc", "test": "t"}, ["npm run test"]),
        ({"pretest": "eslint . && tsc -b", "test": "t"}, ["npm run test"]),
        ({"pretest": "eslint ."}, []),
    ],
)  # fmt: skip
def test_lint_that_npm_runs_before_the_tests_is_a_check_of_its_own(
    tmp_path: Path, scripts: dict[str, str], proposed: list[str]
) -> None:
    """What it finds is no failing test; what a test needs before it (a build) stays before it."""
    (tmp_path / "package.json").write_text(json.dumps({"scripts": scripts}))
    assert runs(tmp_path) == proposed


def test_the_environment_of_the_checks_is_written_with_them(checkout: Checkout) -> None:
    checkout.write("package.json", json.dumps({"scripts": {"test": "x"}}))
    checkout.write("pnpm-lock.yaml", "x\n")
    checkout.commit("x.py")
    tools = checkout.path.parent / "tools"
    tools.mkdir()
    (tools / "pnpm").symlink_to("/bin/true")
    made = init(checkout, environ={"PATH": str(tools)})
    written = read_file(checkout.git("show", "main:foureyes.toml"))
    assert written["checkout.prepare"] == made.prepare == "pnpm install --frozen-lockfile"
    assert [one.rule.run for one in made.checks] == ["pnpm run test"]


def test_a_repository_of_several_projects_has_the_checks_of_each_and_says_so(tmp_path: Path) -> None:
    for name, file, text in (
        ("api", "pyproject.toml", "[tool.pytest.ini_options]\n"),
        ("packages/web", "package.json", '{"scripts": {"test": "x"}}'),
        ("packages/web", "yarn.lock", "x"),
        ("docs", "Makefile", "test:\n"),
    ):
        (tmp_path / name).mkdir(parents=True, exist_ok=True)
        (tmp_path / name / file).write_text(text)
    found = detected_in(str(tmp_path))
    assert [(one.rule.name, one.rule.run, one.source) for one in found.checks] == [
        ("tests-api", f"cd api && {PYTEST}", "api/pyproject.toml"),
        ("tests-packages-web", "cd packages/web && yarn run test", "packages/web/package.json"),
    ]
    assert found.prepare == "(cd packages/web && yarn install --frozen-lockfile)"
    assert found.notes == ("several projects in one repository",)


def test_a_large_repository_is_told_that_it_may_take_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "go.mod").write_text("module x\n")
    (tmp_path / "go.work").write_text("use .\n")
    monkeypatch.setattr(check_discovery, "MANY_FILES", 1)
    assert [note.partition(",")[0] for note in detected_in(str(tmp_path)).notes] == [
        "this is a workspace of several packages", "this is a large repository",
    ]  # fmt: skip
