"""SARIF 2.1.0: what a tool found (D5). A scan that broke, or did not take place, is not a clean one (G1, lesson 30)."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from foureyes.core.nouns.check import ToolFinding
from foureyes.core.words.text import visible

MAX_BYTES = 50_000_000
MAX_TEXT = 1_000
BOM = b"\xef\xbb\xbf"
Level = Literal["none", "note", "warning", "error"]
Line = Annotated[int, msgspec.Meta(ge=0)]


class _Struct(msgspec.Struct, frozen=True, rename="camel"):
    """An object of the format; what we do not need is skipped."""


class _Text(_Struct, frozen=True):
    text: str = ""
    markdown: str = ""
    id: str = ""


class _Configuration(_Struct, frozen=True):
    level: Level = "warning"


class _Rule(_Struct, frozen=True):
    id: str
    default_configuration: _Configuration | None = None


class _Component(_Struct, frozen=True):
    name: str
    rules: list[_Rule] | None = None


class _Tool(_Struct, frozen=True):
    driver: _Component
    extensions: list[_Component] | None = None


class _ComponentReference(_Struct, frozen=True):
    index: int = -1


class _RuleReference(_Struct, frozen=True):
    id: str = ""
    index: int = -1
    tool_component: _ComponentReference | None = None


class _File(_Struct, frozen=True):
    uri: str = ""
    index: int = -1


class _Artifact(_Struct, frozen=True):
    location: _File | None = None


class _Region(_Struct, frozen=True):
    start_line: Line = 0


class _Physical(_Struct, frozen=True):
    artifact_location: _File | None = None
    region: _Region | None = None


class _Location(_Struct, frozen=True):
    physical_location: _Physical | None = None


class _Suppression(_Struct, frozen=True):
    status: str = "accepted"


class _Result(_Struct, frozen=True):
    message: _Text
    rule_id: str = ""
    rule_index: int = -1
    rule: _RuleReference | None = None
    kind: str = "fail"
    level: Level | None = None
    locations: list[_Location] | None = None
    suppressions: list[_Suppression] | None = None
    baseline_state: str = ""


class _Notification(_Struct, frozen=True):
    message: _Text
    level: Level = "warning"


class _Invocation(_Struct, frozen=True):
    execution_successful: bool = True
    process_start_failure_message: str = ""
    tool_execution_notifications: list[_Notification] | None = None
    tool_configuration_notifications: list[_Notification] | None = None


class _Run(_Struct, frozen=True):
    tool: _Tool
    results: list[_Result] | None = []
    invocations: list[_Invocation] | None = None
    artifacts: list[_Artifact] | None = None


class _Log(_Struct, frozen=True):
    version: Literal["2.1.0"]
    runs: list[_Run]


def read(data: bytes, root: str = "") -> tuple[ToolFinding, ...]:
    """Every result of a report that is not suppressed. Raises ValueError with a sentence when it is none or the tool
    broke.

    `root` is the directory that was checked: paths below it are made relative to it.
    """
    if len(data) > MAX_BYTES:
        raise ValueError(f"the report is larger than {MAX_BYTES // 1_000_000} MB")
    try:
        log = msgspec.json.decode(data.removeprefix(BOM), type=_Log)
    except RecursionError:
        raise ValueError("the report is no SARIF report: it is nested too deep") from None
    except ValueError as problem:
        raise ValueError(f"the report is no SARIF 2.1.0 report: {_short(str(problem))}") from None
    if not log.runs:
        raise ValueError("the report has no run of any tool in it")
    return tuple(finding for run in log.runs for finding in _findings(run, root))


def _findings(run: _Run, root: str) -> list[ToolFinding]:
    name = _short(run.tool.driver.name)
    if run.results is None:
        raise ValueError(f"{name} did not scan: its results are null")
    for invocation in run.invocations or ():
        if broke := _broke(invocation):
            raise ValueError(f"{name} broke: {broke}")
    rules = _Rules(run.tool)
    return [_finding(result, run, rules, root) for result in run.results if not _is_left_out(result)]


def _broke(invocation: _Invocation) -> str:
    """Why a run of the tool says nothing; empty when it went well."""
    if invocation.process_start_failure_message:
        return _short(invocation.process_start_failure_message)
    told = [*(invocation.tool_execution_notifications or ()), *(invocation.tool_configuration_notifications or ())]
    error = next((_said(notification.message) for notification in told if notification.level == "error"), None)
    if error is not None:
        return error or "an error without a message"
    return "" if invocation.execution_successful else "executionSuccessful is false"


def _is_left_out(result: _Result) -> bool:
    """Suppressed (and nobody has rejected that or is still looking at it), or gone since the baseline."""
    suppressed = bool(result.suppressions) and all(one.status == "accepted" for one in result.suppressions or ())
    return suppressed or result.baseline_state == "absent"


def _finding(result: _Result, run: _Run, rules: _Rules, root: str) -> ToolFinding:
    rule = rules.of(result)
    level: Level = result.level or (
        rule.default_configuration.level if rule and rule.default_configuration else "warning"
    )
    places = [place.physical_location for place in result.locations or () if place.physical_location]
    return ToolFinding(
        rule=_short(_id_of(result) or (rule.id if rule else "")),
        level=level if result.kind == "fail" else "none",
        path=_path(places[0].artifact_location, run, root) if places else "",
        line=places[0].region.start_line if places and places[0].region else 0,
        message=_said(result.message),
    )


def _id_of(result: _Result) -> str:
    return result.rule_id or (result.rule.id if result.rule else "")


class _Rules:
    """The rules of a tool and of its extensions, by place and by name."""

    def __init__(self, tool: _Tool) -> None:
        self._driver = tool.driver.rules or []
        self._extensions = [extension.rules or [] for extension in tool.extensions or ()]
        self._by_id = {rule.id: rule for rules in (*self._extensions, self._driver) for rule in rules}

    def of(self, result: _Result) -> _Rule | None:
        """The rule of a result: by its index, else by its name or the part of it before a slash."""
        reference = result.rule or _RuleReference()
        rules, component = self._driver, reference.tool_component
        if component is not None and component.index >= 0:
            rules = self._extensions[component.index] if component.index < len(self._extensions) else []
        index = result.rule_index if result.rule_index >= 0 else reference.index
        if 0 <= index < len(rules):
            return rules[index]
        name = _id_of(result)
        while name and name not in self._by_id:
            name = name.rpartition("/")[0]
        return self._by_id.get(name)


def _path(file: _File | None, run: _Run, root: str) -> str:
    """A path as git has it, where the report has an address; what lies elsewhere stays absolute."""
    from urllib.parse import unquote

    if file is not None and not file.uri and 0 <= file.index < len(run.artifacts or ()):
        file = (run.artifacts or [])[file.index].location
    uri = file.uri if file is not None else ""
    if uri.lower().startswith("file:"):
        uri = uri[5:]
        uri = "/" + uri[2:].partition("/")[2] if uri.startswith("//") else uri
    path = unquote(uri)
    inside = path.removeprefix(root.rstrip("/") + "/") if root else path
    return _short(inside.removeprefix("./"))


def _said(message: _Text) -> str:
    return _short(message.text or message.markdown or message.id)


def _short(text: str) -> str:
    """Text of a report, fit for one line."""
    return visible(" ".join(text[: MAX_TEXT * 2].split("\n")))[:MAX_TEXT].strip()
