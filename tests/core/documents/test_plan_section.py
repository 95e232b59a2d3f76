"""M7: fields wherever they stand in a section, and the text that is left."""

from __future__ import annotations

from foureyes.core.documents.plan_file import PlanSection

from tests.core.documents.plans import section_of


def test_a_description_field_begins_the_text_and_hides_no_field_M7() -> None:
    found = section_of("## Task: a\nLabels: x\nDescription: begins here\n\\Labels: z\n**Labels:** `security`, `y`\n")
    assert (found.labels, found.description) == (("x", "security", "y"), "begins here\nLabels: z")


def test_the_acceptance_of_an_agent_is_a_list_that_is_not_indented_and_what_follows_is_read_M7() -> None:
    found = section_of(
        "### Task 3: Add login\n\n**Acceptance Criteria**:\n- [ ] signs in\n  and out\n* [x] expires\n\n"
        "1. says so\n**Depends on:** `S1`, Task 2; and **S3**\n**Priority:** High\n\nText.\n"
    )
    assert found == PlanSection(
        line=1, title="Add login", ref="3", acceptance="- signs in and out\n- expires\n- says so", priority=1,
        depends_on=("S1", "Task 2", "S3"), description="Text.",
    )  # fmt: skip
    assert section_of("## Task: a\n#### Acceptance\n\nIt works.\nIt is quick.\n\nText.\n").acceptance == "It works."


def test_a_line_that_a_plan_does_not_know_is_text_and_said_M7() -> None:
    found = section_of("## Task: a\nOwner: bob\nLabels: x\n\nNote: this is text\nSee: there\n")
    assert (found.labels, found.description) == (("x",), "Owner: bob\nNote: this is text\nSee: there")
    assert found.notes == ("line 2: Owner: is no line of a plan, and is part of the text",)
