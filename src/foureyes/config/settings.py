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
        return variable_of(self.key) if self.scale else ""


def variable_of(key: str) -> str:
    """Return the environment variable of a key."""
    return "FOUREYES_" + key.replace(".", "_").upper()


# ---- The keys of `[work]` and `[checkout]` ----

CHECKOUT: tuple[Setting, ...] = (
    Setting(
        key="work.worktree",
        of=ReviewPolicy,
        kind="choice",
        allowed=WORKTREE_FOR,
        meaning="whose claims come with a worktree of their own, where they do not say (K1)",
    ),
    Setting(
        key="work.copy",
        of=ReviewPolicy,
        field="copies",
        kind="list",
        meaning="globs; files of the main checkout that git ignores (.env …); each worktree gets a copy (K1)",
    ),
    Setting(
        key="checkout.prepare",
        of=CheckoutRule,
        kind="text",
        meaning="makes the environment of checks and worktrees (npm ci …); sees the inputs of a tree only (D5)",
    ),
    Setting(
        key="checkout.extra_inputs",
        of=CheckoutRule,
        field="inputs",
        builtin=INPUTS,
        kind="list",
        meaning="globs; what prepare sees, and what another environment is made for when it changes (D5)",
    ),
    Setting(
        key="checkout.build",
        of=CheckoutRule,
        kind="text",
        meaning="runs before each check in its own copy of the tree, e.g. to install the project itself (D5)",
    ),
    Setting(
        key="checkout.keep",
        of=CheckoutRule,
        kind="list",
        meaning="paths of what prepare leaves in the tree that are kept (.venv …); empty: all of it (D5)",
    ),
    Setting(
        key="checkout.env",
        of=CheckoutRule,
        kind="list",
        meaning="variables of whoever runs the checks that prepare and build get (D5)",
    ),
    Setting(
        key="checkout.isolation",
        of=CheckoutRule,
        kind="choice",
        allowed=ISOLATIONS,
        meaning="auto: with prepare or build, and where the kernel lets us, a check sees no home, store or checkout; "
        "full: always, or it does not run; none: never (D5)",
    ),
    Setting(
        key="checkout.writes",
        of=CheckoutRule,
        kind="list",
        meaning="globs; files of the tree that build may change (src/pkg/_version.py …); any other makes the run "
        "unsound (D5)",
    ),
)


# ---- The keys of `[git]` and `[store]` ----

SHARING: tuple[Setting, ...] = (
    Setting(
        key="git.remote",
        of=ReviewPolicy,
        kind="text",
        meaning="the git remote (origin) that has the project's one target branch: attempts are pushed there, merges "
        "move it there; empty: this repository alone (Q6)",
    ),
    Setting(key="store.url", kind="text", meaning="empty: .foureyes/store.db; or postgresql://… (FOUREYES_STORE wins)"),
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
    "balanced_review_policy": "true: review.policy is balanced, false: strict; unset: review.policy decides"
}
FEATURE_ENV_ALIASES = {"balanced_review_policy": "TD_FEATURE_BALANCED_REVIEW_POLICY"}


