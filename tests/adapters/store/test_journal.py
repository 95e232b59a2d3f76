"""The hash chain (J1): what is hashed, that anybody can check it, and that every kind of tampering is named."""

from __future__ import annotations

import hashlib
import json
from importlib import import_module

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.adapters.store.journal import DOMAIN, Row, breaks, hash_of, next_row
from foureyes.core import events as e
from foureyes.core.events.note import Logged
from foureyes.core.words.ids import TaskId
from foureyes.errors import VerificationFailed

texts = st.text(st.characters(exclude_categories=["Cs"]))


def chain(length: int = 6) -> list[Row]:
    rows: list[Row] = []
    for n in range(1, length + 1):
        prev = rows[-1].hash if rows else ""
        rows.append(next_row(prev, n, f"2026-03-01T12:00:0{n}.000Z", "p", f"fe-{n}", "ses-1", Logged(text=f"line {n}")))
    return rows


def changed(row: Row, **fields: object) -> Row:
    return msgspec.structs.replace(row, **fields)


def rehashed(row: Row, **fields: object) -> Row:
    new = changed(row, **fields)
    return changed(
        new, hash=hash_of(new.prev, new.seq, new.at, new.project, new.task, new.session, new.kind, new.payload)
    )


def found(rows: list[Row]) -> list[int]:
    return [broken.seq for broken in breaks(rows)]


def test_the_hash_covers_domain_tag_previous_hash_and_the_array_of_the_columns_J1() -> None:
    row = next_row("ab" * 32, 7, "2026-03-01T12:00:00.000Z", "p", "fe-1", "ses-1", Logged(text='say "hi" – ü'))
    array = json.dumps(
        [7, row.at, "p", "fe-1", "ses-1", "Logged", row.payload], ensure_ascii=False, separators=(",", ":")
    )
    assert (
        row.hash == hashlib.sha256(b"foureyes-journal-1\n" + ("ab" * 32).encode() + b"\n" + array.encode()).hexdigest()
    )
    assert DOMAIN == b"foureyes-journal-1\n"


@given(st.integers(0, 2**62), texts, texts, texts, texts, texts, texts)
def test_the_encoding_is_what_the_standard_library_writes_for_any_text_J1(
    seq: int, at: str, project: str, task: str, session: str, kind: str, payload: str
) -> None:
    columns = (seq, at, project, task, session, kind, payload)
    assert msgspec.json.encode(columns).decode() == json.dumps(columns, ensure_ascii=False, separators=(",", ":"))


@given(texts, texts, st.lists(texts, max_size=3))
def test_payloads_read_back_as_they_were_written_and_with_the_standard_library_too_J1(
    title: str, text: str, labels: list[str]
) -> None:
    event = e.TaskCreated(title=title, description=text, labels=tuple(labels), parent=TaskId("fe-1"))
    row = next_row("", 1, "t", "p", "fe-2", "s", event)
    assert row.event() == event
    assert json.loads(row.payload)["description"] == text


@given(st.lists(st.tuples(texts, texts), min_size=1, max_size=4))
def test_any_chain_of_any_texts_holds_J1(entries: list[tuple[str, str]]) -> None:
    rows: list[Row] = []
    for n, (task, text) in enumerate(entries, 1):
        rows.append(next_row(rows[-1].hash if rows else "", n, "t", "p", task, "s", Logged(text=text)))
    assert found(rows) == []


def test_neighbouring_columns_do_not_run_together_J1() -> None:
    one = hash_of("", 1, "t", "p", "ab", "c", "k", "{}")
    assert one != hash_of("", 1, "t", "p", "a", "bc", "k", "{}")
    assert one != hash_of("", 1, "t", "p", 'ab","c', "", "k", "{}")


def test_a_whole_chain_has_no_breaks_and_an_empty_one_neither_J1() -> None:
    assert found(chain()) == []
    assert found([]) == []
    assert found(chain()[3:]) != []
    assert [b.seq for b in breaks(chain()[3:], start=chain()[2].hash, after=3)] == []


@pytest.mark.parametrize("column", ["at", "project", "task", "session", "kind", "payload"])
def test_a_changed_column_is_named_J2(column: str) -> None:
    rows = chain()
    rows[2] = changed(rows[2], **{column: "x"})
    (broken,) = breaks(rows)
    assert broken.seq == 3
    assert "row 3" in broken.message
    assert "changed" in broken.message


def test_a_changed_hash_or_prev_is_named_J2() -> None:
    rows = chain()
    rows[2] = changed(rows[2], hash="0" * 64)
    assert found(rows) == [3, 4]
    rows = chain()
    rows[2] = changed(rows[2], prev="0" * 64)
    assert set(found(rows)) == {3}


def test_a_removed_row_is_named_and_so_are_several_J2() -> None:
    rows = chain()
    (broken,) = breaks(rows[:2] + rows[3:])
    assert (broken.seq, "row 3 is missing" in broken.message) == (3, True)
    (broken,) = breaks(rows[:1] + rows[4:])
    assert (broken.seq, "rows 2 to 4 are missing" in broken.message) == (2, True)
    (broken,) = breaks(rows[1:])
    assert (broken.seq, "row 1 is missing" in broken.message) == (1, True)


def test_an_inserted_row_is_named_J2() -> None:
    rows = chain()
    forged = rehashed(rows[2], payload='{"text":"forged","type":"progress"}')
    assert found([*rows[:3], forged, *rows[3:]]) != []
    moved = [rehashed(row, seq=row.seq + 1) for row in rows[3:]]
    assert 5 in found([*rows[:3], rehashed(forged, seq=4, prev=rows[2].hash), *moved])


def test_swapped_rows_are_named_J2() -> None:
    rows = chain()
    rows[2], rows[3] = rows[3], rows[2]
    assert found(rows) != []
    rows = chain()
    rows[2], rows[3] = changed(rows[3], seq=3), changed(rows[2], seq=4)
    assert {3, 4} <= set(found(rows))


def test_a_rewritten_and_rehashed_row_is_named_by_its_follower_J2() -> None:
    rows = chain()
    rows[2] = rehashed(rows[2], payload='{"text":"rewritten","type":"progress"}')
    (broken,) = breaks(rows)
    assert (broken.seq, "does not continue row 3" in broken.message) == (4, True)


def test_every_break_is_named_not_only_the_first_J2() -> None:
    rows = chain()
    rows[1], rows[4] = changed(rows[1], session="x"), changed(rows[4], session="y")
    assert found(rows) == [2, 5]


def test_an_unknown_kind_or_field_is_an_error_and_never_skipped_G1() -> None:
    row = chain()[0]
    for wrong in (
        changed(row, kind="Invented"),
        changed(row, payload='{"text":"x","surprise":1}'),
        changed(row, payload="{"),
    ):
        with pytest.raises(VerificationFailed, match="row 1"):
            wrong.event()


def test_every_kind_of_event_has_a_projection_and_only_those_J2() -> None:
    from foureyes.adapters.store.projections import projection

    for module, kinds in e.MODULES.items():
        room = import_module(f"foureyes.adapters.store.projections.{module}")
        assert set(room.PROJECTIONS) == set(kinds), module
        assert all(callable(projection(kind)) for kind in kinds)


def test_no_event_has_a_field_that_could_hold_a_float_J1() -> None:
    for kind in e.KINDS.values():
        for field in msgspec.structs.fields(kind):
            assert "float" not in str(field.type), (kind, field.name)
