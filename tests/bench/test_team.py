"""The simulated team does what it says: real runners, git from memory, and work that is really merged."""

from __future__ import annotations

import time
from argparse import Namespace
from collections import Counter
from pathlib import Path

from bench.crowd import in_a_child
from bench.team import Trial
from bench.team_git import ROOT, SharedMain
from bench.team_place import Day, Moment, Place, measuring, work
from bench.team_watch import Watched
from tests.stage.scripted_git import sha
from tests.stage.server import Server


class UntilMerged(Moment):
    """Over as soon as something was merged; measured from the begin."""

    def __init__(self, place: Place) -> None:
        begins = measuring()
        begins.value = time.monotonic()
        super().__init__(begins, 120.0, 0.0)
        self._main = place.folder / "main"

    @property
    def is_over(self) -> bool:
        return super().is_over or (self._main.exists() and self._main.stat().st_size > 0)


def test_one_runner_claims_hands_in_and_merges_and_the_journal_is_sound(tmp_path: Path, own_server: Server) -> None:
    place = Place(own_server.url, tmp_path, "team_smoke")

    def played() -> tuple[Day, Counter[str], int]:
        place.fill(4)
        day = work(place, 2, 0.05, 0, UntilMerged(place), lambda: None)
        app, _ = place.open()
        kinds = Counter(row.kind for row in app.audit.export())
        findings = len(app.context.store.audit().findings)
        app.close()
        return day, kinds, findings

    day, kinds, findings = in_a_child(played)
    assert (day.errors, findings) == ([], 0)
    assert len(day.ticks) > 1
    assert kinds["TaskMerged"] == len(SharedMain(tmp_path / "team_smoke" / "main").path.read_text().split()) / 2 > 0


def test_main_moves_only_from_where_it_is(tmp_path: Path) -> None:
    one, other = SharedMain(tmp_path / "main"), SharedMain(tmp_path / "main")
    assert one.swap(ROOT, sha("a"), sha("b")) is None
    assert other.swap(ROOT, sha("c")) == sha("b")
    assert other.swap(sha("b"), sha("c")) is None
    assert (one.read(), one.line, one.at[sha("b")]) == (sha("c"), [ROOT, sha("a"), sha("b"), sha("c")], 2)


def test_a_size_that_fails_says_so_and_the_others_go_on(tmp_path: Path, own_server: Server) -> None:
    trial = Trial(own_server, tmp_path, (2, 2))
    options = Namespace(seconds=0.0, sleep=1.0, ramp=0.0)
    trial._places[0].url = "postgresql:///nowhere?host=/nowhere"
    (figure,) = trial.run(options)
    assert (figure.met, "not measured" in figure.what) == (False, True)


def test_the_figures_say_rates_for_a_minute(tmp_path: Path, own_server: Server) -> None:
    trial = Trial(own_server, tmp_path, (4, 40), projects=2)
    rows = {"RunBound": 5, "AttemptSubmitted": 4, "TaskMerged": 3, "RunEnded": 8}
    seen = Watched(rows, all_begun=2.0, begun=40, held=0.5, queued=1.5, cost=0.25, waiting=7)
    days = [Day([10.0, 20.0, 30.0], 1.5, []), Day([20.0], 1.5, ["no"])]
    figures = trial._figures(Namespace(seconds=30.0, sleep=60.0), days, seen)
    assert [figure.value for figure in figures] == ["10, 8, 6", "20 ms", "50%", "1"]
    assert figures[0].what.startswith("2 projects with 2 runners, 20 agents each")
