"""Every key of the configuration, with its default, its meaning and what makes it stricter. (P12)"""

from __future__ import annotations

import re
from typing import Literal

import msgspec

from foureyes.config import FILE as FILE
from foureyes.core.nouns.check_config import INPUTS, ISOLATIONS, CheckoutRule, CheckRule
from foureyes.core.nouns.session import GRADES
from foureyes.core.rules.policy import (
    CHECK_PATHS,
    COVERAGE_EXCLUDE,
    DEFAULT_PROFILES,
    DOCS_PATHS,
    HOMES,
    LINTERS,
    MODES,
    POLICIES,
    PROTECTED_PATHS,
    TEST_PATHS,
    WATCHED_PATHS,
    WORKTREE_FOR,
    AutoApprove,
    HumanRule,
    IdentityRule,
    LabelRule,
    Limits,
    MinorRule,
    PeersRule,
    Profile,
    ReviewPolicy,
    RiskRule,
    RunRule,
    SprintRule,
    Tiers,
)

# ---- Setting (P12) ----

SettingValue = (
    str | int | float | bool | tuple[str, ...] | dict[str, LabelRule] | dict[str, Profile] | tuple[CheckRule, ...]
)
Plain = Literal["text", "number", "share", "amount", "yes/no", "choice", "list", "rules", "profiles", "checks"]
SettingSource = Literal["environment", "store", "foureyes.toml", "default"]


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """One key of the configuration.

    - of, field: the rule struct that the key fills, and the field there if its name differs. The default comes from the
    struct.
    - own_default: the default of a key that no rule uses
    - builtin: the list that the key's entries extend
    - scale: what makes it stricter, so that the environment may tighten it. For a choice its values from strictest to
    loosest, for a number "low", for yes/no the stricter value. Without a scale, the environment cannot override the
    key.
    - only_tighter: not even a person may loosen it by the environment, because it decides who counts as a person
    """

    key: str
    kind: Plain
    meaning: str
    of: type[msgspec.Struct] | None = None
    field: str = ""
    own_default: SettingValue = ""
    builtin: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    scale: tuple[str, ...] | Literal["low", "no", "yes", ""] = ""
    only_tighter: bool = False

    @property
    def name(self) -> str:
        """The field of the struct that the key fills."""
        return self.field or self.key.rpartition(".")[2]

    @property
    def default(self) -> SettingValue:
        """The value if no layer sets it."""
        if self.builtin:
            return ()
        return self.own_default if self.of is None else getattr(self.of(), self.name)

    @property
    def env(self) -> str:
        """The environment variable of the key, empty if the environment cannot set it."""
        return "FOUREYES_" + self.key.replace(".", "_").upper() if self.scale else ""


# ---- The keys of `[work]` and `[checkout]` ----

CHECKOUT: tuple[Setting, ...] = (
    Setting(
        key="work.worktree",
        of=ReviewPolicy,
        kind="choice",
        allowed=WORKTREE_FOR,
        meaning="Who gets a worktree with a claim, unless `--worktree` or `--here` says otherwise. (K1)",
    ),
    Setting(
        key="work.copy",
        of=ReviewPolicy,
        field="copies",
        kind="list",
        meaning="Globs of files that git ignores, such as `.env`. Each new worktree gets a copy. (K1)",
    ),
    Setting(
        key="checkout.prepare",
        of=CheckoutRule,
        kind="text",
        meaning="A command that creates the environment of checks and worktrees, such as `npm ci`. (D5)",
    ),
    Setting(
        key="checkout.extra_inputs",
        of=CheckoutRule,
        field="inputs",
        builtin=INPUTS,
        kind="list",
        meaning="Globs of files that `prepare` sees. If one changes, a new environment is created. (D5)",
    ),
    Setting(
        key="checkout.build",
        of=CheckoutRule,
        kind="text",
        meaning="A command that runs before each check in its copy of the tree, such as an install of the project. (D5)",
    ),
    Setting(
        key="checkout.keep",
        of=CheckoutRule,
        kind="list",
        meaning="Paths that `prepare` creates in the tree and checks get, such as `.venv`. Empty: all of them. (D5)",
    ),
    Setting(
        key="checkout.env",
        of=CheckoutRule,
        kind="list",
        meaning="Environment variables that `prepare` and `build` may see. (D5)",
    ),
    Setting(
        key="checkout.isolation",
        of=CheckoutRule,
        kind="choice",
        allowed=ISOLATIONS,
        meaning="Hide home, store and other checkouts from checks. `auto`: with `prepare` or `build`, if the kernel can. `full`: always, or the check does not run. (D5)",
    ),
    Setting(
        key="checkout.writes",
        of=CheckoutRule,
        kind="list",
        meaning="Globs of files that `build` may change, such as `_version.py`. Any other change makes the run unsound. (D5)",
    ),
)


