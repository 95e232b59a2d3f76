"""`fe config`: settings and feature flags."""

from __future__ import annotations

import sys

import click
import msgspec

from foureyes.app.results.settings import ConfigurationOffer, SettingView
from foureyes.config.settings import ALIASES, FEATURES
from foureyes.core.words.text import flat, visible
from foureyes.errors import BadInput, NotFound, Reason
from foureyes.steps import blank, fe
from foureyes.ui.cli import output
from foureyes.ui.cli.command import Session, verb


def _say(session: Session, view: SettingView) -> None:
    note = f"\n  {view.note}" if view.note else ""
    session.answer(view, f"{view.key} = {_value(view.value)}   (from {view.source}){note}")


def _value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (tuple, list)):
        return ", ".join(str(item) for item in value)
    if isinstance(value, dict):
        return "; ".join(f"{name}: {_fields(entry)}" for name, entry in value.items())
    return str(value)


def _fields(entry: msgspec.Struct) -> str:
    """Return the fields of a table entry that are set."""
    return ", ".join(f"{name} {_value(value)}" for name, value in msgspec.structs.asdict(entry).items() if value != "")


def _agrees(session: Session, offer: ConfigurationOffer) -> bool:
    """Show the whole offer. On a terminal ask, else explain how to confirm it."""
    lines = [*(f"  {line}" for line in offer.lines)] or ["  no setting changes, only comments or layout"]
    head = f"foureyes.toml on {offer.target} {offer.seen[:15]} would change these settings:"
    if not session.json:
        session.note("\n".join([head, *lines]))
        if sys.stdin.isatty() and sys.stderr.isatty():
            return click.confirm("accept it?", default=False, err=True)
    raise BadInput(
        "nothing was accepted, because you must name the version you saw with --seen.",
        reasons=tuple(Reason("P12", line) for line in offer.lines) if session.json else (),
        next_step=fe("config", "accept", "--seen", offer.seen),
    )


@click.group("config")
def config() -> None:
    """Show and change settings and feature flags."""


@verb("show", example="fe config show\nfe config show review.policy")
@click.argument("names", nargs=-1, metavar="[KEY|SECTION]...")
def config_show(session: Session, names: tuple[str, ...]) -> None:
    """Show settings, their values and their sources. Without a key it shows all of them. The section `features` has the
    feature flags.
    """
    rows = session.app.policy.show(session.actor)
    rows = [row for name in names for row in _named(rows, name)] if names else rows
    if len(rows) == 1 and names:
        _say(session, rows[0])
        return
    if session.json:
        output.write_lines(rows)
        return
    cells = [(row.key, row.source, _value(row.value)) for row in rows]
    text = output.table(("KEY", "FROM", "VALUE"), cells)
    left = sum(2 + max(len(row[column]) for row in cells) for column in (0, 1))
    output.write_raw((_wrapped(text, left) if output.on_terminal() else text) + "\n")
    for row in rows:
        if row.note:
            output.write(row.note)


def _named(rows: list[SettingView], name: str) -> list[SettingView]:
    """Return the setting with this name, or all of a section."""
    key = ALIASES.get(name, name)
    chosen = [row for row in rows if row.key == key or row.key.startswith(f"{key}.")]
    if name == "features":
        chosen = [row for row in rows if row.key in FEATURES]
    if not chosen:
        raise NotFound(f"there is no setting {visible(name)}.", next_step=fe("config", "show"))
    return chosen


def _wrapped(text: str, left: int) -> str:
    """Return a table whose last column wraps at the terminal's width. `left` is the column where values begin."""
    from textwrap import wrap

    room = max(output.columns() - left, 20)
    lines = []
    for line in text.splitlines():
        first, *more = wrap(line[left:], room) or [""]
        lines += [line[:left] + first, *[" " * left + part for part in more]]
    return "\n".join(part.rstrip() for part in lines)


@verb(
    "set",
    example="fe config set review.policy strict\nfe config set review.policy --default",
    modes={"default": (), "": ("value",)},
)
@click.argument("key")
@click.argument("value", required=False)
@click.option(
    "--default", is_flag=True, help="Remove the value that was set here, so that foureyes.toml or the default applies."
)
def config_set(session: Session, key: str, value: str | None, default: bool) -> None:
    """Change a setting or a flag. It overrides foureyes.toml. People only. Old and new value are recorded."""
    if value is None and not default:
        raise BadInput("name the new value, or --default.", next_step=fe("config", "set", key, blank("VALUE")))
    change = session.app.policy.set_feature if key in FEATURES else session.app.policy.set
    _say(session, change(session.actor, key, value))


@verb("accept", example="fe config accept")
@click.option("--seen", default="", metavar="DIGEST", help="Accept exactly this version, without asking.")
def config_accept(session: Session, seen: str) -> None:
    """Put the foureyes.toml of the target branch in force. People only, recorded. It shows the changes and asks.
    Without a terminal it needs --seen. (P12)
    """
    offer = session.app.policy.offered(session.actor)
    if offer.new and not seen:
        if not _agrees(session, offer):
            return
        seen = offer.seen
    done = session.app.policy.accept(session.actor, seen=seen)
    head = "accepted" if done.new else "already accepted"
    session.answer(
        done, "\n".join([f"{head}: foureyes.toml {done.seen[:15]}", *[f"  {flat(line)}" for line in done.changed]])
    )


for _command in (config_show, config_set, config_accept):
    config.add_command(_command)
