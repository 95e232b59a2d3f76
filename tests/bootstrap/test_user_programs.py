"""A program of the user's: which one they chose, and that it is run."""

from __future__ import annotations

from foureyes.bootstrap.user_programs import hand_over, program_of


def test_the_first_variable_that_says_something_names_the_program() -> None:
    names = ("FOUREYES_PAGER", "PAGER")
    assert program_of({"FOUREYES_PAGER": " ", "PAGER": "less -R"}, names, "more") == ["less", "-R"]
    assert program_of({"FOUREYES_PAGER": "'my pager' -x", "PAGER": "less"}, names, "more") == ["my pager", "-x"]
    assert program_of({}, names, "less") == ["less"]
    assert program_of({"PAGER": "it's"}, names, "less") == ["it's"]


def test_the_program_is_run_and_its_end_told() -> None:
    assert hand_over(["false"], {"PATH": "/bin:/usr/bin"}, b"") == 1