# ---- The keys of `[git]` and `[store]` ----

SHARING: tuple[Setting, ...] = (
    Setting(
        key="git.remote",
        of=ReviewPolicy,
        kind="text",
        meaning="The git remote with the target branch, such as `origin`. Attempts are pushed and merges made there. Empty: only this repository. (Q6)",
    ),
    Setting(
        key="store.url",
        kind="text",
        meaning="The address of a PostgreSQL store. Empty: `.foureyes/store.db`. `FOUREYES_STORE` overrides it.",
    ),
)
_NAME = re.compile(r"(?!-)[A-Za-z0-9._-]{1,100}")


def why_no_remote(name: str) -> str:
    """Return why this is not the name of a remote, or "". Addresses are refused, because each clone reaches the remote
    in its own way.
    """
    if not name or (_NAME.fullmatch(name) and ".." not in name and not name.endswith((".", ".lock"))):
        return ""
    return "allowed is the name that git remote lists (origin), or nothing"


# ---- Every key of the configuration ----

POLICY_ALIAS = "review_policy_mode"
ALIASES: dict[str, str] = {
    POLICY_ALIAS: "review.policy",
    "project.protected_paths": "project.extra_protected_paths",
    "checkout.inputs": "checkout.extra_inputs",
    "review.check_paths": "review.extra_check_paths",
    "review.coverage_exclude": "review.extra_coverage_exclude",
    "review.docs_paths": "review.extra_docs_paths",
    "review.linters": "review.extra_linters",
    "review.risk.high_lines": "review.risk.large_change",
    "review.risk.test_paths": "review.risk.extra_test_paths",
    "review.risk.watched_paths": "review.risk.extra_watched_paths",
}
"""Other names of keys. A value under one counts as a value of the key."""
WHOLE_LISTS = frozenset({"review.coverage_exclude", "review.docs_paths", "review.linters"})
"""Former keys whose list still replaces the built-in one. Their entries loosen, so that adding the built-in ones would
loosen more.
"""
REMOVED: dict[str, str] = {
    "checkout.timeout_minutes": "prepare and build may take an hour each",
    "minor.max_bytes": "a minor change has at most 4096 bytes",
    "review.human.batch_max": "a batch has at most 50 tasks",
    "review.human.sample_from": "no tasks are sampled from a batch",
    "review.human.sample_share": "no tasks are sampled from a batch",
    "review.peers.min_recall": "reviewers are not tested with planted faults any more",
    "review.risk.high_files": "a change of more than 20 files is high risk",
    "review.risk.look_lines": "a change of 100 lines is medium risk",
    "review.risk.new_agent": "an agent is new until 5 of its attempts were decided",
    "run.commit_max_files": "a runner commits at most 200 files for an agent",
    "run.commit_max_mb": "a runner commits at most 20 MB of new files for an agent",
    "run.min_free_mb": "a runner starts nothing with less than 200 MB free",
    "run.order": "the tiers come first, then the profiles of [agents] in their order",
}
"""Former keys, which are accepted and ignored, with what happens now."""
FEATURES: dict[str, str] = {
    "balanced_review_policy": "true: review.policy is balanced. false: strict. unset: review.policy decides."
}
FEATURE_ENV_ALIASES = {"balanced_review_policy": "TD_FEATURE_BALANCED_REVIEW_POLICY"}


