"""The stores that benchmarks read are stores like any other: written through the journal, sound, with every status in
them.
"""

from __future__ import annotations

from pathlib import Path

from foureyes.app.results.task_list import ListQuery
from foureyes.core.words.lifecycle import STATUSES

from bench.dataset import ROWS_PER_TASK, make
from bench.places import ADA, SqlitePlace

TASKS = 500


def test_a_made_store_is_sound_and_has_every_status(tmp_path: Path) -> None:
    make(tmp_path / "made.db", TASKS)
    app = SqlitePlace(tmp_path / "place", template=tmp_path / "made.db").open()
    try:
        app.tasks.create(ADA, "the first write brings the files that follow the journal")
        report = app.audit.verify()
        found = {row.status for status in STATUSES for row in app.lists.page(ListQuery(status=status, limit=1))}
        live = len(app.lists.page(ListQuery(live=True, limit=1_000)))
    finally:
        app.close()
    assert report.findings == ()
    assert report.rows >= TASKS * ROWS_PER_TASK
    assert found == set(STATUSES)
    assert live == TASKS // 5 + 1
