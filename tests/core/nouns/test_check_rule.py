"""The rule of a check: what makes it another check (D5)."""

from __future__ import annotations

from msgspec.structs import replace

from foureyes.core.nouns.check_config import CheckRule, ReportFormat


def rule(run: str = "make check", report: ReportFormat = "none", **more: object) -> CheckRule:
    return replace(CheckRule(name="tests", run=run, report=report), **more)


def test_another_command_report_or_environment_is_another_check() -> None:
    one = rule()
    others = [
        rule("make test"),
        rule(report="junit"),
        rule(env=("JAVA_HOME",)),
        rule(timeout_minutes=5),
        rule(failed_exit=(1,)),
        rule(writes=("Cargo.lock",)),
    ]
    assert len({one.digest, *(other.digest for other in others)}) == 7
    assert rule(required=False).digest == one.digest, "required is not part of what is run"
