"""The review policy in force: the input values of the rules P, C and D."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal

import msgspec

from foureyes.core.nouns.check_config import INPUTS, CheckoutRule, CheckRule
from foureyes.core.nouns.session import GRADES, HOST_MAP, Grade
from foureyes.core.words.digest import sha256
from foureyes.core.words.folding import folded
from foureyes.core.words.vocabulary import QUICK_ISSUES

PolicyName = Literal["strict", "balanced", "delegated", "trusted"]
POLICIES: tuple[PolicyName, ...] = ("strict", "balanced", "delegated", "trusted")
"""From strictest to loosest. An environment may only move toward strict. (P12)"""

FINISHED_APART: frozenset[PolicyName] = frozenset({"delegated", "trusted"})
"""Policies under which one session records an approval and another finishes it. (P11)"""

SameOrigin = Literal["refuse", "audit"]
HumanProof = Literal["key", "observed"]
AgentApproval = Literal["review", "reason"]
WorktreeFor = Literal["agents", "always", "never"]
WORKTREE_FOR: tuple[WorktreeFor, ...] = ("agents", "always", "never")
"""Which claims come with a worktree: those of agents, all, or none. (K1)"""
WORKTREE_DEFAULT: WorktreeFor = "agents"


Mode = Literal["per-task", "batch", "auto-approve", "skip"]
MODES: tuple[Mode, ...] = ("per-task", "batch", "auto-approve", "skip")
"""Review modes, strictest first. (M)"""

Unseen = Literal["note", "ask", "refuse"]
UNSEEN: tuple[Unseen, ...] = ("note", "ask", "refuse")
"""How hunks not shown are treated, most lenient first. (D8)"""

Home = Literal["host", "container"]
HOMES: tuple[Home, ...] = ("host", "container")
"""Places that can be a home, strictest first."""


class IdentityRule(msgspec.Struct, frozen=True):
    """The place where people and agents of this project can be identified. (I3)"""

    home: Home = "host"
    uid_map: str = HOST_MAP


class LabelRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The demands of a label on a review: mode (M3), auto-approval (M4), grade (P6), number of reviews and named
    reviewers (D6), unseen hunks (D8).
    """

    mode: Mode | None = None
    auto_approve: bool = True
    independence: Grade = "origin"
    reviews: int = 0
    reviewers: tuple[str, ...] = ()
    unseen: Unseen = "note"


DOCS = "docs"
DEFAULT_LABEL_RULES: dict[str, LabelRule] = {
    "security": LabelRule("per-task", auto_approve=False, independence="human"),
    DOCS: LabelRule("skip"),
    "trivial": LabelRule("auto-approve"),
}


Adapter = Literal["", "claude", "codex", "gemini", "opencode", "qwen", "acp", "text", "scripted"]
OutputFormat = Literal["", "claude", "codex", "gemini", "opencode", "text"]
Reads = Literal["", "complete"]
"""`complete` if the program's stream reports every file that it reads. (V6)"""


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An agent program, with the model and vendor for its sessions. (I6)

    - adapter: its driver. By default chosen by the program's name, else `text`.
    - output: format of its stream, by default the adapter's
    - args: extra arguments, or for `text` programs all arguments
    - review_args, resume_args: used instead for reviews, and to continue a conversation
    - attach_args: all arguments if a person takes over a conversation
    - env: variables, either a name to pass through or `NAME=value`
    - reads: if `complete`, a review must have read the files it covers (V6)
    """

    program: str = ""
    model: str = ""
    vendor: str = ""
    adapter: Adapter = ""
    output: OutputFormat = ""
    args: tuple[str, ...] = ()
    review_args: tuple[str, ...] = ()
    resume_args: tuple[str, ...] = ()
    attach_args: tuple[str, ...] = ()
    env: tuple[str, ...] = ()
    slots: int = 2
    deadline_minutes: int = 60
    idle_minutes: int = 20
    reads: Reads = ""


DEFAULT_PROFILES: dict[str, Profile] = {
    "claude": Profile("claude", vendor="anthropic"),
    "claude-senior": Profile("claude", vendor="anthropic"),
    "codex": Profile("codex", vendor="openai"),
    "gemini": Profile("gemini", vendor="google"),
    "qwen": Profile("qwen", vendor="alibaba"),
    "opencode": Profile("opencode"),
}
"""Default profiles, for each tier and vendor. `claude-senior` is the same program, to which a project gives the larger
model. (I6, E2)
"""


def programs_of_profiles(profiles: Mapping[str, Profile]) -> dict[str, str]:
    """Return the program of each profile that is named differently. Observed agents are named after their program."""
    programs = {name: profile.program.rpartition("/")[2] for name, profile in profiles.items()}
    return {name: program for name, program in programs.items() if program not in ("", name)}


class MinorRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The size limits of a minor task. (P10)"""

    self: bool = True
    max_lines: int = 50
    self_approvals_per_day: int = 5
    checks: bool = True


