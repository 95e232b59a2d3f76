"""The review policy in force, as values: what the rules P, C and D are asked with."""

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
"""From strictest to loosest: the scale by which an environment may only tighten (P12)."""

FINISHED_APART: frozenset[PolicyName] = frozenset({"delegated", "trusted"})
"""P11: where an approval may be recorded by one session and finished by another."""

SameOrigin = Literal["refuse", "audit"]
HumanProof = Literal["key", "observed"]
AgentApproval = Literal["review", "reason"]
WorktreeFor = Literal["agents", "always", "never"]
WORKTREE_FOR: tuple[WorktreeFor, ...] = ("agents", "always", "never")
"""K1: whose claims come with a worktree."""
WORKTREE_DEFAULT: WorktreeFor = "agents"


Mode = Literal["per-task", "batch", "auto-approve", "skip"]
MODES: tuple[Mode, ...] = ("per-task", "batch", "auto-approve", "skip")
"""M: from most control to least."""

Unseen = Literal["note", "ask", "refuse"]
UNSEEN: tuple[Unseen, ...] = ("note", "ask", "refuse")
"""D8: from what asks for least to what asks for most."""

Home = Literal["host", "container"]
HOMES: tuple[Home, ...] = ("host", "container")
"""From strictest to loosest."""


class IdentityRule(msgspec.Struct, frozen=True):
    """I3: where people and agents of this project are seen for who they are."""

    home: Home = "host"
    uid_map: str = HOST_MAP


class LabelRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a label asks of a review: its mode (M3), whether M4 may decide, a grade (P6), how many reviews, and whose by
    name (D6), unseen hunks (D8).
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
"""V6: whether a program's stream tells every file that it reads."""


