"""Attacks by names: forged trailers that lock a person out, and typed names that look like somebody (I1, I8)."""

from __future__ import annotations

from tests.stage.commands import Stage

ODD = (
    "x" * 81,
    "ses-1\x1b[2Jgone",
    "fe-abc",
    "claude#1",
    "\u202eecila",
    "'; DROP TABLE tasks; --",
    "  ",
    "ses-0\r\n folded",
)


def test_A1_trailers_with_odd_names_free_nobody_and_spoil_no_page(stage: Stage) -> None:
    cast = stage.cast
    trailers = "".join(f"Foureyes-Session: {name}\n" for name in ODD)
    work = stage.submit_work(cast.codex, stage.create(cast.claude), message=f"work\n\nTask: x\n{trailers}")
    assert "fe-abc" in stage.show(work.task)["authors"]
    stage.may_not_approve(cast.codex, work, "-m", "fine", rules=["P2"])
    page = stage.run(cast.alice, "show", work.task).out
    assert not {"\x1b", "\u202e", "\r"} & set(page)
    assert stage.approve(cast.alice, work)["rule"] == "P7"


def test_I8_a_session_that_was_called_like_the_persons_id_does_not_keep_them_locked_out(stage: Stage) -> None:
    """An author types the person's session id as a name, and forges a trailer for both: an id means one session
    only.
    """
    cast = stage.cast
    person, task = stage.session(cast.alice), stage.create(cast.claude)
    stage.done(cast.codex, "log", task, "hello", "--as", person)
    double = stage.show(task)["logs"][0]["session"]
    assert double != person
    work = stage.submit_work(
        cast.codex, task, message=f"work\n\nFoureyes-Session: {person}\nFoureyes-Session: {double}\n"
    )
    stage.may_not_approve(cast.alice, work, rules=["P2"])
    stage.done(cast.alice, "audit", "correct-author", task, person, "-m", "I wrote no line of it")
    assert stage.approve(cast.alice, work)["rule"] == "P7"


def test_I4_a_name_like_a_sessions_id_does_not_shield_it_from_being_ended(stage: Stage) -> None:
    cast = stage.cast
    task = stage.create(cast.alice)
    stage.done(cast.codex, "start", task)
    stage.done(cast.codex, "log", task, "hello", "--as", stage.session(cast.codex))
    assert stage.done(cast.alice, "session", "end", stage.session(cast.codex))["released"] == [task]


def test_I1_whatever_name_is_typed_the_record_says_that_it_was_typed(stage: Stage) -> None:
    task = stage.create(stage.cast.alice)
    names = ["alice", " codex#1 ", "codex#1\u200b", stage.session(stage.cast.alice), task]
    for name in names:
        stage.done(stage.cast.codex, "log", task, "it is fine", "--as", name)
    known = {row["id"]: row for row in stage.lines(stage.cast.alice, "session", "list")}
    rows = [known[entry["session"]] for entry in stage.show(task)["logs"]]
    assert [(row["trust"], row["kind"], row["name"]) for row in rows] == [
        ("asserted", "agent", name.strip()) for name in names
    ]
    stage.no(stage.cast.codex, "close", task, "--as", "alice", rules=["I1"])
