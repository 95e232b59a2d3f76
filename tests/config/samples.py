"""Settings for tests: an example and wrong values of every key, and what layers of them make."""

from __future__ import annotations

import pytest
from hypothesis import settings

from foureyes.config.layers import Layers, resolve
from foureyes.config.parser import read_file
from foureyes.config.settings import BY_KEY, SettingValue
from foureyes.core.nouns.check_config import CheckRule
from foureyes.core.rules.policy import LabelRule, Profile
from foureyes.errors import ConfigError

from tests.stage.night import NIGHT, plays

quick = settings(derandomize=not NIGHT, max_examples=plays("random values"), deadline=None, database=None)
POLICY = BY_KEY["review.policy"]
FLAG, TD_FLAG = "FOUREYES_FEATURE_BALANCED_REVIEW_POLICY", "TD_FEATURE_BALANCED_REVIEW_POLICY"

EXAMPLES: dict[str, tuple[str, SettingValue]] = {
    "project.id": ('"0123"', "0123"),
    "project.prefix": ('"td"', "td"),
    "project.target": ('"trunk"', "trunk"),
    "project.claim_stale_minutes": ("30", 30),
    "project.extra_protected_paths": ('["a/**", "b"]', ("a/**", "b")),
    "identity.home": ('"container"', "container"),
    "identity.uid_map": ('"0 1000 1, 1 100000 65536"', "0 1000 1, 1 100000 65536"),
    "work.worktree": ('"always"', "always"),
    "work.copy": ('[".env"]', (".env",)),
    "checkout.prepare": ('"npm ci"', "npm ci"),
    "checkout.extra_inputs": ('["deps.txt"]', ("deps.txt",)),
    "checkout.build": ('"make"', "make"),
    "checkout.keep": ('[".venv"]', (".venv",)),
    "checkout.writes": ('["src/_version.py"]', ("src/_version.py",)),
    "checkout.env": ('["PIP_INDEX_URL"]', ("PIP_INDEX_URL",)),
    "checkout.isolation": ('"full"', "full"),
    "git.remote": ('"origin"', "origin"),
    "store.url": ('"postgresql://db/x"', "postgresql://db/x"),
    "review.policy": ('"strict"', "strict"),
    "review.independence": ('"vendor"', "vendor"),
    "review.same_origin": ('"audit"', "audit"),
    "review.human_proof": ('"key"', "key"),
    "review.agent_approval": ('"review"', "review"),
    "agents": ('{ claude = { model = "opus" } }', {"claude": Profile("claude", model="opus", vendor="anthropic")}),
    "review.label_rules": ('{ docs = { independence = "model" } }', {"docs": LabelRule("skip", independence="model")}),
    "review.default_mode": ('"per-task"', "per-task"),
    "review.reviews": ("2", 2),
    "review.extra_docs_paths": ('["*.txt"]', ("*.txt",)),
    "review.extra_check_paths": ('["ci/**"]', ("ci/**",)),
    "review.quick_issues": ('["Too long"]', ("Too long",)),
    "review.auto_approve.enabled": ("false", False),
    "review.auto_approve.require_quality_pass": ("false", False),
    "review.auto_approve.max_iterations": ("0", 0),
    "review.auto_approve.require_signal_done": ("false", False),
    "review.human.settle_seconds": ("0", 0),
    "review.risk.large_change": ("2", 2),
    "review.risk.extra_test_paths": ('["t/**"]', ("t/**",)),
    "review.risk.extra_watched_paths": ('["w/**"]', ("w/**",)),
    "review.extra_linters": ('["ruff=LOW"]', ("ruff=LOW",)),
    "review.extra_coverage_exclude": ('["dist/**"]', ("dist/**",)),
    "review.peers.focus": ('["Load"]', ("Load",)),
    "review.peers.max_words": ("90", 90),
    "review.peers.reviewers": ('["codex", "gemini"]', ("codex", "gemini")),
    "review.peers.ask": ("2", 2),
    "review.peers.timeout_minutes": ("5", 5),
    "review.silence_minutes": ("10", 10),
    "project.demo": ("true", True),
    "sprint.pause_on_error": ("true", True),
    "sprint.checkpoint": ("false", False),
    "run.spend_per_sprint": ("2.5", 2.5),
    "loop.no_progress_limit": ("3", 3),
    "loop.iteration_cap": ("8", 8),
    "loop.rejection_review_share": ("0.75", 0.75),
    "run.services": ('["ci@box"]', ("ci@box",)),
    "tiers.developer": ('"codex"', "codex"),
    "tiers.senior": ('"codex-senior"', "codex-senior"),
    "tiers.lead": ('"codex-lead"', "codex-lead"),
    "run.review_limit": ("20", 20),
    "run.checks_at_once": ("2", 2),
    "run.spend_per_task": ("2.5", 2.5),
    "run.max_runs_per_task": ("6", 6),
    "run.notify": ('"mail me"', "mail me"),
    "minor.self": ("false", False),
    "minor.checks": ("false", False),
    "minor.max_lines": ("0", 0),
    "minor.self_approvals_per_day": ("1", 1),
    "checks": (
        '[{ name = "tests", run = "pytest", report = "junit" }]',
        (CheckRule(name="tests", run="pytest", report="junit"),),
    ),
}
WRONG: dict[str, list[str]] = {
    "text": ["1", "true", "[]", "1.5", "{ a = 1 }"],
    "number": ['"5"', "-1", "1.5", "true", "[]"],
    "yes/no": ['"true"', "1", "[]"],
    "choice": ['"lax"', '"Strict"', '""', "1", "true", '["strict"]'],
    "list": ['"a"', "1", "[1]", '["a", 1]', "{ a = 1 }"],
    "share": ['"0.5"', "-0.1", "1.1", "2", "true", "[]", "nan", "inf"],
    "amount": ['"much"', "-1", "true", "nan"],
    "checks": [
        '"pytest"',
        "1",
        "{ name = 1 }",
        '["pytest"]',
        '[{ name = "a" }]',
        '[{ run = "a" }]',
        '[{ name = "a", run = "b", report = "html" }]',
        '[{ name = "a", run = "b", required = 1 }]',
        '[{ name = "a", run = "b", timeout = 5 }]',
        '[{ name = "a", run = "b", failed_exit = "1" }]',
    ],
    "profiles": ['"a"', "1", "[]", "{ claude = 1 }", "{ claude = { model = 1 } }", '{ claude = { modell = "x" } }'],
    "rules": [
        '"a"',
        "1",
        "[]",
        "{ docs = 1 }",
        '{ docs = { independence = "god" } }',
        "{ docs = { auto_approve = 1 } }",
        "{ docs = { x = 1 } }",
        '{ docs = { mode = "auto" } }',
        '{ docs = { reviews = "two" } }',
        '{ docs = { unseen = "never" } }',
    ],
}


def line(key: str, value: str) -> str:
    section, _, name = key.rpartition(".")
    return (f"[{section}]" if section else "") + f"\n{name} = {value}\n"


def error(text: str) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        read_file(text)
    return caught.value


def value_of(
    key: str = "review.policy",
    *,
    file: str = "",
    store: dict[str, str] | None = None,
    environ: dict[str, str] | None = None,
    human: bool = False,
) -> SettingValue:
    return resolve(BY_KEY[key], layers(file=file, store=store, environ=environ, human=human)).value


def layers(
    *, file: str = "", store: dict[str, str] | None = None, environ: dict[str, str] | None = None, human: bool = False
) -> Layers:
    return Layers(file=read_file(file), store=store or {}, environ=environ or {}, human=human)
