"""Next steps as the command line writes them: what can be typed, and every command of ours is one that exists."""

from __future__ import annotations

import ast
import shlex
import subprocess
from collections.abc import Iterator
from itertools import product

import click
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from foureyes.core.loop.rounds import LEAD_OPTIONS
from foureyes.core.nouns.finding import RULINGS
from foureyes.core.rules.rights import FOR_PEOPLE
from foureyes.core.words.text import shown
from foureyes.steps import NO_STEP, Arg, Steps, blank, by, by_person, either, fe, in_turn, one_of, phrase, prose, shell
from foureyes.ui.cli.main import cli
from foureyes.ui.cli.output import plain
from foureyes.ui.steps import steps_text

from tests.architecture.house import PACKAGE, modules, name_of, nodes_of, tree_of
from tests.stage.night import NIGHT, plays

quick = settings(derandomize=not NIGHT, max_examples=plays("random values"), deadline=None, database=None)


# How they are written


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        (NO_STEP, ""),
        (fe("show", "fe-7k2"), "fe show fe-7k2"),
        (fe("approve", "fe-7k2", "-m", phrase("why")), 'fe approve fe-7k2 -m "why"'),
        (
            fe("finding", "answer", blank("ID"), one_of("--fixed", "--rejected")),
            "fe finding answer ID (--fixed or --rejected)",
        ),
        (fe("key", "add", Arg("LINE", "'")), "fe key add 'LINE'"),
        (
            fe("store", "restore", blank("FILE"), after=", if you have a backup"),
            "fe store restore FILE, if you have a backup",
        ),
        (by_person(fe("config", "accept")), "a person runs: fe config accept"),
        (by("other", fe("close", "fe-7k2"), "its creator closes it: "), "its creator closes it: fe close fe-7k2"),
        (prose("name another file"), "name another file"),
        (either(prose("mend it"), by_person(fe("merge")), joint="; or "), "mend it; or a person runs: fe merge"),
        (in_turn(fe("show", "t", "--diff"), fe("approve", "t")), "fe show t --diff, then: fe approve t"),
        (in_turn(NO_STEP, fe("approve", "t")), "fe approve t"),
        (prose("commit it there, then: ") + by_person(fe("init")), "commit it there, then: a person runs: fe init"),
        (shell("git", "-C", "/a b", "status"), "git -C '/a b' status"),
    ],
)
def test_steps_on_one_line(steps: Steps, text: str) -> None:
    assert steps_text(steps) == text


@quick
@given(st.lists(st.text(), min_size=1))
def test_a_command_without_blanks_is_read_by_a_shell_as_it_was_meant(words: list[str]) -> None:
    words = [shown(word) for word in words]
    assert steps_text(shell(*words)) == shlex.join(words)


