"""A worker tells how each test ended and all that went wrong, and not what nobody reads."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Literal, cast

import pytest
from _pytest.reports import pytest_report_from_serializable, pytest_report_to_serializable

from tests.stage.reported import Terse, is_all_told


def report(when: Literal["setup", "call", "teardown"], outcome: Literal["passed", "failed"]) -> pytest.TestReport:
    where, name = "tests/test_a.py", "test_b"
    return pytest.TestReport(f"{where}::{name}", (where, 1, name), {name: 1}, outcome, "why", when, (), 1.0, 2.0, 3.0)


def told(reported: pytest.TestReport) -> list[Any]:
    """What arrives of a report, as xdist sends it."""
    sent: list[Any] = []
    sender = SimpleNamespace(sendevent=lambda name, **said: sent.append(said["data"]))
    data = Terse(sender).pytest_report_to_serializable(reported)
    if data is None:
        data = pytest_report_to_serializable(reported)
    assert data is not None
    data["item_index"] = 1
    sender.sendevent("testreport", data=data)
    return [pytest_report_from_serializable(each) for each in sent]


@pytest.mark.parametrize("when", ["setup", "call", "teardown"])
def test_what_went_wrong_arrives_whole(when: Literal["setup", "call", "teardown"]) -> None:
    (arrived,) = told(report(when, "failed"))
    assert (arrived.when, arrived.outcome, arrived.longrepr) == (when, "failed", "why")


def test_of_what_passed_its_end_arrives_and_nothing_else() -> None:
    (arrived,) = told(report("call", "passed"))
    assert (arrived.nodeid, arrived.passed, arrived.duration) == ("tests/test_a.py::test_b", True, 1.0)
    assert told(report("setup", "passed")) == told(report("teardown", "passed")) == []


def test_who_asks_for_times_or_names_gets_everything() -> None:
    def asked(**options: object) -> bool:
        return is_all_told(cast("pytest.Config", SimpleNamespace(option=SimpleNamespace(**options))))

    assert not asked(verbose=-1, durations=None, xmlpath=None, reportchars="s")
    assert all([asked(verbose=1), asked(durations=5), asked(xmlpath="x.xml"), asked(reportchars="A")])
