"""Documents that somebody sent: read whole or not at all, and every wrong field is named by its path (G2, V3)."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec import inspect as shape

from foureyes.core.documents.json_reader import LIMIT, MOST_PROBLEMS, read, unfenced
from foureyes.core.documents.shapes import CHECK, DOCUMENTS, QaHandoff, ReviewRequest, ReviewResult, TechLeadHandoff
from foureyes.core.nouns.finding import RULINGS
from foureyes.errors import BadInput

from tests.core.samples import quick
from tools.documents import EXAMPLES

Path = tuple[str | int, ...]


def problems(document: bytes | str | dict[str, Any], into: type[Any] = ReviewResult, **how: Any) -> list[str]:
    """What is wrong with a document that is refused."""
    sent = json.dumps(document) if isinstance(document, dict) else document
    with pytest.raises(BadInput) as caught:
        read(sent, into, **how)
    assert caught.value.next_step, "an error says what to do (G2)"
    assert caught.value.reasons
    assert all(reason.rule == how.get("rule", "V3") for reason in caught.value.reasons)
    return [reason.message for reason in caught.value.reasons]


def result(**changes: Any) -> dict[str, Any]:
    return {"payload": {"verdict": "approved", "summary": "fine", **changes}}


def issue(**changes: Any) -> dict[str, Any]:
    return result(issues=[{"severity": "HIGH", "title": "t", **changes}])


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The path of every value inside a document."""
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in parts:
        yield (*path, name)
        yield from places(item, (*path, name))


def changed(document: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    made = copy.deepcopy(document)
    inner: Any = made
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return made


def written(path: Path) -> str:
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        else:
            text += f"{'.' if text else ''}{step}" if step.isidentifier() else f"[{json.dumps(step)}]"
    return text


RULED = f'payload.rulings[0].ruling: "ok" is not one of {", ".join(RULINGS)}'
PLACES = [(name, path) for name, example in EXAMPLES.items() for path in places(example)]


def valid(
    kind: shape.Type, extra: dict[str, Any] | None = None, notes: dict[str, Any] | None = None
) -> st.SearchStrategy[Any]:
    """Any JSON that fits a shape."""
    match kind:
        case shape.Metadata():
            return valid(
                kind.type, {**(extra or {}), **(kind.extra or {})}, {**(notes or {}), **(kind.extra_json_schema or {})}
            )
        case shape.StrType() if CHECK in (extra or {}):
            return st.sampled_from((notes or {}).get("enum", ["", "2027-01-02T03:04:05.678+01:00"]))
        case shape.StrType():
            return st.text(st.characters(blacklist_categories=("Cc", "Cs", "Zl", "Zp")), max_size=12)
        case shape.IntType():
            return st.integers(kind.ge, kind.le)
        case shape.BoolType():
            return st.booleans()
        case shape.NoneType():
            return st.none()
        case shape.LiteralType():
            return st.sampled_from(list(kind.values))
        case shape.UnionType():
            return st.one_of([valid(each) for each in kind.types])
        case shape.VarTupleType():
            return st.lists(valid(kind.item_type), max_size=2)
        case shape.DictType():
            return st.dictionaries(valid(kind.key_type), valid(kind.value_type), max_size=2)
        case shape.StructType():
            needed = {field.encode_name: valid(field.type) for field in kind.fields if field.required}
            return st.fixed_dictionaries(
                needed, optional={field.encode_name: valid(field.type) for field in kind.fields if not field.required}
            )
    raise AssertionError(kind)


STRATEGIES = {name: valid(shape.type_info(kind)) for name, kind in DOCUMENTS.items()}


# ------------------------------------------------------------------------------------------------------ properties


@quick
@given(st.data(), st.sampled_from(sorted(DOCUMENTS)))
def test_any_valid_document_is_read_and_survives_being_written_V3(data: st.DataObject, name: str) -> None:
    sent = data.draw(STRATEGIES[name])
    document = read(json.dumps(sent), DOCUMENTS[name])
    again = msgspec.json.encode(document)
    assert read(again, DOCUMENTS[name]) == document
    assert {
        **json.loads(again),
        **{key: value for key, value in sent.items() if not isinstance(value, dict | list)},
    } == json.loads(again)


@quick
@given(st.data(), st.sampled_from(sorted(DOCUMENTS)))
def test_what_the_reader_takes_msgspec_takes_too_V3(data: st.DataObject, name: str) -> None:
    """Two readers of one contract: a document that ours accepts is what msgspec itself reads."""
    sent = json.dumps(data.draw(STRATEGIES[name]))
    assert read(sent, DOCUMENTS[name]) == msgspec.json.decode(sent, type=DOCUMENTS[name])


@pytest.mark.parametrize(
    ("name", "path"), PLACES, ids=lambda value: value if isinstance(value, str) else written(value)
)
def test_any_one_wrong_field_is_named_by_its_path_V3(name: str, path: Path) -> None:
    (said,) = problems(changed(EXAMPLES[name], path, 1.5), DOCUMENTS[name])
    assert said.startswith(f"{written(path)}: 1.5 is "), said


@quick
@given(st.data())
def test_several_wrong_fields_are_all_named_V3(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(sorted(DOCUMENTS)))
    own = [path for kind, path in PLACES if kind == name]
    chosen = data.draw(st.lists(st.sampled_from(own), min_size=2, max_size=6, unique=True))
    assume(not any(one != other and other[: len(one)] == one for one in chosen for other in chosen))
    sent = EXAMPLES[name]
    for path in chosen:
        sent = changed(sent, path, 1.5)
    assert sorted(said.partition(": ")[0] for said in problems(sent, DOCUMENTS[name])) == sorted(
        written(path) for path in chosen
    )


@quick
@given(st.binary(max_size=200), st.sampled_from(sorted(DOCUMENTS)))
def test_garbage_is_refused_and_nothing_else_happens_G1(garbage: bytes, name: str) -> None:
    problems(garbage, DOCUMENTS[name])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(), max_size=6), inner, max_size=4)
    ),
    max_leaves=12,
)


