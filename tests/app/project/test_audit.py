"""Audit: the journal as people read it, check it and take it along (J1, J2)."""

from __future__ import annotations

import hashlib
import json

import msgspec

from foureyes.app.project.retargeting import BRING_HERE

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
    task = desk.handed_in(title='naïve "quotes" \\ and \U0001f642 日本', description="lines\n\tand tabs\u2028\x85"[:-1])
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
    desk.approve(BOB, desk.handed_in())
    report = desk.app.audit.verify()
    assert (report.rows, report.findings) == (desk.rows(), ())


def test_a_target_that_names_another_project_is_said_by_verify_P12_J2(desk: DeskWorld) -> None:
    desk.repo.files["foureyes.toml"] = f'[project]\nid = "{PROJECT}"\n'
    assert desk.app.audit.verify().findings == ()
    desk.repo.files["foureyes.toml"] = '[project]\nid = "somebody-else"\n'
    report = desk.app.audit.verify()
    (finding,) = report.findings
    assert (finding.area, "of another project (somebody-else)" in finding.message) == ("integrity", True)
    assert report.next == BRING_HERE


def test_payloads_hold_no_floats_and_are_objects_J1(desk: DeskWorld) -> None:
    desk.approve(BOB, desk.handed_in(creator=ALICE, estimate_minutes=5))

    def no_float(text: str) -> object:
        raise AssertionError(f"a float: {text}")

    for row in desk.app.audit.export():
        assert isinstance(json.loads(row.payload, parse_float=no_float), dict)


def test_times_are_utc_with_milliseconds_and_rows_of_one_command_share_theirs_J1(desk: DeskWorld) -> None:
    desk.clock.advance(seconds=0.1239)
    desk.create(CLAUDE)
    first, second = desk.app.audit.log(limit=2)
    assert first.at == second.at == "2026-03-01T12:00:00.123Z"
