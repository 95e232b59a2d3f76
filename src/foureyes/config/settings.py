"""Every key of the configuration: its default, its meaning, and which way is stricter (P12)."""

from __future__ import annotations

from typing import Literal

import msgspec

from foureyes.core.nouns.check import CheckRule
from foureyes.core.nouns.feedback import QUICK_ISSUES
from foureyes.core.nouns.session import GRADES
from foureyes.core.rules.policy import (
    CHECK_PATHS,
    COVERAGE_EXCLUDE,
    DEFAULT_LABEL_RULES,
    DEFAULT_PROFILES,
    DOCS_PATHS,
    FOCUS,
    MODES,
    POLICIES,
    TEST_PATHS,
    WATCHED_PATHS,
    LabelRule,
    Profile,
)

FILE = "foureyes.toml"
Value = str | int | float | bool | tuple[str, ...] | dict[str, LabelRule] | dict[str, Profile] | tuple[CheckRule, ...]
Plain = Literal["text", "number", "share", "yes/no", "choice", "list", "rules", "profiles", "checks"]
Source = Literal["environment", "store", "foureyes.toml", "default"]


class Setting(msgspec.Struct, frozen=True, kw_only=True):
    """One key of the configuration.

    `scale` says which way is stricter, so that an environment may tighten it: for a choice the allowed values from
    strictest to loosest, for a number "low", for yes/no the stricter of both. Without a scale it cannot be overridden
    there;
    `only_tighter` means that people cannot loosen it there either, because it is about who is a person.
    """

    key: str
    kind: Plain
    default: Value
    meaning: str
    allowed: tuple[str, ...] = ()
    scale: tuple[str, ...] | Literal["low", "no", "yes", ""] = ""
    only_tighter: bool = False

    @property
    def env(self) -> str:
        return "FOUREYES_" + self.key.replace(".", "_").upper() if self.scale else ""


