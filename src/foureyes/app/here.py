"""Verbs that only a process of the caller's own does: no runner does them for a run."""

from __future__ import annotations

_STANDS = "it is done where the caller stands"
_STARTS = "it starts programs of the tree, and they run below whoever asked for them"
_LONG = "it takes as long as the journal is"
_RUNNER = "a runner begins nobody's runner"
_MACHINE = "it looks at the machine"
HERE: dict[str, str] = {
    "projects.create": _STANDS,
    "projects.backup": "it writes a file wherever it is told to",
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
"""By verb, with the reason."""
HERE_NOUNS: dict[str, str] = {"drafts": "drafts are files of whoever looks at a screen"}


def why_here(noun: str, verb: str) -> str:
    """Why a verb is only done by a process of the caller's own; empty where others can do it for them."""
    return HERE.get(f"{noun}.{verb}") or HERE_NOUNS.get(noun, "")
