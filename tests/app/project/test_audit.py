"""Audit: the journal as people read it, check it and take it along (J1, J2)."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta

import msgspec

from foureyes.app.context import stamp
from foureyes.app.project.accepted_config import BRING_HERE
from foureyes.app.results.status import Check

from tests.stage.checkout import PROJECT
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX
from tests.stage.world import DeskWorld


def test_the_log_is_the_latest_rows_oldest_first(desk: DeskWorld) -> None:
    task, other = desk.create(), desk.create()
    desk.app.notes.log(CLAUDE, task, "x")
    seqs = [row.seq for row in desk.app.audit.log()]
    assert seqs == list(range(1, len(seqs) + 1))
    assert [row.kind for row in desk.app.audit.log(limit=2)] == ["SessionStarted", "Logged"]
    assert [row.kind for row in desk.app.audit.log(task=task)] == ["TaskCreated", "Logged"]
    assert {row.task for row in desk.app.audit.log(task=other.removeprefix("fe-"))} == {other}


def test_an_export_can_be_verified_with_the_standard_library_alone_J1(desk: DeskWorld) -> None:
    task = desk.submitted_task(
        title='naïve "quotes" \\ and \U0001f642 日本', description="lines\n\tand tabs\u2028\x85"[:-1]
    )
    desk.approve(CODEX, task)
    lines = [msgspec.json.encode(row).decode() for row in desk.app.audit.export()]
    prev = ""
    for number, line in enumerate(lines, 1):
        row = json.loads(line)
        columns = [row[name] for name in ("seq", "at", "project", "task", "session", "kind", "payload")]
        array = json.dumps(columns, ensure_ascii=False, separators=(",", ":"))
        assert (
            hashlib.sha256(b"foureyes-journal-1\n" + prev.encode() + b"\n" + array.encode()).hexdigest() == row["hash"]
        )
        assert (row["prev"], row["seq"], row["project"]) == (prev, number, PROJECT)
        prev = row["hash"]
    assert len(lines) == desk.rows()
    assert desk.app.audit.verify().head == prev


def test_an_export_is_whole_across_batches(desk: DeskWorld) -> None:
    task = desk.create()
    with desk.app.context.writing(CLAUDE, "log") as work:
        from foureyes.core.events.note import Logged

        work.record(task, *[Logged(text=str(n)) for n in range(2500)])
    assert [row.seq for row in desk.app.audit.export()] == list(range(1, desk.rows() + 1))


def test_a_sound_store_verifies_and_says_how_much_it_looked_at_J2(desk: DeskWorld) -> None:
    desk.approve(BOB, desk.submitted_task())
    report = desk.app.audit.verify()
    assert (report.rows, report.findings) == (desk.rows(), ())


def test_a_target_that_names_another_project_is_said_by_verify_P12_J2(desk: DeskWorld) -> None:
    desk.repo.files["foureyes.toml"] = f'[project]\nid = "{PROJECT}"\n'
    assert desk.app.audit.verify().findings == ()
    desk.repo.files["foureyes.toml"] = '[project]\nid = "somebody-else"\n'
    report = desk.app.audit.verify()
    (finding,) = report.findings
    assert (finding.area, "belongs to another project (somebody-else)" in finding.message) == ("integrity", True)
    assert report.next == BRING_HERE


def test_payloads_hold_no_floats_and_are_objects_J1(desk: DeskWorld) -> None:
    desk.approve(BOB, desk.submitted_task(creator=ALICE, estimate_minutes=5))

    def no_float(text: str) -> object:
        raise AssertionError(f"a float: {text}")

    for row in desk.app.audit.export():
        assert isinstance(json.loads(row.payload, parse_float=no_float), dict)


def test_times_are_utc_with_milliseconds_and_rows_of_one_command_share_theirs_J1(desk: DeskWorld) -> None:
    desk.clock.advance(seconds=0.1239)
    desk.create(CLAUDE)
    first, second = desk.app.audit.log(limit=2)
    assert first.at == second.at == "2026-03-01T12:00:00.123Z"


def _doctors_line(desk: DeskWorld) -> Check:
    (line,) = [line for line in desk.app.doctor.examine(ALICE) if line.check == "journal"]
    return line


def test_rows_whose_dates_go_back_or_lie_ahead_are_named_with_both_dates_and_are_no_finding_J2(desk: DeskWorld) -> None:
    task, clock = desk.create(), desk.clock
    start = clock.now()
    clock.advance(hours=3)
    desk.app.notes.log(CLAUDE, task, "of a clock that is fast")
    fast = desk.rows()
    clock.time = start
    report, doctor = desk.app.audit.verify(), _doctors_line(desk)
    ahead = f"row {fast} is dated {stamp(start + timedelta(hours=3))}, later than now ({stamp(start)})"
    assert (report.notes[-1], report.findings) == (ahead, ())
    assert (doctor.result, ahead in doctor.message) == ("warn", True)
    desk.app.notes.log(CLAUDE, task, "of one that is right")
    clock.advance(hours=4)
    back = f"row {fast + 1} is dated {stamp(start)}, before row {fast} ({stamp(start + timedelta(hours=3))})"
    assert (desk.app.audit.verify().notes[-1], back in _doctors_line(desk).message) == (back, True)


def test_five_minutes_between_the_clocks_of_two_callers_are_named_by_nobody_J2(desk: DeskWorld) -> None:
    task = desk.create()
    desk.clock.advance(minutes=5)
    desk.app.notes.log(CLAUDE, task, "first")
    desk.clock.advance(minutes=-5)
    desk.app.notes.log(CLAUDE, task, "second")
    desk.clock.advance(minutes=5)
    assert (desk.app.audit.verify().notes, _doctors_line(desk).result) == ((), "ok")
