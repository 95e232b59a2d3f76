"""The JSON Schema of an answer for programs that hold a model to one (V3): every field is there, and no other; what may
be left out elsewhere is empty here. Services take only some words of JSON Schema; the reader asks for the rest.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

from foureyes.core.documents.shapes import ReviewResult

KEPT = ("type", "description", "enum", "anyOf", "items")
LEFT_OUT = frozenset({"version", "reviewer", "timestamp", "blocking", "description", "location", "rule"})
"""What nobody needs to say: it follows from something else, or is said by another field."""
PLACE = "#/$defs/"


def answer_schema(kind: type[msgspec.Struct] = ReviewResult) -> str:
    """The schema, as text."""
    whole = msgspec.json.schema(kind)
    defs = {name: _strict(part) for name, part in whole["$defs"].items()}
    root = defs.pop(whole["$ref"].removeprefix(PLACE))
    return json.dumps({**root, "$defs": defs})


def _strict(part: dict[str, Any]) -> dict[str, Any]:
    """One shape: all of its fields, and nothing that only some services know; what is named is nothing else besides."""
    if "$ref" in part:
        return {"$ref": part["$ref"]}
    made = {name: _strict_value(name, part[name]) for name in KEPT if name in part}
    if "properties" in part:
        fields = {name: _strict(field) for name, field in part["properties"].items() if name not in LEFT_OUT}
        made |= {"properties": fields, "required": list(fields), "additionalProperties": False}
    if "enum" in made and "type" not in made:
        made["type"] = "string"
    return made


def _strict_value(name: str, value: Any) -> Any:
    if name == "anyOf":
        return [_strict(each) for each in value]
    return _strict(value) if name == "items" else value
