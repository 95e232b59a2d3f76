"""Every writing command of the findings loop: what it needs before it, and the command itself."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from foureyes.core.nouns.finding import Answer, AnswerWord, ReportedFinding, Ruling, RulingWord
from foureyes.core.nouns.session import Actor

from tests.faults.verb import Verb
from tests.stage.documents import review_result, sarif
from tests.stage.looped import GROUND, REASON, issue
from tests.stage.people import ALICE, BOB, CLAUDE, CODEX, GEMINI
from tests.stage.places import Desk

CODE = "def first():\n    return limit * 2\n"
LATER = "import os\n\n\n" + CODE
HERE: dict[str, Any] = {"file": "app.py", "line": 2}
REPORT = sarif(("app.py", 2, "odd"), ("app.py", 1, "even"))


def _review(
    desk: Desk,
    task: str,
    issues: Sequence[dict[str, Any]] = (),
    rulings: Sequence[tuple[str, str]] = (),
    *,
    by: Actor = CODEX,
) -> None:
    ruled = [{"finding": name, "ruling": word, "reason": "looked"} for name, word in rulings]
    said = review_result(issues, rulings=ruled, diff_id=desk.seen(task), files_reviewed=["app.py"])
    desk.app.reviews.submit(by, task, json.dumps(said).encode())


def _ids(desk: Desk, task: str, *states: str) -> list[str]:
    return [one.id for one in desk.app.findings.listed(task) if one.state in states]


def _respond(desk: Desk, task: str, word: AnswerWord) -> None:
    ground = GROUND if word == "REJECTED" else ""
    given = [Answer(finding=name, action=word, text=REASON, ground=ground) for name in _ids(desk, task, "open")]
    desk.app.answers.respond(CLAUDE, task, given)


def _rule(desk: Desk, task: str, word: RulingWord) -> None:
    desk.app.rulings.rule(
        CODEX, [Ruling(name, word, "looked at it") for name in _ids(desk, task, "claimed", "disputed")]
    )


def _reviewing(desk: Desk) -> str:
    desk.script.files["app.py"] = CODE
    return desk.submitted_task()


def _found(desk: Desk) -> str:
    """Sent back with a blocking finding in the code, another without a place, and a suggestion; taken up again."""
    task = _reviewing(desk)
    _review(desk, task, [issue("leaks", **HERE), issue("no test"), issue("naming", "LOW")])
    desk.app.claims.start(CLAUDE, task)
    return task


def _answered(desk: Desk, word: AnswerWord = "FIXED") -> str:
    task = _found(desk)
    blocking = [one.id for one in desk.app.findings.listed(task) if one.blocking]
    ground = GROUND if word == "REJECTED" else ""
    desk.app.answers.respond(
        CLAUDE, task, [Answer(finding=name, action=word, text=REASON, ground=ground) for name in blocking]
    )
    desk.script.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.script.files["app.py"] = LATER
    return task


def _claimed(desk: Desk) -> str:
    task = _answered(desk)
    desk.app.attempts.submit(CLAUDE, task)
    return task


def _stuck(desk: Desk) -> str:
    """One more round without progress goes to the next tier."""
    task = _claimed(desk)
    _rule(desk, task, "NOT_FIXED")
    desk.app.claims.start(CLAUDE, task)
    _respond(desk, task, "FIXED")
    desk.script.commit(f"fe/{task}", sessions=[CLAUDE.session])
    desk.app.attempts.submit(CLAUDE, task)
    return task


def _disputed(desk: Desk) -> str:
    """L14: more than half of them are rejected, so the lead is asked."""
    task = _answered(desk, "REJECTED")
    desk.app.attempts.submit(CLAUDE, task)
    return task


def _ruled(desk: Desk) -> str:
    task = _claimed(desk)
    desk.app.rulings.rule(CODEX, [Ruling(f"TL-{task}-1-001", "VERIFIED", "looked")])
    return task


def _others_work(desk: Desk) -> str:
    """A6: another task comes with the commits of one that has an open blocking finding."""
    first = _found(desk)
    task = desk.started(GEMINI, title="the same again")
    desk.script.branches[f"refs/heads/fe/{task}"] = list(desk.script.branches[f"refs/heads/fe/{first}"])
    desk.script.commit(f"fe/{task}", sessions=[GEMINI.session])
    return task


def _waive(desk: Desk, task: str) -> None:
    desk.app.findings.waive(BOB, f"TL-{task}-1-001", "known risk", days=30)


def _approved(desk: Desk) -> str:
    desk.script.files["app.py"] = CODE
    return desk.approved(BOB)


LOOP_VERBS = (
    Verb(
        "review submit that raises and sends back",
        _reviewing,
        lambda d, t: _review(d, t, [issue("leaks", **HERE), issue("no test", "LOW")]),
    ),
    Verb(
        "review submit with rulings and a new finding",
        _claimed,
        lambda d, t: _review(
            d,
            t,
            [issue("worse", "CRITICAL")],
            [(name, "VERIFIED" if not n else "NOT_FIXED") for n, name in enumerate(_ids(d, t, "claimed"))],
        ),
    ),
    Verb("finding answer", _found, lambda d, t: _respond(d, t, "FIXED")),
    Verb(
        "finding respond that makes a task of it",
        _found,
        lambda d, t: d.app.answers.respond(
            CLAUDE,
            t,
            [
                Answer(finding=one.id, action="DEFERRED", text="later", debt="new")
                for one in d.app.findings.listed(t)
                if not one.blocking
            ],
        ),
    ),
    Verb("finding rule that settles", _claimed, lambda d, t: _rule(d, t, "VERIFIED")),
    Verb("finding rule that sends back and escalates", _stuck, lambda d, t: _rule(d, t, "NOT_FIXED")),
    Verb("finding rule that is taken back", _ruled, lambda d, t: d.app.rulings.take_back(CODEX, f"TL-{t}-1-001")),
    Verb("submit that carries findings", _answered, lambda d, t: d.app.attempts.submit(CLAUDE, t)),
    Verb(
        "submit that asks the lead", lambda d: _answered(d, "REJECTED"), lambda d, t: d.app.attempts.submit(CLAUDE, t)
    ),
    Verb("submit of another's work", _others_work, lambda d, t: d.app.attempts.submit(GEMINI, t)),
    Verb(
        "lead split",
        _disputed,
        lambda d, t: d.app.loops.lead(ALICE, t, "split", "too much at once", into=["one half", "the other"]),
    ),
    Verb("lead senior", _disputed, lambda d, t: d.app.loops.lead(ALICE, t, "senior", "it needs more")),
    Verb("finding waive", _found, _waive),
    Verb(
        "finding add that ends an approval",
        _approved,
        lambda d, t: d.app.findings.add(BOB, t, ReportedFinding(severity="HIGH", title="leaks")),
    ),
    Verb(
        "finding import",
        _reviewing,
        lambda d, t: d.app.exchange.take_in(CODEX, t, REPORT, "report.sarif", whole=True),
    ),
    Verb("finding answer --track", _claimed, lambda d, t: d.app.findings.track(ALICE, [], task=t)),
    Verb("unstart after a crash", _found, lambda d, t: d.app.claims.unstart(CLAUDE, t, how="crash")),
)
"""What is killed at every step."""

ON_A_SERVER = (
    "review submit with rulings and a new finding",
    "finding rule that sends back and escalates",
    "lead split",
)
"""On both engines every day; the others every night."""
