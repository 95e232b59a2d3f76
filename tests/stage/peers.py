"""A world in which agents review each other's work: claude makes it, codex and gemini say what the test says."""

from __future__ import annotations

import json
from typing import Any

from msgspec.structs import replace

from foureyes.app.agent_ports import Launch
from foureyes.app.findings.raising import findings_of_task
from foureyes.app.results.review import CycleView
from foureyes.core.nouns.run import Run, RunOutcome
from foureyes.core.nouns.session import Actor
from foureyes.core.words.ids import TaskId

from tests.stage.looped import respond
from tests.stage.people import ALICE, BOB
from tests.stage.playground import Playground
from tests.stage.playing import Play

SAID = RunOutcome(ended=True, rc=0, conversation="k-1")
ONE = '[review.peers]\nreviewers = ["codex", "gemini"]\n'
TWO = f"{ONE}ask = 2\n"


def review(verdict: str = "approved", **payload: Any) -> str:
    """A document as a reviewer sends it; which change it is, and its files, are put in when it is said."""
    usual = {"verdict": verdict, "summary": "looked at", "files_reviewed": ["@FILES@"], "diff_id": "@DIFF@"}
    return json.dumps({"type": "review_result", "payload": usual | payload})


def issue(severity: str = "HIGH", **fields: Any) -> dict[str, Any]:
    return {"severity": severity, "title": "It fails", "problem": "for no values", "fix": "ask first"} | fields


class Peers(Playground):
    """Who is asked plays what `says` said, first one first; then it approves."""

    def __init__(self) -> None:
        super().__init__()
        self.played_by: dict[str, list[Play]] = {}

    def says(self, reviewer: str, *answers: str | RunOutcome | Play) -> None:
        self.played_by[reviewer] = [self._play(answer) for answer in answers]

    def _play(self, answer: str | RunOutcome | Play) -> Play:
        if isinstance(answer, Play):
            return answer
        said = replace(SAID, answer=answer, final=answer) if isinstance(answer, str) else answer
        return Play(commits=0, outcome=said)

    def _next(self, launch: Launch) -> Play:
        if launch.purpose not in ("review", "clarify"):
            return super()._next(launch)
        left = self.played_by.get(launch.profile_name)
        play = left.pop(0) if left else self._play(review())
        about, files = self.asked_about(launch.task)
        text = play.outcome.answer.replace("@DIFF@", about).replace('"@FILES@"', ", ".join(map(json.dumps, files)))
        play.outcome = replace(play.outcome, answer=text, final=text)
        return play

    def agent(self, launch: Launch) -> Actor:
        """The program of a run, by its token."""
        reaper = f"process:{launch.run}"
        return self.show_token(launch.token, (f"{reaper}-agent", reaper), (f"{reaper}-agent",))

    def emits(self, launch: Launch, type_: str) -> None:
        self.app.runs.emit(self.agent(launch), type_, "half of it is done")

    def mends(self, launch: Launch) -> None:
        """The author answers everything that was found."""
        with self.store.read() as tx:
            found = [finding.id for finding in findings_of_task(tx, TaskId(launch.task))]
        respond(self, launch.task, dict.fromkeys(found, "FIXED"), by=self.agent(launch))

    def asked_about(self, task: str) -> tuple[str, list[str]]:
        """The change that the newest cycle about a task asks about, and its files."""
        diff_id, look = self.sql(
            "SELECT diff_id, early_review FROM cycle_targets WHERE task = ? ORDER BY seq DESC LIMIT 1", task
        )[0]
        if look:
            return diff_id, json.loads(
                self.sql("SELECT files FROM early_reviews WHERE task = ? AND n = ?", task, look)[0][0]
            )
        return diff_id, [file.path for file in self.app.lists.show(BOB, task).attempts[-1].files]

    def made(self, settings: str = ONE) -> str:
        """A task whose work is submitted, and who is asked about it has answered."""
        self.configured(settings)
        task = self.create(ALICE)
        self.settle(self.runner(agents=3))
        return task

    def reviews_of(self, task: str) -> list[Run]:
        return [run for run in self.runs_of(task) if run.purpose == "review"]

    def cycle(self, n: int = 1) -> CycleView:
        return self.app.cycles.show(f"c-{n}")

    def became(self, n: int = 1) -> dict[str, str]:
        """What became of everybody who was asked: answered, or why not."""
        return {row.reviewer: row.why or row.state for row in self.cycle(n).requested}

    def examined(self, task: str) -> list[Any]:
        return list(self.app.lists.show(BOB, task).reviews)
