"""The page of keys: every key of the terminal app, in every context, from the app's own table."""

from __future__ import annotations

from collections import Counter

from foureyes.ui.tui.keys import CONTEXTS, KEYS, Key, KeyContext, all_shown

from tools.markdown import page, table

WHERE: dict[KeyContext, str] = {
    "board": "Board",
    "summary": "Review summary",
    "batch": "Batch approval",
    "task": "Task in review",
    "diff": "Diff",
    "checks": "Checks",
    "finding": "Finding",
    "attention": "Attention",
    "drafts": "Drafts",
    "planning": "Sprint planning",
    "sprint": "Sprint",
    "refusal": "Refusal",
    "form": "Forms (redo, reject, new task)",
    "page": "Text",
}
MOST = 5
"""A key that does the same in so many contexts is in the first table only."""
INTRO = """`fe` on a terminal opens the app ([guide](../howto/terminal-app.md)). Letters mean the same in both cases,
except `Shift+S`. `?` lists these keys in the app."""


def key_row(key: Key) -> tuple[str, str]:
    """One key and what it does."""
    return all_shown(key), key.help


def keys_page() -> str:
    """Every key of the terminal app."""
    counted = Counter(key_row(key) for context in CONTEXTS for key in KEYS[context])
    common = {row for row, number in counted.items() if number >= MOST}
    blocks = [_common([row for row in counted if row in common])]
    blocks += [_own(context, common) for context in CONTEXTS]
    return page("Keys", "`foureyes.ui.tui.keys`", INTRO, *blocks)


def _common(rows: list[tuple[str, str]]) -> str:
    def screens(row: tuple[str, str]) -> str:
        names = {context: title.partition(" (")[0].lower() for context, title in WHERE.items()}
        having = [context for context in CONTEXTS if row in map(key_row, KEYS[context])]
        if len(having) <= len(CONTEXTS) / 2:
            return ", ".join(names[context] for context in having)
        return "all but " + ", ".join(names[context] for context in CONTEXTS if context not in having)

    return "## Common keys\n\n" + table(("key", "does", "screens"), ((*row, screens(row)) for row in rows))


def _own(context: KeyContext, common: set[tuple[str, str]]) -> str:
    rows = [row for key in KEYS[context] if (row := key_row(key)) not in common]
    return f"## {WHERE[context]}\n\n{table(('key', 'does'), rows)}"
