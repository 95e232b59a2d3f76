"""Named SQL: every statement prepares, every name that is used exists, and none is left over."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import foureyes
from foureyes.adapters.store import task_lists
from foureyes.adapters.store.connection import FOLDER, Database, SqlValue, names, overrides, plain, sql
from foureyes.adapters.store.sqlite import SqliteEngine
from foureyes.adapters.store.store import create_in_memory
from foureyes.adapters.store.task_lists import ListPart, compose
from foureyes.app.results.task_list import ListQuery
from foureyes.errors import Internal

from tests import engines
from tests.adapters.store.shop import full_world
from tests.stage.world import DeskWorld

SOURCE = Path(foureyes.__file__).parent
FRAGMENTS = ("task.list", "task.where_", "task.after_", "task.order_")
NOUNS = sorted({name.partition(".")[0] for name in names()})
NAME = re.compile(rf"""["']((?:{"|".join(NOUNS)})\.[a-z_]+)["']""")
BUILT = re.compile(rf"""f["']((?:{"|".join(NOUNS)})\.[a-z_]+)\{{""")
TEXTS = {path: path.read_text() for path in SOURCE.rglob("*.py")}
SETTINGS = re.compile(r"(?:key=|BY_KEY\[|get\()")


def used() -> set[str]:
    return {found for text in TEXTS.values() for found in NAME.findall(text)}


def prefixes() -> set[str]:
    return {found for text in TEXTS.values() for found in BUILT.findall(text)}


@pytest.fixture(scope="module")
def engine() -> SqliteEngine:
    engine = create_in_memory("p").engine
    assert isinstance(engine, SqliteEngine)
    return engine


@pytest.mark.parametrize("name", [name for name in names() if not name.startswith(FRAGMENTS)])
def test_every_query_prepares_against_the_schema(engine: SqliteEngine, name: str) -> None:
    statement = sql(name)
    parameters = set(re.findall(r":([a-z_]+)", statement))
    engine.connection.execute("EXPLAIN " + statement, dict.fromkeys(parameters)).fetchall()


QUERIES = [
    ListQuery(),
    ListQuery(live=True, ready=True, blocked=True, unmerged=True, landed=True),
    ListQuery(status="open", label="x", priority=1, type="bug", parent="fe-1", mine="ses-1", text="words"),
    *[ListQuery(sort=sort, after=(2, 7)) for sort in ("priority", "newest", "oldest")],
]


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_every_list_that_can_be_composed_prepares(engine: SqliteEngine, query: ListQuery) -> None:
    statement, params = compose(query)
    engine.connection.execute("EXPLAIN " + statement, params).fetchall()


@pytest.mark.parametrize(
    ("query", "index"),
    [
        (ListQuery(status="reviewing"), "tasks_by_status"),
        (ListQuery(status="reviewing", after=(2, 50)), "tasks_by_status"),
        (ListQuery(ready=True), "tasks_ready"),
        (ListQuery(landed=True), "tasks_landed"),
        (ListQuery(unmerged=True), "tasks_unmerged"),
        (ListQuery(), "tasks_by_place"),
        (ListQuery(parent="fe-1"), "tasks_by_parent"),
    ],
    ids=str,
)
def test_pages_come_from_an_index_without_sorting(engine: SqliteEngine, query: ListQuery, index: str) -> None:
    statement, params = compose(query)
    plan = " ".join(str(row[3]) for row in engine.connection.execute("EXPLAIN QUERY PLAN " + statement, params))
    assert index in plan
    if query.parent is None:
        assert "TEMP B-TREE" not in plan


def test_what_was_closed_last_comes_from_an_index_without_sorting(engine: SqliteEngine) -> None:
    statement = "EXPLAIN QUERY PLAN " + sql("board.closed")
    plan = " ".join(str(row[3]) for row in engine.connection.execute(statement, {"limit": 20, "after": 0}))
    assert "tasks_closed" in plan
    assert "TEMP B-TREE" not in plan


@pytest.mark.parametrize(
    ("name", "index"),
    [("cycle.flagged", "tasks_live"), ("cycle.unreviewed", "tasks_by_status"), ("cycle.last_asked", "by_reviewer")],
)
def test_what_cycles_left_is_found_from_what_is_live_and_not_from_all_there_ever_was_V8(
    engine: SqliteEngine, name: str, index: str
) -> None:
    values = {"limit": 50, "reviewer": "codex"}
    plan = [str(row[3]) for row in engine.connection.execute("EXPLAIN QUERY PLAN " + sql(name), values)]
    assert index in next(step for step in plan if step.startswith(("SCAN", "SEARCH")))
    assert not [step for step in plan if step.startswith("SCAN") and "INDEX" not in step], plan


# On both engines, with values of the right types

HEADS = "SELECT head FROM attempts ORDER BY 1"
NUMBERS = set(
    "seq n limit after before approval attempt priority minor minor_late landed no_code added removed "
    "duration_seconds iteration proven"
    " after_n after_priority deleted estimate_minutes recorded exit_code duration_ms tries step merge_failures"
    " blocking note anchored waiting line left_diff ruling raised actionable least size drawn many"
    " fence agents lost rc seconds input_tokens output_tokens cost_micros left upto quorum seats wide look"
    " review tasks minutes pause_on_error wants_checkpoint chosen place asked answered counting failed"
    " made_with defects found quiet_cases made_up unanswered past past_found".split()
)


def sample(statement: str) -> dict[str, SqlValue]:
    """A value of the right type for every parameter."""
    lists = set(re.findall(r"json_each\(:(\w+)\)", statement))
    found = re.findall(r"(?<![:\w]):([a-z_]\w*)", statement + overrides("postgres").get(statement, ""))
    listed = {name: "[1, 2]" if name == "seqs" else '["fe-1", "fe-2"]' for name in lists}
    return {name: listed[name] if name in lists else 1 if name in NUMBERS else f"a {name}" for name in found}


@pytest.fixture(scope="module", params=engines.NAMES)
def filled(request: pytest.FixtureRequest, _modules_engines_are_tidied: None) -> Database:
    """A store with rows in every table, on either engine."""
    return full_world(request.param).store.engine


class Undone(Exception):
    """Whatever a statement did."""


def run_and_undo(engine: Database, name: str, params: dict[str, SqlValue]) -> None:
    with engine.transaction(write=True):
        engine.fetch(sql(name), params)
        engine.change(name, params)
        raise Undone


@pytest.mark.parametrize("name", [name for name in names() if not name.startswith(FRAGMENTS)])
def test_every_query_runs_on_both_engines(filled: Database, name: str) -> None:
    statement = sql(name)
    typed = sample(statement)
    unset = {
        key: value if isinstance(value, int) or str(value).startswith("[") else None for key, value in typed.items()
    }
    for params in (typed, unset):
        with pytest.raises((Undone, *engines.INTEGRITY)):
            run_and_undo(filled, name, params)


PARTS: tuple[ListPart, ...] = ("all", "near", "far")


@pytest.mark.parametrize("window", [1, 3, 1_000])
@pytest.mark.parametrize(
    "query",
    [ListQuery(text="a"), ListQuery(text="a", live=True), ListQuery(text="a", after=(0, 6)), ListQuery(text="nowhere")],
    ids=range(4),
)
def test_the_newest_tasks_and_then_the_others_are_all_hits_of_a_search_in_order(
    filled: Database, monkeypatch: pytest.MonkeyPatch, query: ListQuery, window: int
) -> None:
    monkeypatch.setattr(task_lists, "WINDOW", window)
    found = {part: [row[0] for row in filled.fetch(*_plain(query, part))[1]] for part in PARTS}
    assert found["near"] + found["far"] == found["all"] == sorted(found["all"], reverse=True)  # type: ignore[type-var]
    assert bool(found["all"]) == (query.text == "a")


def _plain(query: ListQuery, part: ListPart) -> tuple[str, dict[str, SqlValue]]:
    statement, params = compose(query, part)
    return statement, plain(params)


@pytest.mark.parametrize("query", QUERIES, ids=range(len(QUERIES)))
def test_every_list_that_can_be_composed_runs_on_both_engines(filled: Database, query: ListQuery) -> None:
    statement, params = compose(query)
    columns, rows = filled.fetch(statement, plain(params))
    assert not rows or columns[0] == "n"


@pytest.fixture(scope="module")
def twins(_modules_engines_are_tidied: None) -> list[DeskWorld]:
    """The same history on both engines."""
    return [full_world(on) for on in engines.NAMES]


READS = [name for name in names() if sql(name).startswith(("SELECT", "WITH")) and not name.startswith(FRAGMENTS)]


@pytest.mark.parametrize("name", READS)
def test_both_engines_give_the_same_answer_to_every_question(twins: list[DeskWorld], name: str) -> None:
    statement = sql(name)
    tasks = [str(row[0]) for row in twins[0].sql("SELECT id FROM tasks ORDER BY n")]
    rest = [
        str(row[0]) for row in twins[0].sql("SELECT id FROM sessions UNION SELECT evidence FROM evidence ORDER BY 1")
    ]
    checked = {
        "trees": json.dumps([str(row[0]) for row in twins[0].sql("SELECT tree FROM checks ORDER BY seq")]),
        "digests": json.dumps([str(row[0]) for row in twins[0].sql("SELECT digest FROM test_lists ORDER BY 1")]),
        "pieces": json.dumps([str(row[0]) for row in twins[0].sql("SELECT DISTINCT piece FROM pieces ORDER BY 1")]),
        "seqs": json.dumps([row[0] for row in twins[0].sql("SELECT seq FROM checks ORDER BY seq")]),
    }
    checked |= {"who": '["lead", "user"]'}
    checked |= {
        "profiles": "[]",
        "quiet": "[]",
        "living": "[]",
        "paths": '["pay.py", "app.py"]',
    }
    checked |= {"tasks": json.dumps(tasks), "shas": json.dumps([str(row[0]) for row in twins[0].sql(HEADS)])}
    lists = {"ids": json.dumps(tasks + rest), "evidence": json.dumps(rest), **checked}
    fixed: dict[str, SqlValue] = {
        "limit": 10,
        "before": 30,
        "after": 3,
        "low": "fe-",
        "high": "fe.",
        "since": "",
        "origin": rest[-1],
    }
    found = [str(row[0]) for row in twins[0].sql("SELECT id FROM finding_ids ORDER BY 1")]
    for number, task in enumerate([*tasks, *rest, *found]):
        values = {
            each: lists.get(each, fixed.get(each, number if each in NUMBERS else task)) for each in sample(statement)
        }
        answers = [world.store.engine.fetch(statement, values) for world in twins]
        rows = [answer[1] if "ORDER BY" in statement else sorted(answer[1], key=repr) for answer in answers]
        assert rows[0] == rows[1], values
        assert not rows[0] or answers[0][0] == answers[1][0]


def test_every_query_that_is_used_exists() -> None:
    known = set(names())
    from foureyes.config.settings import ALIASES, BY_KEY, REMOVED

    settings = {key.rsplit(".", parts)[0] for key in {*BY_KEY, *ALIASES, *REMOVED} for parts in (0, 1)}
    files = {name for name in used() if name.endswith((".json", ".log"))}
    missing = used() - known - settings - files
    assert not missing
    for prefix in prefixes():
        assert any(name.startswith(prefix) for name in known), prefix


def test_no_query_is_left_over() -> None:
    built = tuple(prefixes())
    in_use = used()
    left = {name for name in names() if name not in in_use and not name.startswith(built)}
    assert not left


def test_every_filter_and_order_of_a_list_query_has_its_fragment() -> None:
    filters = {
        "status",
        "live",
        "label",
        "priority",
        "type",
        "parent",
        "mine",
        "text",
        "ready",
        "blocked",
        "unmerged",
        "landed",
    }
    walks = {"labelled", "labelled_live", "visible", "text_near", "text_far"}
    assert {name.removeprefix("task.where_") for name in names() if name.startswith("task.where_")} == filters | walks
    sorts = {"priority", "newest", "oldest", "label", "text"}
    for kind in ("after", "order"):
        assert {name.removeprefix(f"task.{kind}_") for name in names() if name.startswith(f"task.{kind}_")} == sorts


def test_an_unknown_name_is_a_defect_that_says_so() -> None:
    for name in ("task.nope", "nope.get", "nope"):
        with pytest.raises(Internal, match=re.escape(name)):
            sql(name)


def test_names_are_unique_and_lie_in_the_file_of_their_noun() -> None:
    for path in Path(FOLDER).glob("*.sql"):
        found = re.findall(r"^-- name: (.+)$", path.read_text(), re.MULTILINE)
        assert len(found) == len(set(found)), path.name
        assert all(name.startswith(path.name.partition(".")[0] + ".") for name in found), path.name


def test_what_another_engine_says_differently_exists_here_too() -> None:
    assert overrides("postgres")
    assert set(overrides("postgres")) <= {sql(name) for name in names()}


def test_no_state_is_changed_without_a_guard_T2() -> None:
    """Every statement that sets a status names the statuses it starts from."""
    for name in names():
        statement = sql(name)
        if re.search(r"UPDATE tasks SET status\b", statement):
            assert re.search(r"WHERE id = :id AND status (=|IN)", statement.replace("\n", " ")), name
