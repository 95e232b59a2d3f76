"""What the gate's benchmark measures is what it says: sound stores, work that is really merged, and plain git that
leaves the same.
"""

from __future__ import annotations

import sys
from pathlib import Path

from bench.gate import Bench, cost, growth, large_diff, queue_rows
from bench.places import ADA, TARGET

ATTEMPTS = 3


def test_a_round_hands_in_and_merges_by_command_by_verb_and_by_git(tmp_path: Path) -> None:
    bench = Bench(tmp_path, ATTEMPTS, [sys.executable, "-m", "foureyes"])
    try:
        for _ in range(2):
            bench.round()
    finally:
        bench.close()
    figures = [
        *cost(bench, "submit"),
        *cost(bench, "merge"),
        *growth(bench, bench, "submit"),
        *large_diff(bench),
        queue_rows(bench, bench),
    ]
    assert all(float(figure.value) > 0 for figure in figures)
    programs = [figure for figure in figures if "programs started" in figure.what]
    assert [(figure.budget, figure.met) for figure in programs] == [("≤ 12", True), ("≤ 20", True)], programs
    assert bench.at.git("rev-list", "--count", "--merges", "--first-parent", TARGET) == str(ATTEMPTS + 4)
    assert bench.at.git("rev-list", "--count", "--merges", "--first-parent", TARGET, at=bench.at.plain) == str(
        ATTEMPTS + 2
    )
    for place in (bench.at.repo, bench.at.plain):
        assert bench.at.git("status", "--porcelain", at=place) == ""
        assert (
            bench.at.git("show", f"{TARGET}:src/part1/file1.py", at=place)
            == (place / "src/part1/file1.py").read_text().strip()
        )
    app = bench.at.open()
    report, waiting = app.audit.verify(), app.queue.view(ADA).count
    app.close()
    assert report.findings == ()
    assert waiting == ATTEMPTS
