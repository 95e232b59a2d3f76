"""The schema that programs hold a model to (V3): whoever keeps to it is read, and services take it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema  # type: ignore[import-untyped]

from foureyes.core.documents.answer import answer_schema
from foureyes.core.documents.json_reader import read
from foureyes.core.documents.shapes import ReviewResult

SERVICES_TAKE = {
    "type", "description", "enum", "anyOf", "items", "$ref", "$defs", "properties", "required", "additionalProperties",
}  # fmt: skip


def parts(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for name, value in schema.items():
            for each in value.values() if name in ("properties", "$defs") else (value,):
                yield from parts(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from parts(each)


def test_every_field_is_asked_for_and_no_other_is_allowed() -> None:
    for part in parts(json.loads(answer_schema())):
        assert set(part) <= SERVICES_TAKE
        assert "$ref" not in part or len(part) == 1
        if "properties" in part:
            assert part["required"] == list(part["properties"])
            assert part["additionalProperties"] is False


def test_a_document_that_keeps_to_it_is_read_V3() -> None:
    issue = {
        "severity": "HIGH", "title": "t", "id": "", "file": "a.py", "line": 1, "problem": "p", "fix": "f", "why": "",
        "quote": "", "fix_patch": "",
    }  # fmt: skip
    payload = {
        "verdict": "concerns", "summary": "s", "status": "", "attempt": None, "diff_id": "", "issues": [issue],
        "files_reviewed": ["a.py"], "rulings": [{"finding": "TL-1", "ruling": "VERIFIED", "reason": ""}],
    }  # fmt: skip
    document = {"type": "review_result", "payload": payload}
    jsonschema.validate(document, json.loads(answer_schema()))
    found = read(json.dumps(document), ReviewResult).payload
    assert (found.verdict, found.attempt, found.issues[0].title) == ("concerns", None, "t")