SETTINGS: tuple[Setting, ...] = (
    Setting(key="project.id", kind="text", meaning="Written by `fe init`."),
    Setting(key="project.prefix", kind="text", own_default="fe", meaning="The beginning of task ids."),
    Setting(key="project.target", kind="text", own_default="main", meaning="The protected branch."),
    Setting(
        key="project.claim_stale_minutes",
        of=ReviewPolicy,
        kind="number",
        meaning="After this much silence anyone may release a claim.",
    ),
    Setting(
        key="project.extra_protected_paths",
        of=ReviewPolicy,
        field="protected_paths",
        builtin=PROTECTED_PATHS,
        kind="list",
        meaning="Globs. A change to such a file is never minor (P10), and only a person may approve it (A4).",
    ),
    Setting(
        key="identity.home",
        of=IdentityRule,
        kind="choice",
        allowed=HOMES,
        scale=HOMES,
        only_tighter=True,
        meaning="`container`: callers in a container are recognised as on the machine itself. `fe init` in a container sets it. (I3)",
    ),
    Setting(
        key="identity.uid_map",
        of=IdentityRule,
        kind="text",
        meaning="The lines of `/proc/self/uid_map` in that container, joined by commas. (I3)",
    ),
    *CHECKOUT,
    *SHARING,
    Setting(
        key="review.policy",
        of=ReviewPolicy,
        field="name",
        kind="choice",
        allowed=POLICIES,
        scale=POLICIES,
        meaning="Who may approve. (P)",
    ),
    Setting(
        key="review.independence",
        of=ReviewPolicy,
        kind="choice",
        allowed=GRADES,
        scale=tuple(reversed(GRADES)),
        meaning="How independent of every author a reviewer must be. (I6)",
    ),
    Setting(
        key="review.same_origin",
        of=ReviewPolicy,
        kind="choice",
        allowed=("refuse", "audit"),
        scale=("refuse", "audit"),
        meaning="Approval by another session of an author's origin: refused, or allowed and audited. (I4)",
    ),
    Setting(
        key="review.human_proof",
        of=ReviewPolicy,
        kind="choice",
        allowed=("observed", "key"),
        scale=("key", "observed"),
        only_tighter=True,
        meaning="`key`: people sign every decision. (I9)",
    ),
    Setting(
        key="review.agent_approval",
        of=ReviewPolicy,
        kind="choice",
        allowed=("reason", "review"),
        scale=("review", "reason"),
        meaning="`review`: an agent must submit a counting review before it can approve. (D9)",
    ),
    Setting(
        key="review.label_rules",
        of=ReviewPolicy,
        kind="rules",
        meaning="By label: `mode`, `auto_approve`, `independence` (grade), `reviews` (number), `reviewers` (names), `unseen` (note, ask, refuse).",
    ),
    Setting(
        key="review.default_mode",
        of=ReviewPolicy,
        kind="choice",
        allowed=MODES,
        scale=MODES,
        meaning="The review mode of a task without a label or plan. (M1)",
    ),
    Setting(
        key="review.reviews",
        of=ReviewPolicy,
        kind="number",
        meaning="How many counting reviews an approval needs. (D6)",
    ),
    Setting(
        key="review.extra_docs_paths",
        of=ReviewPolicy,
        field="docs_paths",
        builtin=DOCS_PATHS,
        kind="list",
        meaning="Globs. Label `docs` skips the review of these files only. (M3)",
    ),
    Setting(
        key="review.extra_check_paths",
        of=ReviewPolicy,
        field="check_paths",
        builtin=CHECK_PATHS,
        kind="list",
        meaning="Globs of files that decide how checks run. Mode `auto-approve` never approves a change to one. (M4)",
    ),
    Setting(
        key="review.quick_issues",
        of=ReviewPolicy,
        kind="list",
        meaning="The issues that `fe redo --issue` offers. (F1)",
    ),
    Setting(
        key="review.auto_approve.enabled",
        of=AutoApprove,
        kind="yes/no",
        scale="no",
        meaning="Allow auto-approval. (M4)",
    ),
    Setting(
        key="review.auto_approve.require_quality_pass",
        of=AutoApprove,
        kind="yes/no",
        scale="yes",
        meaning="Required checks must have passed where the authors could not interfere. (M4, D5)",
    ),
    Setting(
        key="review.auto_approve.max_iterations",
        of=AutoApprove,
        kind="number",
        meaning="Later iterations need a reviewer. 0: no limit. (M4)",
    ),
    Setting(
        key="review.auto_approve.require_signal_done",
        of=AutoApprove,
        kind="yes/no",
        scale="yes",
        meaning="Only work submitted with signal DONE. (M4)",
    ),
    Setting(
        key="review.human.settle_seconds",
        of=HumanRule,
        kind="number",
        meaning="How long a person can withdraw an approval before it merges. (Q0)",
    ),
    Setting(
        key="review.risk.large_change",
        of=RiskRule,
        kind="number",
        meaning="A change with more lines is high risk. (H1)",
    ),
    Setting(
        key="review.risk.extra_test_paths",
        of=RiskRule,
        field="test_paths",
        builtin=TEST_PATHS,
        kind="list",
        meaning="Globs of test files. (H1, M4)",
    ),
    Setting(
        key="review.risk.extra_watched_paths",
        of=RiskRule,
        field="watched_paths",
        builtin=WATCHED_PATHS,
        kind="list",
        meaning="Globs of dependencies, CI files and the like. A change to one is high risk. (H1)",
    ),
    Setting(
        key="agents",
        kind="profiles",
        own_default=DEFAULT_PROFILES,
        meaning="Agent profiles by name: program, model and vendor (I6), and how to run them (docs/howto/agent-programs.md).",
    ),
    Setting(
        key="review.extra_coverage_exclude",
        of=ReviewPolicy,
        field="coverage_exclude",
        builtin=COVERAGE_EXCLUDE,
        kind="list",
        meaning="Globs of changed files that reviewers need not read. (V6)",
    ),
    Setting(
        key="review.extra_linters",
        of=ReviewPolicy,
        field="linters",
        builtin=LINTERS,
        kind="list",
        meaning="Tools whose imported findings are at most MEDIUM, or as in `eslint=LOW`. (L1)",
    ),
    Setting(
        key="project.demo",
        of=ReviewPolicy,
        kind="yes/no",
        meaning="A project to try things in. Reviews by scripted agents count only in such a project. (V3)",
    ),
    Setting(
        key="review.peers.reviewers",
        of=PeersRule,
        kind="list",
        meaning="Agent profiles to ask for reviews, first in this order, then in turns. (V4)",
    ),
    Setting(
        key="review.peers.ask",
        of=PeersRule,
        kind="number",
        meaning="How many of them to ask about an attempt. 0: as many as reviews are required, at least one. (V4)",
    ),
    Setting(
        key="review.peers.timeout_minutes",
        of=PeersRule,
        kind="number",
        meaning="A reviewer who has not answered by then gives no review. At least 1. (V8)",
    ),
    Setting(
        key="review.silence_minutes",
        of=PeersRule,
        kind="number",
        meaning="If no agent run reports anything for this long, the work gets an early review. Less than `idle_minutes` of profiles. (V1)",
    ),
    Setting(key="review.peers.focus", of=ReviewPolicy, kind="list", meaning="The focus areas of reviewers. (V2)"),
    Setting(
        key="review.peers.max_words",
        of=ReviewPolicy,
        kind="number",
        meaning="How many words a reviewer's summary may have. (V2)",
    ),
    Setting(
        key="loop.no_progress_limit",
        of=Limits,
        kind="number",
        meaning="After this many rounds without progress the next tier takes over. At least 1. (E1)",
    ),
    Setting(
        key="loop.iteration_cap",
        of=Limits,
        kind="number",
        meaning="After this many iterations in a tier the next one takes over. At least 1. (E1)",
    ),
    Setting(
        key="loop.rejection_review_share",
        of=Limits,
        kind="share",
        meaning="If authors reject a larger share of the blocking findings, the lead decides. (L14)",
    ),
    Setting(key="tiers.developer", of=Tiers, kind="text", meaning="The agent profile that starts. (E2)"),
    Setting(
        key="tiers.senior",
        of=Tiers,
        kind="text",
        meaning="The agent profile that takes over next. (E2)",
    ),
    Setting(
        key="tiers.lead",
        of=Tiers,
        kind="text",
        meaning="Who decides about a stuck task: `human` or an agent profile. (E2, E3)",
    ),
    Setting(
        key="run.services",
        of=RunRule,
        kind="list",
        meaning="Services (cron, CI) that may start a runner, as user@host. Their agents count as independent. (I5)",
    ),
    Setting(
        key="run.review_limit",
        of=RunRule,
        kind="number",
        meaning="With this many tasks in review, agents start no new task, only fixes. 0: no limit.",
    ),
    Setting(key="run.checks_at_once", of=RunRule, kind="number", meaning="How many attempts are checked at once."),
    Setting(
        key="run.spend_per_task",
        of=RunRule,
        kind="amount",
        meaning="A task whose runs cost this much waits for a person, who may allow as much again. In the currency that programs report. 0: no limit.",
    ),
    Setting(
        key="run.spend_per_sprint",
        of=RunRule,
        kind="amount",
        meaning="A sprint that costs this much pauses. 0: no limit. (X3)",
    ),
    Setting(
        key="run.max_runs_per_task",
        of=RunRule,
        kind="number",
        meaning="After this many runs without a submission the task waits for a person.",
    ),
    Setting(
        key="run.notify",
        of=RunRule,
        kind="text",
        meaning="A command. A runner writes to its standard input what only a person can resolve. Empty: none.",
    ),
    Setting(key="sprint.pause_on_error", of=SprintRule, kind="yes/no", meaning="Pause a sprint on any error. (X3)"),
    Setting(
        key="sprint.checkpoint",
        of=SprintRule,
        kind="yes/no",
        meaning="Create a checkpoint before a sprint starts. (X1)",
    ),
    Setting(
        key="minor.self",
        of=MinorRule,
        kind="yes/no",
        scale="no",
        meaning="Authors may approve their own minor tasks.",
    ),
    Setting(
        key="minor.checks",
        of=MinorRule,
        kind="yes/no",
        scale="yes",
        meaning="Minor tasks need the required checks. (D5)",
    ),
    Setting(key="minor.max_lines", of=MinorRule, kind="number", scale="low", meaning="A larger change is not minor."),
    Setting(
        key="minor.self_approvals_per_day",
        of=MinorRule,
        kind="number",
        scale="low",
        meaning="For each origin, in 24 hours.",
    ),
    Setting(
        key="checks",
        of=ReviewPolicy,
        kind="checks",
        meaning="Each `[[checks]]` has `name`, `run`, `report` (none, junit, sarif), `report_files` (globs), `required`, `timeout_minutes`, `failed_exit`, `env`, `writes` (globs). (D5)",
    ),
)
BY_KEY: dict[str, Setting] = {setting.key: setting for setting in SETTINGS}


def names_of(key: str) -> list[str]:
    """Return a key and its other names."""
    return [key, *[old for old, new in ALIASES.items() if new == key]]


def instead_of(key: str) -> str:
    """Return the replacement for a former key, or an empty string for any other key."""
    if key in REMOVED:
        return f"{key} has no effect and can be removed ({REMOVED[key]})"
    if key == POLICY_ALIAS or key not in ALIASES:
        return ""
    new = ALIASES[key]
    if not BY_KEY[new].builtin:
        return f"{key} is now {new}"
    if key in WHOLE_LISTS:
        return f"{key} still replaces the built-in list. Write {new} instead, which adds to it"
    return f"{key} is now {new}, which adds to the built-in list"