class AutoApprove(msgspec.Struct, frozen=True):
    """The conditions for approval without a reviewer. (M4)"""

    enabled: bool = True
    require_quality_pass: bool = True
    max_iterations: int = 3
    require_signal_done: bool = True


class HumanRule(msgspec.Struct, frozen=True):
    """Settings for decisions by people. (Q0, H2)"""

    settle_seconds: int = 10


BATCH_MAX = 50
"""Largest number of tasks in one batch approval. (H2)"""


TEST_PATHS = (
    "**/tests/**", "**/test/**", "**/__tests__/**", "**/spec/**", "**/test_*", "**/*_test.*", "**/*.test.*",
    "**/*.spec.*", "**/*Test.java", "**/test.*", "**/tests.*",
)  # fmt: skip
WATCHED_PATHS = (
    "**/*.lock", "**/package-lock.json", "**/pnpm-lock.yaml", "**/go.sum", "**/go.mod", "**/pyproject.toml",
    "**/requirements*.txt", "**/constraints*.txt", "**/CMakeLists.txt", "**/package.json", "**/Cargo.toml", "**/migrations/**", ".github/**", ".gitlab-ci.yml",
    ".circleci/**", "Jenkinsfile", ".ci/**", "**/Dockerfile*", "**/docker-compose*", "**/Containerfile*", "**/*.tf",
    "**/sudoers*", "**/CODEOWNERS",
)  # fmt: skip
DOCS_PATHS = (
    "**/*.md", "**/*.rst", "**/*.adoc", "**/doc/**/*.txt", "**/docs/**/*.txt", "**/*.png", "**/*.jpg", "**/*.gif",
    "**/*.webp",
)  # fmt: skip
"""Documents by suffix. SVG and HTML are left out because they run scripts, and folders because they may hold programs.
(M3)
"""
CHECK_PATHS = (
    "**/conftest.py", "**/pytest.ini", "**/.pytest.ini", "**/pytest.toml", "**/.pytest.toml", "**/tox.ini",
    "**/noxfile.py", "**/Makefile", "**/makefile", "**/GNUmakefile", "**/*.mk", "**/.eslintrc*", "**/eslint.config.*",
    "**/biome.json*", "**/tsconfig*.json", "**/jest.config.*", "**/vitest.config.*", "**/vite.config.*",
    "**/.mocharc*", "**/ruff.toml", "**/.ruff.toml", "**/mypy.ini", "**/.mypy.ini", "**/.pylintrc", "**/pylintrc",
    "**/pyrightconfig.json", "**/.flake8", "**/.golangci.*", "**/justfile", "**/Justfile", "**/.justfile",
    "**/.cargo/**", "**/build.rs", "**/sitecustomize.py", "**/usercustomize.py", "pytest.py", "pytest/**",
    "**/.coveragerc", "**/.venv", "**/.venv/**", "**/node_modules", "**/node_modules/**", "**/CMakeLists.txt",
    "**/*.cmake", "**/meson.build", "**/buildSrc/**", "**/build.xml", "**/*.sbt", "**/mix.exs", "**/mix.lock",
    "**/Package.swift", "**/*.csproj", "**/*.lock", *INPUTS,
)  # fmt: skip
"""Files that tools read for checks, builds and packages: settings, manifests and lock files. (M4)"""

PROTECTED_PATHS = ("foureyes.toml", ".github/workflows/**")


class RiskRule(msgspec.Struct, frozen=True):
    """Thresholds for the risk of a change. Risk orders tasks and raises questions, but never decides. (H1)"""

    large_change: int = 400
    test_paths: tuple[str, ...] = TEST_PATHS
    watched_paths: tuple[str, ...] = WATCHED_PATHS


class Limits(msgspec.Struct, frozen=True):
    """Limits beyond which a loop moves to the next tier. Warnings are computed from them too. (E5)"""

    no_progress_limit: int = 2
    iteration_cap: int = 5
    rejection_review_share: float = 0.5


HUMAN = "human"
"""The tier of a person. No agent may have this name. (E2)"""


class Tiers(msgspec.Struct, frozen=True):
    """The agent profile of each tier. `human` is a person. (E2)"""

    developer: str = "claude"
    senior: str = "claude-senior"
    lead: str = HUMAN


