"""`fe feature` and `fe policy`."""

from __future__ import annotations

import sys

import click
import msgspec

from foureyes.app.views.settings import ConfigurationOffer, SettingView
from foureyes.core.words.text import flat
from foureyes.errors import BadInput, Reason
from foureyes.steps import fe
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
    """What an entry of a table says; what it leaves open is left out."""
    return ", ".join(f"{name} {_value(value)}" for name, value in msgspec.structs.asdict(entry).items() if value != "")


def _agrees(session: Session, offer: ConfigurationOffer) -> bool:
    """Show it all; on a terminal ask, elsewhere say how to say that it was seen."""
    lines = [*(f"  {line}" for line in offer.lines)] or ["  no setting changes, only the words around them"]
    head = f"foureyes.toml on {offer.target} {offer.seen[:15]} would be in force:"
    if not session.json:
        session.note("\n".join([head, *lines]))
        if sys.stdin.isatty() and sys.stderr.isatty():
            return click.confirm("accept it?", default=False, err=True)
    raise BadInput(
        "nothing was accepted: nobody said that they saw it.",
        reasons=tuple(Reason("P12", line) for line in offer.lines) if session.json else (),
        next_step=fe("policy", "accept", "--seen", offer.seen),
    )


@click.group("feature")
def feature() -> None:
    """Show and change feature flags."""


@verb("list", example="fe feature list")
def feature_list(session: Session) -> None:
    """List flags with their values and sources."""
    rows = session.app.policy.features(session.actor)
    if session.json:
        output.write_lines(rows)
    else:
        for row in rows:
            output.write(f"{row.key} = {_value(row.value)}   (from {row.source})")


@verb("get", example="fe feature get balanced_review_policy")
@click.argument("name")
def feature_get(session: Session, name: str) -> None:
    """Show the value and the source of a flag."""
    _say(session, session.app.policy.feature(session.actor, name))


@verb("set", example="fe feature set balanced_review_policy false")
@click.argument("name")
@click.argument("value")
def feature_set(session: Session, name: str, value: str) -> None:
    """Set a flag for the project. People only; it is recorded."""
    _say(session, session.app.policy.set_feature(session.actor, name, value))


@verb("unset", example="fe feature unset balanced_review_policy")
@click.argument("name")
def feature_unset(session: Session, name: str) -> None:
    """Reset a flag to its default. People only; it is recorded."""
    _say(session, session.app.policy.set_feature(session.actor, name, None))


@click.group("policy")
def policy() -> None:
    """Show and change settings."""


@verb("show", example="fe policy show")
def policy_show(session: Session) -> None:
    """Show every setting, its value and its source."""
    rows = session.app.policy.show(session.actor)
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


def _wrapped(text: str, left: int) -> str:
    """A table for a terminal: a value, which begins `left`, goes on below where it does not fit."""
    from textwrap import wrap

    room = max(output.columns() - left, 20)
    lines = []
    for line in text.splitlines():
        first, *more = wrap(line[left:], room) or [""]
        lines += [line[:left] + first, *[" " * left + part for part in more]]
    return "\n".join(part.rstrip() for part in lines)


@verb("set", example="fe policy set review.policy strict")
@click.argument("key")
@click.argument("value")
def policy_set(session: Session, key: str, value: str) -> None:
    """Change a setting; this overrides foureyes.toml. People only. Old and new value are recorded."""
    _say(session, session.app.policy.set(session.actor, key, value))


@verb("unset", example="fe policy unset review.policy")
@click.argument("key")
def policy_unset(session: Session, key: str) -> None:
    """Remove a setting that fe policy set made. People only; it is recorded."""
    _say(session, session.app.policy.set(session.actor, key, None))


@verb("accept", example="fe policy accept")
@click.option("--seen", default="", metavar="DIGEST", help="Accept exactly this version, without asking.")
def policy_accept(session: Session, seen: str) -> None:
    """Put the foureyes.toml of the target branch in force. People only; it is recorded. It shows what would change and
    asks. Without a terminal it needs --seen. A version that was not shown is not accepted. (P12)
    """
    offer = session.app.policy.offered(session.actor)
    if offer.new and not seen:
        if not _agrees(session, offer):
            return
        seen = offer.seen
    done = session.app.policy.accept(session.actor, seen=seen)
    head = "accepted" if done.new else "accepted already"
    session.answer(
        done, "\n".join([f"{head}: foureyes.toml {done.seen[:15]}", *[f"  {flat(line)}" for line in done.changed]])
    )


for _command in (feature_list, feature_get, feature_set, feature_unset):
    feature.add_command(_command)
for _command in (policy_show, policy_set, policy_unset, policy_accept):
    policy.add_command(_command)
