"""The shapes of SARIF 2.1.0, as far as anybody here asks for them: the rest is skipped.

What the format requires is required. A field that may be left out may be null, too; but whether a run went well, and
what it found, is never null (G1).
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

VERSION = "2.1.0"
MAX_LINE = 2**31 - 1
Level = Literal["error", "warning", "note", "none"]


WORDS = {"critical": 9.0, "high": 7.0, "medium": 4.0, "moderate": 4.0, "low": 1.0}
"""Scores that some tools write as words."""


def number_of(text: str) -> float | None:
    """A number that is written as text, or as a word for one; nothing where it is none ("undefined", "null")."""
    try:
        number = float(text)
    except ValueError:
        return WORDS.get(text.strip().lower())
    return number if number == number else None


TextIfAny = str | None
SarifLineNumber = Annotated[int, msgspec.Meta(ge=0, le=MAX_LINE)] | None
Index = Annotated[int, msgspec.Meta(ge=-1, le=MAX_LINE)] | None
Score = str | float | None
"""A number, also one that is written as text; a text that is none says nothing."""


class _Object(msgspec.Struct, frozen=True, rename="camel"):
    """An object of the format."""


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
