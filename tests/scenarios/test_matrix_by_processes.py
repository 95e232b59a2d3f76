"""The policy matrix by real processes: a pairwise cover of policy × relation × minor × required grade.

The expected answers are the table of rules.md, typed out again: `no` refuses, `why` wants a reason, `ok` allows.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.launcher import Caller, FakeAgent
from tests.scenarios.stage import Cast, HandedIn, Stage, copy_of

POLICIES = ("strict", "balanced", "delegated", "trusted")
ORDINARY = {
    # relation             rule   strict  balanced  delegated  trusted (without a declaration)
    "implementer":        ("P2", "no",   "no",     "no",      "no"),
    "former implementer": ("P2", "no",   "no",     "no",      "no"),
    "author by trailer":  ("P2", "no",   "no",     "no",      "no"),
    "same origin":        ("P2", "no",   "no",     "no",      "no"),
    "creator agent":      ("P3", "no",   "why",    "ok",      "ok"),
    "creator person":     ("P3", "no",   "ok",     "ok",      "ok"),
    "prior approver":     ("P5", "no",   "why",    "ok",      "ok"),
    "requested changes":  ("P7", "ok",   "ok",     "ok",      "ok"),
    "uninvolved agent":   ("P7", "ok",   "ok",     "ok",      "ok"),
    "person":             ("P7", "ok",   "ok",     "ok",      "ok"),
    "service":            ("I5", "no",   "no",     "no",      "no"),
    "asserted":           ("I1", "no",   "no",     "no",      "no"),
}  # fmt: skip
RELATIONS = tuple(ORDINARY)
NOBODY = ("service", "asserted")
PEOPLE = ("creator person", "person")


class Row(NamedTuple):
    """One question to the command line."""

    policy: str
    relation: str
    minor: bool
    security: bool

    def __str__(self) -> str:
        words = [self.policy, self.relation, *(["minor"] if self.minor else []), *(["security"] if self.security else [])]
        return "-".join(words).replace(" ", "_")


def expected(row: Row) -> tuple[str, str]:
    """Rule and answer: I1 and I5 first, then P6 by the label, P1 by minor (never under the label), else the table."""
    rule, *answers = ORDINARY[row.relation]
    if row.relation in NOBODY:
        return rule, "no"
    if row.security and row.relation not in PEOPLE:
        return "P6", "no"
    if row.minor and not row.security:
        return "P1", "ok"
    return rule, answers[POLICIES.index(row.policy)]


def rows() -> list[Row]:
    """Every policy with every relation, and every relation with every kind of task under some policy."""
    found = [Row(policy, relation, False, False) for policy, relation in product(POLICIES, RELATIONS)]
    for turn, relation in enumerate(RELATIONS):
        for step, (minor, security) in enumerate([(True, False), (False, True), (True, True)]):
            found.append(Row(POLICIES[(turn + step) % 4], relation, minor, security))
    return sorted(found, key=lambda row: POLICIES.index(row.policy))


class Matrix:
    """One store with a task of each kind, in which everybody has had their part."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        cast = stage.cast
        self.below = cast.world.agent("gemini", under=cast.codex)
        self.stranger = cast.world.agent("goose")
        self._policy = ""
        self._listed: dict[tuple[str, str], set[str]] = {}
        stage.done(cast.alice, "policy", "set", "minor.self_approvals_per_day", "1000")
        trailer = f"work\n\nFoureyes-Session: {stage.session(cast.qwen)}\n"
        self.tasks = {
            (by_person, minor, security): self._task(by_person, minor, security, trailer)
            for by_person, minor, security in product((False, True), repeat=3)
        }

    def _task(self, by_person: bool, minor: bool, security: bool, trailer: str) -> HandedIn:
        stage, cast = self.stage, self.stage.cast
        marks = ["--minor"] if minor else []
        if by_person:
            work = stage.in_review(cast.alice, cast.codex, *marks)
        else:
            task = stage.create(cast.claude, *marks)
            stage.done(cast.opencode, "start", task)
            stage.done(cast.opencode, "unstart", task)
            first = stage.hand_in(cast.codex, task, message=trailer)
            stage.approve(cast.gemini, first)
            stage.done(cast.aider, "redo", task, "-m", "add a test")
            work = stage.hand_in(cast.codex, task)
        if security:
            stage.done(cast.alice, "label", "add", work.task, "security")
        return work

    def caller(self, relation: str) -> Caller:
        """Who stands in this relation to the tasks."""
        cast = self.stage.cast
        agents: dict[str, FakeAgent] = {
            "implementer": cast.codex, "former implementer": cast.opencode, "author by trailer": cast.qwen, "same origin": self.below,
            "creator agent": cast.claude, "prior approver": cast.gemini, "requested changes": cast.aider, "uninvolved agent": self.stranger,
            "asserted": self.stranger,
        }  # fmt: skip
        return cast.alice if relation in PEOPLE else cast.job if relation == "service" else agents[relation]

    def use(self, policy: str) -> None:
        """Put a policy in force."""
        if policy != self._policy:
            self.stage.done(self.stage.cast.alice, "policy", "set", "review.policy", policy)
            self._policy = policy

    def listed(self, row: Row) -> set[str]:
        """What `fe reviewable` lists for the caller; a task's marks do not matter, they all are in one list."""
        key = (row.policy, row.relation)
        if key not in self._listed:
            typed = ("--as", "bob") if row.relation == "asserted" else ()
            lines = self.stage.lines(self.caller(row.relation), "reviewable", *typed)
            self._listed[key] = {f"{line['id']}{' with a reason' if line['you']['needs_reason'] else ''}" for line in lines}
        return self._listed[key]


@pytest.fixture(scope="module")
def matrix(tmp_path_factory: pytest.TempPathFactory, template: Path, cast: Cast) -> Iterator[Matrix]:
    made = Matrix(Stage(copy_of(template, tmp_path_factory.mktemp("matrix") / "shop"), cast))
    yield made
    made.stage.verify()


def test_the_rows_cover_every_pair_of_values() -> None:
    values = {"policy": POLICIES, "relation": RELATIONS, "minor": (False, True), "security": (False, True)}
    have = {(one, getattr(row, one), two, getattr(row, two)) for row in rows() for one, two in combinations(values, 2)}
    want = {(one, a, two, b) for one, two in combinations(values, 2) for a, b in product(values[one], values[two])}
    assert want - have == set()
    assert 60 <= len(rows()) <= 90


@pytest.mark.parametrize("row", rows(), ids=str)
def test_P_the_command_line_answers_as_the_table_says_and_reviewable_agrees(matrix: Matrix, row: Row) -> None:
    rule, answer = expected(row)
    stage, caller = matrix.stage, matrix.caller(row.relation)
    work = matrix.tasks[(row.relation == "creator person", row.minor, row.security)]
    matrix.use(row.policy)
    typed = ["--as", "bob"] if row.relation == "asserted" else []
    assert (work.task in matrix.listed(row)) == (answer == "ok")
    assert (f"{work.task} with a reason" in matrix.listed(row)) == (answer == "why")
    if answer == "no":
        stage.may_not_approve(caller, work, "-m", "a reason does not help", *typed, rules=[rule])
        return
    if answer == "why":
        stage.may_not_approve(caller, work, rules=[rule])
    done = stage.approve(caller, work, *(["-m", "read it"] if answer == "why" else []))
    stage.done(caller, "approve", "--withdraw", work.task)
    made_it = row.relation in ("implementer", "former implementer", "author by trailer", "same origin")
    assert (done["rule"], done["exception"]) == (rule, answer == "why" or (rule == "P1" and made_it))