class RunRule(msgspec.Struct, frozen=True):
    """Settings for runners (S, X3).

    People may always start one, and so may the listed services, as user@host (I5). `spend_per_task` is in the currency
    that programs report.
    """

    services: tuple[str, ...] = ()
    review_limit: int = 0
    checks_at_once: int = 1
    spend_per_task: float = 0.0
    spend_per_sprint: float = 0.0
    max_runs_per_task: int = 4
    notify: str = ""


class SprintRule(msgspec.Struct, frozen=True):
    """Sprint defaults. (X1)"""

    pause_on_error: bool = False
    checkpoint: bool = True


class PeersRule(msgspec.Struct, frozen=True):
    """Settings for peer reviews. (V4)

    `ask` is the number of reviewers, 0 for as many as required but at least one. After `silence_minutes` without news,
    a review is triggered (V1).
    """

    reviewers: tuple[str, ...] = ()
    ask: int = 0
    timeout_minutes: int = 30
    silence_minutes: int = 15


FOCUS = ("Security vulnerabilities", "Spec compliance", "Integration correctness")
COVERAGE_EXCLUDE = ("**/*.lock", "**/*.min.js")
LINTERS = (
    "ruff", "eslint", "flake8", "pylint", "black", "isort", "mypy", "biome", "biome lint", "oxlint", "prettier",
    "stylelint", "tslint", "golangci-lint", "revive", "staticcheck", "clippy", "ktlint", "detekt", "checkstyle",
    "swiftlint", "rubocop", "phpcs", "php_codesniffer", "shellcheck", "hadolint", "markdownlint", "yamllint",
)  # fmt: skip
"""Tools that report almost everything as an error, even unsorted imports."""
FOLDED_PATHS = ("**/*.lock", "**/package-lock.json", "**/pnpm-lock.yaml", "**/go.sum", "**/*.min.js")
"""Generated files, which are shown folded at the end."""


class ReviewPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """All rules of a project that decisions depend on."""

    name: PolicyName = "balanced"
    independence: Grade = "origin"
    same_origin: SameOrigin = "refuse"
    human_proof: HumanProof = "observed"
    agent_approval: AgentApproval = "reason"
    label_rules: dict[str, LabelRule] = msgspec.field(default_factory=lambda: dict(DEFAULT_LABEL_RULES))
    minor: MinorRule = MinorRule()
    default_mode: Mode = "batch"
    auto: AutoApprove = AutoApprove()
    human: HumanRule = HumanRule()
    risk: RiskRule = RiskRule()
    reviews: int = 0
    docs_paths: tuple[str, ...] = DOCS_PATHS
    check_paths: tuple[str, ...] = CHECK_PATHS
    quick_issues: tuple[str, ...] = QUICK_ISSUES
    coverage_exclude: tuple[str, ...] = COVERAGE_EXCLUDE
    linters: tuple[str, ...] = LINTERS
    limits: Limits = Limits()
    tiers: Tiers = Tiers()
    run: RunRule = RunRule()
    sprint: SprintRule = SprintRule()
    peers: PeersRule = PeersRule()
    demo: bool = False
    scripted: frozenset[str] = frozenset()
    """Profiles that follow a script. Their reviews count only in a demo. (V3)"""
    programs: dict[str, str] = msgspec.field(default_factory=lambda: programs_of_profiles(DEFAULT_PROFILES))
    """Program of each profile that is named differently. (I6)"""
    focus: tuple[str, ...] = FOCUS
    max_words: int = 200
    checks: tuple[CheckRule, ...] = ()
    protected_paths: tuple[str, ...] = PROTECTED_PATHS
    claim_stale_minutes: int = 120
    worktree: WorktreeFor = WORKTREE_DEFAULT
    copies: tuple[str, ...] = ()
    checkout: CheckoutRule = CheckoutRule()
    remote: str = ""
    """The git remote shared by several machines, or "" for none. (Q6)"""


def deciding(policy: ReviewPolicy, paths: Iterable[str], called: Iterable[str] = ()) -> list[str]:
    """Return the paths that affect how checks run: tool settings, files named by commands, and `called` files named by
    those scripts. (M4)
    """
    wanted = list(paths)
    if not wanted:
        return []
    from foureyes.core.words.commands import named_by
    from foureyes.core.words.paths import matching_any_case

    globs = (*policy.check_paths, *policy.checkout.inputs)
    known = {*matching_any_case(wanted, globs), *called}
    commands = [named_by(command) for command in check_commands(policy)]
    return [path for path in wanted if path in known or any(command.has(path) for command in commands)]


