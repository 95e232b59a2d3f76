"""Every verb of the catalogue, called: whoever has no rights is refused by the right that the catalogue names, and one
that only looks opens no writing transaction.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from foureyes.adapters.store.store import Store
from foureyes.app import context
from foureyes.app.application import Application
from foureyes.app.catalog import NOUNS, Verb, verbs
from foureyes.app.results.sprint import SprintAsk
from foureyes.app.results.task_list import ListQuery
from foureyes.core.nouns.finding import Answer, ReportedFinding, Ruling
from foureyes.core.nouns.session import Actor
from foureyes.core.rules.rights import barred
from foureyes.core.runner.signals import Spoken
from foureyes.errors import Reason, Refused

from tests.stage.gated import LINT, configure
from tests.stage.people import ALICE, BOB, CI, CODEX
from tests.stage.world import DeskWorld

WITHIN = replace(ALICE, within="fe check run")
"""A person below a check: whatever they ask for, they have no rights at all (I5)."""

TASK = "TASK"
FINDING = "FINDING"
RUN = "RUN"
AGENT_RUN = "AGENT_RUN"
CYCLE = "CYCLE"
FILE = "FILE"
LEAD = json.dumps({"type": "handoff_tech_lead", "issues": []}).encode()
DEVELOPER = json.dumps({"type": "handoff_developer", "issue_responses": []}).encode()
WHY = "because it must be tried"

ASKED: dict[str, list[dict[str, Any]]] = {
    "projects.create": [{"name": "shop", "prefix": "fe", "target": "main"}],
    "projects.backup": [{"path": FILE}],
    "projects.note_restore": [{"source": "a.db", "kept": "b.db"}],
    "sessions.spawn": [{"task": TASK, "role": "implement"}],
    "sessions.list": [{"limit": 5}],
    "keys.add": [{"public": "key", "person": "bob"}],
    "keys.retire": [{"key": "SHA256:x", "reason": WHY}],
    "policy.set": [{"key": "review.policy", "text": "strict"}, {"key": "review.policy", "text": None}],
    "policy.feature": [{"name": "balanced_review_policy"}],
    "policy.set_feature": [
        {"name": "balanced_review_policy", "text": "true"},
        {"name": "balanced_review_policy", "text": None},
    ],
    "tasks.create": [{"title": "a task"}],
    "tasks.edit": [{"task": TASK, "title": "another"}],
    "tasks.add_label": [{"task": TASK, "labels": ["x"]}],
    "tasks.remove_label": [{"task": TASK, "labels": ["x"]}],
    "tasks.add_labels": [{"tasks": [TASK], "labels": ["x"]}],
    "tasks.remove_labels": [{"tasks": [TASK], "labels": ["x"]}],
    "stops.defer_several": [{"tasks": [TASK]}],
    "stops.undefer_several": [{"tasks": [TASK]}],
    "closing.delete_several": [{"tasks": [TASK], "reason": WHY}],
    "tasks.add_dependency": [{"task": TASK, "depends_on": [TASK]}],
    "tasks.remove_dependency": [{"task": TASK, "depends_on": [TASK]}],
    "projects.note_place": [{"place": ""}],
    "projects.adopt": [{"reason": WHY}],
    "merges.here": [{"reason": WHY}],
    "merges.accept": [{"reason": WHY}],
    "merges.address": [{"reason": WHY}],
    "plans.import_": [{"text": "# Plan\n\n## One\n"}],
    "plans.preview": [{"text": "# Plan\n\n## Task: One\n"}],
    "plans.accept": [{"tasks": [TASK]}],
    "notes.log": [{"task": TASK, "text": "a line"}],
    "notes.handoff": [{"task": TASK, "done": ["x"], "remaining": [], "decisions": [], "uncertain": []}],
    "stops.block": [{"task": TASK, "reason": WHY}],
    "stops.hold": [{"task": TASK, "reason": WHY}, {"task": None, "reason": WHY}],
    "stops.resume": [{"task": TASK, "reason": WHY}],
    "checkpoints.create": [{"name": "before"}],
    "checkpoints.restore": [{"name": "before"}],
    "checks.run_each": [{"tasks": [TASK]}],
    "check_runs.one": [{"number": RUN}],
    "attempts.correct_author": [{"task": TASK, "session": "ses-x", "reason": WHY}],
    "findings.add": [{"task": TASK, "finding": ReportedFinding(severity="HIGH", title="leaks")}],
    "findings.waive": [{"finding": FINDING, "reason": WHY}],
    "findings.track": [{"names": [FINDING]}],
    "answers.respond": [{"task": TASK, "answers": [Answer(finding=FINDING, action="FIXED", text=WHY)]}],
    "answers.respond_document": [{"task": TASK, "document": DEVELOPER}],
    "rulings.rule": [{"rulings": [Ruling(FINDING, "VERIFIED")]}],
    "rulings.withdraw": [{"finding": FINDING, "reason": WHY}],
    "reviews.submit": [{"task": TASK, "document": b"{}"}],
    "decisions.approve_many": [{"tasks": [(TASK, None)]}],
    "closing.close": [{"task": TASK, "reason": WHY}],
    "closing.cancel": [{"task": TASK, "reason": WHY}],
    "closing.delete": [{"task": TASK, "reason": WHY}],
    "closing.reopen": [{"task": TASK, "reason": WHY}],
    "feedback.redo": [{"task": TASK, "text": WHY}],
    "feedback.reject": [{"task": TASK, "reason": WHY}],
    "loops.lead": [
        {"task": TASK, "option": option, "reason": WHY, "into": ["a part"] if option == "split" else []}
        for option in ("split", "senior", "fresh", "ask", "continue")
    ],
    "prompts.text": [{"task": TASK, "purpose": "review"}],
    "prompts.make": [{"task": TASK, "purpose": "review"}],
    "runs.begin": [{"agents": 1}],
    "runs.launch": [{}],
    "planning.draft": [{"goal": "x"}],
    "runs.finish": [{"runner": WITHIN}],
    "runs.reserve": [{"runner": WITHIN, "task": TASK, "profile": "claude", "purpose": "implement"}],
    "runs.bind": [{"runner": WITHIN, "run": AGENT_RUN, "secret": "fe-x", "process": "p", "program": "claude"}],
    "runs.renew": [{"runner": WITHIN, "runs": [AGENT_RUN]}],
    "runs.holds": [{"runner": WITHIN, "run": AGENT_RUN}],
    "runs.take_over": [{"runner": WITHIN, "run": AGENT_RUN}],
    "runs.end": [{"runner": WITHIN, "run": AGENT_RUN, "outcome": None, "ending": "finished"}],
    "runs.submit_work": [{"runner": WITHIN, "run": AGENT_RUN, "signal": "DONE", "message": ""}],
    "runs.release": [{"runner": WITHIN, "run": AGENT_RUN}],
    "runs.ask_stop": [{"what": TASK}, {"what": AGENT_RUN}],
    "runs.signal": [{"signal": "DONE", "task": TASK}],
    "runs.signalled": [{"runner": WITHIN, "run": AGENT_RUN, "signal": "DONE", "message": WHY}],
    "runs.heard": [{"runner": WITHIN, "run": AGENT_RUN, "spoken": Spoken("progress", WHY)}],
    "runs.emit": [{"type": "progress", "summary": WHY, "task": TASK}],
    "runs.pause": [{"task": TASK, "reason": WHY}, {"task": None, "reason": WHY}],
    "runs.stuck": [{"runner": WITHIN, "task": TASK, "kind": "retries", "why": WHY}],
    "runs.cool": [{"runner": WITHIN, "profile": "claude", "until": "", "error": "quota"}],
    "runs.warm": [{"profile": "claude"}],
    "sprints.preview": [{"ask": SprintAsk()}],
    "sprints.plan": [{"ask": SprintAsk()}],
    "sprints.start": [{"sprint": "s-01"}],
    "sprints.undo": [{"sprint": "s-01"}],
    "sprints.halt": [{"runner": WITHIN, "sprint": "s-01", "kind": "hold", "why": WHY}],
    "sprints.go_on": [{"runner": WITHIN, "sprint": "s-01", "why": WHY}],
    "sprints.finish": [{"runner": WITHIN, "sprint": "s-01", "kind": "time", "why": WHY}],
    "cycles.now": [{"task": TASK}, {}],
    "cycles.request": [{"task": TASK, "reviewers": ["codex"]}],
    "cycles.open": [{"trigger": "MILESTONE", "tasks": [TASK]}],
    "cycles.ask": [{"cycle": CYCLE, "reviewer": "codex"}],
    "cycles.not_given": [{"cycle": CYCLE, "reviewer": "codex", "why": "timeout"}],
    "cycles.decide": [{}, {"cycle": CYCLE}],
    "cycles.clarify": [{"cycle": CYCLE, "point": "p1", "text": WHY}],
    "cycles.ask_author": [{"cycle": CYCLE}],
    "cycles.end": [{"cycle": CYCLE, "reason": WHY}],
    "cycles.listed": [{}, {"task": TASK}, {"live": True}],
    "cycles.show": [{"cycle": CYCLE}],
    "exchange.take_in": [{"task": TASK, "document": LEAD}],
    "handoffs.export": [{"task": TASK, "role": role} for role in ("tech_lead", "developer")],
    "handoffs.take_in": [{"task": TASK, "document": LEAD}, {"task": TASK, "document": DEVELOPER}],
    "lists.page": [{"query": ListQuery()}],
    "lists.listed": [{"query": ListQuery()}],
    "lists.reviewable": [{"query": ListQuery()}],
    "board.column": [{"name": name} for name in ("open", "in_progress", "reviewing", "done")],
    "events.since": [{"seq": 0}],
    "validation.validate": [{}, {"tasks": [TASK]}],
}
"""What to ask a verb for; where nothing stands here, it is asked about a task or a finding, if it takes one."""


@pytest.fixture
def submitted_task(desk: DeskWorld) -> tuple[DeskWorld, dict[str, Any]]:
    """A world with a check, and a task in review that somebody found something in."""
    configure(desk, LINT)
    task = desk.submitted_task()
    desk.app.checks.run_target(CI)
    run = desk.app.check_runs.of_target(BOB)[0].n
    finding = desk.app.findings.add(CODEX, task, ReportedFinding(severity="HIGH", title="leaks")).id
    runner = desk.app.runs.begin(ALICE, agents=1).actor
    at_work = desk.app.runs.reserve(runner, desk.create(), profile="claude", purpose="implement")
    desk.app.sprints.plan(ALICE, SprintAsk(tasks=(desk.create(),)))
    cycle = desk.app.cycles.now(ALICE, task).cycle
    return desk, {TASK: task, FINDING: finding, RUN: run, AGENT_RUN: at_work.id, CYCLE: cycle}


def calls(desk: DeskWorld, verb: Verb, actor: Actor, names: dict[str, Any]) -> list[Callable[[], object]]:
    """The verb, ready to be called, once for each thing that it can be asked for."""
    method = getattr(getattr(desk.app, verb.noun), verb.name)
    takes = inspect.signature(method).parameters
    usual = {"task": TASK, "finding": FINDING}
    asked = ASKED.get(f"{verb.noun}.{verb.name}") or [{key: value for key, value in usual.items() if key in takes}]
    who = {"actor": actor} if "actor" in takes else {}
    return [lambda given=given: method(**who, **filled(given, names)) for given in asked]  # type: ignore[misc]


def filled(value: Any, names: dict[str, Any]) -> Any:
    """A value with the names of this world in the place of what stands for them."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, dict):
        return {key: filled(each, names) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(filled(each, names) for each in value)
    if isinstance(value, Answer | Ruling):
        return replace(value, finding=filled(value.finding, names))
    return value


def test_a_verb_asks_for_the_rights_that_the_catalogue_names_I5(
    submitted_task: tuple[DeskWorld, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, names = submitted_task
    asked: list[str] = []

    def watched(kind: Any, trust: Any, name: str, verb: str, *rest: Any) -> Reason | None:
        asked.append(verb)
        return barred(kind, trust, name, verb, *rest)

    monkeypatch.setattr(context, "barred", watched)
    for verb in verbs():
        asked.clear()
        for call in calls(desk, verb, WITHIN, names | {FILE: str(tmp_path / "backup.db")}) if verb.rights else []:
            before = len(asked)
            with desk.unchanged():
                assert refusal(call) == "I5", verb
            assert len(asked) > before, verb
        assert set(asked) == set(verb.rights), verb


def refusal(call: Callable[[], object]) -> str:
    """The rule by which a call is refused; of several decisions at once, the first of them."""
    try:
        answer = call()
    except Refused as problem:
        return problem.reasons[0].rule
    assert isinstance(answer, Iterator), answer
    (first,) = answer
    assert isinstance(first, Refused), first
    return first.reasons[0].rule


def test_a_verb_that_only_looks_opens_no_writing_transaction(
    submitted_task: tuple[DeskWorld, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk, names = submitted_task

    def refuse(_: Store) -> None:
        raise AssertionError("a writing transaction was opened")

    monkeypatch.setattr(Store, "write", refuse)
    looking = [verb for verb in verbs() if not verb.writes]
    assert len(looking) > 40
    for verb in looking:
        for call in calls(desk, verb, BOB, names):
            answer = call()
            assert not isinstance(answer, Iterator) or len(list(answer)) == desk.rows(), verb


def test_one_batch_is_for_people_D7(desk: DeskWorld) -> None:
    with desk.refused("D7"):
        desk.app.queue.batch(CODEX)


def test_a_noun_is_made_when_first_asked_for_and_then_stays(desk: DeskWorld) -> None:
    app = Application(desk.app.context)
    assert not set(NOUNS) & set(vars(app))
    assert app.tasks is app.tasks
    assert set(NOUNS) & set(vars(app)) == {"tasks"}
    with pytest.raises(AttributeError, match="nouns"):
        _ = app.nouns  # type: ignore[attr-defined]
