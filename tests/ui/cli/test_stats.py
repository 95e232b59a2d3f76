"""`fe stats`: what it prints with and without a terminal, what it answers as JSON, and that it writes nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from foureyes.app.views.stats import LoopRow, LoopStats, LoopTotals
from foureyes.core.loop.metrics import KindCount, ReviewerScore, ReviewStats, StatusTime, review_stats, scores, share
from foureyes.core.loop.metrics_rows import ApprovalRow, EscalationRow, FindingRow, ReviewRow, SessionRow
from foureyes.ui.cli.stats import Style, bar, chart, lasting, loops_text, reviewers_text, reviews_text

from tests.stage.commands import Cast
from tests.ui.cli.counter import Counter, counter, keys

NOW = "2026-03-01T12:00:00.000Z"
PIPE, ASCII, TERMINAL = Style(), Style(terminal=True, blocks=False, width=60), Style(terminal=True, width=60)
FIGURES = """iterations automatic findings blocking open_blocking rejected rejections_accepted false_fixes reopened notes_adopted missed
escalations after_unclear_feedback reviews actionable incomplete invalid statuses timed_tasks exceptions tokens cost"""
SCORE = (
    "session name kind agent model reviews incomplete invalid misquoted findings blocking precision coverage "
    "unanchored median_seconds"
)
LOOP = """task title status pressure tier next_tier iterations round no_progress open_blocking escalations lead_decisions waiting_for
warning why"""


def some_figures() -> ReviewStats:
    return review_stats(
        [FindingRow(blocking=True, rejected=True), FindingRow(blocking=True), FindingRow(tracked=True)],
        [ReviewRow(session="s", at=NOW, submitted_at=NOW, actionable=True)],
        [],
        [ApprovalRow(iterations=1, tasks=8), ApprovalRow(iterations=2, tasks=1)],
        [EscalationRow(tier="senior", unclear=True)],
        statuses=(StatusTime(status="open", tasks=9, median_seconds=90, total_seconds=7_200),),
        timed=share(9, 12),
        exceptions=(KindCount("waiver", 3),),
        now=NOW,
    )


def some_scores() -> tuple[ReviewerScore, ...]:
    findings = [FindingRow(session="s", upheld=2), FindingRow(session="s", dropped=3), FindingRow(session="t")]
    sessions = {"s": SessionRow(id="s", name="codex#1", agent="codex", model="gpt")}
    return scores(findings, [ReviewRow(session="s", at=NOW, submitted_at=NOW, changed=4, unread=1)], [], sessions)


def some_loops() -> LoopStats:
    row = LoopRow(
        task="fe-1",
        title="a",
        status="open",
        pressure="stuck",
        tier="lead",
        next_tier="user",
        iterations=5,
        round=0,
        no_progress=0,
        open_blocking=2,
        escalations=2,
        lead_decisions=0,
        waiting_for="lead",
        why="2 rounds without progress (E1)",
    )
    totals = LoopTotals(
        loops=4,
        stuck=1,
        near=0,
        iterations=5,
        open_blocking=2,
        tiers=(KindCount("lead", 1),),
        steps=(KindCount("escalated", 2),),
        odd_ends=(),
        left_off=2,
    )
    return LoopStats(totals=totals, tasks=(row, row))


# Drawing


@pytest.mark.parametrize(
    ("n", "most", "says"),
    [
        (8, 8, "████"),
        (4, 8, "██"),
        (1, 8, "▌"),
        (3, 8, "█▌"),
        (1, 10_000, "▏"),
        (0, 8, ""),
        (0, 0, ""),
        (99, 8, "████"),
    ],
)
def test_a_bar_is_as_long_as_its_number_and_never_longer_than_the_room(n: int, most: int, says: str) -> None:
    assert bar(n, most, 4, blocks=True) == says


def test_bars_are_hashes_where_there_are_no_blocks() -> None:
    assert [bar(n, 8, 4, blocks=False) for n in (8, 4, 1, 0)] == ["####", "##", "#", ""]


@pytest.mark.parametrize("width", [30, 60, 200])
def test_a_chart_fits_the_terminal(width: int) -> None:
    (text,) = chart("TASKS", [("open", 10, "10 tasks"), ("reviewing", 5, "5 tasks")], Style(terminal=True, width=width))
    lines = text.splitlines()
    assert lines[0] == "TASKS"
    assert max(len(line) for line in lines) <= width
    assert lines[1].count("█") // 2 == lines[2].count("█") > 0


def test_without_a_terminal_a_chart_is_a_table_and_of_nothing_there_is_none() -> None:
    assert chart("TASKS", [("open", 10, "10 tasks")], PIPE) == ["TASKS\nopen   10 tasks"]
    assert chart("TASKS", [], TERMINAL) == chart("TASKS", [], PIPE) == []


@pytest.mark.parametrize(
    ("seconds", "says"),
    [
        (0, "0 s"),
        (59, "59 s"),
        (60, "1 min"),
        (3_599, "59 min"),
        (5_400, "1.5 h"),
        (86_400, "1.0 d"),
        (220_000, "2.5 d"),
    ],
)
def test_how_long_is_said_in_the_largest_unit(seconds: int, says: str) -> None:
    assert lasting(seconds) == says


# Text


def test_figures_without_a_terminal_are_tables_Y() -> None:
    lines = [" ".join(line.split()) for line in reviews_text(some_figures(), PIPE).splitlines()]
    assert lines[0] == "FIGURE VALUE COUNTED"
    assert "iterations to approval, mean 1.1 9 approved tasks" in lines
    assert "rejected 50.0 % 1 of 2 blocking findings" in lines
    assert "rejections accepted 0.0 % 0 of 1 rejections" in lines
    assert "reopened – 0 of 0 findings settled" in lines
    assert "notes adopted 100.0 % 1 of 1 notes" in lines
    assert [line for line in lines if "not reported" in line] == ["tokens not reported", "cost not reported"]
    assert "TIME IN STATUS (the last 9 of 12 closed tasks)" in lines
    assert "open 2.0 h, median 1 min, 9 tasks" in lines
    assert "senior 1, 1 after unclear feedback" in lines
    assert not set("█▏▎▍▌▋▊▉#") & set("".join(lines))


def test_figures_on_a_terminal_have_bars_Y() -> None:
    text = reviews_text(some_figures(), TERMINAL)
    first, second = (line for line in text.splitlines() if line.endswith(("8 tasks", "1 task")))
    assert first.count("█") == 40
    assert second.count("█") == 5
    assert max(len(line) for line in text.splitlines() if "█" in line) <= 60


@pytest.mark.parametrize("how", [ASCII, Style(blocks=False)], ids=["terminal", "pipe"])
def test_a_terminal_that_knows_only_ascii_gets_only_ascii(how: Style) -> None:
    for text in (
        reviews_text(some_figures(), how),
        reviewers_text(some_scores(), 9, how),
        loops_text(some_loops(), 9, how),
    ):
        assert text.isascii()
        assert ("#####" in text) == how.terminal


def test_the_scorecard_shows_share_and_count_and_a_dash_for_nothing_Y() -> None:
    lines = [" ".join(line.split()) for line in reviewers_text(some_scores(), 9, PIPE).splitlines()]
    assert lines == [
        "REVIEWER AGENT MODEL REVIEWS FINDINGS PRECISION COVERAGE UNTOLD UNANCHORED MISSED SENT BACK MEDIAN TIME "
        "RUN COST",
        "codex#1 codex gpt 1 2 50.0 % (1/2) 75.0 % (3/4) 0 0.0 % (0/2) 0 0 0 s – –",
        "t – – 0 1 – – 0 0.0 % (0/1) 0 0 – – –",
    ]
    assert reviewers_text(some_scores(), 1, PIPE).splitlines()[-1] == "1 more: --limit 2"


def test_loops_say_who_is_waited_for_and_what_was_left_off_E5() -> None:
    text = loops_text(some_loops(), 1, PIPE)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines[0] == "4 tasks going round: 1 stuck, 0 near escalation"
    assert "fe-1 open lead 5 0 2 2 waits for lead: 2 rounds without progress (E1)" in lines
    assert lines[-4:] == ["1 more: --limit 2", "", "2 more were not looked at", "next: fe show fe-1"]


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


def test_an_empty_project_says_so_and_what_to_do(shop: Counter) -> None:
    assert shop.text(shop.cast.alice, "stats", "reviews") == "nothing was reviewed yet\nnext: fe reviewable\n"
    assert shop.text(shop.cast.alice, "stats", "reviewers") == "nobody has reviewed yet\nnext: fe reviewable\n"
    assert shop.text(shop.cast.alice, "stats", "loops") == "no task goes round\n"
    assert shop.lines(shop.cast.alice, "stats", "reviewers") == []
    assert shop.done(shop.cast.alice, "stats", "reviews")["rejected"] == {"n": 0, "of": 0, "share": None}


def test_json_has_every_figure_and_looking_writes_nothing_Y(shop: Counter) -> None:
    task = shop.work()
    reviewed(shop, task, {"severity": "HIGH", "title": "no limit", "fix": "add one", "file": "src/a.py", "line": 1})
    before = shop.head()
    figures = shop.done(shop.cast.claude, "stats", "reviews")
    assert keys(figures, FIGURES) == set()
    assert (figures["reviews"], figures["open_blocking"], figures["tokens"], figures["cost"]) == (1, 1, None, None)
    (card,) = shop.lines(shop.cast.job, "stats", "reviewers")
    assert keys(card, SCORE) == set()
    assert (card["agent"], card["coverage"]) == ("codex", {"n": 1, "of": 1, "share": 1.0})
    loops = shop.done(shop.cast.alice, "stats", "loops")
    (row,) = loops["tasks"]
    assert keys(row, LOOP) == set()
    assert (row["task"], row["tier"], row["open_blocking"], loops["totals"]["loops"]) == (task, "developer", 1, 1)
    assert shop.head() == before


def test_a_terminal_gets_bars_sized_to_its_width_and_hashes_where_it_is_not_utf_8(shop: Counter) -> None:
    shop.approved()
    plain = shop.run(shop.cast.alice, "stats", "reviews").out
    wide = shop.run(shop.cast.alice, "stats", "reviews", tty=True, env={"COLUMNS": "50"}).out
    narrow = shop.run(shop.cast.alice, "stats", "reviews", tty=True, env={"COLUMNS": "30"}).out
    ascii_only = shop.run(
        shop.cast.alice, "stats", "reviews", tty=True, env={"COLUMNS": "50", "PYTHONIOENCODING": "ascii"}
    ).out
    assert "█" not in plain
    assert wide.count("█") > narrow.count("█") > 0
    assert "#" * 20 in ascii_only
    assert ascii_only.isascii()


def test_stats_security_is_still_the_security_record_P8(shop: Counter) -> None:
    reviewed(
        shop, shop.work(), {"severity": "HIGH", "title": "no limit", "fix": "add one", "file": "src/a.py", "line": 1}
    )
    (finding,) = shop.lines(shop.cast.alice, "finding", "list")
    shop.done(shop.cast.alice, "finding", "waive", finding["id"], "-m", "the limit is set elsewhere")
    assert shop.lines(shop.cast.alice, "stats", "security") == shop.lines(shop.cast.alice, "security") != []
    assert shop.run(shop.cast.alice, "stats", "security").out == shop.run(shop.cast.alice, "security").out
    assert shop.run(shop.cast.alice, "stats", "nosuch").rc == 2
