"""Tables in pages that people write: what stands between two marks comes from the code.

<!-- begin NAME: make docs writes this -->
<!-- end NAME -->
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from foureyes.core.words.vocabulary import MEANINGS

from tools.markdown import code, table
from tools.rules_page import linked

Make = Callable[[], str]


def exceptions() -> str:
    """Every kind of exception that the journal knows (P8)."""
    return table(("kind", "what it was"), ((code(kind), said) for kind, said in MEANINGS.items()))


BLOCKS: dict[str, dict[str, tuple[Make, str]]] = {
    "docs/howto/audit.md": {"exceptions": (exceptions, "../reference/rules.md")},
}
"""By page and name: what makes the block, and where the rules are from there."""


def files(root: Path) -> dict[str, str]:
    """Every page that has such blocks, with the blocks as they should be."""
    return {name: filled((root / name).read_text(encoding="utf-8"), makers) for name, makers in BLOCKS.items()}


def filled(text: str, makers: dict[str, tuple[Make, str]]) -> str:
    """A page with its blocks written again; one that is missing is an error."""
    for name, (make, where) in makers.items():
        begin, end = f"<!-- begin {name}: make docs writes this -->", f"<!-- end {name} -->"
        block = f"{begin}\n\n{linked(make(), where)}\n\n{end}"
        pattern = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
        text, count = pattern.subn(lambda _, block=block: block, text)  # type: ignore[misc]
        if count != 1:
            raise SystemExit(f"the block {name} is there {count} times")
    return text
