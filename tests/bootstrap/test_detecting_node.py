"""Checks of Node projects: by the program that their lock file or `packageManager` names (D5)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foureyes.bootstrap.check_discovery import detected_in

NEEDS = {"devDependencies": {"jest": "1"}}


@pytest.mark.parametrize(
    ("package", "files", "run", "prepare"),
    [
        ({}, ["package-lock.json"], "npm run test", "npm ci"),
        (NEEDS, [], "npm run test", "npm install --no-package-lock"),
        ({}, [], "npm run test", ""),
        ({}, ["pnpm-lock.yaml"], "pnpm run test", "pnpm install --frozen-lockfile"),
        ({"packageManager": "pnpm@9.1.0"} | NEEDS, [], "pnpm run test", "pnpm install"),
        ({}, ["yarn.lock"], "yarn run test", "yarn install --frozen-lockfile"),
        ({"packageManager": "yarn@4.1.0"}, ["yarn.lock"], "yarn run test", "yarn install --immutable"),
        ({"packageManager": "yarn@1.22.0"}, ["yarn.lock"], "yarn run test", "yarn install --frozen-lockfile"),
        ({}, ["bun.lockb"], "bun run test", "bun install --frozen-lockfile"),
        ({"packageManager": 7}, ["package-lock.json"], "npm run test", "npm ci"),
    ],
)
def test_the_program_and_the_install_are_the_projects_own(
    tmp_path: Path, package: dict[str, Any], files: list[str], run: str, prepare: str
) -> None:
    (tmp_path / "package.json").write_text(json.dumps({"scripts": {"test": "jest"}, **package}))
    for name in files:
        (tmp_path / name).write_text("x")
    found = detected_in(str(tmp_path))
    assert ([one.rule.run for one in found.checks], found.prepare) == ([run], prepare)


def test_an_install_that_sets_hooks_up_runs_no_scripts_for_there_is_no_repository(tmp_path: Path) -> None:
    scripts = {"test": "x", "prepare": "husky install", "types:check": "tsc"}
    (tmp_path / "package.json").write_text(json.dumps({"scripts": scripts}))
    (tmp_path / "package-lock.json").write_text("{}")
    found = detected_in(str(tmp_path))
    assert found.prepare == "npm ci --ignore-scripts"
    assert [one.rule.run for one in found.checks] == ["npm run test", "npm run types:check"]


def test_a_workspace_without_a_script_of_its_own_runs_that_of_each_package(tmp_path: Path) -> None:
    (tmp_path / "package.json").write_text('{"private": true}')
    (tmp_path / "pnpm-workspace.yaml").write_text("packages: []\n")
    found = detected_in(str(tmp_path))
    assert [one.rule.run for one in found.checks] == ["pnpm -r --if-present test"]
    assert "workspace" in found.notes[0]


def test_scripts_of_the_package_itself_do_not_run_where_only_its_manifests_are(tmp_path: Path) -> None:
    """What `prepare` makes is made in each check's own copy; without that as the second way."""
    scripts = {"test": "x", "prepare": "tsc"}
    (tmp_path / "package.json").write_text(json.dumps({"scripts": scripts}))
    (tmp_path / "package-lock.json").write_text("{}")
    alone = "npm ci --ignore-scripts && npm rebuild"
    assert [(way.prepare, way.build) for way in detected_in(str(tmp_path)).ways] == [
        (alone, "npm run prepare"), (alone, ""),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("script", "line"),
    [
        ("vitest run", "npx vitest run --reporter=junit"),
        ("jest --ci", "jest-junit"),
        ("mocha test", "mocha-junit-reporter"),
        ("node --test", "--test-reporter=junit"),
        ("ava", ""),
    ],
)
def test_the_line_that_turns_a_report_on_is_that_of_the_tool_that_the_script_runs(
    tmp_path: Path, script: str, line: str
) -> None:
    (tmp_path / "package.json").write_text(json.dumps({"scripts": {"test": script}}))
    (one,) = detected_in(str(tmp_path)).checks
    assert line in one.reporting
    assert bool(one.reporting) == bool(line)
