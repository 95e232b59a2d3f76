"""Reviewers by real processes: scripted agents below their reapers are asked, read files of their own and answer; each
rule follows from what they say (V1 to V9), also when the runner is killed in between (J4).
"""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.stage.commands import Stage
from tests.stage.runner_child import CHILD
from tests.stage.shop import Shop
from tests.stage.theatre import DONE, Theatre, is_alive, wait_for, write

SETTINGS = """
[tiers]
developer = "dev"
senior = "dev"

[review.peers]
reviewers = ["one", "two"]
ask = 2
"""
AGENT = """
[agents.{name}]
program = "scripted"
args = ["{play}"]
"""
WORK: list[dict[str, Any]] = [*write("{task}.py", "fine\n"), DONE]
GOOD: dict[str, Any] = {"review": {"verdict": "approved"}}
WORRY: dict[str, Any] = {"review": {"verdict": "concerns", "summary": "Is it wanted?"}}
STOP: dict[str, Any] = {"review": {"verdict": "blocker", "summary": "It deletes everything."}}
PROSE: dict[str, Any] = {"say": "No blocker found. LGTM!"}


class Peers(Theatre):
    """Three scripted agents: `dev` works, `one` and `two` review."""

    def __init__(self, shop: Shop, folder: Path) -> None:
        agents = "".join(AGENT.replace("{name}", name) for name in ("dev", "one", "two"))
        settings = shop.repo / "foureyes.toml"
        settings.write_text(settings.read_text().replace("[project]\n", "[project]\ndemo = true\n"))
        super().__init__(shop, folder, SETTINGS + agents)
        self.request = folder / "request.json"
        self.keeps = {"run": ["sh", "-c", f"cat .foureyes-review/request.json > {self.request}"]}

    def reviewed(self, *, one: dict[str, Any], two: dict[str, Any], work: list[dict[str, Any]] = WORK) -> str:
        """A task that `dev` makes, and what each of the others says about it."""
        answers = [{"point": point, "answer": "It is."} for point in (1, 2)]
        answer = {"say": json.dumps({"type": "clarification", "answers": answers})}
        plays = [
            {"purpose": "review", "prompt": "What was clarified", "steps": [GOOD]},
            {"purpose": "review", "profile": "one", "steps": [self.keeps, one]},
            {"purpose": "review", "steps": [two]},
            {"purpose": "clarify", "steps": [answer]},
            {"steps": work},
        ]
        self.play({"plays": plays})
        return self.shop.create(self.shop.cast.alice, title="Reviewed")

    def examined(self, runner: int, go: Path) -> None:
        """All agree about the work in the middle of it, it goes on, all agree about what is submitted."""
        try:
            wait_for(lambda: self.rules() != [])
            go.touch()
            wait_for(lambda: self.triggers()[-1:] == [("REQUEST_REVIEW", False)] and self.is_decided())
        finally:
            os.kill(runner, signal.SIGTERM)
        wait_for(lambda: not is_alive(runner))
        assert set(self.rules()) == {"R4"}

    def is_decided(self) -> bool:
        return len(self.rules()) == len(self.triggers())

    def triggers(self) -> list[tuple[str, bool]]:
        """Why each cycle was opened, and whether it is about a look."""
        rows = self.rows("CycleOpened")
        return [(row["trigger"], bool(row["targets"][0].get("early_review"))) for row in rows]

    def rules(self) -> list[str]:
        return [row["rule"] for row in self.rows("CycleDecided")]

    def rows(self, kind: str) -> list[dict[str, Any]]:
        rows = self.shop.lines(self.shop.cast.alice, "audit", "export")
        return [json.loads(row["payload"]) for row in rows if row["kind"] == kind]


@pytest.fixture
def peers(stage: Stage, tmp_path: Path) -> Peers:
    return Peers(Shop(stage.repo, stage.cast), tmp_path)


@pytest.mark.parametrize(
    ("one", "two", "rules"),
    [
        (WORRY, WORRY, ["R2", "R4"]),
        (GOOD, STOP, ["R1"]),
        (GOOD, WORRY, ["R3"]),
        (GOOD, GOOD, ["R4"]),
        (PROSE, PROSE, ["R0"]),
    ],
)
def test_each_rule_follows_from_what_reviewers_say_V8(
    peers: Peers, one: dict[str, Any], two: dict[str, Any], rules: list[str]
) -> None:
    task = peers.reviewed(one=one, two=two)
    lines = peers.run("--agents", "3", "--until-idle")
    assert peers.rules() == rules, lines
    page = peers.shop.show(task)
    assert page["task"]["status"] == "reviewing"
    assert (page["task"]["hold"] is not None) == (rules == ["R1"])
    folder = peers.shop.repo / ".foureyes"
    assert [list((folder / name).iterdir()) for name in ("checkouts", "runs")] == [[], []]
    asked = check_request(json.loads(peers.request.read_text()), task)
    if two == WORRY:
        check_result(next(row for row in page["reviews"] if row["by"].startswith("two")), asked)
    assert peers.shop.verify()


