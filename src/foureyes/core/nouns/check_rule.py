"""The rule of a check: one `[[checks]]` of the configuration (D5)."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.core.nouns.checkout import INPUTS, CheckoutRule
from foureyes.core.words.digest import sha256

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
