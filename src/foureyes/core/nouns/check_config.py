"""Configuration of a check: its rule in `[[checks]]`, and the environment of its checkout. (D5)"""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.core.words.digest import sha256

# ---- Checkouts of checks ----

Isolation = Literal["full", "auto", "none"]
ISOLATIONS: tuple[Isolation, ...] = ("full", "auto", "none")
"""Levels of a check's isolation, strictest first."""

INPUTS = (
    "**/pyproject.toml", "**/setup.cfg", "**/setup.py", "**/requirements*.txt", "**/constraints*.txt", "**/uv.lock",
    "**/poetry.lock", "**/pdm.lock", "**/Pipfile", "**/Pipfile.lock", ".python-version", "**/package.json",
    "**/package-lock.json", "**/npm-shrinkwrap.json", "**/.npmrc", "**/pnpm-lock.yaml", "**/pnpm-workspace.yaml",
    "**/.pnpmfile.cjs", "**/yarn.lock", "**/.yarnrc.yml", "**/bun.lock", "**/bun.lockb", ".nvmrc", ".node-version",
    "**/go.mod", "**/go.sum", "**/go.work", "**/go.work.sum", "**/Cargo.toml", "**/Cargo.lock", "**/.cargo/config.toml",
    "rust-toolchain", "rust-toolchain.toml", "**/pom.xml", "**/*.gradle", "**/*.gradle.kts", "**/gradle.properties",
    "**/*.lockfile", "**/requirements/*.txt", "**/*-requirements.txt", "gradle/**", "gradlew", "mvnw", ".mvn/**",
    "**/Gemfile", "**/Gemfile.lock", "**/composer.json", "**/composer.lock", ".tool-versions",
)  # fmt: skip
"""Files that declare a project's packages, for the usual tools."""
TIMEOUT_MINUTES = 60
"""Time limit of `prepare` and of `build` each, in minutes."""


class CheckoutRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The `[checkout]` section of the configuration: how to create a check's environment.

    - prepare: command that creates the environment and sees only the `inputs` of a tree. The result is what it leaves
    in its home and in the tree.
    - keep: limits what is kept from the tree
    - build: command that runs in each check's own copy
    - env: variables passed to both
    - writes: globs of files in the tree that `build` may change
    """

    prepare: str = ""
    inputs: tuple[str, ...] = INPUTS
    build: str = ""
    keep: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    isolation: Isolation = "auto"
    writes: tuple[str, ...] = ()

    @property
    def matters(self) -> bool:
        """True if the section changes how checks run."""
        return bool(self.prepare.strip() or self.build.strip()) or self.isolation == "full"

    @property
    def hides(self) -> bool:
        """True if other checkouts, the home and the store are hidden from checks where the kernel allows it."""
        return self.matters and self.isolation != "none"


# ---- The rule of a check ----

ReportFormat = Literal["none", "junit", "sarif"]
REPORTS: tuple[ReportFormat, ...] = ("none", "junit", "sarif")


class CheckRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One `[[checks]]` entry of the configuration.

    - failed_exit: overrides the known exit codes of a tool
    - env: variables to pass through, such as JAVA_HOME. No others are.
    - checkout: the project's section, if it has one
    - report_files: globs of report files, if the tool chooses their names
    - writes: globs of files in its tree that it may change, such as Cargo.lock. A run that changes others is unsound.
    """

    name: str
    run: str
    report: ReportFormat = "none"
    required: bool = True
    timeout_minutes: int = 10
    failed_exit: tuple[int, ...] | None = None
    env: tuple[str, ...] = ()
    checkout: CheckoutRule | None = None
    report_files: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()

    @property
    def inputs(self) -> tuple[str, ...]:
        """Globs of the files that declare packages."""
        return self.checkout.inputs if self.checkout is not None else INPUTS

    @property
    def digest(self) -> str:
        """A digest that identifies the check. Changing the command, report or environment changes it, so that old results
        no longer apply.
        """
        fields = [self.name, self.run, self.report, self.timeout_minutes, self.failed_exit, self.env]
        more = [self.checkout] if self.checkout is not None else []
        files = [self.report_files] if self.report_files else []
        written = [{"writes": self.writes}] if self.writes else []
        text = msgspec.json.encode([*fields, *more, *files, *written])
        return sha256(b"foureyes check\n" + text).hexdigest()[:16]
