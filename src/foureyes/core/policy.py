"""The review policy in force, as values: what the rules P, C and D are asked with."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from foureyes.core.paths import matching
from foureyes.core.session import GRADES, Grade

PolicyName = Literal["strict", "balanced", "delegated", "trusted"]
POLICIES: tuple[PolicyName, ...] = ("strict", "balanced", "delegated", "trusted")
"""From strictest to loosest: the scale by which an environment may only tighten (P12)."""

FINISHED_APART: frozenset[PolicyName] = frozenset({"delegated", "trusted"})
"""P11: where an approval may be recorded by one session and finished by another."""

SameOrigin = Literal["refuse", "audit"]
HumanProof = Literal["key", "observed"]
AgentApproval = Literal["review", "reason"]


class LabelRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a label asks of a review."""

    auto_approve: bool = True
    independence: Grade = "origin"


DEFAULT_LABEL_RULES: dict[str, LabelRule] = {"security": LabelRule(auto_approve=False, independence="human")}


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An agent program, and the model and vendor that count for sessions that are issued for it (I6)."""

    program: str = ""
    model: str = ""
    vendor: str = ""


DEFAULT_PROFILES: dict[str, Profile] = {
    "claude": Profile("claude", vendor="anthropic"),
    "codex": Profile("codex", vendor="openai"),
    "gemini": Profile("gemini", vendor="google"),
    "qwen": Profile("qwen", vendor="alibaba"),
    "opencode": Profile("opencode"),
}


class MinorRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """P10: how small a minor task is."""

    self: bool = True
    max_lines: int = 50
    self_approvals_per_day: int = 5


class ReviewPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a decision needs to know about the project's rules."""

    name: PolicyName = "balanced"
    independence: Grade = "origin"
    same_origin: SameOrigin = "refuse"
    human_proof: HumanProof = "observed"
    agent_approval: AgentApproval = "reason"
    label_rules: dict[str, LabelRule] = msgspec.field(default_factory=lambda: dict(DEFAULT_LABEL_RULES))
    minor: MinorRule = MinorRule()
    protected_paths: tuple[str, ...] = ("foureyes.toml",)
    claim_stale_minutes: int = 120


GATE_FILES = (
    "foureyes.toml", ".foureyes/prompts/**", "**/.gitattributes", ".gitmodules", "**/AGENTS.md", "**/CLAUDE.md", "**/GEMINI.md",
    "**/.claude/**", "**/.codex/**", "**/.gemini/**", "**/.mcp.json", ".githooks/**", ".husky/**", ".pre-commit-config.yaml",
    "lefthook.yml", "**/allowed_signers",
)  # fmt: skip
"""A4: what the gate, git and the agents are told by. Whoever changes one of these changes the judge."""


def gate_files(policy: ReviewPolicy, paths: Iterable[str]) -> list[str]:
    """A4: the changed paths that only a person may agree to."""
    return matching(paths, (*GATE_FILES, *policy.protected_paths))


def required_grade(policy: ReviewPolicy, labels: Iterable[str], paths: Iterable[str] = ()) -> tuple[Grade, str]:
    """P6: the highest grade that a changed gate file (A4), the policy or a label asks for, and what asked for it."""
    grade, source = policy.independence, "review.independence"
    touched = gate_files(policy, paths)
    if touched:
        return "human", f"the changed gate file {touched[0]} (A4)"
    for label in sorted(labels):
        rule = policy.label_rules.get(label)
        if rule is not None and GRADES.index(rule.independence) > GRADES.index(grade):
            grade, source = rule.independence, f"label {label}"
    return grade, source


def bars_auto_approval(policy: ReviewPolicy, labels: Iterable[str]) -> str | None:
    """The label whose rule says `auto_approve = false`, if any (P1)."""
    for label in sorted(labels):
        rule = policy.label_rules.get(label)
        if rule is not None and not rule.auto_approve:
            return label
    return None
