"""The catalog: every noun and verb of the Application.

The Application and a completeness test are built from it. It consists of plain constants, because creating a hundred
objects would slow down every start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import msgspec

if TYPE_CHECKING:
    from foureyes.core.nouns.session import SessionKind


# ---- Catalog runs ----

Callers = Literal["anyone", "agents and people", "people and services", "people"]
Writes = Literal["journal", "files", ""]
"""Kinds of writes by a verb: journal rows, only files or refs of the caller, or nothing."""

VerbRow = tuple[str, tuple[str, ...], Callers, Writes, str, str]
"""Name, rights, callers, writes, command and help text of a verb."""

RUN_VERBS: dict[str, tuple[VerbRow, ...]] = {
    "runs": (
        ("begin", ("run",), "people and services", "journal", "", "Start a runner."),
        ("launch", ("run",), "people and services", "files", "", "Start a runner in a process of its own."),
        ("finish", ("run",), "people and services", "journal", "", "End a runner."),
        ("runners", (), "anyone", "", "", "List live runners, and dead ones that left something."),
        ("reserve", ("run",), "people and services", "journal", "", "Take a task for a run."),
        ("bind", ("run",), "people and services", "journal", "", "Give a run its token and its claim."),
        ("renew", ("run",), "people and services", "journal", "", "Keep the leases of a runner and its runs."),
        ("holds", (), "anyone", "", "", "Whether a runner holds the lease of a run."),
        ("take_over", ("run",), "people and services", "journal", "", "Take over a run that lost its runner."),
        ("end", ("run",), "people and services", "journal", "", "End a run whose processes are all gone."),
        ("submit_work", ("run",), "people and services", "journal", "", "Submit the work of a run for its implementer."),
        ("release", ("run",), "people and services", "journal", "", "Release the claim of a run."),
        ("ask_stop", ("pause --now",), "people and services", "journal", "pause --now", "Stop the agent runs of a task."),
        ("signal", ("agent signal",), "agents and people", "journal", "agent signal", "Report how a run ended."),
        ("emit", ("agent emit",), "agents and people", "journal", "agent emit", "Report an event during a run."),
        ("heard", ("run",), "people and services", "journal", "", "Record an event from the output of a run."),
        ("signalled", ("run",), "people and services", "journal", "", "Record how a run ended, from its output."),
        ("said", (), "anyone", "", "", "List what agents reported after a row of the journal."),
        ("pause", ("pause",), "people", "journal", "pause", "Start no new agent runs, for one task or for all."),
        ("stuck", ("run",), "people and services", "journal", "", "Leave a task to a person."),
        ("blocked_work", (), "anyone", "", "", "List pauses and stuck tasks."),
        ("cool", ("run",), "people and services", "journal", "", "Skip a profile for a while."),
        ("warm", ("run",), "people and services", "journal", "", "Use a profile again."),
        ("cooled", (), "anyone", "", "", "List skipped profiles."),
        ("live", (), "anyone", "", "", "List runs that have not ended."),
        ("of_task", (), "anyone", "", "", "List the runs of a task, latest first."),
    ),
    "agents": (
        ("listed", (), "anyone", "", "agent list", "List agent programs of the profiles on this machine."),
        ("conversation", (), "anyone", "", "agent attach", "The latest conversation about a task, and how to continue it."),
    ),
    "planning": (
        ("draft", ("run",), "people and services", "journal", "plan draft", "Let an agent draft a plan for a goal."),
    ),
    "sprints": (
        ("preview", (), "anyone", "", "", "Show what a sprint would do. Nothing is stored."),
        ("plan", ("sprint plan",), "people and services", "journal", "sprint plan", "Choose the tasks and the end of a sprint."),
        ("start", ("sprint start",), "people and services", "journal", "sprint start", "Start a planned sprint, or continue a paused one."),
        ("stop", ("sprint stop",), "people and services", "journal", "sprint stop", "End a sprint. Current runs finish."),
        ("pause", ("sprint pause",), "people and services", "journal", "sprint pause", "Start no more tasks of a sprint for now."),
        ("halt", ("run",), "people and services", "journal", "", "Pause a sprint by rule, for a runner."),
        ("go_on", ("run",), "people and services", "journal", "", "Continue a sprint whose reason to pause is gone, for a runner."),
        ("finish", ("run",), "people and services", "journal", "", "End a finished sprint, for a runner."),
        ("status", (), "anyone", "", "sprint status", "Show a sprint's progress."),
        ("listed", (), "anyone", "", "sprint status --all", "List sprints, newest first."),
        ("report", (), "anyone", "", "sprint status --report", "Report what a sprint merged and what waits."),
        ("undo", ("sprint undo",), "people and services", "journal", "sprint undo", "Create tasks that revert the merges of a sprint."),
    ),
    "cycles": (
        ("now", ("review request --now",), "people and services", "journal", "review request --now", "Ask reviewers now, about a task or all work in progress."),
        ("request", ("review request",), "agents and people", "journal", "review request", "Ask reviewers about a task."),
        ("open", ("run",), "people and services", "journal", "", "Open a cycle for a trigger, for a runner."),
        ("ask", ("run",), "people and services", "journal", "", "Ask one more reviewer in a cycle."),
        ("not_given", ("run",), "people and services", "journal", "", "Record that a reviewer gives no review."),
        ("decide", ("review decide",), "anyone", "journal", "review decide", "Decide review cycles that wait for nobody."),
        ("clarify", ("review clarify",), "agents and people", "journal", "review clarify", "Answer a point that "
         "reviewers have concerns about."),
        ("ask_author", ("review clarify --ask",), "people", "journal", "review clarify --ask", "Ask the author about the concerns that stopped a cycle."),
        ("end", ("review decide --end",), "people", "journal", "review decide --end", "End a review cycle without a decision."),
        ("listed", (), "anyone", "", "review show", "List review cycles, newest first."),
        ("show", (), "anyone", "", "review show", "Show a review cycle: reviewers, verdicts and result."),
        ("issues", (), "anyone", "", "finding list", "List reviewers' concerns about work in progress."),
    ),
}  # fmt: skip


# ---- The catalogue ----


NOUNS: dict[str, str] = {
    "projects": "project.projects:Projects",
    "sessions": "project.sessions:Sessions",
    "keys": "project.keys:Keys",
    "policy": "project.project_settings:Policy",
    "audit": "project.audit:Audit",
    "tasks": "tasks.tasks:Tasks",
    "plans": "tasks.plans:Plans",
    "notes": "tasks.notes:Notes",
    "stops": "review.stops:Stops",
    "claims": "work.claims:Claims",
    "worktrees": "work.worktrees:Worktrees",
    "checkouts": "gate.checks:Checkouts",
    "checkpoints": "work.checkpoints:Checkpoints",
    "attempts": "gate.attempts:Attempts",
    "checks": "gate.checks:Checks",
    "check_runs": "gate.checks:CheckRuns",
    "merges": "gate.merger:Merges",
    "findings": "findings.findings:Findings",
    "answers": "findings.answers:Answers",
    "rulings": "findings.rulings:Rulings",
    "reviews": "review.reviews:Reviews",
    "decisions": "review.decisions:Decisions",
    "closing": "review.closing:Closing",
    "feedback": "review.feedback:SendingBack",
    "drafts": "review.drafts:Drafts",
    "loops": "review.lead:Loops",
    "prompts": "review.prompts:Prompts",
    "runs": "runner.runs:Runs",
    "agents": "runner.profiles:Agents",
    "planning": "runner.planner:Planning",
    "sprints": "sprint.sprints:Sprints",
    "cycles": "review.cycle_verbs:Cycles",
    "exchange": "exchange.findings:Exchange",
    "handoffs": "exchange.handoffs:Handoffs",
    "lists": "pages.lists:Lists",
    "queue": "pages.review_queue:Queue",
    "board": "pages.board:Board",
    "attention": "pages.attention:Attention",
    "events": "pages.events:Events",
    "status": "pages.status:Status",
    "doctor": "pages.doctor:Doctor",
    "stats": "pages.stats:StatsPage",
    "validation": "pages.completion:Validation",
}
"""The class of each noun: package, module, class."""

WHO: dict[Callers, tuple[SessionKind, ...]] = {
    "anyone": ("agent", "human", "service"),
    "agents and people": ("agent", "human"),
    "people and services": ("human", "service"),
    "people": ("human",),
}
"""The kinds of caller in each group. The rules decide the details. (I5)"""


class Verb(msgspec.Struct, frozen=True):
    """A verb.

    `rights` are its names in core/rules/rights.py, and a read has none. `command` is its command, if it has one.
    """

    noun: str
    name: str
    rights: tuple[str, ...]
    who: Callers
    writes: Writes
    command: str
    help: str


def verbs() -> list[Verb]:
    """Return every verb, noun by noun."""
    return [Verb(noun, *row) for noun, rows in VERBS.items() for row in rows]


def class_of(noun: str) -> type:
    """Return a noun's class, importing its module."""
    module, _, name = NOUNS[noun].partition(":")
    # __import__() itself, so that the interpreter's import log lists the modules
    class_: type = getattr(__import__(f"foureyes.app.{module}", fromlist=[name]), name)
    return class_


