"""Laundering by quote (A6): one byte more leaves no finding behind."""

from __future__ import annotations

import pytest

from foureyes.core.nouns.session import Actor

from tests.stage.gated import configure, deliver
from tests.stage.looped import findings, issue, left_behind, next_attempt, review, rule
from tests.stage.people import BOB, CLAUDE, GEMINI, agent
from tests.stage.world import GitWorld

KEPT = '\n[review]\ndefault_mode = "per-task"\n'
PAY = "def pay(amount):\n    limit = 10\n    return amount < limit\n"
QWEN = agent("qwen")


def launder(world: GitWorld, files: dict[str, str], actor: Actor = CLAUDE) -> str:
    """Other work of somebody: nothing in it is the same piece."""
    new = world.create()
    world.start(actor, new)
    world.checkout.branch(f"fe/{new}")
    for name, text in files.items():
        world.checkout.commit(name, text, session=actor)
    world.submit(actor, new)
    world.checkout.switch("main")
    return new


@pytest.mark.parametrize(
    ("files", "actor"),
    [
        ({"pay.py": PAY + "\n"}, CLAUDE), ({"pay.py": PAY + "\n"}, GEMINI), ({"money.py": PAY + "# \n"}, CLAUDE),
        ({"pay.py": PAY.replace("    ", "\t")}, GEMINI), ({"pay.py": PAY + "\x00"}, GEMINI),
        ({"a/b.py": "x = 1\n" + PAY}, CLAUDE),
    ],
    ids=["a byte more", "a byte more of somebody else", "elsewhere, by the author", "other white space", "a NUL",
         "copied by the author"],
)  # fmt: skip
def test_one_byte_more_leaves_no_finding_behind_A6(world: GitWorld, files: dict[str, str], actor: Actor) -> None:
    _, name = quoted(world)
    (one,) = findings(world, launder(world, files, actor)).values()
    assert (one.severity, one.state, name in one.why) == ("CRITICAL", "open", True)


def quoted(world: GitWorld, quote: str = "return amount < limit", **more: str) -> tuple[str, str]:
    configure(world, KEPT)
    task = deliver(world, {"pay.py": PAY})
    (name,) = review(world, task, [issue(severity="CRITICAL", file="pay.py", line=3, quote=quote, **more)]).raised
    return task, name


@pytest.mark.parametrize(
    ("files", "actor"),
    [({"money.py": PAY + "\n"}, GEMINI), ({"pay.py": "def pay():\n    ...\n"}, CLAUDE), ({"z.py": "z = 1\n"}, CLAUDE)],
    ids=["elsewhere, by somebody else", "without it", "another file"],
)
def test_what_has_neither_author_nor_path_nor_quote_in_common_brings_nothing_A6(
    world: GitWorld, files: dict[str, str], actor: Actor
) -> None:
    quoted(world)
    assert findings(world, launder(world, files, actor)) == {}


@pytest.mark.parametrize(("quote", "there"), [("= 10", False), ("limit = 10", True)])
def test_a_tiny_quote_is_looked_for_only_in_its_own_file_A6(world: GitWorld, quote: str, there: bool) -> None:
    quoted(world, quote=quote)
    assert findings(world, launder(world, {"other.py": "limit = 10\n"})) == {}
    assert bool(findings(world, launder(world, {"pay.py": "limit = 10\n"}, GEMINI))) == there


def test_what_was_found_to_be_taken_away_comes_along_where_it_is_taken_away_again_A6(world: GitWorld) -> None:
    configure(world, KEPT)
    world.checkout.commit("auth.py", "def may(user):\n    check_rights_of(user)\n    return True\n")
    task = deliver(world, {"auth.py": "def may(user):\n    return True\n"})
    (name,) = review(
        world, task, [issue(severity="CRITICAL", file="auth.py", line=2, quote="check_rights_of(user)")]
    ).raised
    (one,) = findings(world, launder(world, {"auth.py": "def may(user):\n    return True\n\n"}, GEMINI)).values()
    assert name in one.why
    kept = launder(world, {"auth.py": "def may(user):\n    check_rights_of(user)\n    return 1\n"}, QWEN)
    assert {one.title for one in findings(world, kept).values()} <= {one.title}


def test_a_finding_without_a_quote_comes_along_with_its_author_and_file_A6(world: GitWorld) -> None:
    _, name = quoted(world, quote="")
    assert findings(world, launder(world, {"pay.py": "x = 2\n"}, GEMINI)) == {}
    (one,) = findings(world, launder(world, {"pay.py": PAY + "\n"})).values()
    assert name in one.why


def test_what_was_resolved_or_merged_brings_nothing_A6(world: GitWorld) -> None:
    task, name = quoted(world)
    world.app.feedback.redo(BOB, task, "mend it")
    next_attempt(world, task, {"pay.py": PAY.replace("10", "LIMIT")}, answers={name: "FIXED"})
    rule(world, {name: "VERIFIED"})
    assert findings(world, launder(world, {"pay.py": PAY + "\n"})) == {}


def test_a_finding_comes_back_with_the_code_that_was_taken_out_for_it_A6(world: GitWorld) -> None:
    _, name = left_behind(world)
    two = deliver(
        world, {"pay.py": "def pay():\n    return 2\n\n\ndef more():\n    steal_everything()\n"}, actor=GEMINI
    )
    (back,) = findings(world, two).values()
    assert (back.location.line, name in back.why) == (6, True)
    other = deliver(world, {"pay.py": "def pay():\n    return 3\n"}, actor=GEMINI)
    assert findings(world, other) == {}
    assert world.show(other).stack == ()
