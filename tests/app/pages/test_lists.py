"""Lists: every filter, keyset paging, what is reviewable (P13), and counters that equal a recount."""

from __future__ import annotations

from typing import Literal

import pytest

from foureyes.app.pages import review_queue
from foureyes.app.results.task_list import ListQuery
from foureyes.core.words.lifecycle import STATUSES
from foureyes.errors import FoureyesError, NotFound
from foureyes.ui.steps import steps_text

from tests.stage.gated import AUTO, LINT, TESTS, answers, configure, deliver, report_of
from tests.stage.people import ALICE, BOB, CI, CLAUDE, CODEX, GEMINI, agent, child_of, marked
from tests.stage.world import DeskWorld, GitWorld


def various(desk: DeskWorld) -> dict[str, str]:
    """One task of every kind."""
    made = {"open": desk.create(title="plain open", labels=["ux"], priority=3)}
    made["epic"] = desk.create(title="an epic", type="epic")
    made["child"] = desk.create(title="a child", parent=made["epic"], priority=1)
    made["waiting"] = desk.create(title="waits", depends_on=[made["open"]])
    made["blocked"] = desk.create(title="is blocked")
    desk.app.stops.block(BOB, made["blocked"], "no key")
    made["deferred"] = desk.create(title="later")
    desk.app.stops.defer(BOB, made["deferred"])
    made["held"] = desk.create(title="on hold", labels=["ux", "api"])
    desk.app.stops.hold(BOB, made["held"], "wait")
    made["in_progress"] = desk.create(title="being worked on")
    desk.start(CLAUDE, made["in_progress"])
    made["reviewing"] = desk.submitted_task(title="submitted")
    made["approved"] = desk.submitted_task(title="agreed to")
    desk.approve(CODEX, made["approved"])
    made["rejected"] = desk.submitted_task(title="not wanted")
    desk.app.feedback.reject(BOB, made["rejected"], "no")
    made["unmerged"] = desk.submitted_task(title="closed unmerged")
    desk.app.closing.close(BOB, made["unmerged"])
    made["cancelled"] = desk.create(title="cancelled")
    desk.app.closing.cancel(ALICE, made["cancelled"])
    made["deleted"] = desk.create(title="deleted")
    desk.app.closing.delete(ALICE, made["deleted"])
    return made


FILTERS: list[tuple[dict[str, object], set[str]]] = [
    ({"status": "open"}, {"open", "epic", "child", "waiting", "held"}),
    ({"status": "in_progress"}, {"in_progress"}),
    ({"status": "reviewing"}, {"reviewing"}),
    ({"status": "approved"}, {"approved"}),
    ({"status": "blocked"}, {"blocked", "rejected"}),
    ({"status": "deferred"}, {"deferred"}),
    ({"status": "closed"}, {"unmerged", "cancelled"}),
    ({"ready": True}, {"open", "child"}),
    ({"blocked": True}, {"blocked", "rejected", "waiting"}),
    ({"unmerged": True}, {"unmerged"}),
    ({"landed": True}, set()),
    ({"label": "ux"}, {"open", "held"}),
    ({"label": "api"}, {"held"}),
    ({"label": "nope"}, set()),
    ({"priority": 3}, {"open"}),
    ({"priority": 1}, {"child"}),
    ({"type": "epic"}, {"epic"}),
    ({"mine": CLAUDE.session}, {"in_progress", "reviewing", "approved"}),
    ({"mine": CODEX.session}, set()),
    ({"text": "submitted"}, {"reviewing"}),
    ({"text": "open plain"}, {"open"}),
    ({"text": "wai"}, {"waiting"}),
    ({"status": "open", "label": "ux", "text": "hold"}, {"held"}),
]


@pytest.mark.parametrize(("query", "expected"), FILTERS, ids=[" ".join(map(str, q.items())) for q, _ in FILTERS])
def test_every_filter_gives_exactly_its_tasks(desk: DeskWorld, query: dict[str, object], expected: set[str]) -> None:
    made = various(desk)
    names = {task: name for name, task in made.items()}
    assert {names[task] for task in desk.ids_of(**query)} == expected


