"""`fe --help`, `fe help --all`, `fe help RULE`, and suggestions for words of other tools."""

from __future__ import annotations

from collections.abc import Iterator

import click
import pytest

from foureyes.ui.cli.help import SYNONYMS, meant
from foureyes.ui.cli.main import COMMANDS, EVERYDAY, SECTIONS, cli, main


def said(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[object, str, str]:
    """Exit code, output and talk of a command that needs no project."""
    with pytest.raises(SystemExit) as left:
        main(list(words))
    heard = capsys.readouterr()
    return left.value.code, heard.out, heard.err


def test_help_is_one_screen_of_everyday_commands_in_five_groups(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "--help")
    lines = out.splitlines()
    assert code == 0
    assert len(lines) <= 23, "80x24, and a line for the prompt"
    assert max(len(line) for line in lines) <= 80
    assert "..." not in out
    rows = [line.split() for line in lines]
    assert [row[0] for row in rows if row and row[0] in EVERYDAY] == list(EVERYDAY)
    everyday = [name for names in EVERYDAY.values() for name in names]
    assert [(row[1] if row[0] in EVERYDAY else row[0]) for row in rows[4 : 4 + len(everyday)]] == everyday
    assert len(everyday) <= 15


def test_help_all_lists_every_command_once_under_what_it_is_for(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = said(capsys, "help", "--all")
    assert code == 0
    assert len(COMMANDS) == sum(len(section) for section in SECTIONS.values())
    below = {title: out.partition(f"\n{title}:\n")[2].partition("\n\n")[0] for title in SECTIONS}
    for title, section in SECTIONS.items():
        assert [line.split()[0] for line in below[title].splitlines() if line.startswith("  ")] == list(section)


def groups() -> Iterator[tuple[str, ...]]:
    """The words of every command that has commands of its own."""
    root = click.Context(cli, info_name="fe", **cli.context_settings)
    for name in cli.list_commands(root):
        if isinstance(cli.get_command(root, name), click.Group):
            yield (name,)


@pytest.mark.parametrize("words", [("--all",), *groups()], ids=" ".join)
def test_no_line_of_a_list_of_commands_is_cut_off(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = said(capsys, "help", *words)
    assert "..." not in out.partition("\n\n")[2].replace("]...", "")
    assert max(len(line) for line in out.splitlines()) <= 80


def test_help_explains_a_rule(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "help", "P2") == said(capsys, "rules", "P2")
    assert said(capsys, "help", "p") == said(capsys, "rules", "P")
    assert said(capsys, "help", "P2")[1].startswith("P2\n")


def test_help_is_the_same_under_all_its_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "-h") == said(capsys, "--help") == said(capsys, "help")
    assert said(capsys, "config", "set", "-h") == said(capsys, "help", "config", "set")
    assert said(capsys, "help", "attention") == said(capsys, "help", "status")
    assert said(capsys, "help", "approve")[1].startswith("Usage: fe approve")
    assert said(capsys, "version")[1] == said(capsys, "--version")[1]


def test_help_about_what_there_is_not_says_what_was_meant(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "help", "lable")[2].startswith('fe: no command "lable". Did you mean label?')
    assert said(capsys, "help", "approve", "x")[0] == 2


@pytest.mark.parametrize("word", ["add", "claim", "done", "diff", "edit", "rm"])
def test_a_word_of_another_tool_leads_to_ours_before_letters_do(word: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = said(capsys, word)
    assert (code, out) == (2, "")
    first = SYNONYMS[word].split()[0]
    assert err == f'fe: no command "{word}". Did you mean {SYNONYMS[word]}?\n  next: fe {first} --help\n'


def test_every_synonym_is_no_command_and_leads_to_one() -> None:
    root = click.Context(cli, info_name="fe", **cli.context_settings)
    for word, leads_to in SYNONYMS.items():
        assert word not in COMMANDS
        command: click.Command | None = cli
        for part in leads_to.split():
            if part.startswith("-"):
                assert command is not None
                assert any(part in each.opts for each in command.params), leads_to
            else:
                assert isinstance(command, click.Group), leads_to
                command = command.get_command(root, part)
        assert command is not None, leads_to


def test_a_synonym_counts_only_where_its_command_is() -> None:
    assert meant("add", ["create", "list"]) == "create"
    assert meant("ad", ["add", "rm"]) == "add"
    assert meant("config", ["add", "rm"]) == ""


def test_a_typed_name_is_offered_by_the_one_command_that_takes_it_I1(capsys: pytest.CaptureFixture[str]) -> None:
    assert "--as NAME" in said(capsys, "log", "-h")[1]
    assert "--as NAME" not in said(capsys, "approve", "-h")[1]
