"""Verbs that only the caller's own process performs. A runner never performs one for a run."""

from __future__ import annotations

_STANDS = "it depends on the current directory"
_STARTS = "it runs programs from the checkout, below the caller's process"
_LONG = "it takes longer as the journal grows"
_RUNNER = "a runner starts no other runner"
_MACHINE = "it reads local files of the machine"
HERE: dict[str, str] = {
    "projects.create": _STANDS,
    "projects.backup": "it writes a file at any path",
    "sessions.recognise": "every call does it",
    "audit.export": _LONG,
    "audit.verify": _LONG,
    "worktrees.open": _STANDS,
    "worktrees.listed": _STANDS,
    "worktrees.prune": _STANDS,
    "checkouts.listed": _MACHINE,
    "checkouts.prune": _MACHINE,
    "checkpoints.create": _STANDS,
    "checkpoints.restore": _STANDS,
    "checkpoints.prune": _STANDS,
    "checks.run": _STARTS,
    "checks.run_each": _STARTS,
    "checks.run_target": _STARTS,
    "findings.apply": _STANDS,
    "runs.launch": _RUNNER,
    "planning.draft": _RUNNER,
    "agents.listed": _MACHINE,
    "doctor.examine": _MACHINE,
}
"""The verbs, each with the reason."""
HERE_NOUNS: dict[str, str] = {"drafts": "drafts are files of the person at the screen"}


def why_here(noun: str, verb: str) -> str:
    """Return why only the caller's own process can perform a verb, or "" if others can."""
    return HERE.get(f"{noun}.{verb}") or HERE_NOUNS.get(noun, "")
