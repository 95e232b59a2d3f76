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
        ("begin", ("run",), "people and services", "journal", "", "Begin a runner."),
        ("launch", ("run",), "people and services", "files", "", "Start a runner in a process of its own."),
        ("finish", ("run",), "people and services", "journal", "", "A runner comes to its end."),
        ("runners", (), "anyone", "", "", "Runners that live, and dead ones that left something."),
        ("reserve", ("run",), "people and services", "journal", "", "Take a task for a run."),
        ("bind", ("run",), "people and services", "journal", "", "Give a run its token and its claim."),
        ("renew", ("run",), "people and services", "journal", "", "Keep the leases of a runner and its runs."),
        ("holds", (), "anyone", "", "", "Whether a runner has the lease of a run."),
        ("take_over", ("run",), "people and services", "journal", "", "Take over a run that lost its runner."),
        ("end", ("run",), "people and services", "journal", "", "End a run whose processes are all gone."),
        ("hand_in", ("run",), "people and services", "journal", "", "Submit for the implementer what its run made."),
        ("release", ("run",), "people and services", "journal", "", "Give the claim of a run back."),
        ("ask_stop", ("stop",), "people and services", "journal", "stop", "Ask for the end of a task's runs."),
        ("signal", ("agent signal",), "agents and people", "journal", "agent signal", "Say that a run is over, and how."),
        ("emit", ("agent emit",), "agents and people", "journal", "agent emit", "Say something in the middle of the work."),
        ("heard", ("run",), "people and services", "journal", "", "Record what a run said in its own stream."),
        ("signalled", ("run",), "people and services", "journal", "", "Record the last word of a run."),
        ("said", (), "anyone", "", "", "What agents said after a row of the journal."),
        ("pause", ("pause",), "people", "journal", "pause", "Let no new run begin, on a task or anywhere."),
        ("stuck", ("run",), "people and services", "journal", "", "Leave a task to a person."),
        ("standstill", (), "anyone", "", "", "Pauses, and tasks that are stuck."),
        ("cool", ("run",), "people and services", "journal", "", "Leave a profile alone for a while."),
        ("warm", ("run",), "people and services", "journal", "", "Use a profile again."),
        ("cooled", (), "anyone", "", "", "Profiles that are skipped."),
        ("live", (), "anyone", "", "", "Runs that have not ended."),
        ("of_task", (), "anyone", "", "", "The runs of a task, the latest first."),
    ),
    "agents": (
        ("listed", (), "anyone", "", "agent list", "Agent programs of the profiles, as they are on this machine."),
        ("conversation", (), "anyone", "", "attach", "The latest conversation about a task, and how to go on with it."),
    ),
    "planning": (
        ("draft", ("run",), "people and services", "journal", "plan draft", "Let an agent draft a plan for a goal."),
    ),
    "sprints": (
        ("preview", (), "anyone", "", "", "What a sprint would be; nothing is stored."),
        ("plan", ("sprint plan",), "people and services", "journal", "sprint plan", "Store a plan: tasks, a target, "
         "options."),
        ("start", ("sprint start",), "people and services", "journal", "sprint start", "Begin a planned sprint, or let "
         "a paused one go on; with a runner."),
        ("stop", ("sprint stop",), "people and services", "journal", "sprint stop", "End a sprint: what runs "
         "finishes, nothing new begins."),
        ("pause", ("sprint pause",), "people and services", "journal", "sprint pause", "Let none of its tasks begin "
         "for now."),
        ("halt", ("run",), "people and services", "journal", "", "A rule pauses a sprint, for a runner."),
        ("go_on", ("run",), "people and services", "journal", "", "What paused a sprint is gone, says a runner."),
        ("finish", ("run",), "people and services", "journal", "", "A sprint is over, says a runner."),
        ("status", (), "anyone", "", "sprint status", "How far a sprint is, and why it is not complete."),
        ("listed", (), "anyone", "", "sprint list", "Every sprint, the newest first."),
        ("report", (), "anyone", "", "sprint report", "What a sprint brought: for the morning after."),
        ("undo", ("sprint undo",), "people and services", "journal", "sprint undo", "Plan tasks that take back what a "
         "sprint merged."),
    ),
    "cycles": (
        ("now", ("review now",), "people and services", "journal", "review now", "Let reviewers look now, at a task or "
         "at all that runs."),
        ("request", ("review request",), "agents and people", "journal", "review request", "Ask chosen or named "
         "reviewers about a task."),
        ("open", ("run",), "people and services", "journal", "", "Open a cycle for a trigger, for a runner."),
        ("ask", ("run",), "people and services", "journal", "", "Ask one reviewer more in a cycle."),
        ("not_given", ("run",), "people and services", "journal", "", "Somebody who was asked gives no review."),
        ("decide", ("review decide",), "anyone", "journal", "review decide", "Decide every cycle that waits for nobody "
         "any more."),
        ("clarify", ("review clarify",), "agents and people", "journal", "review clarify", "Answer a point that "
         "reviewers have concerns about."),
        ("ask_author", ("review ask",), "people", "journal", "review ask", "Ask who made the work to clarify what a "
         "cycle stopped it for."),
        ("end", ("review end",), "people", "journal", "review end", "End a cycle without a rule."),
        ("listed", (), "anyone", "", "review list", "Review cycles, the latest first."),
        ("show", (), "anyone", "", "review show", "One cycle: who was asked, what they said, what it comes to."),
        ("issues", (), "anyone", "", "finding list", "What reviewers have concerns about in work that goes on."),
    ),
}  # fmt: skip


