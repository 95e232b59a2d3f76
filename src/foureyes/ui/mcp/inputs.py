"""Inputs of tools, made from the signatures of the verbs, so that a tool and its verb always agree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from foureyes.app.verb_calls import Input, InputField, parameters
from foureyes.core.documents.json_reader import misfits
from foureyes.errors import BadInput, Reason
from foureyes.steps import prose

MOST_ROWS = 1000
WORDS: dict[str, str] = {
    "acceptance": "How to tell that it is done.",
    "again": "Even if it exists or ran already.",
    "answers": "One answer for each finding.",
    "attempt": "The number of an attempt. Default: the latest.",
    "blocking": "Only findings that block.",
    "branch": "The branch of the work. Default: the task's own.",
    "checkpoint": "With option checkpoint: its name.",
    "commit": "Commit everything in the task's worktree first, with this message. No hook of the repository runs.",
    "decisions": "What was decided, and why.",
    "depends_on": "Ids of tasks.",
    "document": "The document, as text.",
    "done": "What is done.",
    "exception": "Why you close your own work; audited.",
    "finding": "The id of a finding.",
    "fix": "What to do about it.",
    "fix_patch": "A unified diff that fixes it.",
    "id": "The id of the earlier finding that this repeats.",
    "if_version": "The version of the task that you saw. If it has changed since, the call is refused.",
    "issues": "Quick issues, by their names.",
    "key": "Create once: the same key returns the same task.",
    "limit": "Maximum number of rows.",
    "line": "A line of that file; 0 for the file as a whole.",
    "message": "What you did, for the reviewer.",
    "names": "Ids of findings.",
    "no_code": "Confirm that there is no change to merge.",
    "open_only": "Only findings that are open.",
    "option": "How to continue.",
    "path": "A path from the root of the repository.",
    "problem": "What is wrong, in detail.",
    "purpose": "What the agent is to do.",
    "quote": "The code, quoted exactly.",
    "reason": "Why.",
    "remaining": "What is left.",
    "review": "Your review of the change.",
    "role": "The role whose document it is.",
    "rulings": "One ruling for each finding.",
    "seen": "The change that you reviewed, as task_show names it: ATTEMPT.DIFF.",
    "severity": "CRITICAL and HIGH block.",
    "signal": "DONE, or NEEDS_REVIEW or BLOCKED if you are not sure.",
    "since": "Only what changed since that attempt.",
    "task": "The id of the task.",
    "text": "The text.",
    "title": "One line.",
    "uncertain": "An open question.",
    "until": "A date, such as 2027-01-31.",
    "why": "Why it matters.",
}
"""The meaning of each field by its name, the same in every tool."""


def made_from(verb: Callable[..., Any], without: Sequence[str] = (), instead: Mapping[str, Any] | None = None) -> Input:
    """Return a struct for the parameters of a verb, except the caller and those in `without`. `instead` gives some of
    them another type.
    """
    return struct_of("Input", parameters(verb, without, instead))


def struct_of(name: str, fields: Sequence[InputField]) -> Input:
    """Return a struct with exactly these fields and their descriptions, required ones first."""
    described = [_said(field) for field in sorted(fields, key=len)]
    return msgspec.defstruct(name, described, kw_only=True, frozen=True, forbid_unknown_fields=True)


def closed(struct: Input) -> Input:
    """Return the same struct, refusing unknown fields."""
    return msgspec.defstruct(struct.__name__, [], bases=(struct,), frozen=True, forbid_unknown_fields=True)


def fields_of(struct: Input, without: Sequence[str] = ()) -> list[InputField]:
    """Return the fields of a struct, for a tool that takes them one by one."""
    return [
        (each.name, each.type) if each.required else (each.name, each.type, each.default)
        for each in msgspec.structs.fields(struct)
        if each.name not in without
    ]


def _said(field: InputField) -> Any:
    name, kind, *default = field
    meaning = WORDS.get(name)
    if name == "limit":
        kind = Annotated[int, Meta(ge=1, le=MOST_ROWS)]
    return (name, Annotated[kind, Meta(description=meaning)] if meaning else kind, *default)


def schema_of(struct: Input) -> dict[str, Any]:
    """Return the JSON Schema of an input in one piece, because some agent programs do not follow references."""
    (root,), parts = msgspec.json.schema_components([struct], ref_template="#/$defs/{name}")
    whole: dict[str, Any] = _inlined(root, parts)
    whole.setdefault("properties", {})
    whole.setdefault("required", [])
    return whole


def _inlined(value: Any, parts: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_inlined(each, parts) for each in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        part = parts[value["$ref"].rpartition("/")[2]]
        return _inlined(part | {key: each for key, each in value.items() if key != "$ref"}, parts)
    is_schema = isinstance(value.get("title"), str)
    return {key: _inlined(each, parts) for key, each in value.items() if not (is_schema and key == "title")}


def read(arguments: Mapping[str, Any] | None, struct: Input, tool: str) -> msgspec.Struct:
    """Return the arguments of a call. Raise `BadInput` with one reason for each wrong field."""
    given = dict(arguments or {})
    wrong = misfits(given, struct)
    problems = [*wrong.problems, *([f"and {wrong.more:,} more"] if wrong.more else [])]
    if not problems:
        try:
            return msgspec.convert(given, struct)
        except msgspec.ValidationError as problem:
            problems = [str(problem)]
    raise BadInput(
        f"{tool} was called wrongly, and nothing was done.",
        reasons=tuple(Reason("", problem) for problem in problems),
        next_step=prose("fix these fields and call it again"),
    )
