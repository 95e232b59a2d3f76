"""What a worker tells of a test: its end, and whatever went wrong on the way. That a test begins, is set up and torn
down as it should be, nobody reads.
"""

from __future__ import annotations

from typing import Any, Protocol

import pytest

NOBODYS: dict[str, Any] = {}
"""Of what is not told."""


class Interactor(Protocol):
    """Who sends what happens in a worker."""

    sendevent: Any


def is_all_told(config: pytest.Config) -> bool:
    """Whether somebody asked for more than whether tests passed."""
    options = vars(config.option)
    printed = set(options.get("reportchars") or "") & set("PpAa")
    return bool(printed or options.get("durations") or options.get("xmlpath") or options.get("verbose", 0) > 0)


class Terse:
    """For a worker whose run says dots."""

    def __init__(self, interactor: Interactor) -> None:
        self._send = interactor.sendevent
        interactor.sendevent = self.send

    def send(self, name: str, **told: Any) -> None:
        """What somebody reads."""
        if name not in ("logstart", "logfinish") and told.get("data") is not NOBODYS:
            self._send(name, **told)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_to_serializable(self, report: pytest.CollectReport | pytest.TestReport) -> dict[str, Any] | None:
        """Of what passed only its end, without what it printed."""
        if not isinstance(report, pytest.TestReport) or not report.passed or hasattr(report, "wasxfail"):
            return None
        if report.when != "call":
            return NOBODYS
        return {
            "$report_type": "TestReport", "nodeid": report.nodeid, "location": report.location, "keywords": {},
            "outcome": "passed", "longrepr": None, "when": "call", "sections": [], "user_properties": [],
            "duration": report.duration, "start": report.start, "stop": report.stop,
        }  # fmt: skip


def begin(config: pytest.Config) -> None:
    """In a worker, from its configuration on."""
    senders = [each for each in config.pluginmanager.get_plugins() if hasattr(each, "sendevent")]
    if senders and not is_all_told(config):
        config.pluginmanager.register(Terse(senders[0]), "terse")
