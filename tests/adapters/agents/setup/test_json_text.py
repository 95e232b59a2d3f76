"""JSON of somebody else: a value is put in and taken out, and every other byte stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foureyes.adapters.agents.setup.json_text import NotPlain, add, document, lenient, parsed, take_out

SERVER = {"command": "fe", "args": ["mcp"]}
HOOK = {"hooks": [{"type": "command", "command": "fe agent remind claude"}]}
DOCUMENTS = [
    "{}",
    "{}\n",
    "{\n}\n",
    " \n{ }\n\n",
    '{"a":1}',
    '{"a": 1, "b": [1, 2]}\n',
    '{\n  "a": 1\n}\n',
    '{\n\t"a": {\n\t\t"b": 1\n\t}\n}',
    '{\r\n    "a": 1,\r\n    "é": "\\u00e9 \\" }"\r\n}\r\n',
    '{"mcpServers": {}}',
    '{\n  "mcpServers": {\n  }\n}\n',
    '{\n  "mcpServers": {},\n  "z": null\n}\n',
    '{\n  "mcpServers": {"x": {"command": "x"}}\n}\n',
    '{\n  "mcpServers": {\n    "x": {\n      "command": "x"\n    }\n  }\n}\n',
    '{"hooks": {}}',
    '{"hooks": {"Stop": []}}',
    '{\n  "hooks": {\n    "Stop": [\n    ]\n  }\n}\n',
    '{"hooks": {"Stop": [{"hooks": []}], "PreToolUse": []}, "mcpServers": {"x": {}}}',
]


@pytest.mark.parametrize("text", DOCUMENTS)
def test_what_is_put_in_is_there_beside_everything_else_and_out_again_byte_for_byte(text: str) -> None:
    before = parsed(text)
    one = add(text, ("mcpServers", "foureyes"), SERVER)
    both = add(one, ("hooks", "Stop"), HOOK, to_list=True)
    after = parsed(both)
    assert after["mcpServers"].pop("foureyes") == SERVER
    assert after["hooks"]["Stop"].pop() == HOOK
    assert {key: value for key, value in after.items() if value not in ({}, {"Stop": []})} == {
        key: value for key, value in before.items() if value not in ({}, {"Stop": []})
    }
    assert take_out(both, ("hooks", "Stop"), HOOK, to_list=True) == one
    assert take_out(one, ("mcpServers", "foureyes"), SERVER) == text


def test_a_document_that_is_nothing_else_is_gone() -> None:
    assert take_out(document({"mcpServers": {"foureyes": SERVER}}), ("mcpServers", "foureyes"), SERVER) == ""


def test_what_came_after_it_stays() -> None:
    text = add('{\n  "a": 1\n}\n', ("mcpServers", "foureyes"), SERVER)
    text = add(text, ("mcpServers", "other"), {"url": "x"})
    text = add(text, ("z",), [1])
    assert parsed(take_out(text, ("mcpServers", "foureyes"), SERVER)) == {
        "a": 1,
        "mcpServers": {"other": {"url": "x"}},
        "z": [1],
    }


@pytest.mark.parametrize("text", ["{}", '{"mcpServers": {}}', '{"mcpServers": {"foureyes": {"command": "mine"}}}'])
def test_what_is_not_there_is_not_taken_out(text: str) -> None:
    assert take_out(text, ("mcpServers", "foureyes"), SERVER) == text
    assert take_out(text, ("hooks", "Stop"), HOOK, to_list=True) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not plain JSON"),
        ("[]", "no JSON object"),
        ("{,}", "not plain JSON"),
        ('{"a": 1,}', "line 1"),
        ('{\n  // why\n  "a": 1\n}', "line 2"),
        ('{"a": NaN}', "no number"),
        ('{"a": 1, "a": 2}', "'a' is there twice"),
        ("\ufeff{}", "not plain JSON"),
        ('{"a":' * 100_000, "nested too deeply"),
    ],
)
def test_what_is_not_plain_is_said(text: str, why: str) -> None:
    with pytest.raises(NotPlain, match=why):
        parsed(text)


@pytest.mark.parametrize("text", ['{"mcpServers": []}', '{"mcpServers": null}', '{"mcpServers": "x"}'])
def test_what_is_no_object_is_not_made_one(text: str) -> None:
    with pytest.raises(NotPlain, match="mcpServers is no object"):
        add(text, ("mcpServers", "foureyes"), SERVER)


def test_what_is_no_list_is_not_made_one() -> None:
    with pytest.raises(NotPlain, match=r"hooks\.Stop is no list"):
        add('{"hooks": {"Stop": {}}}', ("hooks", "Stop"), HOOK, to_list=True)


def test_comments_and_commas_too_many_can_be_looked_at() -> None:
    text = '\ufeff{\n // one "quoted"\n "a": "// no comment, ,}", /* two\n lines */ "b": [1, 2,],\n}\n'
    assert lenient(text) == {"a": "// no comment, ,}", "b": [1, 2]}
    assert lenient("{ what }") is None


LEAVES = st.none() | st.booleans() | st.integers() | st.text()
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12)

OBJECTS = st.dictionaries(st.text(), VALUES)
HOLDERS = st.fixed_dictionaries(
    {}, optional={"mcpServers": OBJECTS, "hooks": st.fixed_dictionaries({}, optional={"Stop": st.lists(OBJECTS)})}
)


@given(OBJECTS, HOLDERS, st.sampled_from([None, 0, 1, 2, 4, "\t"]), st.booleans())
def test_any_document_is_the_same_afterwards(
    around: dict[str, Any], held: dict[str, Any], indent: int | str | None, ascii_only: bool
) -> None:
    text = json.dumps({**around, **held}, indent=indent, ensure_ascii=ascii_only)
    if "foureyes" in held.get("mcpServers", {}):
        return
    try:
        both = add(add(text, ("mcpServers", "foureyes"), SERVER), ("hooks", "Stop"), HOOK, to_list=True)
    except NotPlain:
        return  # one of the names is something else there
    parsed(both)
    one = take_out(both, ("hooks", "Stop"), HOOK, to_list=True)
    assert take_out(one, ("mcpServers", "foureyes"), SERVER) == text