def check_of(policy: ReviewPolicy, path: str) -> str:
    """Return the first check whose command names a path, or an empty string. (M4)"""
    from foureyes.core.words.commands import named_by

    return next((rule.name for rule in policy.checks if named_by(rule.run).has(path)), "")


def check_commands(policy: ReviewPolicy) -> list[str]:
    """Return all commands of the checks, also those that prepare and build the environment."""
    commands = [policy.checkout.prepare, policy.checkout.build, *[rule.run for rule in policy.checks]]
    return [command for command in dict.fromkeys(commands) if command.strip()]


def gate_files(policy: ReviewPolicy, paths: Iterable[str]) -> list[str]:
    """Return the changed paths that only a person may approve. Case is ignored. (A4)"""
    wanted = list(paths)
    if not wanted:
        return []
    from foureyes.core.rules.gate_files import is_gate_file  # a long list, and most commands need no path
    from foureyes.core.words.paths import matching_any_case

    protected = set(matching_any_case(wanted, _with_links(policy.protected_paths)))
    return [path for path in wanted if is_gate_file(path) or path in protected]


@lru_cache(maxsize=16)
def _with_links(protected: tuple[str, ...]) -> tuple[str, ...]:
    """Return the protected globs and the protected folders themselves, because a link may replace a folder."""
    return (*protected, *[glob.removesuffix("/**") for glob in protected if glob.endswith("/**")])


def rule_of(policy: ReviewPolicy, label: str) -> LabelRule | None:
    """Return the rule for a label, ignoring case. If several spellings have rules, the strictest combination counts.
    (M3)
    """
    rules = _by_folded_label(tuple(policy.label_rules)).get(folded(label), ())
    if len(rules) < 2:
        return policy.label_rules[rules[0]] if rules else None
    return _strictest([policy.label_rules[name] for name in rules])


@lru_cache(maxsize=16)
def _by_folded_label(labels: tuple[str, ...]) -> dict[str, list[str]]:
    spellings: dict[str, list[str]] = {}
    for label in labels:
        spellings.setdefault(folded(label), []).append(label)
    return spellings


def _strictest(rules: list[LabelRule]) -> LabelRule:
    """Return the strictest combination of rules for one label in several spellings."""
    modes = [rule.mode for rule in rules if rule.mode is not None]
    return LabelRule(
        mode=min(modes, key=MODES.index) if modes else None,
        auto_approve=all(rule.auto_approve for rule in rules),
        independence=max((rule.independence for rule in rules), key=GRADES.index),
        reviews=max(rule.reviews for rule in rules),
        reviewers=tuple(dict.fromkeys(name for rule in rules for name in rule.reviewers)),
        unseen=max((rule.unseen for rule in rules), key=UNSEEN.index),
    )


def required_grade(policy: ReviewPolicy, labels: Iterable[str], paths: Iterable[str] = ()) -> tuple[Grade, str]:
    """Return the highest grade required, and what requires it: a changed gate file (A4), the policy or a label. (P6)"""
    grade, source = policy.independence, "review.independence"
    touched = gate_files(policy, paths)
    if touched:
        return "human", f"the changed gate file {touched[0]} (A4)"
    for label in sorted(labels):
        rule = rule_of(policy, label)
        if rule is not None and GRADES.index(rule.independence) > GRADES.index(grade):
            grade, source = rule.independence, f"label {label}"
    return grade, source


def required_reviews(policy: ReviewPolicy, labels: Iterable[str]) -> int:
    """Return the number of counting reviews that an approval needs. (D6)"""
    rules = [rule_of(policy, label) for label in labels]
    return max([policy.reviews, *[rule.reviews for rule in rules if rule is not None]])


def must_be_seen(policy: ReviewPolicy, labels: Iterable[str]) -> str | None:
    """Return the label that requires every hunk to be shown to an approving person, or None. Labels with `refuse` come
    before labels with `ask`. (D8)
    """
    rules = {label: rule for label in sorted(labels) if (rule := rule_of(policy, label))}
    return next((label for unseen in ("refuse", "ask") for label, rule in rules.items() if rule.unseen == unseen), None)


def bars_auto_approval(policy: ReviewPolicy, labels: Iterable[str]) -> str | None:
    """Return the label whose rule has `auto_approve = false`, or None. (P1)"""
    for label in sorted(labels):
        rule = rule_of(policy, label)
        if rule is not None and not rule.auto_approve:
            return label
    return None


def digest_of(text: str) -> str:
    """Return the digest of a configuration."""
    return "sha256:" + sha256(text.encode()).hexdigest()
