"""Our statements as PostgreSQL takes them."""

from __future__ import annotations

import re
from functools import cache

from foureyes.adapters.store.queries import overrides

PARAMETER = re.compile(r"(?<![:\w]):([a-z_]\w*)")
JSON_LIST = re.compile(r"(NOT )?IN \(SELECT (value|CAST\(value AS INTEGER\)) FROM json_each\(:(\w+)\)\)")
ARRAYS = {
    None: r"= ANY (ARRAY(SELECT \2 FROM json_array_elements_text(CAST(:\3 AS json))))",
    "NOT ": r"<> ALL (ARRAY(SELECT \2 FROM json_array_elements_text(CAST(:\3 AS json))))",
}
"""An array is looked up in an index; of a sub-select the planner expects a hundred rows, and reads whole tables."""


@cache
def translated(statement: str) -> str:
    """A statement as PostgreSQL takes it: overridden parts replaced, lists from JSON, psycopg's placeholders."""
    for ours, theirs in overrides("postgres").items():
        statement = statement.replace(ours, theirs)
    statement = JSON_LIST.sub(lambda match: match.expand(ARRAYS[match[1]]), statement.replace("%", "%%"))
    return PARAMETER.sub(r"%(\1)s", statement)


def escaped(word: str) -> str:
    """A word among the options of a connection, which are parted by spaces."""
    return re.sub(r"([\\\s])", r"\\\1", word)
