"""The real programs below the adapter, in a minute or two: each works and says so, each reviews, and each is refused
(S1, S2, V3).
"""

from __future__ import annotations

from pathlib import Path

from foureyes import __version__
from foureyes.core.documents.answer import document_in
from foureyes.core.documents.json_reader import read
from foureyes.core.documents.shapes import ReviewResult

from tests.agents.ground import DONE, EACH, HELLO, SIGNAL, Ground
from tests.agents.reviewer import ISSUE, RESULT, Reviewing


@EACH
def test_it_works_and_its_signal_is_known_S1(name: str, tmp_path: Path) -> None:
    ground = Ground(name, tmp_path)
    ended = ground.drive(HELLO, "cat hello.txt; fe --version", DONE)
    assert (tmp_path / "work" / "hello.txt").read_text().strip() == "hello"
    assert ground.changed() == ["hello.txt"]
    assert "hello" in ended.printed[1]
    assert f"fe, version {__version__}" in ended.printed[1]
    found = ended.outcome
    assert (found["ended"], found["rc"], found["error"]) == (True, 0, "none")
    assert (found["signal"], found["message"]) == ("DONE", "hello.txt is there")
    assert found["final"].endswith(SIGNAL)
    assert found["usage"]["input_tokens"] == 3 * 1200
    assert found["conversation"]
    assert (ended.left, ended.marked) == ([], 0)
    log = (tmp_path / ".foureyes" / "logs" / "fe-1.log").read_text()
    assert "hello.txt is there" in log
    assert "tok-of-the-run" not in log


@EACH
def test_a_key_that_is_not_valid_is_an_error_of_its_kind_S2(name: str, tmp_path: Path) -> None:
    found = Ground(name, tmp_path).drive({"trouble": "401"}).outcome
    assert (found["error"], found["signal"]) == ("auth", None)
    assert "key" in found["error_text"]


@EACH
def test_it_reviews_and_answers_with_one_document_V3(name: str, tmp_path: Path) -> None:
    found = Reviewing(name, tmp_path).review("cat mean.py", RESULT).outcome
    assert (found["error"], found["rc"]) == ("none", 0), found
    (issue,) = read(document_in(found["answer"], "review_result"), ReviewResult).payload.issues
    assert (issue.title, issue.quote) == (ISSUE["title"], ISSUE["quote"])
