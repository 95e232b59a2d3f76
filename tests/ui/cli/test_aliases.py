"""Earlier names of commands run today's."""

from __future__ import annotations

import click
import pytest

from foureyes.ui.cli.aliases import ALIASES, current
from foureyes.ui.cli.main import cli


@pytest.mark.parametrize("name", ALIASES)
def test_earlier_name_runs_a_command_of_today(name: str) -> None:
    context: click.Context = click.Context(cli, info_name="fe")
    words = [word for word in current(name.split()) if not word.startswith("-")]
    options = [word for word in current(name.split()) if word.startswith("-")]
    command: click.Command | None = cli
    while words and isinstance(command, click.Group):
        command = command.get_command(context, words.pop(0))
    assert command is not None
    assert {*options} <= {flag for param in command.params for flag in param.opts}


def test_earlier_name_is_not_listed() -> None:
    listed = {
        f"{group} {name}" for group, command in _groups() for name in command.list_commands(click.Context(command))
    } | {name for name in cli.list_commands(click.Context(cli)) if name not in dict(_groups())}
    assert not listed & {*ALIASES}


@pytest.mark.parametrize(
    ("typed", "runs"),
    [
        ("task create x", "create x"),
        ("policy set review.policy strict", "config set review.policy strict"),
        ("feature set balanced_review_policy false", "config set balanced_review_policy false"),
        ("finding respond TL-1 --fixed", "finding answer TL-1 --fixed"),
        ("prompt fe-7k2 --for review", "show fe-7k2 --for review"),
        ("stats security --limit 3", "audit log --exceptions --limit 3"),
        ("dep rm fe-7k2 fe-q4d", "dep --remove fe-7k2 fe-q4d"),
        ("review now fe-7k2", "review request --now fe-7k2"),
        ("create policy set", "create policy set"),
    ],
)
def test_earlier_name_is_replaced_at_the_beginning_only(typed: str, runs: str) -> None:
    assert current(typed.split()) == runs.split()


def _groups() -> list[tuple[str, click.Group]]:
    context = click.Context(cli)
    commands = [(name, cli.get_command(context, name)) for name in cli.list_commands(context)]
    return [(name, command) for name, command in commands if isinstance(command, click.Group)]
