"""The findings loop as people and agents live it: reviews, answers, rulings and rounds in a line each, by real
processes.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from tests.stage.checkout import AT_ONCE, copied
from tests.stage.commands import Cast, Problem, SubmissionTime
from tests.stage.documents import review_result, rulings_of
from tests.stage.processes import Caller, Options, Result
from tests.stage.recalled import recalled
from tests.stage.shop import Shop

LIMIT_PY = (
    "LIMIT = 1000\n\n\ndef allow(key):\n    return counter(key) < 1000\n\n\ndef counter(key):\n    seen[key] += "
    "1\n    return seen[key]\n"
)
TEST_PY = "def test_limit():\n    pass\n"
FILES = {"limit.py": LIMIT_PY, "test_limit.py": TEST_PY}
WHY = "the server has one thread, see server.py line 3"
"""A technical reason (L7)."""

ATOMIC: dict[str, Any] = {
    "severity": "CRITICAL", "title": "counter is not atomic", "file": "limit.py", "line": 9,
    "problem": "two threads lose a count", "fix": "use a lock", "quote": "seen[key] += 1",
}  # fmt: skip
CODED: dict[str, Any] = {
    "severity": "HIGH", "title": "limit is hard-coded", "location": "limit.py:5", "problem": "1000 is written twice",
    "fix": "use LIMIT", "why": "operators cannot change it", "quote": "return counter(key) < 1000",
}  # fmt: skip
EMPTY: dict[str, Any] = {
    "severity": "nit",
    "title": "the test does nothing",
    "location": "test_limit.py:2",
    "fix": "assert something",
}
NAMED: dict[str, Any] = {
    "severity": "suggestion",
    "title": "name the limit better",
    "location": "limit.py:1",
    "fix": "PER_MINUTE",
}


class Loop(Shop):
    """A project without checks, and the moves of the findings loop."""

    def plan(self, *options: str, title: str = "Rate limit the public endpoints") -> str:
        """A task that a person planned."""
        return self.create(self.cast.alice, *options, title=title)

    @recalled
    def handed(self, *options: str, files: Mapping[str, str] | None = None, by: Caller | None = None) -> SubmissionTime:
        """What an agent (claude) submits for a task that a person planned."""
        return self.deliver(by or self.cast.claude, self.plan(*options), files or FILES)

    def document(
        self,
        work: SubmissionTime,
        issues: Iterable[Mapping[str, Any]] = (),
        rulings: Mapping[str, str] | None = None,
        **more: Any,
    ) -> Any:
        """A review_result about an attempt that says that all of it was read."""
        words = dict(rulings or {})
        is_bad = any(word in ("NOT_FIXED", "OVERRULED") for word in words.values())
        document = review_result(
            issues,
            verdict="concerns" if is_bad else "",
            rulings=rulings_of(words.items()),
            diff_id=work.diff_id,
            files_reviewed=self.changed(work),
        )
        document["payload"] |= more
        return document

    def changed(self, work: SubmissionTime) -> list[str]:
        """The files of an attempt."""
        return self.git("diff", "--name-only", f"main...{work.head}").splitlines()

    @recalled
    def review(
        self,
        work: SubmissionTime,
        issues: Iterable[Mapping[str, Any]] = (),
        rulings: Mapping[str, str] | None = None,
        *,
        by: Caller | None = None,
        **more: Any,
    ) -> Any:
        """A reviewer (codex) says what it found and rules; what became of that."""
        document = json.dumps(self.document(work, issues, rulings, **more))
        return self.done(by or self.cast.codex, "review", "submit", work.task, "-", input=document)

    def send(self, work: SubmissionTime, document: object, *, by: Caller | None = None) -> Result:
        """Send a document as it is: text, or something that becomes JSON."""
        text = document if isinstance(document, str) else json.dumps(document)
        return self.run(by or self.cast.codex, "review", "submit", work.task, "-", "--json", input=text)

    def answer(self, task: str, answers: Mapping[str, str], *, by: Caller | None = None) -> Any:
        """The implementer (claude) answers, all in one document."""
        return self.done(
            by or self.cast.claude, "finding", "answer", task, "--file", "-", input=json.dumps(handoff(answers))
        )

    def rule(self, word: str, *names: str, by: Caller | None = None, reason: str = "looked at the code") -> Any:
        """A reviewer (codex) rules on answers."""
        return self.done(by or self.cast.codex, "finding", "judge", *names, f"--{word}", "-m", reason)

    def may_not_rule(
        self, who: Caller, word: str, name: str, rules: Sequence[str], **options: Unpack[Options]
    ) -> Problem:
        """Somebody rules, and is refused by these rules."""
        return self.no(who, "finding", "judge", name, f"--{word}", "-m", "looked at the code", rules=rules, **options)

    def again(
        self, task: str, files: Mapping[str, str], answers: Mapping[str, str] | None = None, *, by: Caller | None = None
    ) -> SubmissionTime:
        """The next attempt; every open blocking finding is claimed to be fixed unless answers are given."""
        who = by or self.cast.claude
        self.done(who, "start", task)
        given = dict.fromkeys(self.open_ids(task), "FIXED") if answers is None else answers
        if given:
            self.answer(task, given, by=who)
        self.commit(f"fe/{task}", files)
        return self.submit(who, task)

    def findings(self, task: str = "", *options: str) -> list[Any]:
        """The findings of a task."""
        return self.lines(self.cast.alice, "finding", "list", *([task] if task else []), *options)

    def states(self, task: str) -> dict[str, str]:
        """Where every finding stands, by its latest id."""
        return {row["id"]: row["state"] for row in self.findings(task)}

    def open_ids(self, task: str) -> list[str]:
        """What wants an answer."""
        return [
            row["id"]
            for row in self.findings(task, "--open", "--blocking")
            if row["state"] == "open" and not row["check"]
        ]

    def loop(self, task: str) -> Any:
        """What `fe show --rounds` says."""
        return self.done(self.cast.claude, "loop", task)

    def prompt(self, task: str, purpose: str) -> str:
        """What an agent is told."""
        return str(self.done(self.cast.gemini, "prompt", task, "--for", purpose)["prompt"])

    def refused_by(self, work: SubmissionTime, *rules: str, who: Caller | None = None) -> Problem:
        """Nobody can approve this now, for these reasons."""
        return self.may_not_approve(who or self.cast.alice, work, rules=rules)


def handoff(answers: Mapping[str, str]) -> dict[str, Any]:
    """A handoff_developer with an answer that the rules accept for each finding."""
    return {"type": "handoff_developer", "issue_responses": [_response(name, word) for name, word in answers.items()]}


def _response(name: str, word: str) -> dict[str, str]:
    if word == "REJECTED":
        return {"issue_id": name, "action": word, "reason": WHY, "ground": "false_positive"}
    said = {
        "FIXED": {"details": "fixed it"},
        "DEFERRED": {"reason": "after the release", "tech_debt_id": "new"},
        "SKIPPED": {},
    }[word]
    return {"issue_id": name, "action": word, **said}


def loop_template(folder: Path, template: Path, cast: Cast) -> Path:
    """A repository where an approval settles at once. Copy it, never use it."""
    shop = Loop(copied(template, folder / "shop"), cast)
    shop.configure(AT_ONCE)
    return shop.repo


def loop_at(place: Path, made: Path, cast: Cast) -> Loop:
    """A fresh copy of it."""
    return Loop(copied(made, place), cast)


def nth(number: int) -> dict[str, str]:
    """The files of a later attempt: other code, all quotes of before still there."""
    return {"limit.py": LIMIT_PY + f"\n\nROUND = {number}\n"}
