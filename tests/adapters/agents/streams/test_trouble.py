"""What kept a program from its work, by the words of services and programs."""

from __future__ import annotations

import time

import pytest

from foureyes.adapters.agents.streams.trouble import kind_of, wait_in

SAID = {
    "API Error: 400 scripted error 400": "refused",
    '{"type": "error", "error": {"code": 400, "message": "scripted error 400"}}': "refused",
    "API Error: 401 Invalid API key": "auth",
    "unexpected status 401 Unauthorized: Missing bearer": "auth",
    "Invalid API key · Please run /login": "auth",
    "Not logged in": "auth",
    "OAuth token has expired. Please obtain a new token": "auth",
    "Your refresh token has already been used": "auth",
    "[API Error: 401 Incorrect API key provided]": "auth",
    "API key not valid. Please pass a valid API key.": "auth",
    "Please set an Auth method in your settings": "auth",
    "API Error: 429 rate_limit_error": "quota",
    "Claude AI usage limit reached|1000000600": "quota",
    "You've hit your usage limit. Try again in 3 hours 12 minutes.": "quota",
    "You've hit your session limit · resets 3pm": "quota",
    "exceeded retry limit, last status: 429 Too Many Requests": "quota",
    "Resource has been exhausted (e.g. check quota). RESOURCE_EXHAUSTED": "quota",
    "You exceeded your current quota, please check your plan and billing details": "quota",
    "Credit balance is too low": "quota",
    "API Error: 500 Internal server error": "quota",
    "API Error: 529 Overloaded": "quota",
    "unexpected status 503 Service Unavailable": "quota",
    "something else": "refused",
    "it changed 429 lines in 500 files": "refused",
}


@pytest.mark.parametrize("text", SAID)
def test_the_kind_of_an_error(text: str) -> None:
    assert kind_of(text) == SAID[text]


@pytest.mark.parametrize(
    ("status", "kind"),
    [(400, "refused"), (401, "auth"), (403, "auth"), (402, "quota"), (429, "quota"), (500, "quota"), (529, "quota")],
)
def test_a_status_says_it_before_any_word(status: int, kind: str) -> None:
    assert kind_of("no", status) == kind


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("Please try again in 20s.", 20),
        ("Rate limit reached. Please try again in 1.5s", 2),
        ("try again in 250ms", 1),
        ("Try again in 3 hours 12 minutes.", 11520),
        ("try again in 2 days, 1 hour and 5 minutes", 176700),
        ("Please retry in 38.2s", 38),
        ("Retry-After: 30", 30),
        ('"retry_after": 17', 17),
        ("usage limit reached|1000000600", 600),
        ("usage limit reached|0999999999", 0),
        ("quota exceeded", None),
        ("retry limit exceeded after 5 tries", None),
        ("or try again at Jan 1st, 2100 12:00 AM.", 4_102_444_800 - 1_000_000_000),
        ("Resets Sep 9, 2001 2:46 AM", 3600 - 40),
        ("try again at Foo 1st, 2100 12:00 AM", None),
        ("resets 3pm", 15 * 3600 - (1_000_000_000 % 86400)),
        ("resets at 1:00 AM", 25 * 3600 - (1_000_000_000 % 86400)),
    ],
)
def test_how_long_to_wait(text: str, seconds: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    assert wait_in(text, 1_000_000_000.0) == seconds