@quick
@given(JSON, st.sampled_from(PLACES))
def test_any_json_in_any_place_is_taken_or_refused_and_the_refusal_can_be_printed_G1(
    value: Any, place: tuple[str, Path]
) -> None:
    name, path = place
    try:
        read(json.dumps(changed(EXAMPLES[name], path, value)), DOCUMENTS[name])
    except BadInput as refused:
        for reason in refused.reasons:
            reason.message.encode()
            assert "\n" not in reason.message
            assert len(reason.message) < 600


# ----------------------------------------------------------------------------------------------------- single cases


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({}, "payload: missing. Expected an object"),
        ({"payload": {"summary": ""}}, "payload.verdict: missing. Expected approved or blocker or concerns"),
        (
            result(verdict="No blocker found"),
            'payload.verdict: "No blocker found" is not one of approved, blocker, concerns',
        ),
        (result(verdict=None), "payload.verdict: null is not approved or blocker or concerns"),
        (result(attempt="1"), 'payload.attempt: "1" is not a whole number or null'),
        (result(attempt=True), "payload.attempt: true is not a whole number or null"),
        (result(attempt=1.0), "payload.attempt: 1.0 is not a whole number or null"),
        (result(attempt=0), "payload.attempt: 0 is not between 1 and 1,000,000,000"),
        (result(attempt=10**30), f"payload.attempt: {10**30} is not between 1 and 1,000,000,000"),
        (result(issues={}), "payload.issues: an object is not a list"),
        (result(issues=[[]]), "payload.issues[0]: a list is not an object"),
        (result(files_reviewed=["a", 1]), "payload.files_reviewed[1]: 1 is not text"),
        (
            result(status="fine"),
            'payload.status: "fine" is not one of CHANGES_REQUESTED, APPROVED_WITH_NOTES, APPROVED',
        ),
        (
            issue(severity="URGENT"),
            'payload.issues[0].severity: "URGENT" is not one of CRITICAL, HIGH, MEDIUM, LOW, FYI',
        ),
        (issue(severity=""), 'payload.issues[0].severity: "" is not one of CRITICAL, HIGH, MEDIUM, LOW, FYI'),
        (issue(severty="LOW"), "payload.issues[0].severty: unknown field. Did you mean severity?"),
        (issue(titel="x"), "payload.issues[0].titel: unknown field. Did you mean title?"),
        (issue(fixpatch="x"), "payload.issues[0].fixpatch: unknown field. Did you mean fix_patch?"),
        (issue(Title="x"), "payload.issues[0].Title: unknown field. Did you mean title?"),
        (issue(line=-1), "payload.issues[0].line: -1 is not between 0 and 1,000,000,000"),
        (result(rulings=[{"finding": "x", "ruling": "ok"}]), RULED),
        (
            {**result(), "timestamp": "yesterday"},
            'timestamp: "yesterday" is not a time in ISO 8601 (2027-01-02T03:04:05Z)',
        ),
        ({**result(), "type": "review_request"}, 'type: "review_request" is not one of review_result'),
        ({**result(), "version": 2}, "version: 2 is not one of 1"),
        ({**result(), "version": True}, "version: true is not one of 1"),
        ({**result(), "ab": 1}, "ab: unknown field. Known fields: type, version, reviewer, timestamp, payload"),
        ({**result(), "time": 1}, "time: unknown field. Did you mean type?"),
        (
            {**result(), "zz top": 1},
            '["zz top"]: unknown field. Known fields: type, version, reviewer, timestamp, payload',
        ),
    ],
)
def test_a_wrong_field_is_told_with_path_value_and_what_would_do_V3(document: dict[str, Any], said: str) -> None:
    assert problems(document) == [said]


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (issue(title="t" * 501), "payload.issues[0].title: 501 characters, but at most 500 are allowed"),
        (issue(problem="t" * 20_001), "payload.issues[0].problem: 20,001 characters, but at most 20,000 are allowed"),
        (result(files_reviewed=["a"] * 2_001), "payload.files_reviewed: 2,001 items, but at most 2,000 are allowed"),
        (issue(title="a\tb"), "payload.issues[0].title: has a control character (U+0009) at position 2"),
        (issue(title="a\nb"), "payload.issues[0].title: has a control character (U+000A) at position 2"),
        (issue(title="a\u2028b"), "payload.issues[0].title: has a control character (U+2028) at position 2"),
        (issue(quote="\x1b[31m"), "payload.issues[0].quote: has a control character (U+001B) at position 1"),
        (issue(quote="a\rb"), "payload.issues[0].quote: has a control character (U+000D) at position 2"),
        (issue(fix="\x85"), "payload.issues[0].fix: has a control character (U+0085) at position 1"),
        (issue(why="\ud800"), "payload.issues[0].why: has an incomplete character (U+D800) at position 1"),
    ],
)
def test_texts_have_bounds_and_no_control_characters_V3(document: dict[str, Any], said: str) -> None:
    assert problems(document) == [said]


