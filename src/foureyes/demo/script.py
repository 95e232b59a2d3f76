"""Script of the demo's agents: the work of each run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foureyes.demo import shop

SECOND_REVIEW = "[3-9]*"
"""Iteration named in the prompt of a second review."""
ScriptSteps = list[dict[str, Any]]


def script() -> dict[str, Any]:
    """Return every play. The first that matches is used, so later rounds come first."""
    plays = [
        _review(shop.AGREED, shop.RECEIPT, again=True),
        _review(shop.CONCERN, shop.RECEIPT),
        _review(shop.STORED_HASHED, shop.LOGIN, again=True),
        _review(shop.BLOCKER, shop.LOGIN),
        {"purpose": "review", "steps": [{"review": shop.FINE}]},
        _play(shop.GREET, _work(shop.GREETING, "Greet by name")),
        _play(shop.DISCOUNT, _work(shop.RIGHT_DISCOUNT, "A discount is a share of the price"), again=True),
        _play(shop.DISCOUNT, _work(shop.WRONG_DISCOUNT, "Give a discount")),
        _play(shop.CURRENCY, _on_main(shop.BOTH, "Prices name their currency, in cents"), again=True),
        _play(shop.CENTS, _on_main(shop.BOTH, "Whole cents, with the currency"), again=True),
        _play(shop.CURRENCY, _work(shop.IN_EURO, "Prices name their currency")),
        _play(shop.CENTS, _work(shop.IN_CENTS, "Round to whole cents")),
        _play(shop.ORDER, _work(shop.RIGHT_ORDER, "Read it as the format it is"), profile="senior"),
        _play(shop.ORDER, _work(shop.STILL_WRONG_ORDER, "Cut at the first comma"), again=True),
        _play(shop.ORDER, _work(shop.WRONG_ORDER, "Read an order line")),
        _play(shop.LOGIN, _work(shop.HASHED, "Store no password, but what is made of it"), again=True),
        _play(shop.LOGIN, _approves_itself()),
        _play(shop.RECEIPT, [*_files(shop.BETTER_RECEIPT, "Print two decimals"), *_fixed(), _done()], again=True),
        _play(shop.RECEIPT, _work(shop.FIRST_RECEIPT, "Print a receipt")),
    ]
    return {"plays": plays}


def _play(title: str, steps: ScriptSteps, *, profile: str = "", again: bool = False) -> dict[str, Any]:
    """Return a play for a task. `again` matches only after it was sent back."""
    play: dict[str, Any] = {"prompt": title, "steps": steps}
    if again:
        play["play"] = "[2-9]*"
    return play | ({"profile": profile} if profile else {})


def _review(review: Mapping[str, Any], title: str, *, again: bool = False) -> dict[str, Any]:
    """Return the critic's review of a task. `again` matches only the second review."""
    play = _play(title, [{"review": review}], profile="critic") | {"purpose": "review"}
    return play | ({"iteration": SECOND_REVIEW} if again else {})


def _work(files: shop.ShopFiles, message: str) -> ScriptSteps:
    return [*_files(files, message), _done()]


def _files(files: shop.ShopFiles, message: str) -> ScriptSteps:
    return [*[{"write": name, "text": text} for name, text in files.items()], {"commit": message}]


def _done() -> dict[str, Any]:
    return {"signal": "DONE", "message": "it is done"}


def _fixed() -> ScriptSteps:
    return [{"answer": "FIXED", "text": "two decimals, and a test with 19.99"}]


def _on_main(files: shop.ShopFiles, message: str) -> ScriptSteps:
    """Return the steps that merge main and write the resolved files."""
    merge = {"git": ["merge", "-q", "-m", "Take main in", "main"], "fails": True}
    return [merge, *_files(files, message), _done()]


def _approves_itself() -> ScriptSteps:
    """Return the steps that submit work and try to approve it as its author."""
    submit = {
        "fe": ["submit", "{task}", "-m", "constant time, and a wrong password is tried", "--json"],
        "keep": {"seen": "seen"},
    }
    approve = {"fe": ["approve", "{task}", "--seen", "{seen}", "-m", "looks good to me"], "fails": True}
    return [*_files(shop.PASSWORD, "Log in with a password"), submit, approve, _done()]
