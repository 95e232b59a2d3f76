"""The documents of reviews: examples, schemas and page say the same thing (V2, V3)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from foureyes.core.documents.findings import answers_of, findings_of, lead_findings, status_problem, summary_problems
from foureyes.core.documents.json_reader import read
from foureyes.core.documents.shapes import (
    DOCUMENTS,
    DeveloperHandoff,
    QaHandoff,
    ReviewResult,
    TechLeadHandoff,
    name_of,
    word_of,
)
from foureyes.core.nouns.finding import ANSWERS, GROUNDS, RULINGS, SEVERITIES

from tools.documents import EXAMPLES, schema_of, schema_text

PLAIN: dict[str, type | tuple[type, ...]] = {"string": str, "integer": int, "boolean": bool, "null": type(None)}


def faults(value: Any, shape: dict[str, Any], schema: dict[str, Any], path: str = "$") -> Iterator[str]:
    """Where a value breaks a JSON Schema; only the words that our schemas use, any other is an error of the test."""
    known = {
        "$ref", "anyOf", "enum", "type", "properties", "required", "additionalProperties", "items", "maxItems",
        "maxProperties", "maxLength", "minimum", "maximum", "title", "description", "default", "propertyNames",
        "$schema", "$defs",
    }  # fmt: skip
    assert set(shape) <= known, f"{path}: {sorted(set(shape) - known)}"
    if "$ref" in shape:
        yield from faults(value, schema["$defs"][shape["$ref"].removeprefix("#/$defs/")], schema, path)
    if "anyOf" in shape and not any(not list(faults(value, each, schema, path)) for each in shape["anyOf"]):
        yield f"{path}: fits none"
    if "enum" in shape and value not in shape["enum"]:
        yield f"{path}: {value!r} is not in {shape['enum']}"
    match shape.get("type"):
        case "object" if isinstance(value, dict):
            yield from object_faults(value, shape, schema, path)
        case "array" if isinstance(value, list):
            for number, item in enumerate(value):
                yield from faults(item, shape["items"], schema, f"{path}[{number}]")
            if len(value) > shape.get("maxItems", len(value)):
                yield f"{path}: too many"
        case None:
            pass
        case kind if not isinstance(value, PLAIN.get(kind, ())) or (kind == "integer" and isinstance(value, bool)):
            yield f"{path}: not {kind}"
    if isinstance(value, str) and len(value) > shape.get("maxLength", len(value)):
        yield f"{path}: too long"
    if isinstance(value, int) and not shape.get("minimum", value) <= value <= shape.get("maximum", value):
        yield f"{path}: out of bounds"


def object_faults(value: dict[str, Any], shape: dict[str, Any], schema: dict[str, Any], path: str) -> Iterator[str]:
    own, others = shape.get("properties", {}), shape["additionalProperties"]
    yield from (f"{path}.{name}: missing" for name in shape.get("required", ()) if name not in value)
    for name, item in value.items():
        if name in own:
            yield from faults(item, own[name], schema, f"{path}.{name}")
        elif others is False:
            yield f"{path}.{name}: unknown"
        else:
            yield from faults(item, others, schema, f"{path}.{name}")


def objects(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    yield from schema["$defs"].items()


def test_every_document_has_an_example_V2_V3() -> None:
    assert set(EXAMPLES) == set(DOCUMENTS)


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_example_is_read_and_written_back_the_same_V3(name: str) -> None:
    document = read(json.dumps(EXAMPLES[name]), DOCUMENTS[name])
    assert read(msgspec.json.encode(document), DOCUMENTS[name]) == document
    assert (document.type, document.version) == (name, 1)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_kind_and_version_may_be_left_out_and_nothing_else_may_stand_there_V3(name: str) -> None:
    bare = {key: value for key, value in EXAMPLES[name].items() if key not in ("type", "version")}
    document = read(json.dumps(bare), DOCUMENTS[name])
    assert document == read(json.dumps(EXAMPLES[name]), DOCUMENTS[name])
    assert name_of(type(document)) == name


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_example_fits_its_schema_V3(name: str) -> None:
    schema = schema_of(name)
    assert list(faults(EXAMPLES[name], schema, schema)) == []
    everything = json.loads(msgspec.json.encode(read(json.dumps(EXAMPLES[name]), DOCUMENTS[name])))
    assert list(faults(everything, schema, schema)) == [], "what is written in full fits too"


@pytest.mark.parametrize("name", DOCUMENTS)
def test_the_schema_refuses_what_does_not_belong_there_V3(name: str) -> None:
    schema = schema_of(name)
    assert list(faults({**EXAMPLES[name], "extra": 1}, schema, schema)) == ["$.extra: unknown"]
    assert list(faults({**EXAMPLES[name], "type": "letter"}, schema, schema))
    assert list(faults({**EXAMPLES[name], "version": 2}, schema, schema))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_schema_is_stored_sorted_named_with_its_version_and_without_an_address_V3(name: str) -> None:
    text = schema_text(name)
    schema = json.loads(text)
    assert text == json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    assert schema["title"] == f"{name}, version 1"
    assert "$id" not in text


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_field_has_a_meaning_and_every_object_refuses_unknown_fields_V3(name: str) -> None:
    for kind, shape in objects(schema_of(name)):
        assert shape["description"], kind
        assert shape["additionalProperties"] is False, kind
        assert not [field for field, each in shape["properties"].items() if not each.get("description")], kind


def test_the_schemas_ask_for_the_words_of_the_journal_L1_L6_L8() -> None:
    result, answers = schema_of("review_result")["$defs"], schema_of("handoff_developer")["$defs"]
    assert result["Issue"]["properties"]["severity"]["enum"] == [*SEVERITIES, "FYI"]
    assert result["RulingLine"]["properties"]["ruling"]["enum"] == list(RULINGS)
    assert answers["IssueResponse"]["properties"]["action"]["enum"] == list(ANSWERS)
    assert answers["IssueResponse"]["properties"]["ground"]["enum"] == ["", *GROUNDS]


def test_documents_cannot_be_changed() -> None:
    document = read(json.dumps(EXAMPLES["handoff_qa"]), QaHandoff)
    with pytest.raises(AttributeError):
        document.status = "PASS"  # type: ignore[misc]


def test_the_examples_contradict_nothing_G6_L5() -> None:
    result = read(json.dumps(EXAMPLES["review_result"]), ReviewResult).payload
    found, notes, problems = findings_of(result.issues, "payload.issues")
    assert ([each.severity for each in found], notes, problems) == (["CRITICAL", "MEDIUM"], [], [])
    assert status_problem(result.status, [each.severity for each in found]) is None
    lead = read(json.dumps(EXAMPLES["handoff_tech_lead"]), TechLeadHandoff)
    developer = read(json.dumps(EXAMPLES["handoff_developer"]), DeveloperHandoff)
    assert lead_findings(lead)[2] == answers_of(developer)[1] == []
    assert summary_problems(lead) == summary_problems(developer) == []
    assert summary_problems(read(json.dumps(EXAMPLES["handoff_qa"]), QaHandoff)) == []


@pytest.mark.parametrize("text", ["NOT_FIXED", "not fixed", " Not-Fixed "])
def test_words_are_read_in_any_case_L1(text: str) -> None:
    assert word_of(text) == "NOT_FIXED"
