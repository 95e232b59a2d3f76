"""`fe init` of a repository of the tests."""

from __future__ import annotations

from foureyes.bootstrap.init import Created, create_project
from foureyes.core.nouns.session import Actor

from tests.stage.checkout import Checkout
from tests.stage.people import ALICE


def init(
    checkout: Checkout, actor: Actor = ALICE, *, target: str | None = None, prefix: str = "fe", commit: bool = True
) -> Created:
    return create_project(str(checkout.path), {}, actor, prefix=prefix, target=target, commit=commit)
