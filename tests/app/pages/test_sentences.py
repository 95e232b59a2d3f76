"""Sentences: one for every event that the product can write, from events that it really wrote."""

from __future__ import annotations

import msgspec
import pytest

from foureyes.app.pages.events import PREDICATES, kind_of_line, sentence
from foureyes.core.events import kind_of

from tests.adapters.store.shop import full_world

pytestmark = pytest.mark.on("sqlite")


def test_every_event_of_a_full_journal_is_one_sentence() -> None:
    said = set()
    for kind, payload in full_world("sqlite").sql("SELECT kind, payload FROM journal"):
        text = sentence("somebody", event := msgspec.json.decode(payload, type=kind_of(kind)))
        assert text.startswith("somebody ")
        assert "\n" not in text
        assert len(text) <= 160
        assert kind_of_line(event) in ("plain", "decision", "stop", "security", "refused")
        said.add(kind)
    assert len(said) > len(PREDICATES) * 2 // 3