VERBS: dict[str, tuple[VerbRow, ...]] = {
    "projects": (
        ("create", ("init",), "anyone", "journal", "init", "Create a project: the first row of its journal."),
        ("get", (), "anyone", "", "init", "The project: its name, target branch, hold and accepted configuration."),
        ("backup", ("store backup",), "anyone", "files", "store backup", "Copy the whole store to a new file."),
        ("milestones", (), "anyone", "", "store restore", "How far the journal goes, and which tasks are merged."),
        ("note_restore", ("store restore",), "people", "journal", "store restore", "Record that a backup was restored."),
        ("note_place", ("store copy",), "people", "journal", "store copy", "Record where the store is now."),
        ("adopt", ("store adopt",), "people", "journal", "store adopt", "Accept a store that was moved or restored (P12)."),
        ("role", (), "anyone", "", "store join", "The caller's role in a store on a server: owner, writer or reader."),
        ("grants", (), "anyone", "", "store roles", "The SQL that gives others access to a store on a server."),
    ),
    "sessions": (
        ("recognise", (), "anyone", "journal", "", "Recognise the caller. A bad token is recorded."),
        ("whoami", (), "anyone", "", "whoami", "Show who you are to Foureyes, and why."),
        ("new", ("whoami --new",), "agents and people", "journal", "whoami --new", "Start a new session in the log. Your origin stays the same."),
        ("spawn", ("session spawn",), "anyone", "journal", "session spawn", "Give a sub-agent a session and a token "
         "for one role on one task."),
        ("end", ("session end",), "anyone", "journal", "session end", "End a session and all sessions below it."),
        ("list", (), "anyone", "", "session list", "List sessions, latest activity first."),
    ),
    "keys": (
        ("new", ("key add --new",), "people", "journal", "key add --new", "Create a signing key for the caller."),
        ("add", ("key add",), "people", "journal", "key add", "Accept another person's public key."),
        ("retire", ("key retire",), "people", "journal", "key retire", "Retire a key."),
        ("waiting", (), "anyone", "", "key list", "List the caller's keys that nobody has accepted yet."),
        ("list", (), "anyone", "", "key list", "List keys, oldest first."),
    ),
    "policy": (
        ("show", (), "anyone", "", "config show", "Show every setting, its value and its source."),
        ("set", ("config set", "config set --default"), "people", "journal", "config set", "Set or unset a setting of the "
         "project."),
        ("offered", ("config accept",), "people", "", "config accept", "Show what accepting the target's foureyes.toml would change."),
        ("accept", ("config accept",), "people", "journal", "config accept", "Accept the target's foureyes.toml."),
        ("set_feature", ("config set", "config set --default"), "people", "journal", "config set", "Set or unset a feature "
         "flag."),
    ),
    "audit": (
        ("log", (), "anyone", "", "audit log", "Show the latest rows of the journal."),
        ("export", (), "anyone", "", "audit log --export", "Export every row of the journal."),
        ("verify", (), "anyone", "", "audit verify", "Verify chain, replay, mirror files and signatures."),
        ("exceptions", (), "anyone", "", "audit log --exceptions", "List exceptions, newest first."),
        ("exception_totals", (), "anyone", "", "audit log --exceptions", "Count exceptions of each kind."),
    ),
    "tasks": (
        ("create", ("create",), "anyone", "journal", "create", "Create a task."),
        ("edit", ("update",), "agents and people", "journal", "update", "Change fields of a task. All of them change or none does."),
        ("add_label", ("label",), "agents and people", "journal", "label", "Add labels to a task."),
        ("add_labels", ("label",), "agents and people", "journal", "label", "Add labels to several tasks, or none."),
        ("remove_label", ("label",), "agents and people", "journal", "label --remove", "Remove labels from a task."),
        ("remove_labels", ("label",), "agents and people", "journal", "label --remove", "Remove labels from several tasks, or none."),
        ("add_dependency", ("dep",), "agents and people", "journal", "dep", "Make a task depend on others."),
        ("remove_dependency", ("dep --remove",), "agents and people", "journal", "dep --remove", "Remove dependencies of a task."),
    ),
    "plans": (
        ("import_", ("plan import",), "anyone", "journal", "plan import", "Create all tasks of a plan, or none."),
        ("preview", ("plan import",), "anyone", "", "plan import", "Show the tasks and modes that a plan would create."),
        ("accept", ("plan accept",), "people", "journal", "plan accept", "Confirm the review modes of a plan."),
        ("export", (), "anyone", "", "plan export", "Export the open tasks as a plan."),
    ),
    "notes": (
        ("log", ("log",), "anyone", "journal", "log", "Add a line to a task's log."),
        ("handoff", ("handoff",), "anyone", "journal", "handoff", "Leave a note for the next agent or person on the task."),
    ),
    "stops": (
        ("block", ("block",), "agents and people", "journal", "block", "Block a task on something outside the task list."),
        ("unblock", ("unblock",), "agents and people", "journal", "unblock", "Unblock a blocked or rejected task."),
        ("defer", ("defer",), "agents and people", "journal", "defer", "Postpone a task, perhaps until a date."),
        ("defer_several", ("defer",), "agents and people", "journal", "defer", "Postpone several tasks, or none."),
        ("undefer", ("undefer",), "agents and people", "journal", "undefer", "Make a deferred task ready again."),
        ("undefer_several", ("undefer",), "agents and people", "journal", "undefer", "Make several deferred tasks ready again, or none."),
        ("hold", ("hold",), "people", "journal", "hold", "Stop a task, or the whole project."),
        ("resume", ("resume",), "people", "journal", "resume", "Lift a hold."),
    ),
    "claims": (
        ("start", ("start",), "agents and people", "journal", "start", "Claim a task."),
        ("next", ("next",), "agents and people", "journal", "next", "Claim the most urgent ready task."),
        ("unstart", ("unstart",), "agents and people", "journal", "unstart", "Release your claim, or a silent one."),
    ),
    "worktrees": (
        ("listed", (), "anyone", "", "worktree", "List task worktrees and their contents."),
        ("prune", ("worktree --prune",), "agents and people", "files", "worktree", "Remove worktrees of closed tasks that lose nothing."),
        ("open", ("start",), "agents and people", "files", "", "Create a worktree for a task that the caller has started."),
    ),
    "checkouts": (
        ("listed", (), "anyone", "", "check environments", "List the cached environments of checks on this machine."),
        ("prune", ("check environments --prune",), "agents and people", "files", "check environments", "Remove unused environments of checks."),
    ),
    "checkpoints": (
        ("create", ("checkpoint create",), "anyone", "journal", "checkpoint create", "Save the current commit as a checkpoint."),
        ("all", (), "anyone", "", "checkpoint list", "List checkpoints, newest first."),
        ("restore", ("checkpoint restore",), "agents and people", "journal", "checkpoint restore", "Reset the branch to a checkpoint."),
        ("prune", ("checkpoint list --prune",), "agents and people", "journal", "checkpoint list --prune", "Delete all but the newest checkpoints."),
    ),
    "attempts": (
        ("submit", ("submit",), "anyone", "journal", "submit", "Submit your commits for review."),
        ("diff", (), "anyone", "", "show", "Show the change of the latest attempt, or what changed since an earlier one."),
        ("changes", (), "anyone", "", "", "The same as files, hunks and numbered lines, for an interface."),
        ("correct_author", ("audit correct-author",), "people", "journal", "audit correct-author", "Record that a commit trailer names a wrong session."),
    ),
    "checks": (
        ("run", ("check run",), "anyone", "journal", "check run", "Run the checks of the latest attempt."),
        ("run_each", ("check run",), "anyone", "journal", "check run", "Run the checks of several attempts. A crash stops no other."),
        ("run_target", ("check run",), "anyone", "journal", "check run", "Run the checks on the tip of the target "
         "branch."),
        ("pending", ("check run",), "anyone", "", "check run", "List attempts in review that still need a check run."),
    ),
    "check_runs": (
        ("of_task", (), "anyone", "", "check show", "Show the check results of a task, with output."),
        ("of_target", (), "anyone", "", "check show", "Show the latest check results of the target, with output."),
        ("one", (), "anyone", "", "check show", "Show one check run by its number, with output."),
    ),
    "merges": (
        ("all", (), "anyone", "", "merge", "List approved tasks in merge order."),
        ("process", ("merge",), "people and services", "journal", "merge", "Merge approved tasks, in queue order."),
        ("retry", ("merge --retry",), "agents and people", "journal", "merge", "Put a stuck merge back into the queue."),
        ("here", ("target here",), "people", "journal", "target here", "Merge in this clone from now on (Q6)."),
        ("accept", ("target accept",), "people", "journal", "target accept", "Accept that someone set the target branch back (Q6)."),
        ("address", ("target accept --address",), "people", "journal", "target accept --address", "Accept a new address of the project's remote (Q6)."),
    ),
    "findings": (
        ("listed", (), "anyone", "", "finding list", "List findings of a task or the project."),
        ("show", (), "anyone", "", "finding show", "Show a finding, its history and your options."),
        ("task_here", (), "anyone", "", "finding add", "The task of the caller's current branch."),
        ("add", ("finding add",), "agents and people", "journal", "finding add", "Add a finding to the latest attempt."),
        ("waive", ("finding waive",), "people", "journal", "finding waive", "Let a blocking finding pass for a limited time."),
        ("track", ("finding answer --track",), "agents and people", "journal", "finding answer --track", "Create follow-up tasks from notes."),
        ("apply", ("log",), "anyone", "journal", "finding answer --apply", "Apply the patch of a finding."),
    ),
    "answers": (
        ("respond", ("finding answer",), "anyone", "journal", "finding answer", "Answer findings. All answers are recorded or none."),
        ("respond_document", ("finding answer",), "anyone", "journal", "finding answer", "Answer findings with a developer's handoff document."),
    ),
    "rulings": (
        ("rule", ("finding judge",), "agents and people", "journal", "finding judge", "Judge answers to findings. All rulings are recorded or none."),
        ("take_back", ("finding judge",), "agents and people", "journal", "finding judge", "Withdraw your ruling."),
        ("withdraw", ("finding judge --withdraw",), "agents and people", "journal", "finding judge --withdraw", "Withdraw a finding that you raised."),
    ),
    "reviews": (
        ("submit", ("review submit",), "agents and people", "journal", "review submit", "Submit a review of the latest attempt. All of it is recorded or nothing."),
        ("request", (), "anyone", "", "review request", "Show the review request for the latest attempt."),
    ),
    "decisions": (
        ("approve", ("approve",), "agents and people", "journal", "approve", "Approve exactly the change that you reviewed."),
        ("approve_many", ("approve",), "agents and people", "journal", "approve", "Approve several changes, each with its own decision."),
        ("withdraw", ("withdraw",), "agents and people", "journal", "approve", "Withdraw an approval, until the merge has begun."),
    ),
    "closing": (
        ("close", ("close",), "agents and people", "journal", "close", "Close a task without an approval. Nothing is merged."),
        ("cancel", ("cancel",), "agents and people", "journal", "cancel", "Cancel a task that nobody has started."),
        ("delete", ("delete",), "agents and people", "journal", "delete", "Cancel a task and hide it from lists."),
        ("delete_several", ("delete",), "agents and people", "journal", "delete", "Delete several tasks, or none."),
        ("reopen", ("reopen",), "agents and people", "journal", "reopen", "Reopen a closed or rejected task."),
    ),
    "feedback": (
        ("redo", ("redo",), "agents and people", "journal", "redo", "Send an attempt back with feedback."),
        ("reject", ("reject",), "agents and people", "journal", "reject", "Reject a change with a reason. The task is blocked."),
    ),
    "drafts": (
        ("load", (), "anyone", "files", "", "The caller's draft about a task."),
        ("save", (), "anyone", "files", "", "Save a draft, unless another instance has it open."),
        ("drop", (), "anyone", "files", "", "Delete a draft."),
        ("listed", (), "anyone", "", "", "List tasks that the caller has a draft about."),
        ("begun", (), "anyone", "files", "", "List the caller's drafts."),
        ("take", (), "anyone", "files", "", "Open a draft, or learn which process has it open."),
        ("release", (), "anyone", "files", "", "Release a draft."),
        ("new_task", (), "anyone", "files", "", "The caller's draft of a new task."),
        ("save_new_task", (), "anyone", "files", "", "Save the draft of a new task."),
        ("release_new_task", (), "anyone", "files", "", "Release the draft of a new task."),
        ("position", (), "anyone", "files", "", "The caller's position in the app."),
        ("save_position", (), "anyone", "files", "", "Save the caller's position in the app."),
    ),
    "loops": (
        ("show", (), "anyone", "", "show", "Show the rounds of a task, its tier and what comes next."),
        ("lead", ("lead split", "lead senior", "lead fresh", "lead ask", "lead continue"), "agents and people",
         "journal", "lead", "Decide what to do with a stuck task."),
    ),
    "prompts": (
        ("text", (), "anyone", "", "review request", "The prompt of an agent for a task and a purpose."),
        ("make", (), "anyone", "", "show", "The prompt of an agent for a task, with notes about its template."),
    ),
    **RUN_VERBS,
    "exchange": (
        ("take_in", ("finding import",), "anyone", "journal", "finding import", "Import a tool's findings (SARIF)."),
        ("export", (), "anyone", "", "finding export", "Export findings as SARIF."),
    ),
    "handoffs": (
        ("export", (), "anyone", "", "finding export --handoff", "Export the handoff document of a role."),
        ("take_in", ("finding answer", "review submit"), "anyone", "journal", "finding import --handoff", "Import the handoff document of a role."),
    ),
    "lists": (
        ("page", (), "anyone", "", "", "List tasks."),
        ("listed", (), "anyone", "", "list", "List tasks, with worker, mode and what they wait for."),
        ("place", (), "anyone", "", "list", "Find a task's place in a list, to continue after it."),
        ("reviewable", (), "anyone", "", "list", "List tasks that you may approve."),
        ("show", (), "anyone", "", "show", "Show a task and what you can do next."),
        ("tree", (), "anyone", "", "dep", "Show what a task depends on, as a tree."),
    ),
    "queue": (
        ("view", (), "anyone", "", "queue", "List tasks waiting for review, riskiest first."),
        ("ahead", (), "anyone", "", "", "Evaluate some waiting tasks before they are requested."),
        ("batch", (), "people", "", "approve", "List what approving everything at once would approve."),
    ),
    "board": (
        ("view", (), "anyone", "", "", "The columns, live claims and the status line, for the caller."),
        ("column", (), "anyone", "", "", "A window of one column of the board."),
    ),
    "attention": (
        ("view", (), "anyone", "", "status --attention", "List what only a person can resolve, and how."),
    ),
    "events": (
        ("head", (), "anyone", "", "", "The number of the journal's last row."),
        ("latest", (), "anyone", "", "", "The latest events, each as one sentence."),
        ("since", (), "anyone", "", "", "The events after a row, each as one sentence."),
    ),
    "status": (
        ("show", (), "anyone", "", "status", "Show the project at a glance."),
        ("own", (), "anyone", "", "", "What an agent must do for its own work before it takes new work."),
    ),
    "doctor": (("examine", (), "anyone", "", "doctor", "Check the setup and report problems. Repairs nothing."),),
    "stats": (("show", (), "anyone", "", "stats", "Show figures of all reviews, and a scorecard of each reviewer."),),
    "validation": (
        ("validate", (), "anyone", "", "check complete", "List every reason why submitted work is not done."),
    ),
}  # fmt: skip


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