def check_request(document: dict[str, Any], task: str) -> str:
    """V2: the document that a reviewer has, field by field; the change that it is about."""
    context = document["context"]
    assert (document["type"], document["reviewer"], document["targets"]) == ("review_request", "one", [task])
    assert (document["task"], document["title"], document["attempt"], document["iteration"]) == (task, "Reviewed", 1, 1)
    assert list(context["summaries"]) == [task]
    assert context["diff"] == f"fe show {task} --diff"
    assert document["focus_areas"][0] == "Security vulnerabilities"
    assert document["max_words"] == 200
    assert {"acceptance", "checks", "open_findings", "clarified"} <= set(context)
    return str(document["diff_id"])


def check_result(review: dict[str, Any], diff_id: str) -> None:
    """V3: what is kept of the document that a reviewer answered with, field by field."""
    assert (review["verdict"], review["effective"], review["summary"]) == ("concerns", "concerns", "Is it wanted?")
    assert (review["diff_id"], review["attempt"], review["missing"]) == (diff_id, 1, [])
    assert len(review["files"]) == 1
    assert review["at"]


@pytest.mark.parametrize("type_", ["milestone", "blocker", "request_review"])
def test_what_an_agent_says_in_the_middle_of_its_work_is_reviewed_as_it_lies_there_V1(
    peers: Peers, type_: str, tmp_path: Path
) -> None:
    shop = peers.shop
    said = {"fe": ["emit", type_, "half of it"]}
    half = {"write": "src/half.py", "text": "half\n"}
    work: list[dict[str, Any]] = [half, said, {"until": str(tmp_path / "go")}, {"commit": "Half"}, DONE]
    task = peers.reviewed(one=GOOD, two=GOOD, work=work)
    begun = shop.done(shop.cast.alice, "run", "--detach", "--agents", "3")
    peers.examined(begun["pid"], tmp_path / "go")
    assert peers.triggers() == [(type_.upper(), True), ("REQUEST_REVIEW", False)]
    assert shop.status(task) == "reviewing"


def test_a_person_has_work_in_the_middle_of_it_looked_at_V1_USER_MANUAL(peers: Peers, tmp_path: Path) -> None:
    shop, half = peers.shop, tmp_path / "half"
    until: list[dict[str, Any]] = [{"run": ["touch", str(half)]}, {"until": str(tmp_path / "go")}]
    work: list[dict[str, Any]] = [{"write": "src/half.py", "text": "half\n"}, *until, {"commit": "Half"}, DONE]
    task = peers.reviewed(one=GOOD, two=GOOD, work=work)
    begun = shop.done(shop.cast.alice, "run", "--detach", "--agents", "3")
    wait_for(half.exists)
    said = shop.done(shop.cast.alice, "review", "now", task)
    assert sorted(said["requested"]) == ["one", "two"]
    peers.examined(begun["pid"], tmp_path / "go")
    assert peers.triggers() == [("USER_MANUAL", True), ("REQUEST_REVIEW", False)]


def test_silence_of_every_live_run_has_their_work_looked_at_V1_TIMEOUT_FALLBACK(peers: Peers, tmp_path: Path) -> None:
    half, until = {"write": "src/half.py", "text": "half\n"}, {"until": str(tmp_path / "go")}
    work: list[dict[str, Any]] = [half, until, {"commit": "Half"}, DONE]
    peers.reviewed(one=GOOD, two=GOOD, work=work)
    words = [sys.executable, CHILD, "minute:0.1", "run", "--agents", "3", "--detach", "--json"]
    begun = peers.shop.cast.alice.run(words, cwd=peers.shop.repo)
    assert begun.rc == 0, begun
    peers.examined(json.loads(begun.out)["pid"], tmp_path / "go")
    (first, look), *others = peers.triggers()
    assert (first, look, others[-1]) == ("TIMEOUT_FALLBACK", True, ("REQUEST_REVIEW", False))
    assert peers.rows("CycleOpened")[0]["wide"]


def test_a_runner_killed_in_the_middle_of_a_cycle_leaves_what_the_next_one_brings_to_its_end_J4(
    peers: Peers, tmp_path: Path
) -> None:
    shop, pid = peers.shop, tmp_path / "pid"
    tell = {"run": ["sh", "-c", f"echo $PPID > {pid}.new; mv {pid}.new {pid}"]}
    task = peers.reviewed(one=GOOD, two=GOOD)
    waits = [tell, {"until": str(tmp_path / "never")}]
    good, done = {"purpose": "review", "steps": [GOOD]}, {"steps": WORK}
    peers.play({"plays": [{"purpose": "review", "profile": "two", "steps": waits}, good, done]})
    begun = shop.done(shop.cast.alice, "run", "--detach", "--agents", "3")
    wait_for(pid.exists)
    os.kill(begun["pid"], signal.SIGKILL)
    wait_for(lambda: not is_alive(int(pid.read_text())))
    peers.play({"plays": [good, done]})
    lines = peers.run("--agents", "3", "--until-idle")
    assert peers.rules() == ["R4"], lines
    assert len(shop.show(task)["reviews"]) == 2
    assert not list((shop.repo / ".foureyes/checkouts").iterdir())
    peers.check_nothing_left([task])
