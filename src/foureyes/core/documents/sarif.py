"""SARIF 2.1.0 as tools write it: results with rule, message and place. (D5, L3)

A scan that broke or did not run is never clean (G1). Unused parts of the format are ignored, and any optional field may
be null.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import msgspec

from foureyes.core.documents.json_reader import Wrong, typed
from foureyes.core.words.text import in_line

# ---- The SARIF 2.1.0 shapes used here ----

# Fields required by the format are required. An optional field may be null, except those that show if a run went well
# and its results (G1).

VERSION = "2.1.0"
MAX_LINE = 2**31 - 1
Level = Literal["error", "warning", "note", "none"]


WORDS = {"critical": 9.0, "high": 7.0, "medium": 4.0, "moderate": 4.0, "low": 1.0}
"""Scores that some tools write as words."""


def number_of(text: str) -> float | None:
    """Parse a number written as text or as a word. Return None for other text, such as "undefined" or "null"."""
    try:
        number = float(text)
    except ValueError:
        return WORDS.get(text.strip().lower())
    return number if number == number else None


TextIfAny = str | None
SarifLineNumber = Annotated[int, msgspec.Meta(ge=0, le=MAX_LINE)] | None
Index = Annotated[int, msgspec.Meta(ge=-1, le=MAX_LINE)] | None
Score = str | float | None
"""A number, possibly written as text. Other text is ignored."""


class _Object(msgspec.Struct, frozen=True, rename="camel"):
    """A SARIF object."""


class Message(_Object, frozen=True):
    text: TextIfAny = None
    markdown: TextIfAny = None
    id: TextIfAny = None
    arguments: tuple[str, ...] | None = None


class Configuration(_Object, frozen=True):
    level: Level | None = None


class Properties(_Object, frozen=True):
    security_severity: Score = msgspec.field(default=None, name="security-severity")


class SarifRule(_Object, frozen=True):
    id: str
    default_configuration: Configuration | None = None
    short_description: Message | None = None
    message_strings: dict[str, Message] | None = None
    properties: Properties | None = None


class Component(_Object, frozen=True):
    name: str
    rules: tuple[SarifRule, ...] | None = None
    global_message_strings: dict[str, Message] | None = None


class SarifTool(_Object, frozen=True):
    driver: Component
    extensions: tuple[Component, ...] | None = None


class ComponentReference(_Object, frozen=True):
    index: Index = None


class RuleReference(_Object, frozen=True):
    id: TextIfAny = None
    index: Index = None
    tool_component: ComponentReference | None = None


class File(_Object, frozen=True):
    uri: TextIfAny = None
    uri_base_id: TextIfAny = None
    index: Index = None


class Artifact(_Object, frozen=True):
    location: File | None = None


class Region(_Object, frozen=True):
    start_line: SarifLineNumber = None
    end_line: SarifLineNumber = None
    snippet: Message | None = None


class Physical(_Object, frozen=True):
    artifact_location: File | None = None
    region: Region | None = None


class SarifLocation(_Object, frozen=True):
    physical_location: Physical | None = None


class Suppression(_Object, frozen=True):
    status: TextIfAny = None


class Replacement(_Object, frozen=True):
    deleted_region: Region | None = None
    inserted_content: Message | None = None


class ArtifactChange(_Object, frozen=True):
    replacements: tuple[Replacement, ...] | None = None


class Fix(_Object, frozen=True):
    description: Message | None = None
    artifact_changes: tuple[ArtifactChange, ...] | None = None


class Result(_Object, frozen=True):
    message: Message
    rule_id: TextIfAny = None
    rule_index: Index = None
    rule: RuleReference | None = None
    kind: TextIfAny = None
    level: Level | None = None
    rank: Score = None
    locations: tuple[SarifLocation, ...] | None = None
    suppressions: tuple[Suppression, ...] | None = None
    baseline_state: TextIfAny = None
    fixes: tuple[Fix, ...] | None = None
    properties: Properties | None = None


class Notification(_Object, frozen=True):
    message: Message
    level: Level | None = None


class Invocation(_Object, frozen=True):
    execution_successful: bool = True
    process_start_failure_message: TextIfAny = None
    tool_execution_notifications: tuple[Notification, ...] | None = None
    tool_configuration_notifications: tuple[Notification, ...] | None = None


class SarifRun(_Object, frozen=True):
    tool: SarifTool
    results: tuple[Result, ...] | None = ()
    invocations: tuple[Invocation, ...] | None = None
    artifacts: tuple[Artifact, ...] | None = None
    original_uri_base_ids: dict[str, File] | None = None


class SarifLog(_Object, frozen=True):
    version: Literal["2.1.0"]
    runs: tuple[SarifRun, ...]


# ---- SARIF 2.1.0 as tools write it ----

# A scan that broke or did not run is never clean (G1). Unused parts of the format are ignored. An optional field may
# be null.

OWN = "foureyes/"
"""Prefix of our own fingerprints, for findings by people or agents."""
CRITICAL, HIGH = 9.0, 7.0
"""Lowest scores for these severities, on a scale from 0 to 10."""
MAX_TOOL, MAX_MARK = 100, 300
MAX_BASES = 8
"""Most levels of nested base directories. More means a cycle."""
ROOTS = frozenset(
    {
        "SRCROOT", "SOURCEROOT", "PROJECTROOT", "REPOROOT", "ROOTPATH", "ROOT", "WORKSPACE", "WORKINGDIR",
        "WORKINGDIRECTORY", "PWD",
    }
)  # fmt: skip
"""Names that runs use for the source directory."""
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PLACEHOLDER = re.compile(r"\{([0-9]{1,3})\}")
_ESCAPED = re.compile(r"(?:%[0-9A-Fa-f]{2})+")


class BrokenReport(Wrong):
    """A report that says nothing about the code, because the tool broke or did not scan. `what` is the message alone."""

    def __init__(self, path: str, what: str) -> None:
        super().__init__(f"{path}: {what}")
        self.what = what


class Replaced(msgspec.Struct, frozen=True):
    """A tool's suggested replacement for some lines."""

    first: int
    last: int
    text: str


