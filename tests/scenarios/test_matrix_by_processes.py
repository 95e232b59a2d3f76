"""The policy matrix by real processes: a pairwise cover of policy × relation × minor × required grade, and of
`same_origin` where a shared origin matters. Sub-agents are processes below their spawner, with real tokens.

The expected answers are the table of rules P, typed out again: `no` refuses, `why` wants a reason, `ok` allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.stage.checkout import copied
from tests.stage.commands import Cast, Stage, SubmissionTime
from tests.stage.processes import Caller, FakeAgent, Options

POLICIES = ("strict", "balanced", "delegated", "trusted")
ORDINARY = {
    # relation                rule   strict  balanced  delegated  trusted (without a declaration)
    "implementer":           ("P2", "no",   "no",     "no",      "no"),
    "former implementer":    ("P2", "no",   "no",     "no",      "no"),
    "author by trailer":     ("P2", "no",   "no",     "no",      "no"),
    "session new":           ("P2", "no",   "no",     "no",      "no"),
    "same conversation":     ("P2", "no",   "no",     "no",      "no"),
    "started by an author":  ("P2", "no",   "no",     "no",      "no"),
    "spawned by an author":  ("P2", "no",   "no",     "no",      "no"),
    "sibling":               ("P3", "no",   "why",    "ok",      "ok"),
    "delegator":             ("P3", "no",   "why",    "ok",      "ok"),
    "creator agent":         ("P3", "no",   "why",    "ok",      "ok"),
    "creator person":        ("P3", "no",   "ok",     "ok",      "ok"),
    "prior approver":        ("P5", "no",   "why",    "ok",      "ok"),
    "requested changes":     ("P7", "ok",   "ok",     "ok",      "ok"),
    "uninvolved agent":      ("P7", "ok",   "ok",     "ok",      "ok"),
    "person":                ("P7", "ok",   "ok",     "ok",      "ok"),
    "service":               ("I5", "no",   "no",     "no",      "no"),
    "asserted":              ("I1", "no",   "no",     "no",      "no"),
}  # fmt: skip
RELATIONS = tuple(ORDINARY)
NOBODY = ("service", "asserted")
PEOPLE = ("creator person", "person")
MAKERS = tuple(relation for relation, (rule, *_) in ORDINARY.items() if rule == "P2")
SHARES_AN_ORIGIN = ("session new", "same conversation")
"""I4: all that `same_origin = "audit"` is about; descendants stay what they are."""
DESCENDANTS = ("started by an author", "spawned by an author")
TALK = {"CODEX_THREAD_ID": "one-and-the-same"}


class Row(NamedTuple):
    """One question to the command line."""

    policy: str
    relation: str
    minor: bool = False
    security: bool = False
    same_origin: str = "refuse"

    def __str__(self) -> str:
        marks = [
            word
            for word, on in (("minor", self.minor), ("security", self.security), ("audit", self.same_origin == "audit"))
            if on
        ]
        return "-".join([self.policy, self.relation, *marks]).replace(" ", "_")


class Expected(NamedTuple):
    """What the rules say: by which rule, how, and whether it is an exception (P8)."""

    rule: str
    answer: str
    exception: bool = False


def expected(row: Row) -> Expected:
    """I1 and I5 first, then P6 by the label, P1 by minor (never under the label), a shared origin under audit, else the
    table.
    """
    rule, *answers = ORDINARY[row.relation]
    if row.relation in NOBODY:
        return Expected(rule, "no")
    if row.security and row.relation not in PEOPLE:
        return Expected("P6", "no")
    if row.minor and not row.security:
        return Expected("P1", "ok", row.relation in MAKERS or row.relation in ("delegator", "sibling"))
    if row.same_origin == "audit" and row.relation in SHARES_AN_ORIGIN:
        return Expected("P7", "ok", True)
    answer = answers[POLICIES.index(row.policy)]
    return Expected(rule, answer, answer == "why")


def rows() -> list[Row]:
    """Every policy with every relation; every relation with every kind of task under some policy; audit where it
    matters.
    """
    found = [Row(policy, relation) for policy, relation in product(POLICIES, RELATIONS)]
    for turn, relation in enumerate(RELATIONS):
        one, other = POLICIES[turn % 4], POLICIES[(turn + 1) % 4]
        if relation in NOBODY:
            found.append(Row(one, relation, minor=True, security=True))
        else:
            found += [Row(one, relation, minor=True), Row(other, relation, minor=turn % 4 == 0, security=True)]
    found += [Row(policy, "session new", same_origin="audit") for policy in POLICIES]
    found += [
        Row(POLICIES[turn], relation, same_origin="audit")
        for turn, relation in enumerate(("same conversation", "implementer"))
    ]
    found += [Row(POLICIES[2 + turn], relation, same_origin="audit") for turn, relation in enumerate(DESCENDANTS)]
    return sorted(found, key=lambda row: (POLICIES.index(row.policy), row.same_origin))


class Matrix:
    """One store with tasks of each kind, in which everybody has had their part."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        cast, start = stage.cast, stage.cast.people.agent
        self.helper, self.pupil = start("gemini", under=cast.codex), start("qwen", under=cast.codex)
        self.restless, self.talker, self.stranger = start("codex"), start("gemini"), start("goose")
        self.lead = start("claude")
        self.worker, self.sibling = start("codex", under=self.lead), start("gemini", under=self.lead)
        self._in_force: dict[str, str] = {}
        self._tokens: dict[tuple[str, str], str] = {}
        stage.done(cast.alice, "config", "set", "minor.self_approvals_per_day", "1000")
        trailer = f"work\n\nFoureyes-Session: {stage.session(cast.qwen)}\n"
        self.tasks: dict[tuple[str, bool, bool], SubmissionTime] = {}
        for minor, security in product((False, True), repeat=2):
            marks = ["--minor"] if minor else []
            self.tasks["agent", minor, security] = self._by_an_agent(marks, trailer)
            self.tasks["person", minor, security] = stage.in_review(cast.alice, cast.codex, *marks)
            self.tasks["lead", minor, security] = self._by_a_sub_agent(marks)
            self.tasks["restless", minor, security] = stage.in_review(cast.claude, self.restless, *marks)
        for (_, _, security), work in self.tasks.items():
            if security:
                stage.done(cast.alice, "label", "add", work.task, "security")
        stage.done(self.restless, "log", work.task, "in a conversation", env=TALK)
        before = stage.session(self.restless)
        assert stage.done(self.restless, "session", "new")["session"] != before

    def _by_an_agent(self, marks: list[str], trailer: str) -> SubmissionTime:
        stage, cast = self.stage, self.stage.cast
        task = stage.create(cast.claude, *marks)
        stage.done(cast.opencode, "start", task)
        stage.done(cast.opencode, "unstart", task)
        first = stage.submit_work(cast.codex, task, message=trailer)
        stage.approve(cast.gemini, first)
        stage.done(cast.aider, "redo", task, "-m", "add a test")
        return stage.submit_work(cast.codex, task)

    def _by_a_sub_agent(self, marks: list[str]) -> SubmissionTime:
        """The claim comes with the token (I4)."""
        stage = self.stage
        task = stage.create(stage.cast.claude, *marks)
        token = stage.done(self.lead, "session", "spawn", task, "--role", "implement")["token"]
        stage.commit(f"fe/{task}", {f"{task}.txt": "by a sub-agent\n"})
        return stage.submit(self.worker, task, env={"FOUREYES_TOKEN": token})

    def work(self, row: Row) -> SubmissionTime:
        """The task that a row is about."""
        kinds = {
            "creator person": "person",
            "sibling": "lead",
            "delegator": "lead",
            **dict.fromkeys(SHARES_AN_ORIGIN, "restless"),
        }
        return self.tasks[kinds.get(row.relation, "agent"), row.minor, row.security]

    def caller(self, relation: str) -> Caller:
        """Who stands in this relation to the tasks."""
        cast = self.stage.cast
        agents: dict[str, FakeAgent] = {
            "implementer": cast.codex, "former implementer": cast.opencode, "author by trailer": cast.qwen,
            "session new": self.restless, "same conversation": self.talker, "started by an author": self.helper,
            "spawned by an author": self.pupil, "sibling": self.sibling, "delegator": self.lead,
            "creator agent": cast.claude, "prior approver": cast.gemini, "requested changes": cast.aider,
            "uninvolved agent": self.stranger, "asserted": self.stranger,
        }  # fmt: skip
        return cast.alice if relation in PEOPLE else cast.job if relation == "service" else agents[relation]

    def options(self, row: Row) -> Options:
        """What is in the caller's environment: its token, or its conversation."""
        spawners = {"spawned by an author": self.stage.cast.codex, "sibling": self.lead}
        if row.relation in spawners:
            key = (row.relation, self.work(row).task)
            if key not in self._tokens:
                given = self.stage.done(spawners[row.relation], "session", "spawn", key[1], "--role", "review")
                self._tokens[key] = given["token"]
            return {"env": {"FOUREYES_TOKEN": self._tokens[key]}}
        return {"env": TALK} if row.relation == "same conversation" else {}

    def use(self, key: str, value: str) -> None:
        """Put a setting in force."""
        if self._in_force.get(key) != value:
            self.stage.done(self.stage.cast.alice, "config", "set", key, value)
            self._in_force[key] = value


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory, template: Path, cast: Cast) -> Iterator[Matrix]:
    made = Matrix(Stage(copied(template, tmp_path_factory.mktemp("matrix") / "shop"), cast))
    yield made
    made.stage.verify()


