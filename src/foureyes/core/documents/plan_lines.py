"""Lines of a plan: which of them say something about the task, and which only look like it (M7).

A line that is misread can lose what makes a task strict. So what can be read as it is meant is read, however it is
decorated; what only looks like a line of a plan is refused with its number; everything else is text.
"""

from __future__ import annotations

import re

import msgspec

from foureyes.core.rules.modes import NAMES as MODES
from foureyes.errors import BadInput

SPELLINGS = {
    "labels": ("label", "labels", "tag", "tags"),
    "priority": ("priority", "prio"),
    "depends on": ("depends on", "depends", "depend on", "dependency", "dependencies", "blocked by", "waits for"),
    "acceptance": (
        "acceptance", "acceptance criteria", "acceptance criterion", "acceptance test", "acceptance tests", "done when",
    ),
    "type": ("type",),
    "mode": ("mode", "review mode", "review"),
    "key": ("key",),
    "description": ("description",),
}  # fmt: skip
KNOWN = {spelling: name for name, spellings in SPELLINGS.items() for spelling in spellings}
FIELD_NAMES = {"labels": "Labels", "priority": "Priority", "depends on": "Depends on", "acceptance": "Acceptance"}
STRICT = ("labels", "mode", "depends on")
"""What is not read of these lets a task go through with less than was planned."""
LISTS = ("labels", "depends on", "acceptance")
_STRICT_SPELLINGS = tuple(spelling for name in STRICT for spelling in SPELLINGS[name])

_BULLET = r"(?:(?:[-*+]|\d{1,3}[.)])\s+)?(?:\[[ xX]\]\s+)?"
HEADER = re.compile(
    rf"^(?P<indent>\s*){_BULLET}[*_`]*(?P<name>[A-Za-z][A-Za-z _-]{{1,30}}?)[*_`]*\s*[:：](?P<value>.*)$"
)
ITEM = re.compile(r"^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?(?P<text>.*\S)\s*$")
FENCE = re.compile(r"^\s*(?P<sign>`{3,}(?=[^`]*$)|~{3,})(?P<after>.*)$")
ANY_HEADING = re.compile(r"^\s{0,3}(?P<level>#{1,6})(?P<blank>\s*)(?P<text>.*?)(?:\s+#+)?\s*$")
REVIEW = re.compile(r"(?<![\w:])review:(?P<mode>[\w-]+)", re.IGNORECASE)
_ADORNED = r"^(?:<[^<>]*>|&[a-z]+;|:[a-z][a-z_]*:|\[x\]|[^\w\\<]|[\d_])*"
"""What somebody may put before a line of a plan: bullets, quotes, brackets, pictures, tags. A backslash is none."""
_CLOSED = r"(?:</?\w[^<>]*>|[^\w\s\\<:：=|,.;→–—-]|_)*"
_NOT_A_HEADER = re.compile(
    rf"(?P<before>{_ADORNED})(?P<name>{'|'.join(sorted(_STRICT_SPELLINGS, key=len, reverse=True))})(?![^\W_])"
    rf"(?P<after>{_CLOSED})\s*(?P<sign>[:：=|→–—]|->|-\s|$)?(?P<value>.*)$",
    re.IGNORECASE,
)
_ADORNED_NAME = re.compile(rf"{_ADORNED}(?P<name>[a-z][a-z _-]{{1,30}}?){_CLOSED}\s*[:：]", re.IGNORECASE)
_EMPHASIZED = re.compile(r"[*_`>]$")
_TASK_LINE = re.compile(rf"^\s*{_BULLET}[*_]*Task(?:\s+[\w.#-]{{1,20}})?\s*:", re.IGNORECASE)
_SECOND = re.compile(r"\b(?:labels?|priority|depends on|mode|type|acceptance)\b[*_`]*\s*:", re.IGNORECASE)
_EMPHASIS = re.compile(r"^[*_`]{1,3}(?=\s|$)")
_BETWEEN = r"[,;\n，、；]"
NOTHING = frozenset({"", "none", "n/a", "na", "-", "–", "—", "nothing", "no"})


class PlanField(msgspec.Struct, frozen=True):
    """A line `Name: value` of a plan."""

    name: str
    value: str
    indent: int


def plain(text: str) -> str:
    """A word or a value without what Markdown puts around it."""
    return text.strip().strip("`*\"'[](){}<>;").strip().rstrip(".").strip()


def field_in(line: str) -> PlanField | None:
    """The field that a line is."""
    match = HEADER.match(line)
    name = KNOWN.get(_word(match["name"])) if match else None
    if match is None or name is None:
        return None
    value = _EMPHASIS.sub("", match["value"].strip()).strip()
    if value.endswith("**") and value.count("**") % 2:
        value = value[:-2].rstrip()
    return PlanField(name, value, _width(match))


def heading_field(line: str) -> PlanField | None:
    """The field that a heading below a task opens: `#### Acceptance criteria`."""
    match = ANY_HEADING.match(line)
    name = KNOWN.get(_word(plain(match["text"]).rstrip(":"))) if match and match["blank"] else None
    return PlanField(name, "", 0) if name else None


