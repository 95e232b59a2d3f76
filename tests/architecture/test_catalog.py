"""The catalogue names every verb of every noun, and says the truth about each: who may use it, whether it writes, and
by which command people reach it.
"""

from __future__ import annotations

import ast
import importlib
import inspect

import click

from foureyes.app.application import Application
from foureyes.app.catalog import NOUNS, VERBS, WHO, Verb, verbs
from foureyes.core.rules import rights
from foureyes.core.rules.rights import KNOWN, barred
from foureyes.ui.cli.main import cli

from tests.architecture.calls import attributes, reached
from tests.architecture.house import PACKAGE, modules, name_of, nodes_of, tree_of

OPENS_A_WRITE = {"writing", "deciding"}
"""How a verb begins to write: every way to the journal leads through one of these methods of the Context."""

BY_RULE = {"queue.batch": "D7"}
"""Verbs without a right of their own that a rule keeps for people."""

WITHOUT_A_NOUN = {"setup", "store join"}
"""Rights of what happens beside the Application: no store is open, or it is another one afterwards."""

WITHOUT_A_COMMAND = {
    "sessions.recognise": "every command asks it who is calling, before the command itself",
    "attempts.changes": "a face shows hunks; fe show --diff prints the same change as git writes it",
    "lists.page": "the rows alone, for faces that stay open and for completion; fe list says more about each",
    "worktrees.open": "claims.start and claims.next open it with the claim: fe start --worktree",
    "status.own": "bare fe says it to an agent, and fe next before it claims anything",
    **dict.fromkeys(
        ("board.view", "board.column", "queue.ahead", "events.head", "events.latest", "events.since"),
        "for faces that stay open; the command line has fe status, fe queue, fe list and fe audit log",
    ),
    **dict.fromkeys(
        (
            f"runs.{name}"
            for name in "begin launch finish runners reserve bind renew holds take_over end submit_work release heard said "
            "signalled stuck blocked_work cool warm cooled live of_task".split()
        ),
        "for a runner, and for faces that show what it does",
    ),
    **dict.fromkeys(
        ("cycles.open", "cycles.ask", "cycles.not_given"), "for a runner; people say fe review request --now"
    ),
    **dict.fromkeys(
        ("sprints.halt", "sprints.go_on", "sprints.finish"), "a runner does what the rules say about a sprint (X2, X3)"
    ),
    "sprints.preview": "a face shows it while somebody ticks; fe sprint plan shows what it stores",
    **dict.fromkeys(
        (f"drafts.{row[0]}" for row in VERBS["drafts"]),
        "for faces that stay open: a command line says all at once and has nothing to keep",
    ),
}


def called(verb: Verb) -> str:
    """A verb as code calls it."""
    return f"{verb.noun}.{verb.name}"


def noun_class(noun: str) -> type:
    module, _, name = NOUNS[noun].partition(":")
    found = getattr(importlib.import_module(f"foureyes.app.{module}"), name)
    assert isinstance(found, type)
    return found


def test_the_application_has_exactly_the_nouns_of_the_catalogue() -> None:
    assert list(NOUNS) == list(VERBS)
    assert inspect.get_annotations(Application) == {noun: noun_class(noun).__name__ for noun in NOUNS}


def test_every_public_method_of_a_noun_is_a_verb_and_every_verb_a_method() -> None:
    for noun in NOUNS:
        methods = {name for name, thing in vars(noun_class(noun)).items() if inspect.isfunction(thing)}
        assert {name for name in methods if not name.startswith("_")} == {row[0] for row in VERBS[noun]}, noun


def test_a_verb_has_one_line_of_help() -> None:
    odd = [verb for verb in verbs() if verb.help != " ".join(verb.help.split()) or not verb.help.endswith(".")]
    assert not odd
    assert max(len(verb.help) for verb in verbs()) <= 80


# Who may


def test_who_may_use_a_verb_is_what_the_rules_say_I5() -> None:
    for verb in verbs():
        if verb.rights:  # of several rights a document of one kind needs one
            may = [kind for right in verb.rights for kind in WHO["anyone"] if not barred(kind, "observed", "x", right)]
            assert set(may) == set(WHO[verb.who]), verb
        assert verb.rights or verb.who == "anyone" or called(verb) in BY_RULE, called(verb)


def test_every_right_that_the_rules_know_is_one_of_a_verb() -> None:
    known = rights.FOR_A_NAME | rights.FOR_A_SERVICE | rights.FOR_PEOPLE | rights.NOT_FOR_AGENTS
    known |= rights.DECISIONS | rights.SIGNED | frozenset().union(*rights.FOR_A_ROLE.values())
    assert known - {right for verb in verbs() for right in verb.rights} == WITHOUT_A_NOUN


# Whether it writes


def test_a_verb_that_leaves_rows_opens_a_writing_transaction_and_no_other_does() -> None:
    for verb in verbs():
        module, _, name = NOUNS[verb.noun].partition(":")
        places = reached(f"foureyes.app.{module}", f"{name}.{verb.name}", under=("foureyes.app.",))
        opens = {node.attr for node in attributes(places) if node.attr in OPENS_A_WRITE or _is_store_write(node)}
        assert bool(opens) == (verb.writes == "journal"), (called(verb), sorted(opens))


def _is_store_write(node: ast.Attribute) -> bool:
    return node.attr == "write" and isinstance(node.value, ast.Attribute) and node.value.attr == "store"


def test_pages_write_nothing_D7() -> None:
    found = [
        f"{name_of(path)}:{node.lineno} .{node.attr}"
        for path in modules(PACKAGE / "app" / "pages")
        for node in nodes_of(tree_of(path))
        if isinstance(node, ast.Attribute) and (node.attr in {*OPENS_A_WRITE, "record"} or _is_store_write(node))
    ]
    assert not found, "\n".join(found)


# By which command


def command_of(words: str) -> click.Command | None:
    """The command of the command line that these words call; for a group that runs by itself, the group."""
    command: click.Command | None = cli
    for word in words.split():
        if word.startswith("-"):
            break
        assert isinstance(command, click.Group)
        command = command.get_command(click.Context(command), word)
    return command


def asked_by(command: click.Command) -> set[str]:
    """The verbs that a command's function leads to, as `noun.verb`."""
    function = inspect.unwrap(command.callback) if command.callback else None
    assert function is not None
    places = reached(function.__module__, function.__name__, under=("foureyes.ui.cli", "foureyes.bootstrap"))
    return {
        f"{node.value.attr}.{node.attr}"
        for node in attributes(places)
        if isinstance(node.value, ast.Attribute) and node.value.attr in NOUNS
    }


def test_a_verb_is_reached_by_the_command_that_the_catalogue_names() -> None:
    assert {called(verb) for verb in verbs() if not verb.command} == set(WITHOUT_A_COMMAND)
    for verb in verbs():
        command = command_of(verb.command) if verb.command else None
        assert command is None or called(verb) in asked_by(command), verb
        assert bool(verb.command) == (command is not None), verb.command


def test_every_right_of_the_catalogue_is_a_known_verb() -> None:
    assert {right for verb in verbs() for right in verb.rights} <= KNOWN
