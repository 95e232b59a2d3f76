"""Resources and prompts: what a client reads besides tools."""

from __future__ import annotations

from tests.ui.mcp.office import Conversation, Office, submitted_task


def test_resources_are_a_tasks_context_its_review_request_and_a_diff(office: Office, talk: Conversation) -> None:
    task, _ = submitted_task(office, talk)
    address = f"foureyes://task/{task}"

    def read(tail: str) -> str:
        text: str = talk.do(lambda client: client.read_resource(f"{address}/{tail}")).contents[0].text
        return text

    assert f'"task":"{task}"' in read("context")
    assert '"review_request"' in read("review-request")
    assert "+print(1)" in read("diff/1")
    listed = talk.do(lambda client: client.list_resource_templates()).resource_templates
    assert [each.uri_template.rpartition("/task/{task}/")[2] for each in listed] == [
        "context",
        "review-request",
        "diff/{attempt}",
    ]
    for odd in ("diff/9", "diff/x", "diff/1/2", "nothing", "diff/..%2f", "context?x=1"):
        problem = talk.refused(lambda client, odd=odd: client.read_resource(f"{address}/{odd}"))
        assert problem.error.data["error"]["code"] in ("not_found", "usage")


def test_F4_prompts_are_those_of_the_implementer_and_the_reviewer(office: Office, talk: Conversation) -> None:
    task, _ = submitted_task(office, talk)
    for name in ("implementer", "reviewer"):
        prompt = talk.do(lambda client, name=name: client.get_prompt(name, {"task": task}))
        assert task in prompt.messages[0].content.text
    assert [each.name for each in talk.do(lambda client: client.list_prompts()).prompts] == ["implementer", "reviewer"]
    refused = talk.refused(lambda client: client.get_prompt("implementer", {"task": "fe-nope"}))
    assert refused.error.data["error"]["code"] == "not_found"