def test_live_leaves_out_closed_and_nothing_shows_deleted(desk: DeskWorld) -> None:
    made = various(desk)
    everything = set(desk.ids_of())
    assert everything == set(made.values()) - {made["deleted"]}
    assert set(desk.ids_of(live=True)) == everything - {made["unmerged"], made["cancelled"]}


def test_children_of_a_parent_by_any_beginning_of_its_id(desk: DeskWorld) -> None:
    made = various(desk)
    assert desk.ids_of(parent=made["epic"].removeprefix("fe-")) == [made["child"]]
    with pytest.raises(NotFound):
        desk.ids_of(parent="fe-zzzzzz")


def test_rows_carry_their_marks(desk: DeskWorld) -> None:
    made = various(desk)
    rows = {row.id: row for row in desk.app.lists.page(ListQuery())}
    assert rows[made["held"]].held
    assert rows[made["rejected"]].rejected
    assert not rows[made["blocked"]].rejected
    assert rows[made["reviewing"]].iteration == 1
    assert rows[made["held"]].labels == ["api", "ux"]


@pytest.mark.parametrize("sort", ["priority", "newest", "oldest"])
@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_pages_have_no_gaps_and_no_repeats(
    desk: DeskWorld, sort: Literal["priority", "newest", "oldest"], size: int
) -> None:
    made = [desk.create(priority=n * 7 % 5, labels=["x"] if n % 2 else []) for n in range(20)]
    for extra in ({}, {"label": "x"}, {"status": "open"}, {"ready": True}):
        whole = desk.ids_of(sort=sort, limit=100, **extra)
        paged: list[str] = []
        after: tuple[int, int] | None = None
        while page := desk.ids_of(sort=sort, limit=size, after=after, **extra):
            paged += page
            after = desk.app.lists.place(page[-1])
        assert paged == whole
        assert len(set(paged)) == len(paged)
    assert set(desk.ids_of(limit=100)) == set(made)


def test_sorted_by_priority_then_age_T4(desk: DeskWorld) -> None:
    made = [(priority, desk.create(priority=priority)) for priority in (2, 0, 4, 2, 0, 1)]
    ordered = [task for _, task in sorted(made, key=lambda pair: pair[0])]
    assert desk.ids_of() == ordered
    assert desk.ids_of(sort="oldest") == [task for _, task in made]
    assert desk.ids_of(sort="newest") == [task for _, task in reversed(made)]


def test_an_edited_priority_moves_a_task_also_in_a_label_list(desk: DeskWorld) -> None:
    first, second = desk.create(labels=["x"]), desk.create(labels=["x"])
    desk.app.tasks.edit(BOB, second, priority=0)
    assert desk.ids_of(label="x") == [second, first]


