"""The mirror file of the security record (P8): appends what is missing, names what was done to it, stops nothing."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from foureyes.adapters.store.store import Store
from foureyes.core.events.note import Logged
from foureyes.core.events.project import ProjectCreated

from tests import engines
from tests.adapters.store.shop import append, security
from tests.engines import NOW
from tests.stage.odd import ODD, put_odd


@pytest.fixture
def place(on: str, tmp_path: Path) -> engines.Place:
    return engines.Place(on, tmp_path)


@pytest.fixture
def store(place: engines.Place) -> Store:
    store = place.create()
    append(store, ProjectCreated(name="p", prefix="fe", target="main"))
    return store


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "security_events.jsonl"


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def said(store: Store) -> list[tuple[str, str]]:
    return [(finding.area, finding.message) for finding in store.audit().findings]


def test_nothing_is_written_before_the_first_exception(store: Store, path: Path) -> None:
    append(store, Logged(text="x"), task="fe-1")
    assert not path.exists()


def test_every_exception_is_a_line_with_its_row_P8(store: Store, path: Path) -> None:
    seqs = append(store, security("one – ü"), security("two\nlines"))
    assert [(row["seq"], row["reason"]) for row in lines(path)] == list(
        zip(seqs, ["one – ü", "two\nlines"], strict=True)
    )
    assert lines(path)[0] == {
        "seq": seqs[0], "at": NOW, "kind": "minor", "task": "", "session": "ses-x", "rule": "P1", "reason": "one – ü",
        "detail": "",
    }  # fmt: skip
    assert said(store) == []


def test_every_write_first_appends_what_is_missing_at_the_end_P8(store: Store, path: Path) -> None:
    append(store, security("one"), security("two"), security("three"))
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:1]))
    behind = ["completeness", "completeness"] if store.engine.name == "sqlite" else []
    assert [area for area, _ in said(store)] == behind, "of a shared store each machine has a file of its own"
    append(store, Logged(text="any write"), task="fe-1")
    assert [row["reason"] for row in lines(path)] == ["one", "two", "three"]
    assert said(store) == []


def test_an_audit_says_how_far_the_file_goes_also_where_that_is_no_finding_P8_J2(store: Store, path: Path) -> None:
    def reach() -> tuple[bool, int]:
        report = store.audit()
        return report.has_mirror, report.mirror_behind

    assert reach() == (True, 0), "nothing is to stand in it"
    append(store, security("one"), security("two"), security("three"))
    assert reach() == (True, 0)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:1]))
    assert reach() == (True, 2)
    path.write_text("")
    assert reach() == (True, 3)
    path.unlink()
    assert reach() == (False, 3)
    append(store, Logged(text="any write"), task="fe-1")
    assert reach() == (True, 0)


def test_a_deleted_file_is_written_again(store: Store, path: Path) -> None:
    append(store, security("one"), security("two"))
    path.unlink()
    append(store, Logged(text="any write"), task="fe-1")
    assert [row["reason"] for row in lines(path)] == ["one", "two"]


def test_a_torn_last_line_is_written_again_whole_P8(store: Store, path: Path) -> None:
    append(store, security("one"), security("two"))
    path.write_bytes(path.read_bytes()[:-20])
    append(store, security("three"))
    assert [row["reason"] for row in lines(path)] == ["one", "two", "three"]
    assert said(store) == []


def test_a_foreign_piece_at_the_end_is_kept_and_named_P8(store: Store, path: Path) -> None:
    append(store, security("one"))
    with path.open("a") as file:
        file.write("scribble")
    append(store, security("two"))
    ((_, message),) = said(store)
    assert "line 2 is not in the journal" in message


def test_a_line_without_its_line_end_is_completed(store: Store, path: Path) -> None:
    append(store, security("one"))
    path.write_bytes(path.read_bytes().rstrip(b"\n"))
    append(store, security("two"))
    assert [row["reason"] for row in lines(path)] == ["one", "two"]
    assert said(store) == []


def test_an_edited_line_is_named_P8(store: Store, path: Path) -> None:
    (first, second) = append(store, security("one"), security("two"))
    path.write_text(path.read_text().replace('"one"', '"nothing to see"'))
    ((area, message),) = said(store)
    assert (area, "line 1" in message, f"row {first}" in message) == ("integrity", True, True)
    assert second


def test_a_deleted_line_is_named_and_not_filled_in_the_middle_P8(store: Store, path: Path) -> None:
    seqs = append(store, security("one"), security("two"), security("three"))
    kept = path.read_text().splitlines(keepends=True)
    path.write_text(kept[0] + kept[2])
    append(store, security("four"))
    assert said(store) == [("completeness", f"security_events.jsonl has no line for row {seqs[1]}")]


FOREIGN = '{"seq":1,"at":"t","kind":"k","task":"","session":"s","rule":"r","reason":"x"}'


@pytest.mark.parametrize("line", ["not json", '{"seq": 1}', FOREIGN, "\xff"])
def test_a_foreign_line_is_named_P8(store: Store, path: Path, line: str) -> None:
    append(store, security("one"))
    with path.open("ab") as file:
        file.write(line.encode("latin-1") + b"\n")
    ((area, message),) = said(store)
    assert (area, message) == ("integrity", "security_events.jsonl line 2 is not in the journal")


def test_a_repeated_line_is_named_P8(store: Store, path: Path) -> None:
    append(store, security("one"), security("two"))
    kept = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*kept, kept[0]]))
    assert said(store) != []


def test_lines_in_another_order_are_named_P8(store: Store, path: Path) -> None:
    append(store, security("one"), security("two"))
    path.write_text("".join(reversed(path.read_text().splitlines(keepends=True))))
    assert said(store) != []


def test_a_forged_line_with_a_high_number_does_not_silence_the_mirror_P8(store: Store, path: Path) -> None:
    append(store, security("one"))
    with path.open("a") as file:
        file.write(json.dumps({**lines(path)[0], "seq": 10**9}, separators=(",", ":")) + "\n")
    append(store, security("two"))
    assert "two" in [row["reason"] for row in lines(path)]


def test_a_very_long_reason_is_written_once_P8(store: Store, path: Path) -> None:
    append(store, security("one"), security("x" * 90_000))
    append(store, security("three"))
    append(store, Logged(text="any write"), task="fe-1")
    assert [len(str(row["reason"])) for row in lines(path)] == [3, 90_000, 5]


@pytest.mark.parametrize("kind", ODD)
def test_what_is_no_file_is_named_set_aside_and_the_mirror_written_anew_P8(
    store: Store, path: Path, tmp_path: Path, kind: str
) -> None:
    (seq,) = append(store, security("one"))
    path.unlink()
    put_odd(path, kind)
    ((area, message),) = said(store)
    assert (area, "security_events.jsonl cannot be read: it is " in message) == ("completeness", True)
    with store.write() as tx:
        tx.append("ses-x", NOW, [("fe-1", Logged(text="any write"))])
    (note,) = tx.notes
    assert "kept as security_events.jsonl.bad-1 and written again from the journal" in note
    assert [row["seq"] for row in lines(path)] == [seq]
    assert said(store) == []


def test_an_endless_file_is_not_read_and_its_end_is_not_taken_for_the_journals_P8(store: Store, path: Path) -> None:
    append(store, security("one"))
    os.truncate(path, 1 << 40)
    ((area, message),) = said(store)
    assert (area, "is larger than" in message) == ("completeness", True)
    append(store, security("two"))
    assert [row["reason"] for row in lines(path)] == ["one", "two"]


def test_of_a_million_lines_that_nobody_wrote_some_are_named_P8(store: Store, path: Path) -> None:
    append(store, security("one"))
    with path.open("ab") as file:
        file.write(b"x\n" * 20_000)
    found = said(store)
    assert len(found) < 200
    assert "19900 more lines" in found[-1][1]


def test_two_processes_worth_of_writers_make_one_file(store: Store, path: Path, place: engines.Place) -> None:
    other = place.open()
    for n in range(6):
        append((store, other)[n % 2], security(str(n)))
    assert [row["reason"] for row in lines(path)] == list("012345")
    other.close()


def test_a_refused_write_leaves_no_line_G4(store: Store, path: Path) -> None:
    append(store, security("one"))

    def fail() -> None:
        with store.write() as tx:
            tx.append("ses-x", NOW, [("", security("two"))])
            raise ValueError

    with pytest.raises(ValueError):
        fail()
    assert [row["reason"] for row in lines(path)] == ["one"]


def test_another_machine_that_wrote_nothing_has_no_file_and_that_is_no_alarm_P8(tmp_path: Path) -> None:
    here = engines.Place("postgres", tmp_path / "here")
    there = engines.Place("postgres", tmp_path / "there", here.project)
    store, path = here.create(), tmp_path / "here" / "security_events.jsonl"
    append(store, ProjectCreated(name="p", prefix="fe", target="main"))
    append(store, security("one"), security("two"))
    assert said(there.open()) == []
    append(there.open(), security("three"))
    assert said(store) == [], "behind is behind"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
    assert [area for area, _ in said(store)] == ["completeness"], "a line that is missing before another one is not"
    path.write_text(path.read_text().replace("two", "2"))
    assert [area for area, _ in said(store)] == ["integrity", "completeness"]
