"""`fe help rules`: what a refusal cites can be looked up, anywhere; a refusal on a terminal says how."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from foureyes.config import rules
from foureyes.ui.cli.main import main

from tests.stage.commands import Cast, Stage


@pytest.fixture(autouse=True)
def nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No repository and no project."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("FOUREYES_TOKEN", raising=False)


class Typed:
    """Commands typed into this process, where no project is."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self._capsys = capsys

    def __call__(self, *words: str, rc: int = 0) -> tuple[str, str]:
        with pytest.raises(SystemExit) as ended:
            main(list(words))
        said = self._capsys.readouterr()
        assert ended.value.code == rc, said
        return said.out, said.err


@pytest.fixture
def fe(capsys: pytest.CaptureFixture[str]) -> Typed:
    return Typed(capsys)


def test_without_an_id_every_rule_is_a_line_under_its_group(fe: Typed) -> None:
    out, err = fe("rules")
    lines = out.splitlines()
    assert (lines[0], err) == ("G. Above every rule", "")
    assert "  P2  The author of a change may not approve it." in lines
    assert "  P10 A task counts as `minor` only as far as the evidence supports it." in lines
    assert "  N2  Hooks refuse what has no attestation. (not built yet)" in lines
    assert [line.split()[0] for line in lines if line.startswith("  ")] == list(rules.by_id())


@pytest.mark.parametrize("typed", ["P2", "p2", " p2 "])
def test_an_id_is_the_whole_text_of_its_rule(fe: Typed, typed: str) -> None:
    assert fe("rules", typed)[0] == f"P2\n\n{rules.by_id()['P2'].text}\n"


def test_rule_begins_with_two_plain_sentences_and_the_rest_is_below_in_detail(fe: Typed) -> None:
    heading, says, mark, *rest = fe("help", "P2")[0].split("\n\n")
    assert (heading, mark) == ("P2", "In detail:")
    assert " ".join(says.split()) == (
        "The author of a change may not approve it. Someone else has to look, because nobody finds all of their own mistakes."
    )
    assert "a session that one of these spawned, at any depth" in " ".join(" ".join(rest).split())


def test_several_ids_are_several_texts_each_once_in_the_order_typed(fe: Typed) -> None:
    texts = [f"{name}\n\n{rules.by_id()[name].text}" for name in ("P2", "D4")]
    assert fe("rules", "P2", "D4", "p2")[0] == "\n\n".join(texts) + "\n"


def test_a_letter_is_what_is_said_about_its_group_and_a_line_of_each_rule(fe: Typed) -> None:
    out, _ = fe("rules", "C")
    assert out.startswith("C. Who may close without an approval\n\n| case | answer |\n")
    assert out.endswith(
        "  C1  The author of the work may not close its task.\n  C2  Closing never merges.\n"
        "  C3  Closing obeys holds and, from `reviewing`, the gate.\n"
    )
    assert fe("rules", "Y")[0].startswith("Y. Metrics\n\n`fe stats` shows")


@pytest.mark.parametrize(("typed", "said"), [("P22", "Did you mean P2?"), ("Q9", "Did you mean Q"), ("zz", "")])
def test_an_unknown_id_names_the_nearest_and_is_3(fe: Typed, typed: str, said: str) -> None:
    out, err = fe("rules", typed, rc=3)
    assert out == ""
    assert err.startswith(f"fe: there is no rule {typed.upper()}.")
    assert said in err
    assert ("Did you mean" in err) == bool(said)
    assert "  next: fe help" in err


def test_help_of_an_unknown_id_says_that_there_is_no_such_rule(fe: Typed) -> None:
    assert fe("help", "P99", rc=3)[1].startswith("fe: there is no rule P99.")


def test_with_json_a_rule_is_an_object_on_a_line_and_a_group_one_with_its_rules(fe: Typed) -> None:
    rows = [json.loads(line) for line in fe("rules", "--json")[0].splitlines()]
    assert [row["id"] for row in rows] == list(rules.by_id())
    (rule,) = [json.loads(line) for line in fe("rules", "N1", "--json")[0].splitlines()]
    assert (rule["id"], rule["built"], rule["text"].startswith("Not built yet: ")) == ("N1", False, True)
    (group,) = [json.loads(line) for line in fe("rules", "C", "--json")[0].splitlines()]
    assert (group["letter"], [row["id"] for row in group["rules"]]) == ("C", ["C1", "C2", "C3"])
    assert json.loads(fe("rules", "P22", "--json", rc=3)[0])["error"]["code"] == "not_found"


def test_help_says_where_to_look_a_rule_up(fe: Typed) -> None:
    assert "fe help P2 explain a rule" in " ".join(fe("--help")[0].split())


def test_a_refusal_on_a_terminal_ends_with_the_way_to_its_rules_and_elsewhere_does_not(stage: Stage) -> None:
    cast = stage.cast
    work = stage.in_review(cast.alice, cast.alice)
    stage.done(cast.alice, "hold", work.task, "-m", "wait")
    words = ("approve", work.task)
    plain = stage.run(cast.alice, *words)
    assert plain.err.splitlines()[-1] == "nothing was changed"
    shown = cast.alice.fe(*words, cwd=stage.repo, tty=True)
    assert shown.out.splitlines()[-2:] == ["nothing was changed", "why: fe help D3 P2"]
    assert shown.out.splitlines()[:-1] == plain.err.splitlines()


def test_without_a_project_too_a_refusal_on_a_terminal_says_where_to_look(cast: Cast, tmp_path: Path) -> None:
    shown = cast.alice.fe("whoami", cwd=tmp_path, tty=True, env={"FOUREYES_TOKEN": "fe-1"})
    assert (shown.rc, shown.out.splitlines()[-1]) == (1, "why: fe help I2")
