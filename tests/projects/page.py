"""The worked recipes of the page about checks, as somebody copies them."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "checks.md"
RECIPE = re.compile(r"^### ([^\n]+)\n(?:(?!#|```)[^\n]*\n)*```toml\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def recipes() -> dict[str, str]:
    """What stands in foureyes.toml, by the kind of project."""
    _, _, text = PAGE.read_text().partition("\n## Recipes\n")
    text, _, _ = text.partition("\n## ")
    return dict(RECIPE.findall(text))
