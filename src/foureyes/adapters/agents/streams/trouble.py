"""Classifies a program's error by its HTTP status or its text. For error texts only, never for a model's message. An
unknown error is `refused`, and a person reads the reason.
"""

from __future__ import annotations

import re
from datetime import datetime

from foureyes.core.nouns.run import ErrorKind
from foureyes.core.words.ids import Shape

STATUS = Shape(
    r"(?:status|code|error|http)\W{0,12}(?:code\W{0,4})?([45]\d\d)\b|\b([45]\d\d) (?-i:[A-Z][a-z]+)", re.IGNORECASE
)
AUTH = Shape(
    r"unauthori[sz]ed|not (?:logged|signed) in|(?:log|sign) ?in (?:again|to)|/login|invalid (?:x-)?api[ _-]?key"
    r"|api[ _-]?key (?:not (?:found|valid)|expired|is (?:invalid|missing))|incorrect api key|no api key|missing api key"
    r"|authentication[ _](?:error|failed|required)|(?:token|session|credentials?)[ a-z]{0,20}expired|invalid_grant"
    r"|permission_denied|please set an auth method|refresh token"
    r"|(?:missing|specify|set|provide)\b[^.\n]{0,40}_KEY\b",
    re.IGNORECASE,
)
QUOTA = Shape(
    r"usage[ _]limit|rate[ _-]?limit|quota|too many requests|resource[ _]exhausted|overloaded|out of credits?"
    r"|credit balance|billing|insufficient[ _](?:funds|balance)|hit your [a-z0-9 -]{0,20}limit"
    r"|limit (?:reached|exceeded)|service unavailable|internal server error|server had an error"
    r"|bad gateway|temporarily unavailable|high demand|at capacity",
    re.IGNORECASE,
)
UNIT = r"(days?|d|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s|ms)"
WAIT = Shape(
    rf"(?:retry|try again|reset|available|wait)[a-z _-]{{0,24}}[\s:=\"']{{0,4}}"
    rf"((?:\d+(?:\.\d+)?\s?{UNIT}\b[\s,and]{{0,6}})+)",
    re.IGNORECASE,
)
BARE = Shape(r"retry[- _]?after\W{0,4}(\d{1,8})(?![\d.]|\s?[a-z])", re.IGNORECASE)
PIECE = re.compile(rf"(\d+(?:\.\d+)?)\s?{UNIT}\b", re.IGNORECASE)
SECONDS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
UNTIL = Shape(r"limit reached\|(\d{10})\b")
"""Pattern for the second at which claude's limit ends."""
DATE = Shape(
    r"(?:try again at|resets?(?: at)?) ((?:[A-Z][a-z]{2}) \d{1,2})(?:st|nd|rd|th)?, (\d{4}),? (\d{1,2}:\d\d ?[AP]M)",
    re.IGNORECASE,
)
CLOCK = Shape(r"(?:try again at|resets?(?: at)?) (\d{1,2})(:\d\d)? ?([AP]M)\b", re.IGNORECASE)
"""Pattern for the next occurrence of a time of day, in this machine's time zone."""
DAY = 86400


def kind_of(text: str, status: int = 0) -> ErrorKind:
    """Return the kind of an error.

    `quota`: the service accepts no work now (quota, rate limit, overload or failure). `auth`: it does not accept the
    login.
    """
    status = status or status_in(text)
    if status in (401, 403):
        return "quota" if QUOTA.search(text) else "auth"
    if status in (402, 408, 429) or status >= 500:
        return "quota"
    if AUTH.search(text):
        return "auth"
    if QUOTA.search(text) and status in (0, 400):
        return "quota"
    return "refused"


def status_in(text: str) -> int:
    """Return the HTTP status in a text, or 0."""
    match = STATUS.search(text)
    return int(match.group(1) or match.group(2)) if match else 0


def wait_in(text: str, now: float) -> int | None:
    """Return the requested wait in seconds, or None."""
    if until := UNTIL.search(text):
        return max(0, int(until.group(1)) - int(now))
    if bare := BARE.search(text):
        return int(bare.group(1))
    match = WAIT.search(text)
    if match is None:
        return _until(text, now)
    return max(1, round(sum(_seconds(amount, unit) for amount, unit in PIECE.findall(match.group(1)))))


def _until(text: str, now: float) -> int | None:
    """Return the seconds until a date or time of day in a text, or None."""
    here = datetime.fromtimestamp(now)  # noqa: DTZ006  (programs speak of the time of this machine)
    try:
        if date := DATE.search(text):
            named = f"{date[1]} {date[2]} {date[3].replace(' ', '')}"
            when = datetime.strptime(named, "%b %d %Y %I:%M%p")  # noqa: DTZ007
            return max(0, int((when - here).total_seconds()))
        if clock := CLOCK.search(text):
            when = datetime.strptime(f"{clock[1]}{clock[2] or ':00'}{clock[3].upper()}", "%I:%M%p")  # noqa: DTZ007
            ahead = here.replace(hour=when.hour, minute=when.minute, second=0, microsecond=0) - here
            return int(ahead.total_seconds()) % DAY
    except ValueError:
        return None
    return None


def _seconds(amount: str, unit: str) -> float:
    return float(amount) / 1000 if unit.lower() == "ms" else float(amount) * SECONDS[unit[0].lower()]