def test_a_word_with_something_that_nobody_sees_is_read_by_a_shell_as_it_was_meant_and_shown_as_codes() -> None:
    words = ["a\nnext: fe approve", "zero\u200bwidth", "it's \\ \x1b[2J", "\u202eb", "\ttab"]
    line = steps_text(shell("printf", "%s;", *words))
    assert shown(line) == line, "one line, and all of it can be seen"
    said = subprocess.run(["bash", "-c", line], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"})
    assert said.stdout.decode() == "".join(f"{word};" for word in words)


def test_alternatives_and_what_follows_are_told_apart_without_reading_the_words() -> None:
    assert [step.follows for step in either(fe("list"), fe("list", "--ready"), fe("next")).steps] == ["", "or", "or"]
    assert [step.follows for step in in_turn(fe("list", "--ready"), fe("start", blank("ID"))).steps] == ["", "then"]
    assert [step.who for step in either(prose("mend it"), by_person(fe("merge"))).steps] == ["you", "person"]


def test_json_has_the_same_line() -> None:
    from foureyes.errors import Reason

    assert plain(Reason("D3", "it is held", by_person(fe("resume", "fe-7k2")))) == {
        "rule": "D3", "message": "it is held", "next": "a person runs: fe resume fe-7k2",
    }  # fmt: skip


# That what they name exists

SAMPLES = ("fe-7k2", "1", "claude")
"""What stands for a value that is known only when the program runs: an id, or a number."""

SAMPLED = [[word] for word in SAMPLES]

UNPACKED: dict[str, list[list[str]]] = {
    "command": [["review", "submit", "fe-7k2"], ["finding", "import", "fe-7k2"],
                ["finding", "answer"], ["finding", "add", "fe-7k2", "a.py:1", "-m", "why", "--patch"]],
    "verb.split()": [["hold"], ["reject"], ["key", "retire"], ["lead", "senior"], ["redo"]],
    "task.split()": [["fe-7k2"], ["--project"]],
    "[task] if task else []": [[], ["fe-7k2"]],
    "[url] if url else []": [[], ["postgresql:///?service=team"]],
    "('--branch', branch) if branch else ()": [[], ["--branch", "fe/fe-7k2"]],
    "reason": [[], ["-m", "why"]],
    "rulings": [["--" + word.lower().replace("_", "-")] for word in RULINGS],
    "_seen(facts)": [[], ["--seen", "0123abcd"]],
    "options": [[], ["--wait"]],
    "where": [[], ["--worktree"], ["--here"]],
    "LEAD": [[option] for option in LEAD_OPTIONS],
    "names": [["TL-fe-7k2-1-001"], ["TL-fe-7k2-1-001", "TL-fe-7k2-1-002"]],
    "tasks[:1]": [["fe-7k2"]],
    "same": [[], ["--group", "g"], ["--again"]],
    "below": [[], ["--group", "g"]],
    "('--again',) if again else ()": [[], ["--again"]],
    "() if signal == 'DONE' else ('--signal', signal)": [[], ["--signal", "NEEDS_REVIEW"]],
}  # fmt: skip
"""What `*words` in a call stands for."""


NAMED = {
    "option": LEAD_OPTIONS,
    "command": ("answer", "judge"),
    "action": ("redo", "reject"),
    "way": ("add", "rm"),
    "verb": ("hold", "pause", "resume"),
}
"""What a variable stands for."""


def values(node: ast.expr, function: ast.AST) -> list[list[str]]:
    """What an argument of a step can be: each a list of words to type."""
    if isinstance(node, ast.Starred):
        return UNPACKED[ast.unparse(node.value)]  # a new way to unpack words is named there
    if isinstance(node, ast.Constant):
        return [[str(node.value)]]
    if isinstance(node, ast.IfExp):
        return values(node.body, function) + values(node.orelse, function)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "one_of":
        return [word for choice in node.args for word in values(choice, function)]
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("blank", "phrase", "Arg"):
        return SAMPLED
    if isinstance(node, ast.Name) and node.id in NAMED:
        return [[word] for word in NAMED[node.id]]
    if isinstance(node, ast.Name):
        return assigned(node.id, function) or SAMPLED
    if isinstance(node, ast.JoinedStr) and ast.unparse(node).startswith("f'--"):
        return [["--fixed"], ["--rejected"], ["--deferred"]]
    return SAMPLED


def assigned(name: str, function: ast.AST) -> list[list[str]]:
    """The words that a variable of the function can be, where they are written there."""
    found = [
        node.value
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and any(isinstance(to, ast.Name) and to.id == name for to in node.targets)
    ]
    gets = [node for node in found if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    tables = [node.func.value for node in gets if isinstance(node.func, ast.Attribute)]
    words = [word for table in tables if isinstance(table, ast.Dict) for word in table.values]
    words += [word for node in gets for word in node.args[1:]] if words else []
    return [[word.value] for word in words if isinstance(word, ast.Constant) and isinstance(word.value, str)]


def commands() -> Iterator[tuple[str, ast.Call, ast.AST]]:
    """Every command of ours that a step is made of, with where it stands and the function around it."""
    for path in modules():
        if path != PACKAGE / "steps.py" and "fe(" in path.read_text(encoding="utf-8"):
            tree = tree_of(path)
            for call, around in made_in(tree, tree):
                yield f"{name_of(path)}:{call.lineno}", call, around


def made_in(node: ast.AST, around: ast.AST) -> Iterator[tuple[ast.Call, ast.AST]]:
    """The commands that are made somewhere below, each with the function around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id == "fe":
            yield child, around
        yield from made_in(child, child if isinstance(child, ast.FunctionDef) else around)


def problem_with(words: list[str], *, is_open: bool = False) -> str:
    """Why the command line does not take these words; empty when it does. Nothing is run. `is_open`: the step ends with
    an ellipsis, which stands for whatever else is needed.
    """
    command: click.Command = cli
    context: click.Context | None = None
    rest, name = [word for word in words if word != "--help"], "fe"
    try:
        while isinstance(command, click.Group) and rest:
            context = click.Context(command, parent=context, info_name=name, **command.context_settings)
            found, inner, rest = command.resolve_command(context, rest)
            assert inner is not None
            name, command = found or "", inner
        if "--help" not in words:
            command.make_context(name, list(rest), parent=context)
    except click.MissingParameter as problem:
        return "" if is_open else problem.format_message()
    except click.UsageError as problem:
        return problem.format_message()
    return "" if not isinstance(command, click.Group) or "--help" in words else f"{name} is a group"


def refused(call: ast.Call, function: ast.AST) -> Iterator[str]:
    """What is wrong with a step: each word of its own is taken, with something that can stand for the others."""
    ways = [values(argument, function) for argument in call.args]
    is_open = bool(call.args) and ast.unparse(call.args[-1]) == "blank('…')"
    for number, way in [(number, way) for number, found in enumerate(ways) for way in found if way not in SAMPLED]:
        chosen = [[way] if at == number else found for at, found in enumerate(ways)]
        tried = [problem_with([word for part in words for word in part], is_open=is_open) for words in product(*chosen)]
        if "" not in tried:
            yield tried[0]


def test_every_step_names_a_command_with_options_that_exist() -> None:
    known = list(commands())
    wrong = [
        f"{place} {ast.unparse(call)}: {problem}" for place, call, around in known for problem in refused(call, around)
    ]
    assert len(known) > 200
    assert not wrong, "the command line would refuse these\n" + "\n".join(wrong)


def test_what_is_for_people_is_a_command() -> None:
    """Rights name verbs; a refusal says `fe VERB …`."""
    assert [verb for verb in sorted(FOR_PEOPLE) if problem_with(verb.split(), is_open=True)] == []


@pytest.mark.parametrize(
    "words",
    [
        ["shwo", "fe-7k2"],
        ["show"],
        ["show", "fe-7k2", "--dif"],
        ["finding"],
        ["finding", "rulle", "x"],
        ["show", "a", "b"],
    ],
)
def test_a_step_that_the_command_line_would_refuse_is_found(words: list[str]) -> None:
    assert problem_with(words)


def test_steps_are_written_in_one_place() -> None:
    """A face that puts steps into a sentence by itself would show a value, not a line."""
    wrong = [
        f"{name_of(path)}:{node.lineno}"
        for path in modules()
        for node in nodes_of(tree_of(path))
        if isinstance(node, ast.FormattedValue)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr in ("next", "next_step")
    ]
    assert wrong == []
    assert (PACKAGE / "ui" / "steps.py").is_file()
