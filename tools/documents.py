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
    "problem": "The id of the request is written into the query as it comes.",
    "fix": "Use a parameter: execute('SELECT * FROM users WHERE id = ?', (user_id,))",
    "why": "Whoever sends the request can read and change the whole table.",
    "quote": 'execute(f"SELECT * FROM users WHERE id = {user_id}")',
}
SUGGESTION: dict[str, Any] = {
    "severity": "SUGGESTION",
    "title": "No limit on sign-in attempts",
    "file": "src/api/auth.py",
    "line": 25,
    "description": "The sign-in can be called as often as one likes.",
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
            "summaries": {"fe-4hd": "Adds sign-in with a token; queries take parameters now."},
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
            "summary": "The sign-in works; one query is open to injection.",
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
                "reason": "The value never leaves the service: auth_service.py checks it before.",
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
                "answer": "Cleared on logout, but not when the password changes: there the concern is right.",
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
    """The example as people read it."""
    return json.dumps(EXAMPLES[name], indent=2, ensure_ascii=False)


def takes(shape: dict[str, Any]) -> str:
    """What a field takes, in words, from its schema."""
    if "enum" in shape:
        return ", ".join(f"`{value}`" for value in shape["enum"] if value != "")
    if "$ref" in shape:
        name = shape["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in shape:
        return " or ".join(takes(each) for each in shape["anyOf"])
    match shape.get("type"):
        case "array":
            return f"list of {takes(shape['items'])}"
        case "object":
            return f"object of {takes(shape['additionalProperties'])}"
        case kind:
            return {"string": "text", "integer": "whole number", "boolean": "true or false"}.get(str(kind), str(kind))


def field_rows(shape: dict[str, Any]) -> list[tuple[str, str, str, str]]:
    """Field, what it takes, its default (or that it must be there) and its meaning."""
    rows = []
    for name, field in shape["properties"].items():
        default = "must be given" if name in shape.get("required", ()) else f"`{json.dumps(field.get('default'))}`"
        rows.append((f"`{name}`", takes(field), default, field.get("description", "")))
    return rows
