"""What goes wrong between a program and its model, as the services word it: refusals with their headers and bodies,
streams that are cut, answers that are none.
"""

from __future__ import annotations

import json
from typing import Any

import msgspec

LATER = "3600"
"""Seconds that a service asks to wait: longer than any program waits by itself."""


class Refused(msgspec.Struct, frozen=True):
    """An answer that is none."""

    status: int
    body: bytes
    headers: dict[str, str] = {}
    kind: str = "application/json"


CUT, HANG = "cut", "hang"
"""A stream that ends in the middle, and a request that is never answered: the server does them itself."""

GARBAGE = Refused(200, b'data: {"half": \n\n\x00\xff\xfe<not> json\n\ndata: ]]]\n\n', kind="text/event-stream")
PAGE = Refused(200, b"<!DOCTYPE html><html><body><h1>Sign in to the guest network</h1></body></html>", kind="text/html")


def refused(trouble: str, vendor: str) -> Refused:
    """How a vendor's service words a trouble."""
    if trouble == "garbage":
        return GARBAGE
    if trouble == "page":
        return PAGE
    found = {"openai": OPENAI, "anthropic": ANTHROPIC, "google": GOOGLE}[vendor][trouble]
    status, body, headers = found
    return Refused(status, json.dumps(body).encode(), headers)


Worded = dict[str, tuple[int, dict[str, Any], dict[str, str]]]


def _openai(message: str, kind: str, code: str | None, **more: object) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": None, "code": code} | more}


_RATE = (
    "Rate limit reached for gpt-5.5 in organization org-example on tokens per min (TPM): Limit 30000, Used 29500, "
    "Requested 1200. Please try again in 1.4s. Visit https://platform.openai.com/account/rate-limits to learn more."
)
_QUOTA = (
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, "
    "read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors."
)
_KEY = "Incorrect API key provided: dummy. You can find your API key at https://platform.openai.com/account/api-keys."
_LONG = "This model's maximum context length is 128000 tokens. However, your messages resulted in 131072 tokens."
OPENAI: Worded = {
    "400": (400, _openai("Unsupported value: 'x'.", "invalid_request_error", "unsupported_value"), {}),
    "401": (401, _openai(_KEY, "invalid_request_error", "invalid_api_key"), {}),
    "403": (
        403,
        _openai("Country, region, or territory not supported", "request_forbidden", None),
        {},
    ),
    "429": (429, _openai(_RATE, "tokens", "rate_limit_exceeded"), {}),
    "429-after": (429, _openai(_RATE, "tokens", "rate_limit_exceeded"), {"retry-after": LATER}),
    "credit": (429, _openai(_QUOTA, "insufficient_quota", "insufficient_quota"), {}),
    "limit": (
        429,
        {
            "error": {"type": "usage_limit_reached", "message": "The usage limit has been reached", "plan_type": "plus"}
            | {"resets_at": 4102444800, "resets_in_seconds": int(LATER)}
        },
        {"x-codex-primary-used-percent": "100", "x-codex-primary-window-minutes": "300"},
    ),
    "long": (400, _openai(_LONG, "invalid_request_error", "context_length_exceeded"), {}),
    "500": (500, _openai("The server had an error while processing your request.", "server_error", None), {}),
    "busy": (503, _openai("The engine is currently overloaded, please try again later", "server_error", None), {}),
}


def _anthropic(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_example"}


_ORGANIZATION = (
    "This request would exceed the rate limit for your organization of 30,000 input tokens per minute. For details, "
    "refer to: https://docs.claude.com/en/api/rate-limits."
)
_BALANCE = (
    "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase "
    "credits."
)
ANTHROPIC: Worded = {
    "400": (400, _anthropic("invalid_request_error", "messages: at least one message is required"), {}),
    "401": (401, _anthropic("authentication_error", "invalid x-api-key"), {}),
    "403": (403, _anthropic("permission_error", "Your API key does not have permission to use this resource"), {}),
    "429": (429, _anthropic("rate_limit_error", _ORGANIZATION), {}),
    "429-after": (429, _anthropic("rate_limit_error", _ORGANIZATION), {"retry-after": LATER}),
    "credit": (400, _anthropic("invalid_request_error", _BALANCE), {}),
    "limit": (
        429,
        _anthropic("rate_limit_error", "This request would exceed your account's rate limit. Please try again later."),
        {
            "retry-after": LATER,
            "anthropic-ratelimit-unified-status": "rejected",
            "anthropic-ratelimit-unified-reset": "4102444800",
            "anthropic-ratelimit-unified-representative-claim": "five_hour",
        },
    ),
    "long": (400, _anthropic("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum"), {}),
    "500": (500, _anthropic("api_error", "Internal server error"), {}),
    "busy": (529, _anthropic("overloaded_error", "Overloaded"), {}),
}


def _google(code: int, status: str, message: str, *details: dict[str, Any]) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


_TYPE = "type.googleapis.com/google.rpc."
_PLAN = (
    "You exceeded your current quota, please check your plan and billing details. For more information on this error, "
    "head to: https://ai.google.dev/gemini-api/docs/rate-limits."
)


def _used_up(quota: str) -> dict[str, Any]:
    metric = "generativelanguage.googleapis.com/generate_content_free_tier_requests"
    violation = {"quotaMetric": metric, "quotaId": quota, "quotaValue": "100"}
    return {"@type": f"{_TYPE}QuotaFailure", "violations": [violation]}


_MINUTE, _DAY = "GenerateRequestsPerMinutePerProjectPerModel", "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
_INVALID = {"@type": f"{_TYPE}ErrorInfo", "reason": "API_KEY_INVALID", "domain": "googleapis.com"}
_RETRY = {"@type": f"{_TYPE}RetryInfo", "retryDelay": f"{LATER}s"}
GOOGLE: Worded = {
    "400": (400, _google(400, "INVALID_ARGUMENT", "Request contains an invalid argument."), {}),
    "401": (400, _google(400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key.", _INVALID), {}),
    "403": (403, _google(403, "PERMISSION_DENIED", "Generative Language API has not been used in project 1."), {}),
    "429": (429, _google(429, "RESOURCE_EXHAUSTED", _PLAN, _used_up(_MINUTE)), {}),
    "429-after": (429, _google(429, "RESOURCE_EXHAUSTED", _PLAN, _used_up(_MINUTE), _RETRY), {"retry-after": LATER}),
    "credit": (
        403,
        _google(403, "PERMISSION_DENIED", "This API method requires billing to be enabled. Please enable billing."),
        {},
    ),
    "limit": (429, _google(429, "RESOURCE_EXHAUSTED", _PLAN, _used_up(_DAY)), {}),
    "long": (400, _google(400, "INVALID_ARGUMENT", "The input token count (1100000) exceeds the maximum."), {}),
    "500": (500, _google(500, "INTERNAL", "An internal error has occurred. Please retry."), {}),
    "busy": (503, _google(503, "UNAVAILABLE", "The model is overloaded. Please try again later."), {}),
}