SETTINGS: tuple[Setting, ...] = (
    Setting(key="project.id", kind="text", meaning="written by init; ties the store to the target branch"),
    Setting(key="project.prefix", kind="text", own_default="fe", meaning="what task ids begin with"),
    Setting(key="project.target", kind="text", own_default="main", meaning="the protected branch"),
    Setting(
        key="project.claim_stale_minutes",
        of=ReviewPolicy,
        kind="number",
        meaning="silence after which anyone may release a claim",
    ),
    Setting(
        key="project.extra_protected_paths",
        of=ReviewPolicy,
        field="protected_paths",
        builtin=PROTECTED_PATHS,
        kind="list",
        meaning="globs; a change that touches one is never minor (P10), and only a person may approve it (A4)",
    ),
    Setting(
        key="identity.home",
        of=IdentityRule,
        kind="choice",
        allowed=HOMES,
        scale=HOMES,
        only_tighter=True,
        meaning="container: people and agents inside one are who they are seen to be; written by init in one (I3)",
    ),
    Setting(
        key="identity.uid_map",
        of=IdentityRule,
        kind="text",
        meaning="the lines of /proc/self/uid_map in that container, joined by commas; as on the machine itself (I3)",
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
        meaning="who may approve (P); review_policy_mode is an alias",
    ),
    Setting(
        key="review.independence",
        of=ReviewPolicy,
        kind="choice",
        allowed=GRADES,
        scale=tuple(reversed(GRADES)),
        meaning="how independent of every author a reviewer must be (I6)",
    ),
    Setting(
        key="review.same_origin",
        of=ReviewPolicy,
        kind="choice",
        allowed=("refuse", "audit"),
        scale=("refuse", "audit"),
        meaning="another session of an author's origin: refused, or allowed and audited (I4)",
    ),
    Setting(
        key="review.human_proof",
        of=ReviewPolicy,
        kind="choice",
        allowed=("observed", "key"),
        scale=("key", "observed"),
        only_tighter=True,
        meaning="key: every decision of a person is signed with their key (I9)",
    ),
    Setting(
        key="review.agent_approval",
        of=ReviewPolicy,
        kind="choice",
        allowed=("reason", "review"),
        scale=("review", "reason"),
        meaning="review: an agent must submit a counting review of the diff before it can approve (D9)",
    ),
    Setting(
        key="review.label_rules",
        of=ReviewPolicy,
        kind="rules",
        meaning="by label: mode, auto_approve, independence (a grade), reviews (how many), reviewers "
        "(whose, by name), unseen (note, ask, refuse)",
    ),
    Setting(
        key="review.default_mode",
        of=ReviewPolicy,
        kind="choice",
        allowed=MODES,
        scale=MODES,
        meaning="how a task without label or plan is reviewed (M1)",
    ),
    Setting(key="review.reviews", of=ReviewPolicy, kind="number", meaning="how many counting reviews are needed (D6)"),
    Setting(
        key="review.extra_docs_paths",
        of=ReviewPolicy,
        field="docs_paths",
        builtin=DOCS_PATHS,
        kind="list",
        meaning="globs; label docs skips review of these only (M3)",
    ),
    Setting(
        key="review.extra_check_paths",
        of=ReviewPolicy,
        field="check_paths",
        builtin=CHECK_PATHS,
        kind="list",
        meaning="globs of more files that decide how checks run: no rule approves a change of one (M4)",
    ),
    Setting(key="review.quick_issues", of=ReviewPolicy, kind="list", meaning="what fe redo --issue offers (F1)"),
    Setting(
        key="review.auto_approve.enabled",
        of=AutoApprove,
        kind="yes/no",
        scale="no",
        meaning="whether anything approves itself at all (M4)",
    ),
    Setting(
        key="review.auto_approve.require_quality_pass",
        of=AutoApprove,
        kind="yes/no",
        scale="yes",
        meaning="required checks passed where their makers could not touch them (M4, D5)",
    ),
    Setting(
        key="review.auto_approve.max_iterations",
        of=AutoApprove,
        kind="number",
        meaning="later ones want eyes; 0: no limit (M4)",
    ),
    Setting(
        key="review.auto_approve.require_signal_done",
        of=AutoApprove,
        kind="yes/no",
        scale="yes",
        meaning="submitted with signal DONE (M4)",
    ),
    Setting(
        key="review.human.settle_seconds",
        of=HumanRule,
        kind="number",
        meaning="how long a person's approval can be taken back before it merges (Q0)",
    ),
    Setting(
        key="review.risk.large_change",
        of=RiskRule,
        kind="number",
        meaning="a change with more lines than this is high risk (H1)",
    ),
    Setting(
        key="review.risk.extra_test_paths",
        of=RiskRule,
        field="test_paths",
        builtin=TEST_PATHS,
        kind="list",
        meaning="globs of test files (H1, M4)",
    ),
    Setting(
        key="review.risk.extra_watched_paths",
        of=RiskRule,
        field="watched_paths",
        builtin=WATCHED_PATHS,
        kind="list",
        meaning="globs; a change of a dependency, of CI and the like is high risk (H1)",
    ),
    Setting(
        key="agents",
        kind="profiles",
        own_default=DEFAULT_PROFILES,
        meaning="by agent: its program, model and vendor, which count for issued sessions (I6), and how it is run: "
        "docs/howto/agent-programs.md",
    ),
    Setting(
        key="review.extra_coverage_exclude",
        of=ReviewPolicy,
        field="coverage_exclude",
        builtin=COVERAGE_EXCLUDE,
        kind="list",
        meaning="globs of changed files that a reviewer need not read (V6)",
    ),
    Setting(
        key="review.extra_linters",
        of=ReviewPolicy,
        field="linters",
        builtin=LINTERS,
        kind="list",
        meaning="tools whose reports (fe finding import) do not block by their level alone: at most MEDIUM, or as "
        '"eslint=LOW" says (L1)',
    ),
    Setting(
        key="project.demo",
        of=ReviewPolicy,
        kind="yes/no",
        meaning="a project to try things in: what scripted agents say in reviews counts there, and nowhere else (V3)",
    ),
    Setting(
        key="review.peers.reviewers",
        of=PeersRule,
        kind="list",
        meaning="agent profiles that are asked to review what is submitted, in this order at first, then in turns (V4)",
    ),
    Setting(
        key="review.peers.ask",
        of=PeersRule,
        kind="number",
        meaning="how many of them are asked about an attempt; 0: as many as reviews are required, at least one (V4)",
    ),
    Setting(
        key="review.peers.timeout_minutes",
        of=PeersRule,
        kind="number",
        meaning="who was asked and says nothing for so long gives no review; at least 1 (V8)",
    ),
    Setting(
        key="review.silence_minutes",
        of=PeersRule,
        kind="number",
        meaning="no live run says anything for so long: their work is looked at; less than idle_minutes of profiles "
        "(V1)",
    ),
    Setting(key="review.peers.focus", of=ReviewPolicy, kind="list", meaning="what reviewers are asked to look at (V2)"),
    Setting(
        key="review.peers.max_words",
        of=ReviewPolicy,
        kind="number",
        meaning="how long a reviewer's summary may be (V2)",
    ),
    Setting(
        key="loop.no_progress_limit",
        of=Limits,
        kind="number",
        meaning="rounds without progress after which the next tier takes over; at least 1 (E1)",
    ),
    Setting(
        key="loop.iteration_cap",
        of=Limits,
        kind="number",
        meaning="iterations within a tier after which the next one takes over; at least 1 (E1)",
    ),
    Setting(
        key="loop.rejection_review_share",
        of=Limits,
        kind="share",
        meaning="a larger share of rejected blocking findings asks for the lead (L14)",
    ),
    Setting(key="tiers.developer", of=Tiers, kind="text", meaning="the agent profile that begins (E2)"),
    Setting(
        key="tiers.senior",
        of=Tiers,
        kind="text",
        meaning="the agent profile after that; [agents] says which model it is (E2)",
    ),
    Setting(
        key="tiers.lead",
        of=Tiers,
        kind="text",
        meaning="who decides about a stuck loop: human, or an agent profile (E2, E3)",
    ),
    Setting(
        key="run.services",
        of=RunRule,
        kind="list",
        meaning="user@host of services (cron, CI) that may begin a runner; whom they start counts as independent (I5)",
    ),
    Setting(
        key="run.review_limit",
        of=RunRule,
        kind="number",
        meaning="while so many tasks wait in review no new task is begun, only fixes; 0: no limit",
    ),
    Setting(key="run.checks_at_once", of=RunRule, kind="number", meaning="the checks of so many attempts run at once"),
    Setting(
        key="run.spend_per_task",
        of=RunRule,
        kind="amount",
        meaning="a task whose runs cost so much goes to a person, who may let it cost as much again; in the currency "
        "that programs report; 0: no cap",
    ),
    Setting(key="run.spend_per_sprint", of=RunRule, kind="amount", meaning="the same of a sprint: it pauses (X3)"),
    Setting(
        key="run.max_runs_per_task", of=RunRule, kind="number", meaning="so many without a submission, then a person"
    ),
    Setting(
        key="run.notify",
        of=RunRule,
        kind="text",
        meaning="a command that a runner tells what only a person can move, on its standard input; empty: none",
    ),
    Setting(key="sprint.pause_on_error", of=SprintRule, kind="yes/no", meaning="sprints pause on any error (X3)"),
    Setting(key="sprint.checkpoint", of=SprintRule, kind="yes/no", meaning="a checkpoint before a sprint starts (X1)"),
    Setting(
        key="minor.self",
        of=MinorRule,
        kind="yes/no",
        scale="no",
        meaning="whether an author may approve its own minor task",
    ),
    Setting(
        key="minor.checks",
        of=MinorRule,
        kind="yes/no",
        scale="yes",
        meaning="whether a minor task needs the required checks (D5)",
    ),
    Setting(key="minor.max_lines", of=MinorRule, kind="number", scale="low", meaning="a larger change is not minor"),
    Setting(
        key="minor.self_approvals_per_day",
        of=MinorRule,
        kind="number",
        scale="low",
        meaning="per origin, over the last 24 hours",
    ),
    Setting(
        key="checks",
        of=ReviewPolicy,
        kind="checks",
        meaning="[[checks]]: name, run, report (none, junit, sarif), report_files (globs, where the tool names its "
        "reports itself), required, timeout_minutes, failed_exit, env, writes "
        "(globs of files of its tree that it may change: Cargo.lock …; any other one makes the run unsound) (D5)",
    ),
)
BY_KEY: dict[str, Setting] = {setting.key: setting for setting in SETTINGS}


def names_of(key: str) -> list[str]:
    """Return a key and its other names."""
    return [key, *[old for old, new in ALIASES.items() if new == key]]


def instead_of(key: str) -> str:
    """Return the replacement for a former key, or an empty string for any other key."""
    if key in REMOVED:
        return f"{key} has no effect, remove it ({REMOVED[key]})"
    if key == POLICY_ALIAS or key not in ALIASES:
        return ""
    new = ALIASES[key]
    if not BY_KEY[new].builtin:
        return f"{key} is now {new}"
    if key in WHOLE_LISTS:
        return f"{key} still replaces the built-in list: write {new}, which adds to it"
    return f"{key} is now {new} and adds to the built-in list"
