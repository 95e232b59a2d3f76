"""The table of tools against the catalogue: same verbs, same words, nothing forgotten (G3)."""

from __future__ import annotations

import inspect
from typing import Any

from foureyes.app.catalog import WHO, class_of, verbs
from foureyes.core.rules.rights import FOR_PEOPLE, NOT_FOR_AGENTS
from foureyes.ui.mcp.tools import LEFT_OUT, LEFT_OUT_NOUNS, MORE, TOOLS, Tool, tools

EVERY = tools(everything=True)


def test_G3_every_verb_that_an_agent_may_use_is_a_tool_or_left_out_for_a_reason() -> None:
    offered = {(tool.verb.noun, tool.verb.name) for tool in EVERY.values()}
    for verb in verbs():
        name = f"{verb.noun}.{verb.name}"
        for_agents = "agent" in WHO[verb.who]
        left_out = name in LEFT_OUT or verb.noun in LEFT_OUT_NOUNS
        assert ((verb.noun, verb.name) in offered) == (for_agents and not left_out), name
        assert not left_out or for_agents, f"{name} is for no agent, and need not be left out"


def test_I5_no_tool_is_a_verb_that_agents_may_not_use() -> None:
    for tool in EVERY.values():
        assert not set(tool.verb.rights) & (FOR_PEOPLE | NOT_FOR_AGENTS), tool.name


def test_about_a_dozen_tools_are_offered_and_small_enough_to_be_read() -> None:
    assert len(TOOLS) == 17
    assert not TOOLS.keys() & MORE.keys()
    assert sum(len(str(tool.schema)) + len(tool.help) for tool in TOOLS.values()) < 14_000


def test_G3_what_a_tool_takes_is_what_its_verb_takes() -> None:
    for tool in EVERY.values():
        check(tool)


def check(tool: Tool) -> None:
    assert tool.help.startswith(tool.verb.help)
    assert tool.schema["type"] == "object"
    for part in _objects(tool.schema):
        assert part["additionalProperties"] is False, part
    assert "$ref" not in str(tool.schema)
    if tool._own is None:
        method = getattr(class_of(tool.verb.noun), tool.verb.name)
        wanted = set(inspect.signature(method).parameters) - {"self", "actor"}
        given = set(tool.schema["properties"])
        assert given | set(tool._without) == wanted
        needed = {name for name, each in inspect.signature(method).parameters.items() if each.default is each.empty}
        assert needed - {"self", "actor", "task"} <= set(tool.schema["required"]) | set(tool._fixed)


def _objects(schema: Any) -> list[Any]:
    if isinstance(schema, list):
        return [found for each in schema for found in _objects(each)]
    if not isinstance(schema, dict):
        return []
    own = [schema] if "properties" in schema and "type" in schema else []
    return own + [found for each in schema.values() for found in _objects(each)]