SETTINGS: tuple[Setting, ...] = (
    Setting(key="project.id", kind="text", default="", meaning="written by init; ties the store to the target branch"),
    Setting(key="project.prefix", kind="text", default="fe", meaning="what task ids begin with"),
    Setting(key="project.target", kind="text", default="main", meaning="the protected branch"),
    Setting(
        key="project.claim_stale_minutes",
        kind="number",
        default=120,
        meaning="silence after which anyone may release a claim",
    ),
    Setting(
        key="project.protected_paths",
        kind="list",
        default=(FILE, ".github/workflows/**"),
        meaning="globs; a change that touches one is never minor (P10)",
    ),
    Setting(
        key="store.url",
        kind="text",
        default="",
        meaning="empty: .foureyes/store.db; or postgresql://… (FOUREYES_STORE wins)",
    ),
    Setting(
        key="review.policy",
        kind="choice",
        default="balanced",
        allowed=POLICIES,
        scale=POLICIES,
        meaning="who may approve (P); review_policy_mode is an alias",
    ),
    Setting(
        key="review.independence",
        kind="choice",
        default="origin",
        allowed=GRADES,
        scale=tuple(reversed(GRADES)),
        meaning="how independent of every author a reviewer must be (I6)",
    ),
    Setting(
        key="review.same_origin",
        kind="choice",
        default="refuse",
        allowed=("refuse", "audit"),
        scale=("refuse", "audit"),
        meaning="another session of an author's origin: refused, or allowed and audited (I4)",
    ),
    Setting(
        key="review.human_proof",
        kind="choice",
        default="observed",
        allowed=("observed", "key"),
        scale=("key", "observed"),
        only_tighter=True,
        meaning="key: every decision of a person is signed with their key (I9)",
    ),
    Setting(
        key="review.agent_approval",
        kind="choice",
        default="reason",
        allowed=("reason", "review"),
        scale=("review", "reason"),
        meaning="review: an agent's approval needs its own counting review of the diff (D9)",
    ),
    Setting(
        key="review.label_rules",
        kind="rules",
        default=DEFAULT_LABEL_RULES,
        meaning="by label: mode, auto_approve, independence (a grade), reviews (how many), unseen (note, ask, refuse)",
    ),
    Setting(
        key="review.default_mode",
        kind="choice",
        default="batch",
        allowed=MODES,
        scale=MODES,
        meaning="how a task without label or plan is reviewed (M1)",
    ),
    Setting(key="review.reviews", kind="number", default=0, meaning="how many counting reviews an approval needs (D6)"),
    Setting(
        key="review.docs_paths", kind="list", default=DOCS_PATHS, meaning="globs; label docs skips only these (M3)"
    ),
    Setting(
        key="review.check_paths",
        kind="list",
        default=CHECK_PATHS,
        meaning="globs; a change that touches one never approves itself (M4)",
    ),
    Setting(key="review.quick_issues", kind="list", default=QUICK_ISSUES, meaning="what fe redo --issue offers (F1)"),
    Setting(
        key="review.auto_approve.enabled",
        kind="yes/no",
        default=True,
        scale="no",
        meaning="whether anything approves itself at all (M4)",
    ),
    Setting(
        key="review.auto_approve.require_quality_pass",
        kind="yes/no",
        default=True,
        scale="yes",
        meaning="required checks passed where their makers could not touch them (M4, D5)",
    ),
    Setting(
        key="review.auto_approve.max_iterations",
        kind="number",
        default=3,
        meaning="later ones want eyes; 0: no limit (M4)",
    ),
    Setting(
        key="review.auto_approve.require_signal_done",
        kind="yes/no",
        default=True,
        scale="yes",
        meaning="handed in with signal DONE (M4)",
    ),
    Setting(
        key="review.human.sample_share",
        kind="share",
        default=0.1,
        meaning="part of a batch that is left to be looked at (H3)",
    ),
    Setting(
        key="review.human.sample_from", kind="number", default=5, meaning="batches of at least so many are sampled (H3)"
    ),
    Setting(
        key="review.human.batch_max",
        kind="number",
        default=50,
        scale="low",
        meaning="most tasks in one batch approval (H2)",
    ),
    Setting(
        key="review.human.settle_seconds",
        kind="number",
        default=10,
        meaning="how long a person's approval can be taken back before it merges (Q0)",
    ),
    Setting(
        key="review.risk.look_lines", kind="number", default=100, meaning="from so many changed lines on: look (H1)"
    ),
    Setting(
        key="review.risk.high_lines",
        kind="number",
        default=400,
        meaning="above so many changed lines: look closely (H1)",
    ),
    Setting(key="review.risk.high_files", kind="number", default=20, meaning="above so many files: look closely (H1)"),
    Setting(
        key="review.risk.new_agent",
        kind="number",
        default=5,
        meaning="an agent with fewer decided attempts is new: look (H1)",
    ),
    Setting(key="review.risk.test_paths", kind="list", default=TEST_PATHS, meaning="globs; what a test is (H1, M4)"),
    Setting(
        key="review.risk.watched_paths",
        kind="list",
        default=WATCHED_PATHS,
        meaning="globs; dependencies, CI …: look closely (H1)",
    ),
    Setting(
        key="agents",
        kind="profiles",
        default=DEFAULT_PROFILES,
        meaning="by agent: program, model and vendor; they count for issued sessions (I6)",
    ),
    Setting(
        key="review.coverage_exclude",
        kind="list",
        default=COVERAGE_EXCLUDE,
        meaning="globs; changed files that a review counts without (V6)",
    ),
    Setting(key="review.peers.focus", kind="list", default=FOCUS, meaning="what reviewers are asked to look at (V2)"),
    Setting(
        key="review.peers.max_words", kind="number", default=200, meaning="how long a reviewer's summary may be (V2)"
    ),
    Setting(
        key="loop.no_progress_limit",
        kind="number",
        default=2,
        meaning="rounds without progress after which the next tier takes over; at least 1 (E1)",
    ),
    Setting(
        key="loop.iteration_cap",
        kind="number",
        default=5,
        meaning="iterations within a tier after which the next one takes over; at least 1 (E1)",
    ),
    Setting(
        key="loop.rejection_review_share",
        kind="share",
        default=0.5,
        meaning="a larger share of rejected blocking findings asks for the lead (L14)",
    ),
    Setting(key="tiers.developer", kind="text", default="claude", meaning="the agent profile that begins (E2)"),
    Setting(key="tiers.senior", kind="text", default="claude-senior", meaning="the agent profile after that (E2)"),
    Setting(
        key="tiers.lead",
        kind="text",
        default="human",
        meaning="who decides about a stuck loop: human, or an agent profile (E2, E3)",
    ),
    Setting(
        key="minor.self",
        kind="yes/no",
        default=True,
        scale="no",
        meaning="whether an author may approve its own minor task",
    ),
    Setting(
        key="minor.checks",
        kind="yes/no",
        default=True,
        scale="yes",
        meaning="whether a minor task needs the required checks (D5)",
    ),
    Setting(key="minor.max_lines", kind="number", default=50, scale="low", meaning="a larger change is not minor"),
    Setting(
        key="minor.self_approvals_per_day",
        kind="number",
        default=5,
        scale="low",
        meaning="per origin, over the last 24 hours",
    ),
    Setting(
        key="checks",
        kind="checks",
        default=(),
        meaning="[[checks]]: name, run, report (none, junit, sarif), required, timeout_minutes, failed_exit, env (D5)",
    ),
)
BY_KEY: dict[str, Setting] = {setting.key: setting for setting in SETTINGS}
