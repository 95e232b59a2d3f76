"""The rows of the catalogue about runs, sprints and review cycles, and what a row is; `catalog` has them, too."""

from __future__ import annotations

from typing import Literal

Callers = Literal["anyone", "agents and people", "people and services", "people"]
Writes = Literal["journal", "files", ""]
"""What a verb leaves behind: rows of the journal, only files or refs of the caller's, or nothing."""

VerbRow = tuple[str, tuple[str, ...], Callers, Writes, str, str]
"""Name, rights, who may, what it leaves, its command, what it does."""

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
