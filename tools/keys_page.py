"""The page of keys: every key of the terminal app, in every context, from the app's own table."""

from __future__ import annotations

from foureyes.ui.tui.keys import CONTEXTS, KEYS, Key, KeyContext, all_shown

from tools.markdown import code, page, table

WHERE: dict[KeyContext, str] = {
    "board": "The board",
    "summary": "The review summary",
    "batch": "The list for approving several",
    "task": "A task in review",
    "diff": "The diff",
    "checks": "The checks of a task",
    "finding": "A finding",
    "attention": "Attention",
    "drafts": "Drafts",
    "planning": "Sprint planning",
    "sprint": "A sprint",
    "refusal": "Refusals",
    "form": "Redo, reject, new task",
    "page": "A page of text",
}


def key_row(key: Key) -> tuple[str, ...]:
    """One key: what it does, the verb that it ends in, and what types the same."""
    return all_shown(key), key.help, code(key.verb), code(key.command)


def context_block(context: KeyContext) -> str:
    """The keys of one context."""
    rows = [key_row(key) for key in KEYS[context]]
    return f"## {WHERE[context]}\n\n{table(('key', 'does', 'verb', 'on the command line'), rows)}"


def keys_page() -> str:
    """Every key of the terminal app."""
    intro = (
        "`fe` on a terminal opens the app. Letters mean the same in both cases, but `Shift+S`. A decision key never "
        "means something else in a context that opens out of its own. [How to use it](../howto/terminal-app.md)."
    )
    return page("Keys", "`foureyes.ui.tui.keys`", intro, *(context_block(context) for context in CONTEXTS))
