"""The documents of reviews for the reference: a JSON Schema and an example of each."""

from __future__ import annotations

import json
from typing import Any

import msgspec

from foureyes.core.documents.shapes import DOCUMENTS, VERSION

ISSUE: dict[str, Any] = {
    "severity": "CRITICAL",
    "title": "SQL built from user input",
    "location": "src/api/users.py:56",
    "problem": "The id from the request is put into the query unchanged.",
    "fix": "Use a parameter: execute('SELECT * FROM users WHERE id = ?', (user_id,))",
    "why": "Anyone who can send a request can read and change the table.",
    "quote": 'execute(f"SELECT * FROM users WHERE id = {user_id}")',
}
SUGGESTION: dict[str, Any] = {
    "severity": "SUGGESTION",
    "title": "No limit on sign-in attempts",
    "file": "src/api/auth.py",
    "line": 25,
    "description": "Sign-in can be called without a limit.",
}
EXAMPLES: dict[str, dict[str, Any]] = {
    "review_request": {
        "type": "review_request",
        "version": 1,
        "reviewer": "ses-7k2m",
        "task": "fe-4hd",
        "title": "Sign in with a token",
        "attempt": 2,
        "diff_id": "sha256:5e884898da28",
        "targets": ["fe-4hd"],
        "context": {
            "summaries": {"fe-4hd": "Adds sign-in with a token. Queries now take parameters."},
            "diff": "git diff 1f2e3d4..5a6b7c8",
            "acceptance": "An expired token is refused.",
            "checks": [{"check": "tests", "outcome": "passed", "summary": "212 passed"}],
            "open_findings": [
                {
                    "id": "TL-AUTH-1-001",
                    "severity": "CRITICAL",
                    "state": "claimed",
                    "title": "SQL built from user input",
                    "location": "src/api/users.py:56",
                    "answer": "FIXED",
                    "answer_text": "The query takes a parameter.",
                }
            ],
        },
        "focus_areas": ["security"],
        "max_words": 200,
        "is_re_review": True,
        "iteration": 2,
    },
    "review_result": {
        "type": "review_result",
        "version": 1,
        "reviewer": "ses-7k2m",
        "timestamp": "2027-01-02T03:04:05Z",
        "payload": {
            "verdict": "concerns",
            "summary": "Sign-in works. One query is open to injection.",
            "status": "CHANGES_REQUESTED",
            "attempt": 1,
            "diff_id": "sha256:5e884898da28",
            "issues": [ISSUE, {**SUGGESTION, "severity": "MEDIUM"}],
            "files_reviewed": ["src/api/users.py", "src/api/auth.py"],
            "rulings": [{"finding": "TL-AUTH-1-002", "ruling": "VERIFIED", "reason": "The header is checked now."}],
        },
    },
    "handoff_tech_lead": {
        "type": "handoff_tech_lead",
        "version": 1,
        "issues": [{"id": "TL-AUTH-2-001", "blocking": True, **ISSUE}, {**SUGGESTION, "severity": "MEDIUM"}],
        "issue_summary": {"critical": 1, "high": 0, "medium": 1, "low": 0, "blocking_count": 1},
        "iteration": 2,
        "status": "CHANGES_REQUESTED",
        "prior_issues_resolved": ["TL-AUTH-1-002"],
        "new_blocking_issues": ["TL-AUTH-2-001"],
    },
    "handoff_developer": {
        "type": "handoff_developer",
        "version": 1,
        "issue_responses": [
            {
                "issue_id": "TL-AUTH-1-001",
                "action": "FIXED",
                "details": "The query takes a parameter.",
                "commit": "abc1234",
            },
            {
                "issue_id": "TL-AUTH-1-002",
                "action": "REJECTED",
                "ground": "false_positive",
                "reason": "auth_service.py checks the value first.",
            },
            {
                "issue_id": "TL-AUTH-1-003",
                "action": "DEFERRED",
                "reason": "Needs a shared counter.",
                "tech_debt_id": "fe-9ab",
            },
        ],
        "blocking_summary": {"total_blocking": 2, "fixed": 1, "rejected_with_reason": 1, "unaddressed": 0},
        "qa_response": {
            "tests_fixed": ["test_expired_token"],
            "tests_remaining": ["test_rate_limit"],
            "progress_made": True,
        },
    },
    "clarification": {
        "type": "clarification",
        "version": 1,
        "task": "fe-7k2",
        "answers": [
            {
                "point": 1,
                "answer": "Cleared on logout, but not on a password change. The concern is right there.",
                "seen": "account.py:31",
            }
        ],
    },
    "handoff_qa": {
        "type": "handoff_qa",
        "version": 1,
        "test_tracking": {
            "iteration": 2,
            "original_failures": ["test_a", "test_b", "test_c"],
            "fixed_since_start": ["test_a"],
            "still_failing": ["test_b", "test_c"],
            "new_failures": [],
        },
        "progress_made": True,
        "status": "FAIL",
    },
}


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema of a document: what to write. The reader takes some more, as the meanings say."""
    made = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"{name}, version {VERSION}"}
    return {**msgspec.json.schema(DOCUMENTS[name]), **made}


def schema_text(name: str) -> str:
    """The schema as it is stored."""
    return json.dumps(schema_of(name), indent=2, sort_keys=True, ensure_ascii=False) + "\n"


def example_text(name: str) -> str:
    """The example as people read it. What fits on a line is on one line."""
    return _shown(EXAMPLES[name])


WIDTH = 100


def _shown(value: Any, indent: int = 0, taken: int = 0) -> str:
    """A value as JSON. `taken` is what is on its first line already."""
    flat = json.dumps(value, ensure_ascii=False)
    if not isinstance(value, dict | list) or (indent and indent + taken + len(flat) < WIDTH):
        return flat
    inner = indent + 2
    if isinstance(value, dict):
        items = [f"{json.dumps(key)}: {_shown(each, inner, len(key) + 4)}" for key, each in value.items()]
    else:
        items = [_shown(each, inner) for each in value]
    opened, closed = "{}" if isinstance(value, dict) else "[]"
    pad = "\n" + " " * inner
    return opened + pad + f",{pad}".join(items) + "\n" + " " * indent + closed


def takes(shape: dict[str, Any]) -> str:
    """What a field takes, in words, from its schema."""
    if "enum" in shape:
        return ", ".join(f"`{value}`" for value in shape["enum"] if value != "")
    if "$ref" in shape:
        name = shape["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in shape:
        return " or ".join(takes(each) for each in shape["anyOf"] if each.get("type") != "null")
    match shape.get("type"):
        case "array":
            return f"list of {takes(shape['items'])}"
        case "object":
            return f"object of {takes(shape['additionalProperties'])}"
        case kind:
            return {"string": "text", "integer": "number"}.get(str(kind), str(kind))


CONSTANT = ("type", "version")
"""Fields of every document. The page explains them once."""


def field_rows(shape: dict[str, Any]) -> list[tuple[str, str, str]]:
    """Field (bold if it is required), what it takes and its meaning."""
    required = shape.get("required", ())
    return [
        (f"**`{name}`**" if name in required else f"`{name}`", takes(field), field.get("description", ""))
        for name, field in shape["properties"].items()
        if name not in CONSTANT
    ]