class Reported(msgspec.Struct, frozen=True, kw_only=True):
    """One result of a scan. Results that are suppressed or gone since the baseline are left out.

    - level: `none` if it is not a failure
    - place: a relative or absolute path, or an address that is not a file
    - roots: source directories that the run names
    - score: from 0 to 10
    - about: the rule's short description
    - mark: the tool's own id for it
    """

    level: Level
    rule: str
    message: str
    place: str = ""
    line: int = 0
    quote: str = ""
    score: float = 0.0
    about: str = ""
    fix: str = ""
    replaced: tuple[Replaced, ...] = ()
    roots: tuple[str, ...] = ()
    tool: str = ""
    mark: str = ""

    @property
    def worth(self) -> Level:
        """The level, raised to error by a high score."""
        return "error" if self.level != "none" and self.score >= HIGH else self.level


def results(document: Any) -> list[Reported]:
    """Return every result of a parsed log. Raise BrokenReport if a tool broke or did not scan, and Wrong if it is not a
    SARIF log.
    """
    if isinstance(document, dict) and document.get("version") != VERSION:
        version = document.get("version")
        given = in_line(version, 60) if isinstance(version, str) else "a log without a version"
        raise Wrong(f"version: only {VERSION} is read, not {given}")
    log = typed(document, SarifLog)
    if not log.runs:
        raise BrokenReport("runs", "it contains no run of a tool")
    raw_results = [run.get("results") or () for run in document["runs"]]
    runs = zip(log.runs, raw_results, strict=True)
    return [result for number, (run, raw) in enumerate(runs) for result in _of_run(run, raw, f"runs[{number}]")]


def is_address(place: str) -> bool:
    """Return True for an address that is not a file, such as `https://…`."""
    return bool(_SCHEME.match(place))


def _of_run(run: SarifRun, given: Sequence[Any], path: str) -> Iterator[Reported]:
    name = in_line(run.tool.driver.name, 200)
    if run.results is None:
        raise BrokenReport(f"{path}.results", f"is null, so {name} scanned nothing")
    for number, invocation in enumerate(run.invocations or ()):
        if why := _why_broken(invocation):
            raise BrokenReport(f"{path}.invocations[{number}]", f"{name} broke: {why}")
    context = _Context(run)
    both = zip(run.results, given, strict=True)
    return (context.reported(result, _mark(raw)) for result, raw in both if not _is_left_out(result))


def _why_broken(invocation: Invocation) -> str:
    """Return why a run of the tool says nothing about the code, or ""."""
    if invocation.process_start_failure_message:
        return in_line(invocation.process_start_failure_message, 1_000)
    notes = (*(invocation.tool_execution_notifications or ()), *(invocation.tool_configuration_notifications or ()))
    for note in notes:
        if note.level == "error":
            text = note.message.text or note.message.markdown or note.message.id or ""
            return in_line(text, 1_000) or "an error without a message"
    return "" if invocation.execution_successful else "executionSuccessful is false"


def _is_left_out(result: Result) -> bool:
    """Return True if the result is gone since the baseline, or suppressed without a pending or rejected review."""
    statuses = [suppression.status or "accepted" for suppression in result.suppressions or ()]
    is_suppressed = bool(statuses) and all(status == "accepted" for status in statuses)
    return is_suppressed or result.baseline_state == "absent"


NO_RULE = SarifRule(id="")


