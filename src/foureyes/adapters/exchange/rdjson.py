"""The diagnostic format of reviewdog: one document (`rdjson`), or one diagnostic per line (`rdjsonl`)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from foureyes.adapters.exchange.cleaning import found, inside, replacement
from foureyes.adapters.exchange.document import Node, Wrong
from foureyes.core.nouns.finding import Found, Severity

SEVERITIES: dict[str, Severity] = {"ERROR": "HIGH", "WARNING": "MEDIUM", "INFO": "LOW"}
UNKNOWN: Severity = "MEDIUM"
NAMES = ("UNKNOWN_SEVERITY", "ERROR", "WARNING", "INFO")
"""As the format numbers them; a number stands for its name."""


def diagnostics(document: Node, roots: Sequence[str]) -> Iterator[Found]:
    """The findings of a whole document; its severity is that of diagnostics that have none."""
    if not document.has("diagnostics"):
        raise Wrong("diagnostics: is missing")
    whole = _severity(document) or UNKNOWN
    for one in document.children("diagnostics"):
        yield diagnostic(one, roots, whole)


def diagnostic(one: Node, roots: Sequence[str], otherwise: Severity = UNKNOWN) -> Found:
    """One finding."""
    if not one.has("message"):
        raise Wrong(f"{one.at('message')}: is missing")
    location = one.child("location")
    place = location.text("path")
    return found(
        _severity(one) or otherwise,
        one.text("message"),
        place=place,
        path=inside(place, roots),
        line=location.child("range").child("start").whole("line"),
        rule=one.child("code").text("value"),
        fix="\n\n".join(_suggestion(each) for each in one.children("suggestions")),
    )


def _severity(node: Node) -> Severity | None:
    """The severity that is said; None where none is, or an unknown one."""
    said = node.fields.get("severity")
    if isinstance(said, int) and not isinstance(said, bool) and 0 <= said < len(NAMES):
        said = NAMES[said]
    elif isinstance(said, int):
        node.refuse("severity", f"one of {', '.join(NAMES)}")
    else:
        said = node.text("severity").upper() or NAMES[0]
    if said not in (*NAMES, "UNKNOWN"):
        raise Wrong(f"{node.at('severity')}: is none of {', '.join(NAMES)}")
    return SEVERITIES.get(said)


def _suggestion(suggestion: Node) -> str:
    span = suggestion.child("range")
    return replacement(span.child("start").whole("line"), span.child("end").whole("line"), suggestion.text("text"))
