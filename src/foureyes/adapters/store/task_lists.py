"""Task lists: pages composed of named SQL fragments, so that every filter uses its index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from foureyes.adapters.store.connection import fold, sql

if TYPE_CHECKING:
    from foureyes.app.results.task_list import ListQuery


ListPart = Literal["all", "near", "far"]
WINDOW = 1_000
"""Number of newest tasks to scan one by one, if a word index cannot return hits in order."""

TEXT: dict[ListPart, tuple[str, ...]] = {"all": ("text",), "near": ("text_near",), "far": ("text", "text_far")}


def parts(query: ListQuery, engine: str) -> tuple[ListPart, ...]:
    """Return the steps of a list. Each fills the part of the page that the earlier ones left.

    PostgreSQL reads all hits of a word before it sorts them, so the newest tasks are scanned first.
    """
    return ("near", "far") if query.text is not None and engine == "postgres" else ("all",)


def way_of(query: ListQuery, part: ListPart) -> str:
    """Return the order of a list: a search lists the newest first, and a label has its own order."""
    if query.text is not None:
        return "newest" if part == "near" else "text"
    return "label" if query.label is not None and query.sort == "priority" else query.sort


def compose(query: ListQuery, part: ListPart = "all") -> tuple[str, dict[str, object]]:
    """Return the statement and its parameters."""
    way = way_of(query, part)
    base = f"task.list_by_{way}" if way in ("text", "label") else "task.list"
    where = [sql("task.where_visible")]
    params: dict[str, object] = {"limit": query.limit}
    for name in ("status", "label", "priority", "type", "parent", "mine"):
        value = getattr(query, name)
        if value is not None:
            where.append(sql("task.where_labelled" if name == "label" == way else f"task.where_{name}"))
            params[name] = value
    if query.text is not None:
        where += [sql(f"task.where_{name}") for name in TEXT[part]]
        params |= {"text": words(query.text), "text_words": lexemes(query.text), "after_n": None, "window": WINDOW}
    if query.live and way == "label":
        where.append(sql("task.where_labelled_live"))
    for name in ("live", "ready", "blocked", "unmerged", "landed"):
        if getattr(query, name):
            where.append(sql(f"task.where_{name}"))
    if query.after is not None:
        where.append(sql(f"task.after_{way}"))
        params["after_priority"], params["after_n"] = query.after
    return f"{sql(base)} WHERE {' AND '.join(where)} {sql(f'task.order_{way}')}", params


def words(text: str) -> str:
    """Return typed text as a full-text query: every word, the last one as a prefix, without operators."""
    parts = ['"' + word.replace('"', '""') + '"' for word in text.replace("\0", " ").split()]
    return " ".join(parts) + "*" if parts else '""'


def lexemes(text: str) -> str:
    """Return typed text as a full-text query for PostgreSQL."""
    parts = [
        "'" + word.replace("\\", "\\\\").replace("'", "''") + "'" for word in fold(text).replace("\0", " ").split()
    ]
    return " & ".join(parts) + ":*" if parts else ""
