"""The real programs as reviewers: each answers with the one document that it is asked for (V3), reads its own files and
no repository, and goes on with a conversation when it is asked once more.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from foureyes.core.documents.answer import document_in
from foureyes.core.documents.json_reader import read
from foureyes.core.documents.shapes import ReviewResult

from tests.agents.ground import EACH
from tests.agents.house import House, told
from tests.agents.reviewer import ISSUE, PAYLOAD, RESULT, Reviewing
from tests.sandboxes.scripted_model import Asked
from tests.stage.commands import Stage


@EACH
def test_it_answers_with_the_document_that_it_is_held_to_V3(name: str, tmp_path: Path) -> None:
    found = Reviewing(name, tmp_path).review("cat mean.py; git log", {"write": "evil.txt", "content": "x"}, RESULT)
    assert (found.outcome["error"], found.outcome["rc"]) == ("none", 0), found.outcome
    document = read(document_in(found.outcome["answer"], "review_result"), ReviewResult)
    told = msgspec.json.decode(msgspec.json.encode(document.payload))
    assert {name: told[name] for name in PAYLOAD} | {"issues": [ISSUE]} == PAYLOAD
    (issue,) = told["issues"]
    assert {name: issue[name] for name in ISSUE} == ISSUE
    assert not (tmp_path / ".foureyes" / "checkouts" / "fe-1" / "evil.txt").exists()
    assert (found.left, found.marked) == ([], 0)


DEFECT = "def mean(values):\n    return sum(values) / len(values)\n"


def submitted_task(house: House, name: str) -> tuple[str, str]:
    """A task with a planted defect that somebody else made, and its diff id."""
    shop = house.shop
    author = shop.cast.claude if name == "codex" else shop.cast.codex
    task = shop.create(shop.cast.alice, title="The mean of some values")
    shop.done(author, "start", task)
    shop.commit(f"fe/{task}", {"src/mean.py": DEFECT}, message="Mean")
    return task, shop.submit(author, task).diff_id


def found(diff_id: str, **payload: object) -> Asked:
    issue = ISSUE | {"file": "src/mean.py"}
    given = PAYLOAD | {"diff_id": diff_id, "issues": [issue], "files_reviewed": ["src/mean.py"]} | payload
    return {"answer": {"type": "review_result", "payload": given}}


@EACH
def test_a_real_reviewer_finds_a_planted_defect_and_the_work_goes_back_V2_V3_V10_R3(
    name: str, stage: Stage, tmp_path: Path
) -> None:
    house = House(stage, tmp_path, name, settings=f'[review.peers]\nreviewers = ["{name}"]\n')
    task, diff_id = submitted_task(house, name)
    prose: Asked = {"say": "No blocker found. LGTM!"}
    lines = house.run(task, "cat src/mean.py", prose, found(diff_id), options=("--once",))
    page = house.shop.show(task)
    (review,) = page["reviews"]
    assert (review["verdict"], review["missing"], review["by"].partition("#")[0]) == ("concerns", [], name), told(lines)
    (finding,) = house.shop.lines(house.shop.cast.alice, "finding", "list", task)
    assert (finding["severity"], finding["quote"]) == ("HIGH", ISSUE["quote"])
    assert page["task"]["status"] == "open", "a blocking finding sends it back (V10)"
    assert ("no valid document" in told(lines)) == (name != "claude"), "claude itself holds the model to the schema"
    assert not list((house.shop.folder / "checkouts").iterdir())
    assert not list((house.shop.folder / "runs").iterdir())


MADE_UP = ISSUE | {"file": "src/mean.py", "quote": "no_such_code()"}
ANOTHER: Asked = {"answer": {"type": "review_result", "reviewer": "gemini", "payload": PAYLOAD | {"diff_id": "@DIFF@"}}}
NOTHING_READ = found("@DIFF@", verdict="approved", status="APPROVED", issues=[], files_reviewed=[])


@pytest.mark.parametrize("name", ["codex"])
@pytest.mark.parametrize(
    ("said", "became", "rule"),
    [
        ([NOTHING_READ], "answered", "R0"),
        ([ANOTHER, ANOTHER], "invalid", "R0"),
        ([found("@DIFF@", verdict="approved")], "answered", "R3"),
        ([found("@DIFF@", issues=[MADE_UP]), found("@DIFF@", issues=[MADE_UP])], "answered", "R3"),
        ([{"trouble": "limit"}], "quota", "R0"),
    ],
    ids=["read nothing", "names another", "approves a HIGH", "made up a quote", "out of quota"],
)
def test_what_a_real_reviewer_does_wrong_ends_as_the_rules_say_V3_V5_V6_V7(
    name: str, said: list[Asked], became: str, rule: str, stage: Stage, tmp_path: Path
) -> None:
    house = House(stage, tmp_path, name, settings=f'[review.peers]\nreviewers = ["{name}"]\n')
    task, _ = submitted_task(house, name)
    lines = house.run(task, *said, options=("--once",))
    (cycle,) = house.shop.lines(house.shop.cast.alice, "review", "list")
    (asked,) = cycle["requested"]
    assert (asked["why"] or asked["state"], cycle["rule"]) == (became, rule), told(lines)
    assert not [row for row in cycle["reviews"] if row["counts"]]
