"""Aliases: earlier names of commands, and those of td, with the current command."""

from __future__ import annotations

from collections.abc import Sequence

ALIASES: dict[str, str] = {
    "agents": "agent list",
    "author clear": "audit correct-author",
    "backup": "store backup",
    "check try": "check detect --try",
    "checkout list": "check environments",
    "checkout prune": "check environments --prune",
    "emit": "agent emit",
    "feature": "config",
    "feature get": "config show",
    "feature list": "config show features",
    "feature set": "config set",
    "feature unset": "config unset",
    "finding respond": "finding answer",
    "finding rule": "finding judge",
    "loop": "show --rounds",
    "merges": "merge --list",
    "merges accept": "target accept",
    "merges address": "target address",
    "merges drop": "redo",
    "merges here": "target here",
    "merges list": "merge --list",
    "merges retry": "merge --retry",
    "policy": "config",
    "policy accept": "config accept",
    "policy set": "config set",
    "policy show": "config show",
    "policy unset": "config unset",
    "prompt": "show",
    "ready": "list --ready",
    "remind": "agent remind",
    "restore": "store restore",
    "review issues": "finding list --concerns",
    "review queue": "queue",
    "review result": "review submit",
    "reviewable": "list --reviewable",
    "rules": "help rules",
    "security": "audit exceptions",
    "signal": "agent signal",
    "stats loops": "stats",
    "stats reviewers": "stats",
    "stats reviews": "stats",
    "stats security": "audit exceptions",
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