class _Context:
    """The lookups of one run for its results: rules, messages, files and base directories."""

    def __init__(self, run: SarifRun) -> None:
        components = (run.tool.driver, *(run.tool.extensions or ()))
        self._rules = [component.rules or () for component in components]
        self._by_id = {rule.id: rule for rules in reversed(self._rules) for rule in rules}
        self._strings = run.tool.driver.global_message_strings or {}
        self._files = run.artifacts or ()
        self._bases = run.original_uri_base_ids or {}
        self._roots = self._own_roots()
        self._tool = in_line(run.tool.driver.name, MAX_TOOL)

    def reported(self, result: Result, mark: str) -> Reported:
        rule = self._rule(result)
        level = result.level or (rule.default_configuration and rule.default_configuration.level) or "warning"
        place, region = self._place(result)
        fix = (result.fixes or (Fix(),))[0]
        return Reported(
            level=level if (result.kind or "fail") == "fail" else "none",
            rule=_rule_id(result) or rule.id,
            message=self._words(result.message, rule),
            place=place,
            line=region.start_line or 0,
            quote=_text(region.snippet),
            score=_score(result, rule),
            about=_text(rule.short_description),
            fix=_text(fix.description),
            replaced=tuple(_replaced(fix)),
            roots=self._roots,
            tool=self._tool,
            mark=mark,
        )

    def _rule(self, result: Result) -> SarifRule:
        """Return the rule of a result, found by index, by name, or by the part of the name before a slash."""
        reference = result.rule or RuleReference()
        component = _index(reference.tool_component.index if reference.tool_component else None) + 1
        rules = self._rules[component] if component < len(self._rules) else ()
        index = max(_index(result.rule_index), _index(reference.index))
        if 0 <= index < len(rules):
            return rules[index]
        name = _rule_id(result)
        while name and name not in self._by_id:
            name = name.rpartition("/")[0]
        return self._by_id.get(name, NO_RULE)

    def _words(self, message: Message, rule: SarifRule) -> str:
        """Return a message's text with its arguments inserted, looked up by id if needed."""
        text, name = message.text, message.id or ""
        for strings in (rule.message_strings or {}, self._strings):
            text = text or _text(strings.get(name))
        arguments = message.arguments or ()

        def put(place: re.Match[str]) -> str:
            number = int(place[1])
            return arguments[number] if number < len(arguments) else place[0]

        return _PLACEHOLDER.sub(put, text or message.markdown or name)

    def _place(self, result: Result) -> tuple[str, Region]:
        """Return the path and region of the first location in a file."""
        places = (location.physical_location for location in result.locations or ())
        place = next((place for place in places if place is not None), Physical())
        file = place.artifact_location or File()
        index = _index(file.index)
        if file.uri is None and 0 <= index < len(self._files):
            file = self._files[index].location or File()
        return self._resolved(file), place.region or Region()

    def _resolved(self, file: File, depth: int = 0) -> str:
        """Return the path of an address, resolved against its base directory."""
        path, base = _decoded(file.uri or ""), self._bases.get(file.uri_base_id or "")
        if base is None or path.startswith("/") or is_address(path) or depth > MAX_BASES:
            return path
        folder = self._resolved(base, depth + 1)
        return f"{folder.rstrip('/')}/{path}" if folder else path

    def _own_roots(self) -> tuple[str, ...]:
        """Return the source directories that the run names. If it names only one directory, it is that one."""
        names = [name for name in self._bases if name.strip("%").replace("_", "").upper() in ROOTS]
        folders = [self._resolved(self._bases[name]) for name in (self._bases if len(self._bases) == 1 else names)]
        return tuple(folder for folder in folders if folder.startswith("/") and folder.strip("/"))


def _mark(result: Any) -> str:
    """Return the tool's fingerprint of a result: the first by name, full ones before partial ones. Ignore Foureyes' own
    and values that are not text.
    """
    for kind in ("fingerprints", "partialFingerprints"):
        marks = result.get(kind) if isinstance(result, dict) else None
        for name, value in sorted(marks.items()) if isinstance(marks, dict) else ():
            if isinstance(value, str) and value and not name.startswith(OWN):
                return in_line(f"{name}={value}", MAX_MARK)
    return ""


def _rule_id(result: Result) -> str:
    return result.rule_id or (result.rule.id if result.rule else None) or ""


def _text(message: Message | None) -> str:
    return (message.text if message else None) or ""


def _index(number: int | None) -> int:
    return -1 if number is None else number


def _score(result: Result, rule: SarifRule) -> float:
    """Return the security severity of the result or of its rule. If the rank is higher, return the rank."""
    given = [_points(each.properties.security_severity if each.properties else None) for each in (result, rule)]
    severity = given[0] if given[0] is not None else given[1] or 0.0
    return max(severity, (_points(result.rank) or 0.0) / 10)


def _points(score: Score) -> float | None:
    return number_of(score) if isinstance(score, str) else score


def _replaced(fix: Fix) -> Iterator[Replaced]:
    for change in fix.artifact_changes or ():
        for each in change.replacements or ():
            gone = each.deleted_region or Region()
            first = gone.start_line or 0
            yield Replaced(first, gone.end_line or first, _text(each.inserted_content))


def _decoded(uri: str) -> str:
    """Return the path of a `file:` or relative address. Other addresses are returned unchanged."""
    if uri[:5].lower() == "file:":
        uri = uri[5:]
        uri = "/" + uri[2:].partition("/")[2] if uri.startswith("//") else uri
    elif is_address(uri):
        return uri
    path = _ESCAPED.sub(lambda run: bytes.fromhex(run[0].replace("%", "")).decode("utf-8", "replace"), uri)
    return "./" + path if is_address(path) else path