def test_texts_may_be_as_long_as_the_bounds_say_and_have_lines_and_tabs_V3() -> None:
    sent = issue(title="t" * 500, problem="t" * 20_000, quote="if x:\r\n\treturn\n")
    sent["payload"]["files_reviewed"] = ["a"] * 2_000
    found = read(json.dumps(sent), ReviewResult).payload
    assert found.issues[0].quote == "if x:\r\n\treturn\n"
    assert len(found.files_reviewed) == 2_000


def test_keys_of_an_object_are_texts_too_V3() -> None:
    sent = changed(EXAMPLES["review_request"], ("context", "summaries"), {"a\x07": "x", "b\ud800": 1})
    assert problems(sent, ReviewRequest) == [
        'context.summaries["a\\u0007"]: has a control character (U+0007) at position 2',
        'context.summaries["b\ufffd"]: has an incomplete character (U+D800) at position 2',
        'context.summaries["b\ufffd"]: 1 is not text',
    ]


def test_an_object_has_bounds_too_V3() -> None:
    sent = changed(EXAMPLES["review_request"], ("context", "summaries"), {str(number): "" for number in range(2_001)})
    assert problems(sent, ReviewRequest) == ["context.summaries: 2,001 entries, but at most 2,000 are allowed"]


def test_an_entry_is_text_or_an_object_with_an_id_V3() -> None:
    sent = {"issues": [], "prior_issues_resolved": ["TL-1", {"id": "TL-2", "severity": ""}, {"title": "x"}, 5]}
    assert problems(sent, TechLeadHandoff) == [
        "prior_issues_resolved[2].id: missing. Expected text",
        "prior_issues_resolved[3]: 5 is not text or an object",
    ]


@pytest.mark.parametrize("word", ["critical", "Blocker", "IMPORTANT", " suggestion ", "nit", "minor", "fyi"])
def test_severities_are_read_in_any_case_and_by_their_other_names_L1(word: str) -> None:
    assert read(json.dumps(issue(severity=word)), ReviewResult).payload.issues[0].severity == word


