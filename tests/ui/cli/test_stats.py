"""`fe stats`: what it prints, what it answers as JSON, and that it writes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foureyes.core.loop.metrics import (
    Approvals,
    Escalations,
    FindingCounts,
    ReviewerRows,
    ReviewRow,
    SessionRow,
    Stats,
    stats,
)
from foureyes.ui.cli.stats import lasting, stats_text

from tests.stage.commands import Cast
from tests.ui.cli.counter import Counter, counter, keys

NOW = "2026-03-01T12:00:00.000Z"
FIGURES = """reviews actionable approved automatic iterations iterations_with_findings escalations unclear findings blocking
open_blocking missed rejected rejections_accepted notes_adopted reviewers"""
SCORE = """session name kind agent model reviews sent_back findings precision coverage unconfirmed unanchored missed median_seconds
runs run_seconds input_tokens output_tokens cost_micros"""


def some_stats() -> Stats:
    return stats(
        Approvals(tasks=9, iterations=10, with_findings=1, iterations_with_findings=2),
        Escalations(n=1, unclear=1),
        ReviewerRows(
            sessions=[SessionRow(id="s", name="codex#1", agent="codex", model="gpt")],
            findings=[
                FindingCounts(session="s", findings=3, blocking=2, rejected=1, adopted=1, judged=2, upheld=1),
                FindingCounts(session="t", findings=1, blocking=0),
            ],
            reviews=[ReviewRow(session="s", at=NOW, submitted_at=NOW, changed=4, unread=1, actionable=True)],
        ),
    )


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(None, "-"), (0, "0 s"), (60, "1 min"), (3_599, "59 min"), (5_400, "1.5 h"), (220_000, "2.5 d")],
)
def test_durations_are_shown_in_the_largest_unit(seconds: int | None, text: str) -> None:
    assert lasting(seconds) == text


def test_the_page_shows_success_metrics_then_a_scorecard_for_each_reviewer() -> None:
    lines = [" ".join(line.split()) for line in stats_text(some_stats(), 3).splitlines()]
    assert lines == [
        "FIGURE VALUE COUNTED",
        "reviews with actionable feedback 100.0 % 1 of 1 reviews",
        "iterations to approval, mean 1.1 9 approved tasks",
        "iterations to approval with blocking findings, mean 2.0",
        "escalations after unclear feedback 100.0 % 1 of 1 escalations",
        "blocking findings missed on approval 0.0 % 0 of 2 blocking findings",
        "open blocking findings 0 of 2 blocking findings",
        "rejected 50.0 % 1 of 2 blocking findings",
        "rejections accepted 0.0 % 0 of 1 rejections",
        "notes adopted 50.0 % 1 of 2 notes",
        "approved by rule alone 0.0 % 0 of 9 approved tasks",
        "",
        "REVIEWER AGENT MODEL REVIEWS FINDINGS PRECISION COVERAGE UNTOLD UNANCHORED MISSED SENT BACK MEDIAN TIME "
        "RUN COST",
        "codex#1 codex gpt 1 3 50.0 % (1/2) 75.0 % (3/4) 0 0.0 % (0/3) 0 0 0 s - -",
        "t - - 0 1 - - 0 0.0 % (0/1) 0 0 - - -",
        "",
        "1 more: --limit 3",
    ]
    assert stats_text(some_stats(), 3).isascii()


# The command


@pytest.fixture
def shop(template: Path, tmp_path: Path, cast: Cast) -> Counter:
    return counter(template, tmp_path, cast, "")


def reviewed(shop: Counter, task: str, *issues: dict[str, Any]) -> None:
    """Codex reviews what is there."""
    attempt = shop.show(task)["attempts"][-1]
    payload = {
        "verdict": "concerns" if issues else "approved", "summary": "read all of it", "issues": issues,
        "diff_id": attempt["diff_id"], "files_reviewed": [file["path"] for file in attempt["files"]],
    }  # fmt: skip
    shop.done(
        shop.cast.codex,
        "review",
        "submit",
        task,
        "-",
        input=json.dumps({"type": "review_result", "version": 1, "payload": payload}),
    )


ISSUE = {"severity": "HIGH", "title": "no limit", "fix": "add one", "file": "src/a.py", "line": 1}


def test_an_empty_project_says_so_and_what_to_do(shop: Counter) -> None:
    assert shop.text(shop.cast.alice, "stats") == "nothing has been reviewed yet\nnext: fe list --reviewable\n"
    assert shop.done(shop.cast.alice, "stats")["rejected"] == {"n": 0, "of": 0, "share": None}


def test_json_has_every_figure_and_reading_writes_nothing_Y(shop: Counter) -> None:
    reviewed(shop, shop.work(), ISSUE)
    before = shop.head()
    figures = shop.done(shop.cast.claude, "stats")
    assert keys(figures, FIGURES) == set()
    assert (figures["reviews"], figures["open_blocking"]) == (1, 1)
    (card,) = figures["reviewers"]
    assert keys(card, SCORE) == set()
    assert (card["agent"], card["coverage"]) == ("codex", {"n": 1, "of": 1, "share": 1.0})
    assert shop.head() == before


def test_stats_security_is_the_security_record_P8(shop: Counter) -> None:
    reviewed(shop, shop.work(), ISSUE)
    (finding,) = shop.lines(shop.cast.alice, "finding", "list")
    shop.done(shop.cast.alice, "finding", "waive", finding["id"], "-m", "the limit is set elsewhere")
    assert shop.lines(shop.cast.alice, "audit", "exceptions") == shop.lines(shop.cast.alice, "security") != []
    assert shop.run(shop.cast.alice, "audit", "exceptions").out == shop.run(shop.cast.alice, "security").out
    assert shop.run(shop.cast.alice, "stats", "nosuch").rc == 2
