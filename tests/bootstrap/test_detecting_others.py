"""Checks of projects for the JVM, and what a justfile or pre-commit offers (D5)."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from foureyes.bootstrap.check_discovery import FETCH_CRATES, checks_in, detected_in

from tests.projects.kinds import OF_THE_PAGE
from tests.projects.page import recipes


@pytest.mark.parametrize(
    ("files", "run", "reports"),
    [
        (["pom.xml"], "mvn -q -B test", "**/target/surefire-reports/TEST-*.xml"),
        (["pom.xml", "mvnw"], "./mvnw -q -B test", "**/target/surefire-reports/TEST-*.xml"),
        (["build.gradle"], "gradle --no-daemon -q test", "**/build/test-results/**/TEST-*.xml"),
        (["settings.gradle.kts", "gradlew"], "./gradlew --no-daemon -q test", "**/build/test-results/**/TEST-*.xml"),
    ],
)
def test_maven_and_gradle_with_the_reports_that_they_write(
    tmp_path: Path, files: list[str], run: str, reports: str
) -> None:
    for name in files:
        (tmp_path / name).write_text("x")
    (one,) = checks_in(str(tmp_path))
    assert (one.rule.run, one.rule.report, one.rule.report_files) == (run, "junit", (reports,))
    assert (one.source, one.rule.env) == (files[0], ("JAVA_HOME",))


def test_a_justfile_and_pre_commit_where_nothing_else_says_it(tmp_path: Path) -> None:
    recipes = "x := '1'\n\ntest *args: build\n    true\nbuild:\n    true\n"
    (tmp_path / "justfile").write_text(f"set shell := ['sh']\n{recipes}")
    (tmp_path / ".pre-commit-config.yaml").write_text("repos: []\n")
    pre_commit = "git init -q && git add -A && pre-commit run --all-files"
    assert [one.rule.run for one in checks_in(str(tmp_path))] == ["just test", pre_commit]
    (tmp_path / "pyproject.toml").write_text("[tool.ruff]\n")
    assert [one.rule.run for one in checks_in(str(tmp_path))] == ["ruff check ."], "it has a linter"


@pytest.mark.parametrize("file", ["clippy.toml", ".github/workflows/ci.yml", "Makefile"])
def test_clippy_is_proposed_where_the_project_uses_it(tmp_path: Path, file: str) -> None:
    (tmp_path / "Cargo.toml").write_text("[package]\n")
    assert len(checks_in(str(tmp_path))) == 1
    (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / file).write_text("cargo clippy\n")
    assert [one.rule.run for one in checks_in(str(tmp_path))][1:] == ["cargo clippy -- -D warnings"]


def test_go_modules_are_fetched_before_unless_they_lie_in_the_tree_and_go_itself_is_compiled_once(
    tmp_path: Path,
) -> None:
    (tmp_path / "go.mod").write_text("module x\n")
    assert detected_in(str(tmp_path)).prepare == "go build std"
    (tmp_path / "go.sum").write_text("x\n")
    assert detected_in(str(tmp_path)).prepare == "go mod download && go build std"
    (tmp_path / "vendor").mkdir()
    assert detected_in(str(tmp_path)).prepare == "go build std"


def test_crates_are_fetched_before_where_they_are_locked(tmp_path: Path) -> None:
    (tmp_path / "Cargo.toml").write_text("[workspace]\n")
    assert detected_in(str(tmp_path)).prepare == ""
    (tmp_path / "Cargo.lock").write_text("version = 4\n")
    assert detected_in(str(tmp_path)).prepare == FETCH_CRATES


@pytest.mark.parametrize(
    ("pom", "files", "prepare"),
    [
        ("<project/>", (), "mvn -q -B dependency:go-offline"),
        ("<project/>", ("mvnw",), "./mvnw -q -B dependency:go-offline"),
        ("<project><modules><module>a</module></modules></project>", (), ""),
    ],
    ids=["maven", "wrapper", "several modules"],
)
def test_what_maven_needs_is_fetched_before_for_one_module(
    tmp_path: Path, pom: str, files: tuple[str, ...], prepare: str
) -> None:
    (tmp_path / "pom.xml").write_text(pom)
    for name in files:
        (tmp_path / name).write_text("")
    assert detected_in(str(tmp_path)).prepare == prepare


@pytest.mark.parametrize(
    ("files", "begins"),
    [
        ({"build.gradle": "x\n"}, "gradle --no-daemon -q -I"),
        ({"build.gradle.kts": "x\n", "gradlew": ""}, "./gradlew --no-daemon -q -I"),
        ({"build.gradle": "x\n", "buildSrc/build.gradle": ""}, None),
        ({"settings.gradle": "includeBuild('build-logic')\n"}, None),
    ],
    ids=["gradle", "wrapper", "its build is code", "so is one that it includes"],
)
def test_what_gradle_needs_is_fetched_before_where_its_build_is_no_code(
    tmp_path: Path, files: dict[str, str], begins: str | None
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    prepare = detected_in(str(tmp_path)).prepare
    assert (f" && {begins} ~/all.gradle fetchAll" in prepare) if begins else prepare == ""


@pytest.mark.parametrize(("name", "lock"), [("Go", "go.sum"), ("Rust", "Cargo.lock"), ("Maven", ""), ("Gradle", "")])
def test_what_is_proposed_is_what_the_page_says(tmp_path: Path, name: str, lock: str) -> None:
    for path, text in {**OF_THE_PAGE[name].files, lock or "other": "x\n"}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    found, page = detected_in(str(tmp_path)), tomllib.loads(recipes()[name])
    assert found.prepare == page["checkout"]["prepare"]
    assert [one.rule.run for one in found.checks][:1] == [check["run"] for check in page["checks"]]