class Profile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An agent program, and the model and vendor that count for sessions that are issued for it (I6).

    `adapter` says how it is driven (empty: by the program's name, else as `text`), `output` how its stream is read
    (empty: as the adapter's). `args` are further arguments, of a `text` program all of them; those for reviews and for
    going on with a conversation take their place where they are given; `attach_args` are all that a person who takes a
    conversation over starts it with. `env` are variables that it gets: a name that is
    let through, or `NAME=value`. `reads`: whether its stream tells every file that it reads; then a review of it is
    held to that (V6).
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
"""I6, E2: a tier can only name who exists. `claude-senior` is the same program; a project gives it the larger model."""


def programs_of_profiles(profiles: Mapping[str, Profile]) -> dict[str, str]:
    """The program of each profile that is called otherwise; an observed agent is called like its program."""
    programs = {name: profile.program.rpartition("/")[2] for name, profile in profiles.items()}
    return {name: program for name, program in programs.items() if program not in ("", name)}


class MinorRule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """P10: how small a minor task is."""

    self: bool = True
    max_lines: int = 50
    self_approvals_per_day: int = 5
    checks: bool = True


class AutoApprove(msgspec.Struct, frozen=True):
    """M4: when nobody needs to look."""

    enabled: bool = True
    require_quality_pass: bool = True
    max_iterations: int = 3
    require_signal_done: bool = True


class HumanRule(msgspec.Struct, frozen=True):
    """How people decide (Q0, H2)."""

    settle_seconds: int = 10


BATCH_MAX = 50
"""H2: how many tasks one batch approval may have."""


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
"""M3: documents by suffix. SVG and HTML run scripts, and a folder of documents holds programs, too."""
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
"""M4: what tools read to know how to check, to build, and with which packages: settings, manifests, lock files."""

PROTECTED_PATHS = ("foureyes.toml", ".github/workflows/**")


class RiskRule(msgspec.Struct, frozen=True):
    """H1: where a change begins to be one to look at. Orders and asks, never decides."""

    large_change: int = 400
    test_paths: tuple[str, ...] = TEST_PATHS
    watched_paths: tuple[str, ...] = WATCHED_PATHS


class Limits(msgspec.Struct, frozen=True):
    """E5: when a loop goes to the next tier, in one place; warnings are computed from it."""

    no_progress_limit: int = 2
    iteration_cap: int = 5
    rejection_review_share: float = 0.5


HUMAN = "human"
"""E2: the tier of a person; no agent is called like it."""


class Tiers(msgspec.Struct, frozen=True):
    """E2: which agent profile works at which tier; `human` is a person."""

    developer: str = "claude"
    senior: str = "claude-senior"
    lead: str = HUMAN


class RunRule(msgspec.Struct, frozen=True):
    """What runners do (S, X3), and which services may begin one, as user@host; people may in any case (I5).

    `spend_per_task` is in the currency that programs report.
    """

    services: tuple[str, ...] = ()
    review_limit: int = 0
    checks_at_once: int = 1
    spend_per_task: float = 0.0
    spend_per_sprint: float = 0.0
    max_runs_per_task: int = 4
    notify: str = ""


class SprintRule(msgspec.Struct, frozen=True):
    """X1: what a sprint does where nobody says otherwise."""

    pause_on_error: bool = False
    checkpoint: bool = True


class PeersRule(msgspec.Struct, frozen=True):
    """V4: who is asked for reviews. `ask`: how many, 0 for as many as are required, and at least one.
    `silence_minutes`: V1.
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
"""Tools that call nearly everything an error: what is unsorted, too."""
FOLDED_PATHS = ("**/*.lock", "**/package-lock.json", "**/pnpm-lock.yaml", "**/go.sum", "**/*.min.js")
"""What tools write: shown folded, at the end."""


class ReviewPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """Everything a decision needs to know about the project's rules."""

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
    """The profiles that play a script: their reviews count only in a demo (V3)."""
    programs: dict[str, str] = msgspec.field(default_factory=lambda: programs_of_profiles(DEFAULT_PROFILES))
    """I6: the program of each profile that is called otherwise."""
    focus: tuple[str, ...] = FOCUS
    max_words: int = 200
    checks: tuple[CheckRule, ...] = ()
    protected_paths: tuple[str, ...] = PROTECTED_PATHS
    claim_stale_minutes: int = 120
    worktree: WorktreeFor = WORKTREE_DEFAULT
    copies: tuple[str, ...] = ()
    checkout: CheckoutRule = CheckoutRule()
    remote: str = ""
    """Q6: the git remote by which several machines share the project; empty: none."""


def deciding(policy: ReviewPolicy, paths: Iterable[str], called: Iterable[str] = ()) -> list[str]:
    """M4: the paths that decide how checks run, and what they run with: what the tools read, what the commands name,
    and what is `called` by a script that they name.
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


def check_commands(policy: ReviewPolicy) -> list[str]:
    """Every command that a check runs: its own, and those that make what it runs in."""
    commands = [policy.checkout.prepare, policy.checkout.build, *[rule.run for rule in policy.checks]]
    return [command for command in dict.fromkeys(commands) if command.strip()]


def gate_files(policy: ReviewPolicy, paths: Iterable[str]) -> list[str]:
    """A4: the changed paths that only a person may agree to; names without case."""
    wanted = list(paths)
    if not wanted:
        return []
    from foureyes.core.rules.gate_files import is_gate_file  # a long list, and most commands ask about no path
    from foureyes.core.words.paths import matching_any_case

    protected = set(matching_any_case(wanted, _with_links(policy.protected_paths)))
    return [path for path in wanted if is_gate_file(path) or path in protected]


@lru_cache(maxsize=16)
def _with_links(protected: tuple[str, ...]) -> tuple[str, ...]:
    """What is protected, and a link in the place of a protected folder."""
    return (*protected, *[glob.removesuffix("/**") for glob in protected if glob.endswith("/**")])


def rule_of(policy: ReviewPolicy, label: str) -> LabelRule | None:
    """M3: the rule of a label; without case. Of several that are the same label, what asks for more of each."""
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
    """Rules of one label that are written in several ways."""
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
    """P6: the highest grade that a changed gate file (A4), the policy or a label asks for, and what asked for it."""
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
    """D6: how many counting reviews an approval needs."""
    rules = [rule_of(policy, label) for label in labels]
    return max([policy.reviews, *[rule.reviews for rule in rules if rule is not None]])


def must_be_seen(policy: ReviewPolicy, labels: Iterable[str]) -> str | None:
    """D8: the label that wants every hunk shown to a person who approves, if any; one that refuses before one that
    asks.
    """
    rules = {label: rule for label in sorted(labels) if (rule := rule_of(policy, label))}
    return next((label for unseen in ("refuse", "ask") for label, rule in rules.items() if rule.unseen == unseen), None)


def bars_auto_approval(policy: ReviewPolicy, labels: Iterable[str]) -> str | None:
    """The label whose rule says `auto_approve = false`, if any (P1)."""
    for label in sorted(labels):
        rule = rule_of(policy, label)
        if rule is not None and not rule.auto_approve:
            return label
    return None


def digest_of(text: str) -> str:
    """What identifies a configuration."""
    return "sha256:" + sha256(text.encode()).hexdigest()