@pytest.mark.parametrize("word", ["", "approved", "CHANGES_REQUIRED", "approved with notes"])
def test_a_status_is_read_in_any_case_and_by_its_other_name_L5(word: str) -> None:
    assert read(json.dumps(result(status=word)), ReviewResult).payload.status == word


def test_a_key_that_is_given_twice_is_named_V3() -> None:
    sent = '{"payload": {"verdict": "blocker", "summary": "", "verdict": "approved"}}'
    assert problems(sent) == ["payload.verdict: given more than once"]


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity", "1e999"])
def test_what_is_no_number_is_refused_V3(word: str) -> None:
    (said,) = problems('{"payload": {"verdict": "approved", "summary": "", "attempt": ' + word + "}}")
    assert said.startswith("payload.attempt: ")


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ("", "it is empty"),
        (" \n", "it is empty"),
        ("\ufeff", "it is empty"),
        ("The change is fine.", "it is not JSON: line 1, column 1: expecting value"),
        ('{\n  "payload": }', "it is not JSON: line 2, column 14: expecting value"),
        ('{"payload": {}} and more', "it is not JSON: line 1, column 17: extra data"),
        (b'{"a": "\xff"}', "it is not valid UTF-8 (at byte 8)"),
        (json.dumps(result()).encode("utf-16"), "it is not valid UTF-8 (at byte 1)"),
        ("[]", "the document: a list is not an object"),
        ("null", "the document: null is not an object"),
        ("[" * 100_000, "it is nested too deeply"),
        ('{"payload":' * 100_000, "it is nested too deeply"),
        ("9" * 10_000, f"the document: {'9' * 40} is not an object"),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_no_document_at_all_is_refused_with_the_reason_G1(document: bytes | str, said: str) -> None:
    assert problems(document) == [said]


def test_a_byte_order_mark_is_tolerated_V3() -> None:
    assert read(b"\xef\xbb\xbf" + json.dumps(result()).encode(), ReviewResult) == read(
        json.dumps(result()), ReviewResult
    )


def test_a_document_that_is_too_big_is_refused_before_it_is_parsed_G1() -> None:
    assert problems(b"x" * 101, limit=100) == ["it has 101 bytes, but at most 100 are read"]
    assert problems("x" * (LIMIT + 1)) == ["it has 5,000,001 characters, but at most 5,000,000 are read"]
    assert problems(b"x" * 100, limit=100)[0].startswith("it is not JSON"), "the limit itself is read"


def test_the_rule_is_the_callers_V3() -> None:
    problems({}, rule="L6")


def test_fifty_problems_are_told_and_the_others_counted_G2() -> None:
    found = problems(result(files_reviewed=[1] * 120))
    assert len(found) == MOST_PROBLEMS + 1
    assert found[0] == "payload.files_reviewed[0]: 1 is not text"
    assert found[-1] == "and 70 more"


def test_very_many_unknown_or_doubled_keys_are_refused_all_the_same_G1() -> None:
    many = ", ".join(f'"k{number}": 0' for number in range(100_000))
    found = problems('{"payload": {"verdict": "approved", "summary": ""}, ' + many + ', "k0": 1}')
    assert found[0] == "k0: given more than once"
    assert found[-1] == "and 99,951 more"


def test_a_refusal_names_the_kind_of_document_G2() -> None:
    with pytest.raises(BadInput) as caught:
        read("{}", QaHandoff)
    assert caught.value.message == "this is not a valid handoff_qa document"
    assert (caught.value.code, caught.value.exit_code) == ("usage", 2)


def test_a_document_in_a_code_fence_is_read_and_its_lines_are_counted_where_they_are_V3() -> None:
    assert unfenced('\n```json\n{"a": 1}\n```\n') == ('{"a": 1}', 3)
    assert unfenced(b'```\n{"a": 1}\n```') == ('{"a": 1}', 2)
    for other in ("```json\n```", 'so:\n```json\n{"a": 1}\n```', '```python\n{"a": 1}\n```', b"\xff", ""):
        assert unfenced(other) == (other, 1)
    with pytest.raises(BadInput) as caught:
        read("```json\n{\n,}\n```", ReviewResult)
    assert "line 3, column 1" in caught.value.reasons[0].message
