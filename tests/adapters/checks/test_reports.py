"""Reports of a run (D5, G1): one file, a directory of files, or those that globs mean and that the run wrote."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from foureyes.adapters.checks import reports
from foureyes.adapters.checks.reports import CheckedFiles, Reports
from foureyes.core.nouns.check import Ran
from foureyes.core.nouns.check_config import CheckRule

from tests.stage.odd import deep

ONE = '<testsuite name="{0}"><testcase classname="{0}" name="works"/></testsuite>'
SUREFIRE = ("**/target/surefire-reports/TEST-*.xml",)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    for name in ("work/app", "report"):
        (tmp_path / name).mkdir(parents=True)
    return tmp_path


def read(place: Path, during: Callable[[], object], *globs: str) -> Ran:
    """What is read after a run that did this."""
    rule = CheckRule(name="c", run="x", report="junit", report_files=globs)
    found = Reports(rule, str(place / "report"), CheckedFiles(str(place / "work")))
    try:
        during()
        return found.read(Ran(exit_code=0))
    finally:
        found.close()


def written(place: Path, *names: str) -> None:
    for name in names:
        path = place / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(ONE.format(path.stem))


def ids(ran: Ran) -> list[str]:
    assert ran.tests is not None, ran.problem
    return [test.id for test in ran.tests]


def test_a_directory_of_reports_is_one_report(place: Path) -> None:
    ran = read(
        place,
        lambda: written(place, "report/report.xml/a.xml", "report/report.xml/sub/b.xml", "report/report.xml/c.txt"),
    )
    assert ids(ran) == ["a::works", "b::works"]


def test_globs_name_the_files_that_a_tool_writes_itself(place: Path) -> None:
    names = ("work/app/target/surefire-reports/TEST-A.xml", "work/lib/target/surefire-reports/TEST-B.xml")
    ran = read(place, lambda: written(place, *names, "work/app/target/surefire-reports/other.xml"), *SUREFIRE)
    assert ids(ran) == ["TEST-A::works", "TEST-B::works"]


def test_a_report_that_the_tree_brings_along_is_none_of_the_run_G1(place: Path) -> None:
    name = "work/app/target/surefire-reports/TEST-A.xml"
    written(place, name)
    ran = read(place, lambda: None, *SUREFIRE)
    assert (ran.tests, "no report was written" in ran.problem) == (None, True)

    def again() -> None:
        (place / name).unlink()
        written(place, name)

    assert ids(read(place, again, *SUREFIRE)) == ["TEST-A::works"]


def test_links_and_too_much_are_no_reports_G1(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def linked() -> None:
        written(place, "x.xml")
        (place / "work" / "target" / "surefire-reports").mkdir(parents=True)
        (place / "work" / "target" / "surefire-reports" / "TEST-A.xml").symlink_to(place / "x.xml")

    ran = read(place, linked, *SUREFIRE)
    assert (ran.tests, "not a plain file" in ran.problem) == (None, True)
    monkeypatch.setattr(reports, "LARGEST_REPORT", 100)
    ran = read(place, lambda: written(place, "report/report.xml/a.xml", "report/report.xml/b.xml"))
    assert (ran.tests, "is larger than" in ran.problem) == (None, True)
    monkeypatch.setattr(reports, "MAX_FILES", 1)
    assert "more than 1 files" in read(place, lambda: written(place, "report/report.xml/a.xml")).problem


def test_a_thousand_folders_in_each_other_hide_no_report_G1(place: Path) -> None:
    with deep(place / "work"), deep(place / "report"):
        assert ids(read(place, lambda: written(place, "work/b.xml"), "*.xml")) == ["b::works"]
        assert ids(read(place, lambda: written(place, "report/report.xml/b.xml"))) == ["b::works"]


def test_what_a_check_moves_is_looked_for_where_it_was(place: Path) -> None:
    def moved() -> None:
        written(place, "work/a.xml")
        os.rename(place / "work", place / "elsewhere")

    assert ids(read(place, moved, "*.xml")) == ["a::works"]


def test_no_link_is_followed_also_where_one_takes_a_folders_place_meanwhile_G1(place: Path) -> None:
    written(place, "work/a/b/c.xml", "elsewhere/b/secret.xml")
    (place / "work" / "link").symlink_to(place / "elsewhere")
    at = os.open(place / "work", os.O_RDONLY)
    try:
        assert list(reports._files("link", at)) == []
        files = reports._files("a", at)
        written(place, "work/a/first.xml")
        assert next(files)[0] == "first.xml"
        (place / "work" / "a" / "b").rename(place / "work" / "was")
        (place / "work" / "a" / "b").symlink_to(place / "elsewhere" / "b")
        assert list(files) == []
    finally:
        os.close(at)