def _word(name: str) -> str:
    return " ".join(name.lower().replace("_", " ").replace("-", " ").split())


def _width(match: re.Match[str]) -> int:
    return len(match["indent"].expandtabs(4))


def why_refused(line: str) -> str:
    """Why a line that is no field must not be taken for text; empty if it may be."""
    odd = _NOT_A_HEADER.match(line)
    if odd and _is_meant(odd):
        return f"what it says about {odd['name'].lower()} stands on a line of its own: {odd['name'].capitalize()}: …"
    if _TASK_LINE.match(line):
        return "this looks like a task, and a task begins with a heading: ## Task: …"
    header = HEADER.match(line)
    if header is None:
        adorned = _ADORNED_NAME.match(line)
        near = near_miss(adorned["name"]) if adorned else ""
        return f"{FIELD_NAMES.get(near, near.capitalize())}: stands on a line of its own" if near in STRICT else ""
    if (second := field_in(header["value"])) and second.name in STRICT:
        return f"{second.name.capitalize()}: stands behind {header['name'].strip()}: it has a line of its own"
    near = near_miss(header["name"])
    if near:
        return f"{header['name'].strip()}: is no line of a plan; {FIELD_NAMES.get(near, near.capitalize())}: is"
    if REVIEW.search(header["value"]) or _word(plain(header["value"])) == "per task":
        return f"{header['name'].strip()}: names a review mode, and is no line of a plan; Labels: and Mode: are"
    return ""


def _is_meant(odd: re.Match[str]) -> bool:
    """Whether a line that begins with the name of a field says something, and is no sentence that begins so."""
    name, sign, value = KNOWN[_word(odd["name"])], odd["sign"], odd["value"].strip()
    if sign is not None and (sign in set(":：=|") or odd["name"].lower() != "review"):
        return True
    if odd["after"] and _EMPHASIZED.search(odd["before"]):
        return True
    if sign is not None or odd["after"] or not value:
        return False
    words = [part.split() for part in re.split(_BETWEEN, value.rstrip("."))]
    if name == "mode":
        return _word(value) in {_word(mode) for mode in MODES}
    return all(len(part) == 1 or (len(part) == 2 and part[0].lower() == "task") for part in words)


def near_miss(name: str) -> str:
    """The field that a name was probably meant to be."""
    typed = _word(name)
    for spelling, field in KNOWN.items():
        most = 2 if len(spelling) >= 8 else 1 if len(spelling) >= 5 else 0
        if most and abs(len(typed) - len(spelling)) <= most and _distance(typed, spelling) <= most:
            return field
    return ""


def _distance(one: str, other: str) -> int:
    """How many letters were mistyped; two that changed places are one mistake."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def is_special(line: str) -> bool:
    """Whether a line is anything but text."""
    return bool(FENCE.match(line) or ANY_HEADING.match(line) or field_in(line) or why_refused(line))


def labels_in(value: str, *, late: bool) -> tuple[str, ...]:
    """The words of a `Labels:` line. Below the text of a task they stand alone between commas, or it is a sentence."""
    if late and any(len(part.split()) > 1 for part in re.split(_BETWEEN, value)):
        raise BadInput("this is a sentence or a line of labels: labels have commas between them.")
    words = [plain(word) for word in re.split(rf"(?:{_BETWEEN}|\s)+", value)]
    labels = tuple(dict.fromkeys(_tidy(word) for word in words if word.lower() not in NOTHING))
    for label in labels:
        _refuse_bare_mode(label)
    return labels


def _tidy(word: str) -> str:
    """Without the marks of emphasis, and the sign that hash tags begin with."""
    return word.strip("_").lstrip("#") if word.startswith(("_", "#")) else word


def _refuse_bare_mode(label: str) -> None:
    """M2: a mode that lacks its `review:` would be a label like any other, and ask for nothing."""
    word = _word(label.replace("/", " ").replace(".", " "))
    for mode in MODES:
        if word == f"review {_word(mode)}" or word == mode.replace("-", " ") == "per task":
            raise BadInput(f"{label} is no mode as it stands: write review:{mode}.")


def second_field(value: str) -> str:
    """A second field in the value of one; empty if there is none."""
    match = _SECOND.search(value)
    return match.group() if match else ""


def mode_in(value: str, default: str) -> str:
    """The mode that `Mode:` names, `default`, or nothing."""
    mode = _word(plain(value)).replace(" ", "-").removeprefix("review:")
    if mode in NOTHING:
        return ""
    if mode in (default, *MODES):
        return MODES.get(mode, mode)
    raise BadInput(f"mode {mode!r} is none of {', '.join(MODES)}, {default}.")


def words_in(value: str) -> tuple[str, ...]:
    """What stands between commas, each without its decoration."""
    words = (plain(re.sub(r"^and\s+", "", word.strip())) for word in re.split(_BETWEEN, value))
    return tuple(word for word in words if word.lower() not in NOTHING)
