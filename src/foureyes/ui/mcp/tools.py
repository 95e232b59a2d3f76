"""The table of tools. Each is a verb of the catalog, with the parameters that an agent may set. (G3)

Every conversation gets `TOOLS`, and with `fe mcp --all` also `MORE`. Any other verb is in `LEFT_OUT` with the reason,
and a test compares them with the catalog.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import msgspec

from foureyes.app.results.review import ViewReport
from foureyes.app.results.task_list import ListQuery
from foureyes.app.verb_calls import Input, by_name, call, method_of
from foureyes.core.documents.shapes import ReviewPayload, ReviewResult
from foureyes.core.nouns.finding import GROUNDS, Answer, ReportedFinding, Ruling
from foureyes.core.nouns.run import EMIT_TYPES
from foureyes.ui.mcp import answers
from foureyes.ui.mcp.inputs import closed, fields_of, made_from, schema_of, struct_of

if TYPE_CHECKING:
    from foureyes.app.application import Application
    from foureyes.core.nouns.session import Actor


VIEWED = ViewReport("mcp")
"""Viewing record of an agent: what it read is unknown. (H4)"""
ROWS = 20
BY_NAME = by_name()


class Tool:
    """A tool. `verb` is `noun.verb`.

    - without: parameters that no caller sets
    - fixed: the values of such parameters
    - instead: parameters with another type
    - own, call: an input that is not the verb's, and what is done with it
    """

    def __init__(
        self,
        name: str,
        verb: str,
        about: str = "",
        *,
        without: tuple[str, ...] = (),
        fixed: Mapping[str, Any] | None = None,
        instead: Mapping[str, Any] | None = None,
        own: Input | None = None,
        call: Callable[[Application, Actor, Any], object] | None = None,
        answer: Callable[[Any], answers.ToolAnswer] = answers.answer_of,
    ) -> None:
        self.name, self.verb, self.about = name, BY_NAME[verb], about
        self.answer = answer
        self._without, self._fixed, self._instead = (*without, *(fixed or {})), dict(fixed or {}), instead
        self._own, self._call = own, call

    @property
    def help(self) -> str:
        """The text of the catalog, and the tool's own addition."""
        return f"{self.verb.help} {self.about}".strip()

    @cached_property
    def input(self) -> Input:
        """The struct of its input."""
        return self._own or made_from(method_of(self.verb), self._without, self._instead)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of its input."""
        return schema_of(self.input)

    def use(self, app: Application, actor: Actor, given: msgspec.Struct) -> object:
        """Call the verb as this caller. `answer` takes the result."""
        if self._call is not None:
            return self._call(app, actor, given)
        values = {name: getattr(given, name) for name in given.__struct_fields__} | self._fixed
        return call(app, actor, self.verb, values)


def _rows(*more: Any) -> Input:
    return struct_of("Input", [("limit", int, ROWS), *more])


def _document(payload: ReviewPayload) -> bytes:
    return msgspec.json.encode(ReviewResult(payload=payload))


FOUND = struct_of("Input", [("task", str), *fields_of(ReportedFinding)])
REVIEW = struct_of("Input", [("task", str), ("review", ReviewPayload), ("seen", str, "")])
DOCUMENT = struct_of("Input", [("task", str), ("document", str)])
HANDOFF = struct_of("Input", [("task", str), ("document", str), ("seen", str, "")])
LIST = _rows(*fields_of(ListQuery, without=("live", "mine", "limit", "after", "sort")))


def _found(app: Application, actor: Actor, given: Any) -> object:
    fields = {name: getattr(given, name) for name in ReportedFinding.__struct_fields__}
    return app.findings.add(actor, given.task, ReportedFinding(**fields))


def _listed(app: Application, _: Actor, given: Any) -> object:
    asked = {name: getattr(given, name) for name in given.__struct_fields__}
    narrowed = any(asked[name] for name in ("status", "unmerged", "landed"))
    return app.lists.listed(ListQuery(**asked, live=not narrowed))


_TOOLS = (
    Tool("task_ready", "lists.page", "Only those that can be started now.", own=_rows(), answer=answers.rows,
         call=lambda app, _, given: app.lists.page(ListQuery(ready=True, limit=given.limit))),
    Tool("task_next", "claims.next", "The answer names its worktree. Work there.", fixed={"worktree": None}),
    Tool("task_start", "claims.start", "The answer names its worktree. Work there.", fixed={"worktree": None}),
    Tool("task_show", "lists.show", "The short form.", without=("log_lines", "with_diff"), answer=answers.shown),
    Tool("task_context", "lists.show", "Read this before you work on it or review it.",
         without=("log_lines", "with_diff"), answer=answers.context),
    Tool("task_diff", "attempts.diff"),
    Tool("task_log", "notes.log", "Types: progress, blocker, decision, hypothesis, tried, result."),
    Tool("task_submit", "attempts.submit", "Give `commit` if you cannot commit yourself.", fixed={"elsewhere": True}),
    Tool("signal", "runs.signal", "DONE, NEEDS_REVIEW, BLOCKED or FAILED. task_submit sends it by itself."),
    Tool("emit", "runs.emit", "Types: " + ", ".join(EMIT_TYPES) + "."),
    Tool("finding_list", "findings.listed"),
    Tool("finding_answer", "answers.respond",
         "A blocking finding needs FIXED, or REJECTED with a ground: " + ", ".join(GROUNDS) + ".",
         without=("document",), instead={"task": (str, ""), "answers": tuple[closed(Answer), ...]}),  # type: ignore[misc]
    Tool("task_reviewable", "lists.reviewable", own=_rows(), answer=answers.reviewable,
         call=lambda app, actor, given: app.lists.reviewable(actor, ListQuery(limit=given.limit))),
    Tool("review_submit", "reviews.submit", "List every file that you read.", own=REVIEW,
         call=lambda app, actor, given: app.reviews.submit(actor, given.task, _document(given.review),
                                                           seen=given.seen)),
    Tool("finding_add", "findings.add", own=FOUND, call=_found),
    Tool("task_approve", "decisions.approve", "Never your own work.", without=("declaration", "batch"),
         fixed={"viewed": VIEWED}),
    Tool("task_redo", "feedback.redo", fixed={"viewed": VIEWED}),
)  # fmt: skip

_MORE = (
    Tool("session_whoami", "sessions.whoami"),
    Tool("session_new", "sessions.new"),
    Tool("session_end", "sessions.end"),
    Tool("session_list", "sessions.list"),
    Tool("key_list", "keys.list"),
    Tool("config_show", "policy.show"),
    Tool("audit_log", "audit.log"),
    Tool("security_list", "audit.exceptions"),
    Tool("security_totals", "audit.exception_totals"),
    Tool("task_create", "tasks.create"),
    Tool("task_update", "tasks.edit"),
    Tool("label_add", "tasks.add_label"),
    Tool("label_remove", "tasks.remove_label"),
    Tool("dependency_add", "tasks.add_dependency"),
    Tool("dependency_remove", "tasks.remove_dependency"),
    Tool("dependency_tree", "lists.tree"),
    Tool("plan_preview", "plans.preview"),
    Tool("plan_import", "plans.import_"),
    Tool("plan_export", "plans.export"),
    Tool("task_list", "lists.listed", own=LIST, call=_listed, answer=answers.rows),
    Tool("task_handoff", "notes.handoff"),
    Tool("task_unstart", "claims.unstart", without=("how",)),
    Tool("task_block", "stops.block"),
    Tool("task_unblock", "stops.unblock"),
    Tool("task_defer", "stops.defer"),
    Tool("task_undefer", "stops.undefer"),
    Tool("task_close", "closing.close"),
    Tool("task_cancel", "closing.cancel"),
    Tool("task_delete", "closing.delete"),
    Tool("task_reopen", "closing.reopen"),
    Tool("checkpoint_list", "checkpoints.all"),
    Tool("check_show", "check_runs.of_task"),
    Tool("check_show_target", "check_runs.of_target"),
    Tool("check_show_run", "check_runs.one"),
    Tool("check_pending", "checks.pending"),
    Tool("merge_list", "merges.all"),
    Tool("merge_retry", "merges.retry"),
    Tool("finding_show", "findings.show"),
    Tool("finding_track", "findings.track"),
    Tool("finding_judge", "rulings.rule", instead={"rulings": tuple[closed(Ruling), ...]}),  # type: ignore[misc]
    Tool("ruling_take_back", "rulings.take_back"),
    Tool("finding_withdraw", "rulings.withdraw"),
    Tool("finding_export", "exchange.export"),
    Tool("finding_import", "exchange.take_in", own=DOCUMENT,
         call=lambda app, actor, given: app.exchange.take_in(actor, given.task, given.document.encode())),
    Tool("handoff_export", "handoffs.export"),
    Tool("handoff_import", "handoffs.take_in", own=HANDOFF,
         call=lambda app, actor, given: app.handoffs.take_in(actor, given.task, given.document.encode(),
                                                             seen=given.seen)),
    Tool("finding_answer_document", "answers.respond_document", own=DOCUMENT,
         call=lambda app, actor, given: app.answers.respond_document(actor, given.task, given.document.encode())),
    Tool("review_request", "reviews.request"),
    Tool("review_ask", "cycles.request"),
    Tool("review_clarify", "cycles.clarify"),
    Tool("review_decide", "cycles.decide", without=("now",)),
    Tool("review_list", "cycles.listed"),
    Tool("review_show", "cycles.show"),
    Tool("review_issues", "cycles.issues"),
    Tool("approval_withdraw", "decisions.withdraw"),
    Tool("task_reject", "feedback.reject", fixed={"viewed": VIEWED}),
    Tool("loop_show", "loops.show"),
    Tool("loop_lead", "loops.lead"),
    Tool("prompt_make", "prompts.make"),
    Tool("run_list", "runs.of_task"),
    Tool("run_live", "runs.live"),
    Tool("queue_view", "queue.view", without=("most",), instead={"limit": (int, ROWS)}),
    Tool("attention_view", "attention.view"),
    Tool("status_show", "status.show"),
    Tool("stats_show", "stats.show"),
    Tool("project_validate", "validation.validate"),
    Tool("sprint_status", "sprints.status"),
    Tool("sprint_list", "sprints.listed"),
    Tool("sprint_report", "sprints.report"),
)  # fmt: skip

TOOLS: dict[str, Tool] = {tool.name: tool for tool in _TOOLS}
MORE: dict[str, Tool] = {tool.name: tool for tool in _MORE}

_STANDS = "they need a current directory, and a server has none"
_FACE = "they are for screens"
_RUNNER = "they are for runners and screens"
_ONE = "a tool changes one task at a time"
_PERSON = "they are for people and administrators, on the machine"
_PROGRAMS = "they start programs"
_WHOLE = "they read the whole journal"
_OTHER = "another tool does it"
LEFT_OUT: dict[str, str] = {
    "projects.create": _PERSON,
    "projects.get": _OTHER,
    "status.own": _OTHER,
    "projects.milestones": _PERSON,
    "projects.backup": "it writes a file at any path",
    "projects.role": _PERSON,
    "projects.grants": _PERSON,
    "keys.waiting": _PERSON,
    "sessions.recognise": "every call does it",
    "sessions.spawn": "it gives a token to a process, and a tool starts none",
    "audit.export": _WHOLE,
    "audit.verify": _WHOLE,
    "worktrees.open": _OTHER,
    "worktrees.listed": _PERSON,
    "worktrees.prune": _PERSON,
    "checkouts.listed": _PERSON,
    "checkouts.prune": _PERSON,
    "checkpoints.create": _STANDS,
    "checkpoints.restore": _STANDS,
    "checkpoints.prune": _STANDS,
    "attempts.changes": _FACE,
    "checks.run": _PROGRAMS,
    "checks.run_each": _PROGRAMS,
    "checks.run_target": _PROGRAMS,
    "findings.task_here": _STANDS,
    "findings.apply": _STANDS,
    "tasks.add_labels": _ONE,
    "tasks.remove_labels": _ONE,
    "stops.defer_several": _ONE,
    "stops.undefer_several": _ONE,
    "closing.delete_several": _ONE,
    "decisions.approve_many": "each change is reviewed and approved by itself",
    "prompts.text": _OTHER,
    "lists.place": _FACE,
    "runs.runners": _RUNNER,
    "runs.holds": _RUNNER,
    "runs.said": _RUNNER,
    "runs.blocked_work": _RUNNER,
    "runs.cooled": _RUNNER,
    "agents.conversation": _PERSON,
    "agents.listed": _PROGRAMS,
    "queue.ahead": _FACE,
    "sprints.preview": _FACE,
    "doctor.examine": _PERSON,
}
"""Verbs that an agent may use and that are no tool, with the reason."""
LEFT_OUT_NOUNS: dict[str, str] = {"drafts": _FACE, "board": _FACE, "events": _FACE}


def tools(*, everything: bool = False) -> dict[str, Tool]:
    """Return the tools of a conversation, by name."""
    return TOOLS | (MORE if everything else {})