# ---- The catalogue ----


NOUNS: dict[str, str] = {
    "projects": "project.projects:Projects",
    "sessions": "project.sessions:Sessions",
    "keys": "project.keys:Keys",
    "policy": "project.policy:Policy",
    "audit": "project.audit:Audit",
    "tasks": "tasks.tasks:Tasks",
    "plans": "tasks.plans:Plans",
    "notes": "tasks.notes:Notes",
    "stops": "review.stops:Stops",
    "claims": "work.claims:Claims",
    "worktrees": "work.worktrees:Worktrees",
    "checkouts": "work.environments:Checkouts",
    "checkpoints": "work.checkpoints:Checkpoints",
    "attempts": "gate.attempts:Attempts",
    "checks": "gate.checks:Checks",
    "check_runs": "gate.checks:CheckRuns",
    "merges": "gate.merge_queue:Merges",
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
    "cycles": "review.cycles:Cycles",
    "exchange": "exchange.sarif:Exchange",
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
        ("create", ("init",), "anyone", "journal", "init", "Begin a project: the first row of its journal."),
        ("get", (), "anyone", "", "init", "The project: its name, target branch, hold and accepted configuration."),
        ("backup", ("store backup",), "anyone", "files", "store backup", "Copy the whole store into a file that is not there yet."),
        ("milestones", (), "anyone", "", "store restore", "How far the journal goes, and which tasks it knows as merged."),
        ("note_restore", ("store restore",), "people", "journal", "store restore", "Put on record that a backup was restored."),
        ("note_place", ("store copy",), "people", "journal", "store copy", "Put on record where the store lies now."),
        ("adopt", ("store adopt",), "people", "journal", "store adopt", "Take up the store that was found as the "
         "project's own (P12)."),
        ("role", (), "anyone", "", "store join", "Who the caller is to a store on a server: owner, writer or reader."),
        ("grants", (), "anyone", "", "store roles", "The SQL that lets writers and readers in to a store on a "
         "server."),
    ),
    "sessions": (
        ("recognise", (), "anyone", "journal", "", "Who is calling, as the project knows it; a bad token is on "
         "record."),
        ("whoami", (), "anyone", "", "whoami", "The caller as the rules see it, and the evidence for it."),
        ("new", ("session new",), "agents and people", "journal", "session new", "Begin a new line in the log for the "
         "same eyes."),
        ("spawn", ("session spawn",), "anyone", "journal", "session spawn", "Give a sub-agent a session and a token "
         "for one role on one task."),
        ("end", ("session end",), "anyone", "journal", "session end", "End a session and all that it spawned."),
        ("list", (), "anyone", "", "session list", "Sessions that have written, the latest first."),
    ),
    "keys": (
        ("new", ("key new",), "people", "journal", "key new", "Make a signing key for the caller."),
        ("add", ("key add",), "people", "journal", "key add", "Register somebody else's public key."),
        ("retire", ("key retire",), "people", "journal", "key retire", "Let a key count no more."),
        ("waiting", (), "anyone", "", "key list", "The caller's keys that somebody with a key has to add first."),
        ("list", (), "anyone", "", "key list", "Every key on record, the oldest first."),
    ),
    "policy": (
        ("show", (), "anyone", "", "config show", "Every setting in force, and where it came from."),
        ("set", ("config set", "config unset"), "people", "journal", "config set", "Set or unset a setting of the "
         "project."),
        ("offered", ("config accept",), "people", "", "config accept", "What accepting the foureyes.toml on the target "
         "would change."),
        ("accept", ("config accept",), "people", "journal", "config accept", "Make the foureyes.toml on the target the "
         "one in force."),
        ("set_feature", ("config set", "config unset"), "people", "journal", "config set", "Set or unset a feature "
         "flag."),
    ),
    "audit": (
        ("log", (), "anyone", "", "audit log", "The latest rows of the journal."),
        ("export", (), "anyone", "", "audit export", "Every row of the journal from the first on."),
        ("verify", (), "anyone", "", "audit verify", "Verify chain, replay, mirror files and signatures."),
        ("exceptions", (), "anyone", "", "audit exceptions", "Every exception that was made, the latest first."),
        ("exception_totals", (), "anyone", "", "audit exceptions", "How often exceptions of each kind were made."),
    ),
    "tasks": (
        ("create", ("create",), "anyone", "journal", "create", "Plan a task."),
        ("edit", ("update",), "agents and people", "journal", "update", "Change what a task says, all of it or "
         "nothing."),
        ("add_label", ("label",), "agents and people", "journal", "label add", "Put labels on a task."),
        ("add_labels", ("label",), "agents and people", "journal", "label add", "Put labels on several, or none."),
        ("remove_label", ("label",), "agents and people", "journal", "label rm", "Take labels off a task."),
        ("remove_labels", ("label",), "agents and people", "journal", "label rm", "Take labels off several tasks, or "
         "none."),
        ("add_dependency", ("dep add",), "agents and people", "journal", "dep add", "Let a task wait for others."),
        ("remove_dependency", ("dep rm",), "agents and people", "journal", "dep rm", "Let a task wait no longer."),
    ),
    "plans": (
        ("import_", ("plan import",), "anyone", "journal", "plan import", "Plan all tasks of a plan file, or none."),
        ("preview", ("plan import",), "anyone", "", "plan import", "What importing a plan file would make, with "
         "which modes."),
        ("accept", ("plan accept",), "people", "journal", "plan accept", "Make planned review modes your own."),
        ("export", (), "anyone", "", "plan export", "The open tasks as a plan."),
    ),
    "notes": (
        ("log", ("log",), "anyone", "journal", "log", "Write a line into a task's log."),
        ("handoff", ("handoff",), "anyone", "journal", "handoff", "Leave a note for whoever works on a task next."),
    ),
    "stops": (
        ("block", ("block",), "agents and people", "journal", "block", "Say what a task waits for that is no task."),
        ("unblock", ("unblock",), "agents and people", "journal", "unblock", "Free a blocked or rejected task."),
        ("defer", ("defer",), "agents and people", "journal", "defer", "Put a task off, perhaps until a date."),
        ("defer_several", ("defer",), "agents and people", "journal", "defer", "Put several tasks off, or none."),
        ("undefer", ("undefer",), "agents and people", "journal", "undefer", "Take a deferred task up again."),
        ("undefer_several", ("undefer",), "agents and people", "journal", "undefer", "Take several up again, or none."),
        ("hold", ("hold",), "people", "journal", "hold", "Stop a task, or the whole project."),
        ("resume", ("resume",), "people", "journal", "resume", "Lift a hold."),
    ),
    "claims": (
        ("start", ("start",), "agents and people", "journal", "start", "Claim a task, with a checkout of its own if "
         "asked."),
        ("next", ("next",), "agents and people", "journal", "next", "Claim the best ready task."),
        ("unstart", ("unstart",), "agents and people", "journal", "unstart", "Give a claim back, or release a silent "
         "one."),
    ),
    "worktrees": (
        ("listed", (), "anyone", "", "worktree", "Every worktree of a task, and what lies in it."),
        ("prune", ("worktree --prune",), "agents and people", "files", "worktree", "Remove worktrees of closed "
         "tasks in which nothing is lost."),
        ("open", ("start",), "agents and people", "files", "", "A checkout of its own for a task that the caller "
         "has started."),
    ),
    "checkouts": (
        ("listed", (), "anyone", "", "check environments", "Every environment of checks that is kept on this machine."),
        ("prune", ("check environments --prune",), "agents and people", "files", "check environments", "Remove environments of checks "
         "that nobody needs."),
    ),
    "checkpoints": (
        ("create", ("checkpoint create",), "anyone", "journal", "checkpoint create", "Name the commit where the caller "
         "stands."),
        ("all", (), "anyone", "", "checkpoint list", "All checkpoints, the newest first."),
        ("restore", ("checkpoint restore",), "agents and people", "journal", "checkpoint restore", "Set the branch "
         "back to a checkpoint."),
        ("prune", ("checkpoint prune",), "agents and people", "journal", "checkpoint prune", "Forget all but the "
         "newest checkpoints."),
    ),
    "attempts": (
        ("submit", ("submit",), "anyone", "journal", "submit", "Submit what is committed; it is frozen and waits for "
         "other eyes."),
        ("diff", (), "anyone", "", "show", "The change of the latest attempt, or what changed since an earlier one."),
        ("changes", (), "anyone", "", "", "The same as files, hunks and numbered lines, for a face that shows "
         "them."),
        ("clear_author", ("audit correct-author",), "people", "journal", "audit correct-author", "Say that a commit's trailer names "
         "somebody wrongly."),
    ),
    "checks": (
        ("run", ("check run",), "anyone", "journal", "check run", "Run the checks of the latest attempt; the gate then "
         "does what it can."),
        ("run_each", ("check run",), "anyone", "journal", "check run", "Run the checks of several; what breaks stops "
         "no other."),
        ("run_target", ("check run",), "anyone", "journal", "check run", "Run the checks on the tip of the target "
         "branch."),
        ("pending", ("check run",), "anyone", "", "check run", "The attempts in review that checks have something to "
         "do for."),
    ),
    "check_runs": (
        ("of_task", (), "anyone", "", "check show", "Where every check of a task stands, and what it "
         "printed; other runs."),
        ("of_target", (), "anyone", "", "check show", "The latest run of each check on the target, with what "
         "it printed."),
        ("one", (), "anyone", "", "check show", "One run, by its number, with what it printed."),
    ),
    "merges": (
        ("all", (), "anyone", "", "merge", "What is approved and not merged, in its order."),
        ("process", ("merge",), "people and services", "journal", "merge", "Merge everything that can be merged now."),
        ("retry", ("merge --retry",), "agents and people", "journal", "merge", "Try a stuck merge again."),
        ("here", ("target here",), "people", "journal", "target here", "Merge in this clone from now on (Q6)."),
        ("accept", ("target accept",), "people", "journal", "target accept", "Go on from a target that was set back "
         "on purpose (Q6)."),
        ("address", ("target address",), "people", "journal", "target address", "Go on with the address that the "
         "remote has in this clone (Q6)."),
    ),
    "findings": (
        ("listed", (), "anyone", "", "finding list", "The findings of a task, or of the whole project."),
        ("show", (), "anyone", "", "finding show", "One finding: its moves, and what the caller can do about it."),
        ("task_here", (), "anyone", "", "finding add", "The task whose branch the caller stands on."),
        ("add", ("finding add",), "agents and people", "journal", "finding add", "Point at something in the latest "
         "attempt."),
        ("waive", ("finding waive",), "people", "journal", "finding waive", "Let a blocking finding pass for a while."),
        ("track", ("finding track",), "agents and people", "journal", "finding track", "Make follow-up tasks of "
         "notes."),
        ("apply", ("log",), "anyone", "journal", "finding apply", "Apply the patch that came with a finding."),
    ),
    "answers": (
        ("respond", ("finding answer",), "anyone", "journal", "finding answer", "Answer findings, all or none."),
        ("respond_document", ("finding answer",), "anyone", "journal", "finding answer", "Answer findings by a "
         "developer's document, all or none."),
    ),
    "rulings": (
        ("rule", ("finding judge",), "agents and people", "journal", "finding judge", "Say what answers are worth, all "
         "or none."),
        ("take_back", ("finding judge",), "agents and people", "journal", "finding judge", "Take a ruling back."),
        ("withdraw", ("finding withdraw",), "agents and people", "journal", "finding withdraw", "Take back what one "
         "found oneself."),
    ),
    "reviews": (
        ("submit", ("review submit",), "agents and people", "journal", "review submit", "Give a review of the latest "
         "attempt, all of it or nothing."),
        ("request", (), "anyone", "", "review request", "What a reviewer of the latest attempt is asked."),
    ),
    "decisions": (
        ("approve", ("approve",), "agents and people", "journal", "approve", "Agree to exactly the change that was "
         "seen."),
        ("approve_many", ("approve",), "agents and people", "journal", "approve", "Agree to several changes, each its "
         "own decision."),
        ("withdraw", ("withdraw",), "agents and people", "journal", "approve", "Take an approval back, until the "
         "merge has begun."),
    ),
    "closing": (
        ("close", ("close",), "agents and people", "journal", "close", "Close a task without an approval; merges "
         "nothing."),
        ("cancel", ("cancel",), "agents and people", "journal", "cancel", "End a task that nobody began."),
        ("delete", ("delete",), "agents and people", "journal", "delete", "Cancel a task and hide it from lists."),
        ("delete_several", ("delete",), "agents and people", "journal", "delete", "Delete several tasks, or none."),
        ("reopen", ("reopen",), "agents and people", "journal", "reopen", "Open a closed or rejected task again."),
    ),
    "feedback": (
        ("redo", ("redo",), "agents and people", "journal", "redo", "Send an attempt back with feedback."),
        ("reject", ("reject",), "agents and people", "journal", "reject", "Block a task with a reason."),
    ),
    "drafts": (
        ("load", (), "anyone", "files", "", "What the caller has begun to say about a task."),
        ("save", (), "anyone", "files", "", "Keep a draft, unless another instance has it open."),
        ("drop", (), "anyone", "files", "", "Forget a draft."),
        ("listed", (), "anyone", "", "", "The tasks that the caller has a draft about."),
        ("begun", (), "anyone", "files", "", "The drafts of the caller."),
        ("take", (), "anyone", "files", "", "Hold a draft, or learn which process has it."),
        ("release", (), "anyone", "files", "", "Let go of a draft."),
        ("new_task", (), "anyone", "files", "", "The task that the caller has begun to write."),
        ("save_new_task", (), "anyone", "files", "", "Keep a task that is not planned yet."),
        ("release_new_task", (), "anyone", "files", "", "Let another instance go on with it."),
        ("position", (), "anyone", "files", "", "Where the caller was."),
        ("save_position", (), "anyone", "files", "", "Keep where the caller is."),
    ),
    "loops": (
        ("show", (), "anyone", "", "show", "Where the loop of a task stands, and for whom the next attempt is."),
        ("lead", ("lead split", "lead senior", "lead fresh", "lead ask", "lead continue"), "agents and people",
         "journal", "lead", "Decide what to do with a loop that is stuck."),
    ),
    "prompts": (
        ("text", (), "anyone", "", "review request", "What an agent is told about a task, for a purpose."),
        ("make", (), "anyone", "", "show", "The same, with what there is to say about its template."),
    ),
    **RUN_VERBS,
    "exchange": (
        ("take_in", ("finding import",), "anyone", "journal", "finding import", "Take in what a tool found."),
        ("export", (), "anyone", "", "finding export", "Findings as SARIF."),
    ),
    "handoffs": (
        ("export", (), "anyone", "", "export handoff", "A role's handoff document, made from the journal."),
        ("take_in", ("finding answer", "review submit"), "anyone", "journal", "import handoff", "Take in a role's "
         "handoff document."),
    ),
    "lists": (
        ("page", (), "anyone", "", "", "A page of tasks."),
        ("listed", (), "anyone", "", "list", "A page of tasks, each with who works on it, its mode and what it waits "
         "for."),
        ("place", (), "anyone", "", "list", "Where a task stands in a list, to continue after it."),
        ("reviewable", (), "anyone", "", "list", "What the caller may approve."),
        ("show", (), "anyone", "", "show", "Everything about a task, and what the caller could do about it."),
        ("tree", (), "anyone", "", "dep tree", "What a task waits for, and what that waits for."),
    ),
    "queue": (
        ("view", (), "anyone", "", "queue", "What waits in review, the riskiest first."),
        ("ahead", (), "anyone", "", "", "Judge some of what waits before it is asked for."),
        ("batch", (), "people", "", "approve", "What approving all at once would approve."),
    ),
    "board": (
        ("view", (), "anyone", "", "", "The columns, live claims and the status line, for this caller."),
        ("column", (), "anyone", "", "", "A window of one column of the board."),
    ),
    "attention": (
        ("view", (), "anyone", "", "attention", "What only a person can move, and the ways to do so."),
    ),
    "events": (
        ("head", (), "anyone", "", "", "The number of the journal's last row: whether something happened."),
        ("latest", (), "anyone", "", "", "The latest events, each as one sentence."),
        ("since", (), "anyone", "", "", "The events after a row, each as one sentence."),
    ),
    "status": (
        ("show", (), "anyone", "", "status", "The project at a glance."),
        ("own", (), "anyone", "", "", "What an agent has to do for its own work before it takes new work."),
    ),
    "doctor": (("examine", (), "anyone", "", "doctor", "Look at everything that can be wrong; repair nothing."),),
    "stats": (("show", (), "anyone", "", "stats", "Figures of all reviews, and a scorecard for each reviewer."),),
    "validation": (
        ("validate", (), "anyone", "", "validate", "Every reason why a scope of tasks is not complete."),
    ),
}  # fmt: skip
