"""The configuration of a check: its rule, `[[checks]]`, and what its checkout gets besides the tree (D5)."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.core.words.digest import sha256

# ---- Checkouts of checks ----

Isolation = Literal["full", "auto", "none"]
ISOLATIONS: tuple[Isolation, ...] = ("full", "auto", "none")
"""From what lets a check see least to what lets it see most."""

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
"""What says which packages a project needs, by the files of the usual tools."""
TIMEOUT_MINUTES = 60
"""How long `prepare` and `build` may take, each."""


class CheckoutRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[checkout]` of the configuration: how an environment is made.

    `prepare` sees the `inputs` of a tree and nothing else of it; what it leaves in the tree and in its home is the
    environment, of the tree only what `keep` names, if it names something. `build` runs in each check's own copy.
    `env` names variables of whoever runs the checks that both get. `writes`: globs of files of the tree that `build`
    may leave as others.
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
        """Whether a check runs in another way than without it."""
        return bool(self.prepare.strip() or self.build.strip()) or self.isolation == "full"

    @property
    def hides(self) -> bool:
        """Whether checkouts, the home and the store are not there for a check, where the kernel lets us."""
        return self.matters and self.isolation != "none"


# ---- The rule of a check ----

ReportFormat = Literal["none", "junit", "sarif"]
REPORTS: tuple[ReportFormat, ...] = ("none", "junit", "sarif")


class CheckRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One `[[checks]]` of the configuration. `failed_exit` overrides what is known about a tool's exit codes.

    `env` names variables of whoever runs the checks that this one needs (`JAVA_HOME`); nothing else gets through.
    `checkout` is the project's, where it has one.
    `report_files`: globs of the files in the checkout that are its report, where the tool chooses their names.
    `writes`: globs of files of its tree that it may leave as others (`Cargo.lock`); any other one makes a run unsound.
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
        """Globs of what says which packages are needed."""
        return self.checkout.inputs if self.checkout is not None else INPUTS

    @property
    def digest(self) -> str:
        """What a result is a result of: another command, report or environment is another check."""
        fields = [self.name, self.run, self.report, self.timeout_minutes, self.failed_exit, self.env]
        more = [self.checkout] if self.checkout is not None else []
        files = [self.report_files] if self.report_files else []
        written = [{"writes": self.writes}] if self.writes else []
        text = msgspec.json.encode([*fields, *more, *files, *written])
        return sha256(b"foureyes check\n" + text).hexdigest()[:16]