TEXTS = [
    "", " ", '"', '""', "*", "-", "(", ")", "AND", "OR", "NOT", "NEAR(", "a AND", "title:x", "{a b}", "^x", "'", "%",
    "_", "a*b", "+", ":", "🙂", "\\", "--", ";DROP TABLE tasks", "a\x00b", "x" * 5000, "...",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_whatever_is_typed_is_searched_for_and_never_an_error(desk: DeskWorld, text: str) -> None:
    desk.create(title="something else")
    assert desk.ids_of(text=text) == []


@pytest.mark.parametrize(
    ("title", "text"),
    [
        ("Über die Brücke", "uber brucke"),
        ("uber", "ÜBER"),
        ("naïve café", "cafe"),
        ("rotate-token", "token"),
        ("rotate-token", "rotate-token"),
        ("fix NOT working", "not"),
        ("日本語 テスト", "日本語"),
        ('say "hi"', '"hi"'),
        ("alpha beta", "beta alpha"),
        ("authentication", "auth"),
    ],
)
def test_words_are_found_without_case_and_accents_the_last_by_its_beginning(
    desk: DeskWorld, title: str, text: str
) -> None:
    task = desk.create(title=title)
    desk.create(title="unrelated")
    assert desk.ids_of(text=text) == [task]


def test_description_and_acceptance_are_searched_and_edits_are_followed(desk: DeskWorld) -> None:
    task = desk.create(description="needle one", acceptance="needle two")
    assert desk.ids_of(text="one") == desk.ids_of(text="two") == [task]
    desk.app.tasks.edit(BOB, task, description="changed", acceptance="", title="fresh")
    assert desk.ids_of(text="one") == desk.ids_of(text="two") == []
    assert desk.ids_of(text="changed fresh") == [task]


def test_a_cancelled_task_is_still_found_by_its_words(desk: DeskWorld) -> None:
    task = desk.create(title="findable")
    desk.app.closing.cancel(ALICE, task)
    assert desk.ids_of(text="findable") == [task]


def test_status_counts_equal_a_recount(desk: DeskWorld) -> None:
    made = various(desk)
    counts = desk.counts()
    for status in STATUSES:
        assert counts[status] == len(desk.ids_of(status=status, limit=1000)), status
    for flag in ("ready", "unmerged", "landed"):
        assert counts[flag] == len(desk.ids_of(limit=1000, **{flag: True})), flag
    rows = desk.app.lists.page(ListQuery(limit=1000))
    assert (
        (counts["held"], counts["rejected"])
        == (sum(row.held for row in rows), sum(row.rejected for row in rows))
        == (1, 1)
    )
    assert counts["waiting"] == 1
    assert made["waiting"] in desk.ids_of(blocked=True)


# Reviewable


def may(world: DeskWorld, actor: object, task: str) -> bool:
    """Whether the approval really goes through, tried and taken back."""
    for reason in ("", "a reason"):
        try:
            world.approve(actor, task, reason=reason)  # type: ignore[arg-type]
            return True
        except FoureyesError:
            continue
    return False


def test_reviewable_lists_exactly_what_the_caller_may_approve_P13(desk: DeskWorld) -> None:
    lead = agent("lead")
    child = child_of(lead)
    makers = [CLAUDE, CODEX, child]
    tasks = [desk.submitted_task(maker, creator=creator) for maker in makers for creator in (ALICE, GEMINI, CLAUDE)]
    tasks += [desk.submitted_task(CLAUDE, minor=True), desk.submitted_task(CLAUDE, labels=["security"])]
    held = desk.submitted_task(CODEX)
    desk.app.stops.hold(BOB, held, "wait")
    tasks.append(held)
    for actor in (CLAUDE, CODEX, GEMINI, ALICE, BOB, CI, lead, child, marked(), child_of(CLAUDE)):
        listed = {row.task.id for row in desk.app.lists.reviewable(actor, ListQuery()).rows}
        for task in tasks:
            assert may(desk, actor, task) == (task in listed), (actor.session, task)
            if desk.status(task) == "approved":
                desk.app.decisions.withdraw(actor, task)


def test_what_lacks_a_check_is_not_reviewable_yet_and_says_what_brings_it_on_P13_D5(desk: DeskWorld) -> None:
    configure(desk, LINT)
    task = desk.submitted_task()
    for actor, step in ((ALICE, f"fe check run {task}"), (CODEX, f"a person or CI runs: fe check run {task}")):
        page = desk.app.lists.reviewable(actor, ListQuery())
        assert page.rows == []
        (row,) = page.missing
        assert (row.task.id, row.you.may_approve, [reason.rule for reason in row.you.reasons]) == (task, False, ["D5"])
        assert steps_text(row.next) == step
    assert steps_text(desk.app.status.show(ALICE).next) == f"fe check run {task}"
    assert steps_text(desk.app.status.show(CODEX).next) == "fe queue", "nothing that an agent could do, but look"
    assert desk.app.lists.reviewable(CLAUDE, ListQuery()).missing == [], "not its own"
    desk.app.checks.run(CI, task)
    for actor in (ALICE, CODEX):
        assert [row.task.id for row in desk.app.lists.reviewable(actor, ListQuery()).rows] == [task]
        assert steps_text(desk.app.status.show(actor).next).startswith("fe list --reviewable")


def test_tests_that_are_gone_are_shown_to_a_person_with_the_way_that_is_theirs_P13_D5(world: GitWorld) -> None:
    configure(world, TESTS)
    answers(world, "tests", report_of(["a", "b"]), report_of(["a"]))
    task = deliver(world, labels=AUTO)
    world.app.checks.run(CI, task)
    (row,) = world.app.lists.reviewable(ALICE, ListQuery()).missing
    said = steps_text(row.next)
    assert said.startswith(f'fe show {task} --diff, then: a person runs: fe approve {task} -m "why these tests may go"')
    assert world.app.status.show(ALICE).lacking == row.next


def test_reviewable_marks_where_a_reason_is_needed_P13(desk: DeskWorld) -> None:
    mine, other = desk.submitted_task(creator=GEMINI), desk.submitted_task()
    rows = {row.task.id: row for row in desk.app.lists.reviewable(GEMINI, ListQuery()).rows}
    assert rows[mine].you.needs_reason
    assert not rows[other].you.needs_reason
    assert rows[mine].diff_id == desk.show(mine).attempts[-1].diff_id
    shown = desk.show(mine, GEMINI).you
    assert shown is not None
    assert (shown.may_approve, shown.needs_reason, shown.rule) == (True, True, "P3")


def test_reviewable_pages_past_tasks_of_ones_own_P13(desk: DeskWorld) -> None:
    for _ in range(60):
        desk.submitted_task(CLAUDE, priority=0)
    others = [desk.submitted_task(CODEX, priority=4) for _ in range(3)]
    assert [row.task.id for row in desk.app.lists.reviewable(CLAUDE, ListQuery(limit=2)).rows] == others[:2]
    rest = desk.app.lists.reviewable(CLAUDE, ListQuery(limit=2, after=desk.app.lists.place(others[1])))
    assert [row.task.id for row in rest.rows] == others[2:]
    assert rest.after == ""
    status = desk.app.status.show(GEMINI)
    assert (status.reviewable, status.reviewable_more) == (20, True)


def test_one_call_looks_at_a_part_of_a_long_queue_and_the_parts_are_the_whole_P13(
    desk: DeskWorld, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review_queue, "REVIEWABLE_PAGE", 2)
    monkeypatch.setattr(review_queue, "LOOKED_AT", 4)
    tasks = [
        desk.submitted_task(maker) for maker in (CLAUDE, CLAUDE, CLAUDE, CLAUDE, CODEX, CLAUDE, CODEX, CODEX, CLAUDE)
    ]
    listed: list[str] = []
    examined: list[int] = []
    after = None
    while True:
        page = desk.app.lists.reviewable(CLAUDE, ListQuery(after=after))
        listed += [row.task.id for row in page.rows]
        examined.append(page.examined)
        if not page.after:
            break
        after = desk.app.lists.place(page.after)
    assert examined == [4, 4, 1]
    assert listed == [task for task in tasks if may(desk, CLAUDE, task)]
    assert listed == [tasks[4], tasks[6], tasks[7]]


def test_the_preview_gives_every_reason_against_P13_G2(desk: DeskWorld) -> None:
    task = desk.submitted_task()
    desk.app.stops.hold(BOB, task, "wait")
    you = desk.show(task, CLAUDE).you
    assert you is not None
    assert not you.may_approve
    assert [reason.rule for reason in you.reasons] == ["D3", "P2"]
    assert desk.show(desk.create(), CLAUDE).you is None


def test_a_task_says_where_an_approval_would_put_it_in_the_merge_queue(desk: DeskWorld) -> None:
    words = desk.create()
    desk.start(CLAUDE, words)
    desk.submit(CLAUDE, words, no_code=True, message="it was right already")
    assert desk.show(words).place == 0, "there is nothing to merge"
    urgent, task, later = (desk.submitted_task(priority=priority) for priority in (0, 2, 4))
    assert [desk.show(each).place for each in (urgent, task, later)] == [1, 1, 1]
    desk.approve(BOB, later)
    desk.approve(BOB, urgent)
    assert desk.show(task).place == 2, "behind the urgent one, before the one that can wait"
    assert desk.approve(BOB, task).position == 2
    assert desk.show(task).place == 0


def test_a_stale_attempt_is_listed_and_marked_P13_D4(world: GitWorld) -> None:
    task = world.submitted_task()
    assert [row.you.stale for row in world.app.lists.reviewable(CODEX, ListQuery()).rows] == [False]
    world.checkout.commit("work.py", "more\n")
    (row,) = world.app.lists.reviewable(CODEX, ListQuery()).rows
    assert (row.task.id, row.you.stale) == (task, True)
