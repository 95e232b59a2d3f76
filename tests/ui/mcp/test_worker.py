"""The desk: one call after the other, and none that ends the server."""

from __future__ import annotations

import anyio
import pytest
from mcp.client.client import Client

from foureyes.app.work.claims import Claims

from tests.stage.people import ALICE
from tests.ui.mcp.office import Conversation, Office


def test_ten_calls_at_once_are_served_one_after_the_other(office: Office, talk: Conversation) -> None:
    task = office.create()

    async def ten(client: Client) -> list[bool]:
        ended: list[bool] = []

        async def one(number: int) -> None:
            done = await client.call_tool("task_log", {"task": task, "text": f"line {number}"})
            ended.append(done.is_error)

        async with anyio.create_task_group() as group:
            for number in range(10):
                group.start_soon(one, number)
        return ended

    assert talk.do(ten) == [False] * 10
    with office.call() as (app, _):
        assert {line.text for line in app.lists.show(ALICE, task).logs} == {f"line {number}" for number in range(10)}


def test_a_call_that_dies_is_an_internal_error_with_its_trace_kept_and_the_next_is_served(
    office: Office, talk: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    office.create()
    with monkeypatch.context() as broken:
        broken.setattr(Claims, "_best", lambda *_: 1 / 0)
        answer = talk.call("task_next")
    assert (answer.is_error, answer.code) == (True, "internal")
    assert "ZeroDivisionError" in office.traces[0]
    assert "ZeroDivisionError" not in answer.text
    assert not talk.call("task_next").is_error
