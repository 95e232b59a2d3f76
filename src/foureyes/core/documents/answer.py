"""Reader for the JSON document in an agent's last message. (V3)

The document is the whole message or one code fence in it. Prose around a fence is ignored. Prose alone, or two
different documents, are an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from foureyes.core.documents.json_reader import parsed, unfenced
from foureyes.core.documents.shapes import ReviewResult
from foureyes.errors import BadInput

# ---- V3 ----

LONGEST = 400_000
"""Largest number of characters read of an answer."""
FENCES = ("```", "~~~")


def document_in(answer: str, kind: str) -> str:
    """Return the document of this kind as JSON text. Raise BadInput with the reason if there is none."""
    text = answer.strip()
    if not text:
        raise BadInput("the last message was empty. It must be the document and nothing else.")
    if len(text) > LONGEST:
        raise BadInput(f"the last message has {len(text):,} characters, but at most {LONGEST:,} are read.")
    whole, _ = unfenced(text)
    assert isinstance(whole, str)
    if _value(whole) is not None:
        return whole
    fenced, loose = _inside(text)
    documents = [(block, value) for block in fenced if _is_of((value := _value(block)), kind)]
    if _is_several([value for _, value in documents], loose, kind):
        raise BadInput(f"the last message has several {kind} documents. It must be exactly one and nothing else.")
    if not documents:
        raise BadInput(_why_none(fenced, loose, kind))
    return documents[0][0]


def _is_several(values: list[Any], loose: str, kind: str) -> bool:
    """Return True if there are several documents. Identical copies count as one."""
    return any(value != values[0] for value in values[1:]) or (bool(values) and _names(loose, kind))


def _why_none(fenced: list[str], loose: str, kind: str) -> str:
    if _names(loose, kind):
        return f"the {kind} document has other text around it. Send it alone, or in one ```json block."
    if any(_names(block, kind) for block in fenced):
        return f"expected a {kind} document in JSON. The code block holds no JSON."
    return f"the last message is plain text, but a {kind} document in JSON was expected."


def _names(text: str, kind: str) -> bool:
    """Return True if the text has the quoted name of this kind, so that it may hold another document."""
    return f'"{kind}"' in text


def _is_of(value: Any, kind: str) -> bool:
    return isinstance(value, dict) and value.get("type") == kind


def _value(text: str) -> Any:
    """Return a JSON object or list, or None for anything else."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return parsed(text, constant=float)
    except ValueError:
        return None


def _inside(text: str) -> tuple[list[str], str]:
    """Return the contents of the code fences and the text outside them."""
    blocks: list[str] = []
    outside: list[str] = []
    open_: list[str] | None = None
    for fence, line in _lines(text):
        if fence == "begins":
            open_ = []
        elif fence == "ends" and open_ is not None:
            blocks.append("\n".join(open_))
            open_ = None
        else:
            (outside if open_ is None else open_).append(line)
    return blocks, "\n".join([*outside, *(open_ or ())])


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """Yield each line, and True if it begins or ends a fence. A longer fence may hold shorter ones."""
    fence = ""
    for line in text.splitlines():
        mark = line.strip()
        if fence:
            is_end = mark.startswith(fence) and not mark.strip(fence[0])
            fence = "" if is_end else fence
            yield ("ends" if is_end else ""), line
        elif mark.startswith(FENCES):
            fence = mark[: len(mark) - len(mark.lstrip(mark[0]))]
            yield "begins", line
        else:
            yield "", line


# ---- The JSON Schema of an answer for programs that hold a model to one (V3) ----

KEPT = ("type", "description", "enum", "anyOf", "items")
LEFT_OUT = frozenset({"version", "reviewer", "timestamp", "blocking", "description", "location", "rule"})
"""Fields left out of the schema, because other fields imply them."""
PLACE = "#/$defs/"


def answer_schema(kind: type[msgspec.Struct] = ReviewResult) -> str:
    """Return the JSON Schema as text."""
    whole = msgspec.json.schema(kind)
    defs = {name: _strict(part) for name, part in whole["$defs"].items()}
    root = defs.pop(whole["$ref"].removeprefix(PLACE))
    return json.dumps({**root, "$defs": defs})


def _strict(part: dict[str, Any]) -> dict[str, Any]:
    """Return one shape in strict form: all fields required, no additional properties, and no keywords that only some
    services know.
    """
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
