"""Resources of the server (a task's context, a review request, a diff), and prompts by role."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from foureyes.errors import BadInput, NotFound
from foureyes.steps import prose
from foureyes.ui.mcp import answers

if TYPE_CHECKING:
    from foureyes.app.application import Application
    from foureyes.core.nouns.session import Actor


ReadResource = Callable[["Application", "Actor", dict[str, str]], str]
SCHEME = "foureyes://task/"
JSON, DIFF = "application/json", "text/x-diff"


class Resource(msgspec.Struct, frozen=True):
    """Something to read about a task. `tail` is the end of its address, and `read` gets the names in it."""

    name: str
    tail: str
    type: str
    help: str
    read: ReadResource

    @property
    def template(self) -> str:
        """Its address as an RFC 6570 template."""
        return f"{SCHEME}{{task}}/{self.tail}"

    def names_in(self, address: str) -> dict[str, str] | None:
        """Return the names in an address, None if it is not one of this resource."""
        wanted = re.escape(self.template).replace(r"\{", "(?P<").replace(r"\}", r">[A-Za-z0-9._-]{1,80})")
        match = re.fullmatch(wanted, address)
        return match.groupdict() if match else None


def _context(app: Application, actor: Actor, names: dict[str, str]) -> str:
    return _json(answers.context(app.lists.show(actor, names["task"])))


def _request(app: Application, actor: Actor, names: dict[str, str]) -> str:
    return _json(answers.small(app.reviews.request(actor, names["task"])))


def _diff(app: Application, _: Actor, names: dict[str, str]) -> str:
    number = names["attempt"]
    if not number.isascii() or not number.isdecimal():
        raise BadInput(f"{number!r} is not an attempt number.", next_step=prose("name an attempt by its number"))
    return str(answers.cut(app.attempts.diff(names["task"], attempt=int(number)))["text"])


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


RESOURCES = (
    Resource("task context", "context", JSON, "Everything needed to work on a task or to review it.", _context),
    Resource("review request", "review-request", JSON, "The review request for the latest attempt (V2).", _request),
    Resource("diff", "diff/{attempt}", DIFF, "The change of an attempt.", _diff),
)


def read(app: Application, actor: Actor, address: str) -> tuple[str, str]:
    """Return type and text of the resource at an address."""
    for resource in RESOURCES:
        if (names := resource.names_in(address)) is not None:
            return resource.type, resource.read(app, actor, names)
    known = ", ".join(resource.template for resource in RESOURCES)
    raise NotFound("there is no resource with that address.", next_step=prose(f"one of: {known}"))


PROMPTS: dict[str, str] = {
    "implementer": "The prompt of an agent that works on a task.",
    "reviewer": "The prompt of an agent that reviews the latest attempt of a task.",
}


def prompt(app: Application, actor: Actor, name: str, task: str) -> str:
    """Return the prompt of a role, from the journal. (F4)"""
    if name not in PROMPTS:
        raise NotFound("there is no prompt with that name.", next_step=prose(f"one of: {', '.join(PROMPTS)}"))
    if name == "implementer":
        return app.prompts.text(actor, task, "implement")
    asked = app.reviews.request(actor, task)
    return app.prompts.text(actor, asked.task, "rereview" if asked.is_re_review else "review")
