"""The page of verbs: every noun and verb of the Application, from the catalogue."""

from __future__ import annotations

from collections.abc import Iterator

from foureyes.app.catalog import NOUNS, Verb, verbs
from foureyes.ui.cli.main import COMMANDS

from tools.markdown import code, page, table

HEAD = ("verb", "what it does", "who may", "leaves", "command")
ABOUT = """Everything that can be done with a project, noun by noun. Each face (the command line today) receives one
`Application`: a noun is an attribute of it, a verb is a method. A verb's first argument is who is calling, unless it is
the same for everybody.

*Who may* says who may use a verb at all ([I5](rules.md#i5)); what they may do with it, the [rules](rules.md) decide.
*Leaves* is what a verb leaves behind: rows of the journal, or only files and refs of the caller's; one that leaves
nothing only looks. A project is begun, restored and moved to another store by `foureyes.bootstrap`, because there is no
Application before or the store is another one afterwards: [`fe init`](commands/project.md),
[`fe restore`](commands/project.md), [`fe store copy`](commands/store.md); so is
[`fe setup`](commands/setting_up.md), which needs no project."""


def verbs_page() -> str:
    """Every verb, noun by noun."""
    blocks = [f"## {code(noun)}\n\n{_where(noun)}\n\n{table(HEAD, _rows(noun))}" for noun in NOUNS]
    return page("Verbs", "`foureyes.app.catalog`", ABOUT, *blocks)


def _where(noun: str) -> str:
    module, _, name = NOUNS[noun].partition(":")
    return f"`{name}` in `foureyes.app.{module}`"


def _rows(noun: str) -> Iterator[tuple[str, ...]]:
    for verb in verbs():
        if verb.noun == noun:
            yield code(verb.name), verb.help, verb.who, verb.writes, _command(verb)


def _command(verb: Verb) -> str:
    """The command that calls it, with the way to its page."""
    if not verb.command:
        return ""
    room = COMMANDS[verb.command.split()[0]].partition(":")[0]
    return f"[{code(f'fe {verb.command}')}](commands/{room}.md)"
