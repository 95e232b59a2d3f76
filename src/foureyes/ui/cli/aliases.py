"""Aliases: earlier names of commands, and those of td, with the current command."""

from __future__ import annotations

from collections.abc import Sequence

ALIASES: dict[str, str] = {
    "agents": "agent list",
    "attach": "agent attach",
    "attention": "status --attention",
    "audit exceptions": "audit log --exceptions",
    "audit export": "audit log --export",
    "author clear": "audit correct-author",
    "backup": "store backup",
    "check try": "check detect --try",
    "checkout list": "check environments",
    "checkout prune": "check environments --prune",
    "checkpoint prune": "checkpoint list --prune",
    "config unset": "config set --default",
    "context": "show --context",
    "dep add": "dep",
    "dep rm": "dep --remove",
    "dep tree": "dep",
    "emit": "agent emit",
    "export handoff": "finding export",
    "feature": "config",
    "feature get": "config show",
    "feature list": "config show features",
    "feature set": "config set",
    "feature unset": "config set --default",
    "finding apply": "finding answer --apply",
    "finding respond": "finding answer",
    "finding rule": "finding judge",
    "finding track": "finding answer --track",
    "finding withdraw": "finding judge --withdraw",
    "import handoff": "finding import --handoff",
    "key new": "key add",
    "label add": "label",
    "label rm": "label --remove",
    "loop": "show --rounds",
    "merges": "merge --list",
    "merges accept": "target accept",
    "merges address": "target accept --address",
    "merges drop": "redo",
    "merges here": "target here",
    "merges list": "merge --list",
    "merges retry": "merge --retry",
    "policy": "config",
    "policy accept": "config accept",
    "policy set": "config set",
    "policy show": "config show",
    "policy unset": "config set --default",
    "prompt": "show",
    "ready": "list --ready",
    "remind": "agent remind",
    "restore": "store restore",
    "review ask": "review clarify --ask",
    "review end": "review decide --end",
    "review issues": "finding list --concerns",
    "review list": "review show",
    "review now": "review request --now",
    "review queue": "queue",
    "review result": "review submit",
    "reviewable": "list --reviewable",
    "rules": "help rules",
    "security": "audit log --exceptions",
    "session new": "whoami --new",
    "signal": "agent signal",
    "sprint list": "sprint status --all",
    "sprint report": "sprint status --report",
    "stats loops": "stats",
    "stats reviewers": "stats",
    "stats reviews": "stats",
    "stats security": "audit log --exceptions",
    "stop": "pause --now",
    "target address": "target accept --address",
    "validate": "check complete",
    "worktree list": "worktree",
    "worktree prune": "worktree --prune",
}
"""Aliases with their current command. No current name is also an alias."""


def current(args: Sequence[str]) -> list[str]:
    """Return the arguments with an earlier command name replaced by the current one."""
    words = list(args)
    if words[:1] == ["task"]:
        words = words[1:]
    for length in (2, 1):
        name = " ".join(words[:length])
        if name in ALIASES:
            return ALIASES[name].split() + words[length:]
    return words
