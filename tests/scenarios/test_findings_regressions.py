"""What broke in the findings loops before us, each tried on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import apsw
import pytest

from foureyes.core.documents.shapes import STATUSES as REVIEW_STATUSES
from foureyes.core.nouns.finding import STATUS_ALIASES
from foureyes.core.words.lifecycle import STATUSES as TASK_STATUSES

from tests.stage.commands import Cast, SubmissionTime
from tests.stage.shop_loop import (
    ATOMIC,
    CODED,
    EMPTY,
    LIMIT_PY,
    WHY,
    Loop,
    handoff,
    loop_at,
    loop_template,
    nth,
)

pytestmark = pytest.mark.scenario

VERDICTS = ("approved", "concerns", "blocker")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, template: Path, cast: Cast) -> tuple[Path, SubmissionTime]:
    """A project with an attempt in review."""
    loop = Loop(loop_template(tmp_path_factory.mktemp("regressions"), template, cast), cast)
    return loop.repo, loop.handed()


@pytest.fixture(scope="module")
def found(
    tmp_path_factory: pytest.TempPathFactory, project: tuple[Path, SubmissionTime], cast: Cast
) -> tuple[Path, list[str]]:
    """The same, sent back with two blocking findings and a note."""
    loop = loop_at(tmp_path_factory.mktemp("found") / "shop", project[0], cast)
    return loop.repo, loop.review(project[1], [ATOMIC, CODED, EMPTY])["raised"]


@pytest.fixture
def loop(tmp_path: Path, project: tuple[Path, SubmissionTime], cast: Cast) -> Loop:
    """An attempt is in review."""
    return loop_at(tmp_path / "shop", project[0], cast)


@pytest.fixture
def back(tmp_path: Path, found: tuple[Path, list[str]], cast: Cast) -> Loop:
    """It was sent back."""
    return loop_at(tmp_path / "shop", found[0], cast)


@pytest.fixture
def work(project: tuple[Path, SubmissionTime]) -> SubmissionTime:
    """The first attempt."""
    return project[1]


@pytest.fixture
def names(found: tuple[Path, list[str]]) -> list[str]:
    """The ids of CRITICAL, HIGH and LOW."""
    return found[1]


def test_17_an_accepted_rejection_counts_everywhere_that_asks_L9_L11(
    back: Loop, work: SubmissionTime, names: list[str]
) -> None:
    atomic, coded, _ = names
    again = back.again(work.task, nth(2), {atomic: "REJECTED", coded: "FIXED"})
    back.refused_by(again, "D2", "D2")
    back.rule("accepted", atomic)
    assert "REJECTED (false_positive)" in back.prompt(work.task, "rereview")
    back.rule("not-fixed", coded)
    (first, second) = back.loop(work.task)["rounds"]
    assert (first["raised"], second["fixed"], second["no_progress"]) == (2, 1, 0)
    (row,) = [row for row in back.findings(work.task) if row["id"] == atomic]
    assert (row["state"], row["ruling"]) == ("resolved", "ACCEPTED")
    assert back.done(back.cast.alice, "stats")["rejections_accepted"]["n"] == 1


def test_18_phantom_ids_and_sent_counts_are_refused_and_nothing_of_them_is_stored_G6_L6(
    back: Loop, work: SubmissionTime, names: list[str]
) -> None:
    back.done(back.cast.claude, "start", work.task)
    before = back.head()
    phantom = handoff({names[0]: "FIXED", names[1]: "FIXED", f"TL-{work.task}-1-099": "FIXED"})
    refused = back.no(
        back.cast.claude, "finding", "answer", work.task, "--file", "-", rules=["L6"], input=json.dumps(phantom)
    )
    assert f"TL-{work.task}-1-099" in refused.text
    counted = {**handoff({names[0]: "FIXED"}), "blocking_summary": {"total_blocking": 1, "fixed": 1, "unaddressed": 0}}
    refused = back.no(
        back.cast.claude, "finding", "answer", work.task, "--file", "-", rules=["G6", "G6"], input=json.dumps(counted)
    )
    assert "1 sent, but the document has 2" in refused.text
    assert back.head() == before


def test_19_a_blocking_finding_is_never_deferred_or_skipped_whoever_says_so_L6_D2(
    back: Loop, work: SubmissionTime, names: list[str]
) -> None:
    back.done(back.cast.claude, "start", work.task)
    before = back.head()
    for word in ("deferred", "skipped"):
        back.no(back.cast.claude, "finding", "answer", names[0], names[2], f"--{word}", "-m", "later", rules=["L6"])
        document = json.dumps(handoff({names[0]: word.upper(), names[1]: "FIXED"}))
        back.no(back.cast.claude, "finding", "answer", work.task, "--file", "-", rules=["L6"], input=document)
        with pytest.raises(apsw.ConstraintError):
            back.edit("UPDATE findings SET state = ? WHERE root = ?", word, names[0])
    back.no(back.cast.alice, "finding", "track", names[0], rules=["L16"])
    assert back.head() == before


def test_20_a_moved_line_and_other_words_are_the_same_finding_L2(
    back: Loop, work: SubmissionTime, names: list[str]
) -> None:
    again = back.again(work.task, {"limit.py": "# head\n" * 12 + LIMIT_PY}, dict.fromkeys(names[:2], "FIXED"))
    moved = {row["id"]: row["location"]["line"] for row in back.findings(work.task)}
    assert (moved[names[0]], moved[names[1]]) == (21, 17)
    done = back.review(again, [{**ATOMIC, "title": "lost updates under load", "line": 21}], {names[1]: "VERIFIED"})
    (row,) = [row for row in back.findings(work.task) if row["id"] == done["raised"][0]]
    assert (row["root"], row["flags"], row["false_fixes"], row["title"]) == (names[0], 2, 1, "lost updates under load")
    assert len(back.findings(work.task)) == 3


def test_21_the_first_answer_is_judged_like_any_other_L11(back: Loop, work: SubmissionTime, names: list[str]) -> None:
    again = back.again(work.task, nth(2), dict.fromkeys(names[:2], "FIXED"))
    back.review(again, rulings=dict.fromkeys(names[:2], "NOT_FIXED"))
    said = back.loop(work.task)
    assert (said["no_progress"], said["rounds"][1]["fixed"], said["rounds"][1]["action"]) == (1, 0, "warn")


def test_24_one_key_with_other_words_is_a_conflict_and_the_first_stays(loop: Loop) -> None:
    first = loop.done(loop.cast.claude, "create", "Add login", "-p", "1", "--key", "import-7")
    assert loop.done(loop.cast.claude, "create", "Add login", "-p", "1", "--key", "import-7")["task"] == first["task"]
    before = loop.head()
    assert loop.no(loop.cast.claude, "create", "Add logout", "-p", "1", "--key", "import-7", rc=4).code == "conflict"
    assert (loop.head(), loop.show(first["task"])["task"]["title"]) == (before, "Add login")


def test_25_what_is_about_a_missing_finding_refuses_and_creates_nothing(back: Loop, names: list[str]) -> None:
    missing, before = names[0].replace("-001", "-777"), back.head()
    for words in (
        ("respond", missing, "--fixed", "-m", "fixed"),
        ("show", missing),
        ("apply", missing),
        ("track", missing),
    ):
        back.no(back.cast.claude, "finding", *words, rc=3)
    back.no(back.cast.codex, "finding", "judge", missing, "--verified", "-m", "looked", rc=3)
    back.no(back.cast.alice, "finding", "waive", missing, "-m", "harmless", rc=3)
    assert back.head() == before


def test_26_constraints_reject_what_is_none_of_their_words_and_nothing_at_all(back: Loop, names: list[str]) -> None:
    columns = {
        "findings": (
            "severity",
            "state",
            "kind",
            "answer",
            "ruling",
            "blocking",
            "note",
            "waiting",
            "must_fix",
            "left_diff",
        ),
        "reviews": ("verdict", "effective", "status", "actionable"),
        "finding_moves": ("kind",),
        "tasks": ("status", "waiting_for"),
    }
    for table, some in columns.items():
        for column in some:
            for value in ("nonsense", "NULL"):
                with pytest.raises(apsw.ConstraintError):
                    back.edit(
                        f"UPDATE {table} SET {column} = {'NULL' if value == 'NULL' else '?'}",
                        *([] if value == "NULL" else [value]),
                    )
    with pytest.raises(apsw.ConstraintError):
        back.edit("UPDATE findings SET severity = 'LOW' WHERE root = ?", names[0])


def test_27_texts_like_json_and_like_secrets_stay_as_sent_and_json_stays_json(loop: Loop, work: SubmissionTime) -> None:
    told = {
        "problem": '{"token": "AKIAIOSFODNN7EXAMPLE", "x": "\\"}]", "password=hunter2"}\n\\u0000 \\n </script>',
        "why": "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----",
        "fix": "use ${SECRET} and `ghp_0123456789abcdefghij`",
    }  # fmt: skip
    (name,) = loop.review(work, [{**ATOMIC, **told, "title": 'key "sk-live-1" in {json: [1,}'}])["raised"]
    row = loop.done(loop.cast.claude, "finding", "show", name)
    assert {key: row[key] for key in told} == told
    assert row["title"] == 'key "sk-live-1" in {json: [1,}'
    sarif = json.loads(loop.run(loop.cast.claude, "finding", "export", work.task).out)
    assert told["problem"] in sarif["runs"][0]["results"][0]["message"]["text"]
    lead = loop.done(loop.cast.claude, "export", "handoff", work.task, "--role", "tech_lead")
    assert lead["issues"][0]["problem"] == told["problem"]


def test_28_no_agent_writes_what_the_gate_or_the_validator_says_I2_D5(loop: Loop, work: SubmissionTime) -> None:
    claude, before = loop.cast.claude, loop.head()
    for kind in ("gate", "validator", "escalation", "security", "waiver", "patch"):
        assert loop.run(claude, "log", work.task, "all is well", "--type", kind).rc == 2
    loop.no(claude, "merge", rules=["D5"])
    loop.no(claude, "config", "accept", rules=["P12"])
    for event in (
        {"type": "AttemptSentBack"},
        {"type": "validator", "complete": True},
        {"type": "CheckFinished", "outcome": "passed"},
    ):
        assert loop.run(claude, "import", "handoff", work.task, "-", input=json.dumps(event)).rc in (1, 2)
    assert loop.head() == before
    assert loop.run(claude, "validate").rc == 6


def sarif(*lines: int) -> str:
    """What a tool found in a file."""
    results: list[dict[str, Any]] = [
        {
            "ruleId": "S1",
            "level": "error",
            "message": {"text": f"secret in line {line}"},
            "locations": [
                {"physicalLocation": {"artifactLocation": {"uri": "limit.py"}, "region": {"startLine": line}}}
            ],
        }
        for line in lines
    ]
    return json.dumps({"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "scan"}}, "results": results}]})


def test_31_prompts_cut_everything_else_before_a_blocking_finding_and_refuse_rather_than_drop_one_F4(
    loop: Loop, work: SubmissionTime
) -> None:
    big = [
        {**CODED, "title": f"problem {n}", "problem": "x" * 4000, "quote": "", "location": f"limit.py:{n + 1}"}
        for n in range(10)
    ]
    notes = [{**EMPTY, "title": f"note {n}", "problem": "y" * 400, "location": ""} for n in range(150)]
    done = loop.review(work, [*big, *notes])
    told = loop.prompt(work.task, "respond")
    assert all(f"{name} (HIGH" in told for name in done["raised"][:10])
    assert (told.count("x" * 4000), len(told) <= 60_000) == (10, True)
    assert told.count("y" * 400) < 150
    more = loop.handed(files={"more.py": "".join(f"A{n} = {n}\n" for n in range(16))})
    loop.review(
        more,
        [
            {**CODED, "title": f"problem {n}", "problem": "x" * 4500, "quote": f"A{n} = {n}", "location": "more.py"}
            for n in range(16)
        ],
    )
    loop.no(loop.cast.claude, "prompt", more.task, "--for", "respond", rules=["F4"])


def test_32_every_status_alias_and_verdict_is_asked_for_parsed_and_leads_somewhere_L5(
    loop: Loop, work: SubmissionTime
) -> None:
    prompt = loop.prompt(work.task, "review")
    assert all(f"- {word}: " in prompt for word in (*REVIEW_STATUSES, *STATUS_ALIASES, *VERDICTS))
    for status in (*REVIEW_STATUSES, *STATUS_ALIASES):
        wrong = [] if status.startswith("CHANGES") else [ATOMIC]
        refused = loop.send(work, loop.document(work, wrong, status=status))
        assert (refused.rc, '"L5"' in refused.out) == (2, True)
    known = loop.no(loop.cast.claude, "list", "--status", "nonsense", rc=2).text
    assert [status for status in TASK_STATUSES if status not in known] == []
    assert loop.review(work, [EMPTY], status="approved with notes")["status"] == "APPROVED_WITH_NOTES"
    assert loop.review(work, [ATOMIC], status="changes_required", by=loop.cast.qwen)["task_status"] == "open"
    other = loop.handed(files={"other.py": "B = 1\n"})
    assert loop.review(other, verdict="blocker", by=loop.cast.gemini)["effective"] == "blocker"
    assert loop.show(other.task)["task"]["hold"] is not None


def test_33_the_last_task_has_to_merge_before_anything_is_complete_X4(loop: Loop, work: SubmissionTime) -> None:
    assert loop.run(loop.cast.alice, "validate").rc == 6
    loop.approve(loop.cast.alice, work)
    refused = loop.run(loop.cast.alice, "validate")
    assert (refused.rc, f"{work.task} is approved but not merged" in refused.out + refused.err) == (6, True)
    assert loop.merge() == {work.task: "merged"}
    assert loop.done(loop.cast.alice, "validate")["complete"]


def test_72_one_false_finding_does_not_block_for_ever_V7_E3(loop: Loop, work: SubmissionTime) -> None:
    cast, made_up = loop.cast, [{**ATOMIC, "quote": "os.system(request.args)"}]
    first = loop.send(work, loop.document(work, made_up))
    assert (first.rc, '"V7"' in first.out, loop.findings(work.task)) == (1, True, [])
    (name,) = loop.review(work, made_up)["raised"]
    loop.refused_by(work, "D2")
    loop.may_not_rule(cast.codex, "confirmed", name, ["V7"])
    loop.may_not_rule(cast.claude, "dismissed", name, ["L8"])
    loop.rule("dismissed", name, by=cast.gemini, reason=WHY)
    loop.approve(cast.gemini, work)
    assert loop.status(work.task) == "approved"
