"""P8: the kinds of exceptions are one list; each has a meaning, and each is recorded somewhere."""

from __future__ import annotations

import ast
from typing import get_args

import pytest

from foureyes.core.words.vocabulary import MEANINGS, ExceptionKind

from tests.architecture.house import PACKAGE, modules, nodes_of, tree_of

APP_AND_RULES = [path for folder in ("app", "core/rules") for path in modules(PACKAGE / folder)]


def test_every_kind_has_a_meaning_P8() -> None:
    assert tuple(MEANINGS) == get_args(ExceptionKind)


@pytest.fixture(scope="module")
def texts() -> set[str]:
    """Every text that stands alone in the code that decides."""
    return {
        node.value for path in APP_AND_RULES for node in nodes_of(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }  # fmt: skip


@pytest.mark.parametrize("kind", MEANINGS)
def test_every_kind_is_one_that_the_product_records_P8(kind: str, texts: set[str]) -> None:
    assert kind in texts
