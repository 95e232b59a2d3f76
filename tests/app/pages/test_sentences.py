"""Sentences: one for every event that the product can write, from events that it really wrote."""

from __future__ import annotations

import msgspec
import pytest

from foureyes.app.pages.sentences import PREDICATES, kind_of_line, sentence
from foureyes.core.events import kind_of

from tests.adapters.store.old import OLDER, rows_of_old

pytestmark = pytest.mark.on("sqlite")


@pytest.mark.parametrize("schema", OLDER)
def test_every_event_of_an_old_journal_is_one_sentence(schema: int) -> None:
    said = set()
    for table, row in rows_of_old(schema):
        if table == "journal":
            event = msgspec.json.decode(row["payload"], type=kind_of(row["kind"]))
            text = sentence("somebody", event)
            assert text.startswith("somebody ")
            assert "\n" not in text
            assert len(text) <= 160
            assert kind_of_line(event) in ("plain", "decision", "stop", "security", "refused")
            said.add(row["kind"])
    assert len(said) > len(PREDICATES) // 3
