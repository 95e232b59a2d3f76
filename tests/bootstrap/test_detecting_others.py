"""Checks of projects for the JVM, and what a justfile or pre-commit offers (D5)."""

from __future__ import annotations

from pathlib import Path

import pytest

from foureyes.bootstrap.detecting import checks_in, detected_in


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


def test_go_modules_are_fetched_before_unless_they_lie_in_the_tree(tmp_path: Path) -> None:
    (tmp_path / "go.mod").write_text("module x\n")
    assert detected_in(str(tmp_path)).prepare == ""
    (tmp_path / "go.sum").write_text("x\n")
    assert detected_in(str(tmp_path)).prepare == "go mod download"
    (tmp_path / "vendor").mkdir()
    assert detected_in(str(tmp_path)).prepare == ""