def test_the_rows_cover_every_pair_of_values() -> None:
    values = {"policy": POLICIES, "relation": RELATIONS, "minor": (False, True), "security": (False, True)}
    have = {(one, getattr(row, one), two, getattr(row, two)) for row in rows() for one, two in combinations(values, 2)}
    want = {(one, a, two, b) for one, two in combinations(values, 2) for a, b in product(values[one], values[two])}
    want |= {("policy", policy, "same_origin", how) for policy, how in product(POLICIES, ("refuse", "audit"))}
    have |= {("policy", row.policy, "same_origin", row.same_origin) for row in rows()}
    assert want - have == set()
    assert {row.relation for row in rows() if row.same_origin == "audit"} == {
        *SHARES_AN_ORIGIN,
        *DESCENDANTS,
        "implementer",
    }
    assert len(set(rows())) == len(rows())
    assert 60 <= len(rows()) <= 110


@pytest.mark.parametrize("row", rows(), ids=str)
def test_the_command_line_answers_as_the_table_says_and_reviewable_agrees_P(matrix: Matrix, row: Row) -> None:
    wanted = expected(row)
    stage, caller, work, options = matrix.stage, matrix.caller(row.relation), matrix.work(row), matrix.options(row)
    matrix.use("review.policy", row.policy)
    matrix.use("review.same_origin", row.same_origin)
    typed = ["--as", "bob"] if row.relation == "asserted" else []
    listed = {line["id"]: line["you"]["needs_reason"] for line in stage.lines(caller, "reviewable", *typed, **options)}
    assert listed.get(work.task) == {"no": None, "ok": False, "why": True}[wanted.answer]
    if wanted.answer == "no":
        stage.may_not_approve(caller, work, "-m", "a reason does not help", *typed, rules=[wanted.rule], **options)
        return
    if wanted.answer == "why":
        stage.may_not_approve(caller, work, rules=[wanted.rule], **options)
    done = stage.approve(caller, work, *(["-m", "read it"] if wanted.answer == "why" else []), **options)
    stage.done(caller, "approve", "--withdraw", work.task, **options)
    # Where every agent of a lineage is allowed without more ado, the nearest one's rule is named (I4).
    rule = "P7" if row.relation == "sibling" and (wanted.rule, wanted.answer) == ("P3", "ok") else wanted.rule
    assert (done["rule"], done["exception"]) == (rule, wanted.exception)


def test_every_exception_of_the_matrix_is_in_the_security_record_P8(matrix: Matrix) -> None:
    """Asked of rows of its own, so that it does not matter which others ran before in this process."""
    asked = {
        "same_origin": Row("strict", "session new", same_origin="audit"),
        "creator_approval": Row("balanced", "sibling"),
        "repeat_reviewer": Row("balanced", "prior approver"),
        "minor": Row("strict", "spawned by an author", minor=True),
    }
    for kind, row in asked.items():
        matrix.use("review.policy", row.policy)
        matrix.use("review.same_origin", row.same_origin)
        stage, caller, work, options = matrix.stage, matrix.caller(row.relation), matrix.work(row), matrix.options(row)
        done = stage.approve(caller, work, "-m", "read it", **options)
        stage.done(caller, "approve", "--withdraw", work.task, **options)
        (entry,) = [
            line
            for line in stage.lines(stage.cast.alice, "security", "--limit", "1000")
            if line["seq"] == done["security_event"]
        ]
        assert (entry["kind"], entry["task"]) == (kind, work.task)
