"""A project's own templates of prompts (F4): on the target branch, and only as a person accepted them (P12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from foureyes.core.documents.prompt_contract import PURPOSES
from foureyes.core.events.project import TemplateAccepted
from foureyes.core.rules.policy import digest_of

if TYPE_CHECKING:
    from foureyes.app.call.context import Context
    from foureyes.app.call.work import Work
    from foureyes.app.ports import Tx
    from foureyes.core.words.ids import TaskId

FOLDER = ".foureyes/prompts"


class Template(msgspec.Struct, frozen=True):
    """A template that a person accepted."""

    name: str
    digest: str


def path_of(name: str) -> str:
    """Where the template of a purpose lies."""
    return f"{FOLDER}/{name}.md"


def on_target(context: Context, at: str) -> dict[str, str]:
    """The templates on the target, by purpose; `at`: a branch, a full ref or a commit."""
    head = context.repo.commit_of(at)
    texts = context.repo.texts(head, [path_of(name) for name in PURPOSES]) if head else {}
    return {name: texts[path_of(name)] for name in PURPOSES if path_of(name) in texts}


def accepted(tx: Tx) -> dict[str, str]:
    """The digest of each template in force."""
    return {row.name: row.digest for row in tx.all("project.templates", Template)}


def changed(tx: Tx, texts: dict[str, str]) -> dict[str, str]:
    """The templates that are not the accepted ones."""
    known = accepted(tx)
    return {name: text for name, text in texts.items() if known.get(name) != digest_of(text)}


def accept(work: Work, task: TaskId | str, texts: dict[str, str]) -> list[str]:
    """A person's word makes them the ones in force."""
    fresh = changed(work.tx, texts)
    for name, text in sorted(fresh.items()):
        work.record(task, TemplateAccepted(name=name, digest=digest_of(text)))
    return sorted(fresh)


def of_attempt(context: Context, work: Work, task: TaskId) -> dict[str, str]:
    """The templates that the latest attempt of a task changes, as it has them."""
    from foureyes.app.call.attempts import attempt_of

    attempt = attempt_of(work.tx, task)
    changed = {file.path for file in attempt.files} if attempt else set[str]()
    names = [name for name in PURPOSES if path_of(name) in changed]
    if attempt is None or not names:
        return {}
    texts = context.repo.texts(attempt.head, [path_of(name) for name in names])
    return {name: texts[path_of(name)] for name in names if path_of(name) in texts}
